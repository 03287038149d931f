"""Phrases as plain text: what a terminal shows, and what an attribute of a picture may hold."""

from __future__ import annotations

from dataclasses import dataclass

from symattn.document.blocks import Document, Equation, Heading, Phrase
from symattn.document.math import Math
from symattn.errors import RenderError
from symattn.render import escape
from symattn.render.environment import Macros
from symattn.render.page import inlines, phrase
from symattn.render.plain_math import characters


@dataclass(frozen=True)
class PlainLine:
    """How plain text writes the pieces of a phrase; others that do write mathematics in another way."""

    words: Macros

    def text(self, text: str) -> str:
        return escape.clean(text)

    def formula(self, math: Math) -> str:
        return characters(math)


def plain(sentence: Phrase, words: Macros) -> str:
    """A sentence as plain text."""
    return escape.clean(phrase(sentence, PlainLine(words)))


def lines(document: Document, words: Macros) -> str:
    """A document of sentences and formulas as plain text, a line for each; it ends with one newline.

    Raises :class:`~symattn.errors.RenderError` for blocks that plain text has no room for.
    """
    page = PlainLine(words)
    found = [inlines(document.title, page)]
    for block in document.blocks:
        match block:
            case Heading(_, number, title):
                found += ["", f"{number}. {inlines(title, page)}"]
            case Equation(chains):
                found += [f"    {characters(chain)}" for chain in chains]
            case Phrase():
                found.append(phrase(block, page))
            case _:
                raise RenderError(f"no lines of text for {type(block).__name__}: expected sentences and formulas")
    return "\n".join(map(str.rstrip, found)) + "\n"
