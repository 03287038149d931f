"""Where values may lie for somebody who rounds on the way; the second road is Python's decimals."""

from __future__ import annotations

from decimal import Decimal

import pytest
from flint import arb

from symattn.exercise.enclosures import followed, true_values, written
from symattn.exercise.worked import BITS, Ask, by_hand
from symattn.values.hand import exactly
from symattn.values.number import at_precision
from tests.exercise.lessons import lesson
from tests.exercise.paper_and_pencil import rounded


@pytest.mark.parametrize(
    ("text", "number"), [("sqrt(2)", Decimal(2).sqrt()), ("1/3", Decimal(1) / 3), ("2/7", Decimal(2) / 7)]
)
def test_a_given_without_a_finite_decimal_may_be_rounded_when_it_is_used(text: str, number: Decimal) -> None:
    value = hundredfold(text)
    assert value.contains(arb(str(100 * number)))
    assert value.contains(arb(str(100 * rounded(number, 2))))


@pytest.mark.parametrize(("text", "number"), [("1/8", "12.5"), ("0.125", "12.5"), ("7/40", "17.5")])
def test_a_given_that_is_a_decimal_is_used_as_it_is(text: str, number: str) -> None:
    value = hundredfold(text)
    assert value.contains(arb(number))
    assert value.rad() < arb("1e-9")


def hundredfold(text: str) -> arb:
    """Where 100 x may lie for somebody who writes two decimals."""
    right = lesson(f'X = [["{text}"]]', "Y = 100 * X")
    with at_precision(BITS):
        return true_values(right, (Ask("Y", decimals=2),))["Y"][0, 0]


def test_whole_numbers_beside_endless_ones_stay_what_they_are() -> None:
    right = lesson('X = [["1/3", "2", "0.125"]]', "Y = 1 * X")
    first, second, third = written(right.solution, 2)["X"].entries()
    assert not first.is_exact()
    assert second == 2
    assert third == arb("0.125")


def test_a_value_is_right_also_where_rounding_on_the_way_may_divide_by_zero() -> None:
    right = lesson('X = [["0.0001", "0.0002"]]', "Y = X / 3", "P = proportions(Y)")
    ask = Ask("P", decimals=2)
    wide = followed(right, ask, {})
    assert wide is not None
    assert not all(x.is_finite() for x in wide.entries())
    with at_precision(BITS):
        for x, third in zip(true_values(right, (ask,))["P"].entries(), (1, 2), strict=True):
            assert x.is_finite()
            assert x.contains(arb(third) / 3)


def test_nothing_behind_what_somebody_has_is_worked_out_again() -> None:
    right = lesson('S = [["0", "1"]]\nV = [["1"], ["2"]]', "A = softmax(S)", "O = A @ V")
    own = {"A": right.solution.enclosure("V", BITS).transpose()}
    assert set(by_hand(right.solution, exactly, ("O",), own)) == {"A", "V", "O"}
    assert by_hand(right.solution, exactly, ("O",), own)["O"][0, 0] == 1 * 1 + 2 * 2


@pytest.mark.parametrize("kind", ["shape", "number"])
def test_what_is_no_matrix_and_what_is_not_there_has_no_enclosure(kind: str) -> None:
    right = lesson('X = [["1"]]', "Y = X / 3")
    assert true_values(right, (Ask("Y", kind), Ask("Z"))) == {}  # type: ignore[arg-type]
