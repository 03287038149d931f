"""What is called in a formula: whatever NumPy or PyTorch reads too has its value and its shape there."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sympy import ImmutableDenseMatrix, MatrixSymbol

from symattn.base.errors import SymattnError
from symattn.base.shapes import Axis, Shape, shape
from symattn.operations.terms import Term
from symattn.read.formula import Scope, read_formula

torch: Any = pytest.importorskip("torch")

ARRAYS: dict[str, Any] = {
    "X": np.array([[3.0, 1, 4, 1], [5, 9, 2, 6], [5, 3, 5, 8]]),
    "Y": np.array([[-2.0, 7, 1, 8], [-2, 8, 1, 8], [2, -8, 4, 5]]),
    "K": np.array([[5.0, 7], [8, -2]]),
    "r": np.array([[2.0, 3, 5, 7]]),
    "c": np.array([[1.0], [4], [9]]),
    "v": np.arange(1.0, 5),
}
SCOPE = Scope(
    {**{name: shape(*a.shape) for name, a in ARRAYS.items() if a.ndim == 2}, "v": Shape(Axis(1), Axis(4), 1)}, {"n": 3}
)


def numbers(term: Term) -> Any:
    """The value of a formula, with as many axes as it is said to have."""
    values = {
        MatrixSymbol(name, *np.atleast_2d(a).shape): ImmutableDenseMatrix(np.atleast_2d(a).astype(int))
        for name, a in ARRAYS.items()
    }
    explicit = term.expr.xreplace(values).as_explicit()
    found = np.array([[float(x.n(20)) for x in explicit.row(i)] for i in range(explicit.rows)])
    return found.reshape(((), (-1,), found.shape)[term.shape.ndim])


REDUCED = [
    f"np.{name}({values})"
    for name in ("sum", "mean", "max", "min", "var", "std")
    for values in ("X, axis=1", "X, 0, keepdims=True", "r", "v, axis=0", "X, axis=(0, -1)", "v, keepdims=True")
]  # fmt: skip
OF_NUMPY = [
    *REDUCED,
    *("np.sum(X)", "X.sum()", "X.mean(-1)", "X.max(axis=-2, keepdims=True)", "np.var(X, ddof=1)", "np.std(v, ddof=1)"),
    *("np.argmax(X, axis=1)", "np.argmin(Y, 0)", "v.argmax()", "np.linalg.norm(X)", "np.linalg.norm(K, axis=0)"),
    *("np.linalg.norm(v)", "np.maximum(0, Y)", "np.maximum(Y, r)", "np.minimum(c, X)", "np.clip(Y, -1, 1)"),
    *("np.sin(X)", "np.cos(np.pi / 3)", "np.tan(X)", "np.radians(X)", "np.rad2deg(v)", "X * np.pi", "np.abs(Y)"),
    *("np.exp(Y)", "np.log(X)", "np.log2(v)", "np.sqrt(X)", "np.square(Y)", "np.reciprocal(X)", "np.power(X, 3)"),
    *("np.dot(X, Y.T)", "np.dot(X, 2)", "v.dot(v)"),
    *("np.dot(X, v)", "np.inner(X, Y)", "np.inner(v, v)", "np.outer(v, v)"),
    *("np.matmul(X, Y.T)", "np.add(X, r)", "np.subtract(X, c)"),
    *("np.multiply(X, v)", "np.divide(X, c)", "np.negative(X)"),
    *("np.concatenate([X, Y])", "np.concatenate((X, c), axis=1)", "np.concatenate([v, v])", "np.stack([v, v])"),
    *("np.stack([v, v], axis=1)", "np.vstack([v, r])"),
    *("np.hstack([X, c])", "np.hstack([v, v])", "np.column_stack([v, v])"),
    *("np.eye(n)", "np.zeros((2, 3))", "np.ones(n)"),
    *("np.full((2, 2), 7)", "np.arange(4) * v", "np.array([[1, 2], [3, 4]])"),
    *("X.T", "X.transpose()", "np.transpose(X)"),
    *("X.transpose(1, 0)", "X - X.mean(axis=1, keepdims=True)", "X / X.sum()"),
    *("X - np.mean(X, axis=0)", "np.exp(Y) / np.exp(Y).sum(axis=1, keepdims=True)", "np.var(X - 2, axis=None)"),
]  # fmt: skip
OF_TORCH = [
    *("torch.softmax(X, dim=-1)", "F.softmax(Y, 0)", "X.softmax(dim=1)", "F.log_softmax(Y, dim=0)", "v.softmax(-1)"),
    *("torch.var(X)", "torch.var(X, dim=1)", "torch.std(v)", "torch.std(X, dim=0, unbiased=False, keepdim=True)"),
    *("X.sum(1, keepdim=True)", "torch.mean(X, dim=-1)", "torch.max(X)", "torch.max(X, Y)", "torch.amax(X, dim=1)"),
    *("torch.cat([X, Y], dim=-1)", "X.t()", "X.mT"),
    *("X.transpose(-2, -1)", "torch.rsqrt(X)", "X.pow(2)", "X.clamp(2, 4)"),
    *("torch.mm(X, Y.T)", "F.relu(Y)", "torch.sigmoid(Y)", "F.silu(Y)", "F.normalize(X, dim=1)", "X.argmax(dim=-1)"),
    *("torch.linalg.norm(X, dim=1, keepdim=True)", "X.exp().sum(dim=-1)"),
    *("torch.erf(Y)", "X.norm()", "X.var(correction=1)"),
]  # fmt: skip


@pytest.mark.sampled(34)
@pytest.mark.parametrize("text", [*OF_NUMPY, *OF_TORCH])
def test_it_has_the_value_and_the_shape_that_its_library_has(text: str) -> None:
    arrays = {name: torch.tensor(a) for name, a in ARRAYS.items()} if text in OF_TORCH else ARRAYS
    names = {"np": np, "torch": torch, "F": torch.nn.functional, "n": 3, **arrays}
    expected = np.asarray(eval(text, names))  # noqa: S307

    term = read_formula(text, SCOPE)

    assert numbers(term).shape == expected.shape
    assert np.allclose(numbers(term), expected, rtol=1e-13, atol=1e-13)
    # What errors show of it means the same.
    assert read_formula(term.text, SCOPE).expr == term.expr


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        *(("softmax(X, axis=0)", "softmax(X.T).T"),),
        *(("softmax(X, axis=-1)", "softmax(X)"), ("softmax(v, 0)", "softmax(v)")),
        *(("layer_norm(X, axis=0)", "layer_norm(X.T).T"), ("entropy(X, axis=0)", "entropy(X.T).T")),
        *(("max(0, X)", "relu(X)"), ("maximum(X - 1, 0)", "relu(X - 1)"), ("maximum(0, c)", "relu(c)")),
        *(("sum(r)", "sum(r, axis=1)"), ("mean(c)", "mean(c.T)")),
        *(("cos(pi/3) * X", "1/2 * X"), ("sin(radians(45)) * X", "sqrt(2)/2 * X")),
        *(("causal_mask(n, -2)", "causal_mask(n, value=-2)"), ("causal_mask(2, n)", "cached_mask(2, n)")),
        *(("causal_mask(n, n)", "causal_mask(n)"), ("causal_mask(2, n, -7)", "cached_mask(2, n, value=-7)")),
        *(("hadamard(X, c)", "X * c"), ("divide(X, r)", "X / r")),
        *(("ln(X)", "log(X)"), ("top_k(X, 2, axis=0)", "top_k(X.T, 2).T")),
        *(("norm(X, axis=None)", "norm(norm(X).T)"), ("max(2, 3, 1) * X", "3 * X"), ("eye(n)", "identity(n)")),
    ],
)  # fmt: skip
def test_it_is_what_else_it_could_be_written_as(text: str, meant: str) -> None:
    assert read_formula(text, SCOPE).expr == read_formula(meant, SCOPE).expr


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("sum(X)", "write sum(X, axis=1) for each row, sum(X, axis=0) for each column or sum(X, axis=None) for all"),
        ("max(X, 1)", "can mean two things: write max(X, axis=1) or maximum(X, 1)"),
        ("var(X, dim=1)", "var with dim divides by n, var(X, dim=1, correction=0), or by n - 1, as PyTorch does"),
        ("torch.max(X, dim=1)", "torch.max along an axis gives values and places"),
        ("F.softmax(X)", "softmax of PyTorch wants an axis"),
        ("np.argmax(X)", "it works along one axis: write argmax(X, axis=1) for each row"),
        ("relu(X, axis=0)", "relu works along no axis"),
        ("softmax(v, axis=1)", "v is a vector, and the axis is 1: axis=0 or axis=-1, its only one"),
        ("sum(X, axis=2)", "X is a matrix (3, 4), and the axis is 2: write sum(X, axis=1)"),
        ("sum(X, axis=1, dim=1)", "axis and dim are one and the same option"),
        ("sum(X, axis=1, keepdims=2)", "keepdims is 2: expected True or False"),
        ("np.stack([X, X])", "stack puts matrices along a third axis"),
        ("np.concatenate([X, v])", "expected matrices only, or vectors only"),
        ("np.zeros((1, 2, 3))", "a matrix has two axes, rows and columns, and a vector one: came 3"),
        ("tan(pi/2) * X", "is not a real number"),
        ("causal_mask(3, 2)", "3 queries see 2 keys: expected as many keys as queries, or more"),
        ("layer_norm(X, exp(-5))", "expected a number"),
        ("softmax(X, Y)", "softmax takes one value only"),
        ("outer(X, v)", "X is (3, 4): expected a vector, a row or a column"),
        ("maximum(X, K)", "maximum(X, K): X is (3, 4), K is (2, 2): expected the same shape"),
    ],
)  # fmt: skip
def test_what_is_refused_says_what_to_write(text: str, said: str) -> None:
    with pytest.raises(SymattnError) as caught:
        read_formula(text, SCOPE)

    assert said in str(caught.value)
