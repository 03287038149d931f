"""What is usually done with what: queries meet keys, weights meet values, softmax has scores.

Where all figures agree this matters little; where some disagree an explanation has to be what somebody meant.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from symattn.checking.following.recipes import Leaf, Recipe, RecipeStep
from symattn.checking.following.spoken import (
    CONTEXT,
    GRADIENT,
    INPUT,
    KEY,
    MAKES,
    MATRIX,
    QUERY,
    READY,
    SCORES,
    VALUE,
    WEIGHTS,
    said_of,
)

PICKED = frozenset({"row", "entry", "columns", "flat"})
"""What only picks some of what is there."""

PAIRS: Mapping[str, tuple[tuple[frozenset[str], frozenset[str]], ...]] = MappingProxyType(
    {
        "product_t": ((QUERY, KEY), (INPUT, INPUT)),
        "product": ((WEIGHTS, VALUE | INPUT), (INPUT | CONTEXT, MATRIX)),
        "t_product": ((WEIGHTS | INPUT | GRADIENT, GRADIENT),),
    }
)
"""Which two things are multiplied."""


def doubts(recipe: Recipe, roles: Mapping[str, frozenset[str]]) -> int:
    """How many numbers are guessed (a width that is not that of its queries, a mask that the target shows), and how
    many products are of things that are there for something else."""
    if not isinstance(recipe, RecipeStep):
        return 0
    inner = recipe.operands[0] if recipe.operands else None
    is_product = isinstance(inner, RecipeStep) and inner.operation in PAIRS
    is_scaled = recipe.operation in ("over_root", "over_root_of", "quotient")
    of_scores = is_product or bool(inner and _roles_of(inner, roles) & (SCORES - READY))
    is_guess = recipe.operation == "masked" or (
        (is_scaled and not of_scores) or (recipe.operation == "over_root" and not is_product)
    )
    is_strange = (recipe.operation in PAIRS and not _is_usual(recipe, roles)) or (
        recipe.operation in _OF_SCORES and inner is not None and not _may_be_scores(inner, roles)
    )
    return is_guess + is_strange + sum(doubts(each, roles) for each in recipe.operands)


_OF_SCORES = frozenset({"softmax", "softmax_columns", "causal", "masked"})


def _may_be_scores(recipe: Recipe, roles: Mapping[str, frozenset[str]]) -> bool:
    """Whether something is scores, or nobody says what it is."""
    if isinstance(recipe, RecipeStep) and recipe.operation == "product":
        left, right = (_roles_of(each, roles) for each in recipe.operands)
        return bool(left & QUERY and right & KEY) or not (left and right)
    if isinstance(recipe, RecipeStep) and recipe.operation not in PAIRS:
        return not recipe.operands or _may_be_scores(recipe.operands[0], roles)
    found = _roles_of(recipe, roles)
    return isinstance(recipe, RecipeStep) or not found or bool(found & (SCORES | said_of("logits", "output")))


def _is_usual(recipe: RecipeStep, roles: Mapping[str, frozenset[str]]) -> bool:
    left, right = (_roles_of(each, roles) for each in recipe.operands)
    same = (
        recipe.operands[0] == recipe.operands[1] and recipe.operation == "product_t" and not left & (SCORES | WEIGHTS)
    )
    return same or any(left & one and right & other for one, other in PAIRS[recipe.operation])


USUAL: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "softmax": SCORES,
        "softmax_columns": SCORES,
        "over_root": SCORES,
        "over_root_of": SCORES,
        "quotient": SCORES,
        "causal": SCORES,
        "layer_norm": INPUT,
        "rms_norm": INPUT,
        "row_sum": WEIGHTS,
        "total": WEIGHTS,
    }
)
"""What operations are usually applied to."""


def is_expected(recipe: Recipe, roles: Mapping[str, frozenset[str]], nearest: str) -> bool:
    """Whether what is done last is done with what it is usually done with, or with the nearest that nobody named."""
    if not isinstance(recipe, RecipeStep) or not recipe.operands:
        return False
    if recipe.operation in PICKED:
        return is_expected(recipe.operands[0], roles, nearest)
    if recipe.operation in PAIRS:
        return _is_usual(recipe, roles)
    if recipe.operation not in USUAL:
        return False
    known = _roles_of(recipe.operands[0], roles)
    return bool(USUAL[recipe.operation] & known) or (not known and recipe.operands[0] == Leaf(nearest))


def made(recipe: Recipe, roles: Mapping[str, frozenset[str]]) -> tuple[str, ...]:
    """What a recipe makes, in the words of hints."""
    if isinstance(recipe, Leaf):
        return tuple(sorted(roles.get(recipe.name, ())))
    if recipe.operation in PICKED:
        return made(recipe.operands[0], roles)
    if recipe.operation == "quotient":
        return ("scaled",) if _roles_of(recipe.operands[0], roles) & SCORES else ()
    if recipe.operation == "product":
        left, right = (_roles_of(each, roles) for each in recipe.operands)
        return ("output",) if left & WEIGHTS else ("scores",) if left & QUERY and right & KEY else ()
    return (MAKES[recipe.operation],) if recipe.operation in MAKES else ()


def _roles_of(recipe: Recipe, roles: Mapping[str, frozenset[str]]) -> frozenset[str]:
    if isinstance(recipe, Leaf):
        return roles.get(recipe.name, frozenset())
    if recipe.operation in ("softmax", "softmax_columns", "proportions"):
        return WEIGHTS
    return _roles_of(recipe.operands[0], roles) if recipe.operands else frozenset()
