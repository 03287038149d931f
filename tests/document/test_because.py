"""Why a step is made: said by the scenario with the step, or by its kind at the end of a section."""

from __future__ import annotations

import pytest

from symattn.api import derive
from symattn.errors import ScenarioError
from symattn.scenario.load import loads

HEAD = """\
title = "t"
given.X = [["1", "2"], ["3", "4"]]
[[section]]
title = "s"
"""
GENERAL = "Softmax turns any scores into positive weights"


def page(steps: str, *, language: str = "en") -> str:
    return derive(loads(HEAD + f"steps = [{steps}]", path="l.toml")).render(language=language)


def test_the_words_of_the_scenario_stand_in_place_of_the_general_reason() -> None:
    assert GENERAL in page("'A = softmax(X)'")

    text = page("{ step = 'A = softmax(X)', because = 'Weights, at last: {A[1,1]}.' }")

    assert r"**Why:** Weights, at last: \(0.268941\)." in text
    assert GENERAL not in text


def test_a_reason_stands_with_its_step_and_before_its_note() -> None:
    text = page("{ step = 'S = X @ X', because = 'first', note = 'second' }, 'A = softmax(S)'")

    places = [text.index(words) for words in ("first", "second", "A = \\", GENERAL)]
    assert places == sorted(places)


def test_a_reason_has_languages() -> None:
    steps = "{ step = 'A = softmax(X)', because.en = 'weights', because.zh-Hans = '权重' }"

    assert "权重" in page(steps, language="zh-Hans")
    assert "weights" in page(steps)


def test_an_unknown_name_in_a_reason_is_told_with_its_place() -> None:
    with pytest.raises(ScenarioError, match=r"l\.toml, line 5, section\[1\]\.steps\[1\]\.because\.en: {B}"):
        page("{ step = 'A = softmax(X)', because.en = 'see {B}' }")
