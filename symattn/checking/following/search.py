"""Which operation on which quantities gives these figures: what is printed without a formula, explained by search.

Every explanation is weighed in bits: each distinct number that agrees tells it from what else could stand there, and it
costs bits to say which explanation it is. What is left is its strength. It shows that figures are right where all of
them agree. To call some of them wrong it needs a wide margin, and no other one may explain as much.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import ceil

import numpy as np
from numpy.typing import NDArray

from symattn.base.budget import spend
from symattn.base.remembered import cached_property
from symattn.checking.following.candidates import STRANGE, UNKNOWN, CandidateStack, Enumeration, Known, Spoken, aligned
from symattn.checking.following.recipes import operations, transposed
from symattn.checking.reading.tree import Expressed
from symattn.compute.values.float64 import DoubleArray

FAR = -2.0
"""What a figure costs that is nowhere near."""

LOW = -1e3
"""What stands for −∞ in masks of programs is below this: −1e4, −1e9."""

SLACK = 1e-6
"""Of half a unit: what doubles may be beside exact ties."""

NUMBERS = 2_000_000
"""How many numbers are worked out for one target."""

BY_STACK = 250
"""Steps that it takes to weigh candidates of one kind, however few."""

BEST = 12
"""How many candidates of a stack are looked at closely."""

RIGHT, DOUBTED, SINGLE = 5.0, 8.0, 3.0
"""How strong an explanation of all figures is at least that no word speaks of; one that is strange; and one of a single
figure that words speak of, but not of what it is usually done with."""

LONGEST, SHORT = 17.0, 9.0
"""How many bits a formula may cost, for nobody leaves out what is longer; and one of printed figures, for whoever goes
by them shows every step."""

ENOUGH = 12.0
"""How strong an explanation of all figures is for which nothing else is tried."""

WIDE, WIDE_NAMED = 16.0, 6.0
"""How strong an explanation is at least that calls figures wrong; and one that words speak of, of what it is usually
done with."""

APART = 3.0
"""How many bits the best explanation is before another one that says something else."""

SHARE, SHARE_NAMED = 0.6, 0.3
"""Which share of figures agrees at least, without and with words that speak of it."""

EXACT, FROM_PRINTED = 4.0, 2.0
"""How many bits it is worth that all figures are exact, and what it costs that they are only so from printed ones."""

UNSPOKEN = 1.0
"""What it costs that words speak of something, and not of this."""


@dataclass(frozen=True, eq=False)
class Target:
    """Figures that are printed without a formula."""

    values: DoubleArray
    """``nan`` where there is no figure; ``-inf`` for −∞."""
    units: DoubleArray
    """One unit of the last place of each figure: 0.0001 for 0.1234."""
    roles: tuple[str, ...] = ()
    does: tuple[str, ...] = ()
    """What the words before it speak of."""

    @property
    def figures(self) -> int:
        """How many figures it has."""
        return int((~np.isnan(self.values)).sum())


@dataclass(frozen=True, eq=False)
class FoundFormula:
    """A formula that gives figures, or some of them."""

    formula: Expressed
    operation: str
    """What is done last, nothing for what is known; picking a part does not count."""
    strength: float
    """How many bits of evidence there are, less those that it takes to say which explanation it is."""
    agrees: int
    """How many figures are the values rounded."""
    near: int
    """The same, with those that are cut off instead of rounded, or one unit beside."""
    of: int
    """How many figures there are."""
    values: DoubleArray
    strange: float
    """The bits that its operands cost because they are not what the operation is usually done with."""
    is_named: bool
    """Whether words or the name speak of what is done last."""
    is_printed: bool
    """Whether it is right from the printed figures before, and not from exact values."""

    @property
    def is_expected(self) -> bool:
        """Whether its operands are what the operation is usually done with."""
        return bool(self.operation and operations()[self.operation].usual) and self.strange < UNKNOWN


@dataclass(frozen=True)
class WeighedValues:
    """What many values are worth as explanations of one target."""

    bits: DoubleArray
    exact: NDArray[np.int64]
    """How many figures are the values rounded."""
    near: NDArray[np.int64]
    """The same, with those that are cut off instead of rounded, or one unit beside."""


@dataclass(frozen=True, eq=False)
class TargetEvidence:
    """A target, prepared to be held against many values."""

    target: Target

    @cached_property
    def figures(self) -> NDArray[np.bool_]:
        """Where there are figures."""
        return ~np.isnan(self.target.values)

    @cached_property
    def low(self) -> NDArray[np.bool_]:
        """Where −∞ stands, or what programs write for it."""
        values = self.target.values
        others = np.abs(values[self.figures & (values > LOW)])
        is_low = values <= LOW
        return is_low & (np.isneginf(values) | (values < -100 * max(1.0, others.max(initial=0))))  # type: ignore[no-any-return]

    @cached_property
    def worth(self) -> DoubleArray:
        """How many bits each figure is worth where it agrees: each distinct number once."""
        values, units = self.target.values, self.target.units
        plain = self.figures & ~self.low & np.isfinite(values)
        span = float(np.abs(values[plain]).max(initial=0))
        found = np.zeros(values.shape)
        seen: set[float] = set()
        for place in zip(*np.nonzero(self.figures), strict=True):
            value = round(abs(float(values[place])), 12) if plain[place] else -np.inf
            if value not in seen:
                seen.add(value)
                tells = plain[place] and value not in (0.0, 1.0)
                found[place] = np.log2(1 + span / units[place]) if tells else 1.0
        for row in np.nonzero(self.shares)[0]:
            # The last share of a row is what the others leave.
            found[row, -1] = min(found[row, -1], 1.0)
        return found

    @cached_property
    def shares(self) -> NDArray[np.bool_]:
        """Which rows sum to 1, as far as their figures tell."""
        values, units = self.target.values, self.target.units
        if values.shape[1] < 2:
            return np.zeros(len(values), dtype=bool)
        return np.asarray(np.abs(values.sum(axis=1) - 1) <= units.sum(axis=1) * 0.51)

    @cached_property
    def _within(self) -> DoubleArray:
        """How far values may be from each figure to count as near it."""
        target, units = self.target.values, self.target.units
        # One unit of a single digit is no last digit: 1 is not nearly 2.
        found: DoubleArray = np.where(np.abs(target) >= 9.5 * units, 1 + SLACK, 0.5 + SLACK) * units
        return np.where(self.figures & ~self.low, found, -1.0)

    def worth_weighing(self, values: DoubleArray, least: int) -> NDArray[np.intp]:
        """Which matrices of a stack have so many figures near the printed ones."""
        target = self.target.values
        near = np.abs(values - target) <= self._within
        if self.low.any():
            near |= self.low & np.isneginf(values)
        return np.flatnonzero(near.reshape(len(values), target.size).sum(axis=1) >= least)

    def weigh(self, values: DoubleArray) -> WeighedValues:
        """What each matrix of a stack is worth."""
        target, units, worth = self.target.values, self.target.units, self.worth
        with np.errstate(all="ignore"):
            off = np.abs(values - target) / units
            off = np.where(self.low, np.where(np.isneginf(values), 0.0, np.inf), off)
            off = np.where(np.isnan(off), np.inf, off)
            exact = (off <= 0.5 + SLACK) & self.figures
            cut = (off * units <= self._within) & self.figures
            beside = np.maximum(worth - np.log2(2 * off + 1) - 1, FAR)
            bits = np.where(exact, worth, np.where(cut, worth - 1, np.minimum(beside, worth)))
        bits = np.where(self.figures, bits, 0.0)
        return WeighedValues(bits.sum(axis=(-2, -1)), exact.sum(axis=(-2, -1)), (exact | cut).sum(axis=(-2, -1)))


def search(target: Target, known: Sequence[Known], budget: int = NUMBERS) -> FoundFormula | None:
    """The explanation of figures, ``None`` where there is none or it is not clear which."""
    if not target.figures or not known:
        return None
    if target.values.shape[1] == 1 and target.values.shape[0] > 1:
        found = search(replace(target, values=target.values.T, units=target.units.T), known, budget)
        return found and replace(found, formula=transposed(found.formula))
    return Judge(target, TargetEvidence(target), Spoken(target.roles, target.does), known).found(budget)


@dataclass(frozen=True, eq=False)
class Judge:
    """Judges the explanations of one target."""

    target: Target
    evidence: TargetEvidence
    spoken: Spoken
    known: Sequence[Known]

    def found(self, budget: int) -> FoundFormula | None:
        """What explains the target."""
        found: list[FoundFormula] = []
        with np.errstate(all="ignore"):
            for printed in (False, True):
                found += self.tried(printed, budget)
                if any(self.is_right(each) and each.agrees == each.near for each in found):
                    break
        return self.settled(found)

    def tried(self, printed: bool, budget: int) -> list[FoundFormula]:
        """The best explanations, until one is surely right or the budget is spent."""
        shape = self.target.values.shape[0], self.target.values.shape[1]
        found: list[FoundFormula] = []
        most = min(SHORT if printed else LONGEST, float(self.evidence.worth.sum()))
        for made in Enumeration(self.known, printed, shape, self.spoken, most).stacks():
            budget -= made.values.size
            spend(BY_STACK + made.values.size // 8)
            for stack in aligned(made, shape):
                best = list(self.best(stack, printed))
                found += best
                if any(self.is_enough(each) for each in best):
                    return found
            if budget < 0:
                break
        return found

    def best(self, stack: CandidateStack, printed: bool) -> Iterator[FoundFormula]:
        """The best few candidates of a stack."""
        is_named = bool(stack.last) and (self.spoken.says(stack.last) or self.spoken.implies(stack.last))
        share = SHARE_NAMED if is_named else SHARE
        kept = self.evidence.worth_weighing(stack.values, max(1, ceil(share * self.target.figures)))
        if not len(kept):
            return
        weighed = self.evidence.weigh(stack.values[kept])
        is_beside = bool(self.target.does or self.target.roles) and not is_named
        strength = weighed.bits - stack.cost[kept] - UNSPOKEN * is_beside
        for i in np.argsort(-strength)[:BEST]:
            if strength[i] >= 0:
                place = int(kept[i])
                counts = (float(strength[i]), int(weighed.exact[i]), int(weighed.near[i]), self.target.figures)
                made, strange = stack.values[place], float(stack.strange[place])
                yield FoundFormula(stack.of(place), stack.last, *counts, made, strange, is_named, printed)

    def is_right(self, one: FoundFormula) -> bool:
        """Whether an explanation of all figures is strong enough."""
        if one.strange >= STRANGE:
            least = DOUBTED
        elif one.is_named:
            least = 0.0 if self.target.figures > 1 or one.is_expected else SINGLE
        else:
            least = RIGHT - one.is_expected
        return one.near == self.target.figures <= 2 * one.agrees and one.strength >= least

    def is_enough(self, one: FoundFormula) -> bool:
        """Whether nothing else need be tried."""
        return one.agrees == self.target.figures and self.is_right(one) and one.strength > ENOUGH

    def settled(self, found: Sequence[FoundFormula]) -> FoundFormula | None:
        """The one that explains the target, if there is one that is clearly better than others."""
        right = [each for each in found if self.is_right(each)]
        if right:
            worth = {each: EXACT * (each.near == each.agrees) - FROM_PRINTED * each.is_printed for each in right}
            return max(right, key=lambda each: each.strength + worth[each])
        best = max((each for each in found if self.is_wide(each)), key=lambda each: each.strength, default=None)
        is_rivalled = best is not None and any(
            each.strength > best.strength - APART and self.differ(best, each) for each in found
        )
        return None if is_rivalled else best

    def is_wide(self, one: FoundFormula) -> bool:
        """Whether an explanation of some of the figures is strong enough to say that the others are wrong."""
        if one.near == self.target.figures or not one.agrees or not one.operation:
            return False
        is_told = one.is_named and one.is_expected
        share = one.near / self.target.figures
        return one.strength >= (WIDE_NAMED if is_told else WIDE) and share >= (SHARE_NAMED if is_told else SHARE)

    def differ(self, one: FoundFormula, other: FoundFormula) -> bool:
        """Whether two explanations say different figures."""
        if one.formula == other.formula:
            return False
        with np.errstate(all="ignore"):
            off = np.abs(one.values - other.values) / self.target.units
        return bool((~np.isnan(self.target.values) & (off > 0.5)).any())
