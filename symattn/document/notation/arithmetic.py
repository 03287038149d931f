"""Numbers over sizes in reading order: in letters, with figures put in, and with the fractions in them worked out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sympy import Add, Expr, Mul, Pow, Rational, S, Symbol

from symattn.document.math import Bars, Fraction, Math, Number, Parens, Root, Script, Seq, Sign, added, equation, seq
from symattn.document.notation.formulas import Names, formula, number
from symattn.document.notation.terms import one_term
from symattn.operations.counting import Kept
from symattn.quantities import put_in

PutIn = Mapping[Expr, Expr]


def ordered(value: Expr, letters: Sequence[Expr] = ()) -> Expr:
    """A number in the order people write: higher powers first, the letters of a product as in ``letters``.

    >>> m, n = Symbol("m"), Symbol("n")
    >>> ordered(1 + n).args, ordered(n * (1 + n) / 2).args, ordered(m * n**2, (n, m)).args
    ((n, 1), (1/2, n, n + 1), (n**2, m))
    """
    if isinstance(value, Add):
        return Add(*(ordered(term, letters) for term in value.as_ordered_terms()), evaluate=False)
    if isinstance(value, Mul):
        factors = sorted(value.as_ordered_factors(), key=lambda factor: _position(factor, letters))
        return Mul(*(ordered(factor, letters) for factor in factors), evaluate=False)
    if isinstance(value, Pow):
        return Pow(ordered(value.base, letters), value.exp, evaluate=False)
    return value


def _position(factor: Expr, letters: Sequence[Expr]) -> int:
    """Numbers, then powers of the letters in their order, then everything else."""
    if factor.is_number:
        return -1
    base = factor.base if isinstance(factor, Pow) else factor
    return letters.index(base) if base in letters else len(letters)


def letters_in(value: Expr) -> tuple[Expr, ...]:
    """The letters of a number, each once, in reading order.

    >>> m, n = Symbol("m"), Symbol("n")
    >>> letters_in(Mul(n, m, n, evaluate=False))
    (n, m)
    """
    if isinstance(value, Symbol):
        return (value,)
    inner = () if isinstance(value, Kept) else value.args
    return tuple(dict.fromkeys(letter for argument in inner for letter in letters_in(argument)))


def in_figures(value: Expr, names: Names, known: PutIn) -> Math:
    """The number with its figures put in and nothing worked out: 6² · 3."""
    return _Writer(names, known).write(value)


def worked_out(value: Expr, names: Names, known: PutIn) -> Math:
    """The number with its figures put in and every fraction worked out: √(6/5)."""
    return _Writer(names, known, collapses=True).write(value)


def in_symbols(value: Expr, names: Names, dots: bool = False) -> Math:
    """The number as it was written: √(6 / (n + d_k)); its letters side by side, or with dots: m n, m·n.

    >>> n = Symbol("n")
    >>> in_symbols(ordered(n * (n + 1) / 2), Names()).numerator.parts[0]
    Letter(name='n', style='italic')
    """
    return _Writer(names, {}, dots=dots).write(value)


class _Writer:
    def __init__(self, names: Names, known: PutIn, collapses: bool = False, dots: bool = True) -> None:
        self.names, self.known, self.collapses, self.dots = names, known, collapses, dots

    def write(self, value: Expr) -> Math:
        """One number; sums and products keep the order of their arguments."""
        if self.collapses and isinstance(found := put_in(value, self.known), Rational):
            return number(found)
        if value in self.known:
            return number(self.known[value])
        match value:
            case Kept():
                return self._kept(value)
            case Symbol():
                return self.names(value.name)
            case Add():
                return added(*map(self.write, value.args))
            case Pow() if value.exp == S.Half:
                return Root(self.write(value.base))
            case Pow() if not value.exp.is_negative:
                return Script(_base(self.write(value.base)), sup=number(value.exp))
            case Mul() | Pow():
                return self._product(value)
        return number(value)

    def _kept(self, kept: Kept) -> Math:
        if kept.letters is not None:
            return self.write(ordered(kept.letters))
        return Bars(equation(formula(kept.mask, self.names), Number("0")))  # how many entries are 0

    def _product(self, value: Expr) -> Math:
        above, below = _factors(value)
        minus = bool(above) and above[0] == -1
        top = self._factors_in_a_row(above[1:] if minus else above)
        whole = Fraction(top, self._factors_in_a_row(below)) if below else top
        return seq(Sign("-"), whole) if minus else whole

    def _factors_in_a_row(self, factors: list[Expr]) -> Math:
        written = [self.write(factor) for factor in factors] or [Number("1")]
        if len(written) == 1:
            return written[0]
        row: list[Math] = []
        for factor in map(one_term, written):
            row += [Sign("·"), factor] if row and (self.dots or _begins_with_a_figure(factor)) else [factor]
        return seq(*row)


def _factors(value: Expr) -> tuple[list[Expr], list[Expr]]:
    """What stands above and below the line of a product."""
    above: list[Expr] = []
    below: list[Expr] = []
    for factor in Mul.make_args(value):
        if isinstance(factor, Mul):
            more, under = _factors(factor)
            above += more
            below += under
        elif isinstance(factor, Pow) and factor.exp.is_negative:
            base = factor.base if factor.exp == -1 else Pow(factor.base, -factor.exp, evaluate=False)
            more, under = _factors(base) if isinstance(base, Mul) else ([base], [])
            # A fraction below the line stays one: m / (n / d).
            below += [base] if under else more
        elif isinstance(factor, Rational) and factor.q != 1:
            above += [Rational(factor.p)] if factor.p != 1 else []
            below.append(Rational(factor.q))
        else:
            above.append(factor)
    return above, below


def _begins_with_a_figure(math: Math) -> bool:
    match math:
        case Number():
            return True
        case Script(base):
            return _begins_with_a_figure(base)
        case Fraction() | Root():
            return True
    return False


def _base(math: Math) -> Math:
    """Under an exponent: in parentheses unless it reads as one thing."""
    loose = isinstance(math, Seq | Fraction | Root) or (isinstance(math, Script) and math.sup is not None)
    return Parens(math) if loose or (isinstance(math, Number) and not math.text.isdigit()) else math
