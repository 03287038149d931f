"""What a file may say of its numbers: own operations, symbols, rounded givens, checks of gradients."""

from __future__ import annotations

import pickle
from dataclasses import replace
from fractions import Fraction
from math import sqrt as root
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sympy import Expr, ImmutableDenseMatrix, Matrix, Rational, Symbol, cos, sqrt, tanh

from symattn.api.authoring import Derivation
from symattn.api.worked import derive
from symattn.base import limits
from symattn.base.errors import FormulaError, ScenarioError, SymattnError
from symattn.course.generate import generate
from symattn.operations.symbols import entry_symbol, needs_of, tidy
from symattn.read.formula import read_number
from symattn.read.given import Given
from symattn.read.scenario.build import with_backward
from symattn.read.scenario.load import examine, loads
from symattn.read.scenario.model import GradientCheckItem, Scenario
from symattn.read.scenario.problem import Problem
from symattn.read.scenario.rounded import bounds, check_rounded, half_unit, row_sum
from tests.document.lessons import lesson

# -- operations of one's own: one like ours on every road --------------------------------------------------------------


GIVENS = 'title = "t"\n[sizes]\nk_0 = 2\n[given]\nX = [["1", "-2", "3"], ["1/2", "0", "4"]]\nb = [["1", "2", "3"]]\n'


def file(parameters: str, equations: str, *steps: str, more: str = "") -> str:
    """A file with one operation, and steps that call it."""
    table = f"[operation.mine]\nparameters = [{parameters}]\nequations = [{equations}]\n{more}"
    listed = ", ".join(f'"{step}"' for step in steps)
    return f'{GIVENS}{table}[[section]]\ntitle = "S"\nsteps = [{listed}]\n'


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


def test_every_formula_of_a_file_may_call_it_and_has_the_values_of_its_equations() -> None:
    scenario = loads(LESSON)
    assert str(scenario.derivation["Y"].shape) == "(m=2, n=3)"
    again = pickle.loads(pickle.dumps(scenario))  # noqa: S301
    assert again.derivation["Z"].formula == scenario.derivation["Z"].formula
    assert hash(again.derivation["Z"].formula) == hash(scenario.derivation["Z"].formula)
    assert again.derivation.operations == scenario.derivation.operations
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


def scenario(
    *equations: str, parameters: str = '"X"', call: str = "f(S)", given: str = "S = 1, 0; -3, 2", head: str = ""
) -> str:
    told = ", ".join(f'"{each}"' for each in equations)
    return lesson(
        f"T = {call}", given, f"{head}\noperation.f = {{ parameters = [{parameters}], equations = [{told}] }}"
    )


@pytest.mark.parametrize(("equation", "wanted"), [
    ("y[i,j] = X[i,j] % 2", (("1", "0"), ("1", "0"))),
    ("y[i,j] = (X[i,j] / 2) % 1", (("0.5", "0.0"), ("0.5", "0.0"))),
    ("y[i,j] = (X[i,j] - 4)^(-2)", (("0.1", "0.1"), ("0.0", "0.3"))),
])  # fmt: skip
def test_the_rest_of_a_division_and_a_negative_power_are_of_any_numbers(
    equation: str, wanted: tuple[tuple[str, ...], ...]
) -> None:
    solution = derive(loads(scenario(equation)))
    assert solution["T"].decimals(len(wanted[0][0].partition(".")[2])) == wanted
    assert solution.render("markdown", detail="entries")


def test_weights_of_nothing_are_0_for_a_softmax_and_refused_for_what_is_none() -> None:
    def with_rows(exponent: str) -> str:
        equations = f"e[i,j] = exp({exponent})", "t[i] = sum(k, e[i,k])", "y[i,j] = e[i,j] / t[i]"
        return scenario(*equations, given="S = -oo, -oo; -3, 2", head='figures.on_empty = "zero"')

    assert derive(loads(with_rows("X[i,j]")))["T"].decimals(0)[0] == ("0", "0")
    with pytest.raises(SymattnError, match=r"t\[i\] in .* is 0 for i = 1, and nothing can be divided by 0"):
        derive(loads(with_rows("X[i,j] / 2"))).render()


def test_a_row_of_zeros_that_is_left_out_stands_in_no_line() -> None:
    named = '"X: m×d", "g: d = 1", "b: d = 0"'
    equation, given = "y[i,j] = X[i,j] / 2 * g[j] + b[j]", "S = 1, 0; -3, 2 | G = 3, 1"
    page = derive(loads(scenario(equation, parameters=named, call="f(S, g=G)", given=given))).render()
    assert r"t_{11} &= " not in page
    assert r"t_{11} = \frac{1}{2}\cdot 3 = 1.5" in page


# -- letters for numbers, read by the same reader as numbers -----------------------------------------------------------


A, B, T = map(entry_symbol, "abt")
NAMES = ("a", "b", "t")


@pytest.mark.parametrize(("text", "value"), [
    ("a", A),
    ("2*t", 2 * T),
    ("(a+b)/2", A / 2 + B / 2),
    ("sqrt(2)*t", sqrt(2) * T),
    ("a^2", A**2),
    ("-a/t", -A / T),
    ("(a + b)^2 - (a - b)^2", 4 * A * B),
    ("a - a", Rational(0)),
    ("0.21*a", Rational(21, 100) * A),
])  # fmt: skip
def test_entries_with_symbols_are_read_exactly(text: str, value: Expr) -> None:
    assert read_number(text, NAMES) == value


def test_symbols_are_real_numbers() -> None:
    assert read_number("a", NAMES).is_real
    assert read_number("sqrt(a^2)", NAMES) == abs(A)


def test_sympy_expressions_are_taken_with_their_names_and_nothing_else() -> None:
    positive = Symbol("a", positive=True)
    assert Given.read([[positive**2 / 2, "b"]], NAMES).values == ((A**2 / 2, B),)
    for wrong in (positive + 0.5, Symbol("z"), cos(positive)):
        with pytest.raises(FormulaError):
            Given.read([[wrong]], NAMES)


# -- anything at all

LEAVES = st.sampled_from(["a", "b", "t", "1", "2", "0.5", "-3", "7"])


def _pair(parts: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    binary = st.tuples(parts, st.sampled_from("+-*/"), parts).map(lambda p: f"({p[0]}){p[1]}({p[2]})")
    power = st.tuples(parts, st.sampled_from(["2", "3", "-1"])).map(lambda p: f"({p[0]})^{p[1]}")
    return st.one_of(binary, power, parts.map(lambda part: f"sqrt(({part})^2 + 1)"))


TEXTS = st.recursive(LEAVES, _pair, max_leaves=8)
"""Numbers in symbols as people write them."""


def in_floats(text: str, values: dict[str, float]) -> float:
    """What Python makes of a text of this grammar: the second road."""
    return float(eval(text.replace("^", "**"), {"__builtins__": {}, "sqrt": root}, values))  # noqa: S307


@settings(max_examples=40, deadline=None, derandomize=True)
@given(TEXTS)
def test_what_is_read_is_what_python_makes_of_it(text: str) -> None:
    try:
        value = read_number(text, NAMES)
    except SymattnError:
        return
    numbers = {"a": Fraction(7, 5), "b": Fraction(-11, 13), "t": Fraction(17, 3)}
    try:
        expected = in_floats(text, {name: float(number) for name, number in numbers.items()})
    except (ZeroDivisionError, OverflowError):
        return
    put_in = {entry_symbol(name): Rational(number.numerator, number.denominator) for name, number in numbers.items()}
    found = complex(value.xreplace(put_in).evalf(30))
    assert abs(found - expected) <= 1e-6 * max(1, abs(expected))
    assert tidy(value) == value or tidy(tidy(value)) == tidy(value)
    list(needs_of(value))


# -- numbers in a file


def substituted(numbers: str) -> Scenario:
    given = 'title = "t"\nsymbols = ["a", "t"]\n[given]\nX = [["a", "1/t"]]'
    steps = '[[section]]\ntitle = "s"\nsteps = ["Y = X / t"]'
    return loads(f"{given}\n{steps}\n[substitute]\n{numbers}", path="lesson.toml")


def test_a_file_puts_numbers_in_the_place_of_symbols() -> None:
    assert derive(substituted("t = 2"))["Y"].exact == Matrix([[A / 2, Rational(1, 4)]])
    assert derive(substituted('t = "2"')).render() == derive(substituted("")).substitute(t="2").render()
    assert derive(substituted('t = "0.1"\na = "sqrt(2)"'))["Y"].decimals(3) == (("14.142", "100.000"),)


# -- rounded givens and their row sums ---------------------------------------------------------------------------------


GIVEN_A = 'title = "t"\n[given.A]\n'
ROWS = 'value = [["0.3417", "0.2756", "0.3828"], ["0.3028", "0.3760", "0.3212"]]\n'


def test_a_given_is_exact_unless_it_says_that_it_is_rounded() -> None:
    scenario = loads(GIVEN_A + ROWS + 'rounded = true\nrow_sums = "1"')
    matrix = scenario.givens["A"].given
    assert (matrix.rounded, matrix.row_sum) == (True, 1)
    assert matrix.texts[1][1] == "0.3760"
    for text in (GIVEN_A + ROWS, GIVEN_A + ROWS + "rounded = false", 'title = "t"\n[given]\nA = [["0.5"]]'):
        matrix = loads(text).givens["A"].given
        assert (matrix.rounded, matrix.row_sum) == (False, None)


@pytest.mark.parametrize(
    ("text", "half"), [("0.3028", "1/20000"), ("1.0000", "1/20000"), ("3", "1/2"), ("-0.5", "1/20"), ("0.0", "1/20")]
)
def test_a_figure_stands_for_half_a_unit_of_its_last_decimal_to_both_sides(text: str, half: str) -> None:
    assert half_unit(text) == Rational(half)
    ((low, high),) = bounds(Given.read([[text]]))[0]
    assert (low + high) / 2 == Rational(text)
    assert (high - low) / 2 == Rational(half)


def test_a_row_may_miss_its_sum_by_as_much_as_rounding_explains_and_no_more() -> None:
    at_the_edge = Given.read([["0.34", "0.33", "0.345"]])  # 1.015, and rounding explains 0.0105
    with pytest.raises(Problem, match=r"row 1 cannot sum to 1: its figures add up to 1\.015, .* at most 0\.0105"):
        check_rounded(at_the_edge, Rational(1))
    check_rounded(Given.read([["0.5", "0.49"], ["0.50", "0.51"]]), Rational(1))
    check_rounded(Given.read([["0.50", "0.51"]]), Rational(1))  # exactly 0.01 too much, exactly what two halves explain


weights = st.lists(st.integers(1, 10**6), min_size=1, max_size=6)


@settings(max_examples=40)
@given(weights=weights, places=st.integers(0, 6))
def test_weights_that_sum_to_one_are_never_refused_once_they_are_rounded(weights: list[int], places: int) -> None:
    shares = [Fraction(weight, sum(weights)) for weight in weights]
    texts = [f"{round(share * 10**places):0{places + 1}d}" for share in shares]
    figures = [text[: len(text) - places] + ("." + text[len(text) - places :] if places else "") for text in texts]
    check_rounded(Given.read([figures]), Rational(1))


def test_the_sum_of_a_row_and_what_rounding_explains_have_no_zeros_at_the_end() -> None:
    matrix = replace(Given.read([["0.3028", "0.3760", "0.3212"], ["0.5", "0.50", "1"]]), rounded=True)
    assert row_sum(matrix, 0) == ("1", "0.00015")
    assert row_sum(matrix, 1) == ("2", "0.555")


# -- which gradients are checked by a moved entry, and where -----------------------------------------------------------


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


@pytest.mark.parametrize(("tables", "expected"), [
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
])  # fmt: skip
def test_each_loss_is_checked_once_behind_its_gradients(tables: str, expected: list[tuple[str, str, str]]) -> None:
    assert checks(loads(HEAD + FORWARD + tables)) == expected


def test_a_lesson_without_gradients_gets_a_check_with_them_and_no_second_one() -> None:
    scenario = with_backward(loads(HEAD + FORWARD), "L")
    assert checks(scenario) == [("2", "L", "")]
    assert checks(with_backward(loads(HEAD + FORWARD + backward('wrt = ["W"]')), "L", ["X"])) == [("2", "L", "")]


@pytest.mark.parametrize(("tables", "said"), [
    (
        backward('check = "W"'),
        "line 11, backward[1].check: 'W': expected an entry such as W[2,1], row and column counted",
    ),
    (backward('check = "W[3,1]"'), "backward[1].check: W is (2, 2): expected a row and a column in it, came [3, 1]"),
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
])  # fmt: skip
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
