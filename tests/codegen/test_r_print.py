"""What R prints: outputs recorded from R 4.2.2, and refusals; ``test_running.py`` asks R itself where it is there."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager

import pytest

from symattn.base.errors import RenderError, UndecidedError
from symattn.compute.codegen.printing import LINE, printed_by_r
from symattn.compute.solution.evaluation import Evaluation

Solve = Callable[..., Evaluation]
Rows = list[list[str]]

GOOD = {"X": [["1", "3", "2"], ["1", "1", "3"], ["1", "2", "1"]]}


def column(*cells: str) -> Rows:
    return [[cell] for cell in cells]


def test_the_output_that_the_source_of_good_prints(solve: Solve) -> None:
    solution = solve(GOOD, "XX_T = X @ X.T", "W = softmax(XX_T)", "Z = W @ X")
    assert printed_by_r(solution, "Z").splitlines() == [
        "     [,1]     [,2]     [,3]",
        "[1,]    1 2.957691 2.011295",
        "[2,]    1 1.540148 2.722573",
        "[3,]    1 2.864164 2.000000",
    ]


RECORDED = [
    (column("1", "-2.5", "100"), "      [,1]|[1,]   1.0|[2,]  -2.5|[3,] 100.0"),
    (column("0", "-10^9"), "       [,1]|[1,]  0e+00|[2,] -1e+09"),
    (column("99999996", "1", "2", "3"), "      [,1]|[1,] 1e+08|[2,] 1e+00|[3,] 2e+00|[4,] 3e+00"),
    (column("1234567.5", "2^-11"), "             [,1]|[1,] 1.234568e+06|[2,] 4.882812e-04"),
    (column("100000"), "      [,1]|[1,] 1e+05"),
    (column("100000", "123456789"), "          [,1]|[1,]    100000|[2,] 123456789"),
    (column("99999996", "12345678"), "         [,1]|[1,] 99999996|[2,] 12345678"),
    (column("0.0001"), "      [,1]|[1,] 1e-04"),
    (column("0.00012"), "        [,1]|[1,] 0.00012"),
    (column("1e-100", "1"), "       [,1]|[1,] 1e-100|[2,]  1e+00"),
    (column("-oo", "1.5"), "     [,1]|[1,] -Inf|[2,]  1.5"),
    (column("oo", "oo"), "     [,1]|[1,]  Inf|[2,]  Inf"),
    (column("0.99999996", "0.99999994"), "          [,1]|[1,] 1.0000000|[2,] 0.9999999"),
    (column("-9999999.6", "281.5378"), "              [,1]|[1,] -1.000000e+07|[2,]  2.815378e+02"),
    (column(*"123456789"), "      [,1]|" + "|".join(f" [{i},]    {i}" for i in range(1, 10))),
]
"""Matrices, and what R 4.2.2 printed for them, with | for a new line."""


@pytest.mark.parametrize(("rows", "expected"), RECORDED)
def test_recorded_columns(rows: Rows, expected: str, solve: Solve) -> None:
    assert printed_by_r(solve({"X": rows}), "X").replace("\n", "|") == expected


def test_columns_that_do_not_fit_stand_below(solve: Solve) -> None:
    lines = printed_by_r(solve({"X": [["0.1234567"] * 9, ["-1"] * 9]}), "X").splitlines()
    assert lines[0] == "           [,1]       [,2]       [,3]       [,4]       [,5]       [,6]"
    assert lines[3] == "           [,7]       [,8]       [,9]"
    assert lines[4] == "[1,]  0.1234567  0.1234567  0.1234567"
    assert max(map(len, lines)) < LINE


# -- what is not guessed -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rows", "step", "message"),
    [
        (
            [["0.3"]],
            "X - 0.1 * X - 0.9 * X",
            r"S\[1,1\]: whether R prints 0 or a remainder like 1e-17 cannot be decided:",
        ),
        ([["492.47965"]], "X.T", r"S\[1,1\]: the digits that R prints cannot be decided: .* between two roundings"),
        ([["10^70"]], "X @ X", "a number on the way is larger than 10.132: a program in double precision may lose it"),
        ([["10^-70"]], "X @ X", r"S\[1,1\]: whether R prints 0"),
        (
            [["0", "1"], ["1", "0"]],
            "X @ causal_mask(2)",
            r"S\[1,2\]: what a program prints cannot be decided: double precision",
        ),
    ],
)
def test_refusals(rows: Rows, step: str, message: str, solve: Solve) -> None:
    with pytest.raises((UndecidedError, RenderError), match=message):
        printed_by_r(solve({"X": rows}, f"S = {step}"), "S")


def test_products_are_rounded_term_by_term(solve: Solve) -> None:
    """2 is what is left of numbers near 10²⁴, which double precision cannot know."""
    solution = solve({"x": [["10^12+1", "1", "10^12"]], "y": [["10^12+1", "1", "-10^12-2"]]}, "d = dot(x, y)")
    assert solution.rational("d").entries() == [2]
    with pytest.raises(UndecidedError):
        printed_by_r(solution, "d")


def test_underflow_prints_zero_and_a_masked_row_stays_in_order(solve: Solve) -> None:
    solution = solve({"X": [["1", "2"], ["3", "4"]]}, "A = softmax(X + causal_mask(2, -10^9))")
    assert printed_by_r(solution, "A") == "          [,1]      [,2]\n[1,] 1.0000000 0.0000000\n[2,] 0.2689414 0.7310586"


def test_scores_far_apart_take_no_memory(solve: Solve, within: Callable[[float], AbstractContextManager[None]]) -> None:
    with within(5):
        solution = solve({"X": [["2^200", "1"]]}, "A = softmax(X)", "B = A + A")
        assert printed_by_r(solution, "B") == "     [,1] [,2]\n[1,]    2    0"


def test_a_matrix_that_r_would_cut_short(solve: Solve) -> None:
    with pytest.raises(RenderError, match="X has 100000 entries: R prints at most 99999 of a matrix"):
        printed_by_r(solve({"X": [["1"] * 1000] * 100}), "X")
