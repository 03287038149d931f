"""The key ``symbols``: letters for numbers in givens and formulas, read by the same reader as numbers."""

from __future__ import annotations

from fractions import Fraction
from math import sqrt as root

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sympy import Expr, Matrix, Rational, Symbol, cos, sqrt

from symattn import derive
from symattn.base.errors import FormulaError, SymattnError
from symattn.operations.symbols import entry_symbol, needs_of, tidy
from symattn.read.formula import read_number
from symattn.read.given import Given
from symattn.read.scenario.load import loads
from symattn.read.scenario.model import Scenario

A, B, T = map(entry_symbol, "abt")
NAMES = ("a", "b", "t")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a", A),
        ("2*t", 2 * T),
        ("(a+b)/2", A / 2 + B / 2),
        ("sqrt(2)*t", sqrt(2) * T),
        ("a^2", A**2),
        ("-a/t", -A / T),
        ("(a + b)^2 - (a - b)^2", 4 * A * B),
        ("a - a", Rational(0)),
        ("0.21*a", Rational(21, 100) * A),
    ],
)
def test_entries_with_symbols_are_read_exactly(text: str, value: Expr) -> None:
    assert read_number(text, NAMES) == value


def test_symbols_are_real_numbers() -> None:
    assert read_number("a", NAMES).is_real
    assert read_number("sqrt(a^2)", NAMES) == abs(A)


def test_sympy_expressions_are_taken_with_their_names_and_nothing_else() -> None:
    positive = Symbol("a", positive=True)
    assert Given.read([[positive**2 / 2, "b"]], NAMES).values == ((A**2 / 2, B),)
    for wrong in (positive + 0.5, Symbol("z"), cos(positive)):
        with pytest.raises(FormulaError):
            Given.read([[wrong]], NAMES)


# -- anything at all

LEAVES = st.sampled_from(["a", "b", "t", "1", "2", "0.5", "-3", "7"])


def _pair(parts: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    binary = st.tuples(parts, st.sampled_from("+-*/"), parts).map(lambda p: f"({p[0]}){p[1]}({p[2]})")
    power = st.tuples(parts, st.sampled_from(["2", "3", "-1"])).map(lambda p: f"({p[0]})^{p[1]}")
    return st.one_of(binary, power, parts.map(lambda part: f"sqrt(({part})^2 + 1)"))


TEXTS = st.recursive(LEAVES, _pair, max_leaves=8)
"""Numbers in symbols as people write them."""


def in_floats(text: str, values: dict[str, float]) -> float:
    """What Python makes of a text of this grammar: the second road."""
    return float(eval(text.replace("^", "**"), {"__builtins__": {}, "sqrt": root}, values))  # noqa: S307


@settings(max_examples=40, deadline=None, derandomize=True)
@given(TEXTS)
def test_what_is_read_is_what_python_makes_of_it(text: str) -> None:
    try:
        value = read_number(text, NAMES)
    except SymattnError:
        return
    numbers = {"a": Fraction(7, 5), "b": Fraction(-11, 13), "t": Fraction(17, 3)}
    try:
        expected = in_floats(text, {name: float(number) for name, number in numbers.items()})
    except (ZeroDivisionError, OverflowError):
        return
    put_in = {entry_symbol(name): Rational(number.numerator, number.denominator) for name, number in numbers.items()}
    found = complex(value.xreplace(put_in).evalf(30))
    assert abs(found - expected) <= 1e-6 * max(1, abs(expected))
    assert tidy(value) == value or tidy(tidy(value)) == tidy(value)
    list(needs_of(value))


# -- numbers in a file


def substituted(numbers: str) -> Scenario:
    given = 'title = "t"\nsymbols = ["a", "t"]\n[given]\nX = [["a", "1/t"]]'
    steps = '[[section]]\ntitle = "s"\nsteps = ["Y = X / t"]'
    return loads(f"{given}\n{steps}\n[substitute]\n{numbers}", path="lesson.toml")


def test_a_file_puts_numbers_in_the_place_of_symbols() -> None:
    assert derive(substituted("t = 2"))["Y"].exact == Matrix([[A / 2, Rational(1, 4)]])
    assert derive(substituted('t = "2"')).render() == derive(substituted("")).substitute(t="2").render()
    assert derive(substituted('t = "0.1"\na = "sqrt(2)"'))["Y"].decimals(3) == (("14.142", "100.000"),)
