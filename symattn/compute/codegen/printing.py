"""Predict the output of a program from certified digits: a digit is given only where all of an entry's ball agrees.

The programs' own ``print_matrix`` prints a name, then its rows with a fixed number of decimals. That number is the
solution's, or up to :data:`MORE` more where an entry lies on a tie, or so close to one that double precision cannot
tell on which side: a program does not round ties as a page does, and with one decimal more there is no tie. A page may
show more decimals than double precision has; then the program shows as many as it has, down to :data:`FEWEST`.

R's own ``print`` gives every column as many decimals as its numbers need for seven significant digits, or an exponent
where that is shorter (``options(digits = 7, scipen = 0)``), and puts columns that do not fit in a line below the others
(``width = 80``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor
from typing import TypeVar

from flint import arb, arb_mat

from symattn.base.errors import RenderError, UndecidedError
from symattn.base.printed import decimal_text
from symattn.compute.codegen.double import computed, exact_fraction, is_infinite
from symattn.compute.solution.store import Store

T = TypeVar("T")

MORE = 3
"""How many decimals beyond the solution's are tried."""

FEWEST = 6
"""The fewest decimals to fall back to; where double precision cannot give that many, no program is written."""

PrintedRows = list[list[str | int]]
"""The texts of the entries; −1 and 1 stand for infinities."""

DIGITS = 7
"""R's ``options("digits")``."""

LINE = 80
"""R's ``options("width")``."""

MOST_ENTRIES = 99_999
"""R's ``options("max.print")``: R prints only a part of a larger matrix."""


@dataclass(frozen=True)
class Ends:
    """All numbers between two ends, or an infinity: the possible results of a program for an entry."""

    low: Fraction = Fraction(0)
    high: Fraction = Fraction(0)
    infinite: int = 0
    """−1 or 1 for an infinity."""

    @classmethod
    def of(cls, place: str, x: arb) -> Ends:
        """Return the numbers that a ball holds.

        Raises :class:`~symattn.base.errors.UndecidedError` with the place where they may be any.
        """
        if not x.is_finite():
            if not is_infinite(x):
                raise UndecidedError(
                    f"{place}: what a program prints cannot be decided: double precision loses every digit"
                )
            return cls(infinite=-1 if x < 0 else 1)
        middle, radius = exact_fraction(x.mid()), exact_fraction(x.rad())
        return cls(middle - radius, middle + radius)

    @property
    def may_be_a_remainder(self) -> bool:
        """Whether this is 0 to every digit that double precision has, but perhaps not exactly 0."""
        return self.low <= 0 <= self.high and self.low != self.high


# -- a fixed number of decimals ----------------------------------------------------------------------------------


def fixed_figures(solution: Store, names: Iterable[str]) -> tuple[int, dict[str, PrintedRows]]:
    """Find how many decimals a program prints, and its figures for every name.

    Raises :class:`~symattn.base.errors.UndecidedError` where a digit hangs on the rounding errors of the program.
    """
    balls = computed(solution, names)
    wanted = solution.style.decimals
    for decimals in (*range(wanted, wanted + MORE + 1), *range(wanted - 1, FEWEST - 1, -1)):
        try:
            return decimals, _all(solution, balls, decimals)
        except UndecidedError:
            continue
    # The message names the requested decimals.
    _all(solution, balls, wanted)
    raise AssertionError("the same question had another answer before")


def _all(solution: Store, balls: Mapping[str, arb_mat], decimals: int) -> dict[str, PrintedRows]:
    found: dict[str, PrintedRows] = {}
    for name, ball in balls.items():
        columns = ball.ncols()
        cells = [_cell(solution.place(name, i), x, decimals) for i, x in enumerate(ball.entries())]
        found[name] = [cells[start : start + columns] for start in range(0, len(cells), columns)]
    return found


def _cell(place: str, x: arb, decimals: int) -> str | int:
    ends = Ends.of(place, x)
    if ends.infinite:
        return ends.infinite
    rounded = {way for end in (ends.low, ends.high) for way in both_ways(end, decimals)}
    if len(rounded) > 1:
        raise UndecidedError(
            f"{place}: the digits that a program prints cannot be decided with {decimals} decimals: the value is too "
            "close to the middle between two roundings for double precision; try another number of decimals"
        )
    return decimal_text(rounded.pop(), decimals)


def both_ways(x: Fraction, decimals: int) -> tuple[int, int]:
    """Round x · 10^decimals to a whole number, a tie down and up.

    >>> both_ways(Fraction("0.12"), 1), both_ways(Fraction("-0.25"), 1)
    ((1, 1), (-3, -2))
    """
    scaled = x * 10**decimals
    return ceil(scaled - Fraction(1, 2)), floor(scaled + Fraction(1, 2))


def fixed_text(figures: Mapping[str, PrintedRows], infinite: str) -> str:
    """Write the text that a program prints, without the newline at its end.

    >>> print(fixed_text({"S": [["1.50", -1], ["0.00", "-0.25"]]}, "inf"))
    S
     1.50   -inf
     0.00  -0.25
    """
    lines: list[str] = []
    for name, cells in figures.items():
        texts = [[_text(cell, infinite) for cell in row] for row in cells]
        width = max(len(cell) for row in texts for cell in row)
        lines += [name, *("  ".join(cell.rjust(width) for cell in row) for row in texts)]
    return "\n".join(lines)


def _text(cell: str | int, infinite: str) -> str:
    if isinstance(cell, str):
        return cell
    return f"-{infinite}" if cell < 0 else infinite


# -- print in R --------------------------------------------------------------------------------------------------


def printed_by_r(solution: Store, name: str) -> str:
    """Predict what ``print(name)`` prints in R, without the newline at its end.

    Raises :class:`~symattn.base.errors.UndecidedError` where a digit hangs on the rounding errors of R's arithmetic,
    and :class:`~symattn.base.errors.RenderError` where a number is too large for it, or the matrix for R's ``print``.
    """
    rows, columns = solution.rows(name), solution.columns(name)
    if rows * columns > MOST_ENTRIES:
        raise RenderError(f"{name} has {rows * columns} entries: R prints at most {MOST_ENTRIES} of a matrix")
    value = computed(solution, (name,))[name]
    entries = [(place := solution.place(name, i), Ends.of(place, x)) for i, x in enumerate(value.entries())]
    return printed_columns([column(entries[j::columns]) for j in range(columns)])


def column(entries: list[tuple[str, Ends]]) -> list[str]:
    """Format a column, with the place of each entry for an error.

    >>> from fractions import Fraction
    >>> column([("", Ends(Fraction(x), Fraction(x))) for x in ("1", "2.5", "-0.125")])
    [' 1.000', ' 2.500', '-0.125']
    """
    finite = [(place, ends) for place, ends in entries if not ends.infinite]
    measured = [_alike(*each, measure) for each in finite]
    decimals = max((max(0, digits - 1 - power) for digits, power, _ in measured), default=0)
    mantissa = max((digits - 1 for digits, _, _ in measured), default=0)
    fixed, scientific = f"{{:.{decimals}f}}".format, f"{{:.{mantissa}e}}".format
    signs = [ends.low < 0 for _, ends in finite]
    wide = max((sign + left for sign, (_, _, left) in zip(signs, measured, strict=True)), default=0)
    wide += decimals + (decimals > 0)
    # With an exponent there is room for a sign in front of the longest number, whoever has the sign.
    long = any(signs) + max((len(scientific(10.0**power)) for _, power, _ in measured), default=0)
    form, width = (fixed, wide) if wide <= long else (scientific, long)
    infinities = ("", "Inf", "-Inf")
    return [(infinities[ends.infinite] or _alike(place, ends, form)).rjust(width) for place, ends in entries]


def measure(x: float) -> tuple[int, int, int]:
    """Measure a number as R does: its digits when rounded to seven, without zeros at the end, its power of ten then,
    and the digits before its point.

    >>> measure(-0.0125), measure(9999999.6), measure(99999996.0)
    ((3, -2, 1), (1, 7, 8), (1, 8, 8))
    """
    digits, _, exponent = f"{abs(x):.{DIGITS - 1}e}".partition("e")
    power = int(exponent)
    left = f"{abs(x):.{max(0, DIGITS - power)}f}".partition(".")[0] if power > 0 else "0"
    return len(digits.replace(".", "").rstrip("0")) or 1, power, len(left)


def _alike(place: str, ends: Ends, ask: Callable[[float], T]) -> T:
    """Return the answer for a number, if the doubles at both ends of its range give the same one.

    Raises :class:`~symattn.base.errors.UndecidedError` where the answers differ.
    """
    if ends.may_be_a_remainder:
        raise UndecidedError(
            f"{place}: whether R prints 0 or a remainder like 1e-17 cannot be decided: "
            "the value is 0, or too close to it for double precision"
        )
    # Measure and text follow the rounded number, which does not turn back between the ends.
    low, high = ask(float(ends.low)), ask(float(ends.high))
    if low != high:
        raise UndecidedError(
            f"{place}: the digits that R prints cannot be decided: "
            "the value is too close to the middle between two roundings for double precision"
        )
    return low


def printed_columns(columns: list[list[str]]) -> str:
    """Lay out labels and right-aligned columns, with further columns below where a line is full.

    >>> print(printed_columns([["1", "1"], ["0.5", "12.0"]]))
         [,1] [,2]
    [1,]    1  0.5
    [2,]    1 12.0
    """
    label = len(f"[{len(columns[0]) + 1},]")
    sides = [" " * label, *(f"[{i},]".rjust(label) for i in range(1, len(columns[0]) + 1))]
    padded = [_padded([f"[,{j}]", *column]) for j, column in enumerate(columns, 1)]
    return "\n".join("".join(row) for block in _blocks(padded, LINE - label) for row in zip(sides, *block, strict=True))


def _padded(column: list[str]) -> list[str]:
    width = 1 + max(map(len, column))
    return [cell.rjust(width) for cell in column]


def _blocks(columns: list[list[str]], space: int) -> Iterator[list[list[str]]]:
    """Yield the columns to print side by side: at least one, and no more than leave the last place of the line free."""
    block: list[list[str]] = []
    for column in columns:
        if block and sum(len(other[0]) for other in (*block, column)) >= space:
            yield block
            block = []
        block.append(column)
    yield block
