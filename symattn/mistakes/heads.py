"""Mistakes with several heads: averaged, added, cut the wrong way, and not mixed at the end.

The right way is [head_1 … head_h] W_O, with heads cut from the columns: Vaswani et al. 2017, section 3.2.2.
"""

from __future__ import annotations

from collections.abc import Iterator

from sympy import Integer, MatAdd, MatMul, MatrixExpr

from symattn.mistakes.layers import bias_of
from symattn.mistakes.model import Change, Subject
from symattn.mistakes.places import View, at_each, factors, product, put, size, total, view_of
from symattn.mistakes.softmax import weights_and_values
from symattn.operations import Concat, Head, Quotient, Row, RowMax, Stack


def _outputs(view: View, node: MatrixExpr) -> tuple[MatrixExpr, ...]:
    """The outputs of heads that stand side by side; nothing where other things do."""
    if not isinstance(node, Concat) or len({size(part) for part in node.args}) > 1 or len(set(node.args)) == 1:
        return ()
    made = tuple(view.meaning(part) for part in node.args)
    if all(isinstance(part, MatMul) or view.is_given(part) for part in made) and not _in_maximum(view, node):
        return tuple(node.args)
    return ()


def _in_maximum(view: View, node: MatrixExpr) -> bool:
    """Whether a formula stands in the search of a running maximum."""
    return any(isinstance(other, RowMax) and other.argument == node for _, _, _, other in view.places)


def _averaged(view: View, node: MatrixExpr) -> Iterator[MatrixExpr]:
    """The mean of all heads."""
    if outputs := _outputs(view, node):
        yield Quotient(total(*outputs), Integer(len(outputs)))


def _added(view: View, node: MatrixExpr) -> Iterator[MatrixExpr]:
    """The sum of all heads."""
    if outputs := _outputs(view, node):
        yield total(*outputs)


def _projection_forgotten(view: View, node: MatrixExpr) -> Iterator[MatrixExpr]:
    """H instead of H W_O, and with W_O its bias."""
    inner = node
    if isinstance(node, MatAdd):
        found = bias_of(view, node)
        inner = view.meaning(found[0]) if found is not None else node
    if not isinstance(inner, MatMul):
        return
    numbers, matrices = factors(inner)
    if numbers or len(matrices) < 2 or not view.is_given(matrices[-1]):
        return
    rest = product(*matrices[:-1])
    made = view.meaning(rest)
    if isinstance(made, Concat) or (isinstance(made, MatMul) and weights_and_values(view, made) is not None):
        yield rest


def output_projection_forgotten(subject: Subject) -> Iterator[Change]:
    """The outputs of the heads as they are, without W_O."""
    seen: dict[str, Change] = {}
    for change in at_each(_projection_forgotten, everywhere=False)(subject):
        # With a bias the sum is found first and the product in it once more: only the sum is the whole place.
        seen.setdefault(change.step, change)
    yield from seen.values()


heads_averaged = at_each(_averaged)
heads_added = at_each(_added)


def heads_split_by_rows(subject: Subject) -> Iterator[Change]:
    """The numbers of n × d taken row by row into h matrices of n × d/h, as ``view(h, n, d/h)`` does.

    Head t then has, in its row r, piece (t − 1) n + r of the pieces of d/h numbers that the rows consist of; all heads
    are cut alike, so this is one mistake in all steps that cut one.
    """
    view = view_of(subject)
    formulas: dict[str, MatrixExpr] = {}
    for step, formula, path, node in view.places:
        if isinstance(node, Head) and size(node)[0] > 1 and node.count > 1:
            formulas[step.name] = put(formulas.get(step.name, formula), path, _pieces(node))
    if formulas:
        yield Change(next(iter(formulas)), formulas)


def _pieces(node: Head) -> MatrixExpr:
    rows = size(node)[0]
    numbers = range((node.number - 1) * rows, node.number * rows)
    return Stack(*(Head(Row(node.argument, k // node.count + 1), k % node.count + 1, node.count) for k in numbers))
