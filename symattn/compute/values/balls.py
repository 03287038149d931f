"""Ball arithmetic for equations, based on FLINT, and the conversion of SymPy's exact numbers to balls."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from fractions import Fraction
from functools import reduce
from operator import add, mul, neg, sub, truediv
from threading import RLock
from types import MappingProxyType
from typing import Any

from flint import arb, arb_mat, ctx, fmpq
from sympy import Add, Expr, Mul, Pow, S, acos, cos, erf, exp, log, sin, tanh

from symattn.operations.equations.whole import COMPARED, OPPOSITE

USUAL = 53
"""FLINT's default precision, at which results are made unless another one is set."""

TURN = RLock()
"""Held while a thread works with FLINT, which has one precision for all threads of a process."""


@contextmanager
def at_precision(bits: int) -> Iterator[None]:
    """Work with ``bits`` bits of precision inside the ``with`` block, then restore the previous precision.

    Threads take turns, so that none works at another thread's precision and the last one restores what the first one
    found. A thread that uses FLINT without this context meanwhile works at our precision.
    """
    with TURN:
        before = ctx.prec
        try:
            ctx.prec = bits
            yield
        finally:
            ctx.prec = before


def number_ball(number: Expr) -> arb:
    """Convert a SymPy number to a ball: rationals, roots, exp, log, sines, π, …, sums and products of them, ±∞.

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
    if type(number) in _FUNCTIONS:
        return _FUNCTIONS[type(number)](number_ball(number.args[0]))
    if number is S.NegativeInfinity:
        return arb.neg_inf()
    if number is S.Infinity:
        return arb.pos_inf()
    if number in (S.NaN, S.ComplexInfinity):
        return arb.nan()
    raise TypeError(f"no ball rule for the number {type(number).__name__}")


def arccos(x: arb) -> arb:
    """arccos of a number between −1 and 1 whose enclosure may reach beyond that range."""
    if -1 < x < 1 or not x.is_finite():
        return x.acos()
    least = arb() if not x < 1 else x.upper().acos()
    most = arb.pi() if not x > -1 else x.lower().acos()
    return least.union(most)


def norm(row: list[arb]) -> arb:
    """√(Σ x²)."""
    return ball_root(sum((x * x for x in row), arb()))


def ball_root(total: arb) -> arb:
    """√x of a number that is not negative. Around 0, where FLINT's root returns NaN, the enclosure starts at 0."""
    if total > 0 or total.is_zero():
        return total.sqrt()
    return arb().union(total.upper().sqrt())


def x_log_x(x: arb) -> arb:
    """x ln x of a number that is not negative, with 0 ln 0 = 0; it falls between 0 and 1/e."""
    if x.is_zero():
        return arb()
    if x > 0:
        return x * x.log()
    largest = x.upper()
    return arb().union(largest * largest.log()) if largest < arb("0.36") else arb.nan()


_FUNCTIONS: dict[type, Callable[[arb], arb]] = {
    acos: arccos,
    cos: arb.cos,
    erf: arb.erf,
    log: arb.log,
    sin: arb.sin,
    tanh: arb.tanh,
}
"""SymPy's functions, each with its FLINT counterpart."""


def larger(a: arb, b: arb) -> arb:
    """Return the larger of two numbers; of a number and itself that number, however wide its ball is."""
    return a if a is b or a >= b else b if b >= a else a.max(b)


def _smaller(a: arb, b: arb) -> arb:
    return a if a is b or a <= b else b if b <= a else a.min(b)


def ball_power(x: arb, exponent: Any) -> arb:
    """Raise x to a power; roots of rational exponents are taken first, so that those of whole numbers stay exact."""
    if exponent == 2:
        return x * x
    if not isinstance(exponent, Fraction):
        # FLINT takes a power of a ball centred at 0 by its logarithm, which is undefined.
        if isinstance(exponent, int) and exponent > 0 and x.mid() == 0:
            return reduce(mul, [x] * exponent)
        return x**exponent  # type: ignore[no-any-return]
    numerator, denominator = exponent.numerator, exponent.denominator
    taken = ball_root(x) if denominator == 2 else x.root(denominator)
    return taken**numerator


def remainder(x: arb, y: arb) -> arb:
    """Return the remainder x − y ⌊x / y⌋."""
    return x - y * (x / y).floor()


def shares(values: list[arb], divisor: arb) -> list[arb]:
    """Divide all values by one number."""
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
        "pow": ball_power,
        "powers": lambda values, n: list(map(mul, values, values)) if n == 2 else [ball_power(x, n) for x in values],
        "mod": remainder,
        "neg": neg,
        "exp": arb.exp,
        "log": arb.log,
        "sqrt": ball_root,
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
"""The elementary functions of equations, in balls."""


class Balls:
    """Arithmetic in balls at the current precision. An undecided case returns the union of both branches."""

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
