"""Printed figures, row by row: their shape, their numbers, and whether two of them are the same."""

from __future__ import annotations

from flint import fmpq

from symattn.exercise.model import Place, Printed
from symattn.values.rounding import read_figure


def shape_of(rows: Printed) -> Place:
    """Printed and columns."""
    return len(rows), len(rows[0])


def number_of(text: str) -> fmpq | str:
    """The number that a figure prints; an infinity is its own text.

    >>> number_of("0.50"), number_of("-oo")
    (1/2, '-oo')
    """
    read = read_figure(text)
    return text if read is None else read[0]


def same(rows: Printed, other: Printed) -> bool:
    """Whether two grids of figures are the same numbers, however many decimals they show.

    >>> same((("0.50",),), (("0.5",),)), same((("1", "2"),), (("1",), ("2",)))
    (True, False)
    """
    return [list(map(number_of, row)) for row in rows] == [list(map(number_of, row)) for row in other]


def alike(rows: Printed, other: Printed, place: Place) -> bool:
    """Whether two grids have the same number at one place."""
    i, j = place
    return number_of(rows[i][j]) == number_of(other[i][j])
