"""Figures in a line: short, in parentheses if necessary, with ⋯ for the middle of many.

A line uses ``=`` only if every figure in it is the exact value; a rounded one makes it ``≈``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TypeAlias

from flint import arb, fmpq

from symattn.base.printed import Figure
from symattn.show.math import Call, Letter, Math, Number, Parens, Relation, Script, Seq, Sign, joined, seq
from symattn.show.notation.terms import FUNCTIONS, factor, negative, one_term

LONGEST = 8
"""The most terms of a sum without ⋯ in the middle."""


RowsOfFigures = Sequence[Sequence[Figure]]
FigureOrMath: TypeAlias = Figure | Math
"""The operands and results of a rule: a figure by itself, or mathematics that is already written."""


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


def figure_in_a_line(x: FigureOrMath) -> Math:
    """Return a figure in a line: an exact one without the zeros that its matrix shows behind it."""
    if not isinstance(x, Figure):
        return x
    if isinstance(x, Written) and x.math is not None:
        return x.math
    return Number(x.short or x.text, x.entry)


def in_matrix(figure: Figure) -> Math:
    """Return a figure among the others of its matrix."""
    return figure_in_a_line(replace(figure, short=""))


def guarded(x: FigureOrMath) -> Math:
    """Return a figure inside a product or after a sign: negative ones and sums in parentheses."""
    return (
        Parens(figure_in_a_line(x)) if isinstance(x, Logarithm) else one_term(figure_in_a_line(x))
    )  # ln 2 · 3 would be ln 6


def behind(x: FigureOrMath) -> Math:
    """Return a figure behind a sign, at the end, where a logarithm needs no parentheses: 1·ln 2, 1 + ln 2."""
    if not isinstance(x, Figure):
        return Parens(x) if isinstance(x, Seq) and x.parts[0] == Sign("-") else x
    if isinstance(x, Logarithm) and not x.text.startswith("-"):
        return figure_in_a_line(x)
    return guarded(x)


def figure_product(a: FigureOrMath, b: FigureOrMath) -> Math:
    """Return a·b, and a (b + c)."""
    before = guarded(a) if isinstance(a, Figure) else factor(a)
    if isinstance(b, Figure):
        return seq(before, Sign("·"), behind(b))
    after = one_term(b)
    return seq(before, after) if isinstance(b, Seq) and after != b else seq(before, Sign("·"), after)


def opposite(x: FigureOrMath) -> FigureOrMath:
    """−a; of a figure the one with the other sign."""
    if not isinstance(x, Figure):
        return negative(x)
    return seq(Sign("-"), behind(x)) if isinstance(x, Written) else x.opposite()


def power(base: FigureOrMath, exponent: FigureOrMath) -> Math:
    """A power, where the exponent has to belong to all of its base: (−2)², (1/3)², (1.5·10⁹)²."""
    if isinstance(base, Figure) and (isinstance(base, Written) or not any(sign in base.text for sign in "/^")):
        return Script(guarded(base), sup=figure_in_a_line(exponent))
    return Script(Parens(figure_in_a_line(base)), sup=figure_in_a_line(exponent))


def weighted_logarithm(x: FigureOrMath) -> Math:
    """x ln x"""
    shown = figure_in_a_line(x) if isinstance(x, Figure) else Parens(x)
    return seq(shown, Letter("ln", "upright"), shown)


def _as_in_letters(rule: Callable[..., Math]) -> Callable[..., Math]:
    """A function that is written alike whatever it is of."""
    return lambda *parts: rule(*map(figure_in_a_line, parts))


IN_FIGURES: Mapping[str, Callable[..., FigureOrMath]] = MappingProxyType(
    {
        **{name: _as_in_letters(rule) for name, rule in FUNCTIONS.items()},
        "add": lambda a, b: seq(figure_in_a_line(a), Sign("+"), behind(b)),
        "sub": lambda a, b: seq(figure_in_a_line(a), Sign("-"), guarded(b)),
        "mul": figure_product,
        "neg": opposite,
        "pow": power,
        "xlogx": weighted_logarithm,
    }
)
"""How the elementary functions of equations are written between figures: no 0 and no 1 is left out."""


def shortened(pieces: Sequence[Math]) -> tuple[Math, ...]:
    """Return pieces side by side, without the middle of many."""
    return tuple(pieces) if len(pieces) <= LONGEST else (*pieces[:3], Sign("⋯"), pieces[-1])


def long_sum(terms: Sequence[Math]) -> Math:
    """Return terms with plus signs, without the middle of a long sum."""
    return joined(shortened(terms), "+")


def extreme(word: str, parts: Sequence[FigureOrMath]) -> Math:
    """max(a, b, c), the middle of many left out."""
    return Call(word, shortened([*map(figure_in_a_line, parts)]))


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
