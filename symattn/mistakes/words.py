"""What is said of mistakes: a folder per language, in it ``mistakes.toml`` with a table for each mistake."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

from symattn.errors import ScenarioError, UnknownNameError, unknown
from symattn.mistakes.bank import bank

LANGUAGES = ("zh-Hant", "zh-Hans", "en")

KEYS = ("title", "feedback", "hint")
"""A short name, what was done and why it should be otherwise, and a question that does not give the answer away."""

_FOLDER = Path(__file__).parent.parent / "exercise" / "words"


@cache
def _table(language: str) -> Mapping[str, Any]:
    path = _FOLDER / language / "mistakes.toml"
    return MappingProxyType(tomllib.loads(path.read_text(encoding="utf-8")))


def said(name: str, what: str, language: str) -> str:
    """The ``title``, ``feedback`` or ``hint`` of a mistake in one language, as plain text.

    Raises :class:`~symattn.errors.UnknownNameError` for another language or kind of text, and
    :class:`~symattn.errors.ScenarioError` where the words of a mistake are missing.

    >>> said("scale-forgotten", "title", "en")
    'Scale forgotten'
    """
    for kind, value, known in (("language", language, LANGUAGES), ("text of a mistake", what, KEYS)):
        if value not in known:
            raise UnknownNameError(unknown(kind, value, known))
    text = _table(language).get(name, {}).get(what) or _added(name, what, language)
    if not isinstance(text, str) or not text:
        raise ScenarioError(f'words/{language}/mistakes.toml: [{name}] has no {what}: add a line {what} = "…"')
    return text


def _added(name: str, what: str, language: str) -> str | None:
    """What a mistake that somebody else has added says of itself."""
    words = next((mistake.words for mistake in bank() if mistake.name == name), {})
    return words.get(language, {}).get(what)
