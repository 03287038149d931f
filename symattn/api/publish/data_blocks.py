"""Write the blocks of a page as data: sentences as runs of plain text and TeX, so that readers need no parser."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from symattn.api.publish.data_form import (
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
    QuestionData,
    ReadingsData,
    Runs,
    TableData,
    TextRun,
)
from symattn.base.errors import RenderError
from symattn.show.blocks import (
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
    Question,
    Readings,
    Table,
    label_before,
)
from symattn.show.math import Math
from symattn.write import escape
from symattn.write.environment import Macros
from symattn.write.markdown import MarkdownPage
from symattn.write.runs import inline_runs, plain_sentence


@dataclass(frozen=True)
class RunLine:
    """Writes lines as data. ``page`` is the Markdown page whose mathematics it uses."""

    page: MarkdownPage

    @property
    def words(self) -> Macros:
        """The phrases of the document's language."""
        return self.page.words

    def tex(self, math: Math) -> str:
        """Write mathematics inside a line, without delimiters."""
        return self.page.delimiters.writer.small.write(math)

    def runs(self, *parts: Inline) -> Runs:
        """Write a line as runs of text and mathematics."""
        return tuple(
            TextRun(text=run) if isinstance(run, str) else MathRun(tex=self.tex(run))
            for run in inline_runs(parts, self.words)
        )


def passages(document: Document, line: RunLine) -> Iterator[PassageData]:
    """Yield the blocks of a page, grouped in passages."""
    for part, blocks in document.in_passages():
        yield PassageData(names=part.names, blocks=tuple(block_data(block, line) for block in blocks))


def block_data(block: Block, line: RunLine) -> BlockData:
    """Return a block as data. Raise :class:`~symattn.base.errors.RenderError` for a block that no solution has."""
    match block:
        case Heading(level, number, title):
            return HeadingData(block="heading", level=level, number=number, title=line.runs(*title))
        case Prose(parts, role):
            return _paragraph(block, role, line.runs(*parts), line)
        case Phrase(role=role):
            return _paragraph(block, role, line.runs(block), line)
        case Question(number, asked, answer):
            return QuestionData(block="question", number=number, runs=line.runs(*asked), answer=line.runs(*answer))
        case Readings(items):
            return ReadingsData(block="readings", items=tuple(map(line.runs, items)))
        case Labels(lead, labels):
            named = tuple(LabelData(tex=line.tex(symbol), label=escape.clean(label)) for symbol, label in labels)
            return LabelsData(block="labels", lead=line.runs(lead), items=named)
        case Equation():
            return _display(block.kind, line.page.equation(block))
        case Matrix():
            return _display("matrix", line.page.matrix(block))
        case Matrices():
            displays = line.page.matrices(block)["displays"]
            assert isinstance(displays, list)
            return _display("matrix", *displays)
        case Table(header, rows):
            cells = tuple(tuple(line.runs(*cell) for cell in row) for row in rows)
            return TableData(block="table", header=tuple(map(line.runs, header)), rows=cells)
        case Listing(language, code, output):
            return ListingData(
                block="listing",
                language=language,
                code=escape.clean_code(code),
                label=line.runs(Phrase("listing_output")),
                output=escape.clean_code(output),
            )
        case Picture():
            says, caption = plain_sentence(block.says, line.words), line.runs(*block.caption)
            return PictureData(block="picture", name=block.name, says=says, caption=caption)
    raise RenderError(f"no data for {type(block).__name__}: not a block of a solution")


def _paragraph(block: Block, role: str, runs: Runs, line: RunLine) -> ParagraphData:
    said = label_before(block)
    label = "" if said is None else plain_sentence(said, line.words)
    return ParagraphData(block="paragraph", role=role, label=label, runs=runs)


def _display(shows: str, *displays: dict[str, object]) -> DisplayData:
    return DisplayData(block="display", shows=shows, displays=tuple(str(each["body"]) for each in displays))
