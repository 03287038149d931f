"""Run equations in spreadsheet formulas: an arithmetic whose numbers are pieces of formulas.

Named numbers of equations get cells of their own, and so do the terms of a sum unless they are a row of cells or
products of two: spreadsheets add and multiply the cells of a row, but apply no function to a whole row without an array
formula.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import reduce
from itertools import pairwise
from operator import add
from types import MappingProxyType
from typing import Any

from symattn.api.publish.sheets.pieces import (
    BEYOND,
    ENDLESS,
    ONE,
    ZERO,
    SheetCall,
    SheetCell,
    SheetMinus,
    SheetNumber,
    SheetPiece,
    SheetRange,
    SheetRows,
    SheetSign,
    is_leaf,
    number_piece,
    parts_of,
)
from symattn.operations.equations.tree import NamedEquation
from symattn.operations.equations.whole import COMPARED

SHORT = 8
"""The most terms of a sum that is written in full."""

MANY = 100
"""The most arguments of a function; Excel accepts 255."""

LARGEST_POWER = 700
"""The largest argument of EXP; from 710 on it is an error in spreadsheets."""


@dataclass
class HelperBlock:
    """Helper cells beside a matrix, for its formulas: a named number of an equation, or the terms of a sum."""

    key: str
    called: Any
    """The source of its label: a named equation, a formula, ``(key,)`` if transposed, or ``""`` for its first cell."""
    width: int
    cells: list[SheetPiece] = field(default_factory=list)

    @property
    def rows(self) -> list[list[SheetPiece]]:
        """Its cells, row by row."""
        return [self.cells[start : start + self.width] for start in range(0, len(self.cells), self.width)]

    def add(self, piece: SheetPiece) -> SheetCell:
        """Append a cell."""
        self.cells.append(piece)
        place = len(self.cells) - 1
        return SheetCell(self.key, place // self.width, place % self.width)


@dataclass
class Workings:
    """The helper cells of one matrix; ``shapes`` has the rows and columns of each known block."""

    name: str
    shapes: Mapping[str, tuple[int, int]]
    lets_empty_rows_through: bool = False
    helpers: list[HelperBlock] = field(default_factory=list)
    known: dict[SheetPiece, SheetCell] = field(default_factory=dict)
    """The cell that already holds a piece."""
    turned: dict[str, HelperBlock] = field(default_factory=dict)
    kept: set[str] = field(default_factory=set)
    """Blocks that formulas refer to as ranges, whatever they contain."""

    def block(self, called: Any, width: int) -> HelperBlock:
        """Add an empty block."""
        made = HelperBlock(f"{self.name}|{len(self.helpers) + 1}", called, width)
        self.helpers.append(made)
        return made

    def held(self, rows: SheetRows, called: Any) -> SheetRows:
        """Put a matrix in cells of its own, unless all its entries are cells or numbers already."""
        if all(is_leaf(piece) for row in rows for piece in row):
            return rows
        block = self.block(called, len(rows[0]))
        return [[block.add(piece) for piece in row] for row in rows]

    def as_row(self, column: Sequence[SheetCell]) -> list[SheetCell]:
        """Return a part of a column as a part of a row, in a transposed copy of its matrix."""
        key = column[0].block
        if key not in self.turned:
            rows, columns = self.shapes[key] if key in self.shapes else self._shape(key)
            self.turned[key] = self.block((key,), rows)
            self.kept.add(self.turned[key].key)
            for j in range(columns):
                for i in range(rows):
                    self.turned[key].add(SheetCell(key, i, j))
        return [SheetCell(self.turned[key].key, cell.column, cell.row) for cell in column]

    def _shape(self, key: str) -> tuple[int, int]:
        (block,) = (each for each in self.helpers if each.key == key)
        return len(block.cells) // block.width, block.width

    def closed(self) -> list[HelperBlock]:
        """Return the blocks that are kept as ranges, or hold more than cells and numbers."""
        return [each for each in self.helpers if each.key in self.kept or not all(map(is_leaf, each.cells))]


class SheetArithmetic:
    """An arithmetic for :func:`symattn.operations.equations.run.run`; ``reach`` has the range of each index."""

    def __init__(self, work: Workings, reach: Mapping[str, range], is_capped: bool, inner: str = "") -> None:
        self.work, self.reach, self.is_capped, self.inner = work, reach, is_capped, inner
        self.named: dict[str, HelperBlock] = {}
        self.terms: dict[object, HelperBlock] = {}
        self.functions: Mapping[str, Callable[..., SheetPiece]] = {**FUNCTIONS, "exp": self._exp}

    def number(self, value: int | Fraction) -> SheetPiece:
        return number_piece(value)

    def noted(self, equation: NamedEquation, piece: SheetPiece) -> SheetPiece:
        """Put a named number in a cell of its own; return the cell, or the number itself if it is a leaf."""
        if equation.name not in self.named:
            last = equation.index[-1] if equation.index else ""
            is_row = len(equation.index) == 2 or (last and last == self.inner)
            self.named[equation.name] = self.work.block(equation, len(self.reach[last]) if is_row else 1)
        cell = self.named[equation.name].add(piece)
        if is_leaf(piece):
            return piece
        self.work.known.setdefault(piece, cell)
        return cell

    def _exp(self, x: SheetPiece) -> SheetPiece:
        capped = SheetCall("MIN", (x, number_piece(LARGEST_POWER))) if self.is_capped else x
        found = SheetCall("EXP", (capped,))
        return self.work.known.get(found, found)

    # -- sums --------------------------------------------------------------------------------------------------------

    def sum(self, values: list[SheetPiece]) -> SheetPiece:
        """Return a sum of cells or of products of two cells as a function of ranges, a short one in full."""
        terms = [each for each in values if each != ZERO]
        if len(terms) < 2:
            return terms[0] if terms else ZERO
        if all(isinstance(each, SheetCell) for each in terms):
            return _of_ranges("SUM", terms)
        pairs = [_factors(each) for each in terms]
        if all(pairs):
            return self._products(terms, pairs)  # type: ignore[arg-type]
        if (bases := _squared(terms)) and len(ranges(bases)) == 1:
            return SheetCall("SUMSQ", tuple(ranges(bases)))
        if len(terms) <= SHORT and not any(map(_has_calls, terms)):
            return reduce(_add, terms)
        return _of_ranges("SUM", self._in_cells(values))

    def _in_cells(self, values: Sequence[SheetPiece]) -> list[SheetCell]:
        """Put values in a row of cells, below values of the same form."""
        if all(each in self.work.known for each in values):
            return [self.work.known[each] for each in values]
        form = (len(values), _form(values[0]))
        if form not in self.terms:
            self.terms[form] = self.work.block("", len(values))
            self.work.kept.add(self.terms[form].key)
        cells = [self.terms[form].add(each) for each in values]
        for piece, cell in zip(values, cells, strict=True):
            self.work.known.setdefault(piece, cell)
        return cells

    def _products(self, terms: Sequence[SheetPiece], pairs: Sequence[tuple[SheetCell, SheetCell]]) -> SheetPiece:
        """Use SUMPRODUCT for runs in the same direction; write other products in full, or transpose a long run."""
        found: list[SheetPiece] = []
        start = 0
        for end in _ends_of_runs(pairs):
            left, right = ([pair[side] for pair in pairs[start:end]] for side in (0, 1))
            one, other = ranges(left), ranges(right)
            if end - start == 1 or len(one) > 1 or len(other) > 1:
                found += terms[start:end]
            elif _way(left) == _way(right):
                found.append(SheetCall("SUMPRODUCT", (*one, *other)))
            elif end - start <= SHORT:
                found += terms[start:end]
            else:
                lying = [self.work.as_row(side) if _way(side) == (1, 0) else side for side in (left, right)]
                found.append(SheetCall("SUMPRODUCT", tuple(piece for side in lying for piece in ranges(side))))
            start = end
        return reduce(_add, found)

    def max(self, values: list[SheetPiece]) -> SheetPiece:
        if len(values) == 1:
            return values[0]
        if all(isinstance(each, SheetCell) for each in values):
            return _of_ranges("MAX", values)
        if len(values) <= SHORT:
            return SheetCall("MAX", tuple(values))
        return _of_ranges("MAX", self._in_cells(values))

    # -- cases -------------------------------------------------------------------------------------------------------

    def compare(self, sign: str, left: SheetPiece, right: SheetPiece) -> Any:
        if isinstance(left, SheetNumber) and isinstance(right, SheetNumber):
            return COMPARED[sign](left.value, right.value)
        for one, other, turned in ((left, right, sign), (right, left, _TURNED[sign])):
            if other in _INFINITE:
                return _beside_infinity(turned, one, other)
        return SheetSign(_COMPARED.get(sign, sign), left, right)

    def either(self, then: SheetPiece, otherwise: SheetPiece, condition: Any) -> SheetPiece:
        if then == otherwise:
            return then
        holds = SheetCall("AND", condition) if isinstance(condition, tuple) else condition
        return SheetCall("IF", (holds, then, otherwise))


_COMPARED = {"==": "=", "!=": "<>"}
_TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}
_MINUS_ONE = number_piece(-1)
_INFINITE = (number_piece(ENDLESS), number_piece(-ENDLESS))


def _beside_infinity(sign: str, piece: SheetPiece, infinity: SheetPiece) -> Any:
    """Compare a number with an infinity, which any number beyond :data:`BEYOND` stands for."""
    is_above = infinity == _INFINITE[0]
    reaches, falls_short = (">=", "<") if is_above else ("<=", ">")
    bound = number_piece(BEYOND if is_above else -BEYOND)
    if sign in ("==", reaches):
        return SheetSign(reaches, piece, bound)
    return SheetSign(falls_short, piece, bound) if sign in ("!=", falls_short) else sign == falls_short + "="


# -- rows of cells -----------------------------------------------------------------------------------------------


def _step(one: SheetCell, other: SheetCell) -> tuple[int, int] | None:
    """Return (0, 1) or (1, 0) if a cell is the next one in a row or in a column, else ``None``."""
    apart = (other.row - one.row, other.column - one.column)
    return apart if one.block == other.block and apart in ((0, 1), (1, 0)) else None


def _way(cells: Sequence[SheetCell]) -> tuple[int, int] | None:
    return _step(cells[0], cells[1])


def ranges(cells: Sequence[SheetCell]) -> list[SheetCell | SheetRange]:
    """Return cells as ranges, each as long as possible.

    >>> row = [SheetCell("A", 0, 0), SheetCell("A", 0, 1), SheetCell("B", 0, 0)]
    >>> [type(each).__name__ for each in ranges(row)]
    ['SheetRange', 'SheetCell']
    """
    found: list[list[SheetCell]] = []
    way: tuple[int, int] | None = None
    for cell in cells:
        step = _step(found[-1][-1], cell) if found else None
        if step is not None and way in (None, step):
            found[-1].append(cell)
            way = step
        else:
            found.append([cell])
            way = None
    return [run[0] if len(run) == 1 else SheetRange(run[0], run[-1]) for run in found]


def _of_ranges(function: str, cells: Sequence[Any]) -> SheetPiece:
    arguments: list[SheetPiece] = list(ranges(cells))
    while len(arguments) > MANY:
        groups = [arguments[start : start + MANY] for start in range(0, len(arguments), MANY)]
        arguments = [SheetCall(function, tuple(group)) for group in groups]
    return SheetCall(function, tuple(arguments))


def _ends_of_runs(pairs: Sequence[tuple[SheetCell, SheetCell]]) -> list[int]:
    """Return the ends of runs of pairs of cells that continue in the same direction on both sides."""
    ends: list[int] = []
    way: object = None
    for place, (before, here) in enumerate(pairwise(pairs), 1):
        steps = tuple(_step(one, other) for one, other in zip(before, here, strict=True))
        if None in steps or (way is not None and steps != way):
            ends.append(place)
            way = None
        else:
            way = steps
    return [*ends, len(pairs)]


def _factors(piece: SheetPiece) -> tuple[SheetCell, SheetCell] | None:
    match piece:
        case SheetSign("*", SheetCell() as left, SheetCell() as right):
            return left, right
    return None


def _squared(terms: Sequence[SheetPiece]) -> list[SheetCell]:
    """Return the cells that the terms are squares of; an empty list if any is not one."""
    bases = [
        each.left
        for each in terms
        if isinstance(each, SheetSign) and each.sign == "^" and each.right == number_piece(2)
    ]
    cells = [base for base in bases if isinstance(base, SheetCell)]
    return cells if len(cells) == len(terms) else []


def _has_calls(piece: SheetPiece) -> bool:
    return isinstance(piece, SheetCall) or any(map(_has_calls, parts_of(piece)))


def _form(piece: SheetPiece) -> object:
    """Return the structure of a piece, without its cells and numbers."""
    said = piece.function if isinstance(piece, SheetCall) else piece.sign if isinstance(piece, SheetSign) else ""
    return type(piece).__name__, said, tuple(map(_form, parts_of(piece)))


# -- elementary functions ----------------------------------------------------------------------------------------


def _add(x: SheetPiece, y: SheetPiece) -> SheetPiece:
    if x == ZERO or y == ZERO:
        return y if x == ZERO else x
    if isinstance(x, SheetNumber) and isinstance(y, SheetNumber):
        return number_piece(add(x.value, y.value))
    if isinstance(y, SheetMinus):
        return SheetSign("-", x, y.of)
    return SheetSign("+", x, y)


def _subtract(x: SheetPiece, y: SheetPiece) -> SheetPiece:
    return SheetSign("-", x, y) if x != ZERO and y != ZERO and not isinstance(y, SheetMinus) else _add(x, opposite(y))


def opposite(x: SheetPiece) -> SheetPiece:
    """−x."""
    if isinstance(x, SheetNumber):
        return number_piece(-x.value)
    return x.of if isinstance(x, SheetMinus) else SheetMinus(x)


def multiply(x: SheetPiece, y: SheetPiece) -> SheetPiece:
    """x · y, without writing a factor of 0 or 1."""
    if isinstance(x, SheetCell) and isinstance(y, SheetCell):
        return SheetSign("*", x, y)
    if ZERO in (x, y):
        return ZERO
    if ONE in (x, y):
        return y if x == ONE else x
    if isinstance(x, SheetNumber) and isinstance(y, SheetNumber):
        return number_piece(x.value * y.value)
    if _MINUS_ONE in (x, y):
        return opposite(y if x == _MINUS_ONE else x)
    if _is_negative(x):
        return opposite(multiply(opposite(x), y))
    return SheetSign("*", x, y)


def divide(x: SheetPiece, y: SheetPiece) -> SheetPiece:
    """x / y."""
    if isinstance(x, SheetMinus):
        return opposite(divide(x.of, y))
    if y == ONE or (x == ZERO and y != ZERO):
        return x
    if isinstance(x, SheetNumber) and isinstance(y, SheetNumber) and y != ZERO:
        return number_piece(x.value / y.value)
    return opposite(divide(opposite(x), y)) if _is_negative(x) else SheetSign("/", x, y)


def _is_negative(piece: SheetPiece) -> bool:
    return isinstance(piece, SheetNumber) and piece.value < 0


def power_piece(x: SheetPiece, exponent: Any) -> SheetPiece:
    """x^exponent; the exponent is a piece or a rational number."""
    if isinstance(exponent, SheetNumber):
        exponent = exponent.value
    if not isinstance(exponent, int | Fraction):
        return SheetSign("^", x, exponent)
    if exponent in (0, 1):
        return x if exponent else ONE
    if exponent < 0:
        return divide(ONE, power_piece(x, -exponent))
    return SheetCall("SQRT", (x,)) if exponent == Fraction(1, 2) else SheetSign("^", x, number_piece(exponent))


def _called(function: str) -> Callable[..., SheetPiece]:
    return lambda *arguments: SheetCall(function, arguments)


def _x_log_x(x: SheetPiece) -> SheetPiece:
    return SheetCall("IF", (SheetSign(">", x, ZERO), SheetSign("*", x, SheetCall("LN", (x,))), ZERO))


_SAME = ("sqrt", "tanh", "erf", "sin", "cos", "acos", "abs", "min", "max", "mod", "pi")

FUNCTIONS: Mapping[str, Callable[..., SheetPiece]] = MappingProxyType(
    {
        **{name: _called(name.upper()) for name in _SAME},
        "add": _add,
        "sub": _subtract,
        "mul": multiply,
        "div": divide,
        "neg": opposite,
        "pow": power_piece,
        "exp": _called("EXP"),
        "log": _called("LN"),
        "log1p": lambda x: SheetCall("LN", (_add(ONE, x),)),
        "expm1": lambda x: SheetSign("-", SheetCall("EXP", (x,)), ONE),
        "floor": _called("INT"),
        "xlogx": _x_log_x,
        "oo": lambda: number_piece(ENDLESS),
    }
)
"""The elementary functions of equations, as spreadsheet formulas."""
