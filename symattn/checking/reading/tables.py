"""Tables: a matrix with labels, or rows of names and what they are."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import reduce
from itertools import pairwise
from typing import Final

from symattn.checking.phrases import plain
from symattn.checking.reading import scripts
from symattn.checking.reading.lexer import Lexeme
from symattn.checking.reading.numerals import figure
from symattn.checking.reading.shown import shown
from symattn.checking.reading.stated import named_last
from symattn.checking.reading.totals import Totals
from symattn.checking.reading.tree import (
    Combined,
    Expressed,
    FigureRead,
    GridRead,
    Member,
    NameRead,
    Statement,
    Stop,
    TableRead,
    Talk,
    ToldPart,
    Unread,
)
from symattn.checking.source import Stretch

DEPTH = 40
"""Deeper formulas are left as they are."""


@dataclass(frozen=True)
class TableColumn:
    """A column: what stands above it, and its cells from top to bottom."""

    head: Sequence[ToldPart]
    cells: Sequence[Sequence[ToldPart]]
    plain: Expressed | None = None
    """The heading as a formula in plain text, if it can be one."""

    def formula(self) -> Expressed | None:
        """The expression above it: the only one there, words may stand beside it."""
        found = [one for one in self.head if isinstance(one, Statement)]
        if len(found) == 1 and len(found[0].sides) == 1 and isinstance(found[0].sides[0].of, Combined):
            return found[0].sides[0].of
        if self.plain is not None:
            return self.plain
        return found[0].sides[0].of if len(found) == 1 else None

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
        """For each column that has a formula above it, what its cells say, row by row."""
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
                case Combined():
                    return replace(written, args=tuple(self.of(each) for each in written.args))
                case GridRead():
                    return replace(written, rows=tuple(tuple(self.of(each) for each in row) for row in written.rows))
            return written
        finally:
            self.depth -= 1

    def _known(self, written: Expressed) -> Expressed | None:
        """The cell of the nearest column before this one that has just this above it."""
        for column in reversed(self.columns[: self.own]):
            if _alike(written, column.formula()) and (cell := column.value(self.row)):
                self.count += 1
                return self._rounded(cell)
        return None

    def _rounded(self, cell: Expressed) -> Expressed:
        is_power = isinstance(cell, FigureRead) and cell.value == cell.unit  # 0.01 is hardly a rounded number
        if isinstance(cell, FigureRead) and self.unit >= cell.unit and cell.unit < 1 and not is_power:
            return Combined("call:rounded", (cell,), cell.start, cell.end)
        return cell


def _alike(one: Expressed, other: Expressed | None) -> bool:
    """Whether two expressions are the same, wherever they stand."""
    return other is not None and shown(one) == shown(other)


TableBlock = Sequence[tuple[int, Stretch]]
CellPieces = dict[tuple[int, int], list[tuple[int, Stretch]]]
CellsTold = dict[tuple[int, int], list[ToldPart]]


def read_table(
    block: TableBlock,
    read_cell: Callable[[TableBlock], list[ToldPart]],
    read_heading: Callable[[TableBlock, Collection[str]], Expressed | None],
) -> list[ToldPart]:
    """A table's statements: one matrix where its body is figures, else what each cell says.

    ``read_cell`` reads the pieces of one cell, ``read_heading`` those of a heading as a formula in other headings.
    """
    places: CellPieces = {}
    for number, piece in block:
        places.setdefault((piece.row, piece.column), []).append((number, piece))
    cells: CellsTold = {place: read_cell(pieces) for place, pieces in places.items()}
    end = block[-1][1].places[-1]
    labels = {place: _label(pieces) for place, pieces in places.items()}
    outcomes = {place: _only(told) or _outcome(told) for place, told in cells.items()}
    totals = Totals(outcomes, labels)
    totals.read()
    whole = _figures_of({place: one for place, one in outcomes.items() if place[0] not in totals.in_rows})
    cells = {place: told for place, told in cells.items() if place[0] not in totals.in_rows}
    names = {label for (row, _), label in labels.items() if row == 1}
    heads = {column: read_heading(pieces, names) for (row, column), pieces in places.items() if row == 1}
    told = _read_body(block, places, cells, heads, totals)
    summed = [each for place in sorted(totals.said) for each in (totals.said[place], Stop("line", end))]
    return [*told, *summed, TableRead(whole, end, end), Stop("table", end)]


def _figures_of(cells: Mapping[tuple[int, int], Expressed | None]) -> tuple[tuple[FigureRead | None, ...], ...]:
    """The figures of a table in rows and columns, without the headings."""
    figures = {place: one for place, one in cells.items() if isinstance(one, FigureRead)}
    rows, columns = (sorted({place[axis] for place in cells}) for axis in (0, 1))
    return tuple(tuple(figures.get((row, column)) for column in columns) for row in rows if row > 1)


def _read_body(
    block: TableBlock,
    places: CellPieces,
    cells: CellsTold,
    heads: Mapping[int, Expressed | None],
    totals: Totals,
) -> list[ToldPart]:
    """What a table says without the rows that sum up others; columns of sums are told where others follow from them."""
    start, end = block[0][1].places[0], block[-1][1].places[-1]
    without_sums = {place: told for place, told in cells.items() if place[1] not in totals.in_columns}
    if worked := _with_formulas(without_sums, heads, end):
        return worked
    grid = _matrix(places, cells)
    if grid is not None and (said := _in_turn(grid, places, totals.in_columns)):
        totals.said = {place: one for place, one in totals.said.items() if place[1] not in totals.in_columns}
        return said
    if grid := _matrix(places, without_sums):
        return [Statement((Member(None, replace(grid, start=start, end=end)),), start, end)]
    return _rows(without_sums, end)


_SIGN_ABOVE: Final = re.compile(
    r"(?P<sign>[÷/×·*])\s*(?P<root>√|sqrt)?\s*(?:(?P<opened>\()\s*)?(?P<number>\d+(?:[.,]\d+)?)\s*(?(opened)\))"
)
"""A heading that goes on with the column before it: ``÷ 2``, ``/ √3``, ``/sqrt(2)``."""


def _in_turn(grid: GridRead, places: CellPieces, sums: Mapping[int, Sequence[int]]) -> list[ToldPart]:
    """The columns of a table one after another, each under its heading, where a heading says what is made of the
    column before it: ``score | ÷ 2 | exp | weight``; or so its rows, which such labels stand before.
    """
    rows, columns = (sorted({place[axis] for place in places}) for axis in (0, 1))
    beside, above = grid.labels
    across = zip(columns[-len(above) :], above, zip(*grid.rows, strict=True), strict=False)
    down = zip(rows[1:], beside, grid.rows, strict=False)
    found = _lists_in_turn([(one, label, places.get((1, one)), cells) for one, label, cells in across], sums)
    return found or _lists_in_turn(
        [(one, label, places.get((one, columns[0])), cells) for one, label, cells in down], {}
    )


def _lists_in_turn(
    lists: Sequence[tuple[int, str, TableBlock | None, tuple[Expressed, ...]]], sums: Mapping[int, Sequence[int]]
) -> list[ToldPart]:
    """Lists by their names, each with what its name makes of the list before it, where one does so."""
    if len(lists) < 2 or len(lists[0][3]) < 2:
        return []
    told: list[ToldPart] = []
    names: dict[int, Expressed] = {}
    is_made = False
    for number, label, pieces, cells in lists:
        spot = pieces[0][1].places[0] if pieces else cells[0].start
        sign = Lexeme("word", label or "?", spot, spot + len(label), False, 0, "plain")
        is_word = label[:1].isalpha()
        name = scripts.identifier(sign) if is_word else NameRead(sign.text, (), (), (), sign.start, sign.end, sign.text)
        before, added = [*names.values()][-1:], [names[each] for each in sums.get(number, ()) if each in names]
        made: Expressed | None = _made_above(label, before[0], spot) if before else None
        is_made |= made is not None
        if len(added) > 1:
            made = reduce(lambda one, other: Combined("+", (one, other), spot, spot, "+"), added)
        sides = [Member(None, name), *([Member("=", made)] if made is not None else [])]
        values = GridRead((cells,), "list", 1, cells[0].start, cells[-1].end)
        told += [Statement((*sides, Member(":", values)), spot, cells[-1].end), Stop("line", cells[-1].end)]
        names[number] = name if is_word or made is None else made
    return told if is_made else []


def _made_above(label: str, before: Expressed, spot: int) -> Combined | None:
    """What a heading makes of the column before it."""
    if (found := _SIGN_ABOVE.fullmatch(label)) is not None:
        number: Expressed | None = figure(found["number"], spot, spot, comma="," in found["number"])
        if number is None:
            return None
        number = Combined("call:sqrt", (number,), spot, spot) if found["root"] else number
        return Combined("/" if found["sign"] in "÷/" else "*", (before, number), spot, spot, found["sign"])
    if (named := named_last(plain(label))) is not None and named[0] == "exp":
        return Combined("call:exp", (before,), spot, spot)
    return None


def _with_formulas(cells: CellsTold, heads: Mapping[int, Expressed | None], end: int) -> list[ToldPart]:
    """A table some of whose headings are formulas in others, row by row; nothing where it has no such headings."""
    rows = sorted({row for row, _ in cells if row > 1})
    columns = sorted({column for _, column in cells})
    series = [
        TableColumn(cells.get((1, column), []), [cells.get((row, column), []) for row in rows], heads.get(column))
        for column in columns
    ]
    said = FormulaColumns(series).statements()
    told: list[ToldPart] = []
    listed = {number: one for number, column in enumerate(series) if number not in said and (one := column.listed())}
    told += listed.values() if said else ()
    for place, row in enumerate(rows if said else ()):
        for number, column in enumerate(columns):
            statement = said[number][place] if number in said else None
            if number not in listed:
                told += [statement] if statement is not None else cells.get((row, column), [])
        told.append(Stop("line", end))
    return told


def _only(told: Sequence[ToldPart]) -> Expressed | None:
    """The one expression that a cell holds."""
    if len(told) == 1 and isinstance(told[0], Statement) and len(told[0].sides) == 1:
        return told[0].sides[0].of
    return None


def _outcome(told: Sequence[ToldPart]) -> Expressed | None:
    """The figure that a cell ends with: 48 of ``2·3·8 = 48``."""
    if len(told) == 1 and isinstance(told[0], Statement) and isinstance(told[0].sides[-1].of, FigureRead):
        return told[0].sides[-1].of
    return None


def _label(pieces: Sequence[tuple[int, Stretch]]) -> str:
    return " ".join("".join(piece.text for _, piece in pieces).split())


def _counts(cells: Sequence[Expressed | None]) -> bool:
    """Whether cells are 0, 1, 2, … or 1, 2, 3, …"""
    counted = [one.value for one in cells if isinstance(one, FigureRead)]
    return len(counted) == len(cells) and counted in ([*range(len(cells))], [*range(1, len(cells) + 1)])


def _matrix(places: CellPieces, cells: CellsTold) -> GridRead | None:
    rows = sorted({row for row, _ in cells if row > 1})
    columns = sorted({column for _, column in cells})
    if not rows or not columns:
        return None
    first = [_only(cells.get((row, columns[0]), [])) for row in rows]
    labelled = len(columns) > 1 and (_counts(first) or not all(map(_is_entry, first)))
    heads = columns[1:] if labelled else columns
    body: list[tuple[Expressed, ...]] = []
    for row in rows:
        entries = [_only(cells.get((row, column), [])) for column in heads]
        if not all(_is_entry(entry) for entry in entries):
            return None
        body.append(tuple(entry for entry in entries if entry is not None))
    if any(_is_worked_out(*pair) for pair in pairwise(zip(*body, strict=True))):
        return None
    beside = tuple(_label(places.get((row, columns[0]), [])) for row in rows) if labelled else ()
    above = tuple(_label(places.get((1, column), [])) for column in heads)
    if not any(isinstance(entry, FigureRead) for row in body for entry in row):
        return None
    top = [_only(cells.get((1, column), [])) for column in heads]
    if not labelled and all(_is_entry(entry) for entry in top) and top:
        body.insert(0, tuple(entry for entry in top if entry is not None))
        above = ()
    return GridRead(tuple(body), "table", 2, body[0][0].start, body[-1][-1].end, (beside, above if any(above) else ()))


def _is_worked_out(before: Sequence[Expressed], behind: Sequence[Expressed]) -> bool:
    """Whether a column of sums and products has their figures beside it."""
    return all(isinstance(one, Combined) and one.op in ("+", "-", "*") for one in before) and all(
        isinstance(one, FigureRead) for one in behind
    )


def _is_entry(written: Expressed | None) -> bool:
    match written:
        case FigureRead():
            return True
        case Combined(op="+" | "-" | "*" | "/" | "neg" | "call:exp" | "call:sqrt" | "^", args=args):
            return all(_is_entry(one) for one in args)
        case Unread(text="…"):
            return True
        case _:
            return False


def _rows(cells: CellsTold, end: int) -> list[ToldPart]:
    """Cell by cell; the last cell of a row says what the one before it is or gives: a name, a formula."""
    told: list[ToldPart] = []
    for row in sorted({row for row, _ in cells}):
        filled = [inner for (at, _), inner in sorted(cells.items()) if at == row and inner]
        joined = _joined(*filled[-2:], is_whole=len(filled) == 2) if len(filled) > 1 else None
        told += [part for cell in (filled[:-2] if joined else filled) for part in cell]
        told += [*([joined] if joined else []), Stop("line", end)]
    return told


def _joined(before: list[ToldPart], behind: list[ToldPart], *, is_whole: bool) -> Statement | None:
    """``| d_k | 64 |``, ``| √(1.25 + 10⁻⁵) | ≈ 1.118 |``, ``| (1 + 2)/2 | μ = 1.5 |`` as what both say together."""
    written = _only(before)
    if is_whole and written is None:
        match before:
            case [Talk(text=text, start=start, end=end)] if text.isalpha():
                written = NameRead(text, (), (), (), start, end, text)
    match behind:
        case [Statement(sides=(Member(of=NameRead() as name), Member(of=value)), end=end)] if written is not None:
            if isinstance(written, Combined):
                return Statement((Member(None, name), Member("=", written), Member("=", value)), name.start, end)
        case [Statement(sides=(Member(of=first), *rest), end=end)] if isinstance(written, NameRead | Combined):
            if isinstance(first, Unread) and not first.text and rest:
                return Statement((Member(None, written), *rest), written.start, end)
            if is_whole or isinstance(written, Combined):
                return Statement((Member(None, written), Member(":", first), *rest), written.start, end)
    return None
