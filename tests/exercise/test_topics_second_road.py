"""Every key agrees with NumPy written by hand, and a higher difficulty always costs more."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random

import pytest

from symattn.exercise.generate import generate
from symattn.exercise.numbers import LEVELS
from symattn.exercise.topics.registry import topic_named, topics
from tests.exercise import second_road_attention, second_road_layers
from tests.exercise.batches import few, many
from tests.exercise.second_road import Sheet, must_agree, number, sheet_of

ROADS: Mapping[str, Callable[[Sheet], Mapping[str, object]]] = {
    **second_road_attention.ROADS,
    **second_road_layers.ROADS,
}

MANY = many(200)

NAMES = tuple(topic.name for topic in topics())


def test_every_topic_has_a_second_road() -> None:
    assert set(NAMES) == set(ROADS)


@pytest.mark.parametrize(
    ("text", "value"),
    [("-3/4", -0.75), ("sqrt(2)/2", 0.7071067811865476), ("-log(3)", -1.0986122886681098), ("2*sqrt(1/4)", 1.0)],
)
def test_numbers_are_read_without_the_reader_of_the_project(text: str, value: float) -> None:
    assert number(text) == pytest.approx(value, rel=1e-15)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("topic", NAMES)
def test_keys_agree_with_numpy(topic: str, level: int) -> None:
    for exercise in few(topic, level):
        must_agree(exercise, ROADS[topic](sheet_of(exercise)))


@pytest.mark.slow
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("topic", NAMES)
def test_two_hundred_keys_agree_with_numpy(topic: str, level: int) -> None:
    batch = generate(topic, difficulty=level, seed=7, count=MANY)
    assert len({exercise.source for exercise in batch}) == MANY
    for exercise in batch:
        must_agree(exercise, ROADS[topic](sheet_of(exercise)))


@pytest.mark.parametrize("topic", NAMES)
def test_a_difficulty_costs_the_same_in_every_variant_and_more_than_the_one_before(topic: str) -> None:
    draw = topic_named(topic).draw
    costs = [{draw(level, Random(f"{topic}/{level}/{seed}")).cost for seed in range(40)} for level in LEVELS]
    assert all(len(cost) == 1 for cost in costs), costs
    spent = [min(cost) for cost in costs]
    assert spent == sorted(set(spent)), spent
