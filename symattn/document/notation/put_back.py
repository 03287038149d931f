"""What a gradient does with a part of a matrix, as a product of matrices: :mod:`symattn.operations.put_back`."""

from __future__ import annotations

from sympy import Basic, Identity, MatMul, Transpose

from symattn import operations as ops
from symattn.operations.node import parameters_of, record_of
from symattn.operations.put_back import put_back


def as_product(node: Basic) -> MatMul | None:
    """The product that puts a part back where it was taken from; ``None`` for any other node.

    >>> from symattn.formula import Scope, read_formula
    >>> from symattn.shapes import Axis, Shape
    >>> scope = Scope({"G": Shape(Axis(1), Axis(2))})
    >>> as_product(read_formula("row_vjp_X(3, 2, G)", scope).expr).shape, as_product(read_formula("G + G", scope).expr)
    ((3, 2), None)
    """
    record = record_of(node)
    found = None if record is None else put_back(record.name, tuple(arg for _, arg in parameters_of(node)))
    if found is None:
        return None
    before, behind = found.before, found.behind
    factors: list[Basic] = []
    if before is not None:
        factors.append(Transpose(ops.Rows(Transpose(Identity(before.size)), before.first, before.last)))
    factors += [found.gradient] if found.gradient is not None else []
    if behind is not None:
        factors.append(ops.Rows(Identity(behind.size), behind.first, behind.last))
    return MatMul(*factors, evaluate=False)
