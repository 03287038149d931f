"""Pictures in a plane: vectors with the angles between them, and rows that move from one matrix to another."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import atan2, ceil, cos, floor, hypot, log10, pi, sin

from symattn.base.printed import decimal_text
from symattn.show.drawings import Move, Moves, PictureLabel, PlottedPoint, TokenLabel, VectorArrow, Vectors
from symattn.show.math import Letter, Math, Number, Parens, Sign, seq
from symattn.write.pictures.strokes import (
    BOLD,
    SIZE,
    SMALL,
    Course,
    DrawnStroke,
    Lettering,
    Point,
    Sketch,
    Spot,
    Tint,
    arrow,
    shifted,
    token_tint,
    wide,
    widest,
)

WIDTH, HEIGHT = 290.0, 220.0
"""The space for the arrows."""
OVERHANG, EDGE, GAP = 16.0, 6.0, 14.0
"""How far an axis goes on behind the arrows, the margin of a picture, and the space between columns of figures."""
LINE = 22.0
"""The height of a line of figures."""
TICKS = 60.0
"""The least distance between two ticks of an axis."""

ANGLES = 4
"""The most angles that are drawn; the figures of more are below the arrows."""

_Box = tuple[float, float, float, float]
"""Left, top, right and bottom."""


@dataclass(frozen=True)
class _Named:
    """The tip of an arrow, and its label."""

    tip: Point
    label: PictureLabel
    bold: bool = False
    tint: Tint = "ink"

    @property
    def width(self) -> float:
        return (BOLD if self.bold else 1.0) * wide(self.label) + 4


@dataclass(frozen=True)
class _Plane:
    """The part of the plane that a picture shows, with its origin at (0, 0) until it is drawn."""

    unit: float
    left: float
    top: float
    right: float
    bottom: float

    @classmethod
    def of(cls, points: Iterable[PlottedPoint]) -> _Plane:
        found = [(0.0, 0.0), *((x.size, y.size) for x, y in points)]
        (left, right), (low, high) = [(min(each), max(each)) for each in zip(*found, strict=True)]
        spans = ((WIDTH, right - left), (HEIGHT, high - low))
        unit = min((room / span for room, span in spans if span > 0), default=1.0)
        ends = (unit * left - OVERHANG, -unit * high - OVERHANG, unit * right + OVERHANG, OVERHANG - unit * low)
        return cls(unit, *ends)

    def at(self, point: PlottedPoint) -> Point:
        return point[0].size * self.unit, -point[1].size * self.unit

    def axes(self) -> Iterator[DrawnStroke]:
        """Yield both axes with ticks and their figures."""
        yield from arrow(((self.left, 0.0), (self.right, 0.0)), "faint", 0.8)
        yield from arrow(((0.0, self.bottom), (0.0, self.top)), "faint", 0.8)
        for x, text in self._ticks(self.left, self.right):
            yield Course(((x, -3.0), (x, 3.0)), "faint", 0.8)
            yield Lettering(x, 15.0, Number(text), tint="faint", small=True)
        for y, text in self._ticks(-self.bottom, -self.top):
            yield Course(((-3.0, -y), (3.0, -y)), "faint", 0.8)
            yield Lettering(-7.0, 4.0 - y, Number(text), "end", "faint", small=True)

    def _ticks(self, low: float, high: float) -> Iterator[tuple[float, str]]:
        """Yield round numbers along an axis, but 0, with their places: steps of 1, 2 or 5 of a power of ten."""
        least = TICKS / self.unit
        power = floor(log10(least))
        times, power = next((t, p) for p in (power, power + 1) for t in (1, 2, 5) if t * 10.0**p >= least)
        step = times * 10.0**power
        ends = (low + OVERHANG) / (step * self.unit), (high - OVERHANG) / (step * self.unit)
        for k in range(ceil(ends[0] - 1e-9), floor(ends[1] + 1e-9) + 1):
            if k:
                yield k * step * self.unit, decimal_text(k * times * 10 ** max(power, 0), max(-power, 0))


def vectors(drawing: Vectors) -> Sketch:
    """Draw arrows from the origin, arcs from the first to the others, and below them the figures and the angles."""
    first, *others = drawing.arrows
    plane = _Plane.of(each.at for each in drawing.arrows)
    strokes: list[DrawnStroke] = []
    reach = max(hypot(*plane.at(each.at)) for each in drawing.arrows)
    angled = [each for each in others if each.angle is not None]
    for place, each in enumerate(angled if len(angled) <= ANGLES else []):
        strokes.append(_angle(first, each, min(34.0, reach / 2) + 20.0 * place))
    named = [_Named(plane.at(each.at), each.label, each is first, _tint(each, first)) for each in drawing.arrows]
    lines: list[tuple[Point, Point]] = [((0.0, 0.0), tip.tip) for tip in named]
    for tip in reversed(named):
        strokes += _from_origin(tip.tip, tip.tint, 2.8 if tip.bold else 1.6)
    pairs = [_pair(each.at) for each in drawing.arrows]
    angles = [None if each.angle is None else seq(each.angle.number, Letter("°", "text")) for each in drawing.arrows]
    return _sketch(plane, strokes, named, lines, [[each.label for each in drawing.arrows], pairs, angles])


def moves(drawing: Moves) -> Sketch:
    """Draw what moves thin and grey where it was, and in colour where it is now; below them the figures."""
    points = [point for each in drawing.moves for point in (each.before, each.after) if point is not None]
    plane = _Plane.of(points)
    strokes: list[DrawnStroke] = []
    named: list[_Named] = []
    lines: list[tuple[Point, Point]] = []
    for place, each in enumerate(drawing.moves):
        tint = token_tint(each.label.place if isinstance(each.label, TokenLabel) else place)
        before, after = plane.at(each.before), None if each.after is None else plane.at(each.after)
        named.append(_Named(before if after is None else after, each.label, after is not None, tint))
        lines += [((0.0, 0.0), before), ((0.0, 0.0), after or before), (before, after or before)]
        strokes += _from_origin(before, tint if after is None else "faint", 1.4 if after is None else 0.9)
        if after is not None:
            strokes += _from_origin(after, tint, 2.8)
            if hypot(after[0] - before[0], after[1] - before[1]) > 2:
                strokes += arrow((before, after), tint, 1.2, dashed=True)
    columns: list[Sequence[PictureLabel | None]] = [
        [None, *(each.label for each in drawing.moves)],
        [drawing.before, *(_pair(each.before) for each in drawing.moves)],
        [None, *(_after(each) for each in drawing.moves)],
    ]
    columns[2] = [drawing.after, *columns[2][1:]]
    return _sketch(plane, strokes, named, lines, columns)


def _after(each: Move) -> Math | None:
    return None if each.after is None else _pair(each.after)


def _pair(point: PlottedPoint) -> Math:
    return Parens(seq(point[0].number, Sign(","), point[1].number))


def _tint(each: VectorArrow, first: VectorArrow) -> Tint:
    return token_tint(each.token) if each.token is not None else "rust" if each is first else "blue"


def _from_origin(tip: Point, tint: Tint, thickness: float) -> tuple[DrawnStroke, ...]:
    """Return an arrow from the origin; a disc if it has no length."""
    if hypot(*tip) > 1:
        return arrow(((0.0, 0.0), tip), tint, thickness)
    return (Spot(*tip, 2.0 + thickness / 2, tint),)


def _angle(first: VectorArrow, each: VectorArrow, radius: float) -> Course:
    """Draw a circular arc from the first arrow to another, the shorter way round."""
    start = atan2(first.at[1].size, first.at[0].size)
    turn = (atan2(each.at[1].size, each.at[0].size) - start + pi) % (2 * pi) - pi
    steps = max(2, int(abs(turn) * 12))
    angles = [start + turn * k / steps for k in range(steps + 1)]
    return Course(tuple((radius * cos(a), -radius * sin(a)) for a in angles), "ink", 0.9)


def _sketch(
    plane: _Plane,
    strokes: Sequence[DrawnStroke],
    named: Sequence[_Named],
    lines: Sequence[tuple[Point, Point]],
    columns: Sequence[Sequence[PictureLabel | None]],
) -> Sketch:
    """Return the plane with its axes, its labels where they cover nothing, and columns of figures below it."""
    axes = list(plane.axes())
    ticks = [_box_of(each) for each in axes if isinstance(each, Lettering)]
    lines = [*lines, ((plane.left, 0.0), (plane.right, 0.0)), ((0.0, plane.bottom), (0.0, plane.top))]
    boxes = _placed(named, lines, ticks)
    around = [(plane.left, plane.top, plane.right, plane.bottom), *ticks, *boxes]
    left, top = min(each[0] for each in around) - EDGE, min(each[1] for each in around) - EDGE
    right, bottom = max(each[2] for each in around) + EDGE, max(each[3] for each in around) + EDGE
    labels = [
        Lettering((box[0] + box[2]) / 2, box[3] - 4, each.label, tint=_written_in(each), bold=each.bold)
        for each, box in zip(named, boxes, strict=True)
    ]
    widths = [BOLD * widest(column) for column in columns]
    below = sum(widths) + GAP * (len(columns) - 1) + 2 * EDGE
    width = max(right - left, below)
    shift = (width - (right - left)) / 2 - left
    drawn = [shifted(each, shift, -top) for each in (*axes, *strokes, *labels)]
    y = bottom - top + LINE - 6
    tints = map(_written_in, named)
    for row in zip(*columns, strict=True):
        x = (width - below) / 2 + EDGE
        for place, (each, room) in enumerate(zip(row, widths, strict=True)):
            if each is not None:
                drawn.append(Lettering(x, y, each, "start", "ink" if place else next(tints)))
            x += room + GAP * (place < len(columns) - 1)
        y += LINE
    return Sketch(width, y - LINE + 10, tuple(drawn))


def _written_in(each: _Named) -> Tint:
    """Return the colour of a label: that of its arrow if it is a token's, which are dark enough to be read."""
    return each.tint if each.tint.startswith("token") else "ink"


def _box_of(text: Lettering) -> _Box:
    width = wide(text.what, small=text.small)
    left = text.x - {"start": 0.0, "middle": width / 2, "end": width}[text.anchor]
    return left, text.y - (SMALL if text.small else SIZE) * 0.8, left + width, text.y + 3


def _placed(named: Sequence[_Named], lines: Sequence[tuple[Point, Point]], taken: Sequence[_Box]) -> list[_Box]:
    """Return a place for each label near its tip: the first, from that behind the arrow on, that covers least."""
    boxes = list(taken)
    for each in named:
        x, y = each.tip
        start = atan2(y, x) if hypot(x, y) > 1 else -pi / 4
        tries = [(away, turn) for away in (5.0, 12.0, 22.0, 34.0) for turn in (0, 1, -1, 2, -2, 3, -3, 4)]
        found = [_beside(each, start + turn * pi / 4, away) for away, turn in tries]
        boxes.append(min(found, key=lambda box: _covered(box, boxes, lines)))
    return boxes[len(taken) :]


def _beside(each: _Named, direction: float, away: float) -> _Box:
    """Return the box of a label in some direction from its tip."""
    half, high = each.width / 2, 8.5
    x = each.tip[0] + (half + away) * cos(direction)
    y = each.tip[1] + (high + away) * sin(direction)
    return x - half, y - high, x + half, y + high


def _covered(box: _Box, boxes: Sequence[_Box], lines: Sequence[tuple[Point, Point]]) -> int:
    """Return how much a label covers at a place; other text counts more than lines."""
    left, top, right, bottom = box
    texts = sum(left < other[2] and other[0] < right and top < other[3] and other[1] < bottom for other in boxes)
    return 4 * texts + sum(_meets(box, start, end) for start, end in lines)


def _meets(box: _Box, start: Point, end: Point) -> bool:
    """Return whether a line runs through a box: whether some part of it is inside in both directions."""
    low, high = 0.0, 1.0
    for k in (0, 1):
        way, near, far = end[k] - start[k], box[k] - start[k], box[k + 2] - start[k]
        if way == 0:
            if near > 0 or far < 0:
                return False
            continue
        ends = sorted((near / way, far / way))
        low, high = max(low, ends[0]), min(high, ends[1])
    return low <= high
