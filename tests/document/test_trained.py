"""Training on the page: what stands there, what is left out, and what is said of it."""

from __future__ import annotations

import json
from functools import cache

import pytest

from symattn.api.worked import WorkedSolution, derive
from symattn.base import limits
from symattn.base.errors import FormulaError
from symattn.base.words import languages
from symattn.read.scenario.load import loads
from symattn.read.scenario.model import StepItem

PAGE = """
title = "Two rows"
loss = "cross_entropy(Z, ids)"
tokens = ["the", "cat"]
[given]
X = [["1", "1/2"], ["0", "1"]]
W = [["1", "0", "-1"], ["1/2", "1", "0"]]
ids = [["1", "2"]]
[[section]]
title = "Forward"
steps = ["Z = X @ W"]
[train]
rule = "RULE"
weights = "W"
rate = "1/10"
steps = 2
"""


@cache
def solved(rule: str = "sgd") -> WorkedSolution:
    return derive(loads(PAGE.replace("RULE", rule)))


def test_passes_after_the_first_are_no_part_of_the_page_and_of_all_else() -> None:
    solution = solved()
    page = solution.render(language="en", code=["numpy"])
    body, _, programs = page.partition("## Programs")
    items = (item for section in solution.scenario.sections for item in section.items)
    hidden = [item.name for item in items if isinstance(item, StepItem) and not item.shown]
    assert hidden == ["Z_t1", "L_t1", "p_target_t1", "dZ_t1", "dW_t1", "Z_t2", "L_t2", "p_target_t2"]
    assert "Z^{(1)} =" not in body
    assert body.count("not shown again") == 3
    assert all(f"{name} = " in programs for name in hidden)
    data = json.loads(solution.render("json"))
    assert [each["name"] for each in data["steps"]] == [step.name for step in solution.derivation.steps if step.uses]
    assert "Z_t1" in solution.render("html")


def test_a_step_that_the_page_leaves_out_is_shown_where_it_is_asked_for() -> None:
    assert "Z^{(1)}\\ (shape=2\\times 3)" in solved().render(language="en", steps=["Z_t1"])


@pytest.mark.sampled(2)
@pytest.mark.parametrize("rule", ["sgd", "momentum", "adam", "adamw"])
def test_every_language_says_what_is_usual_and_what_has_come_out(rule: str) -> None:
    solution = solved(rule)
    for language in languages():
        page = solution.render(language=language)
        assert ("PyTorch" in page) == (rule != "sgd")
        for name in ("L", "L_t1", "L_t2", "p_target", "p_target_t2"):
            assert solution[name].figures[0][0].text in page
        assert "\\gt" in page
        assert "\\lt" in page


def test_numbers_that_differ_late_are_told_apart() -> None:
    page = derive(loads(PAGE.replace("RULE", "sgd").replace("1/10", "1/1000000000"))).render(language="en")
    assert "The loss falls: $L \\approx 1.443139" in page


def test_of_what_has_letters_no_order_is_told() -> None:
    text = (
        PAGE.replace("RULE", "sgd")
        .replace('"1", "1/2"]', '"1", "a"]')
        .replace("[given]", 'symbols = ["a"]\n[given]', 1)
    )
    page = derive(loads(text.replace("cross_entropy(Z, ids)", "sum(Z * Z, axis=None)"))).render(language="en")
    assert "| $L$ |" in page
    assert "The loss falls" not in page


def test_more_steps_than_anybody_wants_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "TRAINED_STEPS", 12)
    with pytest.raises(FormulaError, match="train: training makes more than TRAINED_STEPS = 12 steps: expected fewer"):
        loads(PAGE.replace("RULE", "sgd"))


@pytest.mark.parametrize("rule", ["momentum", "adam", "adamw"])
def test_names_that_training_would_give_may_be_taken(rule: str) -> None:
    text = 'title = "t"\nloss = "sum(X * X, axis=None)"\n[given]\nX = [["1"]]\nm_X_t1 = [["1"]]\nv_X_t1 = [["1"]]\n'
    text += f'v_hat_X_t1 = [["1"]]\nX_t1 = [["1"]]\n[train]\nrule = "{rule}"\nweights = "X"\n'
    assert "^{(1)}" in derive(loads(text)).render(language="en")


def test_names_that_are_after_each_other_have_an_end() -> None:
    text = 'title = "t"\n[given]\nX = [["1"]]\nY = [["1"]]\n[notation]\nX = "at(Y, 1)"\nY = "at(X, 1)"\n'
    text += '[[section]]\ntitle = "s"\nsteps = ["Z = X + Y"]'
    assert "Z = Y^{(1)} + X^{(1)}" in derive(loads(text)).render(language="en")


def test_two_weights_may_have_moments_of_one_name() -> None:
    text = 'title = "t"\nloss = "sum(W * hat_W, axis=None)"\n[given]\nW = [["1"]]\nhat_W = [["2"]]\n'
    solution = derive(loads(f'{text}[train]\nrule = "adam"\nweights = ["W", "hat_W"]\n'))
    assert [solution.decimals(name, 1) for name in ("m_hat_W_t1", "m_hat_W_t1_2")] == [(("2.0",),), (("0.1",),)]
