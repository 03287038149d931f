"""How names and formulas are written: from SymPy's trees to :mod:`symattn.document.math`, in reading order.

SymPy's own printer sorts sums and products and prints nodes it does not know as their class name; here every node has
a rule or is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import singledispatch
from types import MappingProxyType
from typing import Any, Literal

from sympy import Basic, Expr, Identity, MatAdd, MatMul, MatPow, MatrixSymbol, OneMatrix, Transpose, ZeroMatrix

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
    Shaped,
    Sign,
    added,
    joined,
    multiplied,
    seq,
)
from symattn.document.notation.names import Names as Names
from symattn.document.notation.names import T as T
from symattn.document.notation.names import atom
from symattn.document.notation.names import by_rule as by_rule
from symattn.document.notation.numerals import number as number
from symattn.equations.tree import Parameter
from symattn.operations.entry import number as value_of
from symattn.operations.node import operation_of, parameters_of, record_of
from symattn.operations.positions import USUAL_BASE

ENTRY_BY_ENTRY: Mapping[type, Literal["⊙", "⊘"]] = MappingProxyType({ops.Hadamard: "⊙", ops.EntryQuotient: "⊘"})
"""The signs of operations entry by entry."""

Inner = Callable[[Basic], Math]
"""How an operand is written: its formula, or that with its shape beside it."""


def formula(node: Basic, names: Names) -> Math:
    """A formula as mathematics.

    >>> from symattn.document.math import Letter
    >>> formula(ops.Softmax(MatrixSymbol("S", 2, 2)), Names()) == Call("softmax", (Letter("S"),))
    True
    """
    return notation(node, names, lambda inner: formula(inner, names))


@singledispatch
def notation(node: Basic, names: Names, inner: Inner) -> Math:
    """A formula around its operands: softmax(S), clip(G, 2), unless people write it in a way of its own."""
    if operation_of(node) is None:
        raise TypeError(f"no notation for {type(node).__name__}")
    return call_of(node, inner)


def name_of(node: Basic) -> str:
    """What a node is called in a formula."""
    record = record_of(node)
    return str(node.called) if record is None else record.called


def call_of(node: Basic, inner: Inner, sub: Math | None = None) -> Call:
    """softmax(S), clip(G, 2): the name with the operands, and the numbers that are not the usual ones."""
    unsaid = getattr(node, "unsaid", ())
    given = [(p, arg) for p, arg in parameters_of(node) if p.is_matrix or not (p.name in unsaid or _is_usual(p, arg))]
    return Call(name_of(node), tuple(_filled(p, arg, inner) for p, arg in given), sub=sub)


def _is_usual(parameter: Parameter, given: Basic) -> bool:
    return parameter.default is not None and value_of(parameter.default, {}) == given


def _filled(parameter: Parameter, given: Basic, inner: Inner) -> Math:
    """An operand or a number; a plain 1 or 0 where a row that could be left out is nothing else."""
    if not parameter.is_matrix:
        return number(given)
    plain = parameter.default is not None and isinstance(given, OneMatrix | ZeroMatrix)
    return Number("1" if isinstance(given, OneMatrix) else "0") if plain else inner(given)


def matrices_of(node: Basic, inner: Inner) -> Call:
    """The name with the operands alone."""
    return Call(name_of(node), tuple(_filled(p, arg, inner) for p, arg in parameters_of(node) if p.is_matrix))


@notation.register
def _(node: MatMul, names: Names, inner: Inner) -> Math:
    # A chain of factors is one node; a product inside a product was written in parentheses.
    several = sum(bool(arg.is_Matrix) for arg in node.args) > 1
    only_a_sign = len(node.args) == 2 and node.args[0] == -1
    parts = factors_before([arg for arg in node.args if not arg.is_Matrix], number)
    for arg in node.args:
        if arg.is_Matrix:
            loose = isinstance(arg, MatAdd) or is_subtracted(arg) or (isinstance(arg, MatMul) and several)
            loose = loose or (isinstance(arg, ops.Hadamard | ops.EntryQuotient) and not only_a_sign)
            loose = loose or (is_dot_of_rows(arg) and several)
            parts.append(_grouped(inner(arg), loose))
    return multiplied(*parts)


def _grouped(piece: Math, loose: bool) -> Math:
    """In parentheses where it is loose; what has its shape beside it has them inside."""
    return Parens(piece) if loose and not isinstance(piece, Shaped) else piece


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


def is_subtracted(node: Basic) -> bool:
    """Whether a term of a sum is written with a minus in front: −X, −½X, −tX."""
    return isinstance(node, MatMul) and not node.args[0].is_Matrix and bool(_coefficient(node.args[0]) < 0)


def _coefficient(scalar: Expr) -> Expr:
    """A number, or the number in front of one with letters."""
    return scalar if scalar.is_number else scalar.as_coeff_Mul()[0]


def _base(piece: Math) -> Math:
    """What a small sign stands at."""
    return Parens(piece) if isinstance(piece, Shaped) else atom(piece)


def is_block_of_columns(node: Basic) -> bool:
    """Whether a transpose only turns a matrix back whose turned rows were picked: S_{·,1:2}."""
    return isinstance(node.arg, ops.Rows) and isinstance(node.arg.argument, Transpose)


@notation.register
def _(node: Transpose, names: Names, inner: Inner) -> Math:
    if is_block_of_columns(node):
        rows = node.arg
        return Script(_base(inner(rows.argument.arg)), sub=seq(Sign("·"), Sign(","), *_range(rows)))
    return Script(_base(inner(node.arg)), sup=T)


@notation.register
def _(node: ops.Row, names: Names, inner: Inner) -> Math:
    matrix = node.argument
    return names.row(inner(matrix), matrix.name if isinstance(matrix, MatrixSymbol) else "", node.number)


def is_dot_of_rows(node: Basic) -> bool:
    """Whether a formula is written x · y."""
    return isinstance(node, ops.Dot) and (node.left.shape[0], node.right.shape[0]) == (1, 1)


@notation.register(ops.Hadamard)
@notation.register(ops.EntryQuotient)
def _(node: ops.Hadamard | ops.EntryQuotient, names: Names, inner: Inner) -> Math:
    kinds = MatMul | MatAdd | ops.Hadamard | ops.EntryQuotient
    sides = [_grouped(inner(side), isinstance(side, kinds) or is_dot_of_rows(side)) for side in node.args]
    return joined(sides, ENTRY_BY_ENTRY[type(node)])


def _range(node: ops.Rows) -> tuple[Math, ...]:
    """1:2, the first and the last row; the number of the only one."""
    if node.args[1] == node.args[2]:
        return (number(node.args[1]),)
    return number(node.args[1]), Sign(":"), number(node.args[2])


def _over_its_base(node: Any, names: Names, inner: Inner) -> Math:
    """The base belongs to the function and stands under its name: PE(4, 4), RoPE_100(Q)."""
    return call_of(node, inner, None if node.base == USUAL_BASE else number(node.base))


IN_A_LINE: Mapping[type, Callable[[Any, Names, Inner], Math]] = MappingProxyType(
    {
        MatrixSymbol: lambda node, names, inner: names(node.name),
        MatAdd: lambda node, names, inner: added(*map(inner, node.args)),
        MatPow: lambda node, names, inner: Script(_base(inner(node.base)), sup=number(node.exp)),
        Identity: lambda node, names, inner: Script(Letter("I"), sub=number(node.shape[0])),
        OneMatrix: lambda node, names, inner: Script(
            Accented("bold", Number("1")), sub=joined([atom(number(size)) for size in node.shape], "×")
        ),
        ZeroMatrix: lambda node, names, inner: Letter("0", "upright"),
        ops.ArgMax: lambda node, names, inner: Call(name_of(node), (inner(node.argument),)),
        ops.Dot: lambda node, names, inner: (
            joined([atom(inner(side)) for side in node.args], "·") if is_dot_of_rows(node) else call_of(node, inner)
        ),
        ops.GELUTanh: lambda node, names, inner: call_of(node, inner, Letter("tanh", "upright")),
        ops.Head: lambda node, names, inner: seq(
            Script(Letter(name_of(node), "upright"), sub=Number(str(node.number))), Parens(inner(node.argument))
        ),
        ops.Quotient: lambda node, names, inner: Fraction(inner(node.argument), number(node.divisor)),
        ops.Rotary: _over_its_base,
        ops.RowNorm: lambda node, names, inner: (
            Bars(inner(node.argument), double=True) if node.shape[0] == 1 else call_of(node, inner)
        ),
        ops.Rows: lambda node, names, inner: Script(
            _base(inner(node.argument)), sub=seq(*_range(node), Sign(","), Sign("·"))
        ),
        ops.Sinusoidal: _over_its_base,
        ops.Stack: lambda node, names, inner: Grid(tuple((inner(part),) for part in node.args)),
        ops.TopK: lambda node, names, inner: Call(name_of(node), (inner(node.argument),), sub=number(node.args[1])),
    }
)
"""What people write in a way of their own that a line says."""

for _kind, _rule in IN_A_LINE.items():
    notation.register(_kind)(_rule)
