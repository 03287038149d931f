"""What a document is made of: a closed set of frozen blocks. A renderer has one macro for each, and no more to know."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal

from symattn.show.drawings import Drawing
from symattn.show.math import Chain, Math, Relation

if TYPE_CHECKING:
    from symattn.read.scenario.model import FigureItem


@dataclass(frozen=True)
class Phrase:
    """A sentence that the language file writes: the name of its macro and what it is told.

    ``line`` stands as a paragraph, ``lead`` introduces what follows, ``reading`` says what the values show,
    ``figures`` is a remark on how figures are rounded, ``why`` is the general reason of a kind of step.
    """

    key: str
    arguments: tuple[tuple[str, Argument], ...] = ()
    role: Literal["line", "lead", "reading", "figures", "note", "why"] = "line"


Inline = str | Math | Phrase
"""A piece of a paragraph: plain text (which may come from outside), inline mathematics, or words of the language."""

Argument = Inline | int | tuple["Argument", ...]
"""What a phrase is told: a label (plain text, may come from outside), a count, mathematics, or several of these."""


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
    """A paragraph of the scenario's own words. ``why`` says why a step exists, ``note`` is a remark."""

    parts: tuple[Inline, ...]
    role: Literal["text", "why", "note", "source"] = "text"


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
    """Displayed mathematics: one statement, or several under each other that belong together.

    ``kind`` says what it is: the formula, the shapes, the general entry, working, the closed form, a statement,
    a product on squared paper.
    ``beside`` says that short statements may stand beside one another.
    """

    chains: tuple[Chain, ...]
    kind: Literal["formula", "shapes", "entry", "working", "closed_form", "statement", "squared"] = "formula"
    beside: bool = False
    label: str = ""


Line = Phrase | Equation
"""A sentence or a display: what leads from the formula of a step to its matrix is made of these."""


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
    """Of a number, the sign before it: it has neither brackets nor a shape."""


@dataclass(frozen=True)
class Matrices:
    """Several matrices that belong together, side by side where the line has room."""

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
    """What somebody fills in: a label, and a line to write on or what is written there already (which may come from
    outside). ``share`` is its part of what the line has to give, beside the others.
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
    """What is asked, as a paragraph. It and ``lines`` lines after it stand on one page where there are pages."""

    says: Phrase
    lines: int


@dataclass(frozen=True)
class Room:
    """Empty space of so many lines, to work in."""

    lines: int


@dataclass(frozen=True)
class Break:
    """A new sheet begins here, on a new page where there are pages; ``mark`` is what its next pages have at their top.

    A document that begins with one has no page for its title alone: each sheet has a title.
    """

    mark: tuple[Inline, ...] = ()


@dataclass(frozen=True)
class Picture:
    """A drawing. ``says`` tells somebody who does not see it what it shows, ``caption`` stands under it.

    ``name`` is a stem for the name of a file. Where pictures are files, ``target`` is the address of this one; a format
    that cannot draw by itself leaves out what has none.
    """

    drawing: Drawing
    says: Phrase
    caption: tuple[Inline, ...]
    name: str
    target: str = ""
    of: FigureItem | None = field(default=None, compare=False)
    """What was asked for: the kind, the names, the row."""


Block = (
    Heading
    | Prose
    | Phrase
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
    """So many blocks in a row that belong together: a heading, an introduction, a step with all that is said of it.

    ``names`` are what it shows, in order: of steps that are shown together all of them, and none of words alone.
    ``symbols`` is how each is written.
    """

    count: int
    names: tuple[str, ...] = ()
    symbols: tuple[Math, ...] = ()


@dataclass(frozen=True)
class Document:
    """A whole solution, ready to be written in any format: title, language, blocks in order.

    ``passages`` says which blocks belong together, in order from the first on, where somebody knows.
    """

    title: tuple[Inline, ...]
    language: str
    blocks: tuple[Block, ...]
    passages: tuple[Passage, ...] = ()

    def in_passages(self) -> Iterator[tuple[Passage, tuple[Block, ...]]]:
        """Every passage with its blocks, and what is left as one more.

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
        """The document with what ``change`` makes of each block, and without those that it makes nothing of.

        >>> page = Document((), "en", (Prose(("a",)), Room(3), Prose(("c",))), (Passage(1), Passage(2, ("X",))))
        >>> page.changed(lambda block: None if isinstance(block, Room) else block).passages
        (Passage(count=1, names=(), symbols=()), Passage(count=1, names=('X',), symbols=()))
        """
        kept = [[new for block in blocks if (new := change(block)) is not None] for _, blocks in self.in_passages()]
        passages = tuple(replace(part, count=len(blocks)) for part, blocks in zip(self.passages, kept, strict=False))
        return replace(self, blocks=tuple(block for blocks in kept for block in blocks), passages=passages)


def with_label(blocks: Sequence[Block], name: str) -> list[Block]:
    """The blocks of a step, the first equation of which can be referred to as ``eq:`` and its name."""
    first = next((place for place, block in enumerate(blocks) if isinstance(block, Equation | Matrix)), None)
    return [
        replace(block, label=f"eq:{name}") if place == first and isinstance(block, Equation | Matrix) else block
        for place, block in enumerate(blocks)
    ]


def ends_in(blocks: Iterable[Block], number: Math) -> bool:
    """Whether the last line of a working ends in the number that its matrix would hold."""
    links = [
        chain.links
        for block in blocks
        if isinstance(block, Equation) and block.kind == "working"
        for chain in block.chains
    ]
    return bool(links and links[-1]) and links[-1][-1][1] == number
