"""Read answers in JSON. Numbers are read as the decimals they are written with and are never binary floats.

>>> ada = '{"student": "Ada", "version": 3, "A": [["1/3", 0.50]]}'
>>> file = read_json('{"format": "symattn-answers/1", "answers": [' + ada + "]}")
>>> file.answers[0].student, file.answers[0].version, dict(file.answers[0].parts)
('Ada', 3, {'A': (('1/3', '0.50'),)})
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from symattn.base import limits
from symattn.base.errors import AnswersError, shown
from symattn.base.printed import Printed
from symattn.course.checksum import Stamp, stamp_from
from symattn.course.marking.answers.model import AnswerFile, Answers, BatchOrigin, Faults, cell_text, rows_of
from symattn.course.marking.answers.origin import Digits, origin_from

FORMAT = "symattn-answers/1"

_KEYS = ("format", "exercise", "answers")
STUDENT, VERSION, CHECKSUM = "student", "version", "checksum"
"""The keys of an answer besides its parts."""


class _TwiceError(ValueError):
    """Raised for a duplicate key in one object."""


def read_json(text: str, where: str = "answers") -> AnswerFile:
    """Read answers from JSON text. Raises :class:`~symattn.base.errors.AnswersError` with all its problems."""
    faults = Faults(where)
    data = _parsed(text, faults)
    if not isinstance(data, Mapping):
        raise faults.fail("", f'expected {{"format": "{FORMAT}", "answers": [{{"student": "Ada", "A": [["1/3"]]}}]}}')
    if "exercises" in data and "answers" not in data:
        raise faults.fail("", "holds exercises: give it with --exercise, and a file of answers before it")
    if data.get("format") != FORMAT:
        faults.add("format", f"is {shown(cell_text(data.get('format')))}: expected '{FORMAT}'")
    for key in data:
        if key not in _KEYS:
            faults.add(shown(key), f"is not known here: expected {', '.join(_KEYS)}")
    entries = data.get("answers")
    if not isinstance(entries, list):
        raise faults.fail("answers", "expected a list with an object for every student")
    faults.must_hold(len(entries))
    answers = tuple(_answers(entry, f"answers[{number}]", faults) for number, entry in enumerate(entries, 1))
    origin = _origin(data["exercise"], faults) if data.get("exercise") is not None else None
    faults.settle()
    return AnswerFile(answers, origin)


def _parsed(text: str, faults: Faults) -> Any:
    try:
        return json.loads(
            text, parse_float=Digits, parse_int=Digits, parse_constant=Digits, object_pairs_hook=_without_twins
        )
    except json.JSONDecodeError as error:
        raise faults.fail(f"line {error.lineno}, column {error.colno}", f"is not JSON: {error.msg}") from None
    except _TwiceError as error:
        raise faults.fail("", f"the key {shown(str(error))} stands twice in one object") from None
    except RecursionError:
        raise faults.fail("", "is nested too deep: expected a list of objects with rows of cells") from None


def _without_twins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    table: dict[str, Any] = {}
    for key, value in pairs:
        if key in table:
            raise _TwiceError(key)
        table[key] = value
    return table


def _answers(entry: object, place: str, faults: Faults) -> Answers:
    if not isinstance(entry, Mapping):
        faults.add(place, 'expected an object such as {"student": "Ada", "version": 1, "A": [["1/3"]]}')
        return Answers()
    student = student_name(entry.get(STUDENT), place, faults)
    start, place = place, f"{place} ({student})" if student else place
    version = version_of(entry.get(VERSION), place, faults)
    stamp = stamp_in(entry.get(CHECKSUM), f"{place}, {CHECKSUM}", faults)
    names = [name for name in entry if name not in (STUDENT, VERSION, CHECKSUM)]
    parts = {name: _rows(entry[name], f"{place}, {shown(name)}", faults) for name in names}
    return Answers(student, version, MappingProxyType(parts), start, stamp)


def student_name(student: object, place: str, faults: Faults) -> str:
    """Return the name of a student, which may be missing."""
    if not isinstance(student, str | None):
        faults.add(place, "student: expected a text")
        return ""
    name = cell_text(student).strip()
    if len(name) > limits.STUDENT_CHARACTERS:
        limit = f"STUDENT_CHARACTERS = {limits.STUDENT_CHARACTERS}"
        faults.add(place, f"student {shown(name, 20)} has more than {limit} characters")
    return name


def version_of(version: object, place: str, faults: Faults) -> int | None:
    """Return the number of a version, counted from 1; ``None`` if there is none."""
    text = cell_text(version).strip()
    if not text:
        return None
    if isinstance(version, str) and text.isascii() and text.isdigit() and len(text) < 10 and int(text) > 0:
        return int(text)
    faults.add(place, f"version is {shown(text)}: expected a whole number from 1 on")
    return None


def stamp_in(value: object, place: str, faults: Faults) -> Stamp | None:
    """Return the checksum that an answer carries; ``None`` if there is none."""
    text = cell_text(value).strip()
    try:
        return stamp_from(text) if text else None
    except AnswersError as error:
        faults.add(place, str(error))
        return None


def _rows(value: object, place: str, faults: Faults) -> Printed:
    """Return the cells of a part: one, a row of them, or rows."""
    if value is None:
        return ()
    rows = value if isinstance(value, list) else [value]
    cells = [cell for row in rows for cell in (row if isinstance(row, list) else [row])]
    faults.count(len(cells))
    for number, cell in enumerate(cells, 1):
        if not isinstance(cell, str | None):
            faults.add(place, f"cell {number} is {shown(cell_text(cell))}: expected a text, a number or null")
            return ()
    return rows_of(value)


def _origin(value: object, faults: Faults) -> BatchOrigin | None:
    try:
        return origin_from(value)
    except AnswersError as error:
        faults.add("exercise", str(error))
        return None
