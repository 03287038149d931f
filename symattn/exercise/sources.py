"""Which exercises a file of answers belongs to: those of a file, or those that its seed gives again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from symattn import limits
from symattn.errors import AnswersError, ExercisesError
from symattn.exercise.answers.files import decoded
from symattn.exercise.answers.model import AnswerFile, Answers, Origin
from symattn.exercise.export import exercises_from
from symattn.exercise.generate import generate
from symattn.exercise.model import Exercise

Done = Callable[[int], None]


def exercises_in(path: Path) -> tuple[Exercise, ...]:
    """The exercises of a file of JSON or JSONL.

    Raises :class:`~symattn.errors.ExercisesError` for a file that cannot be read or that holds something else.
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
    file: AnswerFile, path: Path, told: Origin | None = None, jobs: int | None = None, done: Done | None = None
) -> Sequence[Exercise]:
    """The exercises of a file of answers, which lies at ``path``.

    ``told`` is where they come from if the file does not say so, or says something else. What was generated is
    generated again, as far as the highest version that somebody answered; ``jobs`` and ``done`` are those of
    :func:`~symattn.exercise.generate.generate`.
    """
    origin = told or file.origin
    if origin is None:
        raise AnswersError(
            f"{path.name}: does not say which exercise was answered: give --exercise exam.json, or --topic with "
            "--difficulty and --seed"
        )
    if origin.file:
        return exercises_in(Path(origin.file) if told is not None else path.parent / origin.file)
    return generate(
        origin.topic,
        difficulty=origin.difficulty,
        seed=origin.seed,
        count=last_version(file.answers),
        jobs=jobs,
        done=done,
    )


def last_version(answers: Sequence[Answers]) -> int:
    """The highest version that somebody answered; answers without one belong to the first.

    >>> last_version([Answers.of({}, version=3), Answers.of({})])
    3
    """
    return max((one.version or 1 for one in answers), default=1)
