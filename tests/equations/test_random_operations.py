"""Random operations of somebody's own have at every stage the values that another road finds for them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from flint import arb, fmpq
from mpmath import mp, mpf
from sympy import MatrixSymbol, Rational

from symattn.base.errors import DomainError, NoValueError, UndecidedError
from symattn.base.shapes import shape
from symattn.compute.codegen.double import computed
from symattn.compute.solution import Solution
from symattn.compute.solution.evaluation import Evaluation
from symattn.compute.values.alike import Kinds, alike
from symattn.compute.values.balls import at_precision, number_ball
from symattn.compute.values.cost import closed_form_size, cost
from symattn.compute.values.ends import Bounds, Intervals
from symattn.compute.values.hand import exactly, hand, rounded, widened
from symattn.compute.values.interval import interval
from symattn.operations.equations.read import read_operation
from symattn.operations.node import apply
from symattn.read.given import Given
from symattn.read.plan import Plan
from tests.equations.random_operations import Maker, RandomOperation

SEEDS = tuple(seed for seed in range(60) if seed != 22)
"""Without the one where SymPy takes arccos(tanh(π²)) for 0."""
BITS = 300
FOUND: dict[str, tuple[str, dict[str, list[list[str]]]]] = {
    "a remainder": ("own(X: m×d) -> m×d\n y[i,j] = X[i,j] % 0.3 + exp(X[i,j])", {"X": [["-1.25", "0.5"]]}),
    "a negative power": ("own(X: m×d) -> m×d\n y[i,j] = X[i,j]^(-1) + exp(X[i,j])", {"X": [["-2", "3"]]}),
    "equal numbers": (
        "own(X: m×d) -> m×d\n y[i,j] = exp(X[i,j]) if X[i,j] == X[i,1] else 0",
        {"X": [["1/3", "1/3", "2"]]},
    ),
    "equal roots": (
        "own(X: m×d) -> m×d\n y[i,j] = exp(X[i,j]) if X[i,j] >= X[i,1] else 0",
        {"X": [["sqrt(2)", "sqrt(2)", "2"]]},
    ),
    "a number at its floor": (
        "own(X: m×d) -> m×d\n y[i,j] = floor(X[i,j] * X[i,j]) + exp(X[i,j])",
        {"X": [["sqrt(2)"]]},
    ),
    "a sum of what is left out": (
        "own(X: m×d, b: d = 1) -> m×d\n y[i,j] = X[i,j] / max(k, b[k])",
        {"X": [["1/3", "2"]]},
    ),
}
"""Operations with which something was wrong."""


class Asked:
    """A random operation, the solution that it is the step R of, and its value by the other road."""

    def __init__(self, made: RandomOperation) -> None:
        self.made = made
        arguments = [
            MatrixSymbol(name, len(rows), len(rows[0])) if (rows := made.matrices.get(name)) else number(made, name)
            for name in made.order
        ]
        self.node = apply(read_operation(made.text), *arguments)
        plan = Plan()
        for name, rows in made.matrices.items():
            plan = plan.given(name, shape(len(rows), len(rows[0])))
        step = plan.step("R", f"{made.order[0]}.T").steps[-1]
        step = replace(step, formula=self.node, shape=shape(*map(int, self.node.shape)))
        givens = {name: Given.read(rows) for name, rows in made.matrices.items()}
        self.solution = Evaluation(replace(plan, steps=(*plan.steps, step)), givens)
        self.truth = made.value()

    @property
    def entries(self) -> list[Any]:
        return [x for row in self.truth or [] for x in row]


def number(made: RandomOperation, name: str) -> Rational:
    return Rational(made.numbers[name])


def holds(ball: arb, value: Any) -> bool:
    """Whether a ball holds a number, as far as 100 digits tell."""
    if isinstance(value, Fraction):
        return bool(ball.overlaps(arb(fmpq(value.numerator, value.denominator))))
    near = arb(mp.nstr(value, 100))
    return bool(ball.overlaps(near + arb(0, 1) * (1 + abs(near)) * arb("1e-55")))


def near(value: Any) -> Any:
    return mpf(value.numerator) / value.denominator if isinstance(value, Fraction) else value


def of_figures(asked: Asked) -> None:
    """Enclosures at two precisions, rationals, closed forms, decimals."""
    solution = asked.solution
    for bits in (84, 1000):
        with at_precision(bits):
            for ball, value in zip(solution.enclosure("R", bits).entries(), asked.entries, strict=True):
                assert holds(ball, value)
                assert bits == 84 or ball.rad() < arb("1e-130") * (1 + abs(ball))
    known = solution.rational_entries("R")
    if known is not None:
        with at_precision(BITS):
            assert all(holds(arb(x), value) for x, value in zip(known, asked.entries, strict=True))
    with at_precision(BITS):
        closed = map(number_ball, solution.exact_value("R"))
        assert all(holds(ball, value) for ball, value in zip(closed, asked.entries, strict=True))
    for text, value in zip((x for row in solution.decimals("R", 8) for x in row), asked.entries, strict=True):
        assert abs(mpf(text) - near(value)) <= mpf(10) ** -8 * mpf("0.5000001")
    assert min(cost(asked.node), closed_form_size(asked.node, lambda _: 1)) > 0


def of_hand(asked: Asked) -> None:
    def lookup(name: str) -> Any:
        return asked.solution.enclosure(name, BITS)

    with at_precision(BITS):
        assert all(map(holds, hand(asked.node, lookup, exactly).entries(), asked.entries))
        for decimals in (1, 3):
            wide = hand(asked.node, lookup, widened(decimals)).entries()
            assert all(holds(x, y) or not x.is_finite() for x, y in zip(wide, asked.entries, strict=True))
            try:
                found = hand(asked.node, lookup, rounded(decimals)).entries()
            except UndecidedError:
                continue
            assert all(x.overlaps(y) or not x.is_finite() for x, y in zip(wide, found, strict=True))


def of_boxes(asked: Asked) -> None:
    """What the matrices may be around their numbers, and what comes of it."""
    middle = {
        name: [[Fraction(x) if "(" not in x else Fraction(7, 5) for x in row] for row in rows]
        for name, rows in asked.made.matrices.items()
    }
    shares = [Fraction(-1, 200), Fraction(1, 300), Fraction(0), Fraction(1, 100)]

    def box(name: str) -> Intervals:
        low, high = fmpq(-1, 200), fmpq(1, 100)
        return tuple(
            tuple(Bounds(fmpq(*x.as_integer_ratio()) + low, fmpq(*x.as_integer_ratio()) + high) for x in row)
            for row in middle[name]
        )

    try:
        found = [x for row in interval(asked.node, box) for x in row]
    except NoValueError:
        return
    for turn in range(4):
        inside = {
            name: [[x + shares[(turn * (i + 1) + j) % 4] for j, x in enumerate(row)] for i, row in enumerate(rows)]
            for name, rows in middle.items()
        }
        values = asked.made.value(inside)
        with at_precision(BITS):
            for cell, value in zip(found, (x for row in values or [] for x in row), strict=False):
                assert not cell.hidden
                assert holds(arb(cell.low).union(arb(cell.high)), value)


def of_doubles(asked: Asked) -> None:
    for found, value in zip(asked.solution.float64("R").ravel(), asked.entries, strict=True):
        # What jumps may jump elsewhere in double precision.
        assert "floor" in asked.made.text or "%" in asked.made.text or abs(found - value) < 1e-7 * (1 + abs(value))
    with at_precision(BITS):
        balls = computed(asked.solution, ["R"])["R"].entries()
        assert all(holds(x, y) for x, y in zip(balls, asked.entries, strict=True))


def of_alike(asked: Asked) -> None:
    kinds = Kinds()
    rows = {name: kinds.of_values(matrix) for name, matrix in asked.made.matrices.items()}
    numbers = [x for row in alike(asked.node, rows.__getitem__, kinds) for x in row]
    values: dict[int, Any] = {}
    for number, value in zip(numbers, asked.entries, strict=True):
        assert abs(near(values.setdefault(number, value)) - near(value)) < mpf("1e-55")


def check(asked: Asked) -> None:
    with mp.workdps(120):
        if asked.truth is None:
            with pytest.raises(DomainError):
                asked.solution.enclosure("R", 84)
            return
        assert tuple(map(int, asked.node.shape)) == (len(asked.truth), len(asked.truth[0]))
        for stage in (of_figures, of_hand, of_boxes, of_doubles, of_alike):
            stage(asked)


@pytest.mark.parametrize("name", FOUND)
def test_what_was_wrong_once_is_right(name: str, solve: Callable[..., Solution]) -> None:
    text, givens = FOUND[name]
    node = apply(read_operation(text), *(MatrixSymbol(x, len(rows), len(rows[0])) for x, rows in givens.items()))
    solution = solve(givens)
    part = solution.store.part(node)
    with at_precision(BITS):
        for ball, closed in zip(solution.enclosure(part, BITS).entries(), solution.exact_value(part), strict=True):
            assert ball.rad() < arb("1e-60")
            assert ball.overlaps(number_ball(closed))
    assert abs(solution.float64(part) - np.array(solution.exact_value(part), dtype=float)).max() < 1e-12
    assert solution.decimals(part, 6)


@pytest.mark.long
@pytest.mark.parametrize("seed", SEEDS)
def test_random_operations_are_what_another_road_says(seed: int) -> None:
    check(Asked(Maker(seed).operation()))
