"""Jacobians of random formulas over numbers, vectors, rows, columns and matrices against PyTorch's.

Every formula is run twice: by symattn, and by PyTorch from the same text with torch's own broadcasting.
"""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from symattn.base.errors import SymattnError
from symattn.compute.solution import Solution
from symattn.compute.solution.derivatives import DerivativeMismatch
from symattn.read.gradients import jacobians
from symattn.read.scenario.load import loads
from symattn.read.scenario.model import Scenario, StepItem

torch: Any = pytest.importorskip("torch")

KINDS = ((), (2,), (3,), (1, 1), (1, 3), (1, 2), (2, 1), (3, 1), (2, 3), (3, 2), (2, 2), (3, 3))
"""Shapes of the givens; the language has no matrices of other kinds."""

OWN = """
[operation.sharpened]
parameters = ["S: m×n"]
equations = ["t[i] = sum(k, exp(S[i,k] / 4))", "y[i,j] = exp(S[i,j] / 4) / t[i] + S[i,j]^2"]
[operation.mixed]
parameters = ["S: m×n", "U: m×n"]
equations = ["y[i,j] = S[i,j] * U[i,j] + sin(U[i,j])"]
"""


def sharpened(x: Any) -> Any:
    return torch.softmax(x / 4, -1) + x**2


THEIRS = {
    "softmax": lambda x: torch.softmax(x, -1),
    "log_softmax": lambda x: torch.log_softmax(x, -1),
    "tanh": torch.tanh,
    "sigmoid": torch.sigmoid,
    "exp": torch.exp,
    "sin": torch.sin,
    "relu": torch.relu,
    "gelu": torch.nn.functional.gelu,
    "sqrt": torch.sqrt,
    "abs": torch.abs,
    "log": torch.log,
    "norm": lambda x: x.norm(dim=-1, keepdim=x.dim() == 2),
    "layer_norm": lambda x: torch.nn.functional.layer_norm(x, x.shape[-1:], eps=1e-5),
    "sum": lambda x, axis, keepdims=False: x.sum() if axis is None else x.sum(axis, keepdim=keepdims),
    "mean": lambda x, axis, keepdims=False: x.mean() if axis is None else x.mean(axis, keepdim=keepdims),
    "max": lambda x, axis, keepdims=False: x.amax(axis, keepdim=keepdims),
    "concat": lambda *parts: torch.cat(parts, -1),
    "stack": lambda *parts: torch.cat(parts, 0),
    "sharpened": sharpened,
    "mixed": lambda x, y: x * y + torch.sin(y),
}

ONE = (
    "softmax({a})",
    "log_softmax({a})",
    "tanh({a})",
    "sigmoid({a})",
    "exp({a} / 8)",
    "sin({a})",
    "relu({a})",
    "gelu({a})",
    "sqrt(abs({a}) + 1)",
    "log({a} * {a} + 1)",
    "{a} / norm({a})",
    "{a} * {a}",
    "{a} / 3 - {a} * {a} * {a}",
    "layer_norm({a})",
    "{a} - max({a}, axis=1, keepdims=True)",
    "{a} * sum({a}, axis=1, keepdims=True)",
    "{a} - mean({a}, axis=0)",
    "{a} / (1 + sum({a} * {a}, axis=None))",
    "{a}.T",
    "{a}.T @ {a}",
    "{a} @ {a}.T",
    "{a}[0]",
    "sum({a}, axis=1)",
    "sum({a}, axis=None)",
    "sharpened({a})",
    "1 / (1 + exp(-{a}))",
    "concat({a}, {a} * {a})",
)
TWO = (
    "{a} + {b}",
    "{a} - {b} * {b}",
    "{a} * {b}",
    "{a} / (2 + {b} * {b})",
    "{a} @ {b}",
    "{a} @ {b}.T",
    "softmax({a} @ {b}) / 2",
    "{b} * {a} * {b}",
    "mixed({a}, {b})",
    "stack({a}, {b})",
    "softmax({a} * {b} + {a})",
)


def text_of(value: Any) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(text_of, value))}]"
    return f'"{value}/4"'


def lesson(chance: Random) -> tuple[str, dict[str, Any], list[tuple[str, str]], str]:
    """A lesson text, its givens as tensors, its steps, and the given that the Jacobian is by."""
    shapes = {name: chance.choice(KINDS) for name in ("x", "A", "b")}
    values = {}
    for name, shape in shapes.items():
        # No two alike, so that no maximum ties.
        flat = chance.sample([k for k in range(-9, 10) if k], max(1, torch.Size(shape).numel()))
        values[name] = torch.tensor(flat, dtype=torch.float64).reshape(shape) / 4
    known, steps = list(shapes), []
    for name in ("u", "v", "y")[: chance.randint(1, 3)]:
        form = chance.choice(ONE if chance.random() < 0.5 else TWO)
        steps.append((name, form.format(a=chance.choice(known), b=chance.choice(known))))
        known.append(name)
    given = "\n".join(f"{name} = {text_of((4 * value).int().tolist())}" for name, value in values.items())
    listed = ", ".join(f'"{name} = {formula}"' for name, formula in steps)
    asked = f"J = jacobian({steps[-1][0]}, x)"
    text = f'title = "t"\n{OWN}\n[given]\n{given}\n[[section]]\ntitle = "s"\nsteps = [{listed}, "{asked}"]'
    return text, values, steps, steps[-1][0]


def theirs(values: dict[str, Any], steps: list[tuple[str, str]], of: str) -> Any:
    """The Jacobian by x, or ``None`` where torch has no such formula."""

    def run(x: Any) -> Any:
        known = {**values, "x": x}
        for name, formula in steps:
            known[name] = eval(formula, {**THEIRS, "__builtins__": {}}, known)  # noqa: S307 - formulas of this file
        return known[of]

    try:
        return torch.autograd.functional.jacobian(run, values["x"])
    except (RuntimeError, IndexError, TypeError, UserWarning):
        return None


def solved(scenario: Scenario) -> Solution:
    return Solution(scenario.derivation, {name: each.given for name, each in scenario.givens.items()})


def compared(seed: int) -> str:
    """Compare one Jacobian with PyTorch's, and with the one that the texts of its steps give when they are read."""
    text, values, steps, of = lesson(Random(seed))
    try:
        loads(text.rpartition(', "J =')[0] + "]")
    except SymattnError:
        return "no formula"  # the language refuses it with or without a Jacobian
    wanted = theirs(values, steps, of)
    scenario = loads(text)
    found = solved(scenario)["J"].decimals(12)
    written = [f'"{item.name} = {item.formula}"' for item in scenario.sections[0].items if isinstance(item, StepItem)]
    assert solved(loads(f"{text.rpartition('steps = ')[0]}steps = [{', '.join(written)}]"))["J"].decimals(12) == found
    if wanted is None:
        return "nothing to compare"
    flat = [float(figure) for row in found for figure in row]
    assert len(flat) == wanted.numel(), (text, len(flat), wanted.shape)
    rows = scenario.derivation[of].shape.sizes
    entries = torch.tensor(flat, dtype=torch.float64).reshape(int(rows[0]) * int(rows[1]), -1)
    other = wanted.reshape(entries.shape)
    assert torch.allclose(entries, other, rtol=1e-9, atol=1e-9), (text, found, other)
    return "equal"


@pytest.mark.parametrize("block", [0, *(pytest.param(k, marks=pytest.mark.slow) for k in range(1, 40))])
def test_random_jacobians_are_those_of_pytorch(block: int) -> None:
    found = [compared(seed) for seed in range(100 * block, 100 * block + 100)]
    assert found.count("equal") >= 40


def test_a_jacobian_that_is_wrong_becomes_no_page(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = jacobians._kronecker
    monkeypatch.setattr(jacobians, "_kronecker", lambda one, other: kept(other, one))
    text = 'title = "t"\n[given]\nX = [["1", "2"], ["3", "5"]]\n[[section]]\ntitle = "s"\n'
    wrong = solved(loads(text + 'steps = ["Y = X @ X", "J = jacobian(Y, X)"]'))
    with pytest.raises(DerivativeMismatch, match="J: ∂Y/∂X: Y changes by"):
        wrong["J"].decimals(3)
