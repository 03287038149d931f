"""How well values explain figures, in bits.

A figure that agrees is worth as many bits as it takes to tell it from the others that could stand there; one that is
near is worth less, one that is far costs a little. Zeros, ones and figures that stand there twice are worth one bit.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from symattn.checking.following.sought import Target
from symattn.remembered import cached_property
from symattn.values.by_numpy import DoubleArray

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
