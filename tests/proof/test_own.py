"""Operations of somebody's own in proofs: by their equations, and opaque where they distinguish cases."""

from __future__ import annotations

import pytest
from sympy import Function, Integer, KroneckerDelta, MatrixExpr, MatrixSymbol, Rational, Symbol, Transpose

from symattn import operations as ops
from symattn.compute.proof.canon import key
from symattn.compute.proof.definitions import general_entry
from symattn.compute.proof.equality import rewritten
from symattn.compute.proof.small_sizes import compared
from symattn.compute.proof.tree import Indices, ProofError
from symattn.operations.equations.read import read_operation
from symattn.operations.node import apply
from symattn.operations.terms import size_symbol

m, n = size_symbol("m"), size_symbol("n")
i, j = Symbol("i", integer=True), Symbol("j", integer=True)
S, X, N = MatrixSymbol("S", m, n), MatrixSymbol("X", m, n), MatrixSymbol("N", n, n)
SIZES = {m: Integer(2), n: Integer(3)}


def own(text: str, *args: object) -> MatrixExpr:
    return apply(read_operation(text), *args)


def meet(one: MatrixExpr, other: MatrixExpr) -> bool:
    """Whether the lines of both sides come to the same entry, for all sizes."""
    left, right = (rewritten(general_entry(node, i, j, Indices())) for node in (one, other))
    return bool({key(line.expr) for line in left} & {key(line.expr) for line in right})


def small(node: MatrixExpr) -> MatrixExpr:
    return node.xreplace(SIZES)


SIGMOID = "sigmoid(X)\n y[i,j] = 1 / (1 + exp(-X[i,j]))"
LEAKY = "leaky(X, a = 1/100)\n y[i,j] = X[i,j] if X[i,j] > 0 else a * X[i,j]"
LOWER = "lower(X: n×n) -> n×n\n y[i,j] = X[i,j] if j <= i else 0"

EQUAL = {
    "softmax under another name": (
        own("mysoftmax(A)\n e[i,j] = exp(A[i,j])\n y[i,j] = e[i,j] / sum(k, e[i,k])", S),
        ops.Softmax(S),
    ),
    "softmax of shifted scores": (
        own("shifted(A, c)\n e[i,j] = exp(A[i,j] - c)\n y[i,j] = e[i,j] / sum(k, e[i,k])", S, Symbol("s", real=True)),
        ops.Softmax(S),
    ),
    "sigmoid with a named number": (
        own("mine(X)\n e[i,j] = exp(-X[i,j])\n y[i,j] = 1 / (1 + e[i,j])", X),
        own(SIGMOID, X),
    ),
    "silu by sigmoid": (ops.Hadamard(X, own(SIGMOID, X)), ops.SiLU(X)),
    "gelu written in another way": (own("g(X)\n y[i,j] = X[i,j] / 2 * (1 + erf(X[i,j] / sqrt(2)))", X), ops.GELU(X)),
    "capped twice": (
        own("cap(X, c)\n y[i,j] = c * tanh(X[i,j] / c)", X, Integer(5)),
        5 * ops.Tanh(ops.Quotient(X, Integer(5))),
    ),
    "a mean by a sum": (
        own("mean(X: m×n)\n y[i] = sum(k, X[i,k]) / n", X),
        ops.Quotient(ops.MatMul(X, ops.OneMatrix(n, 1)), n),
    ),
    "ReLU under another name": (own("positive(A)\n y[i,j] = max(0, A[i,j])", X), ops.ReLU(X)),
    "rows and their largest": (own("top(X: m×n)\n y[i] = max(k, X[i,k])", X), ops.RowMax(X)),
    "cases on a sign inside a product": (own(LEAKY, X) * X.T, ops.Dot(own(LEAKY, X), X)),
    "cases on places inside a sum": (own(LOWER, N) + own(LOWER, N), 2 * own(LOWER, N)),
    "an identity matrix": (own("unit(n: size) -> n×n\n y[i,j] = 1 if i == j else 0", n) * N, N),
}
DIFFERENT = {
    "a forgotten sign": (own("mine(X)\n y[i,j] = 1 / (1 + exp(X[i,j]))", X), own(SIGMOID, X)),
    "another slope": (own(LEAKY, X, Rational(1, 5)), own(LEAKY, X, Rational(1, 7))),
    "a case that is left out": (own(LEAKY, X), X),
    "the other triangle": (own(LOWER, Transpose(N)), Transpose(own(LOWER, N))),
    "less than the absolute value": (own("a(X)\n y[i,j] = abs(X[i,j])", X), own("f(X)\n y[i,j] = floor(X[i,j])", X)),
}


@pytest.mark.parametrize("name", EQUAL)
def test_both_roads_arrive(name: str) -> None:
    one, other = EQUAL[name]
    assert meet(one, other)
    assert compared(small(one), small(other), SIZES) is True


@pytest.mark.parametrize("name", DIFFERENT)
def test_neither_road_arrives_where_entries_differ(name: str) -> None:
    one, other = DIFFERENT[name]
    assert not meet(one, other)
    assert isinstance(compared(small(one), small(other), SIZES), tuple)


def test_what_distinguishes_cases_is_a_function_of_what_stands_there() -> None:
    entry = general_entry(own(LEAKY, X, Rational(1, 5)), i, j, Indices())
    assert entry == Function("leaky")(X[i, j], Rational(1, 5))
    assert general_entry(own(LOWER, N), i, j, Indices()) == Function("lower")(N[i, j], i, j)
    assert general_entry(ops.CausalMask(n, Integer(-5)), i, j, Indices()) == Function("causal_mask")(i, j, -5)
    assert general_entry(ops.Identity(n), i, j, Indices()) == KroneckerDelta(i, j)


def test_a_named_number_of_another_row_is_that_of_the_other_row() -> None:
    crossed = "crossed(X: n×n, c) -> n×n\n t[i] = X[i,1] * c\n y[i,j] = t[j] if X[i,j] > 0 else 0"
    entry = general_entry(own(crossed, N, Integer(2)), i, j, Indices())
    assert entry == Function("crossed")(N[i, j], N[j, 0], 2)


def test_cases_that_hang_on_a_sum_are_refused() -> None:
    clipped = own(
        "clipped(X, c)\n r = sqrt(sum(k, sum(l, X[k,l]^2)))\n y[i,j] = X[i,j] if r <= c else c", X, Integer(2)
    )
    with pytest.raises(ProofError, match="there is no rule for clipped, which distinguishes cases by a sum"):
        general_entry(clipped, i, j, Indices())
