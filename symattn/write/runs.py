"""Sentences as runs: text or mathematics, in the language of a page and before any format is chosen.

>>> from symattn.show.math import Letter
>>> from symattn.write.environment import phrases
>>> inline_runs(("As ", Letter("Q"), " asks."), phrases("en"))
('As ', Letter(name='Q', style='italic'), ' asks.')
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Protocol

from symattn.base.errors import RenderError
from symattn.show.blocks import Argument, Document, Equation, Heading, Inline, Phrase
from symattn.show.math import Math, Number, every
from symattn.write import escape
from symattn.write.environment import Macros
from symattn.write.plain_math import characters

Run = str | Math

_PLACE = re.compile("\x0e([0-9]+)\x0f")
"""The placeholder of mathematics in a sentence written by a language: outside text has no such characters."""


def inline_runs(parts: tuple[Inline, ...], words: Macros) -> tuple[Run, ...]:
    """Turn text, mathematics and phrases into runs; adjacent texts are one clean run, and none is empty."""
    told = _Told(words)
    split = _PLACE.split("".join(str(told.argument(part)) for part in parts))
    mathematics = [math for _, math in told.held.values()]
    return tuple(mathematics[int(run)] if place % 2 else escape.clean(run) for place, run in enumerate(split) if run)


@dataclass(frozen=True)
class _Told:
    """Arguments for the macros of a language: these write text only, so mathematics becomes a placeholder."""

    words: Macros
    held: dict[object, tuple[int, Math]] = field(default_factory=dict)

    def argument(self, value: Argument) -> object:
        if isinstance(value, str):
            return escape.clean(value)
        if isinstance(value, tuple):
            return [self.argument(item) for item in value]
        if isinstance(value, Phrase):
            return self.sentence(value)
        return value if isinstance(value, int) else self.sign(value)

    def sign(self, math: Math) -> str:
        """Return the placeholder of mathematics: the same for the same figures of the same entries."""
        key = (math, *(number.of for number in every(Number, math)))
        place, _ = self.held.setdefault(key, (len(self.held), math))
        return f"\x0e{place}\x0f"

    def sentence(self, phrase: Phrase) -> str:
        """Write a phrase on one line: a line break in its file is a space, and none in Chinese."""
        text = ""
        told = {name: self.argument(value) for name, value in phrase.arguments}
        for line in filter(None, map(str.strip, self.words.call(phrase.key, told).split("\n"))):
            gap = " " if text and not (escape.is_wide(text[-1]) and escape.is_wide(line[0])) else ""
            text += gap + line
        return text


class LineFormat(Protocol):
    """Writes runs in one format."""

    @property
    def words(self) -> Macros:
        """The phrases of the document's language."""

    def text(self, text: str) -> str:
        """Write plain text, anywhere within a line."""

    def formula(self, math: Math) -> str:
        """Write mathematics inside a line, with its delimiters."""


def inline(page: LineFormat, *parts: Inline) -> str:
    """Write text, mathematics and phrases in a row."""
    runs = inline_runs(parts, page.words)
    return "".join(page.text(run) if isinstance(run, str) else page.formula(run) for run in runs)


@dataclass(frozen=True)
class PlainLine:
    """Writes plain text, for terminals and attributes of pictures."""

    words: Macros

    def text(self, text: str) -> str:
        return text

    def formula(self, math: Math) -> str:
        return characters(math)


def plain_sentence(sentence: Phrase, words: Macros) -> str:
    """Write a sentence as plain text."""
    return escape.clean(inline(PlainLine(words), sentence))


def plain_lines(document: Document, words: Macros) -> str:
    """Write a document of sentences and formulas as plain text, a line for each; it ends with one newline.

    Raise :class:`~symattn.base.errors.RenderError` for blocks that plain text cannot show.
    """
    page = PlainLine(words)
    found = [inline(page, *document.title)]
    for block in document.blocks:
        match block:
            case Heading(_, number, title):
                found += ["", f"{number}. {inline(page, *title)}"]
            case Equation(chains):
                found += [f"    {characters(chain)}" for chain in chains]
            case Phrase():
                found.append(inline(page, block))
            case _:
                raise RenderError(f"no lines of text for {type(block).__name__}: expected sentences and formulas")
    return "\n".join(map(str.rstrip, found)) + "\n"
