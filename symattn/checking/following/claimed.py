"""What a chain claims, seen from its sides alone: a count, a number among words, an index, a row worked out by hand."""

from __future__ import annotations

from fractions import Fraction

from symattn.checking.following.chain import Equated, fits
from symattn.checking.following.indexed import LETTERS
from symattn.checking.following.sides import SortedSide
from symattn.checking.following.verdicts import Ought
from symattn.checking.following.worlds import Worlds
from symattn.checking.following.written import walk
from symattn.checking.reading.tree import Combined, FigureRead, NameRead

SLACK = Fraction(1, 4)
"""How far the digits of a row leave open what it adds up to, at most."""


CALCULATED = 99
"""What is larger, and whole, is mostly a count."""


def is_of_other_kind(value: Worlds, chain: Equated) -> bool:
    """Whether figures are no matrix, and cannot be a value by their shape."""
    return bool(chain.printed) and chain.printed[0].axes < 2 and not fits(value, chain.printed[0])


def is_by_hand(found: Ought, chain: Equated) -> bool:
    """Whether a row was worked out from figures beside it."""
    return found.is_literal or (found.does in ("proportions", "normalise") or "divided by" in found.text)


def is_alone(chain: Equated) -> bool:
    """Whether it is a single figure without any sign, which claims nothing."""
    return len(chain.told.sides) == 1 and chain.printed[0].axes == 0


def is_of_shares(printed: SortedSide) -> bool:
    """Whether every row adds up to 1, as far as its digits tell."""
    for row in printed.figures:
        values = [figure.value for figure in row if figure is not None and figure.value is not None]
        slack = Fraction(sum(figure.unit for figure in row if figure is not None))
        total = Fraction(sum(values))
        if len(values) < max(2, len(row)) or min(values) < 0 or not -slack <= total - 1 <= slack < SLACK:
            return False
    return printed.axes > 0


def is_count(printed: SortedSide) -> bool:
    """Whether a single number is a whole one, which anything may be rounded to."""
    return all(figure is not None and figure.unit >= 1 for row in printed.figures for figure in row)


def is_of_sizes(chain: Equated) -> bool:
    """``m^2 n = 6^2 \\cdot 3 = 108``: whether it counts something, with sizes that may be those of another example."""
    formulas = (*chain.literal, *chain.printed)
    figures = [each for side in formulas for each in walk(side.of) if isinstance(each, FigureRead)]
    is_whole = all(each.value is not None and each.unit == 1 and each.value >= 0 for each in figures)
    return is_whole and any(each.value > CALCULATED for each in figures if each.value is not None)


def index_equation(chain: Equated) -> bool:
    """``2i = 0``, ``2i + 1 = 3``: which place is spoken of, and no result."""
    return bool(chain.symbolic) and all(
        isinstance(one, FigureRead)
        or (isinstance(one, NameRead) and one.base in LETTERS and not one.below)
        or (isinstance(one, Combined) and one.op in ("+", "-", "*"))
        for each in (*chain.symbolic, *chain.printed)
        for one in walk(each.of)
    )


def is_only_called(formula: object) -> bool:
    """``attend(Q, K, V)``: a function of the program's own says nothing of what its results are.

    >>> is_only_called(None)
    False
    """
    return (
        isinstance(formula, Combined)
        and formula.op.startswith("call:")
        and len(formula.args) > 1
        and all(isinstance(each, NameRead) for each in formula.args)
    )
