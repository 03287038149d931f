"""Formulas in ball arithmetic: every entry an interval, of the precision that is in force, that holds the true value.

One rule per node on FLINT's ``arb_mat``, so that products of matrices stay in C. The precision is FLINT's own context,
set by :func:`~symattn.values.number.at_precision` around a whole evaluation.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce, singledispatch

from flint import arb, arb_mat
from sympy import Basic, Identity, Integer, MatAdd, MatMul, MatPow, MatrixSymbol, OneMatrix, Transpose, ZeroMatrix

from symattn import operations as ops
from symattn.values.number import arccos, norm, normalised, number_ball, x_log_x

Lookup = Callable[[str], arb_mat]


@singledispatch
def ball(node: Basic, lookup: Lookup) -> arb_mat:
    """An enclosure of the value of a formula whose names have the enclosures ``lookup`` gives."""
    raise TypeError(f"no ball rule for {type(node).__name__}")


@ball.register
def _(node: MatrixSymbol, lookup: Lookup) -> arb_mat:
    return lookup(node.name)


@ball.register
def _(node: MatMul, lookup: Lookup) -> arb_mat:
    product = reduce(lambda a, b: a * b, (ball(arg, lookup) for arg in node.args if arg.is_Matrix))
    for number in (arg for arg in node.args if not arg.is_Matrix):
        product = _scaled(product, number_ball(number.doit()))
    return product


def _scaled(matrix: arb_mat, factor: arb) -> arb_mat:
    """Every entry times a number. FLINT's own product makes NaN of an infinite entry, so those go one by one."""
    rows, columns = matrix.nrows(), matrix.ncols()
    sums = matrix * arb_mat(columns, 1, [1] * columns)
    if all(total.is_finite() for total in sums.entries()):
        return matrix * factor
    return arb_mat(rows, columns, [x * factor for x in matrix.entries()])


@ball.register
def _(node: MatAdd, lookup: Lookup) -> arb_mat:
    return reduce(lambda a, b: a + b, (ball(arg, lookup) for arg in node.args))


@ball.register
def _(node: MatPow, lookup: Lookup) -> arb_mat:
    return ball(node.base, lookup) ** int(node.exp)


@ball.register
def _(node: Transpose, lookup: Lookup) -> arb_mat:
    return ball(node.arg, lookup).transpose()


@ball.register
def _(node: ops.Quotient, lookup: Lookup) -> arb_mat:
    return _scaled(ball(node.argument, lookup), 1 / number_ball(node.divisor.doit()))


@ball.register
def _(node: ops.Softmax, lookup: Lookup) -> arb_mat:
    scores = ball(node.argument, lookup)
    rows, columns = scores.nrows(), scores.ncols()
    exponentials = [x.exp() for x in scores.entries()]
    weights: list[arb] = []
    for start in range(0, rows * columns, columns):
        row = exponentials[start : start + columns]
        share = 1 / sum(row, arb())
        weights += [x * share for x in row]
    return arb_mat(rows, columns, weights)


@ball.register
def _(node: ops.LayerNorm, lookup: Lookup) -> arb_mat:
    x = ball(node.argument, lookup)
    epsilon = number_ball(node.epsilon.doit())
    gamma = None if node.gamma is None else ball(node.gamma, lookup).entries()
    beta = None if node.beta is None else ball(node.beta, lookup).entries()
    rows: list[list[arb]] = []
    for row in x.tolist():
        _, _, entries = normalised(row, epsilon)
        if gamma is not None and beta is not None:
            entries = [value * g + b for value, g, b in zip(entries, gamma, beta, strict=True)]
        rows.append(entries)
    return arb_mat(rows)


@ball.register
def _(node: ops.ReLU, lookup: Lookup) -> arb_mat:
    # max(0, x) is continuous, so this encloses it whatever the sign is; who speaks of the sign has it certified first.
    return _each(node, lookup, _kept)


def _kept(x: arb) -> arb:
    """max(0, x), also of −∞, which FLINT's own function makes NaN."""
    return x if x > 0 else arb() if x < 0 else x.nonnegative_part()


@ball.register(ops.CausalMask)
@ball.register(ops.WindowMask)
@ball.register(ops.PaddingMask)
def _(node: ops.CausalMask | ops.WindowMask | ops.PaddingMask, lookup: Lookup) -> arb_mat:
    rows, columns = (int(size) for size in node.shape)
    value = number_ball(node.value.doit())
    return arb_mat(rows, columns, [value if node.hides(i, j) else arb() for i in range(rows) for j in range(columns)])


@ball.register
def _(node: ops.Broadcast, lookup: Lookup) -> arb_mat:
    row = ball(node.argument, lookup)
    rows = int(node.shape[0])
    return arb_mat(rows, row.ncols(), row.entries() * rows)


@ball.register
def _(node: ops.Row, lookup: Lookup) -> arb_mat:
    x = ball(node.argument, lookup)
    return arb_mat(1, x.ncols(), [x[node.number - 1, j] for j in range(x.ncols())])


@ball.register
def _(node: ops.Rows, lookup: Lookup) -> arb_mat:
    return arb_mat(ball(node.argument, lookup).tolist()[node.first - 1 : node.last])


@ball.register
def _(node: ops.Stack, lookup: Lookup) -> arb_mat:
    return arb_mat([row for part in node.args for row in ball(part, lookup).tolist()])


@ball.register
def _(node: ops.Head, lookup: Lookup) -> arb_mat:
    x, start = ball(node.argument, lookup), int(node.start)
    width = int(node.shape[1])
    return arb_mat(x.nrows(), width, [x[i, start + j] for i in range(x.nrows()) for j in range(width)])


@ball.register
def _(node: ops.Concat, lookup: Lookup) -> arb_mat:
    parts = [ball(part, lookup).tolist() for part in node.args]
    return arb_mat([[x for part in parts for x in part[i]] for i in range(len(parts[0]))])


@ball.register
def _(node: ops.OneHot, lookup: Lookup) -> arb_mat:
    # That the ids are whole numbers in range is certified before.
    ids, width = ball(node.ids, lookup).entries(), int(node.shape[1])
    return arb_mat(len(ids), width, [int(x.unique_fmpz() == j) for x in ids for j in range(width)])


def _each(node: Basic, lookup: Lookup, rule: Callable[[arb], arb]) -> arb_mat:
    """A function of every entry by itself."""
    x = ball(node.argument, lookup)
    return arb_mat(x.nrows(), x.ncols(), list(map(rule, x.entries())))


@ball.register
def _(node: ops.Exp, lookup: Lookup) -> arb_mat:
    return _each(node, lookup, arb.exp)


@ball.register
def _(node: ops.Log, lookup: Lookup) -> arb_mat:
    return _each(node, lookup, arb.log)


@ball.register
def _(node: ops.Tanh, lookup: Lookup) -> arb_mat:
    return _each(node, lookup, arb.tanh)


@ball.register
def _(node: ops.SiLU, lookup: Lookup) -> arb_mat:
    return _each(node, lookup, lambda x: x * (1 + (-x).exp()) ** -1)


@ball.register
def _(node: ops.GELU, lookup: Lookup) -> arb_mat:
    scale = arb(2).rsqrt()
    # erfc keeps its digits where erf is nearly −1.
    return _each(node, lookup, lambda x: x * (-x * scale).erfc() / 2)


@ball.register
def _(node: ops.GELUTanh, lookup: Lookup) -> arb_mat:
    scale, cubic = (2 / arb.pi()).sqrt(), number_ball(node.CUBIC)
    return _each(node, lookup, lambda x: x * (1 + (scale * (x + cubic * x * x * x)).tanh()) / 2)


@ball.register
def _(node: ops.ELU, lookup: Lookup) -> arb_mat:
    # Continuous, as ReLU is: where the sign is open, both branches together enclose it.
    return _each(node, lookup, _elu)


def _elu(x: arb) -> arb:
    if x >= 0:
        return x
    return x.expm1() if x < 0 else x.union(x.expm1())


@ball.register
def _(node: ops.ClipNorm, lookup: Lookup) -> arb_mat:
    g, threshold = ball(node.argument, lookup), number_ball(node.threshold.doit())
    length = norm(g.entries())
    if length <= threshold:
        return g
    return g * (threshold / length if length > threshold else (threshold / length).min(1))


@ball.register
def _(node: ops.Dot, lookup: Lookup) -> arb_mat:
    return ball(node.left, lookup) * ball(node.right, lookup).transpose()


@ball.register
def _(node: ops.Cosine, lookup: Lookup) -> arb_mat:
    left, right = ball(node.left, lookup), ball(node.right, lookup)
    lengths = [[norm(row) for row in side.tolist()] for side in (left, right)]
    products = (left * right.transpose()).tolist()
    return arb_mat(
        [
            [x / (a * b) for x, b in zip(row, lengths[1], strict=True)]
            for row, a in zip(products, lengths[0], strict=True)
        ]
    )


@ball.register
def _(node: ops.Angle, lookup: Lookup) -> arb_mat:
    cosines = ball(ops.Cosine(node.left, node.right), lookup)
    degrees = 180 / arb.pi()
    return arb_mat(cosines.nrows(), cosines.ncols(), [arccos(x) * degrees for x in cosines.entries()])


@ball.register
def _(node: ops.RowNorm, lookup: Lookup) -> arb_mat:
    return arb_mat([[norm(row)] for row in ball(node.argument, lookup).tolist()])


@ball.register
def _(node: ops.RowMax, lookup: Lookup) -> arb_mat:
    return arb_mat([[reduce(_larger, row)] for row in ball(node.argument, lookup).tolist()])


def _larger(a: arb, b: arb) -> arb:
    return a if a >= b else b if b >= a else a.max(b)


@ball.register
def _(node: ops.UnitRows, lookup: Lookup) -> arb_mat:
    return arb_mat([[x / norm(row) for x in row] for row in ball(node.argument, lookup).tolist()])


@ball.register
def _(node: ops.Proportions, lookup: Lookup) -> arb_mat:
    rows = ball(node.argument, lookup).tolist()
    return arb_mat([[x / total for x in row] for row, total in ((row, sum(row, arb())) for row in rows)])


@ball.register
def _(node: ops.Entropy, lookup: Lookup) -> arb_mat:
    rows = ball(node.argument, lookup).tolist()
    return arb_mat([[-sum(map(x_log_x, row), arb())] for row in rows])


@ball.register
def _(node: ops.Keep, lookup: Lookup) -> arb_mat:
    a, mask = ball(node.argument, lookup), ball(node.mask, lookup)
    pairs = zip(a.entries(), mask.entries(), strict=True)
    return arb_mat(a.nrows(), a.ncols(), [_visible(x, m) for x, m in pairs])


def _visible(x: arb, mask: arb) -> arb:
    """x under a mask that is exactly 0, 0 under one that is not; both together where that is open."""
    if mask.is_zero():
        return x
    return x.union(arb()) if mask.contains(0) else arb()


@ball.register(ops.Hadamard)
@ball.register(ops.EntryQuotient)
def _(node: ops.Hadamard | ops.EntryQuotient, lookup: Lookup) -> arb_mat:
    left, right = ball(node.left, lookup), ball(node.right, lookup)
    pairs = zip(left.entries(), right.entries(), strict=True)
    by_factor = isinstance(node, ops.Hadamard)
    return arb_mat(left.nrows(), left.ncols(), [x * y if by_factor else x / y for x, y in pairs])


@ball.register
def _(node: ops.RMSNorm, lookup: Lookup) -> arb_mat:
    epsilon, width = number_ball(node.epsilon.doit()), int(node.shape[1])
    gamma = [arb(1)] * width if node.gamma is None else ball(node.gamma, lookup).entries()
    rows = ball(node.argument, lookup).tolist()
    scales = [(sum((x * x for x in row), arb()) / width + epsilon).rsqrt() for row in rows]
    return arb_mat(
        [[x * scale * g for x, g in zip(row, gamma, strict=True)] for row, scale in zip(rows, scales, strict=True)]
    )


@ball.register
def _(node: ops.AdditiveScores, lookup: Lookup) -> arb_mat:
    queries, keys, (vector,) = (ball(arg, lookup).tolist() for arg in node.args)
    return arb_mat(
        [
            [sum((v * (a + b).tanh() for v, a, b in zip(vector, q, k, strict=True)), arb()) for k in keys]
            for q in queries
        ]
    )


@ball.register
def _(node: ops.Sinusoidal, lookup: Lookup) -> arb_mat:
    rows, columns = (int(size) for size in node.shape)
    return arb_mat([[x for j in range(0, columns, 2) for x in sine_cosine(node, i, j)] for i in range(rows)])


def sine_cosine(node: ops.Sinusoidal | ops.Rotary, i: int, j: int) -> tuple[arb, arb]:
    """Sine and cosine of the angle of a row for the pair that column j begins, both counted from 0."""
    angle = number_ball(node.angle(Integer(i), Integer(j)).doit())
    return angle.sin(), angle.cos()


@ball.register
def _(node: ops.Rotary, lookup: Lookup) -> arb_mat:
    rows: list[list[arb]] = []
    for i, row in enumerate(ball(node.argument, lookup).tolist()):
        turned: list[arb] = []
        for j in range(0, len(row), 2):
            sine, cosine = sine_cosine(node, i, j)
            turned += [row[j] * cosine - row[j + 1] * sine, row[j] * sine + row[j + 1] * cosine]
        rows.append(turned)
    return arb_mat(rows)


@ball.register
def _(node: ops.Distance, lookup: Lookup) -> arb_mat:
    n = int(node.shape[0])
    return arb_mat(n, n, [abs(i - j) for i in range(n) for j in range(n)])


@ball.register
def _(node: ops.ArgMax, lookup: Lookup) -> arb_mat:
    # Where enclosures leave open which entry is largest, every column that may be it: who prints it has it certified.
    return arb_mat([[_hull(_largest(row))] for row in ball(node.argument, lookup).tolist()])


def _largest(row: list[arb]) -> list[int]:
    """The columns that may hold the first of the largest entries."""
    return [j for j, x in enumerate(row) if all(not y >= x for y in row[:j]) and all(not y > x for y in row[j + 1 :])]


def _hull(numbers: list[int]) -> arb:
    return arb(min(numbers)).union(arb(max(numbers))) if numbers else arb.nan()


@ball.register
def _(node: ops.TopK, lookup: Lookup) -> arb_mat:
    return arb_mat(
        [[_hull(which) for which in _chosen(row, node.count)] for row in ball(node.argument, lookup).tolist()]
    )


def _chosen(row: list[arb], count: int) -> list[list[int]]:
    """For every entry, whether it is among the ``count`` largest of its row: [1], [0] or, if that is open, both."""
    found = []
    for j, x in enumerate(row):
        ahead = sum(bool(y >= x) for y in row[:j]) + sum(bool(y > x) for y in row[j + 1 :])
        behind = sum(bool(x > y) for y in row[:j]) + sum(bool(x >= y) for y in row[j + 1 :])
        found.append([0] if ahead >= count else [1] if behind >= len(row) - count else [0, 1])
    return found


@ball.register(Identity)
@ball.register(OneMatrix)
@ball.register(ZeroMatrix)
def _(node: Identity, lookup: Lookup) -> arb_mat:
    rows, columns = (int(size) for size in node.shape)
    return arb_mat(rows, columns, [int(node[i, j]) for i in range(rows) for j in range(columns)])
