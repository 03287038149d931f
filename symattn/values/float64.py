"""Formulas in NumPy float64: the cross-check that shares no code with the other evaluators, and colours for heat maps.

One rule per node; an operation without one goes through its equations, by an interpreter in NumPy that nobody else
uses. NumPy is imported when the first value is asked for; printing a solution never does.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce, singledispatch
from math import erfc
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sympy import Basic, Identity, MatAdd, MatMul, MatPow, MatrixExpr, MatrixSymbol, OneMatrix, Transpose, ZeroMatrix

from symattn import operations as ops
from symattn.operations.node import Applied, operation_of, parameters_of, sizes_of
from symattn.shapes import whole_sizes
from symattn.values.by_numpy import Equations

Array = NDArray[np.float64]
Lookup = Callable[[str], Array]


@singledispatch
def float64(node: Basic, lookup: Lookup) -> Array:
    """The value of a formula in double precision."""
    raise TypeError(f"no float64 rule for {type(node).__name__}")


@float64.register
def _(node: MatrixSymbol, lookup: Lookup) -> Array:
    return lookup(node.name)


@float64.register
def _(node: MatMul, lookup: Lookup) -> Array:
    factors: list[Any] = [float64(arg, lookup) if arg.is_Matrix else np.float64(arg.evalf()) for arg in node.args]
    return reduce(lambda a, b: a @ b if np.ndim(a) and np.ndim(b) else a * b, factors)


@float64.register
def _(node: MatAdd, lookup: Lookup) -> Array:
    return reduce(lambda a, b: a + b, (float64(arg, lookup) for arg in node.args))


@float64.register
def _(node: MatPow, lookup: Lookup) -> Array:
    return np.linalg.matrix_power(float64(node.base, lookup), int(node.exp))


@float64.register
def _(node: Transpose, lookup: Lookup) -> Array:
    return float64(node.arg, lookup).T


@float64.register
def _(node: ops.Quotient, lookup: Lookup) -> Array:
    return float64(node.argument, lookup) / np.float64(node.divisor.evalf())


@float64.register
def _(node: ops.Softmax, lookup: Lookup) -> Array:
    scores = float64(node.argument, lookup)
    exponentials = np.exp(scores - scores.max(axis=1, keepdims=True))
    return exponentials / exponentials.sum(axis=1, keepdims=True)  # type: ignore[no-any-return]


class _SoftmaxOrZero(ops.Softmax):
    """The softmax of a solution in which a row of nothing but −∞ has weights of 0."""


def with_empty_rows(formula: MatrixExpr) -> MatrixExpr:
    """A formula whose every softmax gives weights of 0 to a row of nothing but −∞."""
    return formula.replace(ops.Softmax, _SoftmaxOrZero)


@float64.register
def _(node: _SoftmaxOrZero, lookup: Lookup) -> Array:
    scores = float64(node.argument, lookup)
    seen = np.isfinite(scores).any(axis=1, keepdims=True)
    exponentials = np.exp(scores - np.where(seen, scores.max(axis=1, keepdims=True), 0.0))
    return exponentials / np.where(seen, exponentials.sum(axis=1, keepdims=True), 1.0)


@float64.register
def _(node: ops.LayerNorm, lookup: Lookup) -> Array:
    x = float64(node.argument, lookup)
    normal = (x - x.mean(axis=1, keepdims=True)) / np.sqrt(x.var(axis=1, keepdims=True) + float(node.epsilon))
    if node.gamma is None or node.beta is None:
        return normal  # type: ignore[no-any-return]
    return normal * float64(node.gamma, lookup) + float64(node.beta, lookup)  # type: ignore[no-any-return]


@float64.register
def _(node: ops.ReLU, lookup: Lookup) -> Array:
    return np.maximum(float64(node.argument, lookup), 0.0)


@float64.register
def _(node: ops.CausalMask, lookup: Lookup) -> Array:
    n = whole_sizes(node)[0]
    return np.where(np.arange(n)[None, :] > np.arange(n)[:, None], float(node.value), 0.0)


@float64.register
def _(node: ops.WindowMask, lookup: Lookup) -> Array:
    places = np.arange(whole_sizes(node)[0])
    return np.where(abs(places[:, None] - places[None, :]) >= int(node.width), float(node.value), 0.0)


@float64.register
def _(node: ops.PaddingMask, lookup: Lookup) -> Array:
    queries, keys = whole_sizes(node)
    return np.tile(np.where(np.arange(keys) >= int(node.length), float(node.value), 0.0), (queries, 1))


@float64.register
def _(node: ops.Broadcast, lookup: Lookup) -> Array:
    return np.repeat(float64(node.argument, lookup), whole_sizes(node)[0], axis=0)


@float64.register
def _(node: ops.Row, lookup: Lookup) -> Array:
    return float64(node.argument, lookup)[node.number - 1 : node.number]


@float64.register
def _(node: ops.Rows, lookup: Lookup) -> Array:
    return float64(node.argument, lookup)[node.first - 1 : node.last]


@float64.register
def _(node: ops.Stack, lookup: Lookup) -> Array:
    return np.vstack([float64(part, lookup) for part in node.args])


@float64.register
def _(node: ops.Dot, lookup: Lookup) -> Array:
    return float64(node.left, lookup) @ float64(node.right, lookup).T


@float64.register
def _(node: ops.Head, lookup: Lookup) -> Array:
    return np.split(float64(node.argument, lookup), node.count, axis=1)[node.number - 1]


@float64.register
def _(node: ops.Concat, lookup: Lookup) -> Array:
    return np.hstack([float64(part, lookup) for part in node.args])


@float64.register
def _(node: ops.OneHot, lookup: Lookup) -> Array:
    rows: Array = np.eye(whole_sizes(node)[1])[float64(node.ids, lookup)[0].astype(int)]
    return rows


@float64.register
def _(node: ops.Exp, lookup: Lookup) -> Array:
    with np.errstate(over="ignore"):
        exponentials: Array = np.exp(float64(node.argument, lookup))
        return exponentials


@float64.register
def _(node: ops.Log, lookup: Lookup) -> Array:
    with np.errstate(divide="ignore", invalid="ignore"):
        logarithms: Array = np.log(float64(node.argument, lookup))
        return logarithms


@float64.register
def _(node: ops.Tanh, lookup: Lookup) -> Array:
    tangents: Array = np.tanh(float64(node.argument, lookup))
    return tangents


@float64.register
def _(node: ops.SiLU, lookup: Lookup) -> Array:
    x = float64(node.argument, lookup)
    with np.errstate(over="ignore"):
        return x / (1.0 + np.exp(-x))


@float64.register
def _(node: ops.GELU, lookup: Lookup) -> Array:
    x = float64(node.argument, lookup)
    return 0.5 * x * np.vectorize(erfc, otypes=[np.float64])(-x / np.sqrt(2.0))  # type: ignore[no-any-return]


@float64.register
def _(node: ops.GELUTanh, lookup: Lookup) -> Array:
    x = float64(node.argument, lookup)
    return 0.5 * x * (1.0 + np.tanh(np.sqrt(2.0 / np.pi) * (x + 0.044715 * x**3)))  # type: ignore[no-any-return]


@float64.register
def _(node: ops.ELU, lookup: Lookup) -> Array:
    x = float64(node.argument, lookup)
    return np.where(x > 0, x, np.expm1(np.minimum(x, 0)))


@float64.register
def _(node: ops.ClipNorm, lookup: Lookup) -> Array:
    g, threshold = float64(node.argument, lookup), float(node.threshold)
    length = np.linalg.norm(g)
    return g * (threshold / length) if length > threshold else g


@float64.register
def _(node: ops.RowNorm, lookup: Lookup) -> Array:
    lengths: Array = np.linalg.norm(float64(node.argument, lookup), axis=1, keepdims=True)
    return lengths


@float64.register
def _(node: ops.RowMax, lookup: Lookup) -> Array:
    return float64(node.argument, lookup).max(axis=1, keepdims=True)  # type: ignore[no-any-return]


@float64.register
def _(node: ops.UnitRows, lookup: Lookup) -> Array:
    return float64(node.argument, lookup) / float64(ops.RowNorm(node.argument), lookup)


@float64.register
def _(node: ops.Cosine, lookup: Lookup) -> Array:
    return float64(ops.UnitRows(node.left), lookup) @ float64(ops.UnitRows(node.right), lookup).T


@float64.register
def _(node: ops.Angle, lookup: Lookup) -> Array:
    return np.degrees(np.arccos(np.clip(float64(ops.Cosine(node.left, node.right), lookup), -1.0, 1.0)))


@float64.register
def _(node: ops.Proportions, lookup: Lookup) -> Array:
    x = float64(node.argument, lookup)
    with np.errstate(invalid="ignore"):
        return x / x.sum(axis=1, keepdims=True)  # type: ignore[no-any-return]


@float64.register
def _(node: ops.Entropy, lookup: Lookup) -> Array:
    a = float64(node.argument, lookup)
    return -(a * np.log(np.where(a > 0, a, 1.0))).sum(axis=1, keepdims=True)  # type: ignore[no-any-return]


@float64.register
def _(node: ops.Keep, lookup: Lookup) -> Array:
    return np.where(float64(node.mask, lookup) == 0, float64(node.argument, lookup), 0.0)


@float64.register
def _(node: ops.Hadamard, lookup: Lookup) -> Array:
    return float64(node.left, lookup) * float64(node.right, lookup)


@float64.register
def _(node: ops.EntryQuotient, lookup: Lookup) -> Array:
    with np.errstate(divide="ignore", invalid="ignore"):
        return float64(node.left, lookup) / float64(node.right, lookup)


@float64.register
def _(node: ops.RMSNorm, lookup: Lookup) -> Array:
    x = float64(node.argument, lookup)
    normal = x / np.sqrt((x * x).mean(axis=1, keepdims=True) + float(node.epsilon))
    return normal if node.gamma is None else normal * float64(node.gamma, lookup)  # type: ignore[no-any-return]


@float64.register
def _(node: ops.AdditiveScores, lookup: Lookup) -> Array:
    queries, keys, vector = (float64(arg, lookup) for arg in node.args)
    return np.tanh(queries[:, None, :] + keys[None, :, :]) @ vector[0]  # type: ignore[no-any-return]


def _angles(positions: Array, width: int, base: float) -> Array:
    """The angle of every position (rows) for every pair of columns."""
    return np.outer(positions, base ** (-2.0 * np.arange(width // 2) / width))


@float64.register
def _(node: ops.Sinusoidal, lookup: Lookup) -> Array:
    rows, width = whole_sizes(node)
    angles = _angles(np.arange(float(rows)), width, float(node.base))
    return np.stack([np.sin(angles), np.cos(angles)], axis=2).reshape(rows, width)


@float64.register
def _(node: ops.Rotary, lookup: Lookup) -> Array:
    x = float64(node.argument, lookup)
    angles = _angles(np.arange(float(len(x))) + float(node.start), x.shape[1], float(node.base))
    turned = (x[:, 0::2] + 1j * x[:, 1::2]) * np.exp(1j * angles)
    return np.stack([turned.real, turned.imag], axis=2).reshape(x.shape)


@float64.register
def _(node: ops.Distance, lookup: Lookup) -> Array:
    places = np.arange(float(node.shape[0]))
    return np.abs(places[:, None] - places[None, :])


@float64.register
def _(node: ops.ArgMax, lookup: Lookup) -> Array:
    return float64(node.argument, lookup).argmax(axis=1)[:, None].astype(np.float64)  # type: ignore[no-any-return]


@float64.register
def _(node: ops.TopK, lookup: Lookup) -> Array:
    x = float64(node.argument, lookup)
    chosen = np.argsort(-x, axis=1, kind="stable")[:, : node.count]
    found = np.zeros_like(x)
    np.put_along_axis(found, chosen, 1.0, axis=1)
    return found


@float64.register
def _(node: Applied, lookup: Lookup) -> Array:
    return by_equations(node, lookup)


def by_equations(node: Basic, lookup: Lookup) -> Array:
    """The value of an operation by its equations."""
    operation = operation_of(node)
    assert operation is not None
    given = parameters_of(node)
    matrices = {parameter.name: float64(arg, lookup) for parameter, arg in given if parameter.is_matrix}
    rows = {parameter.name: matrices[parameter.name][0] for parameter, _ in given if parameter.kind == "row"}
    numbers = {name: float(value) for name, value in sizes_of(node).items()}
    return Equations(operation, {**matrices, **rows}, numbers).value()


@float64.register
def _(node: Identity, lookup: Lookup) -> Array:
    return np.eye(whole_sizes(node)[0])


@float64.register
def _(node: OneMatrix, lookup: Lookup) -> Array:
    return np.ones(whole_sizes(node))


@float64.register
def _(node: ZeroMatrix, lookup: Lookup) -> Array:
    return np.zeros(whole_sizes(node))
