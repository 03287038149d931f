"""Backward fading: one step fewer is shown in every version, and each version has numbers of its own."""

from __future__ import annotations

import pytest

from symattn.exercise.generate import generate, variant
from tests.exercise.batches import batch


def test_a_series_goes_from_the_full_solution_to_nothing_shown_and_starts_again() -> None:
    series = batch("fading", of="attention-row", count=6)
    assert [exercise.stage for exercise in series] == [0, 1, 2, 3, 0, 1]
    assert [exercise.shown for exercise in series[:4]] == [("s", "a", "z"), ("s", "a"), ("s",), ()]
    for exercise in series:
        names = [part.name for part in exercise.parts]
        assert [*exercise.shown, *names] == ["s", "a", "z"]
        assert len(names) == exercise.stage
        assert all(len(part.asked) == part.shape[0] * part.shape[1] for part in exercise.parts)


def test_mistakes_are_those_that_can_still_be_made() -> None:
    full, last, *_ = batch("fading", of="attention-row", count=6)
    assert full.wrong == ()
    assert {wrong.step for wrong in last.wrong} <= {"z"}
    assert all(set(wrong.figures) <= {"z"} for wrong in last.wrong)


@pytest.mark.parametrize("name", ["find-the-wrong-entry", "order-the-steps", "fill-in-the-blanks", "fading"])
def test_a_version_is_the_same_whatever_is_worked_out_before_it(name: str) -> None:
    found = batch(name, of="attention-row", seed=11)
    assert variant(found.request, 3).exercise == found[2]
    assert generate(name, of="attention-row", difficulty=2, seed=11, count=3).exercises == found.exercises
    assert all((exercise.topic, exercise.of) == (name, "attention-row") for exercise in found)
