"""How names and formulas are written: from SymPy's trees to :mod:`symattn.document.math`, in reading order.

SymPy's own printer sorts sums and products and prints nodes it does not know as their class name; here every node has
a rule or is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import singledispatch
from types import MappingProxyType
from typing import Literal

from sympy import (
    Basic,
    Expr,
    Identity,
    MatAdd,
    MatMul,
    MatPow,
    MatrixSymbol,
    OneMatrix,
    Transpose,
    ZeroMatrix,
)

from symattn import operations as ops
from symattn.document.math import (
    Accented,
    Bars,
    Call,
    Fraction,
    Grid,
    Letter,
    Math,
    Number,
    Parens,
    Script,
    Sign,
    joined,
    multiplied,
    seq,
)
from symattn.document.names import Names as Names
from symattn.document.names import T as T
from symattn.document.names import atom
from symattn.document.names import by_rule as by_rule
from symattn.document.numerals import number as number

CALLED: Mapping[type, str] = MappingProxyType(
    {
        ops.Softmax: "softmax",
        ops.ReLU: "ReLU",
        ops.Exp: "exp",
        ops.ELU: "ELU",
        ops.UnitRows: "unit",
        ops.Proportions: "proportions",
        ops.RowMax: "rowmax",
        ops.Entropy: "entropy",
        ops.Dot: "dot",
        ops.Cosine: "cos",
        ops.Angle: "angle",
        ops.ClipNorm: "clip",
        ops.Head: "head",
        ops.Concat: "concat",
        ops.OneHot: "onehot",
        ops.WindowMask: "window",
        ops.Keep: "keep",
        ops.PaddingMask: "padding",
        ops.Tanh: "tanh",
        ops.Log: "ln",
        ops.GELU: "GELU",
        ops.GELUTanh: "GELU",
        ops.SiLU: "SiLU",
        ops.RMSNorm: "RMSNorm",
        ops.AdditiveScores: "additive",
        ops.Sinusoidal: "PE",
        ops.Rotary: "RoPE",
        ops.Distance: "distance",
        ops.Rows: "rows",
        ops.ArgMax: "argmax",
        ops.TopK: "top",
    }
)
"""What functions are called on the page."""

ENTRY_BY_ENTRY: Mapping[type, Literal["⊙", "⊘"]] = MappingProxyType({ops.Hadamard: "⊙", ops.EntryQuotient: "⊘"})
"""The signs of operations entry by entry."""

USUAL_BASE = 10_000
"""The base of wavelengths that needs no mention."""


@singledispatch
def formula(node: Basic, names: Names) -> Math:
    """A formula as mathematics."""
    raise TypeError(f"no notation for {type(node).__name__}")


@formula.register
def _(node: MatrixSymbol, names: Names) -> Math:
    return names(node.name)


@formula.register
def _(node: MatMul, names: Names) -> Math:
    parts: list[Math] = []
    # A chain of factors is one node; a product inside a product was written in parentheses.
    several = sum(bool(arg.is_Matrix) for arg in node.args) > 1
    only_a_sign = len(node.args) == 2 and node.args[0] == -1
    parts += factors_before([arg for arg in node.args if not arg.is_Matrix], number)
    for arg in node.args:
        if arg.is_Matrix:
            inner = formula(arg, names)
            loose = isinstance(arg, MatAdd) or is_subtracted(arg) or (isinstance(arg, MatMul) and several)
            loose = loose or (isinstance(arg, ops.Hadamard | ops.EntryQuotient) and not only_a_sign)
            loose = loose or (is_dot_of_rows(arg) and several)
            parts.append(Parens(inner) if loose else inner)
    return multiplied(*parts)


def factors_before(scalars: Sequence[Expr], written: Callable[[Expr], Math]) -> list[Math]:
    """The numbers in front of a product: − X, 2 X, −2·3 X."""
    parts: list[Math] = []
    for position, scalar in enumerate(scalars):
        if position == 0 and _coefficient(scalar) < 0:
            parts.append(Sign("-"))
            scalar = -scalar
        if scalar == 1 and parts == [Sign("-")]:
            continue
        piece = written(scalar)
        piece = Parens(piece) if scalar.is_Add and not isinstance(piece, Parens) else piece
        if parts and parts[-1] != Sign("-"):
            parts.append(Sign("·"))
        parts.append(Parens(piece) if position and scalar.could_extract_minus_sign() else piece)
    return parts


@formula.register
def _(node: MatAdd, names: Names) -> Math:
    parts: list[Math] = []
    for arg in node.args:
        inner = formula(arg, names)
        if parts and not is_subtracted(arg):
            parts.append(Sign("+"))
        parts.append(inner)
    return seq(*parts)


def is_subtracted(node: Basic) -> bool:
    """Whether a term of a sum is written with a minus in front: −X, −½X, −tX."""
    return isinstance(node, MatMul) and not node.args[0].is_Matrix and bool(_coefficient(node.args[0]) < 0)


def _coefficient(scalar: Expr) -> Expr:
    """A number, or the number in front of one with letters."""
    return scalar if scalar.is_number else scalar.as_coeff_Mul()[0]


@formula.register
def _(node: MatPow, names: Names) -> Math:
    return Script(atom(formula(node.base, names)), sup=number(node.exp))


def is_block_of_columns(node: Basic) -> bool:
    """Whether a transpose only turns a matrix back whose turned rows were picked: S_{·,1:2}."""
    return isinstance(node.arg, ops.Rows) and isinstance(node.arg.argument, Transpose)


@formula.register
def _(node: Transpose, names: Names) -> Math:
    if is_block_of_columns(node):
        rows = node.arg
        return Script(atom(formula(rows.argument.arg, names)), sub=seq(Sign("·"), Sign(","), *_range(rows)))
    return Script(atom(formula(node.arg, names)), sup=T)


@formula.register
def _(node: ops.Quotient, names: Names) -> Math:
    return Fraction(formula(node.argument, names), number(node.divisor))


@formula.register
def _(node: ops.LayerNorm, names: Names) -> Math:
    affine = () if node.gamma is None else (_filling(node.gamma, names), _filling(node.beta, names))
    return Call("LN", (formula(node.argument, names), *affine))


def _filling(row: Basic, names: Names) -> Math:
    """γ or β; a plain 1 where only the other one is given."""
    return Number("1") if isinstance(row, OneMatrix) else formula(row, names)


@formula.register
def _(node: ops.CausalMask, names: Names) -> Math:
    return Call("mask", (number(node.shape[0]),))


@formula.register
def _(node: ops.Broadcast, names: Names) -> Math:
    return Call("broadcast", (formula(node.argument, names), number(node.shape[0])))


@formula.register
def _(node: ops.Row, names: Names) -> Math:
    inner = node.argument
    return names.row(formula(inner, names), inner.name if isinstance(inner, MatrixSymbol) else "", node.number)


@formula.register
def _(node: ops.Dot, names: Names) -> Math:
    if not is_dot_of_rows(node):
        return Call(CALLED[ops.Dot], (formula(node.left, names), formula(node.right, names)))
    return joined([atom(formula(node.left, names)), atom(formula(node.right, names))], "·")


def is_dot_of_rows(node: Basic) -> bool:
    """Whether a formula is written x · y."""
    return isinstance(node, ops.Dot) and (node.left.shape[0], node.right.shape[0]) == (1, 1)


@formula.register
def _(node: Identity, names: Names) -> Math:
    return Script(Letter("I"), sub=number(node.shape[0]))


@formula.register(ops.Softmax)
@formula.register(ops.Tanh)
@formula.register(ops.Log)
@formula.register(ops.GELU)
@formula.register(ops.SiLU)
@formula.register(ops.ArgMax)
@formula.register(ops.ReLU)
@formula.register(ops.Exp)
@formula.register(ops.ELU)
@formula.register(ops.UnitRows)
@formula.register(ops.Proportions)
@formula.register(ops.RowMax)
@formula.register(ops.Entropy)
def _(node: Basic, names: Names) -> Math:
    return Call(CALLED[type(node)], (formula(node.args[0], names),))


@formula.register
def _(node: ops.RowNorm, names: Names) -> Math:
    inner = formula(node.argument, names)
    return Bars(inner, double=True) if node.shape[0] == 1 else Call("norm", (inner,))


@formula.register(ops.Cosine)
@formula.register(ops.Angle)
@formula.register(ops.Concat)
@formula.register(ops.Keep)
@formula.register(ops.RMSNorm)
@formula.register(ops.AdditiveScores)
def _(node: Basic, names: Names) -> Math:
    return Call(CALLED[type(node)], tuple(formula(arg, names) for arg in node.args if arg.is_Matrix))


@formula.register
def _(node: ops.ClipNorm, names: Names) -> Math:
    return Call(CALLED[ops.ClipNorm], (formula(node.argument, names), number(node.threshold)))


@formula.register
def _(node: ops.WindowMask, names: Names) -> Math:
    return Call(CALLED[ops.WindowMask], (number(node.shape[0]), number(node.width)))


@formula.register(ops.PaddingMask)
@formula.register(ops.Distance)
def _(node: ops.PaddingMask | ops.Distance, names: Names) -> Math:
    lengths = node.args[:3] if isinstance(node, ops.PaddingMask) else node.args
    return Call(CALLED[type(node)], tuple(map(number, lengths)))


@formula.register(ops.Hadamard)
@formula.register(ops.EntryQuotient)
def _(node: ops.Hadamard | ops.EntryQuotient, names: Names) -> Math:
    sides: list[Math] = []
    for side in node.args:
        inner = formula(side, names)
        loose = isinstance(side, MatMul | MatAdd | ops.Hadamard | ops.EntryQuotient) or is_dot_of_rows(side)
        sides.append(Parens(inner) if loose else inner)
    return joined(sides, ENTRY_BY_ENTRY[type(node)])


@formula.register(ops.GELUTanh)
@formula.register(ops.TopK)
def _(node: ops.GELUTanh | ops.TopK, names: Names) -> Math:
    return called(node, (formula(node.argument, names),))


@formula.register
def _(node: ops.Rows, names: Names) -> Math:
    return Script(atom(formula(node.argument, names)), sub=seq(*_range(node), Sign(","), Sign("·")))


def _range(node: ops.Rows) -> tuple[Math, ...]:
    """1:2, the first and the last row; the number of the only one."""
    if node.args[1] == node.args[2]:
        return (number(node.args[1]),)
    return number(node.args[1]), Sign(":"), number(node.args[2])


@formula.register
def _(node: ops.Stack, names: Names) -> Math:
    return Grid(tuple((formula(part, names),) for part in node.args))


@formula.register
def _(node: ops.Sinusoidal, names: Names) -> Math:
    return called(node, tuple(map(number, node.shape)))


@formula.register
def _(node: ops.Rotary, names: Names) -> Math:
    start = () if node.start == 0 else (number(node.start),)
    return called(node, (formula(node.argument, names), *start))


def called(node: Basic, arguments: tuple[Math, ...]) -> Call:
    """top_2(P), GELU_tanh(X), RoPE(Q): what belongs to the function stands under its name.

    The base of positions does where it is not the usual one.
    """
    match node:
        case ops.GELUTanh():
            sub: Math | None = Letter("tanh", "upright")
        case ops.TopK():
            sub = number(node.args[1])
        case ops.Sinusoidal() | ops.Rotary():
            sub = None if node.base == USUAL_BASE else number(node.base)
        case _:
            sub = None
    return Call(CALLED[type(node)], arguments, sub=sub)


@formula.register
def _(node: ops.Head, names: Names) -> Math:
    return seq(
        Script(Letter(CALLED[ops.Head], "upright"), sub=Number(str(node.number))), Parens(formula(node.argument, names))
    )


@formula.register
def _(node: ops.OneHot, names: Names) -> Math:
    return Call(CALLED[ops.OneHot], (formula(node.ids, names), number(node.shape[1])))


@formula.register
def _(node: OneMatrix, names: Names) -> Math:
    rows, columns = (atom(number(size)) for size in node.shape)
    return Script(Accented("bold", Number("1")), sub=seq(rows, Sign("×"), columns))


@formula.register
def _(node: ZeroMatrix, names: Names) -> Math:
    return Letter("0", "upright")
