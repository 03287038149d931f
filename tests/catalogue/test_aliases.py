"""Entries of the catalogue by the other names that are in use for them."""

from __future__ import annotations

import pytest

from symattn.base.errors import letters
from symattn.read.catalogue.entries import entries, entry_called
from tests.commands import run


def test_every_alias_leads_to_its_entry_alone_however_it_is_spelled() -> None:
    names = [letters(name) for entry in entries() for name in (entry.name, *entry.aliases)]

    assert len(names) > 60
    assert len(set(names)) == len(names)
    for entry in entries():
        for alias in entry.aliases:
            spellings = (alias, alias.upper(), alias.replace("_", "-"), alias.replace("_", " "))
            assert [entry_called(each) for each in spellings] == [entry] * len(spellings)


@pytest.mark.parametrize(
    ("alias", "name"), [("rope", "rotary"), ("gqa", "grouped_query"), ("kv_cache", "decoding_step")]
)
def test_the_command_shows_the_entry_of_an_alias(alias: str, name: str) -> None:
    assert run("catalogue", alias).output == run("catalogue", name).output != ""
    assert run("catalogue", alias, "--backward").output == run("catalogue", name, "--backward").output
