"""Gradients by roads of their own: PyTorch's autograd over the equations of an operation, floats, and 80 digits.

What is to be compared is the adjoint of an operation, worked out as an operation; what it is compared with never sees
an adjoint: PyTorch is given the forward equations alone, and so are differences.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import chain
from typing import Any

from mpmath import MPContext

from symattn.operations.equations.adjoint import adjoint, seed
from symattn.operations.equations.run import OperandValues, lengths, run
from symattn.operations.equations.tree import Operation, Parameter
from symattn.operations.equations.whole import COMPARED

mp = MPContext()
mp.dps = 80

Numbers = Mapping[str, Any]
"""What an operation is given: rows for a matrix, a list for a row, a number for a number."""


class Floats:
    """Double precision, with no library but Python's own."""

    functions: Mapping[str, Callable[..., Any]] = {
        "add": lambda x, y: x + y,
        "sub": lambda x, y: x - y,
        "mul": lambda x, y: x * y,
        "div": lambda x, y: x / y,
        "mod": lambda x, y: x % y,
        "pow": lambda x, y: x ** (float(y) if isinstance(y, Fraction) else y),
        "neg": lambda x: -x,
        "exp": math.exp,
        "log": math.log,
        "sqrt": math.sqrt,
        "tanh": math.tanh,
        "erf": math.erf,
        "sin": math.sin,
        "cos": math.cos,
        "acos": math.acos,
        "abs": abs,
        "floor": lambda x: float(math.floor(x)),
        "min": min,
        "max": max,
        "xlogx": lambda x: x * math.log(x) if x else 0.0,
        "pi": lambda: math.pi,
        "oo": lambda: math.inf,
    }

    def number(self, value: Any) -> Any:
        return float(value)

    def sum(self, values: list[Any]) -> Any:
        return sum(values)

    def max(self, values: list[Any]) -> Any:
        return max(values)

    def compare(self, sign: str, left: Any, right: Any) -> bool:
        return bool(COMPARED[sign](left, right))

    def either(self, then: Any, otherwise: Any, condition: Any) -> Any:
        raise AssertionError("a comparison of two numbers is never open")


class Digits(Floats):
    """80 digits. Numbers that agree to 60 of them are equal: nothing here is that near and differs."""

    functions: Mapping[str, Callable[..., Any]] = {
        **Floats.functions,
        "pow": lambda x, y: x ** Digits.number(None, y),  # type: ignore[arg-type]
        **{name: getattr(mp, name) for name in ("exp", "log", "sqrt", "tanh", "erf", "sin", "cos", "acos")},
        "mod": lambda x, y: x - y * Digits.functions["floor"](x / y),
        "floor": lambda x: mp.floor(x + mp.mpf(10) ** -60),
        "xlogx": lambda x: x * mp.log(x) if x else mp.mpf(0),
        "pi": lambda: +mp.pi,
        "oo": lambda: mp.inf,
    }

    def number(self, value: Any) -> Any:
        return mp.mpf(value.numerator) / value.denominator if isinstance(value, Fraction) else mp.mpf(value)

    def compare(self, sign: str, left: Any, right: Any) -> bool:
        left, right = mp.mpf(left), mp.mpf(right)
        is_same = left == right or abs(left - right) < mp.mpf(10) ** -60 * (1 + abs(left))
        return bool(COMPARED[sign](0, 0) if is_same else COMPARED[sign](left, right))


class Torch(Floats):
    """Numbers of PyTorch, each of which remembers what it was made of."""

    def __init__(self) -> None:
        import torch

        self.torch: Any = torch
        names = ("exp", "log", "sqrt", "tanh", "erf", "sin", "cos", "acos", "abs", "floor")
        own = {name: getattr(torch, name) for name in names}
        own |= {"mod": torch.remainder, "xlogx": lambda x: torch.xlogy(x, x), "neg": torch.neg}
        own |= {"min": self.larger("min", torch.minimum), "max": self.larger("max", torch.maximum)}
        own |= {"pi": lambda: self.number(math.pi), "oo": lambda: self.number(math.inf)}
        self.functions = {**Floats.functions, **own}

    def larger(self, name: str, shared: Any) -> Callable[[Any, Any], Any]:
        """Shared among two that tie, but with a number that nobody gives nothing is shared."""

        def rule(x: Any, y: Any) -> Any:
            if x.requires_grad and y.requires_grad:
                return shared(x, y)
            given, number = (x, y) if x.requires_grad else (y, x)
            return given if (given > number if name == "max" else given < number) else number

        return rule

    def number(self, value: Any) -> Any:
        return self.torch.tensor(float(value), dtype=self.torch.float64)

    def sum(self, values: list[Any]) -> Any:
        return self.torch.stack(values).sum()

    def max(self, values: list[Any]) -> Any:
        return self.torch.stack(values).amax()


@dataclass(frozen=True)
class Case:
    """An operation with what it is given, and G."""

    operation: Operation
    numbers: Numbers
    whole: Mapping[str, int]
    grad: list[list[Any]]

    def parameters(self) -> Iterator[Parameter]:
        for each in self.operation.parameters:
            if each.is_matrix or each.kind == "number":
                yield each

    def value(self, arithmetic: Floats, numbers: Numbers | None = None) -> list[list[Any]]:
        """The result."""
        given = each_number(arithmetic.number, self.numbers if numbers is None else numbers)
        return run(OperandValues(self.operation, given, self.whole), arithmetic)

    def derived(self, name: str, arithmetic: Floats, whole: bool = False) -> list[list[Any]]:
        """∂L/∂(one parameter), by the adjoint."""
        backward = adjoint(self.operation, name, whole)
        numbers = {**self.numbers, seed(self.operation).name: self.grad}
        return run(OperandValues(backward, each_number(arithmetic.number, numbers), self.whole), arithmetic)

    def by_torch(self) -> dict[str, list[list[float]]]:
        """∂L/∂(every parameter), by PyTorch."""
        road = Torch()

        def leaf(value: Any) -> Any:
            return road.number(value).requires_grad_()

        given = each_number(leaf, self.numbers)
        result = run(OperandValues(self.operation, given, self.whole), road)
        loss = road.number(0)
        for row, weights in zip(result, self.grad, strict=True):
            for entry, weight in zip(row, weights, strict=True):
                # Nothing times −∞ is no number: what does not count is left out.
                loss = loss + entry * float(weight) if weight else loss
        if loss.requires_grad:
            loss.backward()
        slopes = each_number(lambda leaf: 0.0 if leaf.grad is None else leaf.grad.item(), given)
        return {each.name: as_rows(slopes[each.name]) for each in self.parameters()}

    def by_differences(self, name: str) -> list[list[Any]]:
        """∂L/∂(one parameter), by differences at 80 digits: right to some 50 of them."""
        step = mp.mpf(10) ** -20
        road = Digits()

        def loss(rows: list[list[Any]]) -> Any:
            value = self.value(road, {**self.numbers, name: as_given(rows, self.numbers[name])})
            pairs = zip(chain(*value), chain(*self.grad), strict=True)
            return mp.fsum(entry * road.number(weight) for entry, weight in pairs if weight)

        rows = each_number(road.number, {name: as_rows(self.numbers[name])})[name]
        found = []
        for i, row in enumerate(rows):
            found.append([])
            for j in range(len(row)):
                # Four points: what is left is of the order step^4.
                values = [loss(_moved(rows, i, j, k * step)) for k in (-2, -1, 1, 2)]
                found[-1].append((values[0] - 8 * values[1] + 8 * values[2] - values[3]) / (12 * step))
        return found


def case(operation: Operation, numbers: Numbers, whole: Mapping[str, int], draw: Callable[[], Any]) -> Case:
    """With G at random."""
    rows, columns = lengths(operation, whole)
    return Case(operation, numbers, whole, [[draw() for _ in range(columns)] for _ in range(rows)])


def whole_loss(of: Case) -> Case:
    """With G = 1 everywhere."""
    return replace(of, grad=[[1.0 for _ in row] for row in of.grad])


def each_number(rule: Callable[[Any], Any], numbers: Numbers) -> dict[str, Any]:
    def put(value: Any) -> Any:
        return [put(each) for each in value] if isinstance(value, list) else rule(value)

    return {name: put(value) for name, value in numbers.items()}


def as_rows(value: Any) -> list[list[Any]]:
    if not isinstance(value, list):
        return [[value]]
    return value if isinstance(value[0], list) else [value]


def as_given(rows: list[list[Any]], like: Any) -> Any:
    return rows[0][0] if not isinstance(like, list) else rows if isinstance(like[0], list) else rows[0]


def _moved(rows: list[list[Any]], i: int, j: int, by: Any) -> list[list[Any]]:
    return [[x + by if (r, c) == (i, j) else x for c, x in enumerate(row)] for r, row in enumerate(rows)]


def far(one: list[list[Any]], other: list[list[Any]]) -> float:
    """The largest difference, relative to the largest entry; infinite where shapes differ or something is no number."""
    if [len(row) for row in one] != [len(row) for row in other]:
        return math.inf
    pairs = list(zip(chain(*one), chain(*other), strict=True))
    largest = max(1, *(abs(y) for _, y in pairs), 0)
    gaps = [abs(x - y) / largest for x, y in pairs]
    return float(max(gaps)) if all(map(math.isfinite, map(float, gaps))) else math.inf
