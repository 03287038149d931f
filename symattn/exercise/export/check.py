"""Whether an exercise that was read holds together, so that it can be printed and marked like one of our own."""

from __future__ import annotations

from collections.abc import Iterable

from symattn.errors import ExercisesError, shown, unknown
from symattn.exercise.model import Exercise, Part, Planted, Printed
from symattn.exercise.worked import Ask, Worked, worked
from symattn.mistakes.bank import bank
from symattn.scenario.load import loads
from symattn.values.number import USUAL, at_precision
from symattn.values.rounding import read_figure

_INFINITE = ("oo", "-oo")


@at_precision(USUAL)
def check(exercise: Exercise) -> None:
    """Raise :class:`~symattn.errors.SymattnError` if parts, key, order, the wrong entry or mistakes do not fit."""
    loads(exercise.source, "source")  # by itself: it can name no file of whoever reads it
    right = worked(exercise)
    names = [part.name for part in exercise.parts]
    _one_each("part", names)
    _one_each("order", exercise.order)
    _are_steps("shown", exercise.shown, right)
    _are_steps("order", exercise.order, right)
    if exercise.planted is not None:
        _is_planted(exercise.planted, right)
    for part in exercise.parts:
        _form_fits(part)
        _key_fits(part, exercise, right)
    mistakes = tuple(mistake.name for mistake in bank())
    for wrong in exercise.wrong:
        _known("mistake", wrong.mistake, mistakes)
        for name, rows in wrong.figures.items():
            _known("part", name, names)
            _figures(f"mistakes: {wrong.mistake}: {name}", rows)


def _one_each(key: str, names: Iterable[str]) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise ExercisesError(f"{key} {shown(name)} stands twice: expected it once")
        seen.add(name)


def _known(kind: str, name: str, known: Iterable[str]) -> None:
    known = tuple(known)
    if name not in known:
        raise ExercisesError(unknown(kind, name, known))


def _form_fits(part: Part) -> None:
    """Raise where a key has rows of different length, or the cells that are asked are not in it."""
    place = f"part {part.name}"
    _figures(f"{place}: key", part.key)
    rows, columns = part.shape
    if any(not (0 <= i < rows and 0 <= j < columns) for i, j in part.asked):
        raise ExercisesError(f"{place}: asked: expected cells of its key, which is {rows} × {columns}")
    if list(part.asked) != sorted(frozenset(part.asked)):
        raise ExercisesError(f"{place}: asked: expected each cell once, in reading order")


def _key_fits(part: Part, exercise: Exercise, right: Worked) -> None:
    """Raise where the key is not what the scenario gives, or the order and the place that it says are none."""
    planted, place = exercise.planted, f"part {part.name}"
    if part.kind == "order":
        if len(part.key) != 1 or sorted(_whole(part)) != list(range(1, len(exercise.order) + 1)):
            raise ExercisesError(f"{place}: key: expected the numbers of the steps in order, each once")
    elif part.kind == "place":
        steps = sum(not step.is_given for step in right.plan.steps)
        numbers = _whole(part)
        where = None if planted is None else (planted.row + 1, planted.column + 1)
        if len(part.key) != 1 or len(numbers) != 3 or tuple(numbers[1:]) != where or not 1 <= numbers[0] <= steps:
            raise ExercisesError(f"{place}: key: expected the number of a step, then row and column of planted")
    elif planted is not None and not right.has(part.name):
        rows = _worked_out(planted.step, part, right)
        _is_true(part, ((rows[planted.row][planted.column],),))
    else:
        _is_true(part, _worked_out(part.name, part, right))


def _worked_out(name: str, part: Part, right: Worked) -> Printed:
    """The figures of a name, as a part wants them."""
    if not right.has(name):
        raise ExercisesError(f"part {part.name}: {shown(name)} is no name of the scenario in source")
    if (name in right.scenario.quantities) != (part.kind == "number"):
        raise ExercisesError(
            f"part {part.name}: kind: {part.kind} does not fit {shown(name)} of the scenario in source"
        )
    return right.figures(Ask(name, part.kind, part.decimals))


def _is_true(part: Part, key: Printed) -> None:
    if part.key != key:
        raise ExercisesError(
            f"part {part.name}: key: expected what the scenario in source gives, {shown(str(key))}, came "
            f"{shown(str(part.key))}"
        )


def _figures(place: str, rows: Printed) -> None:
    if len({len(row) for row in rows}) != 1:
        raise ExercisesError(f"{place}: expected rows of one length")
    for text in (text for row in rows for text in row):
        if text not in _INFINITE and read_figure(text) is None:
            raise ExercisesError(f"{place}: {shown(text)} is no printed figure, such as -0.25")


def _are_steps(key: str, names: Iterable[str], right: Worked) -> None:
    for name in names:
        if name not in right.plan.by_name:
            raise ExercisesError(f"{key}: {unknown('step', name, right.plan.by_name)}")


def _is_planted(planted: Planted, right: Worked) -> None:
    _are_steps("planted", (planted.step,), right)
    _known("mistake", planted.mistake, (mistake.name for mistake in bank()))
    _figures("planted: figure", ((planted.figure,),))
    rows, columns = right.plan[planted.step].shape.sizes
    is_inside = isinstance(rows, int) and isinstance(columns, int) and planted.row < rows and planted.column < columns
    if not is_inside:
        raise ExercisesError(f"planted: {planted.step} is {rows} × {columns}: expected an entry of it")


def _whole(part: Part) -> list[int]:
    """The key of an order or a place: whole numbers."""
    texts = [text for row in part.key for text in row]
    if not all(text.isascii() and text.isdigit() and len(text) < 10 for text in texts):
        raise ExercisesError(f"part {part.name}: key: expected whole numbers from 1 on")
    return list(map(int, texts))
