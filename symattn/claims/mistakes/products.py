"""Mistakes in products: of two rows, and of matrices with weights.

The right way is (A B)_ij = Σ_k a_ik b_kj: every row of A against every column of B.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from sympy import MatMul, MatrixExpr, Mul, OneMatrix, Transpose

from symattn.claims.mistakes.building import (
    absolute,
    factors,
    matrix_size,
    ones,
    scaled_matrix,
    transposed_matrix,
    unevaluated_product,
    unevaluated_sum,
)
from symattn.claims.mistakes.model import LINEAR, PAIRS, WEIGHTED, Mistake, Rewrite
from symattn.claims.mistakes.rewriting import at_each
from symattn.claims.mistakes.scores import score_product
from symattn.claims.mistakes.softmax import is_weights
from symattn.claims.mistakes.subject import Subject
from symattn.operations import Hadamard, ReLU, RowNorm


def two_rows(subject: Subject, node: MatrixExpr) -> tuple[MatrixExpr, MatrixExpr] | None:
    """Return x and y if a formula is the dot product x · y of two rows."""
    pair = score_product(subject, node)
    if pair is None or matrix_size(node) != (1, 1) or matrix_size(pair[0])[1] == 1:
        return None
    return pair


def _instead_of_dot(make: Callable[[MatrixExpr, MatrixExpr], MatrixExpr | None]) -> Rewrite:
    """Return the rewriting that replaces the dot product of two rows."""

    def rule(subject: Subject, node: MatrixExpr) -> Iterator[MatrixExpr]:
        if (pair := two_rows(subject, node)) is not None and (made := make(*pair)) is not None:
            yield made

    return at_each(rule)


def _components_added(x: MatrixExpr, y: MatrixExpr) -> MatrixExpr:
    """Σ_k (x_k + y_k) instead of Σ_k x_k y_k."""
    return unevaluated_product(unevaluated_sum(x, y), ones(matrix_size(x)[1], 1))


def _signs_dropped(x: MatrixExpr, y: MatrixExpr) -> MatrixExpr:
    """Σ_k |x_k y_k| instead of Σ_k x_k y_k."""
    return unevaluated_product(absolute(ReLU(Hadamard(x, y))), ones(matrix_size(x)[1], 1))


def _lengths(x: MatrixExpr, y: MatrixExpr) -> MatrixExpr | None:
    """|x| |y| instead of x · y."""
    return None if x == y else unevaluated_product(RowNorm(x), RowNorm(y))


def _entry_by_entry(subject: Subject, node: MatrixExpr) -> Iterator[MatrixExpr]:
    """A ⊙ B instead of A B, where both have the same shape."""
    if (pair := _matrices(node)) is not None and matrix_size(pair[0]) == matrix_size(pair[1]) != (1, 1):
        yield scaled_matrix(Mul(*factors(node)[0]), Hadamard(*pair))


def _matrices(node: MatrixExpr) -> tuple[MatrixExpr, MatrixExpr] | None:
    """Return the two factors of a product, neither of them a matrix of ones that only sums."""
    matrices = factors(node)[1] if isinstance(node, MatMul) else ()
    if len(matrices) != 2 or any(isinstance(factor, OneMatrix) for factor in matrices):
        return None
    return matrices[0], matrices[1]


def _projection(subject: Subject, node: MatrixExpr) -> tuple[MatrixExpr, MatrixExpr] | None:
    """Return X and W if a formula is X W with given weights W."""
    pair = _matrices(node)
    if pair is None or (
        subject.is_given(pair[1]) and not isinstance(pair[0], Transpose) and not is_weights(subject, pair[0])
    ):
        return pair
    return pair if _is_plain(subject, pair) else None


def _is_plain(subject: Subject, pair: tuple[MatrixExpr, MatrixExpr]) -> bool:
    """Return whether both factors are given, so that the first may be tokens or weights of attention."""
    return all(subject.is_given(factor) and not isinstance(factor, Transpose) for factor in pair)


def _weight_transposed(subject: Subject, node: MatrixExpr) -> Iterator[MatrixExpr]:
    """X Wᵀ instead of X W, for a square W."""
    pair = _projection(subject, node)
    if pair is not None and 1 < matrix_size(pair[1])[0] == matrix_size(pair[1])[1]:
        yield unevaluated_product(*factors(node)[0], pair[0], transposed_matrix(pair[1]))


MISTAKES = (
    Mistake("weight-transposed", at_each(_weight_transposed), LINEAR, rank=540),
    Mistake(
        "entry-by-entry-product",
        at_each(_entry_by_entry, everywhere=False, which="any"),
        (*LINEAR, *WEIGHTED),
        rank=550,
    ),
    Mistake("components-added", _instead_of_dot(_components_added), PAIRS, rank=560),
    Mistake("lengths-multiplied", _instead_of_dot(_lengths), PAIRS, rank=570),
    Mistake("signs-dropped", _instead_of_dot(_signs_dropped), PAIRS, subtle=True, rank=580),
)
