"""Answers that are no entries of a matrix: numbers, shapes, orders and places."""

from __future__ import annotations

from collections.abc import Callable

from symattn.exercise.model import Cell as Place
from symattn.exercise.model import Exercise
from symattn.exercise.worked import worked
from symattn.marking.answers.cell import Cell
from symattn.marking.grid import Grid, near


def others_right(exercise: Exercise, grid: Grid) -> Callable[[Place, Cell], bool]:
    """Whether a cell of such an answer is right.

    Of an order every one is right in which each step comes after those it rests on.
    """
    part = grid.part
    if part.kind == "order" and _is_valid(exercise, grid):
        return lambda place, cell: True

    def is_key(place: Place, cell: Cell) -> bool:
        figure = part.key[place[0]][place[1]]
        is_whole = figure.removeprefix("-").isdigit()
        return near(cell, figure, part.decimals) and not (is_whole and cell.whole is None)

    return is_key


def _is_valid(exercise: Exercise, grid: Grid) -> bool:
    """Whether the numbers put all steps in an order in which each rests on earlier ones only."""
    printed = exercise.order
    numbers = [grid[place].whole for place in grid.part.asked]
    if not grid.fits or sorted(number or 0 for number in numbers) != list(range(1, len(printed) + 1)):
        return False
    plan = worked(exercise).plan
    order = [printed[number - 1] for number in numbers if number is not None]
    if any(name not in plan.by_name for name in order):
        return False
    return all(used in order[:place] for place, name in enumerate(order) for used in plan[name].uses if used in printed)
