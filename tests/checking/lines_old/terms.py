"""Terms with their values, written as LaTeX, as plain text and as Python; none of it uses symattn.

A value is a Fraction as long as it is exact, and a float otherwise. ``figure`` refuses to round what lies so close
to the middle of two figures that a reader may round it either way.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from decimal import ROUND_HALF_EVEN, Decimal, localcontext
from fractions import Fraction
from typing import Literal

Value = Fraction | float
Notation = Literal["tex", "plain", "code"]

SUM, PRODUCT, POWER, ATOM = range(4)
"""How tightly the outermost operation of a term binds."""

SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


class AwkwardError(Exception):
    """A figure that may be rounded two ways, or that is not worth printing: draw another line."""


@dataclass(frozen=True)
class Term:
    """A term in three notations, and its value."""

    tex: str
    plain: str
    code: str
    value: Value
    level: int = ATOM
    is_fraction: bool = False
    """Whether LaTeX shows it as a fraction, which needs no parentheses in a product."""

    def write(self, notation: Notation) -> str:
        """Write the term in a notation."""
        return {"tex": self.tex, "plain": self.plain, "code": self.code}[notation]


def decimals_of(value: Fraction, most: int = 6) -> int | None:
    """Count the decimals of a number that ends; return None if it has more than ``most``."""
    return next((digits for digits in range(most + 1) if (value * 10**digits).denominator == 1), None)


def figure(value: Value, decimals: int | None = None) -> str:
    """Print a value rounded to so many decimals; without them, print it exactly.

    >>> figure(Fraction(3, 4)), figure(Fraction(2, 3), 3), figure(-2.71828, 2)
    ('0.75', '0.667', '-2.72')
    """
    if decimals is None:
        exact = decimals_of(Fraction(value))
        if exact is None:
            raise AwkwardError(f"{value} does not end")
        decimals = exact
    scaled = Fraction(value) * 10**decimals
    beyond = scaled - math.floor(scaled)
    if abs(beyond - Fraction(1, 2)) < Fraction(1, 100):
        raise AwkwardError(f"{value} lies in the middle")
    rounded = math.floor(scaled + Fraction(1, 2))
    if rounded == 0 and value != 0:
        raise AwkwardError(f"{value} vanishes")
    if abs(rounded) >= 10**9:
        raise AwkwardError(f"{value} is too long")
    with localcontext() as context:
        context.prec = 40
        return str((Decimal(rounded) / 10**decimals).quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_EVEN))


def number(value: Value, decimals: int | None = None) -> Term:
    """Write a number; a negative one binds as a sum does, so that it gets parentheses."""
    text = figure(value, decimals)
    return Term(text, text, text, value, SUM if text.startswith("-") else ATOM)


def named(name: str, value: Value, tex: str = "", code: str = "") -> Term:
    """Write a name that has a value."""
    return Term(tex or name, name, code or name, value)


def bracketed(term: Term) -> Term:
    """Put parentheses around a term."""
    return Term(f"({term.tex})", f"({term.plain})", f"({term.code})", term.value)


def inside(term: Term, least: int) -> Term:
    """Put parentheses around a term that binds less tightly than ``least``."""
    if term.level >= least:
        return term
    inner = bracketed(term)
    return replace(inner, tex=term.tex, is_fraction=True) if term.is_fraction and least < ATOM else inner


def plus(one: Term, other: Term) -> Term:
    """Add two terms."""
    other = inside(other, PRODUCT)
    return Term(
        f"{one.tex} + {other.tex}",
        f"{one.plain} + {other.plain}",
        f"{one.code} + {other.code}",
        one.value + other.value,
        SUM,
    )


def minus(one: Term, other: Term) -> Term:
    """Subtract the second term from the first."""
    other = inside(other, PRODUCT)
    return Term(
        f"{one.tex} - {other.tex}",
        f"{one.plain} - {other.plain}",
        f"{one.code} - {other.code}",
        one.value - other.value,
        SUM,
    )


def times(one: Term, other: Term) -> Term:
    """Multiply two terms."""
    one, other = inside(one, PRODUCT), inside(other, POWER)
    return Term(
        rf"{one.tex} \cdot {other.tex}",
        f"{one.plain} · {other.plain}",
        f"{one.code} * {other.code}",
        one.value * other.value,
        PRODUCT,
    )


def over(one: Term, other: Term) -> Term:
    """Divide two terms: a fraction in LaTeX, a slash elsewhere."""
    if other.value == 0:
        raise AwkwardError("division by zero")
    top, below = inside(one, PRODUCT), inside(other, POWER)
    return Term(
        rf"\frac{{{one.tex}}}{{{other.tex}}}",
        f"{top.plain} / {below.plain}",
        f"{top.code} / {below.code}",
        one.value / other.value,
        PRODUCT,
        True,
    )


def negative(term: Term) -> Term:
    """Put a minus before a term."""
    term = inside(term, PRODUCT)
    return Term(f"-{term.tex}", f"-{term.plain}", f"-{term.code}", -term.value, SUM)


def power(base: Term, exponent: int) -> Term:
    """Raise a term to an integer power."""
    if base.value == 0 and exponent < 0:
        raise AwkwardError("division by zero")
    base = inside(base, ATOM)
    tex = str(exponent) if 0 <= exponent <= 9 else f"{{{exponent}}}"
    plain = f"^{exponent}" if exponent > 3 or exponent < 0 else str(exponent).translate(SUPERSCRIPTS)
    return Term(
        f"{base.tex}^{tex}", f"{base.plain}{plain}", f"{base.code}**{exponent}", base.value ** Fraction(exponent), POWER
    )


def called(tex: str, plain: str, code: str, term: Term, value: Value) -> Term:
    """Apply a function, named in each notation, to a term."""
    return Term(f"{tex}({term.tex})", f"{plain}({term.plain})", f"{code}({term.code})", value)


def added(terms: list[Term]) -> Term:
    """Add a list of terms from the left."""
    total = terms[0]
    for term in terms[1:]:
        total = plus(total, term)
    return total


def multiplied(terms: list[Term]) -> Term:
    """Multiply a list of terms from the left."""
    total = terms[0]
    for term in terms[1:]:
        total = times(total, term)
    return total


def root_of(value: Fraction) -> Fraction | float:
    """Take the square root, exactly where it is rational."""
    top, below = math.isqrt(value.numerator), math.isqrt(value.denominator)
    if Fraction(top, below) ** 2 == value:
        return Fraction(top, below)
    return math.sqrt(value)
