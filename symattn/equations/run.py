"""The values of an operation in any arithmetic: one rule for all operations and all kinds of numbers.

An :class:`Arithmetic` says what a number is and what the elementary functions make of it. Every operation has a plan,
made once: a function for each piece of its equations. A row is worked out as a whole, so that what does not depend on
the column is worked out once for the row, and what has no index once for all.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import floor
from operator import eq, ge, gt, le, lt, ne
from types import MappingProxyType
from typing import Any, Protocol, TypeAlias

from symattn.equations.tree import (
    All,
    Call,
    Cases,
    Compare,
    Entry,
    Equation,
    Expression,
    Index,
    Number,
    Operation,
    Over,
    Piece,
    Size,
    children,
)
from symattn.errors import DomainError, shown

Rows = Sequence[Sequence[Any]]


class Arithmetic(Protocol):
    """What a kind of number can do."""

    @property
    def functions(self) -> Mapping[str, Callable[..., Any]]:
        """The elementary functions, signs of arithmetic among them."""
        ...

    def number(self, value: Fraction) -> Any:
        """A rational number."""
        ...

    def sum(self, values: list[Any]) -> Any:
        """The sum of several numbers, of which there is at least one."""
        ...

    def max(self, values: list[Any]) -> Any:
        """The largest of several numbers."""
        ...

    def compare(self, sign: str, left: Any, right: Any) -> bool | None:
        """Whether a comparison holds; ``None`` where that is open."""
        ...

    def either(self, then: Any, otherwise: Any) -> Any:
        """A number that may be one or the other."""
        ...

    def noted(self, equation: Equation, value: Any) -> Any:
        """What is gone on with of a number that has a name."""
        ...


@dataclass(frozen=True)
class Given:
    """What an operation is applied to: numbers and rows of numbers, and whole numbers for sizes and places."""

    operation: Operation
    values: Mapping[str, Any]
    """Rows for a matrix, a list for a row, a number for a number."""
    whole: Mapping[str, int]
    """Sizes, and whole numbers that places are worked out with."""


def run(given: Given, arithmetic: Arithmetic) -> list[list[Any]]:
    """The entries of the result, row by row.

    Raises :class:`~symattn.errors.DomainError` where an equation asks for an entry that is not there.
    """
    values = named(given, arithmetic)
    operation = given.operation
    value, index = values[operation.result.name], operation.result.index
    if len(index) == 2:
        return value  # type: ignore[no-any-return]
    if not index:
        return [[value]]
    if lengths(operation, given.whole)[0] == 1 and len(value) != 1:
        return [value]
    return [[each] for each in value]


def named(given: Given, arithmetic: Arithmetic) -> dict[str, Any]:
    """Every number that an operation names, and its result under the name of its last equation."""
    operation = given.operation
    state = _State(dict(given.values), given.whole, arithmetic)
    for equation, plan in zip(operation.equations, _plans(operation), strict=True):
        state.known = {}
        found = plan(state)
        if equation is not operation.result:
            found = _each(lambda x, e=equation: arithmetic.noted(e, x), found)  # type: ignore[misc]
        state.values[equation.name] = found
    return state.values


def _each(rule: Callable[[Any], Any], value: Any) -> Any:
    return [_each(rule, each) for each in value] if isinstance(value, list) else rule(value)


def lengths(operation: Operation, whole: Mapping[str, int]) -> tuple[int, int]:
    """How many rows and columns the result has."""
    rows, columns = (length(each, whole) for each in operation.shape)
    return rows, columns


def length(axis: Expression, whole: Mapping[str, int]) -> int:
    """A length as a number."""
    found = exactly(axis, whole)
    if found.denominator != 1 or found < 1:
        raise DomainError(f"an axis has the length {found}: expected a whole number from 1 up")
    return int(found)


def exactly(piece: Expression, whole: Mapping[str, int]) -> int | Fraction:
    """What is made of indices, sizes and whole numbers; ``whole`` has their values.

    >>> exactly(Call("div", (Size("d"), Number(Fraction(2)))), {"d": 8})
    4
    """
    match piece:
        case Number(value):
            return int(value) if value.denominator == 1 else value
        case Index(name) | Size(name) | Entry(name, ()):
            return whole[name]
        case Call(function, arguments):
            return RATIONAL[function](*(exactly(each, whole) for each in arguments))
    raise TypeError(f"{type(piece).__name__} is not made of whole numbers")


def _divided(x: int | Fraction, y: int | Fraction) -> int | Fraction:
    if y == 0:
        raise DomainError("division by zero in a place, a length or a condition")
    if isinstance(x, int) and isinstance(y, int) and not x % y:
        return x // y
    return Fraction(x) / y


RATIONAL: Mapping[str, Callable[..., int | Fraction]] = MappingProxyType(
    {
        "add": lambda x, y: x + y,
        "sub": lambda x, y: x - y,
        "mul": lambda x, y: x * y,
        "div": _divided,
        "mod": lambda x, y: x - y * floor(_divided(x, y)),
        "neg": lambda x: -x,
        "floor": floor,
        "abs": abs,
        "min": min,
        "max": max,
        "sum": lambda *parts: sum(parts),
    }
)
"""What places, lengths and conditions on indices are worked out with."""

COMPARED: Mapping[str, Callable[[Any, Any], bool]] = MappingProxyType(
    {"<": lt, "<=": le, "==": eq, "!=": ne, ">": gt, ">=": ge}
)
"""The signs of comparisons."""


# -- plans -------------------------------------------------------------------------------------------------------


class _State:
    """What a plan works on: numbers by name, and where the indices stand."""

    __slots__ = ("arithmetic", "at", "functions", "known", "values", "whole")

    def __init__(self, values: dict[str, Any], whole: Mapping[str, int], arithmetic: Arithmetic) -> None:
        self.values, self.whole, self.arithmetic = values, whole, arithmetic
        self.functions = arithmetic.functions
        self.at: dict[str, int] = dict(whole)
        self.known: dict[int, Any] = {}


Plan: TypeAlias = "Callable[[_State], Any]"


@lru_cache(maxsize=1000)
def _plans(operation: Operation) -> tuple[Plan, ...]:
    return tuple(_Planner(operation, equation).equation() for equation in operation.equations)


@lru_cache(maxsize=10_000)
def free(piece: Piece) -> frozenset[str]:
    """The indices that a piece depends on.

    >>> sorted(free(Over("sum", "k", Entry("X", (Index("i"), Index("k"))))))
    ['i']
    """
    inside = frozenset[str]().union(*map(free, children(piece)))
    if isinstance(piece, Index):
        return inside | {piece.name}
    return inside - {piece.index} if isinstance(piece, Over) else inside


@dataclass(frozen=True)
class _Planner:
    """Makes the plan of one equation. With an ``inner`` index a plan gives a list, a number for each of its values."""

    operation: Operation
    said: Equation

    def equation(self) -> Plan:
        index, body = self.said.index, self.said.body
        if len(index) == 2:
            row, reach, letter = self.row(body, index[1]), self.reach(index[0]), index[0]

            def rows(state: _State) -> list[Any]:
                found = []
                for place in range(1, reach(state) + 1):
                    state.at[letter] = place
                    found.append(row(state))
                return found

            return rows
        return self.row(body, index[0]) if index else self.plan(body, None)

    def row(self, body: Expression, inner: str) -> Plan:
        """Always a list."""
        plan, reach = self.plan(body, inner), self.reach(inner)
        if inner in free(body):
            return plan
        return lambda state: [plan(state)] * reach(state)

    def reach(self, index: str) -> Callable[[_State], int]:
        axis = self.operation.range_of[index]
        if isinstance(axis, Size):
            name = axis.name
            return lambda state: state.whole[name]
        return lambda state: length(axis, state.whole)

    def is_whole(self, piece: Piece) -> bool:
        """Whether a piece is made of indices, sizes and whole numbers only."""
        match piece:
            case Number() | Index() | Size():
                return True
            case Entry(name, ()):
                return any(each.name == name and each.kind == "whole" for each in self.operation.parameters)
            case Call(function, arguments):
                return function in RATIONAL and all(map(self.is_whole, arguments))
        return False

    def plan(self, piece: Expression, inner: str | None) -> Plan:
        """A number, or where it depends on ``inner`` the list of it."""
        depends = free(piece)
        if inner is not None and inner not in depends:
            inner = None
        found = self._plan(piece, inner)
        if depends or (isinstance(piece, Entry) and not piece.places):
            return found
        key = id(piece)

        def once(state: _State) -> Any:
            if key not in state.known:
                state.known[key] = found(state)
            return state.known[key]

        return once

    def _plan(self, piece: Expression, inner: str | None) -> Plan:
        if self.is_whole(piece):
            return self._along(lambda state: state.arithmetic.number(Fraction(exactly(piece, state.at))), inner)
        match piece:
            case Entry():
                return self._entry(piece, inner)
            case Call(function, arguments):
                return _called(function, [self.plan(each, inner) for each in arguments], len(arguments))
            case Over(kind, index, body):
                return self._along(self._over(kind, self.row(body, index)), inner)
            case Cases(condition, then, otherwise):
                return self._along(self._cases(condition, self.plan(then, None), self.plan(otherwise, None)), inner)
        raise TypeError(f"no value of {type(piece).__name__}")

    def _along(self, plan: Plan, inner: str | None) -> Plan:
        """The list of a number for all values of the inner index."""
        if inner is None:
            return plan
        reach, letter = self.reach(inner), inner

        def values(state: _State) -> list[Any]:
            found = []
            for place in range(1, reach(state) + 1):
                state.at[letter] = place
                found.append(plan(state))
            return found

        return values

    def _over(self, kind: str, row: Plan) -> Plan:
        if kind == "sum":
            return lambda state: state.arithmetic.sum(row(state))
        return lambda state: state.arithmetic.max(row(state))

    def _entry(self, piece: Entry, inner: str | None) -> Plan:
        name = piece.name
        match piece.places:
            case ():
                return lambda state: state.values[name]
            case (Index(i), Index(j)) if j == inner != i:
                return lambda state: list(state.values[name][state.at[i] - 1])
            case (Index(i), Index(j)) if i == inner != j:
                return lambda state: [row[state.at[j] - 1] for row in state.values[name]]
            case (Index(i), Index(j)) if inner is None:
                return lambda state: state.values[name][state.at[i] - 1][state.at[j] - 1]
            case (Index(j),):
                whole = j == inner
                return lambda state: list(state.values[name]) if whole else state.values[name][state.at[j] - 1]
        return self._along(lambda state: self._at(piece, state), inner)

    def _at(self, piece: Entry, state: _State) -> Any:
        value = state.values[piece.name]
        for place in piece.places:
            where = exactly(place, state.at)
            if where.denominator != 1 or not 1 <= where <= len(value):
                raise DomainError(
                    f"{self.operation.name}: equation {shown(self.said.text)}: {piece.name} has no entry {where}: "
                    f"expected a place from 1 to {len(value)}"
                )
            value = value[int(where) - 1]
        return value

    def _cases(self, condition: Compare | All, then: Plan, otherwise: Plan) -> Plan:
        holds = self.holds(condition)

        def case(state: _State) -> Any:
            found = holds(state)
            if found is None:
                return state.arithmetic.either(then(state), otherwise(state))
            return then(state) if found else otherwise(state)

        return case

    def holds(self, condition: Compare | All) -> Callable[[_State], bool | None]:
        """Whether a condition holds; ``None`` where that is open."""
        if isinstance(condition, All):
            parts = [self.holds(part) for part in condition.parts]

            def together(state: _State) -> bool | None:
                found = [part(state) for part in parts]
                return False if False in found else None if None in found else True

            return together
        sign, left, right = condition.sign, condition.left, condition.right
        if self.is_whole(left) and self.is_whole(right):
            compared = COMPARED[sign]
            return lambda state: compared(exactly(left, state.at), exactly(right, state.at))
        one, other = self.plan(left, None), self.plan(right, None)
        return lambda state: state.arithmetic.compare(sign, one(state), other(state))


def _called(function: str, arguments: list[Plan], count: int) -> Plan:
    """An elementary function of numbers, of lists, or of both."""
    if count == 0:
        return lambda state: state.functions[function]()
    if count == 1:
        (of,) = arguments

        def one(state: _State) -> Any:
            rule, x = state.functions[function], of(state)
            return list(map(rule, x)) if isinstance(x, list) else rule(x)

        return one
    left, right = arguments

    def two(state: _State) -> Any:
        rule, x, y = state.functions[function], left(state), right(state)
        if isinstance(x, list):
            return list(map(rule, x, y)) if isinstance(y, list) else [rule(a, y) for a in x]
        return [rule(x, b) for b in y] if isinstance(y, list) else rule(x, y)

    return two
