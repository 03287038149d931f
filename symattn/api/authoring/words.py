"""Words from Python: one text, or one per language."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from symattn.api.authoring.draft import checked
from symattn.read.scenario.fields import texts as read_texts

PlainWords: TypeAlias = str | Mapping[str, str]
"""One text for every language, or a text per language: ``{"en": "…", "zh-Hant": "…", "zh-Hans": "…"}``."""


PlainLabels: TypeAlias = Sequence[str] | Mapping[str, Sequence[str]]
"""The labels of an axis: one list for every language, or a list per language, all of one length."""


def texts(words: PlainWords, call: str) -> str | dict[str, str]:
    """Return words as a scenario file has them."""
    plain = dict(words) if isinstance(words, Mapping) else words
    read = checked(call, lambda: read_texts(plain))
    return read.get("", read)


def optional(words: PlainWords | None, call: str) -> str | dict[str, str] | None:
    """Return optional words as a scenario file has them."""
    return None if words is None else texts(words, call)


def given_words(call: str, **said: PlainWords | None) -> dict[str, Any]:
    """Return the words that are given, by their purpose."""
    return known(**{key: optional(each, f"{call}, {key}") for key, each in said.items()})


def known(**options: object) -> dict[str, Any]:
    """Return the options that are given."""
    return {key: value for key, value in options.items() if value is not None}
