"""Check that answers fit the exercises: versions exist, checksums agree, and every answered part is asked.

>>> must_have_versions((Answers.of({}, "Ada", 31),), range(1, 31), "answers.csv")
Traceback (most recent call last):
    ...
symattn.base.errors.AnswersError: answers.csv, Ada: version is 31: there are the versions 1 to 30
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from symattn.base.errors import AnswersError, cut, unknown
from symattn.course.checksum import Stamp, stamp_of
from symattn.course.marking.answers.model import Answers, Faults
from symattn.course.model import Exercise

NAMES = 40
"""The most characters of a student's name in an error."""


def handed_in(answers: Iterable[Answers], where: str) -> tuple[Answers, ...]:
    """Return the answers without unused rows of a form, which have neither a name nor an answer.

    Raises :class:`~symattn.base.errors.AnswersError` if nothing is left.
    """
    found = tuple(one for one in answers if one.student or not one.is_empty)
    if not found:
        raise AnswersError(f"{where}: holds no answers yet: no row has a name or an answer")
    return found


def must_have_versions(answers: Sequence[Answers], versions: Collection[int], where: str) -> None:
    """Raise :class:`~symattn.base.errors.AnswersError` that names every row whose version is missing or does not exist.

    If there is only one exercise, answers need no version.
    """
    faults = Faults(where)
    there = _told(versions)
    for one in answers:
        if one.version is None and len(versions) > 1:
            faults.add(_place(one), f"has no version: it stands on the sheet; {there}")
        elif one.version is not None and one.version not in versions:
            faults.add(_place(one), f"version is {one.version}: {there}")
    faults.settle()


def must_have_numbers(answers: Sequence[Answers], exercises: Sequence[Exercise], where: str) -> None:
    """Raise :class:`~symattn.base.errors.AnswersError` that names every row whose checksum is not that of its
    exercise.
    """
    stamps = {exercise.version: stamp_of(exercise) for exercise in exercises}
    versions = {stamp.code: version for version, stamp in stamps.items()}
    faults = Faults(where)
    for one in answers:
        if one.stamp is not None and (fault := misfit(one.stamp, _its(one, stamps))):
            other = versions.get(one.stamp.code)
            faults.add(_place(one), fault if other is None else f"{fault}; it is that of version {other}")
    faults.settle()


def misfit(stamp: Stamp, own: Stamp) -> str:
    """Return the problem if answers carry another checksum than their exercise, or "".

    >>> misfit(Stamp("K7QM-2XPA", "0.1.0"), Stamp("K7QM-2XPA", "0.2.0"))
    ''
    """
    if stamp.code == own.code:
        return ""
    both = f"the checksum of the sheet is {stamp.told}, that of the exercise it is marked by {own.told}"
    if stamp.is_secret and not own.is_secret:
        return f"{both}: the sheet was made with a secret, without which it cannot be marked; give it with --secret"
    if own.is_secret and not stamp.is_secret:
        return f"{both}: the sheet is one for practice, that is made without a secret"
    secret = ", secret" if own.is_secret else ""
    return f"{both}: compare topic, difficulty, seed{secret} and version with those of the sheet"


def remarks(answers: Sequence[Answers], exercises: Sequence[Exercise], where: str) -> Iterator[str]:
    """Yield remarks for the person who marks: that answers without a checksum cannot be compared, and that sheets were
    made by another version of symattn, with the same numbers."""
    bare = [_place(one) for one in answers if one.stamp is None]
    if bare:
        more = f" and {len(bare) - 1} more" if len(bare) > 1 else ""
        yield (
            f"{where}, {bare[0]}{more}: no checksum is given, so that nobody knows whether these exercises were "
            "answered; it stands on every sheet, and symattn exercise --answers writes it"
        )
    stamps = {exercise.version: stamp_of(exercise) for exercise in exercises}
    pairs = [(one, one.stamp, _its(one, stamps)) for one in answers if one.stamp is not None]
    other = [(one, stamp, own) for one, stamp, own in pairs if stamp.made_by not in ("", own.made_by)]
    for one, stamp, own in other[:1]:
        more = f" and {len(other) - 1} more" if len(other) > 1 else ""
        yield (
            f"{where}, {_place(one)}{more}: the sheet was made by symattn {stamp.made_by}, and this is {own.made_by}: "
            "its numbers are the same"
        )


def _its(answers: Answers, stamps: Mapping[int, Stamp]) -> Stamp:
    """Return the stamp of the exercise that was answered; if there is only one, the version may be missing."""
    return stamps[answers.version] if answers.version is not None else next(iter(stamps.values()))


def must_be_asked(answers: Sequence[Answers], exercises: Sequence[Exercise], where: str) -> None:
    """Raise :class:`~symattn.base.errors.AnswersError` for answered parts that no sheet asks for."""
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
    """Return line or entry and name; answers from Python have no place, and perhaps no name."""
    name = cut(one.student, NAMES)
    return f"{one.place} ({name})" if one.place and name else one.place or name or "an answer"
