"""What docs/check.md shows is what the command prints."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

import symattn
from symattn.checking.model import KINDS
from symattn.cli import main

PAGE = (Path(__file__).resolve().parents[3] / "docs" / "check.md").read_text(encoding="utf-8")
COMMANDS = re.findall(r"^    symattn (check .*)$", PAGE, re.MULTILINE)


def block(language: str) -> str:
    return re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)[0]


@pytest.fixture(autouse=True)
def _document(in_a_folder: None) -> None:
    Path("attention.md").write_text(block("markdown"), encoding="utf-8")


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_of_the_page_runs(command: str) -> None:
    result = CliRunner().invoke(main, shlex.split(command))
    assert result.exit_code == 1, result.output


def test_the_report_is_the_one_that_is_shown() -> None:
    assert CliRunner().invoke(main, shlex.split(COMMANDS[0])).output == block("text")


def test_the_json_is_the_one_that_is_shown() -> None:
    shown = json.loads(block("json"))
    whole = json.loads(CliRunner().invoke(main, ["check", "attention.md", "--format", "json"]).output)
    assert shown == {**whole, "findings": whole["findings"][:1]}


def test_the_python_gives_what_its_comments_say() -> None:
    names: dict[str, object] = {}
    for line in block("python").splitlines():
        code, _, comment = line.partition("  # ")
        if comment:
            assert repr(eval(code, names)) == comment  # noqa: S307
        else:
            exec(code, names)  # noqa: S102
    assert names["symattn"] is symattn


def test_the_page_has_every_kind() -> None:
    assert tuple(re.findall(r"^\| `(\w+)` \| (?!people|docu|`)", PAGE, re.MULTILINE))[: len(KINDS)] == KINDS
