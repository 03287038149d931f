"""Figures that a computer of less precision prints: float32 and float16.

A value that is rounded to one of these and printed with more digits than it has differs in the last ones, and nobody
made a mistake.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np
from flint import arb

from symattn.checking.following.judging import Judged, double, prints
from symattn.checking.following.worlds import Worlds

_KINDS = (("float32", np.float32), ("float16", np.float16))

CHANGED = 2
"""How many figures at least only the lower precision makes; fewer may be an accident."""


def as_floats(found: Sequence[Judged], value: Worlds, units: Sequence[Fraction]) -> str:
    """The precision in which all figures are right, where some are not so exactly; nothing if there is none."""
    wrong = [one for one in found if one.kind is not None]
    if len(wrong) < CHANGED or any(one.figure.value is None for one in wrong):
        return ""
    for name, kind in _KINDS:
        if all(
            prints(one.figure, _rounded(value.true[one.row][one.column], kind), unit)
            for one, unit in zip(found, units, strict=True)
        ):
            return name
    return ""


def _rounded(value: arb, kind: type[np.floating]) -> arb:
    with np.errstate(over="ignore"):
        return arb(float(kind(double(value)))) if value.is_finite() else value


def taken_for_right(found: Sequence[Judged]) -> list[Judged]:
    """The same figures, right."""
    return [replace(one, kind=None, expected=one.figure.text) for one in found]
