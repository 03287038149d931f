"""Fill in the blanks: more of them the more difficult, in every matrix, and something of each is left to look at."""

from __future__ import annotations

import pytest

from symattn.exercise.worked import worked
from symattn.marking import mark
from tests.exercise.batches import batch

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
