"""The variance of a dot product, by the rules of expectations and by multiplying out."""

from __future__ import annotations

import pytest
from sympy import MatrixSymbol, Rational

from symattn.compute.proof.tree import ProofError
from symattn.compute.proof.variance import _compared, mean_of, variance
from symattn.operations.terms import size_symbol
from symattn.read.plan import Plan

n, d = size_symbol("n"), size_symbol("d")


@pytest.mark.parametrize(
    ("formula", "value"),
    [
        ("dot(x, y)", d),
        ("dot(x, y) / sqrt(d)", 1),
        ("x @ y.T / d", 1 / d),
        ("Q @ K.T / sqrt(d)", 1),
        ("3 * (Q @ K.T)", 9 * d),
        ("Q @ K.T / sqrt(2 * d)", Rational(1, 2)),
        ("A @ B", n),
        ("A @ B @ x.T", n * d),
        ("Q @ ones(d, 1)", d),
        ("-2 * x", 4),
    ],
)
def test_the_variance(formula: str, value: object, plan: Plan) -> None:
    found = variance(formula, plan)

    assert found.value == value
    assert found.mean[-1].expr == 0
    assert len(found.checked) == 4


def test_each_rule_of_expectations_is_named(plan: Plan) -> None:
    found = variance("dot(x, y) / sqrt(d)", plan)

    assert [step.rule for step in found.mean] == ["scale", "linearity", "independence", "mean_zero"]
    assert [step.rule for step in found.square] == [
        "scale", "square", "linearity", "independence", "diagonal", "variance_one", "constant_sum", "cancel"
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("formula", "said"),
    [
        ("dot(x, x)", "x comes twice"),
        ("Q @ Q.T", "Q comes twice"),
        ("N @ R @ N", "N comes twice"),
        ("x + y", "expected a number times a product"),
        ("softmax(Q)", "expected a number times a product"),
        ("x @ y.T + x @ y.T", "expected a number times a product"),
        ("ones(n, n)", "expected a number times a product"),
        ("relu(x)", "expected a number times a product"),
        ("causal_mask(n, -5)", "expected a number times a product"),
    ],
)
def test_what_is_refused(formula: str, said: str, plan: Plan) -> None:
    with pytest.raises(ProofError, match=said) as caught:
        variance(formula, plan)

    assert f"the variance of {formula!r}" in str(caught.value)


def test_a_step_is_not_independent_of_itself(plan: Plan) -> None:
    with pytest.raises(ProofError, match="P is a step, whose entries depend on each other"):
        variance("P @ y.T", plan.step("P", "x @ X.T @ X"))


def test_a_moment_that_mean_and_variance_do_not_tell() -> None:
    x = MatrixSymbol("x", 1, 2)
    assert mean_of((3 * x[0, 0] * x[0, 1] + x[0, 0]) ** 2) == 10
    with pytest.raises(ProofError, match="a moment of order 4"):
        mean_of(x[0, 0] ** 4)


def test_rules_that_miscount_are_found_out(plan: Plan) -> None:
    with pytest.raises(ProofError, match=r"multiplied out with \{'d': 2\} it is not 1"):
        _compared("dot(x, y)", plan, ("d",), size_symbol("d") / size_symbol("d"))
