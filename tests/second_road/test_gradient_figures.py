"""Ten thousand entries of gradients of random derivations, rounded by symattn and by mpmath; Jacobians by SymPy."""

from __future__ import annotations

from fractions import Fraction
from random import Random
from typing import Any

import pytest
from sympy import Matrix, MatrixSymbol, Rational, Symbol

from symattn.base.errors import DomainError
from symattn.base.shapes import shape
from symattn.compute.solution import Solution
from symattn.read.given import Given
from symattn.read.gradients.chain import backward
from symattn.read.plan import Plan

pytest.importorskip("torch")

from tests.second_road.random_plans import random_plan, torch, worked_out
from tests.second_road.roads import mp
from tests.second_road.test_gradients import NARROW, difference
from tests.second_road.test_mpmath import rounded

ENTRIES, FEW, PARTS = 10_000, 100, 25
LEAST, MOST = 2, 12
"""How many decimals are printed."""


def entries_with_every_digit_right(seed: int, most: int) -> int:
    """How many entries are printed as mpmath rounds them, ``most`` of each given."""
    made, digits = random_plan(seed), Random(seed).randint(LEAST, MOST)
    if not torch.isfinite(made.tensors["L"]).all():
        return 0
    passed = backward(made.plan, "L", made.moving)
    balls = worked_out(passed.plan, made.numbers)
    solution = Solution(passed.plan, {name: Given.read(texts(rows)) for name, rows in made.numbers.items()})
    try:
        solution.decimals("L", digits)
    except DomainError:  # one-hot rows of an argmax that is not rational are refused
        return 0
    count = 0
    for name in made.moving:
        called = passed.names[name]
        if not all(entry.rad() < NARROW for entry in balls[called].entries()):
            continue  # a tie, at which there are no differences
        printed = solution.decimals(called, digits)
        places = [(i, j) for i, row in enumerate(printed) for j in range(len(row))]
        for i, j in places[:: -(-len(places) // most)]:
            slope = difference(made.plan, made.numbers, name, (i, j))
            if slope is None:
                continue
            assert printed[i][j] == rounded(slope, None, digits), (seed, made.texts, name, i, j)
            count += 1
    return count


def texts(rows: list[list[Fraction]]) -> list[list[str]]:
    return [[str(x) for x in row] for row in rows]


def test_a_hundred_entries_of_gradients_have_every_digit_right() -> None:
    assert sum(entries_with_every_digit_right(seed, 6) for seed in range(7_000, 7_010)) >= FEW


@pytest.mark.slow
@pytest.mark.parametrize("first", range(8_000, 8_000 + 30 * PARTS, 30))
def test_ten_thousand_entries_of_gradients_have_every_digit_right(first: int) -> None:
    assert sum(entries_with_every_digit_right(seed, 100) for seed in range(first, first + 30)) >= ENTRIES / PARTS


# -- Jacobians by SymPy ----------------------------------------------------------------------------------------------

JACOBIANS = {
    "softmax(X)": (2, 2),
    "softmax(X / sqrt(2) + causal_mask(2))": (2, 2),
    "log_softmax(X)": (1, 3),
    "layer_norm(X)": (1, 3),
    "rms_norm(X, gamma=W[0])": (2, 2),
    "gelu(X @ W)": (2, 2),
    "silu(X) * W": (1, 2),
    "rotary(X, start=1)": (2, 2),
    "cosine(X, W)": (2, 2),
    "unit(X)": (1, 3),
    "softmax(X @ W @ X.T / sqrt(2)) @ X": (2, 2),
    "relu(X @ W)": (2, 2),
    "diag(X[0]) @ X.T": (2, 2),
}


@pytest.mark.sampled(4)
@pytest.mark.parametrize("formula", JACOBIANS)
def test_rows_of_a_jacobian_are_those_of_sympy(formula: str) -> None:
    """A unit G for every entry of the result gives a row of what Matrix.jacobian says of explicit entries."""
    rows, columns = JACOBIANS[formula]
    draw = Random(formula)
    sizes = {"X": (rows, columns), "W": (columns, columns) if "@ W" in formula else (rows, columns)}
    plan, numbers = Plan(), {}
    for name, size in sizes.items():
        plan = plan.given(name, shape(*size))
        numbers[name] = [
            [Fraction(draw.randint(1, 60) * draw.choice((1, -1)), 32) for _ in range(size[1])] for _ in range(size[0])
        ]
    plan = plan.step("Y", formula)
    height, width = map(int, plan["Y"].shape.sizes)
    passed = backward(plan.given("G", shape(height, width)), "Y", ["X"], "G")
    letters = Matrix(rows, columns, lambda i, j: Symbol(f"x_{i}{j}", real=True))
    explicit = {
        MatrixSymbol(name, *size): letters if name == "X" else exact(numbers[name]) for name, size in sizes.items()
    }
    entries = plan["Y"].formula.xreplace({of: matrix.as_immutable() for of, matrix in explicit.items()}).as_explicit()
    at = {letters[i, j]: exact(numbers["X"])[i, j] for i in range(rows) for j in range(columns)}
    jacobian = Matrix([*entries]).jacobian([*letters]).subs(at)
    for k in range(height * width):
        unit = [[Fraction(int(k == i * width + j)) for j in range(width)] for i in range(height)]
        ours = worked_out(passed.plan, {**numbers, "G": unit})[passed.names["X"]].entries()
        for ball, theirs in zip(ours, jacobian.row(k), strict=True):
            value = mp.mpf(str(theirs.doit().evalf(60)))
            assert abs(mp.mpf(ball.mid().str(60, radius=False)) - value) < mp.mpf(10) ** -50


def exact(rows: list[list[Fraction]]) -> Any:
    return Matrix([[Rational(x.numerator, x.denominator) for x in row] for row in rows])
