"""Gradients are the same whatever the names are: those that compact forms and records use themselves too."""

from __future__ import annotations

import pytest

from symattn import derive
from symattn.base.shapes import shape
from symattn.read.gradients.chain import backward
from symattn.read.plan import Plan
from symattn.read.scenario.load import loads

NAMES = "grad out size_of_record_n ones S X G k i n relu e grad_of_what_is_asked_for at".split()
FORMULAS = ("softmax({a}) * W + {a}", "layer_norm({a}) @ W", "power({a}, 3) / (1 + W * W)", "relu({a}) - mse({a}, W)")
OWN = """title = "t"
[operation.own]
parameters = ["{a}: m×n", "{b}: m×n"]
equations = ["r[i,j] = {a}[i,j] * exp({b}[i,j] / 2) + {b}[i,j]"]
[given]
X1 = [["1/2", "2"], ["3", "-1"]]
W1 = [["1", "3"], ["2", "-2"]]
[[section]]
title = "s"
steps = ["R = own(X1, W1)", "L = sum(R * R, axis=None)", "D1 = grad(L, X1)", "D2 = grad(L, W1)", "J = jacobian(R, X1)"]
"""


def of_given(name: str, formula: str) -> list[object]:
    text = f"""title = "t"
    [given]
    {name} = [["1/2", "2"], ["3", "-1"]]
    W = [["1", "3"], ["2", "-2"]]
    [[section]]
    title = "s"
    steps = ["R = {formula.format(a=name)}", "L = sum(R * R, axis=None)", "D1 = grad(L, {name})", "D2 = grad(L, W)"]
    """
    solution = derive(loads(text))
    return [solution.decimals(each, 9) for each in ("D1", "D2")]


@pytest.mark.long
@pytest.mark.sampled(2)
@pytest.mark.parametrize("formula", FORMULAS)
def test_no_name_of_a_given_changes_a_gradient(formula: str) -> None:
    wanted = of_given("H", formula)
    for name in NAMES:
        assert of_given(name, formula) == wanted, name


@pytest.mark.long
@pytest.mark.sampled(12)
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("other", ["grad", "out", "B"])
def test_no_name_of_a_parameter_changes_a_gradient(name: str, other: str) -> None:
    if name == other:
        return
    one, two = (derive(loads(OWN.format(a=a, b=b))) for a, b in ((name, other), ("A", "B")))
    for each in ("D1", "D2", "J"):
        assert one.decimals(each, 9) == two.decimals(each, 9)


@pytest.mark.parametrize("formula", ["X @ X.T @ X", "X * softmax(X) + X", "X + layer_norm(X) @ W", "(X @ W) * (X - W)"])
def test_what_comes_through_one_step_is_one_part_of_a_gradient(formula: str) -> None:
    given = Plan().given("X", shape(2, 2)).given("W", shape(2, 2))
    plan = given.step("R", formula).step("T", "relu(X) * R").step("L", "sum(T + X, axis=None)")
    parts = [(line.of, line.through) for line in backward(plan, "L", ["X", "W"]).lines if line.role == "path"]
    assert parts
    assert len(parts) == len(set(parts))
