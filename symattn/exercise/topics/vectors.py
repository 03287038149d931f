"""Rows against rows: dot products, cosines, one entry of a table of scores, the whole table and its scaling."""

from __future__ import annotations

from random import Random

from symattn.exercise.numbers import draw, pick, shuffled
from symattn.exercise.topics.model import ExerciseDraft, Topic

WHOLE_LENGTHS = (
    *(("1", "2", "2"), ("2", "4", "4"), ("0", "3", "4"), ("2", "3", "6"), ("1", "4", "8")),
    *(("4", "4", "7"), ("0", "6", "8"), ("2", "6", "9"), ("6", "6", "7")),
)
"""Rows whose length √(Σ x²) is a whole number."""


def dot_product(level: int, random: Random) -> ExerciseDraft:
    """s = q · k of two rows."""
    width = (3, 3, 4, 4, 5)[level - 1]
    given = draw({"q": (1, width), "k": (1, width)}, level, random, largest=4)
    axes = dict.fromkeys(given, ("1", "d"))
    return ExerciseDraft(given, ("s = dot(q, k)",), ("s",), sizes={"d": width}, axes=axes)


def cosine(level: int, random: Random) -> ExerciseDraft:
    """The dot product of two rows, and c = q · k / (‖q‖ ‖k‖); on the first two levels the lengths are whole numbers."""
    width = (3, 3, 3, 4, 4)[level - 1]
    given = draw({"q": (1, width), "k": (1, width)}, level, random, largest=4)
    if level <= 2:
        given = {name: (_of_whole_length(rows[0], random),) for name, rows in given.items()}
    axes = dict.fromkeys(given, ("1", "d"))
    return ExerciseDraft(given, ("s = dot(q, k)", "c = cosine(q, k)"), ("s", "c"), sizes={"d": width}, axes=axes)


def _of_whole_length(row: tuple[str, ...], random: Random) -> tuple[str, ...]:
    """A row whose length is a whole number, with as many minuses as another row has."""
    sizes = list(shuffled(pick(WHOLE_LENGTHS, random), random))
    left = sum(text.startswith("-") for text in row)
    for place in shuffled(range(len(sizes)), random):
        if left and sizes[place] != "0":
            sizes[place], left = f"-{sizes[place]}", left - 1
    return tuple(sizes)


def score_entry(level: int, random: Random) -> ExerciseDraft:
    """One entry of X Xᵀ, and from the third level on of Q Kᵀ; which one is drawn."""
    tokens, width = ((3, 3), (3, 4), (3, 4), (4, 4), (4, 5))[level - 1]
    names = ("X", "X") if level <= 2 else ("Q", "K")
    given = draw(dict.fromkeys(names, (tokens, width)), level, random, largest=3)
    # An entry of the diagonal would not show who asks.
    i, j = shuffled(range(1, tokens + 1), random)[:2]
    left, right = names
    steps = (f"s = row({left}, {i}) @ row({right}, {j}).T",)
    axes = dict.fromkeys(given, ("n", "d_k"))
    notation = {"s": f"s_{i}{j}"}
    task = "task" if level <= 2 else "task_queries"
    return ExerciseDraft(
        given, steps, ("s",), sizes={"n": tokens, "d_k": width}, axes=axes, notation=notation, task=task
    )


def scaling(level: int, random: Random) -> ExerciseDraft:
    """S = Q Kᵀ and S / √d_k; the root of d_k is rational on the first three levels."""
    queries, keys, width = ((2, 2, 4), (2, 3, 4), (2, 4, 4), (2, 4, 5), (3, 4, 5))[level - 1]
    given = draw({"Q": (queries, width), "K": (keys, width)}, level, random)
    steps = ("S = Q @ K.T", "S_scaled = S / sqrt(d_k)")
    axes = {"Q": ("m", "d_k"), "K": ("n", "d_k")}
    sizes = {"m": queries, "n": keys, "d_k": width}
    return ExerciseDraft(given, steps, ("S", "S_scaled"), sizes=sizes, axes=axes)


TOPICS = (
    Topic("dot-product", "attention", dot_product, rank=20),
    Topic("cosine", "attention", cosine, rank=30),
    Topic("score-entry", "attention", score_entry, rank=40),
    Topic("scaling", "attention", scaling, rank=50),
)
