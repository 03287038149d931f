"""What may have happened to figures among each other: copied, swapped, transposed, all times one factor.

Places count from 0 here and from 1 in sentences.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from math import isqrt
from typing import TypeAlias

from flint import arb

from symattn.checking.following.typed import HALF, agrees, fraction_of
from symattn.checking.model import Explained
from symattn.checking.reading.tree import FigureRead

ReadRows: TypeAlias = Sequence[Sequence[FigureRead | None]]
"""Figures as they stand in rows; ``None`` where there is none."""

BallRows: TypeAlias = Sequence[Sequence[arb]]

EntryAt: TypeAlias = tuple[int, int]

_NEAR = Fraction(1, 20)
"""A factor as near to 1 as this comes of rounding."""


def is_telling(figure: FigureRead | None, digits: int = 2) -> bool:
    """Whether a figure has two digits at least, so that it does not agree by accident with any other.

    >>> is_telling(FigureRead("0.05", Fraction(5, 100), Fraction(1, 100), 0, 4))
    False
    """
    return figure is not None and figure.value is not None and abs(figure.value) >= 10 ** (digits - 1) * figure.unit


def all_agree(printed: ReadRows, values: BallRows) -> bool:
    """Whether all figures are those of a matrix."""
    if [len(row) for row in printed] != [len(row) for row in values]:
        return False
    pairs = [(x, value) for row, of in zip(printed, values, strict=True) for x, value in zip(row, of, strict=True)]
    return all(x is None or agrees(x, value) for x, value in pairs) and any(x is not None for x, _ in pairs)


def turned(values: BallRows) -> BallRows:
    """The transpose."""
    return list(zip(*values, strict=True))


def differ(one: BallRows, other: BallRows, printed: ReadRows) -> bool:
    """Whether two matrices would be printed otherwise, as exactly as figures stand there."""
    return any(
        x is not None and not (agrees(x, a) and agrees(x, b))
        for row, first, second in zip(printed, one, other, strict=True)
        for x, a, b in zip(row, first, second, strict=True)
    )


# -- all of a matrix ---------------------------------------------------------------------------------------------------


def misplaced(printed: ReadRows, expected: BallRows, also: Mapping[str, BallRows]) -> Iterator[Explained]:
    """What explains every figure of a matrix at once.

    >>> figures = tuple(FigureRead(str(n), Fraction(n), Fraction(1), 0, 1) for n in (1, 2, 3, 4))
    >>> printed = (figures[:2], figures[2:])
    >>> [one.name for one in misplaced(printed, ((arb(1), arb(3)), (arb(2), arb(4))), {})]
    ['slip:transposed']
    """
    if all_agree(printed, expected):
        return
    count = sum(x is not None for row in printed for x in row)
    if count > 1 and len(expected) > 1 and len(expected[0]) > 1 and all_agree(printed, turned(expected)):
        yield Explained("slip:transposed", "The matrix is transposed: rows and columns changed places.")
    for name, values in also.items():
        if count > 1 and all_agree(printed, values):
            yield Explained("slip:another", f"These are the figures of {name}.")
    if [len(row) for row in printed] == [len(row) for row in expected]:
        yield from _times_one_factor(printed, expected)


_EXACT = Fraction(1, 10**9)


def _factor(printed: ReadRows, expected: BallRows) -> tuple[Fraction, Fraction] | None:
    """The ends of the factor; whole numbers are first taken as what they are, and not as what was rounded."""
    if all(x is None or x.unit >= 1 for row in printed for x in row):
        return _ratio(printed, expected, _EXACT) or _ratio(printed, expected)
    return _ratio(printed, expected)


def _ratio(printed: ReadRows, expected: BallRows, slack: Fraction = HALF) -> tuple[Fraction, Fraction] | None:
    """The factors between which all figures are those that are expected times one factor; ``None`` if there is none."""
    low, high, found = Fraction(0), Fraction(0), 0
    for row, of in zip(printed, expected, strict=True):
        for x, value in zip(row, of, strict=True):
            exact = fraction_of(value)
            if x is None or (x.value is None and exact is None and agrees(x, value)):
                continue
            if x.value is None or exact is None:
                return None
            if abs(exact) < x.unit / 1000:  # zero says nothing of a factor
                if x.value:
                    return None
                continue
            ends = sorted(((x.value - x.unit * slack) / exact, (x.value + x.unit * slack) / exact))
            low, high = (max(low, ends[0]), min(high, ends[1])) if found else (ends[0], ends[1])
            found += is_telling(x) or (x.value != 0 and slack < HALF)
            if low > high:
                return None
    return (low, high) if found > 1 else None


def _times_one_factor(printed: ReadRows, expected: BallRows) -> Iterator[Explained]:
    """Whether all figures, or those of each row, are what they should be times one number."""
    ends = _factor(printed, expected)
    name = named_factor(*ends) if ends is not None else ""
    if not name and _is_undivided(printed, expected):
        yield Explained("slip:not_divided", "These are the exponentials: they were not divided by their sum.")
        return
    if ends is None or (ends[0] < 1 + _NEAR and ends[1] > 1 - _NEAR):
        return
    if ends[0] <= -1 <= ends[1]:
        yield Explained("slip:signs", "All signs are the other way round.")
    elif name:
        yield Explained("slip:factor", f"All figures are {name} times what they should be.")
    elif ends[1] - ends[0] < abs(ends[0]) / 50:
        about = f"{float(sum(ends) / 2):.4g}"
        yield Explained("slip:factor", f"All figures are about {about} times what they should be: a factor is missing.")


def named_factor(low: Fraction, high: Fraction) -> str:
    """A whole number, a root or one of both below 1 that lies between two ends close together; else nothing.

    >>> named_factor(Fraction(141, 100), Fraction(142, 100)), named_factor(Fraction(49, 100), Fraction(51, 100))
    ('√2', '1/2')
    """
    if low <= 0 or low <= 1 <= high:
        return ""
    if low < 1:
        inner = named_factor(1 / high, 1 / low)
        return f"1/{inner}" if inner else ""
    if high - low > low / 20:
        return ""
    whole = round((low + high) / 2)
    if whole > 1 and low <= whole <= high:
        return str(whole)
    square = round(((low + high) / 2) ** 2)
    is_between = low**2 <= square <= high**2 and high**2 - low**2 < HALF
    return f"√{square}" if is_between and square > 1 and isqrt(square) ** 2 != square else ""


def _sums_to_one(row: Sequence[arb]) -> bool:
    """Whether a row holds shares."""
    total = fraction_of(sum(row, arb(0)))
    return total is not None and len(row) > 1 and abs(total - 1) < Fraction(1, 10**6) and all(x > -1e-9 for x in row)


def _is_undivided(printed: ReadRows, expected: BallRows) -> bool:
    """Whether exponentials stand in the place of shares: each row is its shares times one number, their sum."""
    if not all(map(_sums_to_one, expected)):
        return False
    ratios = [_ratio([row], [of]) for row, of in zip(printed, expected, strict=True)]
    return all(ends is not None and ends[0] > 1 + _NEAR for ends in ratios)


# -- a row, a column, an entry -----------------------------------------------------------------------------------------


def moved_lines(printed: ReadRows, expected: BallRows, place: EntryAt) -> Iterator[Explained]:
    """Whether the row or the column of a figure is another one."""
    for what, figures, values, number in (
        ("row", printed, expected, place[0]),
        ("column", turned_figures(printed), turned(expected), place[1]),
    ):
        yield from _moved_line(what, figures, values, number)


def turned_figures(printed: ReadRows) -> ReadRows:
    """The figures of the columns."""
    return list(zip(*printed, strict=True))


def _moved_line(what: str, printed: ReadRows, expected: BallRows, number: int) -> Iterator[Explained]:
    line = printed[number]
    if len(line) < 2 or all_agree([line], [expected[number]]):
        return
    for other, values in enumerate(expected):
        if other == number or not all_agree([line], [values]):
            continue
        if all_agree([printed[other]], [expected[number]]):
            said = f"{what.capitalize()}s {number + 1} and {other + 1} changed places."
            yield Explained(f"slip:{what}s_swapped", said)
        else:
            yield Explained(f"slip:{what}_copied", f"These are the figures of {what} {other + 1}.")
        return


def moved_entry(printed: ReadRows, expected: BallRows, place: EntryAt) -> Iterator[Explained]:
    """Whether a figure is that of another entry in its row or column, the nearest first."""
    row, column = place
    figure = printed[row][column]
    if figure is None:
        return
    others = [(row, other) for other in range(len(expected[row])) if other != column]
    others += [(other, column) for other in range(len(expected)) if other != row and column < len(expected[other])]
    others.sort(key=lambda at: abs(at[0] - row) + abs(at[1] - column))
    same = [at for at in others if agrees(figure, expected[at[0]][at[1]])]
    for at in same:
        if (back := printed[at[0]][at[1]]) is not None and _are_swapped(back, expected, place, at):
            yield Explained("slip:swapped", f"It changed places with {_named(at)}.")
            return
    if same and (is_telling(figure, 3) or (is_telling(figure) and _is_alone(printed, expected))):
        yield Explained("slip:neighbour", f"It is the figure of {_named(same[0])}.")


def _is_alone(printed: ReadRows, expected: BallRows) -> bool:
    """Whether hardly another figure is wrong: where many are, two digits agree with one of their neighbours anyway."""
    pairs = [(x, value) for row, of in zip(printed, expected, strict=True) for x, value in zip(row, of, strict=True)]
    return sum(x is not None and not agrees(x, value) for x, value in pairs) <= 2


def _are_swapped(back: FigureRead, expected: BallRows, place: EntryAt, at: EntryAt) -> bool:
    return agrees(back, expected[place[0]][place[1]]) and not agrees(back, expected[at[0]][at[1]])


def _named(place: EntryAt) -> str:
    return f"row {place[0] + 1}, column {place[1] + 1}"


def wrong_sum(printed: ReadRows, expected: BallRows, row: int) -> Iterator[Explained]:
    """Whether a row that should hold shares does not sum to one."""
    figures = [figure for figure in printed[row] if figure is not None and figure.value is not None]
    if not _sums_to_one(expected[row]) or len(figures) != len(expected[row]):
        return
    total = sum((figure.value or Fraction(0) for figure in figures), Fraction(0))
    if abs(total - 1) > sum((figure.unit for figure in figures), Fraction(0)) / 2:
        yield Explained("slip:shares", f"The shares of row {row + 1} sum to {float(total):.6g}, not to 1.")
