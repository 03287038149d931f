"""A document as pieces of text, each character of which knows where it stands in the file."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from symattn.base.remembered import cached_property

StretchKind = Literal["prose", "heading", "item", "math", "display", "code", "output", "cell", "break"]
"""What a piece is.

``prose``: words of a paragraph, with plain-text formulas among them; ``heading`` and ``item``: the same at the head of
a section, in an entry of a list; ``math``: a formula in LaTeX inside a line; ``display``: one on its own; ``code``: a
program; ``output``: what a program printed, or a fenced block without a language; ``cell``: what stands in one
cell of a table; ``break``: the end of a paragraph, an item or a row, without text.
"""


@dataclass(frozen=True)
class Stretch:
    """A run of text of one kind."""

    kind: StretchKind
    text: str
    places: Sequence[int]
    """For each character of ``text`` where it begins in the file, and at the end where the last one ends."""
    row: int = 0
    """Of a cell: which row of its table, from 1; the head is row 1."""
    column: int = 0
    table: int = 0
    """Of a cell: which table of the document, from 1."""
    level: int = 0
    """Of a heading, from 1."""
    language: str = ""
    """Of code: what the fence says."""

    def place(self, start: int, end: int) -> tuple[int, int]:
        """Where a part of the text stands in the file."""
        if end <= start:
            return self.places[start], self.places[start]
        return self.places[start], max(self.places[start], self.places[end - 1]) + 1


@dataclass(frozen=True)
class Readable:
    """A file that is checked, and the pieces it is made of in reading order."""

    name: str
    text: str
    pieces: tuple[Stretch, ...]
    left_out: tuple[tuple[int, int, str], ...] = ()
    """What of the file is in no piece though it has letters or figures: where it begins and ends, and why."""
    end: int | None = None
    """Where reading ended, if it did before the end of the file: what is behind takes too many steps."""

    @cached_property
    def _lines(self) -> list[int]:
        return [0, *(place + 1 for place, character in enumerate(self.text) if character == "\n")]

    def position(self, place: int) -> tuple[int, int]:
        """Line and column of a character of the file, both from 1."""
        line = bisect_right(self._lines, place)
        return line, place - self._lines[line - 1] + 1
