"""What may have happened to figures that are wrong: slips of whoever wrote them down, copied them or typed them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import floor, isqrt
from typing import TypeAlias

from flint import arb

from symattn.checking.following.rows import ball
from symattn.checking.model import Explained
from symattn.checking.reading.tree import FigureRead
from symattn.compute.values.balls import at_precision

HALF = Fraction(1, 2)

_BITS_PRINTED = 4000
"""A number longer than so many bits before or behind the point is not looked at digit by digit."""

ENOUGH = 3
"""Figures that a number must have before one that is other tells that it was mistyped: of two, one often agrees."""


@dataclass(frozen=True)
class InUnits:
    """A printed number and the one expected in its place, in units of the last place that is printed."""

    printed: int
    expected: Fraction

    @property
    def rounded(self) -> int:
        """What should have been printed."""
        return floor(abs(self.expected) + HALF) * (1 if self.expected >= 0 else -1)


def fraction_of(value: arb) -> Fraction | None:
    """The middle of an enclosure; ``None`` where it is not finite, or so large that nobody prints it.

    >>> fraction_of(arb("0.5")), fraction_of(arb.neg_inf()), fraction_of(arb(-(10**9)).exp())
    (Fraction(1, 2), None, Fraction(0, 1))
    """
    if not value.is_finite():
        return None
    man, exp = (int(part) for part in value.mid().man_exp())
    length = man.bit_length() + exp
    if abs(length) > _BITS_PRINTED:  # as a fraction it would fill the memory
        return Fraction(0) if length < 0 else None
    return Fraction(man << exp) if exp >= 0 else Fraction(man, 1 << -exp)


def agrees(figure: FigureRead, value: arb, slack: Fraction = HALF) -> bool:
    """Whether a number may be printed so: within half a unit of the last place, ties rounded either way.

    It is found out in the precision that is in force.
    """
    if figure.value is None:
        return bool(value == (arb.pos_inf() if figure.sign > 0 else arb.neg_inf()))
    if not value.is_finite():
        return False
    return not abs(value - ball(figure.value)) > ball(figure.unit * slack)


def compared(figure: FigureRead, value: arb) -> InUnits | None:
    """A figure beside what is expected; ``None`` where one of both is infinite."""
    exact = fraction_of(value)
    if figure.value is None or exact is None or figure.unit <= 0:
        return None
    units = figure.value / figure.unit
    return InUnits(int(units), exact / figure.unit) if units.denominator == 1 else None


def mistyped(figure: FigureRead, value: arb) -> Iterator[Explained]:
    """What may have happened to a figure by itself, the likeliest first."""
    pair = compared(figure, value)
    if pair is None or pair.printed == pair.rounded:
        return
    yield from _sign(pair)
    if figure.unit < 1 or pair.expected.denominator != 1:  # a whole number needs no rounding
        beside = list(_last_place(pair, figure.unit < 1 or abs(pair.expected) > _LARGE))
        yield from beside
        if beside:  # so near to the right figure nothing needs to have been mistyped
            return
    yield from _point(pair)
    yield from _digits(pair)
    yield from _left_out(pair)


def _sign(pair: InUnits) -> Iterator[Explained]:
    if pair.printed == -pair.rounded:
        what = "The minus sign was lost." if pair.expected < 0 else "There is a minus sign too many."
        yield Explained("slip:sign", what)


_LARGE = 20
"""A whole number that is one beside is another number, unless it is larger than this."""


def _last_place(pair: InUnits, is_long: bool) -> Iterator[Explained]:
    toward_zero = floor(abs(pair.expected)) * (1 if pair.expected >= 0 else -1)
    if pair.printed == toward_zero:
        yield Explained("slip:cut_off", "It was cut off instead of rounded.")
    elif is_long and abs(pair.printed - pair.rounded) == 1:
        yield Explained("slip:last_digit", "It is off by one unit in its last place.")


def _digits(pair: InUnits) -> Iterator[Explained]:
    """One digit that is another one, or two neighbours swapped."""
    if (pair.printed < 0) != (pair.rounded < 0):
        return
    length = max(len(str(abs(pair.printed))), len(str(abs(pair.rounded))))
    printed, expected = (str(abs(number)).zfill(length) for number in (pair.printed, pair.rounded))
    other = [place for place in range(length) if printed[place] != expected[place]]
    # A last figure that is another one mostly comes of rounding on the way, not of typing.
    if len(other) == 1 and length >= ENOUGH and other[0] < length - 1:
        place = other[0]
        yield Explained("slip:digit", f"One digit is another one: {printed[place]} stands for {expected[place]}.")
    if len(other) == 2 and other[1] == other[0] + 1:
        first, second = other
        if printed[first] == expected[second] and printed[second] == expected[first]:
            yield Explained(
                "slip:digits_swapped", f"Two digits changed places: {expected[first]} and {expected[second]}."
            )


def _left_out(pair: InUnits) -> Iterator[Explained]:
    """A digit that is missing or stands there twice; what follows it moves by one place."""
    if (pair.printed < 0) != (pair.expected < 0) or len(str(abs(pair.printed))) < ENOUGH:
        return
    thousandths = floor(abs(pair.expected) * 1000)
    digits = str(thousandths).zfill(4)
    for place, digit in enumerate(digits[:-3]):
        less, more = digits[:place] + digits[place + 1 :], digits[:place] + digit + digits[place:]
        # Behind the point digits move up and as many are printed; before it the number has one place less or more.
        if _is(pair.printed, int(less), 100) or _is(pair.printed, int(less), 1000):
            yield Explained("slip:digit_left_out", f"A digit was left out: {digit}.")
            return
        if _is(pair.printed, int(more), 10_000) or _is(pair.printed, int(more), 1000):
            yield Explained("slip:digit_doubled", f"A digit stands there twice: {digit}.")
            return


def _is(printed: int, digits: int, unit: int) -> bool:
    return abs(Fraction(digits, unit) - abs(printed)) <= HALF


def _point(pair: InUnits) -> Iterator[Explained]:
    """The decimal point one or two places beside."""
    if pair.printed == 0 or len(str(abs(pair.printed)).strip("0")) < 2:
        return
    for factor, where in ((10, "right"), (100, "right"), (Fraction(1, 10), "left"), (Fraction(1, 100), "left")):
        is_telling = factor < 1 or abs(pair.rounded) >= 10
        if is_telling and abs(pair.expected * factor - pair.printed) <= HALF * max(factor, 1):
            places = "two places" if factor in (100, Fraction(1, 100)) else "one place"
            yield Explained("slip:point", f"The decimal point is {places} too far to the {where}.")
            return


ReadRows: TypeAlias = Sequence[Sequence[FigureRead | None]]
"""Figures as they stand in rows; ``None`` where there is none."""

BallRows: TypeAlias = Sequence[Sequence[arb]]

EntryAt: TypeAlias = tuple[int, int]

_NEAR = Fraction(1, 20)
"""A factor as near to 1 as this comes of rounding."""


def is_telling(figure: FigureRead | None, digits: int = 2) -> bool:
    """Whether a figure has two digits at least, so that it does not agree by accident with any other."""
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


def misplaced(printed: ReadRows, expected: BallRows) -> Iterator[Explained]:
    """What explains every figure of a matrix at once."""
    if all_agree(printed, expected):
        return
    count = sum(x is not None for row in printed for x in row)
    if count > 1 and len(expected) > 1 and len(expected[0]) > 1 and all_agree(printed, turned(expected)):
        yield Explained("slip:transposed", "The matrix is transposed: rows and columns changed places.")
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


# -- a row, a column, an entry -----------------------------------------------------------------------------------------


def moved_lines(printed: ReadRows, expected: BallRows, place: EntryAt) -> Iterator[Explained]:
    """Whether the row or the column of a figure is another one."""
    for what, figures, values, number in (
        ("row", printed, expected, place[0]),
        ("column", list(zip(*printed, strict=True)), turned(expected), place[1]),
    ):
        yield from _moved_line(what, figures, values, number)


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
        back = printed[at[0]][at[1]]
        if back is not None and agrees(back, expected[row][column]) and not agrees(back, expected[at[0]][at[1]]):
            yield Explained("slip:swapped", f"It changed places with {_named(at)}.")
            return
    if same and (is_telling(figure, 3) or (is_telling(figure) and _is_alone(printed, expected))):
        yield Explained("slip:neighbour", f"It is the figure of {_named(same[0])}.")


def _is_alone(printed: ReadRows, expected: BallRows) -> bool:
    """Whether hardly another figure is wrong: where many are, two digits agree with one of their neighbours anyway."""
    pairs = [(x, value) for row, of in zip(printed, expected, strict=True) for x, value in zip(row, of, strict=True)]
    return sum(x is not None and not agrees(x, value) for x, value in pairs) <= 2


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


BITS = 128
"""The precision in which figures are compared."""

LARGEST = 4096
"""Entries of a matrix beyond which slips among figures are not looked for."""


def slips(printed: ReadRows, expected: BallRows, place: EntryAt) -> tuple[Explained, ...]:
    """What may have happened to the figure at a place, which counts from 0: what explains most comes first.

    Nothing where the figure is right.
    """
    with at_precision(BITS):
        by_name = {one.name: one for one in reversed(list(_slips(printed, expected, place)))}
        return tuple(reversed(by_name.values()))


def _slips(printed: ReadRows, expected: BallRows, place: EntryAt) -> Iterator[Explained]:
    row, column = place
    figure = printed[row][column]
    if figure is None:
        return
    if [len(r) for r in printed] != [len(r) for r in expected]:
        yield from misplaced(printed, expected)
    elif sum(map(len, expected)) > LARGEST:
        yield from mistyped(figure, expected[row][column])
    elif not agrees(figure, expected[row][column]):
        yield from misplaced(printed, expected)
        if len({len(each) for each in expected}) == 1:
            yield from moved_lines(printed, expected, place)
        yield from mistyped(figure, expected[row][column])
        yield from moved_entry(printed, expected, place)
        yield from wrong_sum(printed, expected, row)
