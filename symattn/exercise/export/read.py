"""Exercises from JSON or JSONL that somebody else may have written: form, limits, and whether the key is true.

What an exercise is comes from its scenario, its parts and its mistakes; the question, the worked steps and all words
can be made from these, so that only their form is looked at.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from symattn import __version__, limits
from symattn.errors import ExercisesError, SymattnError, cut, shown
from symattn.exercise.checksum import Stamp, checksum, stamp_from
from symattn.exercise.export.check import check
from symattn.exercise.export.form import COPIED, AnswerForm, ExerciseForm, FileForm, LineForm, MistakeForm, PartForm
from symattn.exercise.model import Exercise, Part, Planted, Wrong

Model = TypeVar("Model", bound=BaseModel)

_LINE = re.compile(r"[ \t]*\{.*\}[ \t\r]*\Z")
_FILE = re.compile(r'[ \t]*\{[ \t]*(?:"schema"[ \t]*:[ \t]*"[^"]*"[ \t]*,[ \t]*)?"exercises"[ \t]*:')


def exercises_from(text: str, where: str = "exercises") -> tuple[Exercise, ...]:
    """The exercises in a text of JSON or JSONL, as ``symattn exercise --format json`` writes it.

    ``where`` is what errors call the text. Raises :class:`~symattn.errors.ExercisesError` with place and key for what
    has not the form ``symattn-exercises/1``, is too large, or holds a key that its own scenario does not give.
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
    """Every exercise with the place where it stands."""
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
        # What has another schema need not have anything of this one.
        first = next((line for line in found if line["loc"] == ("schema",)), found[0])
        others = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
        raise ExercisesError(f"{where}{_key(first)}: {_sentence(first)}{others}") from None


def _key(error: ErrorDetails) -> str:
    """The key of an error, counted from 1: ``, answer.parts[1].key``."""
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
    """The exercise of a form, checked against its own scenario."""
    try:
        copied = {name: getattr(form, name) for name in COPIED}
        copied["code"] = str(stamp_from(form.code)) if form.code else ""
        parts, wrong = tuple(map(_part, form.answer.parts)), tuple(map(_wrong, form.mistakes))
        exercise = Exercise(**copied, parts=parts, wrong=wrong, planted=_planted(form.answer))
        check(exercise)
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
