"""Topics and their drafts: a topic is a function that draws a draft, from which a scenario file is written."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from random import Random
from typing import Any

from symattn.base.errors import ScenarioError, UnknownNameError, unknown
from symattn.base.extensions import offered
from symattn.base.printed import Printed
from symattn.base.words import Texts, texts
from symattn.claims.mistakes.model import Mistake, PartKind, bank
from symattn.course.numbers import cost
from symattn.read.scenario.toml import toml_text
from symattn.read.scenario.words import LabelsByLanguage

DECIMALS = 3
"""The number of decimals to ask for, unless fewer are exact."""


@dataclass(frozen=True)
class ExerciseDraft:
    """One variant before it is written: exact numbers as text, steps as formulas, and the names that are asked.

    ``task`` is the key of its words among the words of the topic. ``kind`` is what is asked of the names in ``asks``:
    figures of steps, quantities, shapes. ``price`` is the cost of the variant beyond that of its numbers. ``general``
    are matrices that have a shape and no numbers.
    """

    given: Mapping[str, Printed]
    steps: tuple[str, ...]
    asks: tuple[str, ...]
    sizes: Mapping[str, int] = field(default_factory=dict)
    axes: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    quantities: tuple[str, ...] = ()
    tokens: LabelsByLanguage = field(default_factory=dict)
    token_axis: str = ""
    labels: Mapping[str, LabelsByLanguage] = field(default_factory=dict)
    kind: PartKind = "matrix"
    decimals: int = DECIMALS
    task: str = "task"
    price: int = 0
    notation: Mapping[str, str] = field(default_factory=dict)
    figures: Mapping[str, str] = field(default_factory=dict)
    """How figures are printed, apart from their decimals."""
    numbers: Mapping[str, str] = field(default_factory=dict)
    """Symbols in the formulas, and the numbers that replace them."""
    general: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    operations: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """User-defined operations, as a file has them."""

    @property
    def cost(self) -> int:
        """How much of its difficulty's budget the draft uses."""
        return self.price + cost(self.given)


@dataclass(frozen=True)
class Topic:
    """A subject of exercises. ``draw`` gets a difficulty from 1 to 5 and the generator of a variant.

    ``rank`` is its place in lists. ``words`` are its title and tasks in each language, if another package adds the
    topic; those of built-in topics are in files.
    """

    name: str
    family: str
    draw: Callable[[int, Random], ExerciseDraft]
    rank: int = 10_000
    words: Mapping[str, Mapping[str, str]] = field(default_factory=dict)


def source_of(draft: ExerciseDraft, title: Texts, task: Texts, language: str) -> str:
    """Return the text of the scenario: givens, steps and the words of its topic in every language."""
    head: dict[str, Any] = {"title": dict(title), "intro": dict(task), "language": language}
    if draft.tokens:
        head["tokens"] = _labels(draft.tokens)
    if draft.token_axis:
        head["token_axis"] = draft.token_axis
    if draft.numbers:
        head["symbols"] = list(draft.numbers)
    steps: list[Any] = [*draft.steps, *({"quantity": quantity} for quantity in draft.quantities)]
    tables: dict[str, Any] = {
        "sizes": dict(draft.sizes),
        "labels": {axis: _labels(labels) for axis, labels in draft.labels.items()},
        "operation": dict(draft.operations),
        "general": {name: list(map(str, shape)) for name, shape in draft.general.items()},
        "notation": dict(draft.notation),
        "substitute": dict(draft.numbers),
        "figures": {"decimals": draft.decimals, **draft.figures},
        "given": {name: _given(draft, name) for name in draft.given},
        "section": [{"title": texts("topics", "solution", "title"), "steps": steps}],
    }
    return toml_text(head | {key: table for key, table in tables.items() if table})


def _labels(labels: LabelsByLanguage) -> Any:
    """Return one list for all languages, or one for each language."""
    return list(labels[""]) if "" in labels else {language: list(listed) for language, listed in labels.items()}


def _given(draft: ExerciseDraft, name: str) -> Mapping[str, Any]:
    value = {"value": [list(row) for row in draft.given[name]]}
    axes = draft.axes.get(name)
    return value if axes is None else value | {"axes": list(axes)}


GROUP = "symattn.topics"


@cache
def topics() -> tuple[Topic, ...]:
    """Return all topics.

    Raises :class:`~symattn.base.errors.ScenarioError` if a package adds something that is not a topic.
    """
    return offered("symattn.course.topics", "TOPICS", Topic, GROUP)


@cache
def mistakes() -> tuple[Mistake, ...]:
    """Return the bank of mistakes, after checking their topics.

    Raises :class:`~symattn.base.errors.ScenarioError` if a mistake names an unknown topic.
    """
    known = [topic.name for topic in topics()]
    for mistake in bank():
        for name in mistake.topics:
            if name not in known:
                raise ScenarioError(f"the mistake {mistake.name}: {unknown('topic', name, known)}")
    return bank()


def topic_named(name: str) -> Topic:
    """Return the topic with that name.

    Raises :class:`~symattn.base.errors.UnknownNameError` if there is none.

    >>> topic_named("softmax-row").family
    'attention'
    """
    found = next((topic for topic in topics() if topic.name == name), None)
    if found is None:
        raise UnknownNameError(unknown("topic", name, (topic.name for topic in topics()), "symattn exercise --list"))
    return found


def topic_texts(topic: str, what: str) -> Texts:
    """Return the words of a topic in every language; a topic of another package may lack some languages.

    Raises :class:`~symattn.base.errors.ScenarioError` if they are missing.

    >>> topic_texts("softmax-row", "title")["en"]
    'A row of softmax'
    """
    added = next((one.words for one in topics() if one.name == topic), {})
    found = {language: words[what] for language, words in added.items() if what in words}
    if added and not found:
        raise ScenarioError(f"the topic {topic} has no {what} among its words")
    return found or texts("topics", topic, what)
