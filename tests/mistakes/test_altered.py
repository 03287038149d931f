"""A mistake touches what rests on it, by whichever name it is used, and nothing else."""

from __future__ import annotations

import pytest
from sympy import Integer

from symattn.exercise.subject import Ask, Worked, read
from symattn.mistakes.altered import altered
from symattn.mistakes.model import Change
from symattn.operations import MatrixSymbol

STEPS = """
title = "T"
[sizes]
n = 2
d = 2
[given]
X = [["1", "2"], ["3", "5"]]
V = [["1", "0"], ["2", "1"]]
[[section]]
title = "S"
steps = ["S = X / 3", "A = softmax(S)", "O = A @ V", "L = 2 * V"]
[[section]]
title = "C"
steps = [{ quantity = "N = n * d" }, { quantity = "M = 2 * N" }]
"""


@pytest.fixture
def right() -> Worked:
    return read(STEPS)


@pytest.mark.parametrize(("step", "touched"), [("S", "SAO"), ("A", "AO"), ("O", "O"), ("L", "L")])
def test_what_rests_on_a_step_is_touched(right: Worked, step: str, touched: str) -> None:
    made = altered(right.subject, Change(step, {step: MatrixSymbol("V", 2, 2)}))
    assert made.touched == set(touched)
    assert set(made.formulas) == set(touched)


def test_rounding_too_early_touches_the_steps_on_the_way_too(right: Worked) -> None:
    assert altered(right.subject, Change("O", rounded_to=1)).touched == {"S", "A", "O"}


def test_a_quantity_that_is_counted_wrong_spoils_those_that_use_it(right: Worked) -> None:
    made = right.made(Change("N", quantities={"N": Integer(5)}))
    assert made.touched == {"N", "M"}
    assert made.figures(Ask("M", "number")) == (("10",),)


def test_behind_a_name_stands_all_it_rests_on_in_the_order_of_the_derivation(right: Worked) -> None:
    assert right.plan.behind(["A"]) == ("X", "S", "A")
    assert right.plan.behind(["O", "L"]) == ("X", "V", "S", "A", "O", "L")
