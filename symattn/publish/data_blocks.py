"""The blocks of a page as data: what is said in runs of plain text and of TeX, so that who reads it parses nothing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
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
from symattn.render.page import LABELS
from symattn.render.runs import inline_runs, plain


@dataclass(frozen=True)
class RunLine:
    """How data writes what a line is made of. ``page`` is the page of Markdown whose mathematics it has."""

    page: MarkdownPage

    @property
    def words(self) -> Macros:
        """The phrases of the document's language."""
        return self.page.words

    def tex(self, math: Math) -> str:
        """Write mathematics inside a line, without delimiters."""
        return self.page.delimiters.writer.small.write(math)

    def runs(self, *parts: Inline) -> Runs:
        """Write a line."""
        return tuple(
            TextRun(text=run) if isinstance(run, str) else MathRun(tex=self.tex(run))
            for run in inline_runs(parts, self.words)
        )


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
    return HeadingData(block="heading", level=block.level, number=block.number, title=line.runs(*block.title))


@block_data.register(Prose)
def _(block: Prose, line: RunLine) -> ParagraphData:
    return _paragraph(block.role, line.runs(*block.parts), line)


@block_data.register(Phrase)
def _(block: Phrase, line: RunLine) -> ParagraphData:
    return _paragraph(block.role, line.runs(block), line)


@block_data.register(Readings)
def _(block: Readings, line: RunLine) -> ReadingsData:
    return ReadingsData(block="readings", items=tuple(map(line.runs, block.items)))


@block_data.register(Labels)
def _(block: Labels, line: RunLine) -> LabelsData:
    items = (LabelData(tex=line.tex(symbol), label=escape.clean(label)) for symbol, label in block.items)
    return LabelsData(block="labels", lead=line.runs(block.lead), items=tuple(items))


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
    rows = (tuple(line.runs(*cell) for cell in row) for row in block.rows)
    return TableData(block="table", header=tuple(map(line.runs, block.header)), rows=tuple(rows))


@block_data.register(Listing)
def _(block: Listing, line: RunLine) -> ListingData:
    return ListingData(
        block="listing",
        language=block.language,
        code=escape.clean_code(block.code),
        label=line.runs(Phrase("listing_output")),
        output=escape.clean_code(block.output),
    )


@block_data.register(Picture)
def _(block: Picture, line: RunLine) -> PictureData:
    says, caption = plain(block.says, line.words), line.runs(*block.caption)
    return PictureData(block="picture", name=block.name, says=says, caption=caption)


def _paragraph(role: str, runs: Runs, line: RunLine) -> ParagraphData:
    label = plain(Phrase(LABELS[role]), line.words) if role in LABELS else ""
    return ParagraphData(block="paragraph", role=role, label=label, runs=runs)


def _display(shows: str, *displays: dict[str, object]) -> DisplayData:
    return DisplayData(block="display", shows=shows, displays=tuple(str(each["body"]) for each in displays))
