"""Formulas over the rationals, in FLINT's ``fmpq_mat``: the quick road to an exact value.

One rule per node; a rule answers ``None`` where the value leaves the rationals (a root, an exponential, −∞). What
exponentials of logarithms are is known to :mod:`symattn.values.logarithm`. The other exact road,
:mod:`symattn.values.exact`, goes everywhere and is slower.
"""

from __future__ import annotations

from functools import singledispatch

from flint import fmpq, fmpq_mat, fmpz
from sympy import Basic, Expr, Identity, MatAdd, MatMul, MatPow, MatrixSymbol, OneMatrix, Transpose, ZeroMatrix

from symattn import operations as ops
from symattn.budget import spend
from symattn.operations.whole import whole_entries
from symattn.values.cost import cost, is_too_long, spend_on_product
from symattn.values.logarithm import Logs, Lookup, exponentials, logs, weights


def to_fmpq(number: Expr) -> fmpq | None:
    """A SymPy rational as FLINT's, or ``None``.

    >>> from sympy import Rational, sqrt
    >>> to_fmpq(Rational(1, 3)), to_fmpq(sqrt(2))
    (1/3, None)
    """
    number = number if number.is_Rational else number.doit()
    return fmpq(int(number.p), int(number.q)) if number.is_Rational else None


def rational(node: Basic, lookup: Lookup) -> fmpq_mat | None:
    """The value of a formula, if it is rational; ``lookup`` gives what names are: rationals, or logarithms of some.

    A value that is too long is not kept, as if it were not rational: enclosures still know every digit that anyone
    prints.
    """
    if isinstance(node, MatrixSymbol):
        return of_node(node, lookup)
    spend(cost(node))
    value = of_node(node, lookup)
    return None if value is None or is_too_long(value) else value


@singledispatch
def of_node(node: Basic, lookup: Lookup) -> fmpq_mat | None:
    """The value of a node, if it is rational; a rule asks for the operands by itself."""
    raise TypeError(f"no rational rule for {type(node).__name__}")


@of_node.register
def _(node: MatrixSymbol, lookup: Lookup) -> fmpq_mat | None:
    value = lookup(node.name)
    return None if isinstance(value, Logs) else value


@of_node.register
def _(node: MatMul, lookup: Lookup) -> fmpq_mat | None:
    product: fmpq_mat | None = None
    coefficient = fmpq(1)
    for arg in node.args:
        factor = rational(arg, lookup) if arg.is_Matrix else to_fmpq(arg)
        if factor is None:
            return None
        if isinstance(factor, fmpq):
            coefficient *= factor
        else:
            product = factor if product is None else _product(product, factor)
    return None if product is None else product * coefficient


def _product(a: fmpq_mat, b: fmpq_mat) -> fmpq_mat:
    spend_on_product(a, b)
    return a * b


@of_node.register
def _(node: MatAdd, lookup: Lookup) -> fmpq_mat | None:
    total: fmpq_mat | None = None
    for arg in node.args:
        term = rational(arg, lookup)
        if term is None:
            return None
        total = term if total is None else total + term
    return total


@of_node.register
def _(node: MatPow, lookup: Lookup) -> fmpq_mat | None:
    base, exponent = rational(node.base, lookup), int(node.exp)
    if base is None:
        return None
    power = base
    for binary in bin(exponent)[3:]:  # as by ** alone, with the budget asked on the way
        power = _product(power, power)
        power = _product(power, base) if binary == "1" else power
        if is_too_long(power):
            return None
    return power


@of_node.register
def _(node: Transpose, lookup: Lookup) -> fmpq_mat | None:
    inner = rational(node.arg, lookup)
    return None if inner is None else inner.transpose()


@of_node.register
def _(node: ops.Quotient, lookup: Lookup) -> fmpq_mat | None:
    divisor = to_fmpq(node.divisor)
    inner = rational(node.argument, lookup)
    return None if inner is None or divisor is None else inner * (fmpq(1) / divisor)


@of_node.register
def _(node: ops.ReLU, lookup: Lookup) -> fmpq_mat | None:
    inner = rational(node.argument, lookup)
    if inner is None:
        return None
    zero = fmpq(0)
    return fmpq_mat(inner.nrows(), inner.ncols(), [max(zero, x) for x in inner.entries()])


@of_node.register
def _(node: ops.ELU, lookup: Lookup) -> fmpq_mat | None:
    inner = rational(node.argument, lookup)
    return inner if inner is not None and all(x >= 0 for x in inner.entries()) else None


@of_node.register(ops.CausalMask)
@of_node.register(ops.WindowMask)
@of_node.register(ops.PaddingMask)
def _(node: ops.CausalMask | ops.WindowMask | ops.PaddingMask, lookup: Lookup) -> fmpq_mat | None:
    value = to_fmpq(node.value)
    rows, columns = (int(size) for size in node.shape)
    if value is None:
        return None
    return fmpq_mat(
        rows, columns, [value if node.hides(i, j) else fmpq(0) for i in range(rows) for j in range(columns)]
    )


@of_node.register
def _(node: ops.Broadcast, lookup: Lookup) -> fmpq_mat | None:
    inner = rational(node.argument, lookup)
    rows = int(node.shape[0])
    return None if inner is None else fmpq_mat(rows, inner.ncols(), inner.entries() * rows)


@of_node.register
def _(node: ops.Row, lookup: Lookup) -> fmpq_mat | None:
    inner = rational(node.argument, lookup)
    if inner is None:
        return None
    return fmpq_mat(1, inner.ncols(), [inner[node.number - 1, j] for j in range(inner.ncols())])


@of_node.register
def _(node: ops.Rows, lookup: Lookup) -> fmpq_mat | None:
    inner = rational(node.argument, lookup)
    return None if inner is None else fmpq_mat(inner.tolist()[node.first - 1 : node.last])


@of_node.register
def _(node: ops.Stack, lookup: Lookup) -> fmpq_mat | None:
    parts = _all_known([rational(part, lookup) for part in node.args])
    return None if parts is None else fmpq_mat([row for part in parts for row in part.tolist()])


def _all_known(values: list[fmpq_mat | None]) -> list[fmpq_mat] | None:
    known = [value for value in values if value is not None]
    return known if len(known) == len(values) else None


@of_node.register(ops.Hadamard)
@of_node.register(ops.EntryQuotient)
def _(node: ops.Hadamard | ops.EntryQuotient, lookup: Lookup) -> fmpq_mat | None:
    sides = _all_known([rational(node.left, lookup), rational(node.right, lookup)])
    if sides is None:
        return None
    pairs = zip(sides[0].entries(), sides[1].entries(), strict=True)
    by_factor = isinstance(node, ops.Hadamard)
    return fmpq_mat(sides[0].nrows(), sides[0].ncols(), [x * y if by_factor else x / y for x, y in pairs])


@of_node.register
def _(node: ops.RMSNorm, lookup: Lookup) -> fmpq_mat | None:
    inner, epsilon = rational(node.argument, lookup), to_fmpq(node.epsilon)
    gain = None if node.gamma is None else rational(node.gamma, lookup)
    if inner is None or epsilon is None or (node.gamma is not None and gain is None):
        return None
    factors = [fmpq(1)] * inner.ncols() if gain is None else gain.entries()
    rows = inner.tolist()
    squares = [sum((x * x for x in row), fmpq(0)) / len(row) + epsilon for row in rows]
    roots = [root for root in map(_root, squares) if root is not None]
    if len(roots) < len(rows):
        return None
    return fmpq_mat(
        [[x / root * g for x, g in zip(row, factors, strict=True)] for row, root in zip(rows, roots, strict=True)]
    )


@of_node.register
def _(node: ops.ArgMax, lookup: Lookup) -> fmpq_mat | None:
    inner = rational(node.argument, lookup)
    return None if inner is None else fmpq_mat([[row.index(max(row))] for row in inner.tolist()])


@of_node.register
def _(node: ops.TopK, lookup: Lookup) -> fmpq_mat | None:
    inner = rational(node.argument, lookup)
    if inner is None:
        return None
    rows = [(row, sorted(range(len(row)), key=lambda j: -row[j])[: node.count]) for row in inner.tolist()]
    return fmpq_mat([[int(j in chosen) for j in range(len(row))] for row, chosen in rows])


@of_node.register
def _(node: ops.Dot, lookup: Lookup) -> fmpq_mat | None:
    left, right = rational(node.left, lookup), rational(node.right, lookup)
    return None if left is None or right is None else _product(left, right.transpose())


@of_node.register
def _(node: ops.Head, lookup: Lookup) -> fmpq_mat | None:
    inner = rational(node.argument, lookup)
    if inner is None:
        return None
    start, width = int(node.start), int(node.shape[1])
    return fmpq_mat([[inner[i, start + j] for j in range(width)] for i in range(inner.nrows())])


@of_node.register
def _(node: ops.Concat, lookup: Lookup) -> fmpq_mat | None:
    parts = _all_known([rational(part, lookup) for part in node.args])
    if parts is None:
        return None
    return fmpq_mat([[x for row in rows for x in row] for rows in zip(*(part.tolist() for part in parts), strict=True)])


@of_node.register
def _(node: ops.OneHot, lookup: Lookup) -> fmpq_mat | None:
    ids, width = rational(node.ids, lookup), int(node.shape[1])
    return None if ids is None else fmpq_mat([[int(x == j) for j in range(width)] for x in ids.entries()])


@of_node.register
def _(node: ops.RowNorm, lookup: Lookup) -> fmpq_mat | None:
    squares = _squares(node.argument, lookup) or []
    lengths = [length for length in map(_root, squares) if length is not None]
    return fmpq_mat(len(lengths), 1, lengths) if lengths and len(lengths) == len(squares) else None


@of_node.register
def _(node: ops.UnitRows, lookup: Lookup) -> fmpq_mat | None:
    inner, lengths = rational(node.argument, lookup), rational(ops.RowNorm(node.argument), lookup)
    if inner is None or lengths is None:
        return None
    return fmpq_mat([[x / lengths[i, 0] for x in row] for i, row in enumerate(inner.tolist())])


@of_node.register
def _(node: ops.Cosine, lookup: Lookup) -> fmpq_mat | None:
    products = rational(ops.Dot(node.left, node.right), lookup)
    sides = [_squares(side, lookup) for side in (node.left, node.right)]
    if products is None or sides[0] is None or sides[1] is None:
        return None
    lengths = [length for a in sides[0] for b in sides[1] if (length := _root(a * b)) is not None]
    entries = products.entries()
    if len(lengths) < len(entries):
        return None
    return fmpq_mat(products.nrows(), products.ncols(), [x / y for x, y in zip(entries, lengths, strict=True)])


@of_node.register
def _(node: ops.ClipNorm, lookup: Lookup) -> fmpq_mat | None:
    inner, threshold = rational(node.argument, lookup), to_fmpq(node.threshold)
    if inner is None or threshold is None:
        return None
    square = sum((x * x for x in inner.entries()), fmpq(0))
    if square <= threshold * threshold:
        return inner
    length = _root(square)
    return None if length is None else inner * (threshold / length)


def _squares(node: Basic, lookup: Lookup) -> list[fmpq] | None:
    """Σ x² of every row."""
    inner = rational(node, lookup)
    return None if inner is None else [sum((x * x for x in row), fmpq(0)) for row in inner.tolist()]


def _root(square: fmpq) -> fmpq | None:
    """The square root, if it is rational too.

    >>> _root(fmpq(25, 4)), _root(fmpq(2))
    (5/2, None)
    """
    top, bottom = square.p, square.q
    if not (top.is_square() and bottom.is_square()):
        return None
    return fmpq(top.isqrt(), bottom.isqrt())


@of_node.register
def _(node: ops.RowMax, lookup: Lookup) -> fmpq_mat | None:
    inner = rational(node.argument, lookup)
    return None if inner is None else fmpq_mat([[max(row)] for row in inner.tolist()])


@of_node.register
def _(node: ops.Proportions, lookup: Lookup) -> fmpq_mat | None:
    inner = rational(node.argument, lookup)
    if inner is None:
        return None
    rows = inner.tolist()
    return fmpq_mat([[x / total for x in row] for row, total in ((row, sum(row, fmpq(0))) for row in rows)])


@of_node.register
def _(node: ops.Keep, lookup: Lookup) -> fmpq_mat | None:
    inner, hidden = rational(node.argument, lookup), _hidden(node.mask, lookup)
    if inner is None or hidden is None:
        return None
    pairs = zip(inner.entries(), hidden, strict=True)
    return fmpq_mat(inner.nrows(), inner.ncols(), [fmpq(0) if hides else x for x, hides in pairs])


def _hidden(mask: Basic, lookup: Lookup) -> list[bool] | None:
    """Which entries a mask hides, row by row; masks are never positive, so a sum hides what one of its terms hides."""
    if isinstance(mask, ops.CausalMask | ops.WindowMask | ops.PaddingMask):
        rows, columns = (int(size) for size in mask.shape)
        return [mask.hides(i, j) for i in range(rows) for j in range(columns)]
    if isinstance(mask, MatAdd) and not mask.has(MatrixSymbol):
        terms = [_hidden(term, lookup) or [] for term in mask.args]
        return [any(places) for places in zip(*terms, strict=True)]
    known = rational(mask, lookup)
    return None if known is None else [x != 0 for x in known.entries()]


@of_node.register(Identity)
@of_node.register(OneMatrix)
@of_node.register(ZeroMatrix)
@of_node.register(ops.Distance)
def _(node: Identity, lookup: Lookup) -> fmpq_mat | None:
    rows, columns = (int(size) for size in node.shape)
    return fmpq_mat(rows, columns, whole_entries(node))


@of_node.register
def _(node: ops.Softmax, lookup: Lookup) -> fmpq_mat | None:
    scores = logs(node.argument, lookup, rational)
    return weights(scores) if scores is not None and scores.has_logarithms else None


@of_node.register
def _(node: ops.Exp, lookup: Lookup) -> fmpq_mat | None:
    inner = logs(node.argument, lookup, rational)
    return exponentials(inner) if inner is not None and inner.has_logarithms else None


@of_node.register(ops.AdditiveScores)
@of_node.register(ops.GELU)
@of_node.register(ops.GELUTanh)
@of_node.register(ops.Log)
@of_node.register(ops.Rotary)
@of_node.register(ops.SiLU)
@of_node.register(ops.Sinusoidal)
@of_node.register(ops.Tanh)
@of_node.register(ops.LayerNorm)
@of_node.register(ops.Angle)
@of_node.register(ops.Entropy)
def _(node: Basic, lookup: Lookup) -> fmpq_mat | None:
    return None


def digits_of(value: fmpq, limit: int) -> int | None:
    """How many decimals write ``value`` exactly, if at most ``limit`` do.

    >>> digits_of(fmpq(1, 8), 6), digits_of(fmpq(3), 6), digits_of(fmpq(1, 3), 6)
    (3, 0, None)
    """
    denominator, twos, fives = value.q, 0, 0
    while denominator % 2 == 0:
        denominator, twos = denominator // 2, twos + 1
    while denominator % 5 == 0:
        denominator, fives = denominator // 5, fives + 1
    needed = max(twos, fives)
    return needed if denominator == fmpz(1) and needed <= limit else None
