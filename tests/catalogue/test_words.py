"""The words of the catalogue: there in every language, about names the entry has, and none left over."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from symattn.base.errors import ScenarioError
from symattn.base.words import languages, table
from symattn.read.catalogue import entries, entry_named, plan
from symattn.read.catalogue.entries import example_lines, words
from symattn.read.catalogue.model import CatalogueEntry, EntryLine, Input, Note, Prove, StepLine
from symattn.read.scenario.words import Words, WordScope
from tests.conftest import choices

NO_REASON = "-"
"""The key of a step that says nothing of its own."""

Place = tuple[str, ...]


def place_of(line: EntryLine) -> Place | None:
    """Where a line looks for words."""
    match line:
        case Input():
            return ("inputs", line.told)
        case StepLine(name, _, because) if because != NO_REASON:
            return ("because", because or name)
        case Prove(_, _, note) if note:
            return ("notes", note)
        case Note(key):
            return ("notes", key)
    return None


def places(entry: CatalogueEntry) -> set[Place]:
    """Where an entry looks for words, whatever is chosen."""
    said = {place for chosen in choices(entry) for place in map(place_of, example_lines(entry, chosen)) if place}
    return said | {("title",), ("about",), *(("options", option.name) for option in entry.options)}


def leaves(found: Mapping[str, Any], at: Place = ()) -> Iterator[Place]:
    for key, value in found.items():
        if isinstance(value, dict):
            yield from leaves(value, (*at, key))
        else:
            yield (*at, key)


@pytest.mark.parametrize("entry", entries(), ids=lambda entry: entry.name)
def test_an_entry_has_all_its_words_and_they_speak_of_names_that_it_has(entry: CatalogueEntry) -> None:
    for place in sorted(places(entry)):
        found = words(entry, *place)
        # A step without a reason of its own has the general one.
        assert place[0] == "because" or sorted(found or ()) == sorted(languages()), place
        if found and place[0] in ("title", "about", "inputs", "options"):
            # They stand in lists, where no name of an entry is known.
            assert not set("{}") & set("".join(found.values())), place
    for chosen in choices(entry):
        known = WordScope(plan(entry.name, chosen, entry.sizes_for(chosen)).scope)
        for place in filter(None, map(place_of, example_lines(entry, chosen))):
            if place[0] != "inputs" and (found := words(entry, *place)):
                assert Words.read(found, known).texts.keys() == found.keys()


def test_words_that_one_language_lacks_are_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    entry = entry_named("attention")
    lacking = lambda language, file: {} if language == "zh-Hans" else table(language, file)  # noqa: E731
    monkeypatch.setitem(words.__globals__, "table", lacking)

    with pytest.raises(
        ScenarioError, match=r"^language/zh-Hans/catalogue/attention\.toml: \[attention\] has no title, "
    ):
        words(entry, "title")
    assert words(entry, "because", "nothing") is None


def test_no_words_are_left_over() -> None:
    used: set[Place] = set()
    for entry in entries():
        own = set(leaves(table("en", f"catalogue/{entry.family}")[entry.name]))
        assert own <= places(entry), entry.name
        used |= places(entry) - own
    assert [place for place in leaves(table("en", "catalogue/shared")) if place not in used] == []
    for family in {entry.family for entry in entries()}:
        assert set(table("en", f"catalogue/{family}")) == {e.name for e in entries() if e.family == family}
