"""The lines of a document as they are shown and counted: in characters, in UTF-16, in columns of a terminal."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from unicodedata import category, combining, east_asian_width

from symattn.base.errors import printable
from symattn.checking.model import DocumentFinding, FigureVerdict

ROOM = 100
"""Columns of a line that are shown around its marks."""


class SourceLines:
    """Where every line of a file begins. Lines end with ``\\n``, as for git; a ``\\r`` before it is no text.

    >>> lines = SourceLines("a\\r\\n文 1\\n")
    >>> lines.position(5), lines.text(2), lines.count
    ((2, 3), '文 1', 2)
    """

    def __init__(self, text: str) -> None:
        self.whole = text
        self._pieces = text.split("\n")
        self._rare = [] if text.isascii() else [place for place, sign in enumerate(text) if sign > "\uffff"]
        self._starts = [0, *accumulate(len(piece) + 1 for piece in self._pieces[:-1])]

    @property
    def count(self) -> int:
        """How many lines there are; what ends with a line's end has none behind it."""
        return len(self._pieces) - (self._pieces[-1] == "" and len(self._pieces) > 1)

    def position(self, place: int) -> tuple[int, int]:
        """Line and column of a character, both from 1."""
        line = bisect_right(self._starts, place)
        return line, place - self._starts[line - 1] + 1

    def utf_16(self, place: int) -> tuple[int, int]:
        """Line and column, this one in units of UTF-16, of which rare characters take two."""
        line, column = self.position(place)
        before = bisect_left(self._rare, place) - bisect_left(self._rare, place - column + 1)
        return line, column + before

    def start(self, line: int) -> int:
        """The place where a line begins."""
        return self._starts[line - 1]

    def text(self, line: int) -> str:
        """A line without its end."""
        return self._pieces[line - 1].removesuffix("\r")

    def marked(
        self, line: int, places: Iterable[DocumentFinding | FigureVerdict], room: int = ROOM
    ) -> Iterator[MarkedLine]:
        """A line with marks under what stands there."""
        start, text = self.start(line), self.text(line)
        return marked(text, [(each.start - start, min(each.end - start, len(text))) for each in places], room)

    def whole_line(self, line: int) -> str:
        """A line with its end, which the last may lack."""
        return self._pieces[line - 1] + ("\n" if line < len(self._pieces) else "")


def width(character: str) -> int:
    """How many columns of a terminal a character takes.

    >>> [width(character) for character in "a文\\u0301"]
    [1, 2, 0]
    """
    if combining(character) or category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if east_asian_width(character) in "WF" else 1


@dataclass(frozen=True)
class MarkedLine:
    """A line, or a part of it, as it is shown, and the line of marks to be set under it."""

    shown: str
    marks: str


def marked(text: str, spans: Iterable[tuple[int, int]], room: int = ROOM) -> Iterator[MarkedLine]:
    """A line with marks under parts of it, given by their columns from 0; of a long one what stands around them.

    >>> (line,) = marked("文 A = 0.37", [(7, 10)])
    >>> print(line.shown, line.marks, sep="\\n")
    文 A = 0.37
            ^^^
    >>> [line.shown for line in marked("x" * 500 + "7" + "y" * 500 + "8", [(500, 501), (1001, 1002)], room=20)]
    ['… xxxxxxxxx7yyyyyyyyyy …', '… yyyyyyyyyyyyyyyyyyy8']
    """
    group: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        span = start, max(end, start + 1)
        if group and span[1] - group[0][0] > room:
            yield _marked(text, group, room)
            group = []
        group.append(span)
    if group:
        yield _marked(text, group, room)


def _marked(text: str, spans: Sequence[tuple[int, int]], room: int) -> MarkedLine:
    first, last = _window(len(text), spans[0][0], max(end for _, end in spans), room)
    shown, marks = ("… ", "  ") if first else ("", "")
    pieces, under = [shown], [marks]
    is_marked = bytearray(last - first + 1)
    for start, end in spans:
        for place in range(max(start, first), min(end, last + 1)):
            is_marked[place - first] = 1
    for place, character in enumerate(text[first:last]):
        piece = " " if character == "\t" else printable(character)
        pieces.append(piece)
        under.append(("^" if is_marked[place] else " ") * sum(map(width, piece)))
    under.append("^" * is_marked[last - first])  # what is missing at the end of a line
    pieces.append(" …" if last < len(text) else "")
    return MarkedLine("".join(pieces), "".join(under).rstrip())


def _window(length: int, start: int, end: int, room: int) -> tuple[int, int]:
    """Which characters of a line are shown: all of one that fits, else as much as there is room for."""
    if length <= room:
        return 0, length
    beside = max(room - (min(end, start + room) - start), 0)
    first = max(0, min(start - beside // 2, length - room))
    return first, min(length, first + room)
