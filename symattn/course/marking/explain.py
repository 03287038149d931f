"""Find the mistakes of the bank that explain wrong answers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from flint import arb, arb_mat

from symattn.base.printed import Printed, same, shape_of
from symattn.claims.by_hand import Enclosures, by_hand
from symattn.claims.causes import changes
from symattn.claims.worked import KEPT, Ask, Worked, read_exercise
from symattn.compute.solution.store import Store
from symattn.course.accept import about
from symattn.course.marking.answers.cell import AnswerCell
from symattn.course.marking.grid import AnswerGrid, is_figure
from symattn.course.marking.model import Cause, Diagnosis, PartMarks
from symattn.course.marking.observations import ComparedAnswer, observed
from symattn.course.model import Exercise, Part, Place, Wrong, worked


def asks_of(parts: Sequence[Part]) -> tuple[Ask, ...]:
    """Return the names that were asked, with the kinds and decimals of the parts."""
    return tuple(Ask(part.name, part.kind, part.decimals) for part in parts)


@lru_cache(maxsize=KEPT)
def truth(source: str, asks: tuple[Ask, ...]) -> Enclosures:
    """Return the accepted values of each name; names that have none by hand are missing."""
    return read_exercise(source).right_values(asks)


def own_matrix(value: arb_mat, decimals: int) -> arb_mat:
    """Return a student's own matrix, widened by half a unit of the last decimal. Whole numbers stay exact."""
    half = arb(0, arb(10) ** -decimals / 2)
    entries = [x if x.is_integer() or not x.is_finite() else x + half for x in value.entries()]
    return arb_mat(value.nrows(), value.ncols(), entries)


@lru_cache(maxsize=KEPT)
def made(source: str, asks: tuple[Ask, ...], topic: str) -> tuple[tuple[str, Worked], ...]:
    """Return the exercise after every mistake that changes a formula: the mistake's name and the altered scenario."""
    right = read_exercise(source)
    return tuple(
        (mistake.name, right.made(change))
        for mistake, change in changes(right, asks, topic)
        if change.change.rounded_to is None and change.formulas
    )


@lru_cache(maxsize=KEPT)
def mistaken(source: str, asks: tuple[Ask, ...], topic: str) -> tuple[tuple[str, str, Enclosures], ...]:
    """Return for every mistake its name, its step, and the values it may give by hand."""
    found = []
    for name, after in made(source, asks, topic):
        values = {ask.name: by_hand(after.solution, ask.name, ask.decimals) for ask in asks if ask.kind == "matrix"}
        known = {name: value for name, value in values.items() if value is not None}
        found.append((name, after.change.step if after.change is not None else "", known))
    return tuple(found)


def rests_on(solution: Store, name: str, others: Enclosures) -> bool:
    """Return whether a name is computed from one of the others."""
    return any(other != name and other in others for other in solution.needed(name))


Agrees = Callable[[str], bool]
"""Returns whether a candidate explains the student's answer to the part with that name."""


@dataclass(frozen=True)
class Evidence:
    """The input of a diagnosis: answers and marks by part, in the order of the derivation.

    ``own`` are the student's own matrices that later steps start from.
    """

    exercise: Exercise
    asks: tuple[Ask, ...]
    grids: Mapping[str, AnswerGrid]
    marks: Mapping[str, PartMarks]
    own: Mapping[str, arb_mat]


def explained(seen: Evidence) -> tuple[Diagnosis, ...]:
    """Return an explanation of the first wrong part, and of every later one that is wrong in itself."""
    wrong = [name for name, marks in seen.marks.items() if marks.is_wrong]
    if not wrong:
        return tuple(_of_smaller(seen))
    found: list[Diagnosis] = []
    for name in wrong:
        causes = _of_first(seen, name) if all(each.is_coarse for each in found) else _of_later(seen, name)
        is_coarse = not causes and seen.marks[name].is_coarse
        found.append(Diagnosis(name, causes, is_coarse, () if causes or is_coarse else observed(_compared(seen, name))))
        if found[-1].is_coarse:  # which is evidence neither for a mistake nor against one
            seen = replace(seen, grids={other: grid for other, grid in seen.grids.items() if other != name})
    return tuple(found)


def _compared(seen: Evidence, name: str) -> ComparedAnswer:
    """Return a part beside the values that count as right for it."""
    solution, names = worked(seen.exercise).solution, list(seen.marks)
    own = {other: value for other, value in seen.own.items() if other != name}
    grid, values = seen.grids[name], truth(seen.exercise.source, seen.asks).get(name)
    follows = grid.part.kind == "matrix" and name in solution and rests_on(solution, name, own)
    mine = by_hand(solution, name, grid.part.decimals, own) if follows else None
    later = tuple(seen.marks[other] for other in names[names.index(name) + 1 :])
    return ComparedAnswer(
        seen.exercise, grid, seen.marks[name], values if mine is None else mine, mine is not None, later
    )


def _of_smaller(seen: Evidence) -> Iterator[Diagnosis]:
    """Yield an explanation of an answer without wrong cells that is smaller than asked, as a mistake makes it."""
    for name, grid in seen.grids.items():
        if not grid.everything or grid.shape == grid.part.shape:
            continue
        small = [
            one for one in seen.exercise.wrong if name in one.figures and shape_of(one.figures[name]) == grid.shape
        ]
        causes = [Cause(one.mistake, one.step) for one in small if all(map(_figures_agree(seen, one), seen.grids))]
        if causes:
            yield Diagnosis(name, _distinct(causes))
            return


def _of_first(seen: Evidence, first: str) -> tuple[Cause, ...]:
    """Return the mistakes that give all answers up to the first wrong part: exactly, or else with rounding on the way.

    Of several, prefer those that give all later answers too.
    """
    names = list(seen.grids)
    until, after = names[: names.index(first) + 1], names[names.index(first) + 1 :]
    if not seen.grids[first].everything:
        return ()  # no readable wrong cell to explain
    for candidates in (_by_figures, _by_rounding):
        found = [(cause, agrees) for cause, agrees in candidates(seen) if all(map(agrees, until))]
        if found:
            best = [(cause, agrees) for cause, agrees in found if all(map(agrees, after))]
            return _distinct([cause for cause, _ in best or found])
    return ()


def _distinct(causes: list[Cause]) -> tuple[Cause, ...]:
    """Return each mistake once, in the order of the bank."""
    names = dict.fromkeys(cause.mistake for cause in causes)
    return tuple({cause.mistake: cause for cause in reversed(causes)}[name] for name in names)


# By printed figures


def _by_figures(seen: Evidence) -> Iterator[tuple[Cause, Agrees]]:
    """Yield every mistake with a test by its printed figures."""
    for wrong in seen.exercise.wrong:
        yield Cause(wrong.mistake, wrong.step), _figures_agree(seen, wrong)


def _figures_agree(seen: Evidence, wrong: Wrong) -> Agrees:
    def agrees(name: str) -> bool:
        grid, figures = seen.grids[name], wrong.figures.get(name)
        if not grid.everything:
            return True
        if figures is None:
            return False
        if not seen.marks[name].is_wrong and same(figures, grid.part.key):
            return not seen.marks[name].is_carried
        return _printed_alike(grid, figures)

    return agrees


def _printed_alike(grid: AnswerGrid, figures: Printed) -> bool:
    def agrees(place: Place, cell: AnswerCell) -> bool:
        return is_figure(cell, figures[place[0]][place[1]], grid.part.decimals)

    return _all_cells(grid, shape_of(figures), agrees)


def _all_cells(grid: AnswerGrid, shape: tuple[int, int], agrees: Callable[[Place, AnswerCell], bool]) -> bool:
    """Return whether all numbers of an answer agree with a grid of that shape."""
    if shape == grid.part.shape and grid.fits:
        cells: Mapping[Place, AnswerCell] = grid.given
    elif shape == grid.shape:
        cells = grid.everything
    else:
        return False
    return bool(cells) and all(agrees(place, cell) for place, cell in cells.items())


# By enclosures


def _by_rounding(seen: Evidence) -> Iterator[tuple[Cause, Agrees]]:
    """Yield every mistake with a test by the values it may give if numbers are rounded on the way."""
    for mistake, step, values in mistaken(seen.exercise.source, seen.asks, about(seen.exercise)):
        yield Cause(mistake, step), _values_agree(seen, values)


def _values_agree(seen: Evidence, values: Mapping[str, arb_mat]) -> Agrees:
    def agrees(name: str) -> bool:
        grid = seen.grids[name]
        if not grid.everything:
            return True
        value = values.get(name)
        return value is not None and _enclosed(grid, value)

    return agrees


def _enclosed(grid: AnswerGrid, value: arb_mat) -> bool:
    return _all_cells(
        grid,
        (value.nrows(), value.ncols()),
        lambda place, cell: cell.is_right(value[place], grid.part.decimals),
    )


# Later parts


def _of_later(seen: Evidence, name: str) -> tuple[Cause, ...]:
    """Return the mistakes that explain a later part from the student's earlier values, or by themselves."""
    grid = seen.grids[name]
    solution = worked(seen.exercise).solution
    own = {other: value for other, value in seen.own.items() if other != name}
    if grid.part.kind != "matrix" or name not in solution or not rests_on(solution, name, own):
        alone = (cause for cause, agrees in _by_figures(seen) if grid.everything and agrees(name))
        return _distinct(list(alone))
    found = []
    for mistake, wrong in made(seen.exercise.source, seen.asks, about(seen.exercise)):
        if wrong.change is None or wrong.change.step not in _between(solution.needed(name), own):
            continue
        value = by_hand(wrong.solution, name, grid.part.decimals, own)
        if value is not None and _enclosed(grid, value):
            found.append(Cause(mistake, wrong.change.step))
    return _distinct(found)


def _between(needed: tuple[str, ...], own: Mapping[str, arb_mat]) -> tuple[str, ...]:
    """Return the steps after the last of the student's own matrices."""
    last = max((place for place, name in enumerate(needed) if name in own), default=-1)
    return needed[last + 1 :]
