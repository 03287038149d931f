"""Closed forms, figures and lines of random lessons are worth what another road works out from the givens alone."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.readback.random_lessons import Found, read_gradients, read_lesson, renamed, with_symbols
from tests.sentences.lessons import goes_backward, random_lesson

CHANGES: dict[str, Callable[[str, int], str]] = {
    "as it is": lambda text, seed: text,
    "names are letters of indices": renamed,
    "symbols among the numbers": with_symbols,
}


def read(change: str, seeds: range) -> Found:
    whole = Found()
    for seed in seeds:
        # The gradients of a lesson have the names of its own matrices.
        backward = goes_backward(seed) and change == "as it is"
        found = read_lesson(CHANGES[change](random_lesson(seed), seed), backward, seed)
        whole.add(found)
        whole.wrong[len(whole.wrong) - len(found.wrong) :] = [f"{seed}: {wrong}" for wrong in found.wrong]
    return whole


@pytest.mark.sampled(4)
@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("seed", [2, 5, 11, 55])
def test_what_a_random_lesson_shows_exactly_is_so(change: str, seed: int) -> None:
    found = read(change, range(seed, seed + 1))
    assert not found.wrong, "\n".join(found.wrong)
    assert found.refused or found.compared.total() > 0


@pytest.mark.slow
@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("part", range(20))
def test_what_five_hundred_random_lessons_show_exactly_is_so(change: str, part: int) -> None:
    found = read(change, range(25 * part, 25 * (part + 1)))
    assert not found.wrong, "\n".join(found.wrong)
    assert found.compared["exact"] > 100
    assert found.compared["closed form" if "symbols" in change else "lines"] > 100


@pytest.mark.sampled(1)
@pytest.mark.parametrize("seed", [0, 2, 9])
def test_gradients_by_symbols_are_right_after_numbers_were_put_in(seed: int) -> None:
    found = read_gradients(with_symbols(random_lesson(seed), seed))
    assert not found.wrong, "\n".join(found.wrong)
    assert found.compared["gradients"] == 2


@pytest.mark.slow
@pytest.mark.parametrize("part", range(10))
def test_gradients_by_symbols_of_random_lessons_are_right_after_numbers_were_put_in(part: int) -> None:
    found = Found()
    for seed in range(30 * part, 30 * (part + 1)):
        found.add(read_gradients(with_symbols(random_lesson(seed), seed)))
    assert not found.wrong, "\n".join(found.wrong)
    assert found.compared["gradients"] > 20
