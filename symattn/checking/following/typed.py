"""What may have happened to one figure on its way to the page: a sign, a digit, the point, the last place.

Figures are compared as whole numbers of units of the last place that is printed: ``-1.14`` is −114.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import floor

from flint import arb, fmpq

from symattn.checking.model import Explained
from symattn.checking.reading.tree import FigureRead

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


def ball_of(number: Fraction) -> arb:
    """A fraction as an enclosure in the precision that is in force."""
    return arb(fmpq(number.numerator, number.denominator))


def agrees(figure: FigureRead, value: arb, slack: Fraction = HALF) -> bool:
    """Whether a number may be printed so: within half a unit of the last place, ties rounded either way.

    It is found out in the precision that is in force.

    >>> figure = FigureRead("0.33", Fraction(33, 100), Fraction(1, 100), 0, 4)
    >>> agrees(figure, arb(1) / 3), agrees(figure, arb("0.336"))
    (True, False)
    """
    if figure.value is None:
        return bool(value == (arb.pos_inf() if figure.sign > 0 else arb.neg_inf()))
    if not value.is_finite():
        return False
    return not abs(value - ball_of(figure.value)) > ball_of(figure.unit * slack)


def compared(figure: FigureRead, value: arb) -> InUnits | None:
    """A figure beside what is expected; ``None`` where one of both is infinite.

    >>> compared(FigureRead("0.33", Fraction(33, 100), Fraction(1, 100), 0, 4), arb("0.5")).rounded
    50
    """
    exact = fraction_of(value)
    if figure.value is None or exact is None or figure.unit <= 0:
        return None
    units = figure.value / figure.unit
    return InUnits(int(units), exact / figure.unit) if units.denominator == 1 else None


def mistyped(figure: FigureRead, value: arb) -> Iterator[Explained]:
    """What may have happened to a figure by itself, the likeliest first.

    >>> wrong = FigureRead("-0.123", Fraction(-123, 1000), Fraction(1, 1000), 0, 6)
    >>> [one.name for one in mistyped(wrong, arb("0.1234"))], [one.name for one in mistyped(wrong, arb("-0.213"))]
    (['slip:sign'], ['slip:digits_swapped'])
    """
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
