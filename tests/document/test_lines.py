"""Lines of a page as a reader meets them: what stands there, and what does not."""

from __future__ import annotations

import re

import pytest
from flint import arb

from symattn.api.worked import derive
from symattn.base.errors import UndecidedError
from symattn.compute.solution.on_the_way import numbers
from symattn.read.scenario.load import loads
from tests.document.lessons import lesson
from tests.readback.page import read_solution

STEPS = (
    "A = softmax(X @ X.T) | B = softmax(-X @ X.T) | C = softmax(X @ Y.T / sqrt(2)) | D = proportions(exp(X)) | "
    "E = proportions(exp(-X)) | F = silu(X) | G = silu(-X) | H = elu(-X) | I = exp(-X) | K = gelu(X) | "
    "L = gelu_tanh(-X) | M = softmax(X + causal_mask(2)) | N = softmax(X + X) | O = exp(-X - X)"
)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("size", [10, 10**2, 10**4, 10**6])
def test_every_line_is_true_and_short_whatever_the_size_of_the_scores(size: int) -> None:
    # Where e^{−1000000} is a divisor, there is no line.
    steps = STEPS if size == 10**6 else f"{STEPS} | P = proportions(O) | R = divide(O, O @ ones(2, 2))"
    solution = derive(loads(lesson(steps, f"X = {size}, 2; 3, {size // 2}.5 | Y = 0.1, sqrt(3); 1, -2")), digits=6)
    report = read_solution(solution)
    assert report.wrong == []
    assert report.compared > 200
    text = solution.render("markdown", detail="entries", language="en")
    assert not re.search(r"\d{8}\.|\d{12}", text)
    sides = [side for line in text.splitlines() if "&" in line for side in re.split("&|=|approx", line)]
    assert max(map(len, sides)) < 130  # characters of TeX that a page has room for


def test_positions_of_any_number_of_bases_have_frequencies_of_their_own() -> None:
    """Each base turns by its own angles, and what is written PE means one matrix."""
    many = " + ".join(f"sinusoidal(3, 2, base={base})" for base in range(2, 14))
    text = derive(loads(lesson(f"Y = {many}", "X = 1; 1; 1"))).render(math="brackets")
    sines = re.findall(r"\(\\mathrm\{PE\}_\{?(\d+)\}?\)_\{i,2t - 1\} &= \\mathrm\{sin\}\(\(i - 1\)(\S+)_t\)", text)
    assert [int(base) for base, _ in sines] == list(range(2, 14))
    assert len({letter for _, letter in sines}) == 12
    assert all(rf"{letter}_t &= {base}^{{-2(t - 1)/2}}" in text for base, letter in sines)


def test_what_cannot_be_decided_is_named() -> None:
    """A number on the way says of which step and row it is."""
    solution = derive(loads(lesson("a = softmax(s)", "s = 1, 2")))
    with pytest.raises(UndecidedError, match=r"^a, row 1: exponential 2: decimal number 7 cannot be decided$"):
        numbers(
            solution.store, lambda _: [arb(1), arb("0 +/- 1")], ["a, row 1: exponential 1", "a, row 1: exponential 2"]
        )


def test_a_jump_that_cannot_be_decided_is_no_tie_of_roundings() -> None:
    """Whether the third row of the ReLU is exactly at 0 is too much for exact arithmetic: more digits do not help."""
    forward = "N = rms_norm(X) | A = softmax(N @ N.T / sqrt(2) + causal_mask(3)) | H = X + A @ N"
    layer = "F = relu(rms_norm(H) @ W) @ V | L = cross_entropy(H + F, [[0, 1, 1]]) | dW = grad(L, W)"
    solution = derive(loads(lesson(f"{forward} | {layer}", "X = 1, 0; 0, 1; 1, 1 | W = -1; 1 | V = 1, -1")))
    with pytest.raises(UndecidedError, match=r"^dW\[1,1\]: .* the formula jumps here, as the slope of ReLU does at 0"):
        solution["dW"].decimals(6)
