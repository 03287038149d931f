"""What R prints: outputs recorded from R 4.2.2, refusals, and, where Rscript is installed, R itself."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable
from contextlib import AbstractContextManager
from fractions import Fraction

import pytest

from symattn.codegen import Program, single
from symattn.codegen.r_print import LINE, Layout, layout, measure, printed, text
from symattn.derivation import Plan
from symattn.errors import NoValueError, RenderError, UndecidedError, UnknownNameError
from symattn.shapes import shape
from symattn.solution import Solution
from tests.examples import EXAMPLES, RATIONALS

Solve = Callable[..., Solution]
Rows = list[list[str]]

GOOD = {"X": [["1", "3", "2"], ["1", "1", "3"], ["1", "2", "1"]]}

needs_r = pytest.mark.skipif(shutil.which("Rscript") is None, reason="Rscript is not installed")


def column(*cells: str) -> Rows:
    return [[cell] for cell in cells]


# -- recorded ----------------------------------------------------------------------------------------------------


def test_the_output_that_the_source_of_good_prints(solve: Solve) -> None:
    solution = solve(GOOD, "XX_T = X @ X.T", "W = softmax(XX_T)", "Z = W @ X")
    assert printed(solution, "Z").splitlines() == [
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
    (column(*"123456789"), "      [,1]|" + "|".join(f" [{i},]    {i}" for i in range(1, 10))),
]
"""Matrices, and what R 4.2.2 printed for them, with | for a new line."""


@pytest.mark.parametrize(("rows", "expected"), RECORDED)
def test_recorded_columns(rows: Rows, expected: str, solve: Solve) -> None:
    assert printed(solve({"X": rows}), "X").replace("\n", "|") == expected


def test_columns_that_do_not_fit_stand_below(solve: Solve) -> None:
    lines = printed(solve({"X": [["0.1234567"] * 9, ["-1"] * 9]}), "X").splitlines()
    assert lines[0] == "           [,1]       [,2]       [,3]       [,4]       [,5]       [,6]"
    assert lines[3] == "           [,7]       [,8]       [,9]"
    assert lines[4] == "[1,]  0.1234567  0.1234567  0.1234567"
    assert max(map(len, lines)) < LINE


# -- R's rules ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("number", "power", "significant", "widens"),
    [
        ("0", 0, 1, False),
        ("9.9999996", 1, 1, False),
        ("123456789", 8, 7, False),
        ("0.00100", -3, 1, False),
        ("99999999.4", 8, 1, True),
        ("99999999.6", 8, 1, False),
    ],
)
def test_measures(number: str, power: int, significant: int, widens: bool) -> None:
    found = measure(Fraction(number))
    assert (found.power, found.significant, found.widens) == (power, significant, widens)


def test_fixed_is_kept_as_long_as_an_exponent_is_not_shorter() -> None:
    assert layout([measure(Fraction("0.001"))]) == Layout(5, 3, False)
    assert layout([measure(Fraction("0.0001"))]) == Layout(5, 0, True)
    assert text(Fraction("-0.00015"), Layout(8, 1, True)) == "-1.5e-04"
    assert text(Fraction(0), Layout(7, 1, True)) == "0.0e+00"


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
        printed(solve({"X": rows}, f"S = {step}"), "S")


def test_products_are_rounded_term_by_term(solve: Solve) -> None:
    """2 is what is left of numbers near 10²⁴, which double precision cannot know."""
    solution = solve({"x": [["10^12+1", "1", "10^12"]], "y": [["10^12+1", "1", "-10^12-2"]]}, "d = dot(x, y)")
    assert solution.rational("d").entries() == [2]
    with pytest.raises(UndecidedError):
        printed(solution, "d")


def test_underflow_prints_zero_and_a_masked_row_stays_in_order(solve: Solve) -> None:
    solution = solve({"X": [["1", "2"], ["3", "4"]]}, "A = softmax(X + causal_mask(2, -10^9))")
    assert printed(solution, "A") == "          [,1]      [,2]\n[1,] 1.0000000 0.0000000\n[2,] 0.2689414 0.7310586"


def test_scores_far_apart_take_no_memory(solve: Solve, within: Callable[[float], AbstractContextManager[None]]) -> None:
    with within(5):
        solution = solve({"X": [["2^200", "1"]]}, "A = softmax(X)", "B = A + A")
        assert printed(solution, "B") == "     [,1] [,2]\n[1,]    2    0"


def test_carrying_rounded_figures_is_not_what_a_program_does(solve: Solve) -> None:
    steps = ("W = softmax(X @ X.T)", "Z = W @ X")
    assert printed(solve(GOOD, *steps, carry="rounded", decimals=1), "Z") == printed(solve(GOOD, *steps), "Z")


def test_a_matrix_that_r_would_cut_short(solve: Solve) -> None:
    with pytest.raises(RenderError, match="X has 100000 entries: R prints at most 99999 of a matrix"):
        printed(solve({"X": [["1"] * 1000] * 100}), "X")


def test_unknown_and_general_names(solve: Solve) -> None:
    with pytest.raises(UnknownNameError, match="known: X"):
        printed(solve(GOOD), "Z")
    with pytest.raises(NoValueError, match="X is general"):
        printed(Solution(Plan().given("X", shape("m", "n"), general=True), {}), "X")


# -- R itself ----------------------------------------------------------------------------------------------------

USES = ("{}", "Y @ {}", "{} @ (X @ {})", "({}) ** 2", "({}).T", "-2/3 * ({}) - Y")

Case = tuple[Solution, str]
Run = Callable[[str, list[Program]], None]
Entry = Callable[[random.Random, str], str]


def decided(cases: list[Case]) -> list[Program]:
    """The programs of the cases that are not refused."""
    return [single(solution, "r", name) for solution, name in cases if not _refused(solution, name)]


def _refused(solution: Solution, name: str) -> bool:
    try:
        printed(solution, name)
    except (UndecidedError, RenderError):
        return True
    return False


KINDS = ("whole", "decimal", "large", "tiny", "fraction", "root", "mask", "edge")


def random_rows(entry: Entry, rng: random.Random, rows: int, columns: int, kinds: tuple[str, ...]) -> Rows:
    return [[entry(rng, rng.choice(kinds)) for _ in range(columns)] for _ in range(rows)]


@needs_r
def test_r_prints_the_recorded_columns(solve: Solve, run: Run) -> None:
    run("r", [single(solve({"X": rows}), "r", "X") for rows, _ in RECORDED])


@needs_r
def test_r_prints_random_matrices(solve: Solve, entry: Entry, run: Run) -> None:
    rng = random.Random(1)
    sizes = [(1, 1), (2, 2), (3, 3), (4, 3), (9, 2), (10, 3), (1, 8), (3, 14), (12, 11)]
    cases = [
        (
            solve(
                {"X": random_rows(entry, rng, *rng.choice(sizes), rng.choice([KINDS, *((kind,) for kind in KINDS)]))}
            ),
            "X",
        )
        for _ in range(400)
    ]
    kept = decided(cases)
    assert len(kept) > 320
    run("r", kept)


@needs_r
def test_r_computes_every_node_in_every_place(solve: Solve, entry: Entry, run: Run) -> None:
    rng = random.Random(2)
    cases = []
    for first, *_ in EXAMPLES.values():
        for use in USES:
            givens = {
                name: random_rows(entry, rng, len(rows), len(rows[0]), ("decimal", "root"))
                for name, rows in RATIONALS.items()
            }
            givens["ids"] = RATIONALS["ids"]
            cases.append((solve(givens, f"S = {use.format(first.square, first.square)}"), "S"))
    kept = decided(cases)
    assert len(kept) > 150
    run("r", kept)


@needs_r
def test_r_computes_attention(solve: Solve, entry: Entry, run: Run) -> None:
    rng = random.Random(3)
    steps = (
        "Q = X @ W_Q",
        "S = Q @ X.T / sqrt(d_k)",
        "A = softmax(S + causal_mask(n, -10^9))",
        "B = softmax(S + causal_mask(n))",
        "R = X + A @ X - B @ Q",
        "T = layer_norm(relu(R) + X)",
    )
    cases = []
    for _ in range(20):
        givens = {
            "X": random_rows(entry, rng, 5, 4, ("weight",)),
            "W_Q": random_rows(entry, rng, 4, 4, ("weight", "root")),
        }
        solution = solve(givens, *steps, sizes={"n": 5, "d_k": 4})
        cases += [(solution, name) for name in solution]
    kept = decided(cases)
    assert len(kept) > 120
    run("r", kept)
