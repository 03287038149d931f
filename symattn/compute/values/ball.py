"""Evaluate formulas in ball arithmetic: every entry is an interval of the current precision that holds the true value.

Most nodes are evaluated by their equations, in the arithmetic of :mod:`symattn.compute.values.balls`; matrix products
stay in FLINT. Nodes with a rule of their own receive the values of their matrices, so that other evaluators can reuse
the rules (:mod:`symattn.compute.values.hand`). The precision is FLINT's own context, set by
:func:`~symattn.compute.values.balls.at_precision` around a whole evaluation.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce

from flint import arb, arb_mat, ctx
from sympy import Basic, Expr, MatAdd, MatMul, MatPow, MatrixSymbol, Transpose

from symattn import operations as ops
from symattn.base.shapes import whole_sizes
from symattn.compute.values.applied import applied_entries, frame
from symattn.compute.values.balls import BALLS, number_ball
from symattn.compute.values.cost import spend_at
from symattn.operations.stages import Stage

BallLookup = Callable[[str], arb_mat]
Values = list[arb_mat]
"""The values of a node's matrices, in the order of its arguments."""


def ball(node: Basic, lookup: BallLookup) -> arb_mat:
    """Return an enclosure of a formula's value; ``lookup`` returns the enclosures of its names."""
    if isinstance(node, MatrixSymbol):
        return lookup(node.name)
    if of_operands.dispatch(type(node)) is of_operands.registry[object]:
        frame(node)  # raises an error for a node without equations, whatever its operands are
    values = [ball(arg, lookup) for arg in node.args if arg.is_Matrix]
    spend_at(node, ctx.prec)
    return of_operands(node, values)


@Stage
def of_operands(node: Basic, values: Values) -> arb_mat:
    """Return an enclosure of a node's value from the values of its matrices, in the order of its arguments."""
    rows = [value.tolist() for value in values]
    return arb_mat(applied_entries(node, rows, _number, BALLS))


def _number(number: Expr) -> arb:
    return number_ball(number if number.is_Rational else number.doit())


@of_operands.register
def _(node: MatMul, values: Values) -> arb_mat:
    product = reduce(lambda a, b: a * b, values)
    for number in (arg for arg in node.args if not arg.is_Matrix):
        product = scaled(product, number_ball(number.doit()))
    return product


def scaled(matrix: arb_mat, factor: arb) -> arb_mat:
    """Multiply every entry by a number, one by one where some are infinite: FLINT's product makes NaN of those."""
    rows, columns = matrix.nrows(), matrix.ncols()
    sums = matrix * arb_mat(columns, 1, [1] * columns)
    if all(total.is_finite() for total in sums.entries()):
        return matrix * factor
    return arb_mat(rows, columns, [x * factor for x in matrix.entries()])


@of_operands.register
def _(node: MatAdd, values: Values) -> arb_mat:
    return reduce(lambda a, b: a + b, values)


@of_operands.register
def _(node: MatPow, values: Values) -> arb_mat:
    return values[0] ** int(node.exp)


@of_operands.register
def _(node: Transpose, values: Values) -> arb_mat:
    return values[0].transpose()


@of_operands.register
def _(node: ops.Quotient, values: Values) -> arb_mat:
    return scaled(values[0], 1 / number_ball(node.divisor.doit()))


@of_operands.register
def _(node: ops.OneHot, values: Values) -> arb_mat:
    # That the ids are whole numbers in range is certified before.
    ids, width = values[0].entries(), whole_sizes(node)[1]
    return arb_mat(len(ids), width, [int(x.unique_fmpz() == j) for x in ids for j in range(width)])


def _each(values: Values, rule: Callable[[arb], arb]) -> arb_mat:
    """Apply a function to every entry."""
    x = values[0]
    return arb_mat(x.nrows(), x.ncols(), list(map(rule, x.entries())))


@of_operands.register
def _(node: ops.SiLU, values: Values) -> arb_mat:
    return _each(values, _silu)


def _silu(x: arb) -> arb:
    """x / (1 + e^(−x)); far below zero, where e^(−x) overflows, it is evaluated as x e^x / (1 + e^x)."""
    if x < 0:
        power = x.exp()
        return x * power * (1 + power) ** -1
    return x * (1 + (-x).exp()) ** -1


@of_operands.register
def _(node: ops.GELU, values: Values) -> arb_mat:
    scale = arb(2).rsqrt()
    # erfc keeps its digits where erf is nearly −1.
    return _each(values, lambda x: x * (-x * scale).erfc() / 2)


@of_operands.register
def _(node: ops.ArgMax, values: Values) -> arb_mat:
    # Where enclosures leave open which entry is largest, every column that may be it: who prints it has it certified.
    return arb_mat([[_hull(_largest(row))] for row in values[0].tolist()])


def _largest(row: list[arb]) -> list[int]:
    """Return the columns that may hold the first of the largest entries."""
    return [j for j, x in enumerate(row) if all(not y >= x for y in row[:j]) and all(not y > x for y in row[j + 1 :])]


def _hull(numbers: list[int]) -> arb:
    return arb(min(numbers)).union(arb(max(numbers))) if numbers else arb.nan()


@of_operands.register
def _(node: ops.TopK, values: Values) -> arb_mat:
    return arb_mat([[_hull(which) for which in _chosen(row, node.count)] for row in values[0].tolist()])


def _chosen(row: list[arb], count: int) -> list[list[int]]:
    """Return for each entry whether it is among the ``count`` largest of its row: [1], [0] or, if undecided, both."""
    found = []
    for j, x in enumerate(row):
        ahead = sum(bool(y >= x) for y in row[:j]) + sum(bool(y > x) for y in row[j + 1 :])
        behind = sum(bool(x > y) for y in row[:j]) + sum(bool(x >= y) for y in row[j + 1 :])
        found.append([0] if ahead >= count else [1] if behind >= len(row) - count else [0, 1])
    return found
