"""Brackets and lists: whatever NumPy reads too has its value and its shape."""

from __future__ import annotations

import ast
from typing import Any

import numpy as np
import pytest
from sympy import ImmutableDenseMatrix, MatrixSymbol

from symattn.formula import Scope, read_formula
from symattn.operations.terms import Term
from symattn.shapes import Axis, Shape, shape

ARRAYS: dict[str, Any] = {"X": np.arange(12).reshape(3, 4) + 1, "K": np.array([[5, 7], [8, -2]]), "v": np.arange(1, 5)}
SCOPE = Scope(
    {"X": shape(3, 4), "K": shape(2, 2), "v": Shape(Axis(1), Axis(4), 1)},
    {"n": 3},
)


def numbers(term: Term) -> Any:
    """The value of a formula, with as many axes as it is said to have."""
    values = {
        MatrixSymbol(name, *np.atleast_2d(a).shape): ImmutableDenseMatrix(np.atleast_2d(a))
        for name, a in ARRAYS.items()
    }
    found = np.array(term.expr.xreplace(values).as_explicit().tolist(), dtype=float)
    return found.reshape(((), (-1,), found.shape)[term.shape.ndim])


class _Arrays(ast.NodeTransformer):
    """Lists that are no index as the arrays that they are in formulas."""

    def visit_List(self, node: ast.List) -> ast.AST:
        return ast.Call(ast.Attribute(ast.Name("np", ast.Load()), "array", ast.Load()), [node], [])

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        return ast.Subscript(self.visit(node.value), node.slice, node.ctx)


@pytest.mark.parametrize(
    "text",
    [
        *("X[0]", "X[-1]", "X[2, 3]", "X[-3, -4]", "X[1][2]", "X[:, 0][2]", "X[:, -1]", "X[:, 0:2]", "X[1:]", "X[:2]"),
        *("X[-2:]", "X[:-1, 1:]", "X[0:1, 0]", "X[::2]", "X[::-1]", "X[:, ::-2]", "X[[2, 0]]", "X[:, [1, 3]]"),
        *("X[..., 0]", "X[...]", "X[1, ...]", "X[:]", "X[n - 1]", "X[:n]", "X[0, None]", "X[:, 1, None]", "X[None, 0]"),
        *("v[0]", "v[-1]", "v[1:3]", "v[[0, 2]]", "v[::2]", "v[None]", "v[None, :]", "v[:, np.newaxis]"),
        *("v[0][None, None]", "X[0] @ v", "X @ v[:, None]", "K[0, 1] * X", "X + v[0]", "X[0] + X", "X.T[0]"),
        *("[2, 1, 0]", "[[1, 2], [3, 4]]", "[[1], [2]]", "[v, v]", "[v[0], 1]", "[[1, 2], [3, 4]] @ K", "[X[0], v]"),
        *("X + [1, 2, 3, 4]", "[2, 1, 0][1]", "[[3]]", "-[1, 2] * 3", "[1, 0, 2] @ X", "(X @ X.T)[0, 1]", "-X[1]"),
    ],
)  # fmt: skip
def test_what_numpy_reads_too_has_its_value_and_its_shape(text: str) -> None:
    tree = ast.fix_missing_locations(_Arrays().visit(ast.parse(text, mode="eval")))
    expected = np.asarray(eval(compile(tree, text, "eval"), {"np": np, "n": 3, **ARRAYS}))  # noqa: S307

    found = numbers(read_formula(text, SCOPE))

    assert found.shape == expected.shape
    assert np.array_equal(found, expected)


@pytest.mark.parametrize(
    ("on_paper", "in_brackets"), [("X_{1,2}", "X[0, 1]"), ("X_3", "X[2]"), ("v_2", "v[1]"), ("x_{34}", "X[2, 3]")]
)
def test_what_stands_below_a_letter_is_counted_from_1(on_paper: str, in_brackets: str) -> None:
    found, expected = (read_formula(text, SCOPE) for text in (on_paper, in_brackets))

    assert (found.expr, found.shape) == (expected.expr, expected.shape)
