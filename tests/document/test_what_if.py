"""What changes if one step were another one: NumPy works both results out once more."""

from __future__ import annotations

import re

import numpy as np
import pytest
from click.testing import CliRunner

from symattn.api.worked import derive
from symattn.cli import main
from symattn.read.scenario.load import load, loads
from symattn.read.scenario.model import Scenario, WhatIfItem
from symattn.show.blocks import Table
from symattn.show.build import build_document
from tests.document.lessons import lesson

X = np.array([[0.0, 0.0], [3.0, 0.0], [1.0, 1.0]])
GIVEN = "X = 0, 0; 3, 0; 1, 1"
STEPS = "S = X @ X.T / sqrt(2) | A = softmax(S) | Z = A @ X"


def softmax(scores: np.ndarray) -> np.ndarray:
    powers = np.exp(scores)
    return powers / powers.sum(axis=1, keepdims=True)


def asked(what_if: str, of: str) -> Scenario:
    return loads(lesson(f"{STEPS} | {{ what_if = '{what_if}', of = '{of}' }}", GIVEN))


def figures(scenario: Scenario) -> list[list[float]]:
    solution = derive(scenario)
    (table,) = (
        block
        for block in build_document(scenario, solution.store, language="en", asks="none").blocks
        if isinstance(block, Table) and block.header[0].key == "sentences"
    )
    return [[float(cell[0].text) for cell in row[1:]] for row in table.rows]  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("what_if", "changed"),
    [
        ("S = X @ X.T", softmax(X @ X.T) @ X),
        ("S = X @ X.T / 100", softmax(X @ X.T / 100) @ X),
        ("S = 0 * (X @ X.T)", np.full((3, 3), 1 / 3) @ X),
        ("A = softmax(S + causal_mask(3))", softmax(X @ X.T / np.sqrt(2) + np.triu(np.full((3, 3), -1e9), 1)) @ X),
        ("Z = 2 * X", 2 * X),
    ],
)
def test_both_results_are_those_of_numpy(what_if: str, changed: np.ndarray) -> None:
    told = np.array(figures(asked(what_if, "Z")))
    assert np.abs(told[::2] - softmax(X @ X.T / np.sqrt(2)) @ X).max() < 1e-6
    assert np.abs(told[1::2] - changed).max() < 1e-6


def test_weather_hardly_needs_its_attention() -> None:
    """Without attention p(good) is 0.290262, with attention 0.290062: these weights were never trained."""
    text = load("weather").text
    end = '{ what_if = "R_1 = X", of = "probs" },'
    page = derive(
        loads(text.replace('steps = ["probs = softmax(logits)"]', f'steps = ["probs = softmax(logits)", {end}]'))
    )
    told = page.render(language="en")
    assert "0.290062$ becomes $0.290262" in told
    assert "The largest change is" in told


@pytest.mark.parametrize(
    ("what_if", "said"),
    [
        ("S = X @ X.T / sqrt(2)", "Nothing changes: the two results are exactly equal."),
        ("S = X @ X.T / sqrt(2) + eye(3) / 10^9", "None of these figures changes."),
        ("S = X @ X.T", "The largest change is"),
    ],
)
def test_what_changes_is_said(what_if: str, said: str) -> None:
    shown = derive(asked(what_if, "A")).render(language="en")
    assert said in shown


def test_the_entry_that_changes_most_is_the_farthest() -> None:
    shown = derive(asked("S = X @ X.T", "Z")).render(language="en")
    found = re.search(r"largest change is \$([0-9.]+)\$", shown)
    assert found
    apart = np.abs(softmax(X @ X.T) @ X - softmax(X @ X.T / np.sqrt(2)) @ X).max()
    assert abs(float(found[1]) - apart) < 1e-6


@pytest.mark.parametrize(
    ("what_if", "of", "sentence"),
    [
        ("X = X", "Z", "X is given: expected another formula for a step"),
        ("S = X", "Z", "expected the same shape"),
        ("S = A", "Z", "unknown name 'A'"),
        ("Z = X", "S", "S does not depend on Z"),
        ("Y = X", "Z", "unknown name 'Y'"),
        ("S = softmax(X", "Z", "what_if"),
    ],
)
def test_a_change_that_means_nothing_is_refused(what_if: str, of: str, sentence: str) -> None:
    with pytest.raises(Exception, match=re.escape(sentence)):
        asked(what_if, of)


def test_the_item_keeps_what_was_asked() -> None:
    (item,) = (each for each in asked("S = X @ X.T", "Z").sections[0].items if isinstance(each, WhatIfItem))
    assert (item.name, item.formula, item.of) == ("S", "X @ X.T", "Z")


def test_questions_can_be_left_out() -> None:
    found = [
        CliRunner().invoke(main, ["derive", "good", "--language", "en", "--asks", asks, "--detail", "lesson"]).output
        for asks in ("all", "own", "none")
    ]
    counts = [page.count("<summary>") for page in found]
    assert counts[0] > counts[1] >= counts[2] == 0
