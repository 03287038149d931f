"""The loop behind every digit: precision grows until there is one answer, and what stays open is an error."""

from __future__ import annotations

from itertools import pairwise

import pytest
from flint import arb, ctx
from sympy import E, Rational, S, exp, sqrt

from symattn.base.errors import UndecidedError
from symattn.compute.values.balls import at_precision, number_ball
from symattn.compute.values.certify import LAST_BITS, START_BITS, precisions, settle


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


def test_each_question_gets_the_precision_it_needs() -> None:
    asked = Asked([0, 100, 1000])

    assert asked.settle() == ["by 64", "by 128", "by 1024"]
    assert asked.precisions == [64, 128, 256, 512, 1024]


def test_exact_arithmetic_is_asked_once_and_only_what_is_open_after_the_second_precision() -> None:
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


def test_questions_are_asked_at_the_precision_of_the_enclosures() -> None:
    asked = Asked([1000])

    asked.settle(digits=9)

    assert asked.in_force == asked.precisions


def test_the_precision_in_force_before_is_there_afterwards_even_after_an_error() -> None:
    before = ctx.prec

    with pytest.raises(UndecidedError):
        Asked([None]).settle()
    assert ctx.prec == before

    with pytest.raises(ZeroDivisionError):
        _fail_at(777)
    assert ctx.prec == before


def _fail_at(bits: int) -> None:
    with at_precision(bits):
        assert ctx.prec == bits
        raise ZeroDivisionError


@pytest.mark.parametrize("digits", [0, 1, 6, 30, 50])
def test_precisions_start_beyond_the_digits_and_double_up_to_the_last(digits: int) -> None:
    found = list(precisions(digits))

    assert found[0] >= START_BITS + digits * 3
    assert all(b == 2 * a for a, b in pairwise(found))
    assert found[-1] <= LAST_BITS < 2 * found[-1]
    assert len(found) >= 3


# The balls of numbers, on which everything rests


@pytest.mark.parametrize(
    "number",
    [
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
    ],
    ids=str,
)
def test_balls_of_numbers_hold_the_number_and_are_small(number: object) -> None:
    with at_precision(256):
        ball = number_ball(number)
        expected = arb(str(number.evalf(60)), "1e-55") if number else arb(0)
        assert ball.overlaps(expected)
        assert ball.rad() < arb("1e-60")
