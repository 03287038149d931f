"""Figures that a computer of less precision prints: float32 and float16.

A value that is rounded to one of these and printed with more digits than it has differs in the last ones, and nobody
made a mistake.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from fractions import Fraction

import numpy as np
from flint import arb

from symattn.checking.following.judging import Judged, double, prints
from symattn.checking.following.worlds import Worlds

_KINDS = (("float32", np.float32), ("float16", np.float16))

ULPS = 4
"""How far off a sum of products in lower precision may be, in steps of the largest number of its matrix."""

EXACT = 1e-12
"""As far off as doubles are: what is nearer tells nothing."""

NO_ACCIDENT = 8
"""Bits of what distinct figures tell by being numbers of lower precision."""


def as_floats(found: Sequence[Judged], value: Worlds, units: Sequence[Fraction], told: Container[str] = ()) -> str:
    """The precision in which all figures are right, where some are not so exactly; nothing if there is none.

    A precision is an excuse: it takes several distinct numbers that only it makes, however often each of them stands
    there. ``told`` are those that other figures of the document have: less tells them then.
    """
    wrong = {(one.figure.value, unit) for one, unit in zip(found, units, strict=True) if one.kind is not None}
    if len(wrong) < 2 or any(number is None for number, _ in wrong):
        return ""
    for name, kind in _KINDS:
        least = NO_ACCIDENT / 2 if name in told else NO_ACCIDENT
        if _is_near(kind, found, value, units) and _bits(kind, found, value, units) >= least:
            return name
    return ""


def _is_near(kind: type[np.floating], found: Sequence[Judged], value: Worlds, units: Sequence[Fraction]) -> bool:
    """Whether each figure is printed as a number of a precision is, and as near as a sum in it comes."""
    with np.errstate(all="ignore"):
        worlds = [[double(each[one.row][one.column]) for one in found] for each in (value.true, value.carried)]
        near = ULPS * float(np.spacing(kind(np.abs(worlds[0]).max())))
        for one, unit, *numbers in zip(found, units, *worlds, strict=True):
            held = float(kind(_number(one)))
            if not min(abs(held - each) for each in numbers) <= near or not prints(one.figure, arb(held), unit):
                return False
    return True


def _bits(kind: type[np.floating], found: Sequence[Judged], value: Worlds, units: Sequence[Fraction]) -> float:
    """How much of an accident it were that the distinct figures that are not exact are numbers of a precision."""
    bits = {}
    with np.errstate(all="ignore"):
        for one, unit in zip(found, units, strict=True):
            number = _number(one)
            if abs(number - double(value.true[one.row][one.column])) > EXACT:
                bits[abs(number), unit] = max(0.0, float(np.log2(np.spacing(abs(kind(number))) / float(unit))))
    return sum(bits.values())


def _number(one: Judged) -> float:
    return float(one.figure.value) if one.figure.value is not None else float("nan")
