"""Evaluate formulas in NumPy float64: a cross-check without code of the other evaluators, and colours for heat maps.

One rule per node; an operation without one is evaluated from its equations, by a separate interpreter in NumPy that
only this module uses. NumPy is imported for the first value; printing a solution never needs it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import reduce
from math import erf, erfc
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sympy import Basic, Identity, MatAdd, MatMul, MatPow, MatrixExpr, MatrixSymbol, OneMatrix, Transpose, ZeroMatrix

from symattn import operations as ops
from symattn.base.shapes import whole_sizes
from symattn.operations.equations import tree
from symattn.operations.node import Applied, operation_of, parameters_of, sizes_of

DoubleArray = NDArray[np.float64]
Places = Mapping[str, DoubleArray]
"""The values of the indices, from 1: arrays of one length."""


def _xlogx(x: DoubleArray) -> DoubleArray:
    return np.where(x == 0, 0.0, x * np.log(np.where(x == 0, 1.0, x)))


FUNCTIONS: Mapping[str, Callable[..., DoubleArray]] = MappingProxyType(
    {
        "add": np.add,
        "sub": np.subtract,
        "mul": np.multiply,
        "div": np.divide,
        "pow": np.power,
        "mod": np.mod,
        "neg": np.negative,
        "exp": np.exp,
        "log": np.log,
        "sqrt": np.sqrt,
        "tanh": np.tanh,
        "erf": np.vectorize(erf, otypes=[np.float64]),
        "sin": np.sin,
        "cos": np.cos,
        # The cosine of parallel rows may slightly exceed 1.
        "acos": lambda x: np.arccos(np.where(abs(x) < 1 + 1e-9, np.clip(x, -1.0, 1.0), x)),
        "abs": np.abs,
        "floor": np.floor,
        "min": np.minimum,
        "max": np.maximum,
        "xlogx": _xlogx,
    }
)
"""The elementary functions of equations, in NumPy."""

CONSTANTS: Mapping[str, float] = MappingProxyType({"pi": np.pi, "oo": np.inf})

COMPARED: Mapping[str, Callable[[DoubleArray, DoubleArray], NDArray[np.bool_]]] = MappingProxyType(
    {"<": np.less, "<=": np.less_equal, "==": np.equal, "!=": np.not_equal, ">": np.greater, ">=": np.greater_equal}
)


@dataclass(frozen=True)
class Equations:
    """An operation with its inputs: matrices, and numbers and sizes."""

    operation: tree.Operation
    matrices: dict[str, DoubleArray]
    numbers: Mapping[str, float]

    def value(self) -> DoubleArray:
        """Return the result as a matrix.

        >>> from symattn.operations.equations.read import read_operation
        >>> shares = read_operation("shares(X: m×n)\\n t[i] = sum(k, X[i,k])\\n y[i,j] = X[i,j] / t[i]")
        >>> Equations(shares, {"X": np.array([[1.0, 3.0]])}, {"m": 1, "n": 2}).value()
        array([[0.25, 0.75]])
        """
        with np.errstate(all="ignore"):
            for equation in self.operation.equations:
                self.matrices[equation.name] = self.named(equation)
        rows, columns = (self.length(axis) for axis in self.operation.shape)
        return self.matrices[self.operation.result.name].reshape(rows, columns)

    def length(self, axis: tree.Tree) -> int:
        return int(self.at(axis, {}, 1)[0])

    def named(self, equation: tree.NamedEquation) -> DoubleArray:
        """Return the value of one equation: a matrix, a row of numbers, or one number."""
        lengths = tuple(self.length(self.operation.range_of[letter]) for letter in equation.index)
        count = int(np.prod(lengths))
        grid = np.indices(lengths, dtype=np.float64).reshape(len(lengths), count) + 1
        return self.at(equation.body, dict(zip(equation.index, grid, strict=True)), count).reshape(lengths)

    def at(self, piece: tree.Tree, places: Places, count: int) -> DoubleArray:
        """Return the value of a piece at ``count`` places."""
        match piece:
            case tree.Constant(value):
                return np.full(count, float(value))
            case tree.Index(name):
                return places[name]
            case tree.Length(name):
                return np.full(count, float(self.numbers[name]))
            case tree.Entry(name, ()) if name not in self.matrices:
                return np.full(count, float(self.numbers[name]))
            case tree.Entry(name, inside):
                return self.entry(name, [self.at(each, places, count) for each in inside], count)
            case tree.Apply(function, ()):
                return np.full(count, CONSTANTS[function])
            case tree.Apply("sum", arguments):
                return np.sum([self.at(each, places, count) for each in arguments], axis=0)  # type: ignore[no-any-return]
            case tree.Apply(function, arguments):
                return FUNCTIONS[function](*(self.at(each, places, count) for each in arguments))
            case tree.Over(kind, index, body):
                terms = (
                    self.at(body, {**places, index: np.full(count, float(k))}, count)
                    for k in range(1, self.length(self.operation.range_of[index]) + 1)
                )
                found = next(terms)
                for term in terms:
                    found = found + term if kind == "sum" else np.maximum(found, term)
                return found
            case tree.Branch(condition, then, otherwise):
                return self.cases(self.holds(condition, places, count), then, otherwise, places)
        raise TypeError(f"no float64 value of {type(piece).__name__}")

    def entry(self, name: str, places: list[DoubleArray], count: int) -> DoubleArray:
        matrix = self.matrices[name]
        for place, length in zip(places, matrix.shape, strict=True):
            if not np.all((place >= 1) & (place <= length) & (place == np.floor(place))):
                raise IndexError(f"{self.operation.name}: {name} has places from 1 to {length}, and no other")
        found = matrix[tuple(place.astype(int) - 1 for place in places)]
        return found if places else np.full(count, float(found))

    def cases(self, holds: NDArray[np.bool_], then: tree.Tree, otherwise: tree.Tree, places: Places) -> DoubleArray:
        found = np.empty(len(holds))
        for piece, where in ((then, holds), (otherwise, ~holds)):
            if where.any():
                inside = {letter: place[where] for letter, place in places.items()}
                found[where] = self.at(piece, inside, int(where.sum()))
        return found

    def holds(self, condition: tree.Compare | tree.All, places: Places, count: int) -> NDArray[np.bool_]:
        if isinstance(condition, tree.All):
            return np.logical_and.reduce([self.holds(part, places, count) for part in condition.parts])  # type: ignore[no-any-return]
        left, right = (self.at(side, places, count) for side in (condition.left, condition.right))
        return COMPARED[condition.sign](left, right)


DoubleLookup = Callable[[str], DoubleArray]


def float64(node: Basic, lookup: DoubleLookup) -> DoubleArray:
    """Return the value of a formula in double precision."""
    if isinstance(node, MatrixSymbol):
        return lookup(node.name)
    rule = rule_of(node)
    values: list[Any] = [float64(arg, lookup) for arg in node.args if arg.is_Matrix]
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        found: DoubleArray = rule(node, *values)
    return found


def rule_of(node: Basic) -> Callable[..., Any]:
    """Return the rule that computes a node from the values of its matrices."""
    for kind in type(node).__mro__:
        if kind in RULES:
            return RULES[kind]
    raise TypeError(f"no float64 rule for {type(node).__name__}")


class _SoftmaxOrZero(ops.Softmax):
    """A softmax that gives weights of 0 to a row of only −∞, as some solutions define it."""


def with_empty_rows(formula: MatrixExpr) -> MatrixExpr:
    """Return a formula in which every softmax gives weights of 0 to a row of only −∞."""
    return formula.replace(ops.Softmax, _SoftmaxOrZero)


def _product(node: MatMul, *values: DoubleArray) -> Any:
    matrices = iter(values)
    factors: list[Any] = [next(matrices) if arg.is_Matrix else np.float64(arg.evalf()) for arg in node.args]
    return reduce(lambda a, b: a @ b if np.ndim(a) and np.ndim(b) else a * b, factors)


def _repeated(node: ops.Repeated, x: DoubleArray) -> Any:
    return np.broadcast_to(x, whole_sizes(node))


def _softmax(node: ops.Softmax, scores: DoubleArray) -> Any:
    exponentials = np.exp(scores - scores.max(axis=1, keepdims=True))
    return exponentials / exponentials.sum(axis=1, keepdims=True)


def _softmax_or_zero(node: ops.Softmax, scores: DoubleArray) -> Any:
    seen = np.isfinite(scores).any(axis=1, keepdims=True)
    exponentials = np.exp(scores - np.where(seen, scores.max(axis=1, keepdims=True), 0.0))
    return exponentials / np.where(seen, exponentials.sum(axis=1, keepdims=True), 1.0)


def _layer_norm(node: ops.LayerNorm, x: DoubleArray, *affine: DoubleArray) -> Any:
    normal = (x - x.mean(axis=1, keepdims=True)) / np.sqrt(x.var(axis=1, keepdims=True) + float(node.epsilon))
    return normal * affine[0] + affine[1] if len(affine) == 2 else normal


def _rms_norm(node: ops.RMSNorm, x: DoubleArray, *gamma: DoubleArray) -> Any:
    normal = x / np.sqrt((x * x).mean(axis=1, keepdims=True) + float(node.epsilon))
    return normal * gamma[0] if gamma else normal


def _causal(node: ops.CausalMask | ops.CachedMask) -> Any:
    queries, keys = map(np.arange, whole_sizes(node))
    return np.where(keys[None, :] > queries[:, None] + len(keys) - len(queries), float(node.value), 0.0)


def _window(node: ops.WindowMask) -> Any:
    places = np.arange(whole_sizes(node)[0])
    return np.where(abs(places[:, None] - places[None, :]) >= int(node.width), float(node.value), 0.0)


def _padding(node: ops.PaddingMask) -> Any:
    queries, keys = whole_sizes(node)
    return np.tile(np.where(np.arange(keys) >= int(node.length), float(node.value), 0.0), (queries, 1))


def _clipped(node: ops.ClipNorm, g: DoubleArray) -> Any:
    length, threshold = np.linalg.norm(g), float(node.threshold)
    return g * (threshold / length) if length > threshold else g


def _lengths(x: DoubleArray) -> Any:
    return np.linalg.norm(x, axis=1, keepdims=True)


def _cosine(node: Basic, left: DoubleArray, right: DoubleArray) -> Any:
    return (left / _lengths(left)) @ (right / _lengths(right)).T


def _angles(positions: DoubleArray, width: int, base: float) -> DoubleArray:
    """Return the angle of every position (rows) for every pair of columns."""
    return np.outer(positions, base ** (-2.0 * np.arange(width // 2) / width))


def _sinusoidal(node: ops.Sinusoidal) -> Any:
    rows, width = whole_sizes(node)
    angles = _angles(np.arange(float(rows)), width, float(node.base))
    return np.stack([np.sin(angles), np.cos(angles)], axis=2).reshape(rows, width)


def _rotary(node: ops.Rotary, x: DoubleArray) -> Any:
    angles = _angles(np.arange(float(len(x))) + float(node.start), x.shape[1], float(node.base))
    turned = (x[:, 0::2] + 1j * x[:, 1::2]) * np.exp(1j * angles)
    return np.stack([turned.real, turned.imag], axis=2).reshape(x.shape)


def _distance(node: ops.Distance) -> Any:
    places = np.arange(float(node.shape[0]))
    return np.abs(places[:, None] - places[None, :])


def _top(node: ops.TopK, x: DoubleArray) -> Any:
    found = np.zeros_like(x)
    np.put_along_axis(found, np.argsort(-x, axis=1, kind="stable")[:, : node.count], 1.0, axis=1)
    return found


def by_equations(node: Basic, *values: DoubleArray) -> DoubleArray:
    """Evaluate an operation by its equations, from the values of its matrices."""
    operation, given, matrices = operation_of(node), parameters_of(node), iter(values)
    assert operation is not None
    named = {parameter.name: next(matrices) for parameter, _ in given if parameter.is_matrix}
    rows = {parameter.name: named[parameter.name][0] for parameter, _ in given if parameter.kind == "row"}
    numbers = {name: float(value) for name, value in sizes_of(node).items()}
    return Equations(operation, {**named, **rows}, numbers).value()


RULES: Mapping[type, Callable[..., Any]] = MappingProxyType(
    {
        Applied: by_equations,
        Identity: lambda node: np.eye(whole_sizes(node)[0]),
        MatAdd: lambda node, *terms: reduce(lambda a, b: a + b, terms),
        MatMul: _product,
        MatPow: lambda node, base: np.linalg.matrix_power(base, int(node.exp)),
        OneMatrix: lambda node: np.ones(whole_sizes(node)),
        Transpose: lambda node, x: x.T,
        ZeroMatrix: lambda node: np.zeros(whole_sizes(node)),
        _SoftmaxOrZero: _softmax_or_zero,
        ops.AdditiveScores: lambda node, q, k, v: np.tanh(q[:, None, :] + k[None, :, :]) @ v[0],
        ops.Angle: lambda node, x, y: np.degrees(np.arccos(np.clip(_cosine(node, x, y), -1.0, 1.0))),
        ops.ArgMax: lambda node, x: x.argmax(axis=1)[:, None].astype(np.float64),
        ops.Broadcast: lambda node, row: np.repeat(row, whole_sizes(node)[0], axis=0),
        ops.CachedMask: _causal,
        **dict.fromkeys((ops.Everywhere, ops.InEveryColumn, ops.InEveryRow), _repeated),
        ops.CausalMask: _causal,
        ops.ClipNorm: _clipped,
        ops.Concat: lambda node, *parts: np.hstack(parts),
        ops.Cosine: _cosine,
        ops.Distance: _distance,
        ops.Dot: lambda node, x, y: x @ y.T,
        ops.ELU: lambda node, x: np.where(x > 0, x, np.expm1(np.minimum(x, 0))),
        ops.Entropy: lambda node, a: -(a * np.log(np.where(a > 0, a, 1.0))).sum(axis=1, keepdims=True),
        ops.EntryQuotient: lambda node, x, y: x / y,
        ops.Exp: lambda node, x: np.exp(x),
        ops.GELU: lambda node, x: 0.5 * x * np.vectorize(erfc, otypes=[np.float64])(-x / np.sqrt(2.0)),
        ops.GELUTanh: lambda node, x: 0.5 * x * (1.0 + np.tanh(np.sqrt(2.0 / np.pi) * (x + 0.044715 * x**3))),
        ops.Hadamard: lambda node, x, y: x * y,
        ops.Head: lambda node, x: np.split(x, node.count, axis=1)[node.number - 1],
        ops.Keep: lambda node, x, mask: np.where(mask == 0, x, 0.0),
        ops.LayerNorm: _layer_norm,
        ops.Log: lambda node, x: np.log(x),
        ops.OneHot: lambda node, ids: np.eye(whole_sizes(node)[1])[ids[0].astype(int)],
        ops.PaddingMask: _padding,
        ops.Picked: lambda node, x: x[node.row - 1 : node.row, node.column - 1 : node.column],
        ops.Proportions: lambda node, x: x / x.sum(axis=1, keepdims=True),
        ops.Quotient: lambda node, x: x / np.float64(node.divisor.evalf()),
        ops.RMSNorm: _rms_norm,
        ops.ReLU: lambda node, x: np.maximum(x, 0.0),
        ops.Rotary: _rotary,
        ops.Row: lambda node, x: x[node.number - 1 : node.number],
        ops.RowMax: lambda node, x: x.max(axis=1, keepdims=True),
        ops.RowNorm: lambda node, x: _lengths(x),
        ops.Rows: lambda node, x: x[node.first - 1 : node.last],
        ops.SiLU: lambda node, x: x / (1.0 + np.exp(-x)),
        ops.Sinusoidal: _sinusoidal,
        ops.Softmax: _softmax,
        ops.Stack: lambda node, *parts: np.vstack(parts),
        ops.Tanh: lambda node, x: np.tanh(x),
        ops.TopK: _top,
        ops.UnitRows: lambda node, x: x / _lengths(x),
        ops.WindowMask: _window,
    }
)
"""The rule for each kind of node, applied to the values of its matrices in the order of its arguments."""
