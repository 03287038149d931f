"""What R prints: outputs recorded from R 4.2.2, refusals, and, where Rscript is installed, R itself."""

from __future__ import annotations

import random
import shutil
import subprocess
from collections.abc import Callable
from contextlib import AbstractContextManager
from fractions import Fraction

import pytest

from symattn.derivation import Derivation
from symattn.errors import NoValueError, RenderError, UndecidedError, UnknownNameError
from symattn.listing import listing
from symattn.listing.r import program
from symattn.listing.r_print import LINE, Layout, layout, measure, printed, text
from symattn.operations import NODES
from symattn.shapes import shape
from symattn.solution import Solution

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
            r"S\[1,2\]: what R prints cannot be decided: double precision",
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
        printed(Solution(Derivation().given("X", shape("m", "n"), general=True), {}), "X")


# -- R itself ----------------------------------------------------------------------------------------------------

NODES_IN_USE = {
    "MatrixSymbol": "X",
    "MatMul": "X @ Y",
    "MatAdd": "(X - Y)",
    "MatPow": "X ** 3",
    "Transpose": "Y.T",
    "Identity": "identity(n)",
    "Softmax": "softmax(X)",
    "LayerNorm": "layer_norm(X, gamma=b, beta=row(Y, 2))",
    "ReLU": "relu(X)",
    "CausalMask": "causal_mask(n, -10^9)",
    "Broadcast": "broadcast(b, n)",
    "Row": "broadcast(row(X, 2), n)",
    "Quotient": "(X / sqrt(d_k))",
    "Dot": "broadcast(dot(b, row(Y, 1)) @ b, n)",
}

USES = ("{}", "Y @ {}", "{} @ (X @ {})", "({}) ** 2", "({}).T", "-2/3 * ({}) - Y")

Case = tuple[Solution, str]


def run_in_r(cases: list[Case]) -> None:
    """Every program, in one process of R, against what is said that it prints."""
    r = listing("r")
    source = '\ncat("--\\n")\n'.join(r.program(solution, name) for solution, name in cases)
    run = subprocess.run(["Rscript", "-"], input=source, capture_output=True, text=True, timeout=300)
    assert (run.returncode, run.stderr) == (0, "")
    for (solution, name), output in zip(cases, run.stdout.split("--\n"), strict=True):
        assert r.printed(solution, name) + "\n" == output, program(solution, name)


def decided(cases: list[Case]) -> list[Case]:
    """The cases that are not refused."""
    return [case for case in cases if not _refused(*case)]


def _refused(solution: Solution, name: str) -> bool:
    try:
        printed(solution, name)
    except (UndecidedError, RenderError):
        return True
    return False


def entry(rng: random.Random, kind: str) -> str:
    """The text of a random number; the edges are where R changes its mind about the format."""
    sign = rng.choice(["", "-"])
    edges = "99999.995 999999.96 9999999.6 0.99999996 99999996 100000 0.0001 0.00001 123456789012 2^-11 1e5".split()
    return (
        sign
        + {
            "whole": lambda: str(rng.randint(0, 12)),
            "weight": lambda: f"{rng.random():.{rng.randint(1, 3)}f}",
            "decimal": lambda: f"{rng.random() * rng.choice([1, 10, 1000]):.{rng.randint(0, 9)}f}",
            "large": lambda: str(rng.randint(0, 10 ** rng.randint(1, 18))),
            "tiny": lambda: f"{rng.random():.4f}e-{rng.randint(1, 120)}",
            "fraction": lambda: f"{rng.randint(1, 99)}/{rng.randint(1, 99)}",
            "root": lambda: f"sqrt({rng.randint(2, 50)})/{rng.randint(1, 9)}",
            "mask": lambda: rng.choice(["10^9", "oo", "1.5", "0"]),
            "edge": lambda: rng.choice(edges),
        }[kind]()
    )


KINDS = ("whole", "decimal", "large", "tiny", "fraction", "root", "mask", "edge")


def random_rows(rng: random.Random, rows: int, columns: int, kinds: tuple[str, ...]) -> Rows:
    return [[entry(rng, rng.choice(kinds)) for _ in range(columns)] for _ in range(rows)]


@needs_r
def test_r_prints_the_recorded_columns(solve: Solve) -> None:
    run_in_r([(solve({"X": rows}), "X") for rows, _ in RECORDED])


@needs_r
def test_r_prints_random_matrices(solve: Solve) -> None:
    rng = random.Random(1)
    sizes = [(1, 1), (2, 2), (3, 3), (4, 3), (9, 2), (10, 3), (1, 8), (3, 14), (12, 11)]
    cases = [
        (solve({"X": random_rows(rng, *rng.choice(sizes), rng.choice([KINDS, *((kind,) for kind in KINDS)]))}), "X")
        for _ in range(400)
    ]
    kept = decided(cases)
    assert len(kept) > 320
    run_in_r(kept)


@needs_r
def test_r_computes_every_node_in_every_place(solve: Solve) -> None:
    assert set(NODES_IN_USE) == {node.__name__ for node in NODES}
    rng = random.Random(2)
    cases = []
    for node in NODES_IN_USE.values():
        for use in USES:
            givens = {name: random_rows(rng, n, 3, ("decimal", "root")) for name, n in (("X", 3), ("Y", 3), ("b", 1))}
            cases.append((solve(givens, f"S = {use.format(node, node)}", sizes={"n": 3, "d_k": 2}), "S"))
    kept = decided(cases)
    assert len(kept) > 70
    run_in_r(kept)


@needs_r
def test_r_computes_attention(solve: Solve) -> None:
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
        givens = {"X": random_rows(rng, 5, 4, ("weight",)), "W_Q": random_rows(rng, 4, 4, ("weight", "root"))}
        solution = solve(givens, *steps, sizes={"n": 5, "d_k": 4})
        cases += [(solution, name) for name in solution]
    kept = decided(cases)
    assert len(kept) > 120
    run_in_r(kept)
