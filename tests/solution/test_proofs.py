"""Signs, order and equality are proved or refused."""

from __future__ import annotations

import pytest
from sympy import Rational

from symattn.derivation import Derivation
from symattn.errors import UndecidedError
from symattn.scenario.given import Given
from symattn.shapes import shape
from symattn.solution import Solution


def solved(steps: dict[str, str], **givens: list[list[str]]) -> Solution:
    plan, read = Derivation(), {}
    for name, rows in givens.items():
        read[name] = Given.read(rows)
        plan = plan.given(name, shape(*read[name].shape))
    for name, formula in steps.items():
        plan = plan.step(name, formula)
    return Solution(plan, read)


def test_a_ranking_puts_exact_ties_together() -> None:
    solution = solved({"A": "softmax(Z)"}, Z=[["1", "sqrt(2)", "1", "sqrt(8)/2"]])
    assert solution.ranking("A", 0) == ((1, 3), (0, 2))


def test_a_ranking_tells_weights_apart_that_print_alike() -> None:
    solution = solved({"A": "softmax(Z)"}, Z=[["1", "1." + "0" * 50 + "1"]])
    assert solution.ranking("A", 0) == ((1,), (0,))


def test_masked_weights_are_ranked_though_they_are_smaller_than_any_float() -> None:
    assert solved({"A": "softmax(Z)"}, Z=[["1 - 10^9", "0", "-10^9"]]).ranking("A", 0) == ((1,), (0,), (2,))


@pytest.mark.parametrize(("scores", "sign"), [(["0", "0"], 0), (["1", "0"], 1), (["0", "1"], -1)])
def test_a_weight_is_compared_with_one_half(scores: list[str], sign: int) -> None:
    assert solved({"A": "softmax(Z)"}, Z=[scores]).compare("A", 0, Rational(1, 2)) == sign


def test_the_sign_of_a_relu_input_may_be_exactly_zero() -> None:
    solution = solved({"G": "relu(X @ X.T - Y)"}, X=[["sqrt(2)", "sqrt(3)"]], Y=[["5"]])
    assert [figure.text for figure in solution.figures("G")[0]] == ["0"]
    assert solution.signs(solution.formula("G").argument, "x") == ((0,),)


def test_weights_that_sum_to_one_are_proved_to_leave_nothing() -> None:
    solution = solved({"A": "softmax(Z)", "G": "relu(A @ o - u)"}, Z=[["1", "2"]], o=[["1"], ["1"]], u=[["1"]])
    assert solution.signs(solution.formula("G").argument, "x") == ((0,),)


def test_a_sign_that_cannot_be_decided_is_an_error_that_names_the_entry() -> None:
    steps = {
        "A": "softmax(layer_norm(Z))",
        "B": "softmax(layer_norm(A @ Z))",
        "G": "relu(softmax(layer_norm(B)) @ o - o)",
    }
    solution = solved(steps, Z=[["1", "2"], ["3", "5"]], o=[["1"], ["1"]])
    with pytest.raises(UndecidedError, match=r"step G, the input of relu.*\[1,1\]: its sign cannot be decided"):
        solution.figures("G")
