"""Backward fading: a full solution, then the last step is left to do, then the last two, until nothing is shown.

The versions of one request are series after series. A derivation of k steps has k + 1 stages: version 1 is the full
solution, version 2 leaves the last step to do, version k + 1 is a fresh task with nothing shown, and version k + 2 is
the full solution of the next series. Each version has numbers of its own.

A. Renkl and R. K. Atkinson, "Structuring the transition from example study to problem solving in cognitive skill
acquisition: a cognitive load perspective", Educational Psychologist 38(1), 2003, pages 15–22.
"""

from __future__ import annotations

from dataclasses import replace
from random import Random

from symattn.exercise.forms.model import wrongs_of
from symattn.exercise.model import Exercise


def stage_of(version: int, steps: int) -> int:
    """How many of the last steps a version leaves to do.

    >>> [stage_of(version, 3) for version in range(1, 7)]
    [0, 1, 2, 3, 0, 1]
    """
    return (version - 1) % (steps + 1)


def task_of(steps: int, version: int) -> str:
    """The key of the words for a version: all is shown, some, nothing."""
    stage = stage_of(version, steps)
    return "task_all_shown" if stage == 0 else "task" if stage < steps else "task_alone"


def faded(plain: Exercise, random: Random) -> Exercise | str:
    """The exercise at the stage of its version."""
    names = tuple(part.name for part in plain.parts)
    stage = stage_of(plain.version, len(names))
    kept = len(names) - stage
    parts = plain.parts[kept:]
    # Every stage costs what the whole derivation does: what is shown has to be followed.
    return replace(
        plain,
        form="fading",
        parts=parts,
        shown=names[:kept],
        stage=stage,
        wrong=wrongs_of(plain, parts, names[kept:]),
        cost=plain.cost + len(names),
    )
