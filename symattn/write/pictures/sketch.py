"""Lay out drawings as sketches: one layout for each kind, whatever the format."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from symattn.base.errors import RenderError
from symattn.show.drawings import (
    ArcRow,
    Arcs,
    BarChart,
    Drawing,
    Flow,
    HeatMap,
    Moves,
    PictureLabel,
    Plotted,
    Vectors,
    Wave,
    WavePlot,
)
from symattn.show.math import Sign
from symattn.write import layout
from symattn.write.pictures.flows import flow
from symattn.write.pictures.planes import moves, vectors
from symattn.write.pictures.strokes import (
    BOLD,
    Course,
    DrawnStroke,
    Ground,
    Lettering,
    Point,
    Sketch,
    Spot,
    dots,
    wide,
    widest,
)
from symattn.write.pictures.tables import bars, heat_map

THICKEST = 9.0
"""The thickness of an arc for a weight of 1."""


def arcs(drawing: Arcs) -> Sketch:
    """Draw a line of tokens for each row; arcs run from the token that attends to those it attends to."""
    figures = [each.number for row in drawing.rows for each in row.weights if each is not None]
    least = widest(figures, small=True)
    rooms = [max(BOLD * wide(token), least) + 28 for token in drawing.tokens]
    apart = any(row.origin is None for row in drawing.rows)
    left = BOLD * widest(row.title for row in drawing.rows) + 44 if apart else 0.0
    xs = [left + layout.total_extent(rooms[:j]) + room / 2 for j, room in enumerate(rooms)]
    y = 0.0
    strokes: list[DrawnStroke] = []
    for row in drawing.rows:
        start = left / 2 - 12 if row.origin is None else xs[row.origin]
        y += max(_rise(abs(j - _place(row))) for j, each in enumerate(row.weights) if each is not None) + 24.0
        strokes += _row(row, drawing.tokens, start, xs, y)
        y += 40.0
    return Sketch(left + layout.total_extent(rooms), y, tuple(strokes))


def _place(row: ArcRow) -> int:
    """Return the place of the attending token: before the first, where it is not among those attended to."""
    return -1 if row.origin is None else row.origin


def _rise(distance: int) -> float:
    """Return the height of an arc above the tokens."""
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
    """Draw an arc; a weight of 0 is a thin dashed line."""
    if not weight.size > 0:
        return Course(_bow(start, end, y, top), "faint", 0.8, curved=True, dashed=True)
    thickness = max(0.6, THICKEST * min(weight.size, 1.0))
    return Course(_bow(start, end, y, top), "blue" if is_first else "ink", thickness, curved=True)


def _bow(start: float, end: float, y: float, top: float) -> tuple[Point, ...]:
    """Return a curve with its top in the middle; one that returns to its start is a loop."""
    lift = y - top * 4 / 3
    if start == end:
        return ((start - 6, y), (start - 42, lift), (start + 42, lift), (start + 6, y))
    return ((start, y), (start, lift), (end, lift), (end, y))


GAP = 12.0
STRIP = 74.0
"""The height of the strip of one wave."""
SWING = 17.0
"""The amplitude of its curve."""


def waves(drawing: WavePlot) -> Sketch:
    """Draw a strip for each column: the curve, a dot at each position, and its figure."""
    shown = [wave for wave in drawing.waves if wave is not None]
    figures = [each.number for wave in shown for each in wave.points if each is not None]
    pitch = max(widest(figures, small=True), widest(drawing.positions)) + 16
    left = max(widest(wave.label for wave in shown), wide(drawing.symbol)) + 2 * GAP + pitch / 2
    reach = max([abs(each.size) for wave in shown for each in wave.points if each is not None] + [1e-300])
    strokes: list[DrawnStroke] = []
    y = 30.0
    for position, label in enumerate(drawing.positions):
        x = left + pitch * position
        strokes.append(dots(Sign("⋯"), x, 18) if label is None else Lettering(x, 18, label))
    for wave in drawing.waves:
        if wave is None:
            strokes.append(dots(Sign("⋮"), left - pitch / 2 - GAP, y + 14))
            y += 24
            continue
        strokes += _strip(wave, left, y + STRIP / 2, pitch, SWING / reach)
        y += STRIP
    return Sketch(left + pitch * (len(drawing.positions) - 0.5) + GAP, y + 4, tuple(strokes))


def _strip(wave: Wave, left: float, middle: float, pitch: float, unit: float) -> list[DrawnStroke]:
    length = pitch * (len(wave.points) - 1)
    strokes: list[DrawnStroke] = [
        Lettering(left - pitch / 2 - GAP, middle + 4.5, wave.label, "end"),
        Course(((left - pitch / 2, middle), (left + length + pitch / 2, middle)), "faint", 0.8),
    ]
    if wave.curve:
        step = length / (len(wave.curve) - 1)
        line = tuple((left + step * k, middle - unit * height) for k, height in enumerate(wave.curve))
        strokes.append(Course(line, "blue", 1.4))
    for position, each in enumerate(wave.points):
        if each is None:
            continue
        x, y = left + pitch * position, middle - unit * each.size
        strokes += [Course(((x, middle), (x, y)), "ink", 1.0), Spot(x, y, 3.0, "blue")]
        away = y + 17 if each.size < 0 else y - 8
        strokes.append(Lettering(x, away, each.number, small=True))
    return strokes


LAYOUTS: Mapping[type, Callable[[Any], Sketch]] = MappingProxyType(
    {HeatMap: heat_map, BarChart: bars, Arcs: arcs, Flow: flow, Vectors: vectors, Moves: moves, WavePlot: waves}
)


def sketch(drawing: Drawing) -> Sketch:
    """Lay out a drawing. Raises :class:`~symattn.base.errors.RenderError` for anything else."""
    if type(drawing) not in LAYOUTS:
        raise RenderError(f"no rule for {type(drawing).__name__}: not a drawing")
    return LAYOUTS[type(drawing)](drawing)
