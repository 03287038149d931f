"""A sentence as a row of plain texts and mathematics, for forms that are no text: Word, docutils.

>>> from symattn.document.math import Letter
>>> from symattn.render.environment import words
>>> pieces(("As ", Letter("Q"), " asks."), words("en"))
('As ', Letter(name='Q', style='italic'), ' asks.')
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from symattn.document.blocks import Inline
from symattn.document.math import Math
from symattn.render.environment import Macros
from symattn.render.page import inlines
from symattn.render.plain import PlainLine

_PLACE = re.compile("\x0e([0-9]+)\x0f")
"""Where mathematics stands in a sentence that a language has written: no text from outside has such characters."""


@dataclass(frozen=True)
class PiecedLine(PlainLine):
    """How a sentence is written so that it can be taken apart again: what is equal has one place."""

    found: dict[Math, int] = field(default_factory=dict)

    def formula(self, math: Math) -> str:
        return f"\x0e{self.found.setdefault(math, len(self.found))}\x0f"


def pieces(parts: tuple[Inline, ...], words: Macros) -> tuple[str | Math, ...]:
    """Plain text, mathematics and phrases as texts and mathematics in a row; none of the texts is empty."""
    line = PiecedLine(words)
    split = _PLACE.split(inlines(parts, line))
    found = tuple(line.found)
    row = (text if place % 2 == 0 else found[int(text)] for place, text in enumerate(split))
    return tuple(piece for piece in row if piece != "")
