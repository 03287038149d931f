"""Write steps as spreadsheet formulas: entries from the cells of the operands, by the operation's equations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache, reduce
from math import isfinite
from typing import Any

from flint import fmpq
from sympy import Basic, Expr, MatAdd, MatMul, MatPow, MatrixSymbol, Mul, Pow, S, exp, log

from symattn import operations as ops
from symattn.api.publish.sheets.arithmetic import (
    FUNCTIONS,
    HelperBlock,
    SheetArithmetic,
    Workings,
    divide,
    multiply,
    power_piece,
    ranges,
)
from symattn.api.publish.sheets.pieces import (
    ENDLESS,
    ONE,
    SheetCall,
    SheetCell,
    SheetPiece,
    SheetRange,
    SheetRows,
    SheetSign,
    is_leaf,
    leaves,
    number_piece,
)
from symattn.base.errors import RenderError
from symattn.base.printed import Figure
from symattn.compute.codegen.safe import SOFTMAX_OR_ZERO, in_doubles, may_overflow
from symattn.compute.solution.read_back import read_back
from symattn.compute.solution.store import Store
from symattn.compute.values.applied import frame, given_to
from symattn.operations.equations.read import read_operation
from symattn.operations.equations.run import reached, run
from symattn.operations.equations.tree import Apply, Entry, Index, Operation, Over, Piece, children
from symattn.operations.node import parameters_of
from symattn.operations.stages import Stage

BITS = 96
"""The precision of the values that are rounded to doubles, in bits."""

READABLE = 40
"""The most cells, ranges and numbers of a formula inside another; a longer one gets cells of its own."""


@dataclass(frozen=True)
class LiveMatrix:
    """A step as formulas, and the helper blocks that they refer to, in the order of computation."""

    name: str
    rows: SheetRows
    helpers: tuple[HelperBlock, ...]


def live(solution: Store, name: str) -> LiveMatrix:
    """Return a step as formulas.

    Raises :class:`~symattn.base.errors.RenderError` for a number without a spreadsheet formula.
    """
    shapes = {each: (solution.rows(each), solution.columns(each)) for each in solution.step(name).uses}
    work = Workings(name, shapes, solution.style.on_empty == "zero")
    rows = live_rows(solution.formula(name), work)
    if solution.style.carry == "rounded":
        rows = [list(map(_rounded, *pair)) for pair in zip(rows, solution.figures(name), strict=True)]
    return LiveMatrix(name, rows, tuple(work.closed()))


def _rounded(piece: SheetPiece, figure: Figure) -> SheetPiece:
    """Round a piece to the places of its figure, because printed figures are carried; a leaf is unchanged."""
    is_rounded = figure.number is not None and not is_leaf(piece)
    return SheetCall("ROUND", (piece, number_piece(figure.places))) if is_rounded else piece


def held(solution: Store, name: str) -> list[float]:
    """Return the values of a matrix as cells hold them: certified ones, or printed figures if those are carried."""
    if solution.style.carry == "rounded":
        numbers = [float(Fraction(int(x.p), int(x.q))) if isinstance(x, fmpq) else x for x in read_back(solution, name)]
    else:
        numbers = [float(x.mid()) for x in solution.enclosure(name, BITS).entries()]
    return [x if isfinite(x) else float(ENDLESS if x > 0 else -ENDLESS) for x in numbers]


def given_pieces(solution: Store, name: str) -> SheetRows:
    """Return the exact numbers of a given, or the printed ones if those are carried."""
    given, columns = solution.givens[name], solution.columns(name)
    figures = solution.figures(name)

    def piece(i: int, j: int) -> SheetPiece:
        printed = figures[i][j].number
        if solution.style.carry == "rounded" and printed is not None:
            return number_piece(Fraction(int(printed.p), int(printed.q)))
        return sheet_number(given.entry(i * columns + j))

    return [[piece(i, j) for j in range(columns)] for i in range(solution.rows(name))]


@Stage
def live_rows(node: Basic, work: Workings) -> SheetRows:
    """Return the pieces of a formula, row by row, by its equations in the arithmetic of pieces."""
    lets_through = work.lets_empty_rows_through and isinstance(node, ops.Softmax)
    operation = read_operation(SOFTMAX_OR_ZERO) if lets_through else in_doubles(frame(node).operation)
    matrices = [(parameter.name, arg) for parameter, arg in parameters_of(node) if parameter.is_matrix]
    values = [operand(arg, work, is_once=_stands_once(operation, name)) for name, arg in matrices]
    given = replace(given_to(node, map(_lists, values), sheet_number), operation=operation, reach=None)
    reach, index = reached(operation, given.whole), operation.result.index
    is_exponential = isinstance(operation.result.body, Apply) and operation.result.body.function == "exp"
    inner = index[-1] if len(index) == 2 else ""
    arithmetic = SheetArithmetic(work, reach, may_overflow(operation) and not is_exponential, inner)
    return run(given, arithmetic)


def _lists(rows: SheetRows) -> list[list[Any]]:
    return [list(row) for row in rows]


def operand(node: Basic, work: Workings, is_once: bool = False) -> SheetRows:
    """Return a part of a formula, in cells of its own unless its entries are leaves, or short and used only once."""
    rows = live_rows(node, work)
    if is_once and all(leaves(piece) <= READABLE for row in rows for piece in row):
        return rows
    return work.held(rows, node)


@lru_cache(maxsize=1000)
def _stands_once(operation: Operation, parameter: str) -> bool:
    """Return True if an entry of a parameter occurs only once, in only one entry of the result."""
    places = [(e.index, place) for e in operation.equations for place in _places(e.body, parameter, False)]
    if len(places) != 1:
        return False
    ((index, place),) = places
    return place is not None and sorted(place) == sorted(index) and len(set(place)) == len(place) == 2


def _places(piece: Piece, name: str, is_repeated: bool) -> list[tuple[str, ...] | None]:
    """Return the indices of each occurrence of an entry; ``None`` if it is repeated or its place is computed."""
    if isinstance(piece, Entry) and piece.name == name:
        letters = tuple(place.name for place in piece.places if isinstance(place, Index))
        return [None if is_repeated or len(letters) < len(piece.places) else letters]
    again = is_repeated or isinstance(piece, Over) or (isinstance(piece, Apply) and piece.function == "xlogx")
    return [place for child in children(piece) for place in _places(child, name, again)]


@live_rows.register
def _(node: MatrixSymbol, work: Workings) -> SheetRows:
    rows, columns = work.shapes[node.name]
    return [[SheetCell(node.name, i, j) for j in range(columns)] for i in range(rows)]


@live_rows.register
def _(node: MatAdd, work: Workings) -> SheetRows:
    return reduce(_sum, (operand(arg, work, is_once=True) for arg in node.args))


def _sum(left: SheetRows, right: SheetRows) -> SheetRows:
    return [list(map(FUNCTIONS["add"], one, other)) for one, other in zip(left, right, strict=True)]


@live_rows.register
def _(node: MatMul, work: Workings) -> SheetRows:
    matrices = [arg for arg in node.args if arg.is_Matrix]
    first, *others = (operand(arg, work, is_once=len(matrices) == 1) for arg in matrices)
    factor: SheetPiece = ONE
    for arg in node.args:
        factor = factor if arg.is_Matrix else multiply(factor, sheet_number(arg))
    return [[multiply(factor, piece) for piece in row] for row in _chain([first, *others], work)]


@live_rows.register
def _(node: MatPow, work: Workings) -> SheetRows:
    return _chain([operand(node.base, work)] * int(node.exp), work)


def _chain(factors: list[SheetRows], work: Workings) -> SheetRows:
    product = factors[0]
    for factor in factors[1:]:
        product = _product(work.held(product, ""), factor, work)
    return product


def _product(left: SheetRows, right: SheetRows, work: Workings) -> SheetRows:
    arithmetic, columns = SheetArithmetic(work, {}, False), list(zip(*right, strict=True))
    return [[arithmetic.sum(list(map(multiply, row, column))) for column in columns] for row in left]


@live_rows.register
def _(node: ops.Angle, work: Workings) -> SheetRows:
    # With the arccosine, equal directions would be a millionth of a degree apart.
    left, right = (operand(ops.UnitRows(side), work) for side in node.args)
    return [[_angle(list(u), list(v), work) for v in right] for u in left]


def _angle(u: list[SheetPiece], v: list[SheetPiece], work: Workings) -> SheetPiece:
    """2 arctan(|u − v| / |u + v|) in degrees."""
    arithmetic = SheetArithmetic(work, {}, False)

    def length(sign: str) -> SheetPiece:
        squares = [power_piece(SheetSign(sign, x, y), 2) for x, y in zip(u, v, strict=True)]
        return FUNCTIONS["sqrt"](arithmetic.sum(squares))

    turn = multiply(number_piece(360), SheetCall("ATAN2", (length("+"), length("-"))))
    return divide(turn, SheetCall("PI"))


@live_rows.register
def _(node: ops.ArgMax, work: Workings) -> SheetRows:
    found: list[list[SheetPiece]] = []
    for row in _in_ranges(node.argument, work):
        place = SheetCall("MATCH", (SheetCall("MAX", (row,)), row, number_piece(0)))
        found.append([SheetSign("-", place, ONE)])
    return found


@live_rows.register
def _(node: ops.TopK, work: Workings) -> SheetRows:
    count = number_piece(int(node.count))
    return [[_among(row, cell, count) for cell in row.cells()] for row in _in_ranges(node.argument, work)]


def _among(row: SheetRange, cell: SheetCell, count: SheetPiece) -> SheetPiece:
    """Write 1 if a cell is among the largest of its row, else 0; equal entries rank from left to right."""
    so_far = SheetCall("COUNTIF", (SheetRange(row.first, cell), cell))
    place = SheetSign("-", SheetSign("+", SheetCall("RANK", (cell, row)), so_far), ONE)
    return SheetCall("IF", (SheetSign("<=", place, count), ONE, number_piece(0)))


def _in_ranges(node: Basic, work: Workings) -> list[SheetRange]:
    """Return each row of a formula as one range: lookup functions accept nothing else."""
    rows = operand(node, work)
    if not all(map(_is_range, rows)):
        block = work.block(node, len(rows[0]))
        rows = [[block.add(piece) for piece in row] for row in rows]
        work.kept.add(block.key)
    return [SheetRange(row[0], row[-1]) for row in rows]  # type: ignore[arg-type]


def _is_range(row: Sequence[SheetPiece]) -> bool:
    cells = [piece for piece in row if isinstance(piece, SheetCell)]
    return len(cells) == len(row) and len(ranges(cells)) == 1


# -- numbers -----------------------------------------------------------------------------------------------------


def sheet_number(value: Expr) -> SheetPiece:
    """Return an exact number as a formula: 1/3, SQRT(2)/2, LN(3).

    Raises :class:`~symattn.base.errors.RenderError` for a number without a spreadsheet formula.

    >>> from sympy import sqrt
    >>> from symattn.api.publish.sheets.pieces import cell_formula
    >>> cell_formula(sheet_number(sqrt(2) / 2), str), cell_formula(sheet_number(-3 * exp(-1)), str)
    ('SQRT(2)/2', '-3/EXP(1)')
    """
    value = value.doit()
    if value.is_Rational:
        return number_piece(Fraction(int(value.p), int(value.q)))
    if value in (S.Infinity, S.NegativeInfinity):
        return number_piece(ENDLESS if value is S.Infinity else -ENDLESS)
    if value.is_Add:
        return reduce(FUNCTIONS["add"], map(sheet_number, value.args))
    if isinstance(value, Mul):
        above, below = value.as_numer_denom()
        if below != 1:
            return divide(sheet_number(above), sheet_number(below))
        return reduce(multiply, map(sheet_number, value.args))
    if value is S.Exp1 or isinstance(value, exp):
        return SheetCall("EXP", (ONE if value is S.Exp1 else sheet_number(value.exp),))
    if isinstance(value, Pow):
        exponent = sheet_number(value.exp)
        return power_piece(sheet_number(value.base), exponent)
    if value is S.Pi:
        return SheetCall("PI")
    if (name := _NUMBERS.get(value.func)) is not None:
        return FUNCTIONS[name](*map(sheet_number, value.args))
    raise RenderError(f"no formula of a spreadsheet for the number {value}: expected roots, powers, exp and log")


def _by_class() -> Mapping[type, str]:
    import sympy

    names = ("tanh", "erf", "sin", "cos", "acos")
    return {log: "log", sympy.Abs: "abs", **{getattr(sympy, name): name for name in names}}


_NUMBERS = _by_class()
