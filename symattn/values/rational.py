"""Formulas over the rationals, in FLINT's ``fmpq_mat``: the quick road to an exact value.

What a node is follows from its equations, in the arithmetic of :mod:`symattn.values.fractions`; the answer is ``None``
where the value leaves the rationals (a root, an exponential, −∞). What
exponentials of logarithms are is known to :mod:`symattn.values.logarithm`. The other exact road,
:mod:`symattn.values.exact`, goes everywhere and is slower.
"""

from __future__ import annotations

from typing import Any

from flint import fmpq, fmpq_mat, fmpz
from sympy import Basic, Expr, MatAdd, MatMul, MatPow, MatrixSymbol, Transpose

from symattn import operations as ops
from symattn.budget import spend
from symattn.equations.run import run
from symattn.operations.masks import Mask
from symattn.operations.stages import Stage, same_as_ours
from symattn.shapes import whole_sizes
from symattn.values.applied import frame, given_to
from symattn.values.cost import cost, is_too_long, spend_on_product
from symattn.values.fractions import OUTSIDE, RATIONALS, IrrationalError, leaves_the_rationals
from symattn.values.logarithm import ExactLookup, Logs, exponentials, logs, weights


def to_fmpq(number: Expr) -> fmpq | None:
    """A SymPy rational as FLINT's, or ``None``.

    >>> from sympy import Rational, sqrt
    >>> to_fmpq(Rational(1, 3)), to_fmpq(sqrt(2))
    (1/3, None)
    """
    number = number if number.is_Rational else number.doit()
    return fmpq(int(number.p), int(number.q)) if number.is_Rational else None


def rational(node: Basic, lookup: ExactLookup) -> fmpq_mat | None:
    """The value of a formula, if it is rational; ``lookup`` gives what names are: rationals, or logarithms of some.

    A value that is too long is not kept, as if it were not rational: enclosures still know every digit that anyone
    prints.
    """
    if isinstance(node, MatrixSymbol):
        return of_node(node, lookup)
    spend(cost(node))
    value = of_node(node, lookup)
    return None if value is None or is_too_long(value) else value


@Stage
def of_node(node: Basic, lookup: ExactLookup) -> fmpq_mat | None:
    """The value of a node, if it is rational; a rule asks for the operands by itself."""
    of = frame(node)
    if leaves_the_rationals(of.operation):
        return None
    operands = _all_known([rational(arg, lookup) for arg in node.args if arg.is_Matrix])
    if operands is None:
        return None
    try:
        entries = run(given_to(node, [operand.tolist() for operand in operands], _number), RATIONALS)
    except IrrationalError:
        return None
    return fmpq_mat(entries) if all(isinstance(x, fmpq) for row in entries for x in row) else None


def _number(number: Expr) -> Any:
    known = to_fmpq(number)
    return OUTSIDE if known is None else known


@of_node.register
def _(node: MatrixSymbol, lookup: ExactLookup) -> fmpq_mat | None:
    value = lookup(node.name)
    return None if isinstance(value, Logs) else value


@of_node.register
def _(node: MatMul, lookup: ExactLookup) -> fmpq_mat | None:
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
def _(node: MatAdd, lookup: ExactLookup) -> fmpq_mat | None:
    total: fmpq_mat | None = None
    for arg in node.args:
        term = rational(arg, lookup)
        if term is None:
            return None
        total = term if total is None else total + term
    return total


@of_node.register
def _(node: MatPow, lookup: ExactLookup) -> fmpq_mat | None:
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
def _(node: Transpose, lookup: ExactLookup) -> fmpq_mat | None:
    inner = rational(node.arg, lookup)
    return None if inner is None else inner.transpose()


@of_node.register
def _(node: ops.Quotient, lookup: ExactLookup) -> fmpq_mat | None:
    divisor = to_fmpq(node.divisor)
    inner = rational(node.argument, lookup)
    return None if inner is None or divisor is None else inner * (fmpq(1) / divisor)


def _all_known(values: list[fmpq_mat | None]) -> list[fmpq_mat] | None:
    known = [value for value in values if value is not None]
    return known if len(known) == len(values) else None


@of_node.register
def _(node: ops.ArgMax, lookup: ExactLookup) -> fmpq_mat | None:
    inner = rational(node.argument, lookup)
    return None if inner is None else fmpq_mat([[row.index(max(row))] for row in inner.tolist()])


@of_node.register
def _(node: ops.TopK, lookup: ExactLookup) -> fmpq_mat | None:
    inner = rational(node.argument, lookup)
    if inner is None:
        return None
    rows = [(row, sorted(range(len(row)), key=lambda j: -row[j])[: node.count]) for row in inner.tolist()]
    return fmpq_mat([[int(j in chosen) for j in range(len(row))] for row, chosen in rows])


@of_node.register
def _(node: ops.Keep, lookup: ExactLookup) -> fmpq_mat | None:
    inner, hidden = rational(node.argument, lookup), _hidden(node.mask, lookup)
    if inner is None or hidden is None:
        return None
    pairs = zip(inner.entries(), hidden, strict=True)
    return fmpq_mat(inner.nrows(), inner.ncols(), [fmpq(0) if hides else x for x, hides in pairs])


def _hidden(mask: Basic, lookup: ExactLookup) -> list[bool] | None:
    """Which entries a mask hides, row by row; masks are never positive, so a sum hides what one of its terms hides."""
    mask = same_as_ours(mask)
    if isinstance(mask, Mask):
        rows, columns = whole_sizes(mask)
        return [mask.hides(i, j) for i in range(rows) for j in range(columns)]
    if isinstance(mask, MatAdd) and not mask.has(MatrixSymbol):
        terms = [_hidden(term, lookup) or [] for term in mask.args]
        return [any(places) for places in zip(*terms, strict=True)]
    known = rational(mask, lookup)
    return None if known is None else [x != 0 for x in known.entries()]


@of_node.register
def _(node: ops.Softmax, lookup: ExactLookup) -> fmpq_mat | None:
    scores = logs(node.argument, lookup, rational)
    return weights(scores) if scores is not None and scores.has_logarithms else None


@of_node.register
def _(node: ops.Exp, lookup: ExactLookup) -> fmpq_mat | None:
    inner = logs(node.argument, lookup, rational)
    return exponentials(inner) if inner is not None and inner.has_logarithms else None


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
