"""What marking finds: a mark for every cell, marks for parts, and what explains the first wrong step."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from symattn.claims.mistakes.model import PartKind

Status = Literal["right", "carried", "wrong", "empty", "unreadable"]
"""A cell is *carried* where it is right for what the student had in an earlier step."""

EARNS: tuple[Status, ...] = ("right", "carried")

Turned = Literal["", "transposed", "other"]
"""The shape of an answer that has not the shape asked for: rows and columns swapped, or another one."""


@dataclass(frozen=True)
class CellMark:
    """A cell, row and column counted from 0, with what was written in it, and why that cannot be read."""

    row: int
    column: int
    text: str
    status: Status
    trouble: str = ""

    @property
    def earns(self) -> bool:
        """Whether it earns its mark."""
        return self.status in EARNS


@dataclass(frozen=True)
class PartMarks:
    """The cells of one part that were asked for.

    ``is_coarse`` says that all that is wrong are too few decimals.
    """

    name: str
    kind: PartKind
    cells: tuple[CellMark, ...]
    turned: Turned = ""
    is_coarse: bool = False

    @property
    def points(self) -> int:
        """One for every cell that is right, or right for what the student had before."""
        return sum(cell.earns for cell in self.cells)

    @property
    def most(self) -> int:
        """The marks that can be had."""
        return len(self.cells)

    @property
    def is_wrong(self) -> bool:
        """Whether something that was answered is wrong in itself."""
        return any(cell.status == "wrong" for cell in self.cells)

    @property
    def is_carried(self) -> bool:
        """Whether something is right only for what the student had before."""
        return any(cell.status == "carried" for cell in self.cells)

    def having(self, status: Status) -> tuple[CellMark, ...]:
        """The cells with that mark."""
        return tuple(cell for cell in self.cells if cell.status == status)


@dataclass(frozen=True)
class Cause:
    """A mistake of the bank, and the step in which it was made."""

    mistake: str
    step: str


@dataclass(frozen=True)
class Diagnosis:
    """A wrong part and the mistakes that explain it: one, several that give the same figures, or none; also none where
    ``is_coarse``: too few decimals explain it."""

    part: str
    causes: tuple[Cause, ...] = ()
    is_coarse: bool = False

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
    """Names that were answered and not asked."""
    is_checked: bool = False
    """Whether the answers carry the checksum of the exercise, so that they belong to its numbers for sure."""

    @property
    def points(self) -> int:
        return sum(part.points for part in self.parts)

    @property
    def most(self) -> int:
        return sum(part.most for part in self.parts)

    @property
    def first(self) -> Diagnosis | None:
        """What explains the first wrong step; ``None`` where nothing is wrong."""
        return self.findings[0] if self.findings else None

    def part(self, name: str) -> PartMarks:
        """The marks of the part of that name."""
        return next(part for part in self.parts if part.name == name)

    @property
    def cells(self) -> Iterator[CellMark]:
        """All cells that were asked for."""
        return (cell for part in self.parts for cell in part.cells)
