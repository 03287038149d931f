"""Every digit: rounding against Python's decimal, figures of sources, the loop of precisions, threads."""

from __future__ import annotations

import decimal
import sys
from collections.abc import Callable
from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal
from fractions import Fraction
from itertools import pairwise
from threading import Barrier, Thread

import pytest
from flint import arb, ctx, fmpq, fmpz
from hypothesis import given
from hypothesis import strategies as st
from sympy import E, Rational, S, exp, sqrt

from symattn import derive
from symattn.base.errors import UndecidedError
from symattn.base.printed import Ties, as_printed, decimal_text, power_text, read_figure, read_printed, scale_of
from symattn.base.remembered import cached_property
from symattn.compute.values.balls import at_precision, number_ball
from symattn.compute.values.certify import LAST_BITS, START_BITS, precisions, settle
from symattn.compute.values.rounding import only_integer, round_ball, round_rational
from symattn.course import generate

# -- rounding and the texts of figures ---------------------------------------------------------------------------------


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


@given(any_rational, st.integers(-3, 8), st.sampled_from(sorted(MODES)))
def test_rationals_round_as_python_rounds_them(value: Fraction, places: int, ties: Ties) -> None:
    assert round_rational(fmpq_of(value), scale_of(places), ties) == by_decimal(value, places, ties)


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


@pytest.mark.parametrize(("value", "found"), [
    *((arb(text), 0) for text in ("0 +/- 0.4", "-0.3 +/- 0.1", "0.0001 +/- 0.0002")),
    *((value, None) for value in (arb.nan(), arb.pos_inf(), arb.neg_inf(), arb("0 +/- inf"))),
])  # fmt: skip
def test_what_rounds_to_zero_has_no_sign_and_what_is_not_a_number_no_rounding(value: arb, found: int | None) -> None:
    assert round_ball(value, fmpz(1)) == found


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


# -- what sources print ------------------------------------------------------------------------------------------------


READ = """
+1.5 1.5    1. 1    -1. -1    .5 0.5    -.50 -0.50    6.3e-02 0.063    6.30e-02 0.0630    -6.3E-2 -0.063    1.e-01 0.1
1.25e+00 1.25    6.3*10^-2 0.063    6.3×10^−2 0.063    123.4e-1 12.34    12.34e-3 0.01234    6.3021e+05 6.3021*10^5
10^-3 0.001    \u22120.5 -0.5    -inf -oo    \u2212∞ -oo    Inf oo
0 0    -0.50 -0.50    10^9 10^9    -10^9 -10^9    1.5*10^9 1.5*10^9    oo oo    -oo -oo
"""
"""What a source prints, and what is printed here; the last line is printed here already."""
NO_FIGURES = """
+ - . -. e5 .e5 1e 1e+ 1*10^ 10^ --1 +-1 1+ n/a nan infi 1/2 1,5 1e5e5 1*10^2*10^3 10^9^9 *10^3 1e99999 1e-9999 ٣ １
−−1 1.2.3 0x1 1_0
"""


def test_every_form_is_read() -> None:
    for text, plain in zip(READ.split()[::2], READ.split()[1::2], strict=True):
        assert (text, as_printed(text), as_printed(plain)) == (text, plain, plain)


def test_what_no_source_prints_is_not_read() -> None:
    assert [text for text in ("", "1 .5", *NO_FIGURES.split()) if as_printed(text) is not None] == []


@given(st.integers(-(10**9), 10**9), st.integers(0, 9), st.integers(-12, 12))
def test_the_number_is_the_one_that_is_written(number: int, places: int, power: int) -> None:
    """A second road: Python's own fractions read 1.25e-05 too."""
    text = f"{decimal_text(number, places)}e{power:+03d}"
    value, shown = read_printed(as_printed(text))
    assert Fraction(int(value.p), int(value.q)) == Fraction(text)
    assert shown == places - power


@given(st.text(max_size=20) | st.text(alphabet="0123456789.+-*^eE×−inf∞o", max_size=14))
def test_any_text_is_a_figure_or_refused(text: str) -> None:
    plain = as_printed(text)
    assert plain is None or plain in ("oo", "-oo") or read_figure(plain) is not None


def test_decimals_of_infinite_entries_are_what_python_reads(solve: Callable) -> None:
    solution = solve({"S": [["1/3", "2"], ["-oo", "oo"]]}, "M = S + causal_mask(2, value=-oo)", "R = 2 * row(S, 2)")
    assert solution["M"].decimals(3)[0] == ("0.333", "-inf")
    assert solution["S"].decimals(1) == (("0.3", "2.0"), ("-inf", "inf"))
    assert [float(text) for text in solution["R"].decimals(2)[0]] == [float("-inf"), float("inf")]
    assert [figure.text for figure in solution.figures("R")[0]] == ["-oo", "oo"]


# -- precision grows until there is one answer, and what stays open is an error ----------------------------------------


class Asked:
    """Remembers what ``settle`` asked for, and answers as it is told."""

    def __init__(self, answers_from: list[int | None], exact: dict[int, str] | None = None) -> None:
        self.answers_from, self.exact = answers_from, exact or {}
        self.precisions: list[int] = []
        self.in_force: list[int] = []
        self.exactly_asked: list[int] = []

    def enclosures(self, bits: int) -> list[arb]:
        self.precisions.append(bits)
        return [arb(index) for index in range(len(self.answers_from))]

    def ask(self, x: arb) -> str | None:
        self.in_force.append(ctx.prec)
        needed = self.answers_from[int(x.unique_fmpz())]
        return f"by {self.precisions[-1]}" if needed is not None and self.precisions[-1] >= needed else None

    def exactly(self, index: int, x: arb) -> str | None:
        assert x == index
        self.exactly_asked.append(index)
        return self.exact.get(index)

    def settle(self, digits: int = 0) -> list[str]:
        return settle(
            len(self.answers_from), self.enclosures, self.ask, self.exactly, lambda i: f"number {i} is open", digits
        )


def test_each_question_gets_the_precision_it_needs_and_exact_arithmetic_is_asked_once() -> None:
    asked = Asked([0, 100, 1000])
    assert asked.settle() == ["by 64", "by 128", "by 1024"]
    assert asked.precisions == [64, 128, 256, 512, 1024]
    asked = Asked([0, 100, None, 500], exact={2: "exactly"})
    assert asked.settle() == ["by 64", "by 128", "exactly", "by 512"]
    assert asked.exactly_asked == [2, 3]


def test_what_nothing_settles_is_an_error_that_names_the_first_open_entry() -> None:
    asked = Asked([0, None, None])
    with pytest.raises(UndecidedError, match=r"\Anumber 1 is open\Z"):
        asked.settle()
    assert asked.precisions[-1] <= LAST_BITS
    assert asked.precisions[-1] * 2 > LAST_BITS


def test_an_answer_that_is_false_or_zero_is_an_answer() -> None:
    assert settle(2, lambda bits: [arb(0), arb(1)], lambda x: int(x.unique_fmpz()), _fail, str) == [0, 1]
    assert settle(1, lambda bits: [arb(0)], lambda x: False, _fail, str) == [False]


def _fail(index: int, x: arb) -> None:
    raise AssertionError("exact arithmetic was asked without need")


def test_the_precision_is_that_of_the_enclosures_and_afterwards_that_of_before() -> None:
    asked = Asked([1000])
    asked.settle(digits=9)
    assert asked.in_force == asked.precisions
    before = ctx.prec
    with pytest.raises(UndecidedError):
        Asked([None]).settle()
    assert ctx.prec == before
    with pytest.raises(ZeroDivisionError), at_precision(777):  # noqa: PT012 - the precision inside is looked at
        assert ctx.prec == 777
        raise ZeroDivisionError
    assert ctx.prec == before


@pytest.mark.parametrize("digits", [0, 1, 6, 30, 50])
def test_precisions_start_beyond_the_digits_and_double_up_to_the_last(digits: int) -> None:
    found = list(precisions(digits))
    assert found[0] >= START_BITS + digits * 3
    assert all(b == 2 * a for a, b in pairwise(found))
    assert found[-1] <= LAST_BITS < 2 * found[-1]
    assert len(found) >= 3


# The balls of numbers, on which everything rests


@pytest.mark.parametrize("number", [
    S.Zero,
    Rational(-7, 3),
    sqrt(2),
    1 / sqrt(2),
    sqrt(2) ** 3,
    (1 + sqrt(2)) ** -5,
    sqrt(1 + sqrt(2)),
    Rational(2) ** Rational(1, 3),
    E,
    exp(sqrt(2) / 3),
    exp(-1) / (1 + E) + sqrt(5) * E,
], ids=str)  # fmt: skip
def test_balls_of_numbers_hold_the_number_and_are_small(number: object) -> None:
    with at_precision(256):
        ball = number_ball(number)
        expected = arb(str(number.evalf(60)), "1e-55") if number else arb(0)
        assert ball.overlaps(expected)
        assert ball.rad() < arb("1e-60")


# -- each thread works with its own precision --------------------------------------------------------------------------


def in_threads(*works: Callable[[], object]) -> list[object]:
    """What each work gives, all at once, the threads taking turns as often as they can."""
    found: list[object] = [None] * len(works)
    start = Barrier(len(works))

    def run(place: int) -> None:
        start.wait()
        try:
            found[place] = works[place]()
        except Exception as error:  # noqa: BLE001 - told below
            found[place] = error

    threads = [Thread(target=run, args=(place,), daemon=True) for place in range(len(works))]
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    sys.setswitchinterval(before)
    assert not any(thread.is_alive() for thread in threads), "threads wait for each other"
    return found


def test_no_thread_works_with_the_precision_of_another_and_none_is_left() -> None:
    def work(bits: int) -> set[int]:
        seen = set()
        for _ in range(2_000):
            with at_precision(bits):
                seen.add(ctx.prec)
                with at_precision(2 * bits):
                    seen.add(ctx.prec)
                    _ = arb(2).sqrt()
                seen.add(ctx.prec)
        return seen

    before = ctx.prec
    found = in_threads(*(lambda bits=bits: work(bits) for bits in (60, 128, 460, 1024)))
    assert found == [{bits, 2 * bits} for bits in (60, 128, 460, 1024)]
    assert ctx.prec == before


@pytest.mark.long
def test_pages_from_threads_are_those_from_one() -> None:
    def page(digits: int) -> str:
        return derive("refund", digits=digits).render(language="en")

    before, digits = ctx.prec, (6, 20, 34, 50)
    assert in_threads(*(lambda places=places: page(places) for places in digits)) == [page(places) for places in digits]
    assert ctx.prec == before


@pytest.mark.long
@pytest.mark.parametrize("bits", [3, 1000])
def test_nothing_depends_on_the_precision_that_is_found(bits: int) -> None:
    def made() -> tuple[object, ...]:
        rounded = derive("refund", carry="rounded").render(language="en")
        return derive("refund").render(language="en"), rounded, generate("attention-row", seed=4, count=3).exercises

    expected = made()
    with at_precision(bits):
        assert made() == expected
        assert ctx.prec == bits


def test_a_property_and_flint_are_never_waited_for_crosswise() -> None:
    class Thing:
        def __init__(self, work: Callable[[], int]) -> None:
            self.work = work

        @cached_property
        def value(self) -> int:
            return self.work()

    met = Barrier(2, timeout=20)

    def waits_for_flint() -> int:
        met.wait()
        with at_precision(100):
            return 1

    def has_flint() -> int:
        with at_precision(60):
            met.wait()
            return Thing(lambda: 2).value

    assert in_threads(lambda: Thing(waits_for_flint).value, has_flint) == [1, 2]
