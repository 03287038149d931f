"""What a picture can be: a closed set of frozen drawings. They hold what is printed and how large it is, and no place.

Every figure is a text that the solution has certified, with about its size, from which the renderers get lengths and
shades. ``None`` in a list stands for what is left out there.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from symattn.base.shapes import EntryPlace
from symattn.show.math import Math, Number

PictureLabel = str | Math
"""What stands beside a row, a bar or an arrow: a label (plain text, may come from outside) or a name."""


@dataclass(frozen=True)
class Plotted:
    """A figure as its matrix prints it, and about how large it is; an infinity is as large as that.

    ``of`` is the entry that it is the figure of.
    """

    text: str
    size: float
    of: EntryPlace | None = field(default=None, compare=False, repr=False)

    @property
    def number(self) -> Number:
        """The figure as mathematics."""
        return Number(self.text, self.of)


@dataclass(frozen=True)
class HeatMap:
    """A matrix as cells, the darker the larger, with the figures in them."""

    symbol: Math
    rows: tuple[PictureLabel | None, ...]
    columns: tuple[PictureLabel | None, ...]
    cells: tuple[tuple[Plotted | None, ...], ...]


@dataclass(frozen=True)
class BarGroup:
    """The bars of one row of a matrix; the only row needs no title."""

    title: PictureLabel | None
    bars: tuple[tuple[PictureLabel, Plotted] | None, ...]


@dataclass(frozen=True)
class BarChart:
    """Rows of a matrix as bars, as long as the figures at their ends."""

    symbol: Math
    groups: tuple[BarGroup, ...]


@dataclass(frozen=True)
class ArcRow:
    """What one row looks at; ``origin`` is its own place among those it looks at, if it is among them."""

    title: PictureLabel
    origin: int | None
    weights: tuple[Plotted | None, ...]


@dataclass(frozen=True)
class Arcs:
    """Arcs from a token to the tokens it looks at, as thick as the weights."""

    symbol: Math
    tokens: tuple[PictureLabel | None, ...]
    rows: tuple[ArcRow, ...]


@dataclass(frozen=True)
class FlowNode:
    """A name of a derivation with its shape; ``given`` says that nothing is behind it."""

    symbol: Math
    shape: Math
    given: bool
    sums: tuple[Math, ...] = ()
    """Its gradients that are sums of what comes back along several edges."""


@dataclass(frozen=True)
class FlowEdge:
    """The places of two nodes, the second of which is made of the first, and the gradients that come back."""

    start: int
    end: int
    back: tuple[Math, ...] = ()


@dataclass(frozen=True)
class Flow:
    """Which name is made of which, in the order of the derivation, and which gradients come back."""

    nodes: tuple[FlowNode, ...]
    edges: tuple[FlowEdge, ...]


@dataclass(frozen=True)
class VectorArrow:
    """An arrow from the origin, and the angle in degrees to it from the first arrow, where that is known."""

    label: Math
    x: Plotted
    y: Plotted
    angle: Plotted | None = None


@dataclass(frozen=True)
class Vectors:
    """Rows of two figures as arrows in the plane. The first is the one that the others are compared with."""

    arrows: tuple[VectorArrow, ...]


@dataclass(frozen=True)
class Wave:
    """A column over the positions: a figure at each, and the heights of the curve that runs through them, if one does.

    ``curve`` goes from the first position to the last in steps of the same length.
    """

    label: Math
    points: tuple[Plotted | None, ...]
    curve: tuple[float, ...] = ()


@dataclass(frozen=True)
class WavePlot:
    """The columns of a matrix, one under the other, over the positions that are its rows."""

    symbol: Math
    positions: tuple[PictureLabel | None, ...]
    waves: tuple[Wave | None, ...]


Drawing = HeatMap | BarChart | Arcs | Flow | Vectors | WavePlot
