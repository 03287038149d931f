"""Formulas in ball arithmetic: every entry an interval, of the precision that is in force, that holds the true value.

One rule per node on FLINT's ``arb_mat``, so that products of matrices stay in C. The precision is FLINT's own context,
set by :func:`at_precision` around a whole evaluation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import reduce, singledispatch

from flint import arb, arb_mat, ctx, fmpq
from sympy import (
    Add,
    Basic,
    Expr,
    Identity,
    MatAdd,
    MatMul,
    MatPow,
    MatrixSymbol,
    Mul,
    OneMatrix,
    Pow,
    S,
    Transpose,
    ZeroMatrix,
    acos,
    exp,
    log,
)

from symattn.operations import (
    ELU,
    Angle,
    Broadcast,
    CausalMask,
    ClipNorm,
    Concat,
    Cosine,
    Dot,
    Entropy,
    Exp,
    Head,
    Keep,
    LayerNorm,
    OneHot,
    Proportions,
    Quotient,
    ReLU,
    Row,
    RowMax,
    RowNorm,
    Softmax,
    UnitRows,
    WindowMask,
)

Lookup = Callable[[str], arb_mat]


@contextmanager
def at_precision(bits: int) -> Iterator[None]:
    """Work with ``bits`` bits of precision inside the ``with``, and restore what was in force before."""
    before = ctx.prec
    ctx.prec = bits
    try:
        yield
    finally:
        ctx.prec = before


def number_ball(number: Expr) -> arb:
    """A SymPy number as a ball: rationals, roots, exponentials, logarithms, π, sums and products of them, ±∞.

    >>> from sympy import sqrt
    >>> number_ball(sqrt(2)).contains(arb(2).sqrt())
    True
    """
    if number.is_Rational:
        return arb(fmpq(int(number.p), int(number.q)))
    if isinstance(number, Add):
        return reduce(lambda a, b: a + b, map(number_ball, number.args))
    if isinstance(number, Mul):
        return reduce(lambda a, b: a * b, map(number_ball, number.args))
    if number is S.Exp1:
        return arb(1).exp()
    if isinstance(number, exp):
        return number_ball(number.exp).exp()
    if isinstance(number, Pow):
        base = number_ball(number.base)
        if number.exp is S.Half:
            return base.sqrt()
        if number.exp is -S.Half:
            return base.rsqrt()
        if number.exp.is_Integer:
            return base ** int(number.exp)
        return base ** number_ball(number.exp)
    if number is S.Pi:
        return arb.pi()
    if isinstance(number, log):
        return number_ball(number.args[0]).log()
    if isinstance(number, acos):
        return arccos(number_ball(number.args[0]))
    if number is S.NegativeInfinity:
        return arb.neg_inf()
    if number is S.Infinity:
        return arb.pos_inf()
    raise TypeError(f"no ball rule for the number {type(number).__name__}")


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
def _(node: Quotient, lookup: Lookup) -> arb_mat:
    return _scaled(ball(node.argument, lookup), 1 / number_ball(node.divisor.doit()))


@ball.register
def _(node: Softmax, lookup: Lookup) -> arb_mat:
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
def _(node: LayerNorm, lookup: Lookup) -> arb_mat:
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


def normalised(row: list[arb], epsilon: arb) -> tuple[arb, arb, list[arb]]:
    """Mean, population variance, and (x − μ) / √(σ² + ε) of each entry of one row."""
    mean = sum(row, arb()) / len(row)
    centred = [x - mean for x in row]
    variance = sum((c * c for c in centred), arb()) / len(row)
    scale = (variance + epsilon).rsqrt()
    return mean, variance, [c * scale for c in centred]


@ball.register
def _(node: ReLU, lookup: Lookup) -> arb_mat:
    # max(0, x) is continuous, so this encloses it whatever the sign is; who speaks of the sign has it certified first.
    x = ball(node.argument, lookup)
    return arb_mat(x.nrows(), x.ncols(), [_kept(entry) for entry in x.entries()])


def _kept(x: arb) -> arb:
    """max(0, x), also of −∞, which FLINT's own function makes NaN."""
    return x if x > 0 else arb() if x < 0 else x.nonnegative_part()


@ball.register(CausalMask)
@ball.register(WindowMask)
def _(node: CausalMask | WindowMask, lookup: Lookup) -> arb_mat:
    n, value = int(node.shape[0]), number_ball(node.value.doit())
    return arb_mat(n, n, [value if node.hides(i, j) else arb() for i in range(n) for j in range(n)])


@ball.register
def _(node: Broadcast, lookup: Lookup) -> arb_mat:
    row = ball(node.argument, lookup)
    rows = int(node.shape[0])
    return arb_mat(rows, row.ncols(), row.entries() * rows)


@ball.register
def _(node: Row, lookup: Lookup) -> arb_mat:
    x = ball(node.argument, lookup)
    return arb_mat(1, x.ncols(), [x[node.number - 1, j] for j in range(x.ncols())])


@ball.register
def _(node: Head, lookup: Lookup) -> arb_mat:
    x, start = ball(node.argument, lookup), int(node.start)
    width = int(node.shape[1])
    return arb_mat(x.nrows(), width, [x[i, start + j] for i in range(x.nrows()) for j in range(width)])


@ball.register
def _(node: Concat, lookup: Lookup) -> arb_mat:
    parts = [ball(part, lookup).tolist() for part in node.args]
    return arb_mat([[x for part in parts for x in part[i]] for i in range(len(parts[0]))])


@ball.register
def _(node: OneHot, lookup: Lookup) -> arb_mat:
    # That the ids are whole numbers in range is certified before.
    ids, width = ball(node.ids, lookup).entries(), int(node.shape[1])
    return arb_mat(len(ids), width, [int(x.unique_fmpz() == j) for x in ids for j in range(width)])


@ball.register
def _(node: Exp, lookup: Lookup) -> arb_mat:
    x = ball(node.argument, lookup)
    return arb_mat(x.nrows(), x.ncols(), [entry.exp() for entry in x.entries()])


@ball.register
def _(node: ELU, lookup: Lookup) -> arb_mat:
    # Continuous, as ReLU is: where the sign is open, both branches together enclose it.
    x = ball(node.argument, lookup)
    return arb_mat(x.nrows(), x.ncols(), [_elu(entry) for entry in x.entries()])


def _elu(x: arb) -> arb:
    if x >= 0:
        return x
    return x.expm1() if x < 0 else x.union(x.expm1())


@ball.register
def _(node: ClipNorm, lookup: Lookup) -> arb_mat:
    g, threshold = ball(node.argument, lookup), number_ball(node.threshold.doit())
    length = norm(g.entries())
    if length <= threshold:
        return g
    return g * (threshold / length if length > threshold else (threshold / length).min(1))


@ball.register
def _(node: Dot, lookup: Lookup) -> arb_mat:
    return ball(node.left, lookup) * ball(node.right, lookup).transpose()


@ball.register
def _(node: Cosine, lookup: Lookup) -> arb_mat:
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
def _(node: Angle, lookup: Lookup) -> arb_mat:
    cosines = ball(Cosine(node.left, node.right), lookup)
    degrees = 180 / arb.pi()
    return arb_mat(cosines.nrows(), cosines.ncols(), [arccos(x) * degrees for x in cosines.entries()])


def arccos(x: arb) -> arb:
    """arccos of a number between −1 and 1, whose enclosure may reach beyond."""
    if -1 < x < 1 or not x.is_finite():
        return x.acos()
    least = arb() if not x < 1 else x.upper().acos()
    most = arb.pi() if not x > -1 else x.lower().acos()
    return least.union(most)


@ball.register
def _(node: RowNorm, lookup: Lookup) -> arb_mat:
    return arb_mat([[norm(row)] for row in ball(node.argument, lookup).tolist()])


def norm(row: list[arb]) -> arb:
    """√(Σ x²). Around 0, where FLINT's own root has no answer, the enclosure starts at 0."""
    total = sum((x * x for x in row), arb())
    if total > 0 or total.is_zero():
        return total.sqrt()
    return arb().union(total.upper().sqrt())


@ball.register
def _(node: RowMax, lookup: Lookup) -> arb_mat:
    return arb_mat([[reduce(_larger, row)] for row in ball(node.argument, lookup).tolist()])


def _larger(a: arb, b: arb) -> arb:
    return a if a >= b else b if b >= a else a.max(b)


@ball.register
def _(node: UnitRows, lookup: Lookup) -> arb_mat:
    return arb_mat([[x / norm(row) for x in row] for row in ball(node.argument, lookup).tolist()])


@ball.register
def _(node: Proportions, lookup: Lookup) -> arb_mat:
    rows = ball(node.argument, lookup).tolist()
    return arb_mat([[x / total for x in row] for row, total in ((row, sum(row, arb())) for row in rows)])


@ball.register
def _(node: Entropy, lookup: Lookup) -> arb_mat:
    rows = ball(node.argument, lookup).tolist()
    return arb_mat([[-sum(map(x_log_x, row), arb())] for row in rows])


def x_log_x(x: arb) -> arb:
    """x ln x of a number that is not negative, with 0 ln 0 = 0; it falls from 0 until 1/e."""
    if x.is_zero():
        return arb()
    if x > 0:
        return x * x.log()
    largest = x.upper()
    return arb().union(largest * largest.log()) if largest < arb("0.36") else arb.nan()


@ball.register
def _(node: Keep, lookup: Lookup) -> arb_mat:
    a, mask = ball(node.argument, lookup), ball(node.mask, lookup)
    pairs = zip(a.entries(), mask.entries(), strict=True)
    return arb_mat(a.nrows(), a.ncols(), [_visible(x, m) for x, m in pairs])


def _visible(x: arb, mask: arb) -> arb:
    """x under a mask that is exactly 0, 0 under one that is not; both together where that is open."""
    if mask.is_zero():
        return x
    return x.union(arb()) if mask.contains(0) else arb()


@ball.register(Identity)
@ball.register(OneMatrix)
@ball.register(ZeroMatrix)
def _(node: Identity, lookup: Lookup) -> arb_mat:
    rows, columns = (int(size) for size in node.shape)
    return arb_mat(rows, columns, [int(node[i, j]) for i in range(rows) for j in range(columns)])
