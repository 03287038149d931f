"""Entry (i, j) of a formula by the definitions of its operations, one node after the other.

Each node says its own entry (``node[i, j]``), with stand-ins for the matrices inside it; the entries of those are then
put in. Bound indices are all different, so no sum captures another's.
"""

from __future__ import annotations

from sympy import (
    Add,
    Expr,
    Function,
    Identity,
    Integer,
    KroneckerDelta,
    MatAdd,
    MatMul,
    MatPow,
    MatrixExpr,
    MatrixSymbol,
    OneMatrix,
    S,
    Sum,
    Symbol,
    Transpose,
    ZeroMatrix,
    exp,
)
from sympy.matrices.expressions.matexpr import MatrixElement

from symattn import operations as ops
from symattn.proof.error import ProofError
from symattn.proof.tree import Frequency, Indices, Largest, add, cosine, mul, rebuilt, sine, total

OPAQUE: dict[type, str] = {
    ops.ELU: "ELU",
    ops.ReLU: "ReLU",
    ops.GELU: "GELU",
    ops.GELUTanh: "GELU_tanh",
    ops.CausalMask: "causal_mask",
    ops.WindowMask: "window_mask",
    ops.PaddingMask: "padding_mask",
}
"""Nodes that a proof for all sizes leaves as they are: their definition distinguishes cases, or is long."""

Arranged = ops.Concat | ops.Stack | ops.Rotary | ops.Sinusoidal
"""Nodes whose entry depends on which block or which of a pair of columns it is in: rules split the sums over them."""


def general_entry(node: MatrixExpr, i: Expr, j: Expr, indices: Indices) -> Expr:
    """Entry (i, j), everything put in down to entries of names.

    >>> from symattn.operations import MatrixSymbol, Softmax
    >>> i, j = Symbol("i", integer=True), Symbol("j", integer=True)
    >>> general_entry(Softmax(MatrixSymbol("S", 2, 3)), i, j, Indices())
    exp(S[i, j])/Sum(exp(S[i, index_1]), (index_1, 0, 2))
    """
    match node:
        case MatrixSymbol():
            return MatrixElement(node, i, j)
        case MatMul():
            return _product(node, i, j, indices)
        case MatAdd():
            return add(*(general_entry(part, i, j, indices) for part in node.args))
        case MatPow():
            return _product(MatMul(*[node.base] * int(node.exp), evaluate=False), i, j, indices)
        case Transpose():
            return general_entry(node.arg, j, i, indices)
        case Identity():
            return KroneckerDelta(i, j)
        case OneMatrix():
            return S.One
        case ZeroMatrix():
            return S.Zero
        case ops.RowMax():
            index, length = indices.new(), node.argument.shape[1]
            if length == 1:
                return general_entry(node.argument, i, Integer(0), indices)
            return Largest(general_entry(node.argument, i, index, indices), index, length)
        case ops.ELU() | ops.ReLU() | ops.GELU() | ops.GELUTanh():
            return Function(OPAQUE[type(node)])(general_entry(node.argument, i, j, indices))
        case ops.CausalMask() | ops.WindowMask() | ops.PaddingMask():
            return Function(OPAQUE[type(node)])(i, j, *node.args[1:])
        case ops.Concat() | ops.Stack() | ops.Rotary() | ops.Sinusoidal():
            return _arranged(node, i, j, indices)
        case ops.ArgMax() | ops.TopK():
            raise ProofError(f"there is no rule for {type(node).__name__}, which chooses by size")
    body, inside = definition(node, i, j)
    return _put_in(body, inside, {}, indices)


def definition(node: MatrixExpr, i: Expr, j: Expr) -> tuple[Expr, dict[MatrixSymbol, MatrixExpr]]:
    """What a node says of its entry, and which matrix each stand-in stands for.

    >>> from symattn.operations import Exp, MatrixSymbol, Transpose
    >>> definition(Exp(Transpose(MatrixSymbol("S", 2, 3))), Integer(0), Integer(1))
    (exp(_1[0, 1]), {_1: S.T})
    """
    inside: dict[MatrixSymbol, MatrixExpr] = {}
    args: list[Expr] = []
    for arg in node.args:
        if isinstance(arg, MatrixExpr):
            stand_in = MatrixSymbol(f"_{len(inside) + 1}", *arg.shape)
            inside[stand_in] = arg
            args.append(stand_in)
        else:
            args.append(arg)
    if isinstance(node, ops.Keep):
        # For a mask of 0 and −∞, and no other comes here: e^0 keeps an entry and e^{−∞} makes it 0.
        return mul(args[0][i, j], exp(args[1][i, j])), inside
    return node.func(*args)[i, j], inside


def _arranged(node: Arranged, i: Expr, j: Expr, indices: Indices) -> Expr:
    """The entry of what is put together, where the place tells the part; else the entry as such."""
    if isinstance(node, ops.Rotary | ops.Sinusoidal):
        return turned(node, i, j, indices) or MatrixElement(node, i, j)
    place, lengths = (j, widths(node)) if isinstance(node, ops.Concat) else (i, widths(node))
    start: Expr = Integer(0)
    for part, length in zip(node.args, lengths, strict=True):
        inside = place - start
        if not inside.is_Integer:
            break
        if length.is_Integer and inside >= length:
            start += length
        elif length.is_Integer or inside == 0:
            return general_entry(part, *((i, inside) if isinstance(node, ops.Concat) else (inside, j)), indices)
        else:
            break
    return MatrixElement(node, i, j)


def widths(node: ops.Concat | ops.Stack) -> tuple[Expr, ...]:
    """How long each part is along the axis on which they are put together."""
    return tuple(part.shape[1 if isinstance(node, ops.Concat) else 0] for part in node.args)


def turned(node: ops.Rotary | ops.Sinusoidal, i: Expr, j: Expr, indices: Indices) -> Expr | None:
    """The entry in column 2t or 2t + 1 (counted from 0) by sine and cosine; ``None`` for any other column."""
    number, doubled = j.as_coeff_Add()
    pair = (doubled + number - number % 2) / 2
    if not all(term.as_coeff_Mul()[0].is_Integer for term in Add.make_args(pair)):
        return None
    frequency = Frequency(node.base, pair, node.shape[1])
    if isinstance(node, ops.Sinusoidal):
        angle = mul(i, frequency)
        return cosine(angle) if number % 2 else sine(angle)
    angle = mul(add(node.start, i), frequency)
    first, second = (general_entry(node.argument, i, column, indices) for column in (2 * pair, 2 * pair + 1))
    if number % 2:
        return add(mul(first, sine(angle)), mul(second, cosine(angle)))
    return add(mul(first, cosine(angle)), mul(S.NegativeOne, second, sine(angle)))


def _product(node: MatMul, i: Expr, j: Expr, indices: Indices) -> Expr:
    matrices = [arg for arg in node.args if arg.is_Matrix]
    bounds = [(indices.new(), matrix.shape[1]) for matrix in matrices[:-1]]
    places = [i, *(index if length != 1 else Integer(0) for index, length in bounds), j]
    entries = [
        general_entry(matrix, places[position], places[position + 1], indices)
        for position, matrix in enumerate(matrices)
    ]
    body = mul(*entries)
    for index, length in reversed(bounds):
        body = total(body, index, length)
    return mul(*(arg for arg in node.args if not arg.is_Matrix), body)


def _put_in(
    body: Expr, inside: dict[MatrixSymbol, MatrixExpr], renamed: dict[Symbol, Symbol], indices: Indices
) -> Expr:
    if isinstance(body, MatrixElement):
        # A number of the reader's own (row 2) stays; an index of the definition gets its new name.
        i, j = (place.xreplace(renamed) for place in (body.i, body.j))
        return general_entry(inside[body.parent], i, j, indices)
    if isinstance(body, Sum):
        ((index, _, upper), *more) = reversed(body.limits)
        inner = Sum(body.function, *reversed(more)) if more else body.function
        new = indices.new()
        length = (upper + 1).xreplace(renamed)
        if length == 1:
            # The only value of the index.
            return _put_in(inner.xreplace({index: Integer(0)}), inside, renamed, indices)
        return total(_put_in(inner, inside, {**renamed, index: new}, indices), new, length)
    if isinstance(body, Symbol):
        return renamed.get(body, body)
    args = body.args
    if isinstance(body, Add):
        # SymPy has sorted the terms; a reader expects x − μ and σ² + ε.
        args = tuple(sorted(args, key=lambda arg: (arg.could_extract_minus_sign(), arg.is_number)))
    return rebuilt(body, tuple(_put_in(arg, inside, renamed, indices) for arg in args))
