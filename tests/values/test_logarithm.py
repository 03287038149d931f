"""Matrices of logarithms: what they are made of, and the rationals that their exponentials and weights come back to."""

from __future__ import annotations

from fractions import Fraction

import pytest
from flint import fmpq, fmpq_mat
from hypothesis import given
from hypothesis import strategies as st
from sympy import (
    Expr,
    ImmutableDenseMatrix,
    Integer,
    MatAdd,
    MatMul,
    MatrixExpr,
    MatrixSymbol,
    Rational,
    Transpose,
    log,
    oo,
    simplify,
    sqrt,
)

from symattn import operations as ops
from symattn.compute.values.exact import exact
from symattn.compute.values.logarithm import Logs, exponentials, exponents, logs, logs_of, weights
from symattn.compute.values.rational import rational

S, R = MatrixSymbol("S", 2, 2), MatrixSymbol("R", 2, 2)
NUMBERS = {
    "S": [log(2), 2 * log(3), log(Rational(9, 2)), Integer(0)],
    "R": [Rational(1), Rational(2), Rational(-1), Rational(3)],
}


class Names:
    """The values of the names, as the two roads want them."""

    def exact_value(self, name: str) -> ImmutableDenseMatrix:
        return ImmutableDenseMatrix(2, 2, NUMBERS[name])


def known(name: str) -> fmpq_mat | Logs | None:
    if name == "S":
        return logs_of(NUMBERS["S"], 2, 2)
    return fmpq_mat(2, 2, [fmpq(int(x.p), int(x.q)) for x in NUMBERS[name]])


MADE_OF_LOGARITHMS: tuple[MatrixExpr, ...] = (
    S,
    MatMul(S, R, evaluate=False),
    MatMul(R, S, Transpose(R), evaluate=False),
    MatMul(Integer(-3), S, evaluate=False),
    MatAdd(S, MatMul(S, R, evaluate=False), evaluate=False),
    MatAdd(S, ops.CausalMask(2, -oo), evaluate=False),
    MatAdd(S, ops.CausalMask(2, -oo), ops.PaddingMask(2, 2, 1, -oo), evaluate=False),
    ops.Quotient(MatMul(S, R, evaluate=False), Rational(1, 2)),
    ops.Quotient(MatMul(Integer(2), S, evaluate=False), sqrt(4)),
    ops.Dot(S, R),
    ops.Dot(R, S),
    Transpose(MatMul(R, S, evaluate=False)),
    Transpose(MatAdd(S, ops.CausalMask(2, -oo), evaluate=False)),
    ops.Row(S, 2),
    ops.Rows(ops.Stack(S, S), 2, 3),
    ops.Head(ops.Concat(S, MatMul(S, R, evaluate=False)), 2, 2),
    ops.Broadcast(ops.Row(S, 1), 3),
)


@pytest.mark.parametrize("formula", MADE_OF_LOGARITHMS, ids=str)
@pytest.mark.parametrize("node", [ops.Softmax, ops.Exp])
def test_weights_and_exponentials_are_those_of_sympy(formula: MatrixExpr, node: type) -> None:
    found = rational(node(formula), known)

    assert found is not None
    true = [simplify(x) for x in exact(node(formula), Names())]
    assert [Rational(int(x.p), int(x.q)) for x in found.entries()] == true


@pytest.mark.parametrize(
    "formula",
    [
        MatMul(S, S, evaluate=False),
        MatAdd(S, R, evaluate=False),
        MatAdd(S, ops.CausalMask(2, Integer(-9)), evaluate=False),
        MatMul(S, ops.Exp(R), evaluate=False),
        MatMul(MatAdd(S, ops.CausalMask(2, -oo), evaluate=False), R, evaluate=False),
        ops.Quotient(S, sqrt(2)),
        ops.Quotient(MatAdd(S, ops.CausalMask(2, -oo), evaluate=False), Integer(-1)),
        ops.Hadamard(S, S),
        ops.ReLU(S),
        ops.Softmax(S),
        R,
    ],
    ids=str,
)
def test_anything_else_is_not_made_of_logarithms(formula: MatrixExpr) -> None:
    assert logs(formula, known, rational) is None
    assert rational(ops.Softmax(formula), known) is None


def test_half_a_logarithm_is_no_rational_exponential_but_may_be_a_rational_weight() -> None:
    halves = logs_of([log(3) / 2, log(12) / 2, log(27) / 2], 1, 3)
    mixed = logs_of([log(3) / 2, log(3)], 1, 2)
    assert halves is not None
    assert mixed is not None

    assert exponentials(halves) is None
    assert weights(halves) == fmpq_mat([[fmpq(1, 6), fmpq(1, 3), fmpq(1, 2)]])
    assert weights(mixed) is None


def test_a_row_that_sees_nothing_has_weights_of_0() -> None:
    """Where a solution lets it through; its domain is looked at before."""
    hidden = logs_of([-oo, -oo, log(2), Integer(0)], 2, 2)
    assert hidden is not None

    assert weights(hidden) == fmpq_mat([[0, 0], [fmpq(2, 3), fmpq(1, 3)]])
    assert exponentials(hidden) == fmpq_mat([[0, 0], [2, 1]])


@pytest.mark.parametrize(
    "number",
    [
        sqrt(2),
        log(2) + 1,
        log(2) * log(3),
        sqrt(2) * log(2),
        log(sqrt(5) + 1),
        log(2**64 + 13),
        oo,
        log(2) ** 2,
        log(-2, evaluate=False),
    ],
)
def test_what_is_no_sum_of_logarithms(number: Expr) -> None:
    assert exponents(number) is None


def test_a_power_too_long_is_not_worked_out() -> None:
    long = logs_of([10**2000 * log(2), Integer(0)], 1, 2)
    assert long is not None

    assert exponentials(long) is None
    assert weights(long) is None


positive = st.fractions(Fraction(1, 30), 30, max_denominator=30)


@given(st.lists(positive, min_size=1, max_size=5), st.integers(1, 3), positive)
def test_softmax_of_logarithms_is_shares(numbers: list[Fraction], power: int, moved: Fraction) -> None:
    """e^(k ln x + c ln y) / Σ is x^k / Σ x^k, whatever the row is moved by; worked out in Python's fractions."""
    shift = log(Rational(moved.numerator, moved.denominator)) / 7
    scores = [power * log(Rational(x.numerator, x.denominator)) + shift for x in numbers]
    found = logs_of(scores, 1, len(scores))
    assert found is not None

    shares = weights(found)

    total = sum(x**power for x in numbers)
    if not found.parts:
        assert len(numbers) == 1 or len(set(numbers)) == 1
    assert shares is not None
    assert [Fraction(int(x.p), int(x.q)) for x in shares.entries()] == [x**power / total for x in numbers]
