"""Where a reader puts what it finds: pieces in reading order, and what it leaves out and why."""

from __future__ import annotations

import re

from symattn.budget import spend
from symattn.checking.source import Readable, Stretch, StretchKind
from symattn.checking.sources.listing import is_program
from symattn.checking.sources.traced import PlaceRuns, Traced

BY_PIECE, BY_SIGN = 60, 16
"""Steps that it takes to read a piece, and each of its characters."""

BY_LEFT = 20
"""Steps that it takes to leave something out."""


class Gathering:
    """The pieces of a document that is being read."""

    def __init__(self) -> None:
        self._pieces: list[Stretch] = []
        self._left_out: list[tuple[int, int, str]] = []
        self.tables = 0

    def add(
        self,
        kind: StretchKind,
        traced: Traced,
        *,
        level: int = 0,
        language: str = "",
        cell: tuple[int, int, int] = (0, 0, 0),
    ) -> None:
        """A piece; ``cell`` is its table, row and column."""
        spend(BY_PIECE + BY_SIGN * len(traced))
        table, row, column = cell
        self._pieces.append(Stretch(kind, traced.text, traced.places, row, column, table, level, language))

    def listing(self, traced: Traced, language: str = "") -> None:
        """A program, or what one printed: by its language, or its looks."""
        self.add("code" if is_program(traced.text, language) else "output", traced, language=language)
        self.end(traced.places.end)

    def end(self, place: int) -> None:
        """A paragraph, an item or a row ends at a place of the file."""
        spend(BY_PIECE)
        if self._pieces and self._pieces[-1].kind != "break":
            self._pieces.append(Stretch("break", "", PlaceRuns((), (), (), 0, place)))

    def leave(self, traced: Traced, why: str) -> None:
        """Something is in no piece."""
        spend(BY_LEFT)
        if traced.text and not traced.text.isspace():
            self._left_out.append((traced.places[0], traced.places.end, why))

    def document(self, name: str, text: str, is_whole: bool = True) -> Readable:
        """All of it; where it is not whole, up to the end of the last paragraph that is."""
        while not is_whole and self._pieces and self._pieces[-1].kind != "break":
            self._pieces.pop()
        last = self._pieces[-1].places[-1] if self._pieces else 0
        end = None if is_whole else next((found.start() for found in _SIGN.finditer(text, last)), len(text))
        return Readable(name, text, tuple(self._pieces), tuple(sorted(self._left_out)), end)


_SIGN = re.compile(r"\S")
