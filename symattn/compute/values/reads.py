"""Find which entries of which matrices an entry of a formula depends on, by evaluating the equations with sets."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from functools import reduce
from typing import Any, NamedTuple

from sympy import Basic, MatAdd, MatMul, MatPow, MatrixSymbol

from symattn.base.budget import spend
from symattn.base.shapes import EntryPlace, whole_sizes
from symattn.compute.values.applied import applied_entries
from symattn.operations import ArgMax, TopK

Read = frozenset[EntryPlace]
Reads = list[list[Read]]
NOTHING: Read = frozenset()


def _all(*parts: Any) -> Read:
    """Return the union of sets; a condition decided by several values is a tuple of sets, an exponent a number."""
    found: Read = NOTHING
    for part in parts:
        found |= part if isinstance(part, frozenset) else _all(*part) if isinstance(part, tuple) else NOTHING
    return found


class _Together(dict[str, Callable[..., Read]]):
    """Functions by any name, each of which returns the union of its arguments."""

    def __missing__(self, name: str) -> Callable[..., Read]:
        return _all

    def get(self, name: str, default: Any = None) -> Any:  # there is no quicker way to take a whole row
        return default


class _Sets:
    """Arithmetic on the sets of entries that numbers depend on."""

    functions = _Together()

    def number(self, value: int | Fraction) -> Read:
        return NOTHING

    def sum(self, values: list[Read]) -> Read:
        return _all(*values)

    def max(self, values: list[Read]) -> Read:
        return _all(*values)

    def compare(self, sign: str, left: Read, right: Read) -> Read:
        return left | right

    def either(self, then: Read, otherwise: Read, condition: Any) -> Read:
        return _all(then, otherwise, condition)


_SETS = _Sets()


def reads(node: Basic) -> Reads:
    """Return, for every entry of a formula, the entries of names that it depends on.

    Entries hidden by a mask are among them: they are read before they are hidden.

    Raises :class:`~symattn.base.errors.BudgetError` where there is more to look at than is allowed.

    >>> Q, K = MatrixSymbol("Q", 2, 2), MatrixSymbol("K", 2, 2)
    >>> [tuple(each) for each in sorted(reads(Q * K.T)[0][1])]
    [('K', 1, 0), ('K', 1, 1), ('Q', 0, 0), ('Q', 0, 1)]
    """
    rows, columns = whole_sizes(node)
    spend(rows * columns)
    if isinstance(node, MatrixSymbol):
        return [[frozenset((EntryPlace(str(node.name), i, j),)) for j in range(columns)] for i in range(rows)]
    operands = [reads(arg) for arg in node.args if getattr(arg, "is_Matrix", False)]
    if isinstance(node, MatMul):
        return reduce(_product, operands)
    if isinstance(node, MatPow):
        return reduce(_product, operands * int(node.exp)) if node.exp != 0 else [[NOTHING] * columns] * rows
    if isinstance(node, MatAdd):
        return [[_all(*cells) for cells in zip(*lines, strict=True)] for lines in zip(*operands, strict=True)]
    if isinstance(node, ArgMax | TopK):  # each number of a row decides which are chosen
        return [[_all(*row)] * columns for row in operands[0]]
    return applied_entries(node, operands, lambda _: NOTHING, _SETS)


def _product(left: Reads, right: Reads) -> Reads:
    spend(len(left) * len(right[0]))
    rows, columns = [_all(*row) for row in left], [_all(*column) for column in zip(*right, strict=True)]
    return [[row | column for column in columns] for row in rows]


class Region(NamedTuple):
    """A block of neighbouring entries of one matrix: first and last row and column, counted from 0."""

    name: str
    rows: tuple[int, int]
    columns: tuple[int, int]


def regions(places: Iterable[EntryPlace]) -> tuple[Region, ...]:
    """Group entries into rectangles, such as a row of one matrix and a column of another.

    >>> regions([EntryPlace("Q", 1, 0), EntryPlace("Q", 1, 1), EntryPlace("K", 0, 1)])
    (Region(name='K', rows=(0, 0), columns=(1, 1)), Region(name='Q', rows=(1, 1), columns=(0, 1)))
    """
    lines: dict[tuple[str, int, int], list[int]] = {}
    for name, row, first, last in _runs(sorted(places)):
        lines.setdefault((name, first, last), []).append(row)
    found: list[Region] = []
    for (name, first, last), rows in lines.items():
        for top, bottom in _in_a_row(rows):
            found.append(Region(name, (top, bottom), (first, last)))
    return tuple(sorted(found))


def _runs(places: Sequence[EntryPlace]) -> Iterable[tuple[str, int, int, int]]:
    """Yield runs of neighbouring entries of a row: name, row, first and last column."""
    by_row: dict[tuple[str, int], list[int]] = {}
    for name, row, column in places:
        by_row.setdefault((name, row), []).append(column)
    for (name, row), columns in by_row.items():
        for first, last in _in_a_row(columns):
            yield name, row, first, last


def _in_a_row(numbers: Sequence[int]) -> list[tuple[int, int]]:
    """Return the first and last number of each run of consecutive numbers."""
    found: list[tuple[int, int]] = []
    for number in numbers:
        if found and found[-1][1] == number - 1:
            found[-1] = found[-1][0], number
        else:
            found.append((number, number))
    return found
