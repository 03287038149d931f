"""The notation of names and formulas: from SymPy's trees to :mod:`symattn.show.math`, in reading order.

SymPy's own printer sorts sums and products and prints unknown nodes as their class name; here every node has a rule or
is rejected.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import singledispatch
from types import MappingProxyType
from typing import Any

from sympy import Basic, Expr, Identity, MatAdd, MatMul, MatPow, MatrixSymbol, OneMatrix, Transpose, ZeroMatrix

from symattn import operations as ops
from symattn.operations.node import arguments_of, operation_of, parameters_of, record_of
from symattn.operations.positions import USUAL_BASE
from symattn.operations.stored import POWER, as_number, binds, distinct_operands
from symattn.read.formula.functions import TABLE
from symattn.show.math import (
    PI,
    UNIT,
    Accented,
    Bars,
    Call,
    Chain,
    Fraction,
    Grid,
    Letter,
    Math,
    Number,
    Operator,
    Parens,
    Script,
    Shaped,
    Sign,
    Sum,
    added,
    equation,
    is_derivative,
    joined,
    multiplied,
    seq,
)
from symattn.show.notation.calls import (
    AROUND,
    Inner,
    call_name,
    call_of,
    is_by_rows,
    is_of_columns,
    length_of,
    of_every_column,
    of_every_row,
    ones_of,
)
from symattn.show.notation.names import Names as Names
from symattn.show.notation.names import T as T
from symattn.show.notation.names import atom, row_of, subscripted
from symattn.show.notation.names import by_rule as by_rule
from symattn.show.notation.numerals import number as number


def as_product(node: Basic) -> MatMul | None:
    """Return the product that puts a part back where it was taken from; ``None`` for any other node.

    >>> from symattn.read.formula import Scope, read_formula
    >>> from symattn.base.shapes import Axis, Shape
    >>> scope = Scope({"G": Shape(Axis(1), Axis(2))})
    >>> as_product(read_formula("row_vjp_X(3, 2, G)", scope).expr).shape, as_product(read_formula("G + G", scope).expr)
    ((3, 2), None)
    """
    record = record_of(node)
    rule = None if record is None else _RULES.get(record.name)
    return None if rule is None else MatMul(*rule(*(arg for _, arg in parameters_of(node))), evaluate=False)


def _identity_columns(size: Any, first: Any, last: Any) -> Basic:
    return Transpose(ops.Rows(Transpose(Identity(size)), first, last))


def _entry(rows: Any, columns: Any, row: Any, column: Any, *gradient: Basic) -> list[Basic]:
    return [_identity_columns(rows, row, row), *gradient, ops.Rows(Identity(columns), column, column)]


def _head(width: Any, head: Any, heads: Any, gradient: Basic) -> list[Basic]:
    last = head * width / heads
    return [gradient, ops.Rows(Identity(width), last - width / heads + 1, last)]


_RULES: Mapping[str, Callable[..., list[Basic]]] = MappingProxyType(
    {
        "row_vjp_X": lambda rows, row, gradient: [_identity_columns(rows, row, row), gradient],
        "rows_vjp_X": lambda rows, first, last, gradient: [_identity_columns(rows, first, last), gradient],
        "head_vjp_X": _head,
        "entry_vjp_X": _entry,
        "entry_grad_X": _entry,
    }
)
"""The gradients of operations that take a part of a matrix; an entry may be the loss itself."""


def formula(node: Basic, names: Names) -> Math:
    """Return a formula as mathematics.

    >>> from symattn.show.math import Letter
    >>> formula(ops.Softmax(MatrixSymbol("S", 2, 2)), Names()) == Call("softmax", (Letter("S"),))
    True
    """
    return notation(node, names, lambda inner: formula(inner, names))


@singledispatch
def notation(node: Basic, names: Names, inner: Inner) -> Math:
    """Return a formula around its operands: softmax(S), clip(G, 2), unless it has a notation of its own."""
    if operation_of(node) is None:
        raise TypeError(f"no notation for {type(node).__name__}")
    if (product := as_product(node)) is not None:
        return notation(product, names, inner)
    name = call_name(node)
    if name == POWER:
        return _power_of_entries(node, inner)
    if is_by_rows(node):
        return of_every_row(node, names, inner)
    return AROUND[name](inner(node.operands[0])) if name in AROUND else call_of(node, inner)


def _power_of_entries(node: Any, inner: Inner) -> Math:
    """Return x²; for a square matrix X^{⊙2}, as X² is a product."""
    exponent = number(arguments_of(node)[1])
    is_square = node.shape[0] == node.shape[1] != 1
    return Script(_base(inner(node.argument)), sup=seq(Sign("⊙"), exponent) if is_square else exponent)


@notation.register
def _(node: MatMul, names: Names, inner: Inner) -> Math:
    if (single := as_number(node)) is not None:
        return number(single)
    # A chain of factors is one node; a product inside a product was written in parentheses.
    several = sum(bool(arg.is_Matrix) for arg in node.args) > 1
    only_a_sign = len(node.args) == 2 and node.args[0] == -1
    parts = factors_before([arg for arg in node.args if not arg.is_Matrix], number)
    before: Basic | None = None
    for arg, after in zip(node.args, (*node.args[1:], None), strict=True):
        if _sums_in_every_column(before, arg):
            parts.append(_row_of_ones(arg.shape[1]))
        elif _sums_in_every_column(arg, after):
            parts.append(ones_of(arg.shape[0]))
        elif arg.is_Matrix:
            loose = isinstance(arg, MatAdd) or is_subtracted(arg) or (isinstance(arg, MatMul) and several)
            loose = loose or (binds(arg) and (several or not (only_a_sign or is_dot_of_rows(arg))))
            piece = _grouped(inner(arg), loose) if after is None else _ended(_grouped(inner(arg), loose))
            # softmax · (X + Y): a matrix that has the name of a function is not called.
            looks_called = isinstance(piece, Parens) and getattr(before, "name", "") in TABLE
            parts += [Sign("·"), piece] if looks_called else [piece]
        before = arg
    return multiplied(*parts)


def _factor(node: Basic, inner: Inner) -> Math:
    """Return a matrix behind another factor."""
    return _grouped(inner(node), isinstance(node, MatAdd) or is_subtracted(node) or binds(node))


def _grouped(piece: Math, loose: bool) -> Math:
    """Return a loose piece in parentheses, except one with its shape beside it, which has them inside."""
    return Parens(piece) if loose and not isinstance(piece, Shaped) else piece


def _ended(piece: Math) -> Math:
    """Return a factor that others follow, in parentheses if it is a sum Σ_i x_i, which would include them."""
    return Parens(piece) if isinstance(piece, Sum) else piece


def factors_before(scalars: Sequence[Expr], written: Callable[[Expr], Math]) -> list[Math]:
    """Return the numbers in front of a product: − X, 2 X, −2·3 X."""
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
    """Return whether a term of a sum is written with a minus in front: −X, −½X, −tX."""
    return isinstance(node, MatMul) and not node.args[0].is_Matrix and bool(_coefficient(node.args[0]) < 0)


def _coefficient(scalar: Expr) -> Expr:
    """Return a number, or the number in front of one with letters."""
    return scalar if scalar.is_number else scalar.as_coeff_Mul()[0]


def _base(piece: Math) -> Math:
    """Return a piece as the base of a superscript."""
    return Parens(piece) if isinstance(piece, Shaped) else atom(piece)


def is_block_of_columns(node: Basic) -> bool:
    """Return whether a transpose only undoes that of a matrix whose rows were taken: S_{·,1:2}."""
    return isinstance(node.arg, ops.Rows) and isinstance(node.arg.argument, Transpose)


@notation.register
def _(node: Transpose, names: Names, inner: Inner) -> Math:
    if is_block_of_columns(node):
        rows = node.arg
        return _columns(inner(rows.argument.arg), *rows.args[1:])
    if is_of_columns(node):
        return of_every_column(node.arg, names, inner)
    return Script(_base(inner(node.arg)), sup=T)


@notation.register
def _(node: ops.Row, names: Names, inner: Inner) -> Math:
    matrix = node.argument
    return names.row(inner(matrix), matrix.name if isinstance(matrix, MatrixSymbol) else "", node.number)


def is_dot_of_rows(node: Basic) -> bool:
    """Return whether a formula is written x · y."""
    return isinstance(node, ops.Dot) and (node.left.shape[0], node.right.shape[0]) == (1, 1)


def _entry_by_entry(node: Any, names: Names, inner: Inner) -> Math:
    """Return X ⊙ Y or s · X; a fraction if it cannot be read as an inverse."""
    if isinstance(node, ops.EntryQuotient) and node.is_fraction:
        return Fraction(*map(inner, node.sides))
    sign: Operator = "⊘" if isinstance(node, ops.EntryQuotient) else "·" if node.with_number else "⊙"
    *sides, last = (_side(side, inner) for side in node.sides)
    return joined([*map(_ended, sides), last], sign)


def _side(node: Basic, inner: Inner) -> Math:
    """Return an operand of a sign: sums, products and operands with such a sign in parentheses."""
    loose = (isinstance(node, MatMul | MatAdd) and as_number(node) is None) or as_product(node) is not None
    return _grouped(inner(node), loose or binds(node))


def _ones_where_seen(mask: Math) -> Math:
    """Return 1_{M = 0}: ones where a mask is 0, zeros elsewhere."""
    return Script(Accented("bold", Number("1")), sub=equation(mask, Number("0")))


def _range(first: Expr, last: Expr) -> tuple[Math, ...]:
    """Return 1:2, the first and the last row; a single number for a single row."""
    return (number(first),) if first == last else (number(first), Sign(":"), number(last))


def _columns(matrix: Math, first: Expr, last: Expr) -> Math:
    """Return Q_{·,1:2}."""
    return subscripted(matrix, seq(Sign("·"), Sign(","), *_range(first, last)))


def _as_a_whole(node: Basic, names: Names) -> Math | None:
    """Return [∂y/∂x] for a Jacobian, whose entry belongs to the whole and is not a derivative by an entry."""
    base = names.bases.get(str(node.name)) if isinstance(node, MatrixSymbol) else None
    return base if isinstance(base, Parens) and is_derivative(base.inner) else None


def _apart(names: Names) -> Math:
    """Return |i − j|."""
    return Bars(seq(names.letters.row, Sign("-"), names.letters.column))


def _seen(mask: Basic, where: Math) -> Math:
    """Return mask_{j≤i}: a mask with the condition for an entry to be visible."""
    return Script(Letter(call_name(mask), "upright"), sub=where)


def _matrix_of_ones(node: OneMatrix) -> Math:
    """Return 1_{m×n}; a 1×1 matrix is 1."""
    sizes = joined([atom(number(size)) for size in node.shape], "×")
    return Number("1") if node.shape == (1, 1) else Script(Accented("bold", Number("1")), sub=sizes)


def _sums_in_every_column(left: Basic | None, right: Basic | None) -> bool:
    """Return whether factors are 1_m 1_nᵀ, which repeats a row's sum in every column and is written with both."""
    if not (isinstance(left, OneMatrix) and isinstance(right, OneMatrix)):
        return False
    return bool(left.shape[1] == right.shape[0] == 1) and 1 not in (left.shape[0], right.shape[1])


def _row_of_ones(length: Expr) -> Script:
    """Return 1_nᵀ."""
    return replace(ones_of(length), sup=T)


def _everywhere(node: ops.Everywhere, names: Names, inner: Inner) -> Math:
    """Return x · 1_{m×n}; for the number 1, a matrix of ones."""
    ones = _matrix_of_ones(OneMatrix(*node.shape))
    return ones if as_number(node.argument) == 1 else joined([_factor(node.argument, inner), ones], "·")


def _dot(node: ops.Dot, names: Names, inner: Inner) -> Math:
    """Return x · y for single rows, (X_{i,·} · Y_{j,·})_{ij} for every row with every row."""
    left, right = map(inner, node.args)
    if is_dot_of_rows(node):
        return joined([side if is_derivative(side) else atom(side) for side in (left, right)], "·")
    i, j = names.letters.row, names.letters.column
    return Script(Parens(joined([row_of(left, i), row_of(right, j)], "·")), sub=seq(i, j))


def shortened_by(node: ops.ClipNorm, names: Names) -> Call:
    """Return min(1, c/‖G‖), the factor of clipping."""
    return Call("min", (Number("1"), Fraction(number(node.threshold), length_of(formula(node.argument, names)))))


def _grid(node: Basic, parts: Sequence[Sequence[Basic]], inner: Inner) -> Grid:
    """Return parts in brackets; a list of lists of numbers as one matrix."""
    return Grid(tuple(tuple(map(inner, row)) for row in ops.grid_of(node) or parts))


def _over_its_base(node: Any, names: Names, inner: Inner) -> Math:
    """Return a call with its base, unless usual, as a subscript of the name: PE(4, 4), RoPE_100(Q)."""
    return call_of(node, inner, None if node.base == USUAL_BASE else number(node.base))


IN_A_LINE: Mapping[type, Callable[[Any, Names, Inner], Math]] = MappingProxyType(
    {
        MatrixSymbol: lambda node, names, inner: names(node.name),
        MatAdd: lambda node, names, inner: added(*map(inner, distinct_operands(node.args))),
        MatPow: lambda node, names, inner: Script(_base(inner(node.base)), sup=number(node.exp)),
        Identity: lambda node, names, inner: Script(UNIT, sub=number(node.shape[0])),
        OneMatrix: lambda node, names, inner: _matrix_of_ones(node),
        ZeroMatrix: lambda node, names, inner: Letter("0", "upright"),
        ops.ArgMax: lambda node, names, inner: Call(
            *(call_name(node), (inner(node.argument),))
            if node.of_smallest is None
            else ("argmin", (inner(node.of_smallest),))
        ),
        ops.Angle: lambda node, names, inner: seq(
            Fraction(Number("180"), PI), Call("arccos", (Call("cos", tuple(map(inner, node.args))),))
        ),
        ops.Broadcast: lambda node, names, inner: multiplied(ones_of(node.shape[0]), _factor(node.argument, inner)),
        ops.CachedMask: lambda node, names, inner: _seen(
            node, seq(names.letters.column, Sign("≤"), added(names.letters.row, number(node.before)))
        ),
        ops.CausalMask: lambda node, names, inner: _seen(node, seq(names.letters.column, Sign("≤"), names.letters.row)),
        ops.ClipNorm: lambda node, names, inner: multiplied(shortened_by(node, names), _factor(node.argument, inner)),
        ops.Concat: lambda node, names, inner: _grid(node, (node.args,), inner),
        ops.EntryQuotient: _entry_by_entry,
        ops.Everywhere: _everywhere,
        ops.Distance: lambda node, names, inner: Script(
            Parens(_apart(names)), sub=seq(names.letters.row, names.letters.column)
        ),
        ops.Dot: _dot,
        ops.GELUTanh: lambda node, names, inner: call_of(node, inner, Letter("tanh", "upright")),
        ops.Hadamard: _entry_by_entry,
        ops.Head: lambda node, names, inner: _columns(inner(node.argument), node.start + 1, node.start + node.shape[1]),
        ops.InEveryColumn: lambda node, names, inner: multiplied(
            _factor(node.argument, inner), _row_of_ones(node.shape[1])
        ),
        ops.InEveryRow: lambda node, names, inner: multiplied(ones_of(node.shape[0]), _factor(node.argument, inner)),
        ops.Keep: lambda node, names, inner: joined(
            [_side(node.argument, inner), _ones_where_seen(inner(node.mask))], "⊙"
        ),
        ops.PaddingMask: lambda node, names, inner: _seen(
            node, seq(names.letters.column, Sign("≤"), number(node.length))
        ),
        ops.Picked: lambda node, names, inner: subscripted(
            _as_a_whole(node.argument, names) or inner(node.argument), joined([*map(number, node.places)], ",")
        ),
        **dict.fromkeys((ops.Proportions, ops.RowMax, ops.RowNorm, ops.UnitRows), of_every_row),
        ops.Quotient: lambda node, names, inner: Fraction(inner(node.argument), number(node.divisor)),
        ops.Rotary: _over_its_base,
        ops.Rows: lambda node, names, inner: row_of(inner(node.argument), seq(*_range(*node.args[1:]))),
        ops.Sinusoidal: _over_its_base,
        ops.Stack: lambda node, names, inner: _grid(node, tuple((part,) for part in node.args), inner),
        ops.TopK: lambda node, names, inner: Call(call_name(node), (inner(node.argument),), sub=number(node.args[1])),
        ops.WindowMask: lambda node, names, inner: _seen(node, Chain(_apart(names), (("<", number(node.width)),))),
    }
)
"""The nodes with a notation of their own that fits on one line."""

for _kind, _rule in IN_A_LINE.items():
    notation.register(_kind)(_rule)
