"""Empty files of answers, for people to fill in: a row for each version or student, and a cell for each that is asked.

>>> part = Part("a", "matrix", 3, (("0.500", "0.500"),), ((0, 0), (0, 1)))
>>> print(empty_table((Exercise("softmax-row", 2, 7, 1, "en", "", (part,)),)), end="")  # doctest: +ELLIPSIS
student,version,checksum,"a[1,1]","a[1,2]"
,1,4HVN-N2WJ/...,,
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence

from symattn.exercise.checksum import stamp_of
from symattn.exercise.model import Exercise, Part
from symattn.marking.answers.json_text import FORMAT
from symattn.marking.answers.model import BatchOrigin
from symattn.marking.answers.origin import as_told
from symattn.marking.answers.spreadsheet import harmless


def empty_table(exercises: Sequence[Exercise], students: Mapping[str, int] | None = None) -> str:
    """A table without answers: a column for every cell that some sheet asks for, in the order of the sheets.

    ``students`` gives each name its version; without them there is a row for every version, with no name. A name that
    a spreadsheet would run as a formula gets an apostrophe in front, which is taken off again when answers are read.
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    columns = tuple(dict.fromkeys(cell for exercise in exercises for cell in _columns(exercise)))
    writer.writerow(["student", "version", "checksum", *columns])
    stamps = {exercise.version: stamp_of(exercise) for exercise in exercises}
    rows = _rows(exercises, students)
    writer.writerows([harmless(name), version, stamps[version], *[""] * len(columns)] for name, version in rows)
    return out.getvalue()


def empty_json(
    exercises: Sequence[Exercise], students: Mapping[str, int] | None = None, origin: BatchOrigin | None = None
) -> str:
    """The same as JSON, with ``null`` for every cell; ``origin`` says what the exercises were generated from."""
    sheets = {exercise.version: exercise for exercise in exercises}
    entries = (
        {"student": name, "version": version, "checksum": str(stamp_of(sheets[version]))}
        | {part.name: _nulls(part) for part in sheets[version].parts if part.asked}
        for name, version in _rows(exercises, students)
    )
    lines = [f'  "format": {json.dumps(FORMAT)}']
    if origin is not None:
        lines.append(f'  "exercise": {json.dumps(as_told(origin), ensure_ascii=False)}')
    answers = ",\n".join(f"    {json.dumps(entry, ensure_ascii=False)}" for entry in entries)
    lines.append(f'  "answers": [\n{answers}\n  ]')
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _rows(exercises: Sequence[Exercise], students: Mapping[str, int] | None) -> Iterator[tuple[str, int]]:
    if students is not None:
        return iter(students.items())
    # The first sheet of a series asks for nothing.
    return (("", exercise.version) for exercise in exercises if any(part.asked for part in exercise.parts))


def _columns(exercise: Exercise) -> Iterator[str]:
    """A part of one cell needs no row and column."""
    for part in exercise.parts:
        whole = part.shape == (1, 1)
        yield from (part.name if whole else f"{part.name}[{row + 1},{column + 1}]" for row, column in part.asked)


def _nulls(part: Part) -> list[list[None]]:
    rows, columns = part.shape
    return [[None] * columns for _ in range(rows)]
