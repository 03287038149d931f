"""How large a closed form would be, found out without building it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import reduce

from sympy import Basic, MatAdd, MatMul, MatPow, MatrixSymbol

from symattn import operations as ops
from symattn.equations.tree import Apply, Branch, Entry, Over, Piece
from symattn.operations.stages import Stage
from symattn.shapes import whole_sizes
from symattn.values.applied import frame

SizeOf = Callable[[str], int]

TWICE = frozenset({"exp", "log", "tanh", "erf", "xlogx"})
"""Functions whose sign SymPy looks for."""


@Stage
def closed_form_size(node: Basic, size_of: SizeOf) -> int:
    """Roughly how many numbers one entry of the closed form would hold; ``size_of`` answers for names."""
    of = frame(node)
    matrices = (arg for arg in node.args if arg.is_Matrix)
    sizes = {name: closed_form_size(arg, size_of) for (name, _), arg in zip(of.matrices, matrices, strict=True)}
    for equation in of.operation.equations:
        sizes[equation.name] = _size(equation.body, sizes, of.reach)
    return max(1, sizes[of.operation.result.name])


def _size(piece: Piece, sizes: Mapping[str, int], reach: Mapping[str, range]) -> int:
    """How many numbers a piece holds that come from the operands; ``sizes`` has those of an entry of each name."""
    match piece:
        case Entry(name, _):
            return sizes.get(name, 0)
        case Over(kind, index, body):
            return _size(body, sizes, reach) * (len(reach[index]) if kind == "sum" else 1)
        case Branch(_, then, otherwise) | Apply("max" | "min", (then, otherwise)):
            return max(_size(then, sizes, reach), _size(otherwise, sizes, reach))
        case Apply(function, arguments):
            held = sum(_size(each, sizes, reach) for each in arguments)
            # Inside one another, SymPy looks at what each function holds twice, to see its sign.
            return 2 * held if function in TWICE else held
    return 0


@closed_form_size.register(ops.ArgMax)
@closed_form_size.register(ops.TopK)
def _(node: Basic, size_of: SizeOf) -> int:
    return closed_form_size(node.argument, size_of)


@closed_form_size.register
def _(node: MatrixSymbol, size_of: SizeOf) -> int:
    return size_of(node.name)


@closed_form_size.register(MatMul)
def _(node: MatMul, size_of: SizeOf) -> int:
    factors = [arg for arg in node.args if arg.is_Matrix]
    inner = int(factors[0].shape[1])
    return reduce(lambda a, b: inner * (a + b), (closed_form_size(arg, size_of) for arg in factors))


@closed_form_size.register
def _(node: MatAdd, size_of: SizeOf) -> int:
    return sum(closed_form_size(arg, size_of) for arg in node.args)


@closed_form_size.register
def _(node: MatPow, size_of: SizeOf) -> int:
    return int((2 * whole_sizes(node)[0]) ** int(node.exp)) * closed_form_size(node.base, size_of)


@closed_form_size.register(ops.Softmax)
@closed_form_size.register(ops.RowNorm)
def _(node: ops.Softmax, size_of: SizeOf) -> int:
    return (whole_sizes(node.argument)[1] + 1) * closed_form_size(node.argument, size_of)


@closed_form_size.register
def _(node: ops.LayerNorm, size_of: SizeOf) -> int:
    return whole_sizes(node)[1] ** 2 * closed_form_size(node.argument, size_of)


@closed_form_size.register
def _(node: ops.AdditiveScores, size_of: SizeOf) -> int:
    sides = sum(closed_form_size(arg, size_of) for arg in node.args)
    return whole_sizes(node.vector)[1] * sides


@closed_form_size.register(ops.GELUTanh)
@closed_form_size.register(ops.Rotary)
def _(node: ops.GELUTanh, size_of: SizeOf) -> int:
    return 3 * closed_form_size(node.argument, size_of)


@closed_form_size.register
def _(node: ops.ELU, size_of: SizeOf) -> int:
    return closed_form_size(node.argument, size_of)
