"""What R prints for a matrix, from certified digits.

What R may compute is enclosed by :mod:`symattn.codegen.double`. The layout is R's own, of ``formatReal()`` in
``src/main/format.c`` and ``printMatrix()`` in ``src/main/printmatrix.c``, with
``options(digits = 7, scipen = 0, width = 80)``.

>>> column = [measure(Fraction(x)) for x in (1, "2.5", "-0.125")]
>>> layout(column)
Layout(width=6, decimals=3, scientific=False)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeVar

from flint import arb

from symattn.codegen.double import Ends, computed
from symattn.errors import RenderError, UndecidedError
from symattn.solution.core import Solution
from symattn.values.rounding import decimal_text

T = TypeVar("T")

DIGITS = 7
"""R's ``options("digits")``."""

LINE = 80
"""R's ``options("width")``."""

MOST_ENTRIES = 99_999
"""R's ``options("max.print")``: of a larger matrix it prints a part."""

LARGEST_POWER = 27
"""``KP_MAX`` in format.c."""


# -- how R writes numbers ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Measure:
    """What R's ``scientific()`` finds out about a number rounded to seven significant digits."""

    negative: bool
    power: int
    """Of ten, in front of the first digit."""
    significant: int
    """Digits without the zeros at the end."""
    widens: bool
    """Whether rounding gives the number a digit more than it has when it is written out."""


@dataclass(frozen=True)
class Layout:
    """How R writes the numbers of one column."""

    width: int
    decimals: int
    scientific: bool


def measure(x: Fraction) -> Measure:
    """R's ``scientific()``.

    >>> measure(Fraction("-0.0125")), measure(Fraction(99999996)).widens
    (Measure(negative=True, power=-2, significant=3, widens=False), True)
    """
    if not x:
        return Measure(False, 0, 1, False)
    power, digits = _scientific(x, DIGITS)
    limit = 10**power - Fraction(1, 2 * 10 ** min(max(DIGITS - power, 0), LARGEST_POWER)) if power > 0 else 0
    return Measure(x < 0, power, len(digits.rstrip("0")), power <= LARGEST_POWER and abs(x) < limit)


def _scientific(x: Fraction, significant: int) -> tuple[int, str]:
    """The power of ten and the digits of a number that is not 0; a tie goes to the even digit, as in C.

    >>> _scientific(Fraction(99996, 10), 4), _scientific(Fraction(1, 2048), 7)
    ((4, '1000'), (-4, '4882812'))
    """
    size = abs(x)
    power = len(str(size.numerator)) - len(str(size.denominator))
    power -= size < Fraction(10) ** power
    digits = str(round(size * Fraction(10) ** (significant - 1 - power)))
    return power + len(digits) - significant, digits[:significant]


def layout(column: list[Measure]) -> Layout:
    """R's ``formatReal()`` for the finite numbers of a column: fixed, unless an exponent takes less space."""
    left = [m.power + 1 - m.widens for m in column]
    decimals = max(0, *(m.significant - length for m, length in zip(column, left, strict=True)))
    fixed = max(m.negative + max(length, 1) for m, length in zip(column, left, strict=True)) + decimals + (decimals > 0)
    if max(left) < 0:
        fixed = 1 + any(m.negative for m in column) + decimals + (decimals > 0)
    mantissa = max(m.significant for m in column) - 1
    exponent = 3 if max(left) > 100 or min(left) <= -99 else 2
    width = any(m.negative for m in column) + 1 + (mantissa > 0) + mantissa + 2 + exponent
    return Layout(fixed, decimals, False) if fixed <= width else Layout(width, mantissa, True)


def text(x: Fraction, layout: Layout) -> str:
    """One number in the layout of its column.

    >>> text(Fraction(1, 8), Layout(5, 2, False)), text(Fraction(-1500), Layout(8, 1, True))
    ('0.12', '-1.5e+03')
    """
    if not layout.scientific:
        return decimal_text(round(x * 10**layout.decimals), layout.decimals)
    power, digits = _scientific(x, layout.decimals + 1) if x else (0, "0" * (layout.decimals + 1))
    point = "." if layout.decimals else ""
    return f"{'-' if x < 0 else ''}{digits[0]}{point}{digits[1:]}e{power:+03d}"


# -- entries -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Entry:
    """An entry as the program may have it."""

    place: str
    ends: Ends

    @classmethod
    def of(cls, place: str, x: arb) -> Entry:
        """The entry that a ball holds."""
        ends = Ends.of(place, x)
        if ends.may_be_a_remainder:
            raise UndecidedError(
                f"{place}: whether R prints 0 or a remainder like 1e-17 cannot be decided: "
                "the value is 0, or too close to it for double precision"
            )
        return cls(place, ends)

    @property
    def infinite(self) -> str:
        """How R writes an infinity, or nothing."""
        return ("", "Inf", "-Inf")[self.ends.infinite]

    @property
    def measure(self) -> Measure:
        """How R measures it, whatever its value is between the ends."""
        return self._alike(measure)

    def text(self, layout: Layout) -> str:
        """How R writes it, whatever its value is between the ends."""
        return self.infinite or self._alike(lambda x: text(x, layout))

    def _alike(self, ask: Callable[[Fraction], T]) -> T:
        # Measure and text follow the rounded number, which does not turn back between the ends.
        low, high = ask(self.ends.low), ask(self.ends.high)
        if low != high:
            raise UndecidedError(
                f"{self.place}: the digits that R prints cannot be decided: "
                "the value is too close to the middle between two roundings for double precision"
            )
        return low


# -- the matrix --------------------------------------------------------------------------------------------------


def printed(solution: Solution, name: str) -> str:
    """What ``print(name)`` prints in R, without the newline at its end.

    Raises :class:`~symattn.errors.UndecidedError` where a digit hangs on the rounding errors of R's arithmetic, and
    :class:`~symattn.errors.RenderError` where a number is too large for it, or the matrix for R's ``print``.
    """
    rows, columns = solution.rows(name), solution.columns(name)
    if rows * columns > MOST_ENTRIES:
        raise RenderError(f"{name} has {rows * columns} entries: R prints at most {MOST_ENTRIES} of a matrix")
    value = computed(solution, (name,), any_order=False)[name]
    entries = [Entry.of(solution.place(name, i), x) for i, x in enumerate(value.entries())]
    return matrix([_column(entries[j::columns]) for j in range(columns)])


def _column(entries: list[Entry]) -> list[str]:
    finite = [entry.measure for entry in entries if not entry.infinite]
    form = layout(finite) if finite else Layout(0, 0, False)
    return [entry.text(form).rjust(form.width) for entry in entries]


def matrix(columns: list[list[str]]) -> str:
    """R's ``printMatrix()``: labels, right-aligned columns, and further columns below where a line is full.

    >>> print(matrix([["1", "1"], ["0.5", "12.0"]]))
         [,1] [,2]
    [1,]    1  0.5
    [2,]    1 12.0
    """
    label = len(f"[{len(columns[0]) + 1},]")
    padded = [_padded(f"[,{j}]", column) for j, column in enumerate(columns, 1)]
    sides = [f"[{i},]".rjust(label) for i in range(1, len(columns[0]) + 1)]
    lines: list[str] = []
    for block in _blocks(padded, LINE - label):
        lines += map("".join, zip([" " * label, *sides], *block, strict=True))
    return "\n".join(lines)


def _padded(head: str, column: list[str]) -> list[str]:
    width = 1 + max(map(len, [head, *column]))
    return [cell.rjust(width) for cell in (head, *column)]


def _blocks(columns: list[list[str]], space: int) -> Iterator[list[list[str]]]:
    """The columns that stand side by side: at least one, and no more than leave the last place of the line free."""
    block: list[list[str]] = []
    for column in columns:
        if block and sum(len(other[0]) for other in (*block, column)) >= space:
            yield block
            block = []
        block.append(column)
    yield block
