"""An operation in a formula: a call by its name, softmax(S), top_2(P), √X, or an operation on every row or column of a
matrix, (max(X_{i,·}))_i, Σ_j x_j, softmax of each column."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Any

from sympy import Basic, Expr, MatrixSymbol, OneMatrix, Transpose, ZeroMatrix

from symattn.operations.entry import value_of as value_of
from symattn.operations.equations.tree import Parameter
from symattn.operations.node import Applied, Node, arguments_of, beside, record_of
from symattn.operations.records import RECORDS
from symattn.operations.stored import PRIME, GradientName, marked
from symattn.read.formula.axes import OF_ALL, works_along_rows
from symattn.show.math import (
    Accented,
    Bars,
    Call,
    Fraction,
    Letter,
    Math,
    Number,
    Parens,
    Root,
    Script,
    Seq,
    Sign,
    Sum,
    joined,
    seq,
)
from symattn.show.notation.bases import at_letter, with_indices
from symattn.show.notation.names import Names, atom, row_of, subscriptable, subscripted
from symattn.show.notation.numerals import number

AROUND: Mapping[str, Callable[[Math], Math]] = MappingProxyType(
    {"|·|": Bars, "⌊·⌋": partial(Bars, floor=True), "√·": Root}
)
"""The notation around an operand, for records whose name is such a sign."""

Inner = Callable[[Basic], Math]
"""Writes an operand: its formula, or its formula with the shape beside it."""


def call_name(node: Basic) -> str:
    """Return the name of a node in a formula."""
    record = record_of(node)
    return str(node.called) if record is None else record.called


def call_of(node: Basic, inner: Inner, sub: Math | None = None) -> Math:
    """Return a call such as softmax(S) or clip(G, 2): the name, the operands, and the numbers that are not the default;
    for a gradient ReLU′(X), RoPEᵀ(G), or a transposed J with the operation's name below.
    """
    unsaid = getattr(node, "unsaid", ())
    given = [(p, arg) for p, arg in beside(node) if p.is_matrix or not (p.name in unsaid or _is_usual(p, arg))]
    operands, name = tuple(_filled(p, arg, inner) for p, arg in given), call_name(node)
    if (gradient := marked(name)) is None:
        return Call(name, operands, sub=sub)
    return seq(_marked(gradient), Parens(joined(operands, ",")))


def _marked(gradient: GradientName) -> Math:
    """Return the name of a gradient with its marks."""
    name: Math = Letter(gradient.name, "italic" if len(gradient.name) == 1 else "upright")
    if gradient.above == PRIME:
        return Accented("prime", name)
    below: list[Math] = [Letter(each, "italic" if place else "upright") for place, each in enumerate(gradient.below)]
    turned = Sign("T") if gradient.above else None
    return Script(name, sub=joined(below, ",") if below else None, sup=turned)


def _is_usual(parameter: Parameter, given: Basic) -> bool:
    return parameter.default is not None and value_of(parameter.default, {}) == given


def _filled(parameter: Parameter, given: Basic, inner: Inner) -> Math:
    """Return an operand or a number; a plain 1 or 0 for an optional row of ones or zeros."""
    if not parameter.is_matrix:
        return number(given)
    plain = parameter.default is not None and isinstance(given, OneMatrix | ZeroMatrix)
    return Number("1" if isinstance(given, OneMatrix) else "0") if plain else inner(given)


def ones_of(length: Expr) -> Script:
    """Return 1_n, a column of ones."""
    return Script(Accented("bold", Number("1")), sub=atom(number(length)))


@dataclass(frozen=True)
class _Line:
    """A row, a column or all of a matrix, as mathematics."""

    math: Math
    total: Math
    """The sum of its entries."""
    is_column: bool = False


def _line(
    node: Basic, along: str, names: Names, inner: Inner, index: Math | None = None, reduces: bool = True
) -> _Line:
    """Return X_{i,·}, X_{·,j} or X, without an index that has only one value, and its sum."""
    written, (rows, columns) = inner(node), node.shape
    i: Math = names.letters.row
    j: Math = names.letters.column
    if along == "row" and index is not None:
        i, j = index, i if index == j else j  # the summation index needs another letter: (Σ_j x_{ji})_i
    elif along == "column" and index is not None and columns != 1:
        i, j = j if index == i else i, index
    is_plain = isinstance(node, MatrixSymbol) and node.name in names.shapes and written == names(node.name)
    base = names.bases[node.name] if is_plain else at_letter(written, subscriptable)
    places = [place for place, length in ((i, rows), (j, columns)) if length != 1]
    total = with_indices(base, seq(*places)) if places else written
    if [getattr(written, "sub", None)] == places and isinstance(written, Script) and isinstance(written.base, Parens):
        total = written.base.inner  # an operation on every row has that on row i as its entry
    for place, length, gone_over in ((j, columns, "column"), (i, rows, "row")):
        if along != gone_over and length != 1:
            total = Sum(place, Number("1"), number(length), total)
    if along == "row" and rows != 1:
        written = row_of(written, i)
    elif along == "column" and (columns != 1 or not reduces):
        written = subscripted(written, seq(Sign("·"), Sign(","), j))
    return _Line(written, total, along == "column")


def is_of_columns(node: Basic) -> bool:
    """Return whether a transpose only undoes that of an argument, so that columns are operated on: softmax(Xᵀ)ᵀ."""
    inner = node.arg
    record = record_of(inner) if isinstance(inner, Node) and inner.operands else None
    if record is None:
        return False
    if call_name(inner) in AROUND:
        return is_of_columns(Transpose(inner.argument))
    return isinstance(inner.argument, Transpose) and works_along_rows(record)


def is_by_rows(node: Basic) -> bool:
    """Return whether a formula of ours is written with the rows of a matrix."""
    record = record_of(node) if isinstance(node, Node) else None
    if record is None or record.name not in BY_ROWS:
        return False
    return not isinstance(node, Applied) or record == RECORDS[record.name]


def of_every_row(node: Any, names: Names, inner: Inner) -> Math:
    """Return an operation on every row, (‖X_{i,·}‖)_i; on a single row without an index, ‖x‖; or on all of a matrix."""
    if (matrix := _all_of(node)) is not None:
        return of_line(node, _line(matrix, "", names, inner), inner)
    if node.shape[1] == 1:
        made = at_row(node, names.letters.row, names, inner)
    else:  # the result of each row is a row, not written as a column
        made = of_line(node, _line(node.argument, "row", names, inner), inner)
    return made if node.argument.shape[0] == 1 else Script(Parens(made), sub=names.letters.row)


def _all_of(node: Any) -> Basic | None:
    """Return the matrix whose sum is the sum of the sums of its rows."""
    within, record = node.argument.arg if isinstance(node.argument, Transpose) else None, record_of(node)
    is_twice = record is not None and record.name in OF_ALL and isinstance(within, Node) and record_of(within) == record
    return within.argument if is_twice else None  # type: ignore[union-attr]


def at_row(node: Any, index: Math, names: Names, inner: Inner) -> Math:
    """Return an operation on one row, max(X_{2,·}), or on one column of a transposed matrix, max(X_{·,2})."""
    matrix = node.argument
    along, of = ("column", matrix.arg) if isinstance(matrix, Transpose) else ("row", matrix)
    return of_line(node, _line(of, along, names, inner, index, node.shape[1] == 1), inner)


def innermost(node: Any) -> Any:
    """Return the operation on columns inside the signs around it: the Var of √Var."""
    while call_name(node) in AROUND:
        node = node.argument
    return node


def of_every_column(node: Any, names: Names, inner: Inner) -> Math:
    """Return (max(X_{·,j}))_j, an operation on every column; for a single column a number, max(x)."""
    if call_name(node) in AROUND:
        return AROUND[call_name(node)](of_every_column(node.argument, names, inner))
    made = at_row(node, names.letters.column, names, inner)
    return made if node.shape == (1, 1) else Script(Parens(made), sub=names.letters.column)


def of_line(node: Any, line: _Line, inner: Inner) -> Math:
    """Return an operation on one line."""
    record = record_of(node)
    rule = OF_LINE.get(record.name) if record is not None else None
    return (
        call_of(node, lambda arg: line.math if arg == node.argument else inner(arg))
        if rule is None
        else rule(node, line)
    )


def length_of(of: Math) -> Math:
    return Bars(of, double=True)


def _share(node: Any, line: _Line) -> Math:
    """Return a row over its sum: s / (s 1_n)."""
    # A single row has no index to group it: (p ⊙ m) 1_n.
    has_signs = isinstance(line.math, Seq) and any(isinstance(part, Sign) for part in line.math.parts)
    together = Parens(line.math) if has_signs else line.math
    return Fraction(line.math, line.total if line.is_column else seq(together, ones_of(node.shape[1])))


def _variance(node: Any, line: _Line) -> Math:
    """Return Var(x), the mean of squares; Var_{4−1}(x) if the divisor is not the number of entries."""
    less = arguments_of(node)[1]
    below = None if less == 0 else seq(number(node.argument.shape[1]), Sign("-"), number(less))
    return Call(call_name(node), (line.math,), sub=below)


OF_LINE: Mapping[str, Callable[[Any, _Line], Math]] = MappingProxyType(
    {
        "norm": lambda node, line: length_of(line.math),
        "proportions": _share,
        "row_max": lambda node, line: Call("max", (line.math,)),
        "row_sum": lambda node, line: line.total,
        "row_var": _variance,
        "unit": lambda node, line: Fraction(line.math, length_of(line.math)),
    }
)
"""The notation of an operation on one row; other operations are calls."""

BY_ROWS = frozenset((*OF_LINE, "row_mean", "row_min"))
"""The operations that are written with the rows of a matrix."""
