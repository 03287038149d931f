"""From a draft to the file of its scenario."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from symattn.exercise.topics.model import ExerciseDraft
from symattn.scenario.toml import text_of
from symattn.scenario.words import LabelsByLanguage
from symattn.words import Texts, texts


def source_of(draft: ExerciseDraft, title: Texts, task: Texts, language: str) -> str:
    """The text of the scenario: givens, steps and the words of its topic in every language."""
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
    return text_of(head | {key: table for key, table in tables.items() if table})


def _labels(labels: LabelsByLanguage) -> Any:
    """One list for all languages, or one per language."""
    return list(labels[""]) if "" in labels else {language: list(listed) for language, listed in labels.items()}


def _given(draft: ExerciseDraft, name: str) -> Mapping[str, Any]:
    value = {"value": [list(row) for row in draft.given[name]]}
    axes = draft.axes.get(name)
    return value if axes is None else value | {"axes": list(axes)}
