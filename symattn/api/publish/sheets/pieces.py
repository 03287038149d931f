"""What formulas of spreadsheets are made of: a closed set of frozen pieces, their text, and their value in doubles.

No array formula is among them and no function that is newer than Excel 2010, so that all programs read them. What
stands for an infinity is :data:`ENDLESS`, a number so large that adding to it changes nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import Any

ENDLESS = 10**300
"""Stands for ∞: EXP(-1E+300) is 0, and MAX never takes it."""

BEYOND = 10**200
"""A number of a sheet beyond this stands for an infinity, whatever it has been divided by or added to."""


@dataclass(frozen=True)
class SheetNumber:
    """A rational number."""

    value: Fraction


@dataclass(frozen=True)
class SheetCell:
    """A cell of a block of cells, counted from 0."""

    block: str
    row: int
    column: int


@dataclass(frozen=True)
class SheetRange:
    """All cells of a block from one to another one."""

    first: SheetCell
    last: SheetCell

    def cells(self) -> Iterator[SheetCell]:
        """Row by row."""
        for row in range(self.first.row, self.last.row + 1):
            for column in range(self.first.column, self.last.column + 1):
                yield SheetCell(self.first.block, row, column)


@dataclass(frozen=True)
class SheetSign:
    """Two pieces with a sign between them: + - * / ^ or a comparison."""

    sign: str
    left: SheetPiece
    right: SheetPiece


@dataclass(frozen=True)
class SheetMinus:
    """The opposite of a piece."""

    of: SheetPiece


@dataclass(frozen=True)
class SheetCall:
    """A function of a spreadsheet."""

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
    """A number as a piece."""
    return SheetNumber(Fraction(value))


ZERO, ONE = number_piece(0), number_piece(1)


def is_leaf(piece: SheetPiece) -> bool:
    """Whether a piece may stand in many places: a cell or a number."""
    return isinstance(piece, SheetCell | SheetNumber)


def parts_of(piece: SheetPiece) -> tuple[SheetPiece, ...]:
    """The pieces that a piece is made of."""
    match piece:
        case SheetSign(_, left, right):
            return (left, right)
        case SheetMinus(of):
            return (of,)
        case SheetCall(_, arguments):
            return arguments
    return ()


def leaves(piece: SheetPiece) -> int:
    """How many cells, ranges and numbers a piece has."""
    return sum(map(leaves, parts_of(piece))) or 1


# -- text --------------------------------------------------------------------------------------------------------


def cell_formula(piece: SheetPiece, called: Callable[[SheetCell | SheetRange], str]) -> str:
    """The text of a formula, without the ``=`` before it; ``called`` has the addresses.

    A minus binds more tightly than a power in spreadsheets, so that it never stands right before one.

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
    """A number as a decimal of at most 15 digits, where it is one.

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
    """What a program gets for a piece in double precision: a number, a truth value, or the numbers of a range.

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
"""Every function that a formula may call."""
