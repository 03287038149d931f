"""Exercises as data: the round trip is exact, the form is the one that is published, and a forged file is refused."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from symattn.base.errors import ExercisesError, UnknownNameError
from symattn.course import Exercise, generate
from symattn.course.export import exercises_from, exported, json_schema, schema_text
from symattn.course.model import Part, Planted, Wrong

VALIDATOR = Draft202012Validator(json_schema())

SOURCE = """title = "Half"
figures.decimals = 3
[given]
X = [["3", "1"], ["-1", "sqrt(2)"]]
[[section]]
title = "S"
steps = ["Y = X / 2", "Z = Y.T", { quantity = "N = 2 * 3" }]
"""
Y = Part("Y", "matrix", 3, (("1.500", "0.500"), ("-0.500", "0.707")), ((0, 1), (1, 0)), 2)
Z = Part("Z", "shape", 0, (("2", "2"),), ((0, 0), (0, 1)))
N = Part("N", "number", 0, (("6",),), ((0, 0),))
WRONG = Wrong("scale-forgotten", "Y", {"Y": (("3", "1"), ("-1", "1.414"))})
HALF = Exercise("half", 1, 7, 3, "zh-Hant", SOURCE, (Y, Z, N), (WRONG,), cost=9)

BY_HAND = {
    "plain": HALF,
    "blanks": replace(HALF, form="blanks", shown=("Z",), of="attention-row"),
    "wrong-entry": replace(
        HALF,
        form="wrong-entry",
        planted=Planted("Y", 1, 0, "-1", "scale-forgotten"),
        parts=(
            Part("place", "place", 0, (("1", "2", "1"),), ((0, 0), (0, 1), (0, 2))),
            Part("value", "matrix", 3, (("-0.500",),), ((0, 0),)),
        ),
        wrong=(),
    ),
    "order": replace(
        HALF,
        form="order",
        order=("Z", "Y"),
        parts=(Part("order", "order", 0, (("2", "1"),), ((0, 0), (0, 1))),),
        wrong=(),
    ),
    "all shown": replace(HALF, form="fading", shown=("Y", "Z"), parts=(), wrong=()),
}
"""One exercise of each form, small and written by hand."""


@pytest.mark.parametrize("form", BY_HAND)
def test_what_is_written_is_valid_under_the_schema_and_read_again(form: str) -> None:
    two = (BY_HAND[form],) * 2
    whole, lines = exported(two, "json"), exported(two, "jsonl")
    assert exercises_from(whole) == exercises_from(lines) == two
    for text in (whole, *lines.splitlines()):
        assert [error.message for error in VALIDATOR.iter_errors(json.loads(text))] == []
    assert len(lines.splitlines()) == len(json.loads(whole)["exercises"]) == 2


def test_it_is_a_schema_of_its_draft_and_says_which_form_it_describes() -> None:
    Draft202012Validator.check_schema(json_schema())
    assert json_schema()["$id"] == "urn:symattn-exercises:1"
    assert not VALIDATOR.is_valid({"schema": "symattn-exercises/2", "exercises": []})


def test_the_copy_in_the_documentation_is_this_schema(root: Path) -> None:
    copy = (root / "docs" / "exercises.schema.json").read_text(encoding="utf-8")
    assert copy == schema_text(), "write it again: symattn exercise --schema -o docs/exercises.schema.json"


def one(exercise: Exercise, language: str | None = None) -> dict[str, Any]:
    return json.loads(exported([exercise], "jsonl", language))


def test_the_question_holds_the_task_the_numbers_and_the_formulas_and_not_the_key() -> None:
    exercise = generate("attention-row", seed=7)[0]
    question = one(exercise)["question"]
    assert question["title"] == "One row of attention"
    assert question["task"].startswith("One token asks with its query \\(q\\); the rows of \\(K\\)")
    assert [(given["name"], given["rows"], given["columns"]) for given in question["givens"]] == [
        ("q", 1, 4),
        ("K", 3, 4),
        ("V", 3, 2),
    ]
    assert question["sizes"] == {"n": 3, "d_k": 4, "d_v": 2}
    assert question["formulas"][0] == {
        "name": "s",
        "formula": "q @ K.T / sqrt(d_k)",
        "tex": "\\frac{qK^T}{\\sqrt{d_k}}",
    }
    assert {cell for part in question["parts"] for row in part["printed"] for cell in row} == {None}


def test_mistakes_have_their_figures_and_words_in_the_language_that_is_asked_for() -> None:
    exercise = generate("softmax-row", seed=7)[0]
    found = {language: one(exercise, language)["mistakes"] for language in ("en", "zh-Hant", "zh-Hans")}
    assert len(found["en"]) == len(exercise.wrong) > 0
    for language, mistakes in found.items():
        for mistake, wrong in zip(mistakes, exercise.wrong, strict=True):
            assert (mistake["mistake"], mistake["step"]) == (wrong.mistake, wrong.step)
            assert mistake["figures"]["a"] == [list(row) for row in wrong.figures["a"]]
            assert all(mistake[key] for key in ("title", "feedback", "hint"))
            assert mistake["title"].isascii() == (language == "en")


def test_printed_cells_are_those_that_are_not_asked_and_count_from_one_where_they_are() -> None:
    found = one(BY_HAND["blanks"])
    assert found["question"]["parts"][0]["printed"] == [["1.500", None], [None, "0.707"]]
    assert found["answer"]["parts"][0]["asked"] == [[1, 2], [2, 1]]


def test_the_wrong_entry_stands_on_the_sheet_and_its_place_in_the_answer() -> None:
    found = one(BY_HAND["wrong-entry"])
    assert found["question"]["shown"][0] == {"name": "Y", "values": [["1.500", "0.500"], ["-1", "0.707"]]}
    assert found["answer"]["planted"]["row"] == 2
    assert found["steps"][0]["values"] == [["1.500", "0.500"], ["-0.500", "0.707"]]


def test_an_unknown_format_is_answered_with_the_nearest_and_no_exercises_with_a_sentence() -> None:
    with pytest.raises(UnknownNameError, match="unknown format 'jsn': did you mean 'json'"):
        exported([HALF], "jsn")
    with pytest.raises(ExercisesError, match="expected at least one"):
        exported([], "json")


def test_what_does_not_fit_the_form_is_not_written() -> None:
    with pytest.raises(ExercisesError, match="half, version 3: seed does not fit symattn-exercises/1"):
        exported([replace(HALF, seed=10**30)], "json")


# Forged files

FORGED: dict[str, tuple[list[str | int], Any, str]] = {
    "another version of the form": (["schema"], "symattn-exercises/2",
         "schema: expected 'symattn-exercises/1', came 'symattn-exercises/2'"),
    "a key": (["answer", "parts", 0, "key", 0, 1], "0.51", "part Y: key: expected what the scenario in source gives"),
    "a key of another shape": (["answer", "parts", 0, "key"], [["1.5"], ["0.5", "1"]], "expected rows of one length"),
    "a key without rows": (["answer", "parts", 0, "key"], [], "answer.parts[1].key"),
    "a key of text": (["answer", "parts", 0, "key", 0, 0], "3/2", "'3/2' is no printed figure"),
    "a shape": (["answer", "parts", 1, "key", 0, 0], "3", "part Z: key"),
    "a number": (["answer", "parts", 2, "key", 0, 0], "7", "part N: key"),
    "a name": (["answer", "parts", 0, "name"], "W", "'W' is no name of the scenario in source"),
    "two parts of one name": (["answer", "parts", 1, "name"], "Y", "part 'Y' stands twice"),
    "a kind": (["answer", "parts", 2, "kind"], "matrix", "kind: matrix does not fit 'N'"),
    "an order nobody asked for": (["answer", "parts", 0, "kind"], "order", "expected the numbers of the steps"),
    "a place without planted": (["answer", "parts", 1, "kind"], "place", "expected the number of a step"),
    "a cell outside": (["answer", "parts", 0, "asked", 0], [3, 1], "expected cells of its key, which is 2 × 2"),
    "a cell twice": (["answer", "parts", 0, "asked"], [[1, 2], [1, 2]], "expected each cell once"),
    "a cell 0": (["answer", "parts", 0, "asked", 0], [0, 1], "answer.parts[1].asked[1][1]"),
    "decimals": (["answer", "parts", 0, "decimals"], 1000, "answer.parts[1].decimals"),
    "a mistake": (["mistakes", 0, "mistake"], "scale-forgoten", "did you mean 'scale-forgotten'?"),
    "figures of no part": (["mistakes", 0, "figures"], {"W": [["1"]]}, "unknown part 'W'"),
    "figures of text": (["mistakes", 0, "figures"], {"Y": [["ha"]]}, "'ha' is no printed figure"),
    "a step that is shown": (["shown"], ["Q"], "unknown step 'Q'"),
    "an order of others": (["order"], ["Q"], "unknown step 'Q'"),
    "an order with a step twice": (["order"], ["Y", "Y"], "order 'Y' stands twice"),
    "a source with an error": (["source"], "title = 3", "source.toml"),
    "a source without the steps": (["source"], 'title = "t"', "is no name of the scenario"),
    "a source that names a file": (["source"], 'title = "t"\n[given]\nX = {file = "x.csv"}', "source.toml, line 3"),
    "a source that is too long": (["source"], "#" * 200_000, "at most 100000 characters"),
    "a version": (["version"], "3", "version: expected a valid integer, came '3'"),
    "a language": (["language"], "fr", "language: expected 'zh-Hant', 'zh-Hans' or 'en', came 'fr'"),
    "another key": (["points"], 3, "points: is not known here"),
    "a planted row": (["answer", "planted", "row"], 3, "Y is 2 × 2: expected an entry of it"),
    "a planted column": (["answer", "planted", "column"], 2, "part place: key"),
}  # fmt: skip


def line_with(path: list[str | int], value: object) -> str:
    """The line of the exercise written by hand, with another value at one place."""
    found: Any = one(BY_HAND["wrong-entry" if "planted" in path else "plain"])
    place = found
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    return json.dumps(found)


@pytest.mark.parametrize("case", FORGED)
def test_a_forged_exercise_is_refused_in_a_sentence_that_says_where(case: str) -> None:
    path, value, sentence = FORGED[case]
    with pytest.raises(ExercisesError) as error:
        exercises_from(line_with(path, value), "exam.jsonl")
    assert str(error.value).startswith("exam.jsonl, line 1")
    assert sentence in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(("text", "sentence"), [
    ("", "exam: is empty"),
    ("[]", "exam"),
    ("{}", "exam, line 1, schema: is missing"),
    ('{"schema": "symattn-exercises/1", "exercises": []}', "exam, exercises: "),
    ('{"exercises": 3', "exam: is not JSON: EOF while parsing an object"),
    ("{\n" * 100_000, "exam: is not JSON"),
    ('{"a":' * 100_000, "exam: is not JSON"),
    ('{"schema": ' + "9" * 10_000 + "}", "exam, line 1"),
    ("\x00", "exam: is not JSON"),
])  # fmt: skip
def test_what_is_no_file_of_exercises_is_said_in_one_sentence(text: str, sentence: str) -> None:
    with pytest.raises(ExercisesError) as error:
        exercises_from(text, "exam")
    assert str(error.value).startswith(sentence)
    assert "\n" not in str(error.value)


def test_the_second_line_is_named_where_it_is_wrong_and_empty_lines_do_not_count() -> None:
    line = exported([HALF], "jsonl")
    assert len(exercises_from(f"\ufeff{line}\r\n\n{line}")) == 2
    with pytest.raises(ExercisesError, match="exam, line 3, topic: is missing"):
        exercises_from(line + "\n" + line.replace('"topic"', '"tropic"'), "exam")
