"""What was done with which quantities, as a tree that can be run again on any values of them.

An operation of a recipe has two rules: a fast one for stacks of matrices of doubles, which search tries thousands of,
and one for rows of balls, which are the records of the operations, for what search settles on.

>>> from flint import arb
>>> scores = RecipeStep("product_t", (Leaf("Q"), Leaf("K")))
>>> weights = RecipeStep("softmax", (RecipeStep("over_root", (scores,), (("n", 2),)),))
>>> formula(weights), hidden(weights)
('softmax(Q K.T / sqrt(2))', ('divided by √2',))
>>> rows = {"Q": [[arb(1), arb(0)]], "K": [[arb(1), arb(0)], [arb(0), arb(1)]]}
>>> [[round(float(x.mid()), 4) for x in row] for row in worked(weights, rows)]
[[0.6698, 0.3302]]
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from symattn.checking.following.rows import BallMatrix, NoFit
from symattn.checking.following.rules import RULES, RecipeRule
from symattn.compute.values.float64 import DoubleArray
from symattn.compute.values.float64 import DoubleArray as Doubles

__all__ = ["Doubles", "Leaf", "Recipe", "RecipeStep", "formula", "hidden", "leaves", "operations", "tried", "worked"]


@dataclass(frozen=True, slots=True)
class Leaf:
    """A quantity that is there."""

    name: str


@dataclass(frozen=True, slots=True)
class RecipeStep:
    """An operation, what it was applied to, and its numbers."""

    operation: str
    operands: tuple[Recipe, ...] = ()
    numbers: tuple[tuple[str, Any], ...] = ()


Recipe: TypeAlias = Leaf | RecipeStep


def worked(recipe: Recipe, values: Mapping[str, BallMatrix]) -> BallMatrix:
    """A recipe on rows of balls. Raises :class:`~symattn.checking.following.rows.NoFit` where shapes do not fit."""
    if isinstance(recipe, Leaf):
        if recipe.name not in values:
            raise NoFit(f"{recipe.name} is not known")
        return values[recipe.name]
    operands = [worked(each, values) for each in recipe.operands]
    return RULES[recipe.operation].exact(*operands, **dict(recipe.numbers))


def tried(recipe: Recipe, values: Mapping[str, DoubleArray]) -> DoubleArray:
    """A recipe on doubles."""
    if isinstance(recipe, Leaf):
        return values[recipe.name]
    operands = [tried(each, values) for each in recipe.operands]
    return RULES[recipe.operation].fast(*operands, **dict(recipe.numbers))


def formula(recipe: Recipe) -> str:
    """A recipe in the formula language."""
    if isinstance(recipe, Leaf):
        return recipe.name
    if recipe.operation in ("sum_of", "row_of"):
        each = [formula(one) for one in recipe.operands]
        return " + ".join(each) if recipe.operation == "sum_of" else f"[{', '.join(each)}]"
    rule = RULES[recipe.operation]
    written = [_inside(each, recipe.operation, rule) for each in recipe.operands]
    return rule.text.format(*written, **_plain(recipe)).replace(" + 0)", ")").replace(", correction=0", "")


def _inside(operand: Recipe, around: str, rule: RecipeRule) -> str:
    text = formula(operand)
    is_sign = rule.is_sign or rule.text.startswith("{0}[")
    if isinstance(operand, Leaf) or not is_sign or not RULES[operand.operation].is_sign:
        return text
    binds = operand.operation in ("product", "product_t", "t_product") and around in (
        "over_root",
        "over",
        "over_root_of",
        "plus",
        "minus",
    )
    return text if binds or operand.operation in ("transposed", "flat") else f"({text})"


def _plain(recipe: RecipeStep) -> dict[str, str]:
    """The numbers of a step in figures; places are counted from 1."""
    counted = ("i", "j", "start") if recipe.operation in ("row", "entry", "columns") else ()
    return {k: str(v + 1 if k in counted else v) for k, v in recipe.numbers}


def hidden(recipe: Recipe) -> tuple[str, ...]:
    """What of a recipe nobody may have written."""
    return tuple(dict.fromkeys(_hidden(recipe)))


def _hidden(recipe: Recipe) -> Iterable[str]:
    if isinstance(recipe, RecipeStep):
        for operand in recipe.operands:
            yield from _hidden(operand)
        said = RULES[recipe.operation].hidden
        if said and not ("{epsilon}" in said and not dict(recipe.numbers).get("epsilon")):
            yield said.format(**_plain(recipe))


def leaves(recipe: Recipe) -> tuple[str, ...]:
    """The names a recipe is made of, each once."""
    if isinstance(recipe, Leaf):
        return (recipe.name,)
    return tuple(dict.fromkeys(name for each in recipe.operands for name in leaves(each)))


def operations(recipe: Recipe) -> tuple[str, ...]:
    """The operations of a recipe, innermost first."""
    if isinstance(recipe, Leaf):
        return ()
    return (*(name for each in recipe.operands for name in operations(each)), recipe.operation)


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
