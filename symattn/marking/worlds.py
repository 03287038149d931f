"""What may stand on a student's paper: enclosures of the true values, of those of a mistake, and of those that follow
from the student's own matrices, for everybody who rounds on the way to as many decimals as are asked for."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from flint import arb, arb_mat

from symattn.exercise.distractors import changes
from symattn.exercise.enclosures import Enclosures, followed, true_values
from symattn.exercise.model import Part
from symattn.exercise.worked import KEPT, Ask, Worked, read
from symattn.solution.store import Store


def asks_of(parts: Sequence[Part]) -> tuple[Ask, ...]:
    """What was asked, as the topic asked it."""
    return tuple(Ask(part.name, part.kind, part.decimals) for part in parts)


@lru_cache(maxsize=KEPT)
def truth(source: str, asks: tuple[Ask, ...]) -> Enclosures:
    """Where the true values may lie. A name that has none by hand is missing."""
    return true_values(read(source), asks)


def own_matrix(value: arb_mat, decimals: int) -> arb_mat:
    """A student's own matrix, with what the decimals asked for leave open. Whole numbers are what they are."""
    half = arb(0, arb(10) ** -decimals / 2)
    entries = [x if x.is_integer() or not x.is_finite() else x + half for x in value.entries()]
    return arb_mat(value.nrows(), value.ncols(), entries)


@lru_cache(maxsize=KEPT)
def made(source: str, asks: tuple[Ask, ...], topic: str) -> tuple[tuple[str, Worked], ...]:
    """The exercise after every mistake that changes a formula: its name, and what is worked out then."""
    right = read(source)
    return tuple(
        (mistake.name, right.made(change))
        for mistake, change in changes(right, asks, topic)
        if change.change.rounded_to is None and change.formulas
    )


@lru_cache(maxsize=KEPT)
def mistaken(source: str, asks: tuple[Ask, ...], topic: str) -> tuple[tuple[str, str, Enclosures], ...]:
    """For every mistake its name, its step, and where the values may lie that come of it."""
    found = []
    for name, worked in made(source, asks, topic):
        values = {ask.name: followed(worked, ask, {}) for ask in asks if ask.kind == "matrix"}
        known = {name: value for name, value in values.items() if value is not None}
        found.append((name, worked.change.step if worked.change is not None else "", known))
    return tuple(found)


def rests_on(solution: Store, name: str, others: Enclosures) -> bool:
    """Whether a name is worked out from one of the others."""
    return any(other != name and other in others for other in solution.needed(name))
