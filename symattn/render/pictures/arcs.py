"""Arcs between tokens."""

from __future__ import annotations

from symattn.document.drawings import ArcRow, Arcs, PictureLabel, Plotted
from symattn.document.math import Sign
from symattn.render import layout
from symattn.render.pictures.strokes import (
    BOLD,
    Course,
    DrawnStroke,
    Ground,
    Lettering,
    Point,
    Sketch,
    dots,
    wide,
    widest,
)

THICKEST = 9.0
"""How thick an arc is that stands for a weight of 1."""


def arcs(drawing: Arcs) -> Sketch:
    """A line of tokens for each row; arcs run from the token that looks to those it looks at."""
    figures = [each.number for row in drawing.rows for each in row.weights if each is not None]
    least = widest(figures, small=True)
    rooms = [max(BOLD * wide(token), least) + 28 for token in drawing.tokens]
    apart = any(row.origin is None for row in drawing.rows)
    left = BOLD * widest(row.title for row in drawing.rows) + 44 if apart else 0.0
    xs = [left + layout.total(rooms[:j]) + room / 2 for j, room in enumerate(rooms)]
    y = 0.0
    strokes: list[DrawnStroke] = []
    for row in drawing.rows:
        start = left / 2 - 12 if row.origin is None else xs[row.origin]
        y += max(_rise(abs(j - _place(row))) for j, each in enumerate(row.weights) if each is not None) + 24.0
        strokes += _row(row, drawing.tokens, start, xs, y)
        y += 40.0
    return Sketch(left + layout.total(rooms), y, tuple(strokes))


def _place(row: ArcRow) -> int:
    """Where the token stands that looks: before the first, where it is none of those that are looked at."""
    return -1 if row.origin is None else row.origin


def _rise(distance: int) -> float:
    """How far above the tokens an arc has its top."""
    return 24.0 + (32.0 + 20.0 * min(distance - 1, 8) if distance else 0.0)


def _row(
    row: ArcRow, tokens: tuple[PictureLabel | None, ...], start: float, xs: list[float], y: float
) -> list[DrawnStroke]:
    figures: list[DrawnStroke] = []
    strokes: list[DrawnStroke] = []
    largest = max(each.size for each in row.weights if each is not None)
    for j, (x, token, each) in enumerate(zip(xs, tokens, row.weights, strict=True)):
        if token is None or each is None:
            strokes.append(dots(Sign("⋯"), x, y + 20))
            continue
        if j != row.origin:
            strokes.append(Lettering(x, y + 22, token))
        top, is_first = _rise(abs(j - _place(row))), each.size == largest
        strokes.append(_arc(start, x, y, top, each, is_first))
        text, middle, base = each.number, (start + x) / 2, y - top + (-10.0 if j == row.origin else 3.0)
        room = wide(text, small=True) + 6
        figures.append(Ground(middle - room / 2, base - 11, room, 14, "paper", 100, "paper", 0.0))
        figures.append(Lettering(middle, base, text, small=True, bold=is_first))
    width = BOLD * wide(row.title) + 14
    frame = Ground(start - width / 2, y + 6, width, 23, "blue", 12, "ink", 1.2, 4.0)
    return [*strokes, frame, Lettering(start, y + 22, row.title, bold=True), *figures]


def _arc(start: float, end: float, y: float, top: float, weight: Plotted, is_first: bool) -> Course:
    """A weight of 0 is a thin dashed line."""
    if not weight.size > 0:
        return Course(_bow(start, end, y, top), "faint", 0.8, curved=True, dashed=True)
    thickness = max(0.6, THICKEST * min(weight.size, 1.0))
    return Course(_bow(start, end, y, top), "blue" if is_first else "ink", thickness, curved=True)


def _bow(start: float, end: float, y: float, top: float) -> tuple[Point, ...]:
    """A curve with its top in the middle; one that comes back to where it started is a loop."""
    lift = y - top * 4 / 3
    if start == end:
        return ((start - 6, y), (start - 42, lift), (start + 42, lift), (start + 6, y))
    return ((start, y), (start, lift), (end, lift), (end, y))
