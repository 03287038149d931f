"""Typst: a complete page, which the Python package ``typst`` turns into a PDF, or the body of one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Self

from symattn.base import words as languages
from symattn.show.blocks import Block, Break, Document, Equation, Matrices, Matrix, Phrase, Picture, Table
from symattn.show.math import Math
from symattn.write import escape, layout
from symattn.write.environment import Macros
from symattn.write.page import MacroValues, TextPage, block_texts, filled, leads_on
from symattn.write.runs import inline, plain_sentence
from symattn.write.typst_math import DISPLAY, typst_math

LINE = 45.0
"""The maximum width of a display, in em: the 160 mm between the margins of A4 at 10 pt. Typst measures and shrinks
displays that are still wider."""

WORD, CELL_WORD = 24.0, 5.0
"""Length, in em, of an unbreakable part beyond which a formula in a line, or in a cell, may shrink to fit."""

POINTS, WIDEST = 0.75, 450.0
"""The size of a picture's unit, in points, and the width from which on a picture takes the whole line."""

TEXT_FONT, MATH_FONT, CODE_FONT = "New Computer Modern", "New Computer Modern Math", "DejaVu Sans Mono"
"""Fonts that Typst includes; other characters are taken from the fonts that a language names."""

_OF_SHEETS = ("blank(", "#need(", "#room(", "#sheet[", "#write(")
"""Calls that only worksheets need; other pages omit their definitions."""

_DISPLAY = re.compile(r"^#shown\[", re.MULTILINE)
"""The start of a display: outside text is never at the start of its lines."""


def typst(document: Document, words: Macros, math: str | None, fragment: bool) -> str:
    """Write ``document`` in Typst, with the phrases ``words``."""
    page = TypstPage(words, document.language)
    body = "\n\n".join(_together(block_texts(document, page, "typst")))
    told = {name: languages.text(document.language, languages.ABOUT, "typst", name, empty=True) for name in _SAID}
    fonts = [escape.typst_string(font.strip()) for font in told.pop("fonts").split(",")]
    return filled(
        "typst",
        title=page.title(inline(page, *document.title)),
        titled=not isinstance(next(iter(document.blocks), None), Break),
        body=body,
        sheet=any(command in body for command in _OF_SHEETS),
        fragment=fragment,
        **{
            name: [escape.typst_string(first), *fonts]
            for name, first in (("fonts", TEXT_FONT), ("math_fonts", MATH_FONT), ("code_fonts", CODE_FONT))
        },
        **told,
    )


def _together(blocks: Iterator[tuple[Block, str]]) -> Iterator[str]:
    """Put introductions on the line of their display, and set off a matrix as a result if something leads to it."""
    lead, worked = "", False
    for block, text in blocks:
        if isinstance(block, Phrase) and block.role == "lead":
            if lead:
                yield lead
            lead = text
            continue
        if isinstance(block, Equation | Matrix | Matrices):
            kind = "result" if worked and not isinstance(block, Equation) else "shown"
            text = _DISPLAY.sub(f"#{kind}[", text)
            if lead:
                first, _, rest = text.partition(f"#{kind}[")
                text, lead = f"{first}#{kind}(lead: [{lead}])[{rest}", ""
        worked = leads_on(block, worked)
        if lead:
            yield f"#lead[{lead}]"
            lead = ""
        yield text
    if lead:
        yield lead


_SAID = ("lang", "region", "fonts", "leading")
"""The settings of each language for its page: its code and country, the fonts of its letters, the leading."""


@dataclass(frozen=True)
class TypstPage(TextPage):
    """Writes the pieces in Typst; ``unbroken`` is the longest run of characters that no line break may divide."""

    language: str = languages.DEFAULT
    unbroken: int = 25
    word: float = WORD

    displayed, widest = DISPLAY, LINE

    def text(self, text: str) -> str:
        return escape.typst(text, unbroken=self.unbroken)

    def formula(self, math: Math) -> str:
        body = f"${typst_math(math, DISPLAY.small)}$"
        return f"#box(fit[{body}]);" if layout.unbroken_width(math) > self.word else body

    def line(self, pieces: str) -> str:
        return escape.typst_line(pieces.strip())

    def picture(self, block: Picture) -> MacroValues:
        from symattn.write.pictures.sketch import sketch
        from symattn.write.pictures.svg import svg

        width = POINTS * sketch(block.drawing, self.words).width
        return {
            "drawing": escape.typst_code(svg(block, self.words, self.language)),
            "says": escape.typst_string(plain_sentence(block.says, self.words)),
            "width": f"{width:.1f}pt" if width < WIDEST else "100%",
        }

    def columns(self, block: Table) -> list[str]:
        return ["auto"] * len(block.header)

    def code(self, code: str) -> object:
        return escape.typst_code(code) if code else ""

    def narrow(self) -> Self:
        return replace(self, unbroken=16, word=CELL_WORD)
