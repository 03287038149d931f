"""Which operation on which quantities gives these figures: what is printed without a formula, explained by search.

Candidates are worked out in doubles, many at once, and weighed in bits: each figure that agrees tells them from what
else could stand there, and it costs bits to say which candidate it is. What is left is the strength of an explanation.
Where some figures disagree an explanation is taken only if words speak of it or most of the figures agree, and if no
other one explains as much: no answer is better than a wrong one.

>>> X = Known("X", 1, 2, np.array([[0.31, 1.27], [-0.44, 0.9]]), None, ("input",), given=True)
>>> W = Known("W", 2, 2, np.array([[1.5, -0.21], [0.6, 0.35]]), None, ("weight_matrix",), given=True)
>>> printed = Target(np.array([[1.227, 0.3794], [-0.12, 0.4074]]), np.full((2, 2), 0.0001))
>>> found = search(printed, [X, W])
>>> found.formula, found.agrees, found.strength > 20
('X W', 4, True)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil

import numpy as np
from numpy.typing import NDArray

from symattn.base.budget import spend
from symattn.base.remembered import cached_property
from symattn.checking.following.candidates import Families
from symattn.checking.following.recipes import (
    FoundFormula,
    Known,
    Recipe,
    RecipeStep,
    Target,
    formula,
    hidden,
    operations,
)
from symattn.checking.following.recipes import FoundFormula as Found
from symattn.checking.following.spoken import PICKED, SpokenOf, doubts, is_expected, made
from symattn.checking.following.stacks import CandidateStack, KnownGround, aligned
from symattn.compute.values.float64 import DoubleArray

FAR = -2.0
"""What a figure costs that is nowhere near."""

LOW = -1e3
"""What stands for −∞ in masks of programs is below this: −1e4, −1e9."""

SLACK = 1e-6
"""Of half a unit: what doubles may be beside exact ties."""


@dataclass(frozen=True)
class Weighed:
    """What many values are worth as explanations of one target."""

    bits: DoubleArray
    exact: NDArray[np.int64]
    """How many figures are the values rounded."""
    near: NDArray[np.int64]
    """The same, with those that are cut off instead of rounded, or one unit beside."""


@dataclass(frozen=True, eq=False)
class Scales:
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
        """How many bits each figure is worth where it agrees."""
        values, units = self.target.values, self.target.units
        plain = self.figures & ~self.low & np.isfinite(values)
        span = float(np.abs(values[plain]).max(initial=0))
        found = np.where(self.figures, 1.0, 0.0)
        seen: set[float] = set()
        for place in zip(*np.nonzero(plain), strict=True):
            value = round(abs(float(values[place])), 12)
            if value not in (0.0, 1.0) and value not in seen:
                seen.add(value)
                found[place] = np.log2(1 + span / units[place])
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

    def weigh(self, values: DoubleArray) -> Weighed:
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
        return Weighed(bits.sum(axis=(-2, -1)), exact.sum(axis=(-2, -1)), (exact | cut).sum(axis=(-2, -1)))


__all__ = ["Found", "FoundFormula", "Known", "Target", "search"]

NUMBERS = 2_000_000
"""How many numbers are worked out for one target."""

BY_STACK = 250
"""Steps that it takes to weigh candidates of one kind, however few."""

UNNAMED, NAMED, DOUBTED = 5.0, 0.0, 8.0
"""How strong an explanation of all figures is at least, without and with words that speak of it, and one that guesses
numbers or takes what is there for something else."""

ENOUGH = 12.0
"""How strong an explanation of all figures is for which nothing else is tried."""

PARTLY_UNNAMED, PARTLY_NAMED = 16.0, 3.0
"""The same where some figures disagree."""

FOR_EACH = 5.0
"""What is added where words speak of it for the share of figures that disagree."""

EXPECTED = 3.0
"""What it is worth that words speak of it and its operands are what it is usually done with."""

GUESSED = 6.0
"""What a number costs that nobody speaks of, where figures disagree: with one to choose something is always near; and
what operands cost that are not there for this, as keys are not there to be multiplied by values."""

SHARE_UNNAMED, SHARE_NAMED = 0.6, 0.15
"""Which share of figures agrees at least."""

ALL, FROM_PRINTED = 4.0, 2.0
"""How many bits it is worth that all figures are exact, and what it costs that they are only so from printed ones."""

APART = 1.5
"""How many bits the best explanation is before another one that says something else."""

SINGLE = 3.0
"""The same of a single figure that words speak of."""

BEST = 12
"""How many candidates of a family are looked at closely."""

OPEN = 4.0
"""What of a figure that tells nothing may be lacking."""

UNSPOKEN = 1.0
"""What it costs that words speak of something, and not of this."""


@dataclass(frozen=True, eq=False)
class _Candidate:
    strength: float
    exact: int
    near: int
    recipe: Recipe
    values: DoubleArray
    named: bool
    spoken: bool
    """Whether words speak of it, and not only the name."""
    printed: bool
    doubts: int
    """How many of its numbers are guessed, and of its operands are there for something else."""
    expected: bool
    """Whether its operands are what it is usually done with."""


def search(target: Target, known: Sequence[Known], budget: int = NUMBERS) -> FoundFormula | None:
    """The explanation of figures, ``None`` where there is none or it is not clear which."""
    if not target.figures or not (known or "position" in target.roles):
        return None
    if target.values.shape[1] == 1 and target.values.shape[0] > 1:
        found = search(replace(target, values=target.values.T, units=target.units.T), known, budget)
        return found and replace(found, recipe=_turned(found.recipe), formula=formula(_turned(found.recipe)))
    return _Search(target, SpokenOf(target), Scales(target), known).found(budget)


def _turned(recipe: Recipe) -> Recipe:
    if isinstance(recipe, RecipeStep) and recipe.operation == "flat":
        return recipe.operands[0]
    return RecipeStep("flat", (recipe,))


@dataclass(frozen=True, eq=False)
class _Search:
    """One target and what is known."""

    target: Target
    wanted: SpokenOf
    scales: Scales
    known: Sequence[Known]

    @cached_property
    def figures(self) -> int:
        return self.target.figures

    @cached_property
    def roles(self) -> Mapping[str, frozenset[str]]:
        return {each.name: frozenset(each.roles) for each in self.known}

    @cached_property
    def nearest(self) -> str:
        """The nearest quantity that is no single number."""
        several = [each for each in self.known if each.true.size > 1]
        return max(several, key=lambda each: each.order).name if several else ""

    @cached_property
    def least_named(self) -> tuple[float, float]:
        """How strong an explanation of all figures is at least that is named: an expected one, another one."""
        if self.figures > 1:
            return NAMED, NAMED
        # A single 1.0 tells nothing of what it is; what it is expected to be cannot be wrong by it.
        tells = float(self.scales.worth.max()) > 1
        return (SINGLE, SINGLE) if tells else (-OPEN, 0.0)

    def found(self, budget: int) -> FoundFormula | None:
        """What explains the target."""
        candidates: list[_Candidate] = []
        with np.errstate(all="ignore"):
            for printed in (False, True):
                candidates += self.tried(printed, budget)
                if any(self.is_whole(each) and each.exact == each.near for each in candidates):
                    break
        best = self.settled(candidates)
        return None if best is None else _found(best, self.figures, made(best.recipe, self.roles))

    def tried(self, printed: bool, budget: int) -> list[_Candidate]:
        """The best candidates of every family, until one is surely right or the budget is spent."""
        shape = self.target.values.shape[0], self.target.values.shape[1]
        found: list[_Candidate] = []
        for family in Families(KnownGround(self.known, printed), self.target, self.wanted).all():
            for stack in aligned(family, shape, self.target.row):
                budget -= stack.values.size
                spend(BY_STACK + stack.values.size // 8)
                best = list(self.best(stack, printed))
                found += best
                if any(self.is_enough(each) for each in best):
                    return found
            if budget < 0:
                break
        return found

    def best(self, stack: CandidateStack, printed: bool) -> Iterator[_Candidate]:
        """The best few candidates of a stack."""
        share = SHARE_NAMED if self.wanted.operations else SHARE_UNNAMED
        kept = self.scales.worth_weighing(stack.values, max(1, ceil(share * self.figures)))
        if not len(kept):
            return
        weighed = self.scales.weigh(stack.values[kept])
        strength = weighed.bits - stack.cost[kept]
        for i in np.argsort(-strength)[:BEST]:
            if strength[i] >= -OPEN:
                place = int(kept[i])
                of = stack.of(place)
                named = _is_named(of, self.wanted.operations)
                yield _Candidate(
                    float(strength[i]) - (UNSPOKEN if self.wanted.operations and not named else 0.0),
                    int(weighed.exact[i]),
                    int(weighed.near[i]),
                    of,
                    stack.values[place],
                    named,
                    _is_named(of, self.wanted.said),
                    printed,
                    doubts(of, self.roles),
                    is_expected(of, self.roles, self.nearest),
                )

    def is_whole(self, candidate: _Candidate) -> bool:
        """Whether an explanation of all figures is strong enough."""
        expected, named = self.least_named
        if candidate.doubts:
            least = DOUBTED
        elif candidate.named and (candidate.expected or candidate.spoken or self.figures > 1):
            least = expected if candidate.expected else named
        else:
            least = UNNAMED - (EXPECTED / 2 if candidate.expected and self.figures > 1 else 0)
        return candidate.near == self.figures <= 2 * candidate.exact and candidate.strength >= least

    def is_enough(self, candidate: _Candidate) -> bool:
        """Whether nothing else need be tried."""
        return candidate.exact == self.figures and self.is_whole(candidate) and candidate.strength > ENOUGH

    def settled(self, candidates: list[_Candidate]) -> _Candidate | None:
        """The one that explains the target, if there is one that is clearly better than others."""
        whole = [each for each in candidates if self.is_whole(each)]
        if whole:
            return max(
                whole, key=lambda each: each.strength + ALL * (each.near == each.exact) - FROM_PRINTED * each.printed
            )
        doubted = (replace(each, strength=each.strength - GUESSED * each.doubts) for each in candidates)
        partly = sorted((each for each in doubted if self.is_clear(each)), key=lambda each: -each.strength)
        if not partly:
            return None
        best = partly[0]
        for other in partly[1:]:
            is_near = other.strength > best.strength - APART and other.near >= best.near
            if is_near and _differ(best, other, self.target):
                return None
        alike = (each for each in partly if each.named and not _differ(best, each, self.target))
        return best if best.named else next(alike, best)

    def is_clear(self, candidate: _Candidate) -> bool:
        """Whether an explanation of some of the figures is strong enough to say that the others are wrong."""
        if candidate.near == self.figures or not candidate.exact or not operations(candidate.recipe):
            return False
        share = candidate.near / self.figures
        if candidate.named:
            expected = EXPECTED if candidate.expected else 0.0
            return candidate.strength + expected >= PARTLY_NAMED + FOR_EACH * (1 - share) and share >= SHARE_NAMED
        return candidate.strength >= PARTLY_UNNAMED and share >= SHARE_UNNAMED


def _is_named(recipe: Recipe, wanted: frozenset[str]) -> bool:
    """Whether words speak of what is done last."""
    done = [name for name in operations(recipe) if name not in PICKED] or ["copy"]
    return done[-1] in wanted


def _differ(one: _Candidate, other: _Candidate, target: Target) -> bool:
    """Whether two candidates say different figures where they disagree with what is printed."""
    if one.recipe == other.recipe:
        return False
    with np.errstate(all="ignore"):
        off = np.abs(one.values - other.values) / target.units
    return bool((~np.isnan(target.values) & (off > 0.5)).any())


def _found(best: _Candidate, figures: int, roles: tuple[str, ...]) -> FoundFormula:
    return FoundFormula(
        formula(best.recipe),
        best.recipe,
        hidden(best.recipe),
        best.exact,
        figures,
        round(best.strength, 1),
        best.named,
        best.printed,
        roles,
        best.named and best.expected and not best.doubts,
    )
