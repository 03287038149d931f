"""Mistakes in scores: Q Kᵀ, and what they are divided by.

The right way is Q Kᵀ / √d_k with d_k the length of one query: Vaswani et al. 2017, section 3.2.1, equation (1).
"""

from __future__ import annotations

from collections.abc import Iterator

from sympy import Expr, Integer, MatAdd, MatMul, MatrixExpr, MatrixSymbol, Pow, Rational, S, Transpose

from symattn.mistakes.model import Change, Subject
from symattn.mistakes.places import (
    Path,
    View,
    at_each,
    factors,
    fit,
    places,
    product,
    put,
    size,
    terms,
    times,
    view_of,
    with_all,
)
from symattn.operations import Dot, Head, Quotient, Rotary, Row, Rows, Softmax

# -- the product -------------------------------------------------------------------------------------------------


def score_product(view: View, node: MatrixExpr) -> tuple[MatrixExpr, MatrixExpr] | None:
    """Q and K where a formula is Q Kᵀ, also with a name for Kᵀ, and ``None`` elsewhere.

    >>> from symattn.derivation import Plan
    >>> from symattn.shapes import shape
    >>> plan = Plan().given("Q", shape(2, 3)).given("K", shape(4, 3)).step("S", "Q @ K.T")
    >>> score_product(View(plan), plan["S"].formula)
    (Q, K)
    """
    if isinstance(node, Dot):
        return node.left, node.right
    if not isinstance(node, MatMul):
        return None
    matrices = factors(node)[1]
    last = view.meaning(matrices[-1])
    if len(matrices) != 2 or not isinstance(last, Transpose):
        return None
    return matrices[0], last.arg


def _not_transposed(view: View, node: MatrixExpr) -> Iterator[MatrixExpr]:
    """Q K."""
    pair = score_product(view, node) if isinstance(node, MatMul) else None
    if pair is not None and fit(*pair):
        yield product(*factors(node)[0], *pair)


def _reversed(view: View, node: MatrixExpr) -> Iterator[MatrixExpr]:
    """K Qᵀ, the transposed scores; one number is its own transpose, and so is X Xᵀ."""
    pair = score_product(view, node)
    if pair is None or pair[0] == pair[1] or size(node) == (1, 1):
        return
    left, right = pair
    yield Dot(right, left) if isinstance(node, Dot) else product(*factors(node)[0], right, Transpose(left))


def _exchanged(view: View, node: MatrixExpr) -> Iterator[MatrixExpr]:
    """q_j · k_i instead of q_i · k_j."""
    pair = score_product(view, node)
    if pair is None:
        return
    left, right = (view.meaning(side) for side in pair)
    if not (isinstance(left, Row) and isinstance(right, Row)) or left.argument == right.argument:
        return
    first, second = (
        Row(one.argument, other.number) if other.number <= size(one.argument)[0] else None
        for one, other in ((left, right), (right, left))
    )
    if first is not None and second is not None:
        yield Dot(first, second) if isinstance(node, Dot) else product(*factors(node)[0], first, Transpose(second))


def _first_row(view: View, node: MatrixExpr) -> Iterator[MatrixExpr]:
    """Row 1 instead of row i."""
    if isinstance(node, Row) and node.number != 1:
        yield Row(node.argument, 1)


key_not_transposed = at_each(_not_transposed)
product_reversed = at_each(_reversed)
query_and_key_exchanged = at_each(_exchanged)
first_row_instead = at_each(_first_row)

# -- the scale ---------------------------------------------------------------------------------------------------


def scale(node: MatrixExpr) -> tuple[MatrixExpr, Expr] | None:
    """What is divided and by what, also where it is written as a factor; ``None`` where nothing is divided.

    >>> from sympy import Symbol, sqrt
    >>> X = MatrixSymbol("X", 2, 2)
    >>> scale(Quotient(X, sqrt(Symbol("d")))), scale(times(Rational(1, 2), X))
    ((X, sqrt(d)), (X, 2))
    """
    if isinstance(node, Quotient):
        return node.argument, node.divisor
    numbers, matrices = factors(node)
    if len(numbers) != 1:
        return None
    number, rest = numbers[0], product(*matrices)
    if isinstance(number, Pow) and number.exp == -S.Half:
        return rest, root(number.base)
    if isinstance(number, Rational) and 0 < number < 1:
        return rest, 1 / number
    return None


def root(radicand: Expr) -> Expr:
    """√c with nothing worked out, so that √4 stays √4."""
    return Pow(radicand, S.Half, evaluate=False)


def is_root(number: Expr) -> bool:
    """Whether a number is written as a square root."""
    return isinstance(number, Pow) and number.exp == S.Half


def scaled_scores(view: View, node: MatrixExpr) -> tuple[MatrixExpr, Expr] | None:
    """Scores and the number they are divided by: a root, or any number on the way into a softmax."""
    found = scale(node)
    if found is None:
        return None
    argument, divisor = found
    if is_root(divisor):
        return found
    known = view.is_given(argument) or score_product(view, view.meaning(argument)) is not None
    return found if known and node in view.softened else None


def _forgotten(view: View, node: MatrixExpr) -> Iterator[MatrixExpr]:
    """X instead of X / √d."""
    if (found := scaled_scores(view, node)) is not None and view.scalar(found[1]) != 1:
        yield found[0]


def _by_width(view: View, node: MatrixExpr) -> Iterator[MatrixExpr]:
    """X / d instead of X / √d."""
    if (found := scaled_scores(view, node)) is not None:
        argument, divisor = found
        yield from _unless_equal(view, argument, divisor, divisor.base if is_root(divisor) else divisor**2)


def _multiplied(view: View, node: MatrixExpr) -> Iterator[MatrixExpr]:
    """√d X instead of X / √d."""
    if (found := scaled_scores(view, node)) is not None and view.scalar(found[1]) != 1:
        yield times(found[1], found[0])


def _model_width(view: View, node: MatrixExpr) -> Iterator[MatrixExpr]:
    """X / √d_model, the width of what the query was made from."""
    if (found := scaled_scores(view, node)) is None:
        return
    argument, divisor = found
    pair = score_product(view, view.meaning(argument))
    for width in _wider(view, pair[0]) if pair is not None else ():
        new = list(_unless_equal(view, argument, divisor, root(width)))
        yield from new
        if new:
            return


def _wider(view: View, node: MatrixExpr) -> Iterator[Expr]:
    """The widths behind a query: of all heads together, then of what it was projected from."""
    node = view.meaning(node)
    while isinstance(node, Head | Rotary | Row | Rows | MatAdd):
        inner = node.args[0]
        if isinstance(node, Head):
            yield view.length(view.axes(inner)[1])
        node = view.meaning(inner)
    if isinstance(node, MatMul):
        yield view.length(view.axes(factors(node)[1][0])[1])


def _token_count(view: View, node: MatrixExpr) -> Iterator[MatrixExpr]:
    """X / √n, the number of keys instead of the length of one."""
    if (found := scaled_scores(view, node)) is None:
        return
    argument, divisor = found
    pair = score_product(view, view.meaning(argument))
    axis = view.axes(pair[1])[0] if pair is not None else view.axes(argument)[1]
    yield from _unless_equal(view, argument, divisor, root(view.length(axis)))


def _unless_equal(view: View, argument: MatrixExpr, old: Expr, new: Expr) -> Iterator[MatrixExpr]:
    if view.scalar(old) != view.scalar(new):
        yield Quotient(argument, new) if view.scalar(new) != 1 else argument


scale_forgotten = at_each(_forgotten)
divided_by_width = at_each(_by_width)
multiplied_by_root = at_each(_multiplied)
root_of_model_width = at_each(_model_width)
root_of_token_count = at_each(_token_count)


def scaled_after_softmax(subject: Subject) -> Iterator[Change]:
    """softmax(X) / √d instead of softmax(X / √d)."""
    view = view_of(subject)
    changes: list[Change] = []
    for step, formula, path, node in view.places:
        if isinstance(node, Softmax):
            for owner, inside, scores in inputs(view, node.argument):
                found = scaled_scores(view, scores)
                if found is not None and view.scalar(found[1]) != 1:
                    changes.append(moved(view, step.name, formula, path, (owner, inside, found[0]), found[1]))
    yield from with_all(changes)


def inputs(view: View, argument: MatrixExpr) -> Iterator[tuple[str, Path, MatrixExpr]]:
    """Every part of the sum that goes into a softmax: the step that writes it (nothing: this one), where, and it."""
    waiting: list[tuple[str, Path, MatrixExpr]] = [("", (), argument)]
    while waiting:
        owner, path, node = waiting.pop(0)
        yield owner, path, node
        if isinstance(node, MatrixSymbol):
            formula = view.plan.by_name[node.name].formula
            if formula is not None:
                waiting.append((node.name, (), formula))
        elif isinstance(node, MatAdd):
            waiting.extend((owner, (*path, i), term) for i, term in enumerate(terms(node)))


def moved(
    view: View, name: str, formula: MatrixExpr, path: Path, place: tuple[str, Path, MatrixExpr], divisor: Expr
) -> Change:
    """A division taken out of the input of a softmax, and made after it."""
    owner, inside, without = place
    argument = dict(places(formula))[path].argument
    if not owner:
        return Change(name, {name: put(formula, path, Quotient(Softmax(put(argument, inside, without)), divisor))})
    changed = put(view.plan[owner].formula, inside, without)
    return Change(owner, {owner: changed, name: put(formula, path, Quotient(Softmax(argument), divisor))})


def _temperature_forgotten(view: View, node: MatrixExpr) -> Iterator[MatrixExpr]:
    """softmax(Z) instead of softmax(Z / T)."""
    if (found := _temperature(view, node)) is not None:
        yield found[0]


def _temperature(view: View, node: MatrixExpr) -> tuple[MatrixExpr, Expr] | None:
    """Logits and the temperature they are divided by: a number that is not a root, on the way into a softmax."""
    if not isinstance(node, Quotient) or is_root(node.divisor) or view.scalar(node.divisor) == Integer(1):
        return None
    if score_product(view, view.meaning(node.argument)) is not None or node not in view.softened:
        return None
    return node.argument, node.divisor


temperature_forgotten = at_each(_temperature_forgotten)
