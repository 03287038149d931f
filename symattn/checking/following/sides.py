"""What the sides of a chain are: a name, figures that are claimed, a formula in names, or one in figures alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from symattn.checking.following.hints import role_of_name
from symattn.checking.following.scope import FigureGrid
from symattn.checking.following.written import figures_of, filled, is_constant, mended, variance, walk
from symattn.checking.reading.tree import Combined, Expressed, FigureRead, GridRead, NameRead, Unread

SideKind = Literal["name", "printed", "symbolic", "literal", "unread"]


@dataclass(frozen=True)
class SortedSide:
    """A side of a chain, and what it is."""

    kind: SideKind
    of: Expressed
    figures: FigureGrid = ()
    axes: int = 0


def sorted_side(written: Expressed) -> SortedSide:
    """What a side is."""
    match written:
        case Combined(op="call:print", args=(inner,)):
            return sorted_side(inner) if not isinstance(inner, Combined) else SortedSide("symbolic", inner)
        case FigureRead():
            return SortedSide("printed", written, ((written,),), 0)
        case GridRead():
            figures = mended(written) if written.torn else filled(figures_of(written))
            if figures and figures[0]:
                return SortedSide("printed", written, figures, written.axes)
        case NameRead():
            return SortedSide("name", written)
        case Unread():
            return SortedSide("unread", written)
    if (name := variance(written)) is not None:
        return SortedSide("name", name)
    pieces = list(walk(written))
    if any(isinstance(each, Unread) for each in pieces):
        return SortedSide("unread", written)
    names = any(isinstance(each, NameRead) and not is_constant(each) for each in pieces)
    return SortedSide("symbolic" if names else "literal", written)


def subject(side: SortedSide) -> NameRead | None:
    """The name that figures are said to be, or to be a part of: the α of ``α_{0,:}``, the PE of ``PE(1)``."""
    match side.of:
        case NameRead() as name if side.kind == "name":
            return name
        case Combined("index", (NameRead() as name, *_)):
            return name
        case Combined(op, (FigureRead(unit=1),) as which) if op.startswith("call:"):
            base = op.removeprefix("call:")
            if "position" in role_of_name(base):
                return NameRead(base, (), which, (), side.of.start, side.of.end, base)
    return None


def is_mask(side: SortedSide) -> bool:
    """Whether figures are nothing but 0 and −∞, or what is written for it: it follows from nothing.

    >>> from fractions import Fraction
    >>> zero, low = (FigureRead(str(each), Fraction(each), Fraction(1), 0, 0) for each in (0, -(10**9)))
    >>> is_mask(SortedSide("printed", zero, ((zero, low),), 1)), is_mask(SortedSide("printed", zero, ((zero,),), 1))
    (True, False)
    """
    among = [each for row in side.figures for each in row if each is not None]
    low = [each for each in among if (each.sign < 0 if each.value is None else each.value <= _LOW)]
    return 0 < len(low) < len(among) == len(low) + sum(each.value == 0 for each in among)


_LOW = -10_000
