"""Mark one student's answers cell by cell; later steps also from the student's own earlier values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from flint import arb_mat

from symattn.claims.by_hand import BITS, by_hand
from symattn.claims.worked import Ask
from symattn.compute.values.balls import at_precision
from symattn.course.marking.answers.cell import AnswerCell
from symattn.course.marking.answers.model import Answers
from symattn.course.marking.explain import Evidence, asks_of, explained, own_matrix, rests_on, truth
from symattn.course.marking.fitting import must_have_numbers
from symattn.course.marking.grid import AnswerGrid, is_figure
from symattn.course.marking.model import CellMark, Marked, PartMarks, Status, Turned
from symattn.course.model import Exercise, Part, Place, worked
from symattn.write.escape import clean


def mark(exercise: Exercise, answers: Answers | Mapping[str, object]) -> Marked:
    """Mark one student's answers to an exercise.

    ``answers`` are an :class:`Answers`, or the cells of every part: ``{"A": [["1/3", "0,5"]]}``. A cell is right if its
    number is within half a unit of the last requested decimal of the exact value, or of a value with every number on
    the way rounded to that many decimals; how many decimals are written does not matter. It is *carried* if it is right
    given the student's value of an earlier step. No content of a cell raises an error.

    Raises :class:`~symattn.base.errors.AnswersError` if the answers carry the checksum of other numbers.
    """
    given = answers if isinstance(answers, Answers) else Answers.of(answers)
    if given.stamp is not None:
        must_have_numbers([replace(given, version=None)], [exercise], "answers")
    marker = _Marker(exercise)
    with at_precision(BITS):
        grids = {part.name: AnswerGrid.of(part, given.parts.get(part.name, ())) for part in marker.in_order()}
        parts = {name: marker.part(grid) for name, grid in grids.items()}
        findings = explained(Evidence(exercise, marker.asks, grids, parts, marker.own))
    unknown = tuple(clean(name) for name in given.answered if name not in parts)
    ordered = tuple(parts[part.name] for part in exercise.parts)
    name, is_checked = clean(given.student), given.stamp is not None
    return Marked(exercise.topic, exercise.version, name, ordered, findings, unknown, is_checked)


@dataclass
class _Marker:
    """Marks the parts in the order of the derivation and remembers the student's own values for later steps."""

    exercise: Exercise
    own: dict[str, arb_mat] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.right = worked(self.exercise)
        self.asks = asks_of(self.exercise.parts)
        self.truth = {**truth(self.exercise.source, self.asks), **_truth_of_planted(self.exercise)}

    def in_order(self) -> list[Part]:
        steps = [step.name for step in self.right.plan.steps]
        place = {name: number for number, name in enumerate(steps)}
        return sorted(self.exercise.parts, key=lambda part: place.get(part.name, len(steps)))

    def part(self, grid: AnswerGrid) -> PartMarks:
        """Mark one part and remember the values that later steps start from."""
        part = grid.part
        if part.kind != "matrix":
            return _marked(grid, _others_right(self.exercise, grid), _nothing)
        true = self.truth.get(part.name)
        if not grid.fits:
            turned: Turned = "transposed" if self._is_transposed(grid, true) else "other"
            return _marked(grid, _nothing, _nothing, turned)
        is_right = _consistent(part, true)
        wrong = [place for place, cell in grid.given.items() if not is_right(place, cell)]
        is_carried: _Test = _nothing
        from_own = None
        if self.own and part.name in self.right.plan.by_name and rests_on(self.right.solution, part.name, self.own):
            from_own = by_hand(self.right.solution, part.name, part.decimals, self.own)
            is_carried = _inside(part, from_own)
        self._remember(grid, true, is_right, is_carried, from_own)
        is_coarse = bool(wrong) and all(_is_coarse(grid.given[place], true, place, part) for place in wrong)
        return _marked(grid, is_right, is_carried, is_coarse=is_coarse)

    def _is_transposed(self, grid: AnswerGrid, true: arb_mat | None) -> bool:
        part = grid.part
        if grid.shape != part.shape[::-1]:
            return False
        is_right = _consistent(part, true)
        turned = grid.transposed
        return len(turned.given) == len(part.asked) and all(is_right(*item) for item in turned.given.items())

    def _remember(
        self, grid: AnswerGrid, true: arb_mat | None, is_right: _Test, is_carried: _Test, from_own: arb_mat | None
    ) -> None:
        """Remember a student's matrix for later steps, unless it follows from the ones already remembered."""
        name, decimals = grid.part.name, grid.part.decimals
        given = grid.given.items()
        if true is None or not given or (from_own is not None and all(is_carried(*item) for item in given)):
            return
        if all(is_right(*item) for item in given):
            if from_own is not None:
                self.own[name] = own_matrix(true, decimals)
            return
        if (mine := grid.matrix(true)) is not None:
            self.own[name] = own_matrix(mine, decimals)


def _truth_of_planted(exercise: Exercise) -> Mapping[str, arb_mat]:
    """Return the accepted value of the wrong entry of a solution, for the part that asks for it."""
    planted = exercise.planted
    if planted is None:
        return {}
    asked = next((part for part in exercise.parts if part.kind == "matrix"), None)
    true = None if asked is None else truth(exercise.source, (Ask(planted.step, "matrix", asked.decimals),))
    if asked is None or true is None or planted.step not in true:
        return {}
    return {asked.name: arb_mat([[true[planted.step][planted.row, planted.column]]])}


_Test = Callable[[Place, AnswerCell], bool]


def _nothing(place: Place, cell: AnswerCell) -> bool:
    return False


def _inside(part: Part, values: arb_mat | None) -> _Test:
    """Return the test whether a cell lies in an enclosure."""
    if values is None:
        return _nothing
    return lambda place, cell: cell.is_right(values[place], part.decimals)


def _consistent(part: Part, true: arb_mat | None) -> _Test:
    """Return the test whether a cell is the key, or agrees with it up to rounding on the way."""
    inside = _inside(part, true)
    return lambda place, cell: is_figure(cell, part.key[place[0]][place[1]], part.decimals) or inside(place, cell)


def _others_right(exercise: Exercise, grid: AnswerGrid) -> _Test:
    """Return the test for an answer that is not a matrix: a number, a shape, an order or a place.

    Every order is right in which each step comes after those it depends on.
    """
    part = grid.part
    if part.kind == "order" and _is_valid(exercise, grid):
        return lambda place, cell: True

    def is_key(place: Place, cell: AnswerCell) -> bool:
        figure = part.key[place[0]][place[1]]
        is_whole = figure.removeprefix("-").isdigit()
        return is_figure(cell, figure, part.decimals) and not (is_whole and cell.whole is None)

    return is_key


def _is_valid(exercise: Exercise, grid: AnswerGrid) -> bool:
    """Return whether the numbers put all steps in an order in which each depends only on earlier ones."""
    printed = exercise.order
    numbers = [grid[place].whole for place in grid.part.asked]
    if not grid.fits or sorted(number or 0 for number in numbers) != list(range(1, len(printed) + 1)):
        return False
    plan = worked(exercise).plan
    order = [printed[number - 1] for number in numbers if number is not None]
    if any(name not in plan.by_name for name in order):
        return False
    return all(used in order[:place] for place, name in enumerate(order) for used in plan[name].uses if used in printed)


def _is_coarse(cell: AnswerCell, true: arb_mat | None, place: Place, part: Part) -> bool:
    """Return whether a decimal would be right if fewer decimals were asked for."""
    written = cell.decimals
    return true is not None and written is not None and written < part.decimals and cell.is_right(true[place], written)


def _marked(
    grid: AnswerGrid, is_right: _Test, is_carried: _Test, turned: Turned = "", is_coarse: bool = False
) -> PartMarks:
    def status(place: Place, cell: AnswerCell) -> Status:
        if cell.trouble:
            return "unreadable"
        if cell.value is None:
            return "empty"
        return "right" if is_right(place, cell) else "carried" if is_carried(place, cell) else "wrong"

    cells = ((place, grid[place]) for place in grid.part.asked)
    marks = tuple(CellMark(*place, clean(cell.text), status(place, cell), cell.trouble) for place, cell in cells)
    if turned and not any(mark.status == "wrong" for mark in marks):
        marks = (CellMark(*grid.part.asked[0], marks[0].text, "wrong"), *marks[1:])
    return PartMarks(grid.part.name, grid.part.kind, marks, turned, is_coarse)
