"""docs/check.md shows what the command prints; the hook of pre-commit and the action of GitHub do what they say."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

import symattn
from symattn.checking.model import KINDS
from tests.checking.report.made import TEXT, install, tutorial_or_clean
from tests.commands import run

ROOT = Path(__file__).resolve().parents[3]
ACTION = ROOT / ".github" / "actions" / "check" / "action.yml"
PAGE = (ROOT / "docs" / "check.md").read_text(encoding="utf-8")
COMMANDS = re.findall(r"^    symattn (check .*)$", PAGE, re.MULTILINE)


def yaml_of(path: Path) -> Any:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


HOOKS = {hook["id"]: hook for hook in yaml_of(ROOT / ".pre-commit-hooks.yaml")}
INPUTS = yaml_of(ACTION)["inputs"]


def blocks(language: str) -> list[str]:
    """The programs and outputs of the page."""
    return re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)


# -- the page ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def _attention(in_a_folder: None) -> None:
    Path("attention.md").write_text(blocks("markdown")[0], encoding="utf-8")


@pytest.mark.usefixtures("_attention")
@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_of_the_page_runs(command: str) -> None:
    result = run(*shlex.split(command))
    assert result.exit_code == 1, result.output


@pytest.mark.usefixtures("_attention")
def test_the_reports_are_those_that_are_shown() -> None:
    assert run(*shlex.split(COMMANDS[0])).output == blocks("text")[0]
    whole = json.loads(run("check", "attention.md", "--format", "json").output)
    assert json.loads(blocks("json")[0]) == {**whole, "findings": whole["findings"][:1]}


def test_the_python_gives_what_its_comments_say() -> None:
    names: dict[str, object] = {}
    for line in blocks("python")[0].splitlines():
        code, _, comment = line.partition("  # ")
        if comment:
            assert repr(eval(code, names)) == comment  # noqa: S307
        else:
            exec(code, names)  # noqa: S102
    assert names["symattn"] is symattn


def test_the_page_has_every_kind_every_key_and_every_input() -> None:
    assert tuple(re.findall(r"^\| `(\w+)` \| (?!people|docu|`)", PAGE, re.MULTILINE))[: len(KINDS)] == KINDS
    forms = json.loads((ROOT / "docs" / "check.schema.json").read_text(encoding="utf-8"))["$defs"]
    (shown,) = map(json.loads, blocks("json"))
    assert set(shown) == set(forms["CheckForm"]["properties"])
    assert set(shown["findings"][0]) == set(forms["FindingForm"]["properties"])
    assert set(re.findall(r"^\| `([\w-]+)` \|", PAGE, re.MULTILINE)) >= set(INPUTS)


def test_the_examples_name_what_there_is() -> None:
    _, step, upload = yaml_of(ROOT / "docs" / "examples" / "github-action-check.yml")["jobs"]["figures"]["steps"]
    assert step["uses"].split("@")[0].partition("/symattn/")[2] == ACTION.parent.relative_to(ROOT).as_posix()
    assert set(step["with"]) <= set(INPUTS)
    assert upload["with"]["sarif_file"] == step["with"]["sarif"]
    (shown,) = map(yaml.safe_load, blocks("yaml"))
    assert shown["repos"][0]["hooks"][0]["id"] in HOOKS


# -- the hook and the action -------------------------------------------------------------------------------------------

TOOL = f"""#!{sys.executable}
import sys
from types import ModuleType
from tests.checking.report.made import tutorial_or_clean
module = sys.modules["symattn.checking.check"] = ModuleType("symattn.checking.check")
module.check = tutorial_or_clean
from symattn.cli import run
run()
"""
"""A command of the name that `pip install` makes, with a check that knows what comes out."""


@pytest.fixture
def tutorials(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("docs/more").mkdir(parents=True)
    for name, text in (("good.md", "1 + 1 = 2\n"), ("docs/more/bad, one.md", TEXT), ("docs/two bad.md", TEXT)):
        Path(name).write_text(text, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(("names", "code"), [(["good.md"], 0), (["good.md", "docs/two bad.md"], 1)])
def test_the_hook_tells_good_from_bad(
    tutorials: Path, monkeypatch: pytest.MonkeyPatch, names: list[str], code: int
) -> None:
    install(monkeypatch, tutorial_or_clean)
    command, *options = shlex.split(HOOKS["symattn-check"]["entry"])
    assert command == "symattn"
    assert run(*options, *names).exit_code == code


@pytest.mark.long
@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("files", "strict", "code", "annotated"),
    [
        ("good.md", "false", 0, 0),
        ("good.md\n\ndocs/**/*.md\n", "false", 1, 8),
        ("docs/two bad.md", "true", 1, 5),
        ("none/*.md\ndocs/*.md", "false", 2, 4),
    ],
)
def test_the_action_annotates_lines(tutorials: Path, files: str, strict: str, code: int, annotated: int) -> None:
    assert (ACTION.parent / "../../..").resolve() == ROOT
    *_, install_step, step = yaml_of(ACTION)["runs"]["steps"]
    assert '"$GITHUB_ACTION_PATH/../../.."' in install_step["run"]
    assert set(step["env"].values()) == {"${{ inputs.files }}", "${{ inputs.strict }}", "${{ inputs.sarif }}"}
    tool = tutorials / "bin" / "symattn"
    tool.parent.mkdir()
    tool.write_text(TOOL, encoding="utf-8")
    tool.chmod(0o755)
    environment = {
        **os.environ,
        **{"FILES": files, "STRICT": strict, "SARIF": "check.sarif"},
        **{"PATH": f"{tool.parent}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT)},
    }
    command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
    ran = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert ran.returncode == code, ran.stderr
    assert len([line for line in ran.stdout.splitlines() if line.startswith("::")]) == annotated
    results = json.loads(Path("check.sarif").read_text(encoding="utf-8"))["runs"][0]["results"]
    assert len(results) == annotated
