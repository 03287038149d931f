"""The drawings that a picture can be: a closed set of frozen classes that hold labels and sizes, but no positions.

Every figure is a text that the solution has certified, with its approximate size, from which the renderers get lengths
and shades. ``None`` in a list marks items that are left out.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from symattn.base.shapes import EntryPlace
from symattn.show.math import Math, Number


@dataclass(frozen=True)
class TokenLabel:
    """The label of a token: text that may come from outside, and the place of the token, which decides its colour."""

    text: str
    place: int


PictureLabel = str | TokenLabel | Math
"""The label of a row, a bar or an arrow: plain text (which may come from outside), a token or a name."""


@dataclass(frozen=True)
class Plotted:
    """A figure as its matrix prints it, and its approximate size; an infinity has infinite size.

    What a mask hides has no text. ``of`` is the entry that the figure belongs to.
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
    """A matrix as cells with figures in them, the stronger in colour the larger; masked cells have no figure.

    If the rows of the matrix ``asks`` about its columns, as attention weights do, words above the labels say so.
    """

    symbol: Math
    rows: tuple[PictureLabel | None, ...]
    columns: tuple[PictureLabel | None, ...]
    cells: tuple[tuple[Plotted | None, ...], ...]
    asks: bool = False


@dataclass(frozen=True)
class BarGroup:
    """The bars of one row of a matrix; the only row needs no title."""

    title: PictureLabel | None
    bars: tuple[tuple[PictureLabel, Plotted] | None, ...]


@dataclass(frozen=True)
class BarChart:
    """Rows of a matrix as bars, as long as the figures at their ends.

    Bars of shares have a line at an even one: ``even`` is the number of shares in a row.
    """

    symbol: Math
    groups: tuple[BarGroup, ...]
    even: int = 0


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
    role: str = ""
    """The key of the words that say what it is, such as queries; empty if they would say little."""
    group: str = ""
    """The key of the part of a layer that it belongs to, if it belongs to one."""


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


PlottedPoint = tuple[Plotted, Plotted]


@dataclass(frozen=True)
class VectorArrow:
    """An arrow from the origin, and the angle in degrees between it and the first arrow, if known.

    ``token`` is the place of the token that it belongs to, if it belongs to one.
    """

    label: Math
    at: PlottedPoint
    angle: Plotted | None = None
    token: int | None = None


@dataclass(frozen=True)
class Vectors:
    """Rows of two figures as arrows in the plane. The others are compared with the first."""

    arrows: tuple[VectorArrow, ...]


@dataclass(frozen=True)
class Move:
    """A row of two figures before, and after if it moves."""

    label: PictureLabel
    before: PlottedPoint
    after: PlottedPoint | None


@dataclass(frozen=True)
class Moves:
    """Rows of one matrix as arrows in the plane, and where they are in another matrix."""

    before: Math
    after: Math
    moves: tuple[Move, ...]


@dataclass(frozen=True)
class Wave:
    """A column over the positions: a point at each, and the heights of the curve through them, if there is one.

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


Drawing = HeatMap | BarChart | Arcs | Flow | Vectors | Moves | WavePlot
