"""The common writer of equations: ``nodes.py`` writes the general entry in letters, ``working/in_figures.py`` a worked
one in figures.

The walk through an equation is here. The two subclasses define how to write a leaf, a sum and cases, and which table of
rules combines pieces.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, ClassVar, TypeAlias, TypeVar

from sympy import Expr, Rational

from symattn.operations.entry import value_of as value_of
from symattn.operations.equations.tree import (
    Apply,
    Branch,
    Constant,
    Entry,
    Index,
    Length,
    NamedEquation,
    Operation,
    Over,
    Tree,
)
from symattn.show.math import Cases, Number, Parens
from symattn.show.notation.figures import FigureOrMath
from symattn.show.notation.formulas import number

At: TypeAlias = Mapping[str, Any]
"""The values of the indices: pieces of mathematics in letters, numbers from 1 in figures."""
Place = TypeVar("Place")


def is_given(operation: Operation, name: str) -> bool:
    """Return True if a name is that of a parameter. A named number may have the same name as an axis."""
    return any(parameter.name == name for parameter in operation.parameters)


def term_count(operation: Operation, given: Mapping[str, Any], over: Over) -> Expr:
    """Return the number of terms of a sum."""
    return value_of(operation.range_of[over.index], given)


def is_mean_of_one(operation: Operation, given: Mapping[str, Any], piece: Tree) -> bool:
    """Return True if a piece is a sum of one term divided by 1, the number of terms."""
    match piece:
        case Apply("div", (Over() as over, Length() | Constant() as below)):
            return bool(term_count(operation, given, over) == value_of(below, given) == 1)
    return False


def places_at(operation: Operation, equation: NamedEquation, i: Place, j: Place) -> tuple[Place, ...]:
    """Return the values of an equation's indices in row i and column j of its operation."""
    lengths = [operation.range_of[letter] for letter in equation.index]
    across = len(lengths) == 1 and lengths[0] == operation.shape[1] != operation.shape[0]
    return ((j,) if across else (i, j))[: len(lengths)]


def _as_smallest(piece: Apply) -> Over | None:
    """Rewrite −max of −x as the smallest x; return ``None`` for anything else."""
    match piece:
        case Apply("neg", (Over(kind="max", body=Apply("neg", (x,))) as over,)):
            return replace(over, body=x)
    return None


class EquationWriter(ABC):
    """Writes the pieces of an equation."""

    operation: Operation
    given: Mapping[str, Any]
    """The value of each parameter and each size."""
    functions: ClassVar[Mapping[str, Callable[..., FigureOrMath]]]
    """The notation of the elementary functions."""

    def write(self, piece: Tree, at: At) -> FigureOrMath:
        """Write a piece, with every index replaced by its value."""
        match piece:
            case Constant(value):
                return number(Rational(value.numerator, value.denominator))
            case Index(name):
                return Number(str(at[name])) if isinstance(at[name], int) else at[name]
            case Length(name):
                return number(self.given[name])
            case Entry(name, ()) if is_given(self.operation, name):
                return self.parameter(name)
            case Entry(name, places):
                leaf = self.operand if is_given(self.operation, name) else self.named
                return leaf(name, tuple(self.place(place, at) for place in places))
            case Apply("div", (Over() as over, _)) if is_mean_of_one(self.operation, self.given, piece):
                return self.write(over, at)
            case Apply():
                smallest = _as_smallest(piece)
                return self.call(piece, at) if smallest is None else self.over(smallest, at, "min")
            case Over():
                return self.over(piece, at, "max")
            case Branch():
                return self.branch(piece, at)
        raise TypeError(f"no notation for {type(piece).__name__} in an equation")

    def parameter(self, name: str) -> FigureOrMath:
        """Write a given number."""
        return number(self.given[name])

    @abstractmethod
    def place(self, piece: Tree, at: At) -> Any:
        """Write a row or a column: an index, an index with an offset, a number."""

    @abstractmethod
    def operand(self, name: str, places: tuple[Any, ...]) -> FigureOrMath:
        """Write an entry of an operand."""

    def named(self, name: str, places: tuple[Any, ...]) -> FigureOrMath:
        """Write a named number of the equations by substituting its equation."""
        equation = self.operation.equation(name)
        return self.write(equation.body, dict(zip(equation.index, places, strict=True)))

    def call(self, piece: Apply, at: At) -> FigureOrMath:
        """Write an elementary function of pieces."""
        parts = [self.write(argument, at) for argument in piece.arguments]
        return self.functions[piece.function](*(Parens(part) if isinstance(part, Cases) else part for part in parts))

    @abstractmethod
    def over(self, piece: Over, at: At, word: str) -> FigureOrMath:
        """Write a sum; for the largest or the smallest of many, ``word`` is max or min."""

    @abstractmethod
    def branch(self, piece: Branch, at: At) -> FigureOrMath:
        """Write a value by cases."""
