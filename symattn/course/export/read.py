"""Read exercises from JSON or JSONL of unknown origin: check the form, the limits, and whether the key is true.

An exercise is made from its scenario, its parts and its mistakes; the question, the worked steps and all words can be
made from these, so that only their form is checked.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from symattn import __version__
from symattn.base import limits
from symattn.base.errors import ExercisesError, SymattnError, cut, shown, unknown
from symattn.base.printed import Printed, read_figure
from symattn.claims.mistakes.model import bank
from symattn.claims.worked import Ask, Worked
from symattn.compute.values.balls import USUAL, at_precision
from symattn.course.checksum import Stamp, checksum, stamp_from
from symattn.course.export.form import COPIED, AnswerForm, ExerciseForm, FileForm, LineForm, MistakeForm, PartForm
from symattn.course.model import Exercise, Part, Planted, Wrong, worked
from symattn.read.scenario.load import loads

_INFINITE = ("oo", "-oo")


@at_precision(USUAL)
def check_exercise(exercise: Exercise) -> None:
    """Raise :class:`~symattn.base.errors.SymattnError` if parts, key, order, the wrong entry or mistakes do not fit."""
    loads(exercise.source, "source")  # without a folder: it cannot name files of the reader
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
    """Raise if a key has rows of different length, or does not have the cells that are asked."""
    place = f"part {part.name}"
    _figures(f"{place}: key", part.key)
    rows, columns = part.shape
    if any(not (0 <= i < rows and 0 <= j < columns) for i, j in part.asked):
        raise ExercisesError(f"{place}: asked: expected cells of its key, which is {rows} × {columns}")
    if list(part.asked) != sorted(frozenset(part.asked)):
        raise ExercisesError(f"{place}: asked: expected each cell once, in reading order")


def _key_fits(part: Part, exercise: Exercise, right: Worked) -> None:
    """Raise if the key differs from what the scenario gives, or is not a valid order or place."""
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
    """Return the figures of a name, as a part needs them."""
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
    """Return the key of an order or a place: whole numbers."""
    texts = [text for row in part.key for text in row]
    if not all(text.isascii() and text.isdigit() and len(text) < 10 for text in texts):
        raise ExercisesError(f"part {part.name}: key: expected whole numbers from 1 on")
    return list(map(int, texts))


Model = TypeVar("Model", bound=BaseModel)

_LINE = re.compile(r"[ \t]*\{.*\}[ \t\r]*\Z")
_FILE = re.compile(r'[ \t]*\{[ \t]*(?:"schema"[ \t]*:[ \t]*"[^"]*"[ \t]*,[ \t]*)?"exercises"[ \t]*:')


def exercises_from(text: str, where: str = "exercises") -> tuple[Exercise, ...]:
    """Read exercises from JSON or JSONL text, as ``symattn exercise --format json`` writes it.

    ``where`` names the text in errors. Raises :class:`~symattn.base.errors.ExercisesError` with place and key for a
    text that does not have the form ``symattn-exercises/1``, is too large, or holds a key that its own scenario does
    not give.
    """
    if not isinstance(text, str):
        raise ExercisesError(f"{where}: expected a text of JSON or JSONL, came {cut(repr(text))}")
    if len(text) > limits.EXERCISES_CHARACTERS:
        raise ExercisesError(
            f"{where}: has more than EXERCISES_CHARACTERS = {limits.EXERCISES_CHARACTERS} characters: split the file"
        )
    text = text.removeprefix("\ufeff")
    if not text.strip():
        raise ExercisesError(f"{where}: is empty: expected what symattn exercise --format json writes")
    return tuple(_exercise(form, place) for place, form in _forms(text, where))


def _forms(text: str, where: str) -> Iterator[tuple[str, ExerciseForm]]:
    """Yield every exercise with its place."""
    lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    if not _LINE.match(lines[0][1]) or _FILE.match(lines[0][1]):
        file = _read(FileForm, text, where)
        yield from ((f"{where}, exercises[{number}]", form) for number, form in enumerate(file.exercises, 1))
        return
    if len(lines) > limits.EXERCISES:
        raise ExercisesError(f"{where}: has more than EXERCISES = {limits.EXERCISES} lines: split the file")
    for number, line in lines:
        place = f"{where}, line {number}"
        yield place, _read(LineForm, line, place)


def _read(model: type[Model], text: str, where: str) -> Model:
    try:
        return model.model_validate_json(text)
    except ValidationError as error:
        found = error.errors(include_url=False)
        # A text with another schema need not have any of these keys.
        first = next((line for line in found if line["loc"] == ("schema",)), found[0])
        others = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
        raise ExercisesError(f"{where}{_key(first)}: {_sentence(first)}{others}") from None


def _key(error: ErrorDetails) -> str:
    """Return the key of an error, counted from 1: ``, answer.parts[1].key``."""
    steps = [f"[{step + 1}]" if isinstance(step, int) else f".{cut(step)}" for step in error["loc"]]
    return f", {''.join(steps).removeprefix('.')}" if steps else ""


def _sentence(error: ErrorDetails) -> str:
    came = error["input"]
    told = f", came {shown(str(came))}" if isinstance(came, str | int | float) else ""
    match error["type"]:
        case "missing":
            return "is missing"
        case "extra_forbidden":
            return "is not known here"
        case "json_invalid":
            return f"is not JSON: {error['msg'].removeprefix('Invalid JSON: ')}"
    return error["msg"].replace("Input should", "should").replace("should be", "expected", 1) + told


def _exercise(form: ExerciseForm, place: str) -> Exercise:
    """Return the exercise of a form, checked against its own scenario."""
    try:
        copied = {name: getattr(form, name) for name in COPIED}
        copied["code"] = str(stamp_from(form.code)) if form.code else ""
        parts, wrong = tuple(map(_part, form.answer.parts)), tuple(map(_wrong, form.mistakes))
        exercise = Exercise(**copied, parts=parts, wrong=wrong, planted=_planted(form.answer))
        check_exercise(exercise)
        _must_have_numbers(exercise, Stamp(form.checksum, form.symattn))
    except SymattnError as error:
        raise ExercisesError(f"{place}: {error}") from None
    return exercise


def _must_have_numbers(exercise: Exercise, told: Stamp) -> None:
    own = Stamp(checksum(exercise), __version__)
    if told.code != own.code:
        raise ExercisesError(
            f"the checksum is {shown(told.told)}, and that of its numbers {own.told}: they were changed after it was "
            "written, or something was lost on the way"
        )


def _part(form: PartForm) -> Part:
    asked = tuple((row - 1, column - 1) for row, column in form.asked)
    return Part(form.name, form.kind, form.decimals, form.key, asked, form.needs)


def _wrong(form: MistakeForm) -> Wrong:
    return Wrong(form.mistake, form.step, dict(form.figures))


def _planted(answer: AnswerForm) -> Planted | None:
    one = answer.planted
    return None if one is None else Planted(one.step, one.row - 1, one.column - 1, one.figure, one.mistake)
