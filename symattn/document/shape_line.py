"""The line of shapes of a step: every operand with its shape beside it, X (3×4) · W_Q (4×4)."""

from __future__ import annotations

from collections.abc import Callable
from functools import singledispatch

from sympy import Basic, MatAdd, MatMul, Transpose

from symattn import operations as ops
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
def _(node: ops.Quotient, operand: Operands) -> Math | None:
    return Fraction(operand(node.argument), number(node.divisor))


@shape_line.register
def _(node: ops.Softmax, operand: Operands) -> Math | None:
    return Call(CALLED[ops.Softmax], (operand(node.argument),))


@shape_line.register
def _(node: ops.ReLU, operand: Operands) -> Math | None:
    return Call(CALLED[ops.ReLU], (operand(node.argument),))


@shape_line.register
def _(node: ops.LayerNorm, operand: Operands) -> Math | None:
    affine = () if node.gamma is None else (operand(node.gamma), operand(node.beta))
    return Call("LN", (operand(node.argument), *affine))


@shape_line.register
def _(node: ops.Broadcast, operand: Operands) -> Math | None:
    return Call("broadcast", (operand(node.argument),))


@shape_line.register
def _(node: ops.Row, operand: Operands) -> Math | None:
    return Call("row", (operand(node.argument),))


@shape_line.register
def _(node: ops.Dot, operand: Operands) -> Math | None:
    if (node.left.shape[0], node.right.shape[0]) != (1, 1):
        return Call(CALLED[ops.Dot], (operand(node.left), operand(node.right)))
    return seq(operand(node.left), Sign("·"), operand(node.right))


@shape_line.register(ops.Exp)
@shape_line.register(ops.ELU)
@shape_line.register(ops.UnitRows)
@shape_line.register(ops.Proportions)
@shape_line.register(ops.RowMax)
@shape_line.register(ops.Entropy)
@shape_line.register(ops.Cosine)
@shape_line.register(ops.Angle)
@shape_line.register(ops.Concat)
@shape_line.register(ops.Tanh)
@shape_line.register(ops.Log)
@shape_line.register(ops.GELU)
@shape_line.register(ops.SiLU)
@shape_line.register(ops.RMSNorm)
@shape_line.register(ops.AdditiveScores)
@shape_line.register(ops.ArgMax)
@shape_line.register(ops.Keep)
def _(node: Basic, operand: Operands) -> Math | None:
    return Call(CALLED[type(node)], tuple(operand(arg) for arg in node.args if arg.is_Matrix))


@shape_line.register(ops.Hadamard)
@shape_line.register(ops.EntryQuotient)
def _(node: ops.Hadamard | ops.EntryQuotient, operand: Operands) -> Math | None:
    return seq(operand(node.left), Sign(ENTRY_BY_ENTRY[type(node)]), operand(node.right))


@shape_line.register
def _(node: ops.Rows, operand: Operands) -> Math | None:
    return Call(CALLED[ops.Rows], (operand(node.argument), number(node.args[1]), number(node.args[2])))


@shape_line.register
def _(node: ops.Stack, operand: Operands) -> Math | None:
    return Grid(tuple((operand(part),) for part in node.args))


@shape_line.register(ops.GELUTanh)
@shape_line.register(ops.TopK)
@shape_line.register(ops.Rotary)
def _(node: ops.GELUTanh | ops.TopK | ops.Rotary, operand: Operands) -> Math | None:
    return called(node, (operand(node.argument),))


@shape_line.register
def _(node: ops.RowNorm, operand: Operands) -> Math | None:
    inner = operand(node.argument)
    return Bars(inner, double=True) if node.shape[0] == 1 else Call("norm", (inner,))


@shape_line.register
def _(node: ops.Head, operand: Operands) -> Math | None:
    name = Script(Letter(CALLED[ops.Head], "upright"), sub=Number(str(node.number)))
    return seq(name, Parens(operand(node.argument)))


@shape_line.register
def _(node: ops.ClipNorm, operand: Operands) -> Math | None:
    return Call(CALLED[ops.ClipNorm], (operand(node.argument), number(node.threshold)))


@shape_line.register
def _(node: ops.OneHot, operand: Operands) -> Math | None:
    return Call(CALLED[ops.OneHot], (operand(node.ids), number(node.shape[1])))
