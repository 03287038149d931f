"""Exercises as data: question, answer, steps and mistakes in one text, and exercises read back from such a text.

A format is a function in :data:`EXPORTS` from exercises and a language to a text. It gets what it needs from
:func:`~symattn.course.export.write.form_of`, so that a format for a learning platform computes nothing.

>>> from symattn.course.model import Part
>>> source = 'title = "Half"\\n[given]\\nX = [["3"]]\\n[[section]]\\ntitle = "S"\\nsteps = ["Y = X / 2"]\\n'
>>> half = Exercise("half", 1, 7, 1, "en", source, (Part("Y", "matrix", 3, (("1.5",),), ((0, 0),)),))
>>> text = exported([half], "jsonl")
>>> text[:54], exercises_from(text) == (half,)
('{"schema": "symattn-exercises/1", "topic": "half", "of', True)
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from pydantic import ValidationError

from symattn.base.errors import ExercisesError, UnknownNameError, unknown
from symattn.course.export.form import VERSION, json_schema, schema_text
from symattn.course.export.read import exercises_from
from symattn.course.export.write import form_of
from symattn.course.model import Exercise

__all__ = ["EXPORTS", "VERSION", "exercises_from", "exported", "form_of", "json_schema", "schema_text"]

Export = Callable[[Sequence[Exercise], str | None], str]


def exported(exercises: Sequence[Exercise], format: str, language: str | None = None) -> str:
    """Write exercises in one of the formats of :data:`EXPORTS`, with words in ``language`` or in their own.

    Raises :class:`~symattn.base.errors.UnknownNameError` for an unknown format, and
    :class:`~symattn.base.errors.ExercisesError` if there is no exercise, or one beyond the limits of the format.
    """
    if format not in EXPORTS:
        raise UnknownNameError(unknown("format", format, EXPORTS))
    if not exercises:
        raise ExercisesError("there are no exercises to be written: expected at least one")
    return EXPORTS[format](exercises, language)


def _json(exercises: Sequence[Exercise], language: str | None) -> str:
    whole = {"schema": VERSION, "exercises": list(_objects(exercises, language))}
    return json.dumps(whole, ensure_ascii=False, indent=1) + "\n"


def _jsonl(exercises: Sequence[Exercise], language: str | None) -> str:
    lines = ({"schema": VERSION, **one} for one in _objects(exercises, language))
    return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)


def _objects(exercises: Sequence[Exercise], language: str | None) -> Iterator[dict[str, Any]]:
    for exercise in exercises:
        try:
            yield form_of(exercise, language).model_dump(mode="json")
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            key = ".".join(map(str, first["loc"]))
            raise ExercisesError(
                f"{exercise.topic}, version {exercise.version}: {key} does not fit {VERSION}: {first['msg']}"
            ) from None


EXPORTS: Mapping[str, Export] = MappingProxyType({"json": _json, "jsonl": _jsonl})
"""Every format by its name."""
