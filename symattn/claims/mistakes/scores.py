"""Mistakes in scores: in Q Kᵀ, and in the number that divides it.

The right way is Q Kᵀ / √d_k with d_k the length of one query: Vaswani et al. 2017, section 3.2.1, equation (1).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from sympy import Expr, Integer, MatAdd, MatMul, MatrixExpr, MatrixSymbol, Pow, Rational, S, Transpose

from symattn.claims.mistakes.building import (
    Path,
    factors,
    fit,
    matrix_size,
    places,
    put,
    scaled_matrix,
    sum_terms,
    unevaluated_product,
)
from symattn.claims.mistakes.model import ATTENTION, SCALED, WITH_MASKS, Change, Mistake, Rewrite
from symattn.claims.mistakes.rewriting import at_each, of, with_all
from symattn.claims.mistakes.subject import Subject
from symattn.operations import Dot, Head, Proportions, Quotient, Rotary, Row, Rows, Softmax

# -- the product -------------------------------------------------------------------------------------------------


def score_product(subject: Subject, node: MatrixExpr) -> tuple[MatrixExpr, MatrixExpr] | None:
    """Return Q and K if a formula is Q Kᵀ, also with a name for Kᵀ, and ``None`` otherwise.

    >>> from symattn.read.plan import Plan
    >>> from symattn.base.shapes import shape
    >>> plan = Plan().given("Q", shape(2, 3)).given("K", shape(4, 3)).step("S", "Q @ K.T")
    >>> score_product(Subject(plan), plan["S"].formula)
    (Q, K)
    """
    if isinstance(node, Dot):
        return node.left, node.right
    if not isinstance(node, MatMul):
        return None
    matrices = factors(node)[1]
    last = subject.meaning(matrices[-1])
    if len(matrices) != 2 or not isinstance(last, Transpose):
        return None
    # V Aᵀ, with weights along columns, mixes values and compares nothing.
    return None if isinstance(subject.meaning(last.arg), Softmax | Proportions) else (matrices[0], last.arg)


def queries_and_keys(subject: Subject, node: MatrixExpr) -> tuple[MatrixExpr, MatrixExpr] | None:
    """Return Q and K if a formula is Q Kᵀ with a row for each query; where a softmax goes down the columns, or by their
    names, the rows of a product belong to keys, and it is K Qᵀ."""
    pair = score_product(subject, node)
    if pair is None or _is_of_keys(subject, node) or tuple(map(_letter, pair)) == ("k", "q"):
        return None
    return pair


def _letter(side: MatrixExpr) -> str:
    """Return the letter with which the name of a side begins, or that of the matrix of which it has rows."""
    while isinstance(side, Row | Rows | Head | Rotary):
        side = side.args[0]
    return str(getattr(side, "name", ""))[:1].lower()


def _is_of_keys(subject: Subject, node: MatrixExpr) -> bool:
    """Return whether a softmax takes the columns of a product, also where that is scaled or masked."""
    softened = (
        subject.meaning(each.argument)
        for *_, each in subject.places
        if isinstance(each, Softmax) and subject.is_along_columns(each)
    )
    columns = [each.arg for each in softened if isinstance(each, Transpose)]
    return any(
        node == part for each in columns for *_, inside in inputs(subject, each) for part in _scaled(subject, inside)
    )


def _scaled(subject: Subject, node: MatrixExpr) -> Iterator[MatrixExpr]:
    """Yield what a formula stands for, and what it divides."""
    made = subject.meaning(node)
    yield made
    if (found := scale(made)) is not None:
        yield subject.meaning(found[0])


def _not_transposed(subject: Subject, node: MatrixExpr) -> Iterator[MatrixExpr]:
    """Q K."""
    pair = queries_and_keys(subject, node) if isinstance(node, MatMul) else None
    if pair is not None and fit(*pair):
        yield unevaluated_product(*factors(node)[0], *pair)


def _reversed(subject: Subject, node: MatrixExpr) -> Iterator[MatrixExpr]:
    """K Qᵀ, the transposed scores; one number is its own transpose, and so is X Xᵀ."""
    pair = queries_and_keys(subject, node)
    if pair is None or pair[0] == pair[1] or matrix_size(node) == (1, 1):
        return
    left, right = pair
    yield Dot(right, left) if isinstance(node, Dot) else unevaluated_product(*factors(node)[0], right, Transpose(left))


def _exchanged(subject: Subject, node: MatrixExpr) -> Iterator[MatrixExpr]:
    """q_j · k_i instead of q_i · k_j."""
    pair = score_product(subject, node)
    if pair is None:
        return
    left, right = (subject.meaning(side) for side in pair)
    if not (isinstance(left, Row) and isinstance(right, Row)) or left.argument == right.argument:
        return
    first, second = (
        Row(one.argument, other.number) if other.number <= matrix_size(one.argument)[0] else None
        for one, other in ((left, right), (right, left))
    )
    if first is not None and second is not None:
        yield (
            Dot(first, second)
            if isinstance(node, Dot)
            else unevaluated_product(*factors(node)[0], first, Transpose(second))
        )


# -- the scale ---------------------------------------------------------------------------------------------------


def scale(node: MatrixExpr) -> tuple[MatrixExpr, Expr] | None:
    """Return a dividend and its divisor, also if it is written as a factor; ``None`` if nothing is divided.

    >>> from sympy import Symbol, sqrt
    >>> X = MatrixSymbol("X", 2, 2)
    >>> scale(Quotient(X, sqrt(Symbol("d")))), scale(scaled_matrix(Rational(1, 2), X))
    ((X, sqrt(d)), (X, 2))
    """
    if isinstance(node, Quotient):
        return node.argument, node.divisor
    numbers, matrices = factors(node)
    if len(numbers) != 1:
        return None
    number, rest = numbers[0], unevaluated_product(*matrices)
    if isinstance(number, Pow) and number.exp == -S.Half:
        return rest, unevaluated_root(number.base)
    if isinstance(number, Rational) and 0 < number < 1:
        return rest, 1 / number
    return None


def unevaluated_root(radicand: Expr) -> Expr:
    """Return √c unevaluated, so that √4 stays √4."""
    return Pow(radicand, S.Half, evaluate=False)


def is_root(number: Expr) -> bool:
    """Return whether a number is written as a square root."""
    return isinstance(number, Pow) and number.exp == S.Half


def scaled_scores(subject: Subject, node: MatrixExpr) -> tuple[MatrixExpr, Expr] | None:
    """Return scores and their divisor: a root of what is a product or enters a softmax, or any number on the way from
    the product, or from a given, into a softmax."""
    found = scale(node)
    if found is None:
        return None
    argument, divisor = found
    is_product = score_product(subject, subject.meaning(argument)) is not None
    if is_root(divisor):
        return found if is_product or node in subject.softened else None
    return found if (is_product or subject.is_given(argument)) and node in subject.softened else None


def _divided_by(others: Callable[[Subject, MatrixExpr, Expr], Iterable[Expr]]) -> Rewrite:
    """Divide scores by the first number that differs from the right one; leave out the division if it is 1."""

    def rule(subject: Subject, node: MatrixExpr) -> Iterator[MatrixExpr]:
        if (found := scaled_scores(subject, node)) is None:
            return
        argument, divisor = found
        other = (number for number in others(subject, *found) if subject.scalar(number) != subject.scalar(divisor))
        if (new := next(other, None)) is not None:
            yield Quotient(argument, new) if subject.scalar(new) != 1 else argument

    return at_each(rule)


def _width(subject: Subject, argument: MatrixExpr, divisor: Expr) -> Iterator[Expr]:
    """d instead of √d, also where that is written as a number, such as 2 for vectors of four components."""
    if is_root(divisor):
        yield divisor.base
    elif (pair := score_product(subject, subject.meaning(argument))) is not None:
        width = subject.length(subject.axes(pair[0])[1])
        if subject.scalar(width) == subject.scalar(divisor**2):
            yield width


def _model_widths(subject: Subject, argument: MatrixExpr, divisor: Expr) -> Iterator[Expr]:
    """√d_model, the width of the matrix from which the query was projected."""
    pair = score_product(subject, subject.meaning(argument))
    yield from map(unevaluated_root, _wider(subject, pair[0]) if pair is not None else ())


def _token_count(subject: Subject, argument: MatrixExpr, divisor: Expr) -> Iterator[Expr]:
    """√n, the number of keys instead of the length of one."""
    pair = score_product(subject, subject.meaning(argument))
    axis = subject.axes(pair[1])[0] if pair is not None else subject.axes(argument)[1]
    yield unevaluated_root(subject.length(axis))


def _token_count_itself(subject: Subject, argument: MatrixExpr, divisor: Expr) -> Iterator[Expr]:
    """n, the number of keys; where there are as many keys as columns, that is the width instead of its root."""
    for root in _token_count(subject, argument, divisor):
        if subject.scalar(root) != subject.scalar(divisor):
            yield root.base


def _multiplied(subject: Subject, node: MatrixExpr) -> Iterator[MatrixExpr]:
    """√d X instead of X / √d."""
    if (found := scaled_scores(subject, node)) is not None and subject.scalar(found[1]) != 1:
        yield scaled_matrix(found[1], found[0])


def _wider(subject: Subject, node: MatrixExpr) -> Iterator[Expr]:
    """Yield the widths behind a query: that of all heads together, then that of the projected matrix."""
    node = subject.meaning(node)
    while isinstance(node, Head | Rotary | Row | Rows | MatAdd):
        inner = node.args[0]
        if isinstance(node, Head):
            yield subject.length(subject.axes(inner)[1])
        node = subject.meaning(inner)
    if isinstance(node, MatMul):
        yield subject.length(subject.axes(factors(node)[1][0])[1])


def _scaled_after_softmax(subject: Subject) -> Iterator[Change]:
    """softmax(X) / √d instead of softmax(X / √d)."""
    changes: list[Change] = []
    for step, formula, path, node in subject.places:
        if isinstance(node, Softmax):
            for owner, inside, scores in inputs(subject, node.argument):
                found = scaled_scores(subject, scores)
                if found is not None and subject.scalar(found[1]) != 1:
                    changes.append(moved(subject, step.name, formula, path, (owner, inside, found[0]), found[1]))
    yield from with_all(changes)


def _softmax_of_unscaled(subject: Subject) -> Iterator[Change]:
    """softmax(X) where X / √d has a name of its own, which keeps its right figures."""
    changes: list[Change] = []
    for step, formula, path, node in subject.places:
        if not isinstance(node, Softmax):
            continue
        parts = list(inputs(subject, node.argument))
        for owner, inside, part in parts:
            found = scaled_scores(subject, part) if owner else None
            if found is None or subject.scalar(found[1]) == 1:
                continue
            name, new = owner, put(subject.plan[owner].formula, inside, found[0])
            while name:  # up through the names of sums, to the softmax
                name, inside = next((o, way) for o, way, symbol in parts if getattr(symbol, "name", "") == name)
                new = put(subject.plan[name].formula if name else node.argument, inside, new)
            changes.append(Change(step.name, {step.name: put(formula, path, Softmax(new))}))
    yield from with_all(changes)


def _scaled_twice(subject: Subject, node: MatrixExpr) -> Iterator[MatrixExpr]:
    """softmax(X / √d / √d) where X / √d has a name of its own, which keeps its right figures."""
    parts = (part for _, _, part in inputs(subject, node.argument)) if isinstance(node, Softmax) else ()
    named = (subject.meaning(part) for part in parts if isinstance(part, MatrixSymbol))
    found = next(filter(None, (scaled_scores(subject, part) for part in named)), None)
    if found is not None and subject.scalar(found[1]) != 1:
        yield Softmax(Quotient(node.argument, found[1]))


def inputs(subject: Subject, argument: MatrixExpr) -> Iterator[tuple[str, Path, MatrixExpr]]:
    """Yield every part of a sum that enters a softmax: its step ("" for this one), the path to it, and the part."""
    waiting: list[tuple[str, Path, MatrixExpr]] = [("", (), argument)]
    seen = set[str]()
    while waiting:
        owner, path, node = waiting.pop(0)
        yield owner, path, node
        if isinstance(node, MatrixSymbol) and node.name not in seen:
            seen.add(node.name)
            formula = subject.plan.by_name[node.name].formula
            if formula is not None:
                waiting.append((node.name, (), formula))
        elif isinstance(node, MatAdd):
            waiting.extend((owner, (*path, i), term) for i, term in enumerate(sum_terms(node)))


def moved(
    subject: Subject, name: str, formula: MatrixExpr, path: Path, place: tuple[str, Path, MatrixExpr], divisor: Expr
) -> Change:
    """Move a division from the input of a softmax to its result."""
    owner, inside, without = place
    argument = dict(places(formula))[path].argument
    if not owner:
        return Change(name, {name: put(formula, path, Quotient(Softmax(put(argument, inside, without)), divisor))})
    changed = put(subject.plan[owner].formula, inside, without)
    return Change(owner, {owner: changed, name: put(formula, path, Quotient(Softmax(argument), divisor))})


def _temperature_forgotten(subject: Subject, node: MatrixExpr) -> Iterator[MatrixExpr]:
    """softmax(Z) instead of softmax(Z / T)."""
    if (found := _temperature(subject, node)) is not None:
        yield found[0]


def _temperature(subject: Subject, node: MatrixExpr) -> tuple[MatrixExpr, Expr] | None:
    """Return logits and the temperature that divides them: a number that is not a root, on the way into a softmax."""
    if not isinstance(node, Quotient) or is_root(node.divisor) or subject.scalar(node.divisor) == Integer(1):
        return None
    if score_product(subject, subject.meaning(node.argument)) is not None or node not in subject.softened:
        return None
    return node.argument, node.divisor


_first_row = of(Row, lambda node: Row(node.argument, 1))

COMPARED = ("score-entry", *SCALED)
NAMED_APART = (*ATTENTION, "attention-backward", *WITH_MASKS)

MISTAKES = (
    Mistake("scale-forgotten", _divided_by(lambda *_: (Integer(1),)), SCALED, rank=10),
    Mistake(
        "softmax-of-unscaled-scores",
        _softmax_of_unscaled,
        NAMED_APART,
        rank=25,
    ),
    Mistake("divided-by-width", _divided_by(_width), SCALED, rank=30),
    Mistake("root-of-model-width", _divided_by(_model_widths), SCALED, rank=390),
    Mistake("root-of-token-count", _divided_by(_token_count), SCALED, rank=400),
    Mistake("divided-by-token-count", _divided_by(_token_count_itself), SCALED, subtle=True, rank=405),
    Mistake(
        "scaled-twice", at_each(_scaled_twice), (*ATTENTION, "attention-backward", *WITH_MASKS), subtle=True, rank=408
    ),
    Mistake("multiplied-by-root", at_each(_multiplied), SCALED, rank=410),
    Mistake("scaled-after-softmax", _scaled_after_softmax, SCALED, rank=420),
    Mistake("key-not-transposed", at_each(_not_transposed), COMPARED, rank=430),
    Mistake("product-reversed", at_each(_reversed), COMPARED, rank=440),
    Mistake("query-and-key-exchanged", at_each(_exchanged), ("score-entry",), rank=450),
    # Row 1 instead of row i.
    Mistake(
        "first-row-instead",
        at_each(_first_row),
        ("score-entry", "cosine", "causal-mask", "attention-row"),
        rank=460,
    ),
    Mistake("temperature-forgotten", at_each(_temperature_forgotten), ("next-word",), rank=500),
)
