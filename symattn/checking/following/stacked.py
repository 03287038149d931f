"""Rows that were worked out one by one, ``Row 1: softmax([…]) = […]``: once there are several they are a matrix."""

from __future__ import annotations

from dataclasses import dataclass, field

from symattn.checking.following import worlds
from symattn.checking.following.chain import size
from symattn.checking.following.hints import Hints
from symattn.checking.following.scope import FigureGrid, Followed
from symattn.checking.following.worlds import Worlds

_KINDS = ("row", "token", "position")


@dataclass
class StackedRows:
    """The rows that have come, from the first one on."""

    values: list[Worlds] = field(default_factory=list)
    figures: list[FigureGrid] = field(default_factory=list)
    roles: tuple[str, ...] = ()
    cause: int | None = None

    def add(self, row: Followed, said: Hints, from_zero: bool) -> Followed | None:
        """One more row where it is the next one; the matrix of those that there are."""
        numbers = [which.number - (not from_zero) for which in said.which if which.kind in _KINDS]
        if not numbers or row.value.axes != 1 or size(row.figures)[0] != 1:
            return None
        if numbers[-1] == 0:
            self.values, self.figures, self.roles, self.cause = [], [], (), None
        fits = not self.values or self.values[0].shape == row.value.shape
        if numbers[-1] != len(self.values) or not fits:
            return None
        self.values.append(row.value)
        self.figures.append(row.figures)
        self.cause = row.cause or self.cause
        self.roles = tuple(dict.fromkeys((*self.roles, *row.roles)))
        if len(self.values) < 2:
            return None
        value = worlds.through(lambda *rows: [each[0] for each in rows], self.values, 2)
        grid = tuple(each[0] for each in self.figures)
        return Followed(0, None, value, grid, False, None, "", self.cause, start=row.start, roles=self.roles)
