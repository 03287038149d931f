"""Tables that are drawn with blanks, bars and dashes, in plain text and in blocks of what stands there as it is."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from unicodedata import east_asian_width

_BARS = "|│┃¦"
_RULE = re.compile(r"[ \t+|│┃┼┬┴├┤=_─━═―-]*(?:[-=─━═―_][ \t]?){3}[ \t+|│┃┼┬┴├┤=_─━═―-]*")
_CELL = re.compile(rf"(?:(?![{_BARS}](?:\s|$))\S)+(?:[ ](?:(?![{_BARS}](?:\s|$))\S)+)*")
_FIGURE = re.compile(r"(?:.*[=≈][ ]*)?[-+−±%~]*(?:\d[\d.,]*|[.,]\d+)(?:[eE][-+]?\d+)?[ ]?[%*]?")
_JOINED = re.compile(
    r"(?![/÷×·*]\s*(?:√|sqrt)?\s*\(?\d[\d.,]*\)?$)[=≈≃→⇒←·×+/*>;,)\]]|->|=>|[-−][ ]|[\[({][^)\]}]*$|.*:$|\$|"
    r".*(?:\w|\))[ ]*[=≈→][ ]*[\[(⎡]"
)
"""A cell that goes on with what stands before it, or is a formula or a list of its own, is in no table."""
_MOST_WORDS = 4
"""Of a heading."""


@dataclass(frozen=True)
class DrawnCell:
    """A run of signs in a line, and the columns of the page that it takes."""

    start: int
    end: int
    left: int
    right: int

    def apart(self, other: DrawnCell) -> int:
        """How far two cells above each other are from overlapping."""
        return max(self.left - other.right, other.left - self.right) + 1


@dataclass(frozen=True)
class DrawnTable:
    """The rows of a table, each as its columns, from 1, with their cells."""

    rows: tuple[dict[int, DrawnCell], ...]
    end: int
    """The line behind it."""


def table_at(text: str, bounds: Sequence[tuple[int, int]], first: int) -> DrawnTable | None:
    """The table that a line is the head of, if it is one: figures stand in columns under its words.

    >>> text = "word   count  share\\n-----  -----  -----\\nof         3   0.75\\na          1   0.25"
    >>> found = table_at(text, [(0, 19), (20, 39), (40, 59), (60, 79)], 0)
    >>> [[text[cell.start : cell.end] for cell in row.values()] for row in found.rows]
    [['word', 'count', 'share'], ['of', '3', '0.75'], ['a', '1', '0.25']]
    """
    following = [each for each in bounds[first + 1 : first + 6] if not _RULE.fullmatch(text, *each)]
    is_ruled = following[:1] != [*bounds[first + 1 : first + 2]]
    if len(following) < 2 or (widest := _width_of_body(text, following[:2], is_ruled)) is None:
        return None
    head = _cells(text, bounds[first])
    if not _is_head(text, head, widest):
        return None
    full: list[list[DrawnCell]] = []
    lines: list[list[DrawnCell]] = []
    place = first + 1
    while place < len(bounds):
        if not _RULE.fullmatch(text, *bounds[place]):
            if not (cells := _row_of_cells(text, bounds[place], widest)):
                break
            lines.append(cells)
            full += [cells] if len(cells) == widest else []
        place += 1
    columns = [
        DrawnCell(0, 0, min(each.left for each in column), max(each.right for each in column))
        for column in zip(*full, strict=True)
    ]
    if any(one.right >= other.left for one, other in pairwise(columns)):
        return None
    rows = [_in_columns(cells, columns) for cells in (head, *lines)]
    if not all(rows):
        return None
    return DrawnTable(tuple(rows), place)


def _cells(text: str, bound: tuple[int, int]) -> list[DrawnCell]:
    """What two blanks or a bar divide; the columns of the page are as wide as its signs."""
    found, at, column = [], bound[0], 0
    for one in _CELL.finditer(text, *bound):
        left = column + _width(text[at : one.start()])
        column, at = left + _width(one[0]), one.end()
        found.append(DrawnCell(one.start(), one.end(), left, column - 1))
    return found


def _width(text: str) -> int:
    return sum(8 if sign == "\t" else 1 + (east_asian_width(sign) in "WF") for sign in text)


def _is_figure(text: str, cell: DrawnCell) -> bool:
    return _FIGURE.fullmatch(text, cell.start, cell.end) is not None


def _row_of_cells(text: str, bound: tuple[int, int], most: int) -> list[DrawnCell]:
    """The cells of a line that can be a row: figures, and words before them at most."""
    cells = _cells(text, bound)
    if not 2 <= len(cells) <= most or not _is_figure(text, cells[-1]):
        return []
    return [] if any(_JOINED.match(text, one.start, one.end) for one in cells) else cells


def _width_of_body(text: str, first: Sequence[tuple[int, int]], is_ruled: bool) -> int | None:
    """How many cells the first row has, where the next one has as many, with figures in the same places."""
    one, other = (_row_of_cells(text, bound, 1000) for bound in first)
    if not one or not other or (len(one) != len(other) and not is_ruled):
        return None
    alike = [_is_figure(text, cell) == _is_figure(text, below) for cell, below in zip(one, other, strict=False)]
    return len(one) if all(alike) else None


def _is_head(text: str, head: Sequence[DrawnCell], widest: int) -> bool:
    """Whether words stand above every column, but for that of the labels."""
    said = [text[cell.start : cell.end] for cell in head]
    if not widest - 1 <= len(head) <= widest or len(head) < 2 - (widest == 2):
        return False
    counts = [str(number) for number in range(1, len(said) + 1)]
    if said[1:] in (counts[:-1], ["0", *counts[:-2]]):
        return len(said) > 2 and said[0].isalpha()  # token 1 2 3
    return not any(
        _JOINED.match(each) or _FIGURE.fullmatch(each) or "=" in each or len(each.split()) > _MOST_WORDS
        for each in said
    )


def _in_columns(cells: Sequence[DrawnCell], columns: Sequence[DrawnCell]) -> dict[int, DrawnCell]:
    """Each cell by its column, nothing where two stand in one."""
    if len(cells) == len(columns):
        return dict(enumerate(cells, 1))
    found: dict[int, DrawnCell] = {}
    for cell in cells:
        nearest = min(range(len(columns)), key=lambda each: cell.apart(columns[each]))
        found[nearest + 1] = cell
    return found if len(found) == len(cells) and [*found] == sorted(found) else {}
