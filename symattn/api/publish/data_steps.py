"""Write givens and steps as data: shapes, values exact and in decimals, and every entry worked out line by line."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, TypeVar

from flint import fmpq

from symattn.api.publish.data_form import (
    AnyValues,
    AxisData,
    ClosedFormValues,
    EntryData,
    GivenData,
    IntervalValues,
    LineData,
    NoValues,
    NumberValues,
    RegionData,
    ShownEntries,
    SpokenMath,
    StepData,
    WrittenMath,
)
from symattn.base.printed import Figure
from symattn.base.shapes import Axis
from symattn.compute.solution.store import Shown, Store
from symattn.show.forms.closed_forms import values_of
from symattn.show.math import Chain, Letter, Math, Number, every
from symattn.show.notation import logarithms, symbols
from symattn.show.notation.figures import Logarithm, Written, figure_in_a_line
from symattn.show.openable import Openable, OpenMatrix
from symattn.show.window import Window, places
from symattn.write.environment import Macros
from symattn.write.mathml import math as in_mathml
from symattn.write.plain_math import characters
from symattn.write.runs import PlainLine, inline
from symattn.write.tex_math import tex

LONGEST = 60
"""The most characters of an exact value that is included: a longer fraction helps no reader."""

LARGEST = 4096
"""The most entries of a matrix whose entries list the regions that they are made of."""

Cell = TypeVar("Cell")


def text_and_tex(piece: Math) -> WrittenMath:
    """Return mathematics as text and as LaTeX."""
    return WrittenMath(text=characters(piece), latex=tex(piece))


def text_tex_and_mathml(piece: Math) -> SpokenMath:
    """Return mathematics as text, as LaTeX and as MathML."""
    return SpokenMath(text=characters(piece), latex=tex(piece), mathml=in_mathml(piece, display=True))


@dataclass(frozen=True)
class StepWriter:
    """Writes the givens and steps of one solution. ``formulas`` has the formulas as the scenario writes them."""

    store: Store
    names: Openable
    window: Window
    words: Macros
    formulas: Mapping[str, str]

    def given(self, name: str) -> GivenData:
        """Return a given with its values."""
        matrix, given = self.names[name], self.store.givens[name]
        return GivenData(
            name=name,
            symbol=text_tex_and_mathml(matrix.symbol),
            rows=self._axis(matrix, 0),
            columns=self._axis(matrix, 1),
            shown=self._shown(matrix),
            written=self._cells(matrix, lambda i, j: given.texts[i][j]),
            values=self._values(matrix),
        )

    def step(self, name: str) -> StepData:
        """Return a step with its formula, shapes, values, entries and readings."""
        matrix = self.names[name]
        return StepData(
            name=name,
            symbol=text_tex_and_mathml(matrix.symbol),
            written=self.formulas.get(name, ""),
            uses=tuple(matrix.step.uses),
            formula=tuple(map(text_tex_and_mathml, matrix.formula)),
            shapes=tuple(map(text_tex_and_mathml, matrix.shapes)),
            general=tuple(map(text_tex_and_mathml, matrix.general)),
            rows=self._axis(matrix, 0),
            columns=self._axis(matrix, 1),
            shown=self._shown(matrix),
            values=self._values(matrix),
            entries=tuple(self._entries(matrix)),
            readings=tuple(inline(PlainLine(self.words), said) for said in matrix.readings),
        )

    # -- shapes ----------------------------------------------------------------------------------------------------

    def _axis(self, matrix: OpenMatrix, which: int) -> AxisData:
        axis: Axis = (matrix.step.shape.rows, matrix.step.shape.columns)[which]
        return AxisData(size=axis.size, name=axis.name, labels=matrix.labels[which])

    def _places(self, matrix: OpenMatrix) -> tuple[list[int], list[int]]:
        """Return the rows and columns that are included, counted from 0."""
        most = (self.window.rows, self.window.columns)
        rows, columns = ([i for i in places(*each) if i is not None] for each in zip(matrix.shape, most, strict=True))
        return rows, columns

    def _shown(self, matrix: OpenMatrix) -> ShownEntries | None:
        if not matrix.has_entries:
            return None
        rows, columns = self._places(matrix)
        if (len(rows), len(columns)) == matrix.shape:
            return None
        return ShownEntries(rows=tuple(i + 1 for i in rows), columns=tuple(j + 1 for j in columns))

    def _cells(self, matrix: OpenMatrix, cell: Callable[[int, int], Cell]) -> tuple[tuple[Cell, ...], ...]:
        rows, columns = self._places(matrix)
        return tuple(tuple(cell(i, j) for j in columns) for i in rows)

    # -- values ----------------------------------------------------------------------------------------------------

    def _values(self, matrix: OpenMatrix) -> AnyValues:
        if matrix.shown is Shown.GENERAL:
            return NoValues(kind="general")
        if matrix.shown is Shown.INTERVALS:
            return self._intervals(matrix)
        if matrix.shown is Shown.CLOSED_FORMS:
            return self._closed_forms(matrix)
        figures = self.store.figures(matrix.name)
        exact = self._exact(matrix, figures)
        return NumberValues(
            kind="numbers",
            decimals=self._cells(matrix, lambda i, j: figures[i][j].text),
            is_exact=self._cells(matrix, lambda i, j: figures[i][j].exact),
            exact=self._cells(matrix, exact),
        )

    def _exact(
        self, matrix: OpenMatrix, figures: Sequence[Sequence[Figure]]
    ) -> Callable[[int, int], str | WrittenMath | None]:
        """Return a function that writes the exact value of an entry, or ``None`` where it is too long."""
        rational = self.store.rational_entries(matrix.name)
        logs = logarithms.cells(self.store, matrix.name)
        columns = matrix.shape[1]

        def exact(i: int, j: int) -> str | WrittenMath | None:
            figure = figures[i][j]
            log = None if logs is None else logs[i][j]
            if isinstance(log, Logarithm) and log.math is not None:
                return text_and_tex(log.math)
            if figure.exact and figure.number is None:
                return figure.text  # 1/3 as given, or an infinity
            value = figure.number if rational is None and figure.exact else rational and rational[i * columns + j]
            if isinstance(value, fmpq):
                return text if len(text := str(value)) <= LONGEST else None
            closed = matrix.exact(i, j)
            return None if closed is None else text_and_tex(closed)

        return exact

    def _intervals(self, matrix: OpenMatrix) -> IntervalValues:
        rows = self.store.intervals(matrix.name)

        def end(which: int) -> Callable[[int, int], str]:
            return lambda i, j: "-oo" if rows[i][j].hidden else str(tuple(rows[i][j])[which])

        return IntervalValues(
            kind="intervals",
            low=self._cells(matrix, end(0)),
            high=self._cells(matrix, end(1)),
            printed=self._cells(matrix, lambda i, j: text_and_tex(matrix.cells[i][j])),
        )

    def _closed_forms(self, matrix: OpenMatrix) -> ClosedFormValues:
        is_known = values_of(self.store).state(matrix.name).value is not None
        rows = symbols.cells(self.store, matrix.name) if is_known else None

        def cell(i: int, j: int) -> WrittenMath | None:
            figure = None if rows is None else rows[i][j]
            if figure is None or (isinstance(figure, Written) and figure.math is None):
                return None
            return text_and_tex(figure_in_a_line(figure))

        return ClosedFormValues(kind="closed_forms", entries=self._cells(matrix, cell))

    # -- entries ---------------------------------------------------------------------------------------------------

    def _entries(self, matrix: OpenMatrix) -> Iterator[EntryData]:
        if not matrix.has_entries:
            return
        rows, columns = self._places(matrix)
        is_large = matrix.shape[0] * matrix.shape[1] > LARGEST
        for i in rows:
            for j in columns:
                made_of = None if is_large else tuple(_region(*each) for each in matrix.made_of(i, j))
                lines = tuple(_line(chain, matrix.general) for chain in matrix.lines(i, j))
                yield EntryData(row=i + 1, column=j + 1, made_of=made_of, lines=lines)


def _region(name: str, rows: tuple[int, int], columns: tuple[int, int]) -> RegionData:
    return RegionData(name=name, rows=_from_one(rows), columns=_from_one(columns))


def _from_one(ends: tuple[int, int]) -> tuple[int, int]:
    return ends[0] + 1, ends[1] + 1


def _line(chain: Chain, general: Sequence[Chain]) -> LineData:
    """Return a line as rule, before and after. Of several expressions in figures, all are before the value."""
    signs = [sign for sign, _ in chain.links]
    sides = [side for _, side in chain.links]
    before = Chain(sides[0], chain.links[1:-1]) if len(sides) > 1 else None
    return LineData(
        rule=next((place for place, rule in enumerate(general, 1) if is_case(chain.left, rule.left)), None),
        left=text_and_tex(chain.left),
        before=None if before is None else text_and_tex(before if before.links else before.left),
        after=text_and_tex(sides[-1]) if sides else None,
        signs=tuple(signs[:1] if len(signs) < 2 else (signs[0], signs[-1])),
        numbers=tuple((each.text, each.of.name, *_from_one(each.of[1:])) for each in every(Number, chain) if each.of),
    )


def is_case(piece: Any, rule: Any) -> bool:
    """Return True if a piece of mathematics is another one with numbers in place of letters.

    >>> from symattn.show.math import Script
    >>> is_case(Script(Letter("q"), Number("1")), Script(Letter("q"), Letter("i")))
    True
    """
    if isinstance(rule, Letter) and isinstance(piece, Number):
        return True
    if isinstance(rule, tuple):
        return isinstance(piece, tuple) and len(piece) == len(rule) and all(map(is_case, piece, rule))
    if not is_dataclass(rule) or type(piece) is not type(rule):
        return bool(piece == rule)
    return all(is_case(getattr(piece, each.name), getattr(rule, each.name)) for each in fields(rule))
