"""Whole numbers of a gradient are gathered, and it stays the gradient; letters and roots stay where they are."""

from __future__ import annotations

import json
import re
from random import Random

import pytest

from symattn import derive
from symattn.read.scenario.load import loads

LESSON = """title = "Numbers"
[given]
X = [["1", "-2", "3"], ["1/2", "3", "1"]]
W = [["1", "2"], ["1/2", "1"], ["3", "-1"]]
[[section]]
title = "All"
steps = {steps}
"""


def formulas(*steps: str) -> dict[str, str]:
    """The formulas of a lesson, all of whose gradients are compared with how fast its forward plan changes."""
    solution = derive(loads(LESSON.format(steps=json.dumps(steps))))
    for step in solution.derivation.steps:
        assert solution.decimals(step.name, 6)
    return {step["name"]: step["written"] for step in json.loads(solution.render("json", language="en"))["steps"]}


@pytest.mark.parametrize(
    ("loss", "written"),
    [
        ("sum(O * O, axis=None) / 4 / 3", "O / 6"),
        ("sum(O * O, axis=None) / sqrt(3) / 2", "O / sqrt(3)"),
        ("mean(O * O, axis=None) * 6", "3 * O"),
        ("sum(O, axis=None) / 3 * 2 / 5", "2 * ones(2, 2) / 15"),
    ],
)
def test_whole_numbers_are_gathered(loss: str, written: str) -> None:
    found = formulas("O = X @ W", f"L = {loss}", "dO = grad(L, O)", "dW = grad(L, W)")["dO"]
    assert found == written


@pytest.mark.long
@pytest.mark.sampled(3)
@pytest.mark.parametrize("seed", range(8))
def test_no_gradient_multiplies_and_divides_by_whole_numbers_twice(seed: int) -> None:
    draw = Random(seed)
    inner = draw.choice(("O * O", "O * O / {a} + O", "{b} * O", "softmax(O / {a}) * O", "O * O * {b} / {a}"))
    steps = [
        "O = X @ W",
        f"P = {inner} / {{a}}",
        f"L = {draw.choice(('sum', 'mean'))}(P * P, axis=None) / {{b}} / {{a}}",
        "dO = grad(L, O)",
        "dW = grad(L, W)",
    ]
    numbers = {"a": draw.choice((2, 4, 6)), "b": draw.choice((2, 3, 8))}
    found = formulas(*(step.format(**numbers) for step in steps))
    for name, written in found.items():
        if name.startswith("d"):
            assert not re.search(r"/ \d+ / \d+", written), f"{name} = {written}"
            for above, below in re.findall(r"(?<![\w/] )\b(\d+) \* [^+()]*? / (\d+)\b", written):
                assert int(below) % int(above), f"{name} = {written}"
