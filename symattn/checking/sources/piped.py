"""Rows of tables whose cells stand between strokes."""

from __future__ import annotations

import re

_SIGN = re.compile(r"\\.|`[^`]*`|\$[^$]*\$|\|")


def cells_of(text: str, start: int, end: int, width: int) -> list[tuple[int, int]]:
    """Where the cells of a row begin and end; ``width`` is how many the head has, 0 of the head itself.

    A stroke in a formula or in code ends no cell, unless there are not enough cells without it.

    >>> cells_of("| $|x|$ | 2 |", 0, 13, 2)
    [(2, 7), (10, 11)]
    """
    bars = [found.start() for found in _SIGN.finditer(text, start, end) if found[0] == "|"]
    cells = _between(text, start, end, bars)
    if len(cells) < width:
        plain = [found.start() for found in re.finditer(r"(?<!\\)\|", text[start:end])]
        others = _between(text, start, end, [start + place for place in plain])
        if len(others) == width:
            return others
    return cells


def _between(text: str, start: int, end: int, bars: list[int]) -> list[tuple[int, int]]:
    if bars and bars[0] == start:
        bars, start = bars[1:], start + 1
    if bars and bars[-1] == end - 1:
        bars, end = bars[:-1], end - 1
    edges = [start, *(edge for bar in bars for edge in (bar, bar + 1)), end]
    cells = []
    for first, last in zip(edges[::2], edges[1::2], strict=True):
        inside = text[first:last]
        lead = len(inside) - len(inside.lstrip())
        cells.append((first + lead, max(first + lead, first + len(inside.rstrip()))))
    return cells
