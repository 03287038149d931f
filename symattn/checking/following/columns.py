"""What the columns of a table are made of, found from the columns themselves: a formula that most rows agree with.

People seldom write above a column how it was worked out. Here every short formula in the other columns of a row, in the
row before, in sums of columns and in one number that is the same in all rows is held against a column. Each row that
agrees tells as many bits as its figure is fine; it costs bits to say which of the formulas tried it is. A formula with
enough evidence says of the other rows that something in them is wrong: the figure that most formulas disagree with.

>>> from symattn.checking.reading.shown import shown
>>> def column(*texts):
...     return [FigureRead(each, Fraction(each), Fraction(1, 100), 0, 0) for each in texts]
>>> rows = list(zip(column("2.00", "7.00", "5.00", "9.00", "4.00"),
...     column("1.25", "3.10", "0.45", "2.20", "3.15"), column("2.50", "21.70", "2.25", "18.90", "12.60")))
>>> [(shown(one.formula), one.figure.text, one.agrees) for one in Columns(rows).worked() if not one.agrees]
[('9.00 · 2.20', '18.90', False)]
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from typing import Final

import numpy as np
from numpy.typing import NDArray

from symattn.base.budget import spend
from symattn.base.remembered import cached_property
from symattn.checking.following.spans import (
    UNARY,
    RowFormula,
    SpanEnds,
    Spans,
    agreed,
    binary,
    constant,
    joined,
    number,
    quotient,
    times,
    two,
    unary,
)
from symattn.checking.reading.tree import Combined, Expressed, FigureRead
from symattn.compute.values.float64 import DoubleArray

LEAST_ROWS, MOST_ROWS, MOST_COLUMNS = 3, 60, 10
"""How many rows a table has whose columns are looked at, and how many of these at most."""

REFUTES, FEW = 11.0, 2.0
"""How many bits of evidence a formula has at least that says that a row is wrong, and how many more for each row less
than four that agrees."""

SHARE = 0.6
"""The share of rows that agree at least."""

DISAGREES = 2.0
"""How many bits a row costs that does not agree."""

SHORT = 2
"""How many kinds of formulas may be meant for one row alone: then nothing is wrong in it."""

NEAREST = 0.1
"""The share of simple formulas by which is estimated how near to a figure one may be by chance."""

COUNTED = 5
"""A column that counts fewer rows than this is no operand."""

OTHER, DIGIT = 3.0, 3.3
"""The bits that a number costs that the document does not say elsewhere, and each of its digits."""

SLACK = 1e-9

_SIMPLE = ("square", "sqrt", "rest", "reciprocal")
"""The operations that stand in longer formulas too."""


@dataclass(frozen=True)
class FoundColumn:
    """A formula of a column, and where it agrees."""

    column: int
    strength: float
    agrees: NDArray[np.bool_]
    claims: NDArray[np.bool_]
    """The rows in which it has a value, and there is a figure that it is held against."""
    made: RowFormula
    columns: frozenset[int]
    """The columns that it is made of, in the same row."""
    is_copy: bool
    """Whether it only says that a column is another one."""


@dataclass(frozen=True)
class WorkedCell:
    """A figure of a table and the formula of its column, in figures of its row."""

    figure: FigureRead
    formula: Expressed
    agrees: bool


class Columns:
    """The figures of a table; ``numbers`` are those that the document says before."""

    def __init__(self, rows: Sequence[Sequence[FigureRead | None]], numbers: Collection[Fraction] = ()) -> None:
        self.rows = rows
        self.numbers = frozenset(numbers)
        self.wide = min(max(map(len, rows), default=0), MOST_COLUMNS)
        self.cells = [[row[j] if j < len(row) else None for row in self.rows] for j in range(self.wide)]

    @cached_property
    def has_comma(self) -> bool:
        """Whether decimal commas stand in its figures."""
        figures = (one for row in self.rows for one in row if one is not None and one.unit < 1)
        return any("," in one.text and "." not in one.text for one in figures)

    def worked(self) -> Iterator[WorkedCell]:
        """Yield the figures of columns that have a formula with enough evidence."""
        if not LEAST_ROWS <= len(self.rows) <= MOST_ROWS:
            return
        found = [one for j in range(self.wide) if (one := self.of(j)) is not None]
        for one in found:
            is_last = all(each < one.column for each in one.columns)
            for row in np.flatnonzero(one.claims).tolist():
                agrees = bool(one.agrees[row])
                figure = self.cells[one.column][row]
                if figure is not None and (is_last if agrees else self.blamed(row, one, found) == one.column):
                    yield WorkedCell(figure, one.made(row), agrees)

    def blamed(self, row: int, found: FoundColumn, others: Sequence[FoundColumn]) -> int:
        """Return the column whose figure is wrong: the one that most formulas disagree with, or else the last one."""
        failing = [one for one in others if one.claims[row] and not one.agrees[row]]
        return max(
            (found.column, *found.columns),
            key=lambda column: (sum(column in (one.column, *one.columns) for one in failing), column),
        )

    def of(self, target: int) -> FoundColumn | None:
        """Return the formula of a column that has most evidence, if it has enough to call a figure wrong."""
        values, halves = self.values[target], self.halves[target]
        has = np.isfinite(values)
        if len(set(values[has].tolist())) < LEAST_ROWS:
            return None
        best: FoundColumn | None = None
        tried = 0
        with np.errstate(all="ignore"):
            is_short = np.zeros(len(self.rows), bool)
            near = self.nearness(target)
            for level, stack in enumerate(self.candidates(target)):
                if not len(stack):
                    continue
                tried += len(stack)
                spend(50 + stack.middle.size // 20)
                agrees = (stack.low <= values + halves) & (stack.high >= values - halves)
                if level < SHORT:
                    is_short |= agrees.any(axis=0)
                one = self.strongest(stack, target, agrees & has, near, float(np.log2(tried)))
                if one is not None and (best is None or one.strength > best.strength):
                    best = replace(one, is_copy=level == 0)
                if best is not None and best.strength >= REFUTES and (best.agrees == best.claims).all():
                    break
        if best is None or not self.is_evident(best) or (best.is_copy and not best.agrees.all()):
            return None
        return replace(best, claims=best.claims & (best.agrees | ~is_short))

    def is_evident(self, one: FoundColumn) -> bool:
        """Return True if a formula tells enough to call the figures wrong that do not agree."""
        different = len(set(self.values[one.column][one.agrees].tolist()))
        least = REFUTES + FEW * max(0, 4 - different)
        if not one.columns and different < COUNTED:
            return False  # what only goes on from the row before is mostly given
        return different > 1 and one.agrees.sum() >= SHARE * one.claims.sum() and one.strength >= least

    def strongest(
        self, stack: Spans, target: int, agrees: NDArray[np.bool_], near: DoubleArray, cost: float
    ) -> FoundColumn | None:
        """Return the candidate of a stack that has most evidence."""
        values = self.values[target]
        known = values[np.isfinite(values)]
        claims = np.isfinite(stack.middle) & np.isfinite(values)
        agrees = agrees & claims
        width = np.maximum(stack.high - stack.low, 0) + 2 * self.halves[target]
        room = np.minimum(float(known.max() - known.min()), near)
        bits = np.where(agrees, np.log2(np.maximum(room / width, 1.0)), 0.0)
        bits /= np.maximum((values[:, None] == known).sum(axis=1), 1)
        strength = bits.sum(axis=1) - cost - stack.more - DISAGREES * (claims & ~agrees).sum(axis=1)
        strength = np.where(claims.sum(axis=1) >= LEAST_ROWS, strength, -np.inf)
        place = int(np.argmax(strength))
        if not np.isfinite(strength[place]):
            return None
        made, columns = stack.made[place], stack.columns[place]
        return FoundColumn(target, float(strength[place]), agrees[place], claims[place], made, columns, is_copy=False)

    def nearness(self, target: int) -> DoubleArray:
        """Return for each row how far apart formulas lie there about its figure: about 0 it takes little to agree."""
        ground, values = self.ground(target), self.values[target]
        if len(ground) < 2:
            return np.full(len(values), np.inf)
        some = joined([ground, binary(ground, ground)])
        apart = np.where(np.isfinite(some.middle), np.abs(some.middle - values), np.inf)
        return np.quantile(apart, NEAREST, axis=0, method="higher") * 2 / NEAREST

    # -- candidates ----------------------------------------------------------------------------------------------------

    @cached_property
    def values(self) -> DoubleArray:
        """The figures, ``nan`` where there are none."""
        return np.array([[_double(one) for one in column] for column in self.cells])

    @cached_property
    def halves(self) -> DoubleArray:
        """Half a unit of each figure, and what doubles may be beside it."""
        halves = [[float(one.unit) / 2 if one is not None else 0.0 for one in column] for column in self.cells]
        return np.array(halves) * (1 + SLACK) + SLACK * np.abs(np.nan_to_num(self.values))

    def cell(self, column: int, back: int) -> RowFormula:
        """Return what writes a cell of a row, or of the row before."""

        def made(row: int) -> Expressed:
            one = self.cells[column][row - back]
            if one is None:
                raise LookupError(f"no figure in row {row - back + 1}")
            return Combined("call:rounded", (one,), one.start, one.end) if one.unit < 1 else one

        return made

    def ground(self, target: int) -> Spans:
        """Return the figures of each row and of the row before, without those of the target in the same row."""
        rows = len(self.rows)
        whole = [np.where(each < 0.5, each, 0.0) for each in self.halves]  # whole numbers are mostly exact
        spans: list[tuple[DoubleArray, DoubleArray, DoubleArray]] = []
        made: list[RowFormula] = []
        columns: list[frozenset[int]] = []
        for back, column in product((0, 1), range(self.wide)):
            middle, half = np.roll(self.values[column], back), np.roll(whole[column], back)
            middle[:back] = np.nan
            is_itself = back == 0 and column == target
            if is_itself or self.counts(column) or np.isfinite(middle).sum() < LEAST_ROWS - 1:
                continue
            spans.append((middle - half, middle, middle + half))
            made.append(self.cell(column, back))
            columns.append(frozenset({column} if not back else ()))
        low, middles, high = (np.reshape([each[i] for each in spans], (-1, rows)) for i in range(3))
        return Spans(low, middles, high, made, columns)

    def counts(self, column: int) -> bool:
        """Return True for a column that only counts a few rows: 1, 2, 3."""
        many, first = len(self.rows), self.values[column][0]
        return many < COUNTED and first in (0, 1) and bool((self.values[column] == first + np.arange(many)).all())

    def candidates(self, target: int) -> Iterator[Spans]:
        """Yield formulas, the shortest first."""
        ground = self.ground(target)
        if not len(ground):
            return
        yield ground
        alone = unary(ground)
        yield alone
        whole = self.wholes(ground)
        yield whole
        pairs = binary(ground, ground)
        yield pairs
        yield self.with_number(ground, target)
        yield binary(ground, joined([alone, whole]))
        yield unary(pairs)
        yield self.with_number(alone, target)
        yield binary(pairs, ground)
        yield self.with_number_and(ground, target)
        names = [name for name in UNARY for _ in range(len(ground))]
        yield binary(pairs, alone.only([k for k, name in enumerate(names) if name in _SIMPLE]))

    def wholes(self, ground: Spans) -> Spans:
        """Return sums, means and running sums of columns, their first and largest figures, and moving means."""
        many = len(self.rows)
        parts: list[tuple[list[DoubleArray], RowFormula, frozenset[int]]] = []
        for k in range(len(ground)):
            three = [each[k] for each in ground.three]
            if ground.columns[k] and np.isfinite(three[1]).all():
                made = ground.made[k]
                parts += [
                    ([rule(x) for x in three], _over(made, many, over), ground.columns[k]) for over, rule in _WHOLES
                ]
        low, middle, high = (np.reshape([spans[i] for spans, *_ in parts], (-1, many)) for i in range(3))
        return Spans(low, middle, high, [made for _, made, _ in parts], [columns for *_, columns in parts])

    def ends(self, target: int) -> SpanEnds:
        """Return what the figures of a column may have been before they were rounded."""
        return self.values[target] - self.halves[target], self.values[target] + self.halves[target]

    def with_number(self, of: Spans, target: int) -> Spans:
        """Return ``c x``, ``x + c`` and ``c - x`` with a round number c that most rows agree on."""
        low, high = self.ends(target)
        return joined(
            [
                self.numbered(quotient((low, high), (of.low, of.high)), of, None, "*"),
                self.numbered((low - of.high, high - of.low), of, None, "+"),
                self.numbered((low + of.low, high + of.high), of, None, "-"),
            ]
        )

    def with_number_and(self, of: Spans, target: int) -> Spans:
        """Return ``c x + z`` and ``c x + (1 − c) z`` with a round number c that most rows agree on."""
        i, j = (each.ravel() for each in np.meshgrid(np.arange(len(of)), np.arange(len(of)), indexing="ij"))
        one, other = of.only(i[i != j].tolist()), of.only(j[i != j].tolist())
        low, high = self.ends(target)
        rest = low - other.high, high - other.low
        return joined(
            [
                self.numbered(quotient(rest, (one.low, one.high)), one, other, "*"),
                self.numbered(quotient(rest, (one.low - other.high, one.high - other.low)), one, other, "mixed"),
            ]
        )

    def numbered(self, ends: SpanEnds, one: Spans, other: Spans | None, sign: str) -> Spans:
        """Return what candidates give with the number that lies in most of the spans of each."""
        numbers = agreed(*ends, LEAST_ROWS - 1, SHARE)
        parts: list[tuple[Sequence[DoubleArray], RowFormula]] = []
        for k, c in numbers.items():
            x, made, with_c = [each[k] for each in one.three], one.made[k], constant(c, has_comma=self.has_comma)
            if sign == "+":
                parts.append(([each + float(c) for each in x], two("+", made, with_c)))
            elif sign == "-":
                parts.append(([float(c) - each for each in x[::-1]], two("-", with_c, made)))
            elif other is None:
                parts.append((times(c, x), two("*", with_c, made)))
            else:
                share = 1 - c if sign == "mixed" else Fraction(1)
                z = times(share, [each[k] for each in other.three])
                rest = (
                    other.made[k] if share == 1 else two("*", constant(share, has_comma=self.has_comma), other.made[k])
                )
                sums = [a + b for a, b in zip(times(c, x), z, strict=True)]
                parts.append((sums, two("+", two("*", with_c, made), rest)))
        columns = [one.columns[k] | (other.columns[k] if other is not None else frozenset()) for k in numbers]
        low, middle, high = (np.reshape([each[i] for each, _ in parts], (-1, len(self.rows))) for i in range(3))
        more = np.array([self.price(c) for c in numbers.values()])
        return Spans(low, middle, high, [made for _, made in parts], columns, more)

    def price(self, c: Fraction) -> float:
        """Return the bits that it takes to say a number: fewer for one that the document says."""
        if not {c, 1 - c, -c, 1 / c}.isdisjoint(self.numbers):
            return float(np.log2(1 + len(self.numbers)))
        return OTHER + DIGIT * len(repr(float(abs(c))).replace(".", "").strip("0"))


def _double(figure: FigureRead | None) -> float:
    return float("nan") if figure is None or figure.value is None else float(figure.value)


def _moving(many: int) -> Callable[[DoubleArray], DoubleArray]:
    """Return what gives the mean of the last few figures of a column, from where there are so many."""

    def rule(x: DoubleArray) -> DoubleArray:
        sums = np.cumsum(np.concatenate([[0.0], x]))
        made = np.full(len(x), np.nan)
        made[many - 1 :] = (sums[many:] - sums[:-many]) / many
        return made

    return rule


_WHOLES: Final[Sequence[tuple[str, Callable[[DoubleArray], DoubleArray]]]] = (
    ("sum", lambda x: np.full(len(x), x.sum())),
    ("mean", lambda x: np.full(len(x), x.mean())),
    ("running", np.cumsum),
    ("first", lambda x: np.full(len(x), x[0])),
    ("largest", lambda x: np.full(len(x), x.max())),
    ("2", _moving(2)),
    ("3", _moving(3)),
)
"""What is made of a whole column, and of the last two or three figures."""


def _over(cell: RowFormula, many: int, over: str) -> RowFormula:
    """Return what writes something made of several rows of a column."""

    def made(row: int) -> Expressed:
        first = row + 1 - int(over) if over.isdigit() else 0
        last = row if over == "running" or over.isdigit() else 0 if over == "first" else many - 1
        cells = tuple(cell(each) for each in range(first, last + 1))
        if over == "largest":
            return Combined("call:max", cells, 0, 0)
        total = Combined("+", cells, 0, 0) if len(cells) > 1 else cells[0]
        return Combined("/", (total, number(len(cells))), 0, 0) if over in ("mean", "2", "3") else total

    return made
