"""The words of topics: a folder per language, in it ``topics.toml`` with a table per topic."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

from symattn.errors import ScenarioError
from symattn.exercise.topics.registry import topics

LANGUAGES = ("zh-Hant", "zh-Hans", "en")
_FOLDER = Path(__file__).parent.parent / "words"


@cache
def _table(language: str) -> Mapping[str, Any]:
    path = _FOLDER / language / "topics.toml"
    return MappingProxyType(tomllib.loads(path.read_text(encoding="utf-8")))


def said(topic: str, what: str) -> dict[str, str]:
    """The words of a topic in every language, or of one that somebody else has added in those that it has.

    Raises :class:`~symattn.errors.ScenarioError` where they are missing.

    >>> said("softmax-row", "title")["en"]
    'A row of softmax'
    """
    if added := next((one.words for one in topics() if one.name == topic), {}):
        texts = {language: words[what] for language, words in added.items() if what in words}
        if not texts:
            raise ScenarioError(f"the topic {topic} has no {what} among its words")
        return texts
    found: dict[str, str] = {}
    for language in LANGUAGES:
        text = _table(language).get(topic, {}).get(what)
        if not isinstance(text, str):
            raise ScenarioError(f"words/{language}/topics.toml: [{topic}] has no {what}")
        found[language] = text
    return found
