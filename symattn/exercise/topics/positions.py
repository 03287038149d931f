"""Positions: a rotation that depends on where a token stands."""

from __future__ import annotations

from random import Random

from symattn.exercise.numbers import draw, whole
from symattn.exercise.topics.model import ExerciseDraft, Topic

LAST_START = 6
"""The last position that the first row may stand at."""


def rope(level: int, random: Random) -> ExerciseDraft:
    """R = RoPE(Q): each pair of columns is turned by the position times θ, which is a short decimal for every pair.

    θ_t = base^(−2(t−1)/d) is 1 and 1/10 for four columns and base 100, and 1, 1/10, 1/100 for six and base 1000.
    """
    tokens, width, base = ((1, 2, 1), (1, 4, 100), (2, 4, 100), (3, 4, 100), (3, 6, 1000))[level - 1]
    given = draw({"Q": (tokens, width)}, level, random, largest=9 if level == 1 else 4, zeros=False)
    # A single pair is turned by the position itself, whatever the base is.
    options = (f"base={base}, " if width > 2 else "") + f"start={whole(1, LAST_START, random)}"
    steps = (f"R = rotary(Q, {options})",)
    axes = {"Q": ("n" if tokens > 1 else "1", "d_k")}
    task = "task_pair" if width == 2 else "task" if tokens == 1 else "task_rows"
    return ExerciseDraft(given, steps, ("R",), sizes={"n": tokens, "d_k": width}, axes=axes, task=task)


TOPICS = (Topic("rope", "positions", rope, rank=210),)
