"""What is never negative by how it is made: squares, and what is added up from them.

An average of squares is not negative although nobody may be able to prove that it is not 0, as where the gradient of a
bias of the keys is exactly 0 behind many layers.
"""

from __future__ import annotations

from sympy import Basic, MatAdd, MatMul, MatrixSymbol, Transpose

from symattn.operations import Hadamard, Quotient, Repeated
from symattn.operations.node import Node, given_of, operation_of
from symattn.operations.stages import same_as_ours
from symattn.remembered import reached
from symattn.solution.store import Store

NEVER_NEGATIVE = ("abs", "exp", "sqrt", "softmax", "relu", "sigmoid")
"""Operations whose results are never negative, whatever they are applied to."""


def is_never_negative(solution: Store, formula: Basic) -> bool:
    """Whether no entry of a formula over names of the solution can be negative, as far as its form says."""
    found = reached([formula], lambda node: _if_never_negative(solution, node) or ())
    return all(_if_never_negative(solution, node) is not None for node in found)


def _if_never_negative(solution: Store, formula: Basic) -> tuple[Basic, ...] | None:
    """What else must never be negative for that; nothing where even that would not do."""
    node = same_as_ours(formula)
    match node:
        case MatrixSymbol(name=name):
            return None if name in solution.givens else (solution.formula(str(name)),)
        case MatAdd():
            return tuple(node.args)
        case MatMul():
            matrices = tuple(x for x in node.args if x.is_Matrix)
            return matrices if all(x.is_nonnegative for x in node.args if not x.is_Matrix) else None
        case Quotient():
            return node.args[:1] if node.args[1].is_positive else None
        case Hadamard():
            one, other = node.args
            return () if one == other else (one, other)
        case Repeated():
            return (node.argument,)
        case Transpose():
            return (node.arg,)
    operation = operation_of(node) if isinstance(node, Node) else None
    if operation is not None and operation.name == "power":
        is_square = any(x.is_even is True for x in given_of(node).values() if not getattr(x, "is_Matrix", False))
        return () if is_square else None
    return () if operation is not None and operation.name in NEVER_NEGATIVE else None
