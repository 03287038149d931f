"""How large a closed form would be, found out without building it."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce, singledispatch

from sympy import Basic, MatAdd, MatMul, MatPow, MatrixSymbol

from symattn import operations as ops

Sizes = Callable[[str], int]


@singledispatch
def closed_form_size(node: Basic, size_of: Sizes) -> int:
    """Roughly how many numbers one entry of the closed form would hold; ``size_of`` answers for names."""
    # Transpose, quotient, ReLU, mask, broadcast, row, head …: an entry is an entry of the argument.
    return max((closed_form_size(arg, size_of) for arg in node.args if getattr(arg, "is_Matrix", False)), default=1)


@closed_form_size.register
def _(node: MatrixSymbol, size_of: Sizes) -> int:
    return size_of(node.name)


@closed_form_size.register(MatMul)
@closed_form_size.register(ops.Dot)
def _(node: MatMul, size_of: Sizes) -> int:
    factors = [arg for arg in node.args if arg.is_Matrix]
    inner = int(factors[0].shape[1])
    return reduce(lambda a, b: inner * (a + b), (closed_form_size(arg, size_of) for arg in factors))


@closed_form_size.register
def _(node: MatAdd, size_of: Sizes) -> int:
    return sum(closed_form_size(arg, size_of) for arg in node.args)


@closed_form_size.register
def _(node: MatPow, size_of: Sizes) -> int:
    return int((2 * int(node.shape[0])) ** int(node.exp)) * closed_form_size(node.base, size_of)


@closed_form_size.register(ops.Softmax)
@closed_form_size.register(ops.Proportions)
@closed_form_size.register(ops.RowNorm)
@closed_form_size.register(ops.UnitRows)
def _(node: ops.Softmax, size_of: Sizes) -> int:
    return (int(node.argument.shape[1]) + 1) * closed_form_size(node.argument, size_of)


@closed_form_size.register
def _(node: ops.LayerNorm, size_of: Sizes) -> int:
    return int(node.shape[1]) ** 2 * closed_form_size(node.argument, size_of)


@closed_form_size.register
def _(node: ops.Entropy, size_of: Sizes) -> int:
    return 2 * int(node.argument.shape[1]) * closed_form_size(node.argument, size_of)


@closed_form_size.register(ops.Cosine)
@closed_form_size.register(ops.Angle)
def _(node: ops.Cosine, size_of: Sizes) -> int:
    inner = int(node.left.shape[1])
    return 2 * inner * (closed_form_size(node.left, size_of) + closed_form_size(node.right, size_of))


@closed_form_size.register
def _(node: ops.AdditiveScores, size_of: Sizes) -> int:
    sides = sum(closed_form_size(arg, size_of) for arg in node.args)
    return int(node.vector.shape[1]) * sides


@closed_form_size.register(ops.Hadamard)
@closed_form_size.register(ops.EntryQuotient)
def _(node: ops.Hadamard, size_of: Sizes) -> int:
    return closed_form_size(node.left, size_of) + closed_form_size(node.right, size_of)


@closed_form_size.register
def _(node: ops.RMSNorm, size_of: Sizes) -> int:
    return (int(node.shape[1]) + 1) * closed_form_size(node.argument, size_of)


@closed_form_size.register(ops.Exp)
@closed_form_size.register(ops.Log)
@closed_form_size.register(ops.Tanh)
def _(node: ops.Exp, size_of: Sizes) -> int:
    # Inside one another, SymPy looks at what each holds twice, to see its sign.
    return 2 * closed_form_size(node.argument, size_of)


@closed_form_size.register(ops.SiLU)
@closed_form_size.register(ops.GELU)
@closed_form_size.register(ops.GELUTanh)
@closed_form_size.register(ops.Rotary)
def _(node: ops.SiLU, size_of: Sizes) -> int:
    return 3 * closed_form_size(node.argument, size_of)


@closed_form_size.register
def _(node: ops.ClipNorm, size_of: Sizes) -> int:
    rows, columns = (int(length) for length in node.shape)
    return (rows * columns + 1) * closed_form_size(node.argument, size_of)


@closed_form_size.register
def _(node: ops.Keep, size_of: Sizes) -> int:
    return closed_form_size(node.argument, size_of)
