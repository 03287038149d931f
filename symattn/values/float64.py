"""Formulas in NumPy float64: the cross-check that shares no code with the other evaluators, and colours for heat maps.

One rule per node. NumPy is imported when the first value is asked for; printing a solution never does.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce, singledispatch
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sympy import Basic, Identity, MatAdd, MatMul, MatPow, MatrixSymbol, OneMatrix, Transpose, ZeroMatrix

from symattn.operations import Broadcast, CausalMask, Dot, LayerNorm, Quotient, ReLU, Row, Softmax

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
def _(node: Quotient, lookup: Lookup) -> Array:
    return float64(node.argument, lookup) / np.float64(node.divisor.evalf())


@float64.register
def _(node: Softmax, lookup: Lookup) -> Array:
    scores = float64(node.argument, lookup)
    exponentials = np.exp(scores - scores.max(axis=1, keepdims=True))
    return exponentials / exponentials.sum(axis=1, keepdims=True)  # type: ignore[no-any-return]


@float64.register
def _(node: LayerNorm, lookup: Lookup) -> Array:
    x = float64(node.argument, lookup)
    normal = (x - x.mean(axis=1, keepdims=True)) / np.sqrt(x.var(axis=1, keepdims=True) + float(node.epsilon))
    if node.gamma is None or node.beta is None:
        return normal  # type: ignore[no-any-return]
    return normal * float64(node.gamma, lookup) + float64(node.beta, lookup)  # type: ignore[no-any-return]


@float64.register
def _(node: ReLU, lookup: Lookup) -> Array:
    return np.maximum(float64(node.argument, lookup), 0.0)


@float64.register
def _(node: CausalMask, lookup: Lookup) -> Array:
    n = int(node.shape[0])
    return np.where(np.arange(n)[None, :] > np.arange(n)[:, None], float(node.value), 0.0)


@float64.register
def _(node: Broadcast, lookup: Lookup) -> Array:
    return np.repeat(float64(node.argument, lookup), int(node.shape[0]), axis=0)


@float64.register
def _(node: Row, lookup: Lookup) -> Array:
    return float64(node.argument, lookup)[node.number - 1 : node.number]


@float64.register
def _(node: Dot, lookup: Lookup) -> Array:
    return float64(node.left, lookup) @ float64(node.right, lookup).T


@float64.register
def _(node: Identity, lookup: Lookup) -> Array:
    return np.eye(int(node.shape[0]))


@float64.register
def _(node: OneMatrix, lookup: Lookup) -> Array:
    return np.ones(tuple(int(size) for size in node.shape))


@float64.register
def _(node: ZeroMatrix, lookup: Lookup) -> Array:
    return np.zeros(tuple(int(size) for size in node.shape))
