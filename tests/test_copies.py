"""Scenarios, solutions and values go into other processes and are copied, and are there what they were."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from symattn import derive, load
from symattn.base.frozen import parts
from symattn.compute.solution import Solution
from symattn.read.scenario.load import loads
from symattn.read.scenario.model import Scenario

if TYPE_CHECKING:
    from tests.conftest import CatalogueCase

WAYS: dict[str, Callable[[Any], Any]] = {
    "pickle": lambda thing: pickle.loads(pickle.dumps(thing)),  # noqa: S301 - our own
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
}

SYMBOLS = """title = "t"
symbols = ["a"]
[given]
X = [["a", "1"], ["sqrt(2)/2", "2*a"]]
[[section]]
title = "s"
steps = ["Y = X @ X.T / 2"]
"""


@pytest.fixture(params=WAYS)
def way(request: pytest.FixtureRequest) -> Callable[[Any], Any]:
    return WAYS[request.param]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", ["refund", "good"])
def test_a_copy_of_a_solution_has_the_same_page(name: str, way: Callable[[Any], Any]) -> None:
    solution = derive(name, digits=8)
    page = solution.render(language="en")
    other = way(solution)
    assert other is not solution
    assert type(other) is type(solution)
    assert other.render(language="en") == page
    assert way(derive(name, carry="rounded")).style.carry == "rounded"


def test_a_copy_of_a_scenario_is_equal_and_cannot_be_changed_either(way: Callable[[Any], Any]) -> None:
    scenario = load("journey")
    other = way(scenario)
    assert other == scenario
    assert parts(other) == parts(scenario)  # and no expression was worked out on the way
    with pytest.raises(TypeError):
        other.givens["X"] = None


def test_a_copy_of_a_value_has_the_same_digits(way: Callable[[Any], Any]) -> None:
    value = derive("refund")["A"]
    other = way(value)
    assert (other.name, other.step, repr(other)) == (value.name, value.step, repr(value))
    assert other.decimals(30) == value.decimals(30)
    assert other.exact == value.exact


def test_free_symbols_arrays_and_solutions_without_a_scenario(tmp_path: Path, way: Callable[[Any], Any]) -> None:
    symbolic = derive(loads(SYMBOLS))
    assert way(symbolic).render() == symbolic.render()
    np.save(tmp_path / "x.npy", np.array([[0.1, 2.0], [3.0, -1.0]]))
    path = tmp_path / "lesson.toml"
    path.write_text(SYMBOLS.replace('[["a", "1"], ["sqrt(2)/2", "2*a"]]', '{ file = "x.npy" }'), encoding="utf-8")
    read = derive(path)
    arrived = way(read)
    (tmp_path / "x.npy").unlink()
    assert arrived.render() == read.render()
    plain = Solution(read.derivation, {"X": read.scenario.givens["X"].given})
    assert way(plain)["Y"].decimals(6) == plain["Y"].decimals(6)


@pytest.mark.sampled(25)
def test_every_expression_of_the_catalogue_arrives_as_it_was(
    catalogue_case: CatalogueCase, lesson: Callable[..., str]
) -> None:
    scenario = loads(lesson(catalogue_case.name, catalogue_case.chosen))
    arrived: Scenario = pickle.loads(pickle.dumps(scenario))  # noqa: S301 - our own
    assert arrived == scenario
    assert parts(arrived) == parts(scenario)
