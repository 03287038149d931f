"""Arrows in the plane, and waves over positions."""

from __future__ import annotations

from math import atan2, cos, hypot, pi, sin

from symattn.document.drawings import VectorArrow, Vectors, Wave, WavePlot
from symattn.document.math import Letter, Math, Parens, Sign, seq
from symattn.render.pictures.strokes import (
    BOLD,
    Course,
    DrawnStroke,
    Lettering,
    Point,
    Sketch,
    Spot,
    arrow,
    dots,
    wide,
    widest,
)

GAP = 12.0
SIDE = 320.0
"""The side of the square in which arrows are drawn."""


def vectors(drawing: Vectors) -> Sketch:
    """Arrows from the origin; arcs from the first to the others; beside them the figures and the angles."""
    first = drawing.arrows[0]
    reach = max([hypot(each.x.size, each.y.size) for each in drawing.arrows] + [1e-300])
    unit = (SIDE / 2 - 30) / reach
    tips = [_tip(each, (0.0, 0.0), unit) for each in drawing.arrows]
    room = [wide(each.label) + 16 for each in drawing.arrows]
    left = min([-24.0] + [x - width for (x, _), width in zip(tips, room, strict=True)])
    right = max([24.0] + [x + width for (x, _), width in zip(tips, room, strict=True)])
    top, bottom = min([-24.0] + [y - 34 for _, y in tips]), max([24.0] + [y + 30 for _, y in tips])
    origin = (-left, -top)
    strokes: list[DrawnStroke] = [
        *arrow(((0.0, -top), (right - left, -top)), "faint", 0.8),
        *arrow(((-left, bottom - top), (-left, 0.0)), "faint", 0.8),
    ]
    angled = [each for each in drawing.arrows[1:] if each.angle is not None]
    for place, each in enumerate(angled):
        strokes.append(_angle(first, each, origin, 34.0 + 20.0 * place))
    for each in drawing.arrows:
        strokes += _arrow(each, origin, unit, each is first)
    beside, width = _figures(drawing, right - left + 24)
    return Sketch(width, max(bottom - top, 26.0 * len(drawing.arrows) + 30), (*strokes, *beside))


def _tip(each: VectorArrow, origin: Point, unit: float) -> Point:
    return origin[0] + each.x.size * unit, origin[1] - each.y.size * unit


def _arrow(each: VectorArrow, origin: Point, unit: float, is_first: bool) -> list[DrawnStroke]:
    tip = _tip(each, origin, unit)
    length = hypot(tip[0] - origin[0], tip[1] - origin[1])
    strokes: list[DrawnStroke] = [Spot(*origin, 2.5)]
    if length > 1:
        strokes += arrow((origin, tip), "rust", 2.6) if is_first else arrow((origin, tip), "blue", 1.6)
    direction = ((tip[0] - origin[0]) / length, (tip[1] - origin[1]) / length) if length > 1 else (0.7, -0.7)
    x, y = tip[0] + (10 + wide(each.label) / 2) * direction[0], tip[1] + 14 * direction[1] + 4
    return [*strokes, Lettering(x, y, each.label, bold=is_first)]


def _angle(first: VectorArrow, each: VectorArrow, origin: Point, radius: float) -> Course:
    """A part of a circle from the first arrow to another, the shorter way round."""
    start = atan2(first.y.size, first.x.size)
    turn = (atan2(each.y.size, each.x.size) - start + pi) % (2 * pi) - pi
    steps = max(2, int(abs(turn) * 12))
    angles = [start + turn * k / steps for k in range(steps + 1)]
    return Course(tuple((origin[0] + radius * cos(a), origin[1] - radius * sin(a)) for a in angles), "ink", 0.9)


def _figures(drawing: Vectors, x: float) -> tuple[list[DrawnStroke], float]:
    """Each arrow with its two figures and its angle, and how far they reach."""
    pairs: list[Math] = [Parens(seq(each.x.number, Sign(","), each.y.number)) for each in drawing.arrows]
    angles = [None if each.angle is None else seq(each.angle.number, Letter("°", "text")) for each in drawing.arrows]
    second = x + BOLD * widest(each.label for each in drawing.arrows) + 14
    third = second + widest(pairs) + 18
    strokes: list[DrawnStroke] = []
    for place, (each, pair, angle) in enumerate(zip(drawing.arrows, pairs, angles, strict=True)):
        y = 30.0 + 26.0 * place
        strokes += [Lettering(x, y, each.label, "start", bold=not place), Lettering(second, y, pair, "start")]
        if angle is not None:
            strokes.append(Lettering(third, y, angle, "start"))
    return strokes, third + widest(angles) + GAP


STRIP = 74.0
"""How high the strip of one wave is."""
SWING = 17.0
"""How far its curve goes from the middle."""


def waves(drawing: WavePlot) -> Sketch:
    """A strip for each column: the curve, a dot at each position, and its figure."""
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
