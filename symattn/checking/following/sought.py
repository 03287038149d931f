"""What is searched for, among what, and what was found."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from symattn.checking.following.recipes import Recipe
from symattn.values.by_numpy import DoubleArray


@dataclass(frozen=True, eq=False)
class Known:
    """A quantity that is there already."""

    name: str
    order: int
    """Where it stands among all of a document: the later, the nearer."""
    axes: int
    true: DoubleArray
    """The exact chain, rounded to doubles: rows and columns, whatever the axes are."""
    printed: DoubleArray | None
    """The figures that stand in the document."""
    roles: tuple[str, ...] = ()
    """What it is for, in the words of hints: ``query``, ``scores``, ``weights``, …"""
    given: bool = False


@dataclass(frozen=True, eq=False)
class Target:
    """Figures that are printed without a formula."""

    values: DoubleArray
    """``nan`` where there is no figure; ``-inf`` for −∞."""
    units: DoubleArray
    """One unit of the last place of each figure: 0.0001 for 0.1234."""
    axes: int = 2
    roles: tuple[str, ...] = ()
    does: tuple[str, ...] = ()
    """What the words before it speak of."""
    axis: int | None = None
    """0 where the words speak of columns, 1 of rows."""
    order: int = 0
    row: int | None = None
    """Which row words speak of, from 0."""

    @property
    def figures(self) -> int:
        """How many figures it has."""
        return int((~np.isnan(self.values)).sum())


@dataclass(frozen=True)
class FoundFormula:
    """An explanation."""

    formula: str
    recipe: Recipe
    hidden: tuple[str, ...]
    """What nobody wrote: ``divided by √2``, ``causal mask``, ``ε = 1/100000``."""
    agrees: int
    """How many figures are the values rounded."""
    of: int
    """How many figures there are."""
    strength: float
    """How many bits of evidence there are, less those that it takes to say which explanation it is."""
    named: bool
    """Whether words or the name speak of what is done last."""
    from_printed: bool
    """Whether it is right from the printed figures and not from the exact ones."""
    roles: tuple[str, ...] = ()
    """What it is, by what it is made of: the quotient of scores by √d is ``scaled``."""
    expected: bool = False
    """Whether words or the name speak of it and its operands are what it is usually done with: then those figures that
    disagree are wrong, and not the explanation."""
