"""Evaluate an operation in any arithmetic: one rule for all operations and all kinds of numbers.

An :class:`Arithmetic` defines numbers and the elementary functions on them. Every operation has a plan, made once: a
function for each piece of its equations. A row is evaluated as a whole, so that pieces that do not depend on the column
are evaluated once per row, and those without an index once for all.
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
    """The operations on one kind of number.

    It may also have ``product`` of two matrices, where that is faster than its sums, and ``noted``, which returns the
    value to carry on with for a named number. Its functions may include ``shares``, a list divided by one number, and
    ``powers``, one power of a list.
    """

    @property
    def functions(self) -> Mapping[str, Callable[..., Any]]:
        """The elementary functions, including arithmetic operators."""
        ...

    def number(self, value: int | Fraction) -> Any:
        """Return a rational number."""
        ...

    def sum(self, values: list[Any]) -> Any:
        """Return the sum of several numbers, at least one."""
        ...

    def max(self, values: list[Any]) -> Any:
        """Return the largest of several numbers."""
        ...

    def compare(self, sign: str, left: Any, right: Any) -> Any:
        """Return ``True`` or ``False`` for a comparison, or any other value that describes what is open."""
        ...

    def either(self, then: Any, otherwise: Any, condition: Any) -> Any:
        """Return a number that may be one or the other; ``condition`` is the open question from ``compare``."""
        ...


@dataclass(frozen=True)
class OperandValues:
    """The operands of an operation: numbers and rows of numbers, and whole numbers for sizes and places."""

    operation: Operation
    values: Mapping[str, Any]
    """Rows for a matrix, a list for a row, a number for a number."""
    whole: Mapping[str, int]
    """Sizes, and whole numbers used in places."""
    reach: Mapping[str, range] | None = None
    """The places of each index, where they are known already."""


def run(given: OperandValues, arithmetic: Arithmetic) -> list[list[Any]]:
    """Return the entries of the result, row by row.

    Raises :class:`~symattn.base.errors.DomainError` where an equation reads an entry that does not exist.
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
    """Return every number that an operation names, and its result under the name of its last equation."""
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
    """Return the places of each index."""
    return {letter: range(1, length(axis, whole) + 1) for letter, axis in operation.ranges}


def _each(rule: Callable[[Any], Any], value: Any) -> Any:
    return [_each(rule, each) for each in value] if isinstance(value, list) else rule(value)


def lengths(operation: Operation, whole: Mapping[str, int]) -> tuple[int, int]:
    """Return the number of rows and of columns of the result."""
    rows, columns = (length(each, whole) for each in operation.shape)
    return rows, columns


def length(axis: Tree, whole: Mapping[str, int]) -> int:
    """Return a length as a number. Raises :class:`~symattn.base.errors.DomainError` if it is not whole and positive."""
    found = exact(axis)(whole)
    if found.denominator != 1 or found < 1:
        raise DomainError(f"an axis has the length {found}: expected a whole number from 1 up")
    return int(found)
