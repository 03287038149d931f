"""Mistakes in turning queries and keys by their position.

The right way turns pair t at position p, counted from 0, by the angle p θ_t in radians: Su et al. 2021, *RoFormer*,
equations (14) and (15).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from sympy import Expr, MatrixExpr, pi

from symattn.mistakes.places import View, at_each, size
from symattn.operations import Concat, Head, Rotary, Row, Stack


def _is_turned(view: View, node: MatrixExpr) -> bool:
    """Whether a rotation turns anything: a single row at position 0 stays as it is."""
    return isinstance(node, Rotary) and (size(node)[0] > 1 or not view.scalar(node.start).is_zero)


def _row_by_row(node: Rotary, start: Callable[[Expr], Expr]) -> MatrixExpr:
    """Every row turned as if it stood at another position."""
    rows = size(node)[0]
    if rows == 1:
        return Rotary(node.argument, node.base, start(node.start))
    turned = (Rotary(Row(node.argument, i + 1), node.base, start(node.start + i)) for i in range(rows))
    return Stack(*turned)


def _backwards(view: View, node: MatrixExpr) -> Iterator[MatrixExpr]:
    """Turned by −p θ_t: the signs of the sines exchanged."""
    if _is_turned(view, node):
        yield _row_by_row(node, lambda position: -position)


def _in_degrees(view: View, node: MatrixExpr) -> Iterator[MatrixExpr]:
    """p θ_t taken as degrees, as by a pocket calculator that is set to them."""
    if _is_turned(view, node):
        yield _row_by_row(node, lambda position: position * pi / 180)


def _next_position(view: View, node: MatrixExpr) -> Iterator[MatrixExpr]:
    """Positions counted from 1."""
    if isinstance(node, Rotary):
        yield Rotary(node.argument, node.base, node.start + 1)


def _halves(view: View, node: MatrixExpr) -> Iterator[MatrixExpr]:
    """Column t paired with column t + d/2 instead of the neighbour."""
    width = size(node)[1]
    if _is_turned(view, node) and width > 2:
        order = [t + half for t in range(1, width // 2 + 1) for half in (0, width // 2)]
        turned = Rotary(_columns(node.argument, order), node.base, node.start)
        yield _columns(turned, [order.index(t) + 1 for t in range(1, width + 1)])


def _columns(matrix: MatrixExpr, order: list[int]) -> MatrixExpr:
    """The columns of a matrix in another order, counted from 1."""
    return Concat(*(Head(matrix, number, len(order)) for number in order))


turned_the_wrong_way = at_each(_backwards)
turned_in_degrees = at_each(_in_degrees)
position_off_by_one = at_each(_next_position)
halves_paired = at_each(_halves)
