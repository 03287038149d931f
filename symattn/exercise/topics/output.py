"""From the last hidden vector to the next word, and what the model loses where it was wrong."""

from __future__ import annotations

from random import Random

from symattn.exercise.numbers import draw, pick, shuffled, whole
from symattn.exercise.topics.model import ExerciseDraft, Topic

WORDS = ("the", "cat", "sat", "mat", "dog")
"""A small vocabulary, the same in every language."""

LOGS = ("0", "log(2)", "log(3)", "log(4)", "log(5)", "log(6)")
"""Logits whose exponentials are whole numbers, so that the probabilities are fractions."""


def next_word(level: int, random: Random) -> ExerciseDraft:
    """z = h W_U + b, p = softmax(z), and the number of the most probable word."""
    width, words = ((2, 3), (2, 3), (2, 4), (3, 4), (3, 5))[level - 1]
    if level == 1:  # whole multiples of logarithms are logarithms of whole numbers
        hidden = (tuple(str(whole(1, 2, random)) for _ in range(width)),)
        given = {"h": hidden, "W_U": tuple(_row(LOGS[:3], words, random) for _ in range(width))}
    else:  # a long hidden vector makes large scores
        given = draw({"h": (1, width)}, level, random, largest=2 if level == 2 else 1, zeros=False)
        given |= draw({"W_U": (width, words), "b_U": (1, words)}, level, random)
    steps = ("z = h @ W_U" + (" + b_U" if level > 1 else ""), "p = softmax(z)", "c = argmax(p)")
    axes = {"h": ("1", "d_model"), "W_U": ("d_model", "v"), "b_U": ("1", "v")}
    return ExerciseDraft(
        given,
        steps,
        ("z", "p", "c"),
        sizes={"d_model": width},
        axes={name: axes[name] for name in given},
        labels={"v": {"": WORDS[:words]}},
        task="task_bias" if level > 1 else "task",
    )


def _row(choices: tuple[str, ...], width: int, random: Random) -> tuple[str, ...]:
    return tuple(pick(choices, random) for _ in range(width))


def cross_entropy(level: int, random: Random) -> ExerciseDraft:
    """P = softmax(Z), the probabilities p of the right words, l = −ln p, and L, the mean of l."""
    tokens, words = ((2, 3), (2, 3), (2, 4), (3, 4), (3, 5))[level - 1]
    given = draw({"Z": (tokens, words)}, level, random, largest=3, distinct=True)
    if level == 1:
        given["Z"] = tuple(shuffled(LOGS, random)[:words] for _ in range(tokens))
    # Somebody who counts from 1 finds another word for each of them, and none for 0.
    given["t"] = (tuple(str(whole(1, words - 1, random)) for _ in range(tokens)),)
    steps = (
        "P = softmax(Z)",
        "p = hadamard(P, one_hot(t, v)) @ ones(v, 1)",
        "l = -log(p)",
        "L = ones(1, n) @ l / n",
    )
    return ExerciseDraft(
        given,
        steps,
        ("P", "p", "l", "L"),
        sizes={"n": tokens},
        axes={"Z": ("n", "v"), "t": ("1", "n")},
        labels={"v": {"": WORDS[:words]}},
    )


TOPICS = (
    Topic("next-word", "output", next_word, rank=170),
    Topic("cross-entropy", "output", cross_entropy, rank=180),
)
