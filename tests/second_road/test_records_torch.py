"""Operations that are a record and nothing else have the entries that PyTorch has."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest
from sympy import ImmutableDenseMatrix

from symattn.read.formula import Scope, read_formula
from tests.examples import MATRICES, OF_RECORDS, SHAPES, Names, numbers

torch: Any = pytest.importorskip("torch")
functional: Any = torch.nn.functional


def turned(x: Any, positions: Any, base: float = 10_000.0) -> Any:
    """RoPE as programs for GPT-NeoX and Llama have it."""
    width = x.shape[1]
    frequencies = 1.0 / base ** (torch.arange(0, width, 2, dtype=torch.float64) / width)
    angles = torch.outer(positions.flatten(), frequencies).repeat(1, 2)
    half = torch.cat((-x[:, width // 2 :], x[:, : width // 2]), dim=1)
    return x * angles.cos() + half * angles.sin()


THEIRS: Mapping[str, Callable[..., Any]] = {
    "softcap(X, 5)": lambda X, **_: 5 * torch.tanh(X / 5),
    "softcap(b, sqrt(2))": lambda b, **_: 2**0.5 * torch.tanh(b / 2**0.5),
    "sigmoid(X)": lambda X, **_: torch.sigmoid(X),
    "sigmoid(W)": lambda W, **_: torch.sigmoid(W),
    "softplus(X)": lambda X, **_: functional.softplus(X),
    "softplus(b)": lambda b, **_: functional.softplus(b),
    "mish(X)": lambda X, **_: functional.mish(X),
    "mish(b)": lambda b, **_: functional.mish(b),
    "leaky_relu(X)": lambda X, **_: functional.leaky_relu(X, 0.01),
    "leaky_relu(W, slope=1/5)": lambda W, **_: functional.leaky_relu(W, 0.2),
    "log_softmax(X)": lambda X, **_: functional.log_softmax(X, 1),
    "log_softmax(W)": lambda W, **_: functional.log_softmax(W, 1),
    "erf(X)": lambda X, **_: torch.erf(X),
    "erf(b)": lambda b, **_: torch.erf(b),
    "abs(X)": lambda X, **_: X.abs(),
    "abs(W)": lambda W, **_: W.abs(),
    "floor(X)": lambda X, **_: X.floor(),
    "floor(3/2 * W)": lambda W, **_: (1.5 * W).floor(),
    "sqrt(exp(X))": lambda X, **_: X.exp().sqrt(),
    "sqrt(g)": lambda g, **_: g.sqrt(),
    "sqrt(abs(X))": lambda X, **_: X.abs().sqrt(),
    "power(X, 2)": lambda X, **_: X**2,
    "W ** 2": lambda W, **_: W**2,
    "power(b, 1)": lambda b, **_: b,
    "row_sum(X)": lambda X, **_: X.sum(1, keepdim=True),
    "sum(W, axis=1)": lambda W, **_: W.sum(1, keepdim=True),
    "row_mean(X)": lambda X, **_: X.mean(1, keepdim=True),
    "mean(W, axis=1)": lambda W, **_: W.mean(1, keepdim=True),
    "row_min(X)": lambda X, **_: X.amin(1, keepdim=True),
    "min(W, axis=1)": lambda W, **_: W.amin(1, keepdim=True),
    "row_var(X)": lambda X, **_: X.var(1, correction=0, keepdim=True),
    "var(W, axis=1, ddof=1)": lambda W, **_: W.var(1, keepdim=True),
    "maximum(X, X)": lambda X, **_: X,
    "maximum(X, Y)": lambda X, Y, **_: torch.maximum(X, Y),
    "maximum(W, b)": lambda W, b, **_: torch.maximum(W, b),
    "minimum(X, X)": lambda X, **_: X,
    "minimum(X, Y)": lambda X, Y, **_: torch.minimum(X, Y),
    "minimum(W, 1/2)": lambda W, **_: W.clamp(max=0.5),
    "sin(X)": lambda X, **_: X.sin(),
    "sin(b)": lambda b, **_: b.sin(),
    "cos(X)": lambda X, **_: X.cos(),
    "cos(W)": lambda W, **_: W.cos(),
    "tan(X)": lambda X, **_: X.tan(),
    "tan(b)": lambda b, **_: b.tan(),
    "rotary_halves(X, b)": lambda X, b, **_: turned(X, b),
    "rotary_halves(concat(W, W), ids, base=9)": lambda W, ids, **_: turned(torch.cat((W, W), dim=1), ids, 9.0),
    "cross_entropy(X, b)": lambda X, **_: X.logsumexp(1).mean().reshape(1, 1),  # no column is a fraction
    "cross_entropy(W, ids)": lambda W, ids, **_: functional.cross_entropy(W, ids.flatten().long()).reshape(1, 1),
    "mse(X, X)": lambda X, **_: functional.mse_loss(X, X).reshape(1, 1),
    "mse(X, Y)": lambda X, Y, **_: functional.mse_loss(X, Y).reshape(1, 1),
    "diag(b)": lambda b, **_: b.flatten().diag(),
    "kron(X, W)": lambda X, W, **_: torch.kron(X, W),
    "kron(X, X)": lambda X, **_: torch.kron(X, X),
    "diag(g)": lambda g, **_: g.flatten().diag(),
}


@pytest.mark.sampled(36)
@pytest.mark.parametrize("values", ["rational", "roots"])
@pytest.mark.parametrize("text", [text for texts in OF_RECORDS.values() for text in texts])
def test_an_entry_is_what_pytorch_has(text: str, values: str) -> None:
    node = read_formula(text, Scope(SHAPES)).expr
    ours = numbers(ImmutableDenseMatrix(Names(values).substituted(node)))
    given = {name: torch.tensor(numbers(matrix)) for name, matrix in MATRICES[values].items()}

    assert np.allclose(ours, THEIRS[text](**given).numpy(), rtol=1e-12, atol=1e-14)
