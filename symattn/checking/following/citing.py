"""What figures in a formula stand for, and what is done along rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from flint import arb

from symattn.checking.following import rows as on
from symattn.checking.following import worlds
from symattn.checking.following.functions import (
    ALONG,
    norm,
    order_of,
)
from symattn.checking.following.indexed import (
    letters_in,
)
from symattn.checking.following.judging import double
from symattn.checking.following.rows import BallMatrix, NoFit
from symattn.checking.following.scope import FigureGrid, Memory, rows_of, tells
from symattn.checking.following.worlds import Worlds
from symattn.checking.reading.tree import Combined, Expressed, FigureRead, NameRead
from symattn.checking.reading.walking import is_slice

UNVERIFIED = Fraction(1, 1_000)
"""A unit that few people type: figures as fine as this, of which nobody could say how they came about, were rounded."""


@dataclass(frozen=True)
class Open:
    """What a formula leaves open."""

    axis: str = "rows"
    epsilon: Fraction = Fraction(1, 100_000)
    correction: int = 0
    is_by_entries: bool = False
    """Whether a product of two matrices is one of entries."""
    is_unit_norm: bool = False
    """Whether what is called RMS norm, or only normalised, has length 1."""
    signs: str = "+"
    """Which of its two values ± has, or both in an order."""
    is_common: bool = False
    """Whether a logarithm without a base is one of base 10."""


@dataclass
class Citing:
    """What an expression is worth as far as nothing in it has to be worked out first."""

    scope: Memory
    cites: bool = False
    """Whether a figure inside a formula stands for what it was printed for."""
    is_code: bool = False
    wide: Fraction = Fraction(0)
    """Figures with decimals whose last place is worth no more than this may be anything that rounds to them, if they
    were worked out or have more decimals than people type; with 1 all of them may."""
    open: Open = field(default_factory=Open)
    asked: set[str] = field(default_factory=set)
    """What of :class:`Open` a formula went by."""
    names: set[str] = field(default_factory=set)
    """The names that were known."""
    depth: int = 0
    places: dict[str, int] = field(default_factory=dict)
    """What an index stands at, as the document counts."""
    zeros: set[str] = field(default_factory=set)
    """Indices that begin at 0."""
    formula: Expressed | None = None
    """The whole of what is worked out."""

    def _placed(self, name: NameRead) -> Worlds | None:
        """``α_{2,i}`` where i stands at some place."""
        whole, pieces = self.scope.indexed(name)
        letters = letters_in(pieces)
        if not letters or None in letters or not any(each in self.places for each in letters):
            return worlds.number(arb(self.places[name.base])) if not letters and name.base in self.places else None
        if whole is None:
            raise NoFit(f"{name.text or name.base} is not known")
        if any(isinstance(each, str) and each not in self.places for each in letters):
            raise NoFit(f"an index of {name.text or name.base} is not known")
        at = [self._entry(each) for each in letters if each is not None]
        if len(at) == 1 and 1 in whole.value.shape and whole.value.axes == 2:
            return worlds.entry(worlds.flat(whole.value), 0, at[0])
        return worlds.row(whole.value, at[0]) if len(at) == 1 else worlds.entry(whole.value, at[0], at[1])

    def _entry(self, index: str | int) -> int:
        """The place of an index, counted from 0."""
        at = self.places[index] if isinstance(index, str) else index
        return at if self.scope.from_zero or index in self.zeros else at - 1

    def _figure(self, figure: FigureRead) -> Worlds:
        if self.cites and (found := self.scope.cited(figure)) is not None:
            return found
        if figure.value is None:
            return worlds.number(arb.pos_inf() if figure.sign > 0 else arb.neg_inf())
        is_rounded = self.wide >= 1 or figure.unit <= UNVERIFIED or self.scope.cited(figure) is not None
        if is_rounded and figure.unit <= self.wide and (figure.unit < 1 or "." in figure.text):
            return worlds.number(arb(on.ball(figure.value).mid(), on.ball(figure.unit / 2)))
        return worlds.number(on.ball(figure.value))

    def _by_rows_cited(self, figures: FigureGrid, axes: int) -> Worlds | None:
        """A grid whose rows were printed one by one, or whose figures were."""
        if not self.cites:
            return None
        rows = [self.scope.cited_grid((row,)) for row in figures]
        if (
            len(figures) > 1
            and all(each is None or each.value.entries == len(figures[0]) for each in rows)
            and any(rows)
        ):
            cells = [
                [worlds.flat(each.value)] if each is not None else [worlds.known(rows_of((row,)), 1)]
                for each, row in zip(rows, figures, strict=True)
            ]
            return worlds.together(cells, axes)
        tell = [each for row in figures for each in row if each is not None and tells(each)]
        cited = sum(self.scope.cited(each) is not None for each in tell)
        if not tell or 2 * cited < len(tell):
            return None
        return worlds.together(
            [[self._figure(each) if each is not None else worlds.number(arb.nan()) for each in row] for row in figures],
            axes,
        )

    def _place(self, index: Expressed) -> int:
        """A place in a program: a whole number, or the name of one."""
        if isinstance(index, NameRead) and index.base in self.places:
            return self.places[index.base]
        if isinstance(index, NameRead):
            known = self.scope.named_or_none(index)
            place = double(known.true[0][0]) if known is not None and known.axes == 0 else 0.5
            if place == int(place):
                return int(place)
        elif isinstance(index, FigureRead) and index.value is not None and index.value.denominator == 1:
            return int(index.value)
        raise NoFit("a slice is not followed")

    def _cut(self, value: Worlds, pieces: Sequence[Expressed]) -> Worlds:
        """``V_{:,1}``, ``Q[:, 0:4]``: rows and columns; a single column is one, unless a program cuts it out."""
        sizes = value.shape[2 - value.axes :]
        if not 0 < len(pieces) <= len(sizes):
            raise NoFit("more places than axes")
        spans = [self._span(*each) for each in zip(pieces, sizes, strict=False)]
        spans += [range(size) for size in sizes[len(pieces) :]]
        found = worlds.cut(value, *([range(1), *spans][-2:]))
        is_flat = not is_slice(pieces[0]) or (self.is_code and not is_slice(pieces[-1]))
        return worlds.flat(found) if is_flat else found

    def _span(self, piece: Expressed, size: int) -> range:
        """Which places of an axis are meant: from 1 and with the last on paper, from 0 and without it in a program."""
        ends = dict(piece.named) if isinstance(piece, Combined) else {"from": piece}
        first, last = (self._place(ends[each]) if each in ends else None for each in ("from", "to"))
        shift = 0 if self.is_code or self.scope.from_zero or first == 0 else 1
        first, last = (each + size if each is not None and each < 0 else each for each in (first, last))
        start = (first or shift) - shift
        stop = start + 1 if not is_slice(piece) else size if last is None else last
        if not 0 <= start < stop <= size:
            raise NoFit(f"places {start + 1} to {stop} of {size}")
        return range(start, stop)

    def _axis(self, one: Combined, given: Worlds) -> str:
        for name, value in one.named:
            if name in ("dim", "axis") and isinstance(value, FigureRead) and value.value is not None:
                return "columns" if value.value == 0 and given.axes == 2 else "rows"
        self.asked.add("axis")
        return self.open.axis

    def _by_rows(self, name: str, given: Worlds, axis: str) -> Worlds:
        return self._by_rows_of(lambda rows: on.called(name, rows), given, axis)

    def _by_rows_of(self, rule: Callable[[BallMatrix], BallMatrix], given: Worlds, axis: str) -> Worlds:
        is_column = given.axes == 2 and given.shape[1] == 1 and given.shape[0] > 1
        if (axis == "columns" and given.axes == 2) or is_column:
            return worlds.turned(worlds.through(rule, [worlds.turned(given)], 2))
        return worlds.through(rule, [given], given.axes)

    def _along(self, name: str, one: Combined, given: Worlds, axis: str) -> Worlds:
        """A number for each row, or for all of a list."""
        rule, correction = ALONG[name] if name != "norm" else norm(order_of(one)), self.open.correction
        if name in ("var", "std"):
            ddof = dict(one.named).get("ddof", dict(one.named).get("correction"))
            if isinstance(ddof, FigureRead) and ddof.value is not None:
                correction = int(ddof.value)
            else:
                self.asked.add("correction")
        if axis == "columns" and given.axes == 2:
            given = worlds.turned(given)

        def of(rows: BallMatrix) -> BallMatrix:
            return [[rule(row, correction)] for row in rows]

        if given.axes == 0:
            return given
        if given.axes == 1:
            return worlds.through(of, [given], 0)
        return worlds.through(lambda rows: on.transposed(of(rows)), [given], 1)
