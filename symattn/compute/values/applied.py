"""Apply the equations of a node to the values of its operands, in any arithmetic."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from sympy import Basic, Expr

from symattn.operations.equations.parts import ZERO
from symattn.operations.equations.run import Arithmetic, OperandValues, reached, run
from symattn.operations.equations.tree import Apply, Branch, Compare, Entry, Operation, Over, Piece, children, walk
from symattn.operations.equations.whole import is_whole
from symattn.operations.node import operation_of, parameters_of, sizes_of


@dataclass(frozen=True)
class Frame:
    """The inputs of a node's equations other than the values of its matrices."""

    operation: Operation
    matrices: tuple[tuple[str, bool], ...]
    """The names of its matrices, each with whether it is a single row."""
    numbers: tuple[tuple[str, Expr], ...]
    whole: Mapping[str, int]
    reach: Mapping[str, range]


@lru_cache(maxsize=1000)
def frame(node: Basic) -> Frame:
    """Return the equations of a node and its numbers. Raises :class:`TypeError` for one without equations."""
    operation = operation_of(node)
    if operation is None:
        raise TypeError(f"no equations for {type(node).__name__}")
    given = parameters_of(node)
    matrices = tuple((each.name, each.kind == "row") for each, _ in given if each.is_matrix)
    numbers = tuple((each.name, arg) for each, arg in given if each.kind == "number")
    apart = dict(numbers)
    whole = {name: int(size) for name, size in sizes_of(node).items() if name not in apart}
    return Frame(operation, matrices, numbers, whole, reached(operation, whole))


def given_to(node: Basic, values: Iterable[Sequence[list[Any]]], number: Callable[[Expr], Any]) -> OperandValues:
    """Return the operands of a node's equations: the rows of its matrices, and its numbers after ``number``."""
    of = frame(node)
    found = {name: rows[0] if is_row else rows for (name, is_row), rows in zip(of.matrices, values, strict=True)}
    found.update((name, number(value)) for name, value in of.numbers)
    return OperandValues(of.operation, found, of.whole, of.reach)


def applied_entries(
    node: Basic, values: Iterable[Sequence[list[Any]]], number: Callable[[Expr], Any], arithmetic: Arithmetic
) -> list[list[Any]]:
    """Return the entries of a node in any arithmetic, from the rows of its operands."""
    return run(given_to(node, values, number), arithmetic)


@lru_cache(maxsize=1000)
def compared_with_zero(operation: Operation) -> frozenset[str]:
    """Return the parameters whose entries an operation compares with 0, so that its result depends on their signs."""
    pieces = [piece for equation in operation.equations for piece in walk(equation.body)]
    pairs = [(piece.left, piece.right) for piece in pieces if isinstance(piece, Compare)]
    pairs += [(p.arguments[0], p.arguments[-1]) for p in pieces if isinstance(p, Apply) and p.function in _ORDERED]
    sides = [side for pair in pairs for side in (pair, pair[::-1])]
    return frozenset(one.name for one, other in sides if isinstance(one, Entry) and other in (ZERO, one))


_ORDERED = frozenset({"max", "min", "abs"})


@lru_cache(maxsize=1000)
def picks(operation: Operation) -> bool:
    """Return whether an operation only selects entries and whole numbers, without computing new values."""

    def picked(piece: Piece) -> bool:
        match piece:
            case Entry():
                return True
            case Branch(_, then, otherwise):
                return picked(then) and picked(otherwise)
            case Apply(function, arguments) if function in _PICKING:
                return all(map(picked, arguments))
            case Over("max", _, body):
                return picked(body)
        return is_whole(operation, piece)

    return all(picked(equation.body) for equation in operation.equations)


_PICKING = frozenset({"max", "min", "abs", "neg"})


@lru_cache(maxsize=1000)
def only_arranges(operation: Operation) -> bool:
    """Return whether a linear operation turns −∞ into −∞ or drops it: it only moves entries or divides them."""
    pieces = (piece for equation in operation.equations for piece in _values_in(equation.body))
    return not any(isinstance(piece, Apply) and piece.function != "div" for piece in pieces)


def _values_in(piece: Piece) -> Iterator[Piece]:
    """Yield the pieces of an expression that are values, not positions or conditions."""
    yield piece
    if not isinstance(piece, Entry):
        for child in children(piece)[isinstance(piece, Branch) :]:
            yield from _values_in(child)


def is_made_with(operation: Operation, functions: Collection[str]) -> bool:
    """Return whether the values of an operation use no functions other than the given ones."""
    return _functions_of(operation).issubset(functions)


@lru_cache(maxsize=1000)
def _functions_of(operation: Operation) -> frozenset[str]:
    found: set[str] = set()

    def look(piece: Piece) -> None:
        if isinstance(piece, Entry) or is_whole(operation, piece):
            return
        if isinstance(piece, Apply):
            found.add(piece.function)
        for child in children(piece):
            look(child)

    for equation in operation.equations:
        look(equation.body)
    return frozenset(found)


def has_functions(operation: Operation) -> bool:
    """Return whether an operation uses an exponential, a logarithm or a similar function."""
    return not _functions_of(operation).isdisjoint(("exp", "log", "tanh", "erf", "xlogx"))
