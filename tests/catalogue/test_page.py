"""The catalogue as it is printed: docs/catalogue.md is what the program writes, and the command shows every entry."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from symattn.catalogue import entries
from symattn.catalogue.page import FAMILIES, book, overview, page
from symattn.cli import main

ROOT = Path(__file__).resolve().parents[2]


def test_the_page_in_docs_is_the_one_that_the_catalogue_writes() -> None:
    assert (ROOT / "docs" / "catalogue.md").read_text(encoding="utf-8") == book()


def test_the_readme_counts_the_entries_right() -> None:
    (count,) = re.findall(r"holds (\d+) ready-made", (ROOT / "README.md").read_text(encoding="utf-8"))
    assert int(count) == len(entries())


def test_every_entry_is_in_a_family_that_is_listed() -> None:
    assert {entry.family for entry in entries()} == set(FAMILIES)


@pytest.mark.parametrize("language", ["en", "zh-Hant", "zh-Hans"])
def test_the_list_names_every_entry_and_every_option(language: str) -> None:
    lines = overview(language).splitlines()

    for entry in entries():
        (place,) = (number for number, line in enumerate(lines) if line.startswith(f"  {entry.name} "))
        assert len(lines[place].split(maxsplit=1)) == 2, "a title follows the name"
        listed = [line.split()[0] for line in lines[place + 1 : place + 1 + len(entry.options)]]
        assert listed == [option.name for option in entry.options]


@pytest.mark.parametrize("entry", entries(), ids=lambda entry: entry.name)
def test_an_entry_shows_what_it_starts_from_its_steps_and_its_source(entry: object) -> None:
    shown = page(entry)  # type: ignore[arg-type]

    assert "| starts from | shape | is |" in shown
    assert " |  |" not in shown, "every input and option says what it is"
    assert shown.rstrip().splitlines()[-1].startswith("Source: ")


def test_the_command_shows_the_list_and_an_entry_and_names_the_nearest() -> None:
    run = CliRunner().invoke

    assert "rotary" in run(main, ["catalogue"]).output
    assert run(main, ["catalogue", "greedy"]).output.startswith("### `greedy`: Greedy choice")
    result = run(main, ["catalogue", "gredy"])
    assert result.exit_code == 2
    assert "unknown catalogue entry 'gredy': did you mean 'greedy'?" in result.output
