"""Derivatives of entries by the rules of calculus, against differences; and the same in terms of what has a name."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from operator import sub
from random import Random

import pytest
from flint import arb, fmpq
from sympy import Expr, Integer, KroneckerDelta, MatAdd, MatMul, MatrixExpr, MatrixSymbol, Symbol, Transpose
from sympy.matrices.expressions.matexpr import MatrixElement

from symattn.compute.proof.definitions import NumbersOnTheWay, general_entry
from symattn.compute.proof.derivative import NamedMatrix, derivative, factored, folded, simplified
from symattn.compute.proof.tree import Indices, ProofError
from symattn.compute.proof.values import value_of
from symattn.compute.values.balls import at_precision
from symattn.operations import Concat, Hadamard, LayerNorm, Quotient, RMSNorm, Softmax
from symattn.operations.node import parameters_of
from symattn.operations.records import OURS
from symattn.read.gradients.local import of_ours

ROW, COLUMN, A, B = (Symbol(name, integer=True) for name in ("i", "j", "a", "b"))
STEP = fmpq(1, 10**30)
X, W, K = MatrixSymbol("X", 2, 3), MatrixSymbol("W", 3, 2), MatrixSymbol("K", 2, 3)
FORMULAS: dict[str, MatrixExpr] = {
    "product": MatMul(X, W, evaluate=False),
    "transposed": MatMul(K, Transpose(X), evaluate=False),
    "itself": MatMul(X, Transpose(X), evaluate=False),
    "scores": Softmax(Quotient(MatMul(X, Transpose(K), evaluate=False), Integer(2))),
    "gate": Hadamard(X, Softmax(X)),
    "residual": LayerNorm(MatAdd(X, K, evaluate=False), 0),
    "rms": RMSNorm(X, 0),
    "twice": Softmax(Softmax(X)),
}


def of_operations() -> Iterator[tuple[str, MatrixExpr]]:
    """Every operation of ours that takes a matrix like X alone, or one of its shape beside it."""
    for name in OURS:
        for given in ({"X": X}, {"S": X}, {"A": X}, {"X": X, "Y": K}):
            try:
                node = of_ours(name, **given)
            except Exception:  # noqa: BLE001  # it takes something else
                continue
            yield name, node
            break


ALL = {**FORMULAS, **dict(of_operations())}


def numbers(seed: str) -> dict[str, list[list[fmpq]]]:
    random = Random(seed)
    return {
        str(each.name): [
            [fmpq(random.randint(1, 900), 1000) for _ in range(each.shape[1])] for _ in range(each.shape[0])
        ]
        for each in (X, W, K)
    }


BY_CASES = {"relu", "elu", "leaky_relu", "abs", "floor", "maximum", "minimum", "row_max", "row_min", "row_argmax"}
"""What has a kink, or jumps: its derivative is told in words."""


def slope_of(node: MatrixExpr) -> tuple[Expr, Expr]:
    """Entry (a, b) of a node, and its derivative by x_ij."""
    entry = general_entry(node, A, B, Indices((ROW, COLUMN, A, B)))
    return entry, simplified(derivative(entry, MatrixElement(X, ROW, COLUMN)))


@pytest.mark.long
@pytest.mark.parametrize("name", sorted(ALL.keys() - BY_CASES))
def test_a_derivative_is_the_slope_of_its_entry(name: str) -> None:
    node, values = ALL[name], numbers(name)
    entry, slope = slope_of(node)

    def worth(tree: Expr, at: dict[Symbol, int], more: fmpq, place: tuple[int, int]) -> arb:
        def value(each: MatrixElement, i: int, j: int) -> arb:
            found = values[str(each.parent.name)][i][j]
            return arb(found + more if each.parent == X and (i, j) == place else found)

        return value_of(tree, at, value)

    rows, columns = map(int, node.shape)
    with at_precision(400):
        for a, b, i, j in product(range(rows), range(columns), range(2), range(3)):
            at = {A: a, B: b, ROW: i, COLUMN: j}
            ends = (worth(entry, at, step, (i, j)) for step in (STEP, -STEP))
            difference = sub(*ends) / arb(2 * STEP)
            assert abs(worth(slope, at, fmpq(0), (i, j)) - difference) < arb(fmpq(1, 10**40)), (a, b, i, j)


@pytest.mark.parametrize("name", sorted(BY_CASES & ALL.keys()))
def test_what_has_a_kink_has_no_derivative_here(name: str) -> None:
    with pytest.raises(ProofError, match="no rule for the derivative of"):
        slope_of(ALL[name])


def test_the_quotient_rule_of_softmax_is_told_in_its_weights() -> None:
    weights = MatrixSymbol("A", 2, 3)
    entry = general_entry(Softmax(X), ROW, B, Indices((ROW, B)))
    slope = simplified(derivative(entry, MatrixElement(X, ROW, COLUMN)))
    soft = NamedMatrix(weights, lambda i, j: general_entry(Softmax(X), i, j, Indices((i, j))))
    common, rest = factored(folded(slope, [soft])).args
    assert common == MatrixElement(weights, ROW, B)
    assert rest.args == (KroneckerDelta(B, COLUMN), -MatrixElement(weights, ROW, COLUMN))


def test_a_mean_of_two_norms_of_the_same_rows_is_one_number() -> None:
    gain = MatrixSymbol("g", 1, 3)
    named = NumbersOnTheWay(lambda _, name: name in ("mu", "sigma2"))
    for node in (LayerNorm(X, 0), LayerNorm(X, 0, gain, MatrixSymbol("h", 1, 3)), LayerNorm(K, 0)):
        general_entry(node, ROW, COLUMN, Indices((ROW, COLUMN), named.entry))
    assert len(named.of) == 4
    assert {parameters_of(node)[0][1] for node, _ in named.of.values()} == {X, K}


def test_an_entry_of_blocks_that_move_is_refused() -> None:
    entry = MatrixElement(Concat(X, K), ROW, B)
    with pytest.raises(ProofError, match="an entry of blocks"):
        derivative(entry, MatrixElement(X, ROW, COLUMN))
    assert derivative(MatrixElement(Concat(K, K), ROW, B), MatrixElement(X, ROW, COLUMN)) == 0
