"""Mistakes in turning scores into weights: along the wrong axis, without exponentials, without dividing, another base.

The right way is e^{s_ij} / Σ_k e^{s_ik} along every row: Goodfellow, Bengio and Courville 2016, *Deep Learning*,
section 6.2.2.3, equation (6.29).
"""

from __future__ import annotations

from collections.abc import Iterator

from sympy import Expr, Integer, MatMul, MatrixExpr, MatrixSymbol, OneMatrix, Transpose, log

from symattn.mistakes.masks import split
from symattn.mistakes.model import Change, Rewrite, Subject
from symattn.mistakes.places import (
    Rule,
    View,
    at_each,
    ones,
    places,
    product,
    put,
    size,
    times,
    transposed,
    view_of,
    with_all,
)
from symattn.operations import EntryQuotient, Exp, Keep, Log, Proportions, Row, Rows, Softmax


def exponentials(view: View, node: MatrixExpr) -> MatrixExpr | None:
    """What is divided by the sums of its rows, where a softmax is written out: E in E / (E 1 1ᵀ) and in its shares.

    >>> from symattn.derivation import Plan
    >>> from symattn.shapes import shape
    >>> plan = Plan().given("S", shape(2, 3)).step("E", "exp(S)").step("A", "divide(E, E @ ones(3, 3))")
    >>> exponentials(View(plan), plan["A"].formula)
    E
    """
    if isinstance(node, Proportions) and isinstance(view.meaning(node.argument), Exp):
        return node.argument
    if not isinstance(node, EntryQuotient) or not isinstance(view.meaning(node.left), Exp):
        return None
    below = view.chain(node.right)
    rest = below[1:]
    return node.left if rest and below[0] == node.left and all(isinstance(x, OneMatrix) for x in rest) else None


def _over_columns(view: View, node: MatrixExpr) -> Iterator[MatrixExpr]:
    """Every column divided by its own sum; a single row is left alone."""
    if size(node)[0] == 1:
        return
    if isinstance(node, Softmax):
        yield transposed(Softmax(transposed(node.argument)))
    elif (above := exponentials(view, node)) is not None:
        rows = size(above)[0]
        yield EntryQuotient(above, product(ones(rows, rows), above))


def _over_all(view: View, node: MatrixExpr) -> Iterator[MatrixExpr]:
    """Every entry divided by the sum of all of them; of a single row that is right."""
    above = Exp(node.argument) if isinstance(node, Softmax) else exponentials(view, node)
    if above is not None and size(above)[0] > 1:
        rows, columns = size(above)
        yield EntryQuotient(above, product(ones(rows, rows), above, ones(columns, columns)))


def _not_divided(view: View, node: MatrixExpr) -> Iterator[MatrixExpr]:
    """The exponentials themselves, or whatever is divided by a sum that stands in every column."""
    if isinstance(node, Softmax):
        yield Exp(node.argument)
    elif (above := exponentials(view, node)) is not None:
        yield above
    elif isinstance(node, EntryQuotient) and isinstance(view.chain(node.right)[-1], OneMatrix):
        yield node.left


softmax_over_columns = at_each(_over_columns)
softmax_over_all = at_each(_over_all)
exponentials_without_dividing = at_each(_not_divided)


def _shares(view: View, node: MatrixExpr) -> Iterator[MatrixExpr]:
    """s_ij / Σ_k s_ik; what a mask hides is left out of the sum."""
    if isinstance(node, Softmax):
        scores, masks = split(view, node.argument)
        yield Proportions(scores if masks is None else Keep(scores, masks))


_in_one = at_each(_shares)


def shares_without_exponentials(subject: Subject) -> Iterator[Change]:
    """Scores divided by their sum, also where the softmax is written out over several steps."""
    yield from _in_one(subject)
    view = view_of(subject)
    changes: list[Change] = []
    for step, formula, _, node in view.places:
        above = exponentials(view, node)
        if isinstance(above, MatrixSymbol):
            inner = view.plan[above.name].formula
            changes += [Change(above.name, {above.name: inner.argument})] if isinstance(inner, Exp) else []
        elif isinstance(above, Exp):
            changes.append(Change(step.name, {step.name: _everywhere(formula, above, above.argument)}))
    yield from with_all(list({change.step: change for change in changes}.values()))


def _everywhere(formula: MatrixExpr, old: MatrixExpr, new: MatrixExpr) -> MatrixExpr:
    """A formula with one part replaced wherever it stands."""
    for path in [path for path, node in places(formula) if node == old]:
        formula = put(formula, path, new)
    return formula


def _base(base: int) -> Rewrite:
    """base^x instead of e^x: x ln(base) in the place of x."""
    number = log(Integer(base))

    def in_softmax(view: View, node: MatrixExpr) -> Iterator[MatrixExpr]:
        if isinstance(node, Softmax):
            yield Softmax(times(number, node.argument))

    def in_powers(view: View, node: MatrixExpr) -> Iterator[MatrixExpr]:
        # One number by itself is a perplexity or the like, and its base is that of a logarithm.
        if isinstance(node, Exp) and size(node) != (1, 1):
            yield Exp(times(number, node.argument))

    one_by_one, together = at_each(in_softmax), at_each(in_powers, each=False)

    def rewrite(subject: Subject) -> Iterator[Change]:
        yield from one_by_one(subject)
        yield from together(subject)

    return rewrite


def _logarithm(base: int) -> Rule:
    """log_base x instead of ln x."""
    number: Expr = 1 / log(Integer(base))

    def rule(view: View, node: MatrixExpr) -> Iterator[MatrixExpr]:
        if isinstance(node, Log):
            yield times(number, node)

    return rule


softmax_base_two, softmax_base_ten = _base(2), _base(10)
logarithm_base_two, logarithm_base_ten = at_each(_logarithm(2)), at_each(_logarithm(10))


# -- weights and values ------------------------------------------------------------------------------------------


def weights_and_values(view: View, node: MatrixExpr) -> tuple[tuple[MatrixExpr, ...], MatrixExpr] | None:
    """The factors up to the weights A, and V, where a formula is A V; ``None`` elsewhere.

    Given weights are only known as such where nothing in the derivation makes any.
    """
    if not isinstance(node, MatMul):
        return None
    matrices = tuple(arg for arg in node.args if arg.is_Matrix)
    if len(matrices) < 2 or any(isinstance(other, OneMatrix | Transpose) for other in matrices[:2]):
        return None
    return (matrices[:1], matrices[1]) if is_weights(view, matrices[0]) else None


def is_weights(view: View, node: MatrixExpr) -> bool:
    """Whether a formula is made of shares that sum to one, or is given and nothing else could be."""
    made = view.meaning(node)
    if isinstance(made, MatrixSymbol):
        alone = (MatrixSymbol, MatMul, Transpose, Row, Rows)
        return all(isinstance(x, alone) for _, _, _, x in view.places)
    while isinstance(made, Row | Rows | Keep):
        made = view.meaning(made.args[0])
    return isinstance(made, Softmax | Proportions) or exponentials(view, made) is not None


def _values_forgotten(view: View, node: MatrixExpr) -> Iterator[MatrixExpr]:
    """A instead of A V."""
    if weights_and_values(view, node) is not None:
        matrices = [arg for arg in node.args if arg.is_Matrix]
        if len(matrices) == 2 or size(matrices[0])[1] == size(matrices[2])[0]:
            yield product(matrices[0], *matrices[2:])


def _values_transposed(view: View, node: MatrixExpr) -> Iterator[MatrixExpr]:
    """A Vᵀ instead of A V, for a square V."""
    found = weights_and_values(view, node)
    if found is not None and size(found[1])[0] == size(found[1])[1]:
        yield product(*(transposed(x) if x == found[1] else x for x in node.args))


def _weights_transposed(view: View, node: MatrixExpr) -> Iterator[MatrixExpr]:
    """Aᵀ V instead of A V, for a square A: the values mixed along the columns of the weights."""
    found = weights_and_values(view, node)
    if found is not None and 1 < size(found[0][0])[0] == size(found[0][0])[1]:
        yield product(*(transposed(x) if x == found[0][0] else x for x in node.args))


values_forgotten = at_each(_values_forgotten)
values_transposed = at_each(_values_transposed)
weights_transposed = at_each(_weights_transposed)
