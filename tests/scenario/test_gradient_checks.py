"""Which gradients of a scenario are checked by a moved entry, where the check is, and what is wrong with `check`."""

from __future__ import annotations

import pytest

from symattn.api.authoring import Derivation
from symattn.api.worked import derive
from symattn.base.errors import FormulaError, SymattnError
from symattn.read.scenario.build import with_backward
from symattn.read.scenario.load import loads
from symattn.read.scenario.model import GradientCheckItem, Scenario

HEAD = 'title = "T"\nlanguage = "en"\n[given]\nX = [["1", "2"]]\nW = [["1", "-1"], ["1/2", "1"]]\n'
FORWARD = '[[section]]\ntitle = "Forward"\nsteps = ["Y = X @ W", "L = Y @ Y.T"]\n'


def checks(scenario: Scenario) -> list[tuple[str, str, str]]:
    """The section, the loss and the entry of every check."""
    return [
        (section.number, item.of, "" if item.entry is None else f"{item.entry.names[0]}{item.entry.row}")
        for section in scenario.sections
        for item in section.items
        if isinstance(item, GradientCheckItem)
    ]


def backward(*lines: str) -> str:
    return "\n".join(["[[backward]]", 'of = "L"', *lines, ""])


@pytest.mark.parametrize(
    ("tables", "expected"),
    [
        (backward('wrt = ["W", "X"]'), [("2", "L", "")]),
        (backward('check = "W[2,1]"'), [("2", "L", "W2")]),
        (backward("check = false"), []),
        (backward('wrt = ["Y"]'), []),
        (backward('wrt = ["W"]') + backward('wrt = ["X"]'), [("2", "L", "")]),
        (backward('wrt = ["W"]') + backward('wrt = ["X"]', 'check = "X[1,2]"'), [("2", "L", ""), ("3", "L", "X1")]),
        ('[[section]]\ntitle = "B"\nsteps = ["dW = grad(L, W)", "dX = grad(L, X)", "N = W - dW"]\n', [("2", "L", "")]),
        (
            '[[section]]\ntitle = "B"\nsteps = ["dY = grad(L, Y)", "dW = grad(L, W)"]\n'
            '[[section]]\ntitle = "C"\nsteps = ["dX = grad(L, X)", "N = W - dW"]\n',
            [("3", "L", "")],
        ),
        ('[[section]]\ntitle = "B"\nsteps = [{ step = "dW = grad(L, W)", check = false }]\n', []),
        ('[[section]]\ntitle = "B"\nsteps = [{ step = "dW = grad(L, W)", check = "W[1,1]" }]\n', [("2", "L", "W1")]),
        ('[train]\nrule = "sgd"\nweights = ["W"]\n', [("2", "L", "")]),
    ],
)
def test_each_loss_is_checked_once_behind_its_gradients(tables: str, expected: list[tuple[str, str, str]]) -> None:
    assert checks(loads(HEAD + FORWARD + tables)) == expected


def test_a_lesson_without_gradients_gets_a_check_with_them_and_no_second_one() -> None:
    scenario = with_backward(loads(HEAD + FORWARD), "L")
    assert checks(scenario) == [("2", "L", "")]
    assert checks(with_backward(loads(HEAD + FORWARD + backward('wrt = ["W"]')), "L", ["X"])) == [("2", "L", "")]


@pytest.mark.parametrize(
    ("tables", "said"),
    [
        (
            backward('check = "W"'),
            "line 11, backward[1].check: 'W': expected an entry such as W[2,1], row and column counted",
        ),
        (
            backward('check = "W[3,1]"'),
            "backward[1].check: W is (2, 2): expected a row and a column in it, came [3, 1]",
        ),
        (backward('check = "Y[1,1]"'), "backward[1].check: unknown given with a gradient 'Y': known: W, X"),
        (backward('wrt = ["X"]', 'check = "W[1,1]"'), "backward[1].check: unknown given with a gradient 'W': known: X"),
        (
            backward("check = 1"),
            'backward[1].check: expected an entry in quotes, such as "W[2,1]", or false, came the number 1',
        ),
        (backward("check = true"), 'expected an entry in quotes, such as "W[2,1]", or false, came true'),
        (
            '[[section]]\ntitle = "B"\nsteps = [{ step = "Z = 2 * Y", check = false }]\n',
            "section[2].steps[1].check: Z is no gradient of a loss: expected check beside dW = grad(L, W) only",
        ),
        (
            '[[section]]\ntitle = "B"\nsteps = [{ step = "J = jacobian(Y, X)", check = "X[1,1]" }]\n',
            "section[2].steps[1].check: jacobian: a check is made of the gradient of a loss, grad(L, W)",
        ),
    ],
)
def test_what_cannot_be_checked_is_said_in_one_sentence(tables: str, said: str) -> None:
    with pytest.raises(SymattnError) as error:
        loads(HEAD + FORWARD + tables, path="lesson.toml")
    assert said in str(error.value)
    assert "\n" not in str(error.value)


def test_in_python_a_gradient_is_checked_where_it_is_asked_for() -> None:
    def page(**asked: object) -> str:
        d = Derivation(title="T", language="en")
        X, W = d.given("X", [[1, 2]]), d.given("W", [[1], ["1/2"]])
        Y = d.step("Y", X @ W)
        L = d.step("L", Y @ Y.T)
        d.gradient(L, [X, W], **asked)
        return d.solve().render("markdown")

    assert "add $0.001$ to $x_1$" in page()
    assert "add $0.001$ to $w_2$" in page(check="W[2,1]")
    assert "Check the gradient" not in page(check=False)


def test_a_check_of_a_gradient_that_is_there_is_refused() -> None:
    d = Derivation(title="T", language="en")
    W = d.given("W", [[1], ["1/2"]])
    L = d.step("L", W.T @ W)
    d.gradient(L, W)
    with pytest.raises(FormulaError, match="dW is a step already: expected check where it is asked for first"):
        d.gradient(L, W, check="W[1,1]")


KINKED = HEAD.replace('"1", "2"', '"0", "2"').replace("-1", "3") + FORWARD.replace("X @ W", "relu(X) @ W").replace(
    "Y @ Y.T", "sum(Y)"
)


def test_an_entry_at_a_kink_is_passed_over_unless_it_is_named() -> None:
    page = derive(loads(KINKED + backward('wrt = ["X"]'))).render("markdown")
    assert "add $0.001$ to $x_2$" in page
    named = derive(loads(KINKED + backward('check = "X[1,1]"'))).render("markdown")
    assert "kink near this value of $x_1$" in named


@pytest.mark.parametrize("option", [{"words": "none"}, {"detail": "result"}, {"carry": "rounded"}])
def test_pages_without_words_or_with_rounded_figures_have_no_check(option: dict[str, str]) -> None:
    carried = {key: value for key, value in option.items() if key == "carry"}
    shown = {key: value for key, value in option.items() if key != "carry"}
    page = derive(loads(HEAD + FORWARD + backward()), **carried).render("markdown", **shown)
    assert r"\partial L" in page
    assert "0.001" not in page
