"""Scores that are logarithms are written as such, and what a softmax makes of them is exact on the page."""

from __future__ import annotations

import pytest
from flint import fmpq
from sympy import Rational, log

from symattn.api import derive
from symattn.document.notation.logarithms import short
from symattn.scenario.load import loads

ROW = """
title = "A row of scores"
[given]
s = [["log(2)", "log(3)", "log(5)"]]
[[section]]
title = "Weights"
steps = ["a = softmax(s)"]
"""

SCORES = """
title = "Scores of a query"
[sizes]
d_k = 4
[given]
q = [["log(4)", "log(9)", "0", "0"]]
K = [["1", "0", "1", "0"], ["0", "1", "0", "0"], ["1", "1", "0", "1"]]
[[section]]
title = "Attention"
steps = [{steps}]
"""


def page(text: str, **options: object) -> str:
    return derive(loads(text)).render(**options).replace(r"\mathrm{ln}\thinspace", "ln")  # type: ignore[arg-type]


def scores(*steps: str) -> str:
    return SCORES.replace("{steps}", ", ".join(f'"{step}"' for step in steps))


# Exponentials, their sum and the weights


def test_the_exponential_of_a_logarithm_is_its_number_and_the_line_says_equals() -> None:
    shown = page(ROW)

    for line in (
        "e^{s_1} &= e^{ln 2} = 2",
        "e^{s_2} &= e^{ln 3} = 3",
        r"e^{s_k} &= 2 + 3 + 5 = 10",
        r"a_1 &= \frac{2}{10} = 0.2",
    ):
        assert line in shown
    assert r"\approx" not in shown
    assert "0.693147" not in shown


def test_a_weight_that_is_no_short_decimal_is_an_exact_fraction_before_it_is_rounded() -> None:
    shown = page(scores("S = q @ K.T / sqrt(d_k)", "A = softmax(S)"))

    assert "e^{s_3} &= e^{ln 6} = 6" in shown
    assert r"a_1 &= \frac{2}{11} \approx 0.181818" in shown


def test_a_softmax_of_a_formula_knows_the_logarithms_in_it() -> None:
    shown = page(scores("A = softmax(q @ K.T / sqrt(d_k))"))

    assert "= e^{ln 6} = 6" in shown
    assert r"&= 2 + 3 + 6 = 11" in shown


def test_what_a_mask_hides_is_nothing_in_the_sum() -> None:
    shown = page(scores("S = q @ K.T / sqrt(d_k) + padding_mask(1, 3, 2)", "A = softmax(S)"))

    assert r"e^{s_3} &= e^{-\infty} = 0" in shown
    assert "&= 2 + 3 + 0 = 5" in shown
    assert r"a_1 &= \frac{2}{5} = 0.4" in shown


def test_a_power_that_is_no_fraction_stays_rounded_beside_one_that_is() -> None:
    shown = page(ROW.replace("log(2)", "log(2)/2"))

    assert r"e^{s_1} &= e^{\mathrm{ln}(2)/2} \approx 1.414214" in shown
    assert "e^{s_2} &= e^{ln 3} = 3" in shown
    assert r"&\approx 1.414214 + 3 + 5 \approx 9.414214" in shown


def test_the_power_of_a_negative_logarithm_is_a_fraction() -> None:
    shown = page(ROW.replace("log(2)", "-log(3)"))

    assert r"e^{s_1} &= e^{-ln 3} = \frac{1}{3}" in shown


def test_fractions_stand_beside_fractions() -> None:
    shown = page(ROW.replace("log(3)", "log(3/4)").replace("log(2)", "-log(3)"))

    assert r"&= \frac{1}{3} + \frac{3}{4} + 5 = \frac{73}{12}" in shown


def test_the_exponential_of_a_matrix_is_exact_where_an_entry_is() -> None:
    shown = page(ROW.replace("softmax(s)", "exp(s)").replace("log(2)", "-log(3)"), detail="entries")

    assert r"a_1 &= e^{-ln 3} = \frac{1}{3} \approx 0.333333" in shown
    assert r"a_2 &= e^{ln 3} = 3\\" in shown


# The matrices of scores


def test_scores_are_shown_as_logarithms_and_worked_with_them() -> None:
    shown = page(scores("S = q @ K.T / sqrt(d_k)"))

    assert "ln 2 & ln 3 & ln 6" in shown
    assert r"&= (ln 4)\cdot 1 + (ln 9)\cdot 0 + 0\cdot 1 + 0\cdot 0 = ln 4" in shown
    assert r"s_1 &= \frac{ln 4}{2} = ln 2" in shown
    assert "Without rounding" not in shown
    assert "printed figures" not in shown


def test_decimals_that_are_asked_for_are_shown_as_decimals() -> None:
    text = scores("S = q @ K.T / sqrt(d_k)").replace('["S =', '[{step = "S =').replace(')"]', ')", decimals = 3}]')
    shown = page(text)

    assert "0.693 & 1.099 & 1.792" in shown


@pytest.mark.parametrize("given", ["log(10007)", "log(2) + 1", "sqrt(2)"])
def test_a_matrix_with_anything_else_in_it_keeps_its_decimals(given: str) -> None:
    decimals = derive(loads(ROW.replace("log(2)", given)))["s"].decimals(6)[0]

    assert " & ".join(decimals) in page(ROW.replace("log(2)", given))


def test_who_goes_on_with_rounded_figures_sees_them() -> None:
    shown = page(ROW.replace("[given]", '[figures]\ncarry = "rounded"\n[given]'))

    assert r"e^{0.693147} \approx" in shown
    assert "e^{ln" not in shown


def test_the_figures_of_a_solution_stay_decimals() -> None:
    (row,) = derive(loads(ROW)).figures("s")

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
