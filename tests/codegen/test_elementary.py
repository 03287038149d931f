"""Activations, positions and choices in programs: far from 0, at edges and ties, and where nothing can be told."""

from __future__ import annotations

import math
import random
import shutil
from collections.abc import Callable
from importlib.util import find_spec
from textwrap import dedent

import mpmath
import pytest
from flint import arb, arb_mat
from sympy import MatrixSymbol

from symattn.codegen import Program, programs, single
from symattn.codegen.arithmetic import BITS
from symattn.codegen.double import Machine, in_double
from symattn.errors import RenderError, UndecidedError
from symattn.operations import GELU
from symattn.solution import Solution
from symattn.values.number import at_precision

Solve = Callable[..., Solution]
Run = Callable[[str, list[Program]], None]

RUN = [
    "numpy",
    pytest.param("torch", marks=pytest.mark.skipif(find_spec("torch") is None, reason="torch is not installed")),
    pytest.param("r", marks=pytest.mark.skipif(shutil.which("Rscript") is None, reason="Rscript is not installed")),
]

NEAR = "0 1 -1 1/3 -sqrt(2) 3 -5.9 -6.1 -8.5 -9.3 25 1e-9 -1e-12".split()
FAR = "-20 -37.6 -38 -45 41 -700 -710 720 -746 -1200 1000 10^6 -10^9 1e-200 -1e-200".split()

NEW = (
    "gelu({})",
    "gelu_tanh({})",
    "silu({})",
    "tanh({})",
    "hadamard({0}, tanh({0}))",
    "divide({0}, ones(m, n) + exp(tanh({0})))",
    "rms_norm({})",
    "rms_norm({}, 0)",
    "log(exp(tanh({})))",
    "additive_scores({0}, tanh({0}), row({0}, 1) / 2)",
    "rotary(stack({0}, 2 * {0}).T, 100, 50)",
    "rotary(({0}).T, 7, 355/113)",
    "stack({0}, 1/2 * distance(n))",
    "{0} + padding_mask(m, n, 2, -9)",
    "{0} + rows(sinusoidal(4, 6, 50) @ ones(6, n), 3, 4)",
    "argmax({})",
    "argmax(tanh({0}) - {0})",
    "top_k({}, 2)",
    "top_k(hadamard({0}, {0}), 1)",
)
"""Formulas of a matrix with two rows and three columns."""


def output(solution: Solution, name: str = "S", key: str = "numpy") -> list[str]:
    return programs(solution, [key], [name])[0].output.splitlines()[1:]


# -- programs that are run ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", RUN)
@pytest.mark.parametrize("function", ["gelu", "gelu_tanh", "silu", "tanh"])
def test_activations_everywhere(language: str, function: str, solve: Solve, run: Run) -> None:
    """Nothing overflows with a warning, and where an activation vanishes it prints 0."""
    solution = solve({"X": [NEAR + FAR]}, f"S = {function}(X)", f"H = {function}(X / 2)", decimals=5)
    run(language, programs(solution, [language], ["S", "H"]))


@pytest.mark.skipif(shutil.which("Rscript") is None, reason="Rscript is not installed")
def test_r_prints_seven_digits_of_small_activations(solve: Solve, run: Run) -> None:
    """Without 1 + erf and its loss: R has the normal distribution's share below a number itself."""
    solution = solve({"X": [["-8.5", "-20", "-24"]]}, "G = gelu(X)", "S = silu(X)", "T = tanh(X / 10^6)")
    made = [single(solution, "r", name) for name in ("G", "S", "T")]
    assert "e-88" in made[0].output
    run("r", made)


@pytest.mark.parametrize("language", RUN)
def test_random_small_derivations(language: str, solve: Solve, run: Run) -> None:
    rng = random.Random(11)
    written: list[Program] = []
    for number in range(60):
        rows = [[rng.choice(NEAR + FAR[: number % 4]) for _ in range(3)] for _ in range(2)]
        inner = rng.choice(["X", "X / 3", "-1 * X", "silu(X)", "rms_norm(X)"])
        steps = (f"Y = {inner}", f"S = {rng.choice(NEW).format('Y')}")
        try:
            solution = solve({"X": rows}, *steps, sizes={"m": 2, "n": 3}, decimals=rng.choice([1, 6, 9]))
            written += programs(solution, [language], ["S"])
        except (UndecidedError, RenderError):
            continue
    assert len(written) > 50
    run(language, written)


@pytest.mark.parametrize("language", RUN)
def test_every_new_formula_is_told(language: str, solve: Solve, run: Run) -> None:
    rows = {"X": [["0.25", "-1", "2/3"], ["-sqrt(2)", "3", "0.5"]]}
    steps = [f"S_{i} = {formula.format('X')}" for i, formula in enumerate(NEW)]
    solution = solve(rows, *steps, sizes={"m": 2, "n": 3})
    run(language, programs(solution, [language], [step.split()[0] for step in steps]))


# -- positions ---------------------------------------------------------------------------------------------------


def test_far_positions_lose_digits_and_are_refused(solve: Solve) -> None:
    def turned(start: str) -> list[str]:
        return output(solve({"X": [["1", "2"]]}, f"S = rotary(X, 100, {start})", decimals=6))

    assert turned("10^6") == ["1.636739  1.523511"]
    with pytest.raises(UndecidedError, match=r"^S\[1,1\]: the digits that a program prints cannot be decided"):
        turned("10^12")


# -- choices -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", RUN)
def test_the_first_of_equal_entries_is_chosen(language: str, solve: Solve, run: Run) -> None:
    rows = {
        "P": [["0.1", "0.4", "0.4", "0.4"], ["-1", "1", "-1", "1"], ["-oo", "-oo", "3", "3"], ["0", "-0", "0", "-1"]]
    }
    rows["W"] = [["0", "1"] * 30]  # longer than what a sort takes on in order
    solution = solve(rows, "L = top_k(W, 7)", "S = argmax(P)", "T = top_k(P, 2)", "U = argmax(-1 * P)", decimals=1)
    made = programs(solution, [language], ["S", "T", "U", "L"])
    assert made[0].output.split()[1:5] == ["1.0", "1.0", "2.0", "0.0"]
    run(language, made)


def test_a_choice_that_hangs_on_rounding_errors_is_refused(solve: Solve) -> None:
    rows = {"P": [["0.1", "0.4", "4/10", "0.1"]]}
    with pytest.raises(UndecidedError, match=r"^S: argmax, row 1: which of the columns 2 and 3 holds the larger entry"):
        output(solve(rows, "S = argmax(P)"))
    with pytest.raises(UndecidedError, match=r"^S: top_k, row 1: which of the columns 1 and 4 holds the larger entry"):
        output(solve(rows, "S = top_k(P / 3, 3)"))


def test_only_an_order_that_matters_is_asked_for(solve: Solve) -> None:
    """Both of two equal entries are chosen, or neither."""
    rows = {"P": [["0.1", "0.4", "4/10", "1/10"]]}
    assert output(solve(rows, "S = top_k(P / 3, 2)", decimals=1)) == ["0.0  1.0  1.0  0.0"]
    assert output(solve(rows, "S = top_k(P / 3, 4)", decimals=1)) == ["1.0  1.0  1.0  1.0"]


# -- what the balls hold -----------------------------------------------------------------------------------------


def test_a_logarithm_of_what_may_be_0_is_refused(solve: Solve) -> None:
    with pytest.raises(UndecidedError, match=r"^S: log: a number is so small"):
        output(solve({"X": [["-800", "0"]]}, "S = log(softmax(X))"))


@pytest.mark.parametrize("function", ["gelu", "gelu_tanh", "silu"])
def test_infinities_of_activations(function: str, solve: Solve) -> None:
    assert output(solve({"X": [["oo"]]}, f"S = {function}(X)")) == ["inf"]
    with pytest.raises(UndecidedError, match="double precision loses every digit"):
        output(solve({"X": [["-oo"]]}, f"S = {function}(X)"))


def test_activations_that_have_vanished_are_exactly_0(solve: Solve) -> None:
    assert output(solve({"X": [["-10^130"]]}, "S = silu(X)")) == ["0.000000"]
    assert single(solve({"X": [["-10"]]}, "S = gelu_tanh(X)"), "r", "S").output == "     [,1]\n[1,]    0"


def test_a_cube_that_overflows_is_refused(solve: Solve) -> None:
    with pytest.raises(RenderError, match="a number on the way is larger than"):
        output(solve({"X": [["10^105"]]}, "S = gelu_tanh(X)"))


def erf_of_julia(x: float) -> float:
    """The lines of the Julia helper ``erf``, one by one."""
    z = abs(x)
    if z > 6:
        return math.copysign(1, x)
    if z < 2:
        term = total = z
        for n in range(1, 61):
            term *= 2 * z**2 / (2 * n + 1)
            total += term
        return math.copysign(1, x) * 2 / math.sqrt(math.pi) * math.exp(-(z**2)) * total
    below = z
    for n in range(60, 0, -1):
        below = z + n / 2 / below
    return math.copysign(1, x) * (1 - math.exp(-(z**2)) / math.sqrt(math.pi) / below)


GRID = [i / 37 for i in range(-420, 421)]


def test_the_error_of_erf_in_julia_is_what_its_comment_says() -> None:
    with mpmath.workdps(30):
        assert max(abs(mpmath.erf(x) - erf_of_julia(x)) for x in GRID) < 2e-15


def test_the_ball_of_gelu_holds_every_way_to_it() -> None:
    with at_precision(BITS):
        node = GELU(MatrixSymbol("X", 1, len(GRID)))
        balls = in_double(node, Machine({"X": arb_mat([GRID])})).entries()
    for x, ball in zip(GRID, balls, strict=True):
        for erf in (math.erf, erf_of_julia, lambda x: 1 - math.erfc(x), lambda x: math.erfc(-x) - 1):
            assert ball.contains(arb(x * (1 + erf(x / math.sqrt(2))) / 2)), x


def test_gelu_in_julia(solve: Solve) -> None:
    """Julia has no erf: the text that was checked by hand."""
    code = programs(solve({"X": [["1", "-1"]]}, "S = gelu(X)"), ["julia"], ["S"])[0].code
    expected = """
        # The error function, which Julia itself does not have: up to 2 by its series, whose terms are all positive,
        # then by the continued fraction of what is missing to 1. The error is less than 2e-15.
        function erf(x)
            z = abs(x)
            z > 6 && return sign(x)
            if z < 2
                term = total = z
                for n in 1:60
                    term *= 2 * z^2 / (2n + 1)
                    total += term
                end
                return sign(x) * 2 / sqrt(pi) * exp(-z^2) * total
            end
            below = z
            for n in 60:-1:1
                below = z + n / 2 / below
            end
            return sign(x) * (1 - exp(-z^2) / sqrt(pi) / below)
        end

        # Phi[i,j] = (1 + erf(X[i,j]/sqrt(2)))/2; y[i,j] = X[i,j]*Phi[i,j]
        function gelu(X)
            Phi = (1 .+ erf.(X ./ sqrt(2))) ./ 2
            return X .* Phi
        end
    """
    assert dedent(expected).strip() in code
    assert "S = gelu(X)  # (1, 2)" in code
