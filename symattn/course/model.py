"""What an exercise is: a scenario with exact numbers, what of it is asked, the key, and what each mistake would give.

Everything in it is text and whole numbers, so that it travels: between processes, into JSON and back. Solutions and
documents are made from it when somebody asks for them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from symattn.base.printed import Printed
from symattn.claims.mistakes.model import PartKind
from symattn.claims.worked import Worked, read
from symattn.compute.solution.store import Store
from symattn.read.scenario.model import Scenario

FormName = Literal["plain", "wrong-entry", "order", "blanks", "fading"]
"""How an exercise asks: for the values of steps, for the one wrong entry of a worked solution, for the order of steps,
for the blanks in matrices, or for the last steps of a solution whose first ones are shown."""

Place = tuple[int, int]
"""Row and column, counted from 0."""


@dataclass(frozen=True)
class Part:
    """One grid of cells that is asked for, and its certified key.

    ``decimals`` is how many are asked for where fewer are not exact. ``asked`` are the cells that are left empty on the
    sheet, in reading order; the others are printed. ``needs`` is how many distinct entries somebody's own matrix must
    have so that later steps are recomputed from it.
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
    """What comes out when one mistake is made in one step: figures for every part that has some then.

    A part that is missing in ``figures`` cannot be worked out any more; one whose figures are the key's is untouched.
    """

    mistake: str
    step: str
    figures: Mapping[str, Printed]


@dataclass(frozen=True)
class Planted:
    """The one entry of a worked solution that was made wrong, row and column counted from 0."""

    step: str
    row: int
    column: int
    figure: str
    mistake: str


@dataclass(frozen=True)
class Exercise:
    """One variant: its scenario as the text of a file, what is asked of it, the key, and the answers of mistakes.

    ``shown`` are steps whose values stand on the sheet; ``order`` is the order in which steps are printed where their
    order is asked.
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
    """Of a fading series: how many of the last steps are left to do."""
    of: str = ""
    """The topic or the scenario that the exercise stands on, where that is not its topic."""
    cost: int = 0
    """What the numbers cost of the budget of its difficulty."""
    code: str = ""
    """What stands on a sheet that was made with a secret, in place of what it was made from."""

    def part(self, name: str) -> Part:
        """The part of that name."""
        return next(part for part in self.parts if part.name == name)


def worked(exercise: Exercise) -> Worked:
    """An exercise, ready to be worked out."""
    return read(exercise.source)


def scenario_of(exercise: Exercise) -> Scenario:
    """The scenario of an exercise."""
    return worked(exercise).scenario


def solution_of(exercise: Exercise) -> Store:
    """The solution of an exercise."""
    return worked(exercise).solution
