"""What somebody may guess of an entry of a step: which numbers are right, and which mistake of the bank gives others.

A reader who guesses has the operands of the step before them, so mistakes are looked for in this step alone. What
counts as right is what counts in marking: all that somebody may get who starts from the figures of the page and rounds
every number on the way to as many decimals as are asked for, and half a unit of the last one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import ceil, floor, inf

from flint import arb, arb_mat
from sympy import MatrixExpr

from symattn.base.printed import scale_of
from symattn.base.remembered import cached_property
from symattn.base.shapes import in_rows
from symattn.claims.by_hand import BITS, or_exact, rounded_givens, step_by_hand
from symattn.claims.judge import accepted
from symattn.claims.mistakes.model import KEYS, bank, mistake_text
from symattn.claims.mistakes.subject import Subject
from symattn.claims.worked import in_ours
from symattn.compute.solution.store import Shown, Store
from symattn.compute.values.balls import at_precision
from symattn.compute.values.hand import widened
from symattn.read.scenario.model import Scenario

DECIMALS = 3
"""How many decimals a guess is asked for; an exercise asks for as many."""

MOST = 6
"""How many mistakes are told of one step: those that come first in the bank, where the more common ones do."""

LARGE = 100
"""Steps with more entries than this are not guessed."""

FAR = arb(10) ** 10
"""Nobody types a number as large as this."""

Between = tuple[float, float]
"""The smallest and the largest number that is taken for an entry."""


@dataclass(frozen=True)
class Slip:
    """A mistake made in a step: the numbers that it gives for each entry, ``None`` where they may be right."""

    mistake: str
    entries: tuple[tuple[Between | None, ...], ...]


@dataclass(frozen=True)
class Guess:
    """What is right for each entry of a step, ``None`` where that is too long to be typed, and what mistakes give, the
    more common ones first."""

    right: tuple[tuple[Between | None, ...], ...]
    slips: tuple[Slip, ...]
    decimals: int = DECIMALS


def guesses(scenario: Scenario, solution: Store, decimals: int = DECIMALS) -> dict[str, Guess]:
    """What may be guessed, by name, in the order of the derivation: every step with figures that is not too large."""
    guessing = _Guessing(scenario, solution, decimals)
    with at_precision(BITS):
        return dict(guessing.all())


def words_of(found: Mapping[str, Guess], language: str) -> dict[str, dict[str, str]]:
    """``title``, ``feedback`` and ``hint`` of every mistake that is told, in a language.

    Raises :class:`~symattn.base.errors.UnknownNameError` for a language that there is not.
    """
    told = dict.fromkeys(slip.mistake for guess in found.values() for slip in guess.slips)
    return {name: {key: mistake_text(name, key, language) for key in KEYS} for name in told}


@dataclass(frozen=True)
class _Guessing:
    scenario: Scenario
    solution: Store
    decimals: int

    @cached_property
    def subject(self) -> Subject:
        """The derivation as mistakes look at it."""
        return Subject(in_ours(self.solution.derivation), self.scenario.quantities)

    @cached_property
    def mistaken(self) -> Mapping[str, list[tuple[str, MatrixExpr]]]:
        """The formulas that mistakes make of one step, by its name, the more common mistakes first."""
        found: dict[str, list[tuple[str, MatrixExpr]]] = {}
        for mistake in sorted(bank(), key=lambda each: each.rank):
            for change in mistake.rewrite(self.subject) if "matrix" in mistake.kinds else ():
                if change.formulas.keys() == {change.step}:
                    found.setdefault(change.step, []).append((mistake.name, change.formulas[change.step]))
        return found

    @cached_property
    def givens(self) -> Mapping[str, arb_mat]:
        """The givens that are rounded when they are used."""
        return rounded_givens(self.solution, self.decimals)

    def all(self) -> Iterator[tuple[str, Guess]]:
        """Every step that may be guessed."""
        for step, formula in self.subject.steps:
            if self.solution.shown(step.name) is Shown.FIGURES and _entries(step.shape.sizes) <= LARGE:
                yield step.name, self._guess(step.name, formula)

    def _guess(self, name: str, formula: MatrixExpr) -> Guess:
        true = self.solution.enclosure(name, BITS)
        allowed = list(map(self._between, or_exact(self._by_hand(formula), true).entries()))
        columns = true.ncols()
        found: dict[tuple[Between | None, ...], Slip] = {}
        for mistake, wrong in self.mistaken.get(name, ()):
            if len(found) == MOST:
                break
            value = self._by_hand(wrong)
            if value is None or (value.nrows(), value.ncols()) != (true.nrows(), columns):
                continue
            entries = tuple(self._other(x, y) for x, y in zip(value.entries(), allowed, strict=True))
            if any(entries) and entries not in found:
                found[entries] = Slip(mistake, in_rows(entries, columns))
        return Guess(in_rows(allowed, columns), tuple(found.values()), self.decimals)

    def _by_hand(self, formula: MatrixExpr) -> arb_mat | None:
        """Where the value of a formula may lie for somebody who rounds; ``None`` where it has none by hand."""
        return step_by_hand(formula.xreplace(self.subject.sizes), self._operand, self.decimals)

    def _operand(self, name: str) -> arb_mat:
        """What a reader has before them for a name: the numbers of a given, or the figures of a page."""
        value = self.givens[name] if name in self.givens else self.solution.enclosure(name, BITS)
        if name in self.solution.givens:
            return value
        printed = widened(max(self.decimals, self.solution.style.places(name)))
        return arb_mat(value.nrows(), value.ncols(), list(map(printed, value.entries())))

    def _between(self, x: arb) -> Between | None:
        """The numbers within half a unit of those in a ball; of an infinity itself, and of what is too long none."""
        if not x.is_finite() and not x.is_nan():
            return (inf, inf) if x > 0 else (-inf, -inf)
        if not abs(x) < FAR:
            return None
        low, high = accepted(x, scale_of(self.decimals))
        finer = 100 * 10**self.decimals
        return floor(float(100 * low)) / finer, ceil(float(100 * high)) / finer

    def _other(self, x: arb, right: Between | None) -> Between | None:
        """The numbers of a mistake, unless what it gives counts as right."""
        if right is None or not abs(x) < FAR:
            return None
        return None if right[0] <= float(x.mid()) <= right[1] else self._between(x)


def _entries(sizes: tuple[int | str, int | str]) -> float:
    """How many entries there are; endlessly many where a size is a letter."""
    rows, columns = sizes
    return rows * columns if isinstance(rows, int) and isinstance(columns, int) else inf
