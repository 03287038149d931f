"""The flow of a lesson with gradients tells only edges that there are, and on each what comes back along it."""

from __future__ import annotations

import json
from random import Random

import pytest

from symattn.api.worked import derive
from symattn.read.scenario.load import loads
from tests.sentences.kinds import KINDS
from tests.sentences.page import Verdict, read

LESSON = """
title = "Gradients"
language = "en"
[given]
X = [["1", "-2"], ["1/2", "3"]]
W = [["1", "-2"], ["1/2", "1"]]
g = [["1/2", "2"]]
[[section]]
title = "All"
steps = {steps}
"""

CASES = {
    "one_path": ["Y = X @ W", "Z = softmax(Y)", "L = cross_entropy(Z, [0, 1])", "dW = grad(L, W)"],
    "residual": ["Y = softmax(X @ W) + X", "Z = Y * Y", "L = cross_entropy(Z, [0, 1])", "dX = grad(L, X)"],
    "twice": ["Y = X @ X", "Z = softmax(Y) + Y", "L = cross_entropy(Z * Z, [0, 1])", "dX = grad(L, X)"],
    "norm": [
        "Y = X @ W",
        "Z = layer_norm(Y + X, gamma=g) * Y",
        "L = cross_entropy(Z * Z, [0, 1])",
        "dX = grad(L, X)",
        "dg = grad(L, g)",
    ],
    "vjp": ["Q = X @ W", "S = softmax(Q @ X + X)", "H = S + X", "dX = vjp(H, W, X)"],
    "two_losses": [
        "Y = X @ W",
        "L = cross_entropy(Y, [0, 1])",
        "J = cross_entropy(Y * Y, [0, 1])",
        "dW = grad(L, W)",
        "eW = grad(J, W)",
    ],
    "of_a_gradient": [
        "Y = X @ W",
        "L = cross_entropy(Y * Y, [0, 1])",
        "dW = grad(L, W)",
        "J = cross_entropy(dW * dW, [0, 1])",
        "eX = grad(J, X)",
    ],
}


def flows(steps: list[str], change: tuple[str, str] = ("", "")) -> list[Verdict]:
    """What is said of the flows of a lesson, one of the words changed."""
    data = json.loads(derive(loads(LESSON.format(steps=json.dumps(steps)))).render("json", language="en"))
    for passage in data["document"]["passages"]:
        for block in passage["blocks"]:
            if block["block"] == "picture" and block["says"].startswith("The flow"):
                assert change[0] in block["says"], block["says"]
                block["says"] = block["says"].replace(*change, 1)
    return [each for each in read(data, KINDS) if each.said.startswith("The flow")]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("case", CASES)
def test_what_comes_back_along_an_edge_is_true(case: str) -> None:
    found = flows(CASES[case])
    assert [(each.kinds, each.wrong) for each in found] == [(("says_flow",), "")] * len(found)
    assert len(found) == (2 if case == "two_losses" else 1)  # what rests on a gradient is no loss of the lesson
    assert all("Gradients come back" in each.said for each in found)


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("case", "change"),
    [
        ("one_path", ("∂L/∂Y from Z to Y", "∂L/∂Y from L to Y")),
        ("one_path", ("∂L/∂Y from Z to Y", "∂L/∂Z from Z to Y")),
        ("residual", ("from Y to X", "from L to X")),
        ("residual", ("What reaches X", "What reaches Y")),
        ("residual", ("(∂L/∂X)_(S_Y)", "∂L/∂(S_Y)")),
        ("twice", ("∂L/∂Y from Z to Y", "∂L/∂X from Z to Y")),
        ("vjp", ("(X̄)_(S_S) from S_S to X", "(X̄)_Q from S_S to X")),
        ("vjp", ("H from S and X", "H from S and Q")),
    ],
)
def test_a_changed_claim_about_an_edge_is_found_out(case: str, change: tuple[str, str]) -> None:
    (found,) = flows(CASES[case], change)
    assert found.wrong, found.said


@pytest.mark.parametrize(
    "seed", [6, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (*range(6), *range(7, 40)))]
)
def test_the_flow_of_a_random_lesson_is_true(seed: int) -> None:
    """Every step takes two of those before it, so that much comes back on several paths and something is left out."""
    draw, names = Random(seed), ["X", "W"]
    steps = []
    for name in "ABCDEFGHKMNOPQ"[: draw.randint(4, 14)]:
        one, other = draw.choice(names[-4:]), draw.choice(names)
        form = draw.choice(
            ("{0} @ {1} / 4", "softmax({0} + {1})", "{0} * {1} / 2 + {0}", "softmax({0} @ {1})", "{0} - {1}")
        )
        steps.append(f"{name} = {form.format(one, other)}")
        names.append(name)
    steps += [f"L = cross_entropy({names[-1]} * {names[-2]}, [0, 1])", "dX = grad(L, X)", "dW = grad(L, W)"]
    found = flows(steps)
    assert [(each.kinds, each.wrong) for each in found] == [(("says_flow",), "")]
