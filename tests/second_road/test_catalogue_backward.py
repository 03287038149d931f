"""Every entry of the catalogue backward: its gradients against central differences of the second road forward.

The second road is NumPy in double precision and shares nothing with symattn (tests/second_road/test_catalogue.py).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from symattn import derive
from symattn.cli import main
from symattn.read.catalogue import entries, entry_named
from symattn.read.catalogue.entries import plan
from symattn.read.gradients.chain import backward
from symattn.read.gradients.moving import starts
from symattn.read.scenario.load import loads
from tests.second_road.test_catalogue import ROADS, givens, options

STEP = 1e-5


def result(text: str) -> tuple[str, tuple[str, ...]]:
    """The last step with a gradient by some given, and these givens."""
    derivation = loads(text).derivation
    found = [(step.name, starts(derivation, step.name)) for step in derivation.steps if not step.is_given]
    return next(((name, by) for name, by in reversed(found) if by), ("", ()))


@pytest.mark.sampled(9)
@pytest.mark.parametrize("name", [entry.name for entry in entries()])
def test_gradients_agree_with_central_differences(lesson: Callable[..., str], name: str) -> None:
    # One number less than a tie between blocks, where the largest entry is two.
    text = lesson(name).replace('["1/2", "0"], ["-1", "2"]', '["1/3", "0"], ["-1", "2"]')
    of, by = result(text)
    assert by
    asked = text.replace('title = "A lesson"', f'title = "A lesson"\nloss = "J = sum({of} * {of}, axis=None)"', 1)
    solution = derive(loads(asked + "\n[[backward]]\n"))
    names = {tree.by.text: each for each, tree in solution.scenario.notation.items() if hasattr(tree, "by")}
    values, chosen = givens(text), options(name, {})

    def loss(given: str, at: tuple[int, int], by: float) -> float:
        moved = {**values, given: values[given].copy()}
        moved[given][at] += by
        return float((ROADS[name](moved, chosen)[of] ** 2).sum())

    compared = 0
    for given in by:
        found = np.array([[float(figure) for figure in row] for row in solution[names[given]].decimals(12)])
        assert found.shape == values[given].shape
        for at in np.ndindex(*found.shape):
            here = loss(given, at, 0)
            slopes = (here - loss(given, at, -STEP)) / STEP, (loss(given, at, STEP) - here) / STEP
            wanted, near = sum(slopes) / 2, 1e-5 * max(1, abs(here), *map(abs, slopes))
            if abs(slopes[0] - slopes[1]) < 100 * near:  # no kink
                assert abs(found[at] - wanted) < near, (name, given, at)
                compared += 1
    assert compared > 2


@pytest.mark.sampled(9)
@pytest.mark.parametrize("name", [entry.name for entry in entries()])
def test_the_command_shows_every_entry_backward(name: str) -> None:
    shown = CliRunner().invoke(main, ["catalogue", name, "--backward"])
    assert shown.exit_code == 0, shown.output
    assert "\nd" in shown.output, shown.output


def test_a_step_of_the_command_is_one_of_a_backward_pass() -> None:
    shown = CliRunner().invoke(main, ["catalogue", "attention", "--backward", "--language", "zh-Hant"]).output
    made: Any = plan("attention").step("L", "sum(O * O, axis=None)")
    for line in backward(made, "L", starts(made, "L")).lines:
        assert f"\n{line.step} " in shown
    assert entry_named("attention").name in shown
