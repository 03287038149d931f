"""The entries of the catalogue that PyTorch has an operation for, as it computes them in double precision.

Without PyTorch there is nothing to compare with, and the tests are skipped.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from symattn import derive
from symattn.catalogue import entries
from symattn.scenario.load import loads
from tests.second_road.test_catalogue import certified, givens, hidden, number, options
from tests.second_road.test_numpy import assert_close

torch = pytest.importorskip("torch")
nn = torch.nn.functional

Tensors = dict[str, Any]
Options = dict[str, Any]

WITHOUT = {"additive", "sinusoidal", "learned", "rotary", "linear_attention", "linear_attention_causal"}
"""Entries that PyTorch has no operation for."""


# What several entries need


def project(v: Tensors, o: Options, name: str, source: Any) -> Any:
    bias = v[f"b_{name}"][0] if o.get("bias") else None
    return nn.linear(source, v[f"W_{name}"].T, bias)


def seen(o: Options, queries: int, keys: int) -> Any:
    """The mask as PyTorch wants it: True where a query sees a key."""
    return None if o["mask"] == "none" else torch.from_numpy(~hidden(o, queries, keys))


def attend(o: Options, Q: Any, K: Any, V: Any, **more: Any) -> Any:
    scale = 1.0 / (Q.shape[-1] ** 0.5 * float(Fraction(o.get("temperature", "1"))))
    mask = seen({"mask": "none", **o}, Q.shape[-2], K.shape[-2])
    return nn.scaled_dot_product_attention(Q, K, V, **{"attn_mask": mask, "scale": scale, **more})


# Attention


def attention(v: Tensors, o: Options) -> Tensors:
    Q, K, V = (project(v, o, name, v["X"]) for name in "QKV")
    return {"Q": Q, "K": K, "V": V, "O": attend(o, Q, K, V)}


def cross_attention(v: Tensors, o: Options) -> Tensors:
    return {"O": attend(o, project(v, o, "Q", v["X"]), project(v, o, "K", v["Y"]), project(v, o, "V", v["Y"]))}


def similarity(v: Tensors, o: Options) -> Tensors:
    X = v["X"]
    return {"O": attend(o, X, X, X, scale=X.shape[1] ** -0.5 if o["scaled"] else 1.0)}


# Heads


def multi_head(v: Tensors, o: Options) -> Tensors:
    """The module itself, with the same weights; without W_O its output projection does nothing."""
    X, heads = v["X"], o["heads"]
    module = torch.nn.MultiheadAttention(X.shape[1], heads, dtype=torch.float64, batch_first=True)
    with torch.no_grad():
        module.in_proj_weight.copy_(torch.cat([v[f"W_{name}"].T for name in "QKV"]))
        biases = [v[f"b_{name}"][0] for name in "QKV"] if o["bias"] else [torch.zeros(X.shape[1])] * 3
        module.in_proj_bias.copy_(torch.cat(biases))
        module.out_proj.weight.copy_(v["W_O"].T if o["output"] else torch.eye(X.shape[1]))
        module.out_proj.bias.copy_(v["b_O"][0] if o["bias"] and o["output"] else torch.zeros(X.shape[1]))
        mask = seen(o, len(X), len(X))
        out, weights = module(X, X, X, attn_mask=None if mask is None else ~mask, average_attn_weights=False)
    return {"O": out, **{f"A_{t + 1}": weights[t] for t in range(heads)}}


def grouped_query(v: Tensors, o: Options) -> Tensors:
    """Heads on an axis of their own, and keys and values shared by PyTorch."""
    n, width = len(v["X"]), v["W_Q"].shape[1] // o["heads"]
    Q, K, V = (project(v, o, name, v["X"]).reshape(1, n, -1, width).transpose(1, 2) for name in "QKV")
    C = attend(o, Q, K, V, enable_gqa=True).transpose(1, 2).reshape(n, -1)
    return {"C": C, "O": project(v, o, "O", C)} if o["output"] else {"O": C}


def decoding_step(v: Tensors, o: Options) -> Tensors:
    q, k, w = (project(v, o, name, v["x"]) for name in "QKV")
    return {"o": attend(o, q, torch.cat([v["K_cache"], k]), torch.cat([v["V_cache"], w]))}


# Positions


def alibi(v: Tensors, o: Options) -> Tensors:
    Q, K, V = (project(v, o, name, v["X"]) for name in "QKV")
    place = torch.arange(len(Q), dtype=torch.float64)
    bias = -float(Fraction(o["slope"])) * (place[:, None] - place[None, :]).abs()
    ahead = torch.ones(len(Q), len(Q), dtype=torch.bool).triu(1)
    return {"O": attend(o, Q, K, V, attn_mask=bias.masked_fill(ahead, float("-inf")))}


# Norms and layers


def layer_norm(v: Tensors, o: Options) -> Tensors:
    affine = (v["gamma"][0], v["beta"][0]) if o["affine"] else ()
    return {"Y": nn.layer_norm(v["X"], v["X"].shape[1:], *affine, eps=number(o["epsilon"]))}


def rms_norm(v: Tensors, o: Options) -> Tensors:
    affine = (v["gamma"][0],) if o["affine"] else ()
    return {"Y": nn.rms_norm(v["X"], v["X"].shape[1:], *affine, eps=number(o["epsilon"]))}


ACTIVATIONS: dict[str, Callable[[Any], Any]] = {
    "relu": nn.relu,
    "silu": nn.silu,
    "gelu": nn.gelu,
    "gelu_tanh": lambda x: nn.gelu(x, approximate="tanh"),
}


def relu(v: Tensors, o: Options) -> Tensors:
    return {"Y": nn.relu(v["X"])}


def gelu(v: Tensors, o: Options) -> Tensors:
    return {"Y": ACTIVATIONS["gelu" if o["form"] == "erf" else "gelu_tanh"](v["X"])}


def silu(v: Tensors, o: Options) -> Tensors:
    return {"Y": nn.silu(v["X"])}


def feed_forward(v: Tensors, o: Options) -> Tensors:
    first, second = (v["b_1"][0], v["b_2"][0]) if o["bias"] else (None, None)
    return {"F": nn.linear(ACTIVATIONS[o["activation"]](nn.linear(v["X"], v["W_1"].T, first)), v["W_2"].T, second)}


def swiglu(v: Tensors, o: Options) -> Tensors:
    return {"F": (ACTIVATIONS[o["gate"]](v["X"] @ v["W"]) * (v["X"] @ v["V"])) @ v["W_2"]}


def block(v: Tensors, o: Options) -> Tensors:
    """The layer itself, where it has what was chosen: layer norm, no temperature."""
    if o["normalisation"] != "layer_norm" or o["temperature"] != "1":
        return {}
    X, width = v["X"], v["X"].shape[1]
    layer = torch.nn.TransformerEncoderLayer(
        width,
        1,
        dim_feedforward=v["W_1"].shape[1],
        dropout=0.0,
        activation=ACTIVATIONS[o["activation"]],
        layer_norm_eps=number(o["epsilon"]),
        norm_first=o["order"] == "pre",
        batch_first=True,
        dtype=torch.float64,
    )
    zero = torch.zeros(1, width, dtype=torch.float64)
    state = {
        "self_attn.in_proj_weight": torch.cat([v[f"W_{name}"].T for name in "QKV"]),
        "self_attn.in_proj_bias": torch.zeros(3 * width),
        "self_attn.out_proj.weight": v["W_O"].T,
        "self_attn.out_proj.bias": zero[0],
        "linear1.weight": v["W_1"].T,
        "linear1.bias": v.get("b_1", torch.zeros(1, v["W_1"].shape[1]))[0],
        "linear2.weight": v["W_2"].T,
        "linear2.bias": v.get("b_2", zero)[0],
        **{f"norm{i}.weight": v.get(f"gamma_{i}", zero + 1.0)[0] for i in (1, 2)},
        **{f"norm{i}.bias": v.get(f"beta_{i}", zero)[0] for i in (1, 2)},
    }
    layer.load_state_dict(state)
    mask = seen(o, len(X), len(X))
    with torch.no_grad():
        return {"Y": layer(X[None], src_mask=None if mask is None else ~mask)[0]}


# Output


def next_token(v: Tensors, o: Options) -> Tensors:
    Z = nn.linear(v["H"], v["W_U"].T, v["b_U"][0] if o["bias"] else None)
    return {"Z": Z, "P": torch.softmax(Z / float(Fraction(o["temperature"])), dim=-1)}


def cross_entropy(v: Tensors, o: Options) -> Tensors:
    ids = v["t"][0].long()
    losses = nn.cross_entropy(v["Z"], ids, reduction="none")
    return {"l": losses[:, None], "L": nn.cross_entropy(v["Z"], ids).reshape(1, 1)}


def top_k(v: Tensors, o: Options) -> Tensors:
    chosen = torch.topk(v["Z"], o["k"])
    R = torch.zeros_like(v["Z"]).scatter(1, chosen.indices, torch.softmax(chosen.values, dim=-1))
    return {"R": R}


def greedy(v: Tensors, o: Options) -> Tensors:
    best = torch.softmax(v["Z"], dim=-1).max(dim=-1, keepdim=True)
    return {"p": best.values, "c": best.indices.double()}


# Efficiency


def online_softmax(v: Tensors, o: Options) -> Tensors:
    return {"A": torch.softmax(v["S"], dim=-1)}


def blocked_attention(v: Tensors, o: Options) -> Tensors:
    return {"O": attend(o, v["Q"], v["K"], v["V"])}


ROADS: dict[str, Callable[[Tensors, Options], Tensors]] = {
    road.__name__: road
    for road in (
        *(attention, cross_attention, similarity, multi_head, grouped_query, decoding_step, alibi),
        *(layer_norm, rms_norm, relu, gelu, silu, feed_forward, swiglu, block),
        *(next_token, cross_entropy, top_k, greedy, online_softmax, blocked_attention),
    )
}


# The tests


def test_every_entry_is_compared_or_has_no_operation_in_pytorch() -> None:
    assert sorted([*ROADS, *WITHOUT]) == sorted(entry.name for entry in entries())


def test_certified_decimals_agree_with_pytorch(lesson: Callable, worked: Callable, catalogue_case: Any) -> None:
    case = catalogue_case
    if case.name in WITHOUT:
        pytest.skip("PyTorch has no such operation")
    text = lesson(case.name, case.chosen, case.sizes)
    tensors = {name: torch.from_numpy(value) for name, value in givens(text).items()}
    theirs, solution = ROADS[case.name](tensors, options(case.name, case.chosen)), worked(text)

    assert theirs or case.name == "block"
    for name, tensor in theirs.items():
        assert tensor.dtype == torch.float64
        assert_close(certified(solution, name), tensor.detach().numpy(), f"{case}, {name}")


def test_pytorch_turns_pairs_of_columns_as_rotary_does(lesson: Callable) -> None:
    """There is no such operation, but complex numbers: a pair of columns times e^{i p θ}."""
    text = lesson("rotary", {}, {"d_k": 4})
    solution, Q = derive(loads(text)), torch.from_numpy(givens(text)["X"] @ givens(text)["W_Q"])
    angles = torch.outer(torch.arange(len(Q)).double(), 10000.0 ** (-torch.arange(0, 4, 2).double() / 4))
    R = torch.view_as_real(torch.view_as_complex(Q.reshape(-1, 2, 2)) * torch.polar(torch.ones_like(angles), angles))

    assert_close(certified(solution, "R_Q"), R.reshape(-1, 4).numpy(), "R_Q")
    assert np.abs(R.numpy()).max() > 0
