"""Formulas over intervals: for every entry the smallest and the largest value it can have, both ends rational.

The operands are boxes: every entry may be anywhere between its ends, whatever the others are. A rule is tight for its
own node where that is cheap (a share has its entry above and below the line, and its ends are at the corners of the
box); what two parts of a formula have in common is counted twice, which can only widen. Nodes without a rule go through
:mod:`symattn.values.ball`, whose enclosures become ends.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce, singledispatch
from itertools import product

from flint import arb, fmpq
from sympy import (
    Basic,
    Expr,
    Identity,
    MatAdd,
    MatMul,
    MatPow,
    MatrixSymbol,
    OneMatrix,
    S,
    Transpose,
    ZeroMatrix,
)

from symattn import operations as ops
from symattn.errors import NoValueError
from symattn.operations.whole import whole_entries
from symattn.values.ball import ball
from symattn.values.ends import HIDDEN, ONE, ZERO, Interval, Intervals, ends, from_balls, point, to_balls
from symattn.values.number import arccos, at_precision, number_ball
from symattn.values.rational import to_fmpq

BITS = 320
"""The precision of what is not rational, such as an exponential: far beyond what rounded figures know."""

Lookup = Callable[[str], Intervals]


@singledispatch
def interval(node: Basic, lookup: Lookup) -> Intervals:
    """The values that a formula can have whose names can have the values ``lookup`` gives."""
    # The operands by their own rules, and only the node itself in balls.
    operands = {f"operand {k}": arg for k, arg in enumerate(node.args) if getattr(arg, "is_Matrix", False)}
    values = {name: interval(arg, lookup) for name, arg in operands.items()}
    symbols = {arg: MatrixSymbol(name, *arg.shape) for name, arg in operands.items()}
    with at_precision(BITS):
        return from_balls(
            ball(node.func(*(symbols.get(arg, arg) for arg in node.args)), lambda name: to_balls(values[name]))
        )


def _number(value: Expr) -> Interval:
    """A number inside a formula."""
    known = to_fmpq(value)
    if known is not None:
        return point(known)
    with at_precision(BITS):
        return ends(number_ball(value.doit()))


def _each(rows: Intervals, rule: Callable[[Interval], Interval]) -> Intervals:
    return tuple(tuple(map(rule, row)) for row in rows)


def _sum(values: Sequence[Interval]) -> Interval:
    return reduce(lambda a, b: a + b, values, ZERO)


def _times(left: Intervals, right: Intervals) -> Intervals:
    columns = tuple(zip(*right, strict=True))
    return tuple(tuple(_sum([a * b for a, b in zip(row, column, strict=True)]) for column in columns) for row in left)


@interval.register
def _(node: MatrixSymbol, lookup: Lookup) -> Intervals:
    return lookup(node.name)


@interval.register
def _(node: MatMul, lookup: Lookup) -> Intervals:
    found = reduce(_times, (interval(arg, lookup) for arg in node.args if arg.is_Matrix))
    factor = reduce(lambda a, b: a * b, (_number(arg) for arg in node.args if not arg.is_Matrix), ONE)
    return found if factor == ONE else _each(found, lambda x: x * factor)


@interval.register
def _(node: MatAdd, lookup: Lookup) -> Intervals:
    terms = [interval(arg, lookup) for arg in node.args]
    return tuple(tuple(_sum(cells) for cells in zip(*rows, strict=True)) for rows in zip(*terms, strict=True))


@interval.register
def _(node: MatPow, lookup: Lookup) -> Intervals:
    return reduce(_times, [interval(node.base, lookup)] * int(node.exp))


@interval.register
def _(node: Transpose, lookup: Lookup) -> Intervals:
    return tuple(zip(*interval(node.arg, lookup), strict=True))


@interval.register
def _(node: ops.Quotient, lookup: Lookup) -> Intervals:
    factor = _number(node.divisor).reciprocal()
    return _each(interval(node.argument, lookup), lambda x: x * factor)


@interval.register
def _(node: ops.Dot, lookup: Lookup) -> Intervals:
    return _times(interval(node.left, lookup), tuple(zip(*interval(node.right, lookup), strict=True)))


@interval.register
def _(node: ops.Row, lookup: Lookup) -> Intervals:
    return (interval(node.argument, lookup)[node.number - 1],)


@interval.register
def _(node: ops.Head, lookup: Lookup) -> Intervals:
    start, width = int(node.start), int(node.shape[1])
    return tuple(row[start : start + width] for row in interval(node.argument, lookup))


@interval.register
def _(node: ops.Concat, lookup: Lookup) -> Intervals:
    parts = [interval(part, lookup) for part in node.args]
    return tuple(tuple(x for row in rows for x in row) for rows in zip(*parts, strict=True))


@interval.register
def _(node: ops.Rows, lookup: Lookup) -> Intervals:
    return interval(node.argument, lookup)[node.first - 1 : node.last]


@interval.register
def _(node: ops.Stack, lookup: Lookup) -> Intervals:
    return tuple(row for part in node.args for row in interval(part, lookup))


@interval.register(ops.Hadamard)
@interval.register(ops.EntryQuotient)
def _(node: ops.Hadamard | ops.EntryQuotient, lookup: Lookup) -> Intervals:
    left, right = interval(node.left, lookup), interval(node.right, lookup)
    factors = right if isinstance(node, ops.Hadamard) else _each(right, _reciprocal)
    return tuple(tuple(a * b for a, b in zip(*rows, strict=True)) for rows in zip(left, factors, strict=True))


def _reciprocal(x: Interval) -> Interval:
    if x.hidden or x.low <= 0 <= x.high:
        raise NoValueError("a divisor may be 0, and nothing can be divided by 0")
    return x.reciprocal()


@interval.register
def _(node: ops.Broadcast, lookup: Lookup) -> Intervals:
    return interval(node.argument, lookup) * int(node.shape[0])


@interval.register
def _(node: ops.OneHot, lookup: Lookup) -> Intervals:
    raise NoValueError("an id is a whole number, and rounded figures stand for all the numbers around them")


@interval.register(ops.CausalMask)
@interval.register(ops.WindowMask)
@interval.register(ops.PaddingMask)
def _(node: ops.CausalMask | ops.WindowMask | ops.PaddingMask, lookup: Lookup) -> Intervals:
    (rows, columns), value = map(int, node.shape), HIDDEN if node.value is S.NegativeInfinity else _number(node.value)
    return tuple(tuple(value if node.hides(i, j) else ZERO for j in range(columns)) for i in range(rows))


@interval.register
def _(node: ops.Keep, lookup: Lookup) -> Intervals:
    pairs = zip(interval(node.argument, lookup), interval(node.mask, lookup), strict=True)
    return tuple(tuple(map(_visible, row, mask)) for row, mask in pairs)


def _visible(x: Interval, mask: Interval) -> Interval:
    """x under a mask that is 0, 0 under one that is not; both together where that is open."""
    if mask == ZERO:
        return x
    hides = mask.hidden or not mask.low <= 0 <= mask.high
    return ZERO if hides else Interval(min(x.low, fmpq(0)), max(x.high, fmpq(0)))


@interval.register
def _(node: ops.Proportions, lookup: Lookup) -> Intervals:
    return tuple(_shares(row, i + 1) for i, row in enumerate(interval(node.argument, lookup)))


def _shares(row: tuple[Interval, ...], number: int) -> tuple[Interval, ...]:
    """s_j / (s_j + r) with r the sum of the others, which is free of s_j.

    For a fixed s_j it is monotone in r, and for a fixed r in s_j: the ends are at the corners.
    """
    if any(x.hidden for x in row):
        raise NoValueError(f"row {number} has an infinite entry and no shares")
    total = _sum(row)
    if total.low <= 0 <= total.high:
        raise NoValueError(f"row {number} may sum to 0 and cannot be divided by its sum")
    found = []
    for x in row:
        others = (total.low - x.low, total.high - x.high)
        corners = [s / (s + r) for s, r in product(x, others)]
        found.append(Interval(min(corners), max(corners)))
    return tuple(found)


@interval.register
def _(node: ops.Softmax, lookup: Lookup) -> Intervals:
    with at_precision(BITS):
        return tuple(map(_weights, interval(node.argument, lookup)))


def _weights(row: tuple[Interval, ...]) -> tuple[Interval, ...]:
    """1 / Σ_k e^{s_k − s_j}: it grows with s_j and falls with every other score; 0 for what is hidden."""

    def end(j: int, own: fmpq, others: Callable[[Interval], fmpq]) -> Interval:
        rest = (arb(others(x) - own).exp() for k, x in enumerate(row) if k != j and not x.hidden)
        return ends(1 / sum(rest, arb(1)))

    return tuple(
        ZERO if x.hidden else Interval(end(j, x.low, lambda y: y.high).low, end(j, x.high, lambda y: y.low).high)
        for j, x in enumerate(row)
    )


def _squares(row: Sequence[Interval]) -> list[tuple[fmpq, fmpq]]:
    """The smallest and the largest square of every entry."""
    if any(x.hidden for x in row):
        raise NoValueError("an infinite entry has no square that could be part of a length")
    return [(max(x.low, -x.high, fmpq(0)) ** 2, max(x.high, -x.low) ** 2) for x in row]


def _root(least: fmpq, most: fmpq) -> Interval:
    with at_precision(BITS):
        return Interval(max(ends(arb(least).sqrt()).low, fmpq(0)), ends(arb(most).sqrt()).high)


@interval.register
def _(node: ops.RowNorm, lookup: Lookup) -> Intervals:
    rows = (_squares(row) for row in interval(node.argument, lookup))
    return tuple((_root(*(sum(sides, fmpq(0)) for sides in zip(*row, strict=True))),) for row in rows)


@interval.register
def _(node: ops.UnitRows, lookup: Lookup) -> Intervals:
    return tuple(_unit(row, i + 1) for i, row in enumerate(interval(node.argument, lookup)))


def _unit(row: tuple[Interval, ...], number: int) -> tuple[Interval, ...]:
    """x / √(x² + r) with r the squares of the others: it grows with x, and comes nearer to 0 as r grows."""
    squares = _squares(row)
    least, most = (sum(sides, fmpq(0)) for sides in zip(*squares, strict=True))
    if least <= 0:
        raise NoValueError(f"row {number} may be the zero vector, which has no direction")

    def end(x: fmpq, rest: fmpq) -> Interval:
        square = x**2 + rest
        return point(x) * _root(square, square).reciprocal() if x != 0 else ZERO

    found = []
    for x, (small, large) in zip(row, squares, strict=True):
        near, far = least - small, most - large
        low, high = end(x.low, near if x.low < 0 else far), end(x.high, far if x.high < 0 else near)
        found.append(Interval(low.low, high.high))
    return tuple(found)


@interval.register
def _(node: ops.Cosine, lookup: Lookup) -> Intervals:
    left, right = (interval(ops.UnitRows(side), lookup) for side in (node.left, node.right))
    cosines = _times(left, tuple(zip(*right, strict=True)))
    return _each(cosines, lambda x: Interval(max(x.low, fmpq(-1)), min(x.high, fmpq(1))))


@interval.register
def _(node: ops.Angle, lookup: Lookup) -> Intervals:
    with at_precision(BITS):
        spans = _each(interval(ops.Cosine(node.left, node.right), lookup), lambda x: _span(_degrees, x.high, x.low))
        return _each(spans, lambda x: Interval(max(x.low, fmpq(0)), min(x.high, fmpq(180))))


def _degrees(cosine: arb) -> arb:
    return arccos(cosine) * 180 / arb.pi()


@interval.register
def _(node: ops.LayerNorm, lookup: Lookup) -> Intervals:
    epsilon = _number(node.epsilon)
    rows = tuple(_normalised(row, epsilon) for row in interval(node.argument, lookup))
    if node.gamma is None or node.beta is None:
        return rows
    gains, biases = interval(node.gamma, lookup)[0], interval(node.beta, lookup)[0]
    return tuple(tuple(x * g + b for x, g, b in zip(row, gains, biases, strict=True)) for row in rows)


def _normalised(row: tuple[Interval, ...], epsilon: Interval) -> tuple[Interval, ...]:
    """(x − μ) / √(σ² + ε), which is never farther from 0 than √(n − 1), whatever the row."""
    total, share = _sum(row), fmpq(1, len(row))
    if any(x.hidden for x in row):
        raise NoValueError("an infinite entry cannot be normalised")
    centred = [
        # x − μ with the x in the mean taken out, so that it counts once.
        Interval(x.low - (total.high - x.high + x.low) * share, x.high - (total.low - x.low + x.high) * share)
        for x in row
    ]
    squares = _squares(centred)
    least = sum((small for small, _ in squares), fmpq(0)) * share + epsilon.low
    most = sum((large for _, large in squares), fmpq(0)) * share + epsilon.high
    if least <= 0:
        raise NoValueError("a variance may be 0 and cannot be divided by")
    with at_precision(BITS):
        farthest = ends(arb(len(row) - 1).sqrt()).high
        scale = Interval(ends(arb(most).rsqrt()).low, ends(arb(least).rsqrt()).high)
    found = [c * scale for c in centred]
    return tuple(Interval(max(x.low, -farthest), min(x.high, farthest)) for x in found)


@interval.register
def _(node: ops.Exp, lookup: Lookup) -> Intervals:
    with at_precision(BITS):
        return _each(interval(node.argument, lookup), lambda x: ZERO if x.hidden else _span(arb.exp, x.low, x.high))


def _span(rule: Callable[[arb], arb], at_least: fmpq, at_most: fmpq) -> Interval:
    """From the smallest to the largest value of a monotone function, which it has at these two numbers."""
    return Interval(ends(rule(arb(at_least))).low, ends(rule(arb(at_most))).high)


@interval.register
def _(node: ops.ReLU, lookup: Lookup) -> Intervals:
    zero = fmpq(0)
    return _each(
        interval(node.argument, lookup),
        lambda x: ZERO if x.hidden else Interval(max(zero, x.low), max(zero, x.high)),
    )


@interval.register
def _(node: ops.RowMax, lookup: Lookup) -> Intervals:
    rows = [[x for x in row if not x.hidden] for row in interval(node.argument, lookup)]
    return tuple((Interval(max(x.low for x in row), max(x.high for x in row)) if row else HIDDEN,) for row in rows)


@interval.register(Identity)
@interval.register(OneMatrix)
@interval.register(ZeroMatrix)
def _(node: Identity, lookup: Lookup) -> Intervals:
    columns, points = int(node.shape[1]), [point(fmpq(x)) for x in whole_entries(node)]
    return tuple(tuple(points[start : start + columns]) for start in range(0, len(points), columns))
