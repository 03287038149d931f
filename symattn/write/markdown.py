"""Markdown for CommonMark, GitHub and notebooks."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from symattn.base.errors import RenderError, UnknownNameError, unknown
from symattn.show.blocks import Document, Equation, Matrices, Matrix, Picture, Table
from symattn.show.math import Math
from symattn.write import escape, layout
from symattn.write.environment import Macros
from symattn.write.page import MacroValues, TextPage, block_texts, filled, matrix_text, side_by_side
from symattn.write.runs import inline, plain_sentence
from symattn.write.tex_math import DollarTex, MarkdownTex

LINE = 44.0
"""The width of a display, in em: about what GitHub and notebooks show without a scroll bar."""

DEFAULT = "dollar"
"""The default delimiters: those that GitHub, VS Code, pandoc and notebooks read."""

# Characters allowed beside a formula in dollars. VS Code: before and behind it anything but ASCII letters, digits and
# "_". pandoc: behind it no digit. GitHub says nothing of it in its documentation; that before a formula it takes white
# space and "(" only, neither a letter nor "-" nor a Chinese comma, is what people found who looked at their pages
# (github/markup issues 1612 and 1887, teorth/optimizationproblems 143, bojieli/ai-agent-book 905), and behind it
# everything but letters and digits (github/markup issue 1742). VS Code takes "$(" and the like for a program.
_INLINE = re.compile(r"\$[^$]+\$")
_NO_BEGIN = re.compile(r"[.(#'\",;]")
_IN_WIDE_BRACKETS = re.compile(r"（(\$[^（）]*)）")
_BEFORE = re.compile(r"[\s(]")
_OPENING = re.compile(r"[\s(（「『《“‘]")
_NEEDS_NO_SPACE = re.compile(
    r"[\s$.,;:!?)\]}'\"*\u3001\u3002\u300b\u300d\u300f\u3011\uff01\uff09\uff0c\uff1a\uff1b\uff1f]"
)
_SPACE_AT_END = re.compile(r" +$", re.MULTILINE)


@dataclass(frozen=True)
class Delimiters:
    """Delimiters of mathematics: the signs inside a line, those of a display, and the writer of TeX."""

    inline: tuple[str, str]
    display: tuple[str, str]
    writer: MarkdownTex


DELIMITERS: Mapping[str, Delimiters] = MappingProxyType(
    {
        "dollar": Delimiters(("$", "$"), ("$$", "$$"), DollarTex()),
        "brackets": Delimiters((r"\(", r"\)"), (r"\[", r"\]"), MarkdownTex()),
    }
)


def markdown(document: Document, words: Macros, math: str | None, fragment: bool) -> str:
    """Write ``document`` in Markdown, with the phrases ``words``.

    Raises :class:`~symattn.base.errors.UnknownNameError` for unknown delimiters, and
    :class:`~symattn.base.errors.RenderError` where a fragment is asked for.
    """
    math = math or DEFAULT
    if math not in DELIMITERS:
        raise UnknownNameError(unknown("math", math, DELIMITERS))
    if fragment:
        raise RenderError("format markdown has no fragment: a page of Markdown has nothing around its body")
    page = MarkdownPage(words, math)
    body = "\n\n".join(text for _, text in block_texts(document, page, "markdown"))
    title = page.title(inline(page, *document.title)) if document.title else ""
    return _SPACE_AT_END.sub("", filled("markdown", title=title, body=body))


@dataclass(frozen=True)
class MarkdownPage(TextPage):
    """Writes the pieces in Markdown; ``math`` names the delimiters.

    With ``$`` GitHub reads the page as Markdown first and looks for mathematics in what is left, so there the TeX holds
    nothing that Markdown would change, and a space separates a formula from the word before it.
    """

    math: str

    @property
    def delimiters(self) -> Delimiters:
        return DELIMITERS[self.math]

    @property
    def is_dollar(self) -> bool:
        return self.math == "dollar"

    def text(self, text: str) -> str:
        return escape.markdown(text, dollar=self.is_dollar)

    def formula(self, math: Math) -> str:
        left, right = self.delimiters.inline
        body = self.delimiters.writer.small.write(math)
        return f"{left}{'{}' if self.is_dollar and _NO_BEGIN.match(body) else ''}{body}{right}"

    def line(self, pieces: str) -> str:
        return escape.markdown_line(self._spaced(pieces).strip())

    def title(self, pieces: str) -> str:
        return escape.markdown_heading(self._spaced(pieces).strip())

    def cell(self, pieces: str) -> str:
        return escape.markdown_cell(self._spaced(pieces).strip())

    def equation(self, block: Equation) -> MacroValues:
        return self._display(
            "\n".join(layout.displays(block.chains, self.delimiters.writer, LINE, beside=block.beside))
        )

    def matrix(self, block: Matrix) -> MacroValues:
        return self._display(matrix_text(block, self.delimiters.writer))

    def matrices(self, block: Matrices) -> MacroValues:
        bodies = side_by_side(block, self.delimiters.writer, LINE)
        return {"displays": [self._display(body) for body in bodies]}

    def picture(self, block: Picture) -> MacroValues:
        return {"says": alternative(block, self.words) if block.target else "", "target": block.target}

    def columns(self, block: Table) -> list[str]:
        return ["---"] * len(block.header)

    def _display(self, body: str) -> MacroValues:
        left, right = self.delimiters.display
        return {"open": left, "body": body, "close": right}

    def _spaced(self, pieces: str) -> str:
        return _INLINE.sub(_apart, _IN_WIDE_BRACKETS.sub(_in_brackets, pieces)) if self.is_dollar else pieces


def _in_brackets(match: re.Match[str]) -> str:
    """Replace wide brackets before a formula by narrow ones, after which it needs no space."""
    return _beside(match, f"({match[1]})", _OPENING)


def alternative(picture: Picture, words: Macros) -> str:
    """Return the alternative text of a picture, without formulas: readers would look for formulas there too."""

    text = escape.markdown(plain_sentence(picture.says, words))
    return text.replace("\\$", "&#36;").replace("]", "&#93;")  # the only $ with a sign of escape before it


def _apart(match: re.Match[str]) -> str:
    """Put the spaces around a formula between ``$`` without which it would be read as text."""
    return _beside(match, match[0], _BEFORE)


def _beside(match: re.Match[str], text: str, may_precede: re.Pattern[str]) -> str:
    before, after = match.string[: match.start()][-1:], match.string[match.end() :][:1]
    left = " " if before and not may_precede.match(before) else ""
    right = " " if after and not _NEEDS_NO_SPACE.match(after) else ""
    return f"{left}{text}{right}"
