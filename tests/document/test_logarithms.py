"""Sums of logarithms as one short logarithm, and the figures of a solution beside them; their lines: test_lines."""

from __future__ import annotations

import pytest
from flint import fmpq
from sympy import Rational, log

from symattn.api import derive
from symattn.document.notation.logarithms import short
from symattn.scenario.load import loads


def test_the_figures_of_a_solution_stay_decimals() -> None:
    text = 'title = "t"\n[given]\ns = [["log(2)", "log(3)", "log(5)"]]\n[[section]]\ntitle = "s"\nsteps = ["s"]'
    (row,) = derive(loads(text)).figures("s")

    assert [figure.text for figure in row] == ["0.693147", "1.098612", "1.609438"]


@pytest.mark.parametrize(
    ("powers", "written"),
    [
        ({2: 1, 3: 1}, log(6)),
        ({2: -1}, -log(2)),
        ({2: 1, 3: -1}, log(Rational(2, 3))),
        ({2: fmpq(1, 2), 3: fmpq(1, 3)}, log(72) / 6),
        ({2: 20}, 20 * log(2)),
        ({2: 20, 3: 20}, 20 * log(6)),
        ({2: 10**30}, 10**30 * log(2)),
        ({10_007: 1}, None),
        ({2: 30, 3: 29}, None),
    ],
)
def test_a_sum_of_logarithms_is_one_short_logarithm_or_none(powers: dict[int, int], written: object) -> None:
    assert short({prime: fmpq(m) for prime, m in powers.items()}) == written
