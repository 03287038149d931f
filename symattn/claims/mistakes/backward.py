"""Mistakes on the way back through products and sums: transposes, the scale, the bias, the residual connection.

The right ways, with G = ∂L/∂Y: ∂L/∂W = Xᵀ G and ∂L/∂X = G Wᵀ of Y = X W; Σ_i g_i of a bias; G + … of X + f(X):
Goodfellow, Bengio and Courville 2016, *Deep Learning*, section 6.5.4, algorithm 6.4.
"""

from __future__ import annotations

from collections.abc import Iterator

from sympy import Integer, MatAdd, MatrixExpr, MatrixSymbol, OneMatrix, Transpose

from symattn.claims.mistakes.building import (
    factors,
    fit,
    matrices,
    matrix_size,
    transposed_matrix,
    unevaluated_product,
    unevaluated_sum,
)
from symattn.claims.mistakes.layers import is_negative
from symattn.claims.mistakes.model import GRADIENTS_OF_LAYERS, PASSED_ON, Mistake
from symattn.claims.mistakes.rewriting import at_each
from symattn.claims.mistakes.scores import is_root, scale
from symattn.claims.mistakes.subject import Subject

# -- products ----------------------------------------------------------------------------------------------------------


def passed_back(subject: Subject, node: MatrixExpr) -> tuple[MatrixExpr, MatrixExpr] | None:
    """Return the factors of a product of two matrices, neither of them a matrix of ones that only sums.

    >>> from symattn.read.plan import Plan
    >>> from symattn.base.shapes import shape
    >>> plan = Plan().given("X", shape(2, 3)).given("W", shape(3, 4)).given("dY", shape(2, 4)).step("dW", "X.T @ dY")
    >>> passed_back(Subject(plan), plan["dW"].formula)
    (X.T, dY)
    """
    pair = matrices(node)
    if len(pair) != 2 or matrix_size(node) == (1, 1) or any(isinstance(factor, OneMatrix) for factor in pair):
        return None
    return pair[0], pair[1]


def _is_turned(subject: Subject, node: MatrixExpr) -> bool:
    return isinstance(subject.meaning(node), Transpose)


def _turned(subject: Subject, node: MatrixExpr) -> MatrixExpr:
    """Return the transpose; for a name of a transpose, the original matrix."""
    return transposed_matrix(subject.meaning(node) if _is_turned(subject, node) else node)


def _not_transposed(subject: Subject, node: MatrixExpr) -> Iterator[MatrixExpr]:
    """X G instead of Xᵀ G, G W instead of G Wᵀ."""
    if (pair := passed_back(subject, node)) is None:
        return
    numbers, (first, last) = factors(node)[0], pair
    for turned, plain in (
        (first, (_turned(subject, first), last)),
        (last, (first, _turned(subject, last))),
    ):
        if _is_turned(subject, turned) and fit(*plain):
            yield unevaluated_product(*numbers, *plain)


def _other_transposed(subject: Subject, node: MatrixExpr) -> Iterator[MatrixExpr]:
    """X Gᵀ instead of Xᵀ G, Gᵀ W instead of G Wᵀ, Gᵀ K instead of G K, where the shape stays the same."""
    if (pair := passed_back(subject, node)) is None:
        return
    numbers, (first, last) = factors(node)[0], pair
    moved = (_turned(subject, first), _turned(subject, last))
    if not any(_is_turned(subject, factor) for factor in pair):
        moved = (moved[0], last)
    if fit(*moved) and matrix_size(made := unevaluated_product(*numbers, *moved)) == matrix_size(node):
        yield made


def _gradient_transposed(subject: Subject, node: MatrixExpr) -> Iterator[MatrixExpr]:
    """Gᵀ X instead of Xᵀ G, W Gᵀ instead of G Wᵀ: the gradient in the shape of the transpose."""
    pair = passed_back(subject, node)
    if pair is not None and any(_is_turned(subject, factor) for factor in pair):
        yield unevaluated_product(*factors(node)[0], _turned(subject, pair[1]), _turned(subject, pair[0]))


def _scale_forgotten(subject: Subject, node: MatrixExpr) -> Iterator[MatrixExpr]:
    """G K instead of G K / √d_k."""
    found = scale(node)
    if found is not None and is_root(found[1]) and subject.scalar(found[1]) != 1:
        yield found[0]


# -- sums --------------------------------------------------------------------------------------------------------------


def _bias_averaged(subject: Subject, node: MatrixExpr) -> Iterator[MatrixExpr]:
    """The mean of the rows instead of their sum."""
    pair = matrices(node)
    if len(pair) == 2 and isinstance(pair[0], OneMatrix) and matrix_size(pair[0])[0] == 1 < matrix_size(pair[0])[1]:
        yield unevaluated_product(Integer(1) / matrix_size(pair[0])[1], *factors(node)[0], *pair)


def _ways(subject: Subject, node: MatrixExpr) -> Iterator[tuple[MatrixExpr, MatrixExpr]]:
    """Yield the gradient that bypasses a layer by a residual connection, and the one that comes through the layer."""
    for i, term in enumerate(node.args if isinstance(node, MatAdd) else ()):
        rest = (*node.args[:i], *node.args[i + 1 :])
        if not isinstance(term, MatrixSymbol) or any(is_negative(other) for other in rest):
            continue
        if any(subject.rests_on(other, term.name) for other in rest):
            yield term, unevaluated_sum(*rest)


def _past_forgotten(subject: Subject, node: MatrixExpr) -> Iterator[MatrixExpr]:
    """Only the gradient that comes through the layer."""
    yield from (through for _, through in _ways(subject, node))


def _layer_forgotten(subject: Subject, node: MatrixExpr) -> Iterator[MatrixExpr]:
    """Only the gradient that comes through the residual connection."""
    yield from (past for past, _ in _ways(subject, node))


PRODUCTS = (*GRADIENTS_OF_LAYERS, "sgd-step", "attention-backward")

MISTAKES = (
    Mistake("backward-transpose-forgotten", at_each(_not_transposed, which="backward"), PRODUCTS, rank=242),
    Mistake("backward-scale-forgotten", at_each(_scale_forgotten, which="backward"), ("attention-backward",), rank=244),
    Mistake("residual-gradient-forgotten", at_each(_past_forgotten, which="backward"), ("relu-backward",), rank=246),
    Mistake("other-factor-transposed", at_each(_other_transposed, which="backward"), PRODUCTS, rank=811),
    Mistake("gradient-transposed", at_each(_gradient_transposed, which="backward"), PRODUCTS, rank=812),
    Mistake("bias-gradient-averaged", at_each(_bias_averaged, which="backward"), PASSED_ON, rank=813),
    Mistake("layer-gradient-forgotten", at_each(_layer_forgotten, which="backward"), ("relu-backward",), rank=814),
)
