"""How many decimals are printed, and how ties fall."""

from __future__ import annotations

import pytest

from symattn.errors import UndecidedError
from symattn.given import Given
from symattn.plan import Plan
from symattn.scenario.style import FigureStyle
from symattn.shapes import shape
from symattn.solution import Solution
from symattn.solution.read_back import by_hand


def solved(steps: dict[str, str], style: FigureStyle | None = None, **givens: list[list[str]]) -> Solution:
    plan, read = Plan(), {}
    for name, rows in givens.items():
        read[name] = Given.read(rows)
        plan = plan.given(name, shape(*read[name].shape))
    for name, formula in steps.items():
        plan = plan.step(name, formula)
    return Solution(plan, read, style)


def texts(solution: Solution, name: str) -> list[list[str]]:
    return [[figure.text for figure in row] for row in solution.figures(name)]


def test_a_given_is_printed_as_it_is_written() -> None:
    solution = solved({}, X=[["0.50", "-10^9"], ["1/3", "-oo"]])
    assert texts(solution, "X") == [["0.50", "-10^9"], ["1/3", "-oo"]]


def test_a_given_with_a_root_is_printed_as_a_decimal() -> None:
    assert texts(solved({}, X=[["sqrt(2)/2", "1"]]), "X") == [["0.707107", "1.000000"]]


@pytest.mark.parametrize(
    ("scope", "expected"),
    [
        ("matrix", [["0.500000", "0.333333"], ["0.250000", "2.000000"]]),
        ("column", [["0.50", "0.333333"], ["0.25", "2.000000"]]),
        ("entry", [["0.5", "0.333333"], ["0.25", "2"]]),
    ],
)
def test_what_shares_a_number_of_decimals(scope: str, expected: list[list[str]]) -> None:
    solution = solved({"Y": "X / 2"}, FigureStyle(scope=scope), X=[["1", "2/3"], ["1/2", "4"]])  # type: ignore[arg-type]
    assert texts(solution, "Y") == expected


def test_an_exact_value_is_found_behind_roots_and_exponentials() -> None:
    """√2·√2/2 is 1, and the two equal weights of a row are 1/2 each: printed short, because it is proved."""
    style = FigureStyle(scope="entry")
    solution = solved({"Y": "X @ X.T", "A": "softmax(Z)"}, style, X=[["sqrt(2)/2", "sqrt(2)/2"]], Z=[["3", "3"]])
    assert texts(solution, "Y") == [["1"]]
    assert texts(solution, "A") == [["0.5", "0.5"]]


@pytest.mark.parametrize(
    ("ties", "expected"),
    [("half_up", [["0.13", "-0.13", "0.38", "0.01"]]), ("half_even", [["0.12", "-0.12", "0.38", "0.00"]])],
)
def test_an_exact_tie_falls_as_the_style_says(ties: str, expected: list[list[str]]) -> None:
    style = FigureStyle(decimals=2, ties=ties)  # type: ignore[arg-type]
    solution = solved({"Y": "X / 4"}, style, X=[["0.5", "-0.5", "1.5", "0.02"]])
    assert texts(solution, "Y") == expected


def test_a_tie_behind_irrational_numbers_is_decided_exactly() -> None:
    style = FigureStyle(decimals=1)
    solution = solved({"A": "softmax(Z)"}, style, Z=[["sqrt(2)", "sqrt(2)", "sqrt(2)", "sqrt(2)"]])
    assert texts(solution, "A") == [["0.3", "0.3", "0.3", "0.3"]]


def test_a_value_next_to_a_tie_is_settled_by_precision_alone() -> None:
    near = "0.5" + "0" * 200 + "1"
    solution = solved({"Y": "X / 1"}, FigureStyle(decimals=1), X=[[f"0.2{near[2:]}", "sqrt(2)"]])
    assert texts(solution, "Y")[0][0] == "0.3"


def test_a_tie_that_only_an_infinitesimal_separates_is_refused_not_guessed() -> None:
    """1 − 10^(−4·10⁸) times 0.25: no precision shows the side, and exact arithmetic only says that it is no tie."""
    solution = solved(
        {"A": "softmax(Z)", "Y": "A @ X"}, FigureStyle(decimals=1), Z=[["0", "-10^9"]], X=[["0.25"], ["0"]]
    )
    with pytest.raises(UndecidedError, match=r"Y\[1,1\]"):
        solution.figures("Y")


def test_large_numbers_are_rounded_to_significant_digits() -> None:
    solution = solved({"Y": "X + Z"}, X=[["0.5", "1"]], Z=[["-10^9", "15*10^8"]])
    assert texts(solution, "Y") == [["-10^9", "1.5*10^9"]]


def test_a_masked_score_of_minus_infinity_has_a_weight_of_exactly_zero() -> None:
    solution = solved({"S": "X + causal_mask(2)", "A": "softmax(S)"}, X=[["1", "2"], ["0", "0"]])
    assert texts(solution, "S") == [["1", "-oo"], ["0", "0"]]
    assert texts(solution, "A") == [["1.0", "0.0"], ["0.5", "0.5"]]


def test_zero_has_no_sign() -> None:
    solution = solved({"Y": "X / 1000"}, FigureStyle(decimals=1), X=[["-3", "sqrt(2)"]])
    assert texts(solution, "Y")[0][0] == "0.0"


def test_carry_rounded_works_from_the_printed_figures() -> None:
    steps = {"Y": "X / 3", "W": "Y + Y"}
    exact = solved(steps, FigureStyle(decimals=2), X=[["2"]])
    rounded = solved(steps, FigureStyle(decimals=2, carry="rounded"), X=[["2"]])
    assert (texts(exact, "W"), texts(rounded, "W")) == ([["1.33"]], [["1.34"]])


def test_what_would_come_out_by_hand_is_told_apart() -> None:
    solution = solved({"Y": "X / 3", "W": "Y + Y"}, FigureStyle(decimals=2), X=[["2"]])
    assert by_hand(solution, "W") == ((0, "1.34"),)
    assert by_hand(solution, "Y") == ()
