"""Why a figure is wrong: mistakes of the bank first, then slips of whoever wrote figures down."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from random import Random

import pytest
from flint import arb

from symattn.checking.following.causes import MOST, explanations, mistaken, mistakes_of
from symattn.checking.following.evaluate import Appraiser
from symattn.checking.following.scope import Memory
from symattn.checking.following.slips import agrees, slips
from symattn.checking.reading.tree import Combined, Expressed, FigureRead, GridRead, NameRead, Unread
from symattn.compute.values.balls import at_precision
from tests.checking.found import pairs

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


HIDDEN = {"M": None, "L": Fraction(-(10**9))}
TYPED = {
    **VALUES,
    **{name: ((Fraction(0), hidden), (Fraction(0), Fraction(0))) for name, hidden in HIDDEN.items()},
    **{"S": exact("2 0", "1 1"), "O": exact("0 0"), "R": exact("0.5 0 0.5")},
}


@pytest.mark.parametrize(("formula", "printed", "mistake"), pairs(Path(__file__).with_name("mistakes.txt")))
def test_the_mistake_that_made_figures_is_found_and_no_other(formula: str, printed: str, mistake: str) -> None:
    found = mistaken(formula, TYPED, figures(*printed.split(" / ")))
    assert [one.name for one in found][:1] == ([] if mistake == "nothing" else [f"mistake:{mistake}"])


def test_the_sentence_is_that_of_the_bank() -> None:
    (found,) = mistaken("Q @ K.T / sqrt(d_k)", VALUES, figures(*UNSCALED), {"d_k": 2})
    assert found.said == "The scores were not scaled down."


def test_large_matrices_end_within_the_budget() -> None:
    rows = tuple(tuple(Fraction(i * j % 7) for j in range(300)) for i in range(300))
    assert mistaken("softmax(Q @ Q.T)[1, 1]", {"Q": rows}, figures("0.5")) == ()


# -- slips -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("printed", "right", "told"), pairs(Path(__file__).with_name("slips.txt")))
def test_a_slip_is_told_where_the_figures_allow_it(printed: str, right: str, told: str) -> None:
    """What is printed is before the bar, with a slash between rows, and what should be there behind it."""
    right, _, place = right.partition(" at ")
    row, column = map(int, place.split(",")) if place else (1, 1)
    found = slips(figures(*printed.split(" / ")), true(*right.split(" / ")), (row - 1, column - 1))
    names = [one.name.removeprefix("slip:") for one in found]
    match told.split():
        case ["among", "them", name]:
            assert name in names
        case ["first", name]:
            assert names[0] == name
        case ["no", name]:
            assert name not in names
        case ["All", *_]:
            assert found[0].said == told
        case _:
            assert names == [*told.replace("nothing", "").split()]


RIGHT = ("0.1234 0.5678 0.3088", "0.2345 0.6789 0.0866", "-0.5071 1.2962 0.2109")


def test_sentences_count_from_one() -> None:
    found, *_ = slips(figures("0.2345 0.5678 0.3088", *RIGHT[1:]), true(*RIGHT), (0, 0))
    assert found.said == "It is the figure of row 2, column 1."


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
