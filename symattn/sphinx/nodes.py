"""A document as nodes of docutils: what stands in a page of Sphinx is no text that anybody reads again.

So it is at home under any heading of a page in reStructuredText or MyST, and every builder writes it in its way.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import singledispatch

from docutils import nodes

from symattn.document.blocks import (
    Block,
    Break,
    Document,
    Equation,
    Fields,
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
from symattn.errors import RenderError
from symattn.render import environment, escape, layout
from symattn.render.environment import Macros
from symattn.render.page import LABELS, matrix_text, side_by_side
from symattn.render.pictures.svg import svg
from symattn.render.pictures.tikz import tikz
from symattn.render.runs import inline_runs, plain
from symattn.render.tex_math import BookTex

LINE = 42.0
"""How wide a display is, in em: about what a page of a book has, on paper and on a screen."""

RULE = 6
"""How many underscores a line to write on has for each share."""

_DISPLAY = BookTex()


class SymattnPicture(nodes.General, nodes.Element):
    """A picture: ``svg`` and ``tikz`` are its texts, ``alt`` says what it shows."""


class SymattnKey(nodes.General, nodes.Element):
    """What is hidden until somebody asks for it, where a page can hide: ``summary`` says what it is."""


@dataclass(frozen=True)
class NodePage:
    """What the rules of blocks are told: the language, its phrases, and whether headings begin sections here."""

    language: str
    words: Macros
    sections: bool

    def line(self, *parts: Inline) -> list[nodes.Node]:
        """A row of pieces."""
        return [
            nodes.Text(piece) if isinstance(piece, str) else _formula(_DISPLAY.small.write(piece))
            for piece in inline_runs(parts, self.words)
        ]

    def paragraph(self, *parts: Inline) -> nodes.Element:
        """A row of pieces as a paragraph."""
        return _holding(nodes.paragraph(), self.line(*parts))

    def said(self, key: str) -> str:
        """A phrase that is text alone."""
        return plain(Phrase(key), self.words)


def body(document: Document, sections: bool) -> list[nodes.Element]:
    """The blocks of a document: under sections, or under headings without one where a page can have none."""
    page = NodePage(document.language, environment.words(document.language), sections)
    whole = nodes.section()
    open_: list[tuple[int, nodes.Element]] = [(0, whole)]
    for block in document.blocks:
        if isinstance(block, Heading) and sections:
            while open_[-1][0] >= block.level:
                open_.pop()
            section = nodes.section("", *made(block, page))
            open_[-1][1].append(section)
            open_.append((block.level, section))
        else:
            open_[-1][1].extend(made(block, page))
    return _as_they_are(list(whole.children))


def titled(document: Document, inside: Iterable[nodes.Element], sections: bool) -> nodes.Element:
    """The title of a document over what stands in it."""
    page = NodePage(document.language, environment.words(document.language), sections)
    line = page.line(*document.title)
    made_of = _holding(nodes.section(), [_holding(nodes.title(), line), *inside])
    return made_of if sections else _holding(nodes.container(), [_holding(nodes.rubric(), line), *inside])


def key_of(document: Document) -> SymattnKey:
    """A whole document that is hidden, under its title."""
    page = environment.words(document.language)
    summary = "".join(piece for piece in inline_runs(document.title, page) if isinstance(piece, str))
    return _holding(SymattnKey(summary=summary), body(document, sections=False))


@singledispatch
def made(block: Block, page: NodePage) -> list[nodes.Element]:
    """The nodes of a block. Raises :class:`~symattn.errors.RenderError` for what is not a block."""
    raise RenderError(f"no rule for {type(block).__name__}: not a block")


@made.register(Heading)
def _(block: Heading, page: NodePage) -> list[nodes.Element]:
    number = (f"{block.number} ",) if block.number else ()
    return [_holding(nodes.title() if page.sections else nodes.rubric(), page.line(*number, *block.title))]


@made.register(Prose)
def _(block: Prose, page: NodePage) -> list[nodes.Element]:
    return _paragraph(block.role, page.line(*block.parts), page)


@made.register(Phrase)
def _(block: Phrase, page: NodePage) -> list[nodes.Element]:
    return _paragraph(block.role, page.line(block), page)


@made.register(Readings)
def _(block: Readings, page: NodePage) -> list[nodes.Element]:
    return _list(page.paragraph(item) for item in block.items)


@made.register(Labels)
def _(block: Labels, page: NodePage) -> list[nodes.Element]:
    items = (page.paragraph(symbol, f" = {label}" if label else "") for symbol, label in block.items)
    return [page.paragraph(block.lead), *_list(items)]


@made.register(Equation)
def _(block: Equation, page: NodePage) -> list[nodes.Element]:
    return _displays(layout.displays(block.chains, _DISPLAY, LINE, beside=block.beside), block.label)


@made.register(Matrix)
def _(block: Matrix, page: NodePage) -> list[nodes.Element]:
    return _displays([matrix_text(block, _DISPLAY)], block.label)


@made.register(Matrices)
def _(block: Matrices, page: NodePage) -> list[nodes.Element]:
    return _displays(side_by_side(block, _DISPLAY, LINE))


@made.register(Table)
def _(block: Table, page: NodePage) -> list[nodes.Element]:
    columns = len(block.header)
    head = nodes.thead("", _row([page.paragraph(cell) for cell in block.header]))
    rows = nodes.tbody("", *(_row([page.paragraph(*cell) for cell in row]) for row in block.rows))
    widths = [nodes.colspec(colwidth=round(100 / columns)) for _ in block.header]
    return [nodes.table("", nodes.tgroup("", *widths, head, rows, cols=columns), classes=["colwidths-auto"])]


@made.register(Listing)
def _(block: Listing, page: NodePage) -> list[nodes.Element]:
    code, output = escape.clean_code(block.code), escape.clean_code(block.output)
    written: list[nodes.Element] = [nodes.literal_block(code, code, language=block.language)]
    if output:
        lead = nodes.paragraph("", page.said("listing_output"))
        written += [lead, nodes.literal_block(output, output, language="text")]
    return written


@made.register(Fields)
def _(block: Fields, page: NodePage) -> list[nodes.Element]:
    written: list[Inline] = []
    for item in block.items:
        written += [item.label, " ", item.value or "_" * (RULE * item.share), "  "]
    return [page.paragraph(*written)]


@made.register(Room)
@made.register(Break)
def _(block: Room | Break, page: NodePage) -> list[nodes.Element]:
    return []  # room to write and a new sheet are of paper


@made.register(Task)
def _(block: Task, page: NodePage) -> list[nodes.Element]:
    return [page.paragraph(block.says)]


@made.register(Picture)
def _(block: Picture, page: NodePage) -> list[nodes.Element]:
    drawn = SymattnPicture(
        svg=svg(block, page.words, page.language), tikz=tikz(block.drawing), alt=plain(block.says, page.words)
    )
    return [nodes.figure("", drawn, _holding(nodes.caption(), page.line(*block.caption)), align="center")]


def _paragraph(role: str, line: list[nodes.Node], page: NodePage) -> list[nodes.Element]:
    if not line:
        return []
    if role == "note":
        return [nodes.note("", _holding(nodes.paragraph(), line))]
    if role in LABELS:
        label = page.said(LABELS[role])
        line = [nodes.strong(label, label), nodes.Text(escape.gap_after(label)), *line]
    return [_holding(nodes.paragraph(), [_holding(nodes.emphasis(), line)] if role == "source" else line)]


def _list(items: Iterable[nodes.Element]) -> list[nodes.Element]:
    held = [nodes.list_item("", item) for item in items]
    return [nodes.bullet_list("", *held, bullet="*")] if held else []


def _row(cells: list[nodes.Element]) -> nodes.Element:
    return nodes.row("", *(nodes.entry("", cell) for cell in cells))


def _formula(text: str) -> nodes.Element:
    return nodes.math(text, text)


def _displays(bodies: Iterable[str], label: str = "") -> list[nodes.Element]:
    """Displays, the first with a label if it has one."""
    return [
        nodes.math_block(text, text, label=label if label and not place else None, number=None, nowrap=False)
        for place, text in enumerate(bodies)
    ]


def _holding(node: nodes.Element, held: Iterable[nodes.Node]) -> nodes.Element:
    node.extend(held)
    return node


def _as_they_are(made_of: list[nodes.Element]) -> list[nodes.Element]:
    """Quotation marks and dashes of texts stay what they are."""
    for node in made_of:
        node["support_smartquotes"] = False
    return made_of


def formulas(made_of: Iterable[nodes.Element]) -> Iterator[nodes.Element]:
    """Every display in some nodes."""
    for node in made_of:
        yield from node.findall(nodes.math_block)
