"""Every derivative that is made is compared with how fast its forward plan changes, and a wrong one becomes no page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest

from symattn import derive
from symattn.base.errors import SymattnError
from symattn.compute.solution.derivatives import DerivativeMismatch, check_derivatives
from symattn.compute.solution.evaluation import Evaluation
from symattn.read.given import Given
from symattn.read.gradients import local
from symattn.read.gradients.chain import backward
from symattn.read.scenario.load import loads

pytest.importorskip("torch")

from tests.second_road.random_plans import random_plan, torch

QUICK, MANY, PART = 30, 2_000, 40
HEAD = 'title = "t"\n'
GIVEN = """[given]
X = [["1.5", "2.5"], ["0.3", "1.1"]]
W = [["1", "2"], ["1/3", "-1"]]
[[section]]
title = "s"
"""


def compared(seed: int) -> Counter[str]:
    """How many gradients of a random derivation are compared, and how many of them only by what they lead to."""
    made = random_plan(seed)
    if not torch.isfinite(made.tensors["L"]).all():
        return Counter(nothing=1)
    passed = backward(made.plan, "L", made.moving)
    solution = Evaluation(passed.plan, {name: Given.read(rows) for name, rows in made.numbers.items()})
    lines = [line for line in passed.lines if line.role in ("only", "sum", "none") and line.of in made.plan.by_name]
    try:
        agreeing = frozenset().union(*(check_derivatives(solution, line.name) for line in lines))
    except SymattnError:
        return Counter(nothing=1)  # a choice that is not settled
    found = Counter(compared=len(agreeing), left=len({line.name for line in passed.lines} - agreeing))
    if open_ones := [line.name for line in lines if line.name not in agreeing]:
        wide = max(float(x.rad()) for name in open_ones for x in solution.enclosure(name, 128).entries())
        assert wide > 1e-9, (made.texts, open_ones)  # nor has it figures
        found["open"] = 1
    return found


@pytest.mark.sampled(10)
@pytest.mark.parametrize("seed", range(QUICK))
def test_every_gradient_by_a_step_or_a_given_is_compared(seed: int) -> None:
    assert compared(seed)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(QUICK, MANY, PART))
def test_every_gradient_of_many_derivations_is_compared(first: int) -> None:
    found = sum(map(compared, range(first, first + PART)), Counter[str]())
    assert found["compared"] > 4 * PART
    assert found["left"] < found["compared"] / 4
    assert found["open"] + found["nothing"] < PART / 10


LESSONS = {
    "numbers": HEAD + GIVEN + 'steps = ["Y = X @ W", "A = softmax(Y)", "L = sum(A * Y, axis=None)", "dX = grad(L, X)"]',
    "rounded": HEAD
    + GIVEN.replace('X = [["1.5", "2.5"], ["0.3", "1.1"]]', 'X = { value = [["1.5", "2.5"]], rounded = true }')
    + 'steps = ["Y = X @ W", "A = softmax(Y)", "L = sum(A * Y, axis=None)", "dX = grad(L, X)"]',
    "carried": HEAD
    + '[figures]\ncarry = "rounded"\n'
    + GIVEN
    + 'steps = ["Y = X @ W", "A = softmax(Y)", "L = sum(A * Y, axis=None)", "dX = grad(L, X)"]',
    "symbols": HEAD
    + 'symbols = ["c"]\n'
    + GIVEN.replace('"2.5"', '"2*c"')
    + 'steps = ["A = softmax(c * X @ W)", "L = sum(A * W, axis=None) / (1 + c^2)", "dX = grad(L, X)", '
    '"dc = grad(L, c)"]',
    "vjp": HEAD + GIVEN + 'steps = ["A = softmax(X @ W)", "G = A * W", "dX = vjp(A, G, X)"]',
    "jacobian": HEAD + GIVEN + 'steps = ["A = softmax(X @ W)", "J = jacobian(A, X)"]',
    "ties": HEAD
    + GIVEN.replace('"2.5"', '"1.5"').replace('"1.1"', '"0"')
    + 'steps = ["E = exp(X - max(X, axis=1, keepdims=True))", "L = sum(relu(E - 1) * W + abs(X), axis=None)", '
    '"dX = grad(L, X)"]',
}


def derivatives_of(text: str) -> Iterator[tuple[Evaluation, str]]:
    scenario = loads(text)
    givens = {name: each.given for name, each in scenario.givens.items()}
    solution = Evaluation(scenario.derivation, givens, scenario.style)
    for step in scenario.derivation.steps:
        if step.derivative is not None:
            yield solution, step.name


@pytest.mark.parametrize("kind", LESSONS)
def test_whatever_the_numbers_are_the_derivatives_are_compared(kind: str) -> None:
    found = {name: check_derivatives(solution, name) for solution, name in derivatives_of(LESSONS[kind])}
    assert found
    assert all(name in agreeing for name, agreeing in found.items()), found


@pytest.mark.parametrize("kind", LESSONS)
def test_a_wrong_derivative_becomes_no_page(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from symattn.read.gradients import chain, jacobians

    for module in (chain, jacobians):
        right = module.matrix_product
        monkeypatch.setattr(module, "matrix_product", lambda *factors, right=right: chain.scaled([2], right(*factors)))
        if hasattr(module, "passed_on"):
            monkeypatch.setattr(
                module, "passed_on", lambda *given, right=module.passed_on: chain.scaled([2], right(*given))
            )
    scenario = loads(LESSONS[kind])
    with pytest.raises(DerivativeMismatch, match="changes by"):
        derive(scenario).render()


def test_a_wrong_compact_form_becomes_no_page(monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = {**local.forms(), "softmax": {"S": "out * (grad - out)"}}
    monkeypatch.setattr(local, "forms", lambda: wrong)
    scenario = loads(LESSONS["numbers"])
    with pytest.raises(DerivativeMismatch, match=r"dA: .*∂L/∂X.* L changes by"):
        derive(scenario).render()


def test_a_number_changes_with_itself() -> None:
    text = HEAD + GIVEN + 'steps = ["L = sum(X @ W, axis=None)", "dL = grad(L, L)", "V = vjp(W, X, W)"]'
    solution = derive(loads(text))
    assert solution.decimals("dL", 1) == (("1.0",),)
    assert solution.decimals("V", 1) == (("1.5", "2.5"), ("0.3", "1.1"))
