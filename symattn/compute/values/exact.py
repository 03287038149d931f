"""Evaluate formulas in exact arithmetic, entry by entry in SymPy.

Most nodes are evaluated by their equations. Values of early steps are short; those of a deep layer hold every path
through it and are built only on request, never to print a decimal.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from types import MappingProxyType
from typing import Any, Protocol

from sympy import (
    Abs,
    Basic,
    Expr,
    ImmutableDenseMatrix,
    Integer,
    MatAdd,
    MatMul,
    MatPow,
    MatrixExpr,
    MatrixSymbol,
    Max,
    Min,
    Mul,
    Pow,
    Rational,
    S,
    Transpose,
    exp,
    floor,
    log,
    sqrt,
)

from symattn import operations as ops
from symattn.base.budget import spend
from symattn.base.errors import DomainError, NoValueError, UndecidedError, cut
from symattn.base.remembered import cached_property
from symattn.base.shapes import whole_sizes
from symattn.compute.values.applied import compared_with_zero, frame, given_to
from symattn.compute.values.balls import at_precision, number_ball
from symattn.compute.values.certify import LAST_BITS, START_BITS
from symattn.compute.values.cost import DEEP
from symattn.compute.values.zero import is_zero
from symattn.operations import ELU, ClipNorm, RowMax
from symattn.operations.entry import FUNCTIONS
from symattn.operations.equations.run import run
from symattn.operations.equations.whole import COMPARED
from symattn.operations.stages import Stage


def known_order(left: Expr, right: Expr) -> int:
    """Compare two numbers without symbols: −1, 0 or 1 as the left is smaller, equal or larger.

    Raises :class:`~symattn.base.errors.UndecidedError` where neither enclosures nor exact arithmetic can tell.

    Raises :class:`~symattn.base.errors.DomainError` for what is no number.

    >>> known_order(sqrt(2), S(3) / 2), known_order(S.One, S.One), known_order(sqrt(8), 2 * sqrt(2))
    (-1, 0, 0)
    """
    for value in (left, right):
        if value.has(S.NaN, S.ComplexInfinity):
            raise DomainError("a number has no value: an infinite value or a division by 0 cannot be used here")
    if left == right:
        return 0
    for bits in (START_BITS, LAST_BITS):
        with at_precision(bits):
            a, b = number_ball(left), number_ball(right)
            if a < b or a > b:
                return 1 if a > b else -1
        if bits == START_BITS and is_zero(left - right):
            return 0
    raise UndecidedError(f"which of {cut(str(left))} and {cut(str(right))} is larger cannot be decided")


def larger(first: Expr, *others: Expr) -> Expr:
    """Return the largest of several values; of those without symbols only the largest is kept.

    >>> from symattn.operations.symbols import entry_symbol
    >>> larger(S(0), entry_symbol("a"), S(2)), larger(S(1), S(2))
    (Max(2, a), 2)
    """
    open_values: dict[Expr, None] = {}
    known: list[Expr] = []
    for value in (first, *others):
        if value.free_symbols:
            open_values[value] = None
            continue
        if not known or known_order(known[0], value) == -1:
            known = [value]
    kept = [*known, *open_values]
    return kept[0] if len(kept) == 1 else Max(*kept, evaluate=False)


def _elu(x: Expr) -> Expr:
    """max(0, x) + e^min(0, x) − 1, which is x above 0 and e^x − 1 below."""
    if x.free_symbols:
        return larger(S.Zero, x) + exp(Min(S.Zero, x, evaluate=False)) - 1
    return x if known_order(x, S.Zero) >= 0 else exp(x) - 1


def _row_max(x: ImmutableDenseMatrix) -> ImmutableDenseMatrix:
    return ImmutableDenseMatrix(x.rows, 1, [larger(*row) for row in x.tolist()])


def _clip(node: ClipNorm, x: ImmutableDenseMatrix) -> ImmutableDenseMatrix:
    length = sqrt(sum((entry**2 for entry in x), S.Zero))
    share = node.threshold.doit() / length
    if not share.free_symbols:
        return x if known_order(share, S.One) >= 0 else x.applyfunc(lambda entry: entry * share)
    factor = Min(S.One, share, evaluate=False)
    return x.applyfunc(lambda entry: entry * factor)


CASES: Mapping[type, Callable[..., ImmutableDenseMatrix]] = MappingProxyType(
    {ELU: lambda node, x: x.applyfunc(_elu), RowMax: lambda node, x: _row_max(x), ClipNorm: _clip}
)
"""Rules for nodes of one argument whose exact rule needs signs and order, for operands with free symbols."""


LONG = 10_000
"""The largest multiple of a logarithm whose exponential SymPy may write out as a power."""

BY_ROOT = 20
"""Factor by which each nested root or quotient in a sum slows SymPy's division by it: it looks for the sign of the sum,
digit by digit."""


class ExactNames(Protocol):
    """The parts of a solution that the exact rules use."""

    def exact_value(self, name: str) -> ImmutableDenseMatrix:
        """Return the exact value of a name."""
        ...

    def signs(self, formula: MatrixExpr, what: str) -> tuple[tuple[int, ...], ...]:
        """Return the certified sign of every entry of a formula: −1, 0 or 1."""
        ...

    def largest(self, formula: MatrixExpr) -> tuple[int, ...]:
        """Return the column of a largest entry of every row of a formula, certified."""
        ...

    def top(self, formula: MatrixExpr, count: int) -> tuple[tuple[int, ...], ...]:
        """Return the columns of the ``count`` largest entries of every row, certified; of ties the first."""
        ...

    def is_longer(self, formula: MatrixExpr, threshold: Expr) -> bool:
        """Return whether the norm of a formula, over all entries, exceeds a number, certified."""
        ...


@Stage
def exact(node: Basic, names: ExactNames) -> ImmutableDenseMatrix:
    """Return the exact value of a formula."""
    frame(node)  # raises an error for a node without equations, before any lookup
    operands = [exact(arg, names) for arg in node.args if arg.is_Matrix]
    return in_closed_form(node, operands, names)


def in_closed_form(node: Basic, operands: Sequence[ImmutableDenseMatrix], names: ExactNames) -> ImmutableDenseMatrix:
    """Apply the equations of a node to the exact values of its matrices."""
    given = given_to(node, [operand.tolist() for operand in operands], _scalar)
    return ImmutableDenseMatrix(run(given, _Exact(_Signs(node, operands, names))))


def _scalar(number: Expr) -> Expr:
    return number if number.is_Rational else number.doit()


def _is_deep(value: Expr) -> bool:
    """Return whether a value has more than ``DEEP`` pieces, without counting the rest."""
    waiting, seen = [value], 0  # ``count_ops`` imports half of SymPy
    while waiting and seen <= DEEP:
        waiting.extend(waiting.pop().args)
        seen += 1
    return seen > DEEP


def _roots(value: Expr) -> int:
    """Return how deep powers of sums are nested in a value."""
    inside: int = max(map(_roots, value.args), default=0)
    return inside + bool(value.is_Pow and value.base.is_Add)


def _divided(numerator: Expr, denominator: Expr) -> Expr:
    """Return the quotient, unevaluated in a deep layer: SymPy would search its thousands of factors for equal bases,
    for minutes, and find none."""
    if not _is_deep(denominator):
        if denominator.is_Add:
            spend(BY_ROOT ** _roots(denominator))
        return numerator / denominator
    return Mul(numerator, Pow(denominator, -1, evaluate=False), evaluate=False)


def _shares(values: list[Expr], divisor: Expr) -> list[Expr]:
    # 0 / 0 where all scores of a row are −∞: weights of 0, where a solution lets them through.
    return values if divisor is S.Zero and not any(values) else [_divided(x, divisor) for x in values]


def _power(x: Expr) -> Expr:
    """Return e^x. SymPy would look for the sign of an exponent of thousands of terms, digit by digit, and would write
    out the millions of digits of e^(10^6 ln 2)."""
    return exp(x, evaluate=not (_is_deep(x) or (x.has(log) and _has_long_numbers(x))))


def _floor(x: Expr) -> Expr:
    """Return the floor, proved by enclosures and exact arithmetic: SymPy would ask for digits, and may not get them."""
    if x.is_Rational or x.free_symbols:
        return floor(x)
    with at_precision(START_BITS):
        near = number_ball(x).mid().floor().unique_fmpz()
    if near is None:
        raise UndecidedError(f"the floor of {cut(str(x))} cannot be decided")
    least = Integer(int(near))
    for whole in (least + 1, least):
        if known_order(x, whole) >= 0:
            return whole
    return least - 1


def _has_long_numbers(x: Expr) -> bool:
    return any(abs(number) > LONG for number in x.atoms(Rational))


@dataclass(frozen=True)
class _Signs:
    """The signs of a node's operands, certified by the solution instead of derived from closed forms."""

    node: Basic
    operands: Sequence[ImmutableDenseMatrix]
    names: ExactNames

    def order(self, left: Expr, right: Expr) -> int:
        """Compare two numbers: −1, 0 or 1 as the left is smaller, equal or larger."""
        if left is S.Zero or right is S.Zero:
            other, sign = (right, -1) if left is S.Zero else (left, 1)
            if other in self._certified:
                return sign * self._certified[other]
        if left.is_Rational and right.is_Rational:
            return bool(left > right) - bool(left < right)
        return known_order(left, right)

    @cached_property
    def _certified(self) -> Mapping[Expr, int]:
        """The signs of operands that are compared with 0, unless they hold free symbols."""
        of, found = frame(self.node), dict[Expr, int]()
        compared = compared_with_zero(of.operation)
        matrices = (arg for arg in self.node.args if arg.is_Matrix)
        for (name, _), arg, value in zip(of.matrices, matrices, self.operands, strict=True):
            if name in compared and not value.free_symbols:
                signs = self.names.signs(arg, f"the input of {of.operation.name}")
                found.update(zip(value, (sign for row in signs for sign in row), strict=True))
        return found


@dataclass(frozen=True)
class _Exact:
    """Arithmetic in SymPy's numbers. Comparisons are certified, or stay written out if free symbols decide them."""

    known: _Signs

    @property
    def functions(self) -> Mapping[str, Callable[..., Any]]:
        return {**_FUNCTIONS, "max": self.larger, "min": self.smaller, "abs": self.absolute}

    def number(self, value: int | Fraction) -> Expr:
        return Rational(value.numerator, value.denominator)

    def sum(self, values: list[Expr]) -> Expr:
        return sum(values, S.Zero)

    def max(self, values: list[Expr]) -> Expr:
        return reduce(self.larger, values)

    def larger(self, left: Expr, right: Expr) -> Expr:
        if left.free_symbols or right.free_symbols:
            return larger(left, right)
        return left if self.known.order(left, right) >= 0 else right

    def smaller(self, left: Expr, right: Expr) -> Expr:
        if left.free_symbols or right.free_symbols:
            return -larger(-left, -right)
        return left if self.known.order(left, right) <= 0 else right

    def absolute(self, x: Expr) -> Expr:
        return Abs(x) if x.free_symbols else x if self.known.order(x, S.Zero) >= 0 else -x

    def compare(self, sign: str, left: Expr, right: Expr) -> bool:
        name = frame(self.known.node).operation.name
        for side in (left, right):
            if side.free_symbols:
                raise NoValueError(
                    f"{name} distinguishes cases by {cut(str(side))}, which holds free symbols; put numbers in their "
                    "place with substitute(…)"
                )
        return COMPARED[sign](self.known.order(left, right), 0)

    def either(self, then: Expr, otherwise: Expr, condition: object) -> Expr:
        raise UndecidedError("a case is open")

    def product(self, left: list[list[Expr]], right: list[list[Expr]]) -> list[list[Expr]]:
        return (ImmutableDenseMatrix(left) * ImmutableDenseMatrix(right)).tolist()  # type: ignore[no-any-return]


_FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    **FUNCTIONS,
    "div": _divided,
    "shares": _shares,
    "exp": _power,
    "mod": lambda x, y: x - y * _floor(x / y),
    "floor": _floor,
    "xlogx": lambda x: S.Zero if x.is_zero else x * log(x),
}
"""The elementary functions of equations, in SymPy."""


@exact.register
def _(node: MatrixSymbol, names: ExactNames) -> ImmutableDenseMatrix:
    return names.exact_value(node.name)


@exact.register
def _(node: MatMul, names: ExactNames) -> ImmutableDenseMatrix:
    factors = [exact(arg, names) if arg.is_Matrix else _scalar(arg) for arg in node.args]
    return reduce(lambda a, b: a * b, factors)


@exact.register
def _(node: MatAdd, names: ExactNames) -> ImmutableDenseMatrix:
    return reduce(lambda a, b: a + b, (exact(arg, names) for arg in node.args))


@exact.register
def _(node: MatPow, names: ExactNames) -> ImmutableDenseMatrix:
    return reduce(lambda a, b: a * b, [exact(node.base, names)] * int(node.exp))


@exact.register
def _(node: Transpose, names: ExactNames) -> ImmutableDenseMatrix:
    return exact(node.arg, names).T


@exact.register
def _(node: ops.RowMax, names: ExactNames) -> ImmutableDenseMatrix:
    x = exact(node.argument, names)
    return ImmutableDenseMatrix(x.rows, 1, [x[i, j] for i, j in enumerate(names.largest(node.argument))])


@exact.register
def _(node: ops.ArgMax, names: ExactNames) -> ImmutableDenseMatrix:
    places = names.largest(node.argument)
    return ImmutableDenseMatrix(len(places), 1, list(map(Integer, places)))


@exact.register
def _(node: ops.TopK, names: ExactNames) -> ImmutableDenseMatrix:
    chosen, columns = names.top(node.argument, node.count), whole_sizes(node)[1]
    return ImmutableDenseMatrix(
        len(chosen), columns, [Integer(int(j in row)) for row in chosen for j in range(columns)]
    )
