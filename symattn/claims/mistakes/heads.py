"""Mistakes about heads and positions."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from sympy import Expr, Integer, MatAdd, MatMul, MatrixExpr, pi, sqrt

from symattn.claims.mistakes.building import factors, matrix_size, put, unevaluated_product, unevaluated_sum
from symattn.claims.mistakes.layers import bias_of
from symattn.claims.mistakes.model import HEADS, Change, Mistake, Rewrite
from symattn.claims.mistakes.rewriting import RewriteRule, at_each, of
from symattn.claims.mistakes.softmax import weights_and_values
from symattn.claims.mistakes.subject import Subject
from symattn.operations import Concat, Head, Quotient, Rotary, Row, RowMax, Stack
from symattn.operations.positions import USUAL_BASE


def _outputs(subject: Subject, node: MatrixExpr) -> tuple[MatrixExpr, ...]:
    """Return the outputs of heads that are joined side by side; nothing if other things are."""
    if not isinstance(node, Concat) or len({matrix_size(part) for part in node.args}) > 1 or len(set(node.args)) == 1:
        return ()
    made = tuple(subject.meaning(part) for part in node.args)
    if all(isinstance(part, MatMul) or subject.is_given(part) for part in made) and not _in_maximum(subject, node):
        return tuple(node.args)
    return ()


def _in_maximum(subject: Subject, node: MatrixExpr) -> bool:
    """Return whether a formula belongs to the search for a running maximum."""
    return any(isinstance(other, RowMax) and other.argument == node for _, _, _, other in subject.places)


def _instead_of_side_by_side(make: Callable[..., MatrixExpr]) -> Rewrite:
    def rule(subject: Subject, node: MatrixExpr) -> Iterator[MatrixExpr]:
        if outputs := _outputs(subject, node):
            yield make(*outputs)

    return at_each(rule)


def _mean(*outputs: MatrixExpr) -> MatrixExpr:
    return Quotient(unevaluated_sum(*outputs), Integer(len(outputs)))


def _projection_forgotten(subject: Subject, node: MatrixExpr) -> Iterator[MatrixExpr]:
    """H instead of H W_O, and with W_O its bias."""
    inner = node
    if isinstance(node, MatAdd):
        found = bias_of(subject, node)
        inner = subject.meaning(found[0]) if found is not None else node
    if not isinstance(inner, MatMul):
        return
    numbers, matrices = factors(inner)
    if numbers or len(matrices) < 2 or not subject.is_given(matrices[-1]):
        return
    rest = unevaluated_product(*matrices[:-1])
    made = subject.meaning(rest)
    if isinstance(made, Concat) or (isinstance(made, MatMul) and weights_and_values(subject, made) is not None):
        yield rest


def _without_output(subject: Subject) -> Iterator[Change]:
    """The joined outputs of the heads, without W_O."""
    seen: dict[str, Change] = {}
    for change in at_each(_projection_forgotten, everywhere=False)(subject):
        # With a bias, the sum is found first and then the product in it: only the sum is the whole place.
        seen.setdefault(change.step, change)
    yield from seen.values()


def _split_by_rows(subject: Subject) -> Iterator[Change]:
    """The numbers of n × d taken row by row into h matrices of n × d/h, as ``view(h, n, d/h)`` does.

    If every row is cut into pieces of d/h numbers, row r of head t is piece (t − 1) n + r; all heads are cut alike, so
    this is one mistake in all steps that cut one.
    """
    formulas: dict[str, MatrixExpr] = {}
    for step, formula, path, node in subject.places:
        if isinstance(node, Head) and matrix_size(node)[0] > 1 and node.count > 1:
            formulas[step.name] = put(formulas.get(step.name, formula), path, _pieces(node))
    if formulas:
        yield Change(next(iter(formulas)), formulas)


def _pieces(node: Head) -> MatrixExpr:
    rows = matrix_size(node)[0]
    numbers = range((node.number - 1) * rows, node.number * rows)
    return Stack(*(Head(Row(node.argument, k // node.count + 1), k % node.count + 1, node.count) for k in numbers))


TWO_HEADS = ("two-heads",)

_HEADS_MISTAKES = (
    Mistake("output-projection-forgotten", _without_output, HEADS, rank=130),
    Mistake("heads-averaged", _instead_of_side_by_side(_mean), TWO_HEADS, ("matrix", "shape"), rank=620),
    Mistake("heads-added", _instead_of_side_by_side(unevaluated_sum), TWO_HEADS, ("matrix", "shape"), rank=630),
    Mistake("heads-split-by-rows", _split_by_rows, TWO_HEADS, rank=640),
)


ROPE = ("rope",)


def _is_turned(subject: Subject, node: MatrixExpr) -> bool:
    """Return whether a rotation turns anything: a single row at position 0 does not change."""
    return isinstance(node, Rotary) and (matrix_size(node)[0] > 1 or not subject.scalar(node.start).is_zero)


def _as_if_at(start: Callable[[Expr], Expr]) -> RewriteRule:
    """Every row turned as if it were at another position."""

    def rule(subject: Subject, node: MatrixExpr) -> Iterator[MatrixExpr]:
        if not _is_turned(subject, node):
            return
        rows = matrix_size(node)[0]
        if rows == 1:
            yield Rotary(node.argument, node.base, start(node.start))
        else:
            turned = (Rotary(Row(node.argument, i + 1), node.base, start(node.start + i)) for i in range(rows))
            yield Stack(*turned)

    return rule


def _with_base(base: Callable[[Expr], Expr]) -> RewriteRule:
    """Turned with another base; a single pair is turned by the position itself, whatever the base is."""

    def rule(subject: Subject, node: MatrixExpr) -> Iterator[MatrixExpr]:
        if _is_turned(subject, node) and matrix_size(node)[1] > 2:
            other = base(node.base)
            if subject.scalar(other) != subject.scalar(node.base):
                yield Rotary(node.argument, other, node.start)

    return rule


def _from_zero(subject: Subject, node: MatrixExpr) -> Iterator[MatrixExpr]:
    """The first row at position 0, whatever the formula says."""
    if _is_turned(subject, node) and not subject.scalar(node.start).is_zero:
        yield Rotary(node.argument, node.base, Integer(0))


def _one_earlier(subject: Subject, node: MatrixExpr) -> Iterator[MatrixExpr]:
    """Every row turned for the position before its own; from position 1 that is position 0, another mistake."""
    if isinstance(node, Rotary) and subject.scalar(node.start - 1).is_positive:
        yield Rotary(node.argument, node.base, node.start - 1)


def _halves(subject: Subject, node: MatrixExpr) -> Iterator[MatrixExpr]:
    """Column t paired with column t + d/2 instead of the neighbour."""
    width = matrix_size(node)[1]
    if _is_turned(subject, node) and width > 2:
        order = [t + half for t in range(1, width // 2 + 1) for half in (0, width // 2)]
        turned = Rotary(_columns(node.argument, order), node.base, node.start)
        yield _columns(turned, [order.index(t) + 1 for t in range(1, width + 1)])


def _columns(matrix: MatrixExpr, order: list[int]) -> MatrixExpr:
    """Return the columns of a matrix in another order, counted from 1."""
    return Concat(*(Head(matrix, number, len(order)) for number in order))


_POSITIONS_MISTAKES = (
    # Positions counted from 1.
    Mistake(
        "position-off-by-one",
        at_each(of(Rotary, lambda node: Rotary(node.argument, node.base, node.start + 1))),
        ROPE,
        rank=230,
    ),
    # By −p θ_t: the signs of the sines exchanged.
    Mistake("turned-the-wrong-way", at_each(_as_if_at(lambda position: -position)), ROPE, rank=240),
    # p θ_t taken as degrees, as by a pocket calculator that is set to them.
    Mistake("turned-in-degrees", at_each(_as_if_at(lambda position: position * pi / 180)), ROPE, rank=780),
    Mistake("halves-paired", at_each(_halves), ROPE, rank=790),
    Mistake("positions-from-zero", at_each(_from_zero), ROPE, subtle=True, rank=232),
    Mistake("position-one-too-early", at_each(_one_earlier), ROPE, subtle=True, rank=234),
    Mistake("usual-base-instead", at_each(_with_base(lambda _: Integer(USUAL_BASE))), ROPE, subtle=True, rank=236),
    # base^(−t/d) instead of base^(−2t/d)
    Mistake("exponent-halved", at_each(_with_base(lambda base: sqrt(base))), ROPE, subtle=True, rank=792),
    # θ = 1 for every pair
    Mistake("one-angle-for-all-pairs", at_each(_with_base(lambda _: Integer(1))), ROPE, subtle=True, rank=794),
)

MISTAKES = (*_HEADS_MISTAKES, *_POSITIONS_MISTAKES)
