"""The notation of numbers: √d_k, 10⁻⁵, 1/3, e^{1/2}, also with letters of sizes and of givens.

One writer goes through every tree of numbers: exact ones here, closed forms with symbols (``symbols.py``), numbers over
sizes (``arithmetic.py``), entries of proofs (``entries/trees.py``). Each defines its leaves and the order of terms and
factors.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from sympy import (
    Abs,
    Add,
    Expr,
    Integer,
    Max,
    Min,
    Mul,
    Pow,
    S,
    Symbol,
    acos,
    cos,
    erf,
    exp,
    floor,
    log,
    sin,
    tanh,
)

from symattn.base.printed import decimal_text
from symattn.compute.values.balls import number_ball
from symattn.compute.values.rational import digits_of, to_fmpq
from symattn.show.math import (
    EULER,
    PI,
    Bars,
    Call,
    Fraction,
    Letter,
    Math,
    Number,
    Parens,
    Root,
    Script,
    Sign,
    added,
    multiplied,
    seq,
)
from symattn.show.notation import terms
from symattn.show.notation.names import atom, by_rule

_SAME = (sin, cos, tanh, erf, floor)
NUMBER_FUNCTIONS: Mapping[type, str] = MappingProxyType(
    {log: "ln", acos: "arccos", Max: "max", Min: "min", **{each: each.__name__ for each in _SAME}}
)
"""The names of functions of numbers."""

Split = tuple[int, list[Expr], list[Expr]]
"""The number of signs in front of a product, and its factors above and below a line."""


def split(value: Expr) -> Split:
    """Split a product into the number of signs in front and the factors above and below its line.

    >>> n, m = Symbol("n"), Symbol("m")
    >>> split(-3 * n / (2 * m)), split(1 / (n / m))
    ((1, [3, n], [2, m]), (0, [m], [n]))
    """
    signs = 0
    above: list[Expr] = []
    below: list[Expr] = []
    for factor in Mul.make_args(value):
        if factor.is_Rational:
            signs += bool(factor < 0)
            above.append(Integer(abs(factor.p)))
            below.append(Integer(factor.q))
        elif isinstance(factor, Mul):
            more_signs, more, under = split(factor)
            signs, above, below = signs + more_signs, [*above, *more], [*below, *under]
        elif isinstance(factor, Pow) and factor.exp.is_Rational and factor.exp < 0:
            inverse = factor.base if factor.exp == -1 else Pow(factor.base, -factor.exp, evaluate=False)
            _, more, under = split(inverse) if isinstance(inverse, Mul) else (0, [inverse], [])
            # A fraction below the line stays one: m / (n / d).
            below += more if all(each == 1 for each in under) else [inverse]
        else:
            above.append(factor)
    return signs, above, below


class ScalarWriter:
    """A writer of numbers: sums with signs between their terms, products as one fraction, powers and functions."""

    def write(self, value: Expr) -> Math:
        """Return a number in reading order. Raises :class:`TypeError` for a number without a notation."""
        match value:
            case Symbol():
                return by_rule(value.name)
            case Add():
                return self.sum(value)
            case Pow() if value.exp == S.Half:
                return Root(self.write(value.base))
            case Pow() if not (value.exp.is_Rational and value.exp.is_negative):
                return self.power(value)
            case Mul() | Pow():
                return self.product(value)
            case exp():
                return Script(EULER, sup=self.write(value.exp))
            case Abs():
                return Bars(self.write(value.args[0]))
        if type(value) in NUMBER_FUNCTIONS:
            return Call(NUMBER_FUNCTIONS[type(value)], tuple(map(self.write, value.args)))
        return self.leaf(value)

    def leaf(self, value: Expr) -> Math:
        """Return a number without letters."""
        return number(value)

    def sum(self, value: Expr) -> Math:
        """Return a sum."""
        return added(*map(self.write, value.args))

    def product(self, value: Expr) -> Math:
        """Return a product or a power."""
        signs, above, below = self.split(value)
        above, below = ([factor for factor in side if factor != 1] for side in (above, below))
        whole = Fraction(self.top(above), self.row(below)) if below else self.row(above)
        for _ in range(signs):
            whole = terms.negative(whole)
        return whole

    def split(self, value: Expr) -> Split:
        """Return the signs of a product, and its factors above and below the line."""
        return split(value)

    def top(self, factors: Sequence[Expr]) -> Math:
        """Return factors above a line."""
        return self.row(factors)

    def row(self, factors: Sequence[Expr]) -> Math:
        """Return factors side by side, each in parentheses if it would include its neighbour."""
        if len(factors) < 2:
            return self.write(factors[0]) if factors else Number("1")
        written = [self.write(factor) for factor in factors]
        closed = [*map(terms.factor, written[:-1]), terms.one_term(written[-1])]
        return self.beside([*map(_grouped, factors, closed)])

    def beside(self, factors: Sequence[Math]) -> Math:
        """Return written factors in a row."""
        return multiplied(*factors)

    def power(self, value: Expr) -> Math:
        """Return a power above a line."""
        return Script(_base(self.write(value.base)), sup=number(value.exp))


def _grouped(factor: Expr, math: Math) -> Math:
    """Return a factor beside others: a sum that is written as a fraction is in parentheses, too."""
    return Parens(math) if isinstance(factor, Add) and isinstance(math, Fraction) else math


def _base(math: Math) -> Math:
    """Return the base of a power, in parentheses unless it reads as one thing."""
    is_loose = isinstance(math, Root) or (isinstance(math, Number) and any(sign in math.text for sign in "/^"))
    return Parens(math) if is_loose else atom(math)


def number(value: Expr) -> Math:
    """Return an exact number or a number with the names of sizes: √d_k, 10⁻⁵, 1/3, e^{1/2}.

    >>> from sympy import Rational
    >>> number(Rational(1, 100000))
    Script(base=Number(text='10'), sub=None, sup=Number(text='-5'))
    >>> number(2 * log(3))
    Seq(parts=(Number(text='2'), Letter(name='ln', style='upright'), Number(text='3')))
    >>> number(9 * Rational(2) ** Rational(1, 4)).parts[1]
    Sign(sign='·')
    """
    return _EXACT.write(value)


class _ExactNumbers(ScalarWriter):
    """The writer of numbers that SymPy has evaluated, in an order of its own."""

    def write(self, value: Expr) -> Math:
        if value.is_Rational:
            return _rational(value)
        if value in (S.Infinity, S.NegativeInfinity):
            return Number("oo" if value is S.Infinity else "-oo")
        if value is S.Exp1:
            return EULER
        if value is S.Pi:
            return PI
        if isinstance(value, log) and value.args[0].is_Integer:
            return seq(Letter("ln", "upright"), self.write(value.args[0]))
        if isinstance(value, Symbol | Add | Mul | Pow | exp) or type(value) in NUMBER_FUNCTIONS:
            return super().write(value)
        raise TypeError(f"no notation for the number {type(value).__name__}")

    def sum(self, value: Expr) -> Math:
        terms = sorted(value.args, key=_size)
        return added(*(seq(Sign("-"), number(-x)) if x.could_extract_minus_sign() else number(x) for x in terms))

    def product(self, value: Expr) -> Math:
        above, below = value.as_numer_denom()
        if below != 1 and all(isinstance(part, Pow) and part.exp == S.Half for part in (above, below)):
            return Root(Fraction(number(above.base), number(below.base)))  # SymPy takes √(6/n) apart
        return super().product(value)

    def power(self, value: Expr) -> Math:
        return super().power(value) if value.as_numer_denom()[1] == 1 else self.product(value)

    def split(self, value: Expr) -> Split:
        above, below = value.as_numer_denom()
        if below == 1:
            above, minus = value, value.as_coeff_Mul()[0] < 0
        else:
            minus = all(term.could_extract_minus_sign() for term in Add.make_args(above))
        return int(bool(minus)), [*Mul.make_args(-above if minus else above)], [*Mul.make_args(below)]

    def top(self, factors: Sequence[Expr]) -> Math:
        *numbers, last = factors or (S.One,)
        if isinstance(last, log) and all(each.is_Rational for each in numbers):
            # Inside a sentence a line is a slash: ln(6)/2 is not the logarithm of 3.
            return multiplied(*map(number, numbers), Call("ln", (number(last.args[0]),)))
        return self.row(factors)


_EXACT = _ExactNumbers()


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


def _size(term: Expr) -> tuple[float, str]:
    """Return the sort key of a term by size, so that 1 + e^{1/2} + e ascends; only the order depends on the float."""
    return (float(number_ball(term).mid()) if term.is_number else 0.0, str(term))


def shifted(index: Math, by: Expr | int) -> Math:
    """Return i + 2, or for a figure the sum.

    >>> shifted(Letter("j"), -3).parts[1:]
    (Sign(sign='-'), Number(text='3'))
    """
    step = Integer(by) if isinstance(by, int) else by
    if step == 0:
        return index
    if not step.is_Integer:
        less = step.could_extract_minus_sign()
        return seq(index, Sign("-" if less else "+"), terms.one_term(number(-step if less else step)))
    if isinstance(index, Number):
        return Number(str(int(index.text) + int(step)))
    return seq(index, Sign("+" if step > 0 else "-"), Number(str(abs(step))))
