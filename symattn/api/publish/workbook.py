"""Write a solution as a workbook that computes: every step has live formulas on the cells of the givens.

``blank`` leaves the answers empty. The formulas are then on a hidden sheet, and every answer is compared with the value
there.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from io import BytesIO
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from symattn.api.publish.edition import Edition
from symattn.api.publish.sheets.answers import marked, tolerances
from symattn.api.publish.sheets.layout import SheetItem, SheetLayout, SheetMatrix, SheetStill, SheetTable, SheetText
from symattn.api.publish.sheets.live import given_pieces, held
from symattn.api.publish.sheets.pieces import BEYOND, SheetCell, SheetNumber, SheetPiece, short_decimal, worth
from symattn.api.publish.sheets.places import KEY, SheetPlaces, allowed_for, blocks_of, column_name, lines_of, quoted
from symattn.base.errors import OutputError, RenderError
from symattn.compute.solution.store import Store
from symattn.write import environment
from symattn.write.escape import is_wide

if TYPE_CHECKING:
    from xlsxwriter import Workbook
    from xlsxwriter.format import Format
    from xlsxwriter.worksheet import Worksheet

CREATED = datetime(2000, 1, 1, tzinfo=UTC)
"""A fixed date, so that a solution always gives the same file."""

LONGEST_LINK = 250
"""The most characters of a title in links and properties; spreadsheets accept 255."""

FIRST, OTHERS = 18, 11
"""The width of the first column, and of the others."""

SCORE = (1, 6)
"""The row and column of a sheet's score."""

FORMATS: Mapping[str, Mapping[str, Any]] = MappingProxyType(
    {
        "title": {"bold": True, "font_size": 16},
        "heading": {"bold": True, "font_size": 12, "font_color": "#1B5E9E"},
        "text": {},
        "note": {"italic": True, "font_color": "#444444"},
        "formula": {},
        "code": {"font_name": "Consolas"},
        "symbol": {"bold": True},
        "label": {"italic": True, "font_color": "#444444", "align": "center", "quote_prefix": True},
        "row": {"italic": True, "font_color": "#444444", "align": "right", "quote_prefix": True},
        "given": {"bg_color": "#FFF4CC", "border": 1, "border_color": "#C9A400"},
        "computed": {"border": 1, "border_color": "#B0B0B0"},
        "helper": {"bg_color": "#F0F0F0", "font_color": "#555555", "border": 1, "border_color": "#D8D8D8"},
        "weights": {"bg_color": "#7FB2E5", "border": 1, "border_color": "#B0B0B0"},
        "answer": {"bg_color": "#E8F1FB", "border": 1, "border_color": "#1B5E9E"},
        "head": {"bold": True, "bottom": 1, "quote_prefix": True},
        "cell": {"quote_prefix": True},
        "link": {"font_color": "#1B5E9E", "underline": 1},
        "right": {"bg_color": "#C8EBCB", "font_color": "#14521A"},
        "wrong": {"bg_color": "#F9CDC8", "font_color": "#8A1008"},
        "largest": {"bold": True},
    }
)
"""The look of cells, by their kind."""


def xlsx(edition: Edition) -> bytes:
    """Return a solution as a workbook.

    Raises :class:`~symattn.base.errors.OutputError` if XlsxWriter is missing, and
    :class:`~symattn.base.errors.RenderError` for anything that spreadsheets cannot compute.
    """
    try:
        import xlsxwriter
    except ImportError:
        raise OutputError("a spreadsheet needs XlsxWriter: pip install 'symattn[xlsx]' brings it") from None
    if edition.fragment or edition.math:
        choice = "fragment" if edition.fragment else "delimiters of mathematics"
        raise RenderError(f"format xlsx has no {choice}: a workbook is a whole one, and its formulas are characters")
    data = BytesIO()
    options = {f"strings_to_{kind}": False for kind in ("numbers", "formulas", "urls")}
    book = xlsxwriter.Workbook(data, {"in_memory": True, **options})
    _Writer(edition, book).write()
    book.close()
    return data.getvalue()


class _Writer:
    def __init__(self, edition: Edition, book: Workbook) -> None:
        self.store: Store = edition.store
        self.book = book
        self.blank = bool(edition.options.get("blank"))
        document = edition.document("xlsx")
        words, names = environment.phrases(document.language), edition.names
        self.layout = SheetLayout(edition.store, names, document, words, self.blank)
        self.pages = self.layout.laid()
        self.said = self.layout.said
        self.places = SheetPlaces(self.store, self.pages, self.blank, 0)
        before = 4 + len(self.pages) + len(self._legend()) + 2 * self.blank
        self.places = SheetPlaces(self.store, self.pages, self.blank, before)
        self.names = self.places.names
        self.values: dict[SheetCell, float] = {}
        self.formats: dict[tuple[str, str], Format] = {}
        self.scores: list[tuple[str, int]] = []
        """The sheets that are marked, each with its number of answers."""

    def write(self) -> None:
        title = self.pages[0].title[:LONGEST_LINK]
        self.book.set_properties({"title": title, "comments": "symattn", "created": CREATED})
        self._remember()
        sheets = [self.book.add_worksheet(name) for name in self.names]
        for place, sheet in enumerate(sheets):
            self._sheet(sheet, place)
        if self.blank:
            self._write_key(self.book.add_worksheet(KEY))
        self._contents(sheets[0])

    def _remember(self) -> None:
        """Keep the certified values of matrices as doubles, and those of their helper cells."""
        for item in self.places.matrices:
            columns = len(item.figures[0])
            for index, value in enumerate(held(self.store, item.name)):
                self.values[SheetCell(item.name, index // columns, index % columns)] = value
        for name, helper in ((item.name, each) for item in self.places.steps for each in item.helpers):
            for index, piece in enumerate(helper.cells):
                try:
                    value = worth(piece, self.values.__getitem__)
                except (ArithmeticError, ValueError):
                    raise RenderError(f"{name}: a number on the way is too large for a spreadsheet") from None
                self.values[SheetCell(helper.key, index // helper.width, index % helper.width)] = value

    # -- sheets ------------------------------------------------------------------------------------------------------

    def style(self, kind: str, figures: str = "") -> Format:
        """Return a format of cells; ``figures`` is the format of their numbers."""
        key = (kind, figures)
        if key not in self.formats:
            self.formats[key] = self.book.add_format({**FORMATS[kind], **({"num_format": figures} if figures else {})})
        return self.formats[key]

    def _sheet(self, sheet: Worksheet, place: int) -> None:
        sheet.write_string(0, 0, self.pages[place].title, self.style("title"))
        sheet.set_column(0, 0, FIRST)
        sheet.set_column(1, 60, OTHERS)
        sheet.set_landscape()
        sheet.set_paper(9)
        sheet.fit_to_pages(1, 0)
        sheet.hide_gridlines(2)
        sheet.set_footer("&C&P / &N")
        if place:
            sheet.freeze_panes(1, 1)
            sheet.write_url(1, 0, self._link(0), self.style("link"), self.said("sheet_back"))
        for row, item in self.places.items[place]:
            self._put(sheet, row, item)
        asked = [item for _, item in self.places.items[place] if isinstance(item, SheetMatrix)]
        if any(map(self.places.is_answer, asked)):
            total, count = marked(sheet, self.places, asked, ((1, self.style("right")), (0, self.style("wrong"))))
            sheet.write_string(SCORE[0], 2, self.said("sheet_score", count=count), self.style("symbol"))
            sheet.write_formula(*SCORE, total, self.style("symbol", "0"), 0)
            self.scores.append((self.names[place], count))

    def _link(self, place: int) -> str:
        return f"internal:'{quoted(self.names[place])}'!A1"

    def _put(self, sheet: Worksheet, row: int, item: SheetItem) -> None:
        match item:
            case SheetText():
                for place, line in enumerate(lines_of(item)):
                    sheet.write_string(row + place, 0, line, self.style(item.kind))
            case SheetTable(header, rows):
                starts = _starts((header, *rows))
                for i, cells in enumerate((header, *rows)):
                    for j, text in enumerate(cells):
                        sheet.write_string(row + i, starts[j], text, self.style("cell" if i else "head"))
            case SheetStill(symbol, entries):
                sheet.write_string(row, 0, symbol, self.style("symbol"))
                for i, cells in enumerate(entries, 1):
                    for j, text in enumerate(cells, 1):
                        sheet.write_string(row + i, j, text, self.style("label"))
            case SheetMatrix():
                self._matrix(sheet, row, item)

    def _matrix(self, sheet: Worksheet, row: int, item: SheetMatrix) -> None:
        rows, columns = len(item.figures), len(item.figures[0])
        sheet.write_string(row, 0, item.symbol, self.style("symbol"))
        for labels, is_row, count in ((item.labels[0], True, rows), (item.labels[1], False, columns)):
            for place in range(count):
                label = labels[place] if place < len(labels) else str(place + 1)
                at = (row + 2 + place, 0) if is_row else (row + 1, 1 + place)
                sheet.write_string(*at, label, self.style("row" if is_row else "label"))
        if item.live is None:
            self._givens(sheet, item)
        elif self.blank:
            self._answers(sheet, item)
        else:
            self._blocks(sheet, item)
            for helper in item.helpers:
                label = self.layout.helper_label(helper)
                sheet.write_string(row, self.places.spots[helper.key].column, label, self.style("symbol"))
            if item.weights:
                self._colours(sheet, row + 2, rows, columns)
        for place, line in enumerate(self.places.beside(item)):
            sheet.write_string(row + place, self.places.free_column(item), line, self.style("formula"))

    def _blocks(self, sheet: Worksheet, item: SheetMatrix) -> None:
        """Write the formulas of a step and of its helper cells."""
        looks, usual = _looks(item.figures), f"0.{'0' * self.store.style.decimals}"
        for key, rows in blocks_of(item):
            is_helper = key != item.name
            for i, row in enumerate(rows):
                for j, piece in enumerate(row):
                    style = self.style("helper", usual) if is_helper else self.style("computed", looks[i][j])
                    self._cell(sheet, SheetCell(key, i, j), piece, style)

    def _cell(self, sheet: Worksheet, cell: SheetCell, piece: SheetPiece, style: Format) -> None:
        spot, value = self.places.spots[cell.block], self.values[cell]
        at = (spot.row + cell.row, spot.column + cell.column)
        if isinstance(piece, SheetNumber) and _is_plain(piece, value):
            sheet.write_number(*at, value, style)
        else:
            sheet.write_formula(*at, self.places.formula(piece, spot.sheet, cell.block), style, value)

    def _givens(self, sheet: Worksheet, item: SheetMatrix) -> None:
        """Write given numbers: a decimal as a number, 1/3 or √2/2 as a formula."""
        looks = _looks(item.figures)
        for i, row in enumerate(given_pieces(self.store, item.name)):
            for j, piece in enumerate(row):
                self._cell(sheet, SheetCell(item.name, i, j), piece, self.style("given", looks[i][j]))

    def _answers(self, sheet: Worksheet, item: SheetMatrix) -> None:
        spot = self.places.shown(item)
        for i, row in enumerate(_looks(item.figures)):
            for j, look in enumerate(row):
                sheet.write_blank(spot.row + i, spot.column + j, None, self.style("answer", look))

    def _colours(self, sheet: Worksheet, row: int, rows: int, columns: int) -> None:
        """Colour weights by size, and set the largest of each row in bold, which moves when a given is changed."""
        area = (row, 1, row + rows - 1, columns)
        if columns > 1:
            rule = f"=B{row + 1}=MAX($B{row + 1}:${column_name(columns)}{row + 1})"
            sheet.conditional_format(*area, {"type": "formula", "criteria": rule, "format": self.style("largest")})
        scale = {"type": "2_color_scale", "min_type": "num", "max_type": "num", "min_value": 0, "max_value": 1}
        sheet.conditional_format(*area, {**scale, "min_color": "#FFFFFF", "max_color": "#7FB2E5"})

    def _write_key(self, sheet: Worksheet) -> None:
        """Write the right values as live formulas, and the tolerance of each answer."""
        sheet.very_hidden()
        sheet.write_string(0, 0, self.said("sheet_key"), self.style("note"))
        for item in self.places.steps:
            self._blocks(sheet, item)
            spot = self.places.spots[allowed_for(item.name)]
            for i, row in enumerate(tolerances(self.store, item.name, item.figures)):
                for j, allowed in enumerate(row):
                    sheet.write_number(spot.row + i, spot.column + j, allowed, self.style("helper"))

    # -- the first sheet ---------------------------------------------------------------------------------------------

    def _legend(self) -> list[tuple[str, str]]:
        kinds = ("given", "answer") if self.blank else ("given", "computed", "helper")
        weights = ("weights",) if any(item.weights for item in self.places.matrices) and not self.blank else ()
        return [(kind, self.said(f"sheet_is_{kind}")) for kind in (*kinds, *weights)]

    def _contents(self, sheet: Worksheet) -> None:
        row = 1
        if self.blank:
            cell = f"{column_name(SCORE[1])}{SCORE[0] + 1}"
            total = "+".join(f"'{quoted(name)}'!{cell}" for name, _ in self.scores) or "0"
            count = sum(number for _, number in self.scores)
            sheet.write_string(row, 0, self.said("sheet_score", count=count), self.style("symbol"))
            sheet.write_formula(row, 3, f"={total}", self.style("symbol", "0"), 0)
            row += 2
        sheet.write_string(row, 0, self.said("sheet_intro_blank" if self.blank else "sheet_intro"), self.style("note"))
        for kind, text in self._legend():
            row += 1
            sheet.write_blank(row, 0, None, self.style(kind))
            sheet.write_string(row, 1, text, self.style("text"))
        for place, page in enumerate(self.pages[1:], 1):
            title = page.title[:LONGEST_LINK]
            sheet.write_url(row + 1 + place, 0, self._link(place), self.style("link"), title)


def _starts(rows: Sequence[Sequence[str]]) -> list[int]:
    """Return the sheet column in which each column of a table begins: a text runs over empty cells."""
    found = [0]
    for texts in zip(*rows, strict=True):
        wide = 2 + max(sum(1 + is_wide(char) for char in text) for text in texts)
        taken = wide - FIRST if found == [0] else wide
        found.append(found[-1] + max(1, -(-taken // OTHERS) + (found == [0])))
    return found


def _is_plain(piece: SheetNumber, value: float) -> bool:
    """Return True if a number is a short decimal, equal to its double, or stands for an infinity."""
    return short_decimal(piece.value) is not None or piece.value == value or abs(piece.value) >= BEYOND


def _look(figure: str, endless: bool) -> str:
    """Return the number format that shows a figure as the document does. ``endless`` is True if its matrix has −∞."""
    decimals = len(figure.partition(".")[2])
    plain = f"0{'.' if decimals else ''}{'0' * decimals}" if re.fullmatch(r"-?\d+(\.\d+)?", figure) else "General"
    return f'[>-{10**14}]{plain};"−∞"' if endless else plain


def _looks(figures: Sequence[Sequence[str]]) -> list[list[str]]:
    endless = any(figure == "-oo" for row in figures for figure in row)
    return [[_look(figure, endless) for figure in row] for row in figures]
