"""Tables whose headings are formulas in other headings: ``| s | e^{s} | e^{s} / 5.5 |``.

Each cell below such a heading is a statement of its own, the formula with the figures of its row. A figure in it that
has no fewer places than the result may have been rounded on the way.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from symattn.checking.reading.tree import (
    Combined,
    Expressed,
    FigureRead,
    GridRead,
    Member,
    NameRead,
    Statement,
    Talk,
    ToldPart,
)

DEPTH = 40
"""Deeper formulas are left as they are."""

_OF_COLUMNS = frozenset({"call:softmax", "call:log_softmax", "call:proportions"})
"""What is done with a whole column."""

_WORDS = re.compile(r"[^\W\d]\w*(?: [^\W\d]\w*){0,3}")

_INDICES = frozenset("ijkmnpt")


@dataclass(frozen=True)
class TableColumn:
    """A column: what stands above it, and its cells from top to bottom."""

    head: Sequence[ToldPart]
    cells: Sequence[Sequence[ToldPart]]

    def formula(self) -> Expressed | None:
        """The expression above it: the only one there, words may stand beside it."""
        found = [one for one in self.head if isinstance(one, Statement)]
        if len(found) == 1 and len(found[0].sides) == 1:
            return found[0].sides[0].of
        return self._word() if not found else None

    def _word(self) -> Expressed | None:
        """``score z`` is z; of other words all are the name."""
        match self.head:
            case [Talk(text=text, start=start, end=end)] if _WORDS.fullmatch(text.strip()):
                *_, last = words = text.split()
                name = last if len(last) == 1 else " ".join(words)
                return NameRead(name, (), (), (), start, end, text)
        return None

    def value(self, row: int) -> Expressed | None:
        """The one expression of a cell."""
        match self.cells[row]:
            case [Statement(sides=(Member(of=FigureRead() | GridRead() as one),))]:
                return one
        return None

    def all(self) -> GridRead | None:
        """Its cells as a list, where all of them are figures."""
        found = [self.value(row) for row in range(len(self.cells))]
        if not found or not all(isinstance(one, FigureRead) for one in found):
            return None
        figures = tuple(one for one in found if one is not None)
        return GridRead((figures,), "list", 1, figures[0].start, figures[-1].end)

    def listed(self) -> Statement | None:
        """Its cells as a list, with the name above them."""
        values, name = self.all(), self.formula()
        if values is None:
            return None
        named = (Member(None, name), Member(":", values)) if isinstance(name, NameRead) else (Member(None, values),)
        return Statement(named, values.start, values.end)


@dataclass(frozen=True)
class FormulaColumns:
    """The columns of a table by what stands above them."""

    columns: Sequence[TableColumn]

    def statements(self) -> Mapping[int, Sequence[Statement | None]]:
        """For each column that has a formula above it, what its cells say, row by row.

        >>> s, e = NameRead("s", (), (), (), 0, 1), FigureRead("0.5", Fraction(1, 2), Fraction(1, 10), 2, 3)
        >>> def cell(one: Expressed) -> list[Told]:
        ...     return [Statement((Member(None, one),), one.start, one.end)]
        >>> two = TableColumn(cell(Combined("*", (s, s), 0, 1, "*")), [cell(replace(e, text="0.25"))])
        >>> made = FormulaColumns([TableColumn(cell(s), [cell(e)]), two]).statements()
        >>> from symattn.checking.reading.shown import told
        >>> [told(one) for one in made[1] if one]
        ['0.5 * 0.5 = 0.25']
        """
        found: dict[int, list[Statement | None]] = {}
        for number, column in enumerate(self.columns):
            formula = column.formula()
            if not isinstance(formula, Combined):
                continue
            made = [self._statement(number, formula, row) for row in range(len(column.cells))]
            if any(made):
                found[number] = made
        return found

    def _statement(self, number: int, formula: Combined, row: int) -> Statement | None:
        result = self.columns[number].value(row)
        if result is None:
            return None
        unit = result.unit if isinstance(result, FigureRead) else Fraction(1)
        filled = _Filled(self.columns, number, row, unit)
        sides = (Member(None, filled.of(formula)), Member("=", result))
        return Statement(sides, result.start, result.end) if filled.count else None


@dataclass
class _Filled:
    """A formula with the figures of a row in place of names."""

    columns: Sequence[TableColumn]
    own: int
    row: int
    unit: Fraction
    count: int = 0
    depth: int = 0

    def of(self, written: Expressed) -> Expressed:
        self.depth += 1
        try:
            if self.depth > DEPTH:
                return written
            if (known := self._known(written)) is not None:
                return known
            match written:
                case Combined(op="sum"):
                    return self._sum(written)
                case Combined(op=op, args=(NameRead() as name,)) if op in _OF_COLUMNS:
                    return self._of_column(written, name)
                case Combined():
                    return replace(written, args=tuple(self.of(each) for each in written.args))
                case GridRead():
                    return replace(written, rows=tuple(tuple(self.of(each) for each in row) for row in written.rows))
            return written
        finally:
            self.depth -= 1

    def _known(self, written: Expressed) -> Expressed | None:
        """The cell of a column that has just this above it."""
        for number, column in enumerate(self.columns):
            if number != self.own and _alike(written, column.formula()) and (cell := column.value(self.row)):
                self.count += 1
                return self._rounded(cell)
        return None

    def _rounded(self, cell: Expressed) -> Expressed:
        if isinstance(cell, FigureRead) and self.unit >= cell.unit and cell.unit < 1:
            return Combined("call:rounded", (cell,), cell.start, cell.end)
        return cell

    def _column(self, name: NameRead) -> GridRead | None:
        for number, column in enumerate(self.columns):
            if number != self.own and _alike(name, column.formula()):
                return column.all()
        return None

    def _of_column(self, one: Combined, name: NameRead) -> Expressed:
        values = self._column(name)
        if values is None:
            return one
        self.count += 1
        place = FigureRead(str(self.row), Fraction(self.row), Fraction(1), one.start, one.end)
        inner = replace(one, args=(Combined("call:rounded", (values,), one.start, one.end),))
        return Combined("index", (inner, place), one.start, one.end)

    def _sum(self, one: Combined) -> Expressed:
        """``\\sum_j e^{s_j}``: of the whole column."""
        body = one.args[0]
        match body:
            case NameRead() as name:
                values: Expressed | None = self._column(name)
            case Combined(args=(NameRead() as name,)):
                inner = self._column(name)
                values = replace(body, args=(inner,)) if inner is not None else None
            case _:
                values = None
        if values is None:
            return one
        self.count += 1
        rounded = Combined("call:rounded", (values,), one.start, one.end) if isinstance(values, GridRead) else values
        return Combined("call:sum", (rounded,), one.start, one.end)


def _alike(one: Expressed, other: Expressed | None) -> bool:
    """Whether two expressions are the same, as far as they can stand above columns: ``s_i`` is ``s`` and ``s_j``."""
    if isinstance(one, NameRead) and isinstance(other, NameRead):
        same = one.base == other.base and one.marks == other.marks
        below, beside = (tuple(map(_label, each.below + each.above)) for each in (one, other))
        return same and (below == beside or all(each in _INDICES for each in below + beside))
    if isinstance(one, Combined) and isinstance(other, Combined):
        pairs = zip(one.args, other.args, strict=False)
        return one.op == other.op and len(one.args) == len(other.args) and all(_alike(a, b) for a, b in pairs)
    if isinstance(one, FigureRead) and isinstance(other, FigureRead):
        return one.value == other.value
    return False


def _label(written: Expressed) -> str:
    match written:
        case NameRead(base=base, below=(), above=()):
            return base
        case FigureRead(text=text):
            return text
    return "?"
