"""validate, schema and init as commands: what they print, what they write, and their exit codes."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest

from symattn.read.scenario.schema import schema_text
from symattn.write.latex import style
from tests.commands import GOOD, run


@pytest.fixture(autouse=True)
def _files(in_a_folder: None) -> None:
    Path("good.toml").write_text(GOOD, encoding="utf-8")
    Path("bad.toml").write_text(GOOD.replace('"1", ', '"x", ').replace('"t"', '"{Q}"'), encoding="utf-8")


def test_validate_says_how_much_is_in_a_good_file() -> None:
    result = run("validate", "good.toml")
    assert (result.exit_code, result.output) == (0, "good.toml: good: 1 given, 1 step, 1 section\n")


def test_validate_lists_every_problem_of_every_file() -> None:
    result = run("validate", "good.toml", "bad.toml")
    assert result.exit_code == 2
    assert result.output.splitlines() == [
        "good.toml: good: 1 given, 1 step, 1 section",
        "bad.toml, line 1, title: {Q}: unknown name 'Q': known: none",
        "bad.toml, line 3, given.X[1][1]: number 'x': 'x' is not a number; write digits, fractions, sqrt(…) and powers",
        "bad.toml: 2 problems",
        "2 files, 1 with problems, 2 problems in all",
    ]


def test_validate_takes_folders_and_writes_json() -> None:
    result = run("validate", ".", "--format", "json", "--no-solve")
    assert result.exit_code == 2
    found = json.loads(result.output)
    assert [file["path"] for file in found["files"]] == ["bad.toml", "good.toml"]
    assert found["good"] is False
    assert found["files"][0]["problems"][0] == {
        "path": "bad.toml",
        "line": 1,
        "key": "title",
        "message": "{Q}: unknown name 'Q': known: none",
    }
    assert found["files"][1] == {
        "path": "good.toml", "good": True, "givens": 1, "steps": 1, "sections": 1, "problems": []
    }  # fmt: skip


@pytest.mark.parametrize(
    ("command", "text", "file", "other"),
    [
        ("schema", schema_text(), "s.json", "schemas are written as JSON (.json)"),
        ("latex-style", style(), "symattn.sty", "styles are written as LaTeX (.sty)"),
    ],
)
def test_what_stands_beside_a_lesson_is_printed_or_written(command: str, text: str, file: str, other: str) -> None:
    assert run(command).output == text
    assert run(command, "-o", file).exit_code == 0
    assert Path(file).read_text(encoding="utf-8") == text
    assert other in run(command, "-o", "x.tex").output


# -- init ----------------------------------------------------------------------------------------------------------


def test_init_writes_a_scenario_that_derives_and_the_schema_that_it_names() -> None:
    result = run("init", "lesson.toml", "--tokens", "the cat sat", "--use", "attention", "--d-model", "4")
    assert result.exit_code == 0, result.output
    assert result.output == "lesson.toml is written. Next: symattn derive lesson.toml -o lesson.md --watch\n"
    text = Path("lesson.toml").read_text(encoding="utf-8")
    named = text.splitlines()[0].removeprefix("#:schema ")
    assert Path(named).read_text(encoding="utf-8") == schema_text()
    assert run("validate", "lesson.toml").exit_code == 0
    assert "softmax" in run("derive", "lesson.toml").output


def test_init_does_not_write_over_anything_unless_it_is_told_to() -> None:
    before = Path("good.toml").read_bytes()
    assert "good.toml: is there already; --force writes over it" in run("init", "good.toml").output
    Path("scenario.schema.json").write_text("{}", encoding="utf-8")
    result = run("init", "new.toml")
    assert "scenario.schema.json: is there already and no schema of symattn; --no-schema leaves it" in result.output
    assert result.exit_code == 2
    assert not Path("new.toml").exists()
    assert Path("good.toml").read_bytes() == before
    assert run("init", "new.toml", "--no-schema").exit_code == 0
    assert Path("scenario.schema.json").read_text(encoding="utf-8") == "{}"
    assert run("init", "good.toml", "--force").exit_code == 0
    assert Path("good.toml").read_bytes() != before


def test_init_brings_an_old_schema_up_to_date() -> None:
    Path("scenario.schema.json").write_text('{"$id": "urn:symattn:scenario"}', encoding="utf-8")
    assert run("init", "new.toml").exit_code == 0
    assert Path("scenario.schema.json").read_text(encoding="utf-8") == schema_text()


def test_init_takes_options_sizes_and_words() -> None:
    result = run(
        "init", "a.toml", "-t", "eins zwei", "--with", "mask=causal", "--with", "bias=true", "--size", "d_k=3",
        "--title", "Mine {2}", "--seed", "3", "--language", "zh-Hans", "--no-schema", "--named",
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    data = tomllib.loads(Path("a.toml").read_text(encoding="utf-8"))
    assert (data["title"], data["language"], data["tokens"]) == ("Mine {{2}}", "zh-Hans", ["eins", "zwei"])
    assert data["sizes"]["d_k"] == 3
    assert data["section"][0]["steps"] == [{"use": "attention", "with": {"mask": "causal", "bias": True}}]
    assert not Path("scenario.schema.json").exists()
