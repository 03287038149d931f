"""Phrases as plain text, without a formula: what an attribute of a picture may hold."""

from __future__ import annotations

from dataclasses import dataclass

from symattn.document.blocks import Phrase
from symattn.document.math import Math
from symattn.render import escape
from symattn.render.environment import Macros
from symattn.render.letters import in_line
from symattn.render.page import phrase


@dataclass(frozen=True)
class PlainLine:
    """How plain text writes the pieces of a phrase; others that do write mathematics in another way."""

    words: Macros

    def text(self, text: str) -> str:
        return escape.clean(text)

    def formula(self, math: Math) -> str:
        return in_line(math)


def plain(sentence: Phrase, words: Macros) -> str:
    """A sentence as plain text."""
    return escape.clean(phrase(sentence, PlainLine(words)))
