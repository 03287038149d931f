"""Axes, definitions and the derivation: what fits, and where it does not."""

from __future__ import annotations

import tomllib

import pytest

from symattn import limits
from symattn.derivation import Plan
from symattn.errors import FormulaError, ScenarioError, ShapeError, SymattnError
from symattn.scenario import schema
from symattn.scenario.lines import key_text
from symattn.scenario.plan import definitions, derive, read_axes
from symattn.scenario.problem import Problem

TITLE = 'title = "t"\n'
X = 'given.X = [["1", "2"], ["3", "4"]]\n'


def plan(text: str) -> Plan:
    file = schema.read(tomllib.loads(TITLE + text))
    return derive(file, read_axes(file), definitions(file))


def steps(*items: str) -> str:
    return X + "[[section]]\ntitle = 's'\nsteps = [" + ", ".join(items) + "]"


def test_only_axes_names_axes() -> None:
    text = """
    tokens = ["a", "b"]
    token_axis = "L"
    sizes.d = 2
    labels.v = ["x", "y", "z"]
    given.E = [["1", "2"], ["3", "4"]]
    given.P = {value = [["1", "2"], ["3", "4"]], axes = ["L", "d"]}
    given.b = {value = [["1", "2", "3"]], axes = ["1", "v"]}
    """
    derivation = plan(text)
    assert [str(step.shape) for step in derivation.steps] == ["(2, 2)", "(L=2, d=2)", "(1, v=3)"]
    assert derivation.sizes == {"L": 2, "d": 2, "v": 3}


def test_givens_come_first_then_general_names_then_steps() -> None:
    derivation = plan(
        'general.x = ["1", "p"]\nsizes.d = 2\n' + steps("'Y = X.T'", "{step = ' Z=X @ Y '}", "'s = dot(x, x)'")
    )
    assert [step.name for step in derivation.steps] == ["X", "x", "Y", "Z", "s"]
    assert [step.name for step in derivation.steps if step.general] == ["x", "s"]
    assert str(derivation["x"].shape) == "(1, p)"
    assert derivation.sizes == {"p": "p", "d": 2}


@pytest.mark.parametrize(
    ("text", "key", "message", "kind"),
    [
        (
            "token_axis = '2n'",
            "token_axis",
            "'2n' cannot name an axis: expected a letter, then letters, digits",
            ScenarioError,
        ),
        ("sizes.'a b' = 1", "sizes.'a b'", "'a b' cannot name an axis", ScenarioError),
        ("sizes.softmax = 1", "sizes.softmax", "'softmax' cannot name an axis", ScenarioError),
        ("labels.oo = ['a']", "labels.oo", "'oo' cannot name an axis", ScenarioError),
        (
            "tokens = ['a', 'b']\nsizes.n = 3",
            "sizes.n",
            "n has its size from its 2 labels already: leave it out here, or give token_axis another name",
            ScenarioError,
        ),
        ("labels.v = ['a']\nsizes.v = 3", "sizes.v", "v has its size from its 1 labels already", ScenarioError),
        (
            "tokens = ['a']\nlabels.n = ['a']",
            "labels.n",
            "n is the token axis, and the tokens are its labels",
            ScenarioError,
        ),
        ("given.'2X' = [['1']]", "given.2X", "'2X' cannot name a matrix: expected a letter", ScenarioError),
        ("given.softmax = [['1']]", "given.softmax", "'softmax' cannot name a matrix", ScenarioError),
        (
            "sizes.X = 2\n" + X,
            "given.X",
            "X is already the name of a size: give the matrix another name",
            ScenarioError,
        ),
        (
            "sizes.d = 3\ngiven.E = {value = [['1']], axes = ['1', 'd']}",
            "given.E.axes[2]",
            "expected d = 3 for the columns, came 1",
            ScenarioError,
        ),
        (
            "given.E = {value = [['1'], ['2']], axes = ['1', '1']}",
            "given.E.axes[1]",
            "expected 1 for the rows, came 2",
            ScenarioError,
        ),
        (
            "sizes.d_k = 1\ngiven.E = {value = [['1']], axes = ['1', 'dk']}",
            "given.E.axes[2]",
            "unknown axis 'dk': did you mean 'd_k'? known: 1, d_k",
            ScenarioError,
        ),
        ("general.x = ['1', '0']", "general.x[2]", "'0' cannot name an axis", ScenarioError),
        (
            "general.X = ['1', 'n']\n" + X,
            "general.X",
            "X is already defined at given.X: give this one another name",
            ScenarioError,
        ),
        (
            steps("'X = X.T'"),
            "section[1].steps[1]",
            "X is already defined at given.X: give this one another name",
            ScenarioError,
        ),
        (
            steps("'Y = X.T'", "{step = 'Y = X'}"),
            "section[1].steps[2].step",
            "Y is already defined at section[1].steps[1]",
            ScenarioError,
        ),
        (steps("{step = 'Y'}"), "section[1].steps[1].step", "expected name = formula, came 'Y'", ScenarioError),
        (steps("'softmax(X, y=2)'"), "section[1].steps[1]", "'softmax(X, y' cannot name a matrix", ScenarioError),
        (steps("'Y = '"), "section[1].steps[1]", "step Y: formula '': is empty", FormulaError),
        (
            steps("'Y = X +'"),
            "section[1].steps[1]",
            "step Y: formula 'X +': is not a formula: it ends with +, and what comes after is missing",
            FormulaError,
        ),
        (
            steps("'Y = sofmax(X)'"),
            "section[1].steps[1]",
            "unknown function 'sofmax': did you mean 'softmax'?",
            FormulaError,
        ),
        (
            steps("'Y = X + P'"),
            "section[1].steps[1]",
            "step Y: formula 'X + P': unknown name 'P': known: X",
            FormulaError,
        ),
        (
            steps("'Y = Y + X'"),
            "section[1].steps[1]",
            "unknown name 'Y': known: X; Y cannot stand in its own formula",
            FormulaError,
        ),
        (
            steps("'Y = X + Z'", "'Z = X.T'"),
            "section[1].steps[1]",
            "unknown name 'Z': known: X; Z is defined later, at section[1].steps[2]",
            FormulaError,
        ),
        (
            steps("'y = row(X, 1)'", "'Z = X + y'"),
            "section[1].steps[2]",
            "step Z: X + y: X is (2, 2), y is (1, 2): rows differ, 2 and 1; broadcast(y, 2) has the rows",
            ShapeError,
        ),
        (steps("'Y = 2'"), "section[1].steps[1]", "this is a number, expected a matrix", FormulaError),
        (steps("'Y = X / 10^10^10'"), "section[1].steps[1]", "more than POWER_DIGITS = 3000 digits", FormulaError),
    ],
)
def test_what_does_not_fit(text: str, key: str, message: str, kind: type[SymattnError]) -> None:
    with pytest.raises(Problem) as problem:
        plan(text)
    assert key_text(problem.value.key) == key
    assert message in problem.value.message
    assert problem.value.kind is kind


def test_a_product_has_the_limit_of_a_matrix(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "given.u = [['1', '2', '3']]\n[[section]]\ntitle = 's'\nsteps = ['Y = u.T @ u']"
    assert plan(text)["Y"].shape.sizes == (3, 3)
    monkeypatch.setattr(limits, "MATRIX_ENTRIES", 8)
    with pytest.raises(Problem, match="more than MATRIX_ENTRIES = 8 entries"):
        plan(text)
