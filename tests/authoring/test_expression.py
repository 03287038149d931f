"""Expressions in Python: what operators write, what they refuse, and that the text reads back to the same formula."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

from symattn import Derivation, Expression, Scalar, causal_mask, layer_norm, softmax, sqrt
from symattn.read.formula import read_any

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
        (lambda: X / sympy.sqrt(2), "X / sqrt(2)"),
        (lambda: sympy.sqrt(2) * X, "sqrt(2) * X"),
        (lambda: X * sympy.Rational(1, 3), "X * (1/3)"),
        (lambda: X / (sqrt(D_K) * 2 - 1), "X / (sqrt(d_k) * 2 - 1)"),
        (lambda: 1 / sqrt(D_K) * X, "1 / sqrt(d_k) * X"),
        (lambda: X + 1, "X + 1"),
        (lambda: 1 - X, "1 - X"),
        (lambda: 2 / (X * X), "2 / (X * X)"),
        (lambda: X / (X + X), "X / (X + X)"),
        (lambda: X**2 * X, "X ** 2 * X"),
        (lambda: D_K + X, "d_k + X"),
        (lambda: sqrt(D_K) / X, "sqrt(d_k) / X"),
        (lambda: X - X[0], "X - X[0]"),
        (lambda: X[-1] @ W, "X[-1] @ W"),
        (lambda: (X @ W)[:, 0:2], "(X @ W)[:, 0:2]"),
        (lambda: X[1:], "X[1:]"),
        (lambda: X[N - 1, 0], "X[n - 1, 0]"),
        (lambda: X[[2, 0]], "X[[2, 0]]"),
        (lambda: X[:, 0, None], "X[:, 0, None]"),
        (lambda: X[..., 0], "X[..., 0]"),
        (lambda: X[::-1], "X[::-1]"),
        (lambda: X + [1, Fraction(1, 2)], "X + [1, 1/2]"),  # noqa: RUF005
        (lambda: [1, 0, 2] @ X, "[1, 0, 2] @ X"),
        (lambda: np.array([[1, 2], [3, 4]]) @ X.T, "[[1, 2], [3, 4]] @ X.T"),
        (lambda: X * np.array([3, -4]), "X * [3, -4]"),
        (lambda: X.sum(axis=1), "X.sum(axis=1)"),
        (lambda: (X + X).mean(0, keepdims=True), "(X + X).mean(0, keepdims=True)"),
        (lambda: layer_norm(X, epsilon=Fraction(1, 10)), "layer_norm(X, epsilon=1/10)"),
        (lambda: causal_mask(3, -(10**9)), "causal_mask(3, -1000000000)"),
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
        st.tuples(inner, inner).map(lambda pair: pair[0] * pair[1]),
        st.tuples(inner, inner).map(lambda pair: pair[0] / pair[1]),
        st.tuples(inner, NUMBERS).map(lambda pair: pair[1] - pair[0]),
        st.tuples(inner, NUMBERS).map(lambda pair: pair[1] / pair[0]),
        st.tuples(inner, st.sampled_from([0, -1, [1, 0]])).map(lambda pair: pair[0] + pair[0][pair[1]]),
        inner.map(lambda one: [1, 2] * one - one.sum(axis=0)),
        inner.map(lambda one: -one),
        inner.map(lambda one: one.T),
        inner.map(softmax),
        inner.map(lambda one: one**2),
    )


SQUARE = st.recursive(st.sampled_from([S, S.T, W @ W.T]), _grown, max_leaves=6)


@settings(max_examples=40)
@given(SQUARE)
def test_the_text_reads_back_to_the_formula_that_was_built(made: Expression) -> None:
    assert made.term.expr == read_any(made.text, D._draft.scope).expr
    assert made.shape == (2, 2)


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


def test_other_attributes_are_simply_not_there() -> None:
    """Notebooks, NumPy and copies ask an object for many things."""
    assert not hasattr(X, "tolist")
    assert not hasattr(X, "_repr_html_")
    with pytest.raises(AttributeError):
        X.__array__()  # type: ignore[attr-defined]
