"""Mistakes in the gradients of operations: softmax, its loss, masks, ReLU, norms.

The right ways, with G = ∂L/∂Y of the result Y: A ⊙ (G − (A ⊙ G) 1 1ᵀ) of A = softmax(S), whose Jacobian is diag(p) −
ppᵀ; (p − y) / n of the mean cross-entropy; G ⊙ [x > 0] of a ReLU; (G − mean(G) − Y ⊙ mean(G ⊙ Y)) / σ of a layer norm.
They are those of gradients/forms.toml, each proved equal to the derivative of the operation's equations.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from sympy import Identity, Integer, MatAdd, MatrixExpr, MatrixSymbol, Mul, OneMatrix, Rational, Transpose

from symattn.claims.mistakes.building import (
    difference,
    factors,
    matrices,
    matrix_size,
    ones,
    places,
    scaled_matrix,
    sum_terms,
    transposed_matrix,
    unevaluated_product,
    unevaluated_sum,
)
from symattn.claims.mistakes.layers import is_negative
from symattn.claims.mistakes.masks import split
from symattn.claims.mistakes.model import NORMS_BACKWARD, Mistake
from symattn.claims.mistakes.rewriting import RewriteRule, at_each
from symattn.claims.mistakes.subject import Subject
from symattn.operations import Broadcast, EntryQuotient, Hadamard, Keep, OneHot, Quotient, ReLU, Repeated, Softmax
from symattn.operations.node import Applied, parameters_of


def operation_name(node: MatrixExpr) -> str:
    """Return the name of an operation that has no node class of its own, and "" for anything else."""
    return node.operation.name if isinstance(node, Applied) else ""


def signed(node: MatrixExpr) -> tuple[tuple[MatrixExpr, ...], tuple[MatrixExpr, ...]]:
    """Return the positive and the negative terms of a sum, both without signs.

    >>> X, Y = MatrixSymbol("X", 2, 2), MatrixSymbol("Y", 2, 2)
    >>> signed(difference(X, Y))
    ((X,), (Y,))
    """
    added = tuple(term for term in sum_terms(node) if not is_negative(term))
    return added, tuple(scaled_matrix(Integer(-1), term) for term in sum_terms(node) if is_negative(term))


# -- softmax -----------------------------------------------------------------------------------------------------------


class _Back(NamedTuple):
    """The gradient of a softmax: A ⊙ (G − the sums of A ⊙ G in every column). In a Jacobian there is no G."""

    own: MatrixExpr
    """A ⊙ G, or diag(p): the contribution of the entry itself."""
    others: MatrixExpr
    """A ⊙ sums, or ppᵀ: the contribution of the whole row."""
    weights: MatrixExpr | None = None
    grad: MatrixExpr | None = None


def _back(subject: Subject, node: MatrixExpr) -> _Back | None:
    if isinstance(node, MatAdd):
        added, taken = signed(node)
        if len(added) == len(taken) == 1 and _is_diagonal(added[0]) and _is_outer(subject, taken[0]):
            return _Back(added[0], taken[0])
    for weights, inner in ((node.left, node.right), (node.right, node.left)) if isinstance(node, Hadamard) else ():
        added, taken = signed(subject.meaning(inner))
        if len(added) == len(taken) == 1:
            both = _summed(subject, taken[0])
            if isinstance(both, Hadamard) and {both.left, both.right} == {weights, added[0]}:
                return _Back(Hadamard(weights, added[0]), Hadamard(weights, taken[0]), weights, added[0])
    return None


def _is_diagonal(node: MatrixExpr) -> bool:
    return operation_name(node) == "diag" or (
        isinstance(node, Hadamard) and any(isinstance(side, Identity) for side in (node.left, node.right))
    )


def _is_outer(subject: Subject, node: MatrixExpr) -> bool:
    pair = matrices(node)
    return len(pair) == 2 and subject.meaning(transposed_matrix(pair[0])) == subject.meaning(pair[1])


def _summed(subject: Subject, node: MatrixExpr) -> MatrixExpr | None:
    """Return the matrix whose rows are summed, however often the sums are repeated."""
    node = subject.meaning(node)
    while isinstance(node, Repeated):
        node = subject.meaning(node.args[0])
    if operation_name(node) == "row_sum":
        return subject.meaning(node.args[1])
    chain = subject.chain(node)
    rest = tuple(factor for factor in chain if not isinstance(factor, OneMatrix))
    if (
        len(rest) == 2 and isinstance(rest[1], Transpose) and matrix_size(rest[0]) == matrix_size(rest[1].arg)
    ):  # p gᵀ of one row
        return Hadamard(rest[0], rest[1].arg)
    return subject.meaning(rest[0]) if len(rest) == 1 and len(rest) < len(chain) else None


def _of_back(make: Callable[[_Back], MatrixExpr]) -> RewriteRule:
    def rule(subject: Subject, node: MatrixExpr) -> Iterable[MatrixExpr]:
        return () if (found := _back(subject, node)) is None else (make(found),)

    return rule


def _diagonal_only(found: _Back) -> MatrixExpr:
    """A ⊙ (1 − A) ⊙ G, diag(p − p²): only the diagonal of the Jacobian."""
    if found.weights is None:
        return difference(found.own, Hadamard(found.others, Identity(found.others.shape[0])))
    return difference(found.own, Hadamard(found.weights, found.own))


def _through_mask(subject: Subject, node: MatrixExpr) -> Iterator[MatrixExpr]:
    """The gradient of the scores as if nothing was hidden."""
    if isinstance(node, Keep) and subject.comes_from_gradients(node.argument):
        yield node.argument
    found = _back(subject, node)
    if found is None or found.weights is None or found.grad is None:
        return
    softmax = subject.meaning(found.weights)
    scores, mask = split(subject, softmax.argument) if isinstance(softmax, Softmax) else (softmax, None)
    if mask is not None:
        open_weights, width = Softmax(scores), matrix_size(node)[1]
        sums = unevaluated_product(Hadamard(open_weights, found.grad), ones(width, width))
        yield Hadamard(open_weights, difference(found.grad, sums))


# -- the loss ----------------------------------------------------------------------------------------------------------

LOSSES = ("cross_entropy_grad_Z", "mse_grad_X", "mse_grad_Y")


def _error(subject: Subject, node: MatrixExpr) -> tuple[MatrixExpr, MatrixExpr] | None:
    """Return the output and the target if a formula is their difference."""
    added, taken = signed(subject.meaning(node))
    if not isinstance(subject.meaning(node), MatAdd) or len(added) != 1 or len(taken) != 1:
        return None
    target = subject.meaning(taken[0])
    wanted = isinstance(target, OneHot) or (isinstance(target, MatrixSymbol) and target.name not in subject.gradients)
    return (added[0], taken[0]) if wanted and not subject.is_given(added[0]) else None


def _target_forgotten(subject: Subject, node: MatrixExpr) -> Iterator[MatrixExpr]:
    """p instead of p − y."""
    found = _error(subject, node) if isinstance(node, MatAdd) else None
    if found is not None and isinstance(subject.meaning(found[1]), OneHot):
        yield found[0]
    if operation_name(node) == LOSSES[0]:
        logits = next(arg for parameter, arg in parameters_of(node) if parameter.name == "Z")
        yield scaled_matrix(Rational(1, matrix_size(logits)[0]), Softmax(logits))


def _error_reversed(subject: Subject, node: MatrixExpr) -> Iterator[MatrixExpr]:
    """y − p instead of p − y."""
    found = _error(subject, node) if isinstance(node, MatAdd) else None
    if found is not None:
        yield difference(found[1], found[0])
    if operation_name(node) in LOSSES:
        yield scaled_matrix(Integer(-1), node)


def _mean_forgotten(subject: Subject, node: MatrixExpr) -> Iterator[MatrixExpr]:
    """p − y instead of (p − y) / n."""
    rows = matrix_size(node)[0]
    if rows == 1:
        return
    if isinstance(node, Quotient) and _error(subject, node.argument) and subject.scalar(node.divisor) == rows:
        yield node.argument
    elif operation_name(node) in LOSSES:
        yield scaled_matrix(Integer(rows), node)
    else:
        numbers, inner = factors(node)
        number = subject.scalar(Mul(*numbers))
        if len(inner) == 1 and _error(subject, inner[0]) and (1 / number / rows).is_integer:
            yield scaled_matrix(number * rows, inner[0])


# -- ReLU --------------------------------------------------------------------------------------------------------------


def _gated(subject: Subject, node: MatrixExpr) -> MatrixExpr | None:
    """Return the gradient that comes back to a ReLU, before the gate."""
    if operation_name(node) == "relu_vjp_X":
        return node.args[2]
    sides = (node.left, node.right) if isinstance(node, Hadamard) else ()
    return next((other for one, other in zip(sides, sides[::-1], strict=True) if _is_gate(subject, one)), None)


def _is_gate(subject: Subject, node: MatrixExpr) -> bool:
    return operation_name(subject.meaning(node)) == "relu_grad_X"


def _gate_forgotten(subject: Subject, node: MatrixExpr) -> Iterator[MatrixExpr]:
    """G instead of G ⊙ [x > 0]."""
    if (found := _gated(subject, node)) is not None:
        yield found


def _relu_of_gradient(subject: Subject, node: MatrixExpr) -> Iterator[MatrixExpr]:
    """max(0, G) instead of G ⊙ [x > 0]."""
    if (found := _gated(subject, node)) is not None:
        yield ReLU(found)


# -- norms -------------------------------------------------------------------------------------------------------------


class _Normed(NamedTuple):
    """The gradient of a norm: (G − mean(G) − Y ⊙ mean(G ⊙ Y)) / σ, without the first mean for an RMS norm."""

    grad: MatrixExpr
    means: tuple[MatrixExpr, ...]
    along: tuple[MatrixExpr, ...]
    """Y ⊙ mean(G ⊙ Y): the part along the row itself."""
    below: MatrixExpr

    def with_terms(self, *taken: MatrixExpr) -> MatrixExpr:
        """Return the quotient with only the given terms subtracted."""
        return EntryQuotient(
            unevaluated_sum(self.grad, *(scaled_matrix(Integer(-1), term) for term in taken)), self.below
        )


def _normed(subject: Subject, node: MatrixExpr) -> _Normed | None:
    if not isinstance(node, EntryQuotient) or not isinstance(above := subject.meaning(node.left), MatAdd):
        return None
    added, taken = signed(above)
    if len(added) != 1 or not all(_rests_on(subject, term, added[0]) for term in taken):
        return None
    along = tuple(term for term in taken if isinstance(term, Hadamard))
    if len(along) != 1:
        return None
    return _Normed(added[0], tuple(term for term in taken if term not in along), along, node.right)


def _rests_on(subject: Subject, node: MatrixExpr, other: MatrixExpr) -> bool:
    if isinstance(other, MatrixSymbol):
        return subject.rests_on(node, other.name)
    return any(inner == other for _, inner in places(node))


def _divided_only(subject: Subject, node: MatrixExpr) -> Iterator[MatrixExpr]:
    """G / σ."""
    if (found := _normed(subject, node)) is not None:
        yield found.with_terms()


def _along_forgotten(subject: Subject, node: MatrixExpr) -> Iterator[MatrixExpr]:
    """(G − mean(G)) / σ: σ taken for a constant."""
    if (found := _normed(subject, node)) is not None and found.means:
        yield found.with_terms(*found.means)


def _mean_of_gradient_forgotten(subject: Subject, node: MatrixExpr) -> Iterator[MatrixExpr]:
    """(G − Y ⊙ mean(G ⊙ Y)) / σ: μ taken for a constant."""
    if (found := _normed(subject, node)) is not None and found.means:
        yield found.with_terms(*found.along)


def _gain_forgotten(subject: Subject, node: MatrixExpr) -> Iterator[MatrixExpr]:
    """∂L/∂Y itself instead of ∂L/∂Y ⊙ γ."""
    sides = (node.left, node.right) if isinstance(node, Hadamard) else ()
    for gain, other in zip(sides, sides[::-1], strict=True):
        row = gain.args[0] if isinstance(gain, Repeated | Broadcast) else gain
        is_row = isinstance(row, MatrixSymbol) and matrix_size(row)[0] == 1 and subject.is_given(row)
        if is_row and row.name not in subject.gradients and subject.comes_from_gradients(other):
            yield other


LOSS_GRADIENTS = ("cross-entropy-gradient",)
ERRORS = (*LOSS_GRADIENTS, "linear-gradient", "sgd-step")
SOFTMAX_BACKWARD = ("softmax-jacobian", "attention-backward")
RELU_BACKWARD = ("relu-backward",)
LAYER_NORM_BACKWARD = NORMS_BACKWARD[:1]

MISTAKES = (
    # A ⊙ G instead of A ⊙ (G − …), diag(p) instead of diag(p) − ppᵀ
    Mistake("softmax-entry-by-entry", at_each(_of_back(lambda it: it.own), which="any"), SOFTMAX_BACKWARD, rank=241),
    Mistake(
        "softmax-diagonal-only",
        at_each(_of_back(_diagonal_only), which="any"),
        SOFTMAX_BACKWARD,
        subtle=True,
        rank=252,
    ),
    Mistake("batch-mean-forgotten", at_each(_mean_forgotten, which="any"), ERRORS, rank=243),
    Mistake("relu-gate-forgotten", at_each(_gate_forgotten, which="any"), RELU_BACKWARD, rank=245),
    Mistake("norm-only-divided", at_each(_divided_only, which="any"), NORMS_BACKWARD, rank=247),
    Mistake("gradient-through-the-mask", at_each(_through_mask, which="any"), ("attention-backward",), rank=248),
    Mistake("error-reversed", at_each(_error_reversed, which="backward"), ERRORS, rank=249),
    Mistake("target-not-subtracted", at_each(_target_forgotten, which="any"), LOSS_GRADIENTS, rank=251),
    # A ⊙ (G + …), diag(p) + ppᵀ
    Mistake(
        "softmax-terms-added",
        at_each(_of_back(lambda it: unevaluated_sum(it.own, it.others)), which="any"),
        SOFTMAX_BACKWARD,
        rank=815,
    ),
    # −A ⊙ …, −ppᵀ
    Mistake(
        "softmax-own-term-forgotten",
        at_each(_of_back(lambda it: scaled_matrix(Integer(-1), it.others)), which="any"),
        SOFTMAX_BACKWARD,
        rank=816,
    ),
    Mistake("relu-of-the-gradient", at_each(_relu_of_gradient, which="any"), RELU_BACKWARD, rank=817),
    Mistake("sigma-taken-for-constant", at_each(_along_forgotten, which="any"), LAYER_NORM_BACKWARD, rank=818),
    Mistake("mu-taken-for-constant", at_each(_mean_of_gradient_forgotten, which="any"), LAYER_NORM_BACKWARD, rank=819),
    Mistake(
        "gain-gradient-forgotten", at_each(_gain_forgotten, each=False, which="backward"), NORMS_BACKWARD, rank=821
    ),
)
