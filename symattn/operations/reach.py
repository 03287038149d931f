"""Check, for the given sizes, that every entry that equations read exists, and that no divisor is zero.

Conditions on indices are checked value by value, where there are not too many; the evaluation checks every entry again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from math import prod
from typing import Any

from sympy import Integer

from symattn.base.errors import FormulaError, shown
from symattn.operations.entry import value_of
from symattn.operations.equations.ranges import piece_text
from symattn.operations.equations.run import length
from symattn.operations.equations.tree import (
    All,
    Apply,
    Branch,
    Compare,
    Constant,
    Entry,
    Index,
    Length,
    NamedEquation,
    Operation,
    Piece,
    Tree,
    children,
    walk,
)
from symattn.operations.equations.whole import exact, is_whole

_COMBINATIONS = 10_000
"""Combinations of index values that are checked before an operation is evaluated, for one place."""

_CONDITIONS = 50_000
"""Conditions checked for all places together: with hundreds of matrices side by side each has one."""


class OutsideError(Exception):
    """An equation reads a missing entry, of ``name``; ``is_made`` means that the place is computed."""

    def __init__(self, message: str, name: str, is_made: bool) -> None:
        super().__init__(message)
        self.name, self.is_made = name, is_made


@dataclass(frozen=True)
class _Place:
    """A place of an entry that is not a single index, and the conditions on indices around it."""

    equation: NamedEquation
    entry: Entry
    number: int
    under: tuple[tuple[Compare | All, bool], ...]

    @property
    def body(self) -> Tree:
        return self.entry.places[self.number]

    @property
    def indices(self) -> tuple[str, ...]:
        """The indices that it depends on."""
        pieces = [*walk(self.body), *(piece for condition, _ in self.under for piece in walk(condition))]
        return tuple(dict.fromkeys(piece.name for piece in pieces if isinstance(piece, Index)))


@lru_cache(maxsize=1000)
def _places(operation: Operation) -> tuple[_Place, ...]:
    return tuple(
        _Place(equation, entry, number, under)
        for equation in operation.equations
        for entry, under in _entries(operation, equation.body, ())
        for number, place in enumerate(entry.places)
        if not isinstance(place, Index)
    )


Under = tuple[tuple[Compare | All, bool], ...]


def _entries(operation: Operation, piece: Piece, under: Under) -> Iterator[tuple[Entry, Under]]:
    """Yield every entry in a piece with the conditions on indices around it."""
    if isinstance(piece, Branch) and is_whole(operation, piece.condition):
        yield from _entries(operation, piece.condition, under)
        yield from _entries(operation, piece.then, (*under, (piece.condition, True)))
        yield from _entries(operation, piece.otherwise, (*under, (piece.condition, False)))
        return
    if isinstance(piece, Entry):
        yield piece, under
    for child in children(piece):
        yield from _entries(operation, child, under)


def must_have_entries(operation: Operation, whole: Mapping[str, int]) -> None:
    """Reject places that are outside; ``whole`` has the sizes and whole numbers that are known.

    Raises :class:`OutsideError`, and :class:`~symattn.base.errors.DomainError` where a place has no value.

    >>> from symattn.operations.equations.read import read_operation
    >>> shifted = read_operation("shifted(X: m×n) -> m×n\\n y[i,j] = X[i,j + 1]")
    >>> must_have_entries(shifted, {"m": 2, "n": 3})
    Traceback (most recent call last):
        ...
    symattn.operations.reach.OutsideError: X[i,j + 1] asks for column 4: expected a column from 1 to 3
    """
    places = _places(operation)
    for place in places:
        _must_be_there(operation, place, whole, _CONDITIONS // len(places))


def _must_be_there(operation: Operation, place: _Place, whole: Mapping[str, int], most: int) -> None:
    name, body = place.entry.name, place.body
    axis = _axes(operation, name)[place.number]
    what = "row" if place.number == 0 and len(place.entry.places) == 2 else "column"
    is_given = isinstance(body, Entry)
    try:
        reach = length(axis, whole)
        ranges = [range(1, length(operation.range_of[index], whole) + 1) for index in place.indices]
    except KeyError:
        if any(isinstance(piece, Entry) for piece in walk(body)):
            wanted = f"expected a {what} from 1 to {piece_text(axis)}"
            raise OutsideError(f"{wanted}, which has to be a whole number", name, False) from None
        return  # for all sizes: it is looked at again for each
    count = prod(map(len, ranges))
    if count > _COMBINATIONS or count * len(place.under) > most:
        return
    for values in product(*ranges):
        at = {**whole, **dict(zip(place.indices, values, strict=True))}
        if not all(exact(condition)(at) is wanted for condition, wanted in place.under):
            continue
        found = exact(body)(at)
        if found.denominator != 1:
            fraction = next((p for p in walk(body) if isinstance(p, Apply) and p.function == "div"), body)
            value = exact(fraction)(at)
            said = (fraction, value) if value.denominator != 1 else (body, found)
            raise OutsideError(f"{piece_text(said[0])} is {said[1]}: expected a whole number", name, True)
        if not 1 <= found <= reach:
            expected = f"expected a {what} from 1 to {reach}"
            asks = "" if is_given else f"{piece_text(place.entry)} asks for {what} {found}: "
            raise OutsideError(f"{asks}{expected}", name, not is_given)


def _axes(operation: Operation, name: str) -> tuple[Tree, ...]:
    for parameter in operation.parameters:
        if parameter.name == name:
            return parameter.axes
    return tuple(operation.range_of[index] for index in operation.equation(name).index)


# -- division ----------------------------------------------------------------------------------------------------


@lru_cache(maxsize=1000)
def _divisors(operation: Operation) -> tuple[tuple[NamedEquation, Tree], ...]:
    """Return the divisors that depend on no entry and no index, only on given numbers, or are 0."""
    numbers = {each.name for each in operation.parameters if each.kind == "number"}
    found = []
    for equation in operation.equations:
        for piece in walk(equation.body):
            if isinstance(piece, Apply) and piece.function == "div" and _is_constant(piece.arguments[1], numbers):
                divisor = piece.arguments[1]
                if _names(divisor) or value_of(divisor, {}).is_zero:
                    found.append((equation, divisor))
    return tuple(found)


def _names(piece: Tree) -> list[str]:
    return [inside.name for inside in walk(piece) if isinstance(inside, Entry | Length)]


def _is_constant(piece: Tree, numbers: set[str]) -> bool:
    inside = list(walk(piece))
    known = all(
        isinstance(p, Constant | Length | Apply) or (isinstance(p, Entry) and p.name in numbers) for p in inside
    )
    return known and any(isinstance(p, Entry | Constant) for p in inside)


def must_divide(operation: Operation, given: Mapping[str, Any], text: str) -> None:
    """Reject a division by zero that follows from the given numbers, whatever the entries are.

    Raises :class:`~symattn.base.errors.FormulaError`.
    """
    for equation, divisor in _divisors(operation):
        names = _names(divisor)
        if any(name not in given for name in names):
            continue
        value = value_of(divisor, {name: Integer(v) if isinstance(v, int) else v for name, v in given.items()})
        if not value.free_symbols and value.is_zero:
            said = f"{piece_text(divisor)} is 0" if names else "it is 0"
            raise FormulaError(f"{text}: equation {shown(equation.text)}: division by zero: {said}")
