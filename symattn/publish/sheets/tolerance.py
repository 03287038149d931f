"""How far an answer may be from the right value: as far as somebody gets who rounds every number on the way."""

from __future__ import annotations

from collections.abc import Sequence

from flint import arb

from symattn.exercise.enclosures import rounded_on_the_way, settled
from symattn.exercise.worked import BITS
from symattn.solution.store import Store

MOST = 100
"""An answer is never further away than so many units of the last decimal."""


def tolerances(solution: Store, name: str, figures: Sequence[Sequence[str]]) -> list[list[float]]:
    """For every entry how far from the certified value an answer is right: what rounding may make of it, and half of
    the last decimal that is shown."""
    true = solution.enclosure(name, BITS)
    # What is given stands on the sheet with all its digits: nobody rounds it.
    wide = settled(rounded_on_the_way(solution, name, solution.style.decimals), true).tolist()
    exact = true.tolist()
    found: list[list[float]] = []
    for i, row in enumerate(figures):
        decimals = [len(figure.partition(".")[2]) for figure in row]
        found.append([])
        for j, places in enumerate(decimals):
            unit = 10.0**-places
            apart = _apart(wide[i][j], exact[i][j]) if exact[i][j].is_finite() else 0.0
            found[-1].append(min(apart, MOST * unit) + 0.5 * unit * (1 + 1e-6))
    return found


def _apart(wide: arb, value: arb) -> float:
    return max(0.0, float((wide.upper() - value).mid()), float((value - wide.lower()).mid()))
