"""What was read becomes a scenario that loads, is worked out, and says where everything stood."""

from __future__ import annotations

import pytest

from symattn import derive
from symattn.api.worked import WorkedSolution
from symattn.base.errors import ScenarioError
from symattn.checking.adopt.lesson import adopt
from symattn.checking.adopt.model import Adopted, LeftOver
from symattn.read.scenario.load import load, loads
from symattn.read.scenario.model import Scenario
from tests.sentences.lessons import random_lesson

X = Adopted("X", figures=(("1", "0"), ("0", "1"), ("1", "1")), line=3, section="Input")
W = Adopted("W_Q", figures=(("1", "2"), ("0", "1")), line=5, section="Input")
D = Adopted("d_k", figures=(("2",),), axes=0, is_size=True, line=1)
Q = Adopted("Q", "X @ W_Q", (("1", "2"), ("0", "1"), ("1", "4")), line=9, section="Scores")
A = Adopted("A", "softmax(Q @ X.T / sqrt(d_k))", line=12, section="Scores")


def test_the_scenario_is_one_that_a_person_would_write() -> None:
    left = [LeftOver(10, "Scaled: [[1, 2]]", "no name", "Scores"), LeftOver(2, "A picture of 3 tokens", "words", "")]
    text = adopt([D, X, W, Q, A], "One {head}", "en", left, tokens=("the", "cat", "sat"), source="tutorial.md")
    assert (
        text
        == """\
title = "One {{head}}"
language = "en"
tokens = ["the", "cat", "sat"]
source = "tutorial.md"

[sizes]
d_k = 2  # line 1

[given]
X = [["1", "0"], ["0", "1"], ["1", "1"]]  # line 3
W_Q = [["1", "2"], ["0", "1"]]  # line 5

[[section]]
title = "Input"
steps = [
  # line 2: A picture of 3 tokens (words)
  "X",
  "W_Q",
]

[[section]]
title = "Scores"
steps = [
  "Q = X @ W_Q",  # line 9
  # line 10: Scaled: [[1, 2]] (no name)
  "A = softmax(Q @ X.T / sqrt(d_k))",  # line 12
]

[printed]
Q = [["1", "2"], ["0", "1"], ["1", "4"]]  # line 9
"""
    )
    solution = WorkedSolution(loads(text))
    assert "4" in solution.render()
    assert "the source prints" in solution.render().lower()


def test_a_formula_that_does_not_fit_leaves_the_figures_as_given() -> None:
    wrong = Adopted("S", "Q @ W_V", (("1", "2"), ("3", "4"), ("5", "6")), line=11)
    text = adopt([X, W, Q, wrong, Adopted("P", "softmax(S)", line=13)], "Scores", "en")
    scenario = loads(text)
    assert scenario.derivation["S"].is_given
    assert not scenario.derivation["P"].is_given
    assert "# line 11: S = Q @ W_V (step S: formula 'Q @ W_V': unknown name 'W_V'" in text


def test_what_cannot_be_worked_out_is_a_comment() -> None:
    masked = Adopted("S", figures=(("-oo", "-oo"), ("1", "2")), line=2)
    weights = Adopted("P", "softmax(S)", line=3)
    further = Adopted("O", "P @ S", line=4)
    text = adopt([masked, weights, further], "Masked", "en")
    assert not {"P", "O"} & set(loads(text).derivation.by_name)
    assert "# line 3: P = softmax(S)" in text
    assert "# line 4: O = P @ S" in text


def test_what_rests_on_what_is_left_out_is_left_out_with_it() -> None:
    chain = [Adopted(f"Y{i}", f"Y{i - 1} + 1" if i else "X @ V") for i in range(60)]
    assert set(loads(adopt([X, *chain], "Chain", "en")).derivation.by_name) == {"X"}


@pytest.mark.parametrize(
    "quantities", [[], [D], [Adopted("A", "softmax(S)")], [Adopted("A", figures=(("1",), ("1", "2")))]]
)
def test_where_nothing_can_be_adopted_a_sentence_says_so(quantities: list[Adopted]) -> None:
    with pytest.raises(ScenarioError, match=r"^nothing can be adopted"):
        adopt(quantities, "Nothing", "en")


def test_hostile_text_stays_a_comment() -> None:
    left = [LeftOver(1, 'x = 3\n[given]\nY = "1"\x1b[2J"""', "\r\n[sizes]")]
    text = adopt([X], 'a"\n[given]', "en", left)
    assert set(loads(text).derivation.by_name) == {"X"}
    assert adopt([X], 'a"\n[given]', "en", left) == text


def quantities_of(scenario: Scenario) -> list[Adopted]:
    """A scenario that comes with symattn, as it would be read on its page."""
    from symattn.read.formula.as_text import as_text

    found = [Adopted(n, figures=((str(s),),), axes=0, is_size=True) for n, s in scenario.sizes.items()]
    for step in scenario.derivation.steps:
        if step.general:
            continue
        if step.formula is None:
            given = scenario.givens[step.name].given
            found.append(Adopted(step.name, figures=tuple(tuple(row) for row in given.written)))
        else:
            found.append(Adopted(step.name, as_text(step.formula)))
    return found


def comes_back(scenario: Scenario) -> None:
    before = derive(scenario)
    after = WorkedSolution(loads(adopt(quantities_of(scenario), "Back", "en")))
    names = [step.name for step in before.derivation.steps if not step.general]
    assert names == list(after)
    for name in names:
        assert after[name].decimals(6) == before[name].decimals(6)


@pytest.mark.parametrize("source", ["good", "weather"])
def test_a_scenario_of_ours_comes_back_with_its_figures(source: str) -> None:
    comes_back(load(source))


@pytest.mark.parametrize("seed", [*range(4), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(4, 60))])
def test_so_does_a_lesson_that_nobody_chose(seed: int) -> None:
    comes_back(loads(random_lesson(seed)))


def test_labels_that_are_none_are_left_out() -> None:
    assert "tokens" not in adopt([X], "Labels", "en", tokens=("a", "", "\x07"))
    assert "tokens" not in adopt([X], "Labels", "en", tokens=("a", "b"))
