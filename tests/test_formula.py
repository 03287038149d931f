"""The formula reader: what it reads, what it says to the rest, and that nothing else ever comes out of it."""

from __future__ import annotations

import random
import warnings
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction

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
    MatPow,
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

from symattn import limits
from symattn.errors import FormulaError, ShapeError, SymattnError
from symattn.exact_number import exact
from symattn.formula import FUNCTIONS, Scope, is_name, read_any, read_formula, read_number, read_scalar
from symattn.operations import Quotient
from symattn.operations.terms import Term
from symattn.shapes import Axis, Shape, shape
from symattn.values.exact import exact as exact_matrix

HEAD = Shape(Axis(3, "n"), Axis(4, "d_k"))
SCOPE = Scope(
    {
        "Q": HEAD,
        "K": HEAD,
        "W": Shape(Axis(3, "m"), Axis(2, "d_k")),
        "X": shape(3, 4),
        "S": shape(3, 3),
        "b": shape(1, 4),
        "g": shape(1, 4),
        "G": Shape(Axis("m", "m"), Axis("n", "n")),
    },
    {"n": 3, "d_k": 4, "big": 100_000, "m": "m"},
)
ALLOWED = "a formula is made of names, numbers, @ + - * / ^ .T and functions"
KNOWN = "G, K, Q, S, W, X, b, big, d_k, g, m, n"
CALLABLE = ", ".join(sorted(FUNCTIONS))


# What is read


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
    with pytest.raises(FormulaError, match="is not a whole number"):
        read_formula(f"identity({size})", SCOPE)


GOOD = [
    # text, str(expr), shape
    ("Q", "Q", "(n=3, d_k=4)"),
    ("  Q  ", "Q", "(n=3, d_k=4)"),
    ("Q @ K.T", "Q*K.T", "(n=3, n=3)"),
    ("Q@K.T@X", "Q*K.T*X", "(n=3, 4)"),
    ("(Q @ K.T) @ X", "(Q*K.T)*X", "(n=3, 4)"),
    ("((Q)) @ K.T @ X", "Q*K.T*X", "(n=3, 4)"),
    ("Q @ (K.T @ X)", "Q*(K.T*X)", "(n=3, 4)"),
    ("S @ S + Q @ K.T", "Q*K.T + S*S", "(n=3, n=3)"),
    ("(Q + K) @ K.T", "(K + Q)*K.T", "(n=3, n=3)"),
    ("(Q + K).T", "(K + Q).T", "(d_k=4, n=3)"),
    ("Q + X", "Q + X", "(n=3, d_k=4)"),
    ("X + Q", "Q + X", "(n=3, d_k=4)"),
    ("Q - K", "-K + Q", "(n=3, d_k=4)"),
    ("Q.T.T", "Q.T.T", "(n=3, d_k=4)"),
    ("-Q", "-Q", "(n=3, d_k=4)"),
    ("+Q", "Q", "(n=3, d_k=4)"),
    ("--Q", "Q", "(n=3, d_k=4)"),
    ("2*(3*Q)", "6*Q", "(n=3, d_k=4)"),
    ("2*Q", "2*Q", "(n=3, d_k=4)"),
    ("Q*2", "2*Q", "(n=3, d_k=4)"),
    ("2*3*Q", "6*Q", "(n=3, d_k=4)"),
    ("Q/2", "Quotient(Q, 2)", "(n=3, d_k=4)"),
    ("Q / sqrt(d_k)", "Quotient(Q, sqrt(d_k))", "(n=3, d_k=4)"),
    ("Q / sqrt(4)", "Quotient(Q, sqrt(4))", "(n=3, d_k=4)"),
    ("Q @ K.T / sqrt(d_k)", "Quotient(Q*K.T, sqrt(d_k))", "(n=3, n=3)"),
    ("S^2", "S**2", "(3, 3)"),
    ("S**2", "S**2", "(3, 3)"),
    ("S ^ 64", "S**64", "(3, 3)"),
    ("-S^2", "-S**2", "(3, 3)"),
    ("(-S)^2", "(-S)**2", "(3, 3)"),
    ("S.T^2", "S.T**2", "(3, 3)"),
    ("(S @ S)^2", "(S*S)**2", "(3, 3)"),
    ("softmax(Q @ K.T / sqrt(d_k)) @ X", "Softmax(Quotient(Q*K.T, sqrt(d_k)))*X", "(n=3, 4)"),
    ("softmax(S=S)", "Softmax(S)", "(3, 3)"),
    ("softmax(softmax(S))", "Softmax(Softmax(S))", "(3, 3)"),
    ("layer_norm(Q)", "LayerNorm(Q, 1/100000)", "(n=3, d_k=4)"),
    ("layer_norm(Q, 0)", "LayerNorm(Q, 0)", "(n=3, d_k=4)"),
    ("layer_norm(Q, epsilon=10^-5)", "LayerNorm(Q, 1/100000)", "(n=3, d_k=4)"),
    ("layer_norm(Q, gamma=b, beta=g)", "LayerNorm(Q, 1/100000, b, g)", "(n=3, d_k=4)"),
    ("layer_norm(Q, 1/2, b, g)", "LayerNorm(Q, 1/2, b, g)", "(n=3, d_k=4)"),
    ("relu(Q)", "ReLU(Q)", "(n=3, d_k=4)"),
    ("causal_mask(n)", "CausalMask(3, -oo)", "(n=3, n=3)"),
    ("causal_mask(3, -10^9)", "CausalMask(3, -1000000000)", "(3, 3)"),
    ("causal_mask(n, value=-10**9)", "CausalMask(3, -1000000000)", "(n=3, n=3)"),
    ("causal_mask(n + 1)", "CausalMask(4, -oo)", "(4, 4)"),
    ("broadcast(b, n)", "Broadcast(b, 3)", "(n=3, 4)"),
    ("broadcast(b, 2)", "Broadcast(b, 2)", "(2, 4)"),
    ("row(Q, 1)", "Row(Q, 1)", "(1, d_k=4)"),
    ("row(Q, n)", "Row(Q, 3)", "(1, d_k=4)"),
    ("dot(b, g)", "Dot(b, g)", "(1, 1)"),
    ("identity(n)", "I", "(n=3, n=3)"),
    ("G @ G.T", "G*G.T", "(m, m)"),
    ("G + G", "G + G", "(m, n)"),
]


@pytest.mark.parametrize(("text", "expr", "shape_text"), GOOD, ids=[text for text, _, _ in GOOD])
def test_formulas_are_read(text: str, expr: str, shape_text: str) -> None:
    term = read_formula(text, SCOPE)

    assert (str(term.expr), str(term.shape)) == (expr, shape_text)
    assert tuple(map(str, term.expr.shape)) == tuple(map(str, term.shape.sizes))


WITH_PARENTHESES = [
    "Q / (d_k - 2)",
    "S / (1 + sqrt(2))",
    "S / (1/3)",
    "S / 2 / 3",
    "-(Q + K)",
    "Q - (K - X)",
    "S - S - S",
    "S @ (2*S)",
]
WITH_PARENTHESES += [
    "(Q / 2).T",
    "(2*S)^2",
    "2*(S + S)",
    "(1/2)*S",
    "S*(1 + sqrt(2))",
    "(S @ S).T @ S",
    "(S + S) @ S",
    "(S / 2) @ S",
]


@pytest.mark.parametrize("text", [text for text, _, _ in GOOD if "G" not in text] + WITH_PARENTHESES)
def test_the_text_that_errors_show_means_the_formula(text: str) -> None:
    """Read again it has the same shape and the same value: no parenthesis got lost."""
    term = read_formula(text, SCOPE)
    again = read_formula(term.text, SCOPE)

    assert again.shape == term.shape
    if "layer_norm" not in text:  # its text leaves the options out
        assert value_of(again) == value_of(term)


class Numbers:
    """Some matrix for every name, and the sizes of the scope."""

    def exact_value(self, name: str) -> ImmutableDenseMatrix:
        rows, columns = SCOPE.names[name].sizes
        return ImmutableDenseMatrix(rows, columns, lambda i, j: Rational(ord(name) % 7 + 3 * i - 2 * j, i + j + 1))

    def signs(self, formula: MatrixExpr, what: str) -> tuple[tuple[int, ...], ...]:
        value = exact_matrix(formula, self)
        return tuple(tuple(int(sympy.sign(x)) for x in value.row(i)) for i in range(value.rows))


def value_of(term: Term) -> list[Expr]:
    sizes = {
        Symbol(name, integer=True, positive=True): Integer(size) for name, size in SCOPE.sizes.items() if name != "m"
    }
    return [value.expand() for value in exact_matrix(term.expr.xreplace(sizes), Numbers())]


def test_a_caret_and_two_stars_are_the_same_power() -> None:
    for caret, stars in (("2^10", "2**10"), ("-2^2", "-2**2"), ("2^3^2", "2**3**2"), ("2^-1", "2**-1")):
        assert read_number(caret) == read_number(stars)
    assert read_formula("S^3", SCOPE).expr == read_formula("S**3", SCOPE).expr


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("-2^2", -4),
        ("(-2)^2", 4),
        ("2^3^2", 512),
        ("2^-1", Rational(1, 2)),
        ("2+3*4", 14),
        ("(2+3)*4", 20),
        ("8/4/2", 1),
        ("8-4-2", 2),
        ("-1/2", Rational(-1, 2)),
        ("--1", 1),
        ("+1", 1),
        ("-+-1", 1),
        ("2*-3", -6),
        ("2--3", 5),
        ("6/2*3", 9),
        ("-2*3^2", -18),
    ],
)
def test_precedence_is_that_of_paper(text: str, value: object) -> None:
    assert read_number(text) == value


def test_a_chain_of_products_and_of_sums_stays_in_reading_order() -> None:
    Q, K, X = (MatrixSymbol(name, 3, 4) for name in "QKX")

    assert read_formula("Q @ K.T @ X", SCOPE).expr.args == (Q, Transpose(K), X)
    assert read_formula("X + Q + K", SCOPE).expr.args == (X, Q, K)
    assert read_formula("Q - K - X", SCOPE).expr.args == (
        Q,
        MatMul(Integer(-1), K, evaluate=False),
        MatMul(Integer(-1), X, evaluate=False),
    )


def test_nothing_is_simplified_away() -> None:
    S3 = MatrixSymbol("S", 3, 3)
    divisor = read_formula("S / sqrt(4)", SCOPE).expr

    assert isinstance(divisor, Quotient)
    assert str(divisor.divisor) == "sqrt(4)"
    assert read_formula("S - S", SCOPE).expr.args == (S3, MatMul(Integer(-1), S3, evaluate=False))
    assert isinstance(read_formula("S^1", SCOPE).expr, MatPow)
    assert isinstance(read_formula("0*S", SCOPE).expr, MatMul)


def test_numbers_and_sizes_are_read_beside_matrices() -> None:
    assert read_scalar("sqrt(d_k)", SCOPE) == sqrt(Symbol("d_k", integer=True, positive=True))
    assert read_scalar("1/3", SCOPE) == Rational(1, 3)
    assert str(read_any("Q @ K.T", SCOPE).shape) == "(n=3, n=3)"
    assert read_any("2 + 2", SCOPE) == 4


# What is said to the rest: the whole sentence

NUMBER = 'this is a number, expected a matrix; a number is an item of its own: { quantity = "N = n^2" }'

BAD = [
    ("", "formula '': is empty"),
    ("   ", "formula '   ': is empty"),
    ("Q\nK", "formula 'Q\\nK': a formula is one line"),
    ("Q\rK", "formula 'Q\\rK': a formula is one line"),
    ("Q\0", "formula 'Q\\x00': a formula is one line"),
    ("QQ", f"formula 'QQ': unknown name 'QQ': did you mean 'Q'? known: {KNOWN}"),
    ("__class__", f"formula '__class__': unknown name '__class__': known: {KNOWN}"),
    ("soft_max(Q)", f"formula 'soft_max(Q)': unknown function 'soft_max': did you mean 'softmax'? known: {CALLABLE}"),
    ("eval(Q)", f"formula 'eval(Q)': unknown function 'eval': known: {CALLABLE}"),
    ("softmax", "formula 'softmax': softmax is a function: write softmax(…)"),
    ("softmax()", "formula 'softmax()': softmax also needs S: softmax(S)"),
    ("softmax(Q, K)", "formula 'softmax(Q, K)': softmax takes one value only: softmax(S)"),
    ("softmax(Q, S=K)", "formula 'softmax(Q, S=K)': softmax: S is given twice"),
    ("softmax(2)", "formula 'softmax(2)': softmax: 2 is a number, expected a matrix"),
    ("row(Q)", "formula 'row(Q)': row also needs i: row(X, i)"),
    (
        "layer_norm(Q, epsilonn=1)",
        "formula 'layer_norm(Q, epsilonn=1)': unknown option of layer_norm 'epsilonn': did you mean 'epsilon'? "
        "known: X, beta, epsilon, gamma",
    ),
    ("layer_norm(Q, -1)", "layer_norm(Q, epsilon=-1): epsilon is -1: expected a number that is not negative"),
    ("layer_norm(Q, gamma=2)", "formula 'layer_norm(Q, gamma=2)': gamma: 2 is a number, expected a matrix"),
    ("row(Q, 1/2)", "formula 'row(Q, 1/2)': 1/2 is not a whole number"),
    ("row(Q, m)", "formula 'row(Q, m)': m is not a whole number"),
    ("causal_mask(0)", "causal_mask(0): 0 is not a size: expected a whole number from 1 up"),
    ("causal_mask(Q)", "formula 'causal_mask(Q)': causal_mask: n is Q, a matrix (n=3, d_k=4): expected a number"),
    (
        "causal_mask(3, 5)",
        "causal_mask(3, value=5): value is 5: expected a negative number or -oo",
    ),
    ("identity(-1)", "identity(-1): -1 is not a size: expected a whole number from 1 up"),
    ("3", f"formula '3': {NUMBER}"),
    ("d_k", f"formula 'd_k': {NUMBER}"),
    (
        "Q + 1",
        "formula 'Q + 1': Q + 1: Q is a matrix (n=3, d_k=4), 1 is a number: expected two matrices or two numbers; "
        "1 * ones(n, d_k) is the matrix with 1 everywhere",
    ),
    (
        "2 / Q",
        "formula '2 / Q': 2 / Q: Q is a matrix (n=3, d_k=4), expected a number; "
        "entry by entry it is divide(2 * ones(n, d_k), Q)",
    ),
    ("2 ^ S", "formula '2 ^ S': S is a matrix (3, 3), expected a number"),
    ("sqrt(S)", "formula 'sqrt(S)': sqrt: x is S, a matrix (3, 3): expected a number"),
    (
        "Q * K",
        "formula 'Q * K': Q * K: the product of matrices is written with @: Q @ K; entry by entry it is hadamard(Q, K)",
    ),
    (
        "2 @ Q",
        "formula '2 @ Q': 2 @ Q: 2 is a number, Q is a matrix (n=3, d_k=4): "
        "@ is for two matrices, with a number it is *",
    ),
    ("(2).T", "formula '(2).T': .T: 2 is a number, expected a matrix"),
    ("Q / 0", "formula 'Q / 0': division by zero"),
    ("Q * (1/0)", "formula 'Q * (1/0)': division by zero"),
    ("Q * (oo - oo)", "formula 'Q * (oo - oo)': is not a real number"),
    ("Q * sqrt(-1)", "formula 'Q * sqrt(-1)': sqrt(-1) is not a real number"),
    ("S ^ 0", "S ** 0: a matrix power has a whole exponent from 1 to 64"),
    ("S ^ 65", "S ** 65: a matrix power has a whole exponent from 1 to 64"),
    ("S ^ (1/2)", "formula 'S ^ (1/2)': the exponent 1/2 is not a whole number; a root is written sqrt(…)"),
    ("Q.t", "formula 'Q.t': '.t' has no place here; the only attribute is .T, the transpose"),
    ("Q.__class__", "formula 'Q.__class__': '.__class__' has no place here; the only attribute is .T, the transpose"),
    ("Q.T()", "formula 'Q.T()': Q.T(…): the transpose of X is written X.T, without parentheses"),
    ("Q()()", "formula 'Q()()': only the functions named in the documentation can be called"),
    ("Q[0]", "formula 'Q[0]': 'Q[0]' has no place here; a row is row(X, 1), some rows are rows(X, 1, 2)"),
    ("lambda: Q", f"formula 'lambda: Q': 'lambda: Q' has no place here; {ALLOWED}"),
    ("(y := Q)", "formula '(y := Q)': 'y := Q' has no place here; a step is written name = formula, with one = only"),
    ("[Q for Q in Q]", f"formula '[Q for Q in Q]': '[Q for Q in Q]' has no place here; {ALLOWED}"),
    ("f'{Q}'", f"formula \"f'{{Q}}'\": \"f'{{Q}}'\" has no place here; {ALLOWED}"),
    ("'Q'", f"formula \"'Q'\": \"'Q'\" has no place here; {ALLOWED}"),
    ("Q if Q else K", f"formula 'Q if Q else K': 'Q if Q else K' has no place here; {ALLOWED}"),
    ("Q < K", "formula 'Q < K': 'Q < K' has no place here; a step is written name = formula, with one = only"),
    ("Q and K", f"formula 'Q and K': 'Q and K' has no place here; {ALLOWED}"),
    (
        "Q, K",
        "formula 'Q, K': 'Q, K' has no place here; a comma stands between the values of a function; "
        "a decimal is written with a point, 0.5",
    ),
    ("softmax(*[Q])", f"formula 'softmax(*[Q])': '*[Q]' has no place here; {ALLOWED}"),
    ("not Q", f"formula 'not Q': this sign has no place here; {ALLOWED}"),
    ("~Q", f"formula '~Q': this sign has no place here; {ALLOWED}"),
    ("Q // 2", f"formula 'Q // 2': the operator FloorDiv has no place here; {ALLOWED}"),
    ("Q % 2", f"formula 'Q % 2': the operator Mod has no place here; {ALLOWED}"),
    ("Q * True", f"formula 'Q * True': 'True' has no place here; {ALLOWED}"),
    ("Q * 1j", f"formula 'Q * 1j': '1j' has no place here; {ALLOWED}"),
    ("Q * 0x10", "formula 'Q * 0x10': '0x10' is not a decimal number"),
]


@pytest.mark.parametrize(("text", "sentence"), BAD, ids=[repr(text) for text, _ in BAD])
def test_a_bad_formula_gets_one_clear_sentence(text: str, sentence: str) -> None:
    with pytest.raises(FormulaError) as caught:
        read_formula(text, SCOPE)

    assert str(caught.value) == sentence


MISFITS = [
    ("Q @ W.T", "Q @ W.T: Q is (n=3, d_k=4), W.T is (d_k=2, m=3): d_k differs, 4 and 2; did you mean W.T @ Q?"),
    (
        "Q @ K",
        "Q @ K: Q is (n=3, d_k=4), K is (n=3, d_k=4): the columns of the first are d_k=4, the rows of the second n=3; "
        "did you mean Q @ K.T?",
    ),
    ("Q + b", "Q + b: Q is (n=3, d_k=4), b is (1, 4): rows differ, 3 and 1; broadcast(b, 3) has the rows"),
    (
        "(Q + X) @ K",
        "(Q + X) @ K: Q + X is (n=3, d_k=4), K is (n=3, d_k=4): the columns of the first are d_k=4, "
        "the rows of the second n=3; did you mean (Q + X) @ K.T?",
    ),
    ("Q ^ 2", "Q ** 2: Q is (n=3, d_k=4): expected as many rows as columns"),
    ("(Q + K) ^ 2", "(Q + K) ** 2: Q + K is (n=3, d_k=4): expected as many rows as columns"),
    ("broadcast(Q, 3)", "broadcast(Q, 3): Q is (n=3, d_k=4): expected one row, (1, …)"),
    ("row(Q, 4)", "row(Q, 4): Q is (n=3, d_k=4): expected a row from 1 to 3"),
    ("row(Q, 0)", "row(Q, 0): Q is (n=3, d_k=4): expected a row from 1 to 3"),
    ("row(Q, -1)", "row(Q, -1): Q is (n=3, d_k=4): expected a row from 1 to 3"),
    ("dot(b, Q.T)", "dot(b, Q.T): b is (1, 4), Q.T is (d_k=4, n=3): expected rows of the same length"),
    ("dot(b, row(S, 1))", "dot(b, row(S, 1)): b is (1, 4), row(S, 1) is (1, 3): expected rows of the same length"),
    ("layer_norm(S, gamma=b)", "layer_norm(S, gamma=b), gamma: b is (1, 4): expected (1, 3)"),
    ("layer_norm(Q, beta=K)", "layer_norm(Q, beta=K), beta: K is (n=3, d_k=4): expected one row, (1, …)"),
    ("G @ Q", "G @ Q: G is (m, n), Q is (n=3, d_k=4): n differs, n and 3"),
]


@pytest.mark.parametrize(("text", "sentence"), MISFITS, ids=[text for text, _ in MISFITS])
def test_shapes_that_do_not_fit_name_both_sides(text: str, sentence: str) -> None:
    with pytest.raises(ShapeError) as caught:
        read_formula(text, SCOPE)

    assert str(caught.value) == sentence


# Limits, each by its name

LIMITS = [
    ("Q + " * 600 + "Q", "more than FORMULA_LENGTH = 2000 characters"),
    ("-" * 100 + "Q", "nested deeper than FORMULA_DEPTH = 60"),
    ("softmax(" * 61 + "S" + ")" * 61, "nested deeper than FORMULA_DEPTH = 60"),
    ("causal_mask(big)", "causal_mask(big): more than MATRIX_ENTRIES = 1000000 entries"),
    ("causal_mask(10^50)", f"causal_mask({10**50}): more than MATRIX_ENTRIES = 1000000 entries"),
    ("identity(1001)", "identity(1001): more than MATRIX_ENTRIES = 1000000 entries"),
    ("broadcast(b, 250001)", "broadcast(b, 250001): more than MATRIX_ENTRIES = 1000000 entries"),
    ("broadcast(b, big) @ broadcast(b, big).T", "more than MATRIX_ENTRIES = 1000000 entries"),
    ("row(broadcast(b, big) @ broadcast(b, big).T, 1)", "more than MATRIX_ENTRIES = 1000000 entries"),
    ("Q * 10^10^10", "10^10000000000 has more than POWER_DIGITS = 3000 digits"),
    ("Q * 1e99999", "1e99999 has more than POWER_DIGITS = 3000 digits"),
]


@pytest.mark.parametrize(("text", "sentence"), LIMITS, ids=[text[:20] for text, _ in LIMITS])
def test_every_limit_of_a_formula_is_named(text: str, sentence: str, within: Callable) -> None:
    with within(1), pytest.raises(FormulaError) as caught:
        read_formula(text, SCOPE)

    assert str(caught.value).endswith(sentence)


def test_what_is_within_the_limits_is_read() -> None:
    assert read_formula("+".join(["Q"] * 55), SCOPE).shape == HEAD
    assert read_formula("softmax(" * 50 + "S" + ")" * 50, SCOPE).shape.sizes == (3, 3)
    assert read_formula("causal_mask(1000)", SCOPE).shape.sizes == (1000, 1000)
    assert read_formula("broadcast(b, 250000)", SCOPE).shape.sizes == (250_000, 4)


NUMBER_LIMITS = [
    ("1" * 401, "more than NUMBER_LENGTH = 400 characters"),
    ("-" * 3000 + "1", "more than NUMBER_LENGTH = 400 characters"),
    ("(" * 3000 + "1" + ")" * 3000, "more than NUMBER_LENGTH = 400 characters"),
    ("-" * 100 + "1", "nested deeper than FORMULA_DEPTH = 60"),
    ("9**99999", "9^99999 has more than POWER_DIGITS = 3000 digits"),
    ("9^99999", "9^99999 has more than POWER_DIGITS = 3000 digits"),
    ("10^10^10", "10^10000000000 has more than POWER_DIGITS = 3000 digits"),
    ("2^(2^2^2^2)", "2^65536 has more than POWER_DIGITS = 3000 digits"),
    ("(1/3)^7000", "(1/3)^7000 has more than POWER_DIGITS = 3000 digits"),
    ("(-3)^7001", "(-3)^7001 has more than POWER_DIGITS = 3000 digits"),
    ("10^-99999", "10^-99999 has more than POWER_DIGITS = 3000 digits"),
    ("1e999999", "1e999999 has more than POWER_DIGITS = 3000 digits"),
    ("1e-999999", "1e-999999 has more than POWER_DIGITS = 3000 digits"),
    ("1e1600*1e1600", "has more than POWER_DIGITS = 3000 digits"),
    ("sqrt(10^40)", "the number under the root has more than RADICAND_DIGITS = 40 digits"),
    ("sqrt(1e2999)", "the number under the root has more than RADICAND_DIGITS = 40 digits"),
    ("sqrt(1/10^40)", "the number under the root has more than RADICAND_DIGITS = 40 digits"),
    ("(1+sqrt(2))^65", "the exponent 65 of a root is larger than SURD_EXPONENT = 64"),
    ("((1+sqrt(2))^64)^64", "a sum of roots is raised to more than SURD_EXPONENT = 64"),
]


@pytest.mark.parametrize(("text", "sentence"), NUMBER_LIMITS, ids=[text[:20] for text, _ in NUMBER_LIMITS])
def test_every_limit_of_a_number_is_named(text: str, sentence: str, within: Callable) -> None:
    with within(1), pytest.raises(FormulaError) as caught:
        read_number(text)

    assert str(caught.value).endswith(f": {sentence}")
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize(
    "text", ["10^2999", "2^9000", "(1/3)^5000", "1e2999", "10^-2999", "7^3000", "sqrt(10^39)", "(1+sqrt(2))^64"]
)
def test_a_number_within_the_limits_is_read_and_not_called_too_long(text: str) -> None:
    assert read_number(text).is_real


# Numbers

NUMBERS = [
    ("0", 0),
    ("-0", 0),
    ("007", 7),
    ("0.21", Rational(21, 100)),
    ("-0.50", Rational(-1, 2)),
    (".5", HALF := Rational(1, 2)),
    ("1.", 1),
    ("1e5", 10**5),
    ("1.5E-3", Rational(3, 2000)),
    (".5e3", 500),
    ("1_000", 1000),
    ("1/3", Rational(1, 3)),
    ("-3/4", Rational(-3, 4)),
    ("sqrt(2)/2", sqrt(2) / 2),
    ("sqrt(4)", 2),
    ("log(2)", log(2)),
    ("2*log(3) - log(6)/2", 2 * log(3) - log(6) / 2),
    ("sqrt(2)*(log(0.5) + 1)", sqrt(2) * (log(HALF) + 1)),
    ("log(1)", 0),
    ("sqrt(1/2)", sqrt(2) / 2),
    ("sqrt(x=9)", 3),
    ("sqrt(2)*sqrt(8)", 4),
    ("sqrt(sqrt(16))", 2),
    ("1/3 + sqrt(8)", HALF * 0 + Rational(1, 3) + 2 * sqrt(2)),
    ("-10^9", -(10**9)),
    ("10^-5", Rational(1, 10**5)),
    ("2 ^ 3", 8),
    ("1^(10^100)", 1),
    ("(-1)^(10^100)", 1),
    ("0^5", 0),
    ("oo", oo),
    ("-oo", -oo),
    (" 1 ", 1),
    ("1\t", 1),
]


@pytest.mark.parametrize(("text", "value"), NUMBERS, ids=[repr(text) for text, _ in NUMBERS])
def test_numbers_are_exact(text: str, value: object) -> None:
    found = read_number(text)

    assert found == value
    assert isinstance(found, Expr)
    assert not found.has(sympy.Float)


NOT_NUMBERS = [
    ("", "is empty"),
    ("1/0", "division by zero"),
    ("1/(sqrt(8) - 2*sqrt(2))", "division by zero"),
    ("0^0", "0^0 is not a number"),
    ("0^-1", "0^-1 is not a number"),
    ("oo - oo", "is not a real number"),
    ("0*oo", "is not a real number"),
    ("oo/oo", "the divisor oo is not a finite real number"),
    ("sqrt(-1)", "sqrt(-1) is not a real number"),
    ("log(0)", "log(0): expected the logarithm of a positive fraction, as in log(3/2)"),
    ("log(-2)", "log(-2): expected the logarithm of a positive fraction, as in log(3/2)"),
    ("log(sqrt(2))", "log(sqrt(2)): expected the logarithm of a positive fraction, as in log(3/2)"),
    ("log(oo)", "log(oo): expected the logarithm of a positive fraction, as in log(3/2)"),
    ("log(10^40)", "the number in the logarithm has more than RADICAND_DIGITS = 40 digits"),
    ("log(2)*log(3)", "log(2)*log(3): expected sums of logarithms, each times a number without one"),
    ("(1 + log(2))^2", "(log(2) + 1)**2: expected sums of logarithms, each times a number without one"),
    ("2/(log(6) - log(2))", "2/(-log(2) + log(6)): expected sums of logarithms, each times a number without one"),
    ("sqrt(oo)", "sqrt(oo) is not a real number"),
    ("2^oo", "the exponent oo is not a whole number; a root is written sqrt(…)"),
    ("2^0.5", "the exponent 1/2 is not a whole number; a root is written sqrt(…)"),
    ("pi", "'pi' is not a number; write digits, fractions, sqrt(…) and powers"),
    ("e", "'e' is not a number; write digits, fractions, sqrt(…) and powers"),
    ("nan", "'nan' is not a number; write digits, fractions, sqrt(…) and powers"),
    ("inf", "'inf' is not a number; write digits, fractions, sqrt(…) and powers"),
    ("__import__", "'__import__' is not a number; write digits, fractions, sqrt(…) and powers"),
    ("__import__('os')", f"unknown function '__import__': known: {CALLABLE}"),
    ("(1).__class__", "'.__class__' has no place here; the only attribute is .T, the transpose"),
    (
        "1,5",
        "'1,5' has no place here; a comma stands between the values of a function; "
        "a decimal is written with a point, 0.5",
    ),
    ("1 if 1 else 2", f"'1 if 1 else 2' has no place here; {ALLOWED}"),
    ("lambda: 1", f"'lambda: 1' has no place here; {ALLOWED}"),
    ("(x := 1)", "'x := 1' has no place here; a step is written name = formula, with one = only"),
    ("[1 for _ in 1]", f"'[1 for _ in 1]' has no place here; {ALLOWED}"),
    ("f'{1}'", f"\"f'{{1}}'\" has no place here; {ALLOWED}"),
    ("1j", f"'1j' has no place here; {ALLOWED}"),
    ("True", f"'True' has no place here; {ALLOWED}"),
    ("0x10", "'0x10' is not a decimal number"),
    ("softmax(1)", "softmax: 1 is a number, expected a matrix"),
    ("identity(2)", "this is a matrix"),
    ("1\n2", "a formula is one line"),
    ("1\0", "a formula is one line"),
]


@pytest.mark.parametrize(("text", "sentence"), NOT_NUMBERS, ids=[repr(text) for text, _ in NOT_NUMBERS])
def test_what_is_no_number_gets_one_clear_sentence(text: str, sentence: str) -> None:
    with pytest.raises(FormulaError) as caught:
        read_number(text)

    assert str(caught.value) == f"number {text!r}: {sentence}"


BESIDE = "stand side by side: write @ between matrices, * beside a number"
PLACE = "has no place in a formula: write"
DIGITS = "digits from 0 to 9"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("Q @", "it ends with @, and what comes after is missing"),
        ("Q @ K.", "it ends with ., and what comes after is missing"),
        ("@ Q", "it starts with @, and what comes before is missing"),
        ("Q K", f"Q and K {BESIDE}"),
        ("Q.T K", f"Q.T and K {BESIDE}"),
        ("softmax (Q) K", f") and K {BESIDE}"),
        ("2Q", f"2 and Q {BESIDE}"),
        ("1 2", f"1 and 2 {BESIDE}"),
        ("1__0", f"1 and __0 {BESIDE}"),
        ("Q × K", f"× at character 3 {PLACE} @ between matrices, * beside a number"),
        ("Q Kᵀ", f"ᵀ at character 4 {PLACE} .T behind what is transposed"),
        ("Q'", f"' at character 2 {PLACE} .T behind what is transposed"),
        ("√2", f"√ at character 1 {PLACE} sqrt(…)"),
        ("2²", f"² at character 2 {PLACE} ^2"),
        ("−1", f"− at character 1 {PLACE} - with the key for minus"),
        ("（Q）", f"（ at character 1 {PLACE} ("),
        ("１", f"１ at character 1 {PLACE} {DIGITS}"),
        ("١", f"١ at character 1 {PLACE} {DIGITS}"),
        ("½", f"½ at character 1 {PLACE} {DIGITS}"),
        ("Q =", f"= at character 3 {PLACE} name = formula, with one = only"),
        ("Q;K", f"; at character 2 {PLACE} one formula for each step"),
        ("#", f"# at character 1 {PLACE} remarks in a note"),
        ("2.T", "a number has no transpose: .T goes behind a matrix"),
        ("Q @@ K", "@ and @ stand side by side: something between them is missing"),
        ("Q ^^ K", "^ and ^ stand side by side: something between them is missing"),
        ("softmax(,Q)", "beside a comma something is missing"),
        ("(Q", "( at character 1 is never closed"),
        ("Q)", ") at character 2 closes what was never opened"),
        ("yield", "yield is a word of Python and cannot be a name"),
        ("$", ALLOWED),
    ],
)
def test_what_is_no_formula_is_told_why(text: str, reason: str) -> None:
    """In words of our own, the same whichever Python runs."""
    for kind, read in (("formula", lambda t: read_formula(t, SCOPE)), ("number", read_number)):
        with pytest.raises(FormulaError) as caught:
            read(text)
        assert str(caught.value) == f"{kind} {text!r}: is not a {kind}: {reason}"


def test_a_power_of_t_is_told_how_to_transpose() -> None:
    with pytest.raises(FormulaError, match=r"unknown name 'T': known: .*; the transpose of X is written X\.T"):
        read_formula("Q @ K^T", SCOPE)


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


@pytest.mark.parametrize("value", [0.1, float("nan"), float("-inf")])
def test_a_float_is_refused_at_the_door(value: float) -> None:
    with pytest.raises(FormulaError, match="is a binary float and no longer the number that was meant"):
        exact(value)


def test_the_sentence_about_a_float_says_what_to_write() -> None:
    with pytest.raises(FormulaError) as caught:
        exact(0.1)

    assert str(caught.value) == '0.1 is a binary float and no longer the number that was meant: write "0.1"'


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


@pytest.mark.parametrize(
    "value", [0, -3, Fraction(1, 3), "1/3", Rational(1, 3), sqrt(2) / 3, -oo, 2 * log(3) - sqrt(2)]
)
def test_exact_numbers_of_python_and_sympy_are_taken(value: object) -> None:
    assert exact(value) == (Rational(1, 3) if value == "1/3" else value)


@pytest.mark.parametrize("name", ["Q", "W_Q", "x2", "LN_1", "oops", "a" * 40])
def test_names(name: str) -> None:
    assert is_name(name)


@pytest.mark.parametrize(
    "name",
    [
        "",
        "2x",
        "_x",
        "x y",
        "x-y",
        "É",
        "Ｑ",
        "Q\n",
        "oo",
        "softmax",
        "a" * 41,
        "x.T",
        "lambda",
        "if",
        "True",
        "None",
        "in",
    ],
)
def test_what_cannot_be_written_in_a_formula_is_no_name(name: str) -> None:
    assert not is_name(name)


# Only our own errors come out, and soon


def only_our_errors(read: Callable[[str], object], text: str, within: Callable) -> None:
    said = ""
    with within(1):
        try:
            read(text)
        except SymattnError as error:
            said = str(error)

    assert len(said) < 2_000
    assert "\n" not in said


ALPHABET = "QKSWbgm nd_k.T@+-*/^()[]{},=:;'\"\\0123456789eEoxj#~!%&|<>λ²١\t\n\0lambdafi"

PIECES = [
    "Q",
    "K.T",
    "S",
    "b",
    "G",
    "n",
    "d_k",
    "big",
    "m",
    "oo",
    "0",
    "1",
    "2",
    "64",
    "0.5",
    "1e9",
    "1e2999",
    "10^9",
    "sqrt(2)",
]
PIECES += [
    "+",
    "-",
    "*",
    "/",
    "^",
    "**",
    "@",
    "(",
    ")",
    ",",
    ".T",
    "=",
    "-oo",
    "1/3",
    "[",
    "]",
    ":",
    "lambda ",
    " if ",
    " else ",
    "~",
]
PIECES += [f"{name}(" for name in FUNCTIONS] + [
    "epsilon=",
    "gamma=",
    "value=",
    "__class__",
    ".real",
    ":=",
    "'",
    "\\",
    "é",
    "\u200b",
]


@settings(max_examples=300)
@given(
    text=st.text(max_size=80)
    | st.text(alphabet=ALPHABET, max_size=60)
    | st.lists(st.sampled_from(PIECES), max_size=25).map("".join)
)
@example(text="-" * 1999 + "1")
@example(text="(" * 999 + "1" + ")" * 999)
@example(text="\ud800")
@example(text="'\\d'")
@example(text="1if 1else 2")
@example(text="9" * 1999)
@example(text="Q" + ".T" * 900)
@example(text="Q@" * 900 + "Q")
@example(text="1e1000*" * 100 + "1")
@example(text="S/(1e2000*1e2999)")
@example(text="(1e2999*1e2999)^2*S")
@example(text="(((((S^64)^64)^64)^64)^64)^64")
@example(text="sqrt(" * 50 + "2" + ")" * 50)
@example(text="sqrt(0 - 1e2999)")
@example(text="S * 1e2999 + b")
@example(text="S ^ 1e2999")
@example(text="row(S, 1e2999)")
@example(text="broadcast(b, 1e2999)")
@example(text="1e2999 ^ 2")
@example(text="1/((1+sqrt(2)+sqrt(3)+sqrt(5)+sqrt(7))^64-(1+sqrt(2))^64)")
def test_any_text_gives_a_value_or_one_of_our_errors(text: str, within: Callable) -> None:
    only_our_errors(lambda t: read_formula(t, SCOPE), text, within)
    only_our_errors(read_number, text, within)
    only_our_errors(exact, text, within)


@pytest.mark.parametrize("text", ["1if 1else 2", "'\\d'", "1(2)", "Q is 1", "0x1for Q in K"])
def test_python_warns_nobody_about_a_text_it_reads_for_us(text: str) -> None:
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        with pytest.raises(FormulaError):
            read_formula(text, SCOPE)

    assert [str(warning.message) for warning in seen] == []


CHANGES: tuple[Callable[[random.Random, str], str], ...] = (
    lambda rng, text: text[: rng.randrange(len(text) + 1)],
    lambda rng, text: text.replace(rng.choice(text), rng.choice(PIECES), 1),
    lambda rng, text: text + rng.choice(PIECES),
    lambda rng, text: (i := rng.randrange(len(text) + 1), text[:i] + rng.choice(PIECES) + text[i:])[1],
    lambda rng, text: (i := rng.randrange(len(text)), text[:i] + text[i + 1 :])[1],
    lambda rng, text: f"({text})",
    lambda rng, text: f"{rng.choice(FUNCTIONS)}({text})",
    lambda rng, text: "".join(rng.sample(text, len(text))),
)


@settings(max_examples=300)
@given(seed=st.integers(0, 10**9))
def test_a_good_formula_with_mistakes_in_it_gives_a_value_or_one_of_our_errors(seed: int, within: Callable) -> None:
    rng = random.Random(seed)
    text = rng.choice(GOOD)[0]
    for _ in range(rng.randint(1, 4)):
        text = rng.choice(CHANGES)(rng, text) or "Q"

    only_our_errors(lambda t: read_formula(t, SCOPE), text, within)


numbers_of_numbers = st.recursive(
    st.sampled_from(
        ["0", "1", "2", "3", "-1", "1/2", "0.1", "sqrt(2)", "sqrt(3)", "sqrt(5)", "10^9", "oo", "64", "1e99", "1e2999"]
    ),
    lambda inner: (
        st.builds("({} {} {})".format, inner, st.sampled_from(["+", "-", "*", "/", "^"]), inner)
        | st.builds("sqrt({})".format, inner)
    ),
    max_leaves=12,
)


@settings(max_examples=300)
@given(text=numbers_of_numbers)
def test_any_arithmetic_gives_a_real_number_or_one_of_our_errors(text: str, within: Callable) -> None:
    only_our_errors(read_number, text, within)
    try:
        value = read_number(text)
    except SymattnError:
        return
    assert value in (oo, -oo) or value.is_real
    assert max((abs(number.p) for number in value.atoms(Rational)), default=0) < 10 ** (limits.POWER_DIGITS + 10)


def test_a_long_formula_does_not_make_a_message_that_nobody_reads() -> None:
    text = "(" + " + ".join(["-" * 12 + "Q"] * 35) + ") * K"

    with pytest.raises(FormulaError) as caught:
        read_formula(text, Scope({"Q": HEAD, "K": HEAD}, {}))

    assert len(str(caught.value)) < 1_600
    assert str(caught.value).startswith("formula '(---")
    assert " … " in str(caught.value)
