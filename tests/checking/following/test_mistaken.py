"""Which mistake of the bank made the printed figures."""

from __future__ import annotations

from fractions import Fraction

import pytest

from symattn.checking.following.causes import mistaken
from tests.checking.found import figures

GIVEN = {"Q": ("2 0", "0 2", "1 1"), "K": ("0 2", "2 0", "1 3"), "V": ("1 2", "1 1", "2 1"), "X": ("1 2 4", "3 0 1")}


def exact(*rows: str) -> tuple[tuple[Fraction, ...], ...]:
    return tuple(tuple(map(Fraction, row.split())) for row in rows)


VALUES = {name: exact(*rows) for name, rows in GIVEN.items()}


@pytest.mark.parametrize(
    ("formula", "printed", "mistake"),
    [
        ("Q @ K.T / sqrt(2)", ("0 4 2", "4 0 6", "2 2 4"), "scale_forgotten"),
        ("Q @ K.T / sqrt(2)", ("0.0 2.0 1.0", "2.0 0.0 3.0", "1.0 1.0 2.0"), "divided_by_width"),
        ("softmax(Q)", ("0.665 0.090", "0.090 0.665", "0.245 0.245"), "softmax_over_columns"),
        ("softmax(Q)", ("7.39 1.00", "1.00 7.39", "2.72 2.72"), "exponentials_without_dividing"),
        ("Q + 3 * relu(Q)", ("6 0", "0 6", "3 3"), "residual_forgotten"),
    ],
)
def test_mistake_is_found(formula: str, printed: tuple[str, ...], mistake: str) -> None:
    assert [one.name for one in mistaken(formula, VALUES, figures(*printed))][:1] == [f"mistake:{mistake}"]


def test_sentence_is_that_of_the_bank() -> None:
    (found,) = mistaken("Q @ K.T / sqrt(d_k)", VALUES, figures("0 4 2", "4 0 6", "2 2 4"), {"d_k": 2})
    assert found.said == "The scores were not divided by √d_k."


def test_mask_that_was_forgotten() -> None:
    for hidden in (None, Fraction(-(10**9))):
        values = {"S": exact("2 0", "1 1"), "M": ((Fraction(0), hidden), (Fraction(0), Fraction(0)))}
        found = mistaken("softmax(S + M)", values, figures("0.881 0.119", "0.500 0.500"))
        assert found[0].name == "mistake:mask_forgotten"
    found = mistaken("softmax(S + M)", values, figures("0.881 0.119", "0.000 1.000"))
    assert found[0].name == "mistake:mask_the_wrong_way"


@pytest.mark.parametrize(
    ("formula", "printed"),
    [
        ("Q @ K.T / sqrt(2)", ("0 2.83 1.41", "2.83 0 4.24", "1.41 1.41 2.83")),  # right
        ("Q @ K.T / sqrt(2)", ("7 4 2", "4 0 6", "2 2 4")),  # one figure is other
        ("Q @ K.T / sqrt(2)", ("0 4", "4 0")),  # of another shape
        ("Q @ nothing(", ("0 4", "4 0")),
        ("Q @ V.T @ __import__('os')", ("0 4", "4 0")),
        ("softmax(Q @ X)", ("0.5 0.5",)),
        ("X / X", ("1 1 1", "1 1 1")),
    ],
)
def test_nothing_is_said(formula: str, printed: tuple[str, ...]) -> None:
    assert mistaken(formula, VALUES, figures(*printed)) == ()


def test_one_short_figure_is_no_proof() -> None:
    assert mistaken("softmax(S)", {"S": exact("0 0")}, figures("1 1")) == ()


def test_rare_mistake_needs_more_digits() -> None:
    row = {"S": exact("0.5 0 0.5")}
    assert mistaken("softmax(S)", row, figures("0.37 0.26 0.37")) == ()
    assert [one.name for one in mistaken("softmax(S)", row, figures("0.3694 0.2612 0.3694"))] == [
        "mistake:softmax_base_two"
    ]


def test_large_matrices_end_within_the_budget() -> None:
    rows = tuple(tuple(Fraction(i * j % 7) for j in range(300)) for i in range(300))
    assert mistaken("softmax(Q @ Q.T)[1, 1]", {"Q": rows}, figures("0.5")) == ()
