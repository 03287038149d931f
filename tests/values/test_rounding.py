"""Rounding against Python's ``decimal``, and the texts of figures there and back."""

from __future__ import annotations

import decimal
from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal
from fractions import Fraction

import pytest
from flint import arb, fmpq, fmpz
from hypothesis import given
from hypothesis import strategies as st

from symattn.base.printed import Ties, decimal_text, power_text, read_figure, scale_of
from symattn.compute.values.balls import at_precision
from symattn.compute.values.rounding import only_integer, round_ball, round_rational

MODES: dict[Ties, str] = {"half_up": ROUND_HALF_UP, "half_even": ROUND_HALF_EVEN}

decimals_on_a_grid = st.builds(
    lambda n, places: Fraction(n, 10**places), st.integers(-(10**9), 10**9), st.integers(0, 6)
)
ties_of_some_place = st.builds(
    lambda n, places: Fraction(2 * n + 1, 2 * 10**places), st.integers(-(10**6), 10**6), st.integers(0, 5)
)
fractions = st.fractions(max_denominator=10**12)
any_rational = decimals_on_a_grid | ties_of_some_place | fractions


def fmpq_of(value: Fraction) -> fmpq:
    return fmpq(value.numerator, value.denominator)


def by_decimal(value: Fraction, places: int, ties: Ties) -> int:
    """round(x · 10^places) by Python's decimal module, whose division is exact enough for the drawn numbers."""
    with decimal.localcontext(decimal.Context(prec=200)):
        scaled = Decimal(value.numerator).scaleb(places) / Decimal(value.denominator)
        return int(scaled.quantize(Decimal(1), rounding=MODES[ties]))


# Exact numbers


@given(any_rational, st.integers(-3, 8), st.sampled_from(sorted(MODES)))
def test_rationals_round_as_python_rounds_them(value: Fraction, places: int, ties: Ties) -> None:
    assert round_rational(fmpq_of(value), scale_of(places), ties) == by_decimal(value, places, ties)


# Enclosures


@given(any_rational, st.fractions(min_value=0, max_value=2, max_denominator=10**9), st.integers(-2, 8))
def test_a_ball_rounds_only_where_all_of_it_rounds_alike(middle: Fraction, radius: Fraction, places: int) -> None:
    with at_precision(200):
        ball = arb(fmpq_of(middle)) + arb(0, arb(fmpq_of(radius)))
        found = round_ball(ball, scale_of(places))

    if found is not None:
        ends = {by_decimal(end, places, ties) for end in (middle - radius, middle, middle + radius) for ties in MODES}
        assert ends == {found}


@given(any_rational, st.integers(0, 8))
def test_a_narrow_ball_is_left_open_only_beside_a_tie(value: Fraction, places: int) -> None:
    with at_precision(400):
        ball = arb(fmpq_of(value)) + arb(0, "1e-60")
        found = round_ball(ball, scale_of(places))

    is_tie = (abs(value) * 10**places + Fraction(1, 2)).denominator == 1
    if is_tie:
        assert found is None
    else:
        assert found == by_decimal(value, places, "half_up")


@pytest.mark.parametrize("value", ["0 +/- 0.4", "-0.3 +/- 0.1", "0.0001 +/- 0.0002"])
def test_what_rounds_to_zero_has_no_sign(value: str) -> None:
    assert round_ball(arb(value), fmpz(1)) == 0


@pytest.mark.parametrize("value", [arb.nan(), arb.pos_inf(), arb.neg_inf(), arb("0 +/- inf")])
def test_what_is_not_a_number_has_no_rounding(value: arb) -> None:
    assert round_ball(value, fmpz(1)) is None


# Texts


@given(st.integers(-(10**40), 10**40), st.integers(0, 30))
def test_decimal_texts_are_the_number_they_write(number: int, places: int) -> None:
    text = decimal_text(number, places)

    assert Fraction(text) == Fraction(number, 10**places)
    assert len(text.partition(".")[2]) == places
    assert not text.startswith(("-0.0", ".", "-.")) or number != 0
    assert read_figure(text) == (fmpq(number, int(fmpz(10) ** places)), places)


@given(st.integers(-(10**20), 10**20).filter(bool), st.integers(0, 40))
def test_power_texts_are_the_number_they_write(number: int, exponent: int) -> None:
    value, shown = read_figure(power_text(number, exponent))

    assert value == fmpq(number) * fmpz(10) ** exponent
    assert shown == 0


@pytest.mark.parametrize(("number", "exponent", "text"), [
    (-1, 9, "-10^9"), (10, 8, "10^9"), (-100_000, 4, "-10^9"), (150_000, 4, "1.5*10^9"),
    (-123_456, 0, "-1.23456*10^5"), (7, 0, "7*10^0"),
])  # fmt: skip
def test_power_texts(number: int, exponent: int, text: str) -> None:
    assert power_text(number, exponent) == text


def test_printed_figures_are_read() -> None:
    for text, value, decimals in (
        *(("0", "0", 0), ("-0.50", "-1/2", 2), ("007", "7", 0), ("10^9", "1000000000", 0)),
        *(("-10^9", "-1000000000", 0), ("1.5*10^9", "1500000000", 0), ("-1.50*10^1", "-15", 1)),
    ):
        assert read_figure(text) == (fmpq_of(Fraction(value)), decimals)


def test_what_is_no_figure_is_not_read() -> None:
    texts = "- n/a 1/2 oo -oo +1 1e5 .5 1,5 ٣ ² １ 1.2.3 1*10^-3 1*10^99999".split()
    parts = "10^ 5*10^ -10^ *10^3 --10^9 --1 1. 1.*10^3 10^9^9 1*10^2*10^3".split()
    assert [text for text in ("", "1 2", " 1", *texts, *parts) if read_figure(text) is not None] == []


@pytest.mark.parametrize("text", ["9" * 5000, "0." + "1" * 5000, "-" + "1" * 4300 + "*10^1"])
def test_a_figure_longer_than_python_converts_is_read_or_refused(text: str) -> None:
    read_figure(text)


@pytest.mark.parametrize("bits", [64, 1024, 8192])
@pytest.mark.parametrize("exponent", [-(10**300), -(10**20), 10**20, 10**300])
def test_an_exponent_without_bounds_does_not_end_the_process(exponent: int, bits: int) -> None:
    """FLINT aborts where it is asked for the whole number in such an enclosure."""
    with at_precision(bits):
        x = arb(exponent).exp()
        assert only_integer(x) == (0 if exponent < 0 and x.contains(0) else None)
        assert only_integer(x.upper()) is None
        assert only_integer(1 - x) is None or exponent < 0
        assert round_ball(x, fmpz(10) ** 6) == (0 if exponent < 0 else None)
