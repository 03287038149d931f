"""Every entry of the catalogue once more, by plain NumPy lines that share nothing with symattn, and by PyTorch.

The numbers come straight from the text of a scenario; each entry is written out below by hand, with a function per
entry that is called like it. An entry without such a function, or with a step that the function leaves out, fails.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from symattn.catalogue import entries, entry_named
from symattn.catalogue.general import lines
from symattn.catalogue.model import StepLine
from tests.second_road.test_numpy import assert_close, softmax

Values = dict[str, np.ndarray]
Options = dict[str, Any]
Road = Callable[[Values, Options], Values]


# By hand: what several entries need


def project(v: Values, o: Options, name: str, source: np.ndarray) -> np.ndarray:
    return source @ v[f"W_{name}"] + (v[f"b_{name}"] if o.get("bias") else 0.0)


def hidden(o: Options, queries: int, keys: int) -> np.ndarray:
    """True where a query does not see a key."""
    i, j = np.indices((queries, keys))
    return {
        "none": np.zeros((queries, keys), dtype=bool),
        "causal": j > i,
        "padding": j >= o.get("length", keys),
        "window": np.abs(i - j) >= o.get("window", keys),
    }[o["mask"]]


def masked(o: Options, queries: int, keys: int) -> Values:
    return {} if o["mask"] == "none" else {"M": np.where(hidden(o, queries, keys), -np.inf, 0.0)}


def attend(o: Options, S: np.ndarray) -> np.ndarray:
    kept = np.where(hidden(o, *S.shape), -np.inf, S)
    return softmax(kept / float(Fraction(o.get("temperature", "1"))))


def turned(x: np.ndarray, base: float) -> np.ndarray:
    """Every pair of columns as one complex number, times e^{i p θ}."""
    pairs = x[:, 0::2] + 1j * x[:, 1::2]
    angles = np.outer(np.arange(x.shape[0]), base ** (-np.arange(0, x.shape[1], 2) / x.shape[1]))
    pairs = pairs * np.exp(1j * angles)
    return np.stack([pairs.real, pairs.imag], axis=-1).reshape(x.shape)


def normed(x: np.ndarray, o: Options, gain: Any = 1.0, shift: Any = 0.0) -> np.ndarray:
    epsilon = number(o["epsilon"])
    if o.get("normalisation", "layer_norm") == "layer_norm":
        centred = x - x.mean(axis=1, keepdims=True)
        return centred / np.sqrt((centred**2).mean(axis=1, keepdims=True) + epsilon) * gain + shift
    return x / np.sqrt((x**2).mean(axis=1, keepdims=True) + epsilon) * gain


def activate(kind: str, x: np.ndarray) -> np.ndarray:
    match kind:
        case "relu":
            return np.where(x > 0, x, 0.0)
        case "silu":
            return x / (1.0 + np.exp(-x))
        case "gelu":
            return np.array([[a * (1.0 + math.erf(a / math.sqrt(2.0))) / 2.0 for a in row] for row in x])
    assert kind == "gelu_tanh"
    return 0.5 * x * (1.0 + np.tanh(math.sqrt(2.0 / math.pi) * (x + 0.044715 * x**3)))


# By hand: attention


def attention(v: Values, o: Options) -> Values:
    Q, K, V = (project(v, o, name, v["X"]) for name in "QKV")
    S = np.array([[sum(a * b for a, b in zip(q, k, strict=True)) for k in K] for q in Q]) / math.sqrt(Q.shape[1])
    A = attend(o, S)
    return {"Q": Q, "K": K, "V": V, "S": S, **masked(o, *S.shape), "A": A, "O": A @ V}


def cross_attention(v: Values, o: Options) -> Values:
    Q, K, V = project(v, o, "Q", v["X"]), project(v, o, "K", v["Y"]), project(v, o, "V", v["Y"])
    S = np.einsum("ic,jc->ij", Q, K) / math.sqrt(Q.shape[1])
    A = attend(o, S)
    return {"Q": Q, "K": K, "V": V, "S": S, **masked(o, *S.shape), "A": A, "O": np.einsum("ij,jc->ic", A, V)}


def similarity(v: Values, o: Options) -> Values:
    X = v["X"]
    S = np.einsum("ic,jc->ij", X, X) / (math.sqrt(X.shape[1]) if o["scaled"] else 1.0)
    A = attend(o, S)
    return {"S": S, **masked(o, *S.shape), "A": A, "O": A @ X}


def additive(v: Values, o: Options) -> Values:
    Q, K = v["X"] @ v["W_a"], v["Y"] @ v["U_a"]
    S = np.array([[sum(v["v_a"][0] * np.tanh(q + k)) for k in K] for q in Q])
    A = attend(o, S)
    return {"Q": Q, "K": K, "S": S, **masked(o, *S.shape), "A": A, "O": A @ v["Y"]}


# By hand: heads


def multi_head(v: Values, o: Options) -> Values:
    return grouped_query(v, {**o, "groups": o["heads"]})


def grouped_query(v: Values, o: Options) -> Values:
    heads, groups, n = o["heads"], o["groups"], v["X"].shape[0]
    Q, K, V = (project(v, o, name, v["X"]) for name in "QKV")
    found: Values = {"Q": Q, "K": K, "V": V, **masked(o, n, n)}
    per_head = Q.reshape(n, heads, -1)
    keys, values = K.reshape(n, groups, -1), V.reshape(n, groups, -1)
    if groups > 1:
        found |= {f"K_{g + 1}": keys[:, g] for g in range(groups)}
        found |= {f"V_{g + 1}": values[:, g] for g in range(groups)}
    for t in range(heads):
        g = t * groups // heads
        S = per_head[:, t] @ keys[:, g].T / math.sqrt(per_head.shape[2])
        A = attend(o, S)
        found |= {f"Q_{t + 1}": per_head[:, t], f"S_{t + 1}": S, f"A_{t + 1}": A, f"O_{t + 1}": A @ values[:, g]}
    C = np.hstack([found[f"O_{t + 1}"] for t in range(heads)])
    return {**found, "C": C, "O": project(v, o, "O", C)} if o["output"] else {**found, "O": C}


def decoding_step(v: Values, o: Options) -> Values:
    q, k, w = (project(v, o, name, v["x"]) for name in "QKV")
    K, V = np.concatenate([v["K_cache"], k]), np.concatenate([v["V_cache"], w])
    s = q @ K.T / math.sqrt(q.shape[1])
    a = softmax(s)
    return {"q": q, "k": k, "v": w, "K": K, "V": V, "s": s, "a": a, "o": a @ V}


# By hand: positions


def sinusoidal(v: Values, o: Options) -> Values:
    P = np.empty_like(v["X"])
    for i, row in enumerate(P):
        for j in range(row.size):
            angle = i / float(Fraction(o["base"])) ** ((j - j % 2) / row.size)
            row[j] = math.cos(angle) if j % 2 else math.sin(angle)
    return {"P": P, "H": v["X"] + P}


def learned(v: Values, o: Options) -> Values:
    return {"H": v["X"] + v["P"]}


def rotary(v: Values, o: Options) -> Values:
    Q, K, V = (project(v, o, name, v["X"]) for name in "QKV")
    R_Q, R_K = (turned(each, float(Fraction(o["base"]))) for each in (Q, K))
    S = R_Q @ R_K.T / math.sqrt(Q.shape[1])
    A = attend(o, S)
    return {"Q": Q, "K": K, "V": V, "R_Q": R_Q, "R_K": R_K, "S": S, **masked(o, *S.shape), "A": A, "O": A @ V}


def alibi(v: Values, o: Options) -> Values:
    Q, K, V = (project(v, o, name, v["X"]) for name in "QKV")
    i, j = np.indices((len(Q), len(Q)))
    S, D = Q @ K.T / math.sqrt(Q.shape[1]), np.abs(i - j).astype(float)
    B = S - float(Fraction(o["slope"])) * D
    A = attend({"mask": "causal"}, B)
    return {"Q": Q, "K": K, "V": V, "S": S, "D": D, "B": B, **masked({"mask": "causal"}, *S.shape), "A": A, "O": A @ V}


# By hand: norms and layers


def layer_norm(v: Values, o: Options) -> Values:
    X = v["X"]
    mu = X.mean(axis=1, keepdims=True)
    affine = (v["gamma"], v["beta"]) if o["affine"] else ()
    return {"mu": mu, "C": X - mu, "v": X.var(axis=1, keepdims=True), "Y": normed(X, o, *affine)}


def rms_norm(v: Values, o: Options) -> Values:
    rms = {**o, "normalisation": "rms_norm"}
    affine = (v["gamma"],) if o["affine"] else ()
    return {"s": (v["X"] ** 2).mean(axis=1, keepdims=True), "Y": normed(v["X"], rms, *affine)}


def relu(v: Values, o: Options) -> Values:
    return {"Y": activate("relu", v["X"])}


def gelu(v: Values, o: Options) -> Values:
    return {"Y": activate("gelu" if o["form"] == "erf" else "gelu_tanh", v["X"])}


def silu(v: Values, o: Options) -> Values:
    return {"Y": activate("silu", v["X"])}


def feed_forward(v: Values, o: Options, source: str = "X") -> Values:
    first, second = (v["b_1"], v["b_2"]) if o["bias"] else (0.0, 0.0)
    H = v[source] @ v["W_1"] + first
    G = activate(o["activation"], H)
    return {"H": H, "G": G, "F": G @ v["W_2"] + second}


def swiglu(v: Values, o: Options) -> Values:
    G, U = activate(o["gate"], v["X"] @ v["W"]), v["X"] @ v["V"]
    return {"G": G, "U": U, "H": G * U, "F": (G * U) @ v["W_2"]}


def block(v: Values, o: Options) -> Values:
    def norm(x: np.ndarray, index: str) -> np.ndarray:
        return normed(x, o, v.get(f"gamma_{index}", 1.0), v.get(f"beta_{index}", 0.0))

    X, before = v["X"], o["order"] == "pre"
    found = {"N_1": norm(X, "1")} if before else {}
    found |= attention({**v, "X": found.get("N_1", X)}, {**o, "bias": False})
    found["O"] = found["O"] @ v["W_O"]
    R = found["R"] = X + found["O"]
    source = "N_2" if before else "N_1"
    found[source] = norm(R, source[-1])
    found |= feed_forward({**v, **found}, o, source)
    if before:
        return {**found, "Y": R + found["F"]}
    T = found["N_1"] + found["F"]
    return {**found, "T": T, "Y": norm(T, "2")}


# By hand: output


def next_token(v: Values, o: Options) -> Values:
    Z = v["H"] @ v["W_U"] + (v["b_U"] if o["bias"] else 0.0)
    return {"Z": Z, "P": softmax(Z / float(Fraction(o["temperature"])))}


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
        *(attention, cross_attention, similarity, additive),
        *(multi_head, grouped_query, decoding_step),
        *(sinusoidal, learned, rotary, alibi),
        *(layer_norm, rms_norm, relu, gelu, silu, feed_forward, swiglu, block),
        *(next_token, cross_entropy, top_k, greedy),
        *(linear_attention, linear_attention_causal, online_softmax, blocked_attention),
    )
}


# From the text to float64, without symattn


def number(text: str) -> float:
    """``0.21``, ``-3/4``, ``10^-5``: as much as the lessons and settings write."""
    base, _, exponent = text.partition("^")
    return float(Fraction(base) ** int(exponent or 1))


def givens(text: str) -> Values:
    tables = tomllib.loads(text)["given"]
    return {
        name: np.array([[number(cell) for cell in row] for row in table["value"]]) for name, table in tables.items()
    }


def options(name: str, chosen: Options) -> Options:
    return {option.name: option.default for option in entry_named(name).options} | dict(chosen)


def certified(solution: Any, name: str) -> np.ndarray:
    """Fifteen certified decimals; the entries of a mask are as they are printed."""
    rows = solution.figures(name) if name == "M" else solution[name].decimals(15)
    return np.array([[float(getattr(cell, "text", cell).replace("oo", "inf")) for cell in row] for row in rows])


# The tests


def test_every_entry_has_a_second_road() -> None:
    assert sorted(ROADS) == sorted(entry.name for entry in entries())


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
