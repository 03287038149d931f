"""One word for one thing: every text of every language is read by the glossary of its language."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from symattn.base.words import folder_of, languages, table, templates

OURS = languages()
SCENARIOS = sorted((Path(__file__).parent.parent / "symattn" / "read" / "scenario" / "data").glob("*.toml"))
NO_SENTENCES = ("glossary.toml", "language.toml")
CHARACTERS = {"zh-Hant": "big5", "zh-Hans": "gb2312"}
"""The characters of a language are those of its oldest encoding: the other's are not in it."""

_TAG = re.compile(r"\{#.*?#\}|\{%.*?%\}|\{\{.*?\}\}", re.DOTALL)
_REFERENCE = re.compile(r"\{[^{}]*\}|%\(\w+\)s")
_TITLE = re.compile(r"《[^》]*》|〈[^〉]*〉")


def of_templates(text: str) -> Iterator[str]:
    """What macros print: what stands between tags, and texts in quotes inside them."""
    yield _TAG.sub(" ", text)
    for tag in _TAG.findall(text):
        yield from re.findall(r'"([^"]*)"', "" if tag.startswith("{#") else tag)


def of_table(found: Any) -> Iterator[str]:
    if isinstance(found, dict | list):
        for each in found.values() if isinstance(found, dict) else found:
            yield from of_table(each)
    elif isinstance(found, str):
        yield found


def spoken(found: Any, language: str) -> Iterator[str]:
    """The words of a scenario in a language; a source has its title in its own."""
    if isinstance(found, dict):
        for key, each in found.items():
            if key == language:
                yield from of_table(each)
            elif key not in (*OURS, "source"):
                yield from spoken(each, language)
    elif isinstance(found, list):
        for each in found:
            yield from spoken(each, language)


@cache
def said(language: str) -> dict[str, str]:
    """Every text of a language, without what is put into it, by where it stands."""
    found: dict[str, str] = {}
    for path in sorted(folder_of(language).rglob("*.*")):
        if path.name not in NO_SENTENCES:
            text = path.read_text(encoding="utf-8")
            pieces = of_templates(text) if path.suffix == ".j2" else of_table(tomllib.loads(text))
            found[str(path.relative_to(templates()))] = "\n".join(pieces)
    for path in SCENARIOS:
        pieces = spoken(tomllib.loads(path.read_text(encoding="utf-8")), language)
        found[path.name] = "\n".join(pieces)
    return {place: _TITLE.sub(" ", _REFERENCE.sub(" ", text)) for place, text in found.items()}


def holds(word: str) -> re.Pattern[str]:
    """The word as it stands in a text; a Latin one by itself, whether a sentence starts with it or not."""
    if word.isascii():
        return re.compile(rf"(?<![A-Za-z_.]){re.escape(word)}(?![A-Za-z_])", re.IGNORECASE)
    return re.compile(re.escape(word))


def strays(text: str, language: str) -> list[str]:
    """The words in a text that the glossary does not use; in brackets behind the right one a word may be told."""
    concepts = table(language, "glossary").values()
    for concept in sorted(concepts, key=lambda one: -len(one["word"])):
        told = "|".join(map(re.escape, concept["not"])) or "(?!)"
        text = re.sub(rf"{re.escape(concept['word'])}(?:（(?:{told})）)?", " ", text)
    return [f"{word} for {one['word']}" for one in concepts for word in one["not"] if holds(word).search(text)]


def test_every_glossary_has_the_same_concepts_and_no_word_stands_on_both_sides() -> None:
    english = list(table("en", "glossary"))
    for language in OURS:
        found = table(language, "glossary")
        assert list(found) == english
        assert all(set(one) == {"word", "not", "about"} for one in found.values())
        used = [one["word"] for one in found.values()]
        assert len(used) == len(set(used))
        assert not set(used) & {word for one in found.values() for word in one["not"]}


@pytest.mark.parametrize("language", OURS)
def test_every_text_uses_the_words_of_the_glossary(language: str) -> None:
    texts = said(language)
    assert {place: found for place, text in texts.items() if (found := strays(text, language))} == {}
    every = "\n".join(texts.values()).casefold()
    assert [one["word"] for one in table(language, "glossary").values() if one["word"].casefold() not in every] == []


@pytest.mark.parametrize(("language", "encoding"), CHARACTERS.items())
def test_a_text_has_the_characters_of_its_language(language: str, encoding: str) -> None:
    for place, text in said(language).items():
        other = {letter for letter in text if "\u4e00" <= letter <= "\u9fff" and not letter.encode(encoding, "ignore")}
        assert not other, place


def test_what_the_glossary_forbids_is_found() -> None:
    assert strays("每個 token 佔一列", "zh-Hant") == ["token for 詞元"]
    assert strays("內積（點積）與縮放點積注意力；tokens_are", "zh-Hant") == []
    assert strays("向量的點積", "zh-Hant") == ["點積 for 內積"]
    assert strays("An Inner product", "en") == ["inner product for dot product"]
