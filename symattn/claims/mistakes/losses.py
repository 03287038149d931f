"""Mistakes in the cross-entropy, in cosines, and in an online softmax.

The right ways: L = −(1/n) Σ_i ln p_i; cos = x · y / (|x| |y|); and for blocks of columns Milakov and Gimelshein 2018,
section 3, algorithm 3.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from sympy import Integer, MatAdd, MatMul, MatrixExpr, OneMatrix, Transpose

from symattn.claims.mistakes.building import (
    difference,
    factors,
    matrix_size,
    ones,
    put,
    sum_terms,
    transposed_matrix,
    unevaluated_product,
    unevaluated_sum,
)
from symattn.claims.mistakes.model import Mistake
from symattn.claims.mistakes.rewriting import RewriteRule, at_each, of
from symattn.claims.mistakes.subject import Subject
from symattn.operations import Concat, Cosine, Dot, EntryQuotient, Exp, Hadamard, Log, OneHot, Quotient, RowMax, RowNorm

# -- cross-entropy -----------------------------------------------------------------------------------------------


def _loss(node: MatrixExpr) -> Log | None:
    """Return the logarithm in −ln p."""
    numbers, matrices = factors(node)
    if numbers == (Integer(-1),) and len(matrices) == 1 and isinstance(matrices[0], Log):
        return matrices[0]
    return None


def _probability(node: MatMul) -> MatrixExpr | None:
    return None if (logarithm := _loss(node)) is None else logarithm.argument


def _from_one(node: OneHot) -> MatrixExpr:
    """The entry before the right one: columns counted from 1, although ids count from 0."""
    return OneHot(difference(node.ids, ones(1, matrix_size(node.ids)[1])), node.shape[1])


def _not_averaged(subject: Subject, node: MatrixExpr) -> Iterator[MatrixExpr]:
    """Σ l_i instead of Σ l_i / n."""
    if isinstance(node, Quotient) and matrix_size(node) == (1, 1):
        chain = subject.chain(node.argument)
        added = [factor for factor in chain if isinstance(factor, OneMatrix) and max(matrix_size(factor)) > 1]
        if added and subject.scalar(node.divisor) == max(matrix_size(added[0])):
            yield node.argument


# -- cosine ------------------------------------------------------------------------------------------------------


def _cosine(subject: Subject, node: MatrixExpr) -> tuple[MatrixExpr, MatrixExpr, MatrixExpr] | None:
    """Return the dot products and both sides' lengths (those of the right as a row) if a formula is their quotient."""
    if isinstance(node, Cosine):
        return Dot(node.left, node.right), RowNorm(node.left), transposed_matrix(RowNorm(node.right))
    if not isinstance(node, EntryQuotient):
        return None
    chain = subject.chain(node.right)
    if len(chain) != 2 or not all(_is_length(subject, side) for side in chain):
        return None
    return node.left, chain[0], chain[1]


def _is_length(subject: Subject, node: MatrixExpr) -> bool:
    made = subject.meaning(node)
    return isinstance(subject.meaning(made.arg) if isinstance(made, Transpose) else made, RowNorm)


def _of_cosine(make: Callable[[MatrixExpr, MatrixExpr, MatrixExpr], tuple[MatrixExpr, ...]]) -> RewriteRule:
    """Return the rule that rewrites a cosine from its dot products and the lengths of both sides."""

    def rule(subject: Subject, node: MatrixExpr) -> tuple[MatrixExpr, ...]:
        return () if (found := _cosine(subject, node)) is None else make(*found)

    return rule


def _one_length(dots: MatrixExpr, left: MatrixExpr, right: MatrixExpr) -> tuple[MatrixExpr, ...]:
    """x · y / |x|, or x · y / |y|."""
    rows, columns = matrix_size(dots)
    below = unevaluated_product(left, ones(1, columns)), unevaluated_product(ones(rows, 1), right)
    return tuple(EntryQuotient(dots, one) for one in below)


def _squared(dots: MatrixExpr, left: MatrixExpr, right: MatrixExpr) -> tuple[MatrixExpr, ...]:
    """x · y / (|x|² |y|²)."""
    lengths = unevaluated_product(left, right)
    return (EntryQuotient(dots, Hadamard(lengths, lengths)),)


# -- online softmax ----------------------------------------------------------------------------------------------


def _update(subject: Subject, node: MatrixExpr) -> tuple[int, Hadamard] | None:
    """Return the index of the term e^{m − m'} ⊙ l in a running sum, and the term."""
    for i, term in enumerate(sum_terms(node)) if isinstance(node, MatAdd) else ():
        if isinstance(term, Hadamard) and _change(term.left) is not None:
            return i, term
    return None


def _change(node: MatrixExpr) -> tuple[MatrixExpr, MatrixExpr] | None:
    """Return m and m' if a formula is e^{m − m'}, perhaps repeated in several columns."""
    inner = factors(node)[1][0] if isinstance(node, MatMul) else node
    parts = sum_terms(inner.argument) if isinstance(inner, Exp) else ()
    if len(parts) != 2 or factors(parts[1])[0] != (Integer(-1),) or factors(parts[0])[0]:
        return None
    return parts[0], unevaluated_product(*factors(parts[1])[1])


def _not_rescaled(subject: Subject, node: MatrixExpr) -> Iterator[MatrixExpr]:
    """l + … instead of e^{m − m'} l + …"""
    if (found := _update(subject, node)) is not None:
        yield put(node, (found[0],), found[1].right)


def _rescaled_backwards(subject: Subject, node: MatrixExpr) -> Iterator[MatrixExpr]:
    """e^{m' − m} l + … instead of e^{m − m'} l + …"""
    if (found := _update(subject, node)) is not None and (change := _change(found[1].left)) is not None:
        turned = put(found[1].left, (0,) if isinstance(found[1].left, MatMul) else (), Exp(difference(*change[::-1])))
        yield put(node, (found[0],), Hadamard(turned, found[1].right))


def _old_forgotten(subject: Subject, node: MatrixExpr) -> Iterator[MatrixExpr]:
    """Only the new block, without the sum so far."""
    if (found := _update(subject, node)) is not None:
        yield unevaluated_sum(*(term for i, term in enumerate(node.args) if i != found[0]))


def _old_maximum_forgotten(subject: Subject, node: MatrixExpr) -> Iterator[MatrixExpr]:
    """The largest score of the block instead of the largest so far."""
    if isinstance(node, RowMax) and isinstance(node.argument, Concat):
        first, *rest = node.argument.args
        if isinstance(subject.meaning(first), RowMax):
            yield RowMax(rest[0] if len(rest) == 1 else Concat(*rest))


WITH_IDS = ("cross-entropy", "cross-entropy-gradient")

MISTAKES = (
    # x · y
    Mistake("lengths-forgotten", at_each(_of_cosine(lambda dots, *_: (dots,))), ("cosine",), rank=190),
    # ln p instead of −ln p
    Mistake("sign-forgotten", at_each(of(MatMul, _loss)), ("cross-entropy",), rank=200),
    Mistake("sum-instead-of-mean", at_each(_not_averaged), ("cross-entropy",), rank=210),
    Mistake("old-sum-not-rescaled", at_each(_not_rescaled), ("online-softmax",), rank=220),
    Mistake("one-length-only", at_each(_of_cosine(_one_length)), ("cosine",), rank=720),
    Mistake("lengths-squared", at_each(_of_cosine(_squared)), ("cosine",), rank=730),
    # p instead of −ln p
    Mistake("probability-instead-of-logarithm", at_each(of(MatMul, _probability)), ("cross-entropy",), rank=740),
    Mistake("ids-counted-from-one", at_each(of(OneHot, _from_one), which="any"), WITH_IDS, rank=770),
    Mistake("old-maximum-forgotten", at_each(_old_maximum_forgotten), ("online-softmax",), subtle=True, rank=800),
    Mistake("old-sum-forgotten", at_each(_old_forgotten), ("online-softmax",), rank=810),
    Mistake("rescaled-the-wrong-way", at_each(_rescaled_backwards), ("online-softmax",), rank=820),
)
