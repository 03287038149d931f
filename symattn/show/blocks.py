"""The blocks that a document consists of: a closed set of frozen classes. A renderer has one macro for each of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal

from symattn.show.drawings import Drawing
from symattn.show.math import Chain, Math, Relation

if TYPE_CHECKING:
    from symattn.read.scenario.model import FigureItem


@dataclass(frozen=True)
class Phrase:
    """A sentence that the language file writes: the name of its macro and the arguments for it.

    ``line`` stands as a paragraph, ``lead`` introduces what follows, ``reading`` says what the values show,
    ``figures`` is a remark on how figures are rounded, ``need`` says what goes wrong without a step.
    """

    key: str
    arguments: tuple[tuple[str, Argument], ...] = ()
    role: Literal["line", "lead", "reading", "figures", "note", "need"] = "line"


Inline = str | Math | Phrase
"""A piece of a paragraph: plain text (which may come from outside), inline mathematics, or words of the language."""

Argument = Inline | int | tuple["Argument", ...]
"""An argument of a phrase: a label (plain text, may come from outside), a count, mathematics, or several of these."""


@dataclass(frozen=True)
class Heading:
    """A heading of level 1 (below the title) and up, with the number that the source gives it.

    ``lines`` is how much of what follows stands on the same page, where there are pages and it would not do so anyway.
    """

    level: int
    number: str
    title: tuple[Inline, ...]
    lines: int = 0


@dataclass(frozen=True)
class Prose:
    """A paragraph of a scenario's own words. ``need`` is what goes wrong without the steps below, ``note`` a remark."""

    parts: tuple[Inline, ...]
    role: Literal["text", "need", "note", "source", "ask", "answer"] = "text"
    number: int = 0
    """The number of a question, or of the question that an answer belongs to."""


@dataclass(frozen=True)
class Question:
    """A question to the reader with its number, and the answer, which a page folds away or has at its end."""

    number: int
    says: tuple[Inline, ...]
    answer: tuple[Inline, ...]


@dataclass(frozen=True)
class Readings:
    """Several readings of one matrix, as a list."""

    items: tuple[Phrase, ...]


@dataclass(frozen=True)
class Labels:
    """An axis with its labels: t_1 = 「今天」, … ``lead`` introduces the list; dots without a label are a middle."""

    lead: Phrase
    items: tuple[tuple[Math, str], ...]


@dataclass(frozen=True)
class Equation:
    """Displayed mathematics: one statement, or several that belong together, one below the other.

    ``kind`` tells them apart: the formula, the shapes, the general entry, working, the closed form, a statement, a
    product on squared paper. ``beside`` allows short statements to be set next to one another.
    """

    chains: tuple[Chain, ...]
    kind: Literal["formula", "shapes", "entry", "working", "closed_form", "statement", "squared"] = "formula"
    beside: bool = False
    label: str = ""


Line = Phrase | Equation
"""A sentence or a display; a page leads from the formula of a step to its matrix in such lines."""


@dataclass(frozen=True)
class Matrix:
    """A matrix with its shape annotation and its printed figures (or symbols)."""

    symbol: Math
    rows: Math
    columns: Math
    entries: tuple[tuple[Math, ...], ...]
    annotated: bool = True
    label: str = ""
    number: Relation | None = None
    """The sign before a number, which has neither brackets nor a shape; ``None`` for a matrix."""


@dataclass(frozen=True)
class Matrices:
    """Several matrices that belong together, set side by side if the line has room."""

    items: tuple[Matrix, ...]


@dataclass(frozen=True)
class Table:
    """A table; the header cells are phrases, the others inlines."""

    header: tuple[Phrase, ...]
    rows: tuple[tuple[tuple[Inline, ...], ...], ...]


@dataclass(frozen=True)
class Listing:
    """A program and what it prints."""

    language: str
    code: str
    output: str


@dataclass(frozen=True)
class Field:
    """A field to fill in: its label, and an empty line or the text already on it (which may come from outside).
    ``share`` is its share of the width of the line.
    """

    label: Phrase
    value: str = ""
    share: int = 1


@dataclass(frozen=True)
class Fields:
    """Fields to fill in, side by side on one line."""

    items: tuple[Field, ...]


@dataclass(frozen=True)
class Task:
    """A question, as a paragraph. Where there are pages, it and the ``lines`` lines after it are kept on one page."""

    says: Phrase
    lines: int


@dataclass(frozen=True)
class Room:
    """Empty space of so many lines, to write in."""

    lines: int


@dataclass(frozen=True)
class Break:
    """The beginning of a new sheet, on a new page where there are pages; ``mark`` is the head of its following pages.

    A document that begins with one has no title page: each sheet has its own title.
    """

    mark: tuple[Inline, ...] = ()


@dataclass(frozen=True)
class Picture:
    """A drawing. ``says`` describes it for readers who cannot see it, ``caption`` is the text below it.

    ``name`` is a stem for the name of a file. Where pictures are files, ``target`` is the address of this one; a format
    that cannot draw by itself leaves out pictures without a target.
    """

    drawing: Drawing
    says: Phrase
    caption: tuple[Inline, ...]
    name: str
    target: str = ""
    of: FigureItem | None = field(default=None, compare=False)
    """The request for the picture: its kind, names and row."""


Block = (
    Heading
    | Prose
    | Phrase
    | Question
    | Readings
    | Labels
    | Equation
    | Matrix
    | Matrices
    | Table
    | Listing
    | Fields
    | Task
    | Room
    | Break
    | Picture
)


@dataclass(frozen=True)
class Passage:
    """A number of consecutive blocks that belong together: a heading, an introduction, a step with all its sentences.

    ``names`` are the steps that it shows, in order; it is empty for words alone. ``symbols`` holds the notation of
    each.
    """

    count: int
    names: tuple[str, ...] = ()
    symbols: tuple[Math, ...] = ()


@dataclass(frozen=True)
class Document:
    """A whole solution, ready to be written in any format: title, language, blocks in order.

    ``passages`` says which blocks belong together, in order from the first block on; it may be empty.
    """

    title: tuple[Inline, ...]
    language: str
    blocks: tuple[Block, ...]
    passages: tuple[Passage, ...] = ()

    def in_passages(self) -> Iterator[tuple[Passage, tuple[Block, ...]]]:
        """Yield every passage with its blocks, and the remaining blocks as one more passage.

        >>> page = Document((), "en", (Prose(("a",)), Prose(("b",)), Prose(("c",))), (Passage(1, ("X",)),))
        >>> [(part.names, len(blocks)) for part, blocks in page.in_passages()]
        [(('X',), 1), ((), 2)]
        """
        start = 0
        for part in self.passages:
            yield part, self.blocks[start : start + part.count]
            start += part.count
        if rest := self.blocks[start:]:
            yield Passage(len(rest)), rest

    def changed(self, change: Callable[[Block], Block | None]) -> Document:
        """Return the document with each block replaced by ``change(block)``, or dropped where that is ``None``.

        >>> page = Document((), "en", (Prose(("a",)), Room(3), Prose(("c",))), (Passage(1), Passage(2, ("X",))))
        >>> page.changed(lambda block: None if isinstance(block, Room) else block).passages
        (Passage(count=1, names=(), symbols=()), Passage(count=1, names=('X',), symbols=()))
        """
        kept = [[new for block in blocks if (new := change(block)) is not None] for _, blocks in self.in_passages()]
        passages = tuple(replace(part, count=len(blocks)) for part, blocks in zip(self.passages, kept, strict=False))
        return replace(self, blocks=tuple(block for blocks in kept for block in blocks), passages=passages)


def with_answers_at_end(document: Document) -> Document:
    """Return the document with its questions as paragraphs and their answers after everything else, for formats that
    fold nothing away.

    >>> page = Document((), "en", (Question(1, ("Why?",), ("So.",)), Room(1)))
    >>> [type(block).__name__ for block in with_answers_at_end(page).blocks]
    ['Prose', 'Room', 'Heading', 'Prose']
    """
    asked = [block for block in document.blocks if isinstance(block, Question)]
    if not asked:
        return document
    answers: list[Block] = [Prose(each.answer, "answer", each.number) for each in asked]
    shown = document.changed(
        lambda block: Prose(block.says, "ask", block.number) if isinstance(block, Question) else block
    )
    end = (Heading(1, "", (Phrase("answers_title"),)), *answers)
    return replace(shown, blocks=(*shown.blocks, *end), passages=(*shown.passages, Passage(len(end))))


LABELS: Mapping[str, str] = MappingProxyType(
    {"note": "note_label", "source": "source_label", "ask": "question_label", "answer": "answer_label"}
)
"""The phrase before a paragraph of each role."""


def label_before(block: Block) -> Phrase | None:
    """Return the label of a paragraph: of a remark, a source, a question or its answer; ``None`` for any other block.

    >>> label_before(Prose(("Why?",), "ask", 2))
    Phrase(key='question_label', arguments=(('number', 2),), role='line')
    """
    if not isinstance(block, Prose | Phrase) or block.role not in LABELS:
        return None
    number = block.number if isinstance(block, Prose) else 0
    return Phrase(LABELS[block.role], (("number", number),) if number else ())


def with_label(blocks: Sequence[Block], name: str) -> list[Block]:
    """Return the blocks of a step, with the label ``eq:`` and its name on the first equation or matrix."""
    first = next((place for place, block in enumerate(blocks) if isinstance(block, Equation | Matrix)), None)
    return [
        replace(block, label=f"eq:{name}") if place == first and isinstance(block, Equation | Matrix) else block
        for place, block in enumerate(blocks)
    ]


def ends_in(blocks: Iterable[Block], number: Math) -> bool:
    """Return whether the last line of a working ends in the number that its matrix would hold."""
    links = [
        chain.links
        for block in blocks
        if isinstance(block, Equation) and block.kind == "working"
        for chain in block.chains
    ]
    return bool(links and links[-1]) and links[-1][-1][1] == number
