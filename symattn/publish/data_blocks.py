"""The blocks of a page as data: what is said in runs of plain text and of TeX, so that who reads it parses nothing.

A sentence is written by the macros of its language, which know strings only. So every piece that comes into one is told
to them as a sign of its own, and found again in what they make of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import singledispatch

from symattn.document.blocks import (
    Block,
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
    Table,
)
from symattn.document.math import Math
from symattn.errors import RenderError
from symattn.publish.data_form import (
    BlockData,
    DisplayData,
    HeadingData,
    LabelData,
    LabelsData,
    ListingData,
    MathRun,
    ParagraphData,
    PassageData,
    PictureData,
    ReadingsData,
    Runs,
    TableData,
    TextRun,
)
from symattn.render import escape
from symattn.render.environment import Macros
from symattn.render.markdown import MarkdownPage
from symattn.render.page import LABELS, inlines, phrase
from symattn.render.plain import plain

_NARROW, _WIDE = ("\x01", "\x02"), ("\ue000", "\ue001")
"""What stands around the number of a piece, as wide as the piece is there: a line that ends in Chinese is joined to the
next without a space. All text that comes from outside is such a piece, so none of these is ever taken for one."""
_PIECE = re.compile("[\x01\ue000]([0-9]+)[\x02\ue001]")


@dataclass(frozen=True)
class RunLine:
    """How data writes the pieces of a line. ``page`` is the page of Markdown whose mathematics it has."""

    page: MarkdownPage
    pieces: dict[TextRun | MathRun, int] = field(default_factory=dict)

    @property
    def words(self) -> Macros:
        """The phrases of the document's language."""
        return self.page.words

    def text(self, text: str) -> str:
        """Plain text, as a sign."""
        cleaned = escape.clean(text)
        return self._sign(TextRun(text=cleaned), cleaned) if cleaned else ""

    def formula(self, math: Math) -> str:
        """Mathematics, as a sign."""
        return self._sign(MathRun(tex=self.tex(math)), "$")

    def tex(self, math: Math) -> str:
        """Mathematics inside a line, without delimiters."""
        return self.page.delimiters.writer.small.write(math)

    def _sign(self, piece: TextRun | MathRun, seen: str) -> str:
        number = self.pieces.setdefault(piece, len(self.pieces))
        left, right = (_WIDE if escape.is_wide(char) else _NARROW for char in (seen[0], seen[-1]))
        return f"{left[0]}{number}{right[1]}"

    def runs(self, written: str) -> Runs:
        """What somebody wrote with signs in it, in runs."""
        every = list(self.pieces)
        # Of a text that is split at its signs every second part is the number of one.
        parts = [
            every[int(part)] if place % 2 else TextRun(text=part)
            for place, part in enumerate(_PIECE.split(written))
            if part
        ]
        return tuple(parts)

    def said(self, block: Phrase) -> Runs:
        """A sentence."""
        return self.runs(phrase(block, self))

    def words_of(self, parts: tuple[Inline, ...]) -> Runs:
        """Words of the scenario."""
        return self.runs(inlines(parts, self))


def passages(document: Document, line: RunLine) -> Iterator[PassageData]:
    """The blocks of a page, those together that belong together."""
    for part, blocks in document.in_passages():
        yield PassageData(names=part.names, blocks=tuple(block_data(block, line) for block in blocks))


@singledispatch
def block_data(block: Block, line: RunLine) -> BlockData:
    """A block as data. Raises :class:`~symattn.errors.RenderError` for what no solution has."""
    raise RenderError(f"no data for {type(block).__name__}: not a block of a solution")


@block_data.register(Heading)
def _(block: Heading, line: RunLine) -> HeadingData:
    return HeadingData(block="heading", level=block.level, number=block.number, title=line.words_of(block.title))


@block_data.register(Prose)
def _(block: Prose, line: RunLine) -> ParagraphData:
    return _paragraph(block.role, line.words_of(block.parts), line)


@block_data.register(Phrase)
def _(block: Phrase, line: RunLine) -> ParagraphData:
    return _paragraph(block.role, line.said(block), line)


@block_data.register(Readings)
def _(block: Readings, line: RunLine) -> ReadingsData:
    return ReadingsData(block="readings", items=tuple(map(line.said, block.items)))


@block_data.register(Labels)
def _(block: Labels, line: RunLine) -> LabelsData:
    items = (LabelData(tex=line.tex(symbol), label=escape.clean(label)) for symbol, label in block.items)
    return LabelsData(block="labels", lead=line.said(block.lead), items=tuple(items))


@block_data.register(Equation)
def _(block: Equation, line: RunLine) -> DisplayData:
    return _display(block.kind, line.page.equation(block))


@block_data.register(Matrix)
def _(block: Matrix, line: RunLine) -> DisplayData:
    return _display("matrix", line.page.matrix(block))


@block_data.register(Matrices)
def _(block: Matrices, line: RunLine) -> DisplayData:
    displays = line.page.matrices(block)["displays"]
    assert isinstance(displays, list)
    return _display("matrix", *displays)


@block_data.register(Table)
def _(block: Table, line: RunLine) -> TableData:
    rows = (tuple(map(line.words_of, row)) for row in block.rows)
    return TableData(block="table", header=tuple(map(line.said, block.header)), rows=tuple(rows))


@block_data.register(Listing)
def _(block: Listing, line: RunLine) -> ListingData:
    return ListingData(
        block="listing",
        language=block.language,
        code=escape.clean_code(block.code),
        label=line.said(Phrase("listing_output")),
        output=escape.clean_code(block.output),
    )


@block_data.register(Picture)
def _(block: Picture, line: RunLine) -> PictureData:
    says, caption = plain(block.says, line.words), line.words_of(block.caption)
    return PictureData(block="picture", name=block.name, says=says, caption=caption)


def _paragraph(role: str, runs: Runs, line: RunLine) -> ParagraphData:
    label = phrase(Phrase(LABELS[role]), line) if role in LABELS else ""
    return ParagraphData(block="paragraph", role=role, label=label, runs=runs)


def _display(shows: str, *displays: dict[str, object]) -> DisplayData:
    return DisplayData(block="display", shows=shows, displays=tuple(str(each["body"]) for each in displays))
