"""Every line of a page, read back from its TeX, is true: ``=`` exactly, ``≈`` to the digits that are printed.

What a line promises: its first side is worth what its name is worth, for all indices; two sides with ``=`` are one
number; a figure behind ``≈`` is the first side rounded to its last digit; any other side behind ``≈`` may be the first
side when each figure with a point is as far off as its last digit allows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from symattn.api.worked import derive
from symattn.base.errors import SymattnError
from symattn.read.catalogue import entries
from symattn.read.scenario.load import loads
from tests.cases import solved
from tests.readback.formulas import Formulas
from tests.readback.lessons import BACK, BESIDE, GRADIENTS, LAYERS, LOGARITHMS, PRODUCTS, with_operations
from tests.readback.page import Report, read_solution

SCENARIOS = {"weather": 900, "refund": 450, "good": 450, "ironman": 3000, "journey": 3000}
SCENARIOS |= {"backward": 2500, "training": 5500}
DETAILS = ("entries", "steps", "result")


def check(report: Report, least: int) -> None:
    assert report.wrong == []
    assert report.compared >= least


LESSONS = {
    "products": (PRODUCTS, 1500),
    "logarithms": (LOGARITHMS, 400),
    "layers": (LAYERS, 700),
    "beside": (BESIDE, 3400),
    "operations": (with_operations(), 3000),
    "gradients": (GRADIENTS, 1100),
    "back": (BACK, 600),
}


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("name", "carry"), [*((name, "exact") for name in LESSONS), ("layers", "rounded")])
def test_every_line_of_a_lesson_is_true(name: str, carry: Any) -> None:
    lesson, least = LESSONS[name]
    check(read_solution(derive(loads(lesson), carry=carry), ("entries",)), least)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["products", "beside", "gradients", "back"])
def test_every_line_of_a_lesson_is_true_in_less_detail(name: str) -> None:
    check(read_solution(derive(loads(LESSONS[name][0])), DETAILS[1:]), 800)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", SCENARIOS)
def test_a_scenario_says_what_is_true(name: str) -> None:
    check(read_solution(solved(name)), SCENARIOS[name])


@pytest.mark.parametrize("part", [0, *(pytest.param(part, marks=pytest.mark.slow) for part in (1, 2))])
def test_the_catalogue_says_what_is_true(lesson: Callable, worked: Callable, part: int) -> None:
    for entry in entries()[part::3]:
        check(read_solution(worked(lesson(entry.name))), 30)


def read_random(seeds: Sequence[int], details: Sequence[str] = ("entries",)) -> Report:
    whole = Report()
    for seed in seeds:
        text = Formulas(seed).scenario()
        try:
            found = read_solution(derive(loads(text)), details)  # type: ignore[arg-type]
        except SymattnError:
            continue  # what has no value, or none that can be decided, has no page
        whole.wrong += [f"{seed}: {wrong}" for wrong in found.wrong]
        whole.compared += found.compared
    return whole


def test_random_formulas_say_what_is_true() -> None:
    check(read_random(range(50)), 1000)


@pytest.mark.slow
@pytest.mark.parametrize("block", range(10))
def test_five_thousand_random_formulas_say_what_is_true(block: int) -> None:
    check(read_random(range(500 * block, 500 * (block + 1)), DETAILS), 20_000)


@pytest.mark.slow
def test_every_choice_of_the_catalogue_says_what_is_true_in_every_detail(lesson: Callable, catalogue_case: Any) -> None:
    text = lesson(catalogue_case.name, catalogue_case.chosen, catalogue_case.sizes)
    check(read_solution(derive(loads(text)), DETAILS), 60)


@pytest.mark.slow
@pytest.mark.parametrize("carry", ["exact", "rounded"])
@pytest.mark.parametrize("digits", [2, 6, 12])
@pytest.mark.parametrize("name", SCENARIOS)
def test_a_scenario_says_what_is_true_in_every_detail(name: str, carry: Any, digits: int) -> None:
    if carry == "rounded" and name in ("ironman", "journey"):
        pytest.skip("a mask of −∞ leaves no figures to carry on with")
    check(read_solution(derive(name, carry=carry, digits=digits), DETAILS), 2 * SCENARIOS[name])
