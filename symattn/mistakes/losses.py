"""Mistakes in the cross-entropy, in cosines, and in an online softmax.

The right ways: L = −(1/n) Σ_i ln p_i; cos = x · y / (|x| |y|); and for blocks of columns Milakov and Gimelshein 2018,
section 3, algorithm 3.
"""

from __future__ import annotations

from collections.abc import Iterator

from sympy import Integer, MatAdd, MatMul, MatrixExpr, OneMatrix, Transpose

from symattn.mistakes.places import (
    View,
    at_each,
    difference,
    factors,
    ones,
    product,
    put,
    size,
    terms,
    total,
    transposed,
)
from symattn.operations import Concat, Cosine, Dot, EntryQuotient, Exp, Hadamard, Log, OneHot, Quotient, RowMax, RowNorm

# -- cross-entropy -----------------------------------------------------------------------------------------------


def _loss(node: MatrixExpr) -> Log | None:
    """The logarithm in −ln p."""
    numbers, matrices = factors(node)
    if numbers == (Integer(-1),) and len(matrices) == 1 and isinstance(matrices[0], Log):
        return matrices[0]
    return None


def _sign_forgotten(view: View, node: MatrixExpr) -> Iterator[MatrixExpr]:
    """ln p instead of −ln p."""
    if (logarithm := _loss(node)) is not None:
        yield logarithm


def _probability(view: View, node: MatrixExpr) -> Iterator[MatrixExpr]:
    """p instead of −ln p."""
    if (logarithm := _loss(node)) is not None:
        yield logarithm.argument


def _not_averaged(view: View, node: MatrixExpr) -> Iterator[MatrixExpr]:
    """Σ l_i instead of Σ l_i / n."""
    if isinstance(node, Quotient) and size(node) == (1, 1):
        chain = view.chain(node.argument)
        added = [factor for factor in chain if isinstance(factor, OneMatrix) and max(size(factor)) > 1]
        if added and view.scalar(node.divisor) == max(size(added[0])):
            yield node.argument


def _from_one(view: View, node: MatrixExpr) -> Iterator[MatrixExpr]:
    """The entry before the right one, for somebody who counts the columns from 1 where ids count from 0."""
    if isinstance(node, OneHot):
        yield OneHot(difference(node.ids, ones(1, size(node.ids)[1])), node.shape[1])


sign_forgotten = at_each(_sign_forgotten)
probability_instead_of_logarithm = at_each(_probability)
sum_instead_of_mean = at_each(_not_averaged)
ids_counted_from_one = at_each(_from_one)

# -- cosine ------------------------------------------------------------------------------------------------------


def _cosine(view: View, node: MatrixExpr) -> tuple[MatrixExpr, MatrixExpr, MatrixExpr] | None:
    """The dot products and the lengths on both sides, where a formula is their quotient; the second ones lie."""
    if isinstance(node, Cosine):
        return Dot(node.left, node.right), RowNorm(node.left), transposed(RowNorm(node.right))
    if not isinstance(node, EntryQuotient):
        return None
    chain = view.chain(node.right)
    if len(chain) != 2 or not all(_is_length(view, side) for side in chain):
        return None
    return node.left, chain[0], chain[1]


def _is_length(view: View, node: MatrixExpr) -> bool:
    made = view.meaning(node)
    return isinstance(view.meaning(made.arg) if isinstance(made, Transpose) else made, RowNorm)


def _lengths_forgotten(view: View, node: MatrixExpr) -> Iterator[MatrixExpr]:
    """x · y."""
    if (found := _cosine(view, node)) is not None:
        yield found[0]


def _one_length(view: View, node: MatrixExpr) -> Iterator[MatrixExpr]:
    """x · y / |x|, or x · y / |y|."""
    if (found := _cosine(view, node)) is not None:
        dots, left, right = found
        rows, columns = size(dots)
        yield EntryQuotient(dots, product(left, ones(1, columns)))
        yield EntryQuotient(dots, product(ones(rows, 1), right))


def _squared(view: View, node: MatrixExpr) -> Iterator[MatrixExpr]:
    """x · y / (|x|² |y|²)."""
    if (found := _cosine(view, node)) is not None:
        lengths = product(found[1], found[2])
        yield EntryQuotient(found[0], Hadamard(lengths, lengths))


lengths_forgotten = at_each(_lengths_forgotten)
one_length_only = at_each(_one_length)
lengths_squared = at_each(_squared)

# -- online softmax ----------------------------------------------------------------------------------------------


def _update(view: View, node: MatrixExpr) -> tuple[int, Hadamard] | None:
    """Which term of a running sum is e^{m − m'} ⊙ l, and it."""
    for i, term in enumerate(terms(node)) if isinstance(node, MatAdd) else ():
        if isinstance(term, Hadamard) and _change(term.left) is not None:
            return i, term
    return None


def _change(node: MatrixExpr) -> tuple[MatrixExpr, MatrixExpr] | None:
    """m and m' where a formula is e^{m − m'}, perhaps written in several columns."""
    inner = factors(node)[1][0] if isinstance(node, MatMul) else node
    parts = terms(inner.argument) if isinstance(inner, Exp) else ()
    if len(parts) != 2 or factors(parts[1])[0] != (Integer(-1),) or factors(parts[0])[0]:
        return None
    return parts[0], product(*factors(parts[1])[1])


def _not_rescaled(view: View, node: MatrixExpr) -> Iterator[MatrixExpr]:
    """l + … instead of e^{m − m'} l + …"""
    if (found := _update(view, node)) is not None:
        yield put(node, (found[0],), found[1].right)


def _rescaled_backwards(view: View, node: MatrixExpr) -> Iterator[MatrixExpr]:
    """e^{m' − m} l + … instead of e^{m − m'} l + …"""
    if (found := _update(view, node)) is not None and (change := _change(found[1].left)) is not None:
        turned = put(found[1].left, (0,) if isinstance(found[1].left, MatMul) else (), Exp(difference(*change[::-1])))
        yield put(node, (found[0],), Hadamard(turned, found[1].right))


def _old_forgotten(view: View, node: MatrixExpr) -> Iterator[MatrixExpr]:
    """What the new block adds, without what was there."""
    if (found := _update(view, node)) is not None:
        yield total(*(term for i, term in enumerate(node.args) if i != found[0]))


def _old_maximum_forgotten(view: View, node: MatrixExpr) -> Iterator[MatrixExpr]:
    """The largest score of the block instead of the largest so far."""
    if isinstance(node, RowMax) and isinstance(node.argument, Concat):
        first, *rest = node.argument.args
        if isinstance(view.meaning(first), RowMax):
            yield RowMax(rest[0] if len(rest) == 1 else Concat(*rest))


old_sum_not_rescaled = at_each(_not_rescaled)
rescaled_the_wrong_way = at_each(_rescaled_backwards)
old_sum_forgotten = at_each(_old_forgotten)
old_maximum_forgotten = at_each(_old_maximum_forgotten)
