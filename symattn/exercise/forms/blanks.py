"""Fill in the blanks: the matrices of a solution, some cells of which are empty.

Every blank can be worked out, for the givens stand on the sheet. The more difficult, the more cells are empty.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from math import ceil
from random import Random
from types import MappingProxyType

from symattn.exercise.forms.model import wrongs_of
from symattn.exercise.model import Exercise, Part, Place
from symattn.exercise.numbers import shuffled
from symattn.exercise.worked import worked

SHARES: Mapping[int, Fraction] = MappingProxyType({level: Fraction(level + 1, 10) for level in (1, 2, 3, 4, 5)})
"""Which share of all cells is empty: a fifth on the first level, three fifths on the last."""


def with_blanks(plain: Exercise, random: Random) -> Exercise | str:
    """The exercise with blanks: in as many matrices as there can be, and some cell of each is left to look at."""
    blanks = _drawn(plain.parts, plain.difficulty, random)
    parts = tuple(
        replace(part, asked=tuple(place for place in part.asked if (part.name, place) in blanks))
        for part in plain.parts
        if any((part.name, place) in blanks for place in part.asked)
    )
    steps = [step.name for step in worked(plain).plan.steps if step.formula is not None]
    asked = [part.name for part in parts]
    shown = tuple(name for name in steps if name not in asked)
    wrong = wrongs_of(plain, parts, steps)
    return replace(plain, form="blanks", parts=parts, shown=shown, wrong=wrong, cost=plain.cost + len(blanks))


def _drawn(parts: tuple[Part, ...], level: int, random: Random) -> frozenset[tuple[str, Place]]:
    """The places of the blanks."""
    cells = shuffled([(part.name, place) for part in parts for place in part.asked], random)
    # A matrix of one cell may be empty; of any other something is left to look at.
    room = {part.name: max(1, len(part.asked) - 1) for part in parts}
    count = min(ceil(SHARES[level] * len(cells)), sum(room.values()))
    first = {name: (name, place) for name, place in reversed(cells)}
    chosen = dict.fromkeys(first[name] for name in shuffled([part.name for part in parts], random)[:count])
    for name, place in cells:
        if len(chosen) == count:
            break
        if sum(other == name for other, _ in chosen) < room[name]:
            chosen[name, place] = None
    return frozenset(chosen)
