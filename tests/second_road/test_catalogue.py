"""Every entry of the catalogue once more, by plain NumPy lines that share nothing with symattn, and by PyTorch.

The numbers come straight from the text of a scenario; each entry is written out below by hand, with a function per
entry that is called like it. An entry without such a function, or with a step that the function leaves out, fails.
"""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from symattn.read.catalogue import entries, entry_named
from symattn.read.catalogue.entries import lines
from symattn.read.catalogue.model import StepLine
from tests.second_road.backward_roads import softmax
from tests.second_road.test_numpy import assert_close

Values = dict[str, np.ndarray]
Options = dict[str, Any]
Road = Callable[[Values, Options], Values]


# By hand: what several entries need


def hidden(kind: str, o: Options, queries: int, keys: int) -> np.ndarray:
    """True where a query does not see a key; the queries are the last of the positions."""
    i, j = np.indices((queries, keys))
    i = i + (keys - queries if kind != "padding" else 0)
    match kind:
        case "causal":
            return j > i
        case "padding":
            return j >= o["length"]
    return np.abs(i - j) >= o["window"]


def masks(v: Values, o: Options, queries: int, keys: int) -> Values:
    """Each mask by its name, and the sum of them where there are several."""
    chosen = o.get("mask", ())
    ours = "M" if len(chosen) == 1 else "M_{}"
    known = ("causal", "padding", "window")
    found = {
        ours.format(kind): np.where(hidden(kind, o, queries, keys), -np.inf, 0.0) for kind in chosen if kind in known
    }
    return (
        {**found, "M": sum([*found.values(), *(v[name] for name in chosen if name not in known)])}
        if chosen[1:]
        else found
    )


def turned(x: np.ndarray, base: float, start: int = 0) -> np.ndarray:
    """Every pair of columns as one complex number, times e^{i p θ}."""
    pairs = x[:, 0::2] + 1j * x[:, 1::2]
    angles = np.outer(start + np.arange(x.shape[0]), base ** (-np.arange(0, x.shape[1], 2) / x.shape[1]))
    pairs = pairs * np.exp(1j * angles)
    return np.stack([pairs.real, pairs.imag], axis=-1).reshape(x.shape)


def normed(x: np.ndarray, o: Options, kind: str, gain: Any = 1.0, shift: Any = 0.0) -> np.ndarray:
    centred = x - x.mean(axis=1, keepdims=True) if kind == "layer" else x
    return centred / np.sqrt((centred**2).mean(axis=1, keepdims=True) + number(o["epsilon"])) * gain + shift


def activate(kind: str, x: np.ndarray) -> np.ndarray:
    match kind:
        case "relu":
            return np.where(x > 0, x, 0.0)
        case "silu":
            return x / (1.0 + np.exp(-x))
        case "sigmoid":
            return 1.0 / (1.0 + np.exp(-x))
        case "gelu":
            return np.array([[a * (1.0 + math.erf(a / math.sqrt(2.0))) / 2.0 for a in row] for row in x])
    assert kind == "gelu_tanh"
    return 0.5 * x * (1.0 + np.tanh(math.sqrt(2.0 / math.pi) * (x + 0.044715 * x**3)))


# By hand: attention


def weighed(v: Values, o: Options, S: np.ndarray, head: int = 1, mark: str = "") -> Values:
    """From scores to weights, each step by its name without the number of the head."""
    found = {"S": S}
    if (cap := o.get("softcap", "none")) != "none":
        S = found["S_cap"] = number(cap) * np.tanh(S / number(cap))
    if o.get("positions") == "alibi":
        i, j = np.indices(S.shape)
        S = found["B"] = S - number(o["slope"]) ** head * np.abs(i + S.shape[1] - S.shape[0] - j)
    S = S + sum(v[name] for name in o.get("score_bias", ()))
    added = masks(v, o, *S.shape)
    own = [v[name] for name in o.get("mask", ()) if name in v]
    S = S + (added["M"] if "M" in added else sum(own))
    return {**found, "A": softmax(S / number(o.get("temperature", "1")))}


def attended(v: Values, o: Options, asks: np.ndarray, answers: np.ndarray | None = None, mark: str = "") -> Values:
    """Queries, keys and values on an axis of heads, a cache before the keys, and every name of every head."""

    def projected(name: str, source: np.ndarray) -> np.ndarray:
        return source @ v[f"W_{name}{mark}"] + (v[f"b_{name}{mark}"] if o["bias"] else 0.0)

    heads = o["heads"]
    groups = heads if o["kv_heads"] == "heads" else o["kv_heads"]
    Q, K, V = projected("Q", asks), *(projected(name, asks if answers is None else answers) for name in "KV")
    found: Values = {"Q": Q}
    start = 0
    rotates = o.get("positions") == "rotary"

    def turn(x: np.ndarray, count: int) -> np.ndarray:
        return np.hstack([turned(part, number(o["base"]), start) for part in np.hsplit(x, count)]) if rotates else x

    if o.get("cache"):
        start = len(v["K_cache"])
        found |= {"K_new": K, "V_new": V, **({"R_K": turn(K, groups)} if rotates else {})}
        K, V = np.concatenate([v["K_cache"], turn(K, groups)]), np.concatenate([v["V_cache"], V])
        found |= {"K": K, "V": V}
    else:
        found |= {"K": K, "V": V}
        K = turn(K, groups)
        found |= {"R_K": K} if rotates and groups == 1 else {}
    Q = turn(Q, heads)
    found |= {"R_Q": Q} if rotates and heads == 1 else {}
    if o.get("positions") == "alibi":
        i, j = np.indices((len(Q), len(K)))
        found["D"] = np.abs(i + len(K) - len(Q) - j).astype(float)
    found |= masks(v, o, len(Q), len(K))
    parts = {"Q": np.hsplit(Q, heads), "K": np.hsplit(K, groups), "V": np.hsplit(V, groups)}
    for name, each in parts.items():
        found |= {f"{name}_{t}": part for t, part in enumerate(each, 1)} if len(each) > 1 else {}
    mixed = []
    for t in range(heads):
        q, k, w = parts["Q"][t], parts["K"][t * groups // heads], parts["V"][t * groups // heads]
        scale = 1.0 / math.sqrt(k.shape[1]) if o["scale"] == "1/sqrt(d_k)" else number(o["scale"])
        one = weighed(v, o, scale * np.einsum("ic,jc->ij", q, k), t + 1)
        mixed.append(one["A"] @ w)
        found |= {f"{name}_{t + 1}" if heads > 1 else name: value for name, value in one.items()}
    if heads > 1:
        found |= {f"O_{t}": each for t, each in enumerate(mixed, 1)}
    C = np.hstack(mixed)
    found |= {"C": C} if heads > 1 and o["output"] else {}
    return {f"{name}{mark}" if not mark else marked(name, mark): value for name, value in found.items()} | {
        f"O{mark}": projected("O", C) if o["output"] else C
    }


def marked(name: str, mark: str) -> str:
    """``Q_E_1`` for the queries of the first head of a second attention."""
    base, _, number = name.rpartition("_")
    return f"{base}{mark}_{number}" if number.isdigit() else name + mark


def attention(v: Values, o: Options) -> Values:
    return attended(v, o, v["X"])


def cross_attention(v: Values, o: Options) -> Values:
    return attended(v, o, v["X"], v["Y"])


def similarity(v: Values, o: Options) -> Values:
    X = v["X"]
    scale = 1.0 / math.sqrt(X.shape[1]) if o["scale"] == "1/sqrt(d_k)" else number(o["scale"])
    found = weighed(v, o, scale * np.einsum("ic,jc->ij", X, X))
    return {**found, **masks(v, o, len(X), len(X)), "O": found["A"] @ X}


def additive(v: Values, o: Options) -> Values:
    Q, K = v["X"] @ v["W_a"], v["Y"] @ v["U_a"]
    found = weighed(v, o, np.array([[sum(v["v_a"][0] * np.tanh(q + k)) for k in K] for q in Q]))
    return {"Q": Q, "K": K, **found, **masks(v, o, len(Q), len(K)), "O": found["A"] @ v["Y"]}


# By hand: heads


multi_head = grouped_query = attention


def decoding_step(v: Values, o: Options) -> Values:
    """The same with a cache; what belongs to the new row alone has a small name."""
    found = attended(v, {**o, "cache": True}, v["x"])
    kept = {
        name: value
        for name, value in found.items()
        if re.fullmatch(r"[KVM](_[0-9a-z]+)?|D", name) and "new" not in name
    }
    new = {name.removesuffix("_new").lower(): value for name, value in found.items() if name not in kept}
    return kept | new


# By hand: positions


def sinusoidal(v: Values, o: Options) -> Values:
    P = np.empty_like(v["X"])
    for i, row in enumerate(P):
        for j in range(row.size):
            angle = i / number(o["base"]) ** ((j - j % 2) / row.size)
            row[j] = math.cos(angle) if j % 2 else math.sin(angle)
    return {"P": P, "H": v["X"] + P}


def learned(v: Values, o: Options) -> Values:
    return {"H": v["X"] + v["P"]}


def rotary(v: Values, o: Options) -> Values:
    found = attended(v, {**o, "positions": "rotary"}, v["X"])
    # Moved on together, queries and keys keep their scores.
    return found | ({"S_moved": found["S"]} if o["heads"] == 1 and not o["cache"] else {})


def alibi(v: Values, o: Options) -> Values:
    return attended(v, {**o, "positions": "alibi"}, v["X"])


# By hand: norms and layers


def layer_norm(v: Values, o: Options) -> Values:
    X = v["X"]
    mu = X.mean(axis=1, keepdims=True)
    affine = (v["gamma"], v["beta"]) if o["affine"] else ()
    return {"mu": mu, "C": X - mu, "v": X.var(axis=1, keepdims=True), "Y": normed(X, o, "layer", *affine)}


def rms_norm(v: Values, o: Options) -> Values:
    affine = (v["gamma"],) if o["affine"] else ()
    return {"s": (v["X"] ** 2).mean(axis=1, keepdims=True), "Y": normed(v["X"], o, "rms", *affine)}


def relu(v: Values, o: Options) -> Values:
    return {"Y": activate("relu", v["X"])}


def gelu(v: Values, o: Options) -> Values:
    return {"Y": activate("gelu" if o["form"] == "erf" else "gelu_tanh", v["X"])}


def silu(v: Values, o: Options) -> Values:
    return {"Y": activate("silu", v["X"])}


GATES = {"swiglu": "silu", "geglu": "gelu", "reglu": "relu", "glu": "sigmoid"}


def feed_forward(v: Values, o: Options, X: np.ndarray | None = None) -> Values:
    def linear(x: np.ndarray, layer: str) -> np.ndarray:
        return x @ v[f"W_{layer}"] + (v[f"b_{layer}"] if o["bias"] else 0.0)

    X = v["X"] if X is None else X
    H = linear(X, "1")
    if o["gate"] == "none":
        G = activate(o["activation"], H)
        return {"H": H, "G": G, "F": linear(G, "2")}
    G, U = activate(GATES[o["gate"]], H), linear(X, "3")
    return {"G": G, "U": U, "H": G * U, "F": linear(G * U, "2")}


swiglu = feed_forward


def block(v: Values, o: Options, with_memory: bool = False) -> Values:
    """Two or three layers, each written out: where it starts, what it adds, and which norm it has."""
    of_attention = {**o, "bias": o["attention_bias"], "output": True}
    across = {**of_attention, "mask": o.get("memory_mask"), "length": o.get("memory_length")}
    across |= {"positions": "none", "score_bias": (), "cache": False}
    layers: list[tuple[Callable[[np.ndarray], Values], str, str]] = [
        (lambda x: attended(v, of_attention, x), "O", "R"),
        (lambda x: attended(v, across, x, v["E"], "_E"), "O_E", "R_E"),
        (lambda x: feed_forward(v, o, x), "F", "T"),
    ]
    if not with_memory:
        del layers[1]
    x, found = v["X"], {}
    for place, (layer, out, total) in enumerate(layers, 1):

        def norm(rows: np.ndarray, place: int = place) -> np.ndarray:
            return normed(rows, o, o["norm"], v.get(f"gamma_{place}", 1.0), v.get(f"beta_{place}", 0.0))

        if o["order"] == "pre":
            found[f"N_{place}"] = norm(x)
            found |= layer(found[f"N_{place}"])
            x = found[total] = x + found[out]
        else:
            found |= layer(x)
            found[total] = x + found[out]
            x = found[f"N_{place}"] = norm(found[total])
    last = "T" if o["order"] == "pre" else f"N_{len(layers)}"
    found["Y"] = found.pop(last)
    return found


def decoder_block(v: Values, o: Options) -> Values:
    return block(v, o, with_memory=True)


# By hand: output


def next_token(v: Values, o: Options) -> Values:
    Z = v["H"] @ v["W_U"] + (v["b_U"] if o["bias"] else 0.0)
    return {"Z": Z, "P": softmax(Z / number(o["temperature"]))}


def cross_entropy(v: Values, o: Options) -> Values:
    P, ids = softmax(v["Z"]), v["t"][0].astype(int)
    p = P[np.arange(len(P)), ids][:, None]
    L = np.array([[-np.log(p).mean()]])
    found = {"P": P, "T": np.eye(P.shape[1])[ids], "p": p, "l": -np.log(p), "L": L}
    return {**found, "PPL": np.exp(L)} if o["perplexity"] else found


def top_k(v: Values, o: Options) -> Values:
    P = softmax(v["Z"])
    C = np.zeros_like(P)
    for row, weights in zip(C, P, strict=True):
        row[np.argsort(-weights)[: o["k"]]] = 1.0
    return {"P": P, "C": C, "R": P * C / (P * C).sum(axis=1, keepdims=True)}


def greedy(v: Values, o: Options) -> Values:
    P = softmax(v["Z"])
    return {"P": P, "p": P.max(axis=1, keepdims=True), "c": P.argmax(axis=1)[:, None].astype(float)}


# By hand: efficiency


def features(x: np.ndarray) -> np.ndarray:
    return np.where(x > 0, x + 1.0, np.exp(x))


def linear_attention(v: Values, o: Options) -> Values:
    phi_Q, phi_K, V = features(v["Q"]), features(v["K"]), v["V"]
    weights = phi_Q @ phi_K.T
    D = weights.sum(axis=1, keepdims=True)
    C, z = np.einsum("jc,jd->cd", phi_K, V), phi_K.sum(axis=0)[:, None]
    return {"phi_Q": phi_Q, "phi_K": phi_K, "C": C, "z": z, "N": weights @ V, "D": D, "Y": weights / D @ V}


def linear_attention_causal(v: Values, o: Options) -> Values:
    phi_Q, phi_K, V = features(v["Q"]), features(v["K"]), v["V"]
    weights = np.tril(phi_Q @ phi_K.T)
    Y = weights / weights.sum(axis=1, keepdims=True) @ V
    found = {"phi_Q": phi_Q, "phi_K": phi_K, "Y": Y, "Y_masked": Y}
    for i in range(1, len(V) + 1):
        found |= {f"S_{i}": phi_K[:i].T @ V[:i], f"z_{i}": phi_K[:i].sum(axis=0)[:, None], f"y_{i}": Y[i - 1 : i]}
    return found


def running(S: np.ndarray, width: int) -> Values:
    """Blocks of columns; largest score and sum of exponentials of all columns up to the end of each block."""
    found: Values = {}
    for t, start in enumerate(range(0, S.shape[1], width), 1):
        so_far = S[:, : start + width]
        m = so_far.max(axis=1, keepdims=True)
        l = np.exp(so_far - m).sum(axis=1, keepdims=True)  # noqa: E741 - the name of the step
        found |= {f"S_{t}": S[:, start : start + width], f"m_{t}": m, f"l_{t}": l}
    return found


def online_softmax(v: Values, o: Options) -> Values:
    return {**running(v["S"], o["block"]), "A": softmax(v["S"])}


def blocked_attention(v: Values, o: Options) -> Values:
    Q, K, V, width = v["Q"], v["K"], v["V"], o["block"]
    S = Q @ K.T / math.sqrt(Q.shape[1])
    found = running(S, width)
    for t, start in enumerate(range(0, len(K), width), 1):
        end = start + width
        O_t = np.exp(S[:, :end] - found[f"m_{t}"]) @ V[:end]
        found |= {f"K_{t}": K[start:end], f"V_{t}": V[start:end], f"O_{t}": O_t}
    return {**found, "O": softmax(S) @ V}


ROADS: dict[str, Road] = {
    road.__name__: road
    for road in (
        *(attention, cross_attention, similarity, additive, decoding_step),
        *(sinusoidal, learned, rotary, alibi),
        *(layer_norm, rms_norm, relu, gelu, silu, feed_forward, block, decoder_block),
        *(next_token, cross_entropy, top_k, greedy),
        *(linear_attention, linear_attention_causal, online_softmax, blocked_attention),
    )
} | {"multi_head": multi_head, "grouped_query": grouped_query, "swiglu": swiglu}


# From the text to float64, without symattn


def number(text: str) -> float:
    """``0.21``, ``-3/4``, ``10^-5``, ``sqrt(2)``: as much as the lessons and settings write."""
    if text.startswith("sqrt("):
        return math.sqrt(number(text[5:-1]))
    base, _, exponent = text.partition("^")
    return float(Fraction(base) ** int(exponent or 1))


def givens(text: str) -> Values:
    tables = tomllib.loads(text)["given"]
    return {
        name: np.array([[number(cell) for cell in row] for row in table["value"]]) for name, table in tables.items()
    }


def options(name: str, chosen: Options) -> Options:
    found = {option.name: option.default for option in entry_named(name).options} | dict(chosen)
    if chosen.get("gate", "none") != "none" and "bias" not in chosen:
        found["bias"] = False  # layers with a gate have none
    return found


def certified(solution: Any, name: str) -> np.ndarray:
    """Fifteen certified decimals."""
    rows = solution.store.figures(name, 15)
    return np.array([[float(figure.text.replace("oo", "inf")) for figure in row] for row in rows])


# The tests


def test_every_entry_has_a_second_road() -> None:
    assert sorted(ROADS) == sorted(entry.name for entry in entries())


@pytest.mark.sampled(30)
def test_certified_decimals_agree_with_numpy(lesson: Callable, worked: Callable, catalogue_case: Any) -> None:
    assert_roads_meet(lesson, worked, catalogue_case.name, catalogue_case.chosen, catalogue_case.sizes)


@pytest.mark.parametrize(
    ("name", "sizes"),
    [
        ("attention", {"n": 4, "d_k": 3, "d_v": 5}),
        ("cross_attention", {"m": 4, "n": 2, "d_memory": 3, "d_v": 1}),
        ("additive", {"d_memory": 3, "d_a": 4}),
        ("multi_head", {"d": 6}),
        ("grouped_query", {"d": 12, "d_shared": 6, "n": 2}),
        ("decoding_step", {"n": 4, "d_k": 3}),
        ("sinusoidal", {"n": 5, "d_model": 6}),
        ("rotary", {"n": 4, "d_k": 6}),
        ("alibi", {"n": 5}),
        ("block", {"n": 3, "d_model": 3, "d_k": 1, "d_v": 2}),
        ("online_softmax", {"m": 5}),
        ("blocked_attention", {"m": 5, "d_k": 3}),
    ],
)
def test_they_agree_at_other_sizes_too(lesson: Callable, worked: Callable, name: str, sizes: dict[str, int]) -> None:
    assert_roads_meet(lesson, worked, name, {}, {**entry_named(name).example, **sizes})


def assert_roads_meet(lesson: Callable, worked: Callable, entry: str, chosen: Options, sizes: Any) -> None:
    text = lesson(entry, chosen, sizes)
    solution, expected = worked(text), ROADS[entry](givens(text), options(entry, chosen))
    steps = [line.name for line in lines(entry_named(entry), chosen, sizes) if isinstance(line, StepLine)]

    assert sorted(expected) == sorted(steps)
    for name in steps:
        assert_close(certified(solution, name), expected[name], f"{entry} with {chosen} at {sizes}, {name}")
