"""The lines of a step's general entry: its named numbers, the entry, and the functions that it calls by name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache, partial

from sympy import Basic, MatrixSymbol, Transpose, preorder_traversal

from symattn import operations as ops
from symattn.base.budget import spend
from symattn.base.shapes import Shape, shape
from symattn.operations.equations.tree import Entry, Operation, walk
from symattn.operations.node import Applied, given_of, operation_of
from symattn.show.entries.letters import IN_THEIR_OWN_WAY, Letters, entry_of, named_in
from symattn.show.entries.naming import is_by_cases, is_called, is_function
from symattn.show.entries.nodes import (
    Compared,
    Condition,
    entry,
    number_named,
    places_in,
    right_side,
    together,
    whole_entry,
)
from symattn.show.entries.positions import positions_and_angles, rank_of
from symattn.show.math import Bars, Cases, Chain, Math, Number, equation
from symattn.show.notation.calls import innermost, is_of_columns
from symattn.show.notation.formulas import Names, formula, notation, number

PER_LEAF = 800
"""Budget steps for each entry of a name in a line, until the line is in a file."""


@lru_cache(maxsize=1000)
def _leaves(node: Basic) -> int:
    """Return how many entries of names are in the written entry of a formula."""
    operation, inside = operation_of(node), [arg for arg in node.args if getattr(arg, "is_Matrix", False)]
    if operation is None:
        return sum(map(_leaves, inside)) if inside else 1
    given = given_of(node)
    return sum(times * _leaves(given[name]) for name, times in _reads(operation).items() if name in given)


def _reads(operation: Operation) -> Counter[str]:
    """Count how often the result reads each parameter, directly or not: line by line, because the counts double."""
    through: dict[str, Counter[str]] = {}
    for line in operation.equations:
        found: Counter[str] = Counter()
        for piece in walk(line.body):
            if isinstance(piece, Entry):
                for name, times in through.get(piece.name, {piece.name: 1}).items():
                    found[name] += times
        through[line.name] = found
    return through[operation.result.name]


def general_entry(name: str, node: Basic, letters: Letters, size: Shape) -> tuple[Chain, ...]:
    """Return the entry formula of a step, with a line for each named number: those of rows come before it if the step's
    own operation has any, else after it; functions come last."""
    i, j = places_of(size, letters)
    spend(PER_LEAF * _leaves(node))  # before anything is written: nested formulas double with every level
    inside = list(dict.fromkeys(preorder_traversal(node)))
    turning = [other for other in inside if isinstance(other, ops.Sinusoidal | ops.Rotary)]
    rows, functions = _definitions(node, inside, letters)
    if node in turning:
        return (*positions_and_angles(turning, letters, partial(letters.entry, name, i)), *rows, *functions)
    line = equation(letters.entry(name, i, j), _of_step(node, letters, i, j))
    after = (*functions, *positions_and_angles(turning, letters))
    return (*rows, line, *after) if _has_numbers_of_rows(node) else (line, *rows, *after)


def places_of(size: Shape, letters: Letters) -> tuple[Math, Math]:
    """Return the row and the column index of an entry: 1 if there is only one row or column."""
    i, j = (Number("1") if length == 1 else index for length, index in zip(size.sizes, letters.indices, strict=True))
    return i, j


def _of_step(node: Basic, letters: Letters, i: Math, j: Math) -> Math:
    """Write entry (i, j) of a step's formula, written out if that is no longer than its name."""
    if isinstance(node, ops.TopK):
        place, count = rank_of(node, i, j), number(node.args[1])
        among = Condition((Compared(place, "≤", count),))
        return Cases(((Number("1"), together([among])), (Number("0"), together([among.opposite]))))
    return whole_entry(node, letters, i, j) if _is_written_out(node) else entry(node, letters, i, j, ())


def _is_written_out(node: Basic) -> bool:
    """Return True if a step's entry is its own equation: a function is written out only of a name."""
    operation = operation_of(node)
    if operation is None or isinstance(node, IN_THEIR_OWN_WAY):
        return False
    return isinstance(node.argument, MatrixSymbol) if is_called(operation) else True


def _has_numbers_of_rows(node: Basic) -> bool:
    operation = operation_of(node)
    own = operation is not None and any(not is_function(operation, name) for name in named_in(node))
    return own or isinstance(node, ops.ClipNorm)


def _definitions(node: Basic, inside: Sequence[Basic], letters: Letters) -> tuple[list[Chain], list[Chain]]:
    """Return the definitions that the entry of a formula needs: first μ_i and ‖G‖, then GELU(x) and Φ(x)."""
    rows: list[Chain] = []
    functions: list[Chain] = []
    x = letters.names.letters.letter("argument")
    of_columns = {innermost(each.arg) for each in inside if isinstance(each, Transpose) and is_of_columns(each)}
    for other in inside:
        operation = operation_of(other)
        if operation is None:
            continue
        if isinstance(other, ops.ClipNorm):
            # ‖G‖ = √(Σ_k Σ_l g_{kl}²)
            length = Bars(formula(other.argument, letters.names), double=True)
            rows.append(equation(length, right_side(other, operation.equation("r"), letters, ())))
        elif not isinstance(other, IN_THEIR_OWN_WAY):
            if other != node or not _is_written_out(node):
                functions += _called(other, operation, letters, x)
            for name in named_in(other):
                plain, said = is_function(operation, name), operation.equation(name)
                i, j = letters.indices[::-1] if other in of_columns else letters.indices
                places = (i, j) if plain else places_in(other, said, i, j)
                told = (letters, places, (), x if plain else None)
                line = equation(number_named(other, name, *told), right_side(other, said, *told))
                (functions if plain else rows).append(line)
    return list(dict.fromkeys(rows)), list(dict.fromkeys(functions))


def definition(node: Applied, names: Names) -> tuple[Chain, ...]:
    """Define an operation for readers who do not know its name: softcap(x, 5) = 5 tanh(x/5)."""
    used = {str(symbol.name): _shape_of(symbol) for symbol in node.atoms(MatrixSymbol)}
    letters = Letters.choose(names, sorted(used), used).beside(node)
    x = letters.names.letters.letter("argument")
    rows, functions = _definitions(node, [node], letters)
    if is_function(node.operation, node.operation.result.name):
        right = right_side(node, node.operation.result, letters, letters.indices, (), x)
        line = equation(notation(node, names, lambda _: x), right)
    else:
        i, j = places_of(_shape_of(node), letters)
        line = equation(entry_of(node, formula(node, names), i, j), whole_entry(node, letters, i, j))
    return tuple(dict.fromkeys((*rows, line, *functions)))


def _shape_of(node: Basic) -> Shape:
    rows, columns = (int(size) if size.is_Integer else str(size) for size in node.shape)
    return shape(rows, columns)


def _called(node: Basic, operation: Operation, letters: Letters, x: Math) -> list[Chain]:
    """Return GELU(x) = x Φ(x), or ELU(x) by cases; for a custom operation that is by cases, its entry."""
    if is_called(operation):
        right = right_side(node, operation.result, letters, letters.indices, (), x)
        return [equation(notation(node, letters.names, lambda _: x), right)]
    if isinstance(node, Applied) and is_by_cases(operation):
        # Readers know a mask or blocks side by side by name, but not this one.
        left = entry(node, letters, *letters.indices, ())
        return [equation(left, whole_entry(node, letters, *letters.indices))]
    return []
