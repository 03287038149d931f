"""Formulas in exact arithmetic, entry by entry in SymPy.

One rule per node. Values of early steps are short; those of a deep layer hold every path through it and are built only
where somebody asks for them, never to print a decimal.
"""

from __future__ import annotations

from functools import reduce, singledispatch
from operator import mul
from typing import Protocol

from sympy import (
    Basic,
    Expr,
    Identity,
    ImmutableDenseMatrix,
    Integer,
    MatAdd,
    MatMul,
    MatPow,
    MatrixExpr,
    MatrixSymbol,
    Mul,
    OneMatrix,
    Pow,
    Rational,
    S,
    Transpose,
    ZeroMatrix,
    acos,
    cos,
    erf,
    exp,
    log,
    pi,
    sin,
    sqrt,
    tanh,
)

from symattn import operations as ops
from symattn.operations.whole import whole_entries
from symattn.values.cost import DEEP

LONG = 10_000
"""The largest multiple of a logarithm whose exponential SymPy may write out as a power."""


class Names(Protocol):
    """What the rules ask of the solution they work for."""

    def exact_value(self, name: str) -> ImmutableDenseMatrix:
        """The exact value of a name."""
        ...

    def signs(self, formula: MatrixExpr, what: str) -> tuple[tuple[int, ...], ...]:
        """The certified sign of every entry of a formula: −1, 0 or 1."""
        ...

    def largest(self, formula: MatrixExpr) -> tuple[int, ...]:
        """The column of a largest entry of every row of a formula, certified."""
        ...

    def top(self, formula: MatrixExpr, count: int) -> tuple[tuple[int, ...], ...]:
        """The columns of the ``count`` largest entries of every row, certified; of entries that tie, the first."""
        ...

    def is_longer(self, formula: MatrixExpr, threshold: Expr) -> bool:
        """Whether the length of all entries of a formula together is more than a number, certified."""
        ...


@singledispatch
def exact(node: Basic, names: Names) -> ImmutableDenseMatrix:
    """The exact value of a formula."""
    raise TypeError(f"no exact rule for {type(node).__name__}")


def _scalar(number: Expr) -> Expr:
    return number if number.is_Rational else number.doit()


def _is_deep(value: Expr) -> bool:
    """Whether a value has more than ``DEEP`` pieces; stops counting there."""
    waiting, seen = [value], 0  # ``count_ops`` imports half of SymPy
    while waiting and seen <= DEEP:
        waiting.extend(waiting.pop().args)
        seen += 1
    return seen > DEEP


def _divided(numerator: Expr, denominator: Expr) -> Expr:
    """The quotient. In a deep layer it is left as it stands: SymPy would search its thousands of factors for equal
    bases, for minutes, and find none."""
    if not _is_deep(denominator):
        return numerator / denominator
    return Mul(numerator, Pow(denominator, -1, evaluate=False), evaluate=False)


def _build(rows: int, columns: int, entries: list[Expr]) -> ImmutableDenseMatrix:
    return ImmutableDenseMatrix(rows, columns, entries)


@exact.register
def _(node: MatrixSymbol, names: Names) -> ImmutableDenseMatrix:
    return names.exact_value(node.name)


@exact.register
def _(node: MatMul, names: Names) -> ImmutableDenseMatrix:
    factors = [exact(arg, names) if arg.is_Matrix else _scalar(arg) for arg in node.args]
    return reduce(lambda a, b: a * b, factors)


@exact.register
def _(node: MatAdd, names: Names) -> ImmutableDenseMatrix:
    return reduce(lambda a, b: a + b, (exact(arg, names) for arg in node.args))


@exact.register
def _(node: MatPow, names: Names) -> ImmutableDenseMatrix:
    return reduce(lambda a, b: a * b, [exact(node.base, names)] * int(node.exp))


@exact.register
def _(node: Transpose, names: Names) -> ImmutableDenseMatrix:
    return exact(node.arg, names).T


@exact.register
def _(node: ops.Quotient, names: Names) -> ImmutableDenseMatrix:
    divisor = _scalar(node.divisor)
    return exact(node.argument, names).applyfunc(lambda x: x / divisor)


@exact.register
def _(node: ops.Softmax, names: Names) -> ImmutableDenseMatrix:
    scores = exact(node.argument, names)
    entries: list[Expr] = []
    for i in range(scores.rows):
        exponentials = [_power(scores[i, j]) for j in range(scores.cols)]
        total = sum(exponentials, S.Zero)
        # 0 / 0 where all scores are −∞: weights of 0, where a solution lets them through.
        entries += exponentials if total is S.Zero else [_divided(x, total) for x in exponentials]
    return _build(scores.rows, scores.cols, entries)


@exact.register
def _(node: ops.LayerNorm, names: Names) -> ImmutableDenseMatrix:
    x = exact(node.argument, names)
    epsilon, width = _scalar(node.epsilon), Integer(x.cols)
    gamma = None if node.gamma is None else exact(node.gamma, names)
    beta = None if node.beta is None else exact(node.beta, names)
    entries: list[Expr] = []
    for i in range(x.rows):
        row = [x[i, j] for j in range(x.cols)]
        mean = sum(row, S.Zero) / width
        variance = sum(((value - mean) ** 2 for value in row), S.Zero) / width
        deviation = sqrt(variance + epsilon)
        normal = [_divided(value - mean, deviation) for value in row]
        if gamma is not None and beta is not None:
            normal = [value * gamma[0, j] + beta[0, j] for j, value in enumerate(normal)]
        entries += normal
    return _build(x.rows, x.cols, entries)


@exact.register
def _(node: ops.ReLU, names: Names) -> ImmutableDenseMatrix:
    signs = names.signs(node.argument, "the input of relu")
    x = exact(node.argument, names)
    return _build(
        x.rows, x.cols, [x[i, j] if signs[i][j] > 0 else S.Zero for i in range(x.rows) for j in range(x.cols)]
    )


@exact.register
def _(node: ops.ELU, names: Names) -> ImmutableDenseMatrix:
    signs = names.signs(node.argument, "the input of elu")
    x = exact(node.argument, names)
    return _build(
        x.rows,
        x.cols,
        [x[i, j] if signs[i][j] >= 0 else _power(x[i, j]) - 1 for i in range(x.rows) for j in range(x.cols)],
    )


@exact.register
def _(node: ops.Exp, names: Names) -> ImmutableDenseMatrix:
    return exact(node.argument, names).applyfunc(_power)


def _power(x: Expr) -> Expr:
    """e^x. SymPy would look for the sign of an exponent of thousands of terms, digit by digit, and it would write the
    millions of digits of e^(10^6 ln 2)."""
    return exp(x, evaluate=not (_is_deep(x) or (x.has(log) and _has_long_numbers(x))))


def _has_long_numbers(x: Expr) -> bool:
    return any(abs(number) > LONG for number in x.atoms(Rational))


@exact.register
def _(node: ops.Log, names: Names) -> ImmutableDenseMatrix:
    return exact(node.argument, names).applyfunc(log)


@exact.register
def _(node: ops.Tanh, names: Names) -> ImmutableDenseMatrix:
    return exact(node.argument, names).applyfunc(tanh)


@exact.register
def _(node: ops.SiLU, names: Names) -> ImmutableDenseMatrix:
    return exact(node.argument, names).applyfunc(lambda x: _divided(x, 1 + _power(-x)))


@exact.register
def _(node: ops.GELU, names: Names) -> ImmutableDenseMatrix:
    return exact(node.argument, names).applyfunc(lambda x: x * (1 + erf(x / sqrt(2))) / 2)


@exact.register
def _(node: ops.GELUTanh, names: Names) -> ImmutableDenseMatrix:
    scale = sqrt(2 / pi)
    return exact(node.argument, names).applyfunc(lambda x: x * (1 + tanh(scale * (x + node.CUBIC * x**3))) / 2)


@exact.register(ops.CausalMask)
@exact.register(ops.WindowMask)
@exact.register(ops.PaddingMask)
def _(node: ops.CausalMask | ops.WindowMask | ops.PaddingMask, names: Names) -> ImmutableDenseMatrix:
    (rows, columns), value = map(int, node.shape), _scalar(node.value)
    return _build(rows, columns, [value if node.hides(i, j) else S.Zero for i in range(rows) for j in range(columns)])


@exact.register
def _(node: ops.Broadcast, names: Names) -> ImmutableDenseMatrix:
    row = exact(node.argument, names)
    rows = int(node.shape[0])
    return _build(rows, row.cols, list(row) * rows)


@exact.register
def _(node: ops.Row, names: Names) -> ImmutableDenseMatrix:
    return exact(node.argument, names)[node.number - 1, :]


@exact.register
def _(node: ops.Rows, names: Names) -> ImmutableDenseMatrix:
    return exact(node.argument, names)[node.first - 1 : node.last, :]


@exact.register
def _(node: ops.Stack, names: Names) -> ImmutableDenseMatrix:
    return ImmutableDenseMatrix.vstack(*(exact(part, names) for part in node.args))


@exact.register
def _(node: ops.Dot, names: Names) -> ImmutableDenseMatrix:
    return exact(node.left, names) * exact(node.right, names).T


@exact.register
def _(node: ops.Head, names: Names) -> ImmutableDenseMatrix:
    start, width = int(node.start), int(node.shape[1])
    return exact(node.argument, names)[:, start : start + width]


@exact.register
def _(node: ops.Concat, names: Names) -> ImmutableDenseMatrix:
    return ImmutableDenseMatrix.hstack(*(exact(part, names) for part in node.args))


@exact.register
def _(node: ops.OneHot, names: Names) -> ImmutableDenseMatrix:
    ids, width = list(exact(node.ids, names)), int(node.shape[1])
    return _build(len(ids), width, [Integer(int(x == j)) for x in ids for j in range(width)])


@exact.register
def _(node: ops.RowNorm, names: Names) -> ImmutableDenseMatrix:
    rows = exact(node.argument, names).tolist()
    return _build(len(rows), 1, [_length(row) for row in rows])


def _length(entries: list[Expr]) -> Expr:
    return sqrt(sum((x**2 for x in entries), S.Zero))


@exact.register
def _(node: ops.UnitRows, names: Names) -> ImmutableDenseMatrix:
    x = exact(node.argument, names)
    rows = ((row, _length(row)) for row in x.tolist())
    return _build(x.rows, x.cols, [_divided(entry, length) for row, length in rows for entry in row])


@exact.register
def _(node: ops.Proportions, names: Names) -> ImmutableDenseMatrix:
    x = exact(node.argument, names)
    rows = ((row, sum(row, S.Zero)) for row in x.tolist())
    return _build(x.rows, x.cols, [_divided(entry, total) for row, total in rows for entry in row])


@exact.register
def _(node: ops.RowMax, names: Names) -> ImmutableDenseMatrix:
    x = exact(node.argument, names)
    return _build(x.rows, 1, [x[i, j] for i, j in enumerate(names.largest(node.argument))])


@exact.register
def _(node: ops.Entropy, names: Names) -> ImmutableDenseMatrix:
    a = exact(node.argument, names)
    return _build(a.rows, 1, [-sum((x * log(x) for x in row if not x.is_zero), S.Zero) for row in a.tolist()])


@exact.register
def _(node: ops.Cosine, names: Names) -> ImmutableDenseMatrix:
    left, right = exact(node.left, names).tolist(), exact(node.right, names).tolist()
    entries = [_divided(_products(x, y), _length(x) * _length(y)) for x in left for y in right]
    return _build(len(left), len(right), entries)


def _products(x: list[Expr], y: list[Expr]) -> Expr:
    return sum((a * b for a, b in zip(x, y, strict=True)), S.Zero)


@exact.register
def _(node: ops.Angle, names: Names) -> ImmutableDenseMatrix:
    return exact(ops.Cosine(node.left, node.right), names).applyfunc(lambda x: 180 * acos(x) / pi)


@exact.register
def _(node: ops.ClipNorm, names: Names) -> ImmutableDenseMatrix:
    g = exact(node.argument, names)
    if not names.is_longer(node.argument, node.threshold):
        return g
    factor = _divided(_scalar(node.threshold), _length(list(g)))
    return g.applyfunc(lambda x: x * factor)


@exact.register
def _(node: ops.Keep, names: Names) -> ImmutableDenseMatrix:
    a, mask = exact(node.argument, names), exact(node.mask, names)
    return _build(a.rows, a.cols, [x if m == 0 else S.Zero for x, m in zip(a, mask, strict=True)])


@exact.register(ops.Hadamard)
@exact.register(ops.EntryQuotient)
def _(node: ops.Hadamard | ops.EntryQuotient, names: Names) -> ImmutableDenseMatrix:
    left, right = exact(node.left, names), exact(node.right, names)
    joined = mul if isinstance(node, ops.Hadamard) else _divided
    return _build(left.rows, left.cols, [joined(x, y) for x, y in zip(left, right, strict=True)])


@exact.register
def _(node: ops.RMSNorm, names: Names) -> ImmutableDenseMatrix:
    x, epsilon = exact(node.argument, names), _scalar(node.epsilon)
    gamma = [S.One] * x.cols if node.gamma is None else list(exact(node.gamma, names))
    scales = [sqrt(sum((value**2 for value in row), S.Zero) / x.cols + epsilon) for row in x.tolist()]
    return _build(
        x.rows, x.cols, [_divided(x[i, j], scales[i]) * gamma[j] for i in range(x.rows) for j in range(x.cols)]
    )


@exact.register
def _(node: ops.AdditiveScores, names: Names) -> ImmutableDenseMatrix:
    queries, keys, (vector,) = (exact(arg, names).tolist() for arg in node.args)
    entries = [
        sum((v * tanh(a + b) for v, a, b in zip(vector, q, k, strict=True)), S.Zero) for q in queries for k in keys
    ]
    return _build(len(queries), len(keys), entries)


@exact.register
def _(node: ops.Sinusoidal, names: Names) -> ImmutableDenseMatrix:
    rows, columns = map(int, node.shape)
    entries = [
        (cos if j % 2 else sin)(_scalar(node.angle(Integer(i), Integer(j))))
        for i in range(rows)
        for j in range(columns)
    ]
    return _build(rows, columns, entries)


@exact.register
def _(node: ops.Rotary, names: Names) -> ImmutableDenseMatrix:
    entries: list[Expr] = []
    for i, row in enumerate(exact(node.argument, names).tolist()):
        for j in range(0, len(row), 2):
            angle = _scalar(node.angle(Integer(i), Integer(j)))
            entries.append(row[j] * cos(angle) - row[j + 1] * sin(angle))
            entries.append(row[j] * sin(angle) + row[j + 1] * cos(angle))
    return _build(int(node.shape[0]), int(node.shape[1]), entries)


@exact.register
def _(node: ops.ArgMax, names: Names) -> ImmutableDenseMatrix:
    places = names.largest(node.argument)
    return _build(len(places), 1, list(map(Integer, places)))


@exact.register
def _(node: ops.TopK, names: Names) -> ImmutableDenseMatrix:
    chosen, columns = names.top(node.argument, node.count), int(node.shape[1])
    return _build(len(chosen), columns, [Integer(int(j in row)) for row in chosen for j in range(columns)])


@exact.register(Identity)
@exact.register(OneMatrix)
@exact.register(ZeroMatrix)
@exact.register(ops.Distance)
def _(node: Identity, names: Names) -> ImmutableDenseMatrix:
    rows, columns = map(int, node.shape)
    return _build(rows, columns, list(map(Integer, whole_entries(node))))
