"""Write a document as docutils nodes; its content is not parsed again as text.

So it works under any heading of a page in reStructuredText or MyST, and every builder writes it in its own format.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from docutils import nodes

from symattn.show.blocks import (
    Break,
    Document,
    Equation,
    Fields,
    Heading,
    Inline,
    Matrices,
    Matrix,
    Picture,
    Room,
    Table,
    with_answers_at_end,
)
from symattn.show.math import Math
from symattn.write import environment, escape, layout
from symattn.write.page import matrix_text, side_by_side
from symattn.write.pictures.svg import svg
from symattn.write.pictures.tikz import tikz
from symattn.write.runs import inline_runs, plain_sentence
from symattn.write.tex_math import BookTex
from symattn.write.tree import TreeWriter

LINE = 42.0
"""The width of a display, in em: about that of a book's page, on paper and on a screen."""

RULE = 6
"""Underscores for each share of a line to write on."""

_DISPLAY = BookTex()


class SymattnPicture(nodes.General, nodes.Element):
    """A picture: ``svg`` and ``tikz`` are its texts, ``alt`` describes it."""


class SymattnKey(nodes.General, nodes.Element):
    """Content that is hidden until the reader opens it, if a page can hide it: ``summary`` is its label."""


@dataclass(frozen=True)
class NodeTree(TreeWriter[Any]):
    """Writes blocks as docutils nodes; ``sections`` decides whether headings begin sections."""

    language: str
    sections: bool

    @classmethod
    def of(cls, document: Document, sections: bool) -> NodeTree:
        """Return the writer for a document."""
        return cls(environment.phrases(document.language), document.language, sections)

    def text(self, text: str) -> nodes.Text:
        return nodes.Text(text)

    def formula(self, math: Math) -> nodes.Element:
        text = _DISPLAY.small.write(math)
        return nodes.math(text, text)

    def heading(self, block: Heading) -> list[nodes.Element]:
        number = (f"{block.number} ",) if block.number else ()
        return [_holding(nodes.title() if self.sections else nodes.rubric(), self.line(*number, *block.title))]

    def paragraph(self, role: str, line: list[Any], label: str = "") -> list[nodes.Element]:
        if not line:
            return []
        if role == "note":
            return [nodes.note("", _holding(nodes.paragraph(), line))]
        if label:
            line = [nodes.strong(label, label), nodes.Text(escape.gap_after(label)), *line]
        return [_holding(nodes.paragraph(), [_holding(nodes.emphasis(), line)] if role == "source" else line)]

    def bullets(self, items: list[list[Any]]) -> list[nodes.Element]:
        held = [nodes.list_item("", _holding(nodes.paragraph(), item)) for item in items]
        return [nodes.bullet_list("", *held, bullet="*")] if held else []

    def display(self, block: Equation | Matrix | Matrices) -> list[nodes.Element]:
        if isinstance(block, Equation):
            return _displays(layout.displays(block.chains, _DISPLAY, LINE, beside=block.beside), block.label)
        if isinstance(block, Matrix):
            return _displays([matrix_text(block, _DISPLAY)], block.label)
        return _displays(side_by_side(block, _DISPLAY, LINE))

    def table(self, block: Table, header: list[list[Any]], rows: list[list[list[Any]]]) -> list[nodes.Element]:
        columns = len(header)
        widths = [nodes.colspec(colwidth=round(100 / columns)) for _ in header]
        parts = nodes.thead("", _row(header)), nodes.tbody("", *map(_row, rows))
        return [nodes.table("", nodes.tgroup("", *widths, *parts, cols=columns), classes=["colwidths-auto"])]

    def code(self, text: str, language: str) -> nodes.Element:
        return nodes.literal_block(text, text, language=language or "text")

    def fields(self, block: Fields) -> list[nodes.Element]:
        written: list[Inline] = []
        for item in block.items:
            written += [item.label, " ", item.value or "_" * (RULE * item.share), "  "]
        return [_holding(nodes.paragraph(), self.line(*written))]

    def space(self, block: Room | Break) -> list[nodes.Element]:
        return []  # room to write and a new sheet are of paper

    def picture(self, block: Picture) -> list[nodes.Element]:
        drawn = SymattnPicture(
            svg=svg(block, self.words, self.language),
            tikz=tikz(block.drawing, self.words),
            alt=plain_sentence(block.says, self.words),
        )
        return [nodes.figure("", drawn, _holding(nodes.caption(), self.line(*block.caption)), align="center")]


def body(document: Document, sections: bool) -> list[nodes.Element]:
    """Return the blocks of a document: in sections, or under plain headings if a page can have no sections."""
    page = NodeTree.of(document, sections)
    whole = nodes.section()
    open_: list[tuple[int, nodes.Element]] = [(0, whole)]
    for block in with_answers_at_end(document).blocks:
        if isinstance(block, Heading) and sections:
            while open_[-1][0] >= block.level:
                open_.pop()
            section = nodes.section("", *page.elements(block))
            open_[-1][1].append(section)
            open_.append((block.level, section))
        else:
            open_[-1][1].extend(page.elements(block))
    return _as_they_are(list(whole.children))


def titled(document: Document, inside: Iterable[nodes.Element], sections: bool) -> nodes.Element:
    """Return the title of a document with its content below."""
    page = NodeTree.of(document, sections)
    line = page.line(*document.title)
    made_of = _holding(nodes.section(), [_holding(nodes.title(), line), *inside])
    return made_of if sections else _holding(nodes.container(), [_holding(nodes.rubric(), line), *inside])


def key_of(document: Document) -> SymattnKey:
    """Return a whole document that is hidden, under its title."""
    page = environment.phrases(document.language)
    summary = "".join(piece for piece in inline_runs(document.title, page) if isinstance(piece, str))
    return _holding(SymattnKey(summary=summary), body(document, sections=False))


def _row(cells: list[list[Any]]) -> nodes.Element:
    return nodes.row("", *(nodes.entry("", _holding(nodes.paragraph(), cell)) for cell in cells))


def _displays(bodies: Iterable[str], label: str = "") -> list[nodes.Element]:
    """Return displays, the first one with the label, if there is one."""
    return [
        nodes.math_block(text, text, label=label if label and not place else None, number=None, nowrap=False)
        for place, text in enumerate(bodies)
    ]


def _holding(node: nodes.Element, held: Iterable[nodes.Node]) -> nodes.Element:
    node.extend(held)
    return node


def _as_they_are(made_of: list[nodes.Element]) -> list[nodes.Element]:
    """Keep quotation marks and dashes in texts unchanged."""
    for node in made_of:
        node["support_smartquotes"] = False
    return made_of


def formulas(made_of: Iterable[nodes.Element]) -> Iterator[nodes.Element]:
    """Yield every display in some nodes."""
    for node in made_of:
        yield from node.findall(nodes.math_block)
