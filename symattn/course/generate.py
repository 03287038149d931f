"""Generate exercises from a seed: the same on every machine, all different, and only with good numbers.

>>> exercise, = generate("softmax-row", difficulty=2, seed=7)
>>> exercise.topic, exercise.version, exercise.parts[0].name
('softmax-row', 1, 'a')
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from random import Random
from typing import overload

from symattn.base import limits
from symattn.base.errors import DomainError, ScenarioError, UndecidedError, whole
from symattn.base.words import language_named
from symattn.claims.worked import Ask, read_exercise
from symattn.compute.jobs import each
from symattn.compute.values.balls import USUAL, at_precision
from symattn.course.accept import filled, what_is_wrong
from symattn.course.checksum import OF_SECRET, grouped, numbers
from symattn.course.forms import TaskForm, form_named
from symattn.course.lesson import STRICTNESS, TOPIC, Lesson, lesson_of
from symattn.course.model import Exercise
from symattn.course.numbers import level_of
from symattn.course.secret import Secret, secret_of
from symattn.course.topics.model import source_of, topic_named, topic_texts
from symattn.read.scenario.model import Scenario

TRIES, TRIES_OF_LESSON = 1_000, 100
"""The most draws for one variant, of a topic and of a scenario, whose numbers only change places."""

COUNT = 10_000
"""The most variants of one batch."""

ALIKE = "the same numbers as another version"

PICKY = 30
"""After so many draws from the numbers of a scenario, any that can be computed are kept: it has no better ones."""


@dataclass(frozen=True)
class Request:
    """Everything that, with the number of a version, determines every digit of a sheet.

    ``of`` is the base of a form or of a question about a scenario: the name of a topic, or that of ``lesson``.
    ``secret`` is mixed into the draws.
    """

    topic: str
    difficulty: int
    seed: int
    language: str = "en"
    of: str = ""
    lesson: Lesson | None = None
    secret: Secret | None = None

    @property
    def stands_on(self) -> str:
        """The topic and its base: ``fading/attention-row``."""
        return f"{self.topic}/{self.of}" if self.of else self.topic

    def said(self, version: int) -> str:
        """Return the text that determines the numbers of a version."""
        return f"{self.stands_on}/{self.difficulty}/{self.seed}/{version}"

    @property
    def tries(self) -> int:
        """The most draws for one variant."""
        return TRIES if self.lesson is None else TRIES_OF_LESSON


@dataclass(frozen=True)
class Found:
    """One variant, the number of its draw, and why the draws before it were rejected."""

    exercise: Exercise
    draw: int
    rejected: tuple[str, ...]


@dataclass(frozen=True)
class Batch(Sequence[Exercise]):
    """The exercises of a request, which is kept without its secret, and how many draws each reason rejected."""

    request: Request
    exercises: tuple[Exercise, ...]
    rejected: Mapping[str, int] = field(default_factory=dict)

    @overload
    def __getitem__(self, index: int) -> Exercise: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Exercise, ...]: ...

    def __getitem__(self, index: int | slice) -> Exercise | tuple[Exercise, ...]:
        return self.exercises[index]

    def __len__(self) -> int:
        return len(self.exercises)


def generate(
    topic: str = "",
    *,
    of: str = "",
    scenario: str | Path | Scenario | None = None,
    ask: Sequence[str] = (),
    fresh: bool = False,
    difficulty: int = 2,
    seed: int = 1,
    count: int = 1,
    language: str = "en",
    secret: Secret | Path | None = None,
    jobs: int | None = None,
    done: Callable[[int], None] | None = None,
) -> Batch:
    """Return ``count`` exercises about a topic, or about a scenario.

    ``difficulty`` is 1 to 5. The same seed gives the same exercises on every machine, whatever ``jobs`` is: with it the
    variants are computed through joblib, and so inside ``joblib.parallel_config`` on the backend it names. ``done`` is
    called with the number of finished ones.

    A form, such as ``"fill-in-the-blanks"``, is applied to the topic ``of``, or else to a suitable one. A ``"fading"``
    series of a derivation with k steps has k + 1 exercises, from the full solution to a task with nothing shown.

    ``scenario`` is a built-in name, a path that ends in ``.toml`` or a scenario; ``ask`` names its steps and quantities
    to ask for, by default its last step. A form is then applied to the scenario. A single exercise has the numbers of
    the scenario, unless ``fresh``; several have numbers that are drawn from them.

    ``secret`` is a :class:`~symattn.course.secret.Secret` or the path of its file. It enters every draw, so that only
    its owner can make the exercises again; they have a ``code`` instead of the seed.

    Raises :class:`~symattn.base.errors.UnknownNameError` for an unknown topic, name or language,
    :class:`~symattn.base.errors.ScenarioError` for a number out of range, for options that do not go together and if no
    good numbers are found, and :class:`~symattn.base.errors.SecretError` for a secret that cannot be read.

    >>> [exercise.stage for exercise in generate("fading", of="attention-row", count=4)]
    [0, 1, 2, 3]
    >>> generate(scenario="weather", ask=["A"])[0].parts[0].key[1]
    ('0.500421', '0.499579', '0.000000')
    """
    language = language_named(language)
    number: object = count
    if isinstance(number, bool) or not isinstance(number, int) or not 1 <= number <= COUNT:
        raise ScenarioError(f"count is {number}: expected a whole number from 1 to COUNT = {COUNT}")
    seed = whole("seed", seed, -limits.EXERCISE_NUMBER, limits.EXERCISE_NUMBER, ScenarioError)
    if scenario is None:
        request = _request(topic, of, ask, difficulty, seed, language)
    else:
        lesson = lesson_of(scenario, ask, fresh or count > 1)
        request = _settled(_about(lesson, topic, of, difficulty, seed, language))
    request = replace(request, secret=secret_of(secret))
    if request.secret is not None and request.lesson is not None and not request.lesson.fresh:
        raise ScenarioError(
            f"a secret goes into numbers that are drawn, and {request.of} keeps its own: ask for fresh ones, or leave "
            "out the secret"
        )
    found: list[Found] = []
    # Every version by itself, so that it does not matter which process computes it.
    for one in each(partial(variant, request), range(1, count + 1), jobs):
        found.append(one)
        if done is not None:
            done(len(found))
    return _batch(request, found)


def _request(topic: str, of: str, ask: Sequence[str], difficulty: int, seed: int, language: str) -> Request:
    """Return a request about a topic, or about a form applied to one."""
    if ask:
        raise ScenarioError(f"ask goes with a scenario: what is asked of {topic} is its own matter")
    form = form_named(topic)
    if form is not None:
        return Request(form.name, level_of(difficulty), seed, language, topic_named(of or form.of).name)
    if of:
        raise ScenarioError(f"{topic} stands on no other topic: of = '{of}' goes with a form, such as fading")
    return Request(topic_named(topic).name, level_of(difficulty), seed, language)


def _about(lesson: Lesson, topic: str, of: str, difficulty: int, seed: int, language: str) -> Request:
    """Return a request about a scenario, plain or in a form."""
    if of:
        raise ScenarioError(f"of = '{of}' and a scenario: expected one of the two")
    if not topic:
        return Request(TOPIC, 0, seed, language, lesson.name, lesson)
    form = form_named(topic)
    if form is None:
        raise ScenarioError(f"{topic} has its own numbers and goes with no scenario: expected a form, such as fading")
    return Request(form.name, level_of(difficulty), seed, language, lesson.name, lesson)


def _settled(request: Request) -> Request:
    """Add the reasons that would reject a scenario's own numbers: other numbers are not rejected for them either."""
    lesson = request.lesson
    if lesson is None or not lesson.fresh:
        return request
    right = read_exercise(source_of(lesson.draft, lesson.title, lesson.task, request.language))
    asks = _asks(_form_of(request), lesson)
    return replace(request, lesson=replace(lesson, waived=what_is_wrong(right, asks, STRICTNESS)))


def _form_of(request: Request) -> TaskForm | None:
    return None if request.topic == TOPIC else form_named(request.topic)


def _batch(request: Request, found: Iterable[Found]) -> Batch:
    """Return the variants in order; one that equals an earlier variant is drawn again."""
    seen: set[str] = set()
    exercises: list[Exercise] = []
    rejected: Counter[str] = Counter()
    for first in found:
        kept = first
        rejected.update(kept.rejected)
        while kept.exercise.source in seen:
            rejected[ALIKE] += 1
            if kept.draw >= request.tries:
                raise _no_more(request, kept.exercise.version, [ALIKE])
            kept = variant(request, first.exercise.version, kept.draw + 1)
            rejected.update(kept.rejected)
        seen.add(kept.exercise.source)
        exercises.append(kept.exercise)
    return Batch(replace(request, secret=None), tuple(exercises), dict(sorted(rejected.items())))


@at_precision(USUAL)
def variant(request: Request, version: int, start: int = 0) -> Found:
    """Return the first accepted draw of a version, starting with draw number ``start``.

    Raises :class:`~symattn.base.errors.ScenarioError` if there is none.
    """
    rejected: list[str] = []
    for number in range(start, start + request.tries):
        made = _drawn(request, version, number)
        if isinstance(made, Exercise):
            return Found(made, number, tuple(rejected))
        rejected.append(made)
        if request.lesson is not None and not request.lesson.fresh:
            raise ScenarioError(f"{request.stands_on}: {made}; ask for another step, or with fresh=True for others")
    raise _no_more(request, version, rejected)


def _no_more(request: Request, version: int, rejected: Sequence[str]) -> ScenarioError:
    counted = ", ".join(f"{reason} ({times} times)" for reason, times in Counter(rejected).most_common(3))
    return ScenarioError(
        f"{request.stands_on}, difficulty {request.difficulty}, seed {request.seed}: no more variants were found after "
        f"{request.tries} draws for version {version}: {counted}; ask for fewer, or for a higher difficulty"
    )


def _drawn(request: Request, version: int, number: int) -> Exercise | str:
    """Return one draw, or why it is rejected."""
    # Text seeds a generator by its SHA-512: the same in every version of Python.
    text = f"{request.said(version)}/{number}"
    random = Random(text if request.secret is None else request.secret.digest(text))
    if request.lesson is not None and not request.lesson.fresh:
        return _exercise(request, version, random, picky=False)
    try:
        return _exercise(request, version, random, picky=request.lesson is None or number < PICKY)
    except DomainError:
        return "an operation that is not defined"
    except UndecidedError:
        return "a figure that cannot be decided"


def _exercise(request: Request, version: int, random: Random, picky: bool) -> Exercise | str:
    """Return the plain exercise, or the form's version of it, if there is a form; ``picky``: only with good numbers."""
    form = _form_of(request)
    if request.lesson is None:
        lesson, level = _of_topic(request, random), request.difficulty
    else:
        lesson, level = replace(request.lesson, draft=request.lesson.drawn(random)), STRICTNESS
    title, task, draft = lesson.title, lesson.task, lesson.draft
    asks = _asks(form, lesson)
    if form is not None:
        title, task = form.words(title, task, len(asks), version)
    head = Exercise(
        topic=request.topic,
        difficulty=request.difficulty,
        seed=request.seed,
        version=version,
        language=request.language,
        source=source_of(draft, title, task, request.language),
        parts=(),
        of=request.of,
    )
    waived = lesson.waived if picky else None
    plain = filled(head, draft, asks, level, waived, form is None or form.mistakes)
    made = plain if form is None or isinstance(plain, str) else form.made(plain, random)
    return made if request.secret is None or isinstance(made, str) else _sealed(made, request, request.secret)


def _sealed(exercise: Exercise, request: Request, secret: Secret) -> Exercise:
    """Return the exercise with a code in place of its seed, which the code does not reveal."""
    # No topic is called code, so no draw has this text.
    digest = secret.digest(f"code/{request.said(exercise.version)}/{numbers(exercise)}")
    return replace(exercise, seed=0, code=grouped(digest, OF_SECRET))


def _of_topic(request: Request, random: Random) -> Lesson:
    """Return the draw of a topic as a lesson."""
    topic = topic_named(request.of or request.topic)
    draft = topic.draw(request.difficulty, random)
    asks = tuple(Ask(name, draft.kind, draft.decimals) for name in draft.asks)
    title, task = topic_texts(topic.name, "title"), topic_texts(topic.name, draft.task)
    if request.language not in title or request.language not in task:
        raise ScenarioError(
            f"the topic {topic.name} has no words in {request.language}: it has them in {', '.join(task)}"
        )
    return Lesson(topic.name, draft, asks, title, task)


def _asks(form: TaskForm | None, lesson: Lesson) -> tuple[Ask, ...]:
    """Return the requested names; for a form, all steps of a draft, so that it can choose among them."""
    if form is None or (form.chosen and lesson.chosen) or any(ask.kind != "matrix" for ask in lesson.asks):
        return lesson.asks
    names = (step.partition("=")[0].strip() for step in lesson.draft.steps)
    return tuple(Ask(name, "matrix", lesson.draft.decimals) for name in names)
