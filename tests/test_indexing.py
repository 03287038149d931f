"""Brackets and lists: whatever NumPy reads too has its value and its shape."""

from __future__ import annotations

import ast
import re
from random import Random
from typing import Any

import numpy as np
import pytest
from sympy import ImmutableDenseMatrix, MatrixSymbol

from symattn.base.errors import FormulaError, ShapeError
from symattn.base.shapes import Axis, Shape, shape
from symattn.operations.terms import Term
from symattn.read.formula import Scope, read_formula

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


def drawn_bracket(draw: Random, text: str, sizes: tuple[int, ...]) -> str:
    """What may stand in brackets behind an array: one piece per axis at most, and new axes."""
    pieces = []
    for size in sizes[: draw.randint(1, len(sizes))]:
        some = sorted(draw.sample(range(-size, size), draw.randint(1, size)), key=lambda _: draw.random())
        bounds = [draw.choice(("", draw.randint(-size, size))) for _ in range(2)]
        chosen = draw.choices((True, False), k=size)

        sliced = [":".join(map(str, bounds)), f"{bounds[0]}:{bounds[1]}:{draw.choice((1, 2, -1, -2))}", ":", "..."]
        pieces.append(str(draw.choice((draw.randrange(-size, size), some, some, chosen, *sliced))))
    if draw.random() < 0.25:
        pieces.insert(draw.randint(0, len(pieces)), "None")
    return f"{text}[{', '.join(pieces)}]"


@pytest.mark.parametrize("seed", range(4))
def test_drawn_brackets_have_the_value_of_numpy_or_are_refused_in_a_sentence(seed: int) -> None:
    draw, agreed = Random(seed), 0
    for _ in range(75):
        name = draw.choice("XKv")
        text = drawn_bracket(draw, name, ARRAYS[name].shape)
        agreed += agrees_with_numpy(text, text)

    assert agreed > 20


REDUCTIONS = [
    f"{name}({matrix}{axis}{kept})"
    for name in ("sum", "mean", "max", "min", "var", "std", "argmax", "argmin")
    for matrix in ("X", "K", "v", "X[:1]", "X[:, :1]", "X[:1, :1]")
    for axis in ("", ", axis=None", ", axis=0", ", axis=1", ", axis=-1", ", axis=-2", ", axis=(0, 1)", ", axis=2")
    for kept in ("", ", keepdims=True", ", keepdims=False")
    if not (name.startswith("arg") and (axis == kept == "" or "(" in axis))  # of each row, as the reference says
]


@pytest.mark.long
def test_reductions_have_the_value_of_numpy_or_are_refused_in_a_sentence() -> None:
    agreed = [text for text in REDUCTIONS if agrees_with_numpy(text, f"np.{text}")]

    assert len(agreed) > len(REDUCTIONS) / 2


@pytest.mark.parametrize(
    ("text", "one", "other"),
    [
        ("X[[0, 2], [0, 2]]", "X[[0, 2]][:, [0, 2]]", "[X[0, 0], X[2, 2]]"),
        ("X[[2, 0, 1], [-1, 0, 0]]", "X[[2, 0, 1]][:, [3, 0, 0]]", "[X[2, 3], X[0, 0], X[1, 0]]"),
    ],
)
def test_two_lists_in_brackets_are_refused_with_both_readings(text: str, one: str, other: str) -> None:
    with pytest.raises(FormulaError, match=re.escape(f"two things: write {one} or {other}")):
        read_formula(text, SCOPE)

    assert np.array_equal(numbers(read_formula(other, SCOPE)), eval(text, {**ARRAYS}))  # noqa: S307
    assert np.array_equal(numbers(read_formula(one, SCOPE)), eval(one, {**ARRAYS}))  # noqa: S307


def agrees_with_numpy(text: str, of_numpy: str) -> bool:
    """Whether a formula is read; then its value and its shape are those of NumPy."""
    try:
        term = read_formula(text, SCOPE)
    except (FormulaError, ShapeError) as error:
        told = str(error)
    else:
        expected = np.asarray(eval(of_numpy, {"np": np, **ARRAYS}), dtype=float)  # noqa: S307
        found = numbers(term)
        assert (text, found.shape) == (text, expected.shape)
        assert np.allclose(found, expected, rtol=1e-12, atol=0), text
        return True
    assert "\n" not in told
    assert len(told) < 400
    return False
