"""What can be seen of comparisons of places: sums of indices, lengths and whole numbers; and what is linear in what.

>>> j, d, two = Index("j"), Length("d"), Constant(Fraction(2))
>>> holds(Compare("<=", Apply("sub", (j, two)), d), {"j": d}), holds(Compare("<=", Apply("add", (j, two)), d), {"j": d})
(True, False)
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache

from symattn.equations.tree import (
    Apply,
    Branch,
    Compare,
    Constant,
    Entry,
    Index,
    Length,
    Operation,
    Over,
    Piece,
    Tree,
    walk,
)

Terms = dict[Piece | None, Fraction]
"""A sum: how often it has each piece; ``None`` is the number beside them."""


def holds(condition: Compare, ranges: Mapping[str, Tree]) -> bool:
    """Whether a comparison can be seen to hold for all places of its indices and all lengths, of at least 1."""
    low, high = condition.left, condition.right
    match condition.sign:
        case "==":
            return not any(_less(terms(high), terms(low)).values())
        case ">" | ">=":
            low, high = high, low
        case "!=":
            return False
    left = _smallest(_less(terms(high), terms(low)), ranges)
    return left is not None and (left > 0 or (left == 0 and condition.sign in ("<=", ">=")))


def terms(piece: Tree) -> Terms:
    """The terms of a sum; what is no sum is one term."""
    match piece:
        case Constant(value):
            return {None: value}
        case Apply("add", (one, other)):
            return _plus(terms(one), terms(other))
        case Apply("sub", (one, other)):
            return _less(terms(one), terms(other))
        case Apply("neg", (x,)):
            return _times(Fraction(-1), terms(x))
        case Apply("mul", (Constant(value), x)) | Apply("mul", (x, Constant(value))):
            return _times(value, terms(x))
        case Apply("div", (x, Constant(value))) if value:
            return _times(1 / value, terms(x))
    return {piece: Fraction(1)}


def _times(number: Fraction, of: Terms) -> Terms:
    return {piece: number * value for piece, value in of.items()}


def _plus(one: Terms, other: Terms) -> Terms:
    return {piece: one.get(piece, Fraction(0)) + other.get(piece, Fraction(0)) for piece in {**one, **other}}


def _less(one: Terms, other: Terms) -> Terms:
    return _plus(one, _times(Fraction(-1), other))


def _smallest(of: Terms, ranges: Mapping[str, Tree]) -> Fraction | None:
    """The least that a sum can be: every index at one end of its axis, every length 1."""
    found: Terms = {}
    for piece, value in of.items():
        at_end = isinstance(piece, Index) and value < 0
        found = _plus(found, _times(value, terms(ranges[piece.name])) if at_end else {_first(piece): value})  # type: ignore[union-attr]
    least = found.pop(None, Fraction(0))
    for piece, value in found.items():
        if value and (value < 0 or not isinstance(piece, Length)):
            return None
        least += value
    return least


def _first(piece: Piece | None) -> Piece | None:
    return None if isinstance(piece, Index) else piece


# -- operations --------------------------------------------------------------------------------------------------


@lru_cache(maxsize=1000)
def is_linear(operation: Operation, *matrices: str) -> bool:
    """Whether an operation is linear in some of its matrices together, whatever the others are."""
    named = set(matrices)
    for equation in operation.equations:
        if equation is not operation.result and _constant(equation.body, frozenset(named)):
            continue
        if not _linear(equation.body, operation, frozenset(named)):
            return False
        named.add(equation.name)
    return True


def _linear(piece: Piece, operation: Operation, named: frozenset[str]) -> bool:
    def linear(each: Piece) -> bool:
        return _linear(each, operation, named)

    match piece:
        case Entry(name, _):
            return name in named
        case Constant(value):
            return value == 0
        case Over("sum", _, body) | Apply("neg", (body,)):
            return linear(body)
        case Apply("add" | "sub", (one, other)):
            return linear(one) and linear(other)
        case Apply("mul", (one, other)):
            return (linear(one) and _constant(other, named)) or (linear(other) and _constant(one, named))
        case Apply("div", (one, other)):
            return linear(one) and _constant(other, named)
        case Branch(condition, then, otherwise):
            return _constant(condition, named) and linear(then) and linear(otherwise)
    return False


def _constant(piece: Piece, named: frozenset[str]) -> bool:
    return not any(isinstance(each, Entry) and each.name in named for each in walk(piece))
