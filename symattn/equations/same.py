"""When two operations are one and the same, whatever their names and letters are."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from symattn.equations.parts import rewritten
from symattn.equations.tree import Entry, Index, Operation, Over, Piece, Size, walk


@lru_cache(maxsize=1000)
def form(operation: Operation) -> object:
    """What an operation is beside its names: two operations with equal forms are the same.

    Parameters, equations, sizes and indices are numbered in the order in which they come.

    >>> from symattn.equations.read import read_operation
    >>> one = read_operation("twice(X: m×n) -> m×n\\n y[i,j] = 2 * X[i,j]")
    >>> other = read_operation("doubled(A: r×c) -> r×c\\n z[a,b] = 2 * A[a,b]")
    >>> form(one) == form(other), form(one) == form(read_operation("twice(X)\\n y[i,j] = X[i,j] + X[i,j]"))
    (True, False)
    """
    numbers: dict[tuple[str, str], str] = {}

    def numbered(kind: str, name: str) -> str:
        return numbers.setdefault((kind, name), f"{kind}{len(numbers)}")

    def renamed(piece: Piece) -> Piece:
        match piece:
            case Entry(name, places):
                return Entry(numbered("entry", name), places)
            case Size(name):
                return Size(numbered("size", name))
            case Index(name):
                return Index(numbered("index", name))
            case Over(kind, index, body):
                return Over(kind, numbered("index", index), body)
        return piece

    for name in _names(operation):
        numbered(*name)
    parameters = tuple(
        (each.kind, tuple(rewritten(axis, renamed) for axis in each.axes), each.default, each.many)
        for each in operation.parameters
    )
    equations = tuple(
        (len(each.index), rewritten(each.body, renamed), tuple(numbered("index", letter) for letter in each.index))
        for each in operation.equations
    )
    return parameters, tuple(rewritten(axis, renamed) for axis in operation.shape), equations


def _names(operation: Operation) -> Iterator[tuple[str, str]]:
    """Everything that has a name, in the order in which it comes."""
    for parameter in operation.parameters:
        yield ("size" if parameter.kind == "size" else "entry", parameter.name)
        yield from (("size", p.name) for axis in parameter.axes for p in walk(axis) if isinstance(p, Size))
    for equation in operation.equations:
        yield ("entry", equation.name)
        yield from (("index", letter) for letter in equation.index)
        yield from (("index", p.index) for p in walk(equation.body) if isinstance(p, Over))
