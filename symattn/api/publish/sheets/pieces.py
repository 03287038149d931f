"""The pieces of spreadsheet formulas: a closed set of frozen classes, their text, and their value in doubles.

They need no array formula and no function newer than Excel 2010, so all programs read them. :data:`ENDLESS` stands for
infinity; it is so large that adding to it changes nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import Any

ENDLESS = 10**300
"""Stands for ∞: EXP(-1E+300) is 0, and MAX never picks -1E+300."""

BEYOND = 10**200
"""A number beyond this on a sheet stands for an infinity, even after divisions and additions."""


@dataclass(frozen=True)
class SheetNumber:
    """A rational number."""

    value: Fraction


@dataclass(frozen=True)
class SheetCell:
    """A cell of a block, counted from 0."""

    block: str
    row: int
    column: int


@dataclass(frozen=True)
class SheetRange:
    """All cells of a block from ``first`` to ``last``."""

    first: SheetCell
    last: SheetCell

    def cells(self) -> Iterator[SheetCell]:
        """Yield the cells row by row."""
        for row in range(self.first.row, self.last.row + 1):
            for column in range(self.first.column, self.last.column + 1):
                yield SheetCell(self.first.block, row, column)


@dataclass(frozen=True)
class SheetSign:
    """Two pieces with an operator between them: + - * / ^ or a comparison."""

    sign: str
    left: SheetPiece
    right: SheetPiece


@dataclass(frozen=True)
class SheetMinus:
    """The negative of a piece."""

    of: SheetPiece


@dataclass(frozen=True)
class SheetCall:
    """A call of a spreadsheet function."""

    function: str
    arguments: tuple[SheetPiece, ...] = ()


SheetPiece = SheetNumber | SheetCell | SheetRange | SheetSign | SheetMinus | SheetCall
SheetRows = Sequence[Sequence[SheetPiece]]
"""The pieces of a matrix, row by row."""

_LEVELS: Mapping[str, int] = MappingProxyType(
    {"=": 0, "<>": 0, "<": 0, "<=": 0, ">": 0, ">=": 0, "+": 1, "-": 1, "*": 2, "/": 2, "^": 3}
)
_HIGHEST = 4


def number_piece(value: int | Fraction) -> SheetNumber:
    """Return a number as a piece."""
    return SheetNumber(Fraction(value))


ZERO, ONE = number_piece(0), number_piece(1)


def is_leaf(piece: SheetPiece) -> bool:
    """Return True if a piece may be used in many places: a cell or a number."""
    return isinstance(piece, SheetCell | SheetNumber)


def parts_of(piece: SheetPiece) -> tuple[SheetPiece, ...]:
    """Return the pieces that a piece is made of."""
    match piece:
        case SheetSign(_, left, right):
            return (left, right)
        case SheetMinus(of):
            return (of,)
        case SheetCall(_, arguments):
            return arguments
    return ()


def leaves(piece: SheetPiece) -> int:
    """Return the number of cells, ranges and numbers in a piece."""
    return sum(map(leaves, parts_of(piece))) or 1


# -- text --------------------------------------------------------------------------------------------------------


def cell_formula(piece: SheetPiece, called: Callable[[SheetCell | SheetRange], str]) -> str:
    """Return the text of a formula, without the leading ``=``; ``called`` returns the addresses.

    In spreadsheets a minus binds more tightly than a power, so a minus is never written directly before one.

    >>> cell = SheetCell("A", 0, 0)
    >>> cell_formula(SheetMinus(SheetSign("^", cell, number_piece(2))), lambda each: "B3")
    '-(B3^2)'
    >>> cell_formula(SheetSign("-", cell, SheetSign("+", cell, number_piece(Fraction(1, 3)))), lambda each: "B3")
    'B3-(B3+1/3)'
    """
    return _at(piece, called, 0)


def _at(piece: SheetPiece, called: Callable[[SheetCell | SheetRange], str], least: int) -> str:
    text, level = _text(piece, called)
    return f"({text})" if level < least else text


def _text(piece: SheetPiece, called: Callable[[SheetCell | SheetRange], str]) -> tuple[str, int]:
    match piece:
        case SheetCell() | SheetRange():
            return called(piece), _HIGHEST
        case SheetNumber(value):
            return _number_text(value)
        case SheetMinus(of):
            plain = isinstance(of, SheetSign) and of.sign == "^"
            return f"-{_at(of, called, _HIGHEST if plain else 2)}", 1
        case SheetSign(sign, left, right):
            level = _LEVELS[sign]
            first = _at(left, called, level + (sign == "^" or not level))
            return f"{first}{sign}{_at(right, called, level + 1)}", level
        case SheetCall(function, arguments):
            return f"{function}({','.join(_at(each, called, 0) for each in arguments)})", _HIGHEST


def _number_text(value: Fraction) -> tuple[str, int]:
    top, bottom = value.numerator, value.denominator
    level = 1 if value < 0 else _HIGHEST
    if bottom == 1:
        return (_power_of_ten(top) if abs(top) >= 10**15 else str(top)), level
    if (decimal := short_decimal(value)) is not None:
        return decimal, level
    if max(abs(top), bottom) >= 10**15:
        return repr(float(value)).upper(), level
    return f"{top}/{bottom}", min(level, 2)


def _power_of_ten(whole: int) -> str:
    digits = str(abs(whole)).rstrip("0")
    zeros = len(str(abs(whole))) - len(digits)
    if len(digits) <= 15:
        return f"{'-' if whole < 0 else ''}{digits}E+{zeros}"
    return repr(float(whole)).upper()


def short_decimal(value: Fraction) -> str | None:
    """Return a number as a decimal of at most 15 digits; ``None`` if it is not one.

    >>> short_decimal(Fraction(21, 100)), short_decimal(Fraction(1, 3))
    ('0.21', None)
    """
    for places in range(16):
        scaled = value * 10**places
        if scaled.denominator == 1:
            digits = str(abs(scaled.numerator)).rjust(places + 1, "0")
            if len(digits) > 15:
                return None
            front, back = digits[: len(digits) - places], digits[len(digits) - places :]
            return f"{'-' if value < 0 else ''}{front}{'.' if back else ''}{back}"
    return None


# -- values ------------------------------------------------------------------------------------------------------


def worth(piece: SheetPiece, known: Callable[[SheetCell], float]) -> Any:
    """Evaluate a piece in doubles, as a spreadsheet does: to a number, a truth value, or the numbers of a range.

    >>> worth(SheetCall("EXP", (number_piece(-ENDLESS),)), lambda cell: 0.0)
    0.0
    """
    match piece:
        case SheetNumber(value):
            return float(value)
        case SheetCell():
            return known(piece)
        case SheetRange():
            return [known(cell) for cell in piece.cells()]
        case SheetMinus(of):
            return -worth(of, known)
        case SheetSign(sign, left, right):
            return _SIGNS[sign](worth(left, known), worth(right, known))
        case SheetCall("IF", (condition, then, otherwise)):
            return worth(then if worth(condition, known) else otherwise, known)
        case SheetCall(function, arguments):
            return _CALLS[function](*(worth(each, known) for each in arguments))


def _flat(*arguments: Any) -> list[float]:
    return [x for each in arguments for x in (each if isinstance(each, list) else [each])]


_SIGNS: Mapping[str, Callable[[Any, Any], Any]] = MappingProxyType(
    {
        "+": lambda x, y: x + y,
        "-": lambda x, y: x - y,
        "*": lambda x, y: x * y,
        "/": lambda x, y: x / y,
        "^": lambda x, y: x**y,
        "=": lambda x, y: x == y,
        "<>": lambda x, y: x != y,
        "<": lambda x, y: x < y,
        "<=": lambda x, y: x <= y,
        ">": lambda x, y: x > y,
        ">=": lambda x, y: x >= y,
    }
)
_CALLS: Mapping[str, Callable[..., Any]] = MappingProxyType(
    {
        "SUM": lambda *parts: math.fsum(_flat(*parts)),
        "SUMPRODUCT": lambda x, y: math.fsum(a * b for a, b in zip(x, y, strict=True)),
        "SUMSQ": lambda *parts: math.fsum(x * x for x in _flat(*parts)),
        "MAX": lambda *parts: max(_flat(*parts)),
        "MIN": lambda *parts: min(_flat(*parts)),
        "AND": lambda *parts: all(parts),
        "EXP": math.exp,
        "LN": math.log,
        "SQRT": math.sqrt,
        "TANH": math.tanh,
        "ERF": math.erf,
        "SIN": math.sin,
        "COS": math.cos,
        "ACOS": math.acos,
        "ATAN2": lambda x, y: math.atan2(y, x),
        "ABS": abs,
        "INT": math.floor,
        "MOD": lambda x, y: x - y * math.floor(x / y),
        "ROUND": lambda x, places: round(x, int(places)),
        "PI": lambda: math.pi,
        "MATCH": lambda x, row, _: row.index(x) + 1,
        "RANK": lambda x, row: 1 + sum(y > x for y in row),
        "COUNTIF": lambda row, x: _flat(row).count(x),
    }
)
"""Every function that a formula may call, except IF, which :func:`worth` evaluates itself."""
