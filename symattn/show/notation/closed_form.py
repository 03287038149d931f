"""Exact closed forms, shown if they are short: √2/2, e^{1/2} / (1 + e^{1/2} + e)."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from re import findall

from sympy import Expr, MatMul, MatrixSymbol, Rational, cos, exp, sin, together
from sympy.simplify.fu import TR8

from symattn.base.printed import Figure
from symattn.base.shapes import whole_sizes
from symattn.compute.solution.figures import LARGE
from symattn.compute.solution.proofs import entry_size
from symattn.compute.solution.store import Store
from symattn.compute.values.certify import unless_open
from symattn.compute.values.rational import digits_of, to_fmpq
from symattn.operations import Softmax
from symattn.operations.stages import same_as_ours
from symattn.show.math import Call, Chain, Grid, Letter, Math, Number, equation, every
from symattn.show.notation.formulas import number

LARGEST = 60
"""The most numbers (an estimate) in the closed form of a step; a larger one is not even built."""

LONGEST_ENTRY = 26
"""The most characters of figures and letters in one entry."""

AT_A_GLANCE = 8
"""The most characters of figures and letters in one entry of a closed form that a lesson shows."""

ALL_AT_A_GLANCE = 24
"""The most characters of figures and letters in all of its entries."""

LONGEST_NUMBER = 5
"""The most digits of one whole number in an entry: √625010/62501 means nothing to a reader."""

LONGEST_ROW = 56
"""The most characters of figures and letters in one row of a matrix; a page has no room for more."""

LONGEST_MATRIX = 200
"""The most characters of figures and letters in a matrix that is shown whole."""


def closed_form(solution: Store, name: str, symbol: Math, worked: Math, index: int) -> Chain | None:
    """Return the matrix in closed form if it is short, otherwise the worked entry if that is, otherwise ``None``.

    If every printed figure is exact there is nothing to add.
    """
    if _is_of_floats(solution, name) or solution.rows(name) * solution.columns(name) > LARGE:
        return None
    figures = [figure for row in solution.figures(name) for figure in row]
    if all(figure.exact for figure in figures) or entry_size(solution, name) > LARGEST:
        return None
    if least_digits(solution, name, *divmod(index, solution.columns(name))) > LONGEST_ENTRY:
        return None
    exact = unless_open(lambda: list(solution.exact_value(name)))
    if exact is None or _digits(exact[index]) > LONGEST_ENTRY:
        return None
    if _has_long_numbers(exact[index]):
        return None
    decimal = all(map(_is_decimal, exact))

    def entry(figure: Figure, value: Expr) -> Math:
        # A figure may have zeros at its end that only the rest of the matrix needs.
        as_printed = figure.exact and not ("." in figure.text and figure.text.endswith("0"))
        if figure.exact and decimal and not as_printed:
            return Number(figure.text.rstrip("0").rstrip("."))
        return Number(figure.text) if as_printed else number(together(without_products(value), deep=True))

    one = entry(figures[index], exact[index])
    if length(one) > LONGEST_ENTRY:
        return None
    alone = None if figures[index].exact else equation(worked, one)
    if len(exact) > LONGEST_MATRIX or any(map(_has_long_numbers, exact)):
        return alone
    entries: list[Math] = []
    room = LONGEST_MATRIX
    for figure, value in zip(figures, exact, strict=True):
        entries.append(entry(figure, value))
        room -= length(entries[-1], names=True)
        if length(entries[-1]) > LONGEST_ENTRY or (room < 0 and len(exact) > 1):
            return alone  # SymPy is slow for each entry, so the rest is not computed
    if len(entries) == 1:
        return equation(symbol, one)
    columns = solution.columns(name)
    taken = [length(entry, names=True) for entry in entries]
    wide = max(sum(taken[start : start + columns]) for start in range(0, len(taken), columns))
    if sum(taken) <= LONGEST_MATRIX and wide <= LONGEST_ROW:
        rows = (tuple(entries[start : start + columns]) for start in range(0, len(entries), columns))
        return equation(symbol, Grid(tuple(rows)))
    return alone


def exact_entry(solution: Store, name: str, index: int) -> Math | None:
    """Return one entry in closed form if it is short and its figure is not exact."""
    columns = solution.columns(name)
    figure = solution.figures(name)[index // columns][index % columns]
    if figure.exact or _is_of_floats(solution, name) or entry_size(solution, name) > LARGEST:
        return None
    if least_digits(solution, name, *divmod(index, columns)) > LONGEST_ENTRY:
        return None
    exact = unless_open(lambda: solution.exact_value(name)[index])
    if exact is None or _digits(exact) > LONGEST_ENTRY or _has_long_numbers(exact):
        return None
    entry = number(together(without_products(exact), deep=True))
    return entry if length(entry) <= LONGEST_ENTRY else None


def teaches(form: Chain) -> bool:
    """Return whether a closed form says more than decimals at a glance: √2/2, but not 43√9995/9995 or a longer decimal.

    >>> from symattn.show.math import Root, Script
    >>> s = Letter("s")
    >>> [teaches(equation(s, side)) for side in (Root(Number("2")), Number("0.0210775"), Root(Number("9995")))]
    [True, False, False]
    """
    entries = [entry for _, side in form.links for entry in _entries(side)]
    plain = all(isinstance(entry, Number) and "/" not in entry.text for entry in entries)
    lengths = [length(entry) for entry in entries]
    if plain or max(lengths) > AT_A_GLANCE or sum(lengths) > ALL_AT_A_GLANCE:
        return False
    return all(_digits_of(entry) <= 2 for entry in entries)


def _entries(side: Math) -> list[Math]:
    return [entry for row in side.rows for entry in row] if isinstance(side, Grid) else [side]


def _digits_of(math: Math) -> int:
    """Return the digits of the longest whole number in a piece of mathematics."""
    whole = (figure.text for figure in every(Number, math) if "." not in figure.text)
    return max((len(digits) for text in whole for digits in findall(r"\d+", text)), default=0)


def without_products(value: Expr) -> Expr:
    """Return the same number without products of sines and cosines; products that cancel disappear.

    >>> without_products(cos(1) ** 2 + sin(1) ** 2), without_products(cos(2) * cos(1) + sin(2) * sin(1))
    (1, cos(1))
    >>> without_products(exp(-cos(3) * sin(1)))
    exp(-sin(4)/2 + sin(2)/2)
    """
    if not value.has(sin, cos):
        return value
    if value.has(exp):
        return value.replace(lambda part: isinstance(part, exp), lambda part: exp(without_products(part.exp)))
    return TR8(value.expand()).expand()


def _is_of_floats(solution: Store, name: str) -> bool:
    """Return whether a name rests on binary floats, whose fractions over powers of two are too long to read."""
    arrays = (solution.givens[used].array for used in solution.needed(name) if used in solution.givens)
    return any(array is not None and array.origin.taken == "binary" for array in arrays)


def _digits(value: Expr) -> int:
    """Return the digits of the different numbers in a value: a lower bound for its closed form, found at once."""
    return sum(_length(n.p, n.q) for n in value.atoms(Rational))


def _length(numerator: object, denominator: object) -> int:
    return len(str(numerator).lstrip("-")) + (len(str(denominator)) if denominator != 1 else 0)


def least_digits(solution: Store, name: str, i: int, j: int) -> int:
    """Return a lower bound for the digits of an entry, found without building it.

    A share of exponentials has all exponents of its row in its denominator, and so has a sum of shares times numbers
    that are not all zero, if no two of the exponents are equal and could cancel.
    """
    formula = solution.step(name).formula
    if isinstance(formula, MatMul) and len(formula.args) == 2:
        shares, other = solution.formula(name).args
        if not (
            isinstance(shares, MatrixSymbol) and isinstance(same_as_ours(solution.step(shares.name).formula), Softmax)
        ):
            return 0
        if solution.operand_rational(shares.name) is not None or not other.is_Matrix:
            return 0
        column = (solution.evaluate_rational(other) or [])[j :: whole_sizes(other)[1]]
        return least_digits(solution, shares.name, i, 0) if any(column) else 0
    if not isinstance(same_as_ours(formula), Softmax):
        return 0
    width = solution.columns(name)
    row = (solution.evaluate_rational(solution.formula(name).argument) or [])[i * width : (i + 1) * width]
    return sum(_length(x.p, x.q) for x in row if x not in (0, 1)) if len(set(row)) == len(row) else 0


def _is_decimal(value: Expr) -> bool:
    """Return whether a value is a decimal of no more than a dozen digits."""
    exact = to_fmpq(value) if value.is_Rational else None
    return exact is not None and digits_of(exact, 12) is not None


def _has_long_numbers(value: Expr) -> bool:
    """Return whether a value with roots or powers has a number with more digits than a reader takes in."""
    digits = 10**LONGEST_NUMBER
    return not value.is_Rational and any(abs(n.p) >= digits or n.q >= digits for n in value.atoms(Rational))


def length(math: object, names: bool = False) -> int:
    """Return the characters of figures and letters in a piece of mathematics; ``names`` adds the names of functions."""
    if isinstance(math, Letter):
        return len(math.name)
    if isinstance(math, Number):
        return len(math.text)
    if isinstance(math, Call):
        return len(math.function) * names + length(math.arguments, names)
    if isinstance(math, tuple):
        return sum(length(part, names) for part in math)
    if is_dataclass(math):
        return sum(length(getattr(math, field.name), names) for field in fields(math))
    return 0
