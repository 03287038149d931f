"""Place everything: the names of sheets, the rows of their items, and the address of every cell."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from symattn.api.publish.sheets.layout import SheetItem, SheetMatrix, SheetPage, SheetStill, SheetTable, SheetText
from symattn.api.publish.sheets.pieces import SheetCell, SheetNumber, SheetPiece, SheetRange, SheetRows, cell_formula
from symattn.base.errors import RenderError
from symattn.compute.solution.store import Store
from symattn.write.escape import is_wide

NAME, LONGEST_NAME = 16, 31
"""The width at which the name of a sheet is cut between words, and the most characters that spreadsheets accept."""

TEXT, BESIDE = 104, 66
"""The width of lines of text below and beside matrices."""

FORMULA_LINES = 4
"""The most lines of a formula written out beside a matrix."""

LONGEST = 8_000
"""The most characters of a formula; Excel accepts 8,192."""

KEY = "symattn"
"""The hidden sheet of a blank workbook, with the right values."""

BEFORE = 3
"""Rows at the top of a sheet: its title and the link back."""

_WORD = re.compile(r"[（「『《〈【〔]*(?:[^\s\u2e80-\uffef]+|[\u2e80-\uffef])[、。！，-？）」』》〉】〕]*|\s")
_PAUSE = re.compile("[：，、,;]")
_NOT_IN_NAMES = re.compile(r"[\[\]:*?/\\\x00-\x1f]")


@dataclass(frozen=True)
class SheetSpot:
    """The place of a block's upper left cell."""

    sheet: str
    row: int
    column: int


class SheetPlaces:
    """The places of all items; ``before`` is the number of rows at the top of the first sheet."""

    def __init__(self, store: Store, pages: Sequence[SheetPage], blank: bool, before: int) -> None:
        self.store, self.pages, self.blank, self.before = store, pages, blank, before
        self.names = sheet_names([page.title for page in pages])
        self.spots: dict[str, SheetSpot] = {}
        self.items = self._placed()
        """The items of each sheet, with their rows."""
        if not blank:
            self.items = self._placed()  # the length of formulas is known once there are addresses

    @property
    def matrices(self) -> Iterator[SheetMatrix]:
        """All matrices of numbers, in order."""
        return (item for page in self.pages for item in page.items if isinstance(item, SheetMatrix))

    @property
    def steps(self) -> Iterator[SheetMatrix]:
        """The matrices that are computed."""
        return (item for item in self.matrices if item.live is not None)

    def is_answer(self, item: SheetMatrix) -> bool:
        """Return True if a matrix is left empty."""
        return self.blank and item.live is not None

    def shown(self, item: SheetMatrix) -> SheetSpot:
        """Return the place of a matrix on its sheet; if it is left empty, its formulas are on another sheet."""
        return self.spots[answers_of(item.name) if self.is_answer(item) else item.name]

    def _placed(self) -> list[list[tuple[int, SheetItem]]]:
        found: list[list[tuple[int, SheetItem]]] = []
        for page, sheet in zip(self.pages, self.names, strict=True):
            row = BEFORE if found else self.before
            found.append([])
            for item in page.items:
                found[-1].append((row, item))
                row += self._height(item, sheet, row)
        row = 1
        for item in self.steps if self.blank else ():
            for key, rows in (*blocks_of(item), (allowed_for(item.name), item.figures)):
                self.spots[key] = SheetSpot(KEY, row, 0)
                row += len(rows) + 1
        return found

    def _height(self, item: SheetItem, sheet: str, row: int) -> int:
        """Return the number of rows of an item, and note the places of its blocks."""
        match item:
            case SheetText(_, kind):
                return len(lines_of(item)) + (kind in ("text", "note", "heading"))
            case SheetTable(_, rows) | SheetStill(_, rows):
                return len(rows) + 2
        key = answers_of(item.name) if self.is_answer(item) else item.name
        self.spots[key] = SheetSpot(sheet, row + 2, 1)
        height, column = len(item.figures), len(item.figures[0]) + 2
        for helper in () if self.blank else item.helpers:
            self.spots[helper.key] = SheetSpot(sheet, row + 2, column)
            height, column = max(height, len(helper.rows)), column + helper.width + 1
        return max(height, len(self.beside(item)) - 1) + 3

    def free_column(self, item: SheetMatrix) -> int:
        """Return the first column to the right of a matrix and its helper cells."""
        column = len(item.figures[0]) + 2
        return column if self.blank else column + sum(helper.width + 1 for helper in item.helpers)

    def beside(self, item: SheetMatrix) -> list[str]:
        """Return the worked entry of the document, and the same as formulas of the sheet if the addresses are known."""
        lines = [part for line in item.worked for part in folded(line, BESIDE)]
        known = all(key in self.spots for key in (item.name, *self.store.step(item.name).uses))
        if item.live is None or self.blank or not known:
            return lines
        i, j = item.place
        first = [(helper.key, helper.rows[0][0], 0, 0) for helper in item.helpers]
        sheet = self.spots[item.name].sheet
        for key, piece, row, column in [*first, (item.name, item.live.rows[i][j], i, j)]:
            if not isinstance(piece, SheetNumber):
                text = f"{self.address(SheetCell(key, row, column), sheet)}: {self.formula(piece, sheet, key)}"
                lines += folded(text, BESIDE)[:FORMULA_LINES]
        return lines

    # -- addresses ---------------------------------------------------------------------------------------------------

    def address(self, piece: SheetCell | SheetRange, sheet: str) -> str:
        """Return the address of a cell or a range, as written on a sheet."""
        cells = (piece.first, piece.last) if isinstance(piece, SheetRange) else (piece,)
        spot = self.spots[cells[0].block]
        texts = (cell_name(spot.row + cell.row, spot.column + cell.column) for cell in cells)
        return ("" if spot.sheet == sheet else f"'{quoted(spot.sheet)}'!") + ":".join(texts)

    def formula(self, piece: SheetPiece, sheet: str, name: str) -> str:
        """Return the text of a formula on a sheet.

        Raises :class:`~symattn.base.errors.RenderError` for one of more than ``LONGEST`` characters.
        """
        text = f"={cell_formula(piece, lambda each: self.address(each, sheet))}"
        if len(text) > LONGEST:
            raise RenderError(f"{name}: a formula of {len(text)} characters, and a spreadsheet takes 8,192")
        return text


def blocks_of(item: SheetMatrix) -> Iterator[tuple[str, SheetRows]]:
    """Yield the blocks of formulas of a step, in the order of computation."""
    assert item.live is not None
    yield from ((helper.key, helper.rows) for helper in item.helpers)
    yield item.name, item.live.rows


def answers_of(name: str) -> str:
    """Return the key of the cells for the answers."""
    return f"{name}|answers"


def allowed_for(name: str) -> str:
    """Return the key of the cells with the tolerance of each answer."""
    return f"{name}|allowed"


def cell_name(row: int, column: int) -> str:
    """Return the name of a cell; rows and columns count from 0.

    >>> cell_name(2, 1), cell_name(0, 26)
    ('B3', 'AA1')
    """
    return f"{column_name(column)}{row + 1}"


def column_name(column: int) -> str:
    """Return the name of a column, counted from 0.

    >>> column_name(25), column_name(701), column_name(702)
    ('Z', 'ZZ', 'AAA')
    """
    before, letter = divmod(column, 26)
    return (column_name(before - 1) if before else "") + chr(ord("A") + letter)


def quoted(name: str) -> str:
    """Return a sheet's name as formulas write it between quotes: each quote inside is doubled."""
    return name.replace("'", "''")


def sheet_names(titles: Sequence[str]) -> list[str]:
    """Return a short name for each sheet, for use in formulas; names differ in more than capitals.

    >>> sheet_names(["1 From words to a matrix", "a/b", "A B", "=cmd()"])
    ['1 From words to', 'a b', 'A B (2)', '=cmd()']
    """
    taken, found = {KEY, "history"}, list[str]()
    for title in titles:
        plain = " ".join(_NOT_IN_NAMES.sub(" ", title).split()).strip("' ")
        (first, *rest) = folded(plain, NAME)
        first = _PAUSE.split(first)[0] if rest else first
        for number in range(1, len(titles) + 3):
            end = "" if number == 1 else f" ({number})"
            name = _cut(first, LONGEST_NAME - len(end)).strip("' ") + end
            if name and name.casefold() not in taken:
                break
        taken.add(name.casefold())
        found.append(name)
    return found


def _cut(text: str, length: int) -> str:
    """Cut a text to at most so many units of UTF-16."""
    while len(text.encode("utf-16-le")) // 2 > length:
        text = text[:-1]
    return text


def lines_of(item: SheetText) -> list[str]:
    """Break a paragraph into lines; a line of a program stays whole, with its leading spaces."""
    return [item.text] if item.kind == "code" else folded(item.text, TEXT)


def folded(text: str, width: int) -> list[str]:
    """Break a text into lines of so many columns, where a Chinese character takes two; lines end between words, and
    only a word longer than a line is split.

    >>> folded("one two three", 8), folded("=SUMPRODUCT(A1:C1)", 8)
    (['one two', 'three'], ['=SUMPROD', 'UCT(A1:C', '1)'])
    >>> folded("得到查詢（query）、鍵", 11)
    ['得到查詢', '（query）、', '鍵']
    """
    lines: list[str] = []
    line, size = "", 0
    for word in (part for each in _WORD.findall(text) for part in _parted(each, width)):
        wide = sum(1 + is_wide(char) for char in word)
        if size + wide > width and line:
            lines.append(line.rstrip())
            line, size = "", 0
        if line or not word.isspace():
            line, size = line + word, size + wide
    return [*lines, line.rstrip()] if line.strip() else lines or [""]


def _parted(word: str, width: int) -> list[str]:
    return [word[start : start + width] for start in range(0, len(word), width)]
