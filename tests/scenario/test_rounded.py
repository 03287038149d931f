"""`rounded` and `row_sums` of a given: what they take, and what they refuse in one sentence with its place."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sympy import Rational

from symattn.read.given import Given
from symattn.read.scenario.load import loads
from symattn.read.scenario.problem import Problem
from symattn.read.scenario.rounded import bounds, check, half_unit, row_sum

HEAD = 'title = "t"\n[given.A]\n'
ROWS = 'value = [["0.3417", "0.2756", "0.3828"], ["0.3028", "0.3760", "0.3212"]]\n'


def test_a_rounded_given_is_read_with_its_flag_and_its_row_sum() -> None:
    scenario = loads(HEAD + ROWS + 'rounded = true\nrow_sums = "1"')
    matrix = scenario.givens["A"].given
    assert (matrix.rounded, matrix.row_sum) == (True, 1)
    assert matrix.texts[1][1] == "0.3760"


def test_a_given_is_exact_unless_it_says_otherwise() -> None:
    for text in (HEAD + ROWS, HEAD + ROWS + "rounded = false", 'title = "t"\n[given]\nA = [["0.5"]]'):
        matrix = loads(text).givens["A"].given
        assert (matrix.rounded, matrix.row_sum) == (False, None)


@pytest.mark.parametrize(
    ("text", "half"), [("0.3028", "1/20000"), ("1.0000", "1/20000"), ("3", "1/2"), ("-0.5", "1/20"), ("0.0", "1/20")]
)
def test_a_figure_stands_for_half_a_unit_of_its_last_decimal_to_both_sides(text: str, half: str) -> None:
    assert half_unit(text) == Rational(half)
    ((low, high),) = bounds(Given.read([[text]]))[0]
    assert (low + high) / 2 == Rational(text)
    assert (high - low) / 2 == Rational(half)


def test_a_row_may_miss_its_sum_by_as_much_as_rounding_explains_and_no_more() -> None:
    at_the_edge = Given.read([["0.34", "0.33", "0.345"]])  # 1.015, and rounding explains 0.0105
    with pytest.raises(Problem, match=r"row 1 cannot sum to 1: its figures add up to 1\.015, .* at most 0\.0105"):
        check(at_the_edge, Rational(1))
    check(Given.read([["0.5", "0.49"], ["0.50", "0.51"]]), Rational(1))
    check(Given.read([["0.50", "0.51"]]), Rational(1))  # exactly 0.01 too much, exactly what two halves explain


weights = st.lists(st.integers(1, 10**6), min_size=1, max_size=6)


@settings(max_examples=40)
@given(weights=weights, places=st.integers(0, 6))
def test_weights_that_sum_to_one_are_never_refused_once_they_are_rounded(weights: list[int], places: int) -> None:
    shares = [Fraction(weight, sum(weights)) for weight in weights]
    texts = [f"{round(share * 10**places):0{places + 1}d}" for share in shares]
    figures = [text[: len(text) - places] + ("." + text[len(text) - places :] if places else "") for text in texts]
    check(Given.read([figures]), Rational(1))


def test_the_sum_of_a_row_and_what_rounding_explains_have_no_zeros_at_the_end() -> None:
    matrix = replace(Given.read([["0.3028", "0.3760", "0.3212"], ["0.5", "0.50", "1"]]), rounded=True)
    assert row_sum(matrix, 0) == ("1", "0.00015")
    assert row_sum(matrix, 1) == ("2", "0.555")
