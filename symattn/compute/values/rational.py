"""Evaluate formulas over the rationals, in FLINT's ``fmpq_mat``: the quick way to an exact value.

Most nodes are evaluated by their equations, in the arithmetic :class:`Rationals`; the result is ``None`` where the
value leaves the rationals (a root, an exponential, −∞). Exponentials of logarithms are handled by
:mod:`symattn.compute.values.logarithm`. The other exact evaluator, :mod:`symattn.compute.values.exact`, covers every
formula and is slower.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache, wraps
from operator import add, mul, neg, sub, truediv
from types import MappingProxyType
from typing import Any, NoReturn

from flint import fmpq, fmpq_mat, fmpz
from sympy import Basic, Expr, MatAdd, MatMul, MatPow, MatrixSymbol, Transpose

from symattn import operations as ops
from symattn.base.budget import spend
from symattn.base.shapes import whole_sizes
from symattn.compute.values.applied import frame, given_to
from symattn.compute.values.cost import LONGEST, cost, is_too_long, spend_on_product
from symattn.compute.values.logarithm import ExactLookup, Logs, exponentials, logs, weights
from symattn.operations.equations.run import run
from symattn.operations.equations.tree import Apply, Branch, Operation, Piece, children
from symattn.operations.equations.whole import COMPARED
from symattn.operations.masks import Mask
from symattn.operations.stages import Stage, same_as_ours


class IrrationalError(Exception):
    """A number is neither rational nor the square root of a rational."""


@dataclass(frozen=True)
class SquareRoot:
    """√q or −√q, for a rational q that is no square.

    >>> rational_root(fmpq(2)) * rational_root(fmpq(8)), rational_root(fmpq(2)) < fmpq(3, 2)
    (4, True)
    """

    square: fmpq
    sign: int = 1

    @property
    def signed(self) -> fmpq:
        """The square with the sign of the number, which orders such numbers."""
        return self.square * self.sign

    def __mul__(self, other: SquareRoot | fmpq) -> SquareRoot | fmpq:
        signed = self.signed * _signed(other)
        return rational_root(signed) if signed >= 0 else -rational_root(-signed)

    __rmul__ = __mul__

    def __truediv__(self, other: SquareRoot | fmpq) -> SquareRoot | fmpq:
        return self * (1 / other if isinstance(other, fmpq) else SquareRoot(1 / other.square, other.sign))

    def __rtruediv__(self, other: fmpq) -> SquareRoot | fmpq:
        return SquareRoot(1 / self.square, self.sign) * other

    def __neg__(self) -> SquareRoot:
        return SquareRoot(self.square, -self.sign)

    def __abs__(self) -> SquareRoot:
        return SquareRoot(self.square)

    def __pow__(self, exponent: int) -> SquareRoot | fmpq:
        whole = self.square ** (exponent // 2)
        return self * whole if exponent % 2 else whole

    def __lt__(self, other: SquareRoot | fmpq) -> bool:
        return bool(self.signed < _signed(other))

    def __le__(self, other: SquareRoot | fmpq) -> bool:
        return bool(self.signed <= _signed(other))

    def __gt__(self, other: SquareRoot | fmpq) -> bool:
        return bool(self.signed > _signed(other))

    def __ge__(self, other: SquareRoot | fmpq) -> bool:
        return bool(self.signed >= _signed(other))

    def _no_sum(self, other: object) -> NoReturn:
        raise IrrationalError

    __add__ = __radd__ = __sub__ = __rsub__ = __mod__ = __floor__ = _no_sum


def _signed(x: SquareRoot | fmpq) -> fmpq:
    return x.signed if isinstance(x, SquareRoot) else x * abs(x)


class _Outside:
    """A number that is not rational, such as −∞: it may be selected or skipped, but not used in arithmetic."""

    def _refused(self, *_: object) -> NoReturn:
        raise IrrationalError

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = _refused
    __lt__ = __le__ = __gt__ = __ge__ = __mod__ = __rmod__ = __neg__ = __abs__ = __pow__ = __rpow__ = _refused


OUTSIDE = _Outside()


def rational_root(square: SquareRoot | fmpq) -> SquareRoot | fmpq:
    """Return the square root.

    >>> rational_root(fmpq(25, 4)), rational_root(fmpq(2))
    (5/2, SquareRoot(square=2, sign=1))
    """
    if not isinstance(square, fmpq) or square < 0:
        raise IrrationalError
    top, bottom = square.p, square.q
    if not (top.is_square() and bottom.is_square()):
        return SquareRoot(square)
    return fmpq(top.isqrt(), bottom.isqrt())


WORD = 500
"""Bits that one step of long-number arithmetic handles."""


def _by_bits(rule: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """Wrap an operation: charge the budget for each bit, and give up where a number is too long to keep."""

    @wraps(rule)
    def asked(x: Any, y: Any) -> Any:
        _ask(_bits(x) + _bits(y))
        return rule(x, y)

    return asked


def _bits(x: Any) -> int:
    number = x.square if isinstance(x, SquareRoot) else x
    return int(number.height_bits()) if isinstance(number, fmpq) else 0


def _ask(bits: int) -> None:
    if bits > LONGEST:
        raise IrrationalError  # as if it were none: enclosures still know every digit
    if bits > WORD:
        spend(bits // WORD * max(1, bits.bit_length() - 8))


def _power(x: Any, exponent: int | Fraction) -> Any:
    if isinstance(exponent, int):
        _ask(_bits(x) * abs(exponent))
        return x**exponent
    if exponent.denominator != 2:
        raise IrrationalError
    return rational_root(x) ** exponent.numerator


def _remainder(x: Any, y: Any) -> Any:
    # FLINT's fractions have no % of their own; for roots the result is unknown.
    return x - y * fmpq((x / y).floor()) if isinstance(x, fmpq) and isinstance(y, fmpq) else _irrational()


def _irrational(*_: Any) -> NoReturn:
    raise IrrationalError


def _shares(values: list[Any], divisor: Any) -> list[Any]:
    return [x / divisor for x in values] if divisor != 0 else _irrational()


IRRATIONAL = ("exp", "log", "tanh", "erf", "sin", "cos", "acos", "xlogx", "pi", "oo")
"""Functions whose values are irrational, save where the function is not needed."""

FUNCTIONS: Mapping[str, Callable[..., Any]] = MappingProxyType(
    {
        "add": _by_bits(add),
        "sub": _by_bits(sub),
        "mul": _by_bits(mul),
        "div": _by_bits(truediv),
        "shares": _shares,
        "pow": _power,
        "mod": _remainder,
        "neg": neg,
        "sqrt": rational_root,
        "abs": abs,
        "floor": lambda x: fmpq(x.floor()) if isinstance(x, fmpq) else _irrational(),
        "min": min,
        "max": max,
        **dict.fromkeys(IRRATIONAL, _irrational),
    }
)
"""The elementary functions of equations, over the rationals."""


@lru_cache(maxsize=1000)
def leaves_the_rationals(operation: Operation) -> bool:
    """Return whether every case of an operation uses a function with irrational values."""

    def leaves(piece: Piece) -> bool:
        if isinstance(piece, Branch):
            return leaves(piece.condition) or (leaves(piece.then) and leaves(piece.otherwise))
        return (isinstance(piece, Apply) and piece.function in IRRATIONAL) or any(map(leaves, children(piece)))

    return any(leaves(equation.body) for equation in operation.equations)


class Rationals:
    """Arithmetic in FLINT's rationals; raises ``IrrationalError`` for other numbers."""

    functions = FUNCTIONS

    def number(self, value: int | Fraction) -> fmpq:
        return fmpq(value.numerator, value.denominator)

    def sum(self, values: list[Any]) -> Any:
        return sum(values, fmpq(0))

    def max(self, values: list[Any]) -> Any:
        return max(values)

    def compare(self, sign: str, left: Any, right: Any) -> bool:
        return bool(COMPARED[sign](left, right))

    def either(self, then: Any, otherwise: Any, condition: object) -> NoReturn:
        raise IrrationalError

    def product(self, left: list[list[fmpq]], right: list[list[fmpq]]) -> list[list[fmpq]]:
        a, b = fmpq_mat(left), fmpq_mat(right)
        spend_on_product(a, b)
        return (a * b).tolist()


RATIONALS = Rationals()


def to_fmpq(number: Expr) -> fmpq | None:
    """Convert a SymPy rational to FLINT's, or return ``None``.

    >>> from sympy import Rational, sqrt
    >>> to_fmpq(Rational(1, 3)), to_fmpq(sqrt(2))
    (1/3, None)
    """
    number = number if number.is_Rational else number.doit()
    return fmpq(int(number.p), int(number.q)) if number.is_Rational else None


def rational(node: Basic, lookup: ExactLookup) -> fmpq_mat | None:
    """Return the value of a formula, if it is rational; ``lookup`` returns rationals or logarithms of rationals.

    A value that is too long is treated as irrational; enclosures still know every digit that is printed.
    """
    if isinstance(node, MatrixSymbol):
        return of_node(node, lookup)
    spend(cost(node))
    value = of_node(node, lookup)
    return None if value is None or is_too_long(value) else value


@Stage
def of_node(node: Basic, lookup: ExactLookup) -> fmpq_mat | None:
    """Return the value of a node, if it is rational; rules evaluate the operands themselves."""
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
    for binary in bin(exponent)[3:]:  # the same steps as **, with the budget checked on the way
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
    """Return which entries a mask hides, row by row; masks are never positive: a sum hides what any term hides."""
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
    """Return how many decimals write ``value`` exactly; ``None`` if more than ``limit`` are needed.

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
