"""Mistakes with several heads: averaged, added, cut the wrong way, and not mixed at the end.

The right way is [head_1 … head_h] W_O, with heads cut from the columns: Vaswani et al. 2017, section 3.2.2.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from sympy import Integer, MatAdd, MatMul, MatrixExpr

from symattn.mistakes.building import factors, product, put, size, total
from symattn.mistakes.layers import bias_of
from symattn.mistakes.model import HEADS, Change, Mistake, Rewrite
from symattn.mistakes.rewriting import at_each
from symattn.mistakes.softmax import weights_and_values
from symattn.mistakes.subject import Subject
from symattn.operations import Concat, Head, Quotient, Row, RowMax, Stack


def _outputs(subject: Subject, node: MatrixExpr) -> tuple[MatrixExpr, ...]:
    """The outputs of heads that stand side by side; nothing where other things do."""
    if not isinstance(node, Concat) or len({size(part) for part in node.args}) > 1 or len(set(node.args)) == 1:
        return ()
    made = tuple(subject.meaning(part) for part in node.args)
    if all(isinstance(part, MatMul) or subject.is_given(part) for part in made) and not _in_maximum(subject, node):
        return tuple(node.args)
    return ()


def _in_maximum(subject: Subject, node: MatrixExpr) -> bool:
    """Whether a formula stands in the search of a running maximum."""
    return any(isinstance(other, RowMax) and other.argument == node for _, _, _, other in subject.places)


def _instead_of_side_by_side(make: Callable[..., MatrixExpr]) -> Rewrite:
    def rule(subject: Subject, node: MatrixExpr) -> Iterator[MatrixExpr]:
        if outputs := _outputs(subject, node):
            yield make(*outputs)

    return at_each(rule)


def _mean(*outputs: MatrixExpr) -> MatrixExpr:
    return Quotient(total(*outputs), Integer(len(outputs)))


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
    rest = product(*matrices[:-1])
    made = subject.meaning(rest)
    if isinstance(made, Concat) or (isinstance(made, MatMul) and weights_and_values(subject, made) is not None):
        yield rest


def _without_output(subject: Subject) -> Iterator[Change]:
    """The outputs of the heads as they are, without W_O."""
    seen: dict[str, Change] = {}
    for change in at_each(_projection_forgotten, everywhere=False)(subject):
        # With a bias the sum is found first and the product in it once more: only the sum is the whole place.
        seen.setdefault(change.step, change)
    yield from seen.values()


def _split_by_rows(subject: Subject) -> Iterator[Change]:
    """The numbers of n × d taken row by row into h matrices of n × d/h, as ``view(h, n, d/h)`` does.

    Head t then has, in its row r, piece (t − 1) n + r of the pieces of d/h numbers that the rows consist of; all heads
    are cut alike, so this is one mistake in all steps that cut one.
    """
    formulas: dict[str, MatrixExpr] = {}
    for step, formula, path, node in subject.places:
        if isinstance(node, Head) and size(node)[0] > 1 and node.count > 1:
            formulas[step.name] = put(formulas.get(step.name, formula), path, _pieces(node))
    if formulas:
        yield Change(next(iter(formulas)), formulas)


def _pieces(node: Head) -> MatrixExpr:
    rows = size(node)[0]
    numbers = range((node.number - 1) * rows, node.number * rows)
    return Stack(*(Head(Row(node.argument, k // node.count + 1), k % node.count + 1, node.count) for k in numbers))


TWO_HEADS = ("two-heads",)

MISTAKES = (
    Mistake("output-projection-forgotten", _without_output, HEADS, rank=130),
    Mistake("heads-averaged", _instead_of_side_by_side(_mean), TWO_HEADS, ("matrix", "shape"), rank=620),
    Mistake("heads-added", _instead_of_side_by_side(total), TWO_HEADS, ("matrix", "shape"), rank=630),
    Mistake("heads-split-by-rows", _split_by_rows, TWO_HEADS, rank=640),
)
