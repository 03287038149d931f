"""What is never negative by how it is made: squares, and what is added up from them.

An average of squares is not negative although nobody may be able to prove that it is not 0, as where the gradient of a
bias of the keys is exactly 0 behind many layers.
"""

from __future__ import annotations

from sympy import Basic, MatAdd, MatMul, MatrixSymbol, Transpose

from symattn.operations import Hadamard, Quotient, Repeated
from symattn.operations.node import Node, given_of, operation_of
from symattn.operations.stages import same_as_ours
from symattn.solution.store import Store

NEVER_NEGATIVE = ("abs", "exp", "sqrt", "softmax", "relu", "sigmoid")
"""Operations whose results are never negative, whatever they are applied to."""


def is_never_negative(solution: Store, formula: Basic) -> bool:
    """Whether no entry of a formula over names of the solution can be negative, as far as its form says."""
    node = same_as_ours(formula)
    match node:
        case MatrixSymbol(name=name):
            return name not in solution.givens and is_never_negative(solution, solution.formula(str(name)))
        case MatAdd():
            return all(is_never_negative(solution, term) for term in node.args)
        case MatMul():
            return all(is_never_negative(solution, x) if x.is_Matrix else x.is_nonnegative for x in node.args)
        case Quotient():
            return bool(node.args[1].is_positive) and is_never_negative(solution, node.args[0])
        case Hadamard():
            one, other = node.args
            return one == other or (is_never_negative(solution, one) and is_never_negative(solution, other))
        case Repeated():
            return is_never_negative(solution, node.argument)
        case Transpose():
            return is_never_negative(solution, node.arg)
    operation = operation_of(node) if isinstance(node, Node) else None
    if operation is None:
        return False
    if operation.name == "power":
        return any(x.is_even is True for x in given_of(node).values() if not getattr(x, "is_Matrix", False))
    return operation.name in NEVER_NEGATIVE
