"""The numbers of layers, outputs, counts and online softmax are as good as their topics promise."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import isqrt
from random import Random

import numpy as np
import pytest

from symattn.exercise.model import Exercise, Rows
from symattn.exercise.numbers import LEVELS
from symattn.exercise.subject import read
from symattn.exercise.topics import counts, efficiency, layers, output, positions
from symattn.exercise.topics.model import Draft
from symattn.exercise.topics.registry import topic_named
from symattn.exercise.topics.write import source_of
from symattn.words import texts
from tests.exercise.batches import batch
from tests.exercise.second_road import Array, number, sheet_of

FAMILIES = (layers, output, counts, positions, efficiency)
NAMES = tuple(topic.name for family in FAMILIES for topic in family.TOPICS)


def _drafts(topic: str, level: int, count: int = 40) -> list[Draft]:
    return [topic_named(topic).draw(level, Random(f"{topic}/{level}/{seed}")) for seed in range(count)]


def _kept(topic: str, level: int) -> list[Exercise]:
    return list(batch(topic, level, count=6))


def _numbers(rows: Rows) -> Array:
    return np.array([[number(text) for text in row] for row in rows])


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("topic", NAMES)
def test_every_draft_is_a_scenario_with_words_in_every_language(topic: str, level: int) -> None:
    draft = _drafts(topic, level, 1)[0]
    right = read(source_of(draft, texts("topics", topic, "title"), texts("topics", topic, draft.task), "en"))
    assert all(right.has(name) for name in draft.asks)


@pytest.mark.parametrize("topic", NAMES)
def test_sizes_and_signs_never_fall(topic: str) -> None:
    drafts = [_drafts(topic, level, 1)[0] for level in LEVELS]
    entries = [[text for rows in draft.given.values() for row in rows for text in row] for draft in drafts]
    for sign in ("", "-", "sqrt"):
        found = [sum(sign in text for text in texts) for texts in entries]
        assert found == sorted(found), (sign, found)


@pytest.mark.parametrize("level", [1, 2])
@pytest.mark.parametrize(("topic", "centred"), [("layer-norm", True), ("rms-norm", False)])
def test_the_first_norms_divide_by_a_fraction(topic: str, centred: bool, level: int) -> None:
    """√(σ² + ε), or √(Σ x² / d + ε), is rational."""
    for draft in _drafts(topic, level):
        (row,) = draft.given["X"]
        x = [Fraction(text) for text in row]
        middle = sum(x) / len(x) if centred else Fraction(0)
        square = sum((y - middle) ** 2 for y in x) / len(x) + Fraction(layers.EPSILONS[level - 1])
        assert all(isqrt(part) ** 2 == part for part in square.as_integer_ratio()), row


@pytest.mark.parametrize("level", LEVELS)
def test_a_feed_forward_layer_has_both_signs_before_its_relu(level: int) -> None:
    for exercise in _kept("feed-forward", level):
        given = sheet_of(exercise).given
        before = given["X"] @ given["W_1"] + given["b_1"]
        assert before.min() < 0 < before.max()
        mistakes = {wrong.mistake for wrong in exercise.wrong}
        assert {"relu-forgotten", "absolute-value-for-relu", "bias-forgotten"} <= mistakes


@pytest.mark.parametrize("level", LEVELS)
def test_a_new_block_always_holds_a_new_maximum(level: int) -> None:
    for draft in _drafts("online-softmax", level):
        assert _numbers(draft.given["s_2"]).max() > _numbers(draft.given["m_1"]).max()


@pytest.mark.parametrize(("topic", "scores"), [("next-word", "W_U"), ("cross-entropy", "Z"), ("online-softmax", "s_2")])
def test_the_first_exponentials_are_whole_numbers(topic: str, scores: str) -> None:
    for draft in _drafts(topic, 1):
        given: Mapping[str, Rows] = draft.given
        powers = np.exp(_numbers(given["h"]) @ _numbers(given[scores]) if "h" in given else _numbers(given[scores]))
        assert np.abs(powers - np.round(powers)).max() < 1e-9


@pytest.mark.parametrize("level", LEVELS)
def test_epsilon_shows(level: int) -> None:
    for topic in ("layer-norm", "rms-norm") if level > 1 else ():
        for exercise in _kept(topic, level):
            assert "epsilon-forgotten" in {wrong.mistake for wrong in exercise.wrong}


def test_all_choices_of_a_size_cost_the_same() -> None:
    for count in (*counts.PARAMETERS, *counts.OPERATIONS):
        for name, choices in count.sizes.items():
            assert len({len(str(size)) for size in choices}) == 1, name


@pytest.mark.parametrize("table", [counts.PARAMETERS, counts.OPERATIONS])
def test_there_are_far_more_counts_than_sheets(table: tuple[counts.Count, ...]) -> None:
    for count in table:
        assert np.prod([len(choices) for choices in count.sizes.values()], dtype=float) >= 400
