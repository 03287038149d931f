"""The parts of an entry that a reader may open on an interactive page: lines, operands, closed form, more digits.

Nothing is computed before it is asked for; a page with many entries asks for few.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from sympy import MatrixSymbol, preorder_traversal

from symattn.base.errors import BudgetError, NoValueError, UndecidedError
from symattn.base.remembered import cached_property
from symattn.compute.solution.store import Shown, Store
from symattn.compute.values.reads import Reads, Region, reads, regions
from symattn.operations import numbers_listed
from symattn.operations.stored import as_number
from symattn.read.plan import Step
from symattn.show.blocks import Phrase
from symattn.show.math import Chain, Math
from symattn.show.notation import logarithms
from symattn.show.notation.closed_form import exact_entry
from symattn.show.notation.formulas import Names
from symattn.show.step_parts import StepParts, chains_of
from symattn.show.working.operands import Opened

DIGITS = range(2, 13)
"""The numbers of decimals that a reader may choose."""


@dataclass(frozen=True)
class OpenEntry:
    """An opened entry: the lines that compute it, the entries it is computed from, its closed form if that is short.

    A given has no lines and no operands.
    """

    lines: tuple[Chain, ...]
    made_of: tuple[Region, ...]
    exact: Math | None


class OpenMatrix:
    """A name of a solution with everything that may be opened. Rows and columns are counted from 0."""

    def __init__(self, parts: StepParts, step: Step, memory: dict[tuple[object, ...], Any]) -> None:
        self._parts, self._solution, self._memory = parts, parts.solution, memory
        self.step, self.name, self.symbol = step, step.name, parts.names(step.name)
        self.shown = self._solution.shown(step.name)
        self._told = parts.names.letters.told_apart

    @property
    def is_given(self) -> bool:
        """Whether the scenario gives it."""
        return self.step.formula is None

    @property
    def _is_a_number(self) -> bool:
        return as_number(self.step.formula) is not None

    @property
    def has_entries(self) -> bool:
        """Whether there are entries to open; a general step has none."""
        return not self.step.general

    @property
    def is_numbers(self) -> bool:
        """Whether every entry is one certified number, not an interval, a closed form or a letter."""
        return self.shown is Shown.FIGURES

    @cached_property
    def shape(self) -> tuple[int, int]:
        """The numbers of rows and columns. Raises :class:`~symattn.base.errors.NoValueError` where one is a letter."""
        return self._solution.rows(self.name), self._solution.columns(self.name)

    @cached_property
    def labels(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The labels of its rows and of its columns; empty for an axis without labels. They come from outside."""
        shape = self.step.shape
        return self._parts.labels(shape.rows), self._parts.labels(shape.columns)

    @cached_property
    def formula(self) -> tuple[Chain, ...]:
        """The formula, and the values of its divisors."""
        head = self._parts.head
        if self.is_given:
            return ()
        return self._told((head.number_line(self.step),) if self._is_a_number else head.formula(self.step))

    @cached_property
    def shapes(self) -> tuple[Chain, ...]:
        """The operands with their shapes, and the shape of the step."""
        return () if self.is_given else self._told(self._parts.head.shapes(self.step))

    @cached_property
    def general(self) -> tuple[Chain, ...]:
        """The general entry."""
        if self.is_given or self._is_a_number or numbers_listed(self.step.formula) is not None:
            return ()
        return self._told(tuple(chains_of(self._parts.entry(self.step))))

    @cached_property
    def readings(self) -> tuple[Phrase, ...]:
        """The readings of the step's values."""
        return () if self.is_given or not self.is_numbers else self._told(self._parts.readings(self.name))

    @cached_property
    def cells(self) -> tuple[tuple[Math, ...], ...]:
        """The entries as the page prints them."""
        rows, columns = self.shape
        cell = self._parts.cells(self.name)
        return self._told(tuple(tuple(cell(i, j) for j in range(columns)) for i in range(rows)))

    def figures(self, decimals: int) -> tuple[tuple[str, ...], ...]:
        """Return the entries with so many decimals, each certified.

        Raises :class:`~symattn.base.errors.NoValueError` if they are not numbers, and
        :class:`~symattn.base.errors.UndecidedError` if a digit cannot be decided.
        """
        return tuple(tuple(figure.text for figure in row) for row in self._solution.figures(self.name, decimals))

    @cached_property
    def digits(self) -> dict[int, tuple[tuple[str, ...], ...]]:
        """The figures for every number of decimals that a reader may choose, except those with an undecided digit."""
        found: dict[int, tuple[tuple[str, ...], ...]] = {}
        for decimals in DIGITS if self.is_numbers else ():
            try:
                found[decimals] = self.figures(decimals)
            except UndecidedError:
                continue
        return found

    def entry(self, i: int, j: int) -> OpenEntry:
        """Return an entry, opened."""
        return OpenEntry(self.lines(i, j), self.made_of(i, j), self.exact(i, j))

    def made_of(self, i: int, j: int) -> tuple[Region, ...]:
        """Return the entries that an entry is computed from, name by name in the order of the formula."""
        if self._reads is None:
            return ()
        return tuple(
            sorted(regions(self._reads[i][j]), key=lambda region: self._named.get(region.name, len(self._named)))
        )

    @cached_property
    def _named(self) -> dict[str, int]:
        """The names of the formula with their positions, counted from left to right."""
        formula = self._solution.formula(self.name)
        found = (str(node.name) for node in preorder_traversal(formula) if isinstance(node, MatrixSymbol))
        return {name: at for at, name in enumerate(dict.fromkeys(found))}

    def exact(self, i: int, j: int) -> Math | None:
        """Return the closed form of an entry if it is short and says more than its figure."""
        if not self.is_numbers:
            return None
        written = logarithms.cells(self._solution, self.name)
        if written is not None:
            return None
        return self._told(exact_entry(self._solution, self.name, i * self.shape[1] + j))

    @cached_property
    def _reads(self) -> Reads | None:
        if self.step.general or self.step.formula is None:
            return None
        return reads(self._solution.formula(self.name))

    def lines(self, i: int, j: int) -> tuple[Chain, ...]:
        """Return the lines that compute an entry, after those of its unnamed parts."""
        if self.is_given or not self.has_entries or self._is_a_number:
            return ()
        try:
            return self._told(tuple(self._lines(i, j)))
        except (BudgetError, NoValueError, UndecidedError):
            return ()  # an entry without lines still shows its value

    def _lines(self, i: int, j: int) -> list[Chain]:
        if not self.is_numbers:
            return chains_of(self._parts.working(self.step, (i, j)))
        work = replace(self._parts.work(self.step), memory=self._memory)
        return Opened(self._solution.formula(self.name), work).entry(i, j)


class Openable:
    """The names of a solution, in order, each with what may be opened."""

    def __init__(self, solution: Store, names: Names) -> None:
        self._parts = StepParts(solution, names)
        self._memory: dict[tuple[object, ...], Any] = {}
        self._found: dict[str, OpenMatrix] = {}

    def __iter__(self) -> Iterator[OpenMatrix]:
        return (self[name] for name in self._parts.solution)

    def __getitem__(self, name: str) -> OpenMatrix:
        """Return what may be opened of a name. Raises :class:`~symattn.base.errors.UnknownNameError` if the solution
        has none.
        """
        if name not in self._found:
            self._found[name] = OpenMatrix(self._parts, self._parts.solution.derivation[name], self._memory)
        return self._found[name]
