"""Rows that stand one by one under the name or the formula of their matrix.

``$A = \\text{softmax}(Z)$:`` and then, in a list, ``Row 1: [0.4, 0.6]``, ``Row 2: …``.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from symattn.checking.following import worlds
from symattn.checking.following.chain import Equated, SortedSide, agreeing
from symattn.checking.following.hints import Hints
from symattn.checking.following.natural import nearness
from symattn.checking.following.rows import NoFit
from symattn.checking.following.scope import FigureGrid, Memory
from symattn.checking.following.verdicts import Ought
from symattn.checking.reading.tree import Combined

_OF_ROWS = ("printed", "literal")
"""What a row consists of: where a name stands before figures, or what nobody could read, they are something else."""

_WEIGHTS = frozenset({"weights", "softmax", "probabilities", "sum"})

_KINDS = ("row", "token", "position")


@dataclass
class RowsUnder:
    """The head, and the rows that have come."""

    head: Equated
    whole: Ought | None
    """What its formula is worth, if it has one."""
    place: int | None = None
    """The row that is spoken of, counted from 0."""
    rows: list[SortedSide] = field(default_factory=list)
    cause: int | None = None
    """The cause of rows before that are wrong as a whole: one mistake made them."""
    is_in_order: bool = False
    """Whether rows have labels of their own, ``cat: [2, 0]``, and come one after the other."""
    is_told: bool = False
    """Whether the words before figures say that these are the row, and nothing else."""

    @classmethod
    def labelled(cls, head: Equated, whole: Ought | None, chain: Equated) -> RowsUnder | None:
        """Rows that begin with this one, where it is as wide as a matrix of several rows."""
        made = cls(head, whole, 0, is_in_order=True)
        return made if whole is not None and whole.value.shape[0] > 1 and made.takes(chain) else None

    @classmethod
    def following(cls, row: Ought, whole: Ought | None, chain: Equated) -> RowsUnder | None:
        """Rows that follow the first one of what words make: ``Token 1: (…)``, ``Token 2: (…)``."""
        of = row.text.removeprefix("row 1 of ")
        if of == row.text or whole is None or whole.value.shape[0] < 2 or chain.names or not chain.printed:
            return None
        is_right = agreeing(row.value, chain.printed[-1]) == 1
        return cls(Equated((), chain.told), replace(whole, text=of), 0, [chain.printed[-1]]) if is_right else None

    def heard(self, said: Hints, scope: Memory) -> None:
        """Which row the words speak of."""
        numbers = [which.number - (not scope.from_zero) for which in said.which if which.kind in _KINDS]
        if numbers and numbers[-1] >= 0:
            self.place = numbers[-1]
        elif self.is_in_order:
            self.place = len(self.rows)
        spoken = {*said.does, *said.roles}
        self.is_told = spoken <= _WEIGHTS if self.is_softmax() and (spoken or numbers) else bool(numbers) and not spoken

    def is_softmax(self) -> bool:
        """Whether the rows are weights."""
        formula = self.whole.formula if self.whole is not None else None
        return isinstance(formula, Combined) and formula.op == "call:softmax"

    def takes(self, chain: Equated) -> bool:
        """Whether a chain is a row of it: a list without a name, while a row is spoken of."""
        if self.place is None or not chain.printed or any(each.kind not in _OF_ROWS for each in chain.sides):
            return False
        last = chain.printed[-1]
        if last.axes != 1 or len(last.figures) != 1:
            return False
        if self.whole is None:
            return not chain.literal and not self.head.symbolic and bool(self.head.names)
        return len(last.figures[0]) == self.whole.value.shape[1]

    def truth(self, chain: Equated) -> Ought | None:
        """What the row should be: that of the formula, where its figures are near to it."""
        if self.whole is None or self.place is None:
            return None
        try:
            row = worlds.row(self.whole.value, self.place)
        except NoFit:
            return None
        if row.axes != 1 or not (nearness(row, chain.printed[-1]) or self.is_meant(chain)):
            return None
        return Ought(row, f"row {self.place + 1} of {self.whole.text}", is_literal=bool(chain.literal))

    def is_meant(self, chain: Equated) -> bool:
        """Whether figures that are far from the row are still meant to be it."""
        if any(x.value is None for x in chain.printed[-1].figures[0] if x is not None) and self.is_softmax():
            return False
        is_said = any(isinstance(each.of, Combined) and each.of.op == "call:softmax" for each in chain.literal)
        return is_said if chain.literal else self.is_told and len(self.rows) == self.place

    def add(self, side: SortedSide) -> FigureGrid | None:
        """One more row, the next one; the matrix as far as it is known, once it is whole."""
        if self.place != len(self.rows) or (self.rows and len(self.rows[0].figures[0]) != len(side.figures[0])):
            return None
        self.rows.append(side)
        grid = tuple(each.figures[0] for each in self.rows)
        return grid if self.whole is None or len(grid) == self.whole.value.shape[0] else None
