"""The notation of values with free symbols: a² + 2ab + b², max(0, a), e^{a} / (e^{a} + e^{b})."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from sympy import Add, Expr, Integer, Max, Min, Pow, Symbol, exp, ilcm, together

from symattn.base.printed import Figure, decimal_text, shortest
from symattn.compute.solution.store import Store
from symattn.compute.values.rational import digits_of, to_fmpq
from symattn.operations.symbols import Need, pieces
from symattn.show.math import Chain, Fraction, Letter, Math, Number, Parens, Root, Script, Sign, added, joined, seq
from symattn.show.notation.closed_form import length
from symattn.show.notation.figures import RowsOfFigures, Written
from symattn.show.notation.numerals import NUMBER_FUNCTIONS, ScalarWriter, Split, number

LONGEST = 90
"""The most characters of figures and letters in one closed form; a page has no room for more."""

LARGEST = 600
"""The most pieces of a closed form; one with more is surely too long."""

LARGEST_DENOMINATOR = 10
"""The largest denominator that the coefficients of a sum share: (a + b)/2, but 0.21a + 0.5b."""


def short(value: Expr) -> Math | None:
    """Return a value in closed form, or ``None`` if that is too long for a line."""
    if pieces(value, LARGEST) > LARGEST:
        return None
    math = symbolic_value(value)
    return math if length(math) <= LONGEST else None


def symbolic_value(value: Expr) -> Math:
    """Return a value in closed form, sums by falling powers of their symbols.

    >>> from symattn.operations.symbols import entry_symbol
    >>> a = entry_symbol("a")
    >>> symbolic_value(1 + a)
    Seq(parts=(Letter(name='a', style='italic'), Sign(sign='+'), Number(text='1')))
    """
    return _CLOSED.write(value)


class _ClosedForms(ScalarWriter):
    """The writer of values with symbols, in the order of their degrees."""

    def write(self, value: Expr) -> Math:
        if not value.free_symbols:
            return number(value)
        if isinstance(value, Max | Min):
            arguments = sorted(value.args, key=lambda arg: (bool(arg.free_symbols), str(arg)))
            name = Letter(NUMBER_FUNCTIONS[type(value)], "upright")
            return seq(name, Parens(joined(tuple(map(self.write, arguments)), ",")))
        return super().write(exp(together(value.exp), evaluate=False) if isinstance(value, exp) else value)

    def split(self, value: Expr) -> Split:
        coefficient, rest = value.as_coeff_Mul()
        signs, above, below = super().split(value)
        if _is_decimal(coefficient) and not any(isinstance(factor, Add) for factor in above):
            _, above, below = super().split(rest)
            above = [abs(coefficient), *above]
        return signs, above, below

    def row(self, factors: Sequence[Expr]) -> Math:
        return super().row(sorted(factors, key=_place))

    def power(self, value: Expr) -> Math:
        if value.exp.is_Rational and value.exp.q == 2:
            return Script(Parens(Root(self.write(value.base))), sup=number(Integer(value.exp.p)))
        return super().power(value)

    def sum(self, value: Expr) -> Math:
        shared = _shared_denominator(value)
        if shared != 1:
            return Fraction(self._terms(Add(*(term * shared for term in value.args)).args), number(Integer(shared)))
        return self._terms(value.args)

    def _terms(self, terms: Sequence[Expr]) -> Math:
        symbols = sorted({symbol for term in terms for symbol in term.free_symbols}, key=lambda symbol: symbol.name)
        ordered = sorted(terms, key=lambda term: _rank(term, symbols))
        # 1 − a, not −a + 1.
        first = next((term for term in ordered if not _is_negative(term)), ordered[0])
        ordered = [first, *(term for term in ordered if term is not first)] if _is_negative(ordered[0]) else ordered
        with_decimals = any(_is_decimal(term.as_coeff_Mul()[0]) for term in terms)
        parts: list[Math] = []
        for term in ordered:
            math = _beside(-term if _is_negative(term) else term, with_decimals)
            math = Parens(math) if isinstance(term, Add) else math
            parts.append(seq(Sign("-"), math) if _is_negative(term) else math)
        return added(*parts)


_CLOSED = _ClosedForms()


def _is_decimal(coefficient: Expr) -> bool:
    """Return whether a coefficient is written 0.21 and not 21/100."""
    if coefficient.q <= LARGEST_DENOMINATOR:
        return False
    exact = to_fmpq(coefficient)
    return exact is not None and digits_of(exact, 6) is not None


def _place(factor: Expr) -> tuple[int, str]:
    """Return the sort key of a factor: numbers, symbols and their powers, sums, then exponentials and other functions.

    Factors of one kind stay in SymPy's order, which is always the same.
    """
    base = factor.base if isinstance(factor, Pow) else factor
    if not factor.free_symbols:
        return (0 if factor.is_Rational else 1), ""
    return (2, str(base.name)) if isinstance(base, Symbol) else (3 if isinstance(base, Add) else 4, "")


def _shared_denominator(value: Expr) -> int:
    """Return the common denominator of a sum's coefficients if it is small, otherwise 1."""
    coefficients = [term.as_coeff_Mul()[0] for term in value.args]
    shared = int(ilcm(*(coefficient.q for coefficient in coefficients), 1))
    return shared if shared <= LARGEST_DENOMINATOR else 1


def _beside(term: Expr, with_decimals: bool) -> Math:
    """Return a term of a sum; beside 0.15a, 1/5 is 0.2."""
    exact = to_fmpq(term) if with_decimals and term.is_Rational else None
    places = None if exact is None else digits_of(exact, 6)
    return symbolic_value(term) if places is None else Number(decimal_text(int(term * 10**places), places))


def _is_negative(term: Expr) -> bool:
    return bool(term.as_coeff_Mul()[0].is_negative)


def _rank(term: Expr, symbols: Iterable[Symbol]) -> tuple[int, int, tuple[int, ...]]:
    """Return the sort key of a term: higher powers first, then other terms with symbols, then numbers."""
    powers = {base: int(power) for base, power in term.as_powers_dict().items() if base.is_Symbol and power.is_Integer}
    degrees = tuple(-powers.get(symbol, 0) for symbol in symbols)
    return (0 if powers else 1 if term.free_symbols else 2), sum(degrees), degrees


# -- entries -----------------------------------------------------------------------------------------------------


def cells(solution: Store, name: str, decimals: int | None = None) -> RowsOfFigures:
    """Return the entries of a name as later steps use them: figures if they are known, otherwise closed forms."""
    assert solution.symbolic is not None
    memory, value = solution.symbolic.written, solution.symbolic.value(name)
    places = solution.style.places(name) if decimals is None else decimals
    if (name, places) not in memory:
        figures = solution.figures(solution.symbolic.known(name), places)
        memory[name, places] = [
            [
                Written("…", True, short(x)) if x.free_symbols else _known(x, figure)
                for x, figure in zip(values, row, strict=True)
            ]
            for values, row in zip(value.tolist(), figures, strict=True)
        ]
    found: RowsOfFigures = memory[name, places]
    return found


def _known(value: Expr, figure: Figure) -> Figure:
    """Return a figure for a matrix with closed forms; it may be exact even if others are not."""
    if figure.exact or figure.number is None or figure.number != to_fmpq(value):
        return figure
    return replace(figure, exact=True, short=shortest(figure.text))


def assumption(need: Need) -> Chain:
    """Return an assumption such as t ≠ 0."""
    return Chain(symbolic_value(need.value), ((need.relation, Number("0")),))
