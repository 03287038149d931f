"""Operations of one's own in a file: what is wrong is told at its equation, and what is right is one like ours."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest
from sympy import ImmutableDenseMatrix, Rational, tanh

from symattn import limits
from symattn.api import derive
from symattn.errors import FormulaError, ScenarioError
from symattn.exercise.generate import generate
from symattn.scenario.load import examine, loads

HEAD = 'title = "t"\n[sizes]\nk_0 = 2\n[given]\nX = [["1", "-2", "3"], ["1/2", "0", "4"]]\nb = [["1", "2", "3"]]\n'
NAMED = "[operation.mine]\n"
SECTION = '[[section]]\ntitle = "S"\nsteps = [{steps}]\n'


def file(parameters: str, equations: str, *steps: str, more: str = "") -> str:
    """A file with one operation, and steps that call it."""
    table = f"{NAMED}parameters = [{parameters}]\nequations = [{equations}]\n{more}"
    listed = ", ".join(f'"{step}"' for step in steps)
    return f"{HEAD}{table}{SECTION.format(steps=listed)}"


def problem(text: str) -> tuple[tuple[str | int, ...], str]:
    """The one thing that is wrong with a file."""
    _, found = examine(text, "lesson", "lesson.toml")
    assert len(found) == 1, [each.message for each in found]
    return found[0].key, found[0].message


SAID = "operation mine: "
EQUATIONS = ("operation", "mine", "equations")

WRONG: list[tuple[str, str, str, tuple[str | int, ...], str]] = [
    ('"X"', '"y[i,j] = X[i,k]"', "", (*EQUATIONS, 0),
     "equation 'y[i,j] = X[i,k]': the index k is bound nowhere: expected it on the left, or in sum(k, …)"),
    ('"X"', '"y[i,j] = sum(k, X[i,j])"', "", (*EQUATIONS, 0),
     "equation 'y[i,j] = sum(k, X[i,j])': sum(k, …) goes over k in vain: nothing in it depends on k"),
    ('"X", "c"', '"y[i,j] = X[i,j]"', "", EQUATIONS[:2], "the parameter c is never used"),
    ('"X", "X"', '"y[i,j] = X[i,j]"', "", ("operation", "mine", "parameters", 1),
     "X is defined twice; every parameter and equation has its own name"),
    ('"X"', '"t[i] = X[i,1]", "t[i] = X[i,2]", "y[i,j] = X[i,j] / t[i]"', "", (*EQUATIONS, 1),
     "t is defined twice; every parameter and equation has its own name"),
    ('"X"', '"y[i,j] = X[i,j] / t[i]", "t[i] = sum(k, X[i,k])"', "", (*EQUATIONS, 0),
     "equation 'y[i,j] = X[i,j] / t[i]': t is defined by a later equation: put that one above"),
    ('"X"', '"y[i,j] = y[i,j] + X[i,j]"', "", (*EQUATIONS, 0),
     "equation 'y[i,j] = y[i,j] + X[i,j]': y is defined by itself: an equation needs what stands above it only"),
    ('"X"', '"y[i,j] = mine(X[i,j])"', "", (*EQUATIONS, 0),
     "equation 'y[i,j] = mine(X[i,j])': 'mine(X[i,j])': mine is defined by itself: an equation needs what stands above "
     "it only"),
    ('"X"', '"t[i] = X[i,1]", "y[i,j] = X[i,j]"', "", (*EQUATIONS, 0),
     "equation 't[i] = X[i,1]': nothing needs t; the last equation is the result"),
    ('"X: m×d"', '"y[i,j] = X[i,j]"', 'shape = "m×m"\n', EQUATIONS[:2],
     "the shape of the result does not follow: the same index goes over d in X and over m in the result"),
    ('"X: m×(2*h)"', '"y[i,j] = X[i,j] + h"', "", EQUATIONS[:2],
     "how long h is does not follow: expected it as an axis of its own of what is always given, as in X: m×h, or as a "
     "parameter, h: size"),
    ('"X"', '"y[i,j] = X[i,0]"', "", (*EQUATIONS, 0),
     "equation 'y[i,j] = X[i,0]': X has no entry 0: rows and columns count from 1"),
    ('"X", "mu"', '"y[i,j] = X[i,mu[j]]"', "", (*EQUATIONS, 0),
     "equation 'y[i,j] = X[i,mu[j]]': a place of X is no whole number: expected indices, sizes and whole numbers"),
    ('"X"', '"y[i,j] = X[i,j]^65"', "", (*EQUATIONS, 0),
     "equation 'y[i,j] = X[i,j]^65': 'X[i,j]^65': the exponent 65 is larger than SYMBOL_EXPONENT = 64"),
    ('"X"', '"y[i,j] = X[i,j] + 9^9^9"', "", (*EQUATIONS, 0),
     "equation 'y[i,j] = X[i,j] + 9^9^9': '9^9^9': this has more than POWER_DIGITS = 3000 digits"),
    ('"X"', f'"y[i,j] = {"-" * 70}X[i,j]"', "", (*EQUATIONS, 0),
     f"equation 'y[i,j] = {'-' * 51}…': nested deeper than FORMULA_DEPTH = 60"),
    ('"X", "c = X"', '"y[i,j] = c * X[i,j]"', "", ("operation", "mine", "parameters", 1),
     "parameter c: 'X' is no number: expected a number such as 1/2 or -oo"),
    ('"*X: n×a", "c"', '"y[i,j] = c * X[i,j]"', 'shape = "n×sum(a)"\n', EQUATIONS[:2],
     "*X stands for any number of matrices: expected it alone, with one equation, put together along one axis, as in "
     "*X: n×a and the shape n×sum(a)"),
]  # fmt: skip


@pytest.mark.parametrize(("parameters", "equations", "more", "key", "sentence"), WRONG, ids=[row[-1] for row in WRONG])
def test_a_mistake_is_told_at_its_equation(
    parameters: str, equations: str, more: str, key: tuple[str | int, ...], sentence: str
) -> None:
    """And that the operation is not there is no mistake of its own."""
    assert problem(file(parameters, equations, "Y = mine(X)", more=more)) == (key, SAID + sentence)


AT_HAND: list[tuple[str, str, str, str]] = [
    ('"X: m×n"', '"y[i,j] = X[i,j + 1]"', "mine(X)",
     "X is (2, 3): X[i,j + 1] asks for column 4: expected a column from 1 to 3"),
    ('"X", "t: whole"', '"y[j] = X[t,j]"', "mine(X, 3)", "X is (2, 3): expected a row from 1 to 2"),
    ('"X: m×d"', '"y[i,j] = X[i,d / 2] + X[i,j]"', "mine(X)", "X is (2, 3): d/2 is 3/2: expected a whole number"),
    ('"X", "c = 1"', '"y[i,j] = X[i,j] / (c - 2)"', "mine(X, c=2)",
     "equation 'y[i,j] = X[i,j] / (c - 2)': division by zero: c - 2 is 0"),
    ('"X: m×n"', '"y[i,j] = X[i,j] / (n - 3)"', "mine(X)",
     "equation 'y[i,j] = X[i,j] / (n - 3)': division by zero: n - 3 is 0"),
    ('"X: m×n"', '"y[i,j] = X[i,1 + j % (n - 3)] + X[i,j]"', "mine(X)",
     "division by zero in a place, a length or a condition"),
    ('"X", "c"', '"y[i,j] = c * X[i,j]"', "mine(X, oo)", "c is oo: expected a finite number"),
    ('"X: m×n", "Z: m×n"', '"y[i,j] = X[i,j] + Z[i,j]"', "mine(X, b)",
     "X is (2, 3), b is (1, 3): expected the same shape; broadcast(b, 2) has the rows"),
    ('"X: m×n", "Z: n×p"', '"y[i,j] = sum(k, X[i,k] * Z[k,j])"', "mine(X, b)",
     "X is (2, 3), b is (1, 3): the columns of the first are 3, the rows of the second 1"),
    ('"X: n×n"', '"y[i,j] = X[i,j]"', "mine(X)", "X is (2, 3): expected as many rows as columns"),
    ('"X: m×1"', '"y[i,j] = X[i,j]"', "mine(X)", "X is (2, 3): expected 1 column"),
    ('"X", "g: n = 1"', '"y[i,j] = X[i,j] * g[j]"', "mine(X, g=X)", "X is (2, 3): expected one row, (1, …)"),
    ('"n: size"', '"y[i,j] = 1 if i < j + n else 0"', "mine(0)", "0 is not a size: expected a whole number from 1 up"),
]  # fmt: skip


@pytest.mark.parametrize(("parameters", "equations", "call", "sentence"), AT_HAND, ids=[row[-1] for row in AT_HAND])
def test_what_does_not_fit_the_sizes_and_numbers_at_hand_is_told_at_the_step(
    parameters: str, equations: str, call: str, sentence: str
) -> None:
    more = 'shape = "n×n"\n' if call == "mine(0)" else 'shape = "m×n"\n' if "j + 1" in sentence else ""
    key, message = problem(file(parameters, equations, f"Y = {call}", more=more))

    assert key == ("section", 0, "steps", 0)
    assert message.startswith("step Y: mine(")
    assert message.endswith(f": {sentence}")


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("softmax", "softmax is a function of formulas already, and another one: give the operation another name"),
        ("sqrt", "sqrt is a function of formulas already, and another one: give the operation another name"),
        ("X", "X is also the name of what stands at given.X: give one of them another name"),
        ("Y", "Y is also the name of what stands at section[1].steps[1]: give one of them another name"),
        ("k_0", "k_0 is also the name of a size or a symbol: give one of them another name"),
        ("for", "'for' cannot name an operation: expected a letter, then letters, digits and underscores (at most 40)"),
    ],
)
def test_a_name_stands_for_one_thing(name: str, sentence: str) -> None:
    text = file('"X"', '"y[i,j] = X[i,j] + 1"', "Y = X").replace("operation.mine", f"operation.{name}")

    assert problem(text) == (("operation", name), sentence)


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
