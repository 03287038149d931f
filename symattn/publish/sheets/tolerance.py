"""How far an answer may be from the right value: as far as somebody gets who rounds every number on the way."""

from __future__ import annotations

from collections.abc import Sequence

from flint import arb

from symattn.errors import SymattnError
from symattn.exercise.worked import BITS, by_hand
from symattn.solution.store import Store
from symattn.values.hand import widened
from symattn.values.number import at_precision

MOST = 100
"""An answer is never further away than so many units of the last decimal."""


def tolerances(solution: Store, name: str, figures: Sequence[Sequence[str]]) -> list[list[float]]:
    """For every entry how far from the certified value an answer is right: what rounding may make of it, and half of
    the last decimal that is shown."""
    exact = solution.enclosure(name, BITS).tolist()
    wide = _by_hand(solution, name)
    found: list[list[float]] = []
    for i, row in enumerate(figures):
        decimals = [len(figure.partition(".")[2]) for figure in row]
        found.append([])
        for j, places in enumerate(decimals):
            unit = 10.0**-places
            apart = _apart(wide[i][j], exact[i][j]) if wide is not None and exact[i][j].is_finite() else 0.0
            found[-1].append(min(apart, MOST * unit) + 0.5 * unit * (1 + 1e-6))
    return found


def _by_hand(solution: Store, name: str) -> list[list[arb]] | None:
    """Where the values may lie; ``None`` where rounding on the way leaves that open."""
    try:
        with at_precision(BITS):
            return by_hand(solution, widened(solution.style.decimals), (name,))[name].tolist()
    except (SymattnError, ArithmeticError, ValueError):
        return None


def _apart(wide: arb, value: arb) -> float:
    if not wide.is_finite():
        return 0.0
    return max(0.0, float((wide.upper() - value).mid()), float((value - wide.lower()).mid()))
