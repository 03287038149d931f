"""Formulas over the rationals, in FLINT's ``fmpq_mat``: the quick road to an exact value.

One rule per node; a rule answers ``None`` where the value leaves the rationals (a root, an exponential, −∞). The
other exact road, :mod:`symattn.values.exact`, goes everywhere and is slower.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce, singledispatch

from flint import fmpq, fmpq_mat, fmpz
from sympy import Basic, Expr, Identity, MatAdd, MatMul, MatPow, MatrixSymbol, OneMatrix, Transpose, ZeroMatrix

from symattn.operations import Broadcast, CausalMask, Dot, LayerNorm, Quotient, ReLU, Row, Softmax

LONGEST = 1_000_000
"""Bits of a power beyond which its exact value is not kept; enclosures still know every digit that anyone prints."""

Lookup = Callable[[str], fmpq_mat | None]


def to_fmpq(number: Expr) -> fmpq | None:
    """A SymPy rational as FLINT's, or ``None``.

    >>> from sympy import Rational, sqrt
    >>> to_fmpq(Rational(1, 3)), to_fmpq(sqrt(2))
    (1/3, None)
    """
    number = number if number.is_Rational else number.doit()
    return fmpq(int(number.p), int(number.q)) if number.is_Rational else None


@singledispatch
def rational(node: Basic, lookup: Lookup) -> fmpq_mat | None:
    """The value of a formula whose names have the values ``lookup`` gives, if it is rational."""
    raise TypeError(f"no rational rule for {type(node).__name__}")


@rational.register
def _(node: MatrixSymbol, lookup: Lookup) -> fmpq_mat | None:
    return lookup(node.name)


@rational.register
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
            product = factor if product is None else product * factor
    return None if product is None else product * coefficient


@rational.register
def _(node: MatAdd, lookup: Lookup) -> fmpq_mat | None:
    total: fmpq_mat | None = None
    for arg in node.args:
        term = rational(arg, lookup)
        if term is None:
            return None
        total = term if total is None else total + term
    return total


@rational.register
def _(node: MatPow, lookup: Lookup) -> fmpq_mat | None:
    base, exponent = rational(node.base, lookup), int(node.exp)
    if base is None or max(entry.height_bits() for entry in base.entries()) * exponent > LONGEST:
        return None
    return reduce(lambda a, b: a * b, [base] * exponent)


@rational.register
def _(node: Transpose, lookup: Lookup) -> fmpq_mat | None:
    inner = rational(node.arg, lookup)
    return None if inner is None else inner.transpose()


@rational.register
def _(node: Quotient, lookup: Lookup) -> fmpq_mat | None:
    divisor = to_fmpq(node.divisor)
    inner = rational(node.argument, lookup)
    return None if inner is None or divisor is None else inner * (fmpq(1) / divisor)


@rational.register
def _(node: ReLU, lookup: Lookup) -> fmpq_mat | None:
    inner = rational(node.argument, lookup)
    if inner is None:
        return None
    zero = fmpq(0)
    return fmpq_mat(inner.nrows(), inner.ncols(), [max(zero, x) for x in inner.entries()])


@rational.register
def _(node: CausalMask, lookup: Lookup) -> fmpq_mat | None:
    value = to_fmpq(node.value)
    n = int(node.shape[0])
    if value is None:
        return None
    return fmpq_mat(n, n, [value if j > i else fmpq(0) for i in range(n) for j in range(n)])


@rational.register
def _(node: Broadcast, lookup: Lookup) -> fmpq_mat | None:
    inner = rational(node.argument, lookup)
    rows = int(node.shape[0])
    return None if inner is None else fmpq_mat(rows, inner.ncols(), inner.entries() * rows)


@rational.register
def _(node: Row, lookup: Lookup) -> fmpq_mat | None:
    inner = rational(node.argument, lookup)
    if inner is None:
        return None
    return fmpq_mat(1, inner.ncols(), [inner[node.number - 1, j] for j in range(inner.ncols())])


@rational.register
def _(node: Dot, lookup: Lookup) -> fmpq_mat | None:
    left, right = rational(node.left, lookup), rational(node.right, lookup)
    return None if left is None or right is None else left * right.transpose()


@rational.register(Identity)
@rational.register(OneMatrix)
@rational.register(ZeroMatrix)
def _(node: Identity, lookup: Lookup) -> fmpq_mat | None:
    rows, columns = (int(size) for size in node.shape)
    return fmpq_mat(rows, columns, [int(node[i, j]) for i in range(rows) for j in range(columns)])


@rational.register(Softmax)
@rational.register(LayerNorm)
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
