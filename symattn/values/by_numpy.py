"""Equations in NumPy, as float64: the second opinion of operations that have no rule of their own in NumPy.

No code is shared with :mod:`symattn.equations.run`. A piece is worked out for many places at once: an index is an array
of the places that it stands at. Of several cases each is worked out where it holds, and nowhere else.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import erf
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from symattn.equations import tree

DoubleArray = NDArray[np.float64]
Places = Mapping[str, DoubleArray]
"""Where the indices stand, from 1: arrays of one length."""


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
        # A cosine of parallel rows may come out a little beyond 1.
        "acos": lambda x: np.arccos(np.where(abs(x) < 1 + 1e-9, np.clip(x, -1.0, 1.0), x)),
        "abs": np.abs,
        "floor": np.floor,
        "min": np.minimum,
        "max": np.maximum,
        "xlogx": _xlogx,
    }
)
"""The elementary functions of equations in NumPy."""

CONSTANTS: Mapping[str, float] = MappingProxyType({"pi": np.pi, "oo": np.inf})

COMPARED: Mapping[str, Callable[[DoubleArray, DoubleArray], NDArray[np.bool_]]] = MappingProxyType(
    {"<": np.less, "<=": np.less_equal, "==": np.equal, "!=": np.not_equal, ">": np.greater, ">=": np.greater_equal}
)


@dataclass(frozen=True)
class Equations:
    """An operation with what it is given: matrices, and numbers and sizes."""

    operation: tree.Operation
    matrices: dict[str, DoubleArray]
    numbers: Mapping[str, float]

    def value(self) -> DoubleArray:
        """The result, as a matrix.

        >>> from symattn.equations.read import read_operation
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
        """What one equation says: a matrix, a row of numbers, or one."""
        lengths = tuple(self.length(self.operation.range_of[letter]) for letter in equation.index)
        count = int(np.prod(lengths))
        grid = np.indices(lengths, dtype=np.float64).reshape(len(lengths), count) + 1
        return self.at(equation.body, dict(zip(equation.index, grid, strict=True)), count).reshape(lengths)

    def at(self, piece: tree.Tree, places: Places, count: int) -> DoubleArray:
        """The value of a piece at so many places."""
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
