"""Candidates for a column of a table, many at once: what each may be worth in every row, its operands being rounded.

>>> from symattn.checking.reading.shown import shown
>>> column = np.array([[1.0, 3.0]])
>>> one = Spans(column, column, column, [lambda row: number(2 * row + 1)], [frozenset({0})])
>>> squares = unary(one).only([0])
>>> squares.middle.tolist(), shown(squares.made[0](1))
([[1.0, 9.0]], '3^2')
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from types import MappingProxyType
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from symattn.checking.reading.tree import Combined, Expressed, FigureRead
from symattn.compute.values.float64 import DoubleArray

ROUND = 4
"""How many digits a number has at most that is the same in all rows and stands in no column."""

RowFormula: TypeAlias = Callable[[int], Expressed]
"""Writes the formula of a candidate for one row."""

SpanEnds: TypeAlias = tuple[DoubleArray, DoubleArray]


@dataclass(frozen=True, eq=False)
class Spans:
    """Candidates: a row for each, a column for each row of the table."""

    low: DoubleArray
    middle: DoubleArray
    high: DoubleArray
    made: Sequence[RowFormula]
    columns: Sequence[frozenset[int]]
    """The columns that each is made of, in the same row."""
    more: DoubleArray | float = 0.0
    """The bits that the number in each costs."""

    def __len__(self) -> int:
        return len(self.middle)

    def only(self, kept: Sequence[int]) -> Spans:
        """Return some of them."""
        places, (low, middle, high) = list(kept), self.three
        made, columns = ([each[place] for place in places] for each in (self.made, self.columns))
        return Spans(low[places], middle[places], high[places], made, columns)  # type: ignore[arg-type]

    @property
    def three(self) -> tuple[DoubleArray, DoubleArray, DoubleArray]:
        """The least, the likeliest and the largest values."""
        return self.low, self.middle, self.high


def joined(parts: Sequence[Spans]) -> Spans:
    """Return candidates one after the other."""
    low, middle, high = (np.concatenate(each) for each in zip(*(one.three for one in parts), strict=True))
    made = [x for each in parts for x in each.made]
    columns = [x for each in parts for x in each.columns]
    return Spans(
        low, middle, high, made, columns, np.concatenate([np.broadcast_to(each.more, len(each)) for each in parts])
    )


UNARY: Final[Mapping[str, tuple[Callable[[DoubleArray], DoubleArray], Callable[[Expressed], Expressed]]]] = (
    MappingProxyType(
        {
            "square": (np.square, lambda x: Combined("^", (x, number(2)), 0, 0)),
            "neg": (np.negative, lambda x: Combined("neg", (x,), 0, 0)),
            "sqrt": (np.sqrt, lambda x: Combined("call:sqrt", (x,), 0, 0)),
            "exp": (np.exp, lambda x: Combined("call:exp", (x,), 0, 0)),
            "exp of less": (lambda x: np.exp(-x), lambda x: Combined("call:exp", (Combined("neg", (x,), 0, 0),), 0, 0)),
            "log": (np.log, lambda x: Combined("call:log", (x,), 0, 0)),
            "minus log": (lambda x: -np.log(x), lambda x: Combined("neg", (Combined("call:log", (x,), 0, 0),), 0, 0)),
            "log2": (np.log2, lambda x: Combined("call:log", (x, number(2)), 0, 0)),
            "log10": (np.log10, lambda x: Combined("call:log", (x, number(10)), 0, 0)),
            "sin": (np.sin, lambda x: Combined("call:sin", (x,), 0, 0)),
            "cos": (np.cos, lambda x: Combined("call:cos", (x,), 0, 0)),
            "tanh": (np.tanh, lambda x: Combined("call:tanh", (x,), 0, 0)),
            "sigmoid": (lambda x: 1 / (1 + np.exp(-x)), lambda x: Combined("call:sigmoid", (x,), 0, 0)),
            "abs": (np.abs, lambda x: Combined("call:abs", (x,), 0, 0)),
            "relu": (lambda x: np.maximum(x, 0), lambda x: Combined("call:relu", (x,), 0, 0)),
            "rest": (lambda x: 1 - x, lambda x: Combined("-", (number(1), x), 0, 0)),
            "reciprocal": (lambda x: 1 / x, lambda x: Combined("/", (number(1), x), 0, 0)),
        }
    )
)
"""What is done with one figure: its values, and how it is written."""

_BINARY: Final[Mapping[str, Callable[[DoubleArray, DoubleArray], DoubleArray]]] = MappingProxyType(
    {"+": np.add, "-": np.subtract, "*": np.multiply, "/": np.divide}
)


def number(value: int | Fraction) -> FigureRead:
    """Return a number as it stands in a formula."""
    value = Fraction(value)
    text = str(value) if value.denominator == 1 else repr(float(value))
    return FigureRead(text, value, Fraction(1) if value.denominator == 1 else Fraction(1, 10**12), 0, 0)


def two(sign: str, left: RowFormula, right: RowFormula) -> RowFormula:
    """Return what writes two things joined by a sign."""
    return lambda row: Combined(sign, (left(row), right(row)), 0, 0, "·" if sign == "*" else "")


def constant(value: Fraction, *, has_comma: bool = False) -> RowFormula:
    """Return what writes the same number in every row, with a decimal comma where others have one."""
    written = number(value)
    return lambda row: replace(written, text=written.text.replace(".", ",")) if has_comma else written


def times(c: Fraction, x: Sequence[DoubleArray]) -> list[DoubleArray]:
    """Return spans multiplied by a number."""
    made = [float(c) * each for each in x]
    return made if c >= 0 else made[::-1]


def quotient(above: SpanEnds, below: SpanEnds) -> SpanEnds:
    """Return the least and the largest quotient; nothing where what is below may be 0."""
    ends = np.stack([a / b for a in above for b in below])
    may_be_zero = (below[0] <= 0) & (below[1] >= 0)
    return np.where(may_be_zero, np.nan, ends.min(axis=0)), np.where(may_be_zero, np.nan, ends.max(axis=0))


def agreed(low: DoubleArray, high: DoubleArray, least: int, share: float) -> dict[int, Fraction]:
    """Return the shortest number within most of the spans of each candidate, where it is a round one.

    >>> agreed(np.array([[0.88, 0.7, 0.89]]), np.array([[0.91, 0.75, 0.92]]), 2, 0.6)
    {0: Fraction(9, 10)}
    """
    there = np.isfinite(low) & np.isfinite(high)
    inside = there[:, :, None] & there[:, None] & (low[:, :, None] <= low[:, None]) & (low[:, None] <= high[:, :, None])
    counts = inside.sum(axis=1)
    first = counts.argmax(axis=1)
    found = {}
    for k in np.flatnonzero(counts.max(axis=1) >= np.maximum(least, share * there.sum(axis=1))).tolist():
        one = shortest(float(low[k, first[k]]), float(high[k][inside[k, :, first[k]]].min()))
        if one is not None and one not in (0, 1, -1):
            found[k] = one
    return found


def shortest(least: float, most: float) -> Fraction | None:
    """Return the decimal with fewest digits between two numbers, of the 4 digits that it has at most.

    >>> shortest(0.3291, 0.3334), shortest(0.123456, 0.1234561)
    (Fraction(33, 100), None)
    """
    size = max(abs(least), abs(most))
    if not 1e-9 < size < 1e9:
        return None
    exponent = int(np.floor(np.log10(size)))
    for digits in range(ROUND):
        unit = Fraction(10) ** (exponent - digits)
        low, high = -(-Fraction(least) // unit), Fraction(most) // unit
        if low <= high:
            middle = round((Fraction(least) + Fraction(most)) / 2 / unit)
            return min(max(middle, low), high) * unit
    return None


def unary(of: Spans) -> Spans:
    """Return what each operation makes of each candidate, operation by operation."""
    spans: list[list[DoubleArray]] = [[], [], []]
    for name, (rule, _) in UNARY.items():
        ends = rule(of.low), rule(of.high)
        low = np.minimum(*ends)
        if name in ("square", "abs", "reciprocal"):
            least = np.nan if name == "reciprocal" else 0.0
            low = np.where((of.low <= 0) & (of.high >= 0), least, low)
        for kind, values in zip(spans, (low, rule(of.middle), np.maximum(*ends)), strict=True):
            kind.append(values)
    low, middle, high = map(np.concatenate, spans)
    names = [name for name in UNARY for _ in range(len(of))]
    return Spans(low, middle, high, _MadeAlone(of.made, names), [*of.columns] * len(UNARY))


def binary(left: Spans, right: Spans) -> Spans:
    """Return sums, differences, products and quotients of each with each, both ways round."""
    is_same = left is right
    i, j = (each.ravel() for each in np.meshgrid(np.arange(len(left)), np.arange(len(right)), indexing="ij"))
    spans: list[list[DoubleArray]] = [[], [], []]
    blocks: list[tuple[str, NDArray[np.intp], NDArray[np.intp]]] = []
    for sign, rule in _BINARY.items():
        kept = (i < j) if is_same and sign in "+*" else (i != j) if is_same else slice(None)
        ways = [(left, i[kept], right, j[kept], sign)]
        if not is_same and sign in "-/":
            ways.append((right, j, left, i, f"{sign}<"))
        for one, a, other, b, name in ways:
            ends = [rule(x[a], y[b]) for x in (one.low, one.high) for y in (other.low, other.high)]
            low = np.minimum.reduce(ends)
            if sign == "/":
                low = np.where((other.low[b] <= 0) & (other.high[b] >= 0), np.nan, low)
            made = low, rule(one.middle[a], other.middle[b]), np.maximum.reduce(ends)
            for kind, values in zip(spans, made, strict=True):
                kind.append(values)
            blocks.append((name, a, b))
    low, middle, high = map(np.concatenate, spans)
    pairs = _Pairs(
        [name for name, a, _ in blocks for _ in range(len(a))],
        np.concatenate([b if name[1:] else a for name, a, b in blocks]),
        np.concatenate([a if name[1:] else b for name, a, b in blocks]),
    )
    columns = _PairColumns(left.columns, right.columns, pairs)
    return Spans(low, middle, high, _MadePairs(left.made, right.made, pairs), columns)


@dataclass(frozen=True)
class _MadeAlone(Sequence[RowFormula]):
    of: Sequence[RowFormula]
    names: Sequence[str]

    def __len__(self) -> int:
        return len(self.names)

    def __getitem__(self, place: int) -> RowFormula:  # type: ignore[override]
        (_, written), inner = UNARY[self.names[place]], self.of[place % len(self.of)]
        return lambda row: written(inner(row))


@dataclass(frozen=True)
class _Pairs:
    """Which operation is done with which of two stacks; ``-<`` and ``/<`` the other way round."""

    signs: Sequence[str]
    left: NDArray[np.intp]
    right: NDArray[np.intp]


@dataclass(frozen=True)
class _MadePairs(Sequence[RowFormula]):
    left: Sequence[RowFormula]
    right: Sequence[RowFormula]
    pairs: _Pairs

    def __len__(self) -> int:
        return len(self.pairs.signs)

    def __getitem__(self, place: int) -> RowFormula:  # type: ignore[override]
        sign = self.pairs.signs[place]
        one, other = self.left[self.pairs.left[place]], self.right[self.pairs.right[place]]
        return two(sign[0], other, one) if sign[1:] else two(sign, one, other)


@dataclass(frozen=True)
class _PairColumns(Sequence[frozenset[int]]):
    left: Sequence[frozenset[int]]
    right: Sequence[frozenset[int]]
    pairs: _Pairs

    def __len__(self) -> int:
        return len(self.pairs.signs)

    def __getitem__(self, place: int) -> frozenset[int]:  # type: ignore[override]
        both: frozenset[int] = self.left[self.pairs.left[place]] | self.right[self.pairs.right[place]]
        return both
