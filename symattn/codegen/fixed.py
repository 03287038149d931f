"""What the programs' own ``print_matrix`` prints: a name, then its rows with a fixed number of decimals.

The number of decimals is the solution's, or up to :data:`MORE` more where an entry lies on a tie, or so close to one
that double precision cannot tell on which side: a program does not round ties as a page does, and with one decimal more
there is no tie. A page may show more decimals than double precision has; then the program shows as many as it has, down
to :data:`FEWEST`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from math import ceil, floor

from flint import arb, arb_mat

from symattn.codegen.double import Ends, computed
from symattn.errors import UndecidedError
from symattn.solution.store import Store
from symattn.values.rounding import decimal_text

MORE = 3
"""How many decimals more than the solution's are tried."""

FEWEST = 6
"""With fewer decimals than these a program is not written because double precision has no more."""

PrintedRows = list[list[str | int]]
"""The texts of the entries; −1 and 1 stand for infinities."""


def figures(solution: Store, names: Iterable[str]) -> tuple[int, dict[str, PrintedRows]]:
    """How many decimals a program prints, and its figures for every name.

    Raises :class:`~symattn.errors.UndecidedError` where a digit hangs on the rounding errors of the program.
    """
    balls = computed(solution, names)
    wanted = solution.style.decimals
    for decimals in (*range(wanted, wanted + MORE + 1), *range(wanted - 1, FEWEST - 1, -1)):
        try:
            return decimals, _all(solution, balls, decimals)
        except UndecidedError:
            continue
    # The sentence speaks of the decimals that were asked for.
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
    """x · 10^decimals rounded to a whole number, a tie down and up.

    >>> both_ways(Fraction("0.12"), 1), both_ways(Fraction("-0.25"), 1)
    ((1, 1), (-3, -2))
    """
    scaled = x * 10**decimals
    return ceil(scaled - Fraction(1, 2)), floor(scaled + Fraction(1, 2))


def printed(figures: Mapping[str, PrintedRows], infinite: str) -> str:
    """The text that a program prints, without the newline at its end.

    >>> print(printed({"S": [["1.50", -1], ["0.00", "-0.25"]]}, "inf"))
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
