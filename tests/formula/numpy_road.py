"""The second road of formulas: the same text in NumPy, and what has to be the same of it."""

from __future__ import annotations

import ast
import math
import warnings
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
from flint import arb_mat
from sympy import Integer

from symattn.base.errors import SymattnError
from symattn.base.shapes import Axis, Shape
from symattn.compute.values.ball import ball
from symattn.compute.values.balls import at_precision
from symattn.operations.terms import Term, size_symbol
from symattn.read.exact_number import exact
from symattn.read.formula import Scope, read_formula

Array = Any
Values = Mapping[str, Array]
BITS = 128


# NumPy's functions by the names that people import, and those that people write themselves


def softmax(x: Array, axis: int = -1) -> Array:
    e = np.exp(x - np.max(x, axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


def layer_norm(x: Array, epsilon: float = 1e-5, gamma: Array = 1.0, beta: Array = 0.0) -> Array:
    centred = x - x.mean(axis=-1, keepdims=True)
    return centred / np.sqrt(x.var(axis=-1, keepdims=True) + epsilon) * gamma + beta


def rms_norm(x: Array, epsilon: float = 1e-5, gamma: Array = 1.0) -> Array:
    return x / np.sqrt(np.mean(x**2, axis=-1, keepdims=True) + epsilon) * gamma


def silu(x: Array) -> Array:
    return x / (1 + np.exp(-x))


def concat(*parts: Array) -> Array:
    return np.concatenate(parts, axis=-1)


def stack(*parts: Array) -> Array:
    return np.vstack(parts)


def reshape(x: Array, *shape: int) -> Array:
    return np.reshape(x, shape)


def causal_mask(n: int, value: float = -np.inf) -> Array:
    return np.triu(np.full((n, n), value), 1) if value != -np.inf else np.where(np.tri(n) == 1, 0.0, -np.inf)


def largest(x: Array, axis: Any = None, **options: Any) -> Array:
    """NumPy's ``max``; of two numbers the ``max`` of Python, which is what its name means without NumPy."""
    return np.maximum(x, axis) if np.ndim(x) == 0 and axis is not None else np.max(x, axis, **options)


def smallest(x: Array, axis: Any = None, **options: Any) -> Array:
    return -largest(-np.asarray(x), axis if np.ndim(x) or axis is None else -axis, **options)


_TAKEN = """abs arange arccos concatenate cos dot exp hstack identity log matmul maximum mean minimum ones outer
    pi radians repeat sin sqrt square std sum tanh tile tril trace var vstack where zeros"""
_WRITTEN = (softmax, layer_norm, rms_norm, silu, concat, stack, reshape, causal_mask)
NAMESPACE: Mapping[str, Any] = MappingProxyType(
    {
        "__builtins__": {"__import__": __import__},  # methods of arrays import parts of NumPy
        "np": np,
        "math": math,
        **{name: getattr(np, name) for name in _TAKEN.split()},
        **{function.__name__: function for function in _WRITTEN},
        "max": largest,
        "min": smallest,
        "divide": np.divide,
        "hadamard": np.multiply,
        "matrix_power": np.linalg.matrix_power,
        "norm": np.linalg.norm,
        "erf": np.vectorize(math.erf),
        "relu": lambda x: np.maximum(x, 0),
        "oo": np.inf,
    }
)


class _Lists(ast.NodeTransformer):
    """A list in a formula is an array; a list of parts that do not fit stays one."""

    def visit_List(self, node: ast.List) -> ast.Call:
        self.generic_visit(node)
        return ast.Call(ast.Name("_list", ast.Load()), node.elts, [])


def _list(*parts: Array) -> Array:
    return np.array(parts, dtype=np.float64) if len({np.shape(part) for part in parts}) == 1 else list(parts)


def by_numpy(text: str, values: Values) -> Array:
    """What NumPy makes of a text of our own, ``^`` being a power; whatever it raises comes out, warnings too."""
    with warnings.catch_warnings(), np.errstate(divide="raise", invalid="raise", over="raise"):
        warnings.simplefilter("error")
        tree = ast.fix_missing_locations(_Lists().visit(ast.parse(text.replace("^", "**"), mode="eval")))
        found = eval(compile(tree, "<formula>", "eval"), {**NAMESPACE, "_list": _list}, {**values})  # noqa: S307 - ours
        return np.asarray(found, dtype=np.float64)


# What a formula of symattn is worth


class NotSettledError(Exception):
    """Balls do not tell which entry is the largest: a tie takes exact numbers, which a solution has."""


def shape_of(value: Array) -> Shape:
    """The shape of a value of NumPy's, as formulas have it: a vector lies as a row."""
    rows, columns = np.atleast_2d(value).shape
    return Shape(Axis(rows), Axis(columns), np.ndim(value))


def given(entries: str | list[Any]) -> Array:
    """A given of a scenario: a number, a vector or a matrix of exact numbers."""
    if isinstance(entries, list):
        return np.array([given(each) for each in entries])
    return np.float64(float(exact(entries)))


def read(text: str, shapes: Mapping[str, Shape], sizes: Mapping[str, int]) -> Term | SymattnError:
    """The formula of a text, or what is said of it."""
    try:
        return read_formula(text, Scope(shapes, sizes))
    except SymattnError as error:
        return error


def certified(term: Term, values: Values, shapes: Mapping[str, Shape], sizes: Mapping[str, int]) -> Array:
    """The value of a formula, in balls that are narrower than any double.

    Raises :class:`NotSettledError` where they are not.
    """

    def known(name: str) -> arb_mat:
        rows, columns = map(int, shapes[name].sizes)
        return arb_mat(rows, columns, np.reshape(values[name], rows * columns).tolist())

    numbers = {size_symbol(name): Integer(size) for name, size in sizes.items()}
    with at_precision(BITS):
        found = ball(term.expr.xreplace(numbers), known)
        if any(entry.is_finite() and entry.rad() > 1e-9 for entry in found.entries()):
            raise NotSettledError
        entries = [float(entry.mid()) for entry in found.entries()]
    rows, columns = found.nrows(), found.ncols()
    lying = {0: (), 1: (rows * columns,), 2: (rows, columns)}[term.shape.ndim]
    return np.reshape(entries, lying)


def difference(found: Array, wanted: Array) -> str:
    """How a value differs from NumPy's, in shape or in an entry; empty where it does not."""
    if np.shape(found) != np.shape(wanted):
        return f"is {np.shape(found)}, in NumPy {np.shape(wanted)}"
    if not np.allclose(found, wanted, rtol=1e-9, atol=1e-9):
        return f"is {np.round(found, 4).tolist()}, in NumPy {np.round(wanted, 4).tolist()}"
    return ""
