"""Evaluate formulas over intervals: the smallest and the largest value that every entry can have, both rational.

The operands are boxes: every entry may be anywhere between its ends, whatever the others are. A rule is tight for its
own node where that is cheap (a share has its entry above and below the line, and its ends are at the corners of the
box); dependencies between parts of a formula are ignored, which can only widen the result. Formulas with elementary
functions are evaluated by :mod:`symattn.compute.values.ball`, whose enclosures become ends.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import reduce
from itertools import product
from types import MappingProxyType

from flint import arb, fmpq
from sympy import Basic, Expr, MatAdd, MatMul, MatPow, MatrixSymbol, S

from symattn import operations as ops
from symattn.base.errors import NoValueError
from symattn.compute.values.applied import applied_entries, frame, is_made_with
from symattn.compute.values.ball import of_operands
from symattn.compute.values.balls import arccos, at_precision, number_ball
from symattn.compute.values.ends import HIDDEN, ONE, ZERO, Bounds, Intervals, ends, from_balls, point, to_balls
from symattn.compute.values.rational import to_fmpq
from symattn.operations.equations.whole import COMPARED, OPPOSITE
from symattn.operations.stages import Stage

BITS = 320
"""The precision of values that are not rational, such as exponentials: far beyond that of rounded figures."""

IntervalLookup = Callable[[str], Intervals]


@Stage
def interval(node: Basic, lookup: IntervalLookup) -> Intervals:
    """Return the values that a formula can have; ``lookup`` returns those of its names."""
    operation = frame(node).operation
    if not is_made_with(operation, _ARITHMETIC.functions.keys()):
        return _by_balls(node, lookup)
    values = [interval(arg, lookup) for arg in node.args if arg.is_Matrix]
    return _rows(applied_entries(node, [list(map(list, rows)) for rows in values], _number, _ARITHMETIC))


@interval.register(ops.ArgMax)
@interval.register(ops.TopK)
def _by_balls(node: Basic, lookup: IntervalLookup) -> Intervals:
    values = [to_balls(interval(arg, lookup)) for arg in node.args if arg.is_Matrix]
    with at_precision(BITS):
        return from_balls(of_operands(node, values))


def _rows(entries: Sequence[Sequence[Bounds]]) -> Intervals:
    return tuple(map(tuple, entries))


def _number(value: Expr) -> Bounds:
    """Return a number inside a formula as an interval."""
    if value is S.NegativeInfinity:
        return HIDDEN
    known = to_fmpq(value)
    if known is not None:
        return point(known)
    with at_precision(BITS):
        return ends(number_ball(value.doit()))


def _each(rows: Intervals, rule: Callable[[Bounds], Bounds]) -> Intervals:
    return tuple(tuple(map(rule, row)) for row in rows)


def _sum(values: Sequence[Bounds]) -> Bounds:
    return reduce(lambda a, b: a + b, values, ZERO)


def _times(left: Intervals, right: Intervals) -> Intervals:
    columns = tuple(zip(*right, strict=True))
    return tuple(tuple(_sum([a * b for a, b in zip(row, column, strict=True)]) for column in columns) for row in left)


def _larger(a: Bounds, b: Bounds) -> Bounds:
    if a.hidden or b.hidden:
        return b if a.hidden else a
    return Bounds(max(a.low, b.low), max(a.high, b.high))


def _negative(x: Bounds) -> Bounds:
    return x * point(fmpq(-1))


class _Between:
    """Arithmetic with rational ends. A value that occurs twice is treated as two independent ones."""

    functions: Mapping[str, Callable[..., Bounds]] = MappingProxyType(
        {
            "add": lambda x, y: x + y,
            "sub": lambda x, y: x + _negative(y),
            "mul": lambda x, y: x * y,
            "div": lambda x, y: x * _reciprocal(y),
            "neg": _negative,
            "max": _larger,
            "min": lambda x, y: _negative(_larger(_negative(x), _negative(y))),
        }
    )

    def number(self, value: int | Fraction) -> Bounds:
        return point(fmpq(value.numerator, value.denominator))

    def sum(self, values: list[Bounds]) -> Bounds:
        return _sum(values)

    def max(self, values: list[Bounds]) -> Bounds:
        return reduce(_larger, values)

    def compare(self, sign: str, left: Bounds, right: Bounds) -> bool | None:
        if left.hidden or right.hidden:
            return COMPARED[sign](right.hidden, left.hidden) if left.hidden != right.hidden else None
        for holds, opposite in ((sign, False), (OPPOSITE[sign], True)):
            if all(COMPARED[holds](x, y) for x, y in product(left, right)) and _tells(holds, left, right):
                return not opposite
        return None

    def either(self, then: Bounds, otherwise: Bounds, condition: object) -> Bounds:
        if then.hidden or otherwise.hidden:
            raise NoValueError("the rounded figures leave it open whether an entry is hidden")
        return Bounds(min(then.low, otherwise.low), max(then.high, otherwise.high))

    def product(self, left: Sequence[Sequence[Bounds]], right: Sequence[Sequence[Bounds]]) -> list[list[Bounds]]:
        return [list(row) for row in _times(_rows(left), _rows(right))]


def _tells(sign: str, left: Bounds, right: Bounds) -> bool:
    """Return whether a comparison of the ends decides it for all values between them."""
    if sign == "==":
        return left.is_point and right.is_point
    return sign != "!=" or left.high < right.low or right.high < left.low


_ARITHMETIC = _Between()


@interval.register
def _(node: MatrixSymbol, lookup: IntervalLookup) -> Intervals:
    return lookup(node.name)


@interval.register
def _(node: MatMul, lookup: IntervalLookup) -> Intervals:
    found = reduce(_times, (interval(arg, lookup) for arg in node.args if arg.is_Matrix))
    factor = reduce(lambda a, b: a * b, (_number(arg) for arg in node.args if not arg.is_Matrix), ONE)
    return found if factor == ONE else _each(found, lambda x: x * factor)


@interval.register
def _(node: MatAdd, lookup: IntervalLookup) -> Intervals:
    terms = [interval(arg, lookup) for arg in node.args]
    return tuple(tuple(_sum(cells) for cells in zip(*rows, strict=True)) for rows in zip(*terms, strict=True))


@interval.register
def _(node: MatPow, lookup: IntervalLookup) -> Intervals:
    return reduce(_times, [interval(node.base, lookup)] * int(node.exp))


def _reciprocal(x: Bounds) -> Bounds:
    if x.hidden or x.low <= 0 <= x.high:
        raise NoValueError("a divisor may be 0, and nothing can be divided by 0")
    return x.reciprocal()


@interval.register
def _(node: ops.OneHot, lookup: IntervalLookup) -> Intervals:
    if not all(x.is_point for row in interval(node.ids, lookup) for x in row):
        raise NoValueError("an id is a whole number, and rounded figures stand for all the numbers around them")
    return interval.default(node, lookup)


@interval.register
def _(node: ops.Keep, lookup: IntervalLookup) -> Intervals:
    pairs = zip(interval(node.argument, lookup), interval(node.mask, lookup), strict=True)
    return tuple(tuple(map(_visible, row, mask)) for row, mask in pairs)


def _visible(x: Bounds, mask: Bounds) -> Bounds:
    """x under a mask that is 0, 0 under one that is not; the union where that is open."""
    if mask == ZERO:
        return x
    hides = mask.hidden or not mask.low <= 0 <= mask.high
    return ZERO if hides else Bounds(min(x.low, fmpq(0)), max(x.high, fmpq(0)))


@interval.register
def _(node: ops.Proportions, lookup: IntervalLookup) -> Intervals:
    return tuple(_shares(row, i + 1) for i, row in enumerate(interval(node.argument, lookup)))


def _shares(row: tuple[Bounds, ...], number: int) -> tuple[Bounds, ...]:
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
        found.append(Bounds(min(corners), max(corners)))
    return tuple(found)


@interval.register
def _(node: ops.Softmax, lookup: IntervalLookup) -> Intervals:
    with at_precision(BITS):
        return tuple(map(_weights, interval(node.argument, lookup)))


def _weights(row: tuple[Bounds, ...]) -> tuple[Bounds, ...]:
    """1 / Σ_k e^{s_k − s_j}: it grows with s_j and falls with every other score; 0 for what is hidden."""

    def end(j: int, own: fmpq, others: Callable[[Bounds], fmpq]) -> Bounds:
        rest = (arb(others(x) - own).exp() for k, x in enumerate(row) if k != j and not x.hidden)
        return ends(1 / sum(rest, arb(1)))

    return tuple(
        ZERO if x.hidden else Bounds(end(j, x.low, lambda y: y.high).low, end(j, x.high, lambda y: y.low).high)
        for j, x in enumerate(row)
    )


def _squares(row: Sequence[Bounds]) -> list[tuple[fmpq, fmpq]]:
    """Return the smallest and the largest square of every entry."""
    if any(x.hidden for x in row):
        raise NoValueError("an infinite entry has no square that could be part of a length")
    return [(max(x.low, -x.high, fmpq(0)) ** 2, max(x.high, -x.low) ** 2) for x in row]


def _root(least: fmpq, most: fmpq) -> Bounds:
    with at_precision(BITS):
        return Bounds(max(ends(arb(least).sqrt()).low, fmpq(0)), ends(arb(most).sqrt()).high)


@interval.register
def _(node: ops.RowNorm, lookup: IntervalLookup) -> Intervals:
    rows = (_squares(row) for row in interval(node.argument, lookup))
    return tuple((_root(*(sum(sides, fmpq(0)) for sides in zip(*row, strict=True))),) for row in rows)


@interval.register
def _(node: ops.UnitRows, lookup: IntervalLookup) -> Intervals:
    return tuple(_unit(row, i + 1) for i, row in enumerate(interval(node.argument, lookup)))


def _unit(row: tuple[Bounds, ...], number: int) -> tuple[Bounds, ...]:
    """x / √(x² + r) with r the squares of the others: it grows with x, and approaches 0 as r grows."""
    squares = _squares(row)
    least, most = (sum(sides, fmpq(0)) for sides in zip(*squares, strict=True))
    if least <= 0:
        raise NoValueError(f"row {number} may be the zero vector, which has no direction")

    def end(x: fmpq, rest: fmpq) -> Bounds:
        square = x**2 + rest
        return point(x) * _root(square, square).reciprocal() if x != 0 else ZERO

    found = []
    for x, (small, large) in zip(row, squares, strict=True):
        near, far = least - small, most - large
        low, high = end(x.low, near if x.low < 0 else far), end(x.high, far if x.high < 0 else near)
        found.append(Bounds(low.low, high.high))
    return tuple(found)


@interval.register
def _(node: ops.Cosine, lookup: IntervalLookup) -> Intervals:
    left, right = (interval(ops.UnitRows(side), lookup) for side in (node.left, node.right))
    cosines = _times(left, tuple(zip(*right, strict=True)))
    return _each(cosines, lambda x: Bounds(max(x.low, fmpq(-1)), min(x.high, fmpq(1))))


@interval.register
def _(node: ops.Angle, lookup: IntervalLookup) -> Intervals:
    with at_precision(BITS):
        spans = _each(interval(ops.Cosine(node.left, node.right), lookup), lambda x: _span(_degrees, x.high, x.low))
        return _each(spans, lambda x: Bounds(max(x.low, fmpq(0)), min(x.high, fmpq(180))))


def _degrees(cosine: arb) -> arb:
    return arccos(cosine) * 180 / arb.pi()


@interval.register
def _(node: ops.LayerNorm, lookup: IntervalLookup) -> Intervals:
    epsilon = _number(node.epsilon)
    rows = tuple(_normalised(row, epsilon) for row in interval(node.argument, lookup))
    if node.gamma is None or node.beta is None:
        return rows
    gains, biases = interval(node.gamma, lookup)[0], interval(node.beta, lookup)[0]
    return tuple(tuple(x * g + b for x, g, b in zip(row, gains, biases, strict=True)) for row in rows)


def _normalised(row: tuple[Bounds, ...], epsilon: Bounds) -> tuple[Bounds, ...]:
    """(x − μ) / √(σ² + ε), whose absolute value never exceeds √(n − 1), whatever the row."""
    total, share = _sum(row), fmpq(1, len(row))
    if any(x.hidden for x in row):
        raise NoValueError("an infinite entry cannot be normalised")
    centred = [
        # x − μ with the x in the mean taken out, so that it counts once.
        Bounds(x.low - (total.high - x.high + x.low) * share, x.high - (total.low - x.low + x.high) * share)
        for x in row
    ]
    squares = _squares(centred)
    least = sum((small for small, _ in squares), fmpq(0)) * share + epsilon.low
    most = sum((large for _, large in squares), fmpq(0)) * share + epsilon.high
    if least <= 0:
        raise NoValueError("a variance may be 0 and cannot be divided by")
    with at_precision(BITS):
        farthest = ends(arb(len(row) - 1).sqrt()).high
        scale = Bounds(ends(arb(most).rsqrt()).low, ends(arb(least).rsqrt()).high)
    found = [c * scale for c in centred]
    return tuple(Bounds(max(x.low, -farthest), min(x.high, farthest)) for x in found)


@interval.register
def _(node: ops.Exp, lookup: IntervalLookup) -> Intervals:
    with at_precision(BITS):
        return _each(interval(node.argument, lookup), lambda x: ZERO if x.hidden else _span(arb.exp, x.low, x.high))


def _span(rule: Callable[[arb], arb], at_least: fmpq, at_most: fmpq) -> Bounds:
    """Return the interval from the smallest to the largest value of a monotone function, taken at these two numbers."""
    return Bounds(ends(rule(arb(at_least))).low, ends(rule(arb(at_most))).high)
