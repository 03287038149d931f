"""Figures that follow from what a program printed with fewer digits than it had.

They are a little off what follows from those, and nobody made a mistake.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

from flint import arb

from symattn.checking.following.chain import Equated, agreeing, as_printed, fits
from symattn.checking.following.judging import prints, units_off
from symattn.checking.following.names import called
from symattn.checking.following.rows import ball
from symattn.checking.following.scope import Memory, rows_of
from symattn.checking.following.verdicts import Ought
from symattn.checking.following.worlds import Worlds
from symattn.checking.following.written import walk
from symattn.checking.reading.tree import FigureRead, GridRead, NameRead

MOST_OFF = Fraction(5, 2)
"""How many units of its last place a figure is off at most through what was not printed."""

OFTEN = 0.4
"""The share of figures that are off, where that comes from givens: these are used for all of them."""


def loosened(truth: Ought, chain: Equated, scope: Memory) -> Ought:
    """What figures ought to be, as far as printed givens tell: they themselves, if they are only a little off it."""
    printed = chain.printed[0] if chain.printed else None
    if printed is None or not printed.axes or not fits(truth.value, printed):
        return truth
    coarse = max(units_of_output(truth, chain, scope), default=Fraction(0))
    if not coarse:
        return truth
    true = as_printed(truth.value, printed).true
    pairs = [
        (f, x) for row, line in zip(printed.figures, true, strict=True) for f, x in zip(row, line, strict=True) if f
    ]
    off = sum(not prints(f, x, f.unit) and f.unit < 1 for f, x in pairs)
    if off < (OFTEN * len(pairs) if not chain.literal else 1):
        return truth
    if agreeing(replace(truth.value, true=truth.value.carried), printed) == 1:
        return truth  # they are right for the printed figures before them
    if any(units_off(f, x, max(MOST_OFF * f.unit, coarse / 2)) > 1 for f, x in pairs):
        return truth
    points = rows_of(printed.figures)
    wide = [
        [x if f is None else arb(x.mid(), ball(f.unit / 2)) for f, x in zip(row, line, strict=True)]
        for row, line in zip(printed.figures, points, strict=True)
    ]
    value = Worlds(wide, points, points, printed.axes, truth.value.of)
    return replace(truth, value=value, meant=None, hidden=(*truth.hidden, "of figures that a program rounded"))


def units_of_output(truth: Ought, chain: Equated, scope: Memory) -> Iterator[Fraction]:
    """What the last places are worth of the figures that a program printed, and that something follows from."""
    named = (
        (scope.named(called(one)) for one in walk(truth.formula) if isinstance(one, NameRead)) if truth.formula else ()
    )
    known = (*named, *(scope.quantities[number] for number in truth.value.of))
    for each in known:
        if each is not None and each.is_output:
            yield from (figure.unit for row in each.figures for figure in row if figure is not None and figure.unit < 1)
    for side in chain.literal:
        for one in walk(side.of):
            if isinstance(one, GridRead) and one.kind == "tensor":
                yield from (
                    each.unit for row in one.rows for each in row if isinstance(each, FigureRead) and each.unit < 1
                )


def is_print(grid: GridRead) -> bool:
    """Whether numbers stand there as a program prints them."""
    return grid.kind == "tensor"
