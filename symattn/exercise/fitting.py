"""Whether answers fit the exercises: their versions exist, and what is answered is asked on some sheet.

>>> must_have_versions((Answers.of({}, "Ada", 31),), range(1, 31), "answers.csv")
Traceback (most recent call last):
    ...
symattn.errors.AnswersError: answers.csv, Ada: version is 31: there are the versions 1 to 30
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from symattn.errors import AnswersError, cut, unknown
from symattn.exercise.answers.model import Answers
from symattn.exercise.answers.problems import Faults
from symattn.exercise.model import Exercise

NAMES = 40
"""So many characters of a student's name stand in an error."""


def handed_in(answers: Iterable[Answers], where: str) -> tuple[Answers, ...]:
    """The answers without the rows of a form that nobody filled in: no name, and nothing in any cell.

    Raises :class:`~symattn.errors.AnswersError` where nothing is left.
    """
    found = tuple(one for one in answers if one.student or not one.is_empty)
    if not found:
        raise AnswersError(f"{where}: holds no answers yet: no row has a name or an answer")
    return found


def must_have_versions(answers: Sequence[Answers], versions: Collection[int], where: str) -> None:
    """Raise :class:`~symattn.errors.AnswersError` that names every row whose version is missing or does not exist.

    Where there is one exercise only, answers need no version.
    """
    faults = Faults(where)
    there = _told(versions)
    for one in answers:
        if one.version is None and len(versions) > 1:
            faults.add(_place(one), f"has no version: it stands on the sheet; {there}")
        elif one.version is not None and one.version not in versions:
            faults.add(_place(one), f"version is {one.version}: {there}")
    faults.settle()


def must_be_asked(answers: Sequence[Answers], exercises: Sequence[Exercise], where: str) -> None:
    """Raise :class:`~symattn.errors.AnswersError` for parts that were answered and that no sheet asks for."""
    asked = tuple(dict.fromkeys(part.name for exercise in exercises for part in exercise.parts))
    rows: dict[str, list[Answers]] = {}
    for one in answers:
        for name in one.answered:
            if name not in asked:
                rows.setdefault(name, []).append(one)
    faults = Faults(where)
    for name, those in rows.items():
        others = f" and {len(those) - 1} more" if len(those) > 1 else ""
        faults.add(f"{_place(those[0])}{others}", unknown("part", name, asked))
    faults.settle()


def _told(versions: Collection[int]) -> str:
    if len(versions) == 1:
        return f"there is version {min(versions)} only"
    return f"there are the versions {min(versions)} to {max(versions)}"


def _place(one: Answers) -> str:
    """Line or entry and name; answers from Python have no place, and perhaps no name."""
    name = cut(one.student, NAMES)
    return f"{one.place} ({name})" if one.place and name else one.place or name or "an answer"
