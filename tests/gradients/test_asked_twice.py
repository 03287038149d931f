"""What several tables ask for of one loss is worked out once."""

from __future__ import annotations

import json

import pytest

from symattn import derive
from symattn.scenario.load import loads

FILE = """title = "Twice"
loss = "sum(softmax(tanh(X @ W) @ V) * X, axis=None)"
[given]
X = [["1", "2"], ["0", "1"]]
W = [["1", "1/2"], ["-1", "1"]]
V = [["2", "0"], ["1", "1/3"]]
[[section]]
title = "Nothing"
steps = []
"""


def names(asked: str) -> list[str]:
    return [step.name for step in loads(FILE + asked).derivation.steps]


def test_a_second_table_goes_on_where_the_first_ends() -> None:
    at_once = names('[[backward]]\nwrt = ["V", "W"]\n')
    one_by_one = names('[[backward]]\nwrt = "V"\n[[backward]]\nwrt = "W"\n')
    assert len(one_by_one) == len(at_once)
    assert {"dL_in", "dV", "dW"} <= {*one_by_one} & {*at_once}


STEPS = """title = "Two steps"
[given]
X = [["1", "-2"], ["1/2", "3"]]
W = [["1", "-2"], ["1/2", "1"]]
[[section]]
title = "All"
steps = {steps}
"""


@pytest.mark.parametrize("asked", [("X", "W"), ("W", "X")])
@pytest.mark.parametrize("argument", ["W + C", "W @ C + X", "W * C - W", "C + C @ W"])
def test_a_name_inside_a_formula_may_be_needed_by_the_second_gradient_only(
    asked: tuple[str, str], argument: str
) -> None:
    """Of what goes on plainly for the first there is a path through the whole step, not through the name inside it."""
    forward = ["C = X - W", f"D = softmax({argument})", "L = sum(D * C, axis=None)"]
    steps = [*forward, *(f"d{name} = grad(L, {name})" for name in asked)]
    other_way = [*forward, *(f"d{name} = grad(L, {name})" for name in reversed(asked))]
    one, other = (derive(loads(STEPS.format(steps=json.dumps(each)))) for each in (steps, other_way))
    for name in ("dX", "dW"):
        assert one.decimals(name, 9) == other.decimals(name, 9)
