"""Why a figure is wrong: mistakes of the bank first, then slips of whoever wrote figures down."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import pytest
from flint import arb

from symattn.checking.following.causes import MOST, explanations, mistaken, mistakes_of
from symattn.checking.following.evaluate import Appraiser
from symattn.checking.following.scope import Memory
from symattn.checking.following.slips import agrees, slips
from symattn.checking.reading.tree import Combined, Expressed, FigureRead, GridRead, NameRead, Unread
from symattn.compute.values.balls import at_precision

Lines = tuple[str, ...]
"""Rows of figures with blanks between."""


def figure(text: str) -> FigureRead:
    if "inf" in text:
        return FigureRead("-∞", None, Fraction(1), 0, 1, -1)
    return FigureRead(text, Fraction(text), Fraction(1, 10 ** len(text.partition(".")[2])), 0, len(text))


def figures(*rows: str) -> tuple[tuple[FigureRead, ...], ...]:
    return tuple(tuple(map(figure, row.split())) for row in rows)


def grid(*rows: str) -> GridRead:
    return GridRead(figures(*rows), "matrix", 2, 0, 1)


def exact(*rows: str) -> tuple[tuple[Fraction, ...], ...]:
    return tuple(tuple(map(Fraction, row.split())) for row in rows)


def true(*rows: str) -> tuple[tuple[arb, ...], ...]:
    with at_precision(128):
        return tuple(tuple(arb.neg_inf() if "inf" in x else arb(x) for x in row.split()) for row in rows)


# -- mistakes in a formula as it is read -------------------------------------------------------------------------------


def done(op: str, *args: Expressed, sign: str = "") -> Combined:
    return Combined(op, args, 0, 1, sign)


GIVEN = {"Q": ("2 0", "0 2", "1 1"), "K": ("0 2", "2 0", "1 3"), "V": ("1 2", "1 1", "2 1"), "X": ("1 2 4", "3 0 1")}
VALUES = {name: exact(*rows) for name, rows in GIVEN.items()}
Q, K, V = (grid(*GIVEN[name]) for name in "QKV")
SCALED = done("/", done("*", Q, done("T", K), sign="beside"), done("root", figure("2")))
UNSCALED = ("0 4 2", "4 0 6", "2 2 4")
worth = Appraiser(Memory()).value


@pytest.mark.parametrize(
    ("formula", "printed", "mistake"),
    [
        (SCALED, UNSCALED, "scale_forgotten"),
        (
            done("*", done("call:softmax", SCALED), V, sign="\\cdot"),
            ("0.045 0.768 0.187", "0.193 0.011 0.795", "0.164 0.164 0.673"),
            "values_forgotten",
        ),
    ],
)
def test_a_mistake_is_found_in_a_formula_as_it_is_read(formula: Expressed, printed: Lines, mistake: str) -> None:
    assert [one.name for one in mistakes_of(formula, worth, figures(*printed))] == [f"mistake:{mistake}"]


def test_mistakes_come_before_slips() -> None:
    printed, right = figures(*UNSCALED), worth(SCALED).true
    found = explanations(printed, right, (0, 1), mistakes_of(SCALED, worth, printed))
    assert found[0].name == "mistake:scale_forgotten"
    assert "slip:factor" not in [one.name for one in found]
    assert explanations(printed, right, (0, 1))[0].said == "All figures are √2 times what they should be."
    assert len(found) <= MOST


def test_of_a_formula_that_cannot_be_worked_out_nothing_is_said() -> None:
    deep: Expressed = Q
    for _ in range(500):
        deep = done("neg", deep)
    unknown = NameRead("Y", (), (), (), 0, 1)
    for formula in (unknown, deep, done("^", Q, figure("2")), Unread("?", "", 0, 1), done("*", Q, K, sign="⊙")):
        assert mistakes_of(formula, worth, figures("1 2", "3 4")) == ()


# -- mistakes in a formula as it is typed ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("formula", "printed", "mistake"),
    [
        ("Q @ K.T / sqrt(2)", UNSCALED, "scale_forgotten"),
        ("Q @ K.T / sqrt(2)", ("0.0 2.0 1.0", "2.0 0.0 3.0", "1.0 1.0 2.0"), "divided_by_width"),
        ("softmax(Q)", ("0.665 0.090", "0.090 0.665", "0.245 0.245"), "softmax_over_columns"),
        ("softmax(Q)", ("7.39 1.00", "1.00 7.39", "2.72 2.72"), "exponentials_without_dividing"),
        ("Q + 3 * relu(Q)", ("6 0", "0 6", "3 3"), "residual_forgotten"),
    ],
)
def test_the_mistake_that_made_figures_is_found(formula: str, printed: Lines, mistake: str) -> None:
    assert [one.name for one in mistaken(formula, VALUES, figures(*printed))][:1] == [f"mistake:{mistake}"]


def test_the_sentence_is_that_of_the_bank() -> None:
    (found,) = mistaken("Q @ K.T / sqrt(d_k)", VALUES, figures(*UNSCALED), {"d_k": 2})
    assert found.said == "The scores were not divided by √d_k."


@pytest.mark.parametrize(
    ("hidden", "last", "mistake"),
    [
        (None, "0.500 0.500", "forgotten"),
        (Fraction(-(10**9)), "0.500 0.500", "forgotten"),
        (Fraction(-(10**9)), "0.000 1.000", "the_wrong_way"),
    ],
)
def test_a_mask_that_was_forgotten_or_turned(hidden: Fraction | None, last: str, mistake: str) -> None:
    values = {"S": exact("2 0", "1 1"), "M": ((Fraction(0), hidden), (Fraction(0), Fraction(0)))}
    assert mistaken("softmax(S + M)", values, figures("0.881 0.119", last))[0].name == f"mistake:mask_{mistake}"


@pytest.mark.parametrize(
    ("formula", "printed"),
    [
        pytest.param("Q @ K.T / sqrt(2)", ("0 2.83 1.41", "2.83 0 4.24", "1.41 1.41 2.83"), id="right"),
        pytest.param("Q @ K.T / sqrt(2)", ("7 4 2", "4 0 6", "2 2 4"), id="one figure is another"),
        pytest.param("Q @ K.T / sqrt(2)", ("0 4", "4 0"), id="another shape"),
        pytest.param("Q @ nothing(", ("0 4", "4 0"), id="no formula"),
        pytest.param("Q @ V.T @ __import__('os')", ("0 4", "4 0"), id="a program"),
        pytest.param("softmax(Q @ X)", ("0.5 0.5",), id="a row in place of a matrix"),
        pytest.param("X / X", ("1 1 1", "1 1 1"), id="0 by 0"),
        pytest.param("softmax(O)", ("1 1",), id="one short figure is no proof"),
        pytest.param("softmax(R)", ("0.37 0.26 0.37",), id="a rare mistake needs more digits"),
    ],
)
def test_without_a_mistake_nothing_is_said(formula: str, printed: Lines) -> None:
    values = {**VALUES, "O": exact("0 0"), "R": exact("0.5 0 0.5")}
    assert mistaken(formula, values, figures(*printed)) == ()


def test_a_rare_mistake_is_found_by_many_digits() -> None:
    (found,) = mistaken("softmax(R)", {"R": exact("0.5 0 0.5")}, figures("0.3694 0.2612 0.3694"))
    assert found.name == "mistake:softmax_base_two"


def test_large_matrices_end_within_the_budget() -> None:
    rows = tuple(tuple(Fraction(i * j % 7) for j in range(300)) for i in range(300))
    assert mistaken("softmax(Q @ Q.T)[1, 1]", {"Q": rows}, figures("0.5")) == ()


# -- slips -------------------------------------------------------------------------------------------------------------


def names(printed: Lines, expected: Lines, place: tuple[int, int] = (0, 0)) -> list[str]:
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
def test_the_slip_behind_one_figure(printed: str, expected: str, slip: str) -> None:
    assert slip in names((printed,), (expected,))


@pytest.mark.parametrize(
    ("printed", "expected", "slip"),
    [
        ("0.65", "0.6549", None),
        ("0.5", "0.45", None),
        ("1.1408", "1.1404", None),
        ("0.37", "0.51", None),
        ("0.35", "0.25", None),
        ("-inf", "-inf", None),
        ("1", "4", None),  # whole numbers are not rounded
        ("3", "2", None),
        ("3", "1.8", None),
        ("2", "2.83", "cut_off"),
        ("143", "141.8", "last_digit"),
        ("0.30000001192092896", "0.3", "float32"),
    ],
)
def test_no_slip_is_told_without_reason(printed: str, expected: str, slip: str | None) -> None:
    assert names((printed,), (expected,)) == ([slip] if slip else [])


FIRST, SECOND, THIRD = RIGHT = ("0.1234 0.5678 0.3088", "0.2345 0.6789 0.0866", "-0.5071 1.2962 0.2109")
TURNED = tuple(" ".join(column) for column in zip(*(row.split() for row in RIGHT), strict=True))
COLUMNS = tuple(" ".join((a, c, b)) for a, b, c in (row.split() for row in RIGHT))


@pytest.mark.parametrize(
    ("printed", "place", "slip"),
    [
        (TURNED, (0, 1), "transposed"),
        ((SECOND, FIRST, THIRD), (0, 0), "rows_swapped"),
        ((SECOND, SECOND, THIRD), (0, 0), "row_copied"),
        (COLUMNS, (1, 1), "columns_swapped"),
        (("0.5678 0.5678 0.3088", SECOND, THIRD), (0, 0), "neighbour"),
        (("0.5678 0.1234 0.3088", SECOND, THIRD), (0, 0), "swapped"),
        (("0.2345 0.5678 0.3088", SECOND, THIRD), (0, 0), "neighbour"),
    ],
)
def test_figures_in_another_place(printed: Lines, place: tuple[int, int], slip: str) -> None:
    assert names(printed, RIGHT, place)[0] == slip


@pytest.mark.parametrize(
    ("printed", "expected", "place", "slips"),
    [
        pytest.param(("1 3", "2 4", "5 6"), ("1 2 5", "3 4 6"), (0, 1), ["transposed"], id="transposed"),
        pytest.param(("1 3",), ("1 2 5", "3 4 6"), (0, 1), [], id="another shape"),
        pytest.param(("1 0", "0 1", "1 1"), ("1 0", "0 1", "2 1"), (2, 0), [], id="small whole numbers"),
    ],
)
def test_what_the_whole_matrix_tells(printed: Lines, expected: Lines, place: tuple[int, int], slips: list[str]) -> None:
    assert names(printed, expected, place) == slips


WEIGHTS = ("0.41 0.23 0.36", "0.26 0.48 0.26", "0.40 0.25 0.35")


@pytest.mark.parametrize(
    ("slip", "printed", "expected", "is_told"),
    [
        ("shares", ("0.50 0.25 0.35",), ("0.4 0.25 0.35",), True),
        ("not_divided", ("2.718 1.000", "1.000 2.718"), ("0.73106 0.26894", "0.26894 0.73106"), True),
        ("shares", ("0.50 0.15 0.35",), ("0.4 0.25 0.35",), False),
        ("float16", ("0.09998",), ("0.1",), False),
        ("neighbour", ("0.41 0.36 0.36", *WEIGHTS[1:]), WEIGHTS, True),
        ("neighbour", ("0.35 0.25 0.35", "0.24 0.25 0.35", "0.37 0.25 0.37"), WEIGHTS, False),
    ],
)
def test_a_slip_is_told_where_the_other_figures_allow_it(
    slip: str, printed: Lines, expected: Lines, is_told: bool
) -> None:
    assert (slip in names(printed, expected, (0, 1) if slip == "neighbour" else (0, 0))) == is_told


@pytest.mark.parametrize(
    ("printed", "expected", "said"),
    [
        (("2.00 4.00", "6.00 1.00"), ("1.4142 2.8284", "4.2426 0.70711"), "figures are √2 times what they should be."),
        (("1.00 2.00", "3.00 0.50"), ("2 4", "6 1"), "figures are 1/2 times what they should be."),
        (("-1.00 2.00",), ("1 -2",), "signs are the other way round."),
        (("1.30 2.60",), ("1 2",), "figures are about 1.3 times what they should be: a factor is missing."),
    ],
)
def test_a_factor_of_all_figures(printed: Lines, expected: Lines, said: str) -> None:
    assert slips(figures(*printed), true(*expected), (0, 0))[0].said == f"All {said}"


def test_sentences_count_from_one_and_name_other_matrices() -> None:
    found, *_ = slips(figures("0.2345 0.5678 0.3088", *RIGHT[1:]), true(*RIGHT), (0, 0))
    assert found.said == "It is the figure of row 2, column 1."
    found, *_ = slips(figures("1 2", "3 4"), true("0 2", "5 4"), (0, 0), {"K": true("1 2", "3 4")})
    assert found.said == "These are the figures of K."


def test_figures_of_lower_precision_are_those_of_a_chain_in_it() -> None:
    printed, expected = figures("0.30000000000000004"), true("0.3")
    assert slips(printed, expected, (0, 0)) == ()
    (found,) = slips(printed, expected, (0, 0), floats={"float64": true("0.30000000000000004")})
    assert found.name == "slip:float64"
    (found, *_) = slips(figures("0.09998"), true("0.1"), (0, 0), floats={"float16": true("0.0999756")})
    assert found.name == "slip:float16"


def test_a_tie_agrees_either_way_and_infinity_with_itself_alone() -> None:
    assert agrees(figure("0.3"), arb("0.25")) or agrees(figure("0.2"), arb("0.25"))
    assert agrees(figure("-inf"), arb.neg_inf())
    assert not agrees(figure("-inf"), arb(3))


def test_numbers_that_fill_no_memory() -> None:
    large = arb(10**9).exp()
    for value in (large, -large, 1 / large, arb.nan(), arb.pos_inf()):
        assert len(slips(figures("0.5 0.25"), ((value, arb(1)),), (0, 0))) <= 2


@pytest.mark.parametrize("seed", range(20))
def test_whatever_is_printed_each_slip_is_a_sentence(seed: int) -> None:
    random = Random(seed)
    texts = "0 1 -1 0.5 -0.25 0.333 12.5 1000000 0.0001 -inf 7".split()
    numbers = (*map(arb, ("0", "1", "-1", "0.5", "1000000", "1e-300")), arb(1) / 3)
    values = (*numbers, arb.neg_inf(), arb.nan(), arb(0, 1))
    for _ in range(50):
        rows, columns, other = (random.randint(1, 3) for _ in range(3))
        printed = tuple(tuple(figure(random.choice(texts)) for _ in range(columns)) for _ in range(rows))
        expected = tuple(
            tuple(random.choice(values) for _ in range(columns)) for _ in range(random.choice((rows, other)))
        )
        place = (random.randrange(rows), random.randrange(columns))
        assert all(one.said.endswith(".") for one in slips(printed, expected, place))
