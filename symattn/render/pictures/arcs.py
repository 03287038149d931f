"""Arcs between tokens."""

from __future__ import annotations

from symattn.document.drawings import ArcRow, Arcs, Plotted
from symattn.document.math import Number, Sign
from symattn.render.pictures.strokes import (
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

GAP = 12.0
THICKEST = 9.0
"""How thick an arc is that stands for a weight of 1."""


def arcs(drawing: Arcs) -> Sketch:
    """A line of tokens for each row; arcs run from the token that looks to those it looks at."""
    figures = [Number(each.text) for row in drawing.rows for each in row.weights if each is not None]
    pitch = max(widest(drawing.tokens), widest(figures, small=True)) + 26
    own = any(row.origin is None for row in drawing.rows)
    left = (widest(row.title for row in drawing.rows) + 46 if own else 0.0) + pitch / 2 + GAP
    y = 0.0
    strokes: list[DrawnStroke] = []
    for row in drawing.rows:
        high = _height(row, pitch, len(drawing.tokens))
        y += high
        strokes += _row(row, drawing, left, y, pitch)
        y += 40.0
    return Sketch(left + pitch * (len(drawing.tokens) - 0.5) + GAP, y, tuple(strokes))


def _places(row: ArcRow) -> list[tuple[int, Plotted]]:
    return [(j, each) for j, each in enumerate(row.weights) if each is not None]


def _rise(distance: int) -> float:
    """How far above the tokens an arc has its top."""
    return 30.0 + 20.0 * min(distance, 8)


def _height(row: ArcRow, pitch: float, count: int) -> float:
    origin = -1 if row.origin is None else row.origin
    return max(_rise(abs(j - origin)) for j in range(count)) + 26.0


def _row(row: ArcRow, drawing: Arcs, left: float, y: float, pitch: float) -> list[DrawnStroke]:
    strokes: list[DrawnStroke] = []
    origin = -1 if row.origin is None else row.origin
    largest = max((each.size for _, each in _places(row)), default=0.0)
    start = left + pitch * origin if row.origin is not None else GAP + wide(row.title) / 2
    figures: list[DrawnStroke] = []
    for j, each in _places(row):
        end, top = left + pitch * j, _rise(abs(j - origin))
        strokes += _arc(start, end, y, top, each, each.size == largest)
        middle = (start + end) / 2
        room = wide(Number(each.text), small=True) + 6
        figures.append(Ground(middle - room / 2, y - top - 9, room, 14, "ink", 0, "paper", 0.0))
        figures.append(Lettering(middle, y - top + 2, Number(each.text), small=True, bold=each.size == largest))
    for j, token in enumerate(drawing.tokens):
        x = left + pitch * j
        if token is None:
            strokes.append(dots(Sign("⋯"), x, y + 20))
        elif j != row.origin:
            strokes.append(Lettering(x, y + 22, token))
    width = 1.1 * wide(row.title) + 14
    frame = Ground(start - width / 2, y + 6, width, 23, "blue", 12, "ink", 1.2, 4.0)
    return [*strokes, frame, Lettering(start, y + 22, row.title, bold=True), *figures]


def _arc(start: float, end: float, y: float, top: float, weight: Plotted, is_first: bool) -> list[DrawnStroke]:
    if not weight.size > 0:
        return [Course(_bow(start, end, y, top), "faint", 0.8, curved=True, dashed=True)]
    thickness = max(0.6, THICKEST * min(weight.size, 1.0))
    return [Course(_bow(start, end, y, top), "blue" if is_first else "ink", thickness, curved=True)]


def _bow(start: float, end: float, y: float, top: float) -> tuple[Point, ...]:
    """A curve with its top in the middle; one that comes back to where it started is a loop."""
    lift = y - top * 4 / 3
    if start == end:
        return ((start - 5, y), (start - 24, lift), (start + 24, lift), (start + 5, y))
    return ((start, y), (start, lift), (end, lift), (end, y))
