"""Lay out drawings as sketches: one layout for each kind, whatever the format."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import ceil
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
from symattn.write.environment import Macros
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
    Tint,
    dots,
    tint_of,
    wide,
    widest,
)
from symattn.write.pictures.tables import bars, heat_map

THICKEST = 9.0
"""The thickness of an arc for a weight of 1."""


def arcs(drawing: Arcs) -> Sketch:
    """Draw a line of tokens for each row; arcs run from the token that attends to those it attends to.

    The weights are at their feet, so that no arc runs through a figure.
    """
    figures = [each.number for row in drawing.rows for each in row.weights if each is not None]
    least = BOLD * widest(figures, small=True)
    rooms = [max(BOLD * wide(token) + 14, least, 44.0) + 14 for token in drawing.tokens]
    apart = any(row.origin is None for row in drawing.rows)
    left = BOLD * widest(row.title for row in drawing.rows) + 44 if apart else 0.0
    xs = [left + layout.total_extent(rooms[:j]) + room / 2 for j, room in enumerate(rooms)]
    y = 0.0
    strokes: list[DrawnStroke] = []
    for row in drawing.rows:
        start = left / 2 - 12 if row.origin is None else xs[row.origin]
        y += max(_rise(abs(j - _place(row))) for j, each in enumerate(row.weights) if each is not None) + 12.0
        strokes += _row(row, drawing.tokens, start, xs, y)
        y += 62.0
    return Sketch(left + layout.total_extent(rooms), y - 8, tuple(strokes))


def _place(row: ArcRow) -> int:
    """Return the place of the attending token: before the first, where it is not among those attended to."""
    return -1 if row.origin is None else row.origin


def _rise(distance: int) -> float:
    """Return the height of an arc above the tokens."""
    return 24.0 + (32.0 + 20.0 * min(distance - 1, 8) if distance else 0.0)


def _row(
    row: ArcRow, tokens: tuple[PictureLabel | None, ...], start: float, xs: list[float], y: float
) -> list[DrawnStroke]:
    strokes: list[DrawnStroke] = []
    largest = max(each.size for each in row.weights if each is not None)
    for j, (x, token, each) in enumerate(zip(xs, tokens, row.weights, strict=True)):
        if token is None or each is None:
            strokes.append(dots(Sign("⋯"), x, y + 20))
            continue
        is_first = each.size == largest
        tint = tint_of(token, "blue" if is_first else "ink")
        strokes.append(_arc(start, x, y, _rise(abs(j - _place(row))), each, tint))
        if j != row.origin:
            strokes.append(Lettering(x, y + 22, token))
        strokes.append(Lettering(x, y + 42, each.number, bold=is_first, small=True))
    width = BOLD * wide(row.title) + 14
    frame = Ground(start - width / 2, y + 6, width, 23, "blue", 12, "ink", 1.2, 4.0)
    return [*strokes, frame, Lettering(start, y + 22, row.title, bold=True)]


def _arc(start: float, end: float, y: float, top: float, weight: Plotted, tint: Tint) -> Course:
    """Draw an arc; a weight of 0 is a thin dashed line."""
    if not weight.size > 0:
        return Course(_bow(start, end, y, top), "faint", 0.8, curved=True, dashed=True)
    return Course(_bow(start, end, y, top), tint, max(0.6, THICKEST * min(weight.size, 1.0)), curved=True)


def _bow(start: float, end: float, y: float, top: float) -> tuple[Point, ...]:
    """Return a curve with its top in the middle; one that returns to its start is a loop."""
    lift = y - top * 4 / 3
    if start == end:
        return ((start - 6, y), (start - 42, lift), (start + 42, lift), (start + 6, y))
    return ((start, y), (start, lift), (end, lift), (end, y))


GAP = 12.0
ROOM, CLOSE, CLOSEST = 560.0, 290.0, 6.0
"""The width up to which waves have figures, their width without them, and the least distance of two positions."""
STRIP = 74.0
"""The height of the strip of one wave."""
SWING = 17.0
"""The amplitude of its curve."""


def waves(drawing: WavePlot) -> Sketch:
    """Draw a strip for each column: the curve, and a dot at each position, with its figure where there is room."""
    shown = [wave for wave in drawing.waves if wave is not None]
    figures = [each.number for wave in shown for each in wave.points if each is not None]
    count, widths = len(drawing.positions), (widest(figures, small=True) + 12, widest(drawing.positions) + 12)
    has_figures = count * max(widths) <= ROOM
    pitch = max(widths) if has_figures else max(CLOSEST, CLOSE / max(count - 1, 1))
    every = ceil(widths[1] / pitch)
    half = pitch / 2 if has_figures else GAP
    left = max(widest(wave.label for wave in shown), wide(drawing.symbol)) + 2 * GAP + half
    reach = max([abs(each.size) for wave in shown for each in wave.points if each is not None] + [1e-300])
    strokes: list[DrawnStroke] = []
    y = 30.0
    for position, label in enumerate(drawing.positions):
        x = left + pitch * position
        if label is None:
            strokes.append(dots(Sign("⋯"), x, 18))
        elif position % every == 0:
            strokes.append(Lettering(x, 18, label))
    for wave in drawing.waves:
        if wave is None:
            strokes.append(dots(Sign("⋮"), left - half - GAP, y + 14))
            y += 24
            continue
        strokes += _strip(wave, left, y + STRIP / 2, pitch, half, SWING / reach, has_figures)
        y += STRIP
    return Sketch(left + pitch * (count - 1) + half + GAP, y + 4, tuple(strokes))


def _strip(
    wave: Wave, left: float, middle: float, pitch: float, half: float, unit: float, has_figures: bool
) -> list[DrawnStroke]:
    length = pitch * (len(wave.points) - 1)
    strokes: list[DrawnStroke] = [
        Lettering(left - half - GAP, middle + 4.5, wave.label, "end"),
        Course(((left - half, middle), (left + length + half, middle)), "faint", 0.8),
    ]
    if wave.curve:
        step = length / (len(wave.curve) - 1)
        line = tuple((left + step * k, middle - unit * height) for k, height in enumerate(wave.curve))
        strokes.append(Course(line, "blue", 1.4))
    for position, each in enumerate(wave.points):
        if each is None:
            continue
        x, y = left + pitch * position, middle - unit * each.size
        strokes += [Course(((x, middle), (x, y)), "faint", 0.8), Spot(x, y, 3.0 if pitch > 12 else 2.0, "blue")]
        if has_figures:
            strokes.append(Lettering(x, y + 17 if each.size < 0 else y - 8, each.number, small=True))
    return strokes


LAYOUTS: Mapping[type, Callable[[Any], Sketch]] = MappingProxyType(
    {BarChart: bars, Arcs: arcs, Vectors: vectors, Moves: moves, WavePlot: waves}
)


def sketch(drawing: Drawing, words: Macros) -> Sketch:
    """Lay out a drawing with the words of a language.

    Raises :class:`~symattn.base.errors.RenderError` for anything else.
    """
    if isinstance(drawing, HeatMap):
        return heat_map(drawing, words)
    if isinstance(drawing, Flow):
        return flow(drawing, words)
    if type(drawing) not in LAYOUTS:
        raise RenderError(f"no rule for {type(drawing).__name__}: not a drawing")
    return LAYOUTS[type(drawing)](drawing)
