"""The second opinion by equations: it agrees with NumPy by hand, and knows operations of one's own."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from sympy import MatrixSymbol, Rational

from symattn.compute.values.float64 import by_equations, float64
from symattn.operations.equations.read import read_operation
from symattn.operations.node import Applied, apply, operation_of
from tests.examples import EVERY, VALUES, Example, Names

WITH_EQUATIONS = [example for example in EVERY if operation_of(example.node) is not None]
X, Y = MatrixSymbol("X", 3, 2), MatrixSymbol("Y", 2, 2)
MATRICES = {"X": np.array([[1.0, -2.0], [0.5, 3.0], [0.0, 4.0]]), "Y": np.array([[2.0, 0.0], [1.0, -1.0]])}


def own(text: str, *args: object) -> Applied:
    return apply(read_operation(text), *args)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("example", WITH_EQUATIONS, ids=lambda example: example.text)
def test_equations_agree_with_numpy_by_hand(example: Example) -> None:
    for values in VALUES:
        if example.text.startswith("one_hot") and values == "negatives":
            continue  # no id is negative, and NumPy counts those from the end
        lookup = Names(values).float64
        operands = [float64(arg, lookup) for arg in example.node.args if arg.is_Matrix]
        found, expected = by_equations(example.node, *operands), float64(example.node, lookup)
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-13, strict=True)


LEAKY = "leaky(X, a = 1/100)\n y[i,j] = X[i,j] if X[i,j] > 0 else a * X[i,j]"


def norms(x: np.ndarray) -> np.ndarray:
    return np.sqrt((x**2).sum(axis=1, keepdims=True))


@pytest.mark.parametrize(
    ("text", "args", "expected"),
    [
        ("softcap(X, c)\n y[i,j] = c * tanh(X[i,j] / c)", (X, Rational(5)), lambda x, y: 5 * np.tanh(x / 5)),
        (
            "leaky(X, a = 1/100)\n y[i,j] = X[i,j] if X[i,j] > 0 else a * X[i,j]",
            (X,),
            lambda x, y: np.maximum(x, x / 100),
        ),
        ("softplus(X)\n y[i,j] = log(1 + exp(X[i,j]))", (X,), lambda x, y: np.logaddexp(0, x)),
        ("totals(X: m×n) -> 1×n\n y[j] = sum(i, X[i,j])", (X,), lambda x, y: x.sum(axis=0, keepdims=True)),
        ("norms(X)\n q[i] = sum(k, X[i,k]^2)\n y[i] = sqrt(q[i])", (X,), lambda x, y: norms(x)),
        ("lower(X)\n y[i,j] = X[i,j] if j <= i and i < 3 else 0", (X,), lambda x, y: np.tril(x) * [[1], [1], [0]]),
        ("moved(X: m×n) -> m×n\n y[i,j] = X[i,j + 1] if j < n else X[i,1]", (X,), lambda x, y: np.roll(x, -1, axis=1)),
        ("pairs(X: m×d, Y: p×d)\n y[i,j] = max(k, X[i,k] * Y[j,k])", (X, Y), lambda x, y: (x[:, None] * y).max(axis=2)),
        ("whole(X: m×n)\n s = sum(k, sum(l, X[k,l]))\n y[i,j] = X[i,j] - s / (m * n)", (X,), lambda x, y: x - x.mean()),
        (
            "over(X: m×d, Y: p×d)\n y[i,j] = sum(k, X[i,k]) / Y[j,2]",
            (X, Y),
            lambda x, y: x.sum(axis=1)[:, None] / y[:, 1],
        ),
        ("square(X: m×n)\n y[i,j] = floor(X[i,j]) % 3 + erf(0 * X[i,j])", (X * Y,), lambda x, y: np.floor(x @ y) % 3),
    ],
    ids=lambda value: value.split("(")[0] if isinstance(value, str) else "",
)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_operations_of_ones_own(text: str, args: tuple, expected: Callable) -> None:
    # Among them a division by zero, as NumPy has it.
    value = float64(own(text, *args), MATRICES.__getitem__)
    np.testing.assert_allclose(value, expected(*MATRICES.values()), rtol=1e-14, strict=True)


def test_an_entry_outside_is_an_error_and_none_from_the_end() -> None:
    with pytest.raises(IndexError, match="before: X has places from 1 to 2, and no other"):
        float64(own("before(X: m×n) -> m×n\n y[i,j] = X[i,j - 1]", X), MATRICES.__getitem__)
