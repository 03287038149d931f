"""Accept exact numbers from Python, and refuse the rest."""

from __future__ import annotations

from collections.abc import Collection
from decimal import Decimal
from math import isfinite

from sympy import Expr, Rational, S, exp, log, oo

from symattn.base import limits
from symattn.base.errors import FormulaError, cut, shown
from symattn.read.formula import read_number
from symattn.read.formula.special import power_of_logarithms


def exact(value: object, symbols: Collection[str] = ()) -> Expr:
    """Convert text, ``int``, ``Fraction``, ``Decimal`` or SymPy to an exact number; a float is refused.

    It may contain the names in ``symbols``, which stand for any real number.

    >>> exact("0.1"), exact(3), exact(2 * log(3))
    (1/10, 3, 2*log(3))
    >>> exact(0.1)
    Traceback (most recent call last):
        ...
    symattn.base.errors.FormulaError: 0.1 is a binary float and no longer the number that was meant: write "0.1"
    """
    if isinstance(value, str):
        return read_number(value, symbols)
    if isinstance(value, float):
        hint = f'write "{value!r}"' if isfinite(value) else 'an infinity is written "-oo"'
        raise FormulaError(f"{value!r} is a binary float and no longer the number that was meant: {hint}")
    if isinstance(value, Decimal):
        return read_number(str(value))
    if isinstance(value, bool) or not (isinstance(value, int | Expr) or hasattr(value, "numerator")):
        raise FormulaError(
            f'{shown(str(value))} ({type(value).__name__}) is not a number: expected text such as "0.21"'
        )
    if any(part.bit_length() > limits.POWER_DIGITS * 10 // 3 for part in _whole_parts(value)):
        raise FormulaError(f"a whole number has more than POWER_DIGITS = {limits.POWER_DIGITS} digits")
    number = value if isinstance(value, Expr) else Rational(str(value))
    if any(atom.is_Float for atom in number.atoms()):
        raise FormulaError(f"{number} holds a float: expected an exact number")
    if symbols and number.free_symbols:
        # Written as text and read again: whatever assumptions the caller's symbols have, ours are real numbers.
        return read_number(str(number), symbols)
    if not (number in (oo, -oo) or (_is_built_exactly(number) and number.is_real and power_of_logarithms(number) <= 1)):
        raise FormulaError(f"{cut(str(number))} is not a number made of fractions, roots, powers of e and logarithms")
    return number


def _whole_parts(value: object) -> list[int]:
    """Return the integers that a number contains."""
    if isinstance(value, Expr):
        return [int(part) for atom in value.atoms(Rational) for part in (atom.p, atom.q)]
    parts = (getattr(value, "numerator", 0), getattr(value, "denominator", 1))
    return [part for part in parts if isinstance(part, int)]


def _is_built_exactly(number: Expr) -> bool:
    if number.is_Rational or number is S.Exp1:
        return True
    if isinstance(number, log):
        argument = number.args[0]
        largest = 10**limits.RADICAND_DIGITS
        return bool(argument.is_Rational and argument > 0 and max(argument.p, argument.q) < largest)
    if number.is_Pow and not (number.base is S.Exp1 or (2 * number.exp).is_Integer):
        return False
    return bool(number.is_Add or number.is_Mul or number.is_Pow or isinstance(number, exp)) and all(
        map(_is_built_exactly, number.args)
    )
