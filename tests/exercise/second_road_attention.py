"""The keys of the attention family, worked out by hand with NumPy and loops."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping

import numpy as np

from tests.exercise.second_road import Array, Sheet

Values = Mapping[str, object]


def shape_of_product(sheet: Sheet) -> Values:
    """NumPy says which shape a product of arrays of zeros has."""
    arrays = {name: np.zeros(shape) for name, shape in sheet.shapes.items()}
    for name, formula in sheet.steps.items():
        arrays[name] = _worked(ast.parse(formula, mode="eval").body, arrays)
    return {name: array.shape for name, array in arrays.items()}


def _worked(node: ast.expr, arrays: Mapping[str, Array]) -> Array:
    match node:
        case ast.Name(name):
            return arrays[name]
        case ast.Attribute(inner, "T"):
            return _worked(inner, arrays).T
        case ast.BinOp(left, ast.MatMult(), right):
            return _worked(left, arrays) @ _worked(right, arrays)
        case ast.BinOp(left, ast.Div(), _):
            return _worked(left, arrays)
        case ast.Call(ast.Name("softmax"), [inner]):
            return _worked(inner, arrays)
        case ast.Call(ast.Name("concat"), parts):
            return np.hstack([_worked(part, arrays) for part in parts])
        case ast.Call(ast.Name("head"), [inner, ast.Constant(number), ast.Constant(heads)]):
            return np.hsplit(_worked(inner, arrays), heads)[number - 1]
    raise AssertionError(ast.dump(node))


def dot_product(sheet: Sheet) -> Values:
    return {"s": sum(a * b for a, b in zip(sheet.given["q"][0], sheet.given["k"][0], strict=True))}


def cosine(sheet: Sheet) -> Values:
    (q,), (k,) = sheet.given["q"], sheet.given["k"]
    return {"s": np.inner(q, k), "c": np.inner(q / np.linalg.norm(q), k / np.linalg.norm(k))}


def score_entry(sheet: Sheet) -> Values:
    (left, i), (right, j) = re.findall(r"row\((\w+), (\d+)\)", sheet.steps["s"])
    return {"s": np.einsum("ik,jk->ij", sheet.given[left], sheet.given[right])[int(i) - 1, int(j) - 1]}


def scaling(sheet: Sheet) -> Values:
    scores = np.einsum("ik,jk->ij", sheet.given["Q"], sheet.given["K"])
    return {"S": scores, "S_scaled": scores * sheet.given["Q"].shape[1] ** -0.5}


def _softmax(scores: Array) -> Array:
    """Row by row, with the largest score taken off first."""
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)


def softmax_row(sheet: Sheet) -> Values:
    return {"a": _softmax(sheet.given["s"])}


def causal_mask(sheet: Sheet) -> Values:
    scores = sheet.given["S"]
    masked = np.array([[x if j <= i else -np.inf for j, x in enumerate(row)] for i, row in enumerate(scores)])
    return {"S_masked": masked, "A": _softmax(masked)}


def padding_mask(sheet: Sheet) -> Values:
    scores, real = sheet.given["S"], sheet.sizes["l"]
    weights = np.zeros_like(scores)
    weights[:, :real] = _softmax(scores[:, :real])
    return {"S_masked": np.where(np.arange(scores.shape[1]) < real, scores, -np.inf), "A": weights}


def context_vector(sheet: Sheet) -> Values:
    name = "a" if "a" in sheet.given else "A"
    mixed = [sum(a * row for a, row in zip(weights, sheet.given["V"], strict=True)) for weights in sheet.given[name]]
    return {{"a": "z", "A": "Z"}[name]: np.array(mixed)}


def projection(sheet: Sheet) -> Values:
    """The bias as one more row of weights, for an input of 1."""
    ones = np.ones((len(sheet.given["X"]), 1))
    return {"Y": np.hstack([sheet.given["X"], ones]) @ np.vstack([sheet.given["W"], sheet.given["b"]])}


def attention_row(sheet: Sheet) -> Values:
    keys = sheet.given["K"]
    scores = np.array([[np.inner(sheet.given["q"][0], key) / np.sqrt(keys.shape[1]) for key in keys]])
    weights = _softmax(scores)
    return {"s": scores, "a": weights, "z": weights @ sheet.given["V"]}


def attention_head(sheet: Sheet) -> Values:
    query, key, value = (sheet.given["X"] @ sheet.given[name] for name in ("W_Q", "W_K", "W_V"))
    scores = np.einsum("ik,jk->ij", query, key) / np.sqrt(query.shape[1])
    weights = _softmax(scores)
    return {"Q": query, "K": key, "V": value, "S": scores, "A": weights, "O": np.einsum("ij,jk->ik", weights, value)}


def two_heads(sheet: Sheet) -> Values:
    """Both heads at once, along an axis of their own."""
    query, key, value = (np.stack(np.hsplit(sheet.given[name], 2)) for name in ("Q", "K", "V"))
    scores = np.einsum("hik,hjk->hij", query, key) / np.sqrt(query.shape[2])
    weights = np.stack([_softmax(each) for each in scores])
    together = np.einsum("hij,hjk->ihk", weights, value).reshape(query.shape[1], -1)
    return {"A_1": weights[0], "A_2": weights[1], "H": together, "Y": together @ sheet.given["W_O"]}


ROADS: Mapping[str, Callable[[Sheet], Values]] = {
    "shape-of-product": shape_of_product,
    "dot-product": dot_product,
    "cosine": cosine,
    "score-entry": score_entry,
    "scaling": scaling,
    "softmax-row": softmax_row,
    "causal-mask": causal_mask,
    "padding-mask": padding_mask,
    "context-vector": context_vector,
    "projection": projection,
    "attention-row": attention_row,
    "attention-head": attention_head,
    "two-heads": two_heads,
}
"""How each topic is worked out."""
