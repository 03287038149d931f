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
from types import MappingProxyType

import numpy as np

from symattn.checking.following.candidates import (
    CONTEXT,
    GRADIENT,
    INPUT,
    KEY,
    MATRIX,
    QUERY,
    SCORES,
    VALUE,
    WEIGHTS,
    Families,
    Wanted,
)
from symattn.checking.following.matching import Scales
from symattn.checking.following.recipes import Done, Doubles, Leaf, Recipe, formula, hidden, operations, tried
from symattn.checking.following.sought import Found, Known, Target
from symattn.checking.following.stacks import Ground, Stack, aligned

__all__ = ["Found", "Known", "Target", "search"]

NUMBERS = 2_000_000
"""How many numbers are worked out for one target."""

UNNAMED, NAMED = 5.0, 0.0
"""How strong an explanation of all figures is at least, without and with words that speak of it."""

ENOUGH = 12.0
"""How strong an explanation of all figures is for which nothing else is tried."""

PARTLY_UNNAMED, PARTLY_NAMED = 16.0, 1.0
"""The same where some figures disagree."""

FOR_EACH = 6.0
"""What is added where words speak of it for the share of figures that disagree."""

EXPECTED = 3.0
"""What it is worth that words speak of it and its operands are what it is usually done with."""

GUESSED = 6.0
"""What a number costs that nobody speaks of, where figures disagree: with one to choose something is always near; and
what operands cost that are not there for this, as keys are not there to be multiplied by values."""

SHARE_UNNAMED, SHARE_NAMED = 0.6, 0.15
"""Which share of figures agrees at least."""

APART = 1.5
"""How many bits the best explanation is before another one that says something else."""

UNSPOKEN = 2.0
"""What it costs that words speak of something, and not of this."""


@dataclass(frozen=True, eq=False)
class _Candidate:
    strength: float
    exact: int
    near: int
    recipe: Recipe
    values: Doubles
    named: bool
    printed: bool
    doubts: int
    """How many of its numbers are guessed, and of its operands are there for something else."""
    expected: bool
    """Whether its operands are what it is usually done with."""


def search(target: Target, known: Sequence[Known], budget: int = NUMBERS) -> Found | None:
    """The explanation of figures, ``None`` where there is none or it is not clear which."""
    if not target.figures or not known:
        return None
    if target.values.shape[1] == 1 and target.values.shape[0] > 1:
        found = search(replace(target, values=target.values.T, units=target.units.T), known, budget)
        return found and replace(found, recipe=_turned(found.recipe), formula=formula(_turned(found.recipe)))
    scales = Scales(target)
    candidates: list[_Candidate] = []
    for printed in (False, True):
        candidates += _tried(scales, known, printed, budget)
        if any(_is_whole(each, target) and each.exact == each.near for each in candidates):
            break
    return _settled(candidates, target)


def _turned(recipe: Recipe) -> Recipe:
    if isinstance(recipe, Done) and recipe.operation == "flat":
        return recipe.operands[0]
    return Done("flat", (recipe,))


def _is_whole(candidate: _Candidate, target: Target) -> bool:
    least = NAMED if candidate.named and not candidate.doubts else UNNAMED
    return candidate.near == target.figures <= 2 * candidate.exact and candidate.strength >= least


def _is_enough(candidate: _Candidate, target: Target) -> bool:
    return candidate.exact == target.figures and _is_whole(candidate, target) and candidate.strength > ENOUGH


def _tried(scales: Scales, known: Sequence[Known], printed: bool, budget: int) -> list[_Candidate]:
    """The best candidates of every family."""
    target, wanted = scales.target, Wanted(scales.target)
    shape = target.values.shape[0], target.values.shape[1]
    roles = {each.name: frozenset(each.roles) for each in known}
    found: list[_Candidate] = []
    spent = 0
    with np.errstate(all="ignore"):
        for family in Families(Ground(known, printed), target, wanted).all():
            for stack in aligned(family, shape):
                spent += stack.values.size
                found += _best(scales, stack, wanted, printed, roles)
            if spent > budget or any(_is_enough(each, target) for each in found):
                break
    return found


def _best(
    scales: Scales, stack: Stack, wanted: Wanted, printed: bool, roles: Mapping[str, frozenset[str]]
) -> Iterator[_Candidate]:
    if not len(stack):
        return
    weighed = scales.weigh(stack.values)
    strength = weighed.bits - stack.cost
    most = min(4, len(stack))
    for i in np.argpartition(-strength, most - 1)[:most]:
        if strength[i] < NAMED - UNSPOKEN or not weighed.near[i]:
            continue
        recipe = stack.of(int(i))
        named = _is_named(recipe, wanted)
        cost = UNSPOKEN if wanted.operations and not named else 0.0
        yield _Candidate(
            float(strength[i]) - cost,
            int(weighed.exact[i]),
            int(weighed.near[i]),
            recipe,
            stack.values[i],
            named,
            printed,
            _doubts(recipe, roles),
            _is_expected(recipe, roles),
        )


PICKED = frozenset({"row", "entry", "columns", "flat"})


def _is_named(recipe: Recipe, wanted: Wanted) -> bool:
    """Whether words speak of what is done last."""
    done = [name for name in operations(recipe) if name not in PICKED] or ["copy"]
    return done[-1] in wanted.operations


def _settled(candidates: list[_Candidate], target: Target) -> Found | None:
    whole = [each for each in candidates if _is_whole(each, target)]
    if whole:
        return _found(max(whole, key=lambda each: (each.near == each.exact, not each.printed, each.strength)), target)
    doubted = (replace(each, strength=each.strength - GUESSED * each.doubts) for each in candidates)
    partly = sorted((each for each in doubted if _is_clear(each, target)), key=lambda each: -each.strength)
    if not partly:
        return None
    best = partly[0]
    for other in partly[1:]:
        if other.strength > best.strength - APART and other.near >= best.near and _differ(best, other, target):
            return None
    return _found(best, target)


PAIRS: Mapping[str, tuple[tuple[frozenset[str], frozenset[str]], ...]] = MappingProxyType(
    {
        "product_t": ((QUERY, KEY), (INPUT, INPUT)),
        "product": ((WEIGHTS, VALUE | INPUT), (INPUT | CONTEXT, MATRIX)),
        "t_product": ((WEIGHTS | INPUT | GRADIENT, GRADIENT),),
    }
)
"""Which two things are multiplied."""


def _doubts(recipe: Recipe, roles: Mapping[str, frozenset[str]]) -> int:
    """How many numbers are guessed (a width that is not that of its queries, a mask that the target shows), and how
    many products are of things that are there for something else."""
    if not isinstance(recipe, Done):
        return 0
    inner = recipe.operands[0] if recipe.operands else None
    is_product = isinstance(inner, Done) and inner.operation in PAIRS
    is_guess = recipe.operation == "masked" or (recipe.operation == "over_root" and not is_product)
    is_strange = recipe.operation in PAIRS and not _is_usual(recipe, roles)
    return is_guess + is_strange + sum(_doubts(each, roles) for each in recipe.operands)


def _is_usual(recipe: Done, roles: Mapping[str, frozenset[str]]) -> bool:
    left, right = (_roles_of(each, roles) for each in recipe.operands)
    same = recipe.operands[0] == recipe.operands[1] and recipe.operation == "product_t"
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
    }
)
"""What operations are usually applied to."""


def _is_expected(recipe: Recipe, roles: Mapping[str, frozenset[str]]) -> bool:
    """Whether what is done last is done with what it is usually done with."""
    if not isinstance(recipe, Done) or not recipe.operands:
        return False
    if recipe.operation in PICKED:
        return _is_expected(recipe.operands[0], roles)
    if recipe.operation in PAIRS:
        return _is_usual(recipe, roles)
    return bool(USUAL.get(recipe.operation, frozenset()) & _roles_of(recipe.operands[0], roles))


def _roles_of(recipe: Recipe, roles: Mapping[str, frozenset[str]]) -> frozenset[str]:
    if isinstance(recipe, Leaf):
        return roles.get(recipe.name, frozenset())
    if recipe.operation in ("softmax", "softmax_columns", "proportions"):
        return WEIGHTS
    return _roles_of(recipe.operands[0], roles) if recipe.operands else frozenset()


def _is_clear(candidate: _Candidate, target: Target) -> bool:
    """Whether an explanation of some of the figures is strong enough to say that the others are wrong."""
    if candidate.near == target.figures or not operations(candidate.recipe):
        return False
    share = candidate.near / target.figures
    if candidate.named:
        expected = EXPECTED if candidate.expected else 0.0
        return candidate.strength + expected >= PARTLY_NAMED + FOR_EACH * (1 - share) and share >= SHARE_NAMED
    return candidate.strength >= PARTLY_UNNAMED and share >= SHARE_UNNAMED


def _differ(one: _Candidate, other: _Candidate, target: Target) -> bool:
    """Whether two candidates say different figures where they disagree with what is printed."""
    if one.recipe == other.recipe:
        return False
    with np.errstate(all="ignore"):
        off = np.abs(one.values - other.values) / target.units
    return bool((~np.isnan(target.values) & (off > 0.5)).any())


def _found(best: _Candidate, target: Target) -> Found:
    return Found(
        formula(best.recipe),
        best.recipe,
        hidden(best.recipe),
        best.exact,
        target.figures,
        round(best.strength, 1),
        best.named,
        best.printed,
    )


def values_of(recipe: Recipe, known: Sequence[Known]) -> Doubles:
    """What a recipe makes of the exact values, in doubles."""
    return tried(recipe, {each.name: each.true for each in known})
