"""The elements of a picture: a closed set of strokes, in units of a CSS pixel (three quarters of a point).

y grows downwards, and text is placed by its base line. Colours have names; each format has its own notation for them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

from symattn.base.shapes import EntryPlace
from symattn.show.drawings import PictureLabel, TokenLabel
from symattn.show.math import Math
from symattn.write import layout

Tint = Literal["ink", "faint", "paper", "blue", "rust", "token1", "token2", "token3", "token4", "token5", "token6"]
TOKEN_TINTS: tuple[Tint, ...] = ("token1", "token2", "token3", "token4", "token5", "token6")
"""The colours of the first tokens; the others are faint."""
Anchor = Literal["start", "middle", "end"]
Point = tuple[float, float]

SIZE = 13.0
"""The size of text, and of smaller text beside it."""
SMALL = 11.0

BOLD = 1.1
"""The width of bold text relative to normal text."""


@dataclass(frozen=True)
class Ground:
    """A rectangle, filled with a percentage of a colour; ``of`` is the entry that it shows, if it shows one."""

    x: float
    y: float
    width: float
    height: float
    tint: Tint = "blue"
    share: int = 0
    edge: Tint = "faint"
    thickness: float = 0.8
    round: float = 0.0
    of: EntryPlace | None = None


@dataclass(frozen=True)
class Course:
    """A line through points, or along Bézier curves: then two control points precede each end."""

    points: tuple[Point, ...]
    tint: Tint = "ink"
    thickness: float = 1.0
    curved: bool = False
    dashed: bool = False


@dataclass(frozen=True)
class Filled:
    """A closed shape in one colour, such as the head of an arrow."""

    points: tuple[Point, ...]
    tint: Tint = "ink"


@dataclass(frozen=True)
class Spot:
    """A small disc."""

    x: float
    y: float
    radius: float
    tint: Tint = "ink"


@dataclass(frozen=True)
class Lettering:
    """A label, a name or a figure."""

    x: float
    y: float
    what: PictureLabel
    anchor: Anchor = "middle"
    tint: Tint = "ink"
    bold: bool = False
    small: bool = False

    @property
    def shade(self) -> Tint:
        """The colour: a token has its own."""
        return tint_of(self.what, self.tint) if self.tint == "ink" else self.tint


DrawnStroke = Ground | Course | Filled | Spot | Lettering


@dataclass(frozen=True)
class Sketch:
    """A picture after its layout."""

    width: float
    height: float
    strokes: tuple[DrawnStroke, ...]


def token_tint(place: int) -> Tint:
    """Return the colour of a token, the same in every picture.

    >>> token_tint(0), token_tint(5), token_tint(6)
    ('token1', 'token6', 'faint')
    """
    return TOKEN_TINTS[place] if place < len(TOKEN_TINTS) else "faint"


def tint_of(label: PictureLabel, otherwise: Tint) -> Tint:
    """Return the colour of the token that a label names; others have a colour of their own."""
    return token_tint(label.place) if isinstance(label, TokenLabel) else otherwise


def wide(what: PictureLabel | None, small: bool = False) -> float:
    """Estimate the width of a label; a fraction is written a/b."""
    text = what.text if isinstance(what, TokenLabel) else what
    ems = 0.0 if text is None else layout.text_width(text) if isinstance(text, str) else layout.slashed_width(text)
    return ems * (SMALL if small else SIZE)


def widest(labels: Iterable[PictureLabel | None], small: bool = False) -> float:
    """Return the width of the widest of some labels."""
    return max((wide(label, small) for label in labels), default=0.0)


def arrow(
    points: tuple[Point, ...], tint: Tint = "ink", thickness: float = 1.0, curved: bool = False, dashed: bool = False
) -> tuple[DrawnStroke, ...]:
    """Return a line with a head at its end, in the direction of its last part."""
    (x0, y0), (x, y) = points[-2], points[-1]
    length = max(((x - x0) ** 2 + (y - y0) ** 2) ** 0.5, 1e-9)
    dx, dy = (x - x0) / length, (y - y0) / length
    head = 5.0 + 1.6 * thickness
    half = 0.42 * head
    foot = (x - head * dx, y - head * dy)
    sides = ((foot[0] - half * dy, foot[1] + half * dx), (foot[0] + half * dy, foot[1] - half * dx))
    line = Course((*points[:-1], (x - 0.8 * head * dx, y - 0.8 * head * dy)), tint, thickness, curved, dashed)
    return (line, Filled(((x, y), *sides), tint))


def hatched(x: float, y: float, width: float, height: float, tint: Tint = "faint") -> tuple[DrawnStroke, ...]:
    """Return slanting lines over a rectangle, which replace a colour where there is none."""
    lines: list[DrawnStroke] = []
    reach = 7.0
    while reach < width + height:
        start = (x + max(0.0, reach - height), y + min(reach, height))
        end = (x + min(reach, width), y + max(0.0, reach - width))
        lines.append(Course((start, end), tint, 0.5))
        reach += 7.0
    return tuple(lines)


def shifted(stroke: DrawnStroke, x: float, y: float) -> DrawnStroke:
    """Return a stroke at another place."""
    if isinstance(stroke, Course | Filled):
        return replace(stroke, points=tuple((one + x, other + y) for one, other in stroke.points))
    return replace(stroke, x=stroke.x + x, y=stroke.y + y)


def dots(symbol: Math | str, x: float, y: float) -> Lettering:
    """Return the mark of an omission."""
    return Lettering(x, y, symbol, tint="faint")
