"""Programs at the end of a solution: which names they compute, what they print, what is refused, where they stand."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from click.testing import CliRunner

import symattn
from symattn.base.errors import NoValueError, ScenarioError, SymattnError, UndecidedError, UnknownNameError
from symattn.base.shapes import shape
from symattn.cli import main
from symattn.compute.codegen import LANGUAGES, programs, results, single
from symattn.compute.codegen.double import computed
from symattn.compute.solution.evaluation import Evaluation
from symattn.read.given import Given
from symattn.read.plan import Plan
from symattn.read.scenario.load import loads
from symattn.read.scenario.model import Programs

Solve = Callable[..., Evaluation]

GOOD = {"X": [["1", "3", "2"], ["1", "1", "3"], ["1", "2", "1"]]}


def output(solution: Evaluation, *names: str, key: str = "numpy") -> str:
    return programs(solution, [key], names)[0].output


# -- what is printed ---------------------------------------------------------------------------------------------


def test_names_and_rows_with_the_decimals_of_the_solution(solve: Solve) -> None:
    solution = solve(GOOD, "W = softmax(X @ X.T)", "Z = W @ X", "D = X - 2 * Z", decimals=4)
    assert output(solution, "Z", "D").splitlines() == [
        "Z",
        "1.0000  2.9577  2.0113",
        "1.0000  1.5401  2.7226",
        "1.0000  2.8642  2.0000",
        "D",
        "-1.0000  -2.9154  -2.0226",
        "-1.0000  -2.0803  -2.4451",
        "-1.0000  -3.7283  -3.0000",
    ]


def test_a_true_zero_is_zero_whatever_the_program_makes_of_it(solve: Solve) -> None:
    solution = solve({"X": [["0.3"]]}, "S = X - 0.1 * X - 0.9 * X", "T = -1 * S")
    assert output(solution, "S", "T") == "S\n0.000000\nT\n0.000000"


def test_infinities_are_written_as_each_language_writes_them(solve: Solve) -> None:
    solution = solve({"X": [["1", "-oo"], ["oo", "-2"]]}, "Y = 2 * X", decimals=1)
    expected = {"numpy": "inf", "torch": "inf", "r": "Inf", "julia": "Inf", "javascript": "Infinity"}
    for key, infinity in expected.items():
        lines = [" ".join(line.split()) for line in output(solution, "Y", key=key).splitlines()]
        assert lines == ["Y", f"2.0 -{infinity}", f"{infinity} -4.0"]


@pytest.mark.parametrize(("number", "decimals", "shown"), [("1/8", 2, "0.125"), ("0.15", 1, "0.15"), ("5/2", 1, "2.5")])
def test_a_tie_is_printed_with_one_decimal_more(number: str, decimals: int, shown: str, solve: Solve) -> None:
    """A page rounds a tie up, a program to even or by what its binary number happens to be."""
    solution = solve({"X": [[number]]}, "Y = X.T", decimals=decimals)
    made = programs(solution, LANGUAGES, ["Y"])
    assert {program.output for program in made} == {f"Y\n{shown}"}
    places = len(shown.partition(".")[2])
    assert all(f".{places}f" in each.code or f".toFixed({places})" in each.code for each in made)


def test_a_program_prints_no_more_decimals_than_it_has(solve: Solve) -> None:
    figures = output(solve({"X": [["1/3", "1"]]}, "Y = X + X", decimals=50), "Y").splitlines()[1].split()

    assert figures == ["0." + "6" * (len(figures[0]) - 3) + "7", "2." + "0" * (len(figures[0]) - 2)]
    assert 12 <= len(figures[0]) - 2 <= 16


def test_what_double_precision_cannot_tell_is_refused(solve: Solve) -> None:
    million = solve({"X": [["10^9/3", "1"]]}, "Y = X + X", decimals=7)
    with pytest.raises(UndecidedError, match=r"^Y\[1,1\]: the digits that a program prints cannot be decided with 7 d"):
        output(million, "Y")
    with pytest.raises(UndecidedError, match=r"^S\[1,2\]: what a program prints cannot be decided: double precision"):
        output(solve({"X": [["0", "1"], ["1", "0"]]}, "S = X @ causal_mask(2)"), "S")


def test_what_holds_free_symbols_is_refused() -> None:
    plan = Plan((), {}, ("a",)).given("X", shape(1, 2)).given("Y", shape(1, 1))
    plan = plan.step("S", "X @ X.T").step("T", "3 * Y")
    solution = Evaluation(plan, {"X": Given.read([["a", "1"]], ("a",)), "Y": Given.read([["2"]])})
    assert results(solution) == ("T",)
    assert output(solution, "T").splitlines() == ["T", "6.000000"]
    for key in LANGUAGES:
        with pytest.raises(NoValueError, match=r"^S: X holds free symbols \(a\): a program computes with numbers"):
            single(solution, key, "S")


def test_a_row_without_weights_is_refused(solve: Solve) -> None:
    """−∞ minus itself is no number, also where there is only one score in the row."""
    with pytest.raises(UndecidedError, match="double precision loses every digit"):
        output(solve({"X": [["-oo"]]}, "S = softmax(X)"), "S")


def test_sums_may_be_taken_in_any_order(solve: Solve) -> None:
    """From the outside in, the 1 is lost."""
    solution = solve({"x": [["10^17", "-10^17", "1"]], "y": [["1", "1", "1"]]}, "d = dot(x, y)", "whole = dot(y, y)")
    with pytest.raises(UndecidedError):
        output(solution, "d")
    assert computed(solution, ["whole"])["whole"].entries()[0].is_exact()


def test_a_number_may_be_multiplied_into_the_first_factor(solve: Solve) -> None:
    """c A B is c (A B) in R, and (c A) B in Python and Julia, where 1/3 of a large number is rounded first."""
    solution = solve({"x": [["10^12", "10^12 + 7"]], "y": [["3"], ["-3"]]}, "d = 1/3 * x @ y")
    with pytest.raises(UndecidedError):
        output(solution, "d")


def test_layer_norm_may_divide_before_it_subtracts(solve: Solve) -> None:
    solution = solve({"X": [["10^12", "10^12 + 1", "10^12 + 2"]]}, "N = layer_norm(X)")
    with pytest.raises(UndecidedError):
        output(solution, "N")


@pytest.mark.parametrize("use", ["angle(X, X)", "angle(X, -X)", "cosine(X, X)"])
def test_angles_keep_their_digits_near_0_and_180(use: str, solve: Solve) -> None:
    solution = solve({"X": [["0.1", "0.2", "0.7"], ["0.3", "-0.1", "1/7"]]}, f"S = {use}", decimals=10)
    exact = {"angle(X, X)": "0", "angle(X, -X)": "180", "cosine(X, X)": "1"}[use]
    assert output(solution, "S").splitlines()[1].split()[0] == f"{exact}.0000000000"


def test_a_program_does_not_carry_rounded_figures(solve: Solve) -> None:
    steps = ("W = softmax(X @ X.T)", "Z = W @ X")
    rounded = solve(GOOD, *steps, carry="rounded", decimals=1)
    assert output(rounded, "Z") == output(solve(GOOD, *steps, decimals=1), "Z")


# -- which names -------------------------------------------------------------------------------------------------


def test_results_are_the_steps_that_no_other_uses(solve: Solve) -> None:
    solution = solve(GOOD, "S = X @ X.T", "A = softmax(S)", "T = S.T", "Z = A @ X", "N = norm(X)")
    assert results(solution) == ("T", "Z", "N")


def test_nothing_to_compute_is_one_sentence(solve: Solve) -> None:
    with pytest.raises(SymattnError, match=r"^there is nothing to compute: a program needs a scenario with steps"):
        results(solve(GOOD))


def test_general_names_are_no_results(solve: Solve) -> None:
    plan = Plan().given("x", shape(1, "n"), general=True).step("s", "dot(x, x)")
    general = Evaluation(plan, {})
    with pytest.raises(SymattnError, match="nothing to compute"):
        results(general)
    with pytest.raises(NoValueError, match=r"^s is general: it has the shape \(1, 1\) and no numbers$"):
        output(general, "s")


ROUNDED = """
title = "t"
[given.X]
value = [["0.5", "0.25"]]
rounded = true
[given]
Y = [["1", "2"]]
[[section]]
title = "s"
steps = ["Z = X @ Y.T", "W = Y @ Y.T"]
"""


def test_names_that_rest_on_rounded_figures_have_no_program() -> None:
    solution = symattn.derive(loads(ROUNDED)).store
    assert results(solution) == ("W",)
    for key in ("numpy", "r"):
        with pytest.raises(NoValueError, match=r"^Z has no program: it rests on the rounded figures of X"):
            single(solution, key, "Z")


def test_unknown_names_and_languages(solve: Solve) -> None:
    with pytest.raises(UnknownNameError, match="unknown name 'Z': known: X"):
        output(solve(GOOD), "Z")
    with pytest.raises(
        UnknownNameError, match=r"of a program 'R': did you mean 'r'\? known: javascript, julia, numpy, r, torch"
    ):
        output(solve(GOOD), "X", key="R")


# -- in a document -----------------------------------------------------------------------------------------------

LESSON = """
title = "My head"
tokens = ["the", "cat"]
[given]
X = [["1", "0"], ["0", "1"]]
[general]
x = ["1", "n"]
[[section]]
title = "Weights"
steps = ["A = softmax(X @ X.T)", "Z = A @ X", {more}]
"""


def lesson(more: str = '"s = dot(x, x)"', end: str = "") -> symattn.api.worked.WorkedSolution:
    return symattn.derive(loads(LESSON.replace("{more}", more) + end, path="lesson.toml"))


def headings(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.startswith("## ") or line.startswith("### ")]


def test_programs_end_the_solution_in_the_order_asked_for() -> None:
    text = lesson().render(code=["julia", "numpy", "torch", "r", "numpy"])
    assert headings(text) == [
        "## 1 Weights",
        "## All symbols",
        "## Programs",
        "### Julia",
        "### NumPy",
        "### PyTorch",
        "### R",
    ]
    fences = [line for line in text.splitlines() if line.startswith("```") and line not in ("```", "```text")]
    assert fences == ["```julia", "```python", "```python", "```r"]
    assert text.endswith("It prints:\n\n```text\nZ\n0.731059  0.268941\n0.268941  0.731059\n```\n")


def test_without_a_wish_there_are_no_programs_unless_the_scenario_has_some() -> None:
    assert "Programs" not in lesson().render()
    wished = lesson(end='\n[code]\nof = ["A", "Z", "A"]\nlanguages = ["r"]')
    assert wished.scenario.programs == Programs(("A", "Z"), ("r",))
    assert headings(wished.render())[-2:] == ["## Programs", "### R"]
    assert 'print_matrix("A", A)\nprint_matrix("Z", Z)\n' in wished.render(code=["numpy"])
    assert "Programs" not in wished.render(code=[])


def test_rounding_on_the_way_is_said_not_to_happen() -> None:
    text = symattn.derive(lesson().scenario, carry="rounded").render(code=["numpy"])
    assert "do not round on the way" in text
    assert "do not round on the way" not in lesson().render(code=["numpy"])


@pytest.mark.parametrize(
    ("end", "message"),
    [
        ('[code]\nof = ["Q"]', "lesson.toml, line 12, code.of[1]: unknown name 'Q': known: A, X, Z, s, x"),
        ('[code]\nof = "s"', "lesson.toml, line 12, code.of: s is general: it has the shape (1, 1) and no numbers"),
        ('[code]\nof = ["A", "X"]', "code.of[2]: X is given: expected a step, which a program can compute"),
        ("[code]\nof = 1", 'expected a name such as "Z" or a list of names, came the number 1'),
        ('[code]\nlanguages = ["r", "s"]', "code.languages[2]: unknown language of a program 's': known: "),
    ],
)
def test_what_does_not_fit_in_the_table_code(end: str, message: str) -> None:
    with pytest.raises(ScenarioError) as error:
        lesson(end=end)
    assert message in str(error.value)


def test_an_item_may_hold_any_language_and_several_names() -> None:
    text = lesson('{ listing = "torch", of = "Z" }, { listing = "r", of = ["A", "Z"] }').render()
    assert 'print_matrix("Z", Z)\n```\n\nIt prints:\n\n```text\nZ\n0.731059' in text
    assert 'print_matrix("A", A)\nprint_matrix("Z", Z)\n```\n\nIt prints:\n\n```text\nA\n0.731059' in text
    assert "print(Z)\n```" in lesson('{ listing = "r", of = ["Z"] }').render()


def test_a_digit_that_cannot_be_told_is_told_with_the_file() -> None:
    solution = lesson('"L = 10^12/3 * X"')
    with pytest.raises(UndecidedError, match=r"^lesson\.toml: L\[1,1\]: the digits that a program prints"):
        solution.render(code=["numpy"])


def test_the_command_line(tmp_path: object) -> None:
    done = CliRunner().invoke(main, ["derive", "good", "-l", "en", "--code", "r, numpy"])
    assert done.exit_code == 0
    assert headings(done.output)[-3:] == ["## Programs", "### R", "### NumPy"]
    wrong = CliRunner().invoke(main, ["derive", "good", "--code", "r,pyton"])
    assert wrong.exit_code == 2
    assert wrong.output == "symattn: unknown language of a program 'pyton': known: javascript, julia, numpy, r, torch\n"
