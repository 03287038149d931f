"""Gradients of random derivations are those of PyTorch, and differences at 80 digits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from math import isnan
from random import Random
from typing import Any

import pytest
from flint import arb
from sympy import MatAdd, MatMul, MatPow, MatrixSymbol, Transpose

from symattn.base.shapes import shape
from symattn.compute.solution import Solution
from symattn.compute.values.applied import applied_entries
from symattn.compute.values.balls import at_precision
from symattn.operations import ArgMax, Quotient, TopK
from symattn.read.given import Given
from symattn.read.gradients.chain import BackwardPass, backward
from symattn.read.gradients.moving import starts
from symattn.read.plan import Plan
from tests.second_road.roads import Digits, mp

pytest.importorskip("torch")

from tests.second_road.random_plans import random_plan, torch, worked_out

COUNT, MANY, PART = 40, 2_000, 40
"""How many derivations every run of the tests tries, and the slow one, in parts."""
SOME, MORE = 3, 50
"""How many of them are compared with differences."""
NARROW = 1e-20
"""An enclosure that is wider leaves open which way a comparison goes."""


def agree(seed: int) -> Counter[str]:
    """How many entries of gradients agree; none where the forward pass has no value, as of a row of zeros."""
    made = random_plan(seed)
    if not torch.isfinite(made.tensors["L"]).all():
        return Counter(nothing=1)
    made.tensors["L"].sum().backward()
    passed = backward(made.plan, "L", made.moving)
    values = worked_out(passed.plan, made.numbers)
    found: Counter[str] = Counter()
    for name, called in passed.names.items():
        if name not in made.tensors:
            continue
        theirs = made.tensors[name].grad
        theirs = torch.zeros_like(made.tensors[name]) if theirs is None else theirs
        ours, wanted = values[called].entries(), theirs.flatten().tolist()
        assert len(ours) == len(wanted)
        if not all(entry.rad() < NARROW for entry in ours):
            return Counter(open=1)  # a tie: what becomes of those stands below
        if any(map(isnan, wanted)):
            return Counter(nothing=1)  # PyTorch has 0 · ∞ where a slope does not count
        for entry, value in zip(ours, wanted, strict=True):
            assert abs(float(entry.mid()) - value) <= 1e-10 * max(1.0, abs(value)), (made.texts, name, entry, value)
        found["entries"] += len(ours)
    return found


@pytest.mark.sampled(13)
@pytest.mark.parametrize("seed", range(COUNT))
def test_every_gradient_is_that_of_pytorch(seed: int) -> None:
    assert agree(seed)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(COUNT, MANY, PART))
def test_every_gradient_of_many_derivations_is_that_of_pytorch(first: int) -> None:
    found = sum(map(agree, range(first, first + PART)), Counter[str]())
    assert found["entries"] > 20 * PART
    assert found["open"] + found["nothing"] < PART / 5, found


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 200, PART))
def test_gradients_asked_for_one_after_the_other_are_the_same(first: int) -> None:
    for seed in range(first, first + PART):
        made = random_plan(seed)
        assert_the_same_one_by_one(made.plan, made.numbers, made.moving)


# -- at 80 digits ----------------------------------------------------------------------------------------------------


def forward(plan: Plan, numbers: Mapping[str, Any], wanted: str = "L") -> Any:
    """A number that a plan works out, at 80 digits: all that is done here is done forward."""
    values: dict[str, Any] = dict(numbers)
    for name in plan.behind([wanted]):
        formula = plan[name].formula
        if formula is not None:
            values[name] = in_digits(formula, values)
    return values[wanted][0][0]


def in_digits(node: Any, values: Mapping[str, Any]) -> list[list[Any]]:
    """The value of a formula."""
    if isinstance(node, MatrixSymbol):
        return values[node.name]  # type: ignore[no-any-return]
    parts = [in_digits(arg, values) for arg in node.args if arg.is_Matrix]
    match node:
        case Transpose():
            return [list(row) for row in zip(*parts[0], strict=True)]
        case MatAdd():
            return [[mp.fsum(each) for each in zip(*rows, strict=True)] for rows in zip(*parts, strict=True)]
        case MatMul():
            factor = mp.fprod(number(arg) for arg in node.args if not arg.is_Matrix)
            return [[factor * x for x in row] for row in reduce(times, parts)]
        case MatPow():
            return reduce(times, parts * int(node.exp))
        case Quotient():
            return [[x / number(node.args[1]) for x in row] for row in parts[0]]
        case ArgMax():
            return [[mp.mpf(row.index(max(row)))] for row in parts[0]]
        case TopK():
            least = [sorted(row)[-int(node.args[1])] for row in parts[0]]
            return [[mp.mpf(x >= most) for x in row] for row, most in zip(parts[0], least, strict=True)]
    return applied_entries(node, parts, number, Digits())


def times(x: list[list[Any]], y: list[list[Any]]) -> list[list[Any]]:
    return [[mp.fdot(zip(row, column, strict=True)) for column in zip(*y, strict=True)] for row in x]


def number(of: Any) -> Any:
    if of.is_infinite:
        return mp.inf if of.is_positive else -mp.inf
    return mp.mpf(str(of.doit().evalf(90)))


def difference(plan: Plan, numbers: Mapping[str, Any], name: str, place: tuple[int, int]) -> Any:
    """∂L/∂(an entry) by differences of four points, of which some 50 digits are right; ``None`` where L jumps."""
    road, step = Digits(), mp.mpf(10) ** -20
    given = {each: [list(map(road.number, row)) for row in rows] for each, rows in numbers.items()}
    i, j = place
    found = []
    for k in (-2, -1, 1, 2):
        rows = [list(row) for row in given[name]]
        rows[i][j] += k * step
        found.append(forward(plan, {**given, name: rows}))
    near, far = (found[2] - found[1]) / (2 * step), (found[3] - found[0]) / (4 * step)
    return None if abs(near - far) > mp.mpf(10) ** -20 * (1 + abs(near)) else (4 * near - far) / 3


def differences(plan: Plan, numbers: Mapping[str, Any], moving: Sequence[str], most: int) -> int:
    """How many entries are differences at 80 digits; of each given ``most``."""
    passed = backward(plan, "L", moving)
    values, compared = worked_out(passed.plan, numbers, 400), 0
    for name in moving:
        ours = values[passed.names[name]]
        places = [(i, j) for i in range(ours.nrows()) for j in range(ours.ncols())]
        for i, j in places[:: -(-len(places) // most)]:
            wanted = difference(plan, numbers, name, (i, j))
            if wanted is None or not ours[i, j].rad() < NARROW:
                continue
            with at_precision(400):
                gap = abs(ours[i, j] - arb(mp.nstr(wanted, 75)))
                assert gap < arb("1e-40") * (1 + abs(ours[i, j])), (plan.steps, name, i, j)
            compared += 1
    return compared


def of_seed(seed: int, most: int) -> int:
    made = random_plan(seed)
    return differences(made.plan, made.numbers, made.moving, most)


SHARED = (
    "S = tanh(X @ W); A = softmax(tanh(X @ W) + S)",
    "S = layer_norm(X, gamma=W[0]); A = rms_norm(S, gamma=W[0]) * W[0]",
    "S = relu(X * X) + softmax(relu(X * X) @ W); A = tanh(X * X) * S",
    "S = tanh(sigmoid(X @ W)) @ sigmoid(X @ W); A = sigmoid(X @ W) * softmax(S)",
    "S = sigmoid(X @ W) @ tanh(sigmoid(X @ W)); A = sigmoid(softmax(S) @ W) * W",
    "S = sin(X @ W); A = exp(sin(cos(X @ W) * W) * cos(X @ W)) * S",
    "S = cos(W).T; A = softmax(X @ cos(W)) @ cos(W).T + S",
    "S = softmax(X); A = softmax(softmax(X) @ W) * softmax(X) / 3",
    "s = X[0] @ W[1]; L = tanh(s) * s + s",
    "a = X[0]; b = W[1]; A = softmax(b[None, :] @ a[None, :].T / 2) @ tanh(a[None, :])",
    "a = W[0]; A = softmax(a[None, :] @ X[0:1].T / 2) @ a[None, :] + X[1:2]",
)
"""What stands inside of one formula stands in another one too, or is a step."""


@pytest.mark.parametrize("steps", SHARED)
def test_all_that_reaches_what_stands_in_several_formulas_goes_on(steps: str) -> None:
    draw = Random(steps)
    numbers = {name: [[Fraction(draw.randint(1, 40), 16) for _ in "ab"] for _ in "ab"] for name in "XWC"}
    plan = reduce(lambda made, name: made.given(name, shape(2, 2)), numbers, Plan())
    for step in steps.split("; "):
        plan = plan.step(*step.split(" = "))
    if "L" not in plan.by_name:
        plan = plan.step("L", "sum(A @ C, axis=None)")
    assert differences(plan, numbers, ["X", "W"], 2) == 4
    assert_the_same_one_by_one(plan, numbers, ["X", "W"])


def assert_the_same_one_by_one(plan: Plan, numbers: Mapping[str, Any], moving: Sequence[str]) -> None:
    """The gradients asked for at once, and one after the other."""
    at_once, passed = backward(plan, "L", moving), BackwardPass(plan=plan)
    for name in reversed(moving):
        passed = backward(passed.plan, "L", [name], before=passed)
    one, other = (worked_out(each.plan, numbers) for each in (at_once, passed))
    for name in moving:
        for x, y in zip(one[at_once.names[name]].entries(), other[passed.names[name]].entries(), strict=True):
            assert x.overlaps(y)


@pytest.mark.parametrize("seed", range(SOME))
def test_gradients_are_differences_at_80_digits(seed: int) -> None:
    assert of_seed(seed, 2) > 2


@pytest.mark.slow
@pytest.mark.parametrize("first", range(SOME, SOME + MORE, 10))
def test_gradients_of_more_derivations_are_differences_at_80_digits(first: int) -> None:
    assert sum(of_seed(seed, 100) for seed in range(first, first + 10)) > 100


# -- where a comparison is a tie -------------------------------------------------------------------------------------

ROWS = [["0", "1", "1"], ["-1/2", "0", "0"], ["3", "-2", "1/4"]]
OTHERS = [["0", "1", "-1"], ["-1/2", "1/4", "0"], ["3", "2", "1/4"]]


@dataclass(frozen=True)
class Tie:
    """A formula, and the same in PyTorch."""

    formula: str
    theirs: Callable[..., Any]


TIES = (
    Tie("relu(X)", torch.relu),
    Tie("relu(X - Y)", lambda x, y: torch.relu(x - y)),
    Tie("relu(X @ Y)", lambda x, y: torch.relu(x @ y)),
    Tie("leaky_relu(X - Y, slope=1/4)", lambda x, y: torch.nn.functional.leaky_relu(x - y, 0.25)),
    Tie("elu(X - Y)", lambda x, y: torch.nn.functional.elu(x - y)),
    Tie("abs(X)", torch.abs),
    Tie("abs(exp(X) - exp(Y))", lambda x, y: (x.exp() - y.exp()).abs()),
    Tie("row_max(X) * Y", lambda x, y: x.amax(1, keepdim=True) * y),
    Tie("row_min(X) * Y", lambda x, y: x.amin(1, keepdim=True) * y),
    Tie("row_max(X @ X.T)", lambda x: (x @ x.T).amax(1, keepdim=True)),
    Tie("row_max(softmax(X)) * Y", lambda x, y: x.softmax(1).amax(1, keepdim=True) * y),
    Tie("maximum(X, Y)", torch.maximum),
    Tie("minimum(X, Y)", torch.minimum),
    Tie("maximum(sigmoid(X), sigmoid(Y))", lambda x, y: torch.maximum(x.sigmoid(), y.sigmoid())),
    Tie("X.max(axis=0)", lambda x: x.amax(0, keepdim=True)),
    Tie("X * floor(Y)", lambda x, y: x * y.floor()),
)


@pytest.mark.parametrize("tie", TIES, ids=lambda tie: tie.formula)
def test_what_is_not_differentiable_gets_the_usual_choice(tie: Tie) -> None:
    """0 at the 0 of ReLU and of |x|; of a maximum, what is equal gets equal shares, as of torch.amax."""
    texts = {"X": ROWS, "Y": OTHERS} if "Y" in tie.formula else {"X": ROWS}
    givens = {name: Given.read(rows) for name, rows in texts.items()}
    plan = Plan()
    for name in givens:
        plan = plan.given(name, shape(3, 3))
    plan = plan.step("S", tie.formula).step("L", "sum(S * S + 2 * S, axis=None)")
    moving = [name for name in givens if name in starts(plan, "L")]
    passed = backward(plan, "L", moving)
    solution = Solution(passed.plan, givens)
    tensors = [
        torch.tensor([[float(Fraction(x)) for x in row] for row in rows], dtype=torch.float64, requires_grad=True)
        for rows in texts.values()
    ]
    value = tie.theirs(*tensors)
    (value * value + 2 * value).sum().backward()
    for name, tensor in zip(texts, tensors, strict=True):
        if name in moving:
            ours = [[float(x) for x in row] for row in solution.decimals(passed.names[name], 12)]
            assert torch.allclose(torch.tensor(ours, dtype=torch.float64), tensor.grad, rtol=1e-10, atol=1e-11)
