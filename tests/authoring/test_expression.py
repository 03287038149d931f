"""Expressions, functions and values in Python: what operators write, what they refuse, signatures and types."""

from __future__ import annotations

import ast
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from inspect import Parameter, signature
from operator import add, matmul, mul, neg, sub, truediv
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st
from sympy import Matrix, MatrixSymbol, Rational, Symbol, ZeroMatrix, simplify, symbols

import symattn
from symattn import Derivation, Expression, Scalar, causal_mask, layer_norm, softmax, sqrt
from symattn import operations as ops
from symattn.api.authoring import stub
from symattn.api.authoring.calls import FUNCTIONS, documentation
from symattn.base.errors import SymattnError, UnknownNameError
from symattn.read.formula import read_any
from symattn.read.formula.functions import TABLE

D = Derivation(title="t", tokens=["a", "b", "c"], sizes={"d_k": 2})
X = D.given("X", [[1, 2], [3, 4], [5, 6]], axes=("n", "d_model"))
W = D.given("W", [[1, 0, 2], [0, 1, 3]])
S = D.given("S", [["1", "2"], ["3", "1/2"]])
N, D_K = D.size("n"), D.size("d_k")


@pytest.mark.parametrize(("formula", "text"), [
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
])  # fmt: skip
def test_operators_write_formulas_as_a_file_has_them(formula: Callable[[], Expression], text: str) -> None:
    made = formula()
    assert made.text == text
    assert made.term.expr == read_any(text, D._draft.scope).expr


NUMBERS = st.sampled_from([2, -3, Fraction(1, 3), Fraction(-2, 5), Decimal("-0.5"), sqrt(2), sqrt(D_K), D_K, -D_K])


def _grown(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    between = st.sampled_from([add, sub, matmul, mul, truediv])
    return st.one_of(
        st.builds(lambda sign, one, other: sign(one, other), between, inner, inner),
        st.builds(lambda sign, one, number: sign(one, number), st.sampled_from([mul, truediv]), inner, NUMBERS),
        st.builds(lambda sign, one, number: sign(number, one), st.sampled_from([mul, sub, truediv]), inner, NUMBERS),
        st.builds(lambda one, place: one + one[place], inner, st.sampled_from([0, -1, [1, 0]])),
        inner.map(lambda one: [1, 2] * one - one.sum(axis=0)),
        *map(inner.map, (neg, softmax, lambda one: one.T, lambda one: one**2)),
    )


SQUARE = st.recursive(st.sampled_from([S, S.T, W @ W.T]), _grown, max_leaves=6)


@settings(max_examples=40)
@given(SQUARE)
def test_the_text_reads_back_to_the_formula_that_was_built(made: Expression) -> None:
    assert made.term.expr == read_any(made.text, D._draft.scope).expr
    assert made.shape == (2, 2)


def test_expressions_are_objects_of_python_with_shapes_and_formulas_to_show() -> None:
    assert X in {X, W}
    assert len({X, W, X}) == 2
    assert (X @ W).shape == (3, 3)
    assert isinstance(sqrt(D_K), Scalar)
    assert repr(X @ W) == "Expression('X @ W', shape (n=3, 3))"
    made = (X @ W / sqrt(D_K))._repr_latex_()
    assert made == "$\\displaystyle \\frac{XW}{\\sqrt{d_k}}\\ (shape=3\\times 3)$"
    assert sqrt(D_K)._repr_latex_() == "$\\displaystyle \\sqrt{d_k}$"
    d = Derivation(title="t", notation={"Q": "bold(q)"})
    Q = d.step("Q", d.given("X", [[1]]) @ d["X"])
    assert Q._repr_latex_() == "$\\displaystyle \\mathbf{q}\\ (shape=1\\times 1) = XX$"
    # Notebooks, NumPy and copies ask an object for many things.
    assert not hasattr(X, "tolist")
    assert not hasattr(X, "_repr_html_")
    with pytest.raises(AttributeError):
        X.__array__()  # type: ignore[attr-defined]


# -- all functions of the formula language, with signatures, documentation and types -----------------------------------


ROOT = Path(symattn.__file__).parent


@pytest.mark.parametrize("name", TABLE)
def test_every_function_of_the_table_is_one_of_python(name: str) -> None:
    function = getattr(symattn, name)
    parameters = signature(function).parameters

    assert function is FUNCTIONS[name]
    assert function.__name__ == name
    needed = [key for key, one in parameters.items() if one.default is Parameter.empty and one.kind.value < 2]
    assert tuple(needed) == TABLE[name].required
    assert ("more" in parameters) == TABLE[name].endless
    assert len(documentation(name, TABLE[name])) > len(name) + 15
    assert name in dir(symattn)


def test_no_function_hides_a_module_of_ours() -> None:
    modules = {path.stem for path in ROOT.iterdir() if path.suffix == ".py" or path.is_dir()}
    assert not modules & set(TABLE)
    assert not set(symattn._HOMES) & set(TABLE)


def test_what_type_checkers_are_told_is_what_there_is() -> None:
    """``python -m symattn.api.authoring.stub`` writes the file again."""
    assert stub.PATH.read_text(encoding="utf-8") == stub.stub()
    declared = [node.name for node in ast.parse(stub.stub()).body if isinstance(node, ast.FunctionDef)]
    assert declared == sorted(TABLE)


BUILT_IN = {"abs", "max", "min", "sum"}
"""Functions that a star leaves to Python."""


def test_the_public_names_are_the_ones_that_type_checkers_see() -> None:
    """What is imported under TYPE_CHECKING, what ``__getattr__`` finds and ``__all__`` are one list."""
    tree = ast.parse((ROOT / "__init__.py").read_text(encoding="utf-8"))
    block = next(node for node in tree.body if isinstance(node, ast.If))
    seen = {alias.name for node in block.body if isinstance(node, ast.ImportFrom) for alias in node.names} - {
        "*",
        "functions",
    }
    listed = next(node.value for node in block.body if isinstance(node, ast.AnnAssign))
    assert set(ast.literal_eval(listed)) == seen | {"__version__"}
    assert seen == set(symattn._HOMES)
    assert seen | {"__version__"} | set(TABLE) == {*symattn.__all__, *BUILT_IN}
    for name in seen:
        assert getattr(symattn, name) is not None


def test_a_star_brings_the_functions_and_other_names_are_attribute_errors() -> None:
    """``from symattn import *`` is how many people begin."""
    brought: dict[str, object] = {}
    exec("from symattn import *", brought)  # noqa: S102
    assert {"Derivation", "matrix", *TABLE} - BUILT_IN == {"Derivation", "matrix", *TABLE} & set(brought)
    with pytest.raises(AttributeError, match="'symattn' has no attribute 'sofmax'"):
        symattn.sofmax  # noqa: B018
    with pytest.raises(ImportError):
        from symattn.api.authoring.functions import sofmax  # type: ignore[attr-defined]  # noqa: F401


# -- with matrices of SymPy they give nodes, with the shapes checked as everywhere

n, m, d = symbols("n m d", integer=True)
A, b = MatrixSymbol("X", 3, 2), MatrixSymbol("b", 1, 2)
B, K = MatrixSymbol("S", n, d), MatrixSymbol("K", m, d)


def test_formulas_of_sympy_become_nodes_and_sizes_may_be_letters() -> None:
    weights = symattn.softmax(A * A.T / sympy.sqrt(2))
    assert weights == ops.Softmax(A * A.T / sympy.sqrt(2))
    values = Matrix([[1, 0], [0, 1], [1, 1]])
    assert simplify(sum(weights.subs(A, values).doit()[0, :])) == 1
    assert symattn.layer_norm(A, Fraction(1, 3), gamma=b) == ops.LayerNorm(A, Rational(1, 3), b, ZeroMatrix(1, 2))
    assert symattn.stack(A, b, A).shape == (7, 2)
    assert symattn.row(A, 2) == ops.Row(A, 2)
    assert symattn.hadamard(A, Matrix(3, 2, range(6))).subs(A, values).doit()[2, 1] == 5
    assert symattn.softmax(B * K.T).shape == (n, m)
    assert symattn.concat(symattn.dot(B, K), B).shape == (n, m + d)
    assert symattn.broadcast(MatrixSymbol("c", 1, d), 2 * n).shape == (2 * n, d)
    assert symattn.keep(B * B.T, MatrixSymbol("M", n, n)).subs(n, 2).shape == (2, 2)
    assert symattn.clip_norm(B, Symbol("c", positive=True)).threshold == Symbol("c", positive=True)
    square = MatrixSymbol("A", 2, 2)
    for name in ("softmax", "relu", "gelu", "entropy", "norm", "argmax", "rotary", "rms_norm", "log"):
        assert FUNCTIONS[name](square).argument == square


# -- a solution as Python knows mappings and NumPy arrays --------------------------------------------------------------


SCORES = Derivation("Scores")
x = SCORES.given("X", [["1/3", "2"], ["sqrt(2)", "-oo"]])
a = SCORES.step("A", x * 3)


def test_a_value_is_an_array_of_doubles() -> None:
    value = SCORES.solve()["A"]
    assert np.allclose(np.asarray(value, dtype=float), [[1, 6], [18**0.5, -np.inf]], rtol=1e-15, atol=0)
    assert np.asarray(value).dtype == np.float64
    assert np.array(value, dtype=np.float32).dtype == np.float32
    assert (np.asarray(value) + np.ones((2, 2))).shape == (2, 2)
    with pytest.raises(ValueError, match="A: an array of its values is always a copy"):
        np.array(value, copy=False)


@pytest.mark.parametrize(("name", "told"), [("B", "'B'"), (0, "0"), ([1], "[1]")])
def test_a_name_that_is_not_there_is_a_key_error_in_one_sentence(name: object, told: str) -> None:
    with pytest.raises(KeyError) as caught:
        SCORES.solve()[name]  # type: ignore[index]
    assert isinstance(caught.value, UnknownNameError)
    assert str(caught.value) == f"unknown name {told}: known: A, X"


def test_a_derivation_without_a_title_is_told_to_have_one() -> None:
    with pytest.raises(
        SymattnError, match=r'^Derivation\(\): a page needs a title: Derivation\("Attention by hand"\)$'
    ):
        Derivation()
