"""The data model of an operation: a frozen record of parameters and equations, and the equations' expression trees.

Rows and columns count from 1, as on the page. Nothing here evaluates anything.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, fields
from fractions import Fraction
from typing import Any, Literal, TypeAlias

from symattn.base.remembered import cached_property

CompareSign = Literal["<", "<=", "==", "!=", ">", ">="]
Kind = Literal["matrix", "row", "number", "size", "whole"]


@dataclass(frozen=True)
class Constant:
    """A rational number, as it is written."""

    value: Fraction


@dataclass(frozen=True)
class Index:
    """The current value of an index, from 1."""

    name: str


@dataclass(frozen=True)
class Length:
    """The length of an axis."""

    name: str


@dataclass(frozen=True)
class Entry:
    """An entry of a parameter or of an earlier equation; without places a number."""

    name: str
    places: tuple[Tree, ...] = ()


@dataclass(frozen=True)
class Apply:
    """An elementary function of numbers, including arithmetic: ``add``, ``div``, ``exp``, ``pi``."""

    function: str
    arguments: tuple[Tree, ...] = ()


@dataclass(frozen=True)
class Over:
    """A sum, or a maximum, over all values of an index."""

    kind: Literal["sum", "max"]
    index: str
    body: Tree


@dataclass(frozen=True)
class Compare:
    """A comparison of two numbers."""

    sign: CompareSign
    left: Tree
    right: Tree

    @property
    def parts(self) -> tuple[Compare, ...]:
        """The comparisons that hold together: only this one."""
        return (self,)


@dataclass(frozen=True)
class All:
    """Several comparisons that hold together."""

    parts: tuple[Compare, ...]


@dataclass(frozen=True)
class Branch:
    """A case distinction: one value where a condition holds, and another one elsewhere."""

    condition: Compare | All
    then: Tree
    otherwise: Tree


Tree: TypeAlias = Constant | Index | Length | Entry | Apply | Over | Branch
Piece: TypeAlias = Tree | Compare | All


def children(piece: Piece) -> tuple[Piece, ...]:
    """Return the direct parts of a piece.

    >>> children(Apply("exp", (Index("i"),)))
    (Index(name='i'),)
    """
    match piece:
        case Entry(_, places):
            return places
        case Apply(_, arguments):
            return arguments
        case Over(_, _, body):
            return (body,)
        case Compare(_, left, right):
            return (left, right)
        case All(parts):
            return parts
        case Branch(condition, then, otherwise):
            return (condition, then, otherwise)
    return ()


def mapped(piece: Piece, rule: Callable[[Piece], Piece]) -> Piece:
    """Apply a rule to each direct part of a piece.

    >>> mapped(Apply("exp", (Index("i"),)), lambda inside: Index("j"))
    Apply(function='exp', arguments=(Index(name='j'),))
    """
    each: Any = rule  # a rule makes an expression of an expression, and a condition of a condition
    match piece:
        case Entry(name, places):
            return Entry(name, tuple(map(each, places)))
        case Apply(function, arguments):
            return Apply(function, tuple(map(each, arguments)))
        case Over(kind, index, body):
            return Over(kind, index, each(body))
        case Compare(sign, left, right):
            return Compare(sign, each(left), each(right))
        case All(parts):
            return All(tuple(map(each, parts)))
        case Branch(condition, then, otherwise):
            return Branch(each(condition), each(then), each(otherwise))
    return piece


def walk(piece: Piece) -> Iterator[Piece]:
    """Yield a piece and everything inside it, from the outside in."""
    yield piece
    for child in children(piece):
        yield from walk(child)


@dataclass(frozen=True)
class NamedEquation:
    """``name[index] = body``; ``text`` is how it was written."""

    name: str
    index: tuple[str, ...]
    body: Tree
    text: str = field(default="", compare=False)


@dataclass(frozen=True)
class Parameter:
    """A parameter of an operation: a matrix with two axes, a row with one, or a number.

    A number is a ``size`` if it names an axis and ``whole`` if it is used in a place. ``many`` allows any number of
    matrices.
    """

    name: str
    kind: Kind
    axes: tuple[Tree, ...] = ()
    default: Tree | None = None
    many: bool = False

    @property
    def is_matrix(self) -> bool:
        """Whether its argument is a matrix: a row is one of a single row."""
        return self.kind in ("matrix", "row")


@dataclass(frozen=True, eq=False)
class Operation:
    """An operation: parameters, the shape of its result, and equations, the last of which defines its entry.

    The earlier equations name intermediate numbers.
    """

    name: str
    parameters: tuple[Parameter, ...]
    shape: tuple[Tree, Tree]
    equations: tuple[NamedEquation, ...]
    ranges: tuple[tuple[str, Tree], ...]
    """The range of each index."""
    page: tuple[tuple[str, str], ...] = ()
    """Its name in a sentence, by language."""
    called: str = ""
    """Its name in a formula."""
    source: str = field(default="", compare=False)

    @cached_property
    def _said(self) -> tuple[object, ...]:
        return (self.name, self.parameters, self.shape, self.equations, self.called, self.page)

    @cached_property
    def _hash(self) -> int:
        return hash(self._said)

    def __getstate__(self) -> dict[str, object]:
        # Cached values are left out: in another process the hash of a text is another one.
        return {each.name: getattr(self, each.name) for each in fields(self)}

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Operation) and self._said == other._said)

    def __hash__(self) -> int:
        # The hash is cached, so that a lookup does not traverse the tree again.
        return self._hash

    @property
    def result(self) -> NamedEquation:
        """The equation of the entry."""
        return self.equations[-1]

    @cached_property
    def range_of(self) -> dict[str, Tree]:
        """The range of each index, by its letter."""
        return dict(self.ranges)

    def equation(self, name: str) -> NamedEquation:
        """Return an equation by its name."""
        return next(equation for equation in self.equations if equation.name == name)
