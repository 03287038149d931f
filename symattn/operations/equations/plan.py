"""Plans: a function for each piece of an equation, made once per operation, that evaluates it in any arithmetic.

A row is evaluated as a whole: with an ``inner`` index a plan returns a list, a number for each place of that index.
Pieces without the inner index are evaluated once per row, and those without any index once for all rows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import repeat
from typing import Any, TypeAlias

from symattn.base.errors import DomainError, shown
from symattn.operations.equations.tree import (
    All,
    Apply,
    Branch,
    Compare,
    Entry,
    Index,
    NamedEquation,
    Operation,
    Over,
    Tree,
)
from symattn.operations.equations.whole import Whole, exact, free, is_whole


class PlanState:
    """The state of an evaluation: numbers by name, the values of the indices, and the places of the current row."""

    __slots__ = ("arithmetic", "at", "full", "functions", "known", "reach", "values")

    def __init__(
        self, values: dict[str, Any], whole: Mapping[str, int], full: Mapping[str, range], arithmetic: Any
    ) -> None:
        self.values, self.full, self.arithmetic = values, full, arithmetic
        self.functions = arithmetic.functions
        self.at: dict[str, int] = dict(whole)
        self.reach: dict[str, Sequence[int]] = dict(full)
        self.known: dict[int, Any] = {}


PiecePlan: TypeAlias = "Callable[[PlanState], Any]"
Holds: TypeAlias = "Callable[[PlanState], Any]"
"""Returns ``True``, ``False`` or the open question about a condition; with an inner index a list of these."""

_Split: TypeAlias = "tuple[list[Any], Sequence[int], Sequence[int]]"
"""The state of a condition in each place of a row, the places where it may hold, and those where it may not."""


@lru_cache(maxsize=1000)
def plans(operation: Operation) -> tuple[PiecePlan, ...]:
    """Return a plan for each equation."""
    return tuple(_Planner(operation, equation).equation() for equation in operation.equations)


@dataclass(frozen=True)
class _Planner:
    """Makes the plan of one equation."""

    operation: Operation
    said: NamedEquation

    def equation(self) -> PiecePlan:
        index, body = self.said.index, self.said.body
        if len(index) == 2:
            return _along(self.row(body, index[1]), index[0])
        return self.row(body, index[0]) if index else self.plan(body, None)

    def row(self, body: Tree, inner: str) -> PiecePlan:
        """Return a plan that always gives a list."""
        plan = self.plan(body, inner)
        if inner in free(body):
            return plan
        return lambda state: [plan(state)] * len(state.reach[inner])

    def plan(self, piece: Tree, inner: str | None) -> PiecePlan:
        """Return a plan that gives a number, or a list where the piece depends on ``inner``."""
        depends = free(piece)
        if inner is not None and inner not in depends:
            inner = None
        found, key = self._plan(piece, inner), id(piece)
        if isinstance(piece, Entry | Index) or depends - {inner}:
            return found

        def once(state: PlanState) -> Any:
            if inner is not None and state.reach[inner] is not state.full[inner]:
                return found(state)
            if key not in state.known:
                state.known[key] = found(state)
            return state.known[key]

        return once

    def _plan(self, piece: Tree, inner: str | None) -> PiecePlan:
        if is_whole(self.operation, piece):
            worked_out = exact(piece)
            return _along(lambda state: state.arithmetic.number(worked_out(state.at)), inner)
        match piece:
            case Entry():
                return self._entry(piece, inner)
            case Apply("pow", (base, exponent)) if is_whole(self.operation, exponent):
                return _power(self.plan(base, inner), exact(exponent), inner if inner in free(exponent) else None)
            case Apply(function, arguments):
                return _called(function, [self.plan(each, inner) for each in arguments])
            case Over(kind, index, body):
                return self._over(piece, _along(_total(kind, self.row(body, index)), inner), inner)
            case Branch(condition, then, otherwise):
                holds = self.holds(condition, inner)
                if inner is None:
                    return _case(holds, self.plan(then, None), self.plan(otherwise, None), is_row=False)
                rows = self.row(then, inner), self.row(otherwise, inner)
                if inner not in free(condition):
                    return _case(holds, *rows, is_row=True)
                is_same = free(condition) == {inner} and is_whole(self.operation, condition)
                return _cases(_split(holds, inner, is_same), *rows, inner)
        raise TypeError(f"no value of {type(piece).__name__}")

    def _over(self, piece: Over, plan: PiecePlan, inner: str | None) -> PiecePlan:
        """Plan a sum or maximum; a sum of products of a row and a column is an entry of a matrix product."""
        factors = _factors(piece, self.said.index)
        if factors is None or inner != self.said.index[1]:
            return plan
        (i, j), k, key = self.said.index, piece.index, id(piece)
        left, right = _along(self.row(factors[0], k), i), _along(self.row(factors[1], j), k)

        def entries(state: PlanState) -> Any:
            product = getattr(state.arithmetic, "product", None)
            if product is None:
                return plan(state)
            if key not in state.known:
                at, reach = state.at[i], state.reach[j]
                state.reach[j] = state.full[j]
                state.known[key] = product(left(state), right(state))
                state.at[i], state.reach[j] = at, reach
            return _chosen(state.known[key][state.at[i] - 1], state.reach[j])

        return entries

    # -- entries -------------------------------------------------------------------------------------------------

    def _entry(self, piece: Entry, inner: str | None) -> PiecePlan:
        name = piece.name
        match piece.places:
            case ():
                return lambda state: state.values[name]
            case (place,):
                return self._of_row(name, lambda state: state.values[name], place, inner)
            case (row, column) if inner not in free(row):
                at = self._at(name, row)
                return self._of_row(name, lambda state: at(state.values[name], state), column, inner)
            case (row, column) if inner not in free(column):
                return self._of_column(name, row, self._at(name, column), str(inner))
        one, other = (self._at(name, place) for place in piece.places)
        return _along(lambda state: other(one(state.values[name], state), state), inner)

    def _at(self, name: str, place: Tree) -> Callable[[Sequence[Any], PlanState], Any]:
        """Return a function that reads the entry at a place which depends on no inner index."""
        if isinstance(place, Index):
            letter = place.name
            return lambda values, state: values[state.at[letter] - 1]
        where = exact(place)
        return lambda values, state: values[self._place(name, where(state.at), len(values)) - 1]

    def _of_row(self, name: str, row: PiecePlan, place: Tree, inner: str | None) -> PiecePlan:
        if inner is None:
            at = self._at(name, place)
            return lambda state: at(row(state), state)
        shift = _shift(place, inner)
        if shift is None:
            return _along(self._of_row(name, row, place, None), inner)

        def entries(state: PlanState) -> Any:
            values, reach, by = row(state), state.reach[inner], shift(state.at)
            if by or reach is not state.full[inner]:
                for end in (reach[0], reach[-1]):
                    self._place(name, end + by, len(values))
            return _chosen(values, reach, by)

        return entries

    def _of_column(
        self, name: str, place: Tree, column: Callable[[Sequence[Any], PlanState], Any], inner: str
    ) -> PiecePlan:
        rows = self._of_row(name, lambda state: state.values[name], place, inner)
        return lambda state: [column(row, state) for row in rows(state)]

    def _place(self, name: str, where: Whole, length: int) -> int:
        if not 1 <= where <= length or where != int(where):
            raise DomainError(
                f"{self.operation.name}: equation {shown(self.said.text)}: {name} has no entry {where}: "
                f"expected a place from 1 to {length}"
            )
        return int(where)

    # -- conditions ----------------------------------------------------------------------------------------------

    def holds(self, condition: Compare | All, inner: str | None) -> Holds:
        """Return a plan for the truth of a condition; where it depends on ``inner``, of a list."""
        if inner not in free(condition):
            inner = None
        if is_whole(self.operation, condition):
            worked_out = exact(condition)
            return _along(lambda state: worked_out(state.at), inner)
        if isinstance(condition, All):
            if inner is None:
                parts = [self.holds(part, None) for part in condition.parts]
                return lambda state: _together([part(state) for part in parts])
            rows = [self._row_of_holds(part, inner) for part in condition.parts]
            return lambda state: [_together(each) for each in zip(*(row(state) for row in rows), strict=True)]
        sign, left, right = condition.sign, condition.left, condition.right
        if inner is None:
            a, b = self.plan(left, None), self.plan(right, None)
            return lambda state: state.arithmetic.compare(sign, a(state), b(state))
        x, y = self.row(left, inner), self.row(right, inner)
        return lambda state: list(map(state.arithmetic.compare, repeat(sign), x(state), y(state)))

    def _row_of_holds(self, condition: Compare, inner: str) -> Holds:
        holds = self.holds(condition, inner)
        if inner in free(condition):
            return holds
        return lambda state: repeat(holds(state), len(state.reach[inner]))


def _together(found: Sequence[Any]) -> Any:
    """Combine the truth of several conditions; several open ones are a tuple."""
    if any(x is False for x in found):
        return False
    left_open = tuple(x for x in found if x is not True)
    return True if not left_open else left_open[0] if len(left_open) == 1 else left_open


def _along(plan: PiecePlan, inner: str | None) -> PiecePlan:
    """Repeat a number, or a row, for all places of an index."""
    if inner is None:
        return plan

    def values(state: PlanState) -> list[Any]:
        found = []
        for place in state.reach[inner]:
            state.at[inner] = place
            found.append(plan(state))
        return found

    return values


def _total(kind: str, row: PiecePlan) -> PiecePlan:
    if kind == "sum":
        return lambda state: state.arithmetic.sum(row(state))
    return lambda state: state.arithmetic.max(row(state))


def _factors(piece: Over, index: tuple[str, ...]) -> tuple[Tree, Tree] | None:
    """Return the two factors of a product in a sum, the one that belongs to rows first."""
    if piece.kind != "sum" or len(index) != 2 or not (isinstance(piece.body, Apply) and piece.body.function == "mul"):
        return None
    left, right = ({letter, piece.index} for letter in index)
    for one, other in (piece.body.arguments, piece.body.arguments[::-1]):
        if free(one) == left and free(other) == right:
            return one, other
    return None


def is_of_matrices(piece: Over, index: tuple[str, ...]) -> bool:
    """Return whether a sum is an entry of a product of two matrices."""
    return _factors(piece, index) is not None


def _shift(place: Tree, inner: str) -> Callable[[Mapping[str, Any]], Any] | None:
    """Return the offset of a place from the inner index, where it moves along with it."""
    match place:
        case Index(name) if name == inner:
            return lambda at: 0
        case Apply("add", (Index(name), other)) | Apply("add", (other, Index(name))) if name == inner:
            return exact(other) if inner not in free(other) else None
        case Apply("sub", (part, other)) if inner not in free(other) and (by := _shift(part, inner)):
            whole = exact(other)
            return lambda at: by(at) - whole(at)
    return None


def _chosen(values: Sequence[Any], reach: Sequence[int], by: int = 0) -> Sequence[Any]:
    """Return the values in some places."""
    if isinstance(reach, range):
        first, last = reach[0] + by - 1, reach[-1] + by
        return values if not first and last == len(values) else values[first:last]
    return [values[place + by - 1] for place in reach]


# -- functions and cases -----------------------------------------------------------------------------------------


def _called(function: str, arguments: list[PiecePlan]) -> PiecePlan:
    """Apply an elementary function to numbers, to lists, or to both."""
    if not arguments:
        return lambda state: state.functions[function]()
    if len(arguments) == 1:
        (of,) = arguments

        def one(state: PlanState) -> Any:
            rule, x = state.functions[function], of(state)
            return list(map(rule, x)) if isinstance(x, list) else rule(x)

        return one
    left, right = arguments

    def two(state: PlanState) -> Any:
        rule, x, y = state.functions[function], left(state), right(state)
        if isinstance(x, list):
            if isinstance(y, list):
                return list(map(rule, x, y))
            shares = state.functions.get("shares") if function == "div" else None
            return shares(x, y) if shares else list(map(rule, x, repeat(y)))
        return list(map(rule, repeat(x), y)) if isinstance(y, list) else rule(x, y)

    return two


def _power(base: PiecePlan, exponent: Callable[[Mapping[str, Any]], Any], inner: str | None) -> PiecePlan:
    """Return the plan of a power whose exponent is a rational number in every arithmetic."""
    exponents = _along(lambda state: exponent(state.at), inner)

    def power(state: PlanState) -> Any:
        rule, x, n = state.functions["pow"], base(state), exponents(state)
        if isinstance(x, list) and not isinstance(n, list):
            powers = state.functions.get("powers")
            return powers(x, n) if powers else list(map(rule, x, repeat(n)))
        if isinstance(x, list):
            return list(map(rule, x, n))
        return [rule(x, each) for each in n] if isinstance(n, list) else rule(x, n)

    return power


def _case(holds: Holds, then: PiecePlan, otherwise: PiecePlan, is_row: bool) -> PiecePlan:
    """Choose one case for a number, or for a whole row."""

    def case(state: PlanState) -> Any:
        found = holds(state)
        if found is True or found is False:
            return then(state) if found else otherwise(state)
        either = state.arithmetic.either
        if is_row:
            return list(map(either, then(state), otherwise(state), repeat(found)))
        return either(then(state), otherwise(state), found)

    return case


def _cases(split: Callable[[PlanState], _Split], then: PiecePlan, otherwise: PiecePlan, inner: str) -> PiecePlan:
    """Evaluate each case in the places where it holds, and both where that is open."""

    def cases(state: PlanState) -> Any:
        before, (found, first, second) = state.reach[inner], split(state)
        one, other = (_row_for(plan, places, inner, state) for plan, places in ((then, first), (otherwise, second)))
        state.reach[inner] = before
        if not first or not second:
            return one or other
        if isinstance(first, range) and isinstance(second, range) and len(first) + len(second) == len(before):
            return [*one, *other] if first[0] < second[0] else [*other, *one]
        either, ones, others = state.arithmetic.either, iter(one), iter(other)
        return [
            next(ones) if x is True else next(others) if x is False else either(next(ones), next(others), x)
            for x in found
        ]

    return cases


def _split(holds: Holds, inner: str, is_same: bool) -> Callable[[PlanState], _Split]:
    """Return where a condition holds, and where it does not. ``is_same`` means that this is the same in every row."""

    def split(state: PlanState) -> _Split:
        reach = state.reach[inner]
        kept = is_same and reach is state.full[inner]
        if kept and id(holds) in state.known:
            return state.known[id(holds)]
        found = holds(state)
        first = [place for place, x in zip(reach, found, strict=True) if x is not False]
        second = [place for place, x in zip(reach, found, strict=True) if x is not True]
        parts = found, _as_range(first), _as_range(second)
        if kept:
            state.known[id(holds)] = parts
        return parts

    return split


def _row_for(plan: PiecePlan, places: Sequence[int], inner: str, state: PlanState) -> Sequence[Any]:
    """Evaluate a row in some of its places."""
    if not places:
        return ()
    state.reach[inner] = state.full[inner] if len(places) == len(state.full[inner]) else places
    return plan(state)


def _as_range(places: list[int]) -> Sequence[int]:
    if places and places[-1] - places[0] == len(places) - 1:
        return range(places[0], places[-1] + 1)
    return places
