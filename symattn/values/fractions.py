"""The arithmetic of rationals for equations, with square roots of rationals on the way: they may cancel."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache, wraps
from operator import add, mul, neg, sub, truediv
from types import MappingProxyType
from typing import Any, NoReturn

from flint import fmpq, fmpq_mat

from symattn.budget import spend
from symattn.equations.tree import Apply, Branch, Operation, Piece, children
from symattn.equations.whole import COMPARED
from symattn.values.cost import LONGEST, spend_on_product


class IrrationalError(Exception):
    """A number is no rational and no square root of one."""


@dataclass(frozen=True)
class SquareRoot:
    """√q or −√q, for a rational q that is no square.

    >>> root(fmpq(2)) * root(fmpq(8)), root(fmpq(2)) < fmpq(3, 2)
    (4, True)
    """

    square: fmpq
    sign: int = 1

    @property
    def signed(self) -> fmpq:
        """The square with the sign of the number: what is larger has a larger one."""
        return self.square * self.sign

    def __mul__(self, other: SquareRoot | fmpq) -> SquareRoot | fmpq:
        signed = self.signed * _signed(other)
        return root(signed) if signed >= 0 else -root(-signed)

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
    """A number that is no rational, such as −∞: it may be picked, or passed over, but not worked with."""

    def _refused(self, *_: object) -> NoReturn:
        raise IrrationalError

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = _refused
    __lt__ = __le__ = __gt__ = __ge__ = __mod__ = __rmod__ = __neg__ = __abs__ = __pow__ = __rpow__ = _refused


OUTSIDE = _Outside()


def root(square: SquareRoot | fmpq) -> SquareRoot | fmpq:
    """The square root.

    >>> root(fmpq(25, 4)), root(fmpq(2))
    (5/2, SquareRoot(square=2, sign=1))
    """
    if not isinstance(square, fmpq) or square < 0:
        raise IrrationalError
    top, bottom = square.p, square.q
    if not (top.is_square() and bottom.is_square()):
        return SquareRoot(square)
    return fmpq(top.isqrt(), bottom.isqrt())


WORD = 500
"""Bits that a step of arithmetic with long numbers takes."""


def _by_bits(rule: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """Arithmetic that asks the budget for each bit, and ends where a number is longer than is worth keeping."""

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
    return root(x) ** exponent.numerator


def _remainder(x: Any, y: Any) -> Any:
    # FLINT's fractions have no % of their own; of what is a root nothing is known.
    return x - y * fmpq((x / y).floor()) if isinstance(x, fmpq) and isinstance(y, fmpq) else _irrational()


def _irrational(*_: Any) -> NoReturn:
    raise IrrationalError


def _shares(values: list[Any], divisor: Any) -> list[Any]:
    return [x / divisor for x in values] if divisor != 0 else _irrational()


IRRATIONAL = ("exp", "log", "tanh", "erf", "sin", "cos", "acos", "xlogx", "pi", "oo")
"""Functions whose values are no rationals, save where nobody needs a function."""

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
        "sqrt": root,
        "abs": abs,
        "floor": lambda x: fmpq(x.floor()) if isinstance(x, fmpq) else _irrational(),
        "min": min,
        "max": max,
        **dict.fromkeys(IRRATIONAL, _irrational),
    }
)
"""The elementary functions of equations over the rationals."""


@lru_cache(maxsize=1000)
def leaves_the_rationals(operation: Operation) -> bool:
    """Whether the result of an operation is made with a function whose values are no rationals, in every case."""

    def leaves(piece: Piece) -> bool:
        if isinstance(piece, Branch):
            return leaves(piece.condition) or (leaves(piece.then) and leaves(piece.otherwise))
        return (isinstance(piece, Apply) and piece.function in IRRATIONAL) or any(map(leaves, children(piece)))

    return any(leaves(equation.body) for equation in operation.equations)


class Rationals:
    """FLINT's rationals; ``IrrationalError`` for what is none."""

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
