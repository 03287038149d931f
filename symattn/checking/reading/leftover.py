"""Figures that stand in no statement: each is told, with the reason."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import Final

from symattn.checking.reading.tree import (
    Combined,
    Expressed,
    FigureRead,
    GridRead,
    NameRead,
    Statement,
    Talk,
    ToldPart,
    Unread,
)
from symattn.checking.source import Readable

_FIGURE: Final = re.compile(r"\d+(?:\.\d+)*")


def _leaves(written: Expressed) -> Iterator[tuple[int, int]]:
    """Where figures, names and what was not read stand."""
    waiting: list[Expressed] = [written]
    while waiting:
        one = waiting.pop()
        match one:
            case FigureRead() | NameRead() | Unread():
                yield one.start, one.end
            case GridRead():
                waiting.extend(cell for row in one.rows for cell in row)
                if any(one.labels):
                    yield one.start, one.end
            case Combined():
                waiting.extend(one.args)
                waiting.extend(value for _, value in one.named)


def leftover(document: Readable, told: Sequence[ToldPart]) -> tuple[Unread, ...]:
    """Every figure of a piece that no statement holds."""
    spans = sorted(
        span for one in told if isinstance(one, Statement) for side in one.sides for span in _leaves(side.of)
    )
    merged: list[list[int]] = []
    for start, end in spans:
        if merged and start <= merged[-1][1]:
            merged[-1][1] = max(merged[-1][1], end)
        else:
            merged.append([start, end])
    starts = [start for start, _ in merged]
    said = [(one.start, one.end) for one in told if isinstance(one, Talk)]
    begun = [start for start, _ in said]
    found: list[Unread] = []
    for piece in document.pieces:
        for one in _FIGURE.finditer(piece.text):
            start, end = piece.place(one.start(), one.end())
            here = bisect_right(starts, start) - 1
            if here >= 0 and merged[here][1] >= end:
                continue
            words = bisect_right(begun, start) - 1
            inside = words >= 0 and said[words][1] >= end
            if one.start() and piece.text[one.start() - 1].isalpha() and piece.text[one.start() - 1].isascii():
                found.append(Unread(one[0], "part of a word", start, end))
                continue
            why = "a number in words" if inside else "stands in nothing that was read"
            found.append(Unread(one[0], why, start, end))
    return tuple(found)
