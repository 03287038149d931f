"""What the sides of a chain are: a name, figures that are claimed, a formula in names, or one in figures alone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from symattn.checking.following.evaluate import figures_of
from symattn.checking.following.scope import Grid
from symattn.checking.reading.tree import Applied, FigureRead, GridRead, NameRead, Unread, Written

SideKind = Literal["name", "printed", "symbolic", "literal", "unread"]

_CONSTANT = frozenset({"e", "π", "pi"})


@dataclass(frozen=True)
class SortedSide:
    """A side of a chain, and what it is."""

    kind: SideKind
    of: Written
    figures: Grid = ()
    axes: int = 0


def sorted_side(written: Written) -> SortedSide:
    """What a side is."""
    match written:
        case FigureRead():
            return SortedSide("printed", written, ((written,),), 0)
        case GridRead():
            figures = filled(figures_of(written))
            if figures and figures[0]:
                return SortedSide("printed", written, figures, written.axes)
        case NameRead():
            return SortedSide("name", written)
        case Unread():
            return SortedSide("unread", written)
    pieces = list(walk(written))
    if any(isinstance(each, Unread) for each in pieces):
        return SortedSide("unread", written)
    names = any(isinstance(each, NameRead) and not is_constant(each) for each in pieces)
    return SortedSide("symbolic" if names else "literal", written)


def filled(figures: Grid | None) -> Grid:
    """Rows of one length: a last one that breaks off is filled with nothing."""
    if not figures or len({len(row) for row in figures[:-1]}) > 1:
        return ()
    wide = len(figures[0])
    if len(figures[-1]) > wide:
        return ()
    return (*figures[:-1], (*figures[-1], *[None] * (wide - len(figures[-1]))))


def is_constant(name: NameRead) -> bool:
    """Whether it is e or π."""
    return name.base in _CONSTANT and not name.below and not name.marks and not name.above


def walk(written: Written) -> Iterator[Written]:
    """An expression and all that is inside, without what stands below and above names."""
    stack = [written]
    while stack:
        one = stack.pop()
        yield one
        match one:
            case GridRead():
                stack.extend(each for row in reversed(one.rows) for each in reversed(row))
            case Applied():
                stack.extend(reversed(one.args))


def figures_in(written: Written) -> list[FigureRead]:
    """All figures of an expression."""
    return [each for each in walk(written) if isinstance(each, FigureRead)]


def grids_in(written: Written) -> Iterator[tuple[GridRead, Grid]]:
    """Grids of nothing but figures."""
    for each in walk(written):
        if isinstance(each, GridRead) and (figures := figures_of(each)):
            yield each, figures
