"""Evaluate a solution in double precision: a cross-check of certified values, never a source of digits."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from symattn.compute.solution.store import Store, array_doubles
from symattn.compute.values.cost import spend_on
from symattn.compute.values.float64 import DoubleArray, float64, with_empty_rows


def doubles(solution: Store, name: str, known: Mapping[str, DoubleArray]) -> DoubleArray:
    """Return the value of a name from the values that it depends on, ``known``."""
    if name not in solution.givens:
        formula = solution.formula(name)
        spend_on(formula, by_entry=1, by_product=1)
        formula = with_empty_rows(formula) if solution.style.on_empty == "zero" else formula
        return float64(formula, known.__getitem__)
    given = solution.givens[name]
    return np.array(array_doubles(given) or [[float(x) for x in row] for row in given.values])
