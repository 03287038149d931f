"""What a file of answers or a command says about the exercises: enough to make them again, and nothing else."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from symattn.base.errors import AnswersError
from symattn.course import answer, generate, question
from symattn.course.marking.answers import AnswerFile, Answers, BatchOrigin, as_told, origin_of, read_json
from symattn.course.marking.sources import exercises_of
from symattn.write.formats import render


def origin(value: object) -> BatchOrigin | None:
    text = json.dumps({"format": "symattn-answers/1", "exercise": value, "answers": [{"a": "1"}]})
    return read_json(text).origin


FORM = {"topic": "fading", "of": "rope", "difficulty": 2, "seed": 0, "count": 30}
LESSON = {"scenario": "lesson.toml", "ask": ["A", "O"], "seed": -7}


@pytest.mark.parametrize(("value", "expected"), [
    (FORM, BatchOrigin("fading", 2, 0, of="rope", count=30)),
    ({"topic": "fading/rope", "difficulty": 2, "seed": 7}, BatchOrigin("fading", 2, 7, of="rope")),
    (LESSON, BatchOrigin(seed=-7, scenario="lesson.toml", ask=("A", "O"))),
    ({"scenario": "weather", "seed": 7, "fresh": True}, BatchOrigin(seed=7, scenario="weather", fresh=True)),
    (LESSON | {"topic": "fading", "difficulty": 3}, BatchOrigin("fading", 3, -7, "", "", "lesson.toml", ("A", "O"))),
])  # fmt: skip
def test_what_exercises_were_generated_from_is_read_and_written_again(value: object, expected: BatchOrigin) -> None:
    found = origin(value)
    assert found == expected
    assert origin(as_told(expected)) == expected


@pytest.mark.parametrize(("value", "sentence"), [
    ({"topic": "rope"}, "topic, difficulty and seed belong together: the sheets have all of them on them"),
    ({"scenario": "weather"}, "scenario and seed belong together"),
    ({"scenario": "weather", "topic": "fading", "seed": 7}, "scenario, topic, difficulty and seed belong together"),
    (FORM | {"scenario": "weather"}, "of and scenario: expected one of the two"),
    (FORM | {"ask": ["A"]}, "ask and fresh go with scenario"),
    (FORM | {"topic": "scenario/lesson"}, "the sheets ask about a scenario: give scenario"),
    (LESSON | {"scenario": "../lesson.toml"}, "'../lesson.toml' is not the name of a file beside this one"),
    (LESSON | {"scenario": "/etc/lesson.toml"}, "is not the name of a file beside this one, such as lesson.toml"),
    (LESSON | {"scenario": "C:lesson.toml"}, "is not the name of a file beside this one"),
    (LESSON | {"scenario": ".lesson.toml"}, "'.lesson.toml' is not the name of a file beside this one"),
    ("..", "is not the name of a file beside this one"),
    (LESSON | {"ask": "A"}, "ask is 'A': expected a list of names"),
    (LESSON | {"ask": ["A", 1]}, "expected a list of names"),
    (LESSON | {"fresh": 1}, "fresh is '1': expected true or false"),
    (FORM | {"seed": 1.5}, "seed is '1.5': expected a whole number"),
    (FORM | {"seed": "7"}, "seed is '7': expected a whole number"),
    (FORM | {"topic": 7}, "topic is '7': expected a text"),
    (FORM | {"jobs": 7}, "'jobs' is not known here: expected topic, of, scenario"),
    (7, "expected the name of a file or {"),
])  # fmt: skip
def test_what_does_not_say_it_is_refused_with_a_sentence(value: object, sentence: str) -> None:
    with pytest.raises(AnswersError) as caught:
        origin(value)
    assert sentence in str(caught.value)
    assert str(caught.value).startswith("answers, exercise: ")


@pytest.mark.parametrize(("topic", "of"), [
    ("softmax-row", ""), ("shape-of-product", ""), ("fading", "attention-row"),
    ("find-the-wrong-entry", "feed-forward"),
])  # fmt: skip
def test_a_sheet_and_its_key_say_how_to_make_them_again(topic: str, of: str) -> None:
    one = generate(topic, of=of, difficulty=3, seed=7, count=3)[2]
    for page in (render(question(one), "markdown"), render(answer(one), "markdown")):
        told = re.search(r"Topic: (\S+), difficulty: (\d+), random seed: (\d+), version: (\d+)", page)
        assert told is not None
        found = origin_of({"topic": told[1], "difficulty": int(told[2]), "seed": int(told[3])})
        file = AnswerFile((Answers.of({}, version=int(told[4])),), found)
        assert exercises_of(file, Path("answers.json"))[int(told[4]) - 1] == one


def test_a_command_is_told_its_own_options() -> None:
    with pytest.raises(AnswersError, match="--topic, --difficulty and --seed belong together"):
        origin_of({"topic": "rope", "seed": 7}, "--")
