"""Numbers in ball arithmetic: SymPy's exact numbers, and what the rules for nodes have in common."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import reduce
from threading import RLock

from flint import arb, ctx, fmpq
from sympy import Add, Expr, Mul, Pow, S, acos, cos, erf, exp, log, sin, tanh

USUAL = 53
"""The precision that FLINT starts with. Where nothing else is said, results are made with it, whatever is found."""

TURN = RLock()
"""Whose turn it is to work with FLINT, which has one precision for all threads of a process."""


@contextmanager
def at_precision(bits: int) -> Iterator[None]:
    """Work with ``bits`` bits of precision inside the ``with``, and restore what was in force before.

    Threads take turns, so that none works with the precision of another one and the last one leaves what the first one
    found. A thread that uses FLINT by itself meanwhile works with ours.
    """
    with TURN:
        before = ctx.prec
        try:
            ctx.prec = bits
            yield
        finally:
            ctx.prec = before


def number_ball(number: Expr) -> arb:
    """A SymPy number as a ball: rationals, roots, exponentials, logarithms, sines, π, …, sums and products of them, ±∞.

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
    """arccos of a number between −1 and 1, whose enclosure may reach beyond."""
    if -1 < x < 1 or not x.is_finite():
        return x.acos()
    least = arb() if not x < 1 else x.upper().acos()
    most = arb.pi() if not x > -1 else x.lower().acos()
    return least.union(most)


def norm(row: list[arb]) -> arb:
    """√(Σ x²)."""
    return root(sum((x * x for x in row), arb()))


def root(total: arb) -> arb:
    """√ of a number that is not negative. Around 0, where FLINT's own root has no answer, the enclosure starts at 0."""
    if total > 0 or total.is_zero():
        return total.sqrt()
    return arb().union(total.upper().sqrt())


def x_log_x(x: arb) -> arb:
    """x ln x of a number that is not negative, with 0 ln 0 = 0; it falls from 0 until 1/e."""
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
"""What the functions of SymPy are called in FLINT."""
