"""Order the steps: the formulas of a derivation in disorder; every order is right in which each has what it needs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from random import Random

from symattn.exercise.model import Exercise, Part
from symattn.exercise.numbers import shuffled
from symattn.exercise.worked import worked
from symattn.plan import Plan

ORDER = "order"
"""The name of the part that asks for an order."""

TRIES = 100


def disordered(plain: Exercise, random: Random) -> Exercise | str:
    """The exercise with its steps in an order that is not right."""
    plan, names = worked(plain).plan, tuple(part.name for part in plain.parts)
    drawn = (shuffled(names, random) for _ in range(TRIES))
    order = next((order for order in drawn if not is_order(plan, order)), None)
    if order is None:
        return "steps that are in no wrong order"
    key = tuple(str(order.index(name) + 1) for name in names)
    part = Part(ORDER, "order", 0, (key,), tuple((0, j) for j in range(len(key))), len(key))
    return replace(plain, form="order", parts=(part,), wrong=(), order=order, cost=plain.cost + len(names))


def is_order(plan: Plan, names: Sequence[str]) -> bool:
    """Whether every one of some steps comes after those of them that it rests on.

    >>> from symattn.shapes import shape
    >>> plan = Plan().given("X", shape(2, 2)).step("S", "X @ X.T").step("A", "softmax(S)").step("N", "-X")
    >>> is_order(plan, ("S", "N", "A")), is_order(plan, ("A", "S", "N"))
    (True, False)
    """
    return all(used in names[:place] for place, name in enumerate(names) for used in plan[name].uses if used in names)
