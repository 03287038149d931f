"""Mistakes in linear layers: the bias, the residual connection, the activation.

The right way is max(0, X W_1 + b_1) W_2 + b_2 and X + f(X): Vaswani et al. 2017, sections 3.1 and 3.3.
"""

from __future__ import annotations

from collections.abc import Iterator

from sympy import MatAdd, MatMul, MatrixExpr, MatrixSymbol

from symattn.claims.mistakes.building import (
    absolute,
    difference,
    factors,
    matrix_size,
    sum_terms,
    unevaluated_product,
    unevaluated_sum,
)
from symattn.claims.mistakes.masks import is_mask
from symattn.claims.mistakes.model import HEADS, LINEAR, Mistake
from symattn.claims.mistakes.rewriting import at_each, of
from symattn.claims.mistakes.subject import Subject
from symattn.operations import Broadcast, ReLU


def bias_of(subject: Subject, node: MatrixExpr) -> tuple[MatrixExpr, MatrixExpr] | None:
    """Return X W and b of a formula X W + b, where b is one row or that row repeated for every token.

    >>> from symattn.read.plan import Plan
    >>> from symattn.base.shapes import shape
    >>> plan = Plan().given("x", shape(1, 3)).given("W", shape(3, 2)).given("b", shape(1, 2)).step("y", "x @ W + b")
    >>> bias_of(Subject(plan), plan["y"].formula)
    (x*W, b)
    """
    if not isinstance(node, MatAdd):
        return None
    for i, term in enumerate(node.args):
        rest = unevaluated_sum(*node.args[:i], *node.args[i + 1 :])
        products = (other for other in sum_terms(rest) if not is_negative(other))
        if _is_bias(subject, term) and any(isinstance(subject.meaning(other), MatMul) for other in products):
            return rest, term
    return None


def _is_bias(subject: Subject, term: MatrixExpr) -> bool:
    made = subject.meaning(term)
    if isinstance(made, Broadcast):
        return subject.is_given(made.argument)
    # One given row that is used nowhere else; a row used elsewhere is the input of a residual connection.
    return (
        isinstance(term, MatrixSymbol) and made == term and matrix_size(term)[0] == 1 and subject.uses(term.name) == 1
    )


def _bias_forgotten(subject: Subject, node: MatrixExpr) -> Iterator[MatrixExpr]:
    """X W instead of X W + b."""
    if (found := bias_of(subject, node)) is not None:
        yield found[0]


def _bias_subtracted(subject: Subject, node: MatrixExpr) -> Iterator[MatrixExpr]:
    """X W − b instead of X W + b."""
    if (found := bias_of(subject, node)) is not None:
        yield difference(*found)


def _bias_before(subject: Subject, node: MatrixExpr) -> Iterator[MatrixExpr]:
    """(X + b) W instead of X W + b, where the bias is as wide as X."""
    if (found := bias_of(subject, node)) is None:
        return
    made, bias = subject.meaning(found[0]), found[1]
    numbers, matrices = factors(made)
    if not numbers and len(matrices) == 2 and matrix_size(matrices[0]) == matrix_size(bias):
        yield unevaluated_product(unevaluated_sum(matrices[0], bias), matrices[1])


def _residual_forgotten(subject: Subject, node: MatrixExpr) -> Iterator[MatrixExpr]:
    """f(X) instead of X + f(X)."""
    if not isinstance(node, MatAdd) or any(is_mask(subject, term) for term in node.args):
        return
    for i, term in enumerate(node.args):
        rest = (*node.args[:i], *node.args[i + 1 :])
        if not isinstance(term, MatrixSymbol) or any(is_negative(other) for other in rest):
            continue
        if any(subject.rests_on(other, term.name) for other in rest):
            yield unevaluated_sum(*rest)


def is_negative(term: MatrixExpr) -> bool:
    return any(number.is_negative for number in factors(term)[0])


def _before_the_product(subject: Subject, node: MatrixExpr) -> Iterator[MatrixExpr]:
    """max(0, X) W + b instead of max(0, X W + b)."""
    if not isinstance(node, ReLU):
        return
    made = subject.meaning(node.argument)
    found = bias_of(subject, made)
    inner, after = (subject.meaning(found[0]), (found[1],)) if found is not None else (made, ())
    numbers, matrices = factors(inner)
    if isinstance(inner, MatMul) and not numbers and len(matrices) == 2:
        yield unevaluated_sum(unevaluated_product(ReLU(matrices[0]), matrices[1]), *after)


RELU = ("feed-forward",)

MISTAKES = (
    Mistake("bias-forgotten", at_each(_bias_forgotten), LINEAR, rank=40),
    Mistake("residual-forgotten", at_each(_residual_forgotten), (*HEADS, *RELU), rank=50),
    # X instead of max(0, X)
    Mistake("relu-forgotten", at_each(of(ReLU, lambda node: node.argument)), RELU, rank=140),
    Mistake("bias-subtracted", at_each(_bias_subtracted), LINEAR, subtle=True, rank=585),
    Mistake("bias-before-the-product", at_each(_bias_before), LINEAR, rank=590),
    # |X| = max(0, X) + max(0, −X)
    Mistake("absolute-value-for-relu", at_each(of(ReLU, absolute)), RELU, rank=600),
    Mistake("relu-before-the-product", at_each(_before_the_product), RELU, subtle=True, rank=610),
)
