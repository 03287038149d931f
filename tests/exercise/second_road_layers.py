"""The keys of layers, outputs, counts, positions and online softmax, worked out by hand with NumPy and loops."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import product

import numpy as np

from tests.exercise.second_road import Array, Sheet

Values = Mapping[str, object]


def layer_norm(sheet: Sheet) -> Values:
    x = sheet.given["X"]
    deviations = x - x.mean(axis=1, keepdims=True)
    y = deviations / np.sqrt((deviations**2).mean(axis=1, keepdims=True) + sheet.option("Y", "epsilon"))
    return {"Y": y * sheet.given.get("gamma", 1.0) + sheet.given.get("beta", 0.0)}


def rms_norm(sheet: Sheet) -> Values:
    x = sheet.given["X"]
    y = x / np.sqrt((x**2).mean(axis=1, keepdims=True) + sheet.option("Y", "epsilon"))
    return {"Y": y * sheet.given.get("gamma", 1.0)}


def feed_forward(sheet: Sheet) -> Values:
    given = sheet.given
    h = np.maximum(given["X"] @ given["W_1"] + given["b_1"], 0.0)
    f = h @ given["W_2"] + given["b_2"]
    return {"H": h, "F": f, "Y": given["X"] + f if "F" in sheet.steps else f}


def _softmax(scores: Array) -> Array:
    powers = np.exp(scores)
    return powers / powers.sum(axis=1, keepdims=True)


def next_word(sheet: Sheet) -> Values:
    z = sheet.given["h"] @ sheet.given["W_U"] + sheet.given.get("b_U", 0.0)
    return {"z": z, "p": _softmax(z), "c": int(np.argmax(z))}


def cross_entropy(sheet: Sheet) -> Values:
    probabilities = _softmax(sheet.given["Z"])
    ids = sheet.given["t"][0].astype(int)
    right = np.array([row[word] for row, word in zip(probabilities, ids, strict=True)])
    losses = -np.log(right)
    return {"P": probabilities, "p": right[:, None], "l": losses[:, None], "L": losses.mean()}


def rope(sheet: Sheet) -> Values:
    """Every pair is a complex number, turned by e^{i p θ}."""
    q, start = sheet.given["Q"], sheet.option("R", "start")
    base = sheet.option("R", "base") if q.shape[1] > 2 else 1.0
    pairs = q[:, 0::2] + 1j * q[:, 1::2]
    positions = start + np.arange(len(q))[:, None]
    turned = pairs * np.exp(1j * positions * base ** (-2 * np.arange(pairs.shape[1]) / q.shape[1]))
    return {"R": np.stack([turned.real, turned.imag], axis=2).reshape(q.shape)}


def online_softmax(sheet: Sheet) -> Values:
    given = {name: value[0] for name, value in sheet.given.items() if name != "V_2"}
    old, scores = given["m_1"][0], given["s_2"]
    new = max(old, *scores)
    powers = np.array([np.exp(score - new) for score in scores])
    total = given["l_1"][0] * np.exp(old) / np.exp(new) + sum(powers)
    output = given["o_1"] * np.exp(old) / np.exp(new) + powers @ sheet.given["V_2"]
    return {"m_2": new, "p": powers, "l_2": total, "o_2": output, "o": output / total}


# -- counts ------------------------------------------------------------------------------------------------------


def _entries(*shapes: tuple[int, ...]) -> int:
    """How many numbers some arrays hold; the arrays themselves take no room."""
    return sum(np.broadcast_to(np.float32(0), shape).size for shape in shapes)


def _linear(inner: int, outer: int) -> int:
    return _entries((inner, outer), (outer,))


def parameter_count(sheet: Sheet) -> Values:
    n = sheet.sizes
    if "P_E" in sheet.counted:
        return _model(n)
    if "P_A" in sheet.counted:
        return _block(n)
    if "P_O" in sheet.counted:
        return _heads(n)
    return _two_layers(n) if "P_1" in sheet.counted else {"P": _linear(n["d_in"], n["d_out"])}


def _block(n: Mapping[str, int]) -> dict[str, int]:
    d, inner = n["d_model"], n["d_ff"]
    attention = sum(_linear(d, d) for _ in ("Q", "K", "V", "O"))
    norms = sum(_entries((d,), (d,)) for _ in ("before", "after"))
    forward = _linear(d, inner) + _linear(inner, d)
    return {"P_A": attention, "P_F": forward, "P_N": norms, "P": attention + forward + norms}


def _model(n: Mapping[str, int]) -> dict[str, int]:
    embeddings = _entries((n["v"], n["d_model"]), (n["n"], n["d_model"]))
    return {**_block(n), "P_E": embeddings, "P": embeddings + sum(_block(n)["P"] for _ in range(n["L"]))}


def _heads(n: Mapping[str, int]) -> dict[str, int]:
    keys, values = _linear(n["d_model"], n["d_k"]), _linear(n["d_model"], n["d_v"])
    output = _linear(n["h"] * n["d_v"], n["d_model"])
    total = sum(keys + keys + values for _ in range(n["h"])) + output
    return {"P_Q": keys, "P_K": keys, "P_V": values, "P_O": output, "P": total}


def _two_layers(n: Mapping[str, int]) -> dict[str, int]:
    first, second = _linear(n["d_model"], n["d_ff"]), _linear(n["d_ff"], n["d_model"])
    return {"P_1": first, "P_2": second, "P": first + second}


def _multiplications(left: tuple[int, int], right: tuple[int, int]) -> int:
    """A product of matrices by three loops, in which every multiplication of two numbers is counted."""
    assert left[1] == right[0]
    return sum(1 for _ in product(range(left[0]), range(right[1]), range(left[1])))


def operation_count(sheet: Sheet) -> Values:
    return dict(_operations(sheet.sizes))


def _operations(sizes: Mapping[str, int]) -> Iterator[tuple[str, int]]:
    n, d, keys = sizes["n"], sizes.get("d_model", 0), sizes["d_k"]
    # A block has one width for queries, keys and values.
    values = sizes.get("d_v", keys)
    scores = _multiplications((n, keys), (keys, n))
    context = _multiplications((n, n), (n, values))
    projections = sum(_multiplications((n, d), (d, width)) for width in (keys, keys, values))
    yield from {"N_S": scores, "N_Z": context, "N_P": projections}.items()
    together = 0
    for _ in range(sizes.get("h", 1)):
        together += projections + scores + context
    if "h" in sizes:
        output = _multiplications((n, sizes["h"] * values), (sizes["h"] * values, d))
        yield "N_O", output
        together += output
    if "d_ff" in sizes:
        forward = _multiplications((n, d), (d, sizes["d_ff"])) + _multiplications(
            (n, sizes["d_ff"]), (sizes["d_ff"], d)
        )
        yield "N_F", forward
        together += forward
    yield "N", together if set(sizes) != {"n", "d_k"} else scores


ROADS: Mapping[str, Callable[[Sheet], Values]] = {
    "layer-norm": layer_norm,
    "rms-norm": rms_norm,
    "feed-forward": feed_forward,
    "next-word": next_word,
    "cross-entropy": cross_entropy,
    "parameter-count": parameter_count,
    "operation-count": operation_count,
    "rope": rope,
    "online-softmax": online_softmax,
}
"""How each topic is worked out."""
