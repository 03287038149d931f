"""What README and docs show is what the program does."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from symattn.api import derive
from symattn.cli import main
from symattn.formula import FUNCTIONS
from symattn.scenario.load import loads

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
FORMAT = (ROOT / "docs" / "scenarios.md").read_text(encoding="utf-8")


def blocks(text: str, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", text, flags=re.DOTALL)


def commands() -> list[str]:
    return re.findall(r"^    (symattn .*)$", README, flags=re.MULTILINE)


@pytest.mark.parametrize("text", [*blocks(README, "toml"), blocks(FORMAT, "toml")[0]])
def test_a_scenario_that_is_shown_derives_as_it_stands(text: str) -> None:
    assert "\\begin{bmatrix}" in derive(loads(text)).render()


@pytest.mark.parametrize("command", commands())
def test_a_command_of_the_readme_runs(command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "lesson.toml").write_text(blocks(README, "toml")[0], encoding="utf-8")
    result = CliRunner().invoke(main, shlex.split(command)[1:])
    assert result.exit_code == 0, result.output


def test_the_python_of_the_readme_gives_what_its_comments_say() -> None:
    (program,) = blocks(README, "python")
    names: dict[str, object] = {}
    for line in program.splitlines():
        code, _, comment = line.partition("#")
        if not code.strip():
            continue
        if comment.strip().startswith("(") and "…" not in comment:
            assert str(eval(code, names)) == comment.strip()  # noqa: S307
        else:
            exec(code, names)  # noqa: S102
    assert "A" in names["solution"]  # type: ignore[operator]


def test_every_function_of_the_formula_language_is_documented() -> None:
    for name in FUNCTIONS:
        assert f"`{name}(" in FORMAT or f"`{name}(…)`" in FORMAT, name


def test_every_link_of_the_readme_leads_somewhere() -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", README):
        if not target.startswith("http"):
            assert (ROOT / target).exists(), target
