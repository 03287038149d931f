"""Find the wrong entry: exactly one figure of the shown solution is wrong, clearly so, and does not stand out."""

from __future__ import annotations

import tomllib
from fractions import Fraction
from random import Random

import numpy as np
import pytest

from symattn.errors import ScenarioError
from symattn.exercise.forms.wrong_entry import with_wrong_entry
from symattn.exercise.generate import generate
from symattn.exercise.model import Exercise, Part, Planted, Wrong
from symattn.exercise.worked import Ask, worked
from symattn.marking import mark
from tests.exercise.batches import batch
from tests.exercise.lessons import source

LEVELS = (2, 3, 4)
"""Levels whose numbers are fractions, which NumPy can be given without a reader."""


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


@pytest.mark.parametrize("level", LEVELS)
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


@pytest.mark.parametrize("level", LEVELS)
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
