"""Decide which intermediate numbers have a name on the page, and which operations are functions of one number.

A one-letter name only helps the author of the equations: it is replaced by its equation if that is short or used only
once. A longer name is one that readers know: ``mu``, ``sigma2``, ``MS``.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

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
    walk,
)
from symattn.show.math import Math, Number


@lru_cache(maxsize=1000)
def on_the_page(operation: Operation) -> tuple[str, ...]:
    """Return the named numbers of an operation that have a line of their own.

    >>> from symattn.operations.equations.read import read_operation
    >>> norm = "MS[i] = sum(k, X[i,k]^2) / d\\n r[i] = sqrt(MS[i])\\n y[i,j] = X[i,j] / r[i]"
    >>> on_the_page(read_operation("rms(X: m×d)\\n " + norm))
    ('MS',)
    """
    uses = [piece.name for each in operation.equations for piece in walk(each.body) if isinstance(piece, Entry)]
    return tuple(
        each.name
        for each in operation.equations[:-1]
        if len(each.name) > 1 or (uses.count(each.name) > 1 and not _is_short(each))
    )


def _is_short(equation: NamedEquation) -> bool:
    pieces = list(walk(equation.body))
    entries = [piece for piece in pieces if isinstance(piece, Entry) and piece.places]
    return len(entries) <= 1 and not any(isinstance(piece, Over | Branch) for piece in pieces)


def _needed(operation: Operation, equation: NamedEquation) -> list[NamedEquation]:
    """Return an equation and those that it depends on."""
    found = [equation]
    for each in reversed(operation.equations):
        if each not in found and any(_reads(other, each.name) for other in found):
            found.append(each)
    return found


def _reads(equation: NamedEquation, name: str) -> int:
    return sum(isinstance(piece, Entry) and piece.name == name for piece in walk(equation.body))


@lru_cache(maxsize=1000)
def is_function(operation: Operation, name: str) -> bool:
    """Return True if a number depends on one entry, the one in its own place: Φ(x_{ij})."""
    matrices = [parameter for parameter in operation.parameters if parameter.is_matrix]
    return (
        len(matrices) == 1
        and matrices[0].kind == "matrix"
        and all(map(_stays_in_place, _needed(operation, operation.equation(name))))
    )


def _stays_in_place(equation: NamedEquation) -> bool:
    pieces, place = list(walk(equation.body)), tuple(map(Index, equation.index))
    entries = [piece for piece in pieces if isinstance(piece, Entry) and piece.places]
    in_places = sum(isinstance(piece, Index) for piece in pieces) == 2 * len(entries)
    still = all(piece.places == place for piece in entries) and len(place) == 2
    return still and in_places and not any(isinstance(piece, Over) for piece in pieces)


@lru_cache(maxsize=1000)
def is_called(operation: Operation) -> bool:
    """Return True if an operation is a function of one number that is longer to write than to call: GELU(x), ELU(x)."""
    if not is_function(operation, operation.result.name):
        return False
    reads: dict[str, int] = {}  # how often each equation reads the matrix
    for each in operation.equations:
        entries = [piece for piece in walk(each.body) if isinstance(piece, Entry) and piece.places]
        reads[each.name] = sum(reads.get(piece.name, 1) for piece in entries)
    return reads[operation.result.name] > 1 or is_by_cases(operation)


@lru_cache(maxsize=1000)
def is_by_cases(operation: Operation) -> bool:
    """Return True if the equations of an operation have cases."""
    return any(isinstance(piece, Branch) for each in operation.equations for piece in walk(each.body))


@lru_cache(maxsize=1000)
def has_powers_of_e(operation: Operation) -> bool:
    """Return True if an operation writes the letter e for the number e."""
    return any(
        isinstance(piece, Apply) and piece.function == "exp"
        for each in operation.equations
        for piece in walk(each.body)
    )


def is_in_figures(piece: Tree, at: Mapping[str, Math]) -> bool:
    """Return True if a piece is a number, 1/100, or a place in figures, 1 + 4 − 1, which is written as its value."""
    functions = {each.function for each in walk(piece) if isinstance(each, Apply)}
    leaves = [each for each in walk(piece) if not isinstance(each, Apply)]
    if all(isinstance(each, Constant) for each in leaves):
        return functions <= {"add", "sub", "mul", "div", "neg"}
    if not (functions <= {"add", "sub"} and all(isinstance(each, Index | Length | Constant) for each in leaves)):
        return False
    places = [at[each.name] for each in leaves if isinstance(each, Index)]
    return bool(places) and all(isinstance(each, Number) for each in places)
