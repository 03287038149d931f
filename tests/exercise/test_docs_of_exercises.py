"""What docs/exercises.md shows is what the program does."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from symattn.course import generate
from symattn.course.marking.answers import as_told, read_cell, read_json, read_table
from symattn.course.marking.sources import students_from
from symattn.course.numbers import BUDGETS
from symattn.course.overview import mistakes_table, topics_table

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "exercises.md").read_text(encoding="utf-8")


def block(language: str) -> str:
    (text,) = re.findall(rf"```{language}\n(.*?)```", PAGE, flags=re.DOTALL)
    return text


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


def test_ways_to_name_the_exercises_are_read_as_they_stand() -> None:
    for line in block("origins").splitlines():
        text = f'{{"format": "symattn-answers/1", "exercise": {line}, "answers": [{{"a": "1"}}]}}'
        origin = read_json(text).origin
        assert origin is not None
        assert json.loads(line) == (origin.file or as_told(origin))


ANSWERS = re.search(r"### How a cell is read\n\n(.*?)\n\n", PAGE, flags=re.DOTALL)


def test_what_the_page_says_can_be_read_can_be() -> None:
    assert ANSWERS is not None
    can, cannot = ANSWERS[1].split("A comma is", 1)
    examples = re.findall("`([^`]*)`", can)
    assert len(examples) >= 8
    assert not [text for text in examples if read_cell(text).trouble or read_cell(text).is_empty]
    comma, *refused = re.findall("`([^`]*)`", cannot)
    assert read_cell(comma).decimals == 3
    assert len(refused) == 3
    assert all(read_cell(text).trouble for text in refused)


def test_what_the_page_says_cannot_be_read_cannot() -> None:
    refused = re.search(r"Nothing is read as a number that nobody wrote:\n\n(.*?)\n\n", PAGE, flags=re.DOTALL)
    assert refused is not None
    examples = re.findall("`([^`]*)`", refused[1])
    read = {text for text in examples if not read_cell(text, thousands=True).trouble}
    assert read == {"4,399,000", "0,399", "12,5", "7.66e-1", "7.66 E-1"}
    assert len(examples) > 24


@pytest.mark.long
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
