"""What comes back to a matrix through one step is one part of its gradient, at however many places it stands there."""

from __future__ import annotations

import json
from collections import Counter

import pytest

from symattn import derive
from symattn.read.gradients.chain import backward
from symattn.read.scenario.load import loads

FORMULAS = (
    ("R = {a} @ {a}.T", "Y = softmax(R) @ {a}"),
    ("R = {a} * {b} + {a}.T", "Y = R @ {a} + R"),
    ("Y = {a}.T @ {a} + {t} * ({a} @ {a})",),
    ("R = {t} * {a}", "Y = softmax(R) + softmax(R.T) * {b}"),
    ("R = {a} @ {b}", "U = R - R.T", "Y = U * tanh(U) + {a}"),
)
NAMES = (("M", "N", "g"), ("i", "e", "lambda"), ("S", "L_in", "k"))


@pytest.mark.parametrize("formulas", FORMULAS)
@pytest.mark.parametrize("names", NAMES)
def test_no_two_parts_of_a_gradient_come_through_one_step(formulas: tuple[str, ...], names: tuple[str, ...]) -> None:
    a, b, t = names
    steps = [each.format(a=a, b=b, t=t) for each in (*formulas, "loss = sum(Y * {b}, axis=None)")]
    text = f"""title = "t"
    [given]
    {a} = [["1/2", "2"], ["1", "-1"]]
    {b} = [["1", "3"], ["2", "-2"]]
    {t} = "3/2"
    [[section]]
    title = "s"
    steps = {json.dumps(steps)}
    """
    made = backward(loads(text).derivation, "loss", [a])
    parts = Counter((line.of, line.through) for line in made.lines if line.role == "path")
    assert not [part for part, count in parts.items() if count > 1]
    asked = json.dumps([*steps, f"D = grad(loss, {a})"])
    assert derive(loads(text.replace(json.dumps(steps), asked))).decimals("D", 6)  # compared with forward mode


def test_the_part_that_comes_from_the_loss_itself_is_told_so() -> None:
    solution = derive(
        loads(
            """title = "t"
            [given]
            w = [["2"], ["1"]]
            A = [["1", "2"]]
            [[section]]
            title = "s"
            steps = ["u = A @ w", "J = u * u + w.T @ w", "g = grad(J, w)"]
            """
        )
    )
    page = solution.render("markdown", language="en")
    assert "this is the part of its gradient that comes straight from $J$" in page
    assert "acts on $J$ through $J$" not in page
