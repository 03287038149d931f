"""Functions and layers that no built-in scenario holds, as PyTorch computes them in double precision.

Without PyTorch there is nothing to compare with, and the tests are skipped.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from symattn.solution import Solution

torch = pytest.importorskip("torch")

F = torch.nn.functional

Tensors = dict[str, Any]
Solve = Callable[..., Solution]

TOLERANCE = 1e-12
SIZES = {"n": 4, "d": 4, "f": 6, "real": 3, "heads": 2}
SHAPES = {
    "X": (4, 4),
    "Y": (4, 4),
    "V": (4, 4),
    "gain": (1, 4),
    "bias": (1, 4),
    "q": (1, 4),
    "W_Q": (4, 4),
    "W_K": (4, 4),
    "W_V": (4, 4),
    "W_O": (4, 4),
    "W_1": (4, 6),
    "W_2": (6, 4),
    "W_3": (4, 6),
    "b_1": (1, 6),
}


def attention(v: Tensors, **options: Any) -> Any:
    """Keys and values are Y and V; the two axes in front are the batch and the heads."""
    return F.scaled_dot_product_attention(v["X"][None, None], v["Y"][None, None], v["V"][None, None], **options)[0, 0]


def alibi(slope: float) -> Any:
    places = torch.arange(4, dtype=torch.float64)
    bias = -slope * (places[:, None] - places).abs()
    return bias + torch.triu(torch.full((4, 4), -torch.inf, dtype=torch.float64), diagonal=1)


def window(width: int) -> Any:
    """True where a position may look: the last few up to itself."""
    seen = torch.ones(4, 4, dtype=torch.bool)
    return torch.tril(seen) & torch.triu(seen, diagonal=1 - width)


def rotary(x: Any, base: float, start: int) -> Any:
    """By PyTorch's complex numbers, as Llama does it."""
    places = torch.arange(start, start + x.shape[0], dtype=torch.float64)
    frequencies = base ** -(torch.arange(0, x.shape[1], 2, dtype=torch.float64) / x.shape[1])
    angles = torch.outer(places, frequencies)
    turns = torch.polar(torch.ones_like(angles), angles)
    pairs = torch.view_as_complex(x.reshape(x.shape[0], -1, 2).contiguous())
    return torch.view_as_real(pairs * turns).reshape(x.shape)


def grouped(v: Tensors) -> Any:
    """Two heads of queries that share one head of keys and values."""
    queries = torch.stack([v["X"][:, :2], v["X"][:, 2:]])[None]
    keys, values = v["Y"][None, None, :, :2], v["V"][None, None, :, :2]
    heads = F.scaled_dot_product_attention(queries, keys, values, enable_gqa=True)[0]
    return torch.cat([heads[0], heads[1]], dim=1)


def multihead(v: Tensors) -> Any:
    """The module with a padding mask, true where a key only fills up."""
    module = torch.nn.MultiheadAttention(4, 2, bias=False, batch_first=True, dtype=torch.float64)
    with torch.no_grad():
        module.in_proj_weight.copy_(torch.cat([v[name].T for name in ("W_Q", "W_K", "W_V")]))
        module.out_proj.weight.copy_(v["W_O"].T)
    x = v["X"][None]
    return module(x, x, x, key_padding_mask=torch.tensor([[False, False, False, True]]), need_weights=False)[0][0]


def encoder_layer(v: Tensors, activation: str, norm_first: bool) -> Any:
    layer = torch.nn.TransformerEncoderLayer(
        4, 1, 6, 0.0, activation, batch_first=True, norm_first=norm_first, dtype=torch.float64
    )
    with torch.no_grad():
        for parameter in layer.parameters():
            parameter.zero_()
        layer.self_attn.in_proj_weight.copy_(torch.cat([v[name].T for name in ("W_Q", "W_K", "W_V")]))
        layer.self_attn.out_proj.weight.copy_(v["W_O"].T)
        layer.linear1.weight.copy_(v["W_1"].T)
        layer.linear1.bias.copy_(v["b_1"][0])
        layer.linear2.weight.copy_(v["W_2"].T)
        for norm in (layer.norm1, layer.norm2):
            norm.weight.copy_(v["gain"][0])
            norm.bias.copy_(v["bias"][0])
    return layer(v["X"][None])[0]


def additive(v: Tensors) -> Any:
    """Bahdanau's little network as modules, for one query."""
    keys, scores = torch.nn.Linear(4, 4, dtype=torch.float64), torch.nn.Linear(4, 1, bias=False, dtype=torch.float64)
    with torch.no_grad():
        keys.weight.copy_(v["W_K"].T)
        keys.bias.copy_(v["q"][0])
        scores.weight.copy_(v["gain"])
    return scores(torch.tanh(keys(v["X"]))).T


def targets(v: Tensors) -> Any:
    return v["ids"][0].long()


SELF = "(softmax({0} @ W_Q @ ({0} @ W_K).T / sqrt(d)) @ {0} @ W_V @ W_O)"
ATTENDED = SELF.format("layer_norm(X, gamma=gain, beta=bias)")
NORM = "layer_norm({}, gamma=gain, beta=bias)"

FUNCTIONS: dict[str, tuple[str, Callable[[Tensors], Any]]] = {
    "gelu": ("gelu(4 * X)", lambda v: F.gelu(4 * v["X"])),
    "gelu_tanh": ("gelu_tanh(4 * X)", lambda v: F.gelu(4 * v["X"], approximate="tanh")),
    "silu": ("silu(4 * X)", lambda v: F.silu(4 * v["X"])),
    "tanh": ("tanh(X)", lambda v: torch.tanh(v["X"])),
    "log-softmax": ("log(softmax(X @ Y))", lambda v: torch.log_softmax(v["X"] @ v["Y"], dim=-1)),
    "rms_norm": ("rms_norm(X)", lambda v: F.rms_norm(v["X"], (4,), eps=1e-5)),
    "rms_norm with gain": ("rms_norm(X, 1/4, gamma=gain)", lambda v: F.rms_norm(v["X"], (4,), v["gain"][0], 0.25)),
    "layer_norm": (NORM.format("X"), lambda v: F.layer_norm(v["X"], (4,), v["gain"][0], v["bias"][0])),
    "hadamard": ("hadamard(X, Y)", lambda v: torch.mul(v["X"], v["Y"])),
    "divide": ("divide(X, exp(Y))", lambda v: torch.div(v["X"], torch.exp(v["Y"]))),
    "stack": ("stack(X, q)", lambda v: torch.vstack([v["X"], v["q"]])),
    "rows": ("rows(X, 2, 3)", lambda v: torch.narrow(v["X"], 0, 1, 2)),
    "argmax": ("argmax(X)", lambda v: torch.max(v["X"], dim=1, keepdim=True).indices),
    "top_k": ("top_k(X, 2)", lambda v: F.one_hot(torch.topk(v["X"], 2, dim=1).indices, 4).sum(dim=1)),
    "a padding mask": (
        "softmax(X @ Y.T / sqrt(d) + padding_mask(n, n, real)) @ V",
        lambda v: attention(v, attn_mask=torch.tensor([True, True, True, False]).expand(4, 4)),
    ),
    "a sliding window": (
        "softmax(X @ Y.T / sqrt(d) + causal_mask(n) + window_mask(n, 2)) @ V",
        lambda v: attention(v, attn_mask=window(2)),
    ),
    "linear biases": (
        "softmax(X @ Y.T / sqrt(d) - 1/16 * distance(n) + causal_mask(n)) @ V",
        lambda v: attention(v, attn_mask=alibi(1 / 16)),
    ),
    "temperature": ("softmax(X @ Y.T / (3/2)) @ V", lambda v: attention(v, scale=2 / 3)),
    "rotary": ("rotary(X, 100, 5)", lambda v: rotary(v["X"], 100.0, 5)),
    "rotary attention": (
        "softmax(rotary(X) @ rotary(Y).T / sqrt(d) + causal_mask(n)) @ V",
        lambda v: attention(v | {"X": rotary(v["X"], 10_000.0, 0), "Y": rotary(v["Y"], 10_000.0, 0)}, is_causal=True),
    ),
    "multi-query": (
        "concat(softmax(head(X, 1, 2) @ head(Y, 1, 2).T / sqrt(heads)) @ head(V, 1, 2), "
        "softmax(head(X, 2, 2) @ head(Y, 1, 2).T / sqrt(heads)) @ head(V, 1, 2))",
        grouped,
    ),
    "a decoding step": (
        "softmax(row(X, 4) @ stack(rows(Y, 1, 3), row(Y, 4)).T / sqrt(d)) @ stack(rows(V, 1, 3), row(V, 4))",
        lambda v: attention(v, is_causal=True)[3:],
    ),
    "multi-head with padding": (
        "concat("
        "softmax(head(X @ W_Q, 1, 2) @ head(X @ W_K, 1, 2).T / sqrt(heads) + padding_mask(n, n, real)) "
        "@ head(X @ W_V, 1, 2), "
        "softmax(head(X @ W_Q, 2, 2) @ head(X @ W_K, 2, 2).T / sqrt(heads) + padding_mask(n, n, real)) "
        "@ head(X @ W_V, 2, 2)) @ W_O",
        multihead,
    ),
    "additive scores": ("additive_scores(q, X @ W_K, gain)", additive),
    "a feed-forward layer": (
        "gelu(X @ W_1 + broadcast(b_1, n)) @ W_2",
        lambda v: F.linear(F.gelu(F.linear(v["X"], v["W_1"].T, v["b_1"][0])), v["W_2"].T),
    ),
    "SwiGLU": (
        "hadamard(silu(X @ W_1), X @ W_3) @ W_2",
        lambda v: F.linear(F.silu(F.linear(v["X"], v["W_1"].T)) * F.linear(v["X"], v["W_3"].T), v["W_2"].T),
    ),
    "a pre-norm block": (
        f"X + {ATTENDED} + gelu({NORM.format(f'X + {ATTENDED}')} @ W_1 + broadcast(b_1, n)) @ W_2",
        lambda v: encoder_layer(v, "gelu", norm_first=True),
    ),
    "a post-norm block": (
        NORM.format(
            f"{NORM.format('X + ' + SELF.format('X'))} + "
            f"relu({NORM.format('X + ' + SELF.format('X'))} @ W_1 + broadcast(b_1, n)) @ W_2"
        ),
        lambda v: encoder_layer(v, "relu", norm_first=False),
    ),
    "cross-entropy": (
        "-1 * hadamard(one_hot(ids, d), log(softmax(X @ Y))) @ ones(d, 1)",
        lambda v: F.cross_entropy(v["X"] @ v["Y"], targets(v), reduction="none")[:, None],
    ),
    "perplexity": (
        "exp(-1/4 * ones(1, n) @ hadamard(one_hot(ids, d), log(softmax(X @ Y))) @ ones(d, 1))",
        lambda v: torch.exp(F.cross_entropy(v["X"] @ v["Y"], targets(v)))[None, None],
    ),
    "top-k sampling": (
        "proportions(hadamard(softmax(X @ Y), top_k(softmax(X @ Y), 2)))",
        lambda v: torch.softmax(
            (v["X"] @ v["Y"]).masked_fill(v["X"] @ v["Y"] < torch.topk(v["X"] @ v["Y"], 2).values[:, 1:], -torch.inf),
            dim=-1,
        ),
    ),
}
"""Formulas, and the same by PyTorch."""


@pytest.fixture(scope="module")
def texts() -> dict[str, list[list[str]]]:
    """Random decimals, and ids."""
    rng = random.Random(21)
    given = {
        name: [[f"{rng.uniform(-1.5, 1.5):.3f}" for _ in range(columns)] for _ in range(rows)]
        for name, (rows, columns) in SHAPES.items()
    }
    return given | {"ids": [["2", "0", "3", "1"]]}


@pytest.fixture(scope="module")
def tensors(texts: dict[str, list[list[str]]]) -> Tensors:
    """The same as tensors."""
    return {
        name: torch.tensor([[float(Fraction(cell)) for cell in row] for row in rows], dtype=torch.float64)
        for name, rows in texts.items()
    }


@pytest.fixture(scope="module")
def solution(solve: Solve, texts: dict[str, list[list[str]]]) -> Solution:
    steps = [f"R_{number} = {formula}" for number, (formula, _) in enumerate(FUNCTIONS.values())]
    return solve(texts, *steps, sizes=SIZES)


def distance_to(solution: Solution, name: str, theirs: Any) -> float:
    """The largest difference to the value with 15 certified decimals."""
    ours = np.array([[float(figure) for figure in row] for row in solution[name].decimals(15)])
    assert ours.shape == tuple(theirs.shape)
    return float(np.abs(ours - theirs.detach().numpy()).max())


@pytest.mark.parametrize("number", range(len(FUNCTIONS)), ids=list(FUNCTIONS))
def test_certified_decimals_agree_with_torch(number: int, solution: Solution, tensors: Tensors) -> None:
    theirs = list(FUNCTIONS.values())[number][1](tensors)
    assert distance_to(solution, f"R_{number}", theirs) < TOLERANCE


def test_the_other_gelu_and_the_other_norm_would_be_noticed(solution: Solution, tensors: Tensors) -> None:
    """The comparison is not blind to what the functions differ in."""
    names = [f"R_{list(FUNCTIONS).index(name)}" for name in ("gelu", "rms_norm")]
    others = (F.gelu(4 * tensors["X"], approximate="tanh"), F.rms_norm(tensors["X"], (4,)))
    assert min(distance_to(solution, name, other) for name, other in zip(names, others, strict=True)) > 1e-7
