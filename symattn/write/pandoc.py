"""Write a document as pandoc's own tree, from which pandoc makes a Word file: nothing in it is text to be parsed.

Each kind of block has a rule that returns JSON of https://hackage.haskell.org/package/pandoc-types, version 1.23.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from symattn.show.blocks import (
    Break,
    Document,
    Equation,
    Fields,
    Heading,
    Matrices,
    Matrix,
    Picture,
    Room,
    Table,
)
from symattn.show.math import Grid, Math, Script
from symattn.write import escape, layout
from symattn.write.environment import Macros
from symattn.write.latex import LatexPage
from symattn.write.page import matrix_text, matrix_width, side_by_side
from symattn.write.pictures.sketch import sketch
from symattn.write.runs import plain_sentence
from symattn.write.tex_math import WordTex
from symattn.write.tree import TreeWriter

PandocTree = dict[str, object]
"""An element, or a row of them inside another: ``t`` is its name, ``c`` its content."""

VERSION = (1, 23)

LINE = 33.0
"""The maximum width of a display, in em of TeX's letters, which are narrower than those of other mathematical fonts:
the 160 mm between the margins of A4 at 11 pt, with a small reserve."""

SIZE, SMALLEST = 11.0, 4.0
"""The size of letters in points, and the smallest for a display that is too wide."""

POINTS, WIDEST = 0.75, 450.0
"""The size of a picture's unit, in points, and the maximum width of a picture."""

RULE = 48
"""The number of underscores for the fields of a line, together."""

LEAD, KEPT, SHOWN, CENTRED = "Lead-in", "Task", "Display", "Picture"
"""Paragraph styles that pandoc does not have: :mod:`symattn.write.docx` formats them."""

_LINE = "\x1e"
"""The separator between the lines of a display."""


class WordDisplay(WordTex):
    """Writes a display: each line is an equation of its own, so that pages break between them."""

    quad, between, further = (f"\\text{{{space}}}" for space in ("\u2003", "\u2003\u2003", "\u2003"))
    around = (r"\text{(}", r"\text{)}")  # which are on two lines, each for itself

    def around_base(self, piece: Script) -> tuple[str, str]:
        return self.around

    def aligned(self, lines: list[tuple[str, str]]) -> str:
        goes_on = any(left for left, _ in lines)
        return _LINE.join(f"{left or (goes_on and self.between) or ''} {right}".strip() for left, right in lines)


_DISPLAY, _INLINE = WordDisplay(), WordTex(inline=True)
_FLAT = '<w:spacing w:before="0" w:after="0" w:line="20" w:lineRule="exact"/>'
"""The formatting with which an empty paragraph at the start of a page takes no space."""

_NOTHING = ["", [], []]
"""No name, no classes, no attributes."""
_STYLES: Mapping[str, str] = MappingProxyType({"lead": LEAD, "task": KEPT})
"""Roles of paragraphs that have a style of their own."""
_CELL = 0.1
"""The margins of a Word cell, plus a reserve for wider mathematical fonts, as a share of a line."""


@dataclass(frozen=True)
class WordTree(TreeWriter[PandocTree]):
    """Writes blocks as pandoc's tree; ``pictures`` are those of the document in order, as PNG."""

    pictures: Iterator[bytes]

    def text(self, text: str) -> PandocTree:
        return _of("Str", text)

    def formula(self, math: Math) -> PandocTree:
        return _formula(_INLINE.write(math), "InlineMath")

    def heading(self, block: Heading) -> list[PandocTree]:
        number = (f"{block.number} ",) if block.number else ()
        return [_of("Header", [block.level, _NOTHING, self.line(*number, *block.title)])]

    def paragraph(self, role: str, line: list[PandocTree], label: str = "") -> list[PandocTree]:
        if not line:
            return []
        if role in _STYLES:
            return _styled(_STYLES[role], line)
        if label:
            line = [_of("Strong", [_of("Str", label)]), _of("Str", escape.gap_after(label)), *line]
        written = _of("Para", [_of("Emph", line)] if role == "source" else line)
        return [_of("BlockQuote", [written])] if role == "note" else [written]

    def bullets(self, items: list[list[PandocTree]]) -> list[PandocTree]:
        return [_of("BulletList", [[_of("Plain", item)] for item in items])] if items else []

    def display(self, block: Equation | Matrix | Matrices) -> list[PandocTree]:
        if isinstance(block, Equation):
            lines = (line for chain in block.chains for line in layout.lines(chain, _DISPLAY, LINE))
            widest = max((line.width for line in lines), default=0.0)
            return _display(layout.displays(block.chains, _DISPLAY, LINE), widest)
        if isinstance(block, Matrices):
            return _display(side_by_side(block, _DISPLAY, LINE), max(map(matrix_width, block.items), default=0.0))
        text, wide = matrix_text(block, _DISPLAY), matrix_width(block)
        if wide <= LINE or block.number is not None:
            return _display([text], wide)
        grid = Grid(block.entries)
        entries = _DISPLAY.write(grid)
        head = text.removesuffix(entries) + WordTex.space
        return _display([head, f"{_DISPLAY.between} {entries}"], layout.width(grid))

    def table(
        self, block: Table, header: list[list[PandocTree]], rows: list[list[list[PandocTree]]]
    ) -> list[PandocTree]:
        # Word would find widths by itself, other programs use the given ones.
        # A cell has a margin, which takes more of a narrow column than of a wide one.
        shares = [float(share) + _CELL for share in LatexPage(self.words).columns(block)]
        columns = [[_of("AlignDefault"), _of("ColWidth", share / layout.total_extent(shares))] for share in shares]
        body = [[_NOTHING, 0, [], [_row(row) for row in rows]]]
        return [_of("Table", [_NOTHING, [None, []], columns, [_NOTHING, [_row(header)]], body, [_NOTHING, []]])]

    def code(self, text: str, language: str) -> PandocTree:
        return _of("CodeBlock", [["", [language] if language else [], []], text])

    def fields(self, block: Fields) -> list[PandocTree]:
        shares = sum(item.share for item in block.items if not item.value)
        line: list[PandocTree] = []
        for item in block.items:
            value = [_of("Str", escape.clean(item.value))]
            written = _of("Strong", value) if item.value else _of("Str", "_" * (RULE * item.share // shares))
            line += [*([_of("Str", "  ")] if line else []), *self.line(item.label), _of("Str", " "), written]
        return [_of("Para", line)]

    def space(self, block: Room | Break) -> list[PandocTree]:
        if isinstance(block, Break):
            return [_xml(f"<w:p><w:pPr><w:pageBreakBefore/>{_FLAT}</w:pPr></w:p>")]
        height = block.lines * round(20 * 1.2 * SIZE)
        return [_xml(f'<w:p><w:pPr><w:spacing w:before="0" w:after="{height}"/></w:pPr></w:p>')]

    def picture(self, block: Picture) -> list[PandocTree]:
        width = min(POINTS * sketch(block.drawing, self.words).width, WIDEST)
        address = f"data:image/png;base64,{b64encode(next(self.pictures)).decode('ascii')}"
        says = plain_sentence(block.says, self.words)
        image = _of("Image", [["", [], [["width", f"{width / 72:.4f}in"]]], [_of("Str", says)], [address, ""]])
        return [*_styled(CENTRED, [image]), *_styled("Image Caption", self.line(*block.caption))]


def tree(document: Document, words: Macros, pictures: Sequence[bytes]) -> PandocTree:
    """Return a document as pandoc's tree; ``pictures`` are its own, as PNG."""
    page = WordTree(words, iter(pictures))
    blocks = list(document.blocks)
    # A document of several sheets has a title for each, and begins with the first of them.
    titled = not (blocks and isinstance(blocks[0], Break))
    meta = {"title": _of("MetaInlines", page.line(*document.title))} if titled else {}
    body = [element for block in (blocks if titled else blocks[1:]) for element in page.elements(block)]
    return {"pandoc-api-version": list(VERSION), "meta": meta, "blocks": body}


def _styled(style: str, line: list[PandocTree]) -> list[PandocTree]:
    return [_of("Div", [["", [], [["custom-style", style]]], [_of("Para", line)]])]


def _row(cells: list[list[PandocTree]]) -> list[object]:
    return [_NOTHING, [[_NOTHING, _of("AlignDefault"), 1, 1, [_of("Plain", cell)]] for cell in cells]]


def _display(bodies: Iterable[str], width: float) -> list[PandocTree]:
    """Return a paragraph for each line of displays; those wider than a line have smaller letters."""
    size = max(SMALLEST, int(2 * SIZE * LINE / width) / 2) if width > LINE else SIZE
    lines = (line for body in bodies for line in body.split(_LINE))
    return [each for line in lines for each in _styled(f"{SHOWN} {size:g}", [_formula(line, "DisplayMath")])]


def _formula(body: str, kind: str) -> PandocTree:
    return _of("Math", [_of(kind), body])


def _xml(text: str) -> PandocTree:
    return _of("RawBlock", ["openxml", text])


def _of(name: str, *held: object) -> PandocTree:
    """Return an element by its name, with its content."""
    return {"t": name, "c": held[0]} if held else {"t": name}
