"""Slips of whoever wrote figures down."""

from __future__ import annotations

from random import Random

import pytest
from flint import arb

from symattn.checking.following.slips import agrees, slips
from symattn.compute.values.balls import at_precision
from tests.checking.found import figure, figures

RIGHT = ("0.1234 0.5678 0.3088", "0.2345 0.6789 0.0866", "-0.5071 1.2962 0.2109")


def true(*rows: str) -> tuple[tuple[arb, ...], ...]:
    with at_precision(128):
        return tuple(tuple(arb.neg_inf() if "inf" in x else arb(x) for x in row.split()) for row in rows)


def names(printed: tuple[str, ...], expected: tuple[str, ...], place: tuple[int, int] = (0, 0)) -> list[str]:
    return [one.name.removeprefix("slip:") for one in slips(figures(*printed), true(*expected), place)]


@pytest.mark.parametrize(
    ("printed", "expected", "slip"),
    [
        ("0.0376", "-0.03755", "sign"),
        ("-1", "1", "sign"),
        ("0.6576", "0.65769", "cut_off"),
        ("-1.66", "-1.669", "cut_off"),
        ("0.6578", "0.65769", "last_digit"),
        ("0.6679", "0.65789", "digit"),
        ("0.6589", "0.65789", "digit_left_out"),
        ("0.6789", "0.65789", "digit_left_out"),
        ("0.53", "0.352", "digits_swapped"),
        ("1.4951", "1.4591", "digits_swapped"),
        ("12.34", "1.2341", "point"),
        ("0.1234", "1.2341", "point"),
        ("0.1223", "0.1234", "digit_doubled"),
    ],
)
def test_one_figure(printed: str, expected: str, slip: str) -> None:
    assert slip in names((printed,), (expected,))


@pytest.mark.parametrize(
    ("printed", "expected"),
    [
        ("0.65", "0.6549"),
        ("0.5", "0.45"),
        ("1.1408", "1.1404"),
        ("0.37", "0.51"),
        ("1", "4"),
        ("0.35", "0.25"),
        ("-inf", "-inf"),
    ],
)
def test_nothing_is_said_without_reason(printed: str, expected: str) -> None:
    assert names((printed,), (expected,)) == []


def test_transposed() -> None:
    printed = tuple(" ".join(column) for column in zip(*(row.split() for row in RIGHT), strict=True))
    assert names(printed, RIGHT, (0, 1))[0] == "transposed"


def test_rows_and_columns() -> None:
    first, second, third = RIGHT
    assert names((second, first, third), RIGHT)[0] == "rows_swapped"
    assert names((second, second, third), RIGHT)[0] == "row_copied"
    columns = tuple(" ".join((a, c, b)) for a, b, c in (row.split() for row in RIGHT))
    assert names(columns, RIGHT, (1, 1))[0] == "columns_swapped"


def test_entries() -> None:
    assert names(("0.5678 0.5678 0.3088", *RIGHT[1:]), RIGHT)[0] == "neighbour"
    assert names(("0.5678 0.1234 0.3088", *RIGHT[1:]), RIGHT)[0] == "swapped"
    assert names(("0.2345 0.5678 0.3088", *RIGHT[1:]), RIGHT)[0] == "neighbour"


def test_sentences_count_from_one() -> None:
    found, *_ = slips(figures("0.2345 0.5678 0.3088", *RIGHT[1:]), true(*RIGHT), (0, 0))
    assert found.said == "It is the figure of row 2, column 1."


@pytest.mark.parametrize(
    ("printed", "expected", "said"),
    [
        (
            ("2.00 4.00", "6.00 1.00"),
            ("1.4142 2.8284", "4.2426 0.70711"),
            "All figures are √2 times what they should be.",
        ),
        (("1.00 2.00", "3.00 0.50"), ("2 4", "6 1"), "All figures are 1/2 times what they should be."),
        (("-1.00 2.00",), ("1 -2",), "All signs are the other way round."),
        (("1.30 2.60",), ("1 2",), "All figures are about 1.3 times what they should be: a factor is missing."),
    ],
)
def test_factor(printed: tuple[str, ...], expected: tuple[str, ...], said: str) -> None:
    assert slips(figures(*printed), true(*expected), (0, 0))[0].said == said


def test_shares() -> None:
    assert "shares" in names(("0.50 0.25 0.35",), ("0.4 0.25 0.35",))
    assert "not_divided" in names(("2.718 1.000", "1.000 2.718"), ("0.73106 0.26894", "0.26894 0.73106"))
    assert "shares" not in names(("0.50 0.15 0.35",), ("0.4 0.25 0.35",))


def test_arithmetic_of_few_digits() -> None:
    assert names(("0.30000001192092896",), ("0.3",)) == ["float32"]
    printed, expected = figures("0.30000000000000004"), true("0.3")
    assert slips(printed, expected, (0, 0)) == ()
    (found,) = slips(printed, expected, (0, 0), floats={"float64": true("0.30000000000000004")})
    assert found.name == "slip:float64"
    (found, *_) = slips(figures("0.09998"), true("0.1"), (0, 0), floats={"float16": true("0.0999756")})
    assert found.name == "slip:float16"
    assert "float16" not in names(("0.09998",), ("0.1",))


def test_whole_numbers_are_not_rounded() -> None:
    assert names(("3",), ("2",)) == []
    assert names(("3",), ("1.8",)) == []
    assert names(("2",), ("2.83",)) == ["cut_off"]
    assert names(("143",), ("141.8",)) == ["last_digit"]


def test_figures_of_another_matrix() -> None:
    also = {"K": true("1 2", "3 4")}
    (found, *_) = slips(figures("1 2", "3 4"), true("0 2", "5 4"), (0, 0), also)
    assert found.said == "These are the figures of K."


def test_another_shape() -> None:
    assert names(("1 3", "2 4", "5 6"), ("1 2 5", "3 4 6"), (0, 1)) == ["transposed"]
    assert names(("1 3",), ("1 2 5", "3 4 6"), (0, 1)) == []


def test_agrees_with_ties_either_way() -> None:
    assert agrees(figure("0.3"), arb("0.25")) or agrees(figure("0.2"), arb("0.25"))
    assert agrees(figure("-inf"), arb.neg_inf())
    assert not agrees(figure("-inf"), arb(3))


def test_numbers_that_fill_no_memory() -> None:
    large = arb(10**9).exp()
    for value in (large, -large, 1 / large, arb.nan(), arb.pos_inf()):
        assert len(slips(figures("0.5 0.25"), ((value, arb(1)),), (0, 0))) <= 2


@pytest.mark.parametrize("seed", range(20))
def test_anything_may_stand_there(seed: int) -> None:
    random = Random(seed)
    texts = ("0", "1", "-1", "0.5", "-0.25", "0.333", "12.5", "1000000", "0.0001", "-inf", "7")
    values = (
        arb(0),
        arb(1),
        arb(-1),
        arb("0.5"),
        arb(1) / 3,
        arb(10**6),
        arb.neg_inf(),
        arb.nan(),
        arb(0, 1),
        arb("1e-300"),
    )
    for _ in range(50):
        rows, columns, other = (random.randint(1, 3) for _ in range(3))
        printed = tuple(tuple(figure(random.choice(texts)) for _ in range(columns)) for _ in range(rows))
        expected = tuple(
            tuple(random.choice(values) for _ in range(columns)) for _ in range(random.choice((rows, other)))
        )
        place = (random.randrange(rows), random.randrange(columns))
        assert all(one.said.endswith(".") for one in slips(printed, expected, place))


def test_two_digits_are_a_neighbour_only_where_the_rest_is_right() -> None:
    expected = ("0.41 0.23 0.36", "0.26 0.48 0.26", "0.40 0.25 0.35")
    assert "neighbour" in names(("0.41 0.36 0.36", *expected[1:]), expected, (0, 1))
    assert "neighbour" not in names(("0.35 0.25 0.35", "0.24 0.25 0.35", "0.37 0.25 0.37"), expected, (0, 1))


def test_small_whole_numbers_tell_no_factor() -> None:
    assert names(("1 0", "0 1", "1 1"), ("1 0", "0 1", "2 1"), (2, 0)) == []
