"""Figures in a line: short, in parentheses if necessary, with ⋯ for the middle of many.

A line uses ``=`` only if every figure in it is the exact value; a rounded one makes it ``≈``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from flint import arb, fmpq

from symattn.base.printed import Figure
from symattn.show.math import Math, Number, Parens, Relation, Script, Sign, joined, seq
from symattn.show.notation.terms import one_term

LONGEST = 8
"""The most terms of a sum without ⋯ in the middle."""


RowsOfFigures = Sequence[Sequence[Figure]]


@dataclass(frozen=True)
class Written(Figure):
    """An entry with free symbols in closed form, or without one if that is too long."""

    math: Math | None = None


@dataclass(frozen=True)
class Logarithm(Written):
    """An entry that is written as a logarithm; its text is its decimals, which are not exact."""


def relation(figures: Sequence[Figure]) -> Relation:
    """Return ``=`` if every figure is exact, otherwise ``≈``."""
    return "=" if all(figure.exact for figure in figures) else "≈"


def plain(figure: Figure) -> Math:
    """Return a figure in a line: an exact one without the zeros that its matrix shows behind it."""
    if isinstance(figure, Written) and figure.math is not None:
        return figure.math
    return Number(figure.short or figure.text, figure.entry)


def in_matrix(figure: Figure) -> Math:
    """Return a figure among the others of its matrix."""
    return plain(replace(figure, short=""))


def guarded(figure: Figure) -> Math:
    """Return a figure inside a product or after a sign: negative ones and sums in parentheses."""
    if isinstance(figure, Logarithm):
        return Parens(plain(figure))  # ln 2 · 3 would be ln 6
    if isinstance(figure, Written):
        return one_term(plain(figure))
    return Parens(plain(figure)) if figure.text.startswith("-") else plain(figure)


def to_power(figure: Figure, exponent: int) -> Math:
    """Return a figure with an exponent that applies to all of it: (−2)², (1/3)², (1.5·10⁹)²."""
    loose = not isinstance(figure, Written) and any(sign in figure.text for sign in "/^")
    return Script(Parens(plain(figure)) if loose else guarded(figure), sup=Number(str(exponent)))


def behind(figure: Figure) -> Math:
    """Return a figure behind a sign, at the end, where a logarithm needs no parentheses: 1·ln 2, 1 + ln 2."""
    if isinstance(figure, Logarithm) and not figure.text.startswith("-"):
        return plain(figure)
    return guarded(figure)


def times(a: Figure, b: Figure) -> Math:
    """Return a·b."""
    return seq(guarded(a), Sign("·"), behind(b))


def shortened(pieces: Sequence[Math]) -> tuple[Math, ...]:
    """Return pieces side by side, without the middle of many."""
    return tuple(pieces) if len(pieces) <= LONGEST else (*pieces[:3], Sign("⋯"), pieces[-1])


def summed(terms: Sequence[Math]) -> Math:
    """Return terms with plus signs, without the middle of a long sum."""
    return joined(shortened(terms), "+")


def is_faint(figure: Figure) -> bool:
    """Return whether a rounded figure has two zeros behind its point: 0.000012 says little, 0.000000 nothing."""
    return not figure.exact and figure.text.lstrip("-").startswith("0.00")


def exact_value(figure: Figure) -> fmpq | None:
    """Return the value of a figure that is exact and not a closed form, otherwise ``None``."""
    return figure.number if figure.exact and not isinstance(figure, Written) else None


def exact_ball(figure: Figure) -> arb | None:
    """Return an exact figure's value as a ball: e⁰ is 1, though the enclosure of a sum of roots around 0 is wide."""
    read = exact_value(figure)
    return None if read is None else arb(read)
