"""Scores become weights: a row of softmax, and masks, which set scores that must not be seen to −∞ before it."""

from __future__ import annotations

from random import Random

from symattn.exercise.model import Printed
from symattn.exercise.numbers import LOGS, draw, picked, whole
from symattn.exercise.topics.model import ExerciseDraft, Topic

MASKED = ("S_masked", "A")


def softmax_row(level: int, random: Random) -> ExerciseDraft:
    """a = softmax(s); on the first level the scores are logarithms of whole numbers."""
    width = (3, 5, 5, 6, 6)[level - 1]
    given = {"s": picked(LOGS, (1, width), random)} if level == 1 else {}
    given = given or draw({"s": (1, width)}, level, random, largest=3, distinct=True)
    return ExerciseDraft(given, ("a = softmax(s)",), ("a",), sizes={"n": width}, axes={"s": ("1", "n")})


def causal_mask(level: int, random: Random) -> ExerciseDraft:
    """A = softmax(S + M) with a mask that hides what comes later."""
    tokens = (3, 3, 3, 4, 4)[level - 1]
    given = {"S": _scores((tokens, tokens), level, random)}
    steps = ("S_masked = S + causal_mask(n)", "A = softmax(S_masked)")
    return ExerciseDraft(given, steps, MASKED, sizes={"n": tokens}, axes={"S": ("n", "n")})


def padding_mask(level: int, random: Random) -> ExerciseDraft:
    """A = softmax(S + M) with a mask that hides all keys after the first l; how many are real is drawn."""
    queries, keys = ((2, 4), (2, 4), (3, 4), (3, 5), (3, 5))[level - 1]
    real = whole(2, keys - 1, random)
    given = {"S": _scores((queries, keys), level, random)}
    steps = ("S_masked = S + padding_mask(m, n, l)", "A = softmax(S_masked)")
    return ExerciseDraft(given, steps, MASKED, sizes={"m": queries, "n": keys, "l": real}, axes={"S": ("m", "n")})


def _scores(shape: tuple[int, int], level: int, random: Random) -> Printed:
    return (
        picked(LOGS, shape, random) if level == 1 else draw({"S": shape}, level, random, largest=3, distinct=True)["S"]
    )


TOPICS = (
    Topic("softmax-row", "attention", softmax_row, rank=60),
    Topic("causal-mask", "attention", causal_mask, rank=70),
    Topic("padding-mask", "attention", padding_mask, rank=80),
)
