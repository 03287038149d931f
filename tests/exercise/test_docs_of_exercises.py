"""What docs/exercises.md shows is what the program does."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from symattn.cli import main
from symattn.exercise import generate
from symattn.exercise.answers import read_json, read_table
from symattn.exercise.numbers import BUDGETS
from symattn.exercise.overview import mistakes_table, topics_table
from symattn.exercise.students import students_from

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "exercises.md").read_text(encoding="utf-8")
COMMANDS = re.findall(r"^    (symattn .*)$", PAGE, flags=re.MULTILINE)

LESSON = """title = "My head"
[given]
X = [["1", "0"], ["0", "2"], ["1", "1"]]
[[section]]
title = "Weights"
steps = ["A = softmax(X @ X.T)", "Z = A @ X"]
"""


def block(language: str) -> str:
    (text,) = re.findall(rf"```{language}\n(.*?)```", PAGE, flags=re.DOTALL)
    return text


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_of_the_page_runs(command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("lesson.toml").write_text(LESSON, encoding="utf-8")
    Path("names.csv").write_text(block("names"), encoding="utf-8")
    Path("answers.json").write_text(block("json"), encoding="utf-8")
    Path("answers.csv").write_text(block("csv"), encoding="utf-8")
    if "--exercise" in command:
        CliRunner().invoke(main, "exercise softmax-row -n 2 --seed 7 -o exam.json".split())
    result = CliRunner().invoke(main, shlex.split(command)[1:])
    assert result.exit_code == 0, result.output


def test_the_tables_of_topics_and_mistakes_are_those_of_the_program() -> None:
    hint = "write them again from: symattn exercise --list --markdown"
    assert topics_table("en") in PAGE, hint
    assert mistakes_table("en") in PAGE, hint


def test_the_budgets_of_the_page_are_those_of_the_program() -> None:
    for level, budget in BUDGETS.items():
        assert f"| {level} | {budget.signs} | {budget.fractions} | {budget.roots} | " in PAGE


def test_answers_of_the_page_are_read_as_they_stand() -> None:
    from_json, from_table = read_json(block("json")), read_table(block("csv"))
    assert (
        [one.student for one in from_json.answers] == [one.student for one in from_table.answers] == ["Ada", "王小明"]
    )
    assert from_json.answers[0].parts["a"] == (("0.9", "0,09", "1/100"),)
    assert from_table.answers[1].parts["a"] == (("0,2", "", "0,3"),)
    assert students_from(block("names")) == ("Ada Lovelace", "王小明")


def test_the_python_of_the_page_gives_what_its_comments_say() -> None:
    names: dict[str, object] = {}
    for line in block("python").splitlines():
        code, _, comment = line.partition("  # ")
        if comment:
            value = eval(code, names)  # noqa: S307
            assert (str(value) if isinstance(value, tuple) else f"({value})") == comment
        else:
            exec(code, names)  # noqa: S102


def test_the_cluster_of_the_page_gives_the_same_exercises() -> None:
    pytest.importorskip("distributed")
    names: dict[str, object] = {}
    exec(block("cluster"), names)  # noqa: S102
    assert names["batch"] == generate("softmax-row", difficulty=2, seed=7, count=4)


def test_the_keys_of_an_exercise_are_those_of_the_page() -> None:
    described = json.loads(
        (Path(__file__).resolve().parents[2] / "docs" / "exercises.schema.json").read_text(encoding="utf-8")
    )
    for key in described["$defs"]["ExerciseForm"]["properties"]:
        assert f"`{key}`" in PAGE, key
