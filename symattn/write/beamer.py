"""Beamer: slides for any engine (two of them if there is Chinese text), or frames for a deck of the user's own.

The parts of a lecture appear one after the other: the lines of a calculation, the entries of the matrix that they lead
to, and then the remarks about it. A matrix of many entries appears row by row, and so does one that is compared with
another or follows without a calculation; given matrices are there at once. So a slide has no more pages than lines, and
only the first of a kind of step has as many as its matrix has entries.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from math import ceil

from symattn.base import words as languages
from symattn.show.blocks import (
    Block,
    Break,
    Document,
    Equation,
    Heading,
    Inline,
    Labels,
    Listing,
    Matrices,
    Matrix,
    Phrase,
    Picture,
    Prose,
    Readings,
    Room,
    Table,
    Task,
)
from symattn.show.math import Math, Seq, Sign
from symattn.write import environment, escape, layout
from symattn.write.environment import Macros
from symattn.write.latex import LatexPage, needs, together
from symattn.write.page import WORKING, MacroValues, filled, macro_values, matrix_text, matrix_width
from symattn.write.runs import inline
from symattn.write.slides import LISTED, ROOM, OnSlide, Slide, ToldPassage, slides
from symattn.write.tex_math import DISPLAY, TexMath

LINE = 37.0
"""The width of a line, in em: the 146 mm between the margins of a frame, at 11 pt."""

TEXT, HIGH, BESIDE = 0.8, 0.86, 1.3
"""Actual size of texts and displays on a slide as a share of the estimate, and how far matrices in a row may shrink."""

CODE, SMALL = 84, 0.82
"""Characters on a line of a program, and its height in lines of text."""

GAP, APART = 0.6, 0.35
"""The space around displays and around paragraphs, in lines of text."""

ENTRIES = 16
"""A matrix with more entries appears row by row."""

CONTENTS = 3
"""The least number of sections for which a slide lists their titles."""

WORKED = ("entry", "working", "closed_form")
"""Kinds of equations whose lines appear one after the other."""

_WAITS = ("need", "note", "figures", "reading")
_LABEL_WIDTHS = {"note": 5.0, "figures": 5.0, "reading": 5.0, "ask": 8.0, "answer": 10.0}
"""About how much of a line the label of a paragraph takes, in em."""
"""Roles of paragraphs that appear after the blocks before them."""

_NEXT, _WITH = r"\uncover<+->", r"\uncover<.->"
_APPEARS = re.compile(r"(\\uncover|\{uncoverenv\})<([+.])->")
"""A piece that appears next, or together with the last one: :func:`_numbered` fills in the page of its slide."""


def beamer(document: Document, words: Macros, math: str | None, fragment: bool) -> str:
    """``document`` in LaTeX's class Beamer, with the phrases ``words``."""
    spread_of = float(languages.text(document.language, languages.ABOUT, "latex", "line_spread"))
    page = SlidePage(words, fragment, room=LINE, line_height=spread_of)
    title = page.title(inline(page.headed(), *document.title))
    made = slides(page.told(document))
    shown = [*([] if fragment else page.contents(made)), *made]
    frames = list(page.frames(document, shown))
    text = title + "".join(str(part) for frame in frames for part in frame.values())
    return escape.latex_page(filled("beamer", title=title, frames=frames, fragment=fragment, **needs(document, text)))


class _ByLine(TexMath):
    """Makes each line of a display appear separately."""

    def aligned(self, lines: list[tuple[str, str]]) -> str:
        shown = [
            (f"{_NEXT}{{{left}}}" if left else "", f"{_WITH if left else _NEXT}{{{{}}{right}}}")
            for left, right in lines
        ]
        return super().aligned(shown)


@dataclass(frozen=True)
class _ByEntry(TexMath):
    """Makes each entry of a matrix, or each row, appear separately."""

    by_row: bool = False

    def row(self, cells: list[str]) -> str:
        if self.cell:  # of a matrix inside an entry
            return super().row(cells)
        # In braces of its own a minus is a sign, and no operation between two numbers.
        return super().row(
            [f"{_WITH if self.by_row and place else _NEXT}{{{{{cell}}}}}" for place, cell in enumerate(cells)]
        )


@dataclass(frozen=True)
class _Ruler:
    """Turns text and formulas in a line into text that is about as wide."""

    words: Macros

    def text(self, text: str) -> str:
        return escape.clean(text)

    def formula(self, math: Math) -> str:
        return "n" * ceil(layout.slashed_width(math) / layout.text_width("n"))


@dataclass(frozen=True)
class SlidePage(LatexPage):
    """Writes the pieces of a document for slides, and estimates the space that each needs."""

    line_height: float = 1.0

    def formula(self, math: Math) -> str:
        # A column is narrow here, and TeX breaks no line after a comma: such a list shrinks.
        is_list = isinstance(math, Seq) and Sign(",") in math.parts
        return LatexPage.formula(replace(self, word=0.0) if is_list else self, math)

    def told(self, document: Document) -> Iterator[ToldPassage | Heading]:
        """Yield the headings and passages of a document, with their parts on slides."""
        for passage, blocks in document.in_passages():
            kinds: frozenset[str] = frozenset(block.kind for block in blocks if isinstance(block, Equation))
            for _, run in groupby(blocks, lambda block: isinstance(block, Heading | Break) and id(block)):
                held = tuple(run)
                match held:
                    case (Heading() as heading,):
                        yield heading
                    case (Break(mark),):
                        yield Heading(1, "", mark)
                    case _:
                        yield passage, held, [item for block in held for item in self._items(block, kinds)]

    def contents(self, made: Sequence[Slide]) -> list[Slide]:
        """Return slides with the titles of the sections, if there are several."""
        titles = dict.fromkeys(slide.title for slide in made if slide.title is not None and slide.title.level == 1)
        if len(titles) < CONTENTS:
            return []
        title = Heading(9, "", (Phrase("contents"),))
        return [Slide(title, (), below=tuple(some)) for some in layout.in_rows(titles, lambda _: LISTED, 0.0, ROOM)]

    def frames(self, document: Document, made: Sequence[Slide]) -> Iterator[MacroValues]:
        """Yield the values of the template for every slide."""
        before: Heading | None = None
        for slide in made:
            heading = slide.title or Heading(9, "", document.title)
            title = self.title(inline(self.headed(), *heading.title))
            beside = self.line(inline(self, *slide.beside))
            starts = heading != before and heading.level < 3
            if not title:
                title, beside = beside, ""
            yield {
                "level": heading.level if starts else 0,
                "number": self.text(heading.number),
                "title": title,
                "beside": beside,
                "opens": slide.opens,
                "centred": slide.opens or any(item.fills for item in slide.items),
                "body": _numbered(slide.items),
                "below": [self.line(inline(self, *(f"{each.number} ", *each.title))) for each in slide.below],
            }
            before = heading

    # -- the blocks ------------------------------------------------------------------------------------------------

    def _items(self, block: Block, kinds: frozenset[str]) -> Iterator[OnSlide]:
        """Yield a block, or the parts of one longer than a slide; ``kinds`` are those of equations in its passage."""
        match block:
            case Equation():
                yield from self._displays(block)
            case Matrix():
                yield self._matrix(block, kinds)
            case Matrices(items):
                for row in layout.in_rows(items, matrix_width, layout.QUAD, BESIDE * self.room):
                    yield self._matrices(replace(block, items=tuple(row)), kinds)
            case Table():
                yield from self._table(block)
            case Listing():
                yield from self._listing(block)
            case Readings(items):
                for said in items:
                    yield from self._listed(self.line(inline(self, said)), (said,), waits=True)
            case Picture():
                yield OnSlide(block, self._written("picture", block), ROOM, fills=True)
            case Task(says):
                told: MacroValues = {"role": "text", "text": self.line(inline(self, says)), "label": "", "gap": ""}
                yield OnSlide(block, _macro("prose", told), self._lines((says,)) + APART)
            case Room(lines):
                yield OnSlide(block, _macro("room", {"lines": min(lines, int(ROOM) // 2)}), min(lines, int(ROOM) // 2))
            case Labels(lead, items):
                labels = tuple(part for symbol, label in items for part in (symbol, f" = {label}  "))
                yield OnSlide(block, self._written("labels", block), self._lines((lead,)) + self._lines(labels) + APART)
            case Prose(parts, role) if text := self._written("prose", block):
                yield OnSlide(block, text, self._lines(parts, role) + APART, waits=role in _WAITS)
            case Phrase(role=role) if text := self._written("phrase", block):
                yield OnSlide(block, text, self._lines((block,), role) + APART, waits=role in _WAITS)
            case _ if text := self._written(type(block).__name__.lower(), block):
                yield OnSlide(block, text, 1.0 + APART)

    def _written(self, macro: str, block: Block) -> str:
        return _macro(macro, macro_values(block, self))

    def _lines(self, parts: tuple[Inline, ...], role: str = "", room: float = LINE) -> float:
        """Return how many lines of text a paragraph takes."""
        label = _LABEL_WIDTHS.get(role, 0.0)
        width = label + TEXT * layout.text_width(inline(_Ruler(self.words), *parts))
        return self.line_height * max(1, ceil(width / room))

    def _listed(self, text: str, parts: tuple[Inline, ...], waits: bool = False) -> Iterator[OnSlide]:
        """Yield an item of a list."""
        if text:
            height = self._lines(parts, room=LINE - 2)
            yield OnSlide(Readings(()), _macro("readings", {"items": [text]}), height + APART, waits=waits)

    def _displays(self, block: Equation) -> Iterator[OnSlide]:
        hides = block.kind in WORKED or block.kind == "squared"
        mode = _ByLine() if block.kind in WORKED else DISPLAY
        bodies = layout.measured(block.chains, mode, self.room, highest=ROOM / HIGH - 2, beside=block.beside)
        for body, height in bodies:
            text = f"{_NEXT}{{{body}}}" if hides and _NEXT not in body else body
            told: MacroValues = {"bodies": [text], "lines": "", "label": ""}
            yield OnSlide(block, _macro("equation", told), HIGH * height + GAP, hides=hides)

    def _matrix(self, block: Matrix, kinds: frozenset[str]) -> OnSlide:
        text = matrix_text(block, _shown(block, kinds))
        head, equals, grid = text.partition("=\n")
        if grid and matrix_width(block) > self.room:
            # Its name is put above it, so that its figures are larger.
            return self._result(
                block, rf"\symattndisplay{{\({head}{equals.strip()}\)}}{{%" + f"\n{grid}\n}}", kinds, 1.2
            )
        return self._result(block, _macro("matrix", {"body": text, "label": ""}), kinds)

    def _matrices(self, block: Matrices, kinds: frozenset[str]) -> OnSlide:
        body = f"\n{DISPLAY.quad}\n".join(matrix_text(item, _shown(item, kinds)) for item in block.items)
        return self._result(block, _macro("matrices", {"bodies": [body]}), kinds)

    def _result(self, block: Matrix | Matrices, text: str, kinds: frozenset[str], head: float = 0.0) -> OnSlide:
        """Return a matrix, on a coloured ground if something leads to it."""
        items = block.items if isinstance(block, Matrices) else (block,)
        height = max(layout.total_extent(max(map(layout.height, row)) for row in item.entries) for item in items)
        if not kinds.isdisjoint(WORKING):
            text, head = text.replace(r"\symattndisplay{", r"\symattnresult{", 1), head + 0.4
        return OnSlide(block, text, head + height + GAP)

    def _table(self, block: Table) -> Iterator[OnSlide]:
        told = macro_values(block, self)
        shares = [float(share) * self.room for share in self.columns(block)]
        heights = [
            max(self._lines(cell, room=share) for cell, share in zip(row, shares, strict=True)) / self.line_height
            for row in block.rows
        ]
        rows = list(zip(block.rows, told["rows"], heights, strict=True))  # type: ignore[call-overload]
        for part in layout.in_rows(rows, lambda row: row[2], 0.0, ROOM - 2):
            some = replace(block, rows=tuple(row for row, _, _ in part))
            height = 2.0 + layout.total_extent(height for _, _, height in part)
            yield OnSlide(some, _macro("table", {**told, "rows": [row for _, row, _ in part]}), height)

    def _listing(self, block: Listing) -> Iterator[OnSlide]:
        """Yield a program and its output, in parts that fit on a slide."""
        for label, code in ((), block.code), ((Phrase("listing_output"),), block.output):
            lines = escape.clean_code(code).split("\n") if code else []
            for place, part in enumerate(layout.in_rows(lines, _code_height, 0.0, ROOM - 1.5)):
                words = self.line(inline(self, *label)) + "\\par\\nobreak\n" if label and not place else ""
                written = _macro("code_lines", {"lines": self.code("\n".join(part))})
                yield OnSlide(block, words + written, 1.5 * bool(words) + layout.total_extent(map(_code_height, part)))


def _code_height(line: str) -> float:
    return SMALL * max(1, ceil(len(line) / CODE))


def _macro(name: str, told: MacroValues) -> str:
    return environment.block_macros("beamer").call(name, told).strip("\n")


def _shown(block: Matrix, kinds: frozenset[str]) -> TexMath:
    """Return how a matrix appears: given ones at once, calculated ones by entries, others row by row."""
    if kinds.isdisjoint(WORKING) or block.number is not None:
        return DISPLAY
    # Figures on squared paper have been seen already.
    by_entry = sum(map(len, block.entries)) <= ENTRIES and not kinds.isdisjoint(WORKED) and "squared" not in kinds
    return _ByEntry(by_row=not by_entry)


def _numbered(items: Sequence[OnSlide]) -> str:
    """Return the text of a slide, with the page number of each thing that appears."""
    waiting = [
        (item.block, _waiting(item.text) if item.waits and place else item.text) for place, item in enumerate(items)
    ]
    text = "".join(together(waiting)).strip("\n")
    page = 0 if items and items[0].hides else 1

    def numbered(mark: re.Match[str]) -> str:
        nonlocal page
        page += mark[2] == "+"
        return f"{mark[1]}<{page}->"

    return _APPEARS.sub(numbered, text)


def _waiting(text: str) -> str:
    return f"\\begin{{uncoverenv}}<+->\n{text}\n\\end{{uncoverenv}}"
