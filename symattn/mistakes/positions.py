"""Mistakes in turning queries and keys by their position.

The right way turns pair t at position p, counted from 0, by the angle p θ_t in radians: Su et al. 2021, *RoFormer*,
equations (14) and (15).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from sympy import Expr, MatrixExpr, pi

from symattn.mistakes.building import size
from symattn.mistakes.model import Mistake
from symattn.mistakes.rewriting import RewriteRule, at_each, of
from symattn.mistakes.subject import Subject
from symattn.operations import Concat, Head, Rotary, Row, Stack

ROPE = ("rope",)


def _is_turned(subject: Subject, node: MatrixExpr) -> bool:
    """Whether a rotation turns anything: a single row at position 0 stays as it is."""
    return isinstance(node, Rotary) and (size(node)[0] > 1 or not subject.scalar(node.start).is_zero)


def _as_if_at(start: Callable[[Expr], Expr]) -> RewriteRule:
    """Every row turned as if it stood at another position."""

    def rule(subject: Subject, node: MatrixExpr) -> Iterator[MatrixExpr]:
        if not _is_turned(subject, node):
            return
        rows = size(node)[0]
        if rows == 1:
            yield Rotary(node.argument, node.base, start(node.start))
        else:
            turned = (Rotary(Row(node.argument, i + 1), node.base, start(node.start + i)) for i in range(rows))
            yield Stack(*turned)

    return rule


def _halves(subject: Subject, node: MatrixExpr) -> Iterator[MatrixExpr]:
    """Column t paired with column t + d/2 instead of the neighbour."""
    width = size(node)[1]
    if _is_turned(subject, node) and width > 2:
        order = [t + half for t in range(1, width // 2 + 1) for half in (0, width // 2)]
        turned = Rotary(_columns(node.argument, order), node.base, node.start)
        yield _columns(turned, [order.index(t) + 1 for t in range(1, width + 1)])


def _columns(matrix: MatrixExpr, order: list[int]) -> MatrixExpr:
    """The columns of a matrix in another order, counted from 1."""
    return Concat(*(Head(matrix, number, len(order)) for number in order))


MISTAKES = (
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
)
