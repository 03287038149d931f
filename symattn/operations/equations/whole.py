"""Evaluate expressions of indices, sizes and whole numbers: places, lengths, conditions on indices."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import lru_cache
from math import floor
from operator import add, eq, ge, gt, le, lt, mul, ne, neg, sub
from types import MappingProxyType
from typing import Any, TypeAlias

from symattn.base.errors import DomainError
from symattn.operations.equations.tree import (
    All,
    Apply,
    Compare,
    CompareSign,
    Constant,
    Entry,
    Index,
    Length,
    Operation,
    Over,
    Piece,
    children,
)

Whole: TypeAlias = "int | Fraction"


def _not_zero(y: Whole) -> None:
    if y == 0:
        raise DomainError("division by zero in a place, a length or a condition")


def _divided(x: Whole, y: Whole) -> Whole:
    _not_zero(y)
    if isinstance(x, int) and isinstance(y, int) and not x % y:
        return x // y
    return Fraction(x) / y


def _rest(x: Whole, y: Whole) -> Whole:
    _not_zero(y)
    return x % y


RATIONAL: Mapping[str, Callable[..., Whole]] = MappingProxyType(
    {
        "add": add,
        "sub": sub,
        "mul": mul,
        "div": _divided,
        "mod": _rest,
        "neg": neg,
        "floor": floor,
        "abs": abs,
        "min": min,
        "max": max,
        "sum": lambda *parts: sum(parts),
    }
)
"""The functions allowed in places, lengths and conditions on indices."""

COMPARED: Mapping[str, Callable[[Any, Any], bool]] = MappingProxyType(
    {"<": lt, "<=": le, "==": eq, "!=": ne, ">": gt, ">=": ge}
)
"""The comparison operators."""

OPPOSITE: Mapping[str, CompareSign] = MappingProxyType(
    {"<": ">=", "<=": ">", "==": "!=", "!=": "==", ">": "<=", ">=": "<"}
)
"""The negation of each comparison."""


@lru_cache(maxsize=10_000)
def free(piece: Piece) -> frozenset[str]:
    """Return the indices that a piece depends on.

    >>> sorted(free(Over("sum", "k", Entry("X", (Index("i"), Index("k"))))))
    ['i']
    """
    inside = frozenset[str]().union(*map(free, children(piece)))
    if isinstance(piece, Index):
        return inside | {piece.name}
    return inside - {piece.index} if isinstance(piece, Over) else inside


def is_whole(operation: Operation, piece: Piece) -> bool:
    """Return whether a piece, which may be a condition, consists of indices, sizes and whole numbers only."""
    match piece:
        case Constant() | Index() | Length():
            return True
        case Entry(name, ()):
            return any(each.name == name and each.kind == "whole" for each in operation.parameters)
        case Apply(function, arguments):
            return function in RATIONAL and all(is_whole(operation, each) for each in arguments)
        case Compare() | All():
            return all(is_whole(operation, each) for each in children(piece))
    return False


def exact(piece: Piece) -> Callable[[Mapping[str, Any]], Any]:
    """Return a function that evaluates an expression of indices, sizes and whole numbers.

    >>> exact(Apply("div", (Length("d"), Constant(Fraction(2)))))({"d": 8})
    4
    """
    match piece:
        case Constant(value):
            number: Whole = int(value) if value.denominator == 1 else value
            return lambda at: number
        case Index(name) | Length(name) | Entry(name, ()):
            return lambda at: at[name]
        case Apply(function, arguments):
            rule, parts = RATIONAL[function], [exact(each) for each in arguments]
            if len(parts) == 2:
                one, other = parts
                return lambda at: rule(one(at), other(at))
            return lambda at: rule(*(part(at) for part in parts))
        case Compare(sign, left, right):
            compared, one, other = COMPARED[sign], exact(left), exact(right)
            return lambda at: compared(one(at), other(at))
        case All(conditions):
            holds = [exact(each) for each in conditions]
            return lambda at: False not in [each(at) for each in holds]
    raise TypeError(f"{type(piece).__name__} is not made of whole numbers")
