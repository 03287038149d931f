"""Numbers with a bound on how far off they may be, and matrices of them: small, on mpmath, for reading pages back."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add, mul

from mpmath import inf, isinf, isnan, mp, mpf

Function = Callable[[mpf], mpf]
NOTHING = mpf(0)


@dataclass(frozen=True)
class Ball:
    """All numbers no further than ``radius`` from ``middle``."""

    middle: mpf
    radius: mpf = NOTHING

    def __add__(self, other: Ball) -> Ball:
        return Ball(self.middle + other.middle, self.radius + other.radius)

    def __neg__(self) -> Ball:
        return Ball(-self.middle, self.radius)

    def __sub__(self, other: Ball) -> Ball:
        return self + -other

    def __mul__(self, other: Ball) -> Ball:
        radius = mpf(0)
        if self.radius or other.radius:
            radius = abs(self.middle) * other.radius + abs(other.middle) * self.radius + self.radius * other.radius
        return Ball(self.middle * other.middle, radius)

    def __truediv__(self, other: Ball) -> Ball:
        if other.middle == 0:
            raise ZeroDivisionError("a side divides by 0")
        if abs(other.middle) <= other.radius:
            return Ball(mpf(0), inf)
        nearest = abs(other.middle) - other.radius
        radius = mpf(0)
        if self.radius or other.radius:
            radius = (self.radius + abs(self.middle / other.middle) * other.radius) / nearest
        return Ball(self.middle / other.middle, radius)

    def through(self, function: Function) -> Ball:
        """A function that only rises or only falls."""
        middle = function(self.middle)
        if not self.radius or isinf(self.middle):
            return Ball(middle)
        ends = [abs(function(end) - middle) for end in (self.middle - self.radius, self.middle + self.radius)]
        return Ball(middle, max(ends))

    def wave(self, function: Function) -> Ball:
        """A sine or cosine."""
        return Ball(function(self.middle), min(self.radius, mpf(2)))

    def magnitude(self) -> Ball:
        return Ball(abs(self.middle), self.radius)

    def root(self) -> Ball:
        """√x; what is only negative because its figures are rounded counts as 0."""
        return self.through(lambda x: mp.sqrt(max(x, mpf(0)))) if self.radius else Ball(mp.sqrt(self.middle))

    def logarithm(self) -> Ball:
        if self.radius and self.middle <= self.radius:
            return Ball(mp.ln(self.middle), inf)
        return self.through(mp.ln)

    def power(self, other: Ball) -> Ball:
        exponent = other.middle
        if exponent == int(exponent) and 0 <= exponent <= 64:
            return reduce(mul, [self] * int(exponent), Ball(mpf(1)))
        if self.radius or other.radius:
            return (self.logarithm() * other).through(mp.exp)
        return Ball(self.middle**exponent)

    def holds(self, other: Ball) -> bool:
        """Whether a number may be the same as another."""
        return near(self.middle, other.middle, self.radius + other.radius)


def near(a: mpf, b: mpf, more: mpf = NOTHING) -> bool:
    """Whether two numbers are one to 30 digits, or no more than ``more`` apart; what is infinite is only itself.

    >>> near(mpf(1), mpf(1) + mpf(10)**-40), near(mpf(1), mpf("1.1")), near(inf, inf), near(mpf(1), inf)
    (True, False, True, False)
    """
    if isnan(a) or isnan(b):
        return False
    if isinf(a) or isinf(b):
        return bool(a == b)
    return bool(abs(a - b) <= more + mpf(10) ** -30 * max(1, abs(a), abs(b)))


def largest(balls: Iterable[Ball]) -> Ball:
    """The largest, which is none other than one of those that may be it."""
    found = list(balls)
    return Ball(max(ball.middle for ball in found), max(ball.radius for ball in found))


def smallest(balls: Iterable[Ball]) -> Ball:
    return -largest(-ball for ball in balls)


@dataclass(frozen=True)
class Table:
    """A matrix."""

    rows: tuple[tuple[Ball, ...], ...]

    @classmethod
    def of(cls, rows: Iterable[Iterable[Ball]]) -> Table:
        return cls(tuple(tuple(row) for row in rows))

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.rows), len(self.rows[0])

    @property
    def turned(self) -> Table:
        return Table.of(zip(*self.rows, strict=True))

    def each(self, function: Callable[[Ball], Ball]) -> Table:
        return Table.of(map(function, row) for row in self.rows)

    def with_(self, other: Table, function: Callable[[Ball, Ball], Ball]) -> Table:
        """Entry by entry; a row, a column or a number beside something larger is repeated to its size."""
        if self.shape != other.shape:
            shape = tuple(map(max, self.shape, other.shape))
            if shape not in (self.shape, other.shape):
                raise ValueError(f"shapes {self.shape} and {other.shape} do not go together")
            return self.repeated(*shape).with_(other.repeated(*shape), function)
        pairs = zip(self.rows, other.rows, strict=True)
        return Table.of(map(function, left, right) for left, right in pairs)

    def repeated(self, rows: int, columns: int) -> Table:
        """With its only row, or its only column, as often as that."""
        if self.shape[0] not in (1, rows) or self.shape[1] not in (1, columns):
            raise ValueError(f"{self.shape} is not repeated to {(rows, columns)}")
        wide = [row * columns if len(row) == 1 else row for row in self.rows]
        return Table.of(wide * rows if len(wide) == 1 else wide)

    def __matmul__(self, other: Table) -> Table:
        if self.shape[1] != other.shape[0]:
            raise ValueError(f"{self.shape} times {other.shape} is no product")
        columns = other.turned.rows
        return Table.of((total(map(mul, row, column)) for column in columns) for row in self.rows)

    def __getitem__(self, place: tuple[int, int]) -> Ball:
        row, column = place
        if not (1 <= row <= self.shape[0] and 1 <= column <= self.shape[1]):
            raise IndexError(f"no entry {place} in a matrix of {self.shape}")
        return self.rows[row - 1][column - 1]


def total(balls: Iterable[Ball]) -> Ball:
    return reduce(add, balls, Ball(mpf(0)))


def length(row: Sequence[Ball]) -> Ball:
    return total(ball * ball for ball in row).root()
