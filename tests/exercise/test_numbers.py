"""The budget of a difficulty is spent exactly, by a generator that is the same everywhere."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symattn.base.errors import ScenarioError
from symattn.course.numbers import BUDGETS, LEVELS, draw, level_of, pick, random_whole, shuffled
from symattn.read.exact_number import exact

SHAPES = {"q": (1, 4), "K": (3, 4), "V": (3, 2)}


class Counting(Random):
    """A generator of which nothing may be asked but ``random()``."""

    def getrandbits(self, k: int) -> int:
        raise AssertionError("only random() is the same in every version of Python")


@pytest.mark.parametrize("level", LEVELS)
def test_the_shares_of_a_budget_are_what_is_drawn(level: int) -> None:
    texts = [text for rows in draw(SHAPES, level, Random(3)).values() for row in rows for text in row]
    counts = Counter("root" if "sqrt" in text else "fraction" if "/" in text else "plain" for text in texts)
    budget = BUDGETS[level]
    assert counts["root"] == -(-budget.roots * len(texts) // 1)
    assert counts["fraction"] == -(-budget.fractions * len(texts) // 1)
    assert sum(text.startswith("-") for text in texts) == -(-budget.signs * len(texts) // 1)


@pytest.mark.parametrize("level", LEVELS)
def test_negative_entries_are_negative(level: int) -> None:
    """A zero with a minus would be counted and not be seen."""
    for seed in range(20):
        for rows in draw(SHAPES, level, Random(seed)).values():
            assert all((exact(text) < 0) == text.startswith("-") for row in rows for text in row)


def test_nothing_but_random_is_asked_of_the_generator() -> None:
    random = Counting(5)
    draw(SHAPES, 5, random)
    shuffled(range(5), random)
    pick("abc", random)
    random_whole(1, 6, random)


@given(st.lists(st.integers(), max_size=20), st.integers(0, 10**6))
def test_shuffling_loses_nothing(items: list[int], seed: int) -> None:
    assert sorted(shuffled(items, Random(seed))) == sorted(items)


@pytest.mark.parametrize("value", [0, 6, "2", 2.0, True, None])
def test_a_difficulty_is_a_whole_number_from_1_to_5(value: object) -> None:
    with pytest.raises(ScenarioError, match=r"difficulty is .*: expected a whole number from 1 to 5"):
        level_of(value)


def test_entries_of_a_row_differ_where_there_are_enough_numbers() -> None:
    for seed in range(50):
        for level in LEVELS:
            rows = draw({"Z": (3, 4)}, level, Random(seed), largest=3, distinct=True)["Z"]
            assert all(len(set(row)) == len(row) for row in rows), rows
