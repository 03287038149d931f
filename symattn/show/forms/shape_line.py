"""The line of shapes of a step: every operand with its shape beside it, X (3×4) · W_Q (4×4)."""

from __future__ import annotations

from functools import singledispatch

from sympy import Basic, MatAdd, MatMul, OneMatrix

from symattn import operations as ops
from symattn.operations.stored import as_number, distinct_operands
from symattn.show.math import Math, Sign, added, seq
from symattn.show.notation.calls import Inner
from symattn.show.notation.formulas import Names, as_product, factors_before, notation, number, shortened_by
from symattn.show.notation.terms import one_term

DIVIDED = (ops.UnitRows, ops.Proportions)
"""Operations that divide rows by their length or sum."""


def shape_line(node: Basic, names: Names, operand: Inner) -> Math | None:
    """Return the left side of the line of shapes: X (3×4) · W_Q (4×4).

    ``None`` for a formula without matrices or of numbers alone, a list of numbers included, for a name by itself, and
    for rows that are divided by a number of their own: there are no shapes that have to match.
    """
    operands = [arg for arg in node.args if getattr(arg, "is_Matrix", False)]
    is_divided_or_list = isinstance(node, DIVIDED) or ops.grid_of(node) is not None
    fits = not is_divided_or_list and not all(as_number(arg) is not None for arg in operands)
    return shapes(node, names, operand) if fits else None


@singledispatch
def shapes(node: Basic, names: Names, operand: Inner) -> Math:
    """Return a formula with the shapes of its operands: the formula itself, unless its signs have no room for them."""
    product = as_product(node)
    return notation(node, names, operand) if product is None else shapes(product, names, operand)


@shapes.register
def _(node: MatMul, names: Names, operand: Inner) -> Math:
    if as_number(node) is not None:
        return notation(node, names, operand)
    parts = factors_before([arg for arg in node.args if not arg.is_Matrix], number)
    for arg in node.args:
        if arg.is_Matrix:
            parts += [Sign("·"), operand(arg)] if parts and parts[-1] != Sign("-") else [operand(arg)]
    return seq(*parts)


@shapes.register
def _(node: MatAdd, names: Names, operand: Inner) -> Math:
    parts: list[Math] = []
    for arg in distinct_operands(node.args):
        if (alone := as_number(arg)) is not None:
            parts.append(number(alone))
            continue
        scalars = [factor for factor in arg.args if not factor.is_Matrix] if isinstance(arg, MatMul) else []
        matrices = arg.args[len(scalars) :] if scalars else (arg,)
        front = factors_before(scalars, number)
        if front and front[-1] != Sign("-"):
            front.append(Sign("·"))
        piece = operand(matrices[0] if len(matrices) == 1 else MatMul(*matrices, evaluate=False))
        parts.append(seq(*front, one_term(piece) if front else piece))
    return added(*parts)


@shapes.register
def _(node: ops.Broadcast, names: Names, operand: Inner) -> Math:
    return shapes(MatMul(OneMatrix(node.shape[0], 1), node.argument, evaluate=False), names, operand)


@shapes.register
def _(node: ops.ClipNorm, names: Names, operand: Inner) -> Math:
    return seq(shortened_by(node, names), Sign("·"), operand(node.argument))
