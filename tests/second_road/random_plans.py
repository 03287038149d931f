"""Random derivations over all operations, each with what PyTorch has for it: plans, values, and tensors."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from random import Random
from typing import Any

import pytest
from flint import arb_mat, fmpq

from symattn.base.errors import DomainError
from symattn.base.shapes import shape
from symattn.compute.values.ball import ball
from symattn.compute.values.balls import at_precision
from symattn.operations.equations.parts import given_only
from symattn.operations.equations.read import read_operation
from symattn.operations.equations.run import OperandValues, run
from symattn.operations.equations.tree import Operation
from symattn.read.gradients.moving import starts
from symattn.read.plan import Plan
from tests.equations.random_operations import Maker
from tests.second_road.roads import Floats, Torch

torch: Any = pytest.importorskip("torch")
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


def in_halves(x: Tensor, base: float = 10_000.0, start: int = 0) -> Tensor:
    turn, (left, right) = angles(x, base, start), x.chunk(2, dim=1)
    return torch.cat((left * turn.cos() - right * turn.sin(), left * turn.sin() + right * turn.cos()), dim=1)


def clipped(x: Tensor, most: float) -> Tensor:
    length = x.norm()
    return x if float(length.detach()) <= most else x * most / length


def hidden(x: Tensor, mask: Callable[[Tensor, Tensor], Tensor]) -> Tensor:
    """−∞ where the rows i and the columns j, counted from 1, say so."""
    rows, columns = (torch.arange(1, size + 1) for size in x.shape)
    return x.masked_fill(mask(rows[:, None], columns[None, :]), -torch.inf)


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


def split(x: Tensor) -> Tensor:
    return x.reshape(x.shape[0], 2, -1).transpose(0, 1)


def two_heads(x: Tensor) -> Tensor:
    heads = split(x)
    weights = (heads @ heads.mT / 2**0.5).softmax(2)
    return (weights @ heads).transpose(0, 1).reshape(x.shape)


def places(rows: int, columns: int) -> Tensor:
    turn = angles(torch.zeros(rows, columns), 10_000.0)
    return torch.stack((turn.sin(), turn.cos()), dim=2).reshape(rows, -1)[:, :columns]


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
    "running({X}, 1/3)": lambda x: x.cumsum(1) / 3 + torch.cat((x[:1], x[:-1])),
    "softmax({X} + padding_mask({m}, {n}, 1))": lambda x: hidden(x, lambda i, j: j > 1).softmax(1),
    "softmax({X} + padding_mask({m}, {n}, 1, -9))": lambda x: (x - 9 * (torch.arange(x.shape[1]) > 0)).softmax(1),
    "keep({X}, padding_mask({m}, {n}, 1))": lambda x: torch.cat((x[:, :1], 0 * x[:, 1:]), 1),
    "one_hot([{m} - 1, 0, 0], {m}) @ {X}": lambda x: x[[x.shape[0] - 1, 0, 0]],
    "{X} + floor({X})": lambda x: x + x.floor(),
    "broadcast({X}[0], 3)": lambda x: x[:1].expand(3, -1),
    "diag({X}[0])": lambda x: x[0].diag(),
    "entry({X}, {m}, {n}) * {X}": lambda x: x[-1, -1] * x,
    "row({X}, {m})": lambda x: x[-1:],
    "rows({X}, 1, {m}) + rows({X}, {m}, {m})": lambda x: x + x[-1:],
    "power({X}, 1)": lambda x: x,
    "sum({X}, axis=0)": lambda x: x.sum(0, keepdim=True),
    "mean({X}, axis=0) - {X}": lambda x: x.mean(0, keepdim=True) - x,
    "{X}.max(axis=0)": lambda x: x.amax(0, keepdim=True),
    "{X} @ identity({n}) + ones({m}, {n})": lambda x: x + 1,
    "layer_norm({X}, epsilon=1/10)": lambda x: functional.layer_norm(x, x.shape[1:], eps=0.1),
    "rms_norm({X}, epsilon=1/10)": lambda x: x / (x.pow(2).mean(1, keepdim=True) + 0.1).sqrt(),
    "clip_norm({X}, 100)": lambda x: clipped(x, 100.0),
    "{X} * one_hot(argmax({X}).T, {n})": lambda x: x * functional.one_hot(x.argmax(1), x.shape[1]),
    "{X} * top_k({X}, 1)": lambda x: x * functional.one_hot(x.argmax(1), x.shape[1]),
    "cross_entropy({X}, {ids})": lambda x: functional.cross_entropy(x, torch.arange(len(x)) * 3 % x.shape[1])[
        None, None
    ],
}
"""What is made of one matrix; {m} and {n} are how many rows and columns it has."""
OF_SQUARE: Mapping[str, Theirs] = {
    "softmax({X} + causal_mask({m}))": lambda x: causal(x).softmax(1),
    "keep({X}, causal_mask({m}))": torch.tril,
    "matrix_power({X}, 2) / 4": lambda x: x @ x / 4,
    "log_softmax({X}) * {X}": lambda x: x.log_softmax(1) * x,
    "softmax({X} + window_mask({m}, {w}))": lambda x: hidden(x, lambda i, j: abs(i - j) > 1).softmax(1),
    "softmax({X} + causal_mask({m}) + window_mask({m}, {w}))": (
        lambda x: hidden(x, lambda i, j: (j > i) | (j < i - 1)).softmax(1)
    ),
    "softmax({X} + causal_mask({m}, -10^2))": lambda x: (x - 100 * torch.ones_like(x).triu(1)).softmax(1),
    "softmax({X} - distance({m}) / 2)": (
        lambda x: (x - (torch.arange(len(x))[:, None] - torch.arange(len(x))).abs() / 2).softmax(1)
    ),
}
OF_WIDE: Mapping[str, Theirs] = {
    "softmax({X} + cached_mask({m}, {n}))": (
        lambda x: hidden(x, lambda i, j: j > i + x.shape[1] - x.shape[0]).softmax(1)
    ),
    "row_var({X}, correction=1)": lambda x: x.var(1, correction=1, keepdim=True),
}
"""Of more than one column, and no more rows than columns."""
OF_EVEN: Mapping[str, Theirs] = {
    "rotary({X}, start=1)": lambda x: rotated(x, start=1),
    "rotary({X}, base=9)": lambda x: rotated(x, 9.0),
    "head({X}, 2, 2)": lambda x: x[:, x.shape[1] // 2 :],
    "concat(head({X}, 2, 2), head({X}, 1, 2))": lambda x: x.roll(x.shape[1] // 2, 1),
    "rotary_halves({X}, {ids_of_rows})": in_halves,
    "rotary_halves({X}, {ids_of_rows}, base=9)": lambda x: in_halves(x, 9.0),
    "{X} + sinusoidal({m}, {n})": lambda x: x + places(*x.shape),
    "merge_heads(softmax(heads({X}, 2) @ heads({X}, 2).mT / sqrt(2)) @ heads({X}, 2))": two_heads,
    "sum(relu(heads({X}, 2)), axis=0)": lambda x: split(x).relu().sum(0),
    "heads({X}, 2); merge_heads({B} * softmax({B}))": (
        lambda x: (split(x) * split(x).softmax(2)).transpose(0, 1).reshape(x.shape)
    ),
}
"""Of an even number of columns; {B} are the matrices of a step along leading axes."""
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
    "mse({X}, {Y})": lambda x, y: functional.mse_loss(x, y).reshape(1, 1),
    "angle({X}, {Y})": lambda x, y: cosine(x, y).acos().rad2deg(),
    "divide({X}, 2 + sin({Y}))": lambda x, y: x / (2 + y.sin()),
    "swish_gate({X}, {Y})": lambda x, y: functional.silu(x) * y + x.sum() * y.amax(),
    "gated({X}, bias={Y}[0])": lambda x, y: (x + y[:1]).sigmoid() * x,
    "gated({X}) + {Y}": lambda x, y: x.sigmoid() * x + y,
    "concat({X}, {Y}, {X})": lambda x, y: torch.cat((x, y, x), dim=1),
    "stack({X}, {Y}, {X})": lambda x, y: torch.cat((x, y, x)),
}
OWN = (
    """sqrt_shares(X: m×n) -> m×n
    a[i] = max(k, abs(X[i,k]))
    y[i,j] = X[i,j] / (1 + a[i]) + X[i % m + 1, j]""",
    """running(X: m×n, c) -> m×n
    t[i,j] = sum(k, X[i,k] if k <= j else 0)
    y[i,j] = c * t[i,j] + X[max(1, i - 1),j]""",
    """swish_gate(X: m×n, Y: m×n) -> m×n
    s = sum(k, sum(l, X[k,l]))
    t = max(k, max(l, Y[k,l]))
    y[i,j] = X[i,j] / (1 + exp(-X[i,j])) * Y[i,j] + s * t""",
    """gated(X: m×n, bias: n = 0) -> m×n
    y[i,j] = X[i,j] / (1 + exp(-(X[i,j] + bias[j])))""",
)


@dataclass
class RandomPlan:
    """A plan with a loss ``L``, the numbers of its givens, and the same as tensors."""

    plan: Plan
    numbers: dict[str, list[list[Fraction]]] = field(default_factory=dict)
    tensors: dict[str, Tensor] = field(default_factory=dict)
    texts: list[str] = field(default_factory=list)

    @property
    def moving(self) -> list[str]:
        """The givens that the loss has a gradient by, 0 where it does not depend on one: none through choices alone."""
        behind, found = self.plan.behind(["L"]), starts(self.plan, "L")
        return [name for name in self.numbers if name in found or name not in behind]


def random_plan(seed: int) -> RandomPlan:
    """A derivation of a few random steps from two to four random matrices."""
    random = Random(seed)
    operations = [read_operation(text) for text in OWN]
    found = RandomPlan(Plan(operations={each.name: each for each in operations}))
    rows, columns = random.randint(1, 4), random.randint(1, 4)
    for name in "XYZW"[: random.randint(2, 4)]:
        _give(found, name, (rows, columns) if name != "W" else (columns, random.randint(1, 4)), random)
    for number in range(random.randint(2, 6)):
        if random.random() > 0.1 or not _random_operation(found, f"S{number}", random):
            _step(found, f"S{number}", random)
    last = found.plan.steps[-1]
    _give(found, "C", (int(last.shape.rows.size), int(last.shape.columns.size)), random)
    found.plan = found.plan.step("L", f"sum(C * {_flat(found, last.name)}, axis=None)")
    found.tensors["L"] = (found.tensors["C"] * found.tensors[last.name]).sum().reshape(1, 1)
    return found


def _flat(found: RandomPlan, name: str) -> str:
    """A name as the matrix that it is, where NumPy would have a vector or a number."""
    shape = found.plan[name].shape
    if shape.ndim == 0:
        return f"{name} * ones(1, 1)"
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


def _matrices(found: RandomPlan) -> dict[str, Size]:
    """What a step may be made of."""
    sizes = {each: tuple(tensor.shape) for each, tensor in found.tensors.items()}
    return {each: size for each, size in sizes.items() if found.plan[each].shape.ndim > 0}


def _step(found: RandomPlan, name: str, random: Random) -> None:
    sizes = _matrices(found)
    left = random.choice([*list(sizes)[-2:], *sizes])
    others = [each for each, size in sizes.items() if size == sizes[left]]
    rows, columns = sizes[left]
    table = [*OF_ONE.items()]
    table += [*OF_SQUARE.items()] * 2 if rows == columns else ()
    table += [*OF_EVEN.items()] * 2 if columns % 2 == 0 else ()
    table += OF_WIDE.items() if columns >= max(2, rows) else ()
    table += [*OF_TWO.items()] * 2
    factors = [each for each, size in sizes.items() if size[0] == columns]
    if factors and random.random() < 0.3:
        table = [("{X} @ {Y}", lambda x, y: x @ y)]
        others = factors
    text, rule = random.choice(table)
    right = random.choice(others)
    if text.startswith("angle") and (columns == 1 or _is_parallel(found.tensors[left], found.tensors[right])):
        text, rule = "cosine({X}, {Y})", cosine  # angles of 0 have no gradient
    if left == right and text.startswith(("maximum", "minimum")):
        text, rule = "{X} * {Y}", torch.mul  # what is the same twice is a tie everywhere
    ids = str([3 * i % columns for i in range(rows)])
    given = {
        "m": rows,
        "n": columns,
        "ids": ids,
        "ids_of_rows": str([*range(rows)]),
        "B": f"{name}_B",
        "w": min(2, rows),
    }
    formula = text.format(X=_flat(found, left), Y=_flat(found, right), **given)
    if ";" in formula:
        batch, formula = formula.split("; ")
        found.plan = found.plan.step(f"{name}_B", batch)
    found.plan = found.plan.step(name, formula)
    _came_out(found, name, formula, rule(*(found.tensors[each] for each in (left, right)[: 1 + ("{Y}" in text)])))


def _is_parallel(x: Tensor, y: Tensor) -> bool:
    return bool((cosine(x, y).abs() > 0.9999).any())


def _came_out(found: RandomPlan, name: str, formula: str, value: Tensor) -> None:
    tensor = value.clone()  # what is let through unchanged is a step of its own
    tensor.retain_grad()
    found.tensors[name] = tensor
    found.texts.append(f"{name} = {formula}")


def _random_operation(found: RandomPlan, name: str, random: Random) -> bool:
    """A step by an operation that is made at random; PyTorch is given its equations. Not all of them have a value."""
    made = Maker(random.randrange(10**6)).operation(f"own_{name}")
    record = read_operation(made.text)
    sizes = _matrices(found)
    left = random.choice([*sizes])
    right = random.choice([each for each, size in sizes.items() if size[1] == sizes[left][1]])
    given: dict[str, Any] = {}
    written: list[str] = []
    for each in record.parameters:
        if each.name not in made.order:
            continue
        if each.name in "XYb":
            which = left if each.name == "X" else right
            given[each.name] = found.tensors[which] if each.kind == "matrix" else found.tensors[which][0]
            text = _flat(found, which) + ("" if each.kind == "matrix" else "[0]")
        else:
            text = made.numbers[each.name]
            given[each.name] = int(text) if each.kind == "whole" else float(Fraction(text))
        written.append(text if each.default is None else f"{each.name}={text}")
    try:
        operation = given_only(record, frozenset(made.order))
        _by_equations(operation, {name: _plain(value) for name, value in given.items()}, Floats())  # which has no NaN
        value = _by_equations(operation, given, Torch())
    except (ValueError, ZeroDivisionError, DomainError, OverflowError):
        return False
    if not value.isfinite().all() or value.abs().max() > 100 or not value.requires_grad:
        return False
    formula = f"{record.name}({', '.join(written)})"
    found.plan = replace(found.plan, operations={**found.plan.operations, record.name: record}).step(name, formula)
    _came_out(found, name, formula, value)
    return True


def _plain(value: Any) -> Any:
    return value.tolist() if isinstance(value, torch.Tensor) else value


def _by_equations(operation: Operation, given: Mapping[str, Any], road: Floats) -> Any:
    numbers, whole = dict[str, Any](), dict[str, int]()
    for each in operation.parameters:
        value = given[each.name]
        if not each.is_matrix:
            if each.kind == "number":
                numbers[each.name] = road.number(value)
            else:
                whole[each.name] = value
            continue
        sizes = (len(value), len(value[0])) if each.kind == "matrix" else (len(value),)
        whole |= {axis.name: size for axis, size in zip(each.axes, sizes, strict=True)}  # type: ignore[union-attr]
        numbers[each.name] = [list(row) for row in value] if each.kind == "matrix" else list(value)
    rows = run(OperandValues(operation, numbers, whole), road)
    return (
        torch.stack([torch.stack([x + road.number(0) for x in row]) for row in rows])
        if isinstance(road, Torch)
        else rows
    )


def worked_out(plan: Plan, numbers: Mapping[str, list[list[Fraction]]], bits: int = 200) -> dict[str, arb_mat]:
    """The values of all steps of a plan in balls."""
    values: dict[str, arb_mat] = {}
    with at_precision(bits):
        for step in plan.steps:
            if step.formula is None:
                rows = numbers[step.name]
                values[step.name] = arb_mat([[fmpq(x.numerator, x.denominator) for x in row] for row in rows])
            else:
                values[step.name] = ball(step.formula, values.__getitem__)
    return values
