"""What a gradient does with a part of a matrix, as the product that it is: I_{·,3} G puts a row G back as the third.

The name of its operation, rowᵀ(3, 3, G), is nobody's; columns and rows of an identity matrix are everybody's.
"""

from __future__ import annotations

from typing import Any

from sympy import Basic, Identity, MatMul, Transpose

from symattn import operations as ops
from symattn.operations.node import parameters_of, record_of


def put_back(node: Basic) -> MatMul | None:
    """The product that puts a part back where it was taken from; ``None`` for any other node.

    >>> from symattn.formula import Scope, read_formula
    >>> from symattn.shapes import Axis, Shape
    >>> scope = Scope({"G": Shape(Axis(1), Axis(2))})
    >>> put_back(read_formula("row_vjp_X(3, 2, G)", scope).expr).shape, put_back(read_formula("G + G", scope).expr)
    ((3, 2), None)
    """
    record = record_of(node)
    if record is None or record.name not in _PARTS:
        return None
    given = [arg for _, arg in parameters_of(node)]
    match record.name:
        case "row_vjp_X":
            rows, row, grad = given
            factors = [_columns(rows, row, row), grad]
        case "rows_vjp_X":
            *block, grad = given
            factors = [_columns(*block), grad]
        case "head_vjp_X":
            width, head, heads, grad = given
            last = head * width / heads
            factors = [grad, ops.Rows(Identity(width), last - width / heads + 1, last)]
        case _:
            rows, columns, row, column, *grads = given
            factors = [_columns(rows, row, row), *grads, ops.Rows(Identity(columns), column, column)]
    return MatMul(*factors, evaluate=False)


_PARTS = frozenset(("row_vjp_X", "rows_vjp_X", "head_vjp_X", "entry_vjp_X", "entry_grad_X"))
"""The gradients of operations that take a part of a matrix; an entry may be the loss itself."""


def _columns(count: Any, first: Any, last: Any) -> Transpose:
    """I_{·,first:last}"""
    return Transpose(ops.Rows(Transpose(Identity(count)), first, last))
