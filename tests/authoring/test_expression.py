"""Expressions in Python: what operators write, what they refuse, and that the text reads back to the same formula."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

from symattn import Derivation, Expression, Scalar, causal_mask, head, layer_norm, softmax, sqrt
from symattn.errors import FormulaError, ShapeError
from symattn.formula import read_any

D = Derivation(title="t", tokens=["a", "b", "c"], sizes={"d_k": 2})
X = D.given("X", [[1, 2], [3, 4], [5, 6]], axes=("n", "d_model"))
W = D.given("W", [[1, 0, 2], [0, 1, 3]])
S = D.given("S", [["1", "2"], ["3", "1/2"]])
N, D_K = D.size("n"), D.size("d_k")


@pytest.mark.parametrize(
    ("formula", "text"),
    [
        (lambda: X @ W / sqrt(D_K), "X @ W / sqrt(d_k)"),
        (lambda: softmax(X @ X.T / sqrt(2) + causal_mask(N)), "softmax(X @ X.T / sqrt(2) + causal_mask(n))"),
        (lambda: X - (X + X), "X - (X + X)"),
        (lambda: X - X + X, "X - X + X"),
        (lambda: (X + X) @ W, "(X + X) @ W"),
        (lambda: X @ (W @ X), "X @ (W @ X)"),
        (lambda: +(X @ W) @ X, "(X @ W) @ X"),
        (lambda: (X @ W).T, "(X @ W).T"),
        (lambda: -X.T, "-X.T"),
        (lambda: (-X).T, "(-X).T"),
        (lambda: (S @ S) ** 2, "(S @ S) ** 2"),
        (lambda: 2 * (X @ W), "2 * (X @ W)"),
        (lambda: Fraction(1, 3) * X, "1/3 * X"),
        (lambda: X / Fraction(1, 3), "X / (1/3)"),
        (lambda: X * Decimal("0.25"), "X * 0.25"),
        (lambda: X * -3, "X * -3"),
        (lambda: X * np.int64(3), "X * 3"),
        (lambda: X / sympy.sqrt(2), "X / (sqrt(2))"),
        (lambda: sympy.sqrt(2) * X, "(sqrt(2)) * X"),
        (lambda: X * sympy.Rational(1, 3), "X * (1/3)"),
        (lambda: X / (sqrt(D_K) * 2 - 1), "X / (sqrt(d_k) * 2 - 1)"),
        (lambda: 1 / sqrt(D_K) * X, "1 / sqrt(d_k) * X"),
        (lambda: layer_norm(X, epsilon=Fraction(1, 10)), "layer_norm(X, epsilon=1/10)"),
        (lambda: causal_mask(3, -(10**9)), "causal_mask(3, value=-1000000000)"),
    ],
)
def test_operators_write_formulas_as_a_file_has_them(formula: Callable[[], Expression], text: str) -> None:
    made = formula()

    assert made.text == text
    assert made.term.expr == read_any(text, D._draft.scope).expr


NUMBERS = st.sampled_from([2, -3, Fraction(1, 3), Fraction(-2, 5), Decimal("-0.5"), sqrt(2), sqrt(D_K), D_K, -D_K])


def _grown(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.one_of(
        st.tuples(inner, NUMBERS).map(lambda pair: pair[0] * pair[1]),
        st.tuples(inner, NUMBERS).map(lambda pair: pair[1] * pair[0]),
        st.tuples(inner, NUMBERS).map(lambda pair: pair[0] / pair[1]),
        st.tuples(inner, inner).map(lambda pair: pair[0] + pair[1]),
        st.tuples(inner, inner).map(lambda pair: pair[0] - pair[1]),
        st.tuples(inner, inner).map(lambda pair: pair[0] @ pair[1]),
        inner.map(lambda one: -one),
        inner.map(lambda one: one.T),
        inner.map(softmax),
        inner.map(lambda one: one**2),
    )


SQUARE = st.recursive(st.sampled_from([S, S.T, W @ W.T]), _grown, max_leaves=6)


@given(SQUARE)
def test_the_text_reads_back_to_the_formula_that_was_built(made: Expression) -> None:
    assert made.term.expr == read_any(made.text, D._draft.scope).expr
    assert made.shape == (2, 2)


class Number:
    """Arithmetic that only writes down what Python does, every operation in parentheses."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __add__(self, other: Number) -> Number:
        return Number(f"({self.text} + {other.text})")

    def __sub__(self, other: Number) -> Number:
        return Number(f"({self.text} - {other.text})")

    def __matmul__(self, other: Number) -> Number:
        return Number(f"({self.text} @ {other.text})")

    def __mul__(self, other: int) -> Number:
        return Number(f"({self.text} * {other})")

    def __truediv__(self, other: int) -> Number:
        return Number(f"({self.text} / {other})")

    def __neg__(self) -> Number:
        return Number(f"(-{self.text})")

    @property
    def T(self) -> Number:
        return Number(f"({self.text}.T)")


SHAPES: list[Callable[[Any, Any], Any]] = [
    lambda a, b: a - (b - a) - b,
    lambda a, b: -(a @ b) @ -b,
    lambda a, b: -a.T @ (b / 2).T / 3 + a * 2 - (a - b) * 5,
    lambda a, b: a @ (b @ a) @ (a + b) - (-b),
    lambda a, b: (a / 2 / 3) @ (b * 2).T @ (-(a + b)).T,
]


@pytest.mark.parametrize("shape", SHAPES)
def test_parentheses_are_left_out_only_where_python_does_without_them(shape: Callable[[Any, Any], Any]) -> None:
    import ast

    made = shape(S, S.T)
    spelled = shape(Number("S"), Number("S.T"))
    assert ast.dump(ast.parse(made.text)) == ast.dump(ast.parse(spelled.text))


@pytest.mark.parametrize(
    ("formula", "kind", "message"),
    [
        (
            lambda: X @ X,
            ShapeError,
            "X @ X: X is (n=3, d_model=2), X is (n=3, d_model=2): the columns of the first are d_model=2, the rows of "
            "the second n=3",
        ),
        (lambda: X + W, ShapeError, "X + W: X is (n=3, d_model=2), W is (2, 3): rows differ, 3 and 2"),
        (lambda: X * X, FormulaError, "X * X: the product of matrices is written with @"),
        (lambda: X / 2.0, FormulaError, "X / …: 2.0 is a binary float: write 2"),
        (lambda: 0.3 * X, FormulaError, "… * X: 0.3 is a binary float and no longer the number that was meant: write"),
        (lambda: np.float64(0.3) * X, FormulaError, 'Fraction("0.3") or Decimal("0.3") for a decimal'),
        (lambda: X @ "W", FormulaError, "X @ …: 'W' is a text and cannot stand beside an expression"),
        (lambda: X @ [[1, 2]], FormulaError, "X @ …: a matrix without a name (list), and formulas are made of names"),
        (lambda: np.ones((2, 3)) @ X, FormulaError, "… @ X: a matrix without a name (ndarray)"),
        (lambda: X + np.ones((2, 3)), FormulaError, "X + …: a matrix without a name (ndarray)"),
        (lambda: X * sympy.Matrix([[1]]), FormulaError, "a SymPy matrix has no name"),
        (lambda: X + 1, FormulaError, "X + 1: X is a matrix (n=3, d_model=2)"),
        (lambda: X * True, FormulaError, "True is neither a matrix nor a number"),
        (lambda: X * None, FormulaError, "a NoneType cannot stand in a formula"),
        (lambda: X * sympy.pi, FormulaError, "pi is not a number made of fractions, roots and powers"),
        (lambda: X * sympy.log(2), FormulaError, "log(2) is not a number made of fractions, roots and powers"),
        (lambda: X * sympy.Symbol("t"), FormulaError, "unknown name 't'"),
        (lambda: X * 10**9000, FormulaError, "FORMULA_LENGTH"),
        (lambda: X * Decimal("1e999999999"), FormulaError, "FORMULA_LENGTH"),
        (lambda: X * Decimal("inf"), FormulaError, "Infinity is not a number"),
        (lambda: X / 0, FormulaError, "division by zero"),
        (lambda: softmax(), FormulaError, "softmax(S): missing a required argument: 'S'"),
        (lambda: softmax(2), FormulaError, "softmax: 2 is a number, expected a matrix"),
        (lambda: head(X, 1, 3), ShapeError, "d/h is 2/3: expected a whole number from 1 up; h that fits: 1, 2"),
        (lambda: causal_mask("n"), FormulaError, "causal_mask(…): 'n' is a text"),
    ],
)
def test_what_cannot_be_is_refused_at_its_line_with_what_to_do(
    formula: Callable[[], object], kind: type[Exception], message: str
) -> None:
    with pytest.raises(kind) as error:
        formula()
    assert message in str(error.value)


@pytest.mark.parametrize(
    "nonsense",
    [
        lambda: X == W,
        lambda: X != W,
        lambda: X < W,
        lambda: X >= 2,
        lambda: bool(X),
        lambda: X and W,
        lambda: X in [W],
        lambda: X[0],
        lambda: list(X),
        lambda: D_K == 2,
        lambda: bool(D_K),
    ],
)
def test_a_formula_is_not_compared_not_true_and_has_no_entries(nonsense: Callable[[], object]) -> None:
    with pytest.raises(FormulaError):
        nonsense()


def test_expressions_of_two_derivations_do_not_mix() -> None:
    other = Derivation(title="Other")
    Y = other.given("Y", [[1, 2]])
    with pytest.raises(FormulaError, match=r"X and Y belong to two derivations, 't' and 'Other'"):
        X + Y
    with pytest.raises(FormulaError, match=r'step\("Z"\): Y belongs to another derivation, "Other"'):
        D.step("Z", Y)
    assert "Z" not in D


def test_expressions_can_be_in_sets_and_are_found_by_identity() -> None:
    assert X in {X, W}
    assert len({X, W, X}) == 2


def test_shapes_are_there_to_be_asked_for() -> None:
    assert (X @ W).shape == (3, 3)
    assert isinstance(sqrt(D_K), Scalar)
    assert repr(X @ W) == "Expression('X @ W', shape (n=3, 3))"


def test_expressions_show_themselves_in_jupyter() -> None:
    made = (X @ W / sqrt(D_K))._repr_latex_()
    assert made == "$\\displaystyle \\frac{XW}{\\sqrt{d_k}}\\ (shape=3\\times 3)$"
    assert sqrt(D_K)._repr_latex_() == "$\\displaystyle \\sqrt{d_k}$"
    d = Derivation(title="t", notation={"Q": "bold(q)"})
    Q = d.step("Q", d.given("X", [[1]]) @ d["X"])
    assert Q._repr_latex_() == "$\\displaystyle \\mathbf{q}\\ (shape=1\\times 1) = XX$"
