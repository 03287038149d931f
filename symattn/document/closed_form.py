"""Exact closed forms, shown where they are short: √2/2, e^{1/2} / (1 + e^{1/2} + e)."""

from __future__ import annotations

from dataclasses import fields, is_dataclass

from sympy import Expr, Rational, together

from symattn.document.math import Call, Chain, Grid, Letter, Math, Number, equation
from symattn.document.notation import number
from symattn.solution import Solution
from symattn.solution.figures import LARGE

LARGEST = 60
"""A step whose closed form holds more numbers than this (an estimate) is not even built."""

LONGEST_ENTRY = 26
"""Characters of figures and letters in one entry."""

LONGEST_ROW = 56
"""Characters of figures and letters in a row of it: a page has no room for more."""

LONGEST_MATRIX = 200
"""Characters of figures and letters in a matrix that is shown whole."""


def closed_form(solution: Solution, name: str, symbol: Math, worked: Math, index: int) -> Chain | None:
    """The matrix in closed form if it is short, else the worked entry if that is, else ``None``.

    Where every printed figure is exact there is nothing to add.
    """
    if _is_of_floats(solution, name) or solution.rows(name) * solution.columns(name) > LARGE:
        return None
    figures = [figure for row in solution.figures(name) for figure in row]
    if all(figure.exact for figure in figures) or solution.closed_form_size(name) > LARGEST:
        return None
    exact = list(solution.exact_value(name))
    if _digits(exact[index]) > LONGEST_ENTRY:
        return None
    entries: list[Math] = []
    for figure, value in zip(figures, exact, strict=True):
        # A figure may have zeros at its end that only the rest of the matrix needs.
        as_printed = figure.exact and not ("." in figure.text and figure.text.endswith("0"))
        entries.append(Number(figure.text) if as_printed else number(together(value, deep=True)))
    columns = solution.columns(name)
    lengths = [length(entry) for entry in entries]
    taken = [length(entry, names=True) for entry in entries]
    wide = max(sum(taken[start : start + columns]) for start in range(0, len(taken), columns))
    if max(lengths) <= LONGEST_ENTRY and sum(taken) <= LONGEST_MATRIX and wide <= LONGEST_ROW:
        rows = (tuple(entries[start : start + columns]) for start in range(0, len(entries), columns))
        return equation(symbol, Grid(tuple(rows)))
    return equation(worked, entries[index]) if lengths[index] <= LONGEST_ENTRY and not figures[index].exact else None


def _is_of_floats(solution: Solution, name: str) -> bool:
    """Whether a name rests on binary floats: fractions over powers of two, a dozen digits long, tell nobody a thing."""
    arrays = (solution.givens[used].array for used in solution.needed(name) if used in solution.givens)
    return any(array is not None and array.origin.taken == "binary" for array in arrays)


def _digits(value: Expr) -> int:
    """The digits of the different numbers in a value: a lower bound of what its closed form takes, found at once."""
    return sum(len(str(abs(n.p))) + (len(str(n.q)) if n.q > 1 else 0) for n in value.atoms(Rational))


def length(math: object, names: bool = False) -> int:
    """How many characters of figures and letters a piece of mathematics holds; ``names`` counts those of functions."""
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
