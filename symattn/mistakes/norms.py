"""Mistakes in layer norm and RMS norm: another variance, another axis, ε, the mean, γ and β.

The right way: Ba, Kiros and Hinton 2016, section 3, equation (3); Zhang and Sennrich 2019, section 3, equation (4).
"""

from __future__ import annotations

from collections.abc import Iterator

from sympy import Expr, Integer, MatrixExpr, OneMatrix, Rational, ZeroMatrix, sqrt

from symattn.mistakes.places import (
    View,
    at_each,
    difference,
    factors,
    ones,
    product,
    size,
    times,
    total,
    transposed,
)
from symattn.operations import (
    Broadcast,
    Concat,
    EntryQuotient,
    Hadamard,
    LayerNorm,
    Quotient,
    RMSNorm,
    RowNorm,
)

Norm = LayerNorm | RMSNorm


def _gain_and_shift(node: Norm) -> tuple[MatrixExpr | None, MatrixExpr | None]:
    """γ and β, where they are there and not only filled in."""
    gamma, beta = node.gamma, node.beta if isinstance(node, LayerNorm) else None
    return (
        None if isinstance(gamma, OneMatrix) else gamma,
        None if isinstance(beta, ZeroMatrix) else beta,
    )


def layer_norm(x: MatrixExpr, epsilon: Expr, gamma: MatrixExpr | None, beta: MatrixExpr | None) -> MatrixExpr:
    """A layer norm with either of γ and β, both or none."""
    if gamma is None and beta is None:
        return LayerNorm(x, epsilon)
    width = x.shape[1]
    gain = OneMatrix(1, width) if gamma is None else gamma
    return LayerNorm(x, epsilon, gain, ZeroMatrix(1, width) if beta is None else beta)


def _like(node: Norm, x: MatrixExpr, epsilon: Expr, gamma: MatrixExpr | None) -> MatrixExpr:
    """The same norm of something else, with another ε and γ."""
    if isinstance(node, LayerNorm):
        return layer_norm(x, epsilon, gamma, _gain_and_shift(node)[1])
    return RMSNorm(x, epsilon) if gamma is None else RMSNorm(x, epsilon, gamma)


def _finished(node: Norm, x: MatrixExpr) -> MatrixExpr:
    """Normalised rows times γ plus β, as the norm has them."""
    gamma, beta = _gain_and_shift(node)
    rows = x.shape[0]
    made = x if gamma is None else Hadamard(x, Broadcast(gamma, rows))
    return made if beta is None else total(made, Broadcast(beta, rows))


def _centred(node: Norm) -> MatrixExpr:
    """X minus the mean of every row; X itself in an RMS norm."""
    x = node.argument
    if isinstance(node, RMSNorm):
        return x
    width = size(x)[1]
    return difference(x, product(Rational(1, width), x, ones(width, width)))


def _scaled(number: Expr, gamma: MatrixExpr | None, width: int) -> MatrixExpr:
    return times(number, ones(1, width) if gamma is None else gamma)


# -- variance ----------------------------------------------------------------------------------------------------


def _sample_variance(view: View, node: MatrixExpr) -> Iterator[MatrixExpr]:
    """Σ (x − μ)² / (d − 1): γ √((d−1)/d) and ε (d−1)/d in the usual formula, or the divisor where it is written out."""
    if isinstance(node, LayerNorm) and (width := size(node)[1]) > 1:
        share = Rational(width - 1, width)
        gamma = _scaled(sqrt(share), _gain_and_shift(node)[0], width)
        yield _like(node, node.argument, node.epsilon * share, gamma)
    elif isinstance(node, Quotient) and _squares(view, node.argument) == view.scalar(node.divisor) > 1:
        yield Quotient(node.argument, node.divisor - 1)


def _squares(view: View, node: MatrixExpr) -> int:
    """How many squares of deviations are added up in every row, or 0 where something else is."""
    chain = view.chain(node)
    if len(chain) != 2 or not isinstance(chain[1], OneMatrix):
        return 0
    square = view.meaning(chain[0])
    if not isinstance(square, Hadamard) or square.left != square.right:
        return 0
    made = view.meaning(square.left)
    return size(square)[1] if any(x.is_negative for term in made.args for x in factors(term)[0]) else 0


def _squares_added(view: View, node: MatrixExpr) -> Iterator[MatrixExpr]:
    """√(Σ x² + ε) instead of √(Σ x² / d + ε): γ / √d and ε / d in the usual formula."""
    if isinstance(node, LayerNorm | RMSNorm) and (width := size(node)[1]) > 1:
        gamma = _scaled(1 / sqrt(Integer(width)), _gain_and_shift(node)[0], width)
        yield _like(node, node.argument, node.epsilon / width, gamma)


def _root_forgotten(view: View, node: MatrixExpr) -> Iterator[MatrixExpr]:
    """Divided by σ² + ε instead of its root."""
    if isinstance(node, LayerNorm | RMSNorm):
        x = _centred(node)
        rows, width = size(x)
        variance: MatrixExpr = product(Rational(1, width), Hadamard(x, x), ones(width, width))
        if not node.epsilon.is_zero:
            variance = total(variance, times(node.epsilon, ones(rows, width)))
        yield _finished(node, EntryQuotient(x, variance))


def _over_tokens(view: View, node: MatrixExpr) -> Iterator[MatrixExpr]:
    """Every column normalised over the tokens; γ and β as before. One token alone has no spread."""
    if isinstance(node, LayerNorm | RMSNorm) and size(node)[0] > 1:
        made = LayerNorm if isinstance(node, LayerNorm) else RMSNorm
        yield _finished(node, transposed(made(transposed(node.argument), node.epsilon)))


variance_with_n_minus_one = at_each(_sample_variance)
squares_not_averaged = at_each(_squares_added)
root_forgotten = at_each(_root_forgotten)
norm_over_tokens = at_each(_over_tokens)

# -- ε and the mean ----------------------------------------------------------------------------------------------


def _without_epsilon(view: View, node: MatrixExpr) -> Iterator[MatrixExpr]:
    """σ instead of √(σ² + ε)."""
    if isinstance(node, LayerNorm | RMSNorm) and not node.epsilon.is_zero:
        yield _like(node, node.argument, Integer(0), _gain_and_shift(node)[0])


def _epsilon_outside(view: View, node: MatrixExpr) -> Iterator[MatrixExpr]:
    """σ + ε instead of √(σ² + ε)."""
    if isinstance(node, LayerNorm | RMSNorm) and not node.epsilon.is_zero:
        x = _centred(node)
        rows, width = size(x)
        deviation = product(1 / sqrt(Integer(width)), RowNorm(x), ones(1, width))
        yield _finished(node, EntryQuotient(x, total(deviation, times(node.epsilon, ones(rows, width)))))


def _mean_not_subtracted(view: View, node: MatrixExpr) -> Iterator[MatrixExpr]:
    """The root mean square in the place of the standard deviation, and nothing subtracted."""
    if isinstance(node, LayerNorm):
        gamma, beta = _gain_and_shift(node)
        made = RMSNorm(node.argument, node.epsilon, gamma)
        yield made if beta is None else total(made, Broadcast(beta, node.shape[0]))


def _mean_left_above(view: View, node: MatrixExpr) -> Iterator[MatrixExpr]:
    """x / √(σ² + ε) instead of (x − μ) / √(σ² + ε)."""
    if isinstance(node, LayerNorm):
        rows, width = size(node)
        scaled: MatrixExpr = Quotient(_centred(node), sqrt(Integer(width)))
        # The length of a row with √ε beside it is the root of both squares together.
        below = scaled if node.epsilon.is_zero else Concat(scaled, times(sqrt(node.epsilon), ones(rows, 1)))
        yield _finished(node, EntryQuotient(node.argument, product(RowNorm(below), ones(1, width))))


def _mean_subtracted(view: View, node: MatrixExpr) -> Iterator[MatrixExpr]:
    """A layer norm where an RMS norm was asked for."""
    if isinstance(node, RMSNorm):
        yield layer_norm(node.argument, node.epsilon, node.gamma, None)


epsilon_forgotten = at_each(_without_epsilon)
epsilon_outside_the_root = at_each(_epsilon_outside)
mean_not_subtracted = at_each(_mean_not_subtracted)
mean_left_in_the_numerator = at_each(_mean_left_above)
mean_subtracted = at_each(_mean_subtracted)

# -- γ and β -----------------------------------------------------------------------------------------------------


def _gain_forgotten(view: View, node: MatrixExpr) -> Iterator[MatrixExpr]:
    """γ left out."""
    if isinstance(node, LayerNorm | RMSNorm) and _gain_and_shift(node)[0] is not None:
        yield _like(node, node.argument, node.epsilon, None)


def _shift_forgotten(view: View, node: MatrixExpr) -> Iterator[MatrixExpr]:
    """β left out."""
    if isinstance(node, LayerNorm) and _gain_and_shift(node)[1] is not None:
        yield layer_norm(node.argument, node.epsilon, _gain_and_shift(node)[0], None)


gain_forgotten = at_each(_gain_forgotten)
shift_forgotten = at_each(_shift_forgotten)
