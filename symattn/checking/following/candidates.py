"""The candidates of a search: every operation on every operand in reach, level by level, many at once.

Each candidate costs as many bits as it takes to say it: which operation, which of the quantities of one role and shape,
which row or entry of the result. What words speak of costs nothing.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from heapq import heappop, heappush
from itertools import count
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from symattn.base.remembered import cached_property
from symattn.checking.following.recipes import MatrixShape, RoleNames, figure, operations, root, transposed
from symattn.checking.reading.tree import Combined, Expressed
from symattn.compute.values.float64 import DoubleArray

LARGEST = 1_000_000
"""How many numbers are worked out at once."""

LARGE = 4_096
"""Quantities with more numbers than this explain nothing."""

FARTHER = 1.0
"""The bits that each operation after the first one costs."""

MOST = 200
"""How many times an operation is tried."""

KEPT, NEAR, PAIRED = 64, 24, 12
"""How many candidates of one operation and shape go on to the next one; how many quantities of one shape are looked at,
and how many of them as one of two operands."""

UNKNOWN, STRANGE = 1.0, 3.0
"""The bits that an operand costs whose role nobody knows, and one that is there for something else."""

HEADS = 64
"""How many heads columns are split into at most."""

WIDTHS, NUMBERS = 6, 6
"""How many widths and single numbers scores may be divided by."""


@dataclass(frozen=True, eq=False)
class Known:
    """A quantity that is there already."""

    of: Expressed
    """How a formula calls it."""
    order: int
    """Where it stands among all of a document: the later, the nearer."""
    true: DoubleArray
    """The exact chain, rounded to doubles: rows and columns, whatever the axes are."""
    printed: DoubleArray | None
    """The figures that stand in the document."""
    roles: tuple[str, ...] = ()
    """What it is for, in the words of hints: ``query``, ``scores``, ``weights``, …"""
    given: bool = False


@dataclass(frozen=True, eq=False)
class CandidateStack:
    """Candidates of one shape."""

    values: DoubleArray
    """One matrix after the other."""
    cost: DoubleArray
    of: Callable[[int], Expressed]
    """The formula of each."""
    strange: DoubleArray
    """What of the cost operands have that are not what the last operation is usually done with."""
    last: str = ""
    """The operation that was done last, and nothing for what is known."""
    width: int = 0
    """Of a product: how many terms its sums have."""
    roles: Sequence[RoleNames] = ()
    """Of known quantities: what each is for."""

    @property
    def shape(self) -> MatrixShape:
        """Rows and columns of each."""
        return self.values.shape[1], self.values.shape[2]

    def __len__(self) -> int:
        return len(self.values)

    def cheapest(self, most: int) -> CandidateStack:
        """Those that cost least, the fewer the larger they are."""
        most = max(1, min(most, LARGEST // (self.shape[0] * self.shape[1])))
        return self if len(self) <= most else self.only(np.argsort(self.cost, kind="stable")[:most])

    def affordable(self, most: float) -> CandidateStack:
        """Those that do not cost more."""
        kept = self.cost <= most
        return self if kept.all() else self.only(np.flatnonzero(kept))

    def only(self, kept: NDArray[np.intp]) -> CandidateStack:
        """Those at some places."""
        places = [int(each) for each in kept]
        return replace(
            self,
            values=self.values[places],
            cost=self.cost[places],
            of=lambda i: self.of(places[i]),
            strange=self.strange[places],
            roles=[self.roles[each] for each in places] if self.roles else (),
        )

    def unlike_roles(self, wanted: RoleNames) -> DoubleArray:
        """How many bits it costs that each is what an operation is done with."""
        if not self.roles or not wanted:
            return np.zeros(len(self))
        nearest = int(np.argmin(self.cost))
        return np.array(
            [
                0.0 if roles & wanted else STRANGE if roles else UNKNOWN / 2 if place == nearest else UNKNOWN
                for place, roles in enumerate(self.roles)
            ]
        )


def aligned(stack: CandidateStack, shape: MatrixShape) -> Iterator[CandidateStack]:
    """The ways in which candidates can be what is printed: as they are, a row, an entry, columns of a head."""
    (high, wide), (rows, columns), many = stack.shape, shape, len(stack)
    if (high, wide) == shape:
        yield stack
    elif shape == (1, 1):
        yield _picked(stack, stack.values.reshape(-1, 1, 1), np.full(high * wide, np.log2(high * wide)), "entry")
    elif rows == 1 and wide == columns:
        yield _picked(stack, stack.values.reshape(-1, 1, wide), np.full(high, np.log2(high)), "row")
    elif rows == 1 == wide and high == columns:
        yield replace(stack, values=np.swapaxes(stack.values, 1, 2), of=lambda i: transposed(stack.of(i)))
    elif rows == high and 1 < columns < wide <= HEADS * columns and wide % columns == 0:
        heads = wide // columns
        values = stack.values.reshape(many, high, heads, columns).swapaxes(1, 2).reshape(-1, high, columns)
        yield _picked(stack, values, np.full(heads, 0.5 + np.log2(heads)), "columns")


def _picked(stack: CandidateStack, values: DoubleArray, which: DoubleArray, picks: str) -> CandidateStack:
    """One part after the other of each candidate, each of which it costs something to say."""
    parts = len(which)

    def of(i: int) -> Expressed:
        whole, part = stack.of(i // parts), i % parts
        places: tuple[Expressed, ...] = (figure(part),)
        if picks == "entry":
            places = tuple(map(figure, divmod(part, stack.shape[1])))
        if picks == "columns":
            wide = values.shape[2]
            ends = (("from", figure(part * wide)), ("to", figure((part + 1) * wide)))
            places = (Combined("slice", (), 0, 0, ":"), Combined("slice", (), 0, 0, ":", ends))
        return Combined("index", (whole, *places), 0, 0)

    cost = (stack.cost[:, None] + which).ravel()
    return replace(stack, values=values, cost=cost, of=of, strange=np.repeat(stack.strange, parts), roles=())


@dataclass(frozen=True, eq=False)
class Spoken:
    """What words and the name of a target speak of."""

    roles: tuple[str, ...]
    does: tuple[str, ...]

    def price(self, name: str) -> float:
        """The bits that it takes to say an operation."""
        operation = operations()[name]
        is_told = self.says(name) or (self.roles and self.roles[0] in operation.makes)
        least = 0.0 if is_told else 1.0 if self.implies(name) else operation.price
        return min(operation.price, least) + operation.always

    def says(self, name: str) -> bool:
        """Whether words speak of an operation."""
        return not operations()[name].words.isdisjoint(self.does)

    def implies(self, name: str) -> bool:
        """Whether the name of the target is one of what the operation makes."""
        return not operations()[name].makes.isdisjoint(self.roles)


_Waiting: TypeAlias = tuple[float, int, str, CandidateStack]
"""What is tried next: what it costs at least, its turn, the operation, and its first operand."""


@dataclass(frozen=True, eq=False)
class Enumeration:
    """All candidates for figures of one shape, the shortest formulas first."""

    known: Sequence[Known]
    is_printed: bool
    """Whether the printed figures of what is known are taken, and not its exact values."""
    shape: MatrixShape
    spoken: Spoken
    most: float
    """The bits that a formula may cost: one that is longer than what it explains explains nothing."""
    _turn: count[int] = field(default_factory=count)
    _leading: dict[tuple[str, MatrixShape], bool] = field(default_factory=dict)

    def stacks(self) -> Iterator[CandidateStack]:
        """Yield the candidates, the shortest formulas first."""
        waiting: list[_Waiting] = []
        for stack in self.ground.values():
            yield stack
            self.wait(stack, waiting)
        tried = 0
        while waiting and tried < MOST:
            _, _, name, stack = heappop(waiting)
            for found in self.applied(name, stack):
                tried += 1
                yield found
                self.wait(found.cheapest(KEPT), waiting)

    def wait(self, stack: CandidateStack, waiting: list[_Waiting]) -> None:
        """Put down what may be done next with candidates."""
        least = float(stack.cost.min(initial=np.inf))
        for name in _following(stack.last):
            cost = least + self.price(name, stack)
            if cost <= self.most:
                heappush(waiting, (cost, next(self._turn), name, stack))

    def price(self, name: str, of: CandidateStack) -> float:
        """The bits that it takes to say that an operation is done with what was made before."""
        return self.spoken.price(name) + (FARTHER if of.last else 0.0)

    def applied(self, name: str, stack: CandidateStack) -> Iterator[CandidateStack]:
        """Yield what an operation makes of a stack, with every other operand where it takes two."""
        operation = operations()[name]
        left = stack.affordable(self.most - self.price(name, stack))
        if not len(left):
            return
        if not operation.takes_two:
            shape = operation.shape(left.shape)
            if shape is not None and self.leads(name, shape):
                strange = left.unlike_roles(operation.usual[0][0]) if operation.usual else np.zeros(len(left))
                cost = left.cost + self.price(name, left) + strange
                values = operation.values(left.values)
                yield CandidateStack(values, cost, lambda i: operation.written(left.of(i)), strange, name)
            return
        for other in self.divisors(stack.width) if name == "scaled" else self.ground.values():
            shape = operation.shape(left.shape, other.shape)
            if shape is not None and self.leads(name, shape):
                yield self.paired(name, left, other).affordable(self.most)

    def paired(self, name: str, left: CandidateStack, right: CandidateStack) -> CandidateStack:
        """What an operation makes of each with each, of the cheapest only where they are large."""
        operation, (high, wide), (rows, columns) = operations()[name], left.shape, right.shape
        most = max(1, int((LARGEST / (max(high, wide) * max(rows, columns))) ** 0.5))
        is_same = left is right
        left, right = left.cheapest(min(most, KEPT if left.last else PAIRED)), right.cheapest(min(most, PAIRED))
        values = operation.values(left.values[:, None], right.values[None])
        strange = np.full((len(left), len(right)), STRANGE if operation.usual else 0.0)
        for roles in operation.usual:
            both = [each.unlike_roles(wanted) for each, wanted in zip((left, right), roles, strict=False)]
            strange = np.minimum(strange, np.maximum.outer(both[0], both[1])) if len(both) > 1 else both[0][:, None]
        strange = np.broadcast_to(strange, (len(left), len(right))).copy()
        if is_same and name == "product_t":
            np.fill_diagonal(strange, np.minimum(np.diag(strange), UNKNOWN / 2))
        cost = left.cost[:, None] + right.cost[None] + self.price(name, left) + strange
        if is_same and name in _OF_DIFFERENT:
            np.fill_diagonal(cost, np.inf)
        many = len(right)
        return CandidateStack(
            values.reshape(-1, *values.shape[2:]),
            cost.ravel(),
            lambda i: operation.written(left.of(i // many), right.of(i % many)),
            strange.ravel(),
            name,
            wide if name == "product_t" else columns if name == "product" and not left.last else 0,
        )

    def leads(self, name: str, shape: MatrixShape) -> bool:
        """Whether what an operation makes is of use: what is printed, a part of it, or on the way to it."""
        if (name, shape) not in self._leading:
            self._leading[name, shape] = shape[0] * shape[1] <= LARGE and self.fits(shape)
            self._leading[name, shape] |= any(
                result is not None and self.leads(after, result)
                for after in _following(name)
                for result in self.results(after, shape)
            )
        return self._leading[name, shape]

    def results(self, name: str, shape: MatrixShape) -> Iterator[MatrixShape | None]:
        """Yield the shapes of what an operation makes of a matrix of a shape."""
        operation = operations()[name]
        if operation.takes_two:
            yield from (operation.shape(shape, other) for other in (*self.ground, (1, 1)))
        else:
            yield operation.shape(shape)

    def fits(self, shape: MatrixShape) -> bool:
        """Whether a matrix of a shape can be the target, or one of its rows or entries is."""
        rows, columns = self.shape
        if self.shape == (1, 1):
            return shape[0] * shape[1] <= 36
        is_head = shape[0] == rows and 1 < columns < shape[1] and shape[1] % columns == 0
        return shape == self.shape or (rows == 1 and columns in (shape[1], shape[0])) or is_head

    @cached_property
    def ground(self) -> dict[MatrixShape, CandidateStack]:
        """What is known, by shapes, the nearest first; the same under two names once, with the roles of both."""
        by_shape: dict[MatrixShape, dict[bytes, Known]] = defaultdict(dict)
        for one in sorted(self.known, key=lambda each: -each.order):
            values = self.values_of(one)
            if np.isnan(values).any() or not 0 < values.size <= LARGE:
                continue
            ways = [(values.shape, one)]
            if values.shape[1] == 1 < values.shape[0]:
                turned = None if one.printed is None else one.printed.T
                ways.append((values.T.shape, replace(one, true=one.true.T, printed=turned, of=transposed(one.of))))
            for shape, each in ways:
                place = by_shape[shape]
                mark = np.round(each.true, 9).tobytes() + np.round(self.values_of(each), 9).tobytes()
                before = place.get(mark)
                if before is not None:
                    first = each if each.given and not before.given else before
                    place[mark] = replace(first, order=before.order, roles=(*before.roles, *each.roles))
                elif len(place) < NEAR:
                    place[mark] = each
        return {shape: self.ranked(list(place.values())) for shape, place in by_shape.items()}

    def values_of(self, one: Known) -> DoubleArray:
        """The values that are taken of a known quantity."""
        return one.printed if self.is_printed and one.printed is not None else one.true

    def ranked(self, place: list[Known]) -> CandidateStack:
        """A stack of known quantities: it costs something to say which one of all with such a role it is."""
        roles = [frozenset(each.roles) for each in place]
        ranks = [
            1 + sum(bool(each & roles[i]) or not (each or roles[i]) for each in roles[:i]) for i in range(len(place))
        ]
        values = np.stack([self.values_of(each) for each in place])
        return CandidateStack(values, np.log2(ranks), lambda i: place[i].of, np.zeros(len(place)), roles=roles)

    def divisors(self, width: int) -> Iterator[CandidateStack]:
        """What scores may be divided by: the root of a width, a number that is known, or its root."""
        widths = sorted({shape[1] for shape in self.ground if shape[1] > 1})[:WIDTHS]
        other = np.log2(max(1, len(widths))) + (STRANGE if width else 0.0)
        found: list[tuple[float, float, Expressed]] = [
            (each**0.5, 0.0 if each == width else float(other), root(figure(each)))
            for each in sorted({*widths, *((width,) if width else ())})
        ]
        numbers = self.ground.get((1, 1))
        for i, value in enumerate(numbers.values[:NUMBERS, 0, 0] if numbers is not None else ()):
            if numbers is not None and value > 0 and value != 1 and np.isfinite(value):
                cost, of = float(numbers.cost[i]) + 0.5, numbers.of(i)
                found.append((value, cost, of))
                if value == int(value):
                    found.append((value**0.5, cost, root(of)))
        if found:
            values, costs, formulas = zip(*found, strict=True)
            nothing = np.zeros(len(found))
            yield CandidateStack(np.reshape(values, (-1, 1, 1)), np.array(costs), lambda i: formulas[i], nothing)


_OF_DIFFERENT = frozenset({"plus", "minus", "quotient", "concat", "cosine"})
"""What is done with two different quantities."""


@cache
def _following(name: str) -> tuple[str, ...]:
    """What may be done next with what an operation makes."""
    return tuple(after for after, each in operations().items() if name in each.after)
