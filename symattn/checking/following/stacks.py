"""Many candidates of one shape at once: their values, what it costs to say which one it is, and their recipes.

The cost is in bits: what the words speak of and what stands near costs little, what nobody would think of costs much.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from math import isqrt
from typing import Any

import numpy as np

from symattn.checking.following.recipes import Known, Leaf, Recipe, RecipeStep
from symattn.checking.following.rules import RULES
from symattn.compute.values.float64 import DoubleArray

LARGEST = 1_000_000
"""How many numbers are worked out at once."""

LARGE = 10_000
"""Quantities with more numbers than this explain nothing."""

HEADS = 64
"""How many heads columns are split into at most."""


@dataclass(frozen=True, eq=False)
class CandidateStack:
    """Candidates of one shape."""

    values: DoubleArray
    """One matrix after the other."""
    cost: DoubleArray
    of: Callable[[int], Recipe]
    """The recipe of each."""

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of each."""
        return self.values.shape[1], self.values.shape[2]

    def __len__(self) -> int:
        return len(self.values)

    def cheapest(self, most: int) -> CandidateStack:
        """Those that cost least, the fewer the larger they are."""
        most = max(1, min(most, LARGEST // (self.shape[0] * self.shape[1])))
        if len(self) <= most:
            return self
        kept = np.argsort(self.cost, kind="stable")[:most]
        return CandidateStack(self.values[kept], self.cost[kept], lambda i: self.of(int(kept[i])))


def alone(step: RecipeStep, cost: float) -> CandidateStack:
    """A single candidate, of an operation without operands."""
    values = RULES[step.operation].fast(**dict(step.numbers))
    return CandidateStack(values[None], np.array([cost]), lambda _: step)


def applied(name: str, to: CandidateStack, cost: float = 0.0, **numbers: Any) -> CandidateStack:
    """What an operation makes of each."""
    values = RULES[name].fast(to.values, **numbers)
    named = tuple(numbers.items())
    return CandidateStack(values, to.cost + cost, lambda i: RecipeStep(name, (to.of(i),), named))


def worked_out(
    name: str, to: CandidateStack, values: DoubleArray, cost: float, numbers: tuple[tuple[str, Any], ...] = ()
) -> CandidateStack:
    """The same, of values that are there already."""
    return CandidateStack(values, to.cost + cost, lambda i: RecipeStep(name, (to.of(i),), numbers))


def by_epsilon(
    name: str,
    to: CandidateStack,
    parts: tuple[DoubleArray | None, DoubleArray],
    epsilons: Sequence[tuple[Fraction, float]],
    cost: float,
    **numbers: Any,
) -> CandidateStack:
    """A root of what is given with each ε, and something divided by it, all at once; each ε has its cost."""
    above, below = parts
    added = np.array([float(epsilon) for epsilon, _ in epsilons])[:, None, None, None]
    roots: DoubleArray = np.sqrt(below[None] + added)
    values = roots if above is None else above[None] / roots
    many = len(to)

    def of(i: int) -> RecipeStep:
        which, operand = divmod(i, many)
        return RecipeStep(name, (to.of(operand),), (("epsilon", epsilons[which][0]), *numbers.items()))

    costs = np.array([each for _, each in epsilons])[:, None] + to.cost[None] + cost
    return CandidateStack(values.reshape(-1, *values.shape[2:]), costs.ravel(), of)


def paired(name: str, left: CandidateStack, right: CandidateStack, cost: float = 0.0, **numbers: Any) -> CandidateStack:
    """What an operation makes of each with each, of the cheapest only where they are large."""
    entries = max(left.shape[0] * max(right.shape), left.shape[1] * max(right.shape))
    most = max(1, int((LARGEST / entries) ** 0.5))
    left, right = left.cheapest(most), right.cheapest(most)
    values = RULES[name].fast(left.values[:, None], right.values[None], **numbers)
    many, named = len(right), tuple(numbers.items())
    return CandidateStack(
        values.reshape(-1, *values.shape[2:]),
        (left.cost[:, None] + right.cost[None] + cost).ravel(),
        lambda i: RecipeStep(name, (left.of(i // many), right.of(i % many)), named),
    )


def different(pairs: CandidateStack) -> CandidateStack:
    """Pairs of a stack with itself without those of one and the same."""
    many = isqrt(len(pairs))
    kept = np.array([i for i in range(len(pairs)) if i // many != i % many], dtype=int)
    return CandidateStack(pairs.values[kept], pairs.cost[kept], lambda i: pairs.of(int(kept[i])))


def joined(stacks: Iterable[CandidateStack]) -> CandidateStack | None:
    """Several stacks of one shape as one."""
    parts = [each for each in stacks if len(each)]
    if len(parts) < 2:
        return parts[0] if parts else None
    ends = list(accumulate(map(len, parts)))

    def of(i: int) -> Recipe:
        part = bisect_right(ends, i)
        return parts[part].of(i - (ends[part - 1] if part else 0))

    return CandidateStack(
        np.concatenate([each.values for each in parts]), np.concatenate([each.cost for each in parts]), of
    )


def aligned(stack: CandidateStack, shape: tuple[int, int], row: int | None = None) -> Iterator[CandidateStack]:
    """The ways in which candidates can be what is printed: as they are, a row, an entry, columns of a head.

    ``row`` is the one that words speak of.
    """
    (high, wide), (rows, columns) = stack.shape, shape
    if (high, wide) == shape:
        yield stack
    elif shape == (1, 1):
        yield _entries(stack)
    elif rows == 1 and wide == columns:
        yield _rows(stack, row)
    elif rows == 1 and wide == 1 and high == columns:
        yield applied("flat", stack)
    elif rows == high and 1 < columns < wide <= HEADS * columns and wide % columns == 0:
        yield from _heads(stack, columns)


def _rows(stack: CandidateStack, row: int | None) -> CandidateStack:
    high, wide = stack.shape
    which = np.full(high, np.log2(high))
    if row is not None and row < high:
        which += 2
        which[row] = 0
    cost = (stack.cost[:, None] + which).ravel()
    values = stack.values.reshape(-1, 1, wide)
    return CandidateStack(values, cost, lambda i: RecipeStep("row", (stack.of(i // high),), (("i", i % high),)))


def _entries(stack: CandidateStack) -> CandidateStack:
    high, wide = stack.shape
    many = high * wide
    cost = np.repeat(stack.cost + np.log2(many), many)

    def of(i: int) -> Recipe:
        return RecipeStep("entry", (stack.of(i // many),), (("i", i % many // wide), ("j", i % many % wide)))

    return CandidateStack(stack.values.reshape(-1, 1, 1), cost, of)


def _heads(stack: CandidateStack, columns: int) -> Iterator[CandidateStack]:
    many = stack.shape[1] // columns
    for start in range(0, many * columns, columns):
        yield applied("columns", stack, 0.5 + float(np.log2(many)), start=start, stop=start + columns)


@dataclass(frozen=True, eq=False)
class KnownOperand:
    """A known quantity as an operand."""

    of: Recipe
    values: DoubleArray
    roles: frozenset[str]
    order: int
    given: bool


def _parameters(name: str) -> tuple[str, ...]:
    """What γ and β are in a layer norm, whatever else their letters stand for."""
    word = name.lstrip("\\").lower()
    if word.startswith(("γ", "gamma")):
        return ("gamma",)
    return ("beta",) if word.startswith(("β", "beta")) else ()


class KnownGround:
    """All that is known, by shapes, the nearest first."""

    def __init__(self, known: Sequence[Known], printed: bool, most: int = 64) -> None:
        self._by_shape: dict[tuple[int, int], list[KnownOperand]] = {}
        self._stacks: dict[tuple[Any, ...], CandidateStack | None] = {}
        seen: dict[bytes, int] = {}
        for one in sorted(known, key=lambda each: -each.order):
            values = one.printed if printed and one.printed is not None else one.true
            if np.isnan(values).any() or not 0 < values.size <= LARGE:
                continue
            self._place(one, values, seen, most)

    def _place(self, one: Known, values: DoubleArray, seen: dict[bytes, int], most: int) -> None:
        shape = (values.shape[0], values.shape[1])
        place = self._by_shape.setdefault(shape, [])
        mark = bytes(str(shape), "ascii") + np.round(one.true, 9).tobytes() + np.round(values, 9).tobytes()
        roles = frozenset((*one.roles, *_parameters(one.name)))
        if mark in seen:
            before = place[seen[mark]]
            # The same matrix under two names: it has the roles of both, and the name of what is given.
            of = Leaf(one.name) if one.given and not before.given else before.of
            place[seen[mark]] = KnownOperand(of, values, before.roles | roles, before.order, before.given or one.given)
            return
        if len(place) >= most:
            return
        seen[mark] = len(place)
        place.append(KnownOperand(Leaf(one.name), values, roles, one.order, one.given))
        if shape[1] == 1 and shape[0] > 1:
            flat = self._by_shape.setdefault((1, shape[0]), [])
            flat.append(KnownOperand(RecipeStep("flat", (Leaf(one.name),)), values.T, roles, one.order, one.given))

    @property
    def shapes(self) -> tuple[tuple[int, int], ...]:
        """The shapes there are."""
        return tuple(self._by_shape)

    def stack(
        self,
        shape: tuple[int, int],
        roles: frozenset[str] = frozenset(),
        most: int = 24,
        among: frozenset[str] = frozenset(),
        without: frozenset[str] = frozenset(),
    ) -> CandidateStack | None:
        """What is known of a shape: those with the roles that are asked for first, then the nearest.

        ``among``: only those with one of these roles; ``without``: none with one of these.
        """
        key = shape, roles, most, among, without
        if key not in self._stacks:
            self._stacks[key] = self._ranked(*key)
        return self._stacks[key]

    def _ranked(
        self, shape: tuple[int, int], roles: frozenset[str], most: int, among: frozenset[str], without: frozenset[str]
    ) -> CandidateStack | None:
        place = [
            each
            for each in self._by_shape.get(shape, ())
            if (not among or each.roles & among) and not each.roles & without
        ]
        if not place:
            return None
        ranked = sorted(place, key=lambda each: (not each.roles & roles, -each.order))[:most]
        values = np.stack([each.values for each in ranked])
        return CandidateStack(values, np.log2(np.arange(1, len(ranked) + 1)), lambda i: ranked[i].of)

    def numbers(self, most: int = 6) -> list[KnownOperand]:
        """Single numbers, the nearest first."""
        return sorted(self._by_shape.get((1, 1), ()), key=lambda each: -each.order)[:most]

    def runs(self, long: int, most: int = 8) -> CandidateStack | None:
        """Rows of single numbers that stand one after the other, the nearest first."""
        numbers = self.numbers(most + long - 1)[::-1]
        if len(numbers) < long:
            return None
        many = len(numbers) - long + 1
        runs = [numbers[i : i + long] for i in reversed(range(many))]
        values = np.array([[[float(each.values[0, 0]) for each in run]] for run in runs])
        cost = np.log2(np.arange(1, many + 1))
        return CandidateStack(values, cost, lambda i: RecipeStep("row_of", tuple(each.of for each in runs[i])))


def summed(run: CandidateStack, cost: float) -> CandidateStack:
    """The sum of each row of single numbers."""

    def of(i: int) -> RecipeStep:
        row = run.of(i)
        return RecipeStep("sum_of", row.operands if isinstance(row, RecipeStep) else (row,))

    return CandidateStack(run.values.sum(axis=-1, keepdims=True), run.cost + cost, of)


def by_number(name: str, stack: CandidateStack, number: KnownOperand, cost: float) -> CandidateStack:
    """Each divided by a number or by its root, or multiplied by it."""
    below = np.sqrt(number.values) if name == "over_root_of" else number.values
    values = stack.values * below if name == "hadamard" else stack.values / below
    return CandidateStack(values, stack.cost + cost, lambda i: RecipeStep(name, (stack.of(i), number.of)))


def with_gamma(
    stack: CandidateStack, gammas: CandidateStack, betas: CandidateStack, cost: float, epsilon: Fraction
) -> CandidateStack:
    """Layer norm of each with each γ and β."""
    scaled = paired("layer_norm_by", stack, gammas, cost, epsilon=epsilon)
    many, others = len(gammas), len(betas)
    values = (scaled.values[:, None] + betas.values[None]).reshape(-1, *stack.shape)
    numbers = (("epsilon", epsilon),)

    def of(i: int) -> RecipeStep:
        which, beta = divmod(i, others)
        return RecipeStep("layer_norm_by", (stack.of(which // many), gammas.of(which % many), betas.of(beta)), numbers)

    return CandidateStack(values, (scaled.cost[:, None] + betas.cost[None]).ravel(), of)
