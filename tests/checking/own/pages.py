"""Own pages of every sort: all scenarios in all languages, formats and details, and lessons of the catalogue."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from symattn import builtin_names
from symattn.api.worked import WorkedSolution, derive
from symattn.course import generate
from symattn.course.topics.model import topics
from symattn.read.scenario.load import loads

LANGUAGES = ("en", "zh-Hant", "zh-Hans")
ENDINGS = {"markdown": "md", "latex": "tex", "html": "html", "ipynb": "ipynb", "beamer": "tex"}
DETAILS = ("result", "steps", "entries")
FORMS = ("find-the-wrong-entry", "order-the-steps", "fill-in-the-blanks", "fading")
"""Topics that ask about others."""


@dataclass(frozen=True)
class OwnPage:
    """A page that symattn writes, written when it is asked for."""

    label: str
    name: str
    """Of its file."""
    text: Callable[[], str]


@cache
def _solved(name: str, carry: str = "exact") -> WorkedSolution:
    return derive(name, carry=carry)  # type: ignore[arg-type]


def _page(label: str, form: str, solution: Callable[[], WorkedSolution], **choices: Any) -> OwnPage:
    return OwnPage(label, f"page.{ENDINGS[form]}", lambda: str(solution().render(form, **choices)))


def pages(names: tuple[str, ...] = ()) -> Iterator[OwnPage]:
    """All pages of these scenarios, or of all and of the topics of exercises."""
    for name in names or builtin_names():
        if name in builtin_names():
            yield from scenario_pages(name)
    for topic in topics():
        if topic.name in (names or (topic.name,)) and topic.name not in FORMS:
            yield from topic_pages(topic.name)


def scenario_pages(name: str) -> Iterator[OwnPage]:
    """The pages of a scenario."""

    def solution() -> WorkedSolution:
        return _solved(name)

    for language in LANGUAGES:
        for form in ENDINGS:
            yield _page(f"{name} {form} {language}", form, solution, language=language)
    for detail in DETAILS:
        yield _page(f"{name} {detail}", "markdown", solution, language="en", detail=detail)
    yield _page(f"{name} brackets", "markdown", solution, language="en", math="brackets")
    yield _page(f"{name} fragment", "latex", solution, language="en", fragment=True)
    yield _page(f"{name} numpy", "markdown", solution, language="en", code="numpy")
    if name not in ("ironman", "journey"):  # a mask of −∞ leaves no figures to carry on with
        yield _page(f"{name} rounded", "markdown", lambda: _solved(name, "rounded"), language="en")


def topic_pages(topic: str, seed: int = 5) -> Iterator[OwnPage]:
    """A topic of exercises worked out, as a lesson in each language."""

    @cache
    def solution() -> WorkedSolution:
        (exercise,) = generate(topic, difficulty=2, seed=seed, count=1)
        return derive(loads(exercise.source))

    for language in LANGUAGES:
        yield _page(f"{topic} {language}", "markdown", solution, language=language)
    yield _page(f"{topic} latex", "latex", solution, language="en")
    yield _page(f"{topic} entries", "markdown", solution, language="en", detail="entries")
