"""Which bracket closes which, in one walk over the signs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from symattn.checking.reading.lexer import Lexeme
from symattn.limits import DOCUMENT_DEPTH


@dataclass(frozen=True, slots=True)
class Paired:
    """Where each bracket that is open closes, and what stands directly in it."""

    mates: dict[int, int]
    """From an opening sign to its closing one; of a matrix that nobody closed to the end of its piece."""
    related: frozenset[int]
    """Opening signs with a relation directly in them."""
    worded: frozenset[int]
    """Opening signs with words directly in them."""


class _Pairing:
    def __init__(self, lexemes: Sequence[Lexeme]) -> None:
        self.lexemes = lexemes
        self.mates: dict[int, int] = {}
        self.stack: list[int] = []
        self.counts: list[Counter[str]] = [Counter()]
        self.related: set[int] = set()
        self.worded: set[int] = set()
        self.matrices: Counter[str] = Counter()

    def opens(self, place: int, text: str) -> None:
        if len(self.stack) >= DOCUMENT_DEPTH:
            self.lexemes[place].kind = "other"
            return
        self.stack.append(place)
        if text.startswith("\\"):
            self.matrices[text] += 1
            self.counts.append(Counter())
        else:
            self.counts[-1][text] += 1

    def drop(self) -> int:
        place = self.stack.pop()
        text = self.lexemes[place].text
        if text.startswith("\\"):
            self.matrices[text] -= 1
            self.counts.pop()
        else:
            self.counts[-1][text] -= 1
        return place

    def closes(self, place: int, text: str) -> None:
        there = self.matrices[text] if text.startswith("\\") else self.counts[-1][text]
        if not there:
            self.lexemes[place].kind = "other"
            return
        while True:
            opened = self.drop()
            if self.lexemes[opened].text == text:
                self.mates[opened] = place
                self.lexemes[place].kind = "close"
                return
            self.loose(opened, place)

    def loose(self, opened: int, place: int) -> None:
        """What is open and never closed: a matrix ends where what holds it ends, anything else is no bracket."""
        lexeme = self.lexemes[opened]
        if lexeme.text.startswith("\\"):
            end = opened
            while end < place and self.lexemes[end].piece == lexeme.piece:
                end += 1
            self.mates[opened] = end
        else:
            lexeme.kind = "other"

    def bar(self, place: int, text: str) -> None:
        if self.lexemes[place].mode != "math":
            self.lexemes[place].kind = "other"
        elif self.stack and self.lexemes[self.stack[-1]].text == text:
            self.mates[self.drop()] = place
            self.lexemes[place].kind = "close"
        else:
            self.lexemes[place].kind = "open"
            self.opens(place, text)

    def run(self) -> Paired:
        for place, lexeme in enumerate(self.lexemes):
            match lexeme.kind:
                case "open":
                    self.opens(place, lexeme.text)
                case "close":
                    self.closes(place, lexeme.text)
                case "bar":
                    self.bar(place, lexeme.text)
                case "relation" if self.stack:
                    self.related.add(self.stack[-1])
                case "word" if self.stack:
                    self.worded.add(self.stack[-1])
                case _:
                    pass
        while self.stack:
            self.loose(self.drop(), len(self.lexemes))
        return Paired(self.mates, frozenset(self.related), frozenset(self.worded))


def paired(lexemes: Sequence[Lexeme]) -> Paired:
    """Which bracket closes which; a bracket without its other one becomes a sign like any other."""
    return _Pairing(lexemes).run()
