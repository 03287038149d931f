"""Rows of exponentials that are too long or too small to work with: every line stays true, and short enough to read."""

from __future__ import annotations

import re

import pytest
from flint import arb
from mpmath import mp

from symattn.api import derive
from symattn.document.blocks import Equation
from symattn.document.build import build
from symattn.document.math import Chain
from symattn.errors import UndecidedError
from symattn.scenario.load import loads
from symattn.solution.proofs import entry_size
from tests.document.test_working_is_true import _check, chains

SIZES = (10, 10**2, 10**4, 10**6)

LONGEST = 120
"""Characters of TeX in one side of a line that a page has room for."""

STEPS = [
    "A = softmax(X @ X.T)",
    "B = softmax(-X @ X.T)",
    "C = softmax(X @ Y.T / sqrt(2))",
    "D = proportions(exp(X))",
    "E = proportions(exp(-X))",
    "F = silu(X)",
    "G = silu(-X)",
    "H = elu(-X)",
    "I = exp(-X)",
    "K = gelu(X)",
    "L = gelu_tanh(-X)",
    "M = softmax(X + causal_mask(2))",
    "N = softmax(X + X)",
    "O = exp(-X - X)",
    "P = proportions(O)",
    "R = divide(O, O @ ones(2, 2))",
]


def scenario(steps: list[str], **givens: list[list[str]]) -> str:
    lines = [f"{name} = {rows}".replace("'", '"') for name, rows in givens.items()]
    return "\n".join(['title = "Large"', "[given]", *lines, "[[section]]", 'title = "All"', f"steps = {steps}"])


def row(*scores: str, step: str = "a = softmax(s)", language: str = "en") -> str:
    """The page of one row of scores."""
    return derive(loads(scenario([step], s=[list(scores)]))).render("markdown", detail="entries", language=language)


def working(source: str) -> list[Chain]:
    """The lines of every entry worked out."""
    solution = derive(loads(source), digits=6)
    document = build(solution.scenario, solution, detail="entries", language="en")
    equations = [block for block in document.blocks if isinstance(block, Equation) and block.kind == "working"]
    return [chain for equation in equations for chain in chains(equation.chains)]


@pytest.mark.parametrize("size", SIZES)
def test_both_sides_of_every_line_agree_whatever_the_size_of_the_scores(size: int) -> None:
    given = [[str(size), "2"], ["3", f"{size // 2}.5"]]
    with_named = STEPS if size < 10**6 else STEPS[:-2]  # where e^{−1000000} is a divisor, there is no line
    lines = working(scenario(with_named, X=given, Y=[["0.1", "sqrt(3)"], ["1", "-2"]]))
    with mp.workdps(40):
        checked = sum(_check(chain) for chain in lines)
    assert checked > 100
    assert not re.search(r"\d{8}\.|\d{12}", repr(lines))


def test_what_overflows_a_double_has_a_page() -> None:
    text = row("4000", "4001", "4002")
    assert r"m &= \mathrm{max}(4000, 4001, 4002) = 4002\\" in text
    assert r"e^{s_1 - m} &= e^{4000 - 4002} = e^{-2} \approx 0.135335\\" in text
    assert r"e^{s_3 - m} &= e^{4002 - 4002} = e^0 = 1\\" in text
    assert r"\sum_{k=1}^{3} e^{s_k - m} &\approx 0.135335 + 0.367879 + 1 \approx 1.503215\\" in text
    assert r"a_1 &\approx \frac{0.135335}{1.503215} \approx 0.090031\\" in text


@pytest.mark.parametrize(
    ("language", "sentence"),
    [
        ("en", "numerator and denominator are both divided by \\(e^m\\)."),
        ("zh-Hant", "分子和分母同時除以 \\(e^m\\)。"),
        ("zh-Hans", "分子和分母同时除以 \\(e^m\\)。"),
    ],
)
def test_the_page_says_why_nothing_changes_and_only_where_it_is_done(language: str, sentence: str) -> None:
    assert row("4000", "4001", language=language).count(sentence) == 1
    assert sentence not in row("1", "2", language=language)


@pytest.mark.parametrize(
    ("scores", "taken_off"),
    [
        (("16", "0"), False),  # 8886111.5
        (("16.1", "15"), True),  # 13078018.9
        (("17", "0"), True),
        (("-2", "-3"), False),  # 0.185122
        (("-2.4", "-5"), True),  # 0.097456
        (("-4000", "0"), False),
        (("-10^9", "1/3"), False),
        (("-10^9", "-10^9"), True),
        (("10^30", "3"), True),
    ],
)
def test_the_largest_score_is_taken_off_where_the_sum_is_too_long_or_too_small(
    scores: tuple[str, ...], taken_off: bool
) -> None:
    text = row(*scores)
    assert ("e^{s_1 - m}" in text) == taken_off
    assert "0.000000}{0.000000" not in text


def test_scores_that_tie_for_the_largest_are_both_exactly_zero() -> None:
    text = row("30*sqrt(2)", "15*sqrt(8)", "1")
    assert text.count("= e^0 = 1") == 2
    assert r"\approx 1 + 1 + 0.000000 \approx 2.000000" in text


def test_the_largest_score_less_itself_is_zero_however_deep_it_lies() -> None:
    steps = ["A = softmax(X @ X.T)", "Z = A @ X", "B = softmax(100 * Z @ Z.T)"]
    solution = derive(loads(scenario(steps, X=[["3", "1", "1"], ["1", "2", "0.5"], ["3", "1", "1"]])))
    assert entry_size(solution, "B") > 100
    worked = solution.render("markdown", detail="entries", language="en").split("B = ")[1]
    assert worked.count("= e^0 = 1") == 6  # the first and the third token are the same, in each of the three rows


def test_figures_of_a_few_digits_are_not_subtracted() -> None:
    text = row("50000000*sqrt(2)", "50000001*sqrt(2)")
    assert r"e^{s_1 - m} &\approx e^{-1.414214} \approx 0.243117\\" in text


def test_a_divisor_that_prints_as_zero_is_written_by_its_first_digits() -> None:
    source = scenario(["E = exp(s)", "p = proportions(E)"], s=[["-4000", "-4001"]])
    text = derive(loads(source)).render("markdown", language="en")
    assert r"p_1 &\approx \frac{6.63854\times 10^{-1738}}{9.08072\times 10^{-1738}} \approx 0.731059" in text


def test_what_a_mask_hides_is_hidden_still() -> None:
    text = derive(loads(scenario(["A = softmax(S + causal_mask(2))"], S=[["5000", "1"], ["2", "-3"]]))).render(
        "markdown", detail="entries", language="en"
    )
    assert r"e^{s_{12} + \mathrm{mask}_{12} - m_1} &= e^{-\infty} = 0\\" in text
    assert r"a_{11} &= \frac{1}{1} = 1\\" in text


def test_a_share_is_worked_with_as_many_decimals_as_it_has() -> None:
    source = scenario([], s=[["12", "20"]]).replace("steps = []", 'steps = [{step = "a = softmax(s)", decimals = 9}]')
    text = derive(loads(source)).render("markdown", language="en")
    assert r"\frac{0.000335463}{1.000335463} \approx 0.000335350" in text


def test_large_numbers_on_the_way_are_multiples_of_powers_of_ten() -> None:
    text = row("50000000", "1", step="n = layer_norm(s)")
    assert r"\approx 6.25\times 10^{14}" in text


def test_a_figure_with_a_power_or_a_fraction_is_squared_as_a_whole() -> None:
    assert r"\sqrt{(-30000000)^2 + \left(\frac{1}{3}\right)^2}" in row("-30000000", "1/3", step="n = norm(s)")
    assert r"\sqrt{(-6\times 10^7)^2 + 0.666667^2}" in row("-30000000", "1/3", step="n = norm(2 * s)")


def test_a_power_that_nobody_can_write_is_left_out_of_a_line() -> None:
    text = row("-1000000", "-50", step="f = silu(s)")
    assert r"f_1 &= \frac{-1000000}{1 + e^{1000000}} \approx 0.000000\\" in text
    assert r"f_2 &= \frac{-50}{1 + e^{50}} \approx \frac{-50}{1 + 5.18471\times 10^{21}} \approx 0.000000" in text


def test_what_cannot_be_decided_is_named() -> None:
    """A number on the way says of which step and row it is."""
    solution = derive(loads(scenario(["a = softmax(s)"], s=[["1", "2"]])))
    with pytest.raises(UndecidedError, match=r"^a, row 1: exponential 2: decimal number 7 cannot be decided$"):
        solution.numbers(lambda _: [arb(1), arb("0 +/- 1")], ["a, row 1: exponential 1", "a, row 1: exponential 2"])


@pytest.mark.parametrize("size", SIZES)
def test_no_line_is_longer_than_a_page_is_wide(size: int) -> None:
    given = [[str(size), "2", "0.5"], ["3", str(size), "1"], ["1", "2", str(-size)]]
    text = derive(loads(scenario(["A = softmax(X @ X.T)", "B = softmax(X)"], X=given))).render("markdown")
    sides = [side for line in text.splitlines() if "&" in line for side in re.split("&|=|approx", line)]
    assert max(map(len, sides)) < LONGEST
