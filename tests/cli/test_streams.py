"""What the commands read and write besides ordinary files: full and closed streams, names that steer, errors nobody
foresaw."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import symattn.api.worked
from symattn.base.errors import STEERING
from symattn.cli.options import ANSWERS, DATA, FORMATS, MARKS, PAGES
from tests.commands import GOOD, run

STRANGE = "a\x1b[2J\x07\u202eb\x9b\udcff"
"""Clears a terminal, turns a line round, and is no UTF-8."""

needs_full = pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has no /dev/full")


@pytest.fixture(autouse=True)
def _files(in_a_folder: None) -> None:
    Path("good.toml").write_text(GOOD, encoding="utf-8")


def shell(line: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """``line`` in a shell, where ``symattn`` is this one."""
    line = line.replace("symattn", f"{sys.executable} -m symattn", 1)
    return subprocess.run(["bash", "-c", line], capture_output=True, text=True, env={**os.environ, **environment})


def steers(text: str) -> list[str]:
    return STEERING.findall(text.replace("\n", ""))


# -- streams -------------------------------------------------------------------------------------------------------


@pytest.mark.long
@needs_full
def test_standard_output_on_a_full_disk_is_one_sentence() -> None:
    done = shell("symattn derive good.toml > /dev/full")
    assert (done.returncode, done.stderr) == (
        2,
        "symattn: standard output: cannot be written: No space left on device\n",
    )


@pytest.mark.long
@pytest.mark.parametrize(("command", "code"), [("--help", 2), ("derive good.toml -o a.md", 0)])
def test_standard_output_that_is_closed_is_one_sentence_where_it_is_needed(command: str, code: int) -> None:
    done = shell(f"symattn {command} >&-")
    sentence = "symattn: standard output: cannot be written: Bad file descriptor\n"
    assert (done.returncode, done.stderr) == (code, sentence if code else "")
    assert Path("a.md").exists() == (code == 0)


@needs_full
def test_the_exit_code_is_right_where_nothing_can_be_said() -> None:
    assert shell("symattn nothing 2> /dev/full").returncode == 2


@pytest.mark.long
def test_files_go_into_pipes() -> None:
    done = shell("symattn exercise softmax-row -o /dev/stdout --format jsonl | cat")
    assert json.loads(done.stdout)["topic"] == "softmax-row"
    assert done.stderr == "/dev/stdout is written.\n"


@pytest.mark.long
def test_a_bare_locale_and_a_name_that_is_no_utf_8() -> None:
    name = "n\udcff"
    Path(f"{name}.toml").write_text(GOOD, encoding="utf-8")
    told = [sys.executable, "-m", "symattn", "derive", f"{name}.toml"]
    bare = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONIOENCODING": ""}
    done = subprocess.run(told, capture_output=True, env={**os.environ, **bare})
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.decode("utf-8")


# -- names that steer ----------------------------------------------------------------------------------------------

TOLD = {
    "no such file": ("derive", f"{STRANGE}.toml"),
    "no such folder": ("derive", "good.toml", "-o", f"{STRANGE}/a.md"),
    "an ending": ("derive", "good.toml", "-o", f"{STRANGE}.pptx"),
    "an option": ("derive", f"--{STRANGE}"),
    "a command": (STRANGE,),
    "a value": ("derive", "good.toml", "--detail", STRANGE),
    "a topic": ("exercise", STRANGE),
    "a pair": ("exercise", "softmax-row", "-o", f"{STRANGE}.md", "--answers", f"{STRANGE}.csv"),
    "a scenario": ("exercise", "-s", f"good{STRANGE}.toml", "-f", "json", "--answers", f"{STRANGE}.json"),
    "a new scenario": ("init", f"{STRANGE}.toml"),
    "a good one": ("validate", f"good{STRANGE}.toml"),
    "a bad one": ("validate", f"bad{STRANGE}.toml"),
    "as JSON": ("validate", f"good{STRANGE}.toml", f"bad{STRANGE}.toml", "--format", "json"),
    "one too many": ("derive", "weather", STRANGE),
    "an array": ("derive", f"array{STRANGE}.toml"),
    "a tensor": ("derive", "tensor.toml"),
    "tensors": ("derive", "--model", "x.npz", "--input", "x.npz", "--heads", "1"),
    "answers": ("mark", f"bad{STRANGE}.csv", "--topic", "softmax-row", "--seed", "1", "--difficulty", "2"),
}


def test_no_name_reaches_the_terminal_raw() -> None:
    tensor = STRANGE.replace("\udcff", "").replace("\x9b", "")
    np.savez("x.npz", **{tensor: np.eye(2), f"{tensor}2": np.eye(2)})
    np.save(f"{STRANGE}.npy", np.eye(2))
    array = GOOD.replace('X = [["1", "2"]]', 'X = { file = "x.npz", tensor = "nothing" }')
    for name, text in {
        f"good{STRANGE}.toml": GOOD,
        f"bad{STRANGE}.toml": GOOD.replace("X.T", "X.T @ Z"),
        f"bad{STRANGE}.csv": "student,version,what\nAda,1,2\nBob,x,1\n",
        f"array{STRANGE}.toml": array,
        "tensor.toml": array.replace('"nothing"', json.dumps(tensor)),
    }.items():
        Path(name).write_text(text, encoding="utf-8")
    for arguments in TOLD.values():
        result = run(*arguments)
        assert not steers(result.output)
        assert "\\x1b[2J" in result.output or "\\u001b[2J" in result.output or "\ufffd" in result.output
        assert result.exit_code in (0, 2)
        assert not isinstance(result.exception, Exception) or isinstance(result.exception, SystemExit)
        if "json" in arguments and arguments[0] == "validate":
            assert json.loads(result.output)["files"][0]["path"] == f"good{STRANGE}.toml"


# -- what a file is called -----------------------------------------------------------------------------------------


def test_every_format_has_an_ending() -> None:
    assert set(PAGES.values()) == {*FORMATS, "pdf"}
    assert all(f".{end}" in PAGES for end in FORMATS.values())
    assert set(MARKS.values()) == {"json", "csv", "text", "pdf", *FORMATS}
    assert not set(DATA) & set(PAGES)
    assert set(ANSWERS) == {".csv", ".json"}


def test_answers_are_not_written_over_by_marks_through_a_link() -> None:
    Path("answers.csv").write_text("student,version,a\nAda,1,2\n", encoding="utf-8")
    Path("report.md").symlink_to("answers.csv")
    told = ("--topic", "softmax-row", "--difficulty", "2", "--seed", "1")
    result = run("mark", "answers.csv", *told, "--report", "report.md")
    assert result.exit_code == 2
    assert "--report report.md: is the file answers.csv that is read: give another name" in result.output
    assert Path("answers.csv").read_text(encoding="utf-8").startswith("student")


# -- what nobody foresaw -------------------------------------------------------------------------------------------


def _broken(*_: object, **__: object) -> None:
    raise ZeroDivisionError("by \x1b[31m nothing")


def test_an_error_nobody_foresaw_is_one_sentence_with_a_code_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(symattn.api.worked, "derive", _broken)
    result = run("derive", "good.toml")
    assert result.exit_code == 70
    assert result.output == (
        "symattn: ZeroDivisionError: by \\x1b[31m nothing: this was not foreseen; please report it with the command "
        "and its input (SYMATTN_DEBUG=1 shows where it comes from)\n"
    )
    monkeypatch.setenv("SYMATTN_DEBUG", "1")
    result = run("derive", "good.toml")
    assert result.exit_code == 70
    assert 'in _broken\n    raise ZeroDivisionError("by' in result.output


def test_init_on_a_full_disk_leaves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    fsync = os.fsync

    def full(handle: int) -> None:
        if os.fstat(handle).st_size > 10_000:  # the schema, which comes second
            raise OSError(28, "No space left on device")
        fsync(handle)

    monkeypatch.setattr(os, "fsync", full)
    result = run("init", "new.toml")
    assert result.exit_code == 2
    assert result.output == (
        "symattn: scenario.schema.json: cannot be written: No space left on device; nothing was changed\n"
    )
    assert [path.name for path in Path().iterdir()] == ["good.toml"]
