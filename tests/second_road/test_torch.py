"""Attention as PyTorch computes it: self-attention, masked, multi-head and cross-attention of the ironman scenario.

The numbers come straight from the TOML file and go into PyTorch's own modules and functions, in double precision.
Without PyTorch there is nothing to compare with, and the tests are skipped.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from symattn.api import derive

torch = pytest.importorskip("torch")

TOLERANCE = 1e-12
PATH = Path(__file__).resolve().parents[2] / "symattn" / "scenario" / "data" / "ironman.toml"


@pytest.fixture(scope="module")
def given() -> dict[str, Any]:
    """Every exact given as a tensor."""
    with PATH.open("rb") as file:
        tables = tomllib.load(file)["given"]
    values = {name: table["value"] if isinstance(table, dict) else table for name, table in tables.items()}
    return {
        name: torch.tensor([[float(cell) for cell in row] for row in rows], dtype=torch.float64)
        for name, rows in values.items()
    }


@pytest.fixture(scope="module")
def solution() -> Any:
    return derive("ironman")


def certified(solution: Any, name: str) -> np.ndarray:
    """The value with 16 certified decimals, read as doubles."""
    return np.array([[float(figure) for figure in row] for row in solution[name].decimals(16)])


def agree(solution: Any, name: str, theirs: Any) -> bool:
    ours = certified(solution, name)
    assert ours.shape == tuple(theirs.shape)
    return bool(np.abs(ours - theirs.detach().numpy()).max() < TOLERANCE)


def linear(x: Any, weights: Any) -> Any:
    """``torch.nn.Linear`` without a bias, which holds its weights transposed."""
    layer = torch.nn.Linear(*weights.shape, bias=False, dtype=torch.float64)
    with torch.no_grad():
        layer.weight.copy_(weights.T)
    return layer(x)


def embedded(given: dict[str, Any]) -> Any:
    return torch.nn.functional.embedding(given["ids"][0].long(), given["E"])


def test_the_lookup_is_an_embedding(solution: Any, given: dict[str, Any]) -> None:
    assert agree(solution, "X", embedded(given))


def test_self_attention(solution: Any, given: dict[str, Any]) -> None:
    q, k, v = (linear(embedded(given), given[name]) for name in ("W_q", "W_k", "W_v"))
    found = torch.nn.functional.scaled_dot_product_attention(q[None], k[None], v[None])

    assert agree(solution, "Z", found[0])
    assert agree(solution, "A", torch.softmax(q @ k.T / 8**0.5, dim=-1))


def test_masked_self_attention(solution: Any, given: dict[str, Any]) -> None:
    q, k, v = (linear(embedded(given), given[name]) for name in ("W_q", "W_k", "W_v"))
    found = torch.nn.functional.scaled_dot_product_attention(q[None], k[None], v[None], is_causal=True)
    mask = torch.triu(torch.full((3, 3), -torch.inf, dtype=torch.float64), diagonal=1)

    assert agree(solution, "Z_masked", found[0])
    assert agree(solution, "A_masked", torch.softmax(q @ k.T / 8**0.5 + mask, dim=-1))


def multihead(given: dict[str, Any], heads: int = 2) -> Any:
    module = torch.nn.MultiheadAttention(8, heads, batch_first=True, dtype=torch.float64)
    with torch.no_grad():
        module.in_proj_weight.copy_(torch.cat([given[name].T for name in ("W_Q", "W_K", "W_V")]))
        module.in_proj_bias.copy_(torch.cat([given[name][0] for name in ("b_Q", "b_K", "b_V")]))
        module.out_proj.weight.copy_(given["W_O"].T)
        module.out_proj.bias.copy_(given["b_O"][0])
    return module


@pytest.mark.parametrize("average", [True, False])
def test_multi_head_attention(solution: Any, given: dict[str, Any], average: bool) -> None:
    y = given["Y"][None]
    out, weights = multihead(given)(y, y, y, need_weights=True, average_attn_weights=average)

    assert tuple(out.shape) == (1, 4, 8)
    assert agree(solution, "out", out[0])
    if average:
        assert agree(solution, "A_mean", weights[0])
    else:
        assert tuple(weights.shape) == (1, 2, 4, 4)
        assert agree(solution, "A_1", weights[0, 0])
        assert agree(solution, "A_2", weights[0, 1])


def test_cross_attention(solution: Any, given: dict[str, Any]) -> None:
    q = linear(embedded(given), given["W_q"])
    k, v = (linear(given["Y"], given[name]) for name in ("W_k", "W_v"))
    found = torch.nn.functional.scaled_dot_product_attention(q[None], k[None], v[None])

    assert agree(solution, "Z_xy", found[0])
    assert agree(solution, "A_xy", torch.softmax(q @ k.T / 8**0.5, dim=-1))


def test_weights_that_are_not_transposed_would_be_noticed(solution: Any, given: dict[str, Any]) -> None:
    """PyTorch multiplies by the transpose of what it stores; the comparison is not blind to that."""
    y = given["Y"][None]
    module = multihead(given)
    with torch.no_grad():
        module.out_proj.weight.copy_(given["W_O"])

    assert not agree(solution, "out", module(y, y, y)[0][0])
