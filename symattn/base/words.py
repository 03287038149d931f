"""The words of the package: a folder of files for each language, and no line of Python for any of them.

A language is a folder in ``templates/language/`` with ``language.toml`` in it, or the folder of another installed
package that an entry point of the group ``symattn.languages`` names after the language. Differences between languages
(the space between two sentences, fonts) are set in ``language.toml``.

>>> text("en", "mistakes", "scale-forgotten", "title")
'Scale forgotten'
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

from symattn.base.errors import RenderError, ScenarioError, UnknownNameError, shown, unknown

GROUP = "symattn.languages"
"""The entry points by which other packages add languages: ``fr = "symattn_french"``, a folder of files."""

DEFAULT = "en"
"""The default language."""

ABOUT = "language"
"""The file that every folder of a language has."""

Texts = dict[str, str]
"""One text per language."""

_TAG = re.compile(r"[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*\Z", re.ASCII)


@cache
def templates() -> Path:
    """Return the folder ``templates`` of the installed package, or of the checkout.

    Raises :class:`~symattn.base.errors.RenderError` where there is none.
    """
    package = Path(__file__).resolve().parent.parent
    places = (package / "templates", package.parent / "templates")
    for place in places:
        if (place / "language").is_dir():
            return place
    raise RenderError(f"no templates: looked in {' and '.join(map(str, places))}")


def languages() -> tuple[str, ...]:
    """Return every language, in the order of help and schemas.

    >>> languages()
    ('zh-Hant', 'zh-Hans', 'en')
    """
    return tuple(sorted({**_ours(), **_of_others()}, reverse=True))


def named() -> tuple[str, ...]:
    """Return every language in the order of a sentence: the default first.

    >>> named()
    ('en', 'zh-Hant', 'zh-Hans')
    """
    return (DEFAULT, *(language for language in languages() if language != DEFAULT))


def is_language(name: object) -> bool:
    """Return whether a language has this name. Languages of other packages are loaded only if none of ours has it.

    >>> is_language("zh-TW"), is_language("xx")
    (True, False)
    """
    return isinstance(name, str) and any(name in _called_so(others) for others in (False, True))


def language_named(name: str) -> str:
    """Return the language with a name: its own, or another one listed as ``also`` in its ``language.toml``.

    Raises :class:`~symattn.base.errors.UnknownNameError` where there is none.

    >>> language_named("zh-TW"), language_named("en")
    ('zh-Hant', 'en')
    """
    if not is_language(name):
        raise UnknownNameError(unknown("language", name, languages()))
    return _called_so(name not in _called_so(False))[name]


def other_names() -> tuple[str, ...]:
    """Return the other names of languages."""
    every = {**_called_so(False), **_called_so(True)}
    return tuple(sorted(name for name, meant in every.items() if name != meant))


def folder_of(language: str) -> Path:
    """Return the folder of a language. Raises :class:`~symattn.base.errors.UnknownNameError` if there is none."""
    meant = language_named(language)
    return _ours()[meant] if meant in _ours() else _of_others()[meant]


@cache
def table(language: str, file: str) -> Mapping[str, Any]:
    """Return all that a file of a language holds; ``catalogue/heads`` is a file in a folder.

    Raises :class:`~symattn.base.errors.UnknownNameError` for a language that is not there, and
    :class:`~symattn.base.errors.ScenarioError` where the file is missing or no TOML.
    """
    return _read(folder_of(language) / f"{file}.toml", language, file)


def text(language: str, file: str, *place: str, empty: bool = False) -> str:
    """Return the text at a place of a file of a language.

    Raises :class:`~symattn.base.errors.ScenarioError` if there is none; only punctuation may be ``empty``.

    >>> text("en", "marking", "nothing")
    Traceback (most recent call last):
        ...
    symattn.base.errors.ScenarioError: language/en/marking.toml: has no nothing: add a line nothing = "…"
    """
    found = at(table(language, file), *place)
    if not isinstance(found, str) or not (found or empty):
        raise _missing(language, file, place, '"…"')
    return found


def texts(file: str, *place: str) -> Texts:
    """Return the text in every language that has it; those of other packages may lack it, being for an older version.

    Raises :class:`~symattn.base.errors.ScenarioError` where a language of ours lacks it.

    >>> texts("topics", "softmax-row", "title")["en"]
    'A row of softmax'
    """
    found = {language: text(language, file, *place) for language in _ours()}
    for language in _of_others():
        with suppress(ScenarioError):
            found[language] = text(language, file, *place)
    return {language: found[language] for language in languages() if language in found}


def list_items(file: str, *place: str) -> tuple[str, ...]:
    """Return the items of the lists at a place, language after language.

    >>> list_items("marking", "columns", "checksum")
    ('校驗碼', '校验码', 'checksum')
    """
    found: list[str] = []
    for language in languages():
        names = at(table(language, file), *place)
        if not isinstance(names, list):
            raise _missing(language, file, place, '["…"]')
        found += map(str, names)
    return tuple(found)


def between(language: str) -> str:
    """Return the space between two sentences.

    >>> between("en"), between("zh-Hant")
    (' ', '')
    """
    return text(language, ABOUT, "between_sentences", empty=True)


def at(words: Mapping[str, Any], *place: str) -> object:
    """Return the item at a place of a table, or ``None``."""
    found: Any = words
    for part in place:
        if not isinstance(found, Mapping) or part not in found:
            return None
        found = found[part]
    return found


def _missing(language: str, file: str, place: tuple[str, ...], such: str) -> ScenarioError:
    *tables, key = place
    within = f"[{'.'.join(tables)}] " if tables else ""
    return ScenarioError(f"{_called(language, file)}: {within}has no {key}: add a line {key} = {such}")


def _called(language: str, file: str) -> str:
    return f"language/{language}/{file}.toml"


@cache
def _ours() -> Mapping[str, Path]:
    folders = (templates() / "language").iterdir()
    return MappingProxyType({path.name: path for path in folders if (path / f"{ABOUT}.toml").is_file()})


@cache
def _of_others() -> Mapping[str, Path]:
    """Return the folders that other packages add. Nothing of theirs is imported: the location is enough."""
    from importlib.metadata import entry_points
    from importlib.util import find_spec

    found: dict[str, Path] = {}
    for point in entry_points(group=GROUP):
        told = f"the language {shown(point.name)} of the package {shown(point.value)}"
        if not _TAG.match(point.name) or point.name in {**_called_so(False), **found}:
            raise ScenarioError(f"{told}: expected a name such as fr or pt-BR that no other language has")
        spec = None if "." in point.value or ":" in point.value else find_spec(point.value)
        folders = [Path(folder) for folder in (spec and spec.submodule_search_locations) or ()]
        found[point.name] = next((folder for folder in folders if (folder / f"{ABOUT}.toml").is_file()), Path())
        if found[point.name] == Path():
            raise ScenarioError(f"{told}: is no folder with {ABOUT}.toml in it")
    return MappingProxyType(found)


@cache
def _called_so(others: bool) -> Mapping[str, str]:
    """Return every name of our languages, or of those that packages add, with the language that it means."""
    folders = _of_others() if others else _ours()
    found = {language: language for language in folders}
    taken = _called_so(False) if others else {}
    for language, folder in folders.items():
        names = _read(folder / f"{ABOUT}.toml", language, ABOUT).get("also", [])
        if not isinstance(names, list) or not all(isinstance(name, str) and _TAG.match(name) for name in names):
            raise ScenarioError(f'{_called(language, ABOUT)}: also: expected names such as ["zh-TW"], came {names}')
        for name in names:
            if (meant := taken.get(name) or found.setdefault(name, language)) != language:
                raise ScenarioError(f"{_called(language, ABOUT)}: also: {name} is {meant} already")
    return MappingProxyType(found)


def _read(path: Path, language: str, file: str) -> Mapping[str, Any]:
    import tomllib

    try:
        return MappingProxyType(tomllib.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError) as error:
        raise ScenarioError(f"{_called(language, file)}: cannot be read: {error}") from None
