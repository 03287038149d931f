"""What a gradient does with a part of a matrix, as the product that it is: I_{·,3} G puts a row G back as the third.

The name of its operation, rowᵀ(3, 3, G), is nobody's; columns and rows of an identity matrix are everybody's.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from sympy import Basic, Identity, MatMul, Transpose

from symattn import operations as ops
from symattn.operations.node import parameters_of, record_of


def as_product(node: Basic) -> MatMul | None:
    """The product that puts a part back where it was taken from; ``None`` for any other node.

    >>> from symattn.formula import Scope, read_formula
    >>> from symattn.shapes import Axis, Shape
    >>> scope = Scope({"G": Shape(Axis(1), Axis(2))})
    >>> as_product(read_formula("row_vjp_X(3, 2, G)", scope).expr).shape, as_product(read_formula("G + G", scope).expr)
    ((3, 2), None)
    """
    record = record_of(node)
    rule = None if record is None else _RULES.get(record.name)
    return None if rule is None else MatMul(*rule(*(arg for _, arg in parameters_of(node))), evaluate=False)


def _columns(size: Any, first: Any, last: Any) -> Basic:
    return Transpose(ops.Rows(Transpose(Identity(size)), first, last))


def _entry(rows: Any, columns: Any, row: Any, column: Any, *gradient: Basic) -> list[Basic]:
    return [_columns(rows, row, row), *gradient, ops.Rows(Identity(columns), column, column)]


def _head(width: Any, head: Any, heads: Any, gradient: Basic) -> list[Basic]:
    last = head * width / heads
    return [gradient, ops.Rows(Identity(width), last - width / heads + 1, last)]


_RULES: Mapping[str, Callable[..., list[Basic]]] = MappingProxyType(
    {
        "row_vjp_X": lambda rows, row, gradient: [_columns(rows, row, row), gradient],
        "rows_vjp_X": lambda rows, first, last, gradient: [_columns(rows, first, last), gradient],
        "head_vjp_X": _head,
        "entry_vjp_X": _entry,
        "entry_grad_X": _entry,
    }
)
"""The gradients of operations that take a part of a matrix; an entry may be the loss itself."""
