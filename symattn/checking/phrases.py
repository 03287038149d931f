"""The words of mathematics in many languages, found in a text in linear time: longest first, whole words where a script
has words.

A language is a file in ``symattn/checking/lexicon/``. All are looked for at once, for people mix them; only where one
word means two things, as 行 and 列 do, it has to be known which Chinese it is.
"""

from __future__ import annotations

import tomllib
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

Chinese = Literal["hant", "hans"]

FOLDER = Path(__file__).resolve().parent / "lexicon"

NAMES = "names"
"""The file that is no language: what names in formulas stand for."""

SECTIONS = ("does", "axis", "which", "ordinals", "roles", "marks", "nothing")

_SWAPPED = ("axis", "which")
"""What is left out of the Chinese that a text is not in."""

_HYPHENS = frozenset("-‐‑–_")


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a phrase means: ``does`` ``softmax``; the language is that of the file it stands in."""

    section: str
    name: str
    language: str


@dataclass(frozen=True, slots=True)
class Heard:
    """A phrase in a text that was made plain, and all that it may mean."""

    means: tuple[Meaning, ...]
    start: int
    end: int

    def named(self, section: str) -> tuple[str, ...]:
        """What it means in one section, each once."""
        return tuple(dict.fromkeys(meaning.name for meaning in self.means if meaning.section == section))


@dataclass(slots=True)
class _Node:
    """A place in the tree of all phrases: what may follow letter by letter, after any ending, and what ends here."""

    after: dict[str, _Node] = field(default_factory=dict)
    stem: _Node | None = None
    means: list[Meaning] = field(default_factory=list)


def plain(text: str) -> str:
    """A text as phrases are written: small letters, one blank where there are several or a hyphen between letters.

    >>> plain("Row-wise  Softmax，dim = −1")
    'row wise softmax,dim=-1'
    """
    text = unicodedata.normalize("NFKC", text).replace("−", "-").replace("’", "'").lower()
    made: list[str] = []
    for place, character in enumerate(text):
        if character in _HYPHENS and _is_between(text, place):
            character = " "
        if character.isspace() or character == " ":
            if made and made[-1] not in (" ", "="):
                made.append(" ")
            continue
        if character == "=" and made and made[-1] == " ":
            made.pop()
        made.append(character)
    return "".join(made).strip()


def _is_between(text: str, place: int) -> bool:
    """Whether a hyphen joins two words; an underscore does before a figure too, as in ``head_1``."""
    if not 0 < place < len(text) - 1 or not text[place - 1].isalnum():
        return False
    if text[place] == "_":
        return text[place + 1].isalnum()
    return text[place - 1].isalpha() and text[place + 1].isalpha()


def is_letter(character: str) -> bool:
    """Whether a character belongs to a script that writes words apart.

    >>> is_letter("ą"), is_letter("行"), is_letter("행"), is_letter("1")
    (True, False, False, False)
    """
    return character.isalpha() and character < "⺀" and not "\u1100" <= character <= "\u11ff"


def heard(text: str, chinese: Chinese | None = None) -> Iterator[Heard]:
    """All phrases of a text that :func:`plain` made, from left to right, none inside another.

    >>> [one.named("does") for one in heard("scaled dot product, then softmax")]
    [(), ('softmax',)]
    """
    root, place = tree(chinese or "hans"), 0
    while place < len(text):
        found = _longest(root, text, place) if _may_begin(text, place) else None
        if found is not None:
            yield found
            place = found.end
        else:
            place = max(place + 1, _end_of_word(text, place))


def _may_begin(text: str, place: int) -> bool:
    if place == 0:
        return True
    before, here = text[place - 1], text[place]
    if here.isdigit():
        return not (before.isdigit() or before == "." or is_letter(before))
    return not (is_letter(here) and is_letter(before))


def _longest(root: _Node, text: str, start: int) -> Heard | None:
    """The longest phrase that begins at a place, with all that it may mean."""
    best, means = start, list[Meaning]()
    states = [(root, start)]
    while states:
        node, place = states.pop()
        if node.means and place >= best and _may_end(text, place):
            means = [*means, *node.means] if place == best else node.means
            best = place
        if node.stem is not None:
            states.append((node.stem, _end_of_word(text, place)))
        if place < len(text) and (following := node.after.get(text[place])) is not None:
            states.append((following, place + 1))
    return Heard(tuple(dict.fromkeys(means)), start, best) if best > start else None


def _may_end(text: str, place: int) -> bool:
    if place >= len(text):
        return True
    last, following = text[place - 1], text[place]
    if last.isdigit():
        return not (following.isdigit() or (following in ".," and text[place + 1 : place + 2].isdigit()))
    return not (is_letter(last) and is_letter(following))


def _end_of_word(text: str, place: int) -> int:
    while place < len(text) and is_letter(text[place]):
        place += 1
    return place


# -- files -------------------------------------------------------------------------------------------------------------


@cache
def lexicon(name: str) -> Mapping[str, Any]:
    """What a file of the lexicon holds."""
    return MappingProxyType(tomllib.loads((FOLDER / f"{name}.toml").read_text(encoding="utf-8")))


@cache
def spoken() -> tuple[str, ...]:
    """Every language of which there are words, English first.

    >>> spoken()[:3], len(spoken()) > 12
    (('en', 'de', 'es'), True)
    """
    files = sorted(path.stem for path in FOLDER.glob("*.toml"))
    return ("en", *(name for name in files if name not in ("en", NAMES)))


def written_in(script: Chinese) -> str:
    """The language of a script of Chinese."""
    return next(each for each in spoken() if each.lower().endswith(script))


@cache
def ordinal_endings(language: str) -> tuple[str, ...]:
    """What follows a figure that counts: ``nd`` of 2nd.

    >>> ordinal_endings("en")
    ('st', 'nd', 'rd', 'th')
    """
    return tuple(plain(ending) for ending in lexicon(language).get("ordinal_endings", ()))


@cache
def undone(before: bool) -> frozenset[str]:
    """What stands before or behind an operation that is not done, or not yet: ``without`` softmax, softmax ``之前``."""
    key = "undone" if before else "undone_after"
    return frozenset(plain(word) for language in spoken() for word in lexicon(language).get(key, ()))


def is_undone(text: str, one: Heard) -> bool:
    """Whether the words around a phrase say that it is not done, or not yet.

    >>> text = "scores before the softmax, without mask"
    >>> [is_undone(text, one) for one in heard(text) if one.named("does")]
    [True, True]
    """
    return _ends_with_one(text[max(0, one.start - _FAR) : one.start]) or _begins_with_one(
        text[one.end : one.end + _FAR]
    )


_FAR = 24
"""How many characters such words have at most."""


def _ends_with_one(before: str) -> bool:
    text = before.rstrip(" ")
    return any(
        text.endswith(word) and not (is_letter(word[0]) and is_letter(text[-len(word) - 1 : -len(word)] or " "))
        for word in undone(before=True)
    )


def _begins_with_one(after: str) -> bool:
    text = after.lstrip(" ")
    return any(
        text.startswith(word) and not _goes_on(word, text[len(word) : len(word) + 1]) for word in undone(before=False)
    )


def _goes_on(word: str, following: str) -> bool:
    """Whether a word is only the beginning of another one: 前 of 前向, 전 of 전체."""
    return following.isalnum() if len(word) == 1 else is_letter(word[-1]) and is_letter(following or " ")


@cache
def tree(chinese: Chinese) -> _Node:
    """All phrases of all languages."""
    root = _Node()
    other = written_in("hans" if chinese == "hant" else "hant")
    for language in spoken():
        words = lexicon(language)
        for section in SECTIONS:
            if section in _SWAPPED and (language == other or (language == "ja" and chinese == "hant")):
                continue
            for name, phrases in words.get(section, {}).items():
                for phrase in phrases:
                    for form in _forms(phrase, words):
                        _put(root, form, Meaning(section, name, language))
    return root


def _forms(phrase: str, words: Mapping[str, Any]) -> Iterator[str]:
    """A phrase with the endings its language has, and without accents where people leave them out."""
    stars = plain(phrase.replace("*", "\ue000"))  # a private letter: a hyphen before a star is one between letters
    forms = [stars, *([] if stars.endswith("\ue000") else [stars + ending for ending in words.get("endings", ())])]
    if not is_letter(stars[-1]):
        forms = forms[:1]
    yield from forms
    if words.get("plain"):
        for form in forms:
            yield "".join(each for each in unicodedata.normalize("NFD", form) if not unicodedata.combining(each))


def _put(root: _Node, phrase: str, meaning: Meaning) -> None:
    node = root
    for character in phrase:
        if character == "\ue000":
            node.stem = node.stem or _Node()
            node = node.stem
        else:
            node = node.after.setdefault(character, _Node())
    if meaning not in node.means:
        node.means.append(meaning)
