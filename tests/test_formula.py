"""Text to formula and nothing but formulas: what is read, what is refused, and in which words."""

from __future__ import annotations

import contextlib
import time
from fractions import Fraction

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from symattn.errors import FormulaError, ShapeError, SymattnError
from symattn.formula import Scope, exact, is_name, read_any, read_formula, read_number, read_scalar
from symattn.shapes import Axis, Shape, shape

SCOPE = Scope(
    {
        "Q": Shape(Axis(3, "n"), Axis(4, "d_k")),
        "K": Shape(Axis(3, "m"), Axis(4, "d_k")),
        "V": Shape(Axis(3, "m"), Axis(2, "d_v")),
        "W": Shape(Axis(3, "m"), Axis(2, "d_k")),
        "S": shape(3, 3),
        "b": shape(1, 4),
    },
    {"d_k": 4, "n": 3},
)

GOOD = {
    "Q @ K.T": ("Q*K.T", "(n=3, m=3)"),
    "softmax(Q @ K.T / sqrt(d_k)) @ V": ("Softmax(Quotient(Q*K.T, sqrt(d_k)))*V", "(n=3, d_v=2)"),
    "S + causal_mask(n, -10^9)": ("CausalMask(3, -1000000000) + S", "(n=3, n=3)"),
    "layer_norm(Q, epsilon=10^-5)": ("LayerNorm(Q, 1/100000)", "(n=3, d_k=4)"),
    "layer_norm(Q, gamma=b)": ("LayerNorm(Q, 1/100000, b, 0)", "(n=3, d_k=4)"),
    "Q + broadcast(b, n)": ("Broadcast(b, 3) + Q", "(n=3, d_k=4)"),
    "row(V, n)": ("Row(V, 3)", "(1, d_v=2)"),
    "relu(-Q)": ("ReLU(-Q)", "(n=3, d_k=4)"),
    "S ** 2": ("S**2", "(3, 3)"),
    "S ^ 2": ("S**2", "(3, 3)"),
    "0.5 * S": ("(1/2)*S", "(3, 3)"),
    "identity(n) @ S": ("I*S", "(n=3, 3)"),
    "dot(b, b)": ("Dot(b, b)", "(1, 1)"),
}


@pytest.mark.parametrize("text", GOOD)
def test_a_formula_is_read(text: str) -> None:
    term = read_formula(text, SCOPE)
    assert (str(term.expr), str(term.shape)) == GOOD[text]


def test_the_root_of_four_stays_a_root_in_a_formula_and_is_two_in_a_number() -> None:
    assert str(read_scalar("sqrt(4)", SCOPE)) == "sqrt(4)"
    assert read_number("sqrt(4)") == 2


BAD = {
    "": "formula '': is empty",
    "Q @": "formula 'Q @': is not a formula: invalid syntax",
    "Q * K": "formula 'Q * K': Q * K: the product of matrices is written with @",
    "Q @ X": "formula 'Q @ X': unknown name 'X': known: K, Q, S, V, W, b, d_k, n",
    "sofmax(S)": (
        "formula 'sofmax(S)': unknown function 'sofmax': did you mean 'softmax'? "
        "known: broadcast, causal_mask, dot, identity, layer_norm, relu, row, softmax, sqrt"
    ),
    "softmax(S, 1)": "formula 'softmax(S, 1)': softmax takes at most 1 values: softmax(S)",
    "layer_norm(S, eps=1)": (
        "formula 'layer_norm(S, eps=1)': unknown option of layer_norm 'eps': did you mean 'epsilon'? known: X, beta, epsilon, gamma"
    ),
    "row(S)": "formula 'row(S)': row also needs i: row(X, i)",
    "S.shape": "formula 'S.shape': '.shape' has no place here; the only attribute is .T, the transpose",
    "S / 0": "formula 'S / 0': division by zero",
    "S / (d_k - 4)": "formula 'S / (d_k - 4)': division by zero",
    "S / sqrt(n - d_k)": "formula 'S / sqrt(n - d_k)': the divisor sqrt(-d_k + n) is not a finite real number",
    "S * oo": "formula 'S * oo': the factor oo is not a finite real number",
    "softmax": "formula 'softmax': softmax is a function: write softmax(…)",
    "S ** 0.5": "formula 'S ** 0.5': the exponent 1/2 is not a whole number; a root is written sqrt(…)",
    "3": "formula '3': this is a number, expected a matrix",
}


@pytest.mark.parametrize("text", BAD)
def test_what_is_wrong_with_a_formula_is_said(text: str) -> None:
    with pytest.raises(FormulaError) as caught:
        read_formula(text, SCOPE)
    assert str(caught.value) == BAD[text]


def test_a_shape_error_names_both_sides_and_the_axis() -> None:
    with pytest.raises(ShapeError) as caught:
        read_formula("Q @ W.T", SCOPE)
    assert str(caught.value) == "Q @ W.T: Q is (n=3, d_k=4), W.T is (d_k=2, m=3): d_k differs, 4 and 2"


NOT_FORMULAS = [
    "__import__('os')",
    "S.__class__",
    "lambda: 0",
    "[S for S in S]",
    "S if S else S",
    "(S := S)",
    "f'{S}'",
    "S[0]",
    "S @ 'text'",
    "softmax(*S)",
    "softmax(**S)",
    "True",
    "None",
    "1j * S",
    "S < S",
    "S and S",
    "S // 2",
    "S % 2",
    "S | S",
    "~S",
    "S\n@ S",
    "S\0",
]


@pytest.mark.parametrize("text", NOT_FORMULAS)
def test_code_is_refused(text: str) -> None:
    with pytest.raises(FormulaError):
        read_formula(text, SCOPE)


HUGE = [
    "10^10^10",
    "9**99999",
    "1e999999",
    "(1/3)^5000",
    "2^(2^2^2^2)",
    "(10^1400*10^1400*10^1400*10^1400)^2",
    "((1+sqrt(2))^64)^64",
    "-" * 3000 + "1",
    "(" * 3000 + "1" + ")" * 3000,
    "1" * 5000,
    "sqrt(" + "7" * 300 + ")",
    "1/0",
    "0^0",
    "0^-1",
    "sqrt(-1)",
    "oo - oo",
    "0 * oo",
    "+".join(["1"] * 150),
]


@pytest.mark.parametrize("text", HUGE)
def test_a_number_that_cannot_be_written_down_is_refused_at_once(text: str) -> None:
    start = time.perf_counter()
    with pytest.raises(FormulaError):
        read_number(text)
    assert time.perf_counter() - start < 1


@given(st.fractions(max_denominator=10**9))
def test_fractions_are_read_exactly(value: Fraction) -> None:
    number = read_number(f"{value.numerator}/{value.denominator}")
    assert (number.p, number.q) == (value.numerator, value.denominator)


@given(st.decimals(allow_nan=False, allow_infinity=False, places=8, min_value=-(10**9), max_value=10**9))
def test_decimals_are_read_exactly(value: object) -> None:
    number = read_number(f"{value:f}")
    assert Fraction(int(number.p), int(number.q)) == Fraction(f"{value:f}")


WORDS = "Q K S b d_k @ .T softmax( row( ) ( + - / * ^ sqrt( , 1 0.5 10 oo causal_mask( layer_norm( epsilon="
PIECES = st.sampled_from([*WORDS.split(" "), "é", "\n", "'", "[", "]", ":", "=", ".", " "])


@given(st.one_of(st.text(max_size=60), st.lists(PIECES, max_size=25).map("".join)))
@example("S" + "^9" * 30)
def test_any_text_gives_a_formula_or_our_own_error(text: str) -> None:
    for read in (lambda: read_any(text, SCOPE), lambda: read_number(text)):
        with contextlib.suppress(SymattnError):
            read()


@pytest.mark.parametrize(
    "value", [0.1, float("nan"), float("inf"), None, True, [], 16**5000], ids=lambda value: type(value).__name__
)
def test_what_is_not_an_exact_number_is_refused_at_the_door(value: object) -> None:
    with pytest.raises(FormulaError):
        exact(value)


@pytest.mark.parametrize("text", ["1x", "", "a b", "lambda", "softmax", "oo", "é", "x" * 41, "_x"])
def test_what_cannot_be_a_name(text: str) -> None:
    assert not is_name(text)
