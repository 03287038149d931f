"""Equations in double precision: balls around whatever a library may hand back, one operation at a time.

The precision is what :mod:`symattn.codegen.double` works with. An exponential may overflow: 1 / (1 + e^800) is 0 all
the same, and what such a number is gone on with is the infinity that a program has. Any other number that leaves the
range is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import reduce
from operator import mul
from typing import Any

from flint import arb, fmpq

from symattn.errors import RenderError, UndecidedError
from symattn.remembered import cached_property
from symattn.values.balls import FUNCTIONS, Balls

BITS = 48
"""Precision of the enclosures: double precision has 53."""

LARGE, SMALL, NOTHING = arb(2) ** 440, arb(2) ** -440, arb(2) ** -1080
"""Larger numbers may overflow when squared; smaller ones may have become 0; the last are 0 in double precision."""

FINITE, INFINITE = arb(2) ** 1024 - arb(2) ** 1010, arb(2) ** 1024 + arb(2) ** 1010
"""What double precision surely holds, and what it surely does not."""

OVERFLOWS, ENDLESS = arb(709), arb(2) ** 20
"""From the first on, eˣ may overflow; beyond the second nobody needs to know by how much."""

SATURATED = 40
"""Beyond this, tanh(x) and erf(x) are −1 or 1 in double precision."""

SURE_ANGLE = 2**20
"""Radians up to which every library takes off whole turns without loss."""

TOO_LARGE = "a number on the way is larger than 10^132: a program in double precision may lose it"


def in_range(x: arb) -> arb:
    """What a name may hold: too small is 0.

    Raises :class:`~symattn.errors.RenderError` for what may overflow when it is gone on with.
    """
    if x.is_finite() and not abs(x) < LARGE:
        if abs(x) >= LARGE:
            raise RenderError(TOO_LARGE)
        return arb.nan()
    return vanishing(x)


def vanishing(x: arb) -> arb:
    """A number that may be too small for double precision."""
    if abs(x) < NOTHING:
        return arb()
    return x.union(arb()) if abs(x) < SMALL else x


def add_up(terms: list[arb], any_order: bool) -> arb:
    """A sum, from left to right or in any order."""
    value = reduce(lambda a, b: a + b, terms, arb())
    if not any_order or _is_exact(terms) or not value.is_finite():
        return value
    return widened(value, sum((abs(x) for x in terms), arb()), len(terms))


def _is_exact(terms: list[arb]) -> bool:
    """Whether every sum of these numbers, in whatever order, is free of rounding in double precision."""
    if not all(x.is_exact() and x.is_finite() for x in terms):
        return False
    parts = [x.man_exp() for x in terms if not x.is_zero()]
    if not parts:
        return True
    lowest = min(int(exponent) for _, exponent in parts)
    if max(int(exponent) for _, exponent in parts) - lowest > BITS:
        return False
    size: int = sum(abs(int(mantissa)) << (int(exponent) - lowest) for mantissa, exponent in parts)
    return size.bit_length() <= BITS


def widened(value: arb, size: arb, count: int = 1) -> arb:
    """``value`` with the error of that many roundings of numbers of that size, and of 32 at least."""
    return value + arb(0, (size * max(count, 32)).upper() * arb(2) ** -53)


@dataclass(frozen=True)
class Doubles(Balls):
    """An arithmetic for equations. ``endless`` is one without overflow, which holds the true numbers."""

    any_order: bool = True
    loose: bool = False
    """Whether what is subtracted has been rounded: PyTorch takes x / σ − μ / σ for (x − μ) / σ."""
    endless: bool = False
    overflowed: list[bool] = field(default_factory=list)
    """Not empty where an exponential has overflowed."""

    @cached_property
    def functions(self) -> Mapping[str, Callable[..., arb]]:
        """The elementary functions, with the range of double precision."""
        rules = {**_FUNCTIONS, "sub": _loose_difference} if self.loose else _FUNCTIONS
        ranged = {name: self._ranged(rule) for name, rule in rules.items()}
        return ranged | {"exp": self._exponential(arb.exp), "expm1": self._exponential(arb.expm1)}

    def _ranged(self, rule: Callable[..., arb]) -> Callable[..., arb]:
        settled = self._settled
        return lambda *numbers: settled(rule(*numbers))

    def _settled(self, x: arb) -> arb:
        if SMALL < (size := abs(x)) < FINITE:
            return x
        if x.is_finite() and not size < FINITE and not self.endless:
            raise RenderError(TOO_LARGE)
        return vanishing(x)

    def _exponential(self, rule: Callable[[arb], arb]) -> Callable[[arb], arb]:
        def inside(x: arb) -> arb:
            if x < OVERFLOWS:
                return vanishing(rule(x))
            self.overflowed.append(True)
            if self.endless:
                return rule(x.min(ENDLESS)) if x.is_finite() else x
            return arb.pos_inf() if rule(x.min(ENDLESS)) > INFINITE else arb.nan()

        return inside

    def sum(self, values: list[arb]) -> arb:
        """The sum in any order, or from left to right."""
        return self._settled(add_up(values, self.any_order))

    def product(self, left: list[list[arb]], right: list[list[arb]]) -> list[list[arb]]:
        """A product with every number rounded; FLINT's own rounds once and so hides what cancels."""
        columns = list(zip(*right, strict=True))
        return [[self.sum(list(map(mul, row, column))) for column in columns] for row in left]


# -- what libraries do otherwise than FLINT ----------------------------------------------------------------------


def _power(x: arb, exponent: Any) -> arb:
    """Libraries know whole powers of a number, and allow themselves a little at others."""
    if isinstance(exponent, int):
        power = (abs(x) if exponent % 2 == 0 else x) ** abs(exponent)
        return power if exponent >= 0 else 1 / power
    found = x ** (fmpq(exponent.numerator, exponent.denominator) if isinstance(exponent, Fraction) else exponent)
    return widened(found, abs(found))


def _difference(x: arb, y: arb) -> arb:
    """x − y; a number minus itself is 0, whatever has been rounded before."""
    return arb() if x is y and x.is_finite() else x - y


def _loose_difference(x: arb, y: arb) -> arb:
    return widened(x - y, abs(x) + abs(y))


def _saturating(rule: Callable[[arb], arb]) -> Callable[[arb], arb]:
    """tanh or erf, which double precision cannot tell from ±1 far from 0."""
    return lambda x: arb(1) if x > SATURATED else arb(-1) if x < -SATURATED else rule(x)


def _log(x: arb) -> arb:
    """ln x.

    Raises :class:`~symattn.errors.UndecidedError` where a program may see 0.
    """
    if not x > 0:
        raise UndecidedError("log: a number is so small that a program in double precision may have 0 in its place")
    return x.log()


def _floor(x: arb) -> arb:
    """⌊x⌋, or all that rounding may lead to."""
    return x.lower().floor().union(x.upper().floor()) if x.is_finite() else x


def _sine(x: arb) -> arb:
    """sin x; near a zero that is not at 0, libraries are as exact as beside a 1."""
    return arb() if x.is_zero() else widened(_turned(x).sin(), abs(x).min(1))


def _cosine(x: arb) -> arb:
    """cos x."""
    return arb(1) if x.is_zero() else widened(_turned(x).cos(), arb(1))


def _turned(x: arb) -> arb:
    """An angle without its whole turns, which are taken off with loss where there are many."""
    return x if abs(x) < SURE_ANGLE else widened(x, abs(x))


_OWN: Mapping[str, Callable[..., arb]] = {
    "sub": _difference,
    "pow": _power,
    "mod": lambda x, y: x - y * _floor(x / y),
    "log": _log,
    "log1p": arb.log1p,
    "tanh": _saturating(arb.tanh),
    "erf": _saturating(lambda x: widened(x.erf(), abs(x.erf()))),
    "sin": _sine,
    "cos": _cosine,
    "floor": _floor,
}

_FUNCTIONS = {name: rule for name, rule in {**FUNCTIONS, **_OWN}.items() if name not in ("shares", "powers")}
