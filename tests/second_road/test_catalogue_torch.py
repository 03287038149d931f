"""The entries of the catalogue that PyTorch has an operation for, as it computes them in double precision.

Without PyTorch there is nothing to compare with, and the tests are skipped.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import pairwise, product
from typing import Any

import pytest

from symattn import derive
from symattn.read.catalogue import entries
from symattn.read.scenario.load import loads
from tests.second_road.test_catalogue import certified, givens, number, options
from tests.second_road.test_catalogue_combined import both as both_roads
from tests.second_road.test_catalogue_combined import drawn
from tests.second_road.test_numpy import assert_close

torch = pytest.importorskip("torch")
nn = torch.nn.functional

Tensors = dict[str, Any]
Options = dict[str, Any]

WITHOUT = {"additive", "sinusoidal", "learned", "linear_attention", "linear_attention_causal"}
"""Entries that PyTorch has no operation for."""


# Attention, as PyTorch puts it together


def project(v: Tensors, o: Options, name: str, source: Any) -> Any:
    bias = v[f"b_{name}"][0] if o.get("bias") else None
    return nn.linear(source, v[f"W_{name}"].T, bias)


def turned(x: Any, base: float, start: int) -> Any:
    """There is no such operation, but complex numbers: a pair of columns times e^{i p θ}, in every head alike."""
    rows, width = x.shape[-2:]
    angles = torch.outer(start + torch.arange(rows).double(), base ** (-torch.arange(0, width, 2).double() / width))
    pairs = torch.view_as_complex(x.reshape(*x.shape[:-1], -1, 2).contiguous())
    return torch.view_as_real(pairs * torch.polar(torch.ones_like(angles), angles)).reshape(x.shape)


def added(v: Tensors, o: Options, heads: int, queries: int, keys: int) -> Any:
    """All that is added to the scores of every head, as PyTorch takes it in one ``attn_mask``."""
    place = torch.arange(keys)
    apart = (place[keys - queries :, None] - place[None, :]).double()
    total = torch.zeros(heads, queries, keys, dtype=torch.float64)
    if o.get("positions") == "alibi":
        slopes = torch.tensor([number(o["slope"]) ** t for t in range(1, heads + 1)], dtype=torch.float64)
        total = total - slopes[:, None, None] * apart.abs()
    for name in (*o.get("score_bias", ()), *o.get("mask", ())):
        match name:
            case "causal":
                total = total.masked_fill(apart < 0, -torch.inf)
            case "window":
                total = total.masked_fill(apart.abs() >= o["window"], -torch.inf)
            case "padding":
                total = total.masked_fill(place >= o["length"], -torch.inf)
            case _:
                total = total + v[name]
    return total


def attend(v: Tensors, o: Options, Q: Any, K: Any, V: Any) -> Any:
    """Of heads on an axis of their own; a soft cap is what the operation of PyTorch has no argument for."""
    heads, queries, width = Q.shape
    tau = number(o.get("temperature", "1"))
    scale = width**-0.5 if o.get("scale", "1/sqrt(d_k)") == "1/sqrt(d_k)" else number(o["scale"])
    bias = added(v, o, heads, queries, K.shape[1])
    if (cap := o.get("softcap", "none")) == "none":
        more = {"attn_mask": bias[None] / tau, "scale": scale / tau, "enable_gqa": True}
        return nn.scaled_dot_product_attention(Q[None], K[None], V[None], **more)[0]
    scores = scale * Q @ K.repeat_interleave(heads // len(K), 0).transpose(1, 2)
    capped = number(cap) * torch.tanh(scores / number(cap))
    return torch.softmax((capped + bias) / tau, -1) @ V.repeat_interleave(heads // len(V), 0)


def attended(v: Tensors, o: Options, asks: Any, answers: Any = None, mark: str = "") -> Tensors:
    v = {
        **v,
        **{
            f"{kind}_{name}": v[f"{kind}_{name}{mark}"]
            for kind in "Wb"
            for name in "QKVO"
            if f"{kind}_{name}{mark}" in v
        },
    }
    heads = o["heads"]
    groups = heads if o["kv_heads"] == "heads" else o["kv_heads"]
    answers = asks if answers is None else answers
    parts = (("Q", asks, heads), ("K", answers, groups), ("V", answers, groups))
    Q, K, V = (project(v, o, name, x).reshape(len(x), count, -1).transpose(0, 1) for name, x, count in parts)
    start = len(v["K_cache"]) if o.get("cache") else 0
    if o.get("positions") == "rotary":
        Q, K = (turned(each, number(o["base"]), start) for each in (Q, K))
    if start:
        kept = (v[f"{name}_cache"].reshape(start, groups, -1).transpose(0, 1) for name in "KV")
        K, V = (torch.cat(pair, 1) for pair in zip(kept, (K, V), strict=True))
    C = attend(v, o, Q, K, V).transpose(0, 1).reshape(len(asks), -1)
    return {"O": project(v, o, "O", C) if o["output"] else C}


def attention(v: Tensors, o: Options) -> Tensors:
    return attended(v, o, v["X"])


def cross_attention(v: Tensors, o: Options) -> Tensors:
    return attended(v, o, v["X"], v["Y"])


def similarity(v: Tensors, o: Options) -> Tensors:
    X = v["X"][None]
    return {"O": attend(v, o, X, X, X)[0]}


def decoding_step(v: Tensors, o: Options) -> Tensors:
    return {"o": attended(v, {**o, "cache": True}, v["x"])["O"]}


def rotary(v: Tensors, o: Options) -> Tensors:
    return attended(v, {**o, "positions": "rotary"}, v["X"])


def alibi(v: Tensors, o: Options) -> Tensors:
    return attended(v, {**o, "positions": "alibi"}, v["X"])


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
    "swiglu": nn.silu,
    "geglu": nn.gelu,
    "reglu": nn.relu,
    "glu": torch.sigmoid,
}


def relu(v: Tensors, o: Options) -> Tensors:
    return {"Y": nn.relu(v["X"])}


def gelu(v: Tensors, o: Options) -> Tensors:
    return {"Y": ACTIVATIONS["gelu" if o["form"] == "erf" else "gelu_tanh"](v["X"])}


def silu(v: Tensors, o: Options) -> Tensors:
    return {"Y": nn.silu(v["X"])}


def feed_forward(v: Tensors, o: Options, X: Any = None) -> Tensors:
    def linear(x: Any, layer: str) -> Any:
        return nn.linear(x, v[f"W_{layer}"].T, v[f"b_{layer}"][0] if o["bias"] else None)

    X = v["X"] if X is None else X
    gate = o["gate"] != "none"
    G = ACTIVATIONS[o["gate"] if gate else o["activation"]](linear(X, "1"))
    return {"F": linear(G * linear(X, "3") if gate else G, "2")}


def norm(v: Tensors, o: Options, x: Any, index: int) -> Any:
    by = (v[f"{name}_{index}"][0] if f"{name}_{index}" in v else None for name in ("gamma", "beta"))
    kinds = {"layer": nn.layer_norm, "rms": lambda *most, eps: nn.rms_norm(*most[:3], eps=eps)}
    return kinds[o["norm"]](x, x.shape[1:], *by, eps=number(o["epsilon"]))


def block(v: Tensors, o: Options) -> Tensors:
    """Layers one after the other, each added to what came in; with a memory there are three."""
    own = {**o, "bias": o["attention_bias"], "output": True}
    across = {**own, "mask": o.get("memory_mask"), "length": o.get("memory_length"), "positions": "none"}
    across |= {"score_bias": (), "cache": False}
    layers = [lambda x: attended(v, own, x)["O"], lambda x: feed_forward(v, o, x)["F"]]
    if "E" in v:
        layers.insert(1, lambda x: attended(v, across, x, v["E"], "_E")["O"])
    x = v["X"]
    for index, layer in enumerate(layers, 1):
        x = x + layer(norm(v, o, x, index)) if o["order"] == "pre" else norm(v, o, x + layer(x), index)
    return {"Y": x}


# Output


def next_token(v: Tensors, o: Options) -> Tensors:
    Z = nn.linear(v["H"], v["W_U"].T, v["b_U"][0] if o["bias"] else None)
    return {"Z": Z, "P": torch.softmax(Z / number(o["temperature"]), dim=-1)}


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
    return {"O": attend(v, o, v["Q"][None], v["K"][None], v["V"][None])[0]}


ROADS: dict[str, Callable[[Tensors, Options], Tensors]] = {
    road.__name__: road
    for road in (
        *(attention, cross_attention, similarity, decoding_step, rotary, alibi),
        *(layer_norm, rms_norm, relu, gelu, silu, feed_forward, block),
        *(next_token, cross_entropy, top_k, greedy, online_softmax, blocked_attention),
    )
} | {"multi_head": attention, "grouped_query": attention, "swiglu": feed_forward, "decoder_block": block}


# The tests


def test_every_entry_is_compared_or_has_no_operation_in_pytorch() -> None:
    assert sorted([*ROADS, *WITHOUT]) == sorted(entry.name for entry in entries())


@pytest.mark.sampled(30)
def test_certified_decimals_agree_with_pytorch(lesson: Callable, worked: Callable, catalogue_case: Any) -> None:
    case = catalogue_case
    if case.name in WITHOUT:
        pytest.skip("PyTorch has no such operation")
    text = lesson(case.name, case.chosen, case.sizes)
    tensors = {name: torch.from_numpy(value) for name, value in givens(text).items()}
    theirs, solution = ROADS[case.name](tensors, options(case.name, case.chosen)), worked(text)
    assert_agree(theirs, solution, str(case))


def assert_agree(theirs: Tensors, solution: Any, what: str) -> None:
    assert theirs
    for name, tensor in theirs.items():
        assert tensor.dtype == torch.float64
        assert_close(certified(solution, name), tensor.detach().numpy(), f"{what}, {name}")


@pytest.mark.slow
@pytest.mark.parametrize("part", range(5))
@pytest.mark.parametrize("name", sorted(ROADS))
def test_random_options_go_together(lesson: Callable, name: str, part: int) -> None:
    for seed in range(10 * part, 10 * part + 10):
        case = drawn(name, seed)
        if case.is_anew or (found := both_roads(case, lesson)) is None:
            continue  # under other names, or with a row that sees no key
        tensors = {each: torch.from_numpy(value) for each, value in givens(case.text(lesson)).items()}
        assert_agree(ROADS[name](tensors, options(name, dict(case.settings))), found[1], str(case))


# Combinations of options: attention for itself, and the layers that PyTorch or a model has as a whole

SIZES = {"n": 3, "m": 2, "p": 2, "d_model": 4, "d_k": 4, "d_v": 4, "d": 4, "d_ff": 3, "d_memory": 4}
HEADS = ((1, 1), (2, 2), (2, 1), (4, 2))
MASKS: tuple[tuple[str, ...], ...] = ((), ("causal",), ("causal", "window"), ("causal", "P"))
OF_SCORES: tuple[Options, ...] = (
    {"bias": True, "output": True},
    {"scale": "1/8", "score_bias": ("U",), "cache": True},
    {"softcap": "5/2", "temperature": "2", "scale": "1", "score_bias": ("U",)},
)


def sizes_of(heads: int, kv_heads: int) -> dict[str, int]:
    """Two columns for each of four heads, four for each of two."""
    width = 8 if heads == 4 else 4
    return {**SIZES, "d": width, "d_shared": width // heads * kv_heads}


def both(lesson: Callable, name: str, chosen: Options, sizes: dict[str, int]) -> tuple[Tensors, Any]:
    """The givens as tensors, and the solution."""
    text = lesson(name, chosen, sizes)
    return {each: torch.from_numpy(value) for each, value in givens(text).items()}, derive(loads(text))


@pytest.mark.parametrize("positions", ["none", "rotary", "alibi"])
def test_options_of_attention_go_together(lesson: Callable, positions: str) -> None:
    """Every kind of heads with every kind of masks, and what is done to scores with each in turn."""
    for place, ((heads, kv_heads), mask) in enumerate(product(HEADS, MASKS)):
        chosen = {"heads": heads, "kv_heads": kv_heads, "positions": positions, "mask": mask, **OF_SCORES[place % 3]}
        tensors, solution = both(lesson, "attention", chosen, sizes_of(heads, kv_heads))
        assert_agree(attention(tensors, options("attention", chosen)), solution, str(chosen))


def attention_state(v: Tensors, name: str, mark: str = "") -> Tensors:
    """The weights of an attention as modules of PyTorch call them."""
    return {
        f"{name}.in_proj_weight": torch.cat([v[f"W_{each}{mark}"].T for each in "QKV"]),
        f"{name}.in_proj_bias": torch.cat([v[f"b_{each}{mark}"][0] for each in "QKV"]),
        f"{name}.out_proj.weight": v[f"W_O{mark}"].T,
        f"{name}.out_proj.bias": v[f"b_O{mark}"][0],
    }


@pytest.mark.parametrize("name", ["block", "decoder_block"])
@pytest.mark.parametrize("order", ["post", "pre"])
def test_a_block_is_the_layer_of_pytorch(lesson: Callable, name: str, order: str) -> None:
    """The modules themselves, with the same weights."""
    for heads, activation, mask in zip((2, 4), ("relu", "gelu"), (MASKS[3], MASKS[2]), strict=True):
        chosen = {"order": order, "heads": heads, "activation": activation, "mask": mask, "attention_bias": True}
        chosen |= {"memory_mask": ("padding",), "memory_length": 1} if name == "decoder_block" and heads == 4 else {}
        v, solution = both(lesson, name, chosen, SIZES)
        o = options(name, chosen)
        modules = {"block": torch.nn.TransformerEncoderLayer, "decoder_block": torch.nn.TransformerDecoderLayer}
        more = {"dim_feedforward": 3, "dropout": 0.0, "norm_first": order == "pre", "batch_first": True}
        layer = modules[name](4, heads, activation=activation, layer_norm_eps=1e-5, dtype=torch.float64, **more)
        state = {f"linear{i}.{kind}": v[f"{w}_{i}"] for i in (1, 2) for kind, w in (("weight", "W"), ("bias", "b"))}
        state = {key: value.T if key.endswith("weight") else value[0] for key, value in state.items()}
        norms = (1, 2) if name == "block" else (1, 2, 3)
        state |= {
            f"norm{i}.{kind}": v[f"{w}_{i}"][0] for i in norms for kind, w in (("weight", "gamma"), ("bias", "beta"))
        }
        state |= attention_state(v, "self_attn")
        state |= attention_state(v, "multihead_attn", "_E") if name == "decoder_block" else {}
        layer.load_state_dict(state)
        own = added(v, o, 1, 3, 3)[0]
        with torch.no_grad():
            if name == "block":
                Y = layer(v["X"][None], src_mask=own)[0]
            else:
                of_memory = added(v, {"mask": o["memory_mask"], "length": o["memory_length"]}, 1, 3, 2)[0]
                Y = layer(v["X"][None], v["E"][None], tgt_mask=own, memory_mask=of_memory)[0]
        assert_agree({"Y": Y}, solution, str(chosen))


def llama(v: Tensors, heads: int, kv_heads: int, act: Callable[[Any], Any], cap: float, seen: Any, eps: float) -> Any:
    """A decoder layer of LLaMA, or of Gemma 2 where scores have a cap, line by line as their authors write it."""
    x, n = v["X"], len(v["X"])
    h = nn.rms_norm(x, (x.shape[1],), v["gamma_1"][0], eps)
    q, k, w = (
        (h @ v[f"W_{name}"]).view(n, count, -1) for name, count in zip("QKV", (heads, kv_heads, kv_heads), strict=True)
    )
    freqs = 1.0 / (10000.0 ** (torch.arange(0, q.shape[2], 2).double() / q.shape[2]))
    turn = torch.polar(*torch.broadcast_tensors(torch.ones(1).double(), torch.outer(torch.arange(n).double(), freqs)))
    q, k = (
        torch.view_as_real(torch.view_as_complex(each.reshape(n, each.shape[1], -1, 2)) * turn[:, None]).flatten(2)
        for each in (q, k)
    )
    k, w = (each.repeat_interleave(heads // kv_heads, 1) for each in (k, w))
    scores = torch.einsum("ihd,jhd->hij", q, k) / q.shape[2] ** 0.5
    scores = cap * torch.tanh(scores / cap) if cap else scores
    probabilities = torch.softmax(scores.masked_fill(~seen, -torch.inf), -1)
    x = x + torch.einsum("hij,jhd->ihd", probabilities, w).reshape(n, -1) @ v["W_O"]
    h = nn.rms_norm(x, (x.shape[1],), v["gamma_2"][0], eps)
    return x + (act(h @ v["W_1"]) * (h @ v["W_3"])) @ v["W_2"]


@pytest.mark.parametrize(("heads", "kv_heads"), HEADS[1:])
def test_a_block_is_a_layer_of_llama_or_of_gemma(lesson: Callable, heads: int, kv_heads: int) -> None:
    usual: Options = {"order": "pre", "norm": "rms", "positions": "rotary", "heads": heads, "kv_heads": kv_heads}
    ahead = torch.ones(3, 3, dtype=torch.bool).tril()
    for more, act, cap, seen in (
        ({"gate": "swiglu", "mask": ("causal",), "epsilon": "10^-6"}, nn.silu, 0.0, ahead),
        ({"gate": "geglu", "mask": ("causal", "window"), "softcap": "50"}, nn.gelu, 50.0, ahead.triu(-1)),
    ):
        v, solution = both(lesson, "block", {**usual, **more}, sizes_of(heads, kv_heads))
        Y = llama(v, heads, kv_heads, act, cap, seen, 1e-6 if cap == 0 else 1e-5)
        assert_agree({"Y": Y}, solution, f"{usual} {more}")


@pytest.mark.sampled(4)
@pytest.mark.parametrize(("heads", "kv_heads"), HEADS)
@pytest.mark.parametrize("positions", ["none", "rotary", "alibi"])
def test_decoding_token_by_token_is_the_whole_sequence_at_once(
    lesson: Callable, heads: int, kv_heads: int, positions: str
) -> None:
    """The cache starts with the first token, and every step takes what the one before has kept."""
    chosen = {"heads": heads, "kv_heads": kv_heads, "positions": positions, "bias": True}
    text = lesson("attention", {**chosen, "mask": ("causal", "window")}, {**sizes_of(heads, kv_heads), "n": 4})
    keys = "K" if positions != "rotary" else "R_K" if kv_heads == 1 else "concat(K_1, K_2)"
    more = [f'"K_a = row({keys}, 1)"', '"V_a = row(V, 1)"']
    for t, (before, after) in enumerate(pairwise("abcd"), 2):
        names = f'names = {{ x = "x_{after}", K_cache = "K_{before}", V_cache = "V_{before}" }}, suffix = "_{after}"'
        settings = ", ".join(f"{name} = {json.dumps(value)}" for name, value in {**chosen, "mask": "window"}.items())
        more += [f'"x_{after} = row(X, {t})"', f'{{ use = "decoding_step", with = {{ {settings} }}, {names} }}']
    solution = derive(loads(text.replace("}]\n", "}, " + ", ".join(more) + "]\n")))

    assert tuple(solution[f"o_{after}"].decimals(30)[0] for after in "bcd") == solution["O"].decimals(30)[1:]
