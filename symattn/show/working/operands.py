"""Open every step: a number without a name that a line uses gets lines of its own before it, down to names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from sympy import Basic, MatPow, Transpose

from symattn.show.entries.nodes import entry
from symattn.show.math import Chain, Sign, counted
from symattn.show.notation.calls import is_of_columns
from symattn.show.notation.figures import LONGEST
from symattn.show.working.equations import entry_work, named_work, row_work, stands_at, told_once
from symattn.show.working.lines import Needed, Work

HIGHEST = 4
"""Powers with this exponent or a higher one are not opened: nobody reads the entries of a thirtieth power."""

DOTS = Chain(Sign("⋮"))


@dataclass
class Opened:
    """Collects the lines of a step: each once, after the lines of everything it uses."""

    node: Basic
    work: Work
    left_out: set[Needed] = field(default_factory=set)
    """Numbers that are used but not worked out: the middle of many of a kind, and high powers."""
    rows: dict[tuple[Basic, int], None] = field(default_factory=dict)
    """The formulas with worked entries, and their rows."""
    _begun: set[Needed] = field(default_factory=set)
    _said: set[Chain] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.work = replace(self.work, whole=self.node, step=self.work.step or self.work.name)

    def entry(self, i: int, j: int) -> list[Chain]:
        """Return the lines of an entry of the step, counted from 0."""
        if isinstance(self.node, Transpose) and is_of_columns(self.node):
            inner = self.node.arg
            work = replace(self.work, name=self.work.solution.part(inner), shown=self.work.left(i, j))
            return self._lines_of(inner, work, j, i)
        return self._lines_of(self.node, self.work, i, j)

    @property
    def folded(self) -> int:
        """The number of entries and named numbers that are used but have no lines."""
        return len(self.left_out - self._begun)

    def _lines_of(self, node: Basic, work: Work, i: int, j: int) -> list[Chain]:
        of_row: list[Needed] = []
        of_entry: list[Needed] = []
        self.rows[node, i] = None
        shared, line = (
            row_work(node, replace(work, uses=of_row), i),
            entry_work(node, replace(work, uses=of_entry), i, j),
        )
        before = [*self._all(of_row), *self._fresh(shared)]
        return [*before, *self._all(of_entry), *self._fresh([] if line is None else [line])]

    def _all(self, uses: Iterable[Needed]) -> list[Chain]:
        """Return the lines of everything that is used."""
        return _tidy(line for use in self._shown(uses) for line in ([DOTS] if use is None else self._opened(use)))

    def _where_it_stands(self, use: Needed) -> Needed | None:
        """Trace a use through operations that only move entries."""
        place = None if use.name else stands_at(use.node, self.work, *use.places)
        return use if use.name else None if place is None else Needed(place[0], place[1:])

    def _opened(self, use: Needed) -> list[Chain]:
        """Return the lines of a use, the first time only."""
        if isinstance(use.node, MatPow) and use.node.exp >= HIGHEST:
            self.left_out.add(use)
        if use in self._begun or use in self.left_out:
            return []
        self._begun.add(use)
        inner = replace(self.work, name=self.work.solution.part(use.node), beside=frozenset())
        if not use.name:
            i, j = use.places
            inner = replace(inner, shown=entry(use.node, inner.letters, counted(i), counted(j), ()))
            return self._lines_of(use.node, inner, i, j)
        used: list[Needed] = []
        noting, make = replace(inner, uses=used), use.lines
        lines = make(noting) if make is not None else named_work(use.node, noting, use.name, use.places)
        return [*self._all(used), *self._fresh(lines)]

    def _fresh(self, lines: Sequence[Chain]) -> list[Chain]:
        """Return the lines that have not been written yet."""
        told = map(told_once, lines)
        fresh = [line for line in told if line == DOTS or line not in self._said]
        self._said.update(fresh)
        return _tidy(fresh)

    def _shown(self, uses: Iterable[Needed]) -> list[Needed | None]:
        """Return the uses in order; of many along a row or a column, the first and the last, with dots between them."""
        found = list(dict.fromkeys(each for use in uses if (each := self._where_it_stands(use)) is not None))
        hidden: set[Needed] = set()
        for axis in (1, 0):
            along: dict[object, list[Needed]] = {}
            for use in found:
                if axis < len(use.places):
                    along.setdefault((use.node, use.name, use.places[1 - axis : 2 - axis]), []).append(use)
            hidden |= {use for line in along.values() if len(line) > LONGEST for use in line[3:-1]}
        self.left_out |= hidden
        shown: list[Needed | None] = []
        for use in found:
            if use not in hidden:
                shown.append(use)
            elif shown and shown[-1] is not None:
                shown.append(None)
        return shown


def _tidy(lines: Iterable[Chain]) -> list[Chain]:
    """Return lines with dots only between two of them."""
    tidy: list[Chain] = []
    for line in lines:
        if line != DOTS or (tidy and tidy[-1] != DOTS):
            tidy.append(line)
    return tidy[:-1] if tidy and tidy[-1] == DOTS else tidy
