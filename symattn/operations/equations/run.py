"""The values of an operation in any arithmetic: one rule for all operations and all kinds of numbers.

An :class:`Arithmetic` says what a number is and what the elementary functions make of it. Every operation has a plan,
made once: a function for each piece of its equations. A row is worked out as a whole, so that what does not depend on
the column is worked out once for the row, and what has no index once for all.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Protocol

from symattn.base.errors import DomainError
from symattn.operations.equations.plan import PlanState, plans
from symattn.operations.equations.tree import NamedEquation, Operation, Tree
from symattn.operations.equations.whole import exact


class Arithmetic(Protocol):
    """What a kind of number can do.

    Two things it may have besides: ``product`` of two matrices, where that is quicker than its sums, and ``noted``,
    what is gone on with of a number that has a name. Among its functions may be ``shares``, a list divided by one
    number, and ``powers``, one power of a list.
    """

    @property
    def functions(self) -> Mapping[str, Callable[..., Any]]:
        """The elementary functions, signs of arithmetic among them."""
        ...

    def number(self, value: int | Fraction) -> Any:
        """A rational number."""
        ...

    def sum(self, values: list[Any]) -> Any:
        """The sum of several numbers, of which there is at least one."""
        ...

    def max(self, values: list[Any]) -> Any:
        """The largest of several numbers."""
        ...

    def compare(self, sign: str, left: Any, right: Any) -> Any:
        """Whether a comparison holds: ``True`` or ``False``, or anything else that says what is open."""
        ...

    def either(self, then: Any, otherwise: Any, condition: Any) -> Any:
        """A number that may be one or the other; ``condition`` is what was said to be open."""
        ...


@dataclass(frozen=True)
class OperandValues:
    """What an operation is applied to: numbers and rows of numbers, and whole numbers for sizes and places."""

    operation: Operation
    values: Mapping[str, Any]
    """Rows for a matrix, a list for a row, a number for a number."""
    whole: Mapping[str, int]
    """Sizes, and whole numbers that places are worked out with."""
    reach: Mapping[str, range] | None = None
    """The places of each index, where they are known already."""


def run(given: OperandValues, arithmetic: Arithmetic) -> list[list[Any]]:
    """The entries of the result, row by row.

    Raises :class:`~symattn.base.errors.DomainError` where an equation asks for an entry that is not there.
    """
    values = named(given, arithmetic)
    operation = given.operation
    value, index = values[operation.result.name], operation.result.index
    if len(index) == 2:
        return value
    if not index:
        return [[value]]
    if lengths(operation, given.whole)[0] == 1 and len(value) != 1:
        return [value]
    return [[each] for each in value]


def named(given: OperandValues, arithmetic: Arithmetic) -> dict[str, Any]:
    """Every number that an operation names, and its result under the name of its last equation."""
    operation = given.operation
    reach = reached(operation, given.whole) if given.reach is None else given.reach
    state = PlanState(dict(given.values), given.whole, reach, arithmetic)
    note: Callable[[NamedEquation, Any], Any] | None = getattr(arithmetic, "noted", None)
    for equation, plan in zip(operation.equations, plans(operation), strict=True):
        state.known = {}
        found = plan(state)
        if note is not None and equation is not operation.result:
            found = _each(lambda x, e=equation: note(e, x), found)  # type: ignore[misc]
        state.values[equation.name] = found
    return state.values


def reached(operation: Operation, whole: Mapping[str, int]) -> Mapping[str, range]:
    """The places of each index."""
    return {letter: range(1, length(axis, whole) + 1) for letter, axis in operation.ranges}


def _each(rule: Callable[[Any], Any], value: Any) -> Any:
    return [_each(rule, each) for each in value] if isinstance(value, list) else rule(value)


def lengths(operation: Operation, whole: Mapping[str, int]) -> tuple[int, int]:
    """How many rows and columns the result has."""
    rows, columns = (length(each, whole) for each in operation.shape)
    return rows, columns


def length(axis: Tree, whole: Mapping[str, int]) -> int:
    """A length as a number. Raises :class:`~symattn.base.errors.DomainError` where it is not a whole one from 1 up."""
    found = exact(axis)(whole)
    if found.denominator != 1 or found < 1:
        raise DomainError(f"an axis has the length {found}: expected a whole number from 1 up")
    return int(found)
