"""What an operation is: a frozen record of parameters and equations, and the trees that equations are read into.

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
    """The place that an index stands at, from 1."""

    name: str


@dataclass(frozen=True)
class Length:
    """How long an axis is."""

    name: str


@dataclass(frozen=True)
class Entry:
    """An entry of a parameter or of an earlier equation; without places a number."""

    name: str
    places: tuple[Tree, ...] = ()


@dataclass(frozen=True)
class Apply:
    """An elementary function of numbers, signs of arithmetic included: ``add``, ``div``, ``exp``, ``pi``."""

    function: str
    arguments: tuple[Tree, ...] = ()


@dataclass(frozen=True)
class Over:
    """A sum, or the largest, over all values of an index."""

    kind: Literal["sum", "max"]
    index: str
    body: Tree


@dataclass(frozen=True)
class Compare:
    """How two numbers compare."""

    sign: CompareSign
    left: Tree
    right: Tree

    @property
    def parts(self) -> tuple[Compare, ...]:
        """The comparisons that hold together, of which this is the only one."""
        return (self,)


@dataclass(frozen=True)
class All:
    """Several comparisons that hold together."""

    parts: tuple[Compare, ...]


@dataclass(frozen=True)
class Branch:
    """One thing where a condition holds, and another one elsewhere."""

    condition: Compare | All
    then: Tree
    otherwise: Tree


Tree: TypeAlias = Constant | Index | Length | Entry | Apply | Over | Branch
Piece: TypeAlias = Tree | Compare | All


def children(piece: Piece) -> tuple[Piece, ...]:
    """The pieces that a piece is made of.

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
    """A piece with what a rule makes of each of the pieces that it is made of.

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
    """A piece and all that is inside it, from the outside."""
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
    """What an operation is given: a matrix with two axes, a row with one, or a number.

    A number is a ``size`` where it names an axis and ``whole`` where it stands in a place. ``many`` says that any
    number of matrices may stand here.
    """

    name: str
    kind: Kind
    axes: tuple[Tree, ...] = ()
    default: Tree | None = None
    many: bool = False

    @property
    def is_matrix(self) -> bool:
        """Whether it is given as a matrix: a row is one of a single row."""
        return self.kind in ("matrix", "row")


@dataclass(frozen=True, eq=False)
class Operation:
    """An operation: parameters, the shape of its result, and equations, the last of which says its entry.

    The earlier equations name the numbers that somebody writes down on the way.
    """

    name: str
    parameters: tuple[Parameter, ...]
    shape: tuple[Tree, Tree]
    equations: tuple[NamedEquation, ...]
    ranges: tuple[tuple[str, Tree], ...]
    """How far each index goes."""
    page: tuple[tuple[str, str], ...] = ()
    """What it is called in a sentence, by language."""
    called: str = ""
    """What it is called in a formula."""
    source: str = field(default="", compare=False)

    @cached_property
    def _said(self) -> tuple[object, ...]:
        return (self.name, self.parameters, self.shape, self.equations, self.called, self.page)

    @cached_property
    def _hash(self) -> int:
        return hash(self._said)

    def __getstate__(self) -> dict[str, object]:
        # What was worked out stays here: in another process the hash of a text is another one.
        return {each.name: getattr(self, each.name) for each in fields(self)}

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Operation) and self._said == other._said)

    def __hash__(self) -> int:
        # A tree is not gone through again every time that somebody looks something up by it.
        return self._hash

    @property
    def result(self) -> NamedEquation:
        """The equation of the entry."""
        return self.equations[-1]

    @cached_property
    def range_of(self) -> dict[str, Tree]:
        """How far each index goes, by its letter."""
        return dict(self.ranges)

    def equation(self, name: str) -> NamedEquation:
        """An equation by its name."""
        return next(equation for equation in self.equations if equation.name == name)
