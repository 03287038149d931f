"""The words of the catalogue: there in every language, about names the entry has, and none left over."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

import symattn.catalogue
from symattn.catalogue import entries, entry_named, plan
from symattn.catalogue.general import example_lines
from symattn.catalogue.model import Entry, Given, Line, Note, Prove, Setting, Step
from symattn.catalogue.text import LANGUAGES, PAGE, SHARED, words
from symattn.scenario.words import Known, Words

FOLDER = Path(symattn.catalogue.__file__).parent / "words"
NAMES = [entry.name for entry in entries()]
FAMILIES = sorted({entry.family for entry in entries()})
NO_REASON = "-"
"""The key of a step that says nothing of its own."""

Place = tuple[str, ...]


def settings(entry: Entry) -> Iterator[dict[str, Setting]]:
    """Every choice that may lead to other lines, one at a time, and for numbers one that is not the default."""
    yield {}
    for option in entry.options:
        if isinstance(option.default, bool):
            yield {option.name: not option.default}
        elif option.exact:
            yield {option.name: "3/2"}
        else:
            yield from ({option.name: choice} for choice in option.choices)


def all_lines(entry: Entry) -> Iterator[Line]:
    for chosen in settings(entry):
        yield from example_lines(entry, chosen)


def places(entry: Entry) -> set[Place]:
    """Where an entry looks for words."""
    found: set[Place] = {("title",), ("about",), *(("options", option.name) for option in entry.options)}
    for line in all_lines(entry):
        match line:
            case Given(name):
                found.add(("inputs", name))
            case Step(name, _, because) if because != NO_REASON:
                found.add(("because", because or name))
            case Prove(_, _, note) if note:
                found.add(("notes", note))
            case Note(key):
                found.add(("notes", key))
    return found


def written(language: str, family: str) -> dict:
    return tomllib.loads((FOLDER / language / f"{family}.toml").read_text(encoding="utf-8"))


def leaves(table: dict, at: Place = ()) -> Iterator[Place]:
    for key, value in table.items():
        if isinstance(value, dict):
            yield from leaves(value, (*at, key))
        else:
            yield (*at, key)


@pytest.mark.parametrize("name", NAMES)
def test_an_entry_has_all_its_words_in_every_language(name: str) -> None:
    entry = entry_named(name)
    for place in sorted(places(entry)):
        found = words(entry.family, name, *place)
        wanted = place[0] != "because"  # a step without a reason of its own has the general one
        assert (found is not None) or not wanted, f"{name}: no words for {'.'.join(place)}"
        assert found is None or sorted(found) == sorted(LANGUAGES), f"{name}: {'.'.join(place)} in {sorted(found)}"
        assert all(text.strip() == text != "" for text in (found or {}).values())


@pytest.mark.parametrize("family", [*FAMILIES, SHARED, PAGE])
def test_every_language_has_the_same_words(family: str) -> None:
    found = {language: list(leaves(written(language, family))) for language in LANGUAGES}

    assert found["zh-Hant"] == found["en"]
    assert found["zh-Hans"] == found["en"]


@pytest.mark.parametrize("name", NAMES)
def test_words_speak_of_names_that_an_entry_has(name: str) -> None:
    """Every {…} can be read with the names and sizes of the entry, whatever was chosen."""
    entry = entry_named(name)
    for chosen in settings(entry):
        derivation = plan(name, chosen, entry.sizes_for(chosen))
        said = [line for line in example_lines(entry, chosen) if isinstance(line, Step | Note | Prove)]
        for line in said:
            found = words(entry.family, name, *place_of(line))
            if found is not None:
                assert Words.read(found, Known(derivation.scope)).texts.keys() == found.keys()


def place_of(line: Step | Note | Prove) -> Place:
    match line:
        case Step(name, _, because):
            return ("because", because or name)
        case Note(key):
            return ("notes", key)
        case Prove(_, _, note):
            return ("notes", note)


def test_titles_and_descriptions_are_plain_text() -> None:
    """They stand in lists, where no name of an entry is known."""
    for entry in entries():
        for place in sorted(places(entry)):
            if place[0] in ("title", "about", "inputs", "options"):
                for text in (words(entry.family, entry.name, *place) or {}).values():
                    assert not set("{}") & set(text), f"{entry.name}: {'.'.join(place)}: {text}"


@pytest.mark.parametrize("family", FAMILIES)
def test_no_words_are_left_over(family: str) -> None:
    own = {entry.name: places(entry) for entry in entries() if entry.family == family}
    unused = [place for place in leaves(written("en", family)) if place[1:] not in own.get(place[0], ())]

    assert unused == []


def test_no_shared_words_are_left_over() -> None:
    used: set[Place] = set()
    for entry in entries():
        table = written("en", entry.family)[entry.name]
        used |= places(entry) - set(leaves(table))

    assert [place for place in leaves(written("en", SHARED)) if place not in used] == []


def test_the_files_are_those_of_the_families() -> None:
    for language in LANGUAGES:
        found = sorted(path.stem for path in (FOLDER / language).glob("*.toml"))
        assert found == sorted([*FAMILIES, SHARED, PAGE])
