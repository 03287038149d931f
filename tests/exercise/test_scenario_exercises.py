"""Any scenario as an exercise: the figures are the scenario's, and the sheet holds what they rest on, no more."""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from symattn import derive
from symattn.base.errors import ScenarioError, UnknownNameError
from symattn.course.generate import generate
from symattn.course.lesson import lesson_of
from symattn.course.marking import mark
from symattn.read.catalogue import entries
from symattn.read.scenario.load import builtin_names, loads
from tests.cases import solved

HEAD = """
title = "A small head of {X}"
tokens = ["a", "b"]
source = "somewhere"
intro = "The answer is {Y[1,1]}."
[sizes]
d = 2
[given.X]
value = [["1", "2"], ["3", "-1"]]
axes = ["n", "d"]
[given.unused]
value = [["7"]]
[given.W]
value = [["0.50", "0.25"], ["0.25", "0.75"]]
rounded = true
[notation]
Y = "tilde(Z)"
[[section]]
title = "One"
intro = "Look: {Y[1,1]}."
steps = ["X", "Y = X @ X.T / sqrt(d)", { note = "Well done." }, "Z = 2 * Y", "N = 3 * unused", "R = X @ W"]
[[section]]
title = "Two"
steps = [{ quantity = "c = 2 * n * d" }, { quantity = "twice = 2 * c" }]
[printed]
Y = [["1", "2"], ["3", "4"]]
"""


@pytest.mark.long
@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", builtin_names())
def test_the_key_is_what_the_built_in_scenario_prints(name: str) -> None:
    solution = solved(name)
    scenario = solution.scenario
    asked = lesson_of(name).asks[0].name
    (exercise,) = generate(scenario=name)
    certified = solution.figures(asked, scenario.style.decimals)
    assert exercise.part(asked).key == tuple(tuple(figure.text for figure in row) for row in certified)
    assert (exercise.topic, exercise.of, exercise.difficulty) == ("scenario", name, 0)


@pytest.mark.parametrize("name", ["attention", "top_k"])
def test_an_entry_of_the_catalogue_can_be_asked_about(lesson: object, name: str) -> None:
    assert name in [entry.name for entry in entries()]
    scenario = loads(lesson(name))  # type: ignore[operator]
    (exercise,) = generate(scenario=scenario)
    assert "use" not in tomllib.loads(exercise.source)["section"][0]["steps"]
    (part,) = exercise.parts
    certified = derive(scenario).figures(part.name, scenario.style.decimals)
    assert part.key == tuple(tuple(figure.text for figure in row) for row in certified)


def test_the_file_holds_what_the_answer_rests_on_and_nothing_that_tells_it() -> None:
    (exercise,) = generate(scenario=loads(HEAD), ask="Z")
    table = tomllib.loads(exercise.source)
    assert list(table["given"]) == ["X"]
    assert [section["steps"] for section in table["section"]] == [["Y = X @ X.T / sqrt(d)", "Z = 2 * Y"]]
    assert {"printed", "claim", "source"}.isdisjoint(table)
    assert table["intro"]["en"] == "Work out {Z}."
    assert table["intro"]["zh-Hant"] == "請算出 {Z}。"
    assert table["title"]["zh-Hans"] == "A small head of {X}"
    assert table["tokens"] == ["a", "b"]
    assert table["notation"] == {"Y": "tilde(Z)"}
    assert loads(exercise.source).derivation["Z"].shape.rows.name == "n"


def test_several_names_are_asked_in_the_order_of_the_derivation() -> None:
    (exercise,) = generate(scenario=loads(HEAD), ask=("twice", "Z", "Y"))
    assert [(part.name, part.kind) for part in exercise.parts] == [
        ("Y", "matrix"),
        ("Z", "matrix"),
        ("twice", "number"),
    ]
    assert exercise.part("twice").key == (("16",),)
    assert "Work out {Y}, {Z} and {twice}." in exercise.source
    marked = mark(exercise, {"Y": exercise.part("Y").key, "Z": exercise.part("Z").key, "twice": [["16"]]})
    assert marked.points == marked.most == 9


def test_several_exercises_have_the_entries_of_each_given_in_another_order() -> None:
    batch = generate(scenario=loads(HEAD), ask="R", count=5, seed=2)
    sources = [tomllib.loads(exercise.source)["given"] for exercise in batch]
    assert len({str(given) for given in sources}) == 5
    for given in sources:
        assert sorted(text for row in given["X"]["value"] for text in row) == ["-1", "1", "2", "3"]
    assert [exercise.source for exercise in generate(scenario=loads(HEAD), ask="R", count=5, seed=2)] == [
        exercise.source for exercise in batch
    ]
    (own,) = generate(scenario=loads(HEAD), ask="R")
    assert tomllib.loads(own.source)["given"]["X"]["value"] == [["1", "2"], ["3", "-1"]]


def test_rows_that_sum_to_something_keep_their_entries_and_masks_stay() -> None:
    text = """
title = "Mix"
[given.A]
value = [["0.25", "0.75"], ["0.5", "0.5"]]
rounded = true
row_sums = 1
[given.M]
value = [["0", "-oo"], ["0", "0"]]
[given.V]
value = [["1", "2"], ["3", "4"]]
[[section]]
title = "One"
steps = ["Z = softmax(A + M) @ V"]
"""
    for exercise in generate(scenario=loads(text), count=4, seed=3):
        given = tomllib.loads(exercise.source)["given"]
        assert [sorted(row) for row in given["A"]["value"]] == [["0.25", "0.75"], ["0.5", "0.5"]]
        assert given["M"]["value"] == [["0", "-oo"], ["0", "0"]]


SCORES = 'title = "T"\n[given]\nS = {}\n[[section]]\ntitle = "S"\nsteps = ["A = softmax(S)"]'


def test_other_numbers_need_not_be_better_than_those_of_the_scenario() -> None:
    batch = generate(scenario=loads(SCORES.format('[["6", "0", "1"]]')), count=3, seed=3)
    assert "large scores" not in batch.rejected


def test_after_many_draws_any_numbers_will_do(monkeypatch: pytest.MonkeyPatch) -> None:
    scenario = loads(SCORES.format('[["-3", "-2"], ["3", "2"]]'))
    assert generate(scenario=scenario, count=4, seed=3).rejected["large scores"] > 0
    monkeypatch.setattr(sys.modules[generate.__module__], "PICKY", 0)
    assert "large scores" not in generate(scenario=scenario, count=4, seed=3).rejected


@pytest.mark.parametrize(("ask", "error", "said"), [
    ("ZZ", UnknownNameError, "unknown name 'ZZ': known: "),
    ("X", ScenarioError, "X is given: ask for a step or a quantity, such as R"),
])  # fmt: skip
def test_what_cannot_be_asked_is_said(ask: str, error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=said):
        generate(scenario=loads(HEAD), ask=ask)


def test_general_names_and_free_symbols_have_no_numbers_to_ask_for() -> None:
    with pytest.raises(ScenarioError, match="p_uv cannot be asked for: u is general and has no numbers"):
        generate(scenario="journey", ask="p_uv")
    text = 'title = "T"\nsymbols = ["t"]\n{}[given]\nX = [["1", "t"]]\n[[section]]\ntitle = "S"\nsteps = ["Y = t * X"]'
    with pytest.raises(ScenarioError, match="Y cannot be asked for: X holds the free symbol t"):
        generate(scenario=loads(text.format("")))
    (exercise,) = generate(scenario=loads(text.format('[substitute]\nt = "3"\n')))
    assert exercise.parts[0].key == (("3.0", "9.0"),) or exercise.parts[0].key == (("3", "9"),)


def test_a_file_may_be_named(tmp_path: Path) -> None:
    path = tmp_path / "lesson.toml"
    path.write_text(HEAD, encoding="utf-8")
    assert generate(scenario=path)[0].source == generate(scenario=str(path))[0].source
    assert generate(scenario=path)[0].of == "lesson"


@pytest.mark.parametrize(("call", "said"), [
    ({"topic": "attention-row", "scenario": "weather"}, "goes with no scenario: expected a form"),
    ({"topic": "fading", "of": "attention-row", "scenario": "weather"}, "expected one of the two"),
    ({"topic": "attention-row", "ask": "z"}, "ask goes with a scenario"),
    ({"topic": "attention-row", "of": "cosine"}, "stands on no other topic"),
])  # fmt: skip
def test_what_does_not_go_together_is_said(call: dict, said: str) -> None:
    with pytest.raises(ScenarioError, match=said):
        generate(**call)


def test_forms_stand_on_scenarios_too() -> None:
    (blanks,) = generate("fill-in-the-blanks", scenario="weather", ask=("A", "Z"), difficulty=3)
    assert [part.name for part in blanks.parts] == ["A", "Z"]
    assert "S_masked" in blanks.shown
    assert (blanks.topic, blanks.of, blanks.difficulty) == ("fill-in-the-blanks", "weather", 3)
    (order,) = generate("order-the-steps", scenario="weather", ask="A", seed=2)
    assert sorted(order.order) == sorted(("X", "Q", "K", "QK_T", "S", "M", "S_masked", "A"))
    fading = generate("fading", scenario=loads(HEAD), ask="Z", count=3)
    assert [exercise.shown for exercise in fading] == [("Y", "Z"), ("Y",), ()]
    (wrong,) = generate("find-the-wrong-entry", scenario=loads(HEAD), ask="Z")
    assert wrong.planted is not None
    assert wrong.planted.step in ("Y", "Z")


BACKWARD = """
title = "Backward"
loss = "sum((A @ V) * T, axis=None)"
[sizes]
d_k = 4
[given]
Q = [["1", "0", "2", "1"], ["0", "1", "1", "1"]]
K = [["1", "1", "0", "2"], ["2", "0", "1", "0"]]
V = [["1", "2"], ["3", "1"]]
T = [["1", "-1"], ["2", "1"]]
[[section]]
title = "Forward"
steps = ["S = Q @ K.T / sqrt(d_k)", "A = softmax(S)"]
[[backward]]
of = "L"
wrt = ["Q", "K"]
"""


@pytest.mark.parametrize(("asked", "mistake", "wrong"), [
    ("dS", "softmax-entry-by-entry", lambda g: g.weights * g.back),
    ("dQ", "backward-scale-forgotten", lambda g: g.scores @ g.K),
    ("dK", "backward-transpose-forgotten", lambda g: g.scores @ g.Q / 2),
])  # fmt: skip
def test_mistakes_are_found_in_gradients_that_a_file_only_asks_for(asked: str, mistake: str, wrong: Any) -> None:
    scenario = loads(BACKWARD)
    givens = {name: derive(scenario).float64(name) for name in scenario.givens}
    weights = np.exp(givens["Q"] @ givens["K"].T / 2)
    weights /= weights.sum(axis=1)[:, None]
    back = givens["T"] @ givens["V"].T
    scores = weights * (back - (weights * back).sum(axis=1)[:, None])
    (exercise,) = generate(scenario=scenario, ask=[asked])
    answer = wrong(SimpleNamespace(**givens, weights=weights, back=back, scores=scores))
    told = mark(exercise, {asked: [[f"{x:.6f}" for x in row] for row in answer]})
    assert told.first is not None
    assert mistake in told.first.mistakes


def test_a_sheet_has_the_operation_whose_gradient_alone_is_called() -> None:
    text = """title = "t"
    [operation.own]
    parameters = ["S: m×n"]
    equations = ["t[i] = sum(k, exp(S[i,k] / 4))", "y[i,j] = exp(S[i,j] / 4) / t[i] + S[i,j]^2"]
    [given]
    X = [["1/2", "2"], ["3", "-1"]]
    [[section]]
    title = "s"
    steps = ["R = own(X)", "G = 2 * X", "dX = vjp(R, G, X)"]
    """
    (exercise,) = generate(scenario=loads(text), ask="dX")
    assert "own_vjp_S" in exercise.source
    assert "own" in tomllib.loads(exercise.source)["operation"]
