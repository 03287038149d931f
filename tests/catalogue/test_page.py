"""The catalogue as it is printed: docs/catalogue.md is what the program writes, and the command shows every entry."""

from __future__ import annotations

import re
from pathlib import Path

from click.testing import CliRunner

from symattn.base.words import languages
from symattn.cli import main
from symattn.read.catalogue import entries
from symattn.read.catalogue.page import FAMILIES, book, overview

ROOT = Path(__file__).resolve().parents[2]


def test_the_page_in_docs_is_the_one_that_the_catalogue_writes() -> None:
    written = book()

    assert (ROOT / "docs" / "catalogue.md").read_text(encoding="utf-8") == written
    assert written.count("| starts from | shape | is |") == written.count("\nSource: ") == len(entries())
    assert " |  |" not in written, "every input and option says what it is"


def test_the_readme_counts_the_entries_right() -> None:
    (count,) = re.findall(r"holds (\d+) ready-made", (ROOT / "README.md").read_text(encoding="utf-8"))
    assert int(count) == len(entries())
    assert {entry.family for entry in entries()} == set(FAMILIES)


def test_the_list_names_every_entry_and_every_option() -> None:
    for language in languages():
        lines = overview(language).splitlines()
        for entry in entries():
            (place,) = (number for number, line in enumerate(lines) if line.startswith(f"  {entry.name} "))
            assert len(lines[place].split(maxsplit=1)) == 2, "a title follows the name"
            listed = [line.split()[0] for line in lines[place + 1 : place + 1 + len(entry.options)]]
            assert listed == [option.name for option in entry.options]


def test_the_command_shows_the_list_and_an_entry_and_names_the_nearest() -> None:
    run = CliRunner().invoke

    assert "rotary" in run(main, ["catalogue"]).output
    assert run(main, ["catalogue", "greedy"]).output.startswith("### `greedy`: Greedy choice")
    result = run(main, ["catalogue", "gredy"])
    assert result.exit_code == 2
    assert "unknown catalogue entry 'gredy': did you mean 'greedy'?" in result.output
