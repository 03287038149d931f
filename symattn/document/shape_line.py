"""The line of shapes of a step: every operand with its shape beside it, X (3×4) · W_Q (4×4)."""

from __future__ import annotations

from collections.abc import Callable
from functools import singledispatch

from sympy import Basic, MatAdd, MatMul, Transpose

from symattn.document.math import Bars, Call, Fraction, Grid, Letter, Math, Number, Parens, Script, Sign, seq
from symattn.document.notation import (
    CALLED,
    ENTRY_BY_ENTRY,
    T,
    called,
    factors_before,
    is_block_of_columns,
    is_subtracted,
    number,
)
from symattn.operations import (
    ELU,
    GELU,
    AdditiveScores,
    Angle,
    ArgMax,
    Broadcast,
    ClipNorm,
    Concat,
    Cosine,
    Dot,
    Entropy,
    EntryQuotient,
    Exp,
    GELUTanh,
    Hadamard,
    Head,
    Keep,
    LayerNorm,
    Log,
    OneHot,
    Proportions,
    Quotient,
    ReLU,
    RMSNorm,
    Rotary,
    Row,
    RowMax,
    RowNorm,
    Rows,
    SiLU,
    Softmax,
    Stack,
    Tanh,
    TopK,
    UnitRows,
)

Operands = Callable[[Basic], Math]
"""How an operand is written with its shape."""


@singledispatch
def shape_line(node: Basic, operand: Operands) -> Math | None:
    """The left side of the line of shapes: X (3×4) · W_Q (4×4); ``None`` where there is nothing to say."""
    return None


@shape_line.register
def _(node: MatMul, operand: Operands) -> Math | None:
    parts = factors_before([arg for arg in node.args if not arg.is_Matrix], number)
    for arg in node.args:
        if arg.is_Matrix:
            parts += [Sign("·"), operand(arg)] if parts and parts[-1] != Sign("-") else [operand(arg)]
    return seq(*parts)


@shape_line.register
def _(node: MatAdd, operand: Operands) -> Math | None:
    parts: list[Math] = []
    for arg in node.args:
        scalars = [factor for factor in arg.args if not factor.is_Matrix] if isinstance(arg, MatMul) else []
        matrices = arg.args[len(scalars) :] if scalars else (arg,)
        front = factors_before(scalars, number)
        if front and front[-1] != Sign("-"):
            front.append(Sign("·"))
        piece = operand(matrices[0] if len(matrices) == 1 else MatMul(*matrices, evaluate=False))
        parts += [*([Sign("+")] if parts and not is_subtracted(arg) else []), *front, piece]
    return seq(*parts)


@shape_line.register
def _(node: Transpose, operand: Operands) -> Math | None:
    if is_block_of_columns(node):
        rows = node.arg
        return Call("columns", (operand(rows.argument.arg), number(rows.args[1]), number(rows.args[2])))
    return Script(Parens(operand(node.arg)), sup=T)


@shape_line.register
def _(node: Quotient, operand: Operands) -> Math | None:
    return Fraction(operand(node.argument), number(node.divisor))


@shape_line.register
def _(node: Softmax, operand: Operands) -> Math | None:
    return Call(CALLED[Softmax], (operand(node.argument),))


@shape_line.register
def _(node: ReLU, operand: Operands) -> Math | None:
    return Call(CALLED[ReLU], (operand(node.argument),))


@shape_line.register
def _(node: LayerNorm, operand: Operands) -> Math | None:
    affine = () if node.gamma is None else (operand(node.gamma), operand(node.beta))
    return Call("LN", (operand(node.argument), *affine))


@shape_line.register
def _(node: Broadcast, operand: Operands) -> Math | None:
    return Call("broadcast", (operand(node.argument),))


@shape_line.register
def _(node: Row, operand: Operands) -> Math | None:
    return Call("row", (operand(node.argument),))


@shape_line.register
def _(node: Dot, operand: Operands) -> Math | None:
    if (node.left.shape[0], node.right.shape[0]) != (1, 1):
        return Call(CALLED[Dot], (operand(node.left), operand(node.right)))
    return seq(operand(node.left), Sign("·"), operand(node.right))


@shape_line.register(Exp)
@shape_line.register(ELU)
@shape_line.register(UnitRows)
@shape_line.register(Proportions)
@shape_line.register(RowMax)
@shape_line.register(Entropy)
@shape_line.register(Cosine)
@shape_line.register(Angle)
@shape_line.register(Concat)
@shape_line.register(Tanh)
@shape_line.register(Log)
@shape_line.register(GELU)
@shape_line.register(SiLU)
@shape_line.register(RMSNorm)
@shape_line.register(AdditiveScores)
@shape_line.register(ArgMax)
@shape_line.register(Keep)
def _(node: Basic, operand: Operands) -> Math | None:
    return Call(CALLED[type(node)], tuple(operand(arg) for arg in node.args if arg.is_Matrix))


@shape_line.register(Hadamard)
@shape_line.register(EntryQuotient)
def _(node: Hadamard | EntryQuotient, operand: Operands) -> Math | None:
    return seq(operand(node.left), Sign(ENTRY_BY_ENTRY[type(node)]), operand(node.right))


@shape_line.register
def _(node: Rows, operand: Operands) -> Math | None:
    return Call(CALLED[Rows], (operand(node.argument), number(node.args[1]), number(node.args[2])))


@shape_line.register
def _(node: Stack, operand: Operands) -> Math | None:
    return Grid(tuple((operand(part),) for part in node.args))


@shape_line.register(GELUTanh)
@shape_line.register(TopK)
@shape_line.register(Rotary)
def _(node: GELUTanh | TopK | Rotary, operand: Operands) -> Math | None:
    return called(node, (operand(node.argument),))


@shape_line.register
def _(node: RowNorm, operand: Operands) -> Math | None:
    inner = operand(node.argument)
    return Bars(inner, double=True) if node.shape[0] == 1 else Call("norm", (inner,))


@shape_line.register
def _(node: Head, operand: Operands) -> Math | None:
    name = Script(Letter(CALLED[Head], "upright"), sub=Number(str(node.number)))
    return seq(name, Parens(operand(node.argument)))


@shape_line.register
def _(node: ClipNorm, operand: Operands) -> Math | None:
    return Call(CALLED[ClipNorm], (operand(node.argument), number(node.threshold)))


@shape_line.register
def _(node: OneHot, operand: Operands) -> Math | None:
    return Call(CALLED[OneHot], (operand(node.ids), number(node.shape[1])))
