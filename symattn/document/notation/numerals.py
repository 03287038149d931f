"""How exact numbers are written: √d_k, 10⁻⁵, 1/3, e^{1/2}; with letters of sizes and of givens as they are."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from sympy import Add, Expr, Mul, Pow, S, Symbol, acos, cos, erf, exp, log, sin, tanh

from symattn.document.math import (
    EULER,
    PI,
    Call,
    Fraction,
    Letter,
    Math,
    Number,
    Root,
    Script,
    Sign,
    added,
    multiplied,
    seq,
)
from symattn.document.notation.names import atom, by_rule
from symattn.values.number import number_ball
from symattn.values.rational import digits_of, to_fmpq
from symattn.values.rounding import decimal_text

NUMBER_FUNCTIONS: Mapping[type, str] = MappingProxyType(
    {log: "ln", acos: "arccos", sin: "sin", cos: "cos", tanh: "tanh", erf: "erf"}
)
"""What functions of numbers are called."""


def number(value: Expr) -> Math:
    """An exact number or a number with the names of sizes: √d_k, 10⁻⁵, 1/3, e^{1/2}.

    >>> from sympy import Rational
    >>> number(Rational(1, 100000))
    Script(base=Number(text='10'), sub=None, sup=Number(text='-5'))
    >>> number(2 * log(3))
    Seq(parts=(Number(text='2'), Letter(name='ln', style='upright'), Number(text='3')))
    >>> number(9 * Rational(2) ** Rational(1, 4)).parts[1]
    Sign(sign='·')
    """
    if value.is_Rational:
        return _rational(value)
    if isinstance(value, Symbol):
        return by_rule(value.name)
    if value in (S.Infinity, S.NegativeInfinity):
        return Number("oo" if value is S.Infinity else "-oo")
    if value is S.Exp1:
        return EULER
    if value is S.Pi:
        return PI
    if isinstance(value, exp):
        return Script(EULER, sup=number(value.exp))
    if isinstance(value, log) and value.args[0].is_Integer:
        return seq(Letter("ln", "upright"), number(value.args[0]))
    if type(value) in NUMBER_FUNCTIONS:
        return Call(NUMBER_FUNCTIONS[type(value)], (number(value.args[0]),))
    if isinstance(value, Pow) and value.exp == S.Half:
        return Root(number(value.base))
    if isinstance(value, Mul | Pow):
        return _product(value)
    if isinstance(value, Add):
        return _sum(value)
    raise TypeError(f"no notation for the number {type(value).__name__}")


def _rational(value: Expr) -> Math:
    if value.is_Integer:
        digits = str(abs(int(value)))
        zeros = len(digits) - 1
        if zeros >= 6 and digits == "1" + "0" * zeros:
            return Number(f"{'-' if value < 0 else ''}10^{zeros}")
        return Number(str(int(value)))
    exact = to_fmpq(value)
    places = digits_of(exact, 12) if exact is not None else None
    if value.p == 1 and str(value.q).strip("0") == "1" and places is not None and places > 3:
        return Script(Number("10"), sup=Number(f"-{places}"))
    if places is not None and value.q > 10:
        return Number(decimal_text(int(value * 10**places), places))
    fraction = Fraction(Number(str(abs(int(value.p)))), Number(str(int(value.q))))
    return seq(Sign("-"), fraction) if value < 0 else fraction


def _product(value: Expr) -> Math:
    numerator, denominator = value.as_numer_denom()
    if all(isinstance(part, Pow) and part.exp == S.Half for part in (numerator, denominator)):
        # SymPy takes √(6/n) apart.
        return Root(Fraction(number(numerator.base), number(denominator.base)))
    if denominator != 1:
        negative = all(term.could_extract_minus_sign() for term in Add.make_args(numerator))
        fraction = Fraction(_above(-numerator if negative else numerator), number(denominator))
        return seq(Sign("-"), fraction) if negative else fraction
    if isinstance(value, Pow):
        return Script(atom(number(value.base)), sup=number(value.exp))
    coefficient, rest = value.as_coeff_Mul()
    factors = [] if coefficient in (1, -1) else [number(abs(coefficient))]
    *others, last = rest.args if rest.is_Mul else (rest,)
    factors += [*map(_factor, others), atom(number(last)) if isinstance(last, Add) else number(last)]
    return seq(*([Sign("-")] if coefficient < 0 else []), multiplied(*factors))


def _above(numerator: Expr) -> Math:
    """What stands above a line, which inside a sentence is a slash: ln(6)/2 is not the logarithm of 3."""
    coefficient, last = numerator.as_coeff_Mul()
    if not isinstance(last, log):
        return number(numerator)
    return seq(*([] if coefficient == 1 else [number(coefficient)]), Call("ln", (number(last.args[0]),)))


def _factor(value: Expr) -> Math:
    """A factor with others behind it, which do not belong to what stands under its logarithm."""
    return atom(number(value)) if isinstance(value, Add | log) else number(value)


def _sum(value: Expr) -> Math:
    terms = sorted(value.args, key=_size)
    return added(*(seq(Sign("-"), number(-x)) if x.could_extract_minus_sign() else number(x) for x in terms))


def _size(term: Expr) -> tuple[float, str]:
    """Terms of a sum in order of size, so that 1 + e^{1/2} + e reads upwards; only the order depends on the float."""
    return (float(number_ball(term).mid()) if term.is_number else 0.0, str(term))
