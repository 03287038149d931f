"""The arithmetic of balls for equations: FLINT's, with what it has no answer for where an enclosure reaches too far."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import reduce
from operator import add, mul, neg, sub, truediv
from types import MappingProxyType
from typing import Any

from flint import arb, arb_mat, fmpq

from symattn.equations.whole import COMPARED, OPPOSITE
from symattn.values.number import arccos, root, x_log_x


def larger(a: arb, b: arb) -> arb:
    """The larger one of two numbers; of a number and itself that number, however wide its ball is."""
    return a if a is b or a >= b else b if b >= a else a.max(b)


def _smaller(a: arb, b: arb) -> arb:
    return a if a is b or a <= b else b if b <= a else a.min(b)


def power(x: arb, exponent: Any) -> arb:
    """x to a power; roots of rational exponents are taken first, so that those of whole numbers stay exact."""
    if exponent == 2:
        return x * x
    if not isinstance(exponent, Fraction):
        # FLINT takes a power of what is centred at 0 by its logarithm, and finds none.
        if isinstance(exponent, int) and exponent > 0 and x.mid() == 0:
            return reduce(mul, [x] * exponent)
        return x**exponent  # type: ignore[no-any-return]
    numerator, denominator = exponent.numerator, exponent.denominator
    taken = root(x) if denominator == 2 else x.root(denominator)
    return taken**numerator


def remainder(x: arb, y: arb) -> arb:
    """x less y as often as it goes into x."""
    return x - y * (x / y).floor()


def shares(values: list[arb], divisor: arb) -> list[arb]:
    """All of them divided by one number."""
    if divisor.is_zero():
        # Shares of a row of scores that are all −∞ are 0, where a solution lets them through: it has proved the rest.
        return [x if x.is_zero() else x / divisor for x in values]
    if divisor.is_exact() or len(values) < 3:
        return [x / divisor for x in values]
    factor = 1 / divisor
    return [x * factor for x in values]


FUNCTIONS: Mapping[str, Callable[..., Any]] = MappingProxyType(
    {
        "add": add,
        "sub": sub,
        "mul": mul,
        "div": truediv,
        "shares": shares,
        "pow": power,
        "powers": lambda values, n: list(map(mul, values, values)) if n == 2 else [power(x, n) for x in values],
        "mod": remainder,
        "neg": neg,
        "exp": arb.exp,
        "log": arb.log,
        "sqrt": root,
        "tanh": arb.tanh,
        "erf": arb.erf,
        "sin": arb.sin,
        "cos": arb.cos,
        "acos": arccos,
        "abs": abs,
        "floor": arb.floor,
        "min": _smaller,
        "max": larger,
        "xlogx": x_log_x,
        "pi": arb.pi,
        "oo": arb.pos_inf,
    }
)
"""The elementary functions of equations in balls."""


class Balls:
    """Balls of the precision in force. Where a case is open, both branches together."""

    functions = FUNCTIONS

    def number(self, value: int | Fraction) -> arb:
        return arb(value) if isinstance(value, int) else arb(fmpq(value.numerator, value.denominator))

    def sum(self, values: list[arb]) -> arb:
        return sum(values, arb())

    def max(self, values: list[arb]) -> arb:
        return reduce(larger, values)

    def compare(self, sign: str, left: arb, right: arb) -> bool | None:
        if left is right:  # the largest of several is one of them: a number is equal to itself, however wide its ball
            return sign in ("==", "<=", ">=")
        if COMPARED[sign](left, right):
            return True
        return False if COMPARED[OPPOSITE[sign]](left, right) else None

    def either(self, then: arb, otherwise: arb, condition: object) -> arb:
        return then.union(otherwise)

    def product(self, left: list[list[arb]], right: list[list[arb]]) -> list[list[arb]]:
        return (arb_mat(left) * arb_mat(right)).tolist()


BALLS = Balls()
