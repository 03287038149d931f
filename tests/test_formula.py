"""The formula reader: what it reads, what it says to the rest, and that nothing else ever comes out of it."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
import sympy
from hypothesis import example, given, settings
from hypothesis import strategies as st
from mpmath import MPContext
from sympy import (
    Expr,
    ImmutableDenseMatrix,
    Integer,
    MatMul,
    MatrixExpr,
    MatrixSymbol,
    Rational,
    S,
    Symbol,
    Transpose,
    log,
    oo,
    sqrt,
)

from symattn.base import limits
from symattn.base.errors import FormulaError, ShapeError, SymattnError
from symattn.base.shapes import Axis, Shape, shape
from symattn.compute.values.exact import exact as exact_matrix
from symattn.operations import Quotient
from symattn.operations.terms import Term
from symattn.read.exact_number import exact
from symattn.read.formula import FUNCTIONS, Scope, is_name, read_any, read_formula, read_number, read_scalar
from symattn.read.formula.wrong import hinted_formulas, hinted_names
from tests.conftest import ROOT

HEAD = Shape(Axis(3, "n"), Axis(4, "d_k"))
SCOPE = Scope(
    {
        **dict.fromkeys("QK", HEAD),
        **{"W": Shape(Axis(3, "m"), Axis(2, "d_k")), "Z": Shape(Axis(2, "n"), Axis(4, "d_k"))},
        **{"X": shape(3, 4), "Y": shape(3, 5), "S": shape(3, 3), "b": shape(1, 4), "g": shape(1, 4)},
        **dict.fromkeys("GH", Shape(Axis("m", "m"), Axis("n", "n"))),
        "L": Shape(Axis("n", "n"), Axis("d", "d")),
    },
    {"n": 3, "d_k": 4, "big": 100_000, "m": "m", "v": 5},
)
PLACEHOLDERS = {
    "$ALLOWED": "a formula is made of names, numbers, @ + - * / ^ .T and functions",
    "$ALL": f"symattn catalogue --operations lists all {len(FUNCTIONS)}",
    "$NUMBER": 'this is a number, expected a matrix; a number is an item of its own: { quantity = "N = n^2" }',
}
CASES: Mapping[str, Mapping[str, Any]] = tomllib.loads((ROOT / "tests" / "formulas.toml").read_text(encoding="utf-8"))


def cases(table: str) -> pytest.MarkDecorator:
    """Each line of a table of ``formulas.toml``: a text, and what comes of it."""
    return pytest.mark.parametrize(("text", "wanted"), CASES[table].items(), ids=map(repr, CASES[table]))


def sentence(wanted: str) -> str:
    for name, text in PLACEHOLDERS.items():
        wanted = wanted.replace(name, text)
    return wanted


def said(read: Callable[[str], object], text: str, kind: type[SymattnError] = SymattnError) -> str:
    """What is said of a text that is refused."""
    with pytest.raises(kind) as caught:
        read(text)
    return str(caught.value)


def formula(text: str) -> Term:
    return read_formula(text, SCOPE)


# What is read


@cases("read")
def test_formulas_are_read(text: str, wanted: list[str]) -> None:
    term = formula(text)

    assert [str(term.expr), str(term.shape)] == wanted
    assert tuple(map(str, term.expr.shape)) == tuple(map(str, map(terms_size, term.shape.sizes)))


def terms_size(size: int | str) -> Expr | int:
    return sympy.Add(*map(Symbol, size.split(" + "))) if isinstance(size, str) and "+" in size else size


@pytest.mark.parametrize(
    ("text", "shape_text"),
    [
        ("identity(m + 2)", "(m + 2, m + 2)"),
        ("ones(2 * m + n, 2 * n)", "(m + m + 3, 6)"),
        ("concat(G, G, ones(m, 2)) @ ones(k + k + 2, 1)", "(m, 1)"),
        ("stack(G, G) @ ones(k, m + k)", "(m + m, k + m)"),
    ],
)
def test_a_size_may_be_a_sum_of_letters(text: str, shape_text: str) -> None:
    scope = Scope({"G": Shape(Axis("m", "m"), Axis("k", "k"))}, {"n": 3, "m": "m", "k": "k"})

    assert str(read_formula(text, scope).shape) == shape_text


@pytest.mark.parametrize("size", ["m - 1", "m * m", "m / 2", "-m", "m + 1/2", "100 * m"])
def test_any_other_expression_in_letters_is_no_size(size: str) -> None:
    assert "is not a whole number" in said(formula, f"identity({size})", FormulaError)


WITH_PARENTHESES = [
    *("Q / (d_k - 2)", "S / (1 + sqrt(2))", "S / (1/3)", "S / 2 / 3", "-(Q + K)", "Q - (K - X)", "S - S - S"),
    *(
        "S @ (2*S)",
        "(Q / 2).T",
        "(2*S)**2",
        "(S + 1) * (S - 2) / -S",
        "2*(S + S)",
        "(1/2)*S",
        "S*(1 + sqrt(2))",
        "(S @ S).T @ S",
    ),
    *("(S + S) @ S", "(S / 2) @ S", "(S + 1) * (S - 2) / -S"),
]
OF_NUMBERS = [text for text in CASES["read"] if not {"G", "L"} & set(text)]


@pytest.mark.parametrize("text", OF_NUMBERS + WITH_PARENTHESES)
def test_the_text_that_errors_show_means_the_formula(text: str) -> None:
    """Read again it has the same shape and the same value: no parenthesis got lost."""
    term = formula(text)
    again = formula(term.text)

    assert again.shape == term.shape
    if "layer_norm" not in text and "one_hot" not in text:  # its text leaves options out; the row b holds no ids
        assert value_of(again) == value_of(term)


class Numbers:
    """Some matrix for every name, and the sizes of the scope."""

    def exact_value(self, name: str) -> ImmutableDenseMatrix:
        rows, columns = SCOPE.names[name].sizes
        return ImmutableDenseMatrix(rows, columns, lambda i, j: Rational(ord(name) % 7 + 3 * i - 2 * j, i + j + 1))

    def signs(self, formula: MatrixExpr, what: str) -> tuple[tuple[int, ...], ...]:
        value = exact_matrix(formula, self)
        return tuple(tuple(int(sympy.sign(x)) for x in value.row(i)) for i in range(value.rows))


def value_of(term: Term) -> MatrixExpr | list[Expr]:
    sizes = {Symbol(name, integer=True, positive=True): size for name, size in SCOPE.sizes.items() if name != "m"}
    try:
        return [value.expand() for value in exact_matrix(term.expr.xreplace(sizes), Numbers())]
    except (AttributeError, SymattnError):  # what takes a solution to be worked out is compared as it stands
        return term.expr


def test_nothing_is_simplified_away_and_everything_stays_in_reading_order() -> None:
    """Each of these would be another formula if SymPy had its way: Q Kᵀ/2, X Xᵀ as a power, Kᵀ Q, zero."""
    Q, K, X = (MatrixSymbol(name, 3, 4) for name in "QKX")
    S3 = MatrixSymbol("S", 3, 3)
    minus = {each: MatMul(Integer(-1), each, evaluate=False) for each in (K, X, S3)}
    args = {
        "Q @ K.T @ X": (Q, Transpose(K), X),
        "X + Q + K": (X, Q, K),
        "Q - K - X": (Q, minus[K], minus[X]),
        "S - S": (S3, minus[S3]),
        "S + S": (S3, S3),
        "S @ S": (S3, S3),
        "(Q @ K.T).T": (MatMul(Q, Transpose(K), evaluate=False),),
    }

    assert {text: formula(text).expr.args for text in args} == args
    assert isinstance(formula("S / sqrt(4)").expr, Quotient)
    assert str(formula("S / sqrt(4)").expr.divisor) == "sqrt(4)"
    assert all(isinstance(formula(text).expr, MatMul) for text in ("0*S", "S @ identity(3)"))
    assert formula("Q^3").expr == formula("Q**3").expr


def test_numbers_and_sizes_are_read_beside_matrices() -> None:
    assert read_scalar("sqrt(d_k)", SCOPE) == sqrt(Symbol("d_k", integer=True, positive=True))
    assert [read_scalar(f"3 ** (1/{n})", SCOPE) ** n for n in (2, 4, 8)] == [3, 3, 3]
    assert read_scalar("1/3", SCOPE) == Rational(1, 3)
    assert str(read_any("Q @ K.T", SCOPE).shape) == "(n=3, n=3)"
    assert read_any("2 + 2", SCOPE) == 4


def test_gain_without_bias_and_bias_without_gain_are_filled_up() -> None:
    gained, biased = formula("layer_norm(Q, gamma=b)").expr, formula("layer_norm(Q, beta=b)").expr

    assert (gained.gamma, gained.beta.as_explicit()[0, 0]) == (MatrixSymbol("b", 1, 4), 0)
    assert (biased.gamma.as_explicit()[0, 0], biased.beta) == (1, MatrixSymbol("b", 1, 4))
    assert formula("layer_norm(Q)").expr.gamma is None


# What is said to the rest: the whole sentence


@cases("refused")
def test_a_bad_formula_gets_one_clear_sentence(text: str, wanted: str, within: Callable) -> None:
    with within(1):
        assert said(formula, text) == sentence(wanted)


@cases("unreadable")
def test_what_is_no_formula_is_told_why(text: str, wanted: str) -> None:
    """In words of our own, the same whichever Python runs."""
    for kind, read in (("formula", formula), ("number", read_number)):
        told = sentence(wanted).replace("in a formula", f"in a {kind}")
        assert said(read, text, FormulaError) == f"{kind} {text!r}: is not a {kind}: {told}"


SQUARE = Scope(
    {
        **{"S": shape(3, 3), "b": shape(1, 4), "P": Shape(Axis(3, "n"), Axis(3, "m"))},
        **{"r": Shape(Axis(1), Axis(3, "n")), "c": Shape(Axis(3, "m"), Axis(1))},
    },
)


@cases("two-readings")
def test_what_can_mean_two_things_is_refused_with_both(text: str, wanted: list[str]) -> None:
    told = said(lambda each: read_formula(each, SQUARE), text)
    readings = [read_formula(each, SQUARE) for each in wanted]

    assert told.endswith(f": write {' or '.join(wanted)}")
    assert readings[0].expr != readings[1].expr


HINTED = Scope(
    {name: shape(*sizes) for name, sizes in {"X": (3, 4), "Y": (3, 4), "S": (3, 3), "W": (4, 2), "A": (2, 2)}.items()}
    | {"b": shape(1, 2), "v": Shape(Axis(1), Axis(3), 1), "E": shape(5, 4), "ids": shape(1, 3)},
    {"n": 3},
)


def test_what_is_written_in_other_libraries_is_told_as_it_is_written_here() -> None:
    for text in hinted_formulas():
        read_formula(text, HINTED)
    assert not [name for name in hinted_names() if HINTED.function(name)]
    assert said(formula, "torch.vcat(Q)", FormulaError).endswith(sentence("below each other it is stack(X, Y); $ALL"))


@pytest.mark.parametrize(("text", "only"), [("S", "S"), ("A + A", "(A + A)"), ("X @ X.T", "X @ X.T")])
def test_the_diagonal_of_a_matrix_is_told_as_it_is_written_here(text: str, only: str) -> None:
    with pytest.raises(FormulaError) as caught:
        read_formula(f"diag({text})", HINTED)
    ways = re.search(r"square matrix is (.*), and the matrix with nothing but its diagonal (.*)", str(caught.value))
    assert ways is not None
    size = read_formula(text, HINTED).shape.rows.size
    assert [read_formula(each, HINTED).shape.sizes for each in ways.groups()] == [(size, 1), (size, size)]
    assert ways[2] == f"{only} * identity({size})"


@cases("other-letters")
def test_a_function_may_be_written_in_other_letters(text: str, wanted: str) -> None:
    assert formula(text).expr == formula(wanted).expr


NAMED = Scope({name: shape(3, 3) for name in ("head", "softmax", "exp", "sum", "dot", "X")}, {"max": 3})


@cases("names-of-functions")
def test_a_name_of_a_function_is_one_of_a_matrix_where_it_is_not_called(text: str, wanted: str) -> None:
    assert str(read_formula(text, NAMED).expr) == wanted


LONG = [
    ("Q + " * 600 + "Q", "more than FORMULA_LENGTH = 2000 characters"),
    ("-" * 100 + "Q", "nested deeper than FORMULA_DEPTH = 60"),
    ("softmax(" * 61 + "S" + ")" * 61, "nested deeper than FORMULA_DEPTH = 60"),
]
LONG_NUMBERS = [
    ("1" * 401, "more than NUMBER_LENGTH = 400 characters"),
    ("-" * 3000 + "1", "more than NUMBER_LENGTH = 400 characters"),
    ("(" * 3000 + "1" + ")" * 3000, "more than NUMBER_LENGTH = 400 characters"),
    ("-" * 100 + "1", "nested deeper than FORMULA_DEPTH = 60"),
]


def test_every_limit_is_named(within: Callable) -> None:
    for read, texts in ((formula, LONG), (read_number, LONG_NUMBERS)):
        for text, wanted in texts:
            with within(1):
                told = said(read, text, FormulaError)
            assert told.endswith(f": {wanted}")
            assert len(told) < 300


def test_what_is_within_the_limits_is_read() -> None:
    assert formula("+".join(["Q"] * 55)).shape == HEAD
    assert formula("softmax(" * 50 + "S" + ")" * 50).shape.sizes == (3, 3)
    assert formula("causal_mask(1000)").shape.sizes == (1000, 1000)
    assert formula("broadcast(b, 250000)").shape.sizes == (250_000, 4)
    for text in ("10^2999", "2^9000", "(1/3)^5000", "1e2999", "10^-2999", "7^3000", "sqrt(10^39)", "(1+sqrt(2))^64"):
        assert read_number(text).is_real


# Numbers


@cases("number")
def test_numbers_are_exact(text: str, wanted: str) -> None:
    found = read_number(text)

    assert str(found) == wanted
    assert isinstance(found, Expr)
    assert not found.has(sympy.Float)
    assert read_number(text.replace("^", "**")) == found


@cases("no-number")
def test_what_is_no_number_gets_one_clear_sentence(text: str, wanted: str, within: Callable) -> None:
    with within(1):
        assert said(read_number, text, FormulaError) == f"number {text!r}: {sentence(wanted)}"


@given(st.fractions(max_denominator=10**9))
def test_fractions_come_through_unchanged(value: Fraction) -> None:
    assert read_number(str(value)) == Rational(value.numerator, value.denominator)
    assert exact(value) == Rational(value.numerator, value.denominator)


@given(st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**20), max_value=10**20, places=12))
def test_decimals_come_through_unchanged(value: Decimal) -> None:
    expected = Fraction(value)

    for text in (f"{value:f}", f"{value:e}"):
        assert read_number(text) == Rational(expected.numerator, expected.denominator)


@given(st.integers(-(10**9), 10**9), st.integers(1, 10**9), st.integers(0, 10**12))
def test_roots_are_the_number_that_mpmath_gets(a: int, b: int, n: int) -> None:
    mp = MPContext()
    mp.dps = 60
    expected = mp.mpf(a) / b + mp.sqrt(n)

    found = read_number(f"{a}/{b} + sqrt({n})")

    assert abs(mp.mpf(str(found.evalf(60, maxn=200))) - expected) <= mp.mpf(10) ** -40


def test_a_float_is_refused_at_the_door_with_what_to_write() -> None:
    for value in (0.1, float("nan"), float("-inf")):
        assert "is a binary float and no longer the number that was meant" in said(exact, value, FormulaError)
    assert said(exact, 0.1) == '0.1 is a binary float and no longer the number that was meant: write "0.1"'


@pytest.mark.parametrize(
    "value",
    [
        *(True, None, 1j, b"1", [1], sympy.Float(1), sympy.Float(2) * sqrt(2)),
        *(sympy.I, sympy.pi, S.NaN, S.ComplexInfinity, Symbol("x"), MatrixSymbol("X", 1, 1), sympy.true),
        *(log(sqrt(2)), log(-2), 1 / log(2), log(2) * log(3), log(2) ** 2, log(10**40), log(Symbol("x"))),
    ],
    ids=repr,
)
def test_what_is_no_exact_real_number_is_refused(value: object) -> None:
    with pytest.raises(FormulaError):
        exact(value)


def test_exact_numbers_of_python_and_sympy_are_taken() -> None:
    for value in (0, -3, Fraction(1, 3), Rational(1, 3), sqrt(2) / 3, -oo, 2 * log(3) - sqrt(2)):
        assert exact(value) == value
    assert exact("1/3") == Rational(1, 3)


def test_what_can_be_written_in_a_formula_is_a_name() -> None:
    assert all(map(is_name, ("Q", "W_Q", "x2", "LN_1", "oops", "a" * 40, "softmax", "head", "lambda")))
    no_names = ("", "2x", "_x", "x y", "x-y", "É", "Ｑ", "Q\n", "oo", "pi", "a" * 41, "x.T")
    assert not any(map(is_name, (*no_names, "if", "True", "None", "in")))


# Only our own errors come out, and soon


def only_our_errors(read: Callable[[str], object], text: str, within: Callable) -> None:
    told = ""
    with within(1):
        try:
            read(text)
        except SymattnError as error:
            told = str(error)

    assert len(told) < 2_000
    assert "\n" not in told


HARD = [
    *("-" * 1999 + "1", "(" * 999 + "1" + ")" * 999, "\ud800", "'\\d'", "1if 1else 2", "9" * 1999, "Q" + ".T" * 900),
    *("Q@" * 900 + "Q", "1e1000*" * 100 + "1", "S/(1e2000*1e2999)", "(1e2999*1e2999)^2*S"),
    *("(((((S^64)^64)^64)^64)^64)^64", "sqrt(" * 50 + "2" + ")" * 50, "sqrt(0 - 1e2999)", "S * 1e2999 + b"),
    *("S ^ 1e2999", "row(S, 1e2999)", "broadcast(b, 1e2999)", "1e2999 ^ 2"),
    "1/((1+sqrt(2)+sqrt(3)+sqrt(5)+sqrt(7))^64-(1+sqrt(2))^64)",
]


def test_a_hard_text_gives_a_value_or_one_of_our_errors(within: Callable) -> None:
    for text in HARD:
        for read in (formula, read_number, exact):
            only_our_errors(read, text, within)


numbers_of_numbers = st.recursive(
    st.sampled_from("0 1 2 3 -1 1/2 0.1 sqrt(2) sqrt(3) sqrt(5) 10^9 oo 64 1e99 1e2999".split()),
    lambda inner: (
        st.builds("({} {} {})".format, inner, st.sampled_from("+-*/^"), inner) | st.builds("sqrt({})".format, inner)
    ),
    max_leaves=12,
)


@settings(max_examples=150)
@given(text=numbers_of_numbers)
@example(text="(2 ^ (64 ^ 64))")
def test_any_arithmetic_gives_a_real_number_or_one_of_our_errors(text: str, within: Callable) -> None:
    only_our_errors(read_number, text, within)
    try:
        value = read_number(text)
    except SymattnError:
        return
    assert value in (oo, -oo) or value.is_real
    assert max((abs(number.p) for number in value.atoms(Rational)), default=0) < 10 ** (limits.POWER_DIGITS + 10)


def test_a_long_formula_does_not_make_a_message_that_nobody_reads() -> None:
    told = said(formula, "(" + " + ".join(["relu(Q @ K.T @ X)"] * 45) + ") * S", ShapeError)

    assert len(told) < 1_600
    assert told.startswith("(relu")
    assert " … " in told


def test_what_does_not_fit_is_an_error_of_shapes() -> None:
    for text in ("Q @ K", "Q + S", "matrix_power(Q, 2)", "row(Q, 4)", "layer_norm(S, gamma=b)", "concat(Q, b)"):
        assert said(formula, text, ShapeError)
