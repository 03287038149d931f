"""What stands inside of several formulas, or is met again later, against PyTorch."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from symattn.base.shapes import shape
from symattn.compute.solution import Solution
from symattn.read.given import Given
from symattn.read.gradients.chain import backward
from symattn.read.plan import Plan

torch: Any = pytest.importorskip("torch")


def test_what_stands_inside_several_formulas_gets_what_comes_back_from_each() -> None:
    """An inner formula that is met again, in one step, in two, or when more gradients are asked for later."""
    plan = Plan().given("S", shape(2, 2)).given("U", shape(2, 2)).given("V", shape(2, 2))
    for steps in (
        ("A = exp(S - U) * V + tanh(S - U) * S", "L = sum(A * A, axis=None)"),
        ("A = exp(S - U) * V", "B = A * tanh(exp(S - U))", "L = sum(A * B, axis=None)"),
        ("A = softmax(tanh(S / 2) / 3)", "B = S / 2", "L = sum(A * V, axis=None)"),
        ("Q = S @ U", "K = S @ V", "A = softmax(Q @ K.T / 3)", "L = sum(A * A, axis=None)"),
    ):
        made = plan
        for step in steps:
            made = made.step(*step.split(" = "))
        together = backward(made, "L", ["S", "U", "V"])
        first = backward(made, "L", ["U"])
        second = backward(first.plan, "L", ["S"], before=first)
        third = backward(second.plan, "L", ["V"], before=second)
        draw = Random(3)
        givens = {name: Given.read([[str(draw.randint(1, 9)) + "/7" for _ in "ab"] for _ in "ab"]) for name in "SUV"}
        one, other = Solution(together.plan, givens), Solution(third.plan, givens)
        by_torch = _by_torch(steps, givens)
        for name in "SUV":
            assert one[together.names[name]].decimals(12) == other[third.names[name]].decimals(12)
            found = [float(figure) for row in one[together.names[name]].decimals(12) for figure in row]
            assert max(abs(x - y) for x, y in zip(found, by_torch[name], strict=True)) < 1e-11


def test_the_gradient_of_what_has_a_name_comes_from_every_place_where_it_stands() -> None:
    """The same as with a step of its own in those places, though one place passes on what reaches it unchanged."""
    draw = Random(5)
    givens = {name: Given.read([[f"{draw.randint(1, 9)}/7" for _ in "ab"] for _ in "ab"]) for name in "SUV"}
    plan = Plan().given("S", shape(2, 2)).given("U", shape(2, 2)).given("V", shape(2, 2))
    loss = ("L", "sum(A * V, axis=None)")
    one = plan.step("A", "layer_norm(S, gamma=U[0], beta=U[0])").step(*loss)
    other = plan.step("N", "U[0]").step("A", "layer_norm(S, gamma=N, beta=N)").step(*loss)
    inside, outside = backward(one, "L", ["U"]), backward(other, "L", ["U"])
    (name,) = (step.name for step in inside.plan.steps if step.inside and str(step.formula) == "Row(U, 1)")

    found = Solution(inside.plan, givens)[inside.names[name]].decimals(12)
    assert found == Solution(outside.plan, givens)[outside.names["N"]].decimals(12)


def _by_torch(steps: tuple[str, ...], givens: dict[str, Given]) -> dict[str, list[float]]:
    values: dict[str, object] = {
        name: torch.tensor([float(x) for x in given.entries], dtype=torch.float64).reshape(2, 2).requires_grad_()
        for name, given in givens.items()
    }
    leaves = dict(values)
    known = {"exp": torch.exp, "tanh": torch.tanh, "softmax": lambda x: torch.softmax(x, 1)}
    known["sum"] = lambda x, axis: x.sum()
    for step in steps:
        name, formula = step.split(" = ")
        values[name] = eval(formula, {**known, **values})  # noqa: S307
    grads = torch.autograd.grad(values["L"], list(leaves.values()), allow_unused=True)
    return {
        name: [0.0] * 4 if grad is None else grad.flatten().tolist() for name, grad in zip(leaves, grads, strict=True)
    }
