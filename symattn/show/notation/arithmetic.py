"""Numbers over sizes in reading order: in letters, with figures put in, and with their fractions evaluated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sympy import Add, Expr, Mul, Pow, Rational, Symbol

from symattn.operations.terms import Kept
from symattn.read.quantities import put_in
from symattn.show.math import Bars, Math, Number, equation, joined
from symattn.show.notation.formulas import Names, formula, number
from symattn.show.notation.numerals import ScalarWriter

PutIn = Mapping[Expr, Expr]


def ordered(value: Expr, letters: Sequence[Expr] = ()) -> Expr:
    """Return a number in the usual order: higher powers first, the letters of a product as in ``letters``.

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
    """Return the sort key of a factor: numbers, then powers of the letters in their order, then everything else."""
    if factor.is_number:
        return -1
    base = factor.base if isinstance(factor, Pow) else factor
    return letters.index(base) if base in letters else len(letters)


def letters_in(value: Expr) -> tuple[Expr, ...]:
    """Return the letters of a number, each once, in reading order.

    >>> m, n = Symbol("m"), Symbol("n")
    >>> letters_in(Mul(n, m, n, evaluate=False))
    (n, m)
    """
    if isinstance(value, Symbol):
        return (value,)
    inner = () if isinstance(value, Kept) else value.args
    return tuple(dict.fromkeys(letter for argument in inner for letter in letters_in(argument)))


def in_figures(value: Expr, names: Names, known: PutIn) -> Math:
    """Return the number with its figures put in and nothing evaluated: 6² · 3."""
    return _OverSizes(names, known).write(value)


def worked_out(value: Expr, names: Names, known: PutIn) -> Math:
    """Return the number with its figures put in and every fraction evaluated: √(6/5)."""
    return _OverSizes(names, known, collapses=True).write(value)


def in_symbols(value: Expr, names: Names, dots: bool = False) -> Math:
    """Return the number as it was written: √(6 / (n + d_k)); its letters side by side, or with dots: m n, m·n.

    >>> n = Symbol("n")
    >>> in_symbols(ordered(n * (n + 1) / 2), Names()).numerator.parts[0]
    Letter(name='n', style='italic')
    """
    return _OverSizes(names, {}, dots=dots).write(value)


class _OverSizes(ScalarWriter):
    """The writer of numbers over sizes; sums and products keep the order of their arguments."""

    def __init__(self, names: Names, known: PutIn, collapses: bool = False, dots: bool = True) -> None:
        self.names, self.known, self.collapses, self.dots = names, known, collapses, dots

    def write(self, value: Expr) -> Math:
        if self.collapses and isinstance(found := put_in(value, self.known), Rational):
            return number(found)
        if value in self.known:
            return number(self.known[value])
        if isinstance(value, Kept):
            if value.letters is not None:
                return self.write(ordered(value.letters))
            return Bars(equation(formula(value.mask, self.names), Number("0")))  # how many entries are 0
        return self.names(value.name) if isinstance(value, Symbol) else super().write(value)

    def beside(self, factors: Sequence[Math]) -> Math:
        return joined(tuple(factors), "·") if self.dots else super().beside(factors)
