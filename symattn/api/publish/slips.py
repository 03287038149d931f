"""List what a reader may guess for an entry: the right numbers, and the mistakes of the bank that give others.

A reader who guesses sees the operands of the step, so only mistakes in this step are searched. A guess is right as in
marking: starting from the figures of the page, you may round every number on the way to as many decimals as are asked
for, and be off by half a unit of the last one.
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
"""The decimals of a guess, as many as in an exercise."""

MOST = 6
"""The most mistakes of one step: the first in the bank's order, which starts with the common ones."""

LARGE = 100
"""The most entries of a step that can be guessed."""

FAR = arb(10) ** 10
"""A number that nobody types: entries this large are not guessed."""

Between = tuple[float, float]
"""The smallest and the largest number that is accepted for an entry."""


@dataclass(frozen=True)
class Slip:
    """A mistake made in a step, with its range for each entry: ``None`` where it counts as right or is too long."""

    mistake: str
    entries: tuple[tuple[Between | None, ...], ...]


@dataclass(frozen=True)
class Guess:
    """The right numbers for each entry of a step, ``None`` if they are too long to type, and those of mistakes, the
    common ones first."""

    right: tuple[tuple[Between | None, ...], ...]
    slips: tuple[Slip, ...]
    decimals: int = DECIMALS


def guesses(scenario: Scenario, solution: Store, decimals: int = DECIMALS) -> dict[str, Guess]:
    """Return the guesses by name, in the order of the derivation, for every step with figures that is not too large."""
    guessing = _Guessing(scenario, solution, decimals)
    with at_precision(BITS):
        return dict(guessing.all())


def words_of(found: Mapping[str, Guess], language: str) -> dict[str, dict[str, str]]:
    """Return the ``title``, ``feedback`` and ``hint`` of every mistake in the guesses, in a language.

    Raises :class:`~symattn.base.errors.UnknownNameError` for an unknown language.
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
        """The derivation in the form that mistakes read."""
        return Subject(in_ours(self.solution.derivation), self.scenario.quantities)

    @cached_property
    def mistaken(self) -> Mapping[str, list[tuple[str, MatrixExpr]]]:
        """The formulas of mistakes in a single step, by the step's name, the common mistakes first."""
        found: dict[str, list[tuple[str, MatrixExpr]]] = {}
        for mistake in sorted(bank(), key=lambda each: each.rank):
            for change in mistake.rewrite(self.subject) if "matrix" in mistake.kinds else ():
                if change.formulas.keys() == {change.step}:
                    found.setdefault(change.step, []).append((mistake.name, change.formulas[change.step]))
        return found

    @cached_property
    def givens(self) -> Mapping[str, arb_mat]:
        """The givens that are rounded before use."""
        return rounded_givens(self.solution, self.decimals)

    def all(self) -> Iterator[tuple[str, Guess]]:
        """Yield every step that can be guessed."""
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
        """Return the range of a formula's value for a reader who rounds; ``None`` if it cannot be computed by hand."""
        return step_by_hand(formula.xreplace(self.subject.sizes), self._operand, self.decimals)

    def _operand(self, name: str) -> arb_mat:
        """Return the numbers that a reader sees for a name: those of a given, or the figures of a page."""
        value = self.givens[name] if name in self.givens else self.solution.enclosure(name, BITS)
        if name in self.solution.givens:
            return value
        printed = widened(max(self.decimals, self.solution.style.places(name)))
        return arb_mat(value.nrows(), value.ncols(), list(map(printed, value.entries())))

    def _between(self, x: arb) -> Between | None:
        """Return the range within half a unit of a ball: an infinity itself, and ``None`` for too long a number."""
        if not x.is_finite() and not x.is_nan():
            return (inf, inf) if x > 0 else (-inf, -inf)
        if not abs(x) < FAR:
            return None
        low, high = accepted(x, scale_of(self.decimals))
        finer = 100 * 10**self.decimals
        return floor(float(100 * low)) / finer, ceil(float(100 * high)) / finer

    def _other(self, x: arb, right: Between | None) -> Between | None:
        """Return the numbers of a mistake; ``None`` if its value counts as right or is too long."""
        if right is None or not abs(x) < FAR:
            return None
        return None if right[0] <= float(x.mid()) <= right[1] else self._between(x)


def _entries(sizes: tuple[int | str, int | str]) -> float:
    """Return the number of entries; infinity if a size is a letter."""
    rows, columns = sizes
    return rows * columns if isinstance(rows, int) and isinstance(columns, int) else inf
