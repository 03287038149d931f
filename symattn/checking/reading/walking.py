"""A walk over the signs of a formula: where it is, what comes next, and where it stops."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Final

from symattn.checking.reading.lexer import Lexeme
from symattn.checking.reading.numerals import figure
from symattn.checking.reading.run_of_signs import Paired
from symattn.checking.reading.tree import Combined, Expressed, Unread

END: Final = Lexeme("end", "", 0, 0, True, -1, "math")
STARTS: Final = frozenset(
    ["figure", "name", "open", "frac", "root", "sum", "mark", "dots", "text", "string", "over", "made"]
)
"""Kinds of signs that begin an operand."""
NOT_READ: Final = "not read as a formula"
NOT_MODELLED: Final = "a sign that is not modelled"
TOO_LONG: Final = "a formula that is too long"


class Walk(ABC):
    """Where the reading of a formula is.

    ``at`` is the sign that comes next, ``end`` where the reading stops; ``spread`` says that the entries of a
    list are divided by blanks only. What reads gives ``None`` and stays where it is, where nothing of its kind begins.
    """

    def __init__(self, lexemes: Sequence[Lexeme], pairs: Paired, text: str, *, comma: bool = False) -> None:
        self.lexemes, self.pairs, self.text, self.comma = lexemes, pairs, text, comma
        self.at, self.end, self.depth, self.spread = 0, len(lexemes), 0, False

    @abstractmethod
    def expression(self) -> Expressed | None:
        """Sums and differences of products."""

    @abstractmethod
    def product(self) -> Expressed | None:
        """Products and quotients."""

    @abstractmethod
    def signed(self) -> Expressed | None:
        """A factor with its sign."""

    @abstractmethod
    def postfix(self) -> Expressed | None:
        """A factor with what stands above, below and after it."""

    @abstractmethod
    def primary(self) -> Expressed | None:
        """A figure, a name, a group, a fraction, a root, a sum."""

    def peek(self, ahead: int = 0) -> Lexeme:
        """The sign that comes next, or one after it."""
        place = self.at + ahead
        return self.lexemes[place] if place < self.end else END

    def mate(self) -> int | None:
        """Where the bracket closes that comes next, ``None`` where none does."""
        return self.pairs.mates.get(self.at) if self.peek().kind == "open" else None

    def spot(self) -> int:
        """Where the last sign that was read ends in the file."""
        return self.lexemes[self.at - 1].end if self.at else 0

    def written(self, start: int, end: int) -> str:
        """What stands in the file."""
        return self.text[start:end]

    def unread(self, first: int, last: int, why: str) -> Unread:
        """The signs from one to another as they stand."""
        start = self.lexemes[first].start
        end = max(start, self.lexemes[min(max(first, last - 1), len(self.lexemes) - 1)].end)
        return Unread(self.written(start, end), why, start, end)

    def figure(self, sign: str = "", start: int | None = None) -> Expressed:
        """The figure that comes next, with the sign before it."""
        lexeme = self.peek()
        self.at += 1
        begin = lexeme.start if start is None else start
        found = figure(lexeme.text, begin, lexeme.end, sign=sign, comma=self.comma)
        return found or Unread(self.written(begin, lexeme.end), "a figure that is too long", begin, lexeme.end)


_ALL = frozenset(["\\cdot", "*"])

_ENDS = frozenset(["comma", "end"])


def is_slice(piece: Expressed) -> bool:
    """Whether an index is several places.

    >>> is_slice(Combined("slice", (), 0, 1, ":"))
    True
    """
    return isinstance(piece, Combined) and piece.op == "slice"


def sliced(walk: Walk) -> Combined | None:
    """The slice that comes next, from one place to another, as far as they are said; ``None`` where none does."""
    first, sign = walk.at, walk.peek()
    if sign.kind == "op" and sign.text in _ALL and walk.peek(1).kind in ("figure", "name", *_ENDS):
        walk.at += 1
        return Combined("slice", (), sign.start, sign.end, ":")
    if "colon" not in (sign.kind, walk.peek(1).kind, walk.peek(2).kind):
        return None
    start = None if sign.kind == "colon" else walk.signed()
    if walk.peek().kind == "colon":
        walk.at += 1
        stop = None if walk.peek().kind in _ENDS else walk.signed()
        if walk.peek().kind in _ENDS:
            said = tuple((which, end) for which, end in (("from", start), ("to", stop)) if end is not None)
            return Combined("slice", (), sign.start, walk.spot(), ":", said)
    walk.at = first
    return None
