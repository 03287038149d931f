"""The words of marking, from ``marking.toml`` of each language."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType

from symattn.errors import UnknownNameError, unknown

LANGUAGES = ("zh-Hant", "zh-Hans", "en")
_FOLDER = Path(__file__).parent.parent / "exercise" / "words"


@cache
def table(language: str) -> Mapping[str, str]:
    """All words of marking in a language: sentences with names in braces.

    >>> table("en")["none_known"]
    'No known mistake explains it.'
    """
    if language not in LANGUAGES:
        raise UnknownNameError(unknown("language", language, LANGUAGES))
    text = (_FOLDER / language / "marking.toml").read_text(encoding="utf-8")
    return MappingProxyType(tomllib.loads(text))


def say(language: str, sentence: str, **values: str | int) -> str:
    """A sentence with its values.

    >>> say("en", "first_wrong", part="A")
    'First wrong step: A.'
    """
    return table(language)[sentence].format_map(values)
