"""The rules that all text formats share: a block becomes the values of its macro, each piece of a line is made safe.

A :class:`TextPage` knows how one format writes text and mathematics; the rules here know the blocks and no format.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Self

from symattn.base.errors import RenderError
from symattn.show.blocks import (
    Block,
    Break,
    Document,
    Equation,
    Fields,
    Heading,
    Labels,
    Listing,
    Matrices,
    Matrix,
    Phrase,
    Picture,
    Prose,
    Question,
    Readings,
    Room,
    Table,
    Task,
    label_before,
)
from symattn.show.math import Chain, Grid, Math, Shaped
from symattn.write import environment, escape, layout
from symattn.write.environment import Macros
from symattn.write.math_writer import MathWriter
from symattn.write.runs import inline
from symattn.write.tex_math import NOTEBOOK

MacroValues = dict[str, object]

_LANGUAGE = re.compile(r"[A-Za-z0-9+#-]+\Z")


WORKING = ("formula", "shapes", "entry", "working")
"""Kinds of equations that lead to a matrix; the closed form of a given one does not."""


def leads_on(block: Block, led: bool) -> bool:
    """Return whether a matrix after this block is a result, which is set off."""
    if isinstance(block, Equation):
        return led or block.kind in WORKING
    return led and not isinstance(block, Matrix | Matrices | Heading)


@dataclass(frozen=True)
class TextPage(ABC):
    """Writes the pieces of blocks in one text format; the rules of blocks know no format."""

    words: Macros
    """The phrases of the document's language."""

    displayed: ClassVar[MathWriter]
    """The writer of displayed mathematics."""
    widest: ClassVar[float]
    """The maximum width of a display, in em."""

    @abstractmethod
    def text(self, text: str) -> str:
        """Write plain text, anywhere within a line."""

    @abstractmethod
    def formula(self, math: Math) -> str:
        """Write mathematics inside a line, with its delimiters."""

    def line(self, pieces: str) -> str:
        """Turn safe pieces into a paragraph or an item."""
        return pieces.strip()

    def title(self, pieces: str) -> str:
        """Turn safe pieces into a heading."""
        return self.line(pieces)

    def cell(self, pieces: str) -> str:
        """Turn safe pieces into a cell of a table."""
        return self.line(pieces)

    def equation(self, block: Equation) -> MacroValues:
        """Return the values for the macro ``equation``."""
        return {
            "bodies": layout.displays(block.chains, self.displayed, self.widest, beside=block.beside),
            "kind": block.kind,
        }

    def matrix(self, block: Matrix) -> MacroValues:
        """Return the values for the macro ``matrix``."""
        return {"body": matrix_text(block, self.displayed)}

    def matrices(self, block: Matrices) -> MacroValues:
        """Return the values for the macro ``matrices``."""
        return {"bodies": side_by_side(block, self.displayed, self.widest)}

    @abstractmethod
    def picture(self, block: Picture) -> MacroValues:
        """Return the values for the macro ``picture`` besides the caption."""

    def columns(self, block: Table) -> list[str]:
        """Return the layout of each column of a table."""
        return [""] * len(block.header)

    def code(self, code: str) -> object:
        """Write a program, or its output."""
        return code

    def headed(self) -> Self:
        """Return the writer for headings."""
        return self

    def narrow(self) -> Self:
        """Return the writer for the cells of a table."""
        return self


def macro_values(block: Block, page: TextPage) -> MacroValues:
    """Return the values for the macro of a block, all of them safe for the format of ``page``.

    Raise :class:`~symattn.base.errors.RenderError` for anything but a block.
    """
    match block:
        case Heading(level, number, title, lines):
            safe = page.title(inline(page.headed(), *title))
            return {"level": level, "number": page.text(number), "title": safe, "lines": lines}
        case Prose(parts, role):
            return _paragraph(block, role, page.line(inline(page, *parts)), page)
        case Phrase(role=role):
            return _paragraph(block, role, page.line(inline(page, block)), page)
        case Question(number, says, answer):
            label = inline(page, Phrase("question_label", (("number", number),)))
            opens = page.line(inline(page, Phrase("answer_opens")))
            asked = {"text": page.line(inline(page, *says)), "answer": page.line(inline(page, *answer)), "opens": opens}
            return {**asked, "label": label, "gap": escape.gap_after(label)}
        case Readings(items):
            return {"items": [page.line(inline(page, item)) for item in items]}
        case Labels(lead, labels):
            named = [{"symbol": page.formula(symbol), "label": page.line(page.text(label))} for symbol, label in labels]
            return {"lead": page.line(inline(page, lead)), "items": named}
        case Equation():
            return page.equation(block)
        case Matrix():
            return page.matrix(block)
        case Matrices():
            return page.matrices(block)
        case Table(header, rows):
            cells = page.narrow()
            return {
                "columns": page.columns(block),
                "header": [page.cell(inline(cells, cell)) for cell in header],
                "rows": [[page.cell(inline(cells, *cell)) for cell in row] for row in rows],
            }
        case Listing():
            code, output = escape.clean_code(block.code), escape.clean_code(block.output)
            return {
                "language": block.language if _LANGUAGE.match(block.language) else "",
                "fence": escape.fence(f"{code}\n{output}"),
                "code": page.code(code),
                "label": page.line(inline(page, Phrase("listing_output"))),
                "output": page.code(output),
            }
        case Fields(fields):
            told = [
                {
                    "label": page.line(inline(page, each.label)),
                    "value": page.line(page.text(each.value)),
                    "share": each.share,
                }
                for each in fields
            ]
            return {"items": told, "shares": sum(each.share for each in fields if not each.value)}
        case Task(says, lines):
            return {"text": page.line(inline(page, says)), "lines": lines}
        case Room(lines):
            return {"lines": lines}
        case Break(mark):
            return {"mark": page.line(inline(page, *mark))}
        case Picture():
            return {"caption": page.line(inline(page, *block.caption)), **page.picture(block)}
    raise RenderError(f"no rule for {type(block).__name__}: not a block")


def _paragraph(block: Block, role: str, text: str, page: TextPage) -> MacroValues:
    said = label_before(block)
    label = "" if said is None else inline(page, said)
    return {"role": role, "text": text, "label": label, "gap": escape.gap_after(label)}


def block_texts(document: Document, page: TextPage, format: str) -> Iterator[tuple[Block, str]]:
    """Yield every block with its text; empty ones are left out."""
    macros = environment.block_macros(format)
    for block in document.blocks:
        text = macros.call(type(block).__name__.lower(), macro_values(block, page)).strip("\n")
        if text:
            yield block, text


def filled(format: str, **arguments: object) -> str:
    """Return the whole page: ``document.j2`` with its values, and one newline at the end."""
    return environment.environment(format).get_template("document.j2").render(arguments).strip("\n") + "\n"


def matrix_tex(block: Matrix) -> str:
    """Write a matrix with its shape, as TeX without delimiters for MathJax, as in a notebook.

    >>> from symattn.show.math import Letter, Number
    >>> print(matrix_tex(Matrix(Letter("A"), Number("1"), Number("2"), ((Number("0.5"), Number("0.5")),))))
    A\\ (shape=1\\times 2)=
    \\begin{bmatrix}
    0.5 & 0.5
    \\end{bmatrix}
    """
    return matrix_text(block, NOTEBOOK)


def matrix_text(block: Matrix, writer: MathWriter) -> str:
    """Write a matrix with its shape, without delimiters; for a number only its figure."""
    if block.number is not None:
        return writer.write(Chain(block.symbol, ((block.number, block.entries[0][0]),)))
    return f"{writer.write(matrix_head(block))}=\n{writer.write(Grid(block.entries))}"


def matrix_head(block: Matrix) -> Math:
    return Shaped(block.symbol, block.rows, block.columns, long=True) if block.annotated else block.symbol


def matrix_width(block: Matrix) -> float:
    """Estimate the width of a matrix with everything before it, in em."""
    head, entries = (
        (matrix_head(block), Grid(block.entries)) if block.number is None else (block.symbol, block.entries[0][0])
    )
    return layout.width(head) + layout.RELATION + layout.width(entries)


def side_by_side(block: Matrices, writer: MathWriter, limit: float) -> list[str]:
    """Return the matrices as the bodies of displays: as many on a line of ``limit`` em as fit."""
    rows = layout.in_rows(block.items, matrix_width, layout.QUAD, limit)
    return [f"\n{writer.quad}\n".join(matrix_text(item, writer) for item in row) for row in rows]
