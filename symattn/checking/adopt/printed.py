"""Figures as a document prints them: a number, a list or a matrix of nothing but figures."""

from __future__ import annotations

from dataclasses import dataclass

from symattn.checking.adopt.formula_text import number_text
from symattn.checking.adopt.model import AxesCount
from symattn.checking.reading.tree import Combined, Expressed, FigureRead, GridRead

TextRows = tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class PrintedValue:
    """Rows of figures, each as an exact number, and how many axes they have."""

    rows: TextRows
    axes: AxesCount

    @property
    def sizes(self) -> tuple[int, int]:
        """Rows and columns."""
        return len(self.rows), len(self.rows[0])

    @property
    def is_line(self) -> bool:
        """Whether it is one row or one column."""
        return 1 in self.sizes

    def fits(self, sizes: tuple[object, object]) -> bool:
        """Whether it may be what something of that shape prints; a vector lies or stands."""
        return sizes == self.sizes or (self.is_line and sizes == self.sizes[::-1])

    def laid(self, sizes: tuple[object, object]) -> TextRows:
        """The rows as something of that shape has them, where the document has a column for a row."""
        return tuple(zip(*self.rows, strict=True)) if sizes != self.sizes and self.is_line else self.rows

    def as_given(self, is_vector: bool) -> PrintedValue:
        """The value as it is given: a vector is a list, however it stands."""
        if is_vector and self.axes == 2 and self.is_line:
            return PrintedValue((tuple(cell for row in self.rows for cell in row),), 1)
        return self

    @property
    def given_axes(self) -> tuple[int, ...]:
        """The sizes of its axes."""
        return ((), (self.sizes[1],), self.sizes)[self.axes]


def figures_of(written: Expressed) -> PrintedValue | None:
    """The figures of a value; ``None`` of what is more than figures."""
    if (number := _number(written)) is not None:
        return PrintedValue(((number,),), 0)
    while isinstance(written, GridRead) and len(written.rows) == len(written.rows[0] if written.rows else ()) == 1:
        inside = written.rows[0][0]  # a batch of one
        if not isinstance(inside, GridRead):
            break
        written = inside
    if not isinstance(written, GridRead) or not written.rows or not written.rows[0]:
        return None
    rows = tuple(tuple(_number(cell) for cell in row) for row in written.rows)
    if len({len(row) for row in rows}) > 1 or any(cell is None for row in rows for cell in row):
        return None
    return PrintedValue(tuple(tuple(cell or "" for cell in row) for row in rows), 1 if written.axes == 1 else 2)


def _number(written: Expressed) -> str | None:
    """A figure, or a power of ten with its sign, as masks have it."""
    match written:
        case FigureRead():
            return number_text(written)
        case Combined(op="neg", args=(inside,)) if not isinstance(inside, Combined) or inside.op == "^":
            text = _number(inside)
            return None if text is None else text[1:] if text.startswith("-") else f"-{text}"
        case Combined(op="^", args=(FigureRead() as base, FigureRead() as power)) if _is_ten(base, power):
            return f"{number_text(base)}^{number_text(power)}"
    return None


def _is_ten(base: FigureRead, power: FigureRead) -> bool:
    return abs(base.value or 0) == 10 and power.value is not None and power.value.denominator == 1
