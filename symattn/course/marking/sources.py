"""Find the exercises of a file of answers: read their file, or generate them again from their seed.

Also read the names of a class from a table.

>>> students_from("name,group\\nAda Lovelace,1\\nAlan Turing,2\\n")
('Ada Lovelace', 'Alan Turing')
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from symattn.base import limits
from symattn.base.errors import AnswersError, ExercisesError, shown
from symattn.course.export import exercises_from
from symattn.course.generate import COUNT, generate
from symattn.course.marking.answers.files import decoded, text_in
from symattn.course.marking.answers.model import AnswerFile, Answers, BatchOrigin
from symattn.course.marking.answers.table import meant_by
from symattn.course.marking.fitting import must_be_asked, must_have_numbers, must_have_versions
from symattn.course.model import Exercise
from symattn.course.secret import Secret
from symattn.read.scenario.load import load
from symattn.write.escape import clean

Done = Callable[[int], None]


def exercises_in(path: Path) -> tuple[Exercise, ...]:
    """Read the exercises of a JSON or JSONL file.

    Raises :class:`~symattn.base.errors.ExercisesError` for a file that is unreadable or has other content.
    """
    try:
        with path.open("rb") as stream:
            data = stream.read(limits.EXERCISES_CHARACTERS + 1)
    except OSError as error:
        raise ExercisesError(f"{path.name}: cannot be read: {error.strerror}") from None
    found = exercises_from(decoded(data, path.name), path.name)
    if len({exercise.version for exercise in found}) < len(found):
        raise ExercisesError(f"{path.name}: has several exercises of one version: give a file of one batch")
    return found


def exercises_of(
    file: AnswerFile,
    path: Path,
    told: BatchOrigin | None = None,
    jobs: int | None = None,
    done: Done | None = None,
    secret: Secret | None = None,
) -> Sequence[Exercise]:
    """Return the exercises of the file of answers at ``path``.

    ``told`` is their origin if the file gives none, or another. Generated exercises are generated again, up to the
    highest answered version; ``jobs``, ``done`` and ``secret`` are those of :func:`~symattn.course.generate.generate`.

    Raises :class:`~symattn.base.errors.AnswersError` that names every row whose version does not exist or whose
    checksum differs, and every part that no sheet asks for.
    """
    origin = told or file.origin
    if origin is None:
        raise AnswersError(
            f"{path.name}: does not say which exercise was answered: give --exercise exam.json, or --topic with "
            "--difficulty and --seed, as they stand on the sheets; or start from a file that symattn exercise "
            "--answers writes"
        )
    folder = Path() if told is not None else path.parent
    if origin.secret and secret is None:
        raise AnswersError(f"{path.name}: the sheets were made with a secret: give it with --secret")
    if origin.file:
        if secret is not None:
            raise AnswersError(f"{origin.file}: holds the exercises with their keys: leave out --secret")
        exercises: Sequence[Exercise] = exercises_in(folder / origin.file)
        must_have_versions(file.answers, [exercise.version for exercise in exercises], path.name)
    else:
        exercises = _generated(origin, file, path, folder, jobs, done, secret)
    must_have_numbers(file.answers, exercises, path.name)
    must_be_asked(file.answers, exercises, path.name)
    return exercises


def _generated(
    origin: BatchOrigin,
    file: AnswerFile,
    path: Path,
    folder: Path,
    jobs: int | None,
    done: Done | None,
    secret: Secret | None,
) -> Sequence[Exercise]:
    """Generate the versions again, up to the last answered one: later ones change nothing."""
    last = last_version(file.answers)
    must_have_versions(file.answers, range(1, (origin.count or (last if last <= COUNT else COUNT)) + 1), path.name)
    told: dict[str, Any] = {"topic": origin.topic, "of": origin.of, "seed": origin.seed, "count": last}
    told["secret"] = secret
    # A question about a scenario alone has no difficulty.
    told |= {"difficulty": origin.difficulty} if origin.difficulty else {}
    if not origin.scenario:
        return generate(**told, jobs=jobs, done=done)
    scenario = load(str(folder / origin.scenario) if origin.scenario.endswith(".toml") else origin.scenario)
    # Where there was a secret, numbers were drawn.
    fresh = origin.fresh or origin.count > 1 or secret is not None
    told |= {"ask": origin.ask, "fresh": fresh, "language": scenario.language}
    return generate(**told, scenario=scenario, jobs=jobs, done=done)


def last_version(answers: Sequence[Answers]) -> int:
    """Return the highest answered version; answers without one belong to the first.

    >>> last_version([Answers.of({}, version=3), Answers.of({})])
    3
    """
    return max((one.version or 1 for one in answers), default=1)


_SEPARATORS = ("\t", ";", ",")


def students_from(text: str, where: str = "names.csv") -> tuple[str, ...]:
    """Return the names in a table, in order: the column called ``name``, or another word for it, or the only one.

    Raises :class:`~symattn.base.errors.AnswersError` with the line for names that are missing, too long, too many or
    duplicate, and for several columns of which none is called ``name``.
    """
    rows = _rows(text.removeprefix("\ufeff"), where)
    if not rows:
        raise AnswersError(f"{where}: is empty: expected a name on every line")
    header = [cell.strip().casefold() for cell in rows[0][1]]
    column = next((place for place, cell in enumerate(header) if meant_by(cell) == "student"), None)
    names: dict[str, int] = {}
    for number, cells in rows if column is None else rows[1:]:
        name = _name(cells, column, f"{where}, line {number}", len(header))
        if name in names:
            raise AnswersError(
                f"{where}, line {number}: {shown(name)} stands in line {names[name]} too: a sheet belongs to one "
                "student; tell them apart"
            )
        names[name] = number
    if not names:
        raise AnswersError(f"{where}: holds no name below its header")
    if len(names) > limits.STUDENTS:
        raise AnswersError(f"{where}: has more than STUDENTS = {limits.STUDENTS} names: split the file")
    return tuple(names)


def versions_of(names: Sequence[str]) -> Mapping[str, int]:
    """Give each student a version: the first one version 1, and so on.

    >>> versions_of(("Ada", "Alan"))
    {'Ada': 1, 'Alan': 2}
    """
    return {name: version for version, name in enumerate(names, 1)}


def _rows(text: str, where: str) -> list[tuple[int, list[str]]]:
    """Return the non-empty lines, with their numbers."""
    start = next((line for line in text.splitlines() if line.strip()), "")
    separator = next((mark for mark in _SEPARATORS if mark in start), ",")
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, skipinitialspace=True)
    try:
        return [(reader.line_num, cells) for cells in reader if any(cell.strip() for cell in cells)]
    except csv.Error as error:
        raise AnswersError(f"{where}, line {reader.line_num}: is not CSV: {error}") from None


def _name(cells: list[str], column: int | None, place: str, width: int) -> str:
    filled = [cell for cell in cells if cell.strip()]
    if column is None and len(filled) > 1:
        raise AnswersError(
            f"{place}: has {len(filled)} cells and no header: expected one name a line, or a first line that calls "
            "the column with the names “name” or “姓名”; a comma inside a name needs quotes around the name"
        )
    if column is not None and any(cell.strip() for cell in cells[width:]):
        raise AnswersError(f"{place}: has {len(cells)} cells, and the header {width}: quotes around a comma in a name?")
    index = column if column is not None else next(place for place, cell in enumerate(cells) if cell.strip())
    name = clean(cells[index]).strip() if index < len(cells) else ""
    if not name:
        raise AnswersError(f"{place}: has no name")
    if len(name) > limits.STUDENT_CHARACTERS:
        raise AnswersError(
            f"{place}: {shown(name, 20)} has more than STUDENT_CHARACTERS = {limits.STUDENT_CHARACTERS} characters"
        )
    return name


def names_in(path: Path) -> tuple[str, ...]:
    """Read the names in a CSV file; see :func:`students_from`.

    Raises :class:`~symattn.base.errors.AnswersError` also if the file cannot be read.
    """
    return students_from(text_in(path), path.name)
