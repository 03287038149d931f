"""Figures that a computer of less precision prints: float32 and float16.

A value that is rounded to one of these and printed with more digits than it has differs in the last ones, and nobody
made a mistake.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np
from flint import arb

from symattn.checking.following.judging import Judged, double, prints
from symattn.checking.following.worlds import Worlds

_KINDS = (("float32", np.float32), ("float16", np.float16))

CHANGED = 2
"""How many figures at least only the lower precision makes; fewer may be an accident."""

ULPS = 4
"""How far off a sum of products in lower precision may be, in steps of the largest number of its matrix."""

EXACT = 1e-12
"""As far off as doubles are: what is nearer tells nothing."""

NO_ACCIDENT = 8
"""Bits of what figures tell by being numbers of lower precision."""


def as_floats(found: Sequence[Judged], value: Worlds, units: Sequence[Fraction], told: Container[str] = ()) -> str:
    """The precision in which all figures are right, where some are not so exactly; nothing if there is none.

    ``told`` are those that other figures of the document have: less tells them then.
    """
    wrong = [one for one in found if one.kind is not None]
    if len(wrong) < CHANGED or any(one.figure.value is None for one in wrong):
        return ""
    for name, kind in _KINDS:
        if all(
            prints(one.figure, _rounded(value.true[one.row][one.column], kind), unit)
            for one, unit in zip(found, units, strict=True)
        ) or _bits_of_chain(kind, found, value, units) >= (NO_ACCIDENT / 2 if name in told else NO_ACCIDENT):
            return name
    return ""


def _bits_of_chain(kind: type[np.floating], found: Sequence[Judged], value: Worlds, units: Sequence[Fraction]) -> float:
    """How much of an accident it were that figures come from no chain in this precision: each is near what it should be
    and is what a number of it is printed as, which tells something of those that are not exact."""
    bits = 0.0
    true, carried = (
        np.array([double(each[one.row][one.column]) for one in found]) for each in (value.true, value.carried)
    )
    with np.errstate(all="ignore"):
        near = ULPS * float(np.spacing(kind(np.abs(true).max())))
        for place, (one, unit) in enumerate(zip(found, units, strict=True)):
            number = float(one.figure.value) if one.figure.value is not None else np.nan
            held = kind(number)
            off = min(abs(float(held) - true[place]), abs(float(held) - carried[place]))
            if not off <= near or not prints(one.figure, arb(float(held)), unit):
                return 0
            if abs(number - true[place]) > EXACT:
                bits += max(0.0, float(np.log2(np.spacing(abs(held)) / float(unit))))
    return bits


def _rounded(value: arb, kind: type[np.floating]) -> arb:
    with np.errstate(over="ignore"):
        return arb(float(kind(double(value)))) if value.is_finite() else value


def taken_for_right(found: Sequence[Judged]) -> list[Judged]:
    """The same figures, right."""
    return [replace(one, kind=None, expected=one.figure.text) for one in found]
