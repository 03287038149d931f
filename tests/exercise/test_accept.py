"""Every reason to reject a variant is given where it should be, and nowhere else."""

from __future__ import annotations

import pytest

from symattn.exercise.accept import reasons
from symattn.exercise.worked import Ask, read


def _reason(scores: str, level: int = 3, step: str = "a = softmax(s)", name: str = "a", decimals: int = 3) -> str:
    source = f"""
title = "Row"
[sizes]
d = 2
n = 4
[figures]
decimals = {decimals}
[given]
s = [{scores}]
[[section]]
title = "Steps"
steps = ["{step}"]
"""
    right = read(source)
    ask = Ask(name, decimals=decimals)
    return next(reasons(right, [ask], level), "")


@pytest.mark.parametrize("scores", ['["0", "6"]', '["-6", "-5"]', '["-3", "3"]', '["0", "1"], ["0", "5.01"]'])
def test_scores_are_small_and_near_each_other(scores: str) -> None:
    assert _reason(scores) == "large scores"


def test_scores_of_five_are_still_small() -> None:
    """At this difference the smaller weight still shows at three decimals."""
    assert _reason('["0", "5"]') == ""


def test_scores_inside_a_formula_are_seen() -> None:
    assert _reason('["0", "3", "1"]', step="a = softmax(2 * s)") == "large scores"


@pytest.mark.parametrize(("step", "level", "reason"), [
    ("a = softmax(s / sqrt(n))", 2, ""),
    ("a = softmax(s / sqrt(d))", 2, "irrational root"),
    ("a = softmax(s / sqrt(d))", 3, ""),
    ("a = softmax(s / 2)", 2, ""),
])  # fmt: skip
def test_roots_are_rational_on_the_first_two_levels(step: str, level: int, reason: str) -> None:
    assert _reason('["0", "2", "-1"]', level, step) == reason


def test_weights_are_fractions_on_the_first_level() -> None:
    assert _reason('["0", "1"]', level=1) == "irrational weights"
    assert _reason('["0", "log(3)"]', level=1) == ""  # weights 1/4 and 3/4


def test_weights_that_print_alike_are_rejected() -> None:
    assert _reason('["0", "0.0001", "1"]') == "weights that print alike"


def test_weights_of_hidden_scores_may_be_alike() -> None:
    assert _reason('["0", "-oo", "-oo", "1"]') == ""


@pytest.mark.parametrize(("level", "reason"), [(3, "rounded weights that do not sum to 1"), (4, "")])
def test_rounded_weights_sum_to_1_until_the_sheet_says_otherwise(level: int, reason: str) -> None:
    """1/7, 2/7 and 4/7 print as 0.1, 0.3 and 0.6; weights of 0, 1 and 1/2 print as 0.19, 0.51 and 0.31."""
    assert _reason('["0", "log(2)", "log(4)"]', level, decimals=1) == ""
    assert _reason('["0", "1", "0.5"]', level, decimals=2) == reason


@pytest.mark.parametrize(
    ("scores", "reason"), [('["0", "-3"]', ""), ('["0", "-4"]', "a small number under a logarithm")]
)
def test_no_logarithm_is_asked_of_what_rounding_leaves_open(scores: str, reason: str) -> None:
    assert _reason(scores, step="a = -log(softmax(s))") == reason


def test_a_figure_between_two_roundings_is_rejected() -> None:
    assert _reason('["0.125", "1"]', step="a = 1 * s", decimals=2) == "a figure on a rounding tie"
    assert _reason('["0.125", "1"]', step="a = 1 * s", decimals=3) == ""
    assert _reason('["1/3", "1"]', step="a = 1 * s", decimals=2) == ""


def test_nothing_is_asked_of_shapes() -> None:
    right = read('title = "S"\n[given]\ns = [["9", "9"]]\n[[section]]\ntitle = "S"\nsteps = ["a = softmax(s)"]')
    assert not list(reasons(right, [Ask("a", "shape")], 1))


@pytest.mark.parametrize(("rows", "step", "reason"), [
    ('["1", "2"], ["1", "-1"]', "a = layer_norm(s, epsilon=1)", ""),
    ('["1", "2"], ["1/2", "0.5"]', "a = layer_norm(s, epsilon=1)", "a row without spread"),
    ('["2", "2"], ["1", "1"]', "a = rms_norm(s, epsilon=1)", ""),
    ('["2", "2"], ["0", "0"]', "a = rms_norm(s, epsilon=1)", "a row without spread"),
])  # fmt: skip
def test_a_norm_has_something_to_divide_by(rows: str, step: str, reason: str) -> None:
    """With ε nothing is undefined, but everything but ε is lost."""
    assert _reason(rows, step=step) == reason
