"""What is asked of one loss several times is worked out once, and is right in whatever order it is asked for."""

from __future__ import annotations

import json
from functools import reduce
from operator import add
from random import Random

import pytest

from symattn import derive
from symattn.compute.solution.derivatives import check_derivatives
from symattn.compute.solution.store import Store
from symattn.read.gradients.graph import Derived, graph_of
from symattn.read.scenario.load import loads

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


@pytest.mark.parametrize("asked", [("X", "W"), ("W", "X")])
def test_the_gradient_of_a_part_is_used_again_only_where_the_same_comes_back(asked: tuple[str, str]) -> None:
    """A + X stands twice in C: what comes back for W passes the first place plainly, for X it has a name."""
    forward = ["A = softmax(X @ W)", "C = softmax(A + X) + layer_norm(A + X) * X", "H = softmax(A + X)"]
    steps = [*forward, "L = cross_entropy(H * (A + C), [0, 1])", *(f"d{name} = grad(L, {name})" for name in asked)]
    solution = derive(loads(STEPS.format(steps=json.dumps(steps)))).store
    assert all(name in check_derivatives(solution, name) for name in ("dX", "dW"))


FORMS = (
    "{0} @ {1} / 4",
    "softmax({0} + {1})",
    "{0} * {1} / 2 + {0}",
    "{0} - {1}",
    "{0}.T @ {0}",
    "softmax(softmax({0} + {1}) @ {1}) + {0}",
    "layer_norm({0} + {1}) * {0}",
    "layer_norm({0} + {1}) @ tanh({0} + {1})",
    "softmax({0} + {1}) + layer_norm({0} + {1}) * {1}",
    "tanh({0} @ {1}) * ({0} @ {1})",
)


def random_solution(seed: int) -> Store:
    """Steps that have parts of their formulas in common, and gradients of one loss, asked for one after the other."""
    draw, names, steps = Random(seed), ["X", "W"], list[str]()
    for name in "ABCDEFGHKMN"[: draw.randint(2, 9)]:
        operands = (draw.choice(names[-4:]), draw.choice(names))
        if draw.random() < 0.6:
            operands = draw.choice([("X", "W"), ("W", "X"), (names[2] if len(names) > 2 else "X", "X")])
        steps.append(f"{name} = {draw.choice(FORMS).format(*operands)}")
        names.append(name)
    asked = ["dX = grad(L, X)", "dW = grad(L, W)", f"dm = grad(L, {draw.choice(names[2:])})"]
    draw.shuffle(asked)
    steps += [f"L = cross_entropy({names[-1]} * ({' + '.join(names[2:])}), [0, 1])", *asked[: draw.randint(2, 3)]]
    return derive(loads(STEPS.format(steps=json.dumps(steps)))).store


SEEDS = [7, 46, 99, 353, 369, 394, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(400, 700))]


@pytest.mark.long
@pytest.mark.parametrize("seed", SEEDS)
def test_gradients_asked_one_after_the_other_are_those_of_the_forward_plan(seed: int) -> None:
    solution = random_solution(seed)
    asked = {"dX", "dW", "dm"} & set(solution.derivation.by_name)
    assert all(name in check_derivatives(solution, name) for name in asked)


@pytest.mark.long
@pytest.mark.parametrize("seed", SEEDS)
def test_what_comes_back_along_the_edges_of_a_graph_adds_up_to_each_gradient(seed: int) -> None:
    solution = random_solution(seed)
    graph = graph_of(solution.derivation, Derived("L"))
    assert graph.totals
    for name, total in graph.totals.items():
        back = [part for (start, _), parts in graph.parts.items() if start == name for part in parts]
        assert back, name
        brought = reduce(add, (solution.enclosure(part, 128) for part in back)) - solution.enclosure(total, 128)
        assert all(x.contains(0) and float(x.rad()) < 1e-9 for x in brought.entries()), (name, back)
