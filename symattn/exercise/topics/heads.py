"""Whole heads: from token vectors to an output, and two heads side by side."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

from symattn.exercise.model import Printed
from symattn.exercise.numbers import BITS, LEVELS, draw, picked, shapes_of
from symattn.exercise.topics.model import ExerciseDraft, Topic

FEW = ("0", "0", "0", "log(4)", "log(9)")
"""Logarithms of squares so rarely that sums of them stay small."""

ALL = ("log(4)", "log(9)", "log(16)")
"""Logarithms of squares, and no 0: the scores of two keys are seldom the same."""

HALVES = ("1/2", "3/2")

WHOLE = 2
"""The last difficulty without fractions."""


def attention_head(level: int, random: Random) -> ExerciseDraft:
    """Q, K, V = X W_Q, X W_K, X W_V, then S = Q Kᵀ / √d_k, A = softmax(S), O = A V.

    The first width of the token vectors is not d_k, so that √d_model shows; on the fourth level there are as many
    tokens as columns of K, so that forgetting the transpose does not show in the shape.
    """
    drawn = ((2, 3, 4, 2), (2, 3, 4, 2), (3, 3, 4, 2), (4, 3, 4, 2), (4, 3, 5, 3))[level - 1]
    sizes = dict(zip(("n", "d_model", "d_k", "d_v"), drawn, strict=True))
    axes = {"X": ("n", "d_model"), "W_Q": ("d_model", "d_k"), "W_K": ("d_model", "d_k"), "W_V": ("d_model", "d_v")}
    shapes = shapes_of(axes, sizes)
    given = _small(shapes, level, random)
    if level == 1:
        given |= {name: picked(BITS, shapes[name], random) for name in ("X", "W_K")}
        given |= {"W_Q": picked(FEW, shapes["W_Q"], random)}
    steps = (
        *("Q = X @ W_Q", "K = X @ W_K", "V = X @ W_V"),
        *("S = Q @ K.T / sqrt(d_k)", "A = softmax(S)", "O = A @ V"),
    )
    return ExerciseDraft(given, steps, ("Q", "K", "V", "S", "A", "O"), sizes=sizes, axes=axes)


def _small(shapes: Mapping[str, tuple[int, int]], level: int, random: Random) -> dict[str, Printed]:
    """Numbers so small that products of three matrices still are, and with so few decimals that none ends on a tie."""
    if level == LEVELS[-1]:
        return draw(shapes, level, random, largest=1)
    scores = {name: shapes[name] for name in ("W_Q", "W_K")}
    return {
        **draw({"X": shapes["X"]}, level, random, largest=1, fractions=HALVES),
        **draw(scores, min(level, WHOLE), random, largest=1),
        **draw({"W_V": shapes["W_V"]}, min(level, WHOLE), random),
    }


def two_heads(level: int, random: Random) -> ExerciseDraft:
    """Two heads on the halves of Q, K and V, their outputs side by side, and Y = H W_O."""
    tokens, keys, values, width = ((2, 4, 1, 3), (2, 4, 1, 3), (2, 4, 2, 3), (3, 4, 2, 3), (3, 4, 2, 4))[level - 1]
    axes = {"Q": ("n", "h_k"), "K": ("n", "h_k"), "V": ("n", "h_v"), "W_O": ("h_v", "d_model")}
    sizes = {"n": tokens, "d_k": keys, "h_k": 2 * keys, "h_v": 2 * values, "d_model": width}
    shapes = shapes_of(axes, sizes)
    given = draw(shapes, level, random, largest=1)
    if level == 1:
        given |= {"Q": picked(ALL, shapes["Q"], random), "K": picked(BITS, shapes["K"], random)}
    steps = (*_head(1), *_head(2), "H = concat(O_1, O_2)", "Y = H @ W_O")
    return ExerciseDraft(given, steps, ("A_1", "A_2", "H", "Y"), sizes=sizes, axes=axes)


def _head(number: int) -> tuple[str, ...]:
    cuts = (f"{name}_{number} = head({name}, {number}, 2)" for name in ("Q", "K", "V"))
    scores = f"Q_{number} @ K_{number}.T"
    return (*cuts, f"A_{number} = softmax({scores} / sqrt(d_k))", f"O_{number} = A_{number} @ V_{number}")


TOPICS = (
    Topic("attention-head", "attention", attention_head, rank=120),
    Topic("two-heads", "attention", two_heads, rank=130),
)
