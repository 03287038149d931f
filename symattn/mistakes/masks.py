"""Mistakes with masks: forgotten, of the wrong number, at the wrong time, the wrong way round.

The right way adds −∞ to the scores that may not be seen, before the softmax: Vaswani et al. 2017, section 3.2.3.
"""

from __future__ import annotations

from collections.abc import Iterator

from sympy import Integer, MatAdd, MatrixExpr, Transpose

from symattn.mistakes.model import Change, Subject
from symattn.mistakes.places import (
    View,
    at_each,
    put,
    size,
    terms,
    total,
    transposed,
    view_of,
    with_all,
)
from symattn.mistakes.scores import inputs
from symattn.operations import CausalMask, Keep, PaddingMask, Proportions, Row, Rows, Softmax, Stack
from symattn.operations.masks import Mask


def is_mask(view: View, node: MatrixExpr) -> bool:
    """Whether a formula is a mask, some rows of one, or a sum of masks."""
    node = view.meaning(node)
    while isinstance(node, Row | Rows | Transpose):
        node = view.meaning(node.args[0])
    if isinstance(node, MatAdd):
        return all(is_mask(view, term) for term in node.args)
    return isinstance(node, Mask)


def masked(view: View, node: MatrixExpr) -> tuple[MatrixExpr, MatrixExpr] | None:
    """Scores and mask where a formula is their sum.

    >>> from symattn.derivation import Plan
    >>> from symattn.shapes import shape
    >>> plan = Plan().given("S", shape(2, 2)).step("A", "S + causal_mask(2)")
    >>> masked(View(plan), plan["A"].formula)
    (S, CausalMask(2, -oo))
    """
    masks = tuple(term for term in terms(node) if is_mask(view, term))
    rest = tuple(term for term in terms(node) if term not in masks)
    return (total(*rest), total(*masks)) if masks and rest else None


def split(view: View, node: MatrixExpr) -> tuple[MatrixExpr, MatrixExpr | None]:
    """Scores without their mask and the mask, if there is one, also where an earlier step has added it."""
    found = masked(view, node) or masked(view, view.meaning(node))
    return found if found is not None else (node, None)


def _forgotten(view: View, node: MatrixExpr) -> Iterator[MatrixExpr]:
    """S instead of S + M; of several masks one at a time."""
    if masked(view, node) is not None:
        for i, term in enumerate(terms(node)):
            if is_mask(view, term):
                yield total(*terms(node)[:i], *terms(node)[i + 1 :])
    elif isinstance(node, Keep):
        yield node.argument


def _zero(view: View, node: MatrixExpr) -> Iterator[MatrixExpr]:
    """0 in the hidden places instead of −∞."""
    if (found := masked(view, node)) is not None:
        yield Keep(*found)


def _wrong_way(view: View, node: MatrixExpr) -> Iterator[MatrixExpr]:
    """What comes before is hidden instead of what comes after; the tokens instead of the filling."""
    if isinstance(node, CausalMask):
        yield Transpose(node)
    elif isinstance(node, PaddingMask):
        (_, keys), real = size(node), int(node.length)
        if real < keys:
            # The filling is hidden at the end; moved to the front, as many columns as there are tokens are hidden.
            turned = Transpose(PaddingMask(node.shape[0], node.shape[1], Integer(keys - real), node.value))
            hidden, seen = Rows(turned, keys - real + 1, keys), Rows(turned, 1, keys - real)
            yield Transpose(Stack(hidden, seen))


def _late(view: View, node: MatrixExpr) -> Iterator[MatrixExpr]:
    """Position i also sees position i + 1; with fewer than three positions that is no mask at all."""
    if isinstance(node, CausalMask) and size(node)[0] > 2:
        n = size(node)[0]
        below = Rows(CausalMask(Integer(n + 1), node.value), 2, n + 1)
        yield Transpose(Rows(transposed(below), 1, n))


def _not_renormalised(view: View, node: MatrixExpr) -> Iterator[MatrixExpr]:
    """Weights that were masked, and not divided by what is left of them."""
    if isinstance(node, Proportions) and isinstance(view.meaning(node.argument), Keep):
        yield node.argument


mask_forgotten = at_each(_forgotten)
mask_of_zero = at_each(_zero)
mask_the_wrong_way = at_each(_wrong_way)
mask_one_too_late = at_each(_late)
_kept = at_each(_not_renormalised)


def mask_after_softmax(subject: Subject) -> Iterator[Change]:
    """softmax(S) with zeros in the hidden places, instead of softmax(S + M)."""
    view = view_of(subject)
    changes: list[Change] = []
    for step, formula, path, node in view.places:
        for owner, inside, scores in inputs(view, node.argument) if isinstance(node, Softmax) else ():
            found = masked(view, scores)
            if found is None:
                continue
            rest, mask = found
            if owner:
                changed = put(view.plan[owner].formula, inside, rest)
                changes.append(Change(owner, {owner: changed, step.name: put(formula, path, Keep(node, mask))}))
            else:
                after = Keep(Softmax(put(node.argument, inside, rest)), mask)
                changes.append(Change(step.name, {step.name: put(formula, path, after)}))
    yield from with_all(changes)
    yield from _kept(subject)
