"""The help of the command and of all its parts, as a terminal of 80 columns shows it."""

from __future__ import annotations

import pytest

from symattn.cli import main
from tests.commands import run


def test_symattn_alone_prints_its_help_in_lines() -> None:
    assert run_help() == run_help("--help")


@pytest.mark.parametrize("name", [(), *((name,) for name in sorted(main.commands))], ids=str)
def test_help_fits_a_terminal_and_cuts_no_sentence_short(name: tuple[str, ...]) -> None:
    usage, *lines = run_help(*name, "--help").splitlines()

    assert usage.startswith("Usage: ") and len(lines) > 4
    assert [line for line in lines if len(line) > 80 or line.endswith("...") or "\\n" in line] == []


def run_help(*arguments: str) -> str:
    found = run(*arguments)
    return f"{found.stdout}{found.stderr}"
