"""What a program in double precision may print: what is refused, and what the balls hold."""

from __future__ import annotations

import math
from collections.abc import Callable

import mpmath
import pytest
from flint import arb, arb_mat
from sympy import MatrixSymbol

from symattn.base.errors import UndecidedError
from symattn.compute.codegen import programs, single
from symattn.compute.codegen.double import BITS, Machine, in_double
from symattn.compute.solution.evaluation import Evaluation
from symattn.compute.values.balls import at_precision
from symattn.operations import GELU

Solve = Callable[..., Evaluation]


def output(solution: Evaluation, name: str = "S", key: str = "numpy") -> list[str]:
    return programs(solution, [key], [name])[0].output.splitlines()[1:]


def test_far_positions_lose_digits_and_are_refused(solve: Solve) -> None:
    def turned(start: str) -> list[str]:
        return output(solve({"X": [["1", "2"]]}, f"S = rotary(X, 100, {start})", decimals=6))

    assert turned("10^6") == ["1.636739  1.523511"]
    with pytest.raises(UndecidedError, match=r"^S\[1,1\]: the digits that a program prints cannot be decided"):
        turned("10^12")


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


def test_a_logarithm_of_what_may_be_0_is_refused(solve: Solve) -> None:
    with pytest.raises(UndecidedError, match=r"^S\[1,1\]: what a program prints cannot be decided: double"):
        output(solve({"X": [["-800", "0"]]}, "S = log(softmax(X))"))


@pytest.mark.parametrize("function", ["gelu", "gelu_tanh", "silu"])
def test_infinities_of_activations(function: str, solve: Solve) -> None:
    assert output(solve({"X": [["oo"]]}, f"S = {function}(X)")) == ["inf"]
    with pytest.raises(UndecidedError, match="double precision loses every digit"):
        output(solve({"X": [["-oo"]]}, f"S = {function}(X)"))


def test_activations_that_have_vanished_are_exactly_0(solve: Solve) -> None:
    assert output(solve({"X": [["-10^130"]]}, "S = silu(X)")) == ["0.000000"]
    assert single(solve({"X": [["-10"]]}, "S = gelu_tanh(X)"), "r", "S").output == "     [,1]\n[1,]    0"


def test_what_an_overflow_makes_very_small_may_be_0(solve: Solve) -> None:
    """-710 / (1 + e^710) is -0 where e^710 is infinite, and -3e-306 where it is not."""
    assert output(solve({"X": [["-710"]]}, "S = silu(X)")) == ["0.000000"]
    with pytest.raises(UndecidedError, match=r"^S\[1,1\]: whether R prints 0 or a remainder"):
        single(solve({"X": [["-710"]]}, "S = silu(X)"), "r", "S")


def test_numbers_far_away_take_no_memory(solve: Solve) -> None:
    assert single(solve({"X": [["10^6"]]}, "S = gelu(X)"), "r", "S").output == "      [,1]\n[1,] 1e+06"


def test_a_cube_that_overflows_is_what_a_program_makes_of_it(solve: Solve) -> None:
    assert output(solve({"X": [["-10^105"]]}, "S = gelu_tanh(X)")) == ["0.000000"]


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
