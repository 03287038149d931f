"""The key ``symbols``: letters for numbers in givens and formulas, read by the same reader as numbers."""

from __future__ import annotations

from fractions import Fraction
from math import sqrt as root

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sympy import Expr, Matrix, Rational, Symbol, cos, sqrt

from symattn import derive, limits
from symattn.errors import FormulaError, SymattnError
from symattn.formula import read_number
from symattn.given import Given
from symattn.operations.symbols import entry_symbol, needs_of, tidy
from symattn.scenario.load import loads
from symattn.scenario.model import Scenario

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


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("c", "number 'c': unknown symbol 'c': known: a, b, t"),
        ("a b", "a and b stand side by side"),
        ("a/0", "number 'a/0': division by zero"),
        ("1/(a - a)", "number '1/(a - a)': division by zero"),
        ("1/((a + 1)^2 - a^2 - 2*a - 1)", "division by zero"),
        ("a^65", "the exponent 65 of a is larger than SYMBOL_EXPONENT = 64"),
        ("(a^64)^64", "a is raised to more than SYMBOL_EXPONENT = 64"),
        ("2^a", "the exponent a is not a whole number"),
        ("a.T", "a is a number, expected a matrix"),
        ("a @ b", "a is a number, b is a number: @ is for two matrices"),
        ("(a + b + t + 1)^20", f"has more than POLYNOMIAL_TERMS = {limits.POLYNOMIAL_TERMS} terms"),
        ("a(b)", "unknown function 'a'"),
        ("__import__", "unknown symbol"),
        ("softmax(a)", "a is a number, expected a matrix"),
    ],
)
def test_what_is_no_number_in_symbols_is_refused(text: str, sentence: str) -> None:
    with pytest.raises(FormulaError) as caught:
        read_number(text, NAMES)
    assert sentence in str(caught.value)


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


@settings(max_examples=150, deadline=None, derandomize=True)
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


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.text(alphabet="abt01.2+-*/^() sqrt_Tox@,", max_size=30))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        value = read_number(text, NAMES)
    except FormulaError:
        return
    assert {symbol.name for symbol in value.free_symbols} <= set(NAMES)


# -- numbers in a file


def substituted(numbers: str) -> Scenario:
    given = 'title = "t"\nsymbols = ["a", "t"]\n[given]\nX = [["a", "1/t"]]'
    steps = '[[section]]\ntitle = "s"\nsteps = ["Y = X / t"]'
    return loads(f"{given}\n{steps}\n[substitute]\n{numbers}", path="lesson.toml")


def test_a_file_puts_numbers_in_the_place_of_symbols() -> None:
    assert derive(substituted("t = 2"))["Y"].exact == Matrix([[A / 2, Rational(1, 4)]])
    assert derive(substituted('t = "2"')).render() == derive(substituted("")).substitute(t="2").render()
    assert derive(substituted('t = "0.1"\na = "sqrt(2)"'))["Y"].decimals(3) == (("14.142", "100.000"),)


@pytest.mark.parametrize(
    ("numbers", "sentence"),
    [
        ('t = "0"', "lesson.toml, line 8, substitute: X[1,2]: with t = 0, 1/t has no value"),
        ('t = "oo"', "lesson.toml, line 9, substitute.t: expected a finite number, came the text 'oo'"),
        ("t = 2.5", "lesson.toml, line 9, substitute.t: 2.5 is a binary float"),
        ("t = []", "lesson.toml, line 9, substitute.t: expected a number such as"),
        ('t = "a"', "lesson.toml, line 9, substitute.t: number 'a': 'a' is not a number"),
        ("a = 1\nq = 1", "lesson.toml, line 10, substitute.q: unknown symbol 'q': known: a, t"),
    ],
)
def test_a_wrong_number_for_a_symbol_names_its_line(numbers: str, sentence: str) -> None:
    with pytest.raises(SymattnError) as caught:
        substituted(numbers)
    assert str(caught.value).startswith(sentence)


# -- the key


def scenario(symbols: str, rest: str = "") -> None:
    loads(f'title = "t"\nsymbols = {symbols}\n[sizes]\nd_k = 2\n[given]\nX = [["1", "2"]]\n{rest}', path="lesson.toml")


@pytest.mark.parametrize(
    ("symbols", "sentence"),
    [
        ('["a", "a"]', "lesson.toml, line 2, symbols[2]: a is listed twice"),
        ('["X"]', "lesson.toml, line 2, symbols[1]: X is also the name of a matrix, at given.X"),
        ('["d_k"]', "lesson.toml, line 2, symbols[1]: d_k is also the name of a size"),
        ('["softmax"]', "lesson.toml, line 2, symbols[1]: 'softmax' cannot name a symbol"),
        ('["oo"]', "lesson.toml, line 2, symbols[1]: 'oo' cannot name a symbol"),
        ('["e"]', "lesson.toml, line 2, symbols[1]: e is a number, which it also is on the page"),
        ('["2a"]', "lesson.toml, line 2, symbols[1]: '2a' cannot name a symbol"),
        ('"a"', "lesson.toml, line 2, symbols: expected a list, came the text 'a'"),
        ("[1]", "lesson.toml, line 2, symbols[1]: expected a text in quotes, came the number 1"),
        (
            str([f"s_{i}" for i in range(27)]).replace("'", '"'),
            "symbols: expected at most SYMBOLS = 26 in the list, came 27",
        ),
    ],
)
def test_a_symbol_is_the_name_of_nothing_else(symbols: str, sentence: str) -> None:
    with pytest.raises(SymattnError) as caught:
        scenario(symbols)
    assert sentence in str(caught.value)


@pytest.mark.parametrize(
    ("steps", "sentence"),
    [
        ('"a = X"', "a is also the name of a matrix"),
        ('{ quantity = "a = 2" }', "a is already one of the symbols: give a quantity another name"),
        ('"Y = layer_norm(X, epsilon=a)"', "layer_norm: epsilon is a: expected a number; symbols stand in factors"),
        ('"Y = causal_mask(2, -a)"', "causal_mask: value is -a: expected a number; symbols stand in factors"),
        ('"Y = X / (a - a)"', "division by zero"),
        ('"Y = c * X"', "unknown name 'c': known: X, a, d_k"),
    ],
)
def test_what_symbols_are_not_for_is_refused(steps: str, sentence: str) -> None:
    with pytest.raises(SymattnError) as caught:
        scenario('["a"]', f'[[section]]\ntitle = "s"\nsteps = [{steps}]')
    assert sentence in str(caught.value)


def test_a_given_of_rounded_figures_holds_no_symbols() -> None:
    with pytest.raises(SymattnError, match="'a' is not a plain decimal"):
        scenario('["a"]', '[given.R]\nvalue = [["a"]]\nrounded = true')


def test_without_the_key_letters_are_no_numbers() -> None:
    with pytest.raises(SymattnError, match="'a' is not a number; write digits"):
        loads('title = "t"\n[given]\nX = [["a"]]')


def test_greek_letters_and_subscripts_are_symbols_too() -> None:
    found = loads('title = "t"\nsymbols = ["alpha", "t_1"]\n[given]\nX = [["alpha*t_1"]]').givens["X"].given.values
    assert found == ((entry_symbol("alpha") * entry_symbol("t_1"),),)
