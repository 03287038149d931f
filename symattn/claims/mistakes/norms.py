"""Mistakes in layer norm and RMS norm: another variance, another axis, ε, the mean, γ and β.

The right way: Ba, Kiros and Hinton 2016, section 3, equation (3); Zhang and Sennrich 2019, section 3, equation (4).
"""

from __future__ import annotations

from collections.abc import Iterator

from sympy import Expr, Integer, MatrixExpr, OneMatrix, Rational, ZeroMatrix, sqrt

from symattn.claims.mistakes.building import (
    difference,
    factors,
    matrix_size,
    ones,
    scaled_matrix,
    transposed_matrix,
    unevaluated_product,
    unevaluated_sum,
)
from symattn.claims.mistakes.model import NORMS, Mistake
from symattn.claims.mistakes.rewriting import at_each, by_rows, of
from symattn.claims.mistakes.subject import Subject
from symattn.operations import Broadcast, Concat, EntryQuotient, Hadamard, LayerNorm, Quotient, RMSNorm, RowNorm

AnyNorm = LayerNorm | RMSNorm


def _gain_and_shift(node: AnyNorm) -> tuple[MatrixExpr | None, MatrixExpr | None]:
    """Return γ and β, each ``None`` if it is only a default of ones or zeros."""
    gamma, beta = node.gamma, node.beta if isinstance(node, LayerNorm) else None
    return None if isinstance(gamma, OneMatrix) else gamma, None if isinstance(beta, ZeroMatrix) else beta


def layer_norm(x: MatrixExpr, epsilon: Expr, gamma: MatrixExpr | None, beta: MatrixExpr | None) -> MatrixExpr:
    """Return a layer norm with γ, β, both or neither."""
    if gamma is None and beta is None:
        return LayerNorm(x, epsilon)
    width = x.shape[1]
    gain = OneMatrix(1, width) if gamma is None else gamma
    return LayerNorm(x, epsilon, gain, ZeroMatrix(1, width) if beta is None else beta)


def _like(node: AnyNorm, x: MatrixExpr, epsilon: Expr, gamma: MatrixExpr | None) -> MatrixExpr:
    """Return the same kind of norm of another matrix, with another ε and γ."""
    if isinstance(node, LayerNorm):
        return layer_norm(x, epsilon, gamma, _gain_and_shift(node)[1])
    return RMSNorm(x, epsilon) if gamma is None else RMSNorm(x, epsilon, gamma)


def _finished(node: AnyNorm, x: MatrixExpr) -> MatrixExpr:
    """Return normalised rows times γ plus β, where the norm has them."""
    gamma, beta = _gain_and_shift(node)
    rows = x.shape[0]
    made = x if gamma is None else Hadamard(x, Broadcast(gamma, rows))
    return made if beta is None else unevaluated_sum(made, Broadcast(beta, rows))


def _centred(node: AnyNorm) -> MatrixExpr:
    """Return X minus the mean of every row; for an RMS norm, X itself."""
    x = node.argument
    if isinstance(node, RMSNorm):
        return x
    width = matrix_size(x)[1]
    return difference(x, unevaluated_product(Rational(1, width), x, ones(width, width)))


def _scaled(number: Expr, gamma: MatrixExpr | None, width: int) -> MatrixExpr:
    return scaled_matrix(number, ones(1, width) if gamma is None else gamma)


# -- variance ----------------------------------------------------------------------------------------------------


def _sample_variance(subject: Subject, node: MatrixExpr) -> Iterator[MatrixExpr]:
    """Σ (x − μ)² / (d − 1): γ √((d−1)/d) and ε (d−1)/d in the usual formula, or the divisor where it is written out."""
    if isinstance(node, LayerNorm) and (width := matrix_size(node)[1]) > 1:
        share = Rational(width - 1, width)
        gamma = _scaled(sqrt(share), _gain_and_shift(node)[0], width)
        yield _like(node, node.argument, node.epsilon * share, gamma)
    elif isinstance(node, Quotient) and _squares(subject, node.argument) == subject.scalar(node.divisor) > 1:
        yield Quotient(node.argument, node.divisor - 1)


def _squares(subject: Subject, node: MatrixExpr) -> int:
    """Return how many squared deviations each row sums, or 0 if the formula is not such a sum."""
    chain = subject.chain(node)
    if len(chain) != 2 or not isinstance(chain[1], OneMatrix):
        return 0
    square = subject.meaning(chain[0])
    if not isinstance(square, Hadamard) or square.left != square.right:
        return 0
    made = subject.meaning(square.left)
    return matrix_size(square)[1] if any(x.is_negative for term in made.args for x in factors(term)[0]) else 0


def _squares_added(node: AnyNorm) -> MatrixExpr | None:
    """√(Σ x² + ε) instead of √(Σ x² / d + ε): γ / √d and ε / d in the usual formula."""
    if (width := matrix_size(node)[1]) == 1:
        return None
    gamma = _scaled(1 / sqrt(Integer(width)), _gain_and_shift(node)[0], width)
    return _like(node, node.argument, node.epsilon / width, gamma)


def _root_forgotten(node: AnyNorm) -> MatrixExpr:
    """Divided by σ² + ε instead of its root."""
    x = _centred(node)
    rows, width = matrix_size(x)
    variance: MatrixExpr = unevaluated_product(Rational(1, width), Hadamard(x, x), ones(width, width))
    if not node.epsilon.is_zero:
        variance = unevaluated_sum(variance, scaled_matrix(node.epsilon, ones(rows, width)))
    return _finished(node, EntryQuotient(x, variance))


def _over_tokens(node: AnyNorm) -> MatrixExpr | None:
    """Every column normalised over the tokens; γ and β as before. One token alone has no spread."""
    if matrix_size(node)[0] == 1:
        return None
    made = LayerNorm if isinstance(node, LayerNorm) else RMSNorm
    return _finished(node, transposed_matrix(made(transposed_matrix(node.argument), node.epsilon)))


# -- ε and the mean ----------------------------------------------------------------------------------------------


def _without_epsilon(node: AnyNorm) -> MatrixExpr | None:
    """σ instead of √(σ² + ε)."""
    return None if node.epsilon.is_zero else _like(node, node.argument, Integer(0), _gain_and_shift(node)[0])


def _epsilon_outside(node: AnyNorm) -> MatrixExpr | None:
    """σ + ε instead of √(σ² + ε)."""
    if node.epsilon.is_zero:
        return None
    x = _centred(node)
    rows, width = matrix_size(x)
    deviation = unevaluated_product(1 / sqrt(Integer(width)), RowNorm(x), ones(1, width))
    return _finished(node, EntryQuotient(x, unevaluated_sum(deviation, scaled_matrix(node.epsilon, ones(rows, width)))))


def _mean_not_subtracted(node: LayerNorm) -> MatrixExpr:
    """Divided by the root mean square instead of the standard deviation, with nothing subtracted."""
    gamma, beta = _gain_and_shift(node)
    made = RMSNorm(node.argument, node.epsilon, gamma)
    return made if beta is None else unevaluated_sum(made, Broadcast(beta, node.shape[0]))


def _mean_left_above(node: LayerNorm) -> MatrixExpr:
    """x / √(σ² + ε) instead of (x − μ) / √(σ² + ε)."""
    rows, width = matrix_size(node)
    scaled: MatrixExpr = Quotient(_centred(node), sqrt(Integer(width)))
    # The length of a row extended by √ε is the root of the sum of both squares.
    below = scaled if node.epsilon.is_zero else Concat(scaled, scaled_matrix(sqrt(node.epsilon), ones(rows, 1)))
    return _finished(node, EntryQuotient(node.argument, unevaluated_product(RowNorm(below), ones(1, width))))


# -- γ and β -----------------------------------------------------------------------------------------------------


def _gain_forgotten(node: AnyNorm) -> MatrixExpr | None:
    """γ left out."""
    return None if _gain_and_shift(node)[0] is None else _like(node, node.argument, node.epsilon, None)


def _shift_forgotten(node: LayerNorm) -> MatrixExpr | None:
    """β left out."""
    gamma, beta = _gain_and_shift(node)
    return None if beta is None else layer_norm(node.argument, node.epsilon, gamma, None)


def _both_forgotten(node: LayerNorm) -> MatrixExpr | None:
    """γ and β left out."""
    return None if None in _gain_and_shift(node) else layer_norm(node.argument, node.epsilon, None, None)


def _shift_before_gain(node: LayerNorm) -> MatrixExpr | None:
    """γ (x̂ + β) instead of γ x̂ + β."""
    gamma, beta = _gain_and_shift(node)
    if gamma is None or beta is None:
        return None
    return layer_norm(node.argument, node.epsilon, gamma, Hadamard(gamma, beta))


LAYER_NORM, RMS_NORM = NORMS

MISTAKES = (
    Mistake("variance-with-n-minus-one", at_each(_sample_variance), (LAYER_NORM,), rank=150),
    Mistake("norm-over-tokens", at_each(by_rows(of(AnyNorm, _over_tokens))), NORMS, rank=160),
    Mistake("mean-not-subtracted", at_each(of(LayerNorm, _mean_not_subtracted)), (LAYER_NORM,), rank=170),
    # A layer norm where an RMS norm was asked for.
    Mistake(
        "mean-subtracted",
        at_each(of(RMSNorm, lambda node: layer_norm(node.argument, node.epsilon, node.gamma, None))),
        (RMS_NORM,),
        rank=180,
    ),
    Mistake("root-forgotten", at_each(of(AnyNorm, _root_forgotten)), NORMS, rank=650),
    Mistake("squares-not-averaged", at_each(of(AnyNorm, _squares_added)), NORMS, rank=660),
    Mistake("mean-left-in-the-numerator", at_each(of(LayerNorm, _mean_left_above)), (LAYER_NORM,), rank=670),
    Mistake("gain-forgotten", at_each(of(AnyNorm, _gain_forgotten)), NORMS, rank=680),
    Mistake("shift-forgotten", at_each(of(LayerNorm, _shift_forgotten)), (LAYER_NORM,), rank=690),
    Mistake("gain-and-shift-forgotten", at_each(of(LayerNorm, _both_forgotten)), (LAYER_NORM,), subtle=True, rank=692),
    Mistake("shift-before-gain", at_each(of(LayerNorm, _shift_before_gain)), (LAYER_NORM,), subtle=True, rank=694),
    Mistake("epsilon-forgotten", at_each(of(AnyNorm, _without_epsilon)), NORMS, subtle=True, rank=700),
    Mistake("epsilon-outside-the-root", at_each(of(AnyNorm, _epsilon_outside)), NORMS, subtle=True, rank=710),
)
