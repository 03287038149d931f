"""The common part of all pictures: figures with their sizes, labels, and as many rows and columns as fit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, isinf
from unicodedata import east_asian_width

from symattn.base.errors import NoValueError
from symattn.base.printed import Figure
from symattn.base.remembered import cached_property
from symattn.compute.solution.store import Store
from symattn.show.blocks import Argument, Inline, Phrase
from symattn.show.drawings import PictureLabel, Plotted, PlottedPoint, TokenLabel
from symattn.show.math import counted
from symattn.show.notation.names import Names
from symattn.show.readings.sentence import column_of
from symattn.show.window import LABELS, Window, places

LONGEST_LABEL = 24
"""The most characters of a label; a longer one is cut, to leave room for the rest."""
STRIPS = 4
"""The most rows of a matrix in a picture that draws each of them separately."""
LINE = 46.0
"""The width of a picture, in characters that are as wide as they are high."""
_NARROW, _AIR = 0.54, 1.1


def size_of(figure: Figure) -> float:
    """Return the number that a figure stands for, as a size on a picture.

    >>> size_of(Figure.written("-0.50", True)), size_of(Figure("-oo", True)), size_of(Figure.written("10^400", True))
    (-0.5, -inf, inf)
    """
    endless = -inf if figure.text.startswith("-") else inf
    try:
        return endless if figure.number is None else int(figure.number.p) / int(figure.number.q)
    except OverflowError:
        return endless


@dataclass(frozen=True)
class Plot:
    """One name of a solution, ready to draw."""

    store: Store
    name: str
    names: Names
    window: Window
    tokens: tuple[str, ...]
    decimals: int | None = None

    @cached_property
    def figures(self) -> Sequence[Sequence[Figure]]:
        """The figures. Raises :class:`~symattn.base.errors.NoValueError` if the entries are not single numbers."""
        shown = self.store.shown(self.name)
        if not shown.is_numbers:
            raise NoValueError(f"{self.name} cannot be drawn: what there is to show of it is {shown.value}")
        return self.store.figures(self.name, self.decimals)

    def plotted(self, i: int, j: int) -> Plotted:
        """Return an entry, counted from 0."""
        figure, exact = self.figures[i][j], self.store.figures(self.name)[i][j]
        is_decimal = figure.number is not None or figure.text.endswith("oo")
        decimal = exact if is_decimal else Figure.written(self.store.decimals(self.name, 6)[i][j], False)  # 1/3, √2
        return Plotted(figure.text, size_of(decimal), figure.entry)

    def point(self, i: int) -> PlottedPoint:
        """Return a row of two figures. Raises :class:`~symattn.base.errors.NoValueError` if it is infinitely far."""
        x, y = self.plotted(i, 0), self.plotted(i, 1)
        if isinf(x.size) or isinf(y.size):
            raise NoValueError(f"row {i + 1} of {self.name} cannot be drawn in the plane: ({x.text}, {y.text})")
        return x, y

    def token(self, i: int) -> int | None:
        """Return the place of the token that a row belongs to, if it belongs to one."""
        return i if self.is_of_tokens(self.store.shape(self.name).rows.name) else None

    @property
    def rows(self) -> tuple[int | None, ...]:
        """The rows that are shown, counted from 0."""
        return places(self.store.rows(self.name), self.window.rows)

    @property
    def strips(self) -> tuple[int, ...]:
        """The rows that are shown if each is drawn separately."""
        shown = places(self.store.rows(self.name), min(STRIPS, self.window.rows))
        return tuple(i for i in shown if i is not None)

    @property
    def columns(self) -> tuple[int | None, ...]:
        """The columns that are shown: those that fit beside the labels of the rows."""
        count = self.store.columns(self.name)
        most = min(self.window.columns, count)
        while most > 2:
            shown = [j for j in places(count, most) if j is not None]
            texts = [self.figures[i][j].text for i in self.rows if i is not None for j in shown]
            figure = 0.9 * max(map(ems, texts))
            heads = sum(max(figure, ems(self.column(j))) + _AIR for j in shown)
            if max(ems(self.row(i)) for i in self.rows if i is not None) + 2 + heads <= LINE:
                break
            most -= 1
        return places(count, most)

    @property
    def listed(self) -> tuple[int | None, ...]:
        """The columns that are shown if they are listed one below the other."""
        return places(self.store.columns(self.name), LABELS * self.window.columns)

    def row(self, i: int) -> PictureLabel:
        """Return the label beside a row."""
        return self._label(self.store.shape(self.name).rows.name, i)

    def column(self, j: int) -> PictureLabel:
        """Return the label above a column."""
        return self._label(self.store.shape(self.name).columns.name, j)

    def row_told(self, i: int) -> Argument:
        """Return a row as a sentence names it: by its label, and by its place if several have that label."""
        return self._told(self.store.shape(self.name).rows.name, i)

    def column_told(self, j: int) -> Argument:
        """Return a column as a sentence names it."""
        return self._told(self.store.shape(self.name).columns.name, j)

    def _label(self, axis: str, place: int) -> PictureLabel:
        labels = self._labels(axis)
        if place >= len(labels):
            return counted(place)
        return TokenLabel(labels[place], place) if self.is_of_tokens(axis) else labels[place]

    def is_of_tokens(self, axis: str) -> bool:
        """Return whether the entries along an axis are the tokens of the page."""
        return bool(axis) and self.tokens == self.names.labels.get(axis)

    def _told(self, axis: str, place: int) -> Argument:
        return column_of(place, self._labels(axis))

    def _labels(self, axis: str) -> tuple[str, ...]:
        return tuple(map(short, self.names.labels.get(axis, ())))

    def left_out(self, rows: Sequence[int | None], columns: Sequence[int | None]) -> tuple[Inline, ...]:
        """Return the sentence on the rows and columns left out, or nothing if all are shown."""
        told: dict[str, Argument] = {
            "rows": _count(rows),
            "all_rows": self.store.rows(self.name),
            "columns": _count(columns),
            "all_columns": self.store.columns(self.name),
        }
        whole = told["rows"] == told["all_rows"] and told["columns"] == told["all_columns"]
        return () if whole else (Phrase("picture_part", tuple(told.items())),)


def _count(shown: Sequence[int | None]) -> int:
    return len([place for place in shown if place is not None])


def short(label: str) -> str:
    """Return a label, cut if it is long."""
    return label if len(label) <= LONGEST_LABEL else f"{label[: LONGEST_LABEL - 1]}…"


def ems(label: PictureLabel) -> float:
    """Return the approximate width of a label, in widths of a Chinese character.

    >>> ems("今天"), ems("ab")
    (2.0, 1.08)
    """
    text = label if isinstance(label, str) else label.text if isinstance(label, TokenLabel) else "00"
    return sum(1.0 if east_asian_width(char) in "WF" else _NARROW for char in text)
