"""The result of marking: a mark for every cell, marks for parts, and an explanation of the first wrong step."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from symattn.claims.mistakes.model import PartKind

Status = Literal["right", "carried", "wrong", "empty", "unreadable"]
"""A cell is *carried* if it is right given the student's own value of an earlier step."""

EARNS: tuple[Status, ...] = ("right", "carried")

Turned = Literal["", "transposed", "other"]
"""How the shape of an answer differs from the one asked for: rows and columns swapped, or otherwise."""


@dataclass(frozen=True)
class CellMark:
    """A cell, row and column counted from 0, with its text, and the reason if that cannot be read."""

    row: int
    column: int
    text: str
    status: Status
    trouble: str = ""

    @property
    def earns(self) -> bool:
        """Whether the cell earns its mark."""
        return self.status in EARNS


@dataclass(frozen=True)
class PartMarks:
    """The marks of the requested cells of one part.

    ``is_coarse`` means that too few decimals are the only thing wrong.
    """

    name: str
    kind: PartKind
    cells: tuple[CellMark, ...]
    turned: Turned = ""
    is_coarse: bool = False

    @property
    def points(self) -> int:
        """One for every cell that is right, or right given the student's earlier values."""
        return sum(cell.earns for cell in self.cells)

    @property
    def most(self) -> int:
        """The highest possible number of points."""
        return len(self.cells)

    @property
    def is_wrong(self) -> bool:
        """Whether some answer is wrong in itself."""
        return any(cell.status == "wrong" for cell in self.cells)

    @property
    def is_carried(self) -> bool:
        """Whether some answer is right only given the student's earlier values."""
        return any(cell.status == "carried" for cell in self.cells)

    def having(self, status: Status) -> tuple[CellMark, ...]:
        """Return the cells with that status."""
        return tuple(cell for cell in self.cells if cell.status == status)


@dataclass(frozen=True)
class Cause:
    """A mistake of the bank, and the step in which it was made."""

    mistake: str
    step: str


@dataclass(frozen=True)
class Observation:
    """Something that can be computed of a wrong answer: the key of its sentence, and what the sentence tells.

    ``is_whole``: it accounts for all wrong cells of its part.
    """

    kind: str
    told: tuple[tuple[str, str | int], ...] = ()
    is_whole: bool = False


@dataclass(frozen=True)
class Diagnosis:
    """A wrong part and the mistakes that explain it: one, several that give the same figures, or none; none also if
    ``is_coarse``, where too few decimals explain it. If nothing does, there are ``observations``, the most telling
    first."""

    part: str
    causes: tuple[Cause, ...] = ()
    is_coarse: bool = False
    observations: tuple[Observation, ...] = ()

    @property
    def mistakes(self) -> tuple[str, ...]:
        """The names of the mistakes, in the order of the bank."""
        return tuple(cause.mistake for cause in self.causes)


@dataclass(frozen=True)
class Marked:
    """The marks of one student. The first of ``findings`` is about the first wrong step."""

    topic: str
    version: int
    student: str
    parts: tuple[PartMarks, ...]
    findings: tuple[Diagnosis, ...] = ()
    unknown: tuple[str, ...] = ()
    """Names that were answered without being asked."""
    is_checked: bool = False
    """Whether the answers carry the checksum of the exercise, so that they certainly belong to its numbers."""

    @property
    def points(self) -> int:
        return sum(part.points for part in self.parts)

    @property
    def most(self) -> int:
        return sum(part.most for part in self.parts)

    @property
    def first(self) -> Diagnosis | None:
        """The explanation of the first wrong step; ``None`` if nothing is wrong."""
        return self.findings[0] if self.findings else None

    def part(self, name: str) -> PartMarks:
        """Return the marks of the part with that name."""
        return next(part for part in self.parts if part.name == name)

    @property
    def cells(self) -> Iterator[CellMark]:
        """All cells that were asked for."""
        return (cell for part in self.parts for cell in part.cells)
