"""Round enclosures to decimals: a figure is written only when no other can be true.

``places`` may be negative: rounding to hundreds is ``places=-2``. The functions work on the whole number n = round(x ·
10^places); n becomes text at the very end.
"""

from __future__ import annotations

from flint import arb, fmpq, fmpz

from symattn.base.printed import Ties

_HALF = fmpq(1, 2)

_HUGE = arb(2) ** 100_000
"""Whole numbers of this size or more are not searched for."""


def round_ball(value: arb, scale: fmpz | fmpq) -> int | None:
    """Return round(x · scale), or ``None`` if the enclosure leaves several answers open (an exact tie always does).

    >>> round_ball(arb("1.23456 +/- 1e-9"), fmpz(1000)), round_ball(arb("1.5"), fmpz(1))
    (1235, None)
    """
    shifted = abs(value * scale) + _HALF
    if not shifted.is_finite() or shifted.contains_integer():
        return None
    whole = only_integer(shifted.floor())
    if whole is None:
        return None
    size = int(whole)
    return -size if size and value < 0 else size


def only_integer(x: arb) -> fmpz | None:
    """Return the only whole number in an enclosure, or ``None`` where there is none, several, or a huge one.

    FLINT's own function ends the process where an exponent is huge, as that of e^(−10^300) is.

    >>> only_integer(arb("3 +/- 0.1")), only_integer(arb("3 +/- 1")), only_integer(arb("-1e300").exp())
    (3, None, 0)
    """
    if not (x.is_finite() and x.contains_integer()):
        return None
    if abs(x) < 1:
        return fmpz(0)
    return x.unique_fmpz() if abs(x) < _HUGE else None


def round_rational(value: fmpq, scale: fmpz | fmpq, ties: Ties) -> int:
    """Return round(x · scale) of an exact number.

    >>> round_rational(fmpq(-5, 2), fmpz(1), "half_up"), round_rational(fmpq(-5, 2), fmpz(1), "half_even")
    (-3, -2)
    """
    scaled = abs(value * scale)
    size = int((scaled + _HALF).floor())
    if ties == "half_even" and size % 2 and scaled + _HALF == size:
        size -= 1
    return -size if value < 0 else size
