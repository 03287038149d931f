"""A step of training: new weights from the old ones and their gradient, by SGD and by Adam."""

from __future__ import annotations

from random import Random

from symattn.exercise.numbers import draw, picked, shapes_of
from symattn.exercise.topics.gradients import by, names_of
from symattn.exercise.topics.model import ExerciseDraft, Topic

RATES = ("1/10", "1/10", "1/5", "1/4", "1/4")
"""The learning rate by difficulty."""

DECAYS = (("0.9", "0.99"), ("0.9", "0.99"), ("0.8", "0.9"), ("0.8", "0.9"), ("0.7", "0.9"))
"""How much stays of the running averages of the gradient and of its square; 1 − β^t has at most three decimals."""

AVERAGES = ("1", "2", "4")
"""Running averages of squares, none of them 0."""


def sgd_step(level: int, random: Random) -> ExerciseDraft:
    """W − η ∂L/∂W, first of a given gradient, then of Y = X W and Σ (y − t)² / (2n); in the end the new loss."""
    tokens, width, columns = ((0, 2, 2), (1, 2, 2), (2, 2, 2), (2, 3, 2), (2, 3, 2))[level - 1]
    rows = "n" if tokens > 1 else "1"
    axes = {"W": ("d", "m"), "dW": ("d", "m")}
    steps: tuple[str, ...] = (f"W_new = W - {RATES[level - 1]} * dW",)
    if tokens:
        axes = {"X": (rows, "d"), "W": ("d", "m"), "T": (rows, "m")}
        steps = ("Y = X @ W", "dY = Y - T" if tokens == 1 else "dY = (Y - T) / n", "dW = X.T @ dY", *steps)
    if level > 3:
        squares = "ones(1, n) @ ({0} * {0}) @ ones(m, 1) / (2 * n)"
        steps = (*steps, "E = X @ W_new - T", f"L_new = {squares.format('E')}")
    sizes = {"d": width, "m": columns} | ({"n": tokens} if tokens > 1 else {})
    return ExerciseDraft(
        draw(shapes_of(axes, sizes), level, random, largest=3 if level < 3 else 2, zeros=level > 2),
        steps,
        names_of(steps),
        sizes=sizes,
        axes=axes,
        notation=by("W", *(("Y",) if tokens else ())),
        task=("task", "task_token", "task_tokens", "task_loss", "task_loss")[level - 1],
    )


def adam_step(level: int, random: Random) -> ExerciseDraft:
    """M and V, the running averages of the gradient and of its square, both corrected for their start, and the step.

    The first two levels make the very first step, where both averages were 0 and every weight moves by η.
    """
    rows, columns, number = ((1, 2, 1), (1, 3, 1), (1, 3, 2), (2, 2, 2), (2, 2, 3))[level - 1]
    shape, first = (rows, columns), number == 1
    shapes = dict.fromkeys(("W", "dW"), shape) | ({} if first else {"M_old": shape})
    given = draw(shapes, level, random, largest=4, zeros=False)
    zeros = tuple(("0",) * columns for _ in range(rows))
    given["M_old"] = given.get("M_old", zeros)
    given["V_old"] = zeros if first else picked(AVERAGES, shape, random)
    first_decay, second_decay = DECAYS[level - 1]
    power, below = ("", "sqrt(V_hat)") if first else (f"^{number}", "(sqrt(V_hat) + 1/100)")
    steps = (
        f"M = {first_decay} * M_old + (1 - {first_decay}) * dW",
        f"V = {second_decay} * V_old + (1 - {second_decay}) * (dW * dW)",
        f"M_hat = M / (1 - {first_decay}{power})",
        f"V_hat = V / (1 - {second_decay}{power})",
        f"W_new = W - {RATES[level - 1]} * M_hat / {below}",
    )
    return ExerciseDraft(
        given,
        steps,
        names_of(steps),
        axes=dict.fromkeys(given, ("d" if rows > 1 else "1", "m")),
        sizes={"m": columns} | ({"d": rows} if rows > 1 else {}),
        notation={**by("W"), "M_hat": "hat(M)", "V_hat": "hat(V)"},
        task="task" if first else "task_later",
    )


TOPICS = (
    Topic("sgd-step", "gradients", sgd_step, rank=300),
    Topic("adam-step", "gradients", adam_step, rank=310),
)
