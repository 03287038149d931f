"""What pre-commit, GitHub and Quarto are told of symattn can be read, and the commands in it do what they say."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner

from symattn.api.validation import NO_LESSONS
from symattn.cli import main

ROOT = Path(__file__).parent.parent.parent
ACTION = ROOT / ".github" / "actions" / "validate" / "action.yml"
QUARTO = ROOT / "docs" / "examples" / "quarto"
PAGE = (ROOT / "docs" / "checks.md").read_text(encoding="utf-8")

GOOD = (QUARTO / "lesson.toml").read_text(encoding="utf-8")
BAD = GOOD.replace('["0", "1"]', '["0", "1%:,"]')


def read(path: Path) -> Any:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


@pytest.fixture
def lessons(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a good lesson and a bad one, in which we are."""
    monkeypatch.chdir(tmp_path)
    for name, text in (("good.toml", GOOD), ("bad, one.toml", BAD)):
        Path(name).write_text(text, encoding="utf-8")
    return tmp_path


def test_the_hook_tells_good_from_bad(lessons: Path) -> None:
    hook = read(ROOT / ".pre-commit-hooks.yaml")[0]
    assert (hook["id"], hook["language"], hook["types"]) == ("symattn-validate", "python", ["toml"])
    command = shlex.split(hook["entry"])
    assert command[0] == "symattn"
    codes = [CliRunner().invoke(main, [*command[1:], name]).exit_code for name in ("good.toml", "bad, one.toml")]
    assert codes == [0, 2]
    passed_over = [*NO_LESSONS, f"a/{NO_LESSONS[0]}", ".a.toml", "a/.b/c.toml"]
    assert all(re.search(hook["exclude"], name) for name in passed_over)
    assert not any(re.search(hook["exclude"], name) for name in ("a.toml", "lessons/a.b.toml", "my_pyproject.toml"))


@pytest.mark.long
@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("files", "solve", "code"),
    [("good.toml", "true", 0), ("bad, one.toml", "true", 2), ("good.toml\n\n  \nbad, one.toml\n", "false", 2)],
)
def test_the_action_tells_good_from_bad(lessons: Path, files: str, solve: str, code: int) -> None:
    action = read(ACTION)
    assert (ACTION.parent / "../../..").resolve() == ROOT
    *_, install, validate = action["runs"]["steps"]
    assert '"$GITHUB_ACTION_PATH/../../.."' in install["run"]
    assert set(validate["env"].values()) == {"${{ inputs.files }}", "${{ inputs.solve }}"}
    # A command of that name, as `pip install` makes one.
    tool = lessons / "symattn"
    tool.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m symattn "$@"\n', encoding="utf-8")
    tool.chmod(0o755)
    path = f"{lessons}:{os.environ['PATH']}"
    environment = {**os.environ, "FILES": files, "SOLVE": solve, "PATH": path, "PYTHONPATH": str(ROOT)}
    command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", validate["run"]]
    ran = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert ran.returncode == code, ran.stderr
    told = [line for line in ran.stdout.splitlines() if line.startswith("::")]
    assert len(told) == (code == 2)
    assert all(line.startswith("::error file=bad%2C one.toml,line=6::given.X[2][2]: ") for line in told)
    assert all("%25" in line for line in told)


def test_the_page_says_what_there_is() -> None:
    hooks, workflow = (yaml.safe_load(text) for text in re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL))
    assert [hook["id"] for hook in hooks["repos"][0]["hooks"]] == [read(ROOT / ".pre-commit-hooks.yaml")[0]["id"]]
    used = workflow["jobs"]["lessons"]["steps"][-1]
    assert used["uses"].split("@")[0].partition("/symattn/")[2] == ACTION.parent.relative_to(ROOT).as_posix()
    inputs = read(ACTION)["inputs"]
    assert set(used["with"]) <= set(inputs)
    assert re.findall(r"^\| `([\w-]+)` \|", PAGE, re.MULTILINE) == list(inputs)


def test_the_project_for_quarto_has_the_pages_it_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(QUARTO, tmp_path / "site")
    monkeypatch.chdir(tmp_path / "site")
    project = read(Path("_quarto.yml"))
    for command in project["project"]["pre-render"]:
        made = CliRunner().invoke(main, shlex.split(command)[1:])
        assert made.exit_code == 0, made.output
    included = re.findall(r"\{\{< include (\S+) >\}\}", Path("index.qmd").read_text(encoding="utf-8"))
    assert all(Path(name).is_file() for name in (*included, *project["project"]["render"]))
    assert not Path(included[0]).read_text(encoding="utf-8").startswith("---")
    if shutil.which("pandoc"):
        page = json.loads(subprocess.check_output(["pandoc", "-t", "json", "lesson.md"], text=True))
        assert page["meta"]["title"]["c"][0]["c"] == "Three"
        assert page["meta"]["lang"]["c"][0]["c"] == "en"
        assert '{"t":"DisplayMath"}' in json.dumps(page, separators=(",", ":"))
