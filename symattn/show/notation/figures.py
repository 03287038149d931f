"""How figures stand in a line: short, in parentheses where they need them, with ⋯ for the middle of many.

A line uses ``=`` only where every figure in it is the exact value; a rounded one makes it ``≈``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from flint import arb, fmpq

from symattn.base.printed import Figure
from symattn.show.math import Math, Number, Parens, Relation, Script, Sign, joined, seq
from symattn.show.notation.terms import one_term

LONGEST = 8
"""A sum of more terms than this is written with ⋯ in the middle."""


RowsOfFigures = Sequence[Sequence[Figure]]


@dataclass(frozen=True)
class Written(Figure):
    """An entry with free symbols in closed form, or without one where that is too long."""

    math: Math | None = None


@dataclass(frozen=True)
class Logarithm(Written):
    """An entry that is a logarithm, and written as one; its text is its decimals, which are not exact."""


def relation(figures: Sequence[Figure]) -> Relation:
    """``=`` if every figure is exact, else ``≈``."""
    return "=" if all(figure.exact for figure in figures) else "≈"


def plain(figure: Figure) -> Math:
    """A figure in a line: what is exact is written as short as it is, though its matrix shows zeros behind it."""
    if isinstance(figure, Written) and figure.math is not None:
        return figure.math
    return Number(figure.short or figure.text, figure.entry)


def in_matrix(figure: Figure) -> Math:
    """A figure among the others of its matrix."""
    return plain(replace(figure, short=""))


def guarded(figure: Figure) -> Math:
    """A figure inside a product or after a sign: negative ones and sums in parentheses."""
    if isinstance(figure, Logarithm):
        return Parens(plain(figure))  # ln 2 · 3 would be ln 6
    if isinstance(figure, Written):
        return one_term(plain(figure))
    return Parens(plain(figure)) if figure.text.startswith("-") else plain(figure)


def to_power(figure: Figure, exponent: int) -> Math:
    """A figure under an exponent, which has to belong to all of it: (−2)², (1/3)², (1.5·10⁹)²."""
    loose = not isinstance(figure, Written) and any(sign in figure.text for sign in "/^")
    return Script(Parens(plain(figure)) if loose else guarded(figure), sup=Number(str(exponent)))


def behind(figure: Figure) -> Math:
    """A figure behind a sign, with nothing more behind it that its logarithm could take in: 1·ln 2, 1 + ln 2."""
    if isinstance(figure, Logarithm) and not figure.text.startswith("-"):
        return plain(figure)
    return guarded(figure)


def times(a: Figure, b: Figure) -> Math:
    """a·b"""
    return seq(guarded(a), Sign("·"), behind(b))


def shortened(pieces: Sequence[Math]) -> tuple[Math, ...]:
    """Pieces side by side, the middle of many left out."""
    return tuple(pieces) if len(pieces) <= LONGEST else (*pieces[:3], Sign("⋯"), pieces[-1])


def summed(terms: Sequence[Math]) -> Math:
    """Terms with plus signs, the middle of a long sum left out."""
    return joined(shortened(terms), "+")


def is_faint(figure: Figure) -> bool:
    """Whether a rounded figure begins with two zeros behind its point: 0.000012 says little, 0.000000 nothing."""
    return not figure.exact and figure.text.lstrip("-").startswith("0.00")


def exact_value(figure: Figure) -> fmpq | None:
    """The value of a figure that is exact and no closed form."""
    return figure.number if figure.exact and not isinstance(figure, Written) else None


def exact_ball(figure: Figure) -> arb | None:
    """The value of a figure that is exact: e⁰ is 1, though the enclosure of a sum of roots around 0 has a radius."""
    read = exact_value(figure)
    return None if read is None else arb(read)
