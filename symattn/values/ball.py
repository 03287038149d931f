"""Formulas in ball arithmetic: every entry an interval, of the precision that is in force, that holds the true value.

One rule per node on FLINT's ``arb_mat``, so that products of matrices stay in C. A rule is given the values of the
node's matrices, so that others can have it too (:mod:`symattn.values.hand`). The precision is FLINT's own context, set
by :func:`~symattn.values.number.at_precision` around a whole evaluation.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce, singledispatch

from flint import arb, arb_mat, ctx
from sympy import Basic, Identity, Integer, MatAdd, MatMul, MatPow, MatrixSymbol, OneMatrix, Transpose, ZeroMatrix

from symattn import operations as ops
from symattn.operations.whole import whole_entries
from symattn.values.cost import spend_at
from symattn.values.number import arccos, norm, normalised, number_ball, x_log_x

Lookup = Callable[[str], arb_mat]
Values = list[arb_mat]
"""The values of the matrices that a node is made of, in the order of its arguments."""


def ball(node: Basic, lookup: Lookup) -> arb_mat:
    """An enclosure of the value of a formula whose names have the enclosures ``lookup`` gives."""
    if isinstance(node, MatrixSymbol):
        return lookup(node.name)
    rule = of_operands.dispatch(type(node))
    if rule is of_operands.registry[object]:
        return rule(node, [])  # which refuses it, whatever it holds
    values = [ball(arg, lookup) for arg in node.args if arg.is_Matrix]
    spend_at(node, ctx.prec)
    return rule(node, values)


@singledispatch
def of_operands(node: Basic, values: Values) -> arb_mat:
    """An enclosure of what a node makes of the values of its matrices, which stand in the order of its arguments."""
    raise TypeError(f"no ball rule for {type(node).__name__}")


@of_operands.register
def _(node: MatMul, values: Values) -> arb_mat:
    product = reduce(lambda a, b: a * b, values)
    for number in (arg for arg in node.args if not arg.is_Matrix):
        product = scaled(product, number_ball(number.doit()))
    return product


def scaled(matrix: arb_mat, factor: arb) -> arb_mat:
    """Every entry times a number. FLINT's own product makes NaN of an infinite entry, so those go one by one."""
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
def _(node: ops.Softmax, values: Values) -> arb_mat:
    scores = values[0]
    rows, columns = scores.nrows(), scores.ncols()
    exponentials = [x.exp() for x in scores.entries()]
    weights: list[arb] = []
    for start in range(0, rows * columns, columns):
        row = exponentials[start : start + columns]
        total = sum(row, arb())
        # Of scores that are all −∞ the weights are 0, where a solution lets them through.
        weights += row if total.is_zero() else [x * share for share in (1 / total,) for x in row]
    return arb_mat(rows, columns, weights)


@of_operands.register
def _(node: ops.LayerNorm, values: Values) -> arb_mat:
    x = values[0]
    epsilon = number_ball(node.epsilon.doit())
    gamma = values[1].entries() if len(values) > 1 else None
    beta = values[2].entries() if len(values) > 2 else None
    rows: list[list[arb]] = []
    for row in x.tolist():
        _, _, entries = normalised(row, epsilon)
        if gamma is not None and beta is not None:
            entries = [value * g + b for value, g, b in zip(entries, gamma, beta, strict=True)]
        rows.append(entries)
    return arb_mat(rows)


@of_operands.register
def _(node: ops.ReLU, values: Values) -> arb_mat:
    # max(0, x) is continuous, so this encloses it whatever the sign is; who speaks of the sign has it certified first.
    return _each(values, _kept)


def _kept(x: arb) -> arb:
    """max(0, x), also of −∞, which FLINT's own function makes NaN."""
    return x if x > 0 else arb() if x < 0 else x.nonnegative_part()


@of_operands.register(ops.CausalMask)
@of_operands.register(ops.WindowMask)
@of_operands.register(ops.PaddingMask)
def _(node: ops.CausalMask | ops.WindowMask | ops.PaddingMask, values: Values) -> arb_mat:
    rows, columns = (int(size) for size in node.shape)
    value = number_ball(node.value.doit())
    return arb_mat(rows, columns, [value if node.hides(i, j) else arb() for i in range(rows) for j in range(columns)])


@of_operands.register
def _(node: ops.Broadcast, values: Values) -> arb_mat:
    row = values[0]
    rows = int(node.shape[0])
    return arb_mat(rows, row.ncols(), row.entries() * rows)


@of_operands.register
def _(node: ops.Row, values: Values) -> arb_mat:
    x = values[0]
    return arb_mat(1, x.ncols(), [x[node.number - 1, j] for j in range(x.ncols())])


@of_operands.register
def _(node: ops.Rows, values: Values) -> arb_mat:
    return arb_mat(values[0].tolist()[node.first - 1 : node.last])


@of_operands.register
def _(node: ops.Stack, values: Values) -> arb_mat:
    return arb_mat([row for part in values for row in part.tolist()])


@of_operands.register
def _(node: ops.Head, values: Values) -> arb_mat:
    x, start = values[0], int(node.start)
    width = int(node.shape[1])
    return arb_mat(x.nrows(), width, [x[i, start + j] for i in range(x.nrows()) for j in range(width)])


@of_operands.register
def _(node: ops.Concat, values: Values) -> arb_mat:
    parts = [part.tolist() for part in values]
    return arb_mat([[x for part in parts for x in part[i]] for i in range(len(parts[0]))])


@of_operands.register
def _(node: ops.OneHot, values: Values) -> arb_mat:
    # That the ids are whole numbers in range is certified before.
    ids, width = values[0].entries(), int(node.shape[1])
    return arb_mat(len(ids), width, [int(x.unique_fmpz() == j) for x in ids for j in range(width)])


def _each(values: Values, rule: Callable[[arb], arb]) -> arb_mat:
    """A function of every entry by itself."""
    x = values[0]
    return arb_mat(x.nrows(), x.ncols(), list(map(rule, x.entries())))


@of_operands.register
def _(node: ops.Exp, values: Values) -> arb_mat:
    return _each(values, arb.exp)


@of_operands.register
def _(node: ops.Log, values: Values) -> arb_mat:
    return _each(values, arb.log)


@of_operands.register
def _(node: ops.Tanh, values: Values) -> arb_mat:
    return _each(values, arb.tanh)


@of_operands.register
def _(node: ops.SiLU, values: Values) -> arb_mat:
    return _each(values, _silu)


def _silu(x: arb) -> arb:
    """x / (1 + e^(−x)); far below zero, where e^(−x) is beyond every number, x e^x / (1 + e^x) is as it should be."""
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
def _(node: ops.GELUTanh, values: Values) -> arb_mat:
    scale, cubic = (2 / arb.pi()).sqrt(), number_ball(node.CUBIC)
    return _each(values, lambda x: x * (1 + (scale * (x + cubic * x * x * x)).tanh()) / 2)


@of_operands.register
def _(node: ops.ELU, values: Values) -> arb_mat:
    # Continuous, as ReLU is: where the sign is open, both branches together enclose it.
    return _each(values, _elu)


def _elu(x: arb) -> arb:
    if x >= 0:
        return x
    return x.expm1() if x < 0 else x.union(x.expm1())


@of_operands.register
def _(node: ops.ClipNorm, values: Values) -> arb_mat:
    g, threshold = values[0], number_ball(node.threshold.doit())
    length = norm(g.entries())
    if length <= threshold:
        return g
    return g * (threshold / length if length > threshold else (threshold / length).min(1))


@of_operands.register
def _(node: ops.Dot, values: Values) -> arb_mat:
    return values[0] * values[1].transpose()


@of_operands.register
def _(node: ops.Cosine, values: Values) -> arb_mat:
    return _cosines(*values)


def _cosines(left: arb_mat, right: arb_mat) -> arb_mat:
    lengths = [[norm(row) for row in side.tolist()] for side in (left, right)]
    products = (left * right.transpose()).tolist()
    return arb_mat(
        [
            [x / (a * b) for x, b in zip(row, lengths[1], strict=True)]
            for row, a in zip(products, lengths[0], strict=True)
        ]
    )


@of_operands.register
def _(node: ops.Angle, values: Values) -> arb_mat:
    cosines = _cosines(*values)
    degrees = 180 / arb.pi()
    return arb_mat(cosines.nrows(), cosines.ncols(), [arccos(x) * degrees for x in cosines.entries()])


@of_operands.register
def _(node: ops.RowNorm, values: Values) -> arb_mat:
    return arb_mat([[norm(row)] for row in values[0].tolist()])


@of_operands.register
def _(node: ops.RowMax, values: Values) -> arb_mat:
    return arb_mat([[reduce(_larger, row)] for row in values[0].tolist()])


def _larger(a: arb, b: arb) -> arb:
    return a if a >= b else b if b >= a else a.max(b)


@of_operands.register
def _(node: ops.UnitRows, values: Values) -> arb_mat:
    return arb_mat([[x / norm(row) for x in row] for row in values[0].tolist()])


@of_operands.register
def _(node: ops.Proportions, values: Values) -> arb_mat:
    rows = values[0].tolist()
    return arb_mat([[x / total for x in row] for row, total in ((row, sum(row, arb())) for row in rows)])


@of_operands.register
def _(node: ops.Entropy, values: Values) -> arb_mat:
    rows = values[0].tolist()
    return arb_mat([[-sum(map(x_log_x, row), arb())] for row in rows])


@of_operands.register
def _(node: ops.Keep, values: Values) -> arb_mat:
    a, mask = values
    pairs = zip(a.entries(), mask.entries(), strict=True)
    return arb_mat(a.nrows(), a.ncols(), [_visible(x, m) for x, m in pairs])


def _visible(x: arb, mask: arb) -> arb:
    """x under a mask that is exactly 0, 0 under one that is not; both together where that is open."""
    if mask.is_zero():
        return x
    return x.union(arb()) if mask.contains(0) else arb()


@of_operands.register(ops.Hadamard)
@of_operands.register(ops.EntryQuotient)
def _(node: ops.Hadamard | ops.EntryQuotient, values: Values) -> arb_mat:
    left, right = values
    pairs = zip(left.entries(), right.entries(), strict=True)
    by_factor = isinstance(node, ops.Hadamard)
    return arb_mat(left.nrows(), left.ncols(), [x * y if by_factor else x / y for x, y in pairs])


@of_operands.register
def _(node: ops.RMSNorm, values: Values) -> arb_mat:
    epsilon, width = number_ball(node.epsilon.doit()), int(node.shape[1])
    gamma = values[1].entries() if len(values) > 1 else [arb(1)] * width
    rows = values[0].tolist()
    scales = [(sum((x * x for x in row), arb()) / width + epsilon).rsqrt() for row in rows]
    return arb_mat(
        [[x * scale * g for x, g in zip(row, gamma, strict=True)] for row, scale in zip(rows, scales, strict=True)]
    )


@of_operands.register
def _(node: ops.AdditiveScores, values: Values) -> arb_mat:
    queries, keys, (vector,) = (value.tolist() for value in values)
    return arb_mat(
        [
            [sum((v * (a + b).tanh() for v, a, b in zip(vector, q, k, strict=True)), arb()) for k in keys]
            for q in queries
        ]
    )


@of_operands.register
def _(node: ops.Sinusoidal, values: Values) -> arb_mat:
    rows, columns = (int(size) for size in node.shape)
    return arb_mat([[x for j in range(0, columns, 2) for x in sine_cosine(node, i, j)] for i in range(rows)])


def sine_cosine(node: ops.Sinusoidal | ops.Rotary, i: int, j: int) -> tuple[arb, arb]:
    """Sine and cosine of the angle of a row for the pair that column j begins, both counted from 0."""
    angle = number_ball(node.angle(Integer(i), Integer(j)).doit())
    return angle.sin(), angle.cos()


@of_operands.register
def _(node: ops.Rotary, values: Values) -> arb_mat:
    rows: list[list[arb]] = []
    for i, row in enumerate(values[0].tolist()):
        turned: list[arb] = []
        for j in range(0, len(row), 2):
            sine, cosine = sine_cosine(node, i, j)
            turned += [row[j] * cosine - row[j + 1] * sine, row[j] * sine + row[j + 1] * cosine]
        rows.append(turned)
    return arb_mat(rows)


@of_operands.register
def _(node: ops.ArgMax, values: Values) -> arb_mat:
    # Where enclosures leave open which entry is largest, every column that may be it: who prints it has it certified.
    return arb_mat([[_hull(_largest(row))] for row in values[0].tolist()])


def _largest(row: list[arb]) -> list[int]:
    """The columns that may hold the first of the largest entries."""
    return [j for j, x in enumerate(row) if all(not y >= x for y in row[:j]) and all(not y > x for y in row[j + 1 :])]


def _hull(numbers: list[int]) -> arb:
    return arb(min(numbers)).union(arb(max(numbers))) if numbers else arb.nan()


@of_operands.register
def _(node: ops.TopK, values: Values) -> arb_mat:
    return arb_mat([[_hull(which) for which in _chosen(row, node.count)] for row in values[0].tolist()])


def _chosen(row: list[arb], count: int) -> list[list[int]]:
    """For every entry, whether it is among the ``count`` largest of its row: [1], [0] or, if that is open, both."""
    found = []
    for j, x in enumerate(row):
        ahead = sum(bool(y >= x) for y in row[:j]) + sum(bool(y > x) for y in row[j + 1 :])
        behind = sum(bool(x > y) for y in row[:j]) + sum(bool(x >= y) for y in row[j + 1 :])
        found.append([0] if ahead >= count else [1] if behind >= len(row) - count else [0, 1])
    return found


@of_operands.register(Identity)
@of_operands.register(OneMatrix)
@of_operands.register(ZeroMatrix)
@of_operands.register(ops.Distance)
def _(node: Identity, values: Values) -> arb_mat:
    rows, columns = (int(size) for size in node.shape)
    return arb_mat(rows, columns, whole_entries(node))
