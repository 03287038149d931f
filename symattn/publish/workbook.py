"""A solution as a workbook that computes: every step in live formulas on the cells of what is given.

``blank`` leaves the answers empty. The formulas then stand on a hidden sheet, and every answer is held against the
value there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from io import BytesIO
from typing import TYPE_CHECKING, Any

from symattn.document.build import scenario_names
from symattn.errors import OutputError, RenderError
from symattn.publish.edition import Edition
from symattn.publish.sheets.layout import (
    BITS,
    SheetItem,
    SheetLayout,
    SheetMatrix,
    SheetPage,
    SheetStill,
    SheetTable,
    SheetText,
    as_double,
)
from symattn.publish.sheets.live import sheet_number
from symattn.publish.sheets.pieces import (
    BEYOND,
    ENDLESS,
    SheetCell,
    SheetNumber,
    SheetPiece,
    SheetRange,
    SheetRows,
    short_decimal,
    worth,
    written,
)
from symattn.publish.sheets.tolerance import tolerances
from symattn.render import environment
from symattn.render.escape import is_wide
from symattn.solution.store import Store

if TYPE_CHECKING:
    from xlsxwriter import Workbook
    from xlsxwriter.worksheet import Worksheet

NAME, LONGEST_NAME = 16, 31
"""How wide the name of a sheet is where it can end with a word, and how many characters a spreadsheet takes."""

TEXT, BESIDE = 104, 66
"""How wide lines of text are, below and beside matrices."""

FORMULA_LINES = 4
"""A formula that is written out beside a matrix has at most so many lines."""

LONGEST = 8_000
"""Characters of a formula: Excel takes 8,192."""

KEY, MARKS_APART = "symattn", 3
"""The hidden sheet of a blank workbook, and how far to the right of everything marks stand in hidden columns."""

CREATED = datetime(2000, 1, 1)
"""The same solution is the same file, whenever it is written."""

_NOT_IN_NAMES = re.compile(r"[\[\]:*?/\\\x00-\x1f]")
FORMATS: Mapping[str, Mapping[str, Any]] = {
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
"""How cells look, by what they are."""


def xlsx(edition: Edition) -> bytes:
    """A solution as a workbook.

    Raises :class:`~symattn.errors.OutputError` where XlsxWriter is missing, and
    :class:`~symattn.errors.RenderError` for what spreadsheets cannot compute.
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


@dataclass(frozen=True)
class SheetSpot:
    """Where the upper left cell of a block stands."""

    sheet: str
    row: int
    column: int


@dataclass(frozen=True)
class _Put:
    """Something that is written at a row of a sheet."""

    row: int
    item: SheetItem


class _Writer:
    def __init__(self, edition: Edition, book: Workbook) -> None:
        self.store: Store = edition.store
        self.book = book
        self.blank = bool(edition.options.get("blank"))
        document = edition.document("xlsx")
        words = environment.words(document.language)
        names = scenario_names(edition.scenario.told_in(document.language))
        self.layout = SheetLayout(edition.store, names, document, words, self.blank)
        self.pages = self.layout.laid()
        self.said = self.layout.said
        self.names = _sheet_names([page.title for page in self.pages])
        self.spots: dict[str, SheetSpot] = {}
        self.values: dict[SheetCell, float] = {}
        self.formats: dict[tuple[str, str], Any] = {}
        self.scores: list[tuple[str, str, int]] = []
        """The sheet, the range of its marks, and how many answers it has."""

    def write(self) -> None:
        self.book.set_properties({"title": self.pages[0].title[:250], "comments": "symattn", "created": CREATED})
        sheets = [self.book.add_worksheet(name) for name in self.names]
        placed = self._all_placed()
        if not self.blank:
            placed = self._all_placed()  # how long formulas are is known once the addresses are
        for item in self._matrices():
            self._remember(item)
        for place, (sheet, puts) in enumerate(zip(sheets, placed, strict=True)):
            self._sheet(sheet, self.names[place], puts)
        if self.blank:
            self._write_key(self.book.add_worksheet(KEY))
        self._contents(sheets[0])

    def _all_placed(self) -> list[list[_Put]]:
        sheets = zip(self.pages, self.names, strict=True)
        placed = [self._placed(page, name, place) for place, (page, name) in enumerate(sheets)]
        if self.blank:
            self._place_key()
        return placed

    def _matrices(self) -> Iterator[SheetMatrix]:
        return (item for page in self.pages for item in page.items if isinstance(item, SheetMatrix))

    # -- places ------------------------------------------------------------------------------------------------------

    def _placed(self, page: SheetPage, sheet: str, number: int) -> list[_Put]:
        """What stands in which row; blocks of cells are remembered by their keys."""
        row, found = self._rows_before(number), []
        for item in page.items:
            found.append(_Put(row, item))
            match item:
                case SheetText(text, kind):
                    row += len(folded(text, TEXT)) + (kind in ("text", "note", "heading"))
                case SheetTable(_, rows):
                    row += len(rows) + 2
                case SheetStill(_, entries):
                    row += len(entries) + 2
                case SheetMatrix():
                    row += self._place_matrix(item, sheet, row)
        return found

    def _rows_before(self, number: int) -> int:
        """Rows that a sheet begins with: its title; on the first one also the contents and the colours."""
        return 3 if number else 4 + len(self.pages) + len(self._legend()) + 2 * self.blank

    def _place_matrix(self, item: SheetMatrix, sheet: str, row: int) -> int:
        """The height of a matrix with what stands beside it."""
        is_answer = self.blank and item.live is not None
        self.spots[_shown(item.name) if is_answer else item.name] = SheetSpot(sheet, row + 2, 1)
        height, column = len(item.figures), len(item.figures[0]) + 2
        if is_answer or item.live is None:
            return max(height, len(self._beside(item)) - 1) + 3
        for helper in item.live.helpers:
            self.spots[helper.key] = SheetSpot(sheet, row + 2, column)
            height, column = max(height, len(helper.rows)), column + helper.width + 1
        return max(height, len(self._beside(item)) - 1) + 3

    def _place_key(self) -> None:
        row = 1
        for item in self._matrices():
            if item.live is not None:
                for key, rows in self._blocks(item):
                    self.spots[key] = SheetSpot(KEY, row, 0)
                    row += len(rows) + 1
                self.spots[_allowed(item.name)] = SheetSpot(KEY, row, 0)
                row += len(item.figures) + 1

    def _blocks(self, item: SheetMatrix) -> Iterator[tuple[str, SheetRows]]:
        """The blocks of formulas of a step, in the order in which they are worked out."""
        assert item.live is not None
        yield from ((helper.key, helper.rows) for helper in item.live.helpers)
        yield item.name, item.live.rows

    def _address(self, piece: SheetCell | SheetRange, sheet: str, absolute: bool = False) -> str:
        """Where a cell or a range is, told on a sheet."""
        from xlsxwriter.utility import xl_rowcol_to_cell

        cells = (piece.first, piece.last) if isinstance(piece, SheetRange) else (piece,)
        spot = self.spots[cells[0].block]
        texts = (
            xl_rowcol_to_cell(spot.row + cell.row, spot.column + cell.column, absolute, absolute) for cell in cells
        )
        before = "" if spot.sheet == sheet else f"'{spot.sheet.replace(chr(39), chr(39) * 2)}'!"
        return before + ":".join(texts)

    def _formula(self, piece: SheetPiece, sheet: str, place: str) -> str:
        text = f"={written(piece, lambda each: self._address(each, sheet))}"
        if len(text) > LONGEST:
            raise RenderError(f"{place}: its formula has {len(text)} characters, and a spreadsheet takes 8,192")
        return text

    # -- values ------------------------------------------------------------------------------------------------------

    def _remember(self, item: SheetMatrix) -> None:
        """The certified values of a matrix as doubles, and what they make of the cells beside it."""
        columns = len(item.figures[0])
        balls = self.store.enclosure(item.name, BITS).entries()
        for index, ball in enumerate(balls):
            value = as_double(float(ball.mid()), float(ENDLESS))
            self.values[SheetCell(item.name, index // columns, index % columns)] = value
        if item.live is None:
            return
        for helper in item.live.helpers:
            for i, row in enumerate(helper.rows):
                for j, piece in enumerate(row):
                    try:
                        self.values[SheetCell(helper.key, i, j)] = worth(piece, self.values.__getitem__)
                    except (ArithmeticError, ValueError):
                        raise RenderError(f"{item.name}: a number on the way is too large for a spreadsheet") from None

    # -- sheets ------------------------------------------------------------------------------------------------------

    def style(self, kind: str, figures: str = "") -> Any:
        """A format of cells; ``figures`` is how numbers look."""
        key = (kind, figures)
        if key not in self.formats:
            said = {**FORMATS[kind], **({"num_format": figures} if figures else {})}
            self.formats[key] = self.book.add_format(said)
        return self.formats[key]

    def _sheet(self, sheet: Worksheet, name: str, puts: list[_Put]) -> None:
        first = name == self.names[0]
        title = self.pages[self.names.index(name)].title
        sheet.write_string(0, 0, title, self.style("title"))
        sheet.set_column(0, 0, 18)
        sheet.set_column(1, 60, 11)
        sheet.set_landscape()
        sheet.set_paper(9)
        sheet.fit_to_pages(1, 0)
        sheet.hide_gridlines(2)
        sheet.set_footer("&C&P / &N")
        if not first:
            sheet.freeze_panes(1, 1)
            link = f"internal:'{self.names[0].replace(chr(39), chr(39) * 2)}'!A1"
            sheet.write_url(1, 0, link, self.style("link"), self.said("sheet_back"))
        for put in puts:
            self._put(sheet, name, put)
        self._score_ends(sheet, name, puts)

    def _put(self, sheet: Worksheet, name: str, put: _Put) -> None:
        row = put.row
        match put.item:
            case SheetText(text, kind):
                for place, line in enumerate(folded(text, TEXT)):
                    sheet.write_string(row + place, 0, line, self.style(kind))
            case SheetTable(header, rows):
                for i, cells in enumerate((header, *rows)):
                    for j, text in enumerate(cells):
                        sheet.write_string(row + i, 2 * j, text, self.style("cell" if i else "head"))
            case SheetStill(symbol, entries):
                sheet.write_string(row, 0, symbol, self.style("symbol"))
                for i, cells in enumerate(entries, 1):
                    for j, text in enumerate(cells, 1):
                        sheet.write_string(row + i, j, text, self.style("label"))
            case SheetMatrix():
                self._matrix(sheet, name, put.item, row)

    def _matrix(self, sheet: Worksheet, name: str, item: SheetMatrix, row: int) -> None:
        rows, columns = len(item.figures), len(item.figures[0])
        sheet.write_string(row, 0, item.symbol, self.style("symbol"))
        for labels, is_row, count in ((item.labels[0], True, rows), (item.labels[1], False, columns)):
            for place in range(count):
                label = labels[place] if place < len(labels) else str(place + 1)
                at = (row + 2 + place, 0) if is_row else (row + 1, 1 + place)
                sheet.write_string(*at, label, self.style("row" if is_row else "label"))
        is_answer = self.blank and item.live is not None
        if is_answer:
            self._answers(sheet, item)
        elif item.live is None:
            self._givens(sheet, item)
        else:
            for key, pieces in self._blocks(item):
                self._cells(sheet, name, key, pieces, item.figures if key == item.name else None)
            for helper in item.live.helpers:
                spot = self.spots[helper.key]
                sheet.write_string(row, spot.column, self.layout.helper_label(helper), self.style("symbol"))
        if item.weights and not is_answer:
            self._colours(sheet, row + 2, rows, columns)
        for place, line in enumerate(self._beside(item)):
            sheet.write_string(row + place, self._free_column(item), line, self.style("formula"))

    def _free_column(self, item: SheetMatrix) -> int:
        column = len(item.figures[0]) + 2
        if item.live is not None and not self.blank:
            column += sum(helper.width + 1 for helper in item.live.helpers)
        return column

    def _beside(self, item: SheetMatrix) -> list[str]:
        """The worked entry of the document, and the same as formulas of the sheet."""
        lines = [part for line in item.worked for part in folded(line, BESIDE)]
        if item.live is None or self.blank:
            return lines
        known = all(key in self.spots for key in (item.name, *self.store.step(item.name).uses))
        sheet = self.spots[item.name].sheet if known else ""
        i, j = item.place
        shown = [*((helper.key, helper.rows[0][0], 0, 0) for helper in item.live.helpers)]
        for key, piece, row, column in [*shown, (item.name, item.live.rows[i][j], i, j)]:
            if known and not isinstance(piece, SheetNumber):
                text = f"{self._address(SheetCell(key, row, column), sheet)}: {self._formula(piece, sheet, key)}"
                lines += folded(text, BESIDE)[:FORMULA_LINES]
        return lines

    def _cells(
        self, sheet: Worksheet, name: str, key: str, rows: SheetRows, figures: Sequence[Sequence[str]] | None
    ) -> None:
        spot, usual = self.spots[key], f"0.{'0' * self.store.style.decimals}"
        looks = _looks(figures) if figures else None
        for i, row in enumerate(rows):
            for j, piece in enumerate(row):
                style = self.style("computed", looks[i][j]) if looks else self.style("helper", usual)
                at, value = (spot.row + i, spot.column + j), self.values[SheetCell(key, i, j)]
                if isinstance(piece, SheetNumber):
                    sheet.write_number(*at, value, style)
                else:
                    formula = self._formula(piece, name, key)
                    sheet.write_formula(*at, formula, style, value)

    def _givens(self, sheet: Worksheet, item: SheetMatrix) -> None:
        """Given numbers as they are: a decimal as a number, 1/3 or √2/2 as a formula."""
        spot, given = self.spots[item.name], self.store.givens[item.name]
        columns = len(item.figures[0])
        for i, row in enumerate(_looks(item.figures)):
            for j, look in enumerate(row):
                at, style = (spot.row + i, spot.column + j), self.style("given", look)
                value, piece = self.values[SheetCell(item.name, i, j)], sheet_number(given.entry(i * columns + j))
                if isinstance(piece, SheetNumber) and _is_plain(piece, value):
                    sheet.write_number(*at, value, style)
                else:
                    formula = self._formula(piece, "", item.name)
                    sheet.write_formula(*at, formula, style, value)

    def _colours(self, sheet: Worksheet, row: int, rows: int, columns: int) -> None:
        """Weights by their size, and the largest of each row in bold: it moves when a given is changed."""
        from xlsxwriter.utility import xl_col_to_name

        area = (row, 1, row + rows - 1, columns)
        if columns > 1:
            last = xl_col_to_name(columns)
            rule = f"=B{row + 1}=MAX($B{row + 1}:${last}{row + 1})"
            sheet.conditional_format(*area, {"type": "formula", "criteria": rule, "format": self.style("largest")})
        scale = {"type": "2_color_scale", "min_type": "num", "max_type": "num", "min_value": 0, "max_value": 1}
        sheet.conditional_format(*area, {**scale, "min_color": "#FFFFFF", "max_color": "#7FB2E5"})

    # -- the first sheet ---------------------------------------------------------------------------------------------

    def _legend(self) -> list[tuple[str, str]]:
        kinds = ("given", "answer") if self.blank else ("given", "computed", "helper")
        weights = ("weights",) if any(item.weights for item in self._matrices()) and not self.blank else ()
        return [(kind, self.said(f"sheet_is_{kind}")) for kind in (*kinds, *weights)]

    def _contents(self, sheet: Worksheet) -> None:
        row = 1
        if self.blank:
            marks = "+".join(f"'{_quoted(name)}'!{cells}" for name, cells, _ in self.scores) or "0"
            count = sum(number for _, _, number in self.scores)
            sheet.write_string(row, 0, self.said("sheet_score", count=count), self.style("symbol"))
            sheet.write_formula(row, 4, f"={marks}", self.style("symbol", "0"), 0)
            row += 2
        sheet.write_string(row, 0, self.said("sheet_intro_blank" if self.blank else "sheet_intro"), self.style("note"))
        row += 1
        for kind, text in self._legend():
            sheet.write_blank(row, 0, None, self.style(kind))
            sheet.write_string(row, 1, text, self.style("text"))
            row += 1
        row += 1
        for page, name in zip(self.pages[1:], self.names[1:], strict=True):
            sheet.write_url(row, 0, f"internal:'{_quoted(name)}'!A1", self.style("link"), page.title[:250])
            row += 1

    # -- a blank workbook --------------------------------------------------------------------------------------------

    def _answers(self, sheet: Worksheet, item: SheetMatrix) -> None:
        spot = self.spots[_shown(item.name)]
        for i, row in enumerate(_looks(item.figures)):
            for j, look in enumerate(row):
                sheet.write_blank(spot.row + i, spot.column + j, None, self.style("answer", look))

    def _score_ends(self, sheet: Worksheet, name: str, puts: list[_Put]) -> None:
        """Marks in hidden columns to the right of everything, their colours in the answers, and their sum."""
        from xlsxwriter.utility import xl_rowcol_to_cell

        items = [put.item for put in puts if isinstance(put.item, SheetMatrix) and put.item.live is not None]
        if not self.blank or not items:
            return
        matrices = (put.item for put in puts if isinstance(put.item, SheetMatrix))
        first = max(self._free_column(item) for item in matrices) + 8 + MARKS_APART
        last, count = first, 0
        for item in items:
            spot = self.spots[_shown(item.name)]
            rows, columns = len(item.figures), len(item.figures[0])
            for i in range(rows):
                for j in range(columns):
                    at = (spot.row + i, first + j)
                    answer = xl_rowcol_to_cell(spot.row + i, spot.column + j)
                    sheet.write_formula(*at, self._mark(answer, item.name, i, j), None, "")
            area = (spot.row, spot.column, spot.row + rows - 1, spot.column + columns - 1)
            mark = xl_rowcol_to_cell(spot.row, first)
            for worth_of, look in ((1, "right"), (0, "wrong")):
                rule = f"=AND(ISNUMBER({mark}),{mark}={worth_of})"
                sheet.conditional_format(*area, {"type": "formula", "criteria": rule, "format": self.style(look)})
            last, count = max(last, first + columns - 1), count + rows * columns
        sheet.set_column(first, last, 11, None, {"hidden": True})
        top, bottom = xl_rowcol_to_cell(2, first, True, True), xl_rowcol_to_cell(puts[-1].row + 200, last, True, True)
        sheet.write_string(1, 2, self.said("sheet_score", count=count), self.style("symbol"))
        sheet.write_formula(1, 6, f"=SUM({top}:{bottom})", self.style("symbol", "0"), 0)
        self.scores.append((name, "$G$2", count))

    def _mark(self, answer: str, name: str, i: int, j: int) -> str:
        """1 for a right answer, 0 for a wrong one, nothing for none."""
        right, allowed = (self._address(SheetCell(key, i, j), "") for key in (name, _allowed(name)))
        words = ",".join(f'{answer}="{text}"' for text in ("−∞", "-∞", "-oo", "-inf"))
        endless = f"IF(ISNUMBER({answer}),IF({answer}<=-1E+200,1,0),IF(OR({words}),1,0))"
        near = f"IF(ISNUMBER({answer}),IF(ABS({answer}-{right})<={allowed},1,0),0)"
        return f'=IF(ISBLANK({answer}),"",IF({right}<=-1E+200,{endless},{near}))'

    def _write_key(self, sheet: Worksheet) -> None:
        """The right values, in live formulas, and how far an answer may be from each."""
        sheet.very_hidden()
        sheet.write_string(0, 0, self.said("sheet_key"), self.style("note"))
        for item in self._matrices():
            if item.live is None:
                continue
            for key, rows in self._blocks(item):
                self._cells(sheet, KEY, key, rows, item.figures if key == item.name else None)
            spot = self.spots[_allowed(item.name)]
            for i, row in enumerate(tolerances(self.store, item.name, item.figures)):
                for j, allowed in enumerate(row):
                    sheet.write_number(spot.row + i, spot.column + j, allowed, self.style("helper"))


def _shown(name: str) -> str:
    """The key of the cells that answers are written into."""
    return f"{name}|answers"


def _allowed(name: str) -> str:
    return f"{name}|allowed"


def _quoted(name: str) -> str:
    return name.replace("'", "''")


def _is_plain(piece: SheetNumber, value: float) -> bool:
    """Whether a number is a decimal, or a double as it is."""
    return short_decimal(piece.value) is not None or piece.value == value or abs(piece.value) >= BEYOND


def _look(figure: str, endless: bool) -> str:
    """How a number is shown: as the document prints it. ``endless`` says that there are −∞ in its matrix."""
    decimals = len(figure.partition(".")[2])
    plain = f"0{'.' if decimals else ''}{'0' * decimals}" if re.fullmatch(r"-?\d+(\.\d+)?", figure) else "General"
    return f'[>-1E+200]{plain};"−∞"' if endless else plain


def _looks(figures: Sequence[Sequence[str]]) -> list[list[str]]:
    endless = any(figure == "-oo" for row in figures for figure in row)
    return [[_look(figure, endless) for figure in row] for row in figures]


def _sheet_names(titles: Sequence[str]) -> list[str]:
    """A short name for each sheet, for it stands in formulas; no other has it, whatever letters are capitals."""
    taken, found = {KEY, "history"}, list[str]()
    for title in titles:
        plain = " ".join(_NOT_IN_NAMES.sub(" ", title).split()).strip("' ")
        (first, *_) = folded(plain, NAME)
        for number in range(1, len(titles) + 3):
            end = "" if number == 1 else f" ({number})"
            name = _cut(first, LONGEST_NAME - len(end)).strip("' ") + end
            if name and name.casefold() not in taken:
                break
        taken.add(name.casefold())
        found.append(name)
    return found


def _cut(text: str, length: int) -> str:
    """The beginning of a text, as long as so many units of UTF-16 allow."""
    while len(text.encode("utf-16-le")) // 2 > length:
        text = text[:-1]
    return text


def folded(text: str, width: int) -> list[str]:
    """A text in lines of so many columns, of which a Chinese character takes two; a line ends before a word.

    >>> folded("one two three", 8)
    ['one two', 'three']
    """
    lines: list[str] = []
    line, size = "", 0
    for word in re.findall(r"[^\s\u2e80-\uffef]+|[\u2e80-\uffef][\u3001\u3002\uff0c-\uff1f]?|\s", text):
        wide = sum(1 + is_wide(char) for char in word)
        if size + wide > width and line:
            lines.append(line.rstrip())
            line, size = "", 0
        if line or not word.isspace():
            line, size = line + word, size + wide
    return [*lines, line.rstrip()] if line.strip() else lines or [""]
