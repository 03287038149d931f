"""The hook of pre-commit and the action of GitHub that check documents do what they say."""

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
from click.testing import CliRunner

from symattn.cli import main
from tests.checking.report.made import TEXT, clean, install, tutorial

ROOT = Path(__file__).resolve().parents[3]
ACTION = ROOT / ".github" / "actions" / "check" / "action.yml"
EXAMPLE = ROOT / "docs" / "examples" / "github-action-check.yml"
PAGE = (ROOT / "docs" / "check.md").read_text(encoding="utf-8")

TOOL = f"""#!{sys.executable}
import sys
from types import ModuleType
from tests.checking.report.made import clean, tutorial
module = sys.modules["symattn.checking.check"] = ModuleType("symattn.checking.check")
module.check = lambda text, name: tutorial(name, text) if "Scores" in text else clean(name)
from symattn.cli import run
run()
"""
"""A command of the name that `pip install` makes, with a check that knows what comes out."""


def read(path: Path) -> Any:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


@pytest.fixture
def tutorials(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("docs/more").mkdir(parents=True)
    for name, text in (("good.md", "1 + 1 = 2\n"), ("docs/more/bad, one.md", TEXT), ("docs/two bad.md", TEXT)):
        Path(name).write_text(text, encoding="utf-8")
    return tmp_path


def test_the_hook_tells_good_from_bad(tutorials: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch, lambda text, name: tutorial(name, text) if "Scores" in text else clean(name))
    (hook,) = [each for each in read(ROOT / ".pre-commit-hooks.yaml") if each["id"] == "symattn-check"]
    command = shlex.split(hook["entry"])
    assert command[0] == "symattn"
    for names, code in ((["good.md"], 0), (["good.md", "docs/two bad.md"], 1)):
        assert CliRunner().invoke(main, [*command[1:], *names]).exit_code == code


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
    action = read(ACTION)
    assert (ACTION.parent / "../../..").resolve() == ROOT
    *_, install_step, step = action["runs"]["steps"]
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
    told = [line for line in ran.stdout.splitlines() if line.startswith("::")]
    assert len(told) == annotated
    results = json.loads(Path("check.sarif").read_text(encoding="utf-8"))["runs"][0]["results"]
    assert len(results) == annotated


def test_the_example_and_the_page_name_what_there_is() -> None:
    inputs = read(ACTION)["inputs"]
    _, step, upload = read(EXAMPLE)["jobs"]["figures"]["steps"]
    assert step["uses"].split("@")[0].partition("/symattn/")[2] == ACTION.parent.relative_to(ROOT).as_posix()
    assert set(step["with"]) <= set(inputs)
    assert upload["with"]["sarif_file"] == step["with"]["sarif"]
    assert set(re.findall(r"^\| `([\w-]+)` \|", PAGE, re.MULTILINE)) >= set(inputs)
    (hooks,) = (yaml.safe_load(text) for text in re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL))
    assert hooks["repos"][0]["hooks"][0]["id"] in {hook["id"] for hook in read(ROOT / ".pre-commit-hooks.yaml")}


def test_the_page_shows_the_keys_that_are_written() -> None:
    schema = read(ROOT / "docs" / "check.schema.json")
    (shown,) = map(json.loads, re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL))
    assert set(shown) == set(schema["$defs"]["CheckForm"]["properties"])
    assert set(shown["findings"][0]) == set(schema["$defs"]["FindingForm"]["properties"])
