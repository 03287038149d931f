"""Functions of numbers as programs in double precision take them: balls around what the libraries may hand back.

Where languages write a function differently, or libraries take different ways to it, the ball holds all of them. The
precision is what :mod:`symattn.listing.double` works with.
"""

from __future__ import annotations

from collections.abc import Sequence

from flint import arb

from symattn.errors import UndecidedError

ALLOWED = arb(2) ** -48
"""The error that a function is allowed beside one number of its size: 32 roundings."""

SATURATED = 40
"""Beyond this, tanh(x) and erf(x) are −1 or 1 in double precision, and the normal distribution's share is 0 or 1."""

VANISHED = -1100
"""Below this, eˣ is 0 in double precision."""

SURE_ANGLE = 2**20
"""Radians up to which every library takes off whole turns without loss."""


def allowing(value: arb, size: arb) -> arb:
    """``value`` with what is allowed beside a number of that size."""
    return value + arb(0, (size * ALLOWED).upper())


def tanh(x: arb) -> arb:
    """tanh x, which double precision cannot tell from ±1 far from 0."""
    if x > SATURATED:
        return arb(1)
    if x < -SATURATED:
        return arb(-1)
    return x.tanh()


def log(x: arb) -> arb:
    """ln x.

    Raises :class:`~symattn.errors.UndecidedError` where a program may see 0.
    """
    if not x > 0:
        raise UndecidedError("log: a number is so small that a program in double precision may have 0 in its place")
    return x.log()


def gelu(x: arb, *, cancels: bool) -> arb:
    """x Φ(x); with ``cancels`` also by way of 1 + erf(x / √2), which loses its digits where x is negative."""
    if not x.is_finite():
        return _limit(x)
    if x > SATURATED:
        return x
    if x < -SATURATED:
        return arb()
    value = x * (-x / arb(2).sqrt()).erfc() / 2
    return allowing(value, abs(x)) if cancels else value


def _limit(x: arb) -> arb:
    """An activation at infinity: a program computes −∞ · 0 below."""
    return x if x > 0 else arb.nan()


def exp(x: arb) -> arb:
    """eˣ."""
    return arb() if x < VANISHED else x.exp()


def erf(x: arb) -> arb:
    """erf x, which double precision cannot tell from ±1 far from 0."""
    if x > SATURATED:
        return arb(1)
    return arb(-1) if x < -SATURATED else x.erf()


def floor(x: arb) -> arb:
    """⌊x⌋, or all that rounding may lead to."""
    return x.lower().floor().union(x.upper().floor()) if x.is_finite() else x


def sine(x: arb) -> arb:
    """sin x; near a zero that is not at 0, libraries are as exact as beside a 1."""
    return arb() if x.is_zero() else allowing(_turned(x).sin(), abs(x).min(1))


def cosine(x: arb) -> arb:
    """cos x."""
    return arb(1) if x.is_zero() else allowing(_turned(x).cos(), arb(1))


def _turned(x: arb) -> arb:
    """An angle without its whole turns, which are taken off with loss where there are many."""
    return x if abs(x) < SURE_ANGLE else allowing(x, abs(x))


# -- order -------------------------------------------------------------------------------------------------------


def chosen(row: list[arb], count: int, texts: Sequence[str]) -> list[bool]:
    """Which entries are among the ``count`` largest, the first ones where they tie.

    Entries with the same text are the same number in a program, whatever their balls are.
    Raises :class:`~symattn.errors.UndecidedError` where that hangs on rounding errors.
    """
    places = range(len(row))

    def before(i: int, j: int) -> bool:
        return bool(row[i] > row[j]) or (i < j and bool(row[i] == row[j] or texts[i] == texts[j]))

    found = []
    for i in places:
        above, below = sum(before(j, i) for j in places), sum(before(i, j) for j in places)
        if above < count and below < len(row) - count:
            other = next(j for j in places if j != i and not before(i, j) and not before(j, i))
            raise UndecidedError(
                f"which of the columns {min(i, other) + 1} and {max(i, other) + 1} holds the larger entry hangs on the "
                "rounding errors of a program: they are equal, or too close to each other for double precision"
            )
        found.append(above < count)
    return found
