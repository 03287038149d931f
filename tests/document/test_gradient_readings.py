"""What a page says of gradients: each sentence where it is proved, and none where it is not true."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from symattn.api.worked import derive
from symattn.base.words import languages
from symattn.read.scenario.load import loads
from symattn.show.build import scenario_names
from symattn.show.readings.gradients import KINDS, WHYS
from symattn.show.readings.step import readings
from tests.document.test_readings_edges import plain

SCORES = "S = 1, 0, 2; 0, 1, 1 | V = 1, 2; 0, 1; 1, 1"
SQUARES = "sum(Y * Y, axis=None)"
HEAD = "A = softmax(S) | Y = A @ V"
MASKED = "M = causal_mask(3) | A = softmax(S + M) | Y = A @ V"
SQUARE_SCORES = "S = 1, 0, 2; 0, 1, 1; 1, 1, 1 | V = 1, 2; 0, 1; 1, 1"
KINK = "X = 1, 0, -1; 2, 2, 0 | C = 1, 1, -1; 2, 3, 0"


def said(givens: str, steps: str, loss: str, wrt: str, name: str, **more: str) -> Mapping[str, list[Mapping[str, Any]]]:
    """The readings of one gradient, by what they are called, with what they are told."""
    tables = (given.split("=", 1) for given in givens.split(" | "))
    read = {
        each.strip(): [[cell.strip() for cell in row.split(",")] for row in rows.split(";")] for each, rows in tables
    }
    lines = [f"{each} = {rows}".replace("'", '"') for each, rows in read.items()]
    listed = ", ".join(f'"{step.strip()}"' for step in steps.split(" | "))
    head = ['title = "One"', 'language = "en"', f'loss = "{loss}"']
    tail = ["[[section]]", 'title = "Forward"', f"steps = [{listed}]", "[[backward]]", f'wrt = "{wrt}"']
    figures = [f'[figures]\ncarry = "{more["carry"]}"'] if "carry" in more else []
    scenario = loads("\n".join([*head, "[given]", *lines, *figures, *tail]))
    names = scenario_names(scenario)
    store = derive(scenario).store
    found: dict[str, list[Mapping[str, Any]]] = {}
    for phrase in readings(store, name, names, (), ()):
        found.setdefault(phrase.key, []).append({key: plain(value) for key, value in phrase.arguments})
    return found


@pytest.mark.parametrize(
    ("givens", "steps", "loss", "wrt", "name", "why"),
    [
        (SCORES, HEAD, SQUARES, "S", "dS", "softmax"),
        (SCORES, "T = S / 3 | " + HEAD.replace("S", "T"), SQUARES, "S", "dT", "softmax"),
        (SCORES, "T = S / 3 | " + HEAD.replace("S", "T"), SQUARES, "S", "dS", None),  # said of dT, and dS is a multiple
        (SCORES, HEAD, SQUARES, "V", "dV", None),
        (SCORES, HEAD, SQUARES, "S", "dA", None),
        (SCORES, "A = sigmoid(S) | Y = A @ V", SQUARES, "S", "dS", None),
        (SCORES, "A = proportions(exp(S)) | Y = A @ V", SQUARES, "S", "dS", None),
        ("X = 1, 2, 4; 0, 1, 5", "Y = layer_norm(X)", "sum(Y * exp(Y), axis=None)", "X", "dX", "norm"),
        ("X = 1, 2, 4; 0, 1, 5 | g = 1, 2, 3", "Y = layer_norm(X, gamma=g)", SQUARES, "X", "dX", "norm"),
        ("X = 1, 2, 4; 0, 1, 5", "Y = rms_norm(X)", "sum(Y * exp(Y), axis=None)", "X", "dX", None),
        ("Z = 1, 2, 4; 0, 1, 5 | t = 0, 2", "P = softmax(Z)", "cross_entropy(Z, t)", "Z", "dZ", "softmax"),
        ("X = 1, 2, 4; 0, 1, 5 | C = 1, 1, 1; 2, 2, 2", "Y = X - C", SQUARES, "X", "dX", None),
    ],
)
def test_rows_that_sum_to_zero(givens: str, steps: str, loss: str, wrt: str, name: str, why: str | None) -> None:
    found = said(givens, steps, loss, wrt, name).get("gradient_rows", [])
    wanted = [] if why is None else [WHYS.index(why)]
    assert [each["why"] for each in found] == wanted


def test_printed_figures_sum_to_nothing_that_is_proved() -> None:
    assert "gradient_rows" not in said(SCORES, HEAD, SQUARES, "S", "dS", carry="rounded")


@pytest.mark.parametrize(
    ("givens", "steps", "places"),
    [
        (SQUARE_SCORES, MASKED, [((1, 2), (1, 3), (2, 3))]),
        (SQUARE_SCORES, MASKED.replace("causal_mask(3)", "causal_mask(3, value=-1000)"), []),
        (SQUARE_SCORES, HEAD, []),
    ],
)
def test_the_gradient_of_masked_scores(givens: str, steps: str, places: list[Any]) -> None:
    found = said(givens, steps, SQUARES, "S", "dS").get("gradient_masked", [])
    assert [each["places"] for each in found] == places


@pytest.mark.parametrize(
    ("steps", "loss", "is_said"),
    [
        ("P = softmax(Z)", "cross_entropy(Z, t)", True),
        ("T = one_hot(t, 3) | E = log_softmax(Z)", "-sum(T * E, axis=None) / 2", True),
        ("T = one_hot(t, 3) | E = log_softmax(Z)", "sum(T * E, axis=None)", False),
        ("T = one_hot(t, 3) | P = softmax(Z)", "sum((P - T) * (P - T), axis=None)", False),
    ],
)
def test_what_is_missing_from_right_answers(steps: str, loss: str, is_said: bool) -> None:
    found = said("Z = 1, 2, 4; 9, 1, 5 | t = 0, 2", steps, loss, "Z", "dZ")
    assert ("gradient_answers" in found) == is_said


def test_where_relu_is_off() -> None:
    found = said(KINK, "Y = relu(X)", SQUARES, "X", "dX")
    assert found["gradient_off"] == [{"count": 1, "total": 6, "places": ((1, 3),)}]
    assert "gradient_off" not in said("X = 1, 2", "Y = relu(X)", SQUARES, "X", "dX")
    assert "gradient_off" not in said(KINK, "Y = gelu(X)", SQUARES, "X", "dX")


@pytest.mark.parametrize(
    ("steps", "taken", "places"),
    [
        ("Y = relu(X)", "relu", ((1, 2), (2, 3))),
        ("Y = relu(softmax(X) - 1/3)", None, ()),
        ("Y = relu(softmax(X - X) - 1/3)", "relu", ((1, 1), (1, 2), (1, 3), (2, 1), (2, 2), (2, 3))),
        ("Y = abs(X)", "abs", ((1, 2), (2, 3))),
        ("Y = leaky_relu(X)", "below", ((1, 2), (2, 3))),
        ("Y = row_max(X)", "largest", ((2, 1), (2, 2))),
        ("Y = row_min(X)", None, ()),
        ("Y = maximum(X, C)", "two", ((1, 1), (1, 3), (2, 1), (2, 3))),
        ("Y = gelu(X)", None, ()),
        ("Y = exp(X)", None, ()),
    ],
)
def test_what_is_taken_where_there_is_no_derivative(steps: str, taken: str | None, places: tuple[Any, ...]) -> None:
    inside = "dZ_Y" if "softmax" in steps else "dX"
    found = said(KINK, steps, SQUARES, "X", inside).get("gradient_kink", [])
    assert [(each["taken"], each["places"]) for each in found] == (
        [] if taken is None else [(KINDS.index(taken), places)]
    )


def test_rows_of_an_embedding_that_no_token_uses() -> None:
    table = "E = 1, 0; 0, 1; 1, 1; 2, 1 | ids = 1, 3, 1"
    found = said(table, "O = one_hot(ids, 4) | Y = O @ E", SQUARES, "E", "dE")
    assert [each["rows"] for each in found["gradient_unused"]] == [(1, 3)]
    every = table.replace("1, 3, 1", "1, 3, 0, 2")
    assert "gradient_unused" not in said(every, "O = one_hot(ids, 4) | Y = O @ E", SQUARES, "E", "dE")
    assert "gradient_unused" not in said("E = 1, 0; 0, 1 | O = 0, 1; 1, 0; 0, 2", "Y = O @ E", SQUARES, "E", "dE")


def test_a_step_that_is_written_by_hand_and_no_gradient_is_not_read() -> None:
    scenario = loads(
        'title = "By hand"\n[given]\nS = [["1", "0"]]\nG = [["1", "2"]]\n[[section]]\ntitle = "A"\n'
        'steps = ["A = softmax(S)", "B = A * (G - (A * G) @ ones(2, 1) @ ones(1, 2))"]\n'
    )
    found = readings(derive(scenario).store, "B", scenario_names(scenario), (), ())
    assert not [phrase for phrase in found if phrase.key.startswith("gradient")]


@pytest.mark.parametrize("language", languages())
def test_each_way_back_is_told_once_and_each_shape_is_said(language: str) -> None:
    page = derive(
        loads(
            'title = "One"\nloss = "sum(Y * Y, axis=None)"\n[given]\nX = [["1", "0"], ["2", "1"]]\n'
            'W = [["1", "2"], ["0", "1"]]\nU = [["1", "1"], ["0", "1"]]\n[[section]]\ntitle = "Forward"\n'
            'steps = ["H = relu(X @ W)", "Y = H @ U"]\n[[backward]]\nwrt = ["W", "U"]\n'
        )
    ).render(language=language)
    told = {"en": "the right factor of", "zh-Hant": "的右因子", "zh-Hans": "的右因子"}[language]
    shape = {"en": "has the shape of", "zh-Hant": "相同。", "zh-Hans": "相同。"}[language]
    assert page.count(told) == 1
    assert shape in page
