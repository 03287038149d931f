"""Every step opens: no figure of a page that shows every entry comes from nowhere; each detail holds the one below."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from symattn.api.worked import WorkedSolution, derive
from symattn.base.errors import SymattnError
from symattn.read.catalogue import entries
from symattn.read.scenario.load import loads
from symattn.show.blocks import Equation, Matrices, Matrix
from symattn.show.build import DETAILS, build_document
from symattn.show.math import Chain, Number
from symattn.show.working.operands import DOTS
from tests.cases import solved
from tests.readback.formulas import Formulas
from tests.readback.lessons import LAYERS, LOGARITHMS, PRODUCTS, with_operations
from tests.readback.lines import Report
from tests.readback.opened import read_opened

SCENARIOS = ("weather", "refund", "good", "ironman", "journey")

OWN = """
[operation.cap]
parameters = ["X", "c = 2"]
equations = ["y[i,j] = c * tanh(X[i,j] / c)"]
[operation.centred]
parameters = ["X: m×n"]
equations = ["mu[i] = sum(k, X[i,k]) / n", "y[i,j] = X[i,j] - mu[i]"]
shape = "m×n"
[sizes]
d = 4
[given]
X = [["0.31", "-1.27", "0.82", "0.45"], ["1.13", "0.64", "-0.58", "0.29"], ["-0.71", "0.93", "0.38", "1.09"]]
Q = [["0.57", "-0.23", "1.21", "0.87"], ["0.11", "1.43", "-0.62", "0.35"], ["-1.19", "0.76", "0.47", "0.53"]]
K = [["0.67", "0.37", "-0.81", "0.27"], ["1.37", "-0.43", "0.59", "0.17"], ["0.73", "0.97", "0.19", "-1.07"]]
V = [["1.51", "-0.33"], ["0.41", "1.61"], ["-0.91", "0.83"]]
W = [["0.61", "-0.47", "0.13"], ["0.89", "0.25", "-1.31"], ["-0.39", "1.03", "0.69"], ["0.21", "0.43", "1.17"]]
U = [["0.77", "0.51", "-0.63", "1.23"], ["-0.07", "0.33", "0.91", "0.49"], ["1.41", "-0.87", "0.03", "0.71"]]
b = [["0.15", "-0.65", "0.95"]]
c = [["0.05", "0.55", "-0.75", "0.35"]]
"""
ONE_LINE = (
    "softmax((Q @ K.T + causal_mask(3)) / sqrt(d)) @ V",
    "softmax(X @ X.T) @ X",
    "layer_norm(X + relu(X @ W + ones(3, 1) @ b) @ U + ones(3, 1) @ c)",
    "concat(softmax(Q @ K.T / 2) @ V, softmax(30 * Q @ X.T) @ V) @ W",
    "concat(softmax(head(Q, 1, 2) @ head(K, 1, 2).T) @ head(X, 1, 2), softmax(head(Q, 2, 2) @ head(K, 2, 2).T) @ V)",
    "cap(centred(Q @ W) / 3) + angle(X @ W, K @ W)",
    "rms_norm(Q - proportions(exp(Q @ K.T)) @ X) + unit(X)",
    "hadamard(silu(X @ W), Q @ W) @ U / sqrt(d)",
    "rotary(Q @ W @ U) @ rotary(K).T",
    "top_k(softmax(Q @ K.T), 2) - entropy(softmax(Q @ K.T)) @ ones(1, 3)",
    "clip_norm(Q @ K.T, 1) @ additive_scores(X @ W, Q @ W, b)",
    "log(softmax(Q @ K.T)) + cosine(gelu(X), tanh(K)) ** 3",
    "row(softmax(Q @ K.T / sqrt(3)) @ X, 2)",
)


def check(report: Report, least: int) -> None:
    assert report.wrong == []
    assert report.compared >= least


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("text", "least"),
    [
        pytest.param(PRODUCTS, 800, id="products"),
        pytest.param(LOGARITHMS, 300, id="logarithms"),
        pytest.param(LAYERS, 800, id="layers"),
        pytest.param(with_operations(), 1700, id="operations", marks=pytest.mark.slow),
    ],
)
def test_no_figure_of_a_lesson_comes_from_nowhere(text: str, least: int) -> None:
    check(read_opened(derive(loads(text))), least)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", SCENARIOS)
def test_no_figure_of_a_scenario_comes_from_nowhere(name: str) -> None:
    check(read_opened(solved(name)), 200)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("formula", ONE_LINE)
def test_a_formula_in_one_line_opens_down_to_what_is_given(formula: str) -> None:
    text = f'title = "t"\n{OWN}\n[[section]]\ntitle = "s"\nsteps = ["Z = {formula}"]\n'
    check(read_opened(derive(loads(text))), 12)


@pytest.mark.parametrize("part", [0, *(pytest.param(part, marks=pytest.mark.slow) for part in (1, 2, 3))])
def test_no_figure_of_the_catalogue_comes_from_nowhere(lesson: Callable, worked: Callable, part: int) -> None:
    for entry in entries()[part::4]:
        check(read_opened(worked(lesson(entry.name))), 3)


def read_random(seeds: range) -> Report:
    whole = Report()
    for seed in seeds:
        try:
            found = read_opened(derive(loads(Formulas(seed).scenario())))
        except SymattnError:
            continue  # what has no value, or none that can be decided, has no page
        whole.wrong += [f"{seed}: {wrong}" for wrong in found.wrong]
        whole.compared += found.compared
    return whole


def test_no_figure_of_random_formulas_comes_from_nowhere() -> None:
    check(read_random(range(15)), 100)


@pytest.mark.slow
@pytest.mark.parametrize("block", range(10))
def test_no_figure_of_two_thousand_random_formulas_comes_from_nowhere(block: int) -> None:
    check(read_random(range(200 * block, 200 * (block + 1))), 2000)


@pytest.mark.slow
def test_no_figure_of_any_choice_of_the_catalogue_comes_from_nowhere(lesson: Callable, catalogue_case: Any) -> None:
    text = lesson(catalogue_case.name, catalogue_case.chosen, catalogue_case.sizes)
    check(read_opened(derive(loads(text))), 3)


# -- each detail holds the one below -------------------------------------------------------------------------------


def shown(solution: WorkedSolution, detail: Any) -> set[object]:
    """The lines of mathematics and the matrices of a page."""
    found: set[object] = set()
    for block in build_document(solution.scenario, solution.store, language="en", detail=detail, code=()).blocks:
        if isinstance(block, Equation):
            found.update(block.chains)
            # What is a number stands at the end of its line.
            ends = ((chain.left, chain.links[-1][1]) for chain in block.chains if chain.links)
            found |= {(left, ((end,),)) for left, end in ends if isinstance(end, Number)}
        for matrix in block.items if isinstance(block, Matrices) else (block,):
            if isinstance(matrix, Matrix):
                # What only moves entries has its formula beside its name.
                found |= {matrix.symbol} if isinstance(matrix.symbol, Chain) else set()
                name = matrix.symbol.left if isinstance(matrix.symbol, Chain) else matrix.symbol
                found.add((name, matrix.entries))
    return found - {DOTS}


def lost(solution: WorkedSolution) -> list[object]:
    """What a page shows and the one with more detail does not; a lesson says once what two lines say of a matrix."""
    pages: dict[Any, set[object]] = {detail: shown(solution, detail) for detail in DETAILS}
    chains = (found for found in pages["lesson"] if isinstance(found, Chain) and found.links)
    said = {(chain.left, ((chain.links[-1][1],),)) for chain in chains}
    matrices = {found for found in pages["result"] if isinstance(found, tuple)} - pages["lesson"] - said
    pairs = (("result", "steps"), ("lesson", "steps"), ("steps", "entries"))
    return [*matrices, *(found for less, more in pairs for found in pages[less] - pages[more])]


@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", SCENARIOS)
def test_each_detail_of_a_scenario_holds_the_one_below(name: str) -> None:
    assert lost(solved(name)) == []


@pytest.mark.slow
def test_each_detail_of_the_catalogue_holds_the_one_below(lesson: Callable) -> None:
    for entry in entries():
        assert lost(derive(loads(lesson(entry.name)))) == [], entry.name


@pytest.mark.slow
@pytest.mark.parametrize("text", [PRODUCTS, LAYERS, LOGARITHMS, with_operations()], ids=list("PLGO"))
def test_each_detail_of_a_lesson_holds_the_one_below(text: str) -> None:
    assert lost(derive(loads(text))) == []
