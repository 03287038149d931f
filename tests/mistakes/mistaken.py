"""What mistakes are tried on: derivations with numbers, and what a person gets who makes one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import Random
from typing import Any

import numpy as np

from symattn.base.shapes import Axis, Shape
from symattn.claims.mistakes.model import Change, bank, changed
from symattn.claims.mistakes.subject import Subject
from symattn.compute.solution import Solution
from symattn.read.given import Given
from symattn.read.plan import Plan

Numbers = Mapping[str, Any]


def halves(rows: int, columns: int, seed: int, start: int = -4) -> list[list[str]]:
    """Halves from ``start / 2`` upwards, nine different ones, the same for the same seed."""
    random = Random(seed)
    return [[f"{start + int(random.random() * 9)}/2" for _ in range(columns)] for _ in range(rows)]


@dataclass(frozen=True)
class Case:
    """A derivation, the mistake in it, and what a person gets for ``name``."""

    mistake: str
    given: Mapping[str, tuple[int, int]]
    steps: tuple[str, ...]
    wrong: Callable[[Numbers], Any]
    name: str = ""
    sizes: Mapping[str, int] | None = None
    which: int = 0
    start: int = -4
    fixed: Mapping[str, list[list[str]]] | None = None

    @property
    def matrices(self) -> dict[str, list[list[str]]]:
        drawn = {
            name: halves(*shape, seed=i + 3, start=self.start) for i, (name, shape) in enumerate(self.given.items())
        }
        return drawn | dict(self.fixed or {})

    def drawn(self, seed: int) -> dict[str, list[list[str]]]:
        """Numbers that nobody chose, of the signs of the others; what is fixed stays."""
        random = Random(f"{self} {seed}")
        least = 1 if self.start > 0 else -24
        made = {
            name: [
                [f"{random.choice([n for n in range(least, 25) if n])}/8" for _ in range(columns)] for _ in range(rows)
            ]
            for name, (rows, columns) in self.given.items()
        }
        return made | dict(self.fixed or {})

    @property
    def plan(self) -> Plan:
        sizes = dict(self.sizes or {})
        plan = Plan(sizes=sizes)
        for name, (rows, columns) in self.given.items():
            plan = plan.given(name, Shape(axis(rows, sizes), axis(columns, sizes)))
        for line in self.steps:
            name, _, formula = line.partition(" = ")
            plan = plan.step(name, formula)
        return plan

    def __str__(self) -> str:
        return f"{self.mistake}: {self.steps[-1]}"


def axis(size: int, sizes: Mapping[str, int]) -> Axis:
    """An axis with the name of the first size that is as long."""
    return Axis(size, next((name for name, known in sizes.items() if known == size), ""))


def exponential_shares(scores: Any, axis: int | None = 1, base: float = np.e) -> Any:
    powers = base**scores
    return powers / powers.sum(axis=axis, keepdims=True)


softmax = exponential_shares


def changes_of(mistake: str, subject: Subject) -> tuple[Change, ...]:
    """Every way to make a mistake."""
    (found,) = (one for one in bank() if one.name == mistake)
    return tuple(found.rewrite(subject))


def change_in(case: Case) -> Change:
    return changes_of(case.mistake, Subject(case.plan))[case.which]


def must_be_right(case: Case, matrices: Mapping[str, list[list[str]]] | None = None) -> None:
    """The wrong answer is that of the person, in double precision and certified, and it is not the right one."""
    givens = {name: Given.read(rows) for name, rows in (matrices or case.matrices).items()}
    name = case.name or case.steps[-1].partition(" = ")[0]
    right = Solution(case.plan, givens)
    numbers = {given: right.float64(given) for given in givens}
    made = Solution(changed(case.plan, change_in(case)), givens)
    expected = np.array(case.wrong(numbers), dtype=float)
    assert made.float64(name).shape == expected.shape
    np.testing.assert_allclose(made.float64(name), expected, rtol=1e-12, atol=1e-12)
    certified = [float(x.mid()) for x in made.enclosure(name, 100).entries()]
    np.testing.assert_allclose(certified, expected.ravel(), rtol=1e-12, atol=1e-12)
    if matrices is None and expected.shape == right.float64(name).shape:
        assert not np.allclose(expected, right.float64(name), atol=1e-6)
