"""Every reason to reject a variant is given where it should be, and nowhere else."""

from __future__ import annotations

import pytest

from symattn.claims.worked import Ask, read_exercise
from symattn.course.accept import reasons
from tests.exercise.lessons import source

SOFTMAX = "a = softmax(s)"
LARGE, SPREAD = "large scores", "a row without spread"
UNEVEN, SMALL = "rounded weights that do not sum to 1", "a small number under a logarithm"


@pytest.mark.parametrize(("scores", "step", "level", "decimals", "reason"), [
    # Scores are small and near each other: at a difference of 5 the smaller weight still shows at three decimals.
    ('["0", "6"]', SOFTMAX, 3, 3, LARGE),
    ('["-6", "-5"]', SOFTMAX, 3, 3, LARGE),
    ('["-3", "3"]', SOFTMAX, 3, 3, LARGE),
    ('["0", "1"], ["0", "5.01"]', SOFTMAX, 3, 3, LARGE),
    ('["0", "5"]', SOFTMAX, 3, 3, ""),
    ('["0", "3", "1"]', "a = softmax(2 * s)", 3, 3, LARGE),
    # Roots are rational on the first two levels, weights fractions on the first: 1/4 and 3/4.
    ('["0", "2", "-1"]', "a = softmax(s / sqrt(4))", 2, 3, ""),
    ('["0", "2", "-1"]', "a = softmax(s / sqrt(2))", 2, 3, "irrational root"),
    ('["0", "2", "-1"]', "a = softmax(s / sqrt(2))", 3, 3, ""),
    ('["0", "2", "-1"]', "a = softmax(s / 2)", 2, 3, ""),
    ('["0", "1"]', SOFTMAX, 1, 3, "irrational weights"),
    ('["0", "log(3)"]', SOFTMAX, 1, 3, ""),
    ('["0", "0.0001", "1"]', SOFTMAX, 3, 3, "weights that print alike"),
    ('["0", "-oo", "-oo", "1"]', SOFTMAX, 3, 3, ""),
    # 1/7, 2/7 and 4/7 print as 0.1, 0.3 and 0.6; weights of 0, 1 and 1/2 as 0.19, 0.51 and 0.31.
    ('["0", "log(2)", "log(4)"]', SOFTMAX, 3, 1, ""),
    ('["0", "1", "0.5"]', SOFTMAX, 3, 2, UNEVEN),
    ('["0", "1", "0.5"]', SOFTMAX, 4, 2, ""),
    ('["0", "-3"]', "a = -log(softmax(s))", 3, 3, ""),
    ('["0", "-4"]', "a = -log(softmax(s))", 3, 3, SMALL),
    ('["0.125", "1"]', "a = 1 * s", 3, 2, "a figure on a rounding tie"),
    ('["0.125", "1"]', "a = 1 * s", 3, 3, ""),
    ('["1/3", "1"]', "a = 1 * s", 3, 2, ""),
    # Left and right of 0 the gradient of a ReLU is another one.
    ('["1", "0", "-2"]', "a = s * relu_grad_X(s)", 3, 3, "a ReLU at exactly zero"),
    ('["1", "0", "-2"]', "a = relu_vjp_X(s - ones(1, 3), s)", 3, 3, "a ReLU at exactly zero"),
    ('["1", "1/2", "-2"]', "a = s * relu_grad_X(s)", 3, 3, ""),
    # With ε nothing is undefined, but everything but ε is lost.
    ('["1", "2"], ["1", "-1"]', "a = layer_norm(s, epsilon=1)", 3, 3, ""),
    ('["1", "2"], ["1/2", "0.5"]', "a = layer_norm(s, epsilon=1)", 3, 3, SPREAD),
    ('["2", "2"], ["1", "1"]', "a = rms_norm(s, epsilon=1)", 3, 3, ""),
    ('["2", "2"], ["0", "0"]', "a = rms_norm(s, epsilon=1)", 3, 3, SPREAD),
])  # fmt: skip
def test_a_variant_is_rejected_for_one_reason(scores: str, step: str, level: int, decimals: int, reason: str) -> None:
    right = read_exercise(source(f"s = [{scores}]", step).replace("[given]", f"figures.decimals = {decimals}\n[given]"))
    assert next(reasons(right, [Ask("a", decimals=decimals)], level), "") == reason


def test_nothing_is_asked_of_shapes() -> None:
    assert not list(reasons(read_exercise(source('s = [["9", "9"]]', SOFTMAX)), [Ask("a", "shape")], 1))
