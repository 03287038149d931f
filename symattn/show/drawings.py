"""The drawings that a picture can be: a closed set of frozen classes that hold labels and sizes, but no positions.

Every figure is a text that the solution has certified, with its approximate size, from which the renderers get lengths
and shades. ``None`` in a list marks items that are left out.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from symattn.base.shapes import EntryPlace
from symattn.show.math import Math, Number

PictureLabel = str | Math
"""The label of a row, a bar or an arrow: plain text (which may come from outside) or a name."""


@dataclass(frozen=True)
class Plotted:
    """A figure as its matrix prints it, and its approximate size; an infinity has infinite size.

    ``of`` is the entry that the figure belongs to.
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
    """A matrix as cells with figures in them; larger figures have darker cells."""

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
    """The weights of one row; ``origin`` is its own position among the tokens, or ``None``."""

    title: PictureLabel
    origin: int | None
    weights: tuple[Plotted | None, ...]


@dataclass(frozen=True)
class Arcs:
    """Arcs from a token to the tokens it attends to, as thick as the weights."""

    symbol: Math
    tokens: tuple[PictureLabel | None, ...]
    rows: tuple[ArcRow, ...]


@dataclass(frozen=True)
class FlowNode:
    """A name of a derivation with its shape; ``given`` nodes have nothing behind them."""

    symbol: Math
    shape: Math
    given: bool
    sums: tuple[Math, ...] = ()
    """Its gradients that are sums over several outgoing edges."""


@dataclass(frozen=True)
class FlowEdge:
    """The positions of two nodes, the second of which is computed from the first, and the gradients that flow back."""

    start: int
    end: int
    back: tuple[Math, ...] = ()


@dataclass(frozen=True)
class Flow:
    """Which names are computed from which, in the order of the derivation, and which gradients flow back."""

    nodes: tuple[FlowNode, ...]
    edges: tuple[FlowEdge, ...]


@dataclass(frozen=True)
class VectorArrow:
    """An arrow from the origin, and the angle in degrees between it and the first arrow, if known."""

    label: Math
    x: Plotted
    y: Plotted
    angle: Plotted | None = None


@dataclass(frozen=True)
class Vectors:
    """Rows of two figures as arrows in the plane. The others are compared with the first."""

    arrows: tuple[VectorArrow, ...]


@dataclass(frozen=True)
class Wave:
    """A column over the positions: a figure at each, and the heights of the curve through them, if there is one.

    ``curve`` runs from the first position to the last in equal steps.
    """

    label: Math
    points: tuple[Plotted | None, ...]
    curve: tuple[float, ...] = ()


@dataclass(frozen=True)
class WavePlot:
    """The columns of a matrix, one below the other, over the positions, which are its rows."""

    symbol: Math
    positions: tuple[PictureLabel | None, ...]
    waves: tuple[Wave | None, ...]


Drawing = HeatMap | BarChart | Arcs | Flow | Vectors | WavePlot
