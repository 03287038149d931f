"""The words of the entries: a folder per language, in it a TOML file per family with a table per entry."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

LANGUAGES = ("zh-Hant", "zh-Hans", "en")
SHARED, PAGE = "shared", "page"
"""The files with what several entries say in the same words, and with what stands around them in a list."""
_FOLDER = Path(__file__).parent / "words"

Texts = dict[str, str]
"""One text per language."""


@cache
def _tables(language: str, family: str) -> Mapping[str, Any]:
    path = _FOLDER / language / f"{family}.toml"
    return MappingProxyType(tomllib.loads(path.read_text(encoding="utf-8")))


def words(family: str, entry: str, *path: str) -> Texts | None:
    """The words at a place such as ``("because", "S")`` of an entry, per language; ``None`` where there are none.

    >>> words("attention", "attention", "title")["en"]
    'Scaled dot-product attention'
    """
    found = {language: _own_or_shared(language, family, entry, path) for language in LANGUAGES}
    return {language: text for language, text in found.items() if text is not None} or None


def around(language: str, *path: str) -> str:
    """The words around entries where they are listed.

    >>> around("en", "families", "heads")
    'Heads'
    """
    return _at(_tables(language, PAGE), path) or ""


def _own_or_shared(language: str, family: str, entry: str, path: tuple[str, ...]) -> str | None:
    own = _at(_tables(language, family).get(entry, {}), path)
    return _at(_tables(language, SHARED), path) if own is None else own


def _at(table: Any, path: tuple[str, ...]) -> str | None:
    for part in path:
        if not isinstance(table, Mapping) or part not in table:
            return None
        table = table[part]
    return table if isinstance(table, str) else None
