"""Forms: what they show, what they ask, and that every answer that is right is right."""

from __future__ import annotations

import tomllib
from fractions import Fraction
from itertools import permutations
from random import Random

import numpy as np
import pytest

from symattn.base.errors import ScenarioError
from symattn.claims.worked import Ask
from symattn.course.forms import with_wrong_entry
from symattn.course.generate import generate, variant
from symattn.course.marking import mark
from symattn.course.model import Exercise, Part, Planted, Wrong, worked
from symattn.read.scenario.load import loads
from tests.exercise.batches import batch
from tests.exercise.lessons import source

# -- forms fading ------------------------------------------------------------------------------------------------------


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


# -- forms blanks ------------------------------------------------------------------------------------------------------


LEVELS = (1, 2, 3, 4, 5)


@pytest.mark.parametrize("level", LEVELS)
def test_blanks_are_spread_and_some_cell_of_every_matrix_is_printed(level: int) -> None:
    for exercise in batch("fill-in-the-blanks", level, seed=9, of="attention-row"):
        names = [step.name for step in worked(exercise).plan.steps if step.formula is not None]
        asked = [part.name for part in exercise.parts]
        assert sorted([*asked, *exercise.shown]) == sorted(names)
        assert len(asked) == min(len(names), sum(len(part.asked) for part in exercise.parts))
        for part in exercise.parts:
            rows, columns = part.shape
            assert 1 <= len(set(part.asked)) == len(part.asked) <= rows * columns - 1
            assert all(i < rows and j < columns for i, j in part.asked)


def test_every_blank_can_be_filled_and_only_blanks_are_marked() -> None:
    for exercise in batch("fill-in-the-blanks", 3, seed=9, of="attention-row"):
        answers = {
            part.name: [
                [text if (i, j) in part.asked else "" for j, text in enumerate(row)] for i, row in enumerate(part.key)
            ]
            for part in exercise.parts
        }
        marked = mark(exercise, answers)
        assert marked.points == marked.most == sum(len(part.asked) for part in exercise.parts)


def test_every_mistake_shows_in_a_blank() -> None:
    for exercise in batch("fill-in-the-blanks", 1, seed=9, of="attention-row"):
        assert exercise.wrong
        for wrong in exercise.wrong:
            assert any(
                wrong.figures[part.name][i][j] != part.key[i][j]
                for part in exercise.parts
                if part.name in wrong.figures
                for i, j in part.asked
            )


# -- forms order -------------------------------------------------------------------------------------------------------


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


# -- forms wrong entry -------------------------------------------------------------------------------------------------


def _by_numpy(source: str) -> dict[str, np.ndarray]:
    """A row of attention written by hand."""
    table = tomllib.loads(source)["given"]
    q, keys, values = (np.array([[float(Fraction(x)) for x in row] for row in table[n]["value"]]) for n in "qKV")
    s = q @ keys.T / np.sqrt(q.shape[1])
    a = np.exp(s) / np.exp(s).sum()
    return {"s": s, "a": a, "z": a @ values}


def _shown(exercise: Exercise) -> dict[str, list[list[str]]]:
    """The solution as it stands on the sheet."""
    right = worked(exercise)
    shown = {name: [list(row) for row in right.figures(Ask(name))] for name in ("s", "a", "z")}
    planted = exercise.planted
    assert planted is not None
    shown[planted.step][planted.row][planted.column] = planted.figure
    return shown


@pytest.mark.parametrize("level", [2, 3, 4])
def test_exactly_one_shown_entry_is_wrong_and_it_is_the_one_in_the_key(level: int) -> None:
    for exercise in batch("find-the-wrong-entry", level, seed=4, count=8, of="attention-row"):
        true = _by_numpy(exercise.source)
        off = [
            (number, i + 1, j + 1)
            for number, (name, rows) in enumerate(_shown(exercise).items(), 1)
            for i, row in enumerate(rows)
            for j, text in enumerate(row)
            if abs(float(text) - true[name][i, j]) > 0.0005001
        ]
        assert [tuple(map(int, exercise.part("place").key[0]))] == off
        number, row, column = off[0]
        value = float(exercise.part("value").key[0][0])
        assert abs(value - true["saz"[number - 1]][row - 1, column - 1]) < 0.0005001


@pytest.mark.parametrize("level", [2, 3, 4])
def test_the_wrong_figure_is_far_off_and_has_as_many_decimals_as_the_right_one(level: int) -> None:
    for exercise in batch("find-the-wrong-entry", level, seed=4, count=8, of="attention-row"):
        planted = exercise.planted
        assert planted is not None
        right = exercise.part("value").key[0][0]
        assert abs(float(planted.figure) - float(right)) >= 0.01
        assert len(planted.figure.partition(".")[2]) == len(right.partition(".")[2])


def test_the_wrong_figure_is_never_marked_right_and_is_explained_by_its_mistake() -> None:
    for exercise in batch("find-the-wrong-entry", 2, seed=4, count=8, of="attention-row"):
        planted, place = exercise.planted, [list(exercise.part("place").key[0])]
        assert planted is not None
        marked = mark(exercise, {"place": place, "value": [[planted.figure]]})
        assert (marked.points, marked.most) == (3, 4)
        assert planted.mistake in [cause.mistake for finding in marked.findings for cause in finding.causes]


def planted(lesson: str, key: tuple[str, str], text: str) -> Planted | str:
    """What comes of a mistake that gives ``text`` for one of two entries."""
    part = Part("Y", "matrix", 3, (key,), ((0, 0), (0, 1)))
    wrong = Wrong("scale-forgotten", "Y", {"Y": ((text, key[1]),)})
    head = Exercise("head", 2, 1, 1, "en", lesson, (part,), (wrong,))
    made = with_wrong_entry(head, Random(1))
    return made if isinstance(made, str) else made.planted or ""


NONE = "no entry that a mistake makes clearly wrong"


def test_what_is_off_by_a_small_share_of_the_largest_entry_is_not_clearly_wrong() -> None:
    half, key = source('X = [["0.5", "1"]]', "Y = 2 * X"), ("1.000", "2.000")
    assert planted(half, key, "1.090") == NONE
    assert planted(half, key, "1.900") == Planted("Y", 0, 0, "1.900", "scale-forgotten")


def test_what_rounding_on_the_way_explains_is_not_clearly_wrong() -> None:
    """Whoever writes 0.003 for 1/300 comes to 3.000."""
    third, key = source('X = [["1/300", "1/200"]]', "Y = 1000 * X"), ("3.333", "5.000")
    assert planted(third, key, "3.000") == NONE
    assert planted(third, key, "2.000") == Planted("Y", 0, 0, "2.000", "scale-forgotten")


def test_a_single_number_cannot_hold_a_wrong_entry_among_right_ones() -> None:
    with pytest.raises(ScenarioError, match="needs a step with at least 2 entries, and dot-product has none"):
        generate("find-the-wrong-entry", of="dot-product")
