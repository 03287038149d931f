"""What pages say of moved entries, of flows of gradients and of ones is true, and a change of it is found out."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from random import Random
from typing import Any

import pytest

from symattn.api.worked import derive
from symattn.read.scenario.load import loads
from tests.sentences.page import Verdict, read
from tests.sentences.run import KINDS

WORDS = ("text", "tex", "says")
"""Under which keys a page as data has what it says."""


@dataclass(frozen=True)
class Lesson:
    """A lesson, with how the sentences begin or go on that are looked at, and of which kind they are."""

    said: str
    kind: str
    steps: list[str]
    given: str
    tail: str = ""

    def verdicts(self, old: str = "", new: str = "") -> list[Verdict]:
        """What becomes of these sentences when words of the page are changed."""
        head = f'title = "A lesson"\nlanguage = "en"\n[given]\n{self.given}\n[[section]]\ntitle = "All"\n'
        text = f"{head}steps = {json.dumps(self.steps)}\n{self.tail}"
        data = json.loads(derive(loads(text)).render("json", language="en"))
        assert old in json.dumps(data["document"], ensure_ascii=False)
        blocks = [block for passage in data["document"]["passages"] for block in passage["blocks"]]
        for block in blocks:
            if block["block"] in ("paragraph", "readings", "picture"):
                _reword(block, old, new)
        return [each for each in read(data, KINDS) if self.said in each.said]


def _reword(node: Any, old: str, new: str) -> None:
    for key, value in node.items() if isinstance(node, dict) else enumerate(node):
        if isinstance(value, dict | list):
            _reword(value, old, new)
        elif key in WORDS and value:
            node[key] = value.replace(old, new, 1)


def moved(kind: str, x: str, *steps: str, check: str = "") -> Lesson:
    given = f'X = {x}\nW = [["1", "-2"], ["1/2", "1"]]'
    return Lesson("quotient", kind, [*steps], given, f'[[backward]]\nof = "L"\nwrt = ["X"]\n{check}\n')


def flow(*steps: str) -> Lesson:
    given = 'X = [["1", "-2"], ["1/2", "3"]]\nW = [["1", "-2"], ["1/2", "1"]]\ng = [["1/2", "2"]]'
    return Lesson("The flow", "says_flow", [*steps], given)


def ones(said: str, kind: str, step: str) -> Lesson:
    return Lesson(said, kind, [step], 'X = [["1", "2", "5"], ["0", "1", "3"]]')


LESSONS: Mapping[str, Lesson] = {
    "near": moved("gradient_check_near", '[["1", "2"]]', "Y = X @ W", "L = Y @ Y.T"),
    "same": moved("gradient_check_same", '[["1", "2"]]', "Y = X @ W", "L = sum(Y)"),
    "apart": moved(
        *("gradient_check_apart", '[["0", "2"]]', "R = relu(X)", "Y = R @ W", "L = sum(Y)"), check='check = "X[1,1]"'
    ),
    "column": ones("is a column of", "sign_ones_column", "Z = X - X @ ones(3, 1) @ ones(1, 3)"),
    "everywhere": ones("Every entry of $\\mathbf 1", "sign_ones_everywhere", "Z = X + 2 * ones(2, 3)"),
}

FLOWS: Mapping[str, Lesson] = {
    "one path": flow("Y = X @ W", "Z = softmax(Y)", "L = cross_entropy(Z, [0, 1])", "dW = grad(L, W)"),
    "residual": flow("Y = softmax(X @ W) + X", "Z = Y * Y", "L = cross_entropy(Z, [0, 1])", "dX = grad(L, X)"),
    "twice": flow("Y = X @ X", "Z = softmax(Y) + Y", "L = cross_entropy(Z * Z, [0, 1])", "dX = grad(L, X)"),
    "norm": flow(
        *("Y = X @ W", "Z = layer_norm(Y + X, gamma=g) * Y", "L = cross_entropy(Z * Z, [0, 1])"),
        *("dX = grad(L, X)", "dg = grad(L, g)"),
    ),
    "vjp": flow("Q = X @ W", "S = softmax(Q @ X + X)", "H = S + X", "dX = vjp(H, W, X)"),
    "two losses": flow(
        *("Y = X @ W", "L = cross_entropy(Y, [0, 1])", "J = cross_entropy(Y * Y, [0, 1])"),
        *("dW = grad(L, W)", "eW = grad(J, W)"),
    ),
    "of a gradient": flow(
        *("Y = X @ W", "L = cross_entropy(Y * Y, [0, 1])", "dW = grad(L, W)"),
        *("J = cross_entropy(dW * dW, [0, 1])", "eX = grad(J, X)"),
    ),
}


@pytest.mark.parametrize("name", LESSONS)
def test_what_is_said_is_true(name: str) -> None:
    (found,) = LESSONS[name].verdicts()
    assert LESSONS[name].kind in found.kinds
    assert found.wrong == ""


@pytest.mark.long
@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", FLOWS)
def test_what_comes_back_along_an_edge_is_true(name: str) -> None:
    found = FLOWS[name].verdicts()
    assert [(each.kinds, each.wrong) for each in found] == [(("says_flow",), "")] * len(found)
    assert len(found) == (2 if name == "two losses" else 1)  # what rests on a gradient is no loss of the lesson
    assert all("Gradients come back" in each.said for each in found)


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("near", "0.005", "0.006"),
        ("near", "0.0005", "0.0006"),
        ("near", "x_1", "x_2"),
        ("same", "x_2", "w_{11}"),
        ("same", "x_2", "z_2"),
        ("apart", "x_1", "x_2"),
        ("column", "3", "4"),
        ("everywhere", "3", "4"),
    ],
)
def test_a_changed_claim_is_found_out(name: str, old: str, new: str) -> None:
    (found,) = LESSONS[name].verdicts(old, new)
    assert found.wrong, found.said


@pytest.mark.long
@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("one path", "∂L/∂Y from Z to Y", "∂L/∂Y from L to Y"),
        ("one path", "∂L/∂Y from Z to Y", "∂L/∂Z from Z to Y"),
        ("residual", "from Y to X", "from L to X"),
        ("residual", "What reaches X", "What reaches Y"),
        ("residual", "(∂L/∂X)_(S_Y)", "∂L/∂(S_Y)"),
        ("twice", "∂L/∂Y from Z to Y", "∂L/∂X from Z to Y"),
        ("vjp", "(X̄)_(S_S) from S_S to X", "(X̄)_Q from S_S to X"),
        ("vjp", "H from S and X", "H from S and Q"),
    ],
)
def test_a_changed_claim_about_an_edge_is_found_out(name: str, old: str, new: str) -> None:
    (found,) = FLOWS[name].verdicts(old, new)
    assert found.wrong, found.said


FORMS = ("{0} @ {1} / 4", "softmax({0} + {1})", "{0} * {1} / 2 + {0}", "softmax({0} @ {1})", "{0} - {1}")


@pytest.mark.long
@pytest.mark.parametrize(
    "seed", [6, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (*range(6), *range(7, 40)))]
)
def test_the_flow_of_a_random_lesson_is_true(seed: int) -> None:
    """Every step takes two of those before it, so that much comes back on several paths and something is left out."""
    draw, names, steps = Random(seed), ["X", "W"], []
    for name in "ABCDEFGHKMNOPQ"[: draw.randint(4, 14)]:
        one, other = draw.choice(names[-4:]), draw.choice(names)
        steps.append(f"{name} = {draw.choice(FORMS).format(one, other)}")
        names.append(name)
    steps += [f"L = cross_entropy({names[-1]} * {names[-2]}, [0, 1])", "dX = grad(L, X)", "dW = grad(L, W)"]
    assert [(each.kinds, each.wrong) for each in flow(*steps).verdicts()] == [(("says_flow",), "")]


@pytest.mark.long
def test_the_proof_of_a_gradient_says_what_its_signs_are() -> None:
    page = derive("backward").render("markdown", language="en")
    assert "applies the transpose of the Jacobian of softmax at" in page
    assert page.count(r"$\mathbf 1_3$ is a column of $3$ ones") == page.count("is a column of") == 1  # that of the step
