"""Read files of answers, JSON or CSV, of one student or of a class; and write empty ones to fill in, with a row for
each version or student and a cell for each requested number.

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
from pathlib import Path

from symattn.base import limits
from symattn.base.errors import AnswersError
from symattn.course.checksum import stamp_of
from symattn.course.marking.answers.json_text import FORMAT, read_json
from symattn.course.marking.answers.model import AnswerFile, BatchOrigin
from symattn.course.marking.answers.origin import as_told
from symattn.course.marking.answers.table import harmless, read_table
from symattn.course.model import Exercise, Part

_TABLES = (".csv", ".tsv", ".txt")
_MARKS = ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"))


def read_answers(path: Path | str) -> AnswerFile:
    """Read a file of answers; .csv, .tsv and .txt files are tables, all others JSON.

    Raises :class:`~symattn.base.errors.AnswersError` for a file that cannot be read, is too large or has problems, with
    line or entry and column of each.
    """
    path = Path(path)
    text, where = text_in(path), path.name
    return read_table(text, where) if path.suffix.lower() in _TABLES else read_json(text, where)


def text_in(path: Path) -> str:
    """Return the text of a file. Raises :class:`~symattn.base.errors.AnswersError` if it is unreadable or too large."""
    try:
        with path.open("rb") as stream:
            data = stream.read(limits.ANSWER_BYTES + 1)
    except OSError as error:
        raise AnswersError(f"{path.name}: cannot be read: {error.strerror}") from None
    if len(data) > limits.ANSWER_BYTES:
        raise AnswersError(f"{path.name}: has more than ANSWER_BYTES = {limits.ANSWER_BYTES} bytes: split the file")
    return decoded(data, path.name)


def decoded(data: bytes, where: str) -> str:
    """Decode a file: by its byte order mark, else as UTF-8.

    Raises :class:`~symattn.base.errors.AnswersError` for other bytes.
    """
    encoding = next((name for mark, name in _MARKS if data.startswith(mark)), "utf-8")
    try:
        return data.decode(encoding)
    except UnicodeDecodeError:
        raise AnswersError(f"{where}: is not UTF-8: save it as UTF-8 (in a spreadsheet, “CSV UTF-8”)") from None


def empty_table(exercises: Sequence[Exercise], students: Mapping[str, int] | None = None) -> str:
    """Return a table without answers: a column for every cell that some sheet asks for, in the order of the sheets.

    ``students`` gives each name its version; without them there is a row for every version, with no name. A name that a
    spreadsheet would run as a formula gets a leading apostrophe, which is removed when answers are read.
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
    """Return the same as JSON, with ``null`` for every cell; ``origin`` records how the exercises were generated."""
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
    """Yield the columns of an exercise; a part of one cell needs no row and column."""
    for part in exercise.parts:
        whole = part.shape == (1, 1)
        yield from (part.name if whole else f"{part.name}[{row + 1},{column + 1}]" for row, column in part.asked)


def _nulls(part: Part) -> list[list[None]]:
    rows, columns = part.shape
    return [[None] * columns for _ in range(rows)]
