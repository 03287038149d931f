"""One writer of equations: the general entry is written in letters (``nodes.py``), a worked one in figures
(``working/in_figures.py``).

The walk through an equation is here. The two subclasses say how a leaf, a sum and cases are written, and which table of
rules puts pieces together.
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
"""Where the indices stand: in letters pieces of mathematics, in figures numbers from 1."""
Place = TypeVar("Place")


def is_given(operation: Operation, name: str) -> bool:
    """Whether a name is that of a parameter; a number on the way may be called as an axis is."""
    return any(parameter.name == name for parameter in operation.parameters)


def term_count(operation: Operation, given: Mapping[str, Any], over: Over) -> Expr:
    """How many terms a sum has."""
    return value_of(operation.range_of[over.index], given)


def is_mean_of_one(operation: Operation, given: Mapping[str, Any], piece: Tree) -> bool:
    """Whether a sum of one term is divided by that one."""
    match piece:
        case Apply("div", (Over() as over, Length() | Constant() as below)):
            return bool(term_count(operation, given, over) == value_of(below, given) == 1)
    return False


def places_at(operation: Operation, equation: NamedEquation, i: Place, j: Place) -> tuple[Place, ...]:
    """The places of the indices of an equation in row i and column j of its operation."""
    lengths = [operation.range_of[letter] for letter in equation.index]
    across = len(lengths) == 1 and lengths[0] == operation.shape[1] != operation.shape[0]
    return ((j,) if across else (i, j))[: len(lengths)]


def _as_smallest(piece: Apply) -> Over | None:
    """What −max of −x goes over: the smallest x. ``None`` of others."""
    match piece:
        case Apply("neg", (Over(kind="max", body=Apply("neg", (x,))) as over,)):
            return replace(over, body=x)
    return None


class EquationWriter(ABC):
    """Writes the pieces of an equation."""

    operation: Operation
    given: Mapping[str, Any]
    """What stands for each parameter and each size."""
    functions: ClassVar[Mapping[str, Callable[..., FigureOrMath]]]
    """How the elementary functions are written."""

    def write(self, piece: Tree, at: At) -> FigureOrMath:
        """A piece, with every index at its place."""
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
        """A number that is given."""
        return number(self.given[name])

    @abstractmethod
    def place(self, piece: Tree, at: At) -> Any:
        """A row or a column: an index, a few rows further on, a number."""

    @abstractmethod
    def operand(self, name: str, places: tuple[Any, ...]) -> FigureOrMath:
        """An entry of what is given."""

    def named(self, name: str, places: tuple[Any, ...]) -> FigureOrMath:
        """A number that the equations name: put in what its own equation says."""
        equation = self.operation.equation(name)
        return self.write(equation.body, dict(zip(equation.index, places, strict=True)))

    def call(self, piece: Apply, at: At) -> FigureOrMath:
        """An elementary function of pieces."""
        parts = [self.write(argument, at) for argument in piece.arguments]
        return self.functions[piece.function](*(Parens(part) if isinstance(part, Cases) else part for part in parts))

    @abstractmethod
    def over(self, piece: Over, at: At, word: str) -> FigureOrMath:
        """A sum; for the largest or the smallest of many, ``word`` is max or min."""

    @abstractmethod
    def branch(self, piece: Branch, at: At) -> FigureOrMath:
        """A value by cases."""
