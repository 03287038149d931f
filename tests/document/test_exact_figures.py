"""What is exactly a short decimal is written so in a worked line, whatever its matrix shows for the others."""

from __future__ import annotations

import pytest
from sympy import Rational

from symattn.api.worked import derive
from symattn.base.printed import read_figure
from symattn.compute.solution.proofs import entry_size
from symattn.compute.values.zero import is_zero
from symattn.read.scenario.load import loads
from symattn.read.scenario.model import CarryMode
from symattn.show.build import scenario_names
from symattn.show.notation.closed_form import LONGEST_ENTRY, _digits, least_digits
from symattn.show.step_parts import StepParts
from tests.document.lessons import lesson
from tests.readback.lessons import LAYERS

GIVENS = """
U = [["2.0", "0.50"]]
X = [["1", "1"], ["sqrt(2)", "0.5"], ["0.2", "-0.2"]]
W = [["1", "sqrt(2)"], ["1", "0"]]
Y = [["0.1", "0.2", "0.3"], ["sqrt(3)", "-sqrt(3)", "0"]]
G = [["0.1", "0.7"], ["0.3", "-0.3"]]
K = [["-0.1", "0.2"], ["0.3", "0.4"]]
v = [["1", "1"]]
"""

STEPS = [
    "Q = X @ W",
    "A = softmax(Q)",
    "R = relu(Q)",
    "D = X / sqrt(1)",
    "C = A @ ones(2, 1)",
    "N = layer_norm(Y)",
    "M = softmax(G + causal_mask(2))",
    "H = clip_norm(G, 0.1)",
    "O = U + U",
    "E = additive_scores(G, K, v)",
]


@pytest.mark.parametrize("source", [LAYERS, None], ids=["layers", "here"])
def test_a_figure_is_exact_where_the_exact_value_says_so(source: str | None) -> None:
    text = source or f'title = "t"\n[given]\n{GIVENS}\n[[section]]\ntitle = "s"\nsteps = {STEPS}\n'
    solution = derive(loads(text), digits=6)
    blocks = StepParts(solution.store, scenario_names(solution.scenario))
    found = 0
    for step in solution.derivation.steps:
        if entry_size(solution.store, step.name) > 60:
            continue
        exact, figures = solution.exact_value(step.name), blocks.work(step).figures(step.name)
        for index, value in enumerate(exact):
            figure = figures[index // exact.cols][index % exact.cols]
            read = read_figure(figure.text)
            if read is None:
                continue
            same = bool(is_zero(value - Rational(int(read[0].p), int(read[0].q))))
            assert figure.exact == same, (step.name, index, figure)
            found += same
    assert found > 30


SHARES = """
S = [["0.021078", "0.019394", "-10^9"], ["0.123456", "0.123456", "0.654321"], ["0", "1", "1/7"]]
V = [["1", "0", "0.5"], ["-1", "0", "0.25"], ["0", "0", "1"]]
"""


@pytest.mark.parametrize("carry", ["exact", "rounded"])
def test_what_is_refused_as_too_long_before_it_is_built_is_as_long_when_it_is(carry: CarryMode) -> None:
    steps = ["A = softmax(S)", "Z = A @ V", "B = softmax(S / 3)", "Y = softmax(S @ S) @ V", "W = Z @ V.T", "U = A * 2"]
    text = f'title = "t"\n[given]\n{SHARES}\n[[section]]\ntitle = "s"\nsteps = {steps}\n'
    solution = derive(loads(text), carry=carry)
    least = {
        (name, i, j): (least_digits(solution.store, name, i, j), _digits(solution.exact_value(name)[i, j]))
        for name in ("A", "Z", "B", "Y", "W", "U", "V")
        for i in range(solution.store.rows(name))
        for j in range(solution.store.columns(name))
    }

    assert [key for key, (estimate, digits) in least.items() if estimate > digits] == []
    assert least["A", 0, 1][0] == len("1053950000096975000001000000000")
    assert least["A", 1, 0][0] == 0, "equal exponents may cancel"
    assert (least["Z", 0, 1][0], least["Z", 0, 2][0] > LONGEST_ENTRY) == (0, carry == "exact")


def test_the_figures_of_a_solution_stay_decimals_where_its_page_shows_logarithms() -> None:
    (row,) = derive(loads(lesson("s", "s = log(2), log(3), log(5)"))).figures("s")
    assert [figure.text for figure in row] == ["0.693147", "1.098612", "1.609438"]


CARRIED = {
    "en": ("starts from the printed figures", "works with exact values", "works exactly with the printed figures"),
    "zh-Hant": ("從上一步印出來的數字接著算", "全程使用精確值", "用上一步印出來的數字精確計算"),
    "zh-Hans": ("从上一步印出来的数字接着算", "全程使用精确值", "用上一步印出来的数字精确计算"),
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("language", CARRIED)
@pytest.mark.parametrize("carry", ["exact", "rounded"])
@pytest.mark.parametrize("format", ["markdown", "json"])
def test_a_page_says_in_one_way_how_figures_are_carried(language: str, carry: CarryMode, format: str) -> None:
    page = derive("weather", carry=carry).render(format, language=language)
    begins, exactly, within = (words in page for words in CARRIED[language])
    assert (begins, exactly, within) == ((False, True, False) if carry == "exact" else (True, False, True))
