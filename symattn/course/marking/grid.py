"""Lay a student's answer to one part over the requested cells."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from flint import arb, arb_mat, fmpq
from sympy import Expr

from symattn.base import limits
from symattn.base.printed import Printed, read_figure
from symattn.base.remembered import cached_property
from symattn.compute.values.balls import number_ball
from symattn.course.marking.answers.cell import AnswerCell, in_ascii, read_cell
from symattn.course.marking.answers.tokens import Trouble
from symattn.course.model import Part, Place

_SHAPE = re.compile(r"[\s([]*(\d{1,9})\s*([x*,])\s*(\d{1,9})[\s)\].]*\Z", re.IGNORECASE | re.ASCII)

LARGE = 1_000
"""From this number on, a mark in a number may separate thousands."""
EMPTY = AnswerCell("")


@dataclass(frozen=True)
class AnswerGrid:
    """The cells of an answer, row by row, without empty rows and columns at the end."""

    part: Part
    rows: tuple[tuple[AnswerCell, ...], ...]

    @classmethod
    def of(cls, part: Part, rows: Printed) -> AnswerGrid:
        """Read the answer to a part. One row may be the requested column, and ``3×2`` in one cell is a shape."""
        texts = tuple(tuple(row) for row in rows[: limits.ANSWER_CELLS])
        height, width = part.shape
        if part.kind == "shape" and len(texts) == 1 and width == 2:
            texts = (_shape(texts[0]),)
        if len(texts) == 1 and len(texts[0]) == height > 1 and width == 1:
            texts = tuple((text,) for text in texts[0])
        thousands = _has_thousands(part)
        return cls(part, _trimmed(tuple(tuple(read_cell(text, thousands) for text in row) for row in texts)))

    @cached_property
    def shape(self) -> tuple[int, int]:
        return len(self.rows), max(map(len, self.rows), default=0)

    def __getitem__(self, place: Place) -> AnswerCell:
        row, column = place
        return self.rows[row][column] if row < len(self.rows) and column < len(self.rows[row]) else EMPTY

    @cached_property
    def fits(self) -> bool:
        """Whether all answers lie inside the part."""
        return all(mine <= asked for mine, asked in zip(self.shape, self.part.shape, strict=True))

    @property
    def transposed(self) -> AnswerGrid:
        """The answer with rows and columns swapped."""
        height, width = self.shape
        return AnswerGrid(self.part, tuple(tuple(self[i, j] for i in range(height)) for j in range(width)))

    @cached_property
    def given(self) -> Mapping[Place, AnswerCell]:
        """The requested cells that hold a number."""
        cells = ((place, self[place]) for place in self.part.asked)
        return {place: cell for place, cell in cells if cell.value is not None}

    @cached_property
    def everything(self) -> Mapping[Place, AnswerCell]:
        """All cells that hold a number, also outside the part."""
        places = ((i, j) for i, row in enumerate(self.rows) for j in range(len(row)))
        return {place: self[place] for place in places if self[place].value is not None}

    def matrix(self, shown: arb_mat) -> arb_mat | None:
        """Return the student's own matrix, with the shown values in the places that were not asked.

        ``None`` if later steps cannot use it: cells are missing, or it is degenerate.
        """
        if not self.fits or len(self.given) < len(self.part.asked) or self._is_degenerate():
            return None
        rows, columns = self.part.shape
        values = [arb(self.given[place].number) if place in self.given else shown[place] for place in self._places()]
        return arb_mat(rows, columns, values)

    def _places(self) -> list[Place]:
        rows, columns = self.part.shape
        return [(i, j) for i in range(rows) for j in range(columns)]

    def _is_degenerate(self) -> bool:
        """Return whether the answer is all zeros or the identity, or has more repeated rows or fewer distinct entries
        than it should."""
        numbers = {
            place: self.given[place].value if place in self.given else figure_value(self.part.key[place[0]][place[1]])
            for place in self._places()
        }
        rows, columns = self.part.shape
        lines = [tuple(numbers[i, j] for j in range(columns)) for i in range(rows)]
        if not any(value != 0 for value in numbers.values()):
            return True
        if rows == columns > 1 and all(value == int(i == j) for (i, j), value in numbers.items()):
            return True
        if len(set(lines)) < len(set(self.part.key)):
            return True
        return len(set(numbers.values())) < self.part.needs


def _shape(row: tuple[str, ...]) -> tuple[str, ...]:
    """Return a row of cells, or the rows and columns that ``3×2`` in one of them names."""
    try:
        match = _SHAPE.match(in_ascii(" ".join(row)))
    except Trouble:
        return row
    # 1,234 may be one number.
    return (match[1], match[3]) if match and not (match[2] == "," and len(match[3]) == 3) else row


def _has_thousands(part: Part) -> bool:
    """Return whether a mark may separate thousands: if whole numbers are asked for, or very large ones."""
    if part.kind in ("shape", "order", "place"):
        return True
    figures = [figure_value(text) for row in part.key for text in row]
    if part.kind == "number" and all(isinstance(figure, fmpq) and figure.q == 1 for figure in figures):
        return True
    return any(isinstance(figure, fmpq) and abs(figure) >= LARGE for figure in figures)


def _trimmed(rows: tuple[tuple[AnswerCell, ...], ...]) -> tuple[tuple[AnswerCell, ...], ...]:
    """Return the rows without empty cells and rows at their end."""
    kept = [_without_end(row) for row in rows]
    while kept and not kept[-1]:
        kept.pop()
    return tuple(kept)


def _without_end(row: tuple[AnswerCell, ...]) -> tuple[AnswerCell, ...]:
    last = max((place for place, cell in enumerate(row, 1) if not cell.is_empty), default=0)
    return row[:last]


@lru_cache(maxsize=4096)
def figure_value(text: str) -> fmpq | Expr | str:
    """Return the number of a printed figure: a FLINT rational, or an infinity.

    >>> figure_value("0.50"), figure_value("-oo")
    (1/2, -oo)
    """
    read = read_figure(text)
    if read is not None:
        return read[0]
    value = read_cell(text).value
    return text if value is None else value


def is_figure(cell: AnswerCell, figure: str, decimals: int) -> bool:
    """Return whether a cell equals a printed figure, or rounds to it with so many decimals."""
    number = figure_value(figure)
    if isinstance(number, str):
        return False
    return cell.is_right(number if isinstance(number, fmpq) else number_ball(number), decimals)
