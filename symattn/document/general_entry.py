"""The lines of a step's general entry: the numbers on the way to it, the entry, and what it calls without saying it."""

from __future__ import annotations

from functools import partial

from sympy import Basic, MatrixSymbol, preorder_traversal

from symattn import operations as ops
from symattn.document.conditions import Comparison, Condition, together
from symattn.document.entries import entry, entry_of, number_named, places_in, whole, written
from symattn.document.layer_entries import rank_of, turned
from symattn.document.letters import Letters
from symattn.document.math import Bars, Cases, Chain, Letter, Math, Number, equation
from symattn.document.naming import is_by_cases, is_called, is_function, on_the_page
from symattn.document.notation import formula, notation, number
from symattn.equations.tree import Operation
from symattn.operations.indices import fresh_letter
from symattn.operations.node import Applied, operation_of
from symattn.shapes import Shape

ARGUMENT_LETTERS = ("x", "y", "z", "u", "w", "s", "r")
"""Letters for what a function of one number is defined with."""

_Positions = ops.Sinusoidal | ops.Rotary


def general_entry(name: str, node: Basic, letters: Letters, shape: Shape) -> tuple[Chain, ...]:
    """The entry formula of a step, with a line for each number that it names on the way: first where these are numbers
    of a row, last where they are functions."""
    i, j = places_of(shape, letters)
    left = letters.entry(name, i, j)
    before, after = definitions(node, letters)
    if isinstance(node, _Positions):
        inside = [other for other in _inside(node) if isinstance(other, _Positions)]
        return (*turned(inside, letters, partial(letters.entry, name, i)), *before, *after)
    line = equation(left, _of_step(node, letters, i, j))
    first = any(_is_of_rows(node, name) for name in _names(node))
    first = first or isinstance(node, ops.ClipNorm)
    return (*before, line, *after) if first else (line, *before, *after)


def places_of(shape: Shape, letters: Letters) -> tuple[Math, Math]:
    """The row and the column index of an entry; where there is only one row or column, it is the first."""
    i, j = (Number("1") if size == 1 else index for size, index in zip(shape.sizes, letters.indices, strict=True))
    return i, j


def _of_step(node: Basic, letters: Letters, i: Math, j: Math) -> Math:
    """Entry (i, j) of the formula of a step: its equation written out, where that is not longer than its name."""
    if isinstance(node, ops.TopK):
        place, count = rank_of(node, i, j), number(node.args[1])
        among = Condition((Comparison(place, "≤", count),))
        return Cases(((Number("1"), together([among])), (Number("0"), together([among.opposite]))))
    operation = _operation(node)
    short = operation is not None and is_by_cases(operation) and (not is_called(operation) or _is_of_a_name(node))
    return whole(node, letters, i, j) if short or _is_of_a_name(node) else entry(node, letters, i, j, ())


def _operation(node: Basic) -> Operation | None:
    return None if isinstance(node, ops.ClipNorm) else operation_of(node)


def _is_of_a_name(node: Basic) -> bool:
    """Whether an operation is called of a name, so that its equation is as short as its call."""
    operation = _operation(node)
    return operation is not None and is_called(operation) and isinstance(node.argument, MatrixSymbol)


def _inside(node: Basic) -> list[Basic]:
    return list(dict.fromkeys(preorder_traversal(node)))


def _names(node: Basic) -> tuple[str, ...]:
    operation = _operation(node)
    return () if operation is None or isinstance(node, _Positions) else on_the_page(operation)


def _is_of_rows(node: Basic, name: str) -> bool:
    operation = _operation(node)
    return operation is not None and not is_function(operation, name)


def definitions(node: Basic, letters: Letters) -> tuple[list[Chain], list[Chain]]:
    """What the entry of a formula names without saying it: the mean of a row; then GELU(x), sines of positions."""
    inside = _inside(node)
    rows = [line for other in inside for line in _numbers(other, letters)]
    functions: list[Chain] = []
    for other in inside:
        if other != node or not _is_written_out(node):
            functions += _called(other, letters)
        functions += _functions(other, letters)
    angles = [] if isinstance(node, _Positions) else turned([o for o in inside if isinstance(o, _Positions)], letters)
    return list(dict.fromkeys(rows)), [*dict.fromkeys(functions), *angles]


def _is_written_out(node: Basic) -> bool:
    operation = _operation(node)
    return operation is not None and (_is_of_a_name(node) or not is_called(operation))


def _numbers(node: Basic, letters: Letters) -> list[Chain]:
    """μ_i = 1/d Σ_k x_{ik} and σ_i² = 1/d Σ_k (x_{ik} − μ_i)² of layer norm; ‖G‖ of what is clipped."""
    if isinstance(node, ops.ClipNorm):
        length = Bars(formula(node.argument, letters.names), double=True)
        return [equation(length, _length_of_all(node, letters))]
    found: list[Chain] = []
    for name in _names(node):
        operation = operation_of(node)
        assert operation is not None
        if not is_function(operation, name):
            said = operation.equation(name)
            places = places_in(node, said, *letters.indices)
            found.append(equation(number_named(node, name, letters, places), written(node, said, letters, places)))
    return found


def _length_of_all(node: ops.ClipNorm, letters: Letters) -> Math:
    """√(Σ_k Σ_l g_{kl}²)"""
    operation = operation_of(node)
    assert operation is not None
    return written(node, operation.equation("r"), letters, ())


def _called(node: Basic, letters: Letters) -> list[Chain]:
    """GELU(x) = x Φ(x), ELU(x) by cases; of an operation of one's own that is written by cases, its entry."""
    operation = _operation(node)
    if operation is None or isinstance(node, _Positions):
        return []
    if is_called(operation):
        x = _argument_letter(letters)
        right = written(node, operation.result, letters, letters.indices, (), x)
        return [equation(notation(node, letters.names, lambda _: x), right)]
    if isinstance(node, Applied) and is_by_cases(operation):
        left = entry_of(node, formula(node, letters.names), *letters.indices)
        return [equation(left, whole(node, letters, *letters.indices))]
    return []


def _functions(node: Basic, letters: Letters) -> list[Chain]:
    """Φ(x) = (1 + erf(x/√2)) / 2"""
    found: list[Chain] = []
    for name in _names(node):
        operation = operation_of(node)
        assert operation is not None
        if is_function(operation, name):
            x, said = _argument_letter(letters), operation.equation(name)
            left = number_named(node, name, letters, letters.indices, (), x)
            found.append(equation(left, written(node, said, letters, letters.indices, (), x)))
    return found


def _argument_letter(letters: Letters) -> Letter:
    return Letter(fresh_letter(letters.taken, ARGUMENT_LETTERS))
