"""Interval arithmetic with rational ends, and conversions between such intervals and balls."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

from flint import arb, arb_mat, fmpq, fmpz

from symattn.base.errors import NoValueError

LONGEST = 2048
"""Bits of a denominator beyond which an end is moved outwards to a shorter one."""


@dataclass(frozen=True)
class Bounds:
    """All numbers from ``low`` to ``high``; ``hidden`` is −∞, as a mask has it.

    >>> low, high = Bounds(fmpq(1, 2), fmpq(3)) * Bounds(fmpq(-1), fmpq(2))
    >>> low, high
    (-3, 6)
    """

    low: fmpq
    high: fmpq
    hidden: bool = False

    def __iter__(self) -> Iterator[fmpq]:
        return iter((self.low, self.high))

    @property
    def is_point(self) -> bool:
        """Whether it holds only one number."""
        return self.hidden or bool(self.low == self.high)

    def __add__(self, other: Bounds) -> Bounds:
        if self.hidden or other.hidden:
            return HIDDEN
        return Bounds(self.low + other.low, self.high + other.high)

    def __mul__(self, other: Bounds) -> Bounds:
        if self.hidden or other.hidden:
            if (other if self.hidden else self).low > 0:
                return HIDDEN
            raise NoValueError("an infinite value is multiplied by one that may be zero or negative")
        ends = [a * b for a, b in product(self, other)]
        return Bounds(min(ends), max(ends))

    def reciprocal(self) -> Bounds:
        """1 / x.

        Raises :class:`~symattn.base.errors.NoValueError` where x may be 0.
        """
        if self.hidden or self.low <= 0 <= self.high:
            raise NoValueError("a divisor may be zero")
        return Bounds(1 / self.high, 1 / self.low)

    def shortened(self) -> Bounds:
        """Return the same interval, or a slightly larger one whose ends have shorter denominators."""
        if self.hidden or max(self.low.q.bit_length(), self.high.q.bit_length()) <= LONGEST:
            return self
        scale = fmpz(2) ** LONGEST
        return Bounds(fmpq((self.low * scale).floor(), scale), fmpq((self.high * scale).ceil(), scale))


ZERO, ONE = Bounds(fmpq(0), fmpq(0)), Bounds(fmpq(1), fmpq(1))
HIDDEN = Bounds(fmpq(0), fmpq(0), hidden=True)

Intervals = tuple[tuple[Bounds, ...], ...]


def point(number: fmpq) -> Bounds:
    """Return the interval of one number."""
    return Bounds(number, number)


def ends(x: arb) -> Bounds:
    """Return the rational ends of a ball.

    Raises :class:`~symattn.base.errors.NoValueError` for one that is not finite, save −∞.

    >>> low, high = ends(arb("0.5 +/- 0.25"))
    >>> low <= fmpq(1, 4) and fmpq(3, 4) <= high
    True
    """
    if not x.is_finite():
        if x < 0:
            return HIDDEN
        raise NoValueError("the rounded figures leave it open whether it has a value, or where it ends")
    return Bounds(_dyadic(x.lower(), down=True), _dyadic(x.upper(), down=False))


def _dyadic(x: arb, down: bool) -> fmpq:
    """Convert a ball without radius to a rational; round one with a huge exponent in the given direction."""
    mantissa, exponent = x.man_exp()
    if exponent >= 0:
        if exponent > LONGEST:
            raise NoValueError("it may be too large to be written down")
        return fmpq(mantissa * fmpz(2) ** int(exponent))
    if -exponent <= LONGEST:
        return fmpq(mantissa, fmpz(2) ** int(-exponent))
    scaled = (x * arb(2) ** LONGEST).floor().unique_fmpz() or fmpz(0)
    return fmpq(scaled if down else scaled + 1, fmpz(2) ** LONGEST)


def to_ball(interval: Bounds) -> arb:
    """Return a ball, at the current precision, that holds the whole interval."""
    if interval.hidden:
        return arb.neg_inf()
    return arb(interval.low) if interval.is_point else arb(interval.low).union(arb(interval.high))


def to_balls(rows: Intervals) -> arb_mat:
    """Return balls, at the current precision, that hold the intervals."""
    return arb_mat([[to_ball(x) for x in row] for row in rows])


def from_balls(balls: arb_mat) -> Intervals:
    """Return the ends of balls."""
    return tuple(tuple(map(ends, row)) for row in balls.tolist())
