"""What R has of its own: ``c(…)``, ``matrix(…)``, ``t(X)``, and the marks beside what it prints."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from symattn.checking.reading.tree import Combined, Expressed, FigureRead, GridRead, NameRead

_MARKS: Final = re.compile(
    r"^[ \t]{0,200}(?:##[ \t])?[ \t]{0,200}"
    r"(?:\[\d{1,6},\](?=[ \t])|\[\d{1,6}\](?=[ \t]+[-\d.])|(?:\[,\d{1,6}\][ \t]*)+$)",
    re.M,
)


def without_marks(text: str) -> str:
    """What R printed, with blanks where it says which row or column stands there.

    >>> without_marks("     [,1] [,2]\\n[1,]    1  0.5\\n[1] 0.25 3").split()
    ['1', '0.5', '0.25', '3']
    >>> without_marks("[1] is a note, [[1, 2]] is not")
    '[1] is a note, [[1, 2]] is not'
    """
    return _MARKS.sub(lambda found: " " * len(found[0]), text) if "[" in text else text


def made_in_r(
    name: str, found: Sequence[Expressed], named: Sequence[tuple[str, Expressed]], start: int, end: int
) -> Expressed | None:
    """What a call of R makes that is called otherwise elsewhere; ``None`` of any other call."""
    match name, found:
        case "t", (only,) if not named:
            return Combined("T", (only,), start, end)
        case "c", (_, *_) if not named and all(isinstance(each, FigureRead) for each in found):
            return GridRead((tuple(found),), "tensor", 1, start, end)
        case "matrix", (GridRead(rows=(entries,)), *sizes):
            return _matrix(entries, sizes, dict(named), start, end)
    return None


def _matrix(
    entries: Sequence[Expressed], sizes: Sequence[Expressed], named: dict[str, Expressed], start: int, end: int
) -> GridRead | None:
    """``matrix(c(1, 2, 3, 4), nrow = 2)``: column by column, unless it says ``byrow``."""
    rows, columns = (
        _whole(named.get(key) or (sizes[place] if place < len(sizes) else None))
        for place, key in enumerate(("nrow", "ncol"))
    )
    if rows is None and columns is None:
        rows, columns = len(entries), 1
    rows = rows or len(entries) // (columns or 1)
    columns = columns or len(entries) // rows
    if rows * columns != len(entries):
        return None
    by_row = named.get("byrow") or (sizes[2] if len(sizes) > 2 else None)
    if isinstance(by_row, NameRead) and by_row.base in ("TRUE", "T"):
        cells = tuple(tuple(entries[i * columns : (i + 1) * columns]) for i in range(rows))
    else:
        cells = tuple(tuple(entries[i::rows]) for i in range(rows))
    return GridRead(cells, "tensor", 2, start, end)


def _whole(written: Expressed | None) -> int | None:
    if isinstance(written, FigureRead) and written.value is not None and written.value.denominator == 1:
        return int(written.value) if written.value > 0 else None
    return None
