"""Backward fading: one step fewer is shown in every version, and each version has numbers of its own."""

from __future__ import annotations

import tomllib

import pytest

from symattn.exercise.generate import generate, variant


def test_a_series_goes_from_the_full_solution_to_nothing_shown_and_starts_again() -> None:
    batch = generate("fading", of="attention-row", difficulty=2, seed=5, count=6)
    assert [exercise.stage for exercise in batch] == [0, 1, 2, 3, 0, 1]
    assert [exercise.shown for exercise in batch[:4]] == [("s", "a", "z"), ("s", "a"), ("s",), ()]
    for exercise in batch:
        names = [part.name for part in exercise.parts]
        assert [*exercise.shown, *names] == ["s", "a", "z"]
        assert len(names) == exercise.stage
        assert all(len(part.asked) == part.shape[0] * part.shape[1] for part in exercise.parts)


def test_every_version_has_its_own_numbers_and_says_what_is_left_to_do() -> None:
    batch = generate("fading", of="attention-row", difficulty=2, seed=5, count=4)
    tables = [tomllib.loads(exercise.source) for exercise in batch]
    givens = [str(table["given"]) for table in tables]
    assert len(set(givens)) == 4
    intros = [table["intro"]["en"] for table in tables]
    assert "full solution" in intros[0]
    assert "every step is yours" in intros[3]
    assert "first steps have been made" in intros[1]
    assert "first steps have been made" in intros[2]


def test_mistakes_are_those_that_can_still_be_made() -> None:
    full, last, *_ = generate("fading", of="attention-row", difficulty=2, seed=5, count=4)
    assert full.wrong == ()
    assert {wrong.step for wrong in last.wrong} <= {"z"}
    assert all(set(wrong.figures) <= {"z"} for wrong in last.wrong)


@pytest.mark.parametrize("name", ["find-the-wrong-entry", "order-the-steps", "fill-in-the-blanks", "fading"])
def test_a_version_is_the_same_whatever_is_worked_out_before_it(name: str) -> None:
    batch = generate(name, of="attention-row", difficulty=2, seed=11, count=3)
    assert variant(batch.request, 3).exercise == batch[2]
    assert generate(name, of="attention-row", difficulty=2, seed=11, count=3).exercises == batch.exercises
    assert all((exercise.topic, exercise.of) == (name, "attention-row") for exercise in batch)


@pytest.mark.parametrize("name", ["find-the-wrong-entry", "order-the-steps", "fill-in-the-blanks", "fading"])
def test_a_form_costs_more_than_its_topic_and_more_the_more_difficult(name: str) -> None:
    costs = []
    for level in (1, 2, 3, 4, 5):
        (made,) = generate(name, of="attention-row", difficulty=level, seed=1)
        (plain,) = generate("attention-row", difficulty=level, seed=1)
        assert made.cost > plain.cost
        costs.append(made.cost)
    assert costs == sorted(set(costs))
