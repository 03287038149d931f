"""Figures that follow from what a program printed with fewer digits than it had.

They are a little off what follows from those, and nobody made a mistake.
"""

from __future__ import annotations

from dataclasses import replace

from flint import arb

from symattn.checking.following.chain import Equated, as_printed, fits
from symattn.checking.following.judging import units_off
from symattn.checking.following.rows import ball
from symattn.checking.following.scope import Memory, rows_of
from symattn.checking.following.verdicts import Ought
from symattn.checking.following.worlds import Worlds
from symattn.checking.following.written import walk
from symattn.checking.reading.tree import FigureRead, GridRead

MOST_OFF = 2.5
"""How many units of its last place a figure is off at most through what was not printed."""


def loosened(truth: Ought, chain: Equated, scope: Memory) -> Ought:
    """What figures ought to be, as far as printed givens tell: they themselves, if they are only a little off it."""
    printed = chain.printed[0] if chain.printed else None
    if printed is None or not printed.axes or not fits(truth.value, printed) or not _is_of_output(truth, chain, scope):
        return truth
    true = as_printed(truth.value, printed).true
    pairs = [
        (f, x) for row, line in zip(printed.figures, true, strict=True) for f, x in zip(row, line, strict=True) if f
    ]
    off = [units_off(figure, x, figure.unit) for figure, x in pairs]
    if max(off) <= 0.5 or max(off) > MOST_OFF or all(f.unit >= 1 for f, _ in pairs):
        return truth
    points = rows_of(printed.figures)
    wide = [
        [x if f is None else arb(x.mid(), ball(f.unit / 2)) for f, x in zip(row, line, strict=True)]
        for row, line in zip(printed.figures, points, strict=True)
    ]
    value = Worlds(wide, points, points, printed.axes, truth.value.of)
    return replace(truth, value=value, meant=None, hidden=(*truth.hidden, "of figures that a program rounded"))


def _is_of_output(truth: Ought, chain: Equated, scope: Memory) -> bool:
    if any(scope.quantities[number].is_output for number in truth.value.of):
        return True
    literal = (one for side in chain.literal for one in walk(side.of))
    return any(isinstance(one, GridRead) and is_print(one) for one in literal)


def is_print(grid: GridRead) -> bool:
    """Whether numbers stand there as a program prints them, and not whole ones alone."""
    figures = [each for row in grid.rows for each in row if isinstance(each, FigureRead)]
    return grid.kind == "tensor" and any(each.unit < 1 for each in figures)
