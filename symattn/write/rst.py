"""reStructuredText, which docutils, Sphinx and GitHub read."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import ClassVar

from symattn.base.errors import RenderError
from symattn.show.blocks import Document, Picture
from symattn.show.math import Math
from symattn.write import escape
from symattn.write.environment import Macros
from symattn.write.page import MacroValues, TextPage, block_texts, filled
from symattn.write.runs import inline, plain_sentence
from symattn.write.tex_math import BookTex

_ROLE = re.compile(r":math:`[^`]*`")
_TITLE = re.compile(r"^(.+)\n([-=~^+'])$", re.MULTILINE)
"""A title and its underline: templates do not know widths."""
_BEFORE, _AFTER = re.compile(r"[\s('\"]"), re.compile(r"[\s)'\",.;!?]|:(?!\S)|\Z")
"""Characters that may be next to a formula without a separator."""
_START = re.compile(r"(?!:math:`)(?:[^\w\s]|\w{1,9}[.)](?:\s|$))")
"""The possible start of a list, a directive or a title."""


def rst(document: Document, words: Macros, math: str | None, fragment: bool) -> str:
    """Write ``document`` in reStructuredText, with the phrases ``words``.

    Raises :class:`~symattn.base.errors.RenderError` where a fragment is asked for.
    """
    if fragment:
        raise RenderError("format rst has no fragment: a page has nothing around its body")
    page = RstPage(words)
    title = page.title(inline(page, *document.title))
    body = "\n\n".join(text for _, text in block_texts(document, page, "rst"))
    return _TITLE.sub(_underlined, filled("rst", title=title, body=body))


@dataclass(frozen=True)
class RstPage(TextPage):
    """Writes the pieces of a page in reStructuredText."""

    displayed: ClassVar[BookTex] = BookTex()
    widest: ClassVar[float] = 44.0

    def text(self, text: str) -> str:
        return escape.rst(text)

    def formula(self, math: Math) -> str:
        return f":math:`{self.displayed.small.write(math)}`"

    def line(self, pieces: str) -> str:
        text = _ROLE.sub(_apart, pieces.strip())
        return rf"\ {text}" if _START.match(text) else text

    def picture(self, block: Picture) -> MacroValues:
        return {"says": plain_sentence(block.says, self.words) if block.target else "", "target": block.target}

    def code(self, code: str) -> object:
        return code.split("\n") if code else []


def _underlined(match: re.Match[str]) -> str:
    return f"{match[1]}\n{match[2] * sum(1 + escape.is_wide(char) for char in match[1])}"


def _apart(match: re.Match[str]) -> str:
    """Separate a formula from letters beside it by a space that is not printed."""
    before = match.string[: match.start()][-1:]
    left = "" if not before or _BEFORE.match(before) else r"\ "
    right = "" if _AFTER.match(match.string, match.end()) else r"\ "
    return f"{left}{match[0]}{right}"
