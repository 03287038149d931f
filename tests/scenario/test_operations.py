"""Operations of one's own in a file: one like ours on every road. What is wrong with them is in ``wrong.txt``."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest
from sympy import ImmutableDenseMatrix, Rational, tanh

from symattn.api.worked import derive
from symattn.base import limits
from symattn.base.errors import FormulaError, ScenarioError, SymattnError
from symattn.course.generate import generate
from symattn.read.scenario.load import examine, loads

HEAD = 'title = "t"\n[sizes]\nk_0 = 2\n[given]\nX = [["1", "-2", "3"], ["1/2", "0", "4"]]\nb = [["1", "2", "3"]]\n'
NAMED = "[operation.mine]\n"
SECTION = '[[section]]\ntitle = "S"\nsteps = [{steps}]\n'


def file(parameters: str, equations: str, *steps: str, more: str = "") -> str:
    """A file with one operation, and steps that call it."""
    table = f"{NAMED}parameters = [{parameters}]\nequations = [{equations}]\n{more}"
    listed = ", ".join(f'"{step}"' for step in steps)
    return f"{HEAD}{table}{SECTION.format(steps=listed)}"


def test_everything_that_is_wrong_with_an_operation_is_told_with_its_line() -> None:
    text = file('"X"', '\n"t[i] = foo(X[i,1])",\n"u[i] = 1 +",\n"y[i,j] = X[i,j]"', "Y = mine(X)")
    _, found = examine(text, "lesson", "lesson.toml")

    assert [each.finding("lesson.toml", text).line for each in found] == [10, 11]
    with pytest.raises(
        FormulaError, match=r"lesson.toml, line 10, operation.mine.equations\[1\]: .* and 1 more problem"
    ):
        loads(text, path="lesson.toml")


def test_there_are_only_so_many_operations_and_equations() -> None:
    table = '[operation.f{}]\nparameters = ["X"]\nequations = ["y[i,j] = X[i,j]"]\n'
    many = "".join(table.format(number) for number in range(limits.OPERATIONS + 1))
    with pytest.raises(ScenarioError, match="operation: expected at most OPERATIONS = 100"):
        loads(f'title = "t"\n{many}')
    with pytest.raises(ScenarioError, match="equations: expected at most EQUATIONS = 40"):
        loads(file('"X"', ", ".join(f'"t{k}[i] = X[i,1]"' for k in range(41))))


def test_our_own_operation_may_be_said_again() -> None:
    """A lesson that brings an operation along outlives the version that has it."""
    text = file('"X", "c"', '"y[i,j] = c * tanh(X[i,j] / c)"', "Y = softcap(X, 5)").replace("mine", "softcap")

    assert loads(text).derivation["Y"].formula[0, 1].args[1].func is tanh


LESSON = """title = "One of {mine} and one of ours: {math: mine(X) @ X.T}"
[operation.mine]
parameters = ["X: m×n", "c = 1/2", "g: n = 1"]
equations = ["mu[i] = sum(k, X[i,k]) / n", "y[i,j] = c * (X[i,j] - mu[i]) * g[j]"]
page = { en = "centred", zh-Hant = "置中", zh-Hans = "置中" }
[given]
X = { value = [["1", "-2", "4"], ["1/2", "0", "4"]], axes = ["m", "n"] }
b = [["1", "2", "3"]]
[sizes]
m = 2
n = 3
[[section]]
title = "S"
steps = ["Y = mine(X, g=b)", "Z = softmax(mine(Y @ X.T, c=2))", { prove = ["mine(X + X)", "mine(X + X)"] }]
"""


def test_every_formula_of_a_file_may_call_it() -> None:
    scenario = loads(LESSON)

    assert str(scenario.derivation["Y"].shape) == "(m=2, n=3)"
    again = pickle.loads(pickle.dumps(scenario))  # noqa: S301
    assert again.derivation["Z"].formula == scenario.derivation["Z"].formula
    assert hash(again.derivation["Z"].formula) == hash(scenario.derivation["Z"].formula)
    assert again.derivation.operations == scenario.derivation.operations


def test_its_values_are_what_its_equations_say() -> None:
    values = derive(loads(LESSON))["Y"].exact

    assert values.row(1) == ImmutableDenseMatrix([[Rational(-1, 2), Rational(-3, 2), Rational(15, 4)]])


def test_an_exercise_takes_along_what_it_calls(tmp_path: Path) -> None:
    path = tmp_path / "lesson.toml"
    path.write_text(LESSON, encoding="utf-8")
    (exercise,) = generate(scenario=str(path), ask=("Y",))

    again = loads(exercise.source)
    assert list(again.derivation.operations) == ["mine"]
    assert again.derivation["Y"].formula == loads(LESSON).derivation["Y"].formula
    assert derive(again)["Y"].exact == derive(loads(LESSON))["Y"].exact


SCENARIO = """title = "T"

[operation.f]
parameters = [
  {parameters}
]
equations = [
  {equations}
]
{more}

[given]
S = [["1", "0"], ["-3", "2"]]

[[section]]
title = "S"
steps = ["T = {call}"]
"""


def scenario(*equations: str, parameters: str = '"X"', call: str = "f(S)", more: str = "") -> str:
    told = ",\n  ".join(f'"{each}"' for each in equations)
    return SCENARIO.format(parameters=parameters, equations=told, call=call, more=more)


@pytest.mark.parametrize(
    ("equation", "wanted"),
    [
        ("y[i,j] = X[i,j] % 2", (("1", "0"), ("1", "0"))),
        ("y[i,j] = (X[i,j] / 2) % 1", (("0.5", "0.0"), ("0.5", "0.0"))),
        ("y[i,j] = (X[i,j] - 4)^(-2)", (("0.1", "0.1"), ("0.0", "0.3"))),
    ],
)
def test_the_rest_of_a_division_and_a_negative_power_are_of_any_numbers(
    equation: str, wanted: tuple[tuple[str, ...], ...]
) -> None:
    solution = derive(loads(scenario(equation)))
    assert solution["T"].decimals(len(wanted[0][0].partition(".")[2])) == wanted
    assert solution.render("markdown", detail="entries")


def test_weights_of_nothing_are_0_for_a_softmax_and_refused_for_what_is_none() -> None:
    def with_rows(exponent: str) -> str:
        text = scenario(f"e[i,j] = exp({exponent})", "t[i] = sum(k, e[i,k])", "y[i,j] = e[i,j] / t[i]")
        return text.replace('["1", "0"]', '["-oo", "-oo"]').replace(
            "[given]", '[figures]\non_empty = "zero"\n\n[given]'
        )

    assert derive(loads(with_rows("X[i,j]")))["T"].decimals(0)[0] == ("0", "0")
    with pytest.raises(SymattnError, match=r"t\[i\] in .* is 0 for i = 1, and nothing can be divided by 0"):
        derive(loads(with_rows("X[i,j] / 2"))).render()


def test_a_row_of_zeros_that_is_left_out_stands_in_no_line() -> None:
    text = scenario(
        "y[i,j] = X[i,j] / 2 * g[j] + b[j]", parameters='"X: m×d", "g: d = 1", "b: d = 0"', call="f(S, g=G)"
    )
    page = derive(loads(text.replace("[given]", '[given]\nG = [["3", "1"]]'))).render()
    assert r"t_{11} &= " not in page
    assert r"t_{11} = \frac{1}{2}\cdot 3 = 1.5" in page
