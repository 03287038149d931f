"""Gradients: what comes back through a softmax, a loss, a linear layer, a ReLU, a norm and a whole head.

The gradient of X is called dX and written ∂L/∂X. It is worked out by steps of its own, in the order of a backward pass.
"""

from __future__ import annotations

from collections.abc import Iterable
from random import Random

from symattn.exercise.model import Printed
from symattn.exercise.numbers import BITS, LOGS, SQUARES, draw, pick, picked, shapes_of, shuffled, whole
from symattn.exercise.topics.layers import EPSILONS, GAINS, RATIONAL, rational_rows
from symattn.exercise.topics.model import ExerciseDraft, Topic
from symattn.exercise.topics.output import LOGS as LOGITS
from symattn.exercise.topics.output import WORDS

LOSS = "L"
"""What gradients are taken of; it need not be worked out."""


def by(*names: str) -> dict[str, str]:
    """How the gradients by some matrices are written.

    >>> by("W")
    {'dW': 'grad(L, W)'}
    """
    return {f"d{name}": f"grad({LOSS}, {name})" for name in names}


def names_of(steps: Iterable[str]) -> tuple[str, ...]:
    """What some steps work out.

    >>> names_of(("S = Q @ K.T", "A = softmax(S)"))
    ('S', 'A')
    """
    return tuple(step.partition(" = ")[0] for step in steps)


# -- softmax and its loss ----------------------------------------------------------------------------------------------


def softmax_jacobian(level: int, random: Random) -> ExerciseDraft:
    """J = diag(p) − pᵀp of p = softmax(z), and from the third level on ∂L/∂z = (∂L/∂p) J."""
    width = (3, 3, 3, 4, 4)[level - 1]
    shapes = {"z": (1, width)} | ({"dp": (1, width)} if level > 2 else {})
    given = draw(shapes, level, random, largest=3, distinct=True)
    if level == 1:
        given["z"] = picked(LOGS, (1, width), random)
    steps: tuple[str, ...] = ("p = softmax(z)", "J = diag(p) - p.T @ p")
    if level > 2:
        steps = (*steps, "dz = dp @ J")
    return ExerciseDraft(
        given,
        steps,
        names_of(steps),
        sizes={"n": width},
        axes=dict.fromkeys(given, ("1", "n")),
        notation=by("p", "z") if level > 2 else {},
        task="task_passed_on" if level > 2 else "task",
    )


def cross_entropy_gradient(level: int, random: Random) -> ExerciseDraft:
    """∂L/∂Z = (P − Y) / n with P = softmax(Z) and a row of Y for every word that came; first of a single token."""
    tokens, words = ((1, 3), (2, 3), (2, 4), (3, 4), (3, 5))[level - 1]
    given = draw({"Z": (tokens, words)}, level, random, largest=3, distinct=True)
    if level == 1:
        given["Z"] = (shuffled(LOGITS, random)[:words],)
    # As in the loss itself: somebody who counts from 1 finds another word.
    given["t"] = (tuple(str(whole(1, words - 1, random)) for _ in range(tokens)),)
    difference = "P - one_hot(t, v)"
    steps = ("P = softmax(Z)", f"dZ = {difference}" if tokens == 1 else f"dZ = ({difference}) / n")
    rows = "1" if tokens == 1 else "n"
    return ExerciseDraft(
        given,
        steps,
        names_of(steps),
        sizes={} if tokens == 1 else {"n": tokens},
        axes={"Z": (rows, "v"), "t": ("1", rows)},
        labels={"v": {"": WORDS[:words]}},
        notation=by("Z"),
        task="task" if tokens == 1 else "task_mean",
    )


# -- layers ------------------------------------------------------------------------------------------------------------


def linear_gradient(level: int, random: Random) -> ExerciseDraft:
    """∂L/∂W = Xᵀ (∂L/∂Y), ∂L/∂X = (∂L/∂Y) Wᵀ, ∂L/∂b = 1ᵀ (∂L/∂Y); in the end with a loss, Σ (y − t)² / (2n).

    From the third level on one of the products fits without its transpose too.
    """
    drawn = ((2, 3, 2), (2, 3, 2), (2, 3, 3), (3, 3, 2), (3, 3, 3))[level - 1]
    sizes = dict(zip(("n", "d", "m"), drawn, strict=True))
    axes = {"X": ("n", "d"), "W": ("d", "m"), "dY": ("n", "m")}
    steps: tuple[str, ...] = ("dW = X.T @ dY", "db = ones(1, n) @ dY", "dX = dY @ W.T")
    if level > 3:
        axes = {"X": ("n", "d"), "W": ("d", "m"), "b": ("1", "m"), "T": ("n", "m")}
        steps = ("Y = X @ W + broadcast(b, n)", "dY = (Y - T) / n", *steps)
    given = draw(shapes_of(axes, sizes), level, random, largest=3)
    return ExerciseDraft(
        given,
        steps,
        names_of(steps),
        sizes=sizes,
        axes=axes,
        notation=by("Y", "W", "b", "X"),
        task="task_loss" if level > 3 else "task",
    )


def relu_backward(level: int, random: Random) -> ExerciseDraft:
    """∂L/∂Z = ∂L/∂H ⊙ ReLU′(Z) of H = ReLU(Z) with Z = X W_1 + b_1, then of the weights.

    From the third level on ∂L/∂H comes through a second layer, and on the last two ∂L/∂X has a part that a residual
    connection leads past both.
    """
    tokens, width, inner = ((1, 2, 3), (2, 2, 3), (2, 2, 3), (2, 3, 3), (2, 3, 4))[level - 1]
    sizes = {"n": tokens, "d_model": width, "d_ff": inner}
    rows = "n" if tokens > 1 else "1"
    axes = {"X": (rows, "d_model"), "W_1": ("d_model", "d_ff"), "b_1": ("1", "d_ff")}
    axes |= {"dH": (rows, "d_ff")} if level < 3 else {"W_2": ("d_ff", "d_model"), "dY": (rows, "d_model")}
    # Without a minus there is nothing for a ReLU to do, so that the first level has as many as the second.
    given = draw(shapes_of(axes, sizes), max(level, 2), random, zeros=False)
    bias = "b_1" if tokens == 1 else "broadcast(b_1, n)"
    steps: tuple[str, ...] = (
        f"Z = X @ W_1 + {bias}",
        *(("dH = dY @ W_2.T",) if level > 2 else ()),
        "dZ = dH * relu_grad_X(Z)",
        "dW_1 = X.T @ dZ",
        *(("dX = dY + dZ @ W_1.T",) if level > 3 else ()),
    )
    return ExerciseDraft(
        given,
        steps,
        names_of(steps),
        sizes=sizes,
        axes=axes,
        notation=by("Z", "H", "W_1", *(("Y",) if level > 2 else ()), *(("X",) if level > 3 else ())),
        task=("task", "task", "task_layers", "task_residual", "task_residual")[level - 1],
    )


def layer_norm_backward(level: int, random: Random) -> ExerciseDraft:
    """∂L/∂X = (G − mean(G) − N ⊙ mean(G ⊙ N)) / σ with N the normalised rows and G = ∂L/∂N."""
    return _norm_backward(level, random, centred=True)


def rms_norm_backward(level: int, random: Random) -> ExerciseDraft:
    """∂L/∂X = (G − N ⊙ mean(G ⊙ N)) / r with N the rows divided by their root mean square r, and G = ∂L/∂N."""
    return _norm_backward(level, random, centred=False)


def _norm_backward(level: int, random: Random, centred: bool) -> ExerciseDraft:
    """A row whose divisor is a fraction on the first two levels; the gain γ from the second on.

    Everything is written out, so that each number on the way has a place on the sheet.
    """
    tokens, width = ((1, 4), (1, 4), (2, 4), (2, 4), (2, 5))[level - 1]
    epsilon, grad = EPSILONS[level - 1], "dY" if level > 1 else "dN"
    above = "" if epsilon == "0" else f" + {epsilon}"
    gain = "gamma" if tokens == 1 else "broadcast(gamma, n)"
    rows, mean = "D" if centred else "X", "@ ones(d_model, 1) / d_model"
    taken = "m @ ones(1, d_model) - " if centred else ""
    steps = (
        *(("D = X - X @ ones(d_model, d_model) / d_model",) if centred else ()),
        f"s = sqrt(({rows} * {rows}) {mean}{above})",
        f"N = {rows} / (s @ ones(1, d_model))",
        *((f"dN = dY * {gain}",) if level > 1 else ()),
        *((f"m = dN {mean}",) if centred else ()),
        f"c = (dN * N) {mean}",
        f"dX = (dN - {taken}N * (c @ ones(1, d_model))) / (s @ ones(1, d_model))",
        *((f"dgamma = {'ones(1, n) @ (dY * N)' if tokens > 1 else 'dY * N'}",) if level > 1 else ()),
    )
    given = _normed(level, random, (tokens, width), grad, centred)
    return ExerciseDraft(
        given,
        steps,
        names_of(steps),
        sizes={"n": tokens, "d_model": width},
        axes={name: ("1" if name == "gamma" or tokens == 1 else "n", "d_model") for name in given},
        notation=by("N", "X", *(("Y", "gamma") if level > 1 else ())),
        task="task_gain" if level > 1 else "task",
    )


def _normed(level: int, random: Random, shape: tuple[int, int], grad: str, centred: bool) -> dict[str, Printed]:
    """X, what comes back, and between them γ, of which only the order is drawn."""
    if level <= RATIONAL:
        row = pick(rational_rows(shape[1], level - 1, EPSILONS[level - 1], centred), random)
        given = {"X": (row,), **draw({grad: shape}, level, random, largest=3)}
    else:
        given = draw({"X": shape, grad: shape}, level, random, largest=4)
    gains = {"gamma": (shuffled(GAINS[level - 1], random),)} if level > 1 else {}
    return {"X": given["X"]} | gains | {grad: given[grad]}


# -- attention ---------------------------------------------------------------------------------------------------------


def attention_backward(level: int, random: Random) -> ExerciseDraft:
    """From ∂L/∂O of O = A V with A = softmax(Q Kᵀ / √d_k) back to V, A, S, Q and K; at the end with a causal mask."""
    tokens, width, values = ((2, 4, 2), (2, 4, 2), (3, 4, 2), (3, 4, 2), (3, 5, 2))[level - 1]
    axes = {"Q": ("n", "d_k"), "K": ("n", "d_k"), "V": ("n", "d_v"), "dO": ("n", "d_v")}
    sizes = {"n": tokens, "d_k": width, "d_v": values}
    shapes = shapes_of(axes, sizes)
    given = draw(shapes, level, random, largest=2 if level < 3 else 1)
    if level == 1:  # √4 = 2 halves the scores: logarithms of squares leave logarithms of whole numbers
        given |= {"Q": picked(SQUARES, shapes["Q"], random), "K": picked(BITS, shapes["K"], random)}
    masked = level > 3
    steps = (
        "S = Q @ K.T / sqrt(d_k)",
        *(("S_masked = S + causal_mask(n)",) if masked else ()),
        f"A = softmax({'S_masked' if masked else 'S'})",
        "dV = A.T @ dO",
        "dA = dO @ V.T",
        "r = (A * dA) @ ones(n, 1)",
        "dS = A * (dA - r @ ones(1, n))",
        "dQ = dS @ K / sqrt(d_k)",
        "dK = dS.T @ Q / sqrt(d_k)",
    )
    return ExerciseDraft(
        given,
        steps,
        names_of(steps),
        sizes=sizes,
        axes=axes,
        notation=by("O", "V", "A", "S", "Q", "K"),
        task="task_masked" if masked else "task",
    )


TOPICS = (
    Topic("softmax-jacobian", "gradients", softmax_jacobian, rank=230),
    Topic("cross-entropy-gradient", "gradients", cross_entropy_gradient, rank=240),
    Topic("linear-gradient", "gradients", linear_gradient, rank=250),
    Topic("relu-backward", "gradients", relu_backward, rank=260),
    Topic("layer-norm-backward", "gradients", layer_norm_backward, rank=270),
    Topic("rms-norm-backward", "gradients", rms_norm_backward, rank=280),
    Topic("attention-backward", "gradients", attention_backward, rank=290),
)
