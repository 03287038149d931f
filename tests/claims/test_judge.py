"""The one rule for printed figures, beside the same rule written with Python's fractions."""

from __future__ import annotations

from fractions import Fraction

import pytest
from flint import arb, arb_mat, fmpq
from hypothesis import example, given
from hypothesis import strategies as st

from symattn.base.errors import SymattnError
from symattn.base.printed import scale_of
from symattn.claims.judge import accepted, agrees, all_agree, figure_number
from symattn.compute.values.ends import HIDDEN, Bounds

NUMBERS = st.fractions(min_value=-(10**6), max_value=10**6, max_denominator=10**4)
PLACES = st.integers(min_value=-2, max_value=6)


def rational(value: Fraction) -> fmpq:
    return fmpq(value.numerator, value.denominator)


def may_print(low: Fraction, high: Fraction, figure: Fraction, places: int) -> bool:
    """Whether some number from low to high, rounded either way at a tie, is within half a unit of a figure."""
    half = Fraction(1, 2) / Fraction(10) ** places
    return low - half <= figure <= high + half


@given(NUMBERS, NUMBERS, NUMBERS, PLACES)
@example(Fraction(1, 8), Fraction(1, 8), Fraction(13, 100), 2)
@example(Fraction(1, 8), Fraction(1, 8), Fraction(12, 100), 2)
@example(Fraction(1, 8), Fraction(1, 8), Fraction(11, 100), 2)
@example(Fraction(149), Fraction(149), Fraction(100), -2)
def test_rationals_and_intervals_are_judged_exactly(x: Fraction, y: Fraction, figure: Fraction, places: int) -> None:
    low, high, scale = min(x, y), max(x, y), scale_of(places)
    assert agrees(rational(x), rational(figure), scale) == may_print(x, x, figure, places)
    assert agrees(Bounds(rational(low), rational(high)), rational(figure), scale) == may_print(
        low, high, figure, places
    )


@given(NUMBERS, st.integers(min_value=0, max_value=20), PLACES, st.integers(min_value=-3, max_value=3))
def test_a_ball_agrees_with_what_rounds_to_a_number_in_it(x: Fraction, radius: int, places: int, units: int) -> None:
    unit = Fraction(1) / Fraction(10) ** places
    figure, wide = Fraction(round(x / unit) + units) * unit, Fraction(radius) * unit / 4
    low, high = x - wide, x + wide
    # A ball is a little wider than what was put in: beside the very edge either answer is right.
    if any(abs(abs(figure - end) - unit / 2) < unit / 10**6 for end in (low, high)):
        return
    ball = arb(rational(x)) + arb(0, float(wide))
    assert agrees(ball, rational(figure), scale_of(places)) == may_print(low, high, figure, places)
    assert agrees(ball, arb(rational(figure)), scale_of(places)) == may_print(low, high, figure, places)


@pytest.mark.parametrize(
    ("value", "figure", "right"),
    [
        (arb.neg_inf(), "-oo", True),
        (arb.neg_inf(), "oo", False),
        (arb.pos_inf(), "oo", True),
        (HIDDEN, "-oo", True),
        (HIDDEN, "0", False),
        (arb(3), "oo", False),
        (arb.neg_inf(), "-10^9", False),
        (arb.nan(), "0", False),
    ],
)
def test_an_infinity_is_right_for_itself_alone(value: arb | Bounds, figure: str, right: bool) -> None:
    assert agrees(value, figure_number(figure), scale_of(3)) is right


def test_a_text_that_is_no_figure_is_not_taken_for_an_infinity() -> None:
    with pytest.raises(SymattnError, match=r"'1/3' is no printed figure: expected a decimal, oo or -oo"):
        figure_number("1/3")


def test_a_tie_is_right_both_ways_and_to_the_last_bit() -> None:
    assert accepted(arb(1) / 8, scale_of(2)) == (12, 13)
    assert not agrees(fmpq(1, 8) + fmpq(1, 10**30), fmpq(12, 100), scale_of(2))


def test_a_grid_of_another_shape_is_wrong() -> None:
    values = arb_mat([[1, 2]])
    assert all_agree(values, (("1", "2.0"),), 3)
    assert not all_agree(values, (("1",), ("2",)), 3)
    assert not all_agree(values, (("1", "2.001"),), 3)
