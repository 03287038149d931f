"""Mistakes in products: of two rows, and of matrices with weights.

The right way is (A B)_ij = Σ_k a_ik b_kj: every row of A against every column of B.
"""

from __future__ import annotations

from collections.abc import Iterator

from sympy import Integer, MatMul, MatrixExpr, Mul, OneMatrix, Transpose

from symattn.mistakes.places import (
    View,
    at_each,
    factors,
    ones,
    product,
    size,
    times,
    total,
    transposed,
)
from symattn.mistakes.scores import score_product
from symattn.mistakes.softmax import is_weights
from symattn.operations import Hadamard, ReLU, RowNorm


def two_rows(view: View, node: MatrixExpr) -> tuple[MatrixExpr, MatrixExpr] | None:
    """x and y where a formula is the dot product x · y of two rows."""
    pair = score_product(view, node)
    if pair is None or size(node) != (1, 1) or size(pair[0])[1] == 1:
        return None
    return pair


def _components_added(view: View, node: MatrixExpr) -> Iterator[MatrixExpr]:
    """Σ_k (x_k + y_k) instead of Σ_k x_k y_k."""
    if (pair := two_rows(view, node)) is not None:
        yield product(total(*pair), ones(size(pair[0])[1], 1))


def _signs_dropped(view: View, node: MatrixExpr) -> Iterator[MatrixExpr]:
    """Σ_k |x_k y_k|."""
    if (pair := two_rows(view, node)) is not None:
        products = Hadamard(*pair)
        size_of = total(ReLU(products), ReLU(times(Integer(-1), products)))
        yield product(size_of, ones(size(products)[1], 1))


def _entry_by_entry(view: View, node: MatrixExpr) -> Iterator[MatrixExpr]:
    """A ⊙ B instead of A B, where both have the same shape."""
    if (pair := _matrices(node)) is not None and size(pair[0]) == size(pair[1]) != (1, 1):
        yield times(Mul(*factors(node)[0]), Hadamard(*pair))


def _matrices(node: MatrixExpr) -> tuple[MatrixExpr, MatrixExpr] | None:
    """The two factors of a product in which neither is there for adding up."""
    matrices = factors(node)[1] if isinstance(node, MatMul) else ()
    if len(matrices) != 2 or any(isinstance(factor, OneMatrix) for factor in matrices):
        return None
    return matrices[0], matrices[1]


def _projection(view: View, node: MatrixExpr) -> tuple[MatrixExpr, MatrixExpr] | None:
    """X and W where a formula is X W with given weights W."""
    pair = _matrices(node)
    if pair is None or not view.is_given(pair[1]) or isinstance(pair[0], Transpose) or is_weights(view, pair[0]):
        return pair if pair is not None and _is_plain(view, pair) else None
    return pair


def _is_plain(view: View, pair: tuple[MatrixExpr, MatrixExpr]) -> bool:
    """Whether both factors are given, so that the first may be tokens as well as weights of attention."""
    return all(view.is_given(factor) and not isinstance(factor, Transpose) for factor in pair)


def _weight_transposed(view: View, node: MatrixExpr) -> Iterator[MatrixExpr]:
    """X Wᵀ instead of X W, for a square W."""
    pair = _projection(view, node)
    if pair is not None and 1 < size(pair[1])[0] == size(pair[1])[1]:
        yield product(*factors(node)[0], pair[0], transposed(pair[1]))


def _lengths(view: View, node: MatrixExpr) -> Iterator[MatrixExpr]:
    """|x| |y| instead of x · y."""
    if (pair := two_rows(view, node)) is not None and pair[0] != pair[1]:
        yield product(RowNorm(pair[0]), RowNorm(pair[1]))


lengths_multiplied = at_each(_lengths)
components_added = at_each(_components_added)
signs_dropped = at_each(_signs_dropped)
entry_by_entry_product = at_each(_entry_by_entry, everywhere=False)
weight_transposed = at_each(_weight_transposed)
