"""Matrices along leading axes: what NumPy makes of arrays of three axes, and how a scenario goes on with them."""

from __future__ import annotations

import ast
from typing import Any

import numpy as np
import pytest
from sympy import ImmutableDenseMatrix, MatrixSymbol

from symattn.api.authoring import Derivation
from symattn.api.worked import derive
from symattn.base.errors import SymattnError
from symattn.base.shapes import Axis, Shape, shape
from symattn.operations.terms import Term, symbol
from symattn.read.formula import Scope, read_value
from symattn.read.formula.batch import Several
from symattn.read.scenario.load import loads
from symattn.read.scenario.model import ShowItem, StepItem, TensorItem

Q = np.arange(12.0).reshape(3, 4) - 5
B = np.arange(12.0).reshape(2, 3, 2) * [1, -2]
V = np.array([2.0, -1.0])
M = np.arange(9.0).reshape(3, 3)
SIZES = {"n": 3, "h": 2, "d": 2}
SLICES = (symbol("B_1", shape(3, 2)), symbol("B_2", shape(3, 2)))
SCOPE = Scope(
    {"Q": shape(3, 4), "M": shape(3, 3), "v": Shape(Axis(1), Axis(2), 1)},
    SIZES,
    batches={"B": Several((Axis(2, "h"),), SLICES, "B")},
)
VALUES = {"Q": Q, "M": M, "v": V[None, :], "B_1": B[0], "B_2": B[1]}


def heads(x: Any, count: int) -> Any:
    return np.stack(np.split(x, count, axis=-1))


def merge_heads(x: Any) -> Any:
    return np.concatenate(list(x), axis=-1)


KNOWN = {"np": np, "Q": Q, "B": B, "v": V, "M": M, "heads": heads, "merge_heads": merge_heads, **SIZES}


def numbers(term: Term) -> Any:
    values = {MatrixSymbol(name, *value.shape): ImmutableDenseMatrix(value) for name, value in VALUES.items()}
    found = np.array(term.expr.xreplace(values).as_explicit().tolist(), dtype=float)
    return found.reshape(((), (-1,), found.shape)[term.shape.ndim])


@pytest.mark.sampled(24)
@pytest.mark.parametrize(
    "text",
    [
        *("B", "-B", "2 * B", "B + v", "B - M @ B", "M @ B / 2", "B ** 2", "B * B", "1 / (B ** 2 + 1)", "B @ v"),
        *("B.mT", "B.transpose(0, 2, 1)", "B.swapaxes(1, 2)", "B @ B.mT", "B.mT @ B", "np.matmul(B, B.mT) @ B"),
        *("B[0]", "B[-1]", "B[0, 1]", "B[1, :, 0]", "B[0][1, 1]", "B[:, 0]", "B[..., 0]", "B[:, 1:]", "B[0:1]"),
        *("B.sum(axis=2)", "np.sum(B, axis=-1)", "B.sum(axis=1)", "np.sum(B, axis=0)", "B.mean(axis=0)", "B[::-1]"),
        *("np.sum(B, axis=-1, keepdims=True)", "B - B.mean(axis=-1, keepdims=True)", "np.exp(B - B) + B"),
        *("Q.reshape(n, h, d).transpose(1, 0, 2)", "Q.reshape(n, h, -1).swapaxes(0, 1)", "heads(Q, 2)"),
        *("np.transpose(np.reshape(Q, (n, h, d)), (1, 0, 2)) + B", "merge_heads(heads(Q, 2) @ B[0].T @ B[0])"),
        *("B.transpose(1, 0, 2).reshape(n, h * d)", "B.reshape(6, 2)", "B.reshape(-1, 2) @ v", "heads(Q, 4)[3]"),
        *("Q.reshape(6, 2)", "Q.reshape(12)", "Q.reshape(1, -1)", "Q.reshape(12, 1)", "M[0].reshape(3, 1)"),
        *("np.repeat(Q, 2, axis=0)", "np.repeat(Q, 3, axis=1)", "np.repeat(B, 2, axis=0)", "B.max(axis=2)"),
        *("B.reshape(h, n, 2, 1).transpose(0, 2, 1, 3)", "B.reshape(h, n, 2, 1).swapaxes(1, 2) * B.sum(axis=0)[0, 0]"),
        *("B.reshape(h, n, 2, 1).swapaxes(1, 2).sum(axis=3)", "B.reshape(h, n, 2, 1).swapaxes(1, 2)[1, 0]"),
        *("(B.reshape(h, n, 2, 1).swapaxes(1, 2) + 1).swapaxes(1, 2).reshape(h, n, 2)", "(B - 1)[:, 0, 1]"),
        *("np.tile(Q, 2)", "np.tile(Q, (2, 1))", "np.tile(v, 2)", "np.tile(B, (2, 1, 1))", "Q.reshape(1, 3, 4)[0]"),
        *("B.sum()", "B.var(ddof=1)", "B.max(keepdims=True)", "B - B.mean(axis=0, keepdims=True)", "B[:, :1].min()"),
        *("np.concatenate([B, B])", "np.concatenate([B, B], axis=1)", "np.transpose(Q, (0, 1))", "Q.swapaxes(0, 1)"),
    ],
)  # fmt: skip
def test_what_numpy_makes_of_three_axes(text: str) -> None:
    expected = np.asarray(eval(compile(ast.parse(text, mode="eval"), text, "eval"), dict(KNOWN)))  # noqa: S307
    value = read_value(text, SCOPE)

    found = np.stack([numbers(part) for part in value.parts]) if isinstance(value, Several) else numbers(value)
    if isinstance(value, Several):
        found = found.reshape(*(axis.size for axis in value.axes), *found.shape[1:])
    assert found.shape == expected.shape
    np.testing.assert_allclose(found, expected)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("B.T", "B is (h=2, 3, 2): .T turns all of its axes: B.mT turns every matrix"),
        ("Q.reshape(n, h, d) @ v", "the heads stand behind the rows: Q.reshape(n, h, d).transpose(0, 1)"),
        ("B + heads(Q, 4)", "repeat(B, k, axis=0) has every matrix k times in a row"),
        ("repeat(B, 2)", "write repeat(B, 2, axis=0), every matrix 2 times in a row, or tile(B, (2, 1, 1))"),
        ("repeat(Q, 2)", "write repeat(Q, 2, axis=0), every row 2 times in a row, or tile(Q, (2, 1))"),
        ("softmax(B, axis=0)", "along its leading axis there are sum(…, axis=0) and mean(…, axis=0)"),
        ("B[2]", "expected 0 to 1, or -1 for the last, came 2"),
        ("B[0, 0, 0, 0]", "it has 3 axes, and 4 indices stand in brackets"),
        ("B.transpose(2, 0, 1)", "the new order is [2, 0, 1]"),
        ("Q.reshape(5, 2)", "Q has 12 numbers, which (5, 2) does not hold"),
        ("row(B, B)", "expected a number"),
        ("sum(B)", "write sum(B, axis=-1) for each row, sum(B, axis=-2) for each column or sum(B, axis=None)"),
        ("sum(B[:, :1])", "write sum(B[:, :1], axis=-1) for each row"),
        ("max(B, 2)", "can mean two things: write max(B, axis=2) or maximum(B, 2)"),
        ("B.argmax()", "write argmax(B, axis=-1) for each row or argmax(B, axis=-2) for each column"),
        ("np.hstack([B, B])", "write concatenate([…], axis=-1)"),
        ("np.dot(Q.T, B)", "B is (h=2, 3, 2): of more than two axes it is something else in NumPy than of each matrix"),
        ("np.concatenate([B, B @ B.mT])", "B is (h=2, 3, 2), B @ B.mT is (h=2, 3, 3): the matrices differ"),
        ("np.concatenate([B, Q], axis=1)", "expected all of its matrices to have as many beside them"),
        ("Q.transpose(0, 1)", "write Q.T, as in PyTorch, where they change places, or Q alone, as in NumPy"),
        ("Q.transpose(0, 2, 1)", "the axes of Q are (0, 2, 1): expected 0 and 1"),
        ("np.linalg.norm(Q, 1)", "norm takes one value only"),
        ("Q.reshape(4, 3)", "heads of a matrix are X.reshape(n, h, d_k).transpose(1, 0, 2)"),
    ],
)
def test_what_cannot_be_done_is_refused_with_the_way(text: str, sentence: str) -> None:
    with pytest.raises(SymattnError) as caught:
        read_value(text, SCOPE)

    assert sentence in str(caught.value)


LESSON = """
title = "Two heads"
tokens = ["a", "b", "c"]
[sizes]
h = 2
d_k = 2
[given]
X = [["1", "0", "1", "2"], ["0", "1", "1", "0"], ["1", "1", "0", "1"]]
q = ["1", "2"]
eps = "1e-5"
[given.W]
value = [[["1", "0"], ["0", "1"]], [["1", "1"], ["0", "1"]]]
axes = ["h", "d_k", "d_k"]
[general]
x = ["m"]
[[section]]
title = "Heads"
steps = [
    "W",
    "Q = X.reshape(n, h, d_k).transpose(1, 0, 2)",
    { step = "A = softmax(Q @ (Q @ W).mT / sqrt(d_k) + causal_mask(n))", need = "Each for itself.", works = [3, 1] },
    "O = merge_heads(A @ Q)",
    "y = (A[0] @ Q[0]) @ q + eps",
    { prove = ["x @ x", "sum(x * x)"] },
]
"""


def test_a_step_of_several_matrices_is_a_step_for_each() -> None:
    scenario = loads(LESSON)
    plan, items = scenario.derivation, scenario.sections[0].items

    assert [step.name for step in plan.steps] == "X q eps W_1 W_2 x Q_1 Q_2 A_1 A_2 O y".split()
    assert [plan[name].shape.ndim for name in ("q", "eps", "x", "W_1", "y")] == [1, 0, 1, 2, 1]
    assert [item.name for item in items if isinstance(item, ShowItem)][:2] == ["W_1", "W_2"]
    assert [(i.name, i.of, i.axes) for i in items if isinstance(i, TensorItem)][-1] == ("A", ("A_1", "A_2"), ("h",))
    assert [item.need is not None for item in items if isinstance(item, StepItem)] == [False] * 2 + [True] + [False] * 3

    solution = derive(scenario)
    x = np.array([[1, 0, 1, 2], [0, 1, 1, 0], [1, 1, 0, 1]], dtype=float)
    w = np.array([[[1, 0], [0, 1]], [[1, 1], [0, 1]]], dtype=float)
    q = x.reshape(3, 2, 2).transpose(1, 0, 2)
    scores = q @ (q @ w).transpose(0, 2, 1) / np.sqrt(2) + np.triu(np.full((3, 3), -np.inf), 1)
    weights = np.exp(scores) / np.exp(scores).sum(axis=-1, keepdims=True)
    merged = (weights @ q).transpose(1, 0, 2).reshape(3, 4)
    found = np.array([[float(cell) for cell in row] for row in solution["O"].decimals(9)])
    np.testing.assert_allclose(found, merged, atol=1e-8)
    assert "np.array([[1, 2]], dtype=float)" in solution.render(code=["numpy"])


def test_several_matrices_go_through_python_and_files() -> None:
    lesson = Derivation(title="t")
    lesson.given("Q", [[[1, 2], [3, 4]], [[0, 1], [1, 0]]], axes=("h", "n", "d_k"))
    lesson.given("v", np.array([1.5, 2]))
    weights = lesson.step("A", "softmax(Q @ Q.mT)")
    lesson.step("O", weights @ lesson["Q"] * 2)
    lesson.step("y", "A[0] @ v")

    again = loads(lesson.toml())

    assert weights.shape == (2, 2, 2)
    assert again.derivation == lesson.scenario.derivation
    assert derive(again)["O_2"].decimals(6) == lesson.solve()["O_2"].decimals(6)
