"""Order the steps: the printed order is wrong, the key is right, and so is every other order that can be worked."""

from __future__ import annotations

import tomllib
from itertools import permutations

import pytest

from symattn.errors import ScenarioError
from symattn.exercise.generate import generate
from symattn.exercise.model import Exercise
from symattn.marking import mark
from symattn.scenario.load import loads


def _can_be_worked(exercise: Exercise, order: tuple[str, ...]) -> bool:
    """Whether each formula speaks of nothing that comes later; read from the text of the file, letter by letter."""
    (section,) = tomllib.loads(exercise.source)["section"]
    formulas = {name.strip(): formula for name, _, formula in (step.partition("=") for step in section["steps"])}
    done: set[str] = set()
    for name in order:
        words = formulas[name]
        for mark_ in "@()/*+-.,=":
            words = words.replace(mark_, " ")
        if (set(words.split()) & set(formulas)) - done:
            return False
        done.add(name)
    return True


@pytest.mark.parametrize("of", ["attention-row", "attention-head"])
def test_the_printed_order_cannot_be_worked_and_the_key_can(of: str) -> None:
    for exercise in generate("order-the-steps", of=of, difficulty=2, seed=6, count=3):
        numbers = [int(text) for text in exercise.part("order").key[0]]
        assert sorted(numbers) == list(range(1, len(exercise.order) + 1))
        assert not _can_be_worked(exercise, exercise.order)
        assert _can_be_worked(exercise, tuple(exercise.order[number - 1] for number in numbers))


def test_every_order_that_can_be_worked_is_right_and_no_other() -> None:
    exercise = generate("order-the-steps", of="attention-head", difficulty=2, seed=6)[0]
    count = len(exercise.order)
    right = 0
    for numbers in permutations(range(1, count + 1)):
        works = _can_be_worked(exercise, tuple(exercise.order[number - 1] for number in numbers))
        marked = mark(exercise, {"order": list(numbers)})
        assert (marked.points == marked.most) == works
        right += works
    # Q and K in either order, then S and A; V anywhere before O, which is last: 2 · 5 ways.
    assert right == 10


def test_steps_in_any_order_cannot_be_asked_for() -> None:
    head = 'title = "Three"\n[given]\nX = [["1", "2"]]\n[[section]]\ntitle = "S"\n'
    text = head + 'steps = ["A = 2 * X", "B = 3 * X", "C = -X"]'
    plain = loads(text)
    exercise = generate("order-the-steps", scenario=loads(text.replace("C = -X", "C = A + B")), ask="C")[0]
    assert exercise.order[2] != "C"
    with pytest.raises(ScenarioError, match="steps that are in no wrong order"):
        generate("order-the-steps", scenario=plain, ask=("A", "B", "C"))
