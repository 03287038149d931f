"""Which exercises a file of answers belongs to: those of a file, or those that its seed gives again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from symattn import limits
from symattn.errors import AnswersError, ExercisesError
from symattn.exercise.export import exercises_from
from symattn.exercise.generate import COUNT, generate
from symattn.exercise.model import Exercise
from symattn.exercise.secret import Secret
from symattn.marking.answers.files import decoded
from symattn.marking.answers.model import AnswerFile, Answers, BatchOrigin
from symattn.marking.fitting import must_be_asked, must_have_numbers, must_have_versions
from symattn.scenario.load import load

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
    file: AnswerFile,
    path: Path,
    told: BatchOrigin | None = None,
    jobs: int | None = None,
    done: Done | None = None,
    secret: Secret | None = None,
) -> Sequence[Exercise]:
    """The exercises of a file of answers, which lies at ``path``.

    ``told`` is where they come from if the file does not say so, or says something else. What was generated is
    generated again, as far as the highest version that somebody answered; ``jobs``, ``done`` and ``secret`` are those
    of :func:`~symattn.exercise.generate.generate`.

    Raises :class:`~symattn.errors.AnswersError` that names every row whose version does not exist or whose checksum is
    another one, and every part that no sheet asks for.
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
    """The versions again, up to the last one that was answered: what comes after it changes nothing."""
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
    """The highest version that somebody answered; answers without one belong to the first.

    >>> last_version([Answers.of({}, version=3), Answers.of({})])
    3
    """
    return max((one.version or 1 for one in answers), default=1)
