"""An exercise: a scenario with exact numbers, the parts that are asked, their key, and the answers of mistakes.

It holds only text and whole numbers, so that it can travel between processes and to JSON and back. Solutions and
documents are made from it on request.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from symattn.base.printed import Printed
from symattn.claims.mistakes.model import PartKind
from symattn.claims.worked import Worked, read_exercise
from symattn.compute.solution.store import Store
from symattn.read.scenario.model import Scenario

FormName = Literal["plain", "wrong-entry", "order", "blanks", "fading"]
"""The way an exercise asks: for the values of steps, for the one wrong entry of a worked solution, for the order of
steps, for the blanks in matrices, or for the last steps of a solution whose first ones are shown."""

Place = tuple[int, int]
"""Row and column, counted from 0."""


@dataclass(frozen=True)
class Part:
    """A grid of cells to fill in, and its certified key.

    ``decimals`` is how many are asked for, unless fewer are exact. ``asked`` are the cells left empty on the sheet, in
    reading order; the others are printed. ``needs`` is how many distinct entries a student's own matrix must have for
    later steps to be recomputed from it.
    """

    name: str
    kind: PartKind
    decimals: int
    key: Printed
    asked: tuple[Place, ...]
    needs: int = 1

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.key), len(self.key[0])


@dataclass(frozen=True)
class Wrong:
    """The answers that one mistake in one step gives: figures for every part that still has some.

    A part missing from ``figures`` can no longer be computed; a part whose figures are the key's is not affected.
    """

    mistake: str
    step: str
    figures: Mapping[str, Printed]


@dataclass(frozen=True)
class Planted:
    """The one entry of a worked solution that is deliberately wrong, row and column counted from 0."""

    step: str
    row: int
    column: int
    figure: str
    mistake: str


@dataclass(frozen=True)
class Exercise:
    """One variant: the text of its scenario file, the parts that are asked, their key, and the answers of mistakes.

    ``shown`` are steps whose values are printed on the sheet; ``order`` is the printed order of steps in an exercise
    that asks for their order.
    """

    topic: str
    difficulty: int
    seed: int
    version: int
    language: str
    source: str
    parts: tuple[Part, ...]
    wrong: tuple[Wrong, ...] = ()
    form: FormName = "plain"
    shown: tuple[str, ...] = ()
    planted: Planted | None = None
    order: tuple[str, ...] = ()
    stage: int = 0
    """The number of last steps that are left to do, in a fading series."""
    of: str = ""
    """The topic or the scenario that the exercise is based on, if it differs from ``topic``."""
    cost: int = 0
    """How much of its difficulty's budget the numbers use."""
    code: str = ""
    """The code that a sheet made with a secret carries instead of its topic, difficulty and seed."""

    def part(self, name: str) -> Part:
        """Return the part with that name."""
        return next(part for part in self.parts if part.name == name)


def worked(exercise: Exercise) -> Worked:
    """Return the exercise's scenario, ready to be evaluated."""
    return read_exercise(exercise.source)


def scenario_of(exercise: Exercise) -> Scenario:
    """Return the scenario of an exercise."""
    return worked(exercise).scenario


def solution_of(exercise: Exercise) -> Store:
    """Return the solution of an exercise."""
    return worked(exercise).solution
