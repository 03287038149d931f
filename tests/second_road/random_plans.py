"""Random derivations over all operations, each with what PyTorch has for it: plans, values, and tensors."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from random import Random
from typing import Any

import torch
from flint import arb_mat, ctx, fmpq

from symattn.equations.read import read_operation
from symattn.plan import Plan
from symattn.shapes import shape
from symattn.values.ball import ball

functional: Any = torch.nn.functional
Tensor = Any
Size = tuple[int, int]


def angles(x: Tensor, base: float, start: int = 0) -> Tensor:
    rows, width = x.shape
    places = torch.arange(start, start + rows, dtype=torch.float64)
    return torch.outer(places, base ** (-torch.arange(0, width, 2, dtype=torch.float64) / width))


def rotated(x: Tensor, base: float = 10_000.0, start: int = 0) -> Tensor:
    turn = angles(x, base, start)
    even, odd = x[:, 0::2], x[:, 1::2]
    pair = (even * turn.cos() - odd * turn.sin(), even * turn.sin() + odd * turn.cos())
    return torch.stack(pair, dim=2).reshape(x.shape)


def clipped(x: Tensor, most: float) -> Tensor:
    length = x.norm()
    return x if float(length.detach()) <= most else x * most / length


def causal(x: Tensor) -> Tensor:
    return x + torch.full_like(x, -torch.inf).triu(1)


def normed(x: Tensor) -> Tensor:
    return x / x.norm(dim=1, keepdim=True)


def cosine(x: Tensor, y: Tensor) -> Tensor:
    return normed(x) @ normed(y).T


def entropy(x: Tensor) -> Tensor:
    return -(x * x.log()).sum(1, keepdim=True)


def rms(x: Tensor) -> Tensor:
    return x / (x.pow(2).mean(1, keepdim=True) + 1e-5).sqrt()


def additive(x: Tensor, y: Tensor, v: Tensor) -> Tensor:
    return (torch.tanh(x[:, None, :] + y[None, :, :]) * v[0]).sum(2)


Theirs = Callable[..., Tensor]

OF_ONE: Mapping[str, Theirs] = {
    "softmax({X})": lambda x: x.softmax(1),
    "softmax({X} / sqrt(2))": lambda x: (x / 2**0.5).softmax(1),
    "log_softmax({X})": lambda x: x.log_softmax(1),
    "layer_norm({X})": lambda x: functional.layer_norm(x, x.shape[1:], eps=1e-5),
    "rms_norm({X})": rms,
    "relu({X})": torch.relu,
    "gelu({X})": functional.gelu,
    "gelu_tanh({X})": lambda x: functional.gelu(x, approximate="tanh"),
    "silu({X})": functional.silu,
    "exp({X} / 8)": lambda x: (x / 8).exp(),
    "tanh({X})": torch.tanh,
    "sigmoid({X})": torch.sigmoid,
    "softplus({X})": functional.softplus,
    "mish({X})": functional.mish,
    "elu({X})": functional.elu,
    "leaky_relu({X}, slope=1/5)": lambda x: functional.leaky_relu(x, 0.2),
    "softcap({X}, 3)": lambda x: 3 * torch.tanh(x / 3),
    "erf({X})": torch.erf,
    "sin({X})": torch.sin,
    "cos({X})": torch.cos,
    "tan({X} / 64)": lambda x: torch.tan(x / 64),
    "abs({X})": torch.abs,
    "sqrt(abs({X}) + 1)": lambda x: (x.abs() + 1).sqrt(),
    "log(abs({X}) + 1)": lambda x: (x.abs() + 1).log(),
    "{X} ** 2": lambda x: x**2,
    "power({X}, 3) / 9": lambda x: x**3 / 9,
    "unit({X})": normed,
    "-{X}": lambda x: -x,
    "2 * {X} - 1": lambda x: 2 * x - 1,
    "clip_norm({X}, 2)": lambda x: clipped(x, 2.0),
    "{X}.T": lambda x: x.T,
    "proportions(exp({X} / 9))": lambda x: functional.normalize((x / 9).exp(), p=1, dim=1),
    "entropy(softmax({X}))": lambda x: entropy(x.softmax(1)),
    "norm({X})": lambda x: x.norm(dim=1, keepdim=True),
    "row_max({X})": lambda x: x.amax(1, keepdim=True),
    "row_min({X})": lambda x: x.amin(1, keepdim=True),
    "{X} - row_mean({X})": lambda x: x - x.mean(1, keepdim=True),
    "{X} / (row_sum({X} * {X}) + 1)": lambda x: x / ((x * x).sum(1, keepdim=True) + 1),
    "row_var({X})": lambda x: x.var(1, correction=0, keepdim=True),
    "{X}[0]": lambda x: x[:1],
    "{X} - {X}[0]": lambda x: x - x[:1],
    "{X} * {X}[:, 0:1]": lambda x: x * x[:, :1],
    "stack({X}, {X})": lambda x: torch.cat((x, x)),
    "sqrt_shares({X})": lambda x: x / (1 + x.abs().amax(1, keepdim=True)) + x.roll(-1, 0),
}
OF_SQUARE: Mapping[str, Theirs] = {
    "softmax({X} + causal_mask({m}))": lambda x: causal(x).softmax(1),
    "keep({X}, causal_mask({m}))": torch.tril,
    "matrix_power({X}, 2) / 4": lambda x: x @ x / 4,
    "log_softmax({X}) * {X}": lambda x: x.log_softmax(1) * x,
}
OF_EVEN: Mapping[str, Theirs] = {
    "rotary({X}, start=1)": lambda x: rotated(x, start=1),
    "rotary({X}, base=9)": lambda x: rotated(x, 9.0),
    "head({X}, 2, 2)": lambda x: x[:, x.shape[1] // 2 :],
    "concat(head({X}, 2, 2), head({X}, 1, 2))": lambda x: x.roll(x.shape[1] // 2, 1),
}
OF_TWO: Mapping[str, Theirs] = {
    "{X} + {Y}": lambda x, y: x + y,
    "{X} - 2 * {Y}": lambda x, y: x - 2 * y,
    "{X} * {Y}": lambda x, y: x * y,
    "{X} / (1 + {Y} * {Y})": lambda x, y: x / (1 + y * y),
    "maximum({X}, {Y})": torch.maximum,
    "minimum({X}, {Y})": torch.minimum,
    "{X} @ {Y}.T": lambda x, y: x @ y.T,
    "dot({X}, {Y})": lambda x, y: x @ y.T,
    "softmax({X} @ {Y}.T / sqrt(3)) @ {Y}": lambda x, y: (x @ y.T / 3**0.5).softmax(1) @ y,
    "cosine({X}, {Y})": cosine,
    "concat({X}, {Y})": lambda x, y: torch.cat((x, y), dim=1),
    "stack({X}, {Y})": lambda x, y: torch.cat((x, y)),
    "{X} + {Y}[0]": lambda x, y: x + y[:1],
    "additive_scores({X}, {Y}, {X}[0])": lambda x, y: additive(x, y, x[:1]),
    "layer_norm({X}, gamma={Y}[0])": lambda x, y: functional.layer_norm(x, x.shape[1:], y[0], eps=1e-5),
    "layer_norm({X}, gamma={X}[0], beta={Y}[0])": lambda x, y: functional.layer_norm(x, x.shape[1:], x[0], y[0], 1e-5),
    "rms_norm({X}, gamma={Y}[0])": lambda x, y: rms(x) * y[:1],
}
OWN = """sqrt_shares(X: m×n) -> m×n
    a[i] = max(k, abs(X[i,k]))
    y[i,j] = X[i,j] / (1 + a[i]) + X[i % m + 1, j]"""


@dataclass
class RandomPlan:
    """A plan with a loss ``L``, the numbers of its givens, and the same as tensors."""

    plan: Plan
    numbers: dict[str, list[list[Fraction]]] = field(default_factory=dict)
    tensors: dict[str, Tensor] = field(default_factory=dict)
    texts: list[str] = field(default_factory=list)


def random_plan(seed: int) -> RandomPlan:
    """A derivation of a few random steps from two to four random matrices."""
    random = Random(seed)
    found = RandomPlan(Plan(operations={"sqrt_shares": read_operation(OWN)}))
    rows, columns = random.randint(1, 4), random.randint(1, 4)
    for name in "XYZW"[: random.randint(2, 4)]:
        _give(found, name, (rows, columns) if name != "W" else (columns, random.randint(1, 4)), random)
    for number in range(random.randint(2, 6)):
        _step(found, f"S{number}", random)
    last = found.plan.steps[-1]
    _give(found, "C", (int(last.shape.rows.size), int(last.shape.columns.size)), random)
    found.plan = found.plan.step("L", f"sum(C * {_flat(found, last.name)}, axis=None)")
    found.tensors["L"] = (found.tensors["C"] * found.tensors[last.name]).sum().reshape(1, 1)
    return found


def _flat(found: RandomPlan, name: str) -> str:
    """A name as the matrix that it is, where NumPy would have a vector."""
    shape = found.plan[name].shape
    return name if shape.ndim == 2 else f"{name}[None, :]" if shape.rows.size == 1 else f"{name}[:, None]"


def _give(found: RandomPlan, name: str, size: Size, random: Random) -> None:
    numbers = [
        [Fraction(random.randint(-30, 30) * 2 + 1, random.randint(10, 40)) for _ in range(size[1])]
        for _ in range(size[0])
    ]
    found.plan = found.plan.given(name, shape(*size))
    found.numbers[name] = numbers
    found.tensors[name] = torch.tensor(
        [[float(x) for x in row] for row in numbers], dtype=torch.float64, requires_grad=True
    )


def _step(found: RandomPlan, name: str, random: Random) -> None:
    sizes = {each: tuple(tensor.shape) for each, tensor in found.tensors.items()}
    left = random.choice([*list(sizes)[-2:], *sizes])
    others = [each for each, size in sizes.items() if size == sizes[left]]
    table = [*OF_ONE.items()]
    table += OF_SQUARE.items() if sizes[left][0] == sizes[left][1] else ()
    table += OF_EVEN.items() if sizes[left][1] % 2 == 0 else ()
    table += [*OF_TWO.items()] * 2
    factors = [each for each, size in sizes.items() if size[0] == sizes[left][1]]
    if factors and random.random() < 0.3:
        table = [("{X} @ {Y}", lambda x, y: x @ y)]
        others = factors
    text, rule = random.choice(table)
    right = random.choice(others)
    if left == right and text.startswith(("maximum", "minimum")):
        text, rule = "{X} * {Y}", torch.mul  # what is the same twice is a tie everywhere
    formula = text.format(X=_flat(found, left), Y=_flat(found, right), m=sizes[left][0])
    found.plan = found.plan.step(name, formula)
    given = (found.tensors[left], found.tensors[right]) if "{Y}" in text else (found.tensors[left],)
    tensor = rule(*given)
    tensor.retain_grad()
    found.tensors[name] = tensor
    found.texts.append(f"{name} = {formula}")


def worked_out(plan: Plan, numbers: Mapping[str, list[list[Fraction]]], bits: int = 200) -> dict[str, arb_mat]:
    """The values of all steps of a plan in balls."""
    values: dict[str, arb_mat] = {}
    before, ctx.prec = ctx.prec, bits
    try:
        for step in plan.steps:
            if step.formula is None:
                rows = numbers[step.name]
                values[step.name] = arb_mat([[fmpq(x.numerator, x.denominator) for x in row] for row in rows])
            else:
                values[step.name] = ball(step.formula, values.__getitem__)
    finally:
        ctx.prec = before
    return values
