"""Gradients where the largest entries tie, as those of a word that stands twice do, against PyTorch's.

The numbers are roots, so that no closed form of a score is small enough to decide a tie by itself.
"""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from symattn.api.worked import WorkedSolution
from symattn.read.scenario.load import loads

torch: Any = pytest.importorskip("torch")


def stable(S: Any) -> Any:
    E = (S - S.amax(1, keepdim=True)).exp()
    return E / E.sum(1, keepdim=True)


LESSONS = {
    "stable softmax": (
        [
            "S = Q @ Q.T / sqrt(2)",
            "E = exp(S - max(S, axis=1, keepdims=True))",
            "A = E / sum(E, axis=1, keepdims=True)",
        ],
        "sum((A @ X) * X, axis=None)",
        lambda X, Q: (stable(Q @ Q.T / 2**0.5) @ X * X).sum(),
    ),
    "max pooling": (
        ["H = tanh(Q)", "m = max(H, axis=0)"],
        "sum(m * m, axis=None)",
        lambda X, Q: (torch.tanh(Q).amax(0) ** 2).sum(),
    ),
    "min pooling of weights": (
        ["A = softmax(Q @ Q.T / sqrt(3))", "m = min(A @ Q, axis=0)"],
        "sum(m * m * m, axis=None)",
        lambda X, Q: (((Q @ Q.T / 3**0.5).softmax(1) @ Q).amin(0) ** 3).sum(),
    ),
    "maximum of two equal matrices": (
        ["B = maximum(Q, X @ W)"],
        "sum(B * B, axis=None)",
        lambda X, Q: (torch.maximum(Q, Q.clone()) ** 2).sum(),
    ),
}


@pytest.mark.parametrize("name", LESSONS)
@pytest.mark.parametrize("seed", [0, *(pytest.param(k, marks=pytest.mark.slow) for k in range(1, 9))])
def test_equal_words_share_the_gradient_of_a_maximum(name: str, seed: int) -> None:
    steps, loss, theirs = LESSONS[name]
    chance = Random(seed)
    words = [chance.choices(range(-3, 4), k=2) for _ in range(2)]
    rows = [words[0], words[1], words[0]]
    weights = [[chance.randint(-4, 4) or 1 for _ in range(2)] for _ in range(2)]
    given = f"X = {rows}\nW = {[[f'{w}*sqrt(2)/8' for w in row] for row in weights]}".replace("'", '"')
    listed = ", ".join(f'"{step}"' for step in ["Q = X @ W", *steps])
    text = f'title = "t"\nloss = "{loss}"\n[given]\n{given}\n[[section]]\ntitle = "s"\nsteps = [{listed}]\n[[backward]]'
    solution = WorkedSolution(loads(text + '\nwrt = ["X", "W"]'))
    X, W = (torch.tensor(each, dtype=torch.float64, requires_grad=True) for each in (rows, weights))
    theirs(X, X @ (W * 2**0.5 / 8)).backward()
    for made, wanted in (("dX", X.grad), ("dW", W.grad / (2**0.5 / 8))):
        found = torch.tensor([[float(x) for x in row] for row in solution[made].decimals(12)], dtype=torch.float64)
        assert torch.allclose(found, wanted, rtol=1e-9, atol=1e-10), (made, found, wanted)
