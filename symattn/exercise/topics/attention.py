"""Mixtures of values: a context vector, a projection, and one row of attention."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from random import Random

from symattn.exercise.numbers import BITS, SQUARES, draw, pick, picked, shapes_of, shuffled
from symattn.exercise.topics.model import ExerciseDraft, Topic

TENTHS, TWENTIETHS = 10, 20
DENOMINATORS = (12, 15, 18)
"""What the weights of a row are parts of, where they are written as fractions."""


def context_vector(level: int, random: Random) -> ExerciseDraft:
    """z = a V for one row of weights, and from the third level on Z = A V for several."""
    queries, tokens, width = ((1, 3, 2), (1, 3, 3), (2, 3, 3), (2, 4, 4), (3, 4, 4))[level - 1]
    a, z, rows = ("a", "z", "1") if level <= 2 else ("A", "Z", "m")
    weights = {a: tuple(_weights(tokens, level, random) for _ in range(queries))}
    given = weights | draw({"V": (tokens, width)}, level, random, largest=3)
    sizes = ({} if queries == 1 else {"m": queries}) | {"n": tokens, "d_v": width}
    axes = {a: (rows, "n"), "V": ("n", "d_v")}
    task = "task" if level <= 2 else "task_rows"
    return ExerciseDraft(given, (f"{z} = {a} @ V",), (z,), sizes=sizes, axes=axes, task=task)


def _weights(count: int, level: int, random: Random) -> tuple[str, ...]:
    """Different weights that sum to 1: tenths, twentieths, and in the end fractions."""
    total = (TENTHS, TENTHS, TWENTIETHS)[level - 1] if level <= 3 else pick(DENOMINATORS, random)
    parts = tuple(parts for parts in combinations(range(1, total), count) if sum(parts) == total)
    return tuple(_share(part, total) for part in shuffled(pick(parts, random), random))


def _share(part: int, total: int) -> str:
    if total == TENTHS:
        return f"0.{part}"
    return f"0.{part * 100 // total:02}" if total == TWENTIETHS else str(Fraction(part, total))


def projection(level: int, random: Random) -> ExerciseDraft:
    """Y = X W + b, with the bias added to every row."""
    tokens, width, columns = ((2, 2, 2), (2, 3, 2), (2, 3, 3), (3, 3, 3), (3, 4, 3))[level - 1]
    axes = {"X": ("n", "d"), "W": ("d", "m"), "b": ("1", "m")}
    sizes = {"n": tokens, "d": width, "m": columns}
    given = draw(shapes_of(axes, sizes), level, random, largest=3)
    return ExerciseDraft(given, ("Y = X @ W + broadcast(b, n)",), ("Y",), sizes=sizes, axes=axes)


def attention_row(level: int, random: Random) -> ExerciseDraft:
    """z = softmax(q Kᵀ / √d_k) V for one query; the root of d_k is rational on the first four levels.

    On the fourth there are as many keys as columns: forgetting the transpose gives a row that looks right.
    """
    tokens, width, values = ((2, 4, 2), (3, 4, 2), (3, 4, 3), (4, 4, 3), (4, 5, 3))[level - 1]
    axes, sizes = {"q": ("1", "d_k"), "K": ("n", "d_k"), "V": ("n", "d_v")}, {"n": tokens, "d_k": width, "d_v": values}
    shapes = shapes_of(axes, sizes)
    given = draw(shapes, level, random)
    if level == 1:  # √4 = 2 halves the scores: logarithms of squares leave logarithms of whole numbers
        given |= {"q": picked(SQUARES, shapes["q"], random), "K": picked(BITS, shapes["K"], random)}
    steps = ("s = q @ K.T / sqrt(d_k)", "a = softmax(s)", "z = a @ V")
    return ExerciseDraft(given, steps, ("s", "a", "z"), sizes=sizes, axes=axes)


TOPICS = (
    Topic("context-vector", "attention", context_vector, rank=90),
    Topic("projection", "attention", projection, rank=100),
    Topic("attention-row", "attention", attention_row, rank=110),
)
