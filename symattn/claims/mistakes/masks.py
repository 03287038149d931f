"""Mistakes with masks: forgotten, with a wrong number, at the wrong time, the wrong way round.

The right way adds −∞ to the scores of hidden positions, before the softmax: Vaswani et al. 2017, section 3.2.3.
"""

from __future__ import annotations

from collections.abc import Iterator

from sympy import Integer, MatAdd, MatrixExpr, Transpose

from symattn.base.remembered import reached
from symattn.claims.mistakes.building import matrix_size, put, sum_terms, transposed_matrix, unevaluated_sum
from symattn.claims.mistakes.model import HEADS, WITH_MASKS, Change, Mistake
from symattn.claims.mistakes.rewriting import at_each, by_rows, of, with_all
from symattn.claims.mistakes.scores import inputs
from symattn.claims.mistakes.subject import Subject
from symattn.operations import CausalMask, Keep, PaddingMask, Proportions, Row, Rows, Softmax, Stack
from symattn.operations.masks import Mask


def is_mask(subject: Subject, node: MatrixExpr) -> bool:
    """Return whether a formula is a mask, some rows of one, or a sum of masks."""

    def parts(node: MatrixExpr) -> tuple[MatrixExpr, ...]:
        is_of_rows = isinstance(node, Row | Rows | Transpose)
        return tuple(
            map(subject.meaning, node.args[:1] if is_of_rows else node.args if isinstance(node, MatAdd) else ())
        )

    inside = reached([subject.meaning(node)], parts)
    return all(isinstance(each, Mask | Row | Rows | Transpose | MatAdd) for each in inside)


def masked(subject: Subject, node: MatrixExpr) -> tuple[MatrixExpr, MatrixExpr] | None:
    """Return scores and mask if a formula is their sum.

    >>> from symattn.read.plan import Plan
    >>> from symattn.base.shapes import shape
    >>> plan = Plan().given("S", shape(2, 2)).step("A", "S + causal_mask(2)")
    >>> masked(Subject(plan), plan["A"].formula)
    (S, CausalMask(2, -oo))
    """
    masks = tuple(term for term in sum_terms(node) if is_mask(subject, term))
    rest = tuple(term for term in sum_terms(node) if term not in masks)
    return (unevaluated_sum(*rest), unevaluated_sum(*masks)) if masks and rest else None


def split(subject: Subject, node: MatrixExpr) -> tuple[MatrixExpr, MatrixExpr | None]:
    """Return the scores without their mask, and the mask if there is one, even if an earlier step added it."""
    if isinstance(node, Transpose):
        scores, mask = split(subject, node.arg)
        return (node, None) if mask is None else (transposed_matrix(scores), transposed_matrix(mask))
    found = masked(subject, node) or masked(subject, subject.meaning(node))
    return found if found is not None else (node, None)


def _forgotten(subject: Subject, node: MatrixExpr) -> Iterator[MatrixExpr]:
    """S instead of S + M; of several masks one at a time."""
    if masked(subject, node) is not None:
        for i, term in enumerate(sum_terms(node)):
            if is_mask(subject, term):
                yield unevaluated_sum(*sum_terms(node)[:i], *sum_terms(node)[i + 1 :])
    elif isinstance(node, Keep):
        yield node.argument


def _zero(subject: Subject, node: MatrixExpr) -> Iterator[MatrixExpr]:
    """0 instead of −∞ in the hidden positions."""
    if (found := masked(subject, node)) is not None:
        yield Keep(*found)


def _wrong_way(node: CausalMask | PaddingMask) -> MatrixExpr | None:
    """Hide the earlier positions instead of the later ones, or the tokens instead of the padding."""
    if isinstance(node, CausalMask):
        return Transpose(node)
    (_, keys), real = matrix_size(node), int(node.length)
    if real == keys:
        return None
    # The mask hides the padding at the end; turned round, it hides as many columns at the front as there are tokens.
    turned = Transpose(PaddingMask(node.shape[0], node.shape[1], Integer(keys - real), node.value))
    hidden, seen = Rows(turned, keys - real + 1, keys), Rows(turned, 1, keys - real)
    return Transpose(Stack(hidden, seen))


def _late(node: CausalMask) -> MatrixExpr | None:
    """Position i also sees position i + 1; with fewer than three positions that hides nothing."""
    if (n := matrix_size(node)[0]) <= 2:
        return None
    below = Rows(CausalMask(Integer(n + 1), node.value), 2, n + 1)
    return Transpose(Rows(transposed_matrix(below), 1, n))


def _not_renormalised(subject: Subject, node: MatrixExpr) -> Iterator[MatrixExpr]:
    """Masked weights that are not divided by their new sum."""
    if isinstance(node, Proportions) and isinstance(subject.meaning(node.argument), Keep):
        yield node.argument


def _after_softmax(subject: Subject) -> Iterator[Change]:
    """softmax(S) with zeros in the hidden positions, instead of softmax(S + M)."""
    changes: list[Change] = []
    for step, formula, path, node in subject.places:
        for owner, inside, scores in inputs(subject, node.argument) if isinstance(node, Softmax) else ():
            found = masked(subject, scores)
            if found is None:
                continue
            rest, mask = found
            if owner:
                changed = put(subject.plan[owner].formula, inside, rest)
                changes.append(Change(owner, {owner: changed, step.name: put(formula, path, Keep(node, mask))}))
            else:
                after = Keep(Softmax(put(node.argument, inside, rest)), mask)
                changes.append(Change(step.name, {step.name: put(formula, path, after)}))
    yield from with_all(changes)
    yield from at_each(_not_renormalised)(subject)


MASKED = (*WITH_MASKS, *HEADS, "attention-backward")

MISTAKES = (
    Mistake("mask-forgotten", at_each(_forgotten), MASKED, rank=60),
    Mistake("mask-of-zero", at_each(_zero), MASKED, rank=70),
    Mistake("mask-after-softmax", _after_softmax, MASKED, rank=80),
    Mistake("mask-the-wrong-way", at_each(by_rows(of((CausalMask, PaddingMask), _wrong_way))), MASKED, rank=90),
    Mistake("mask-one-too-late", at_each(by_rows(of(CausalMask, _late))), ("causal-mask", *HEADS), rank=510),
)
