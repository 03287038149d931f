"""A mistake changes what rests on it and nothing else."""

from __future__ import annotations

from decimal import Decimal
from math import exp

import pytest
from sympy import MatMul, MatrixSymbol, Transpose

from symattn.exercise.worked import Ask, Worked, read
from symattn.mistakes.altered import changed
from symattn.mistakes.model import Change
from tests.exercise.paper_and_pencil import rounded

SOURCE = """
title = "A head"
[sizes]
n = 2
d = 2
[figures]
decimals = 4
[given]
Q = [["1", "1/2"], ["-1", "2"]]
K = [["1", "0"], ["1/4", "1"]]
V = [["1", "2", "3"], ["0", "1", "-1"]]
[[section]]
title = "Steps"
steps = ["S = Q @ K.T", "A = softmax(S)", "O = A @ V", "L = 2 * K", { quantity = "N = n * d" }]
"""

Q, K = ([[1, 0.5], [-1, 2]], [[1, 0], [0.25, 1]])


@pytest.fixture
def right() -> Worked:
    return read(SOURCE)


def _softmaxed(scores: list[list[float]]) -> list[list[float]]:
    return [[exp(x) / sum(map(exp, row)) for x in row] for row in scores]


def _numbers(worked: Worked, name: str) -> list[list[float]]:
    return [[float(text) for text in row] for row in worked.figures(Ask(name, decimals=4))]


def test_what_rests_on_the_changed_step_follows(right: Worked) -> None:
    symbols = MatrixSymbol("Q", 2, 2), MatrixSymbol("K", 2, 2)
    made = right.made(Change("S", {"S": MatMul(*symbols, evaluate=False)}))
    scores = [[sum(Q[i][k] * K[k][j] for k in range(2)) for j in range(2)] for i in range(2)]
    for name, expected in (("S", scores), ("A", _softmaxed(scores))):
        for row, other in zip(_numbers(made, name), expected, strict=True):
            assert row == pytest.approx(other, abs=1e-4)


def test_what_no_longer_fits_is_left_out(right: Worked) -> None:
    """A result of another shape has figures; what would rest on it has none."""
    value = Transpose(MatrixSymbol("V", 2, 3))
    plan = changed(right.plan, Change("A", {"A": value}))
    assert plan["A"].shape.sizes == (3, 2)
    assert "O" not in plan.by_name
    assert [step.name for step in plan.steps] == ["Q", "K", "V", "S", "A", "L"]


def test_rounding_too_early_rounds_every_number_on_the_way(right: Worked) -> None:
    """The second road: decimals by Python, rounded at each step."""
    made = right.made(Change("O", rounded_to=1))
    scores = [[Decimal(str(sum(Q[i][k] * K[j][k] for k in range(2)))) for j in range(2)] for i in range(2)]
    carried = [[rounded(x, 1) for x in row] for row in scores]
    values = [[1, 2, 3], [0, 1, -1]]
    expected = []
    for row in carried:
        powers = [rounded(x.exp(), 1) for x in row]
        weights = [rounded(p / sum(powers), 1) for p in powers]
        expected.append(tuple(f"{sum(w * v[j] for w, v in zip(weights, values, strict=True)):.4f}" for j in range(3)))
    assert made.figures(Ask("O", decimals=4)) == tuple(expected)
