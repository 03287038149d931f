"""Exercises about gradients, and about steps of training with them."""

from __future__ import annotations

from collections.abc import Iterable
from random import Random

from symattn.base.printed import Printed
from symattn.course.numbers import BITS, LOGS, SQUARES, draw, pick, picked, random_whole, shapes_of, shuffled
from symattn.course.topics.layers import EPSILONS, GAINS, RATIONAL, WORDS, rational_rows
from symattn.course.topics.layers import LOGS as LOGITS
from symattn.course.topics.model import ExerciseDraft, Topic

LOSS = "L"
"""The name of the loss in gradients; it need not be computed."""


def by(*names: str) -> dict[str, str]:
    """Return the notation of the gradients with respect to some matrices.

    >>> by("W")
    {'dW': 'grad(L, W)'}
    """
    return {f"d{name}": f"grad({LOSS}, {name})" for name in names}


def step_names(steps: Iterable[str]) -> tuple[str, ...]:
    """Return the names that some steps define.

    >>> step_names(("S = Q @ K.T", "A = softmax(S)"))
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
        step_names(steps),
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
    # As in the loss itself: counting from 1 gives another word.
    given["t"] = (tuple(str(random_whole(1, words - 1, random)) for _ in range(tokens)),)
    difference = "P - one_hot(t, v)"
    steps = ("P = softmax(Z)", f"dZ = {difference}" if tokens == 1 else f"dZ = ({difference}) / n")
    rows = "1" if tokens == 1 else "n"
    return ExerciseDraft(
        given,
        steps,
        step_names(steps),
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
        step_names(steps),
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
    # Without negative numbers a ReLU changes nothing, so the first level has as many as the second.
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
        step_names(steps),
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
        step_names(steps),
        sizes={"n": tokens, "d_model": width},
        axes={name: ("1" if name == "gamma" or tokens == 1 else "n", "d_model") for name in given},
        notation=by("N", "X", *(("Y", "gamma") if level > 1 else ())),
        task="task_gain" if level > 1 else "task",
    )


def _normed(level: int, random: Random, shape: tuple[int, int], grad: str, centred: bool) -> dict[str, Printed]:
    """Draw X and the incoming gradient, and between them γ, of which only the order is drawn."""
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
        step_names(steps),
        sizes=sizes,
        axes=axes,
        notation=by("O", "V", "A", "S", "Q", "K"),
        task="task_masked" if masked else "task",
    )


_GRADIENTS_TOPICS = (
    Topic("softmax-jacobian", "gradients", softmax_jacobian, rank=230),
    Topic("cross-entropy-gradient", "gradients", cross_entropy_gradient, rank=240),
    Topic("linear-gradient", "gradients", linear_gradient, rank=250),
    Topic("relu-backward", "gradients", relu_backward, rank=260),
    Topic("layer-norm-backward", "gradients", layer_norm_backward, rank=270),
    Topic("rms-norm-backward", "gradients", rms_norm_backward, rank=280),
    Topic("attention-backward", "gradients", attention_backward, rank=290),
)


RATES = ("1/10", "1/10", "1/5", "1/4", "1/4")
"""The learning rate by difficulty."""

DECAYS = (("0.9", "0.99"), ("0.9", "0.99"), ("0.8", "0.9"), ("0.8", "0.9"), ("0.7", "0.9"))
"""The decay rates of the running averages of the gradient and its square; 1 − β^t has at most three decimals."""

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
        step_names(steps),
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
        step_names(steps),
        axes=dict.fromkeys(given, ("d" if rows > 1 else "1", "m")),
        sizes={"m": columns} | ({"d": rows} if rows > 1 else {}),
        notation={**by("W"), "M_hat": "hat(M)", "V_hat": "hat(V)"},
        task="task" if first else "task_later",
    )


_UPDATES_TOPICS = (
    Topic("sgd-step", "gradients", sgd_step, rank=300),
    Topic("adam-step", "gradients", adam_step, rank=310),
)

TOPICS = (*_GRADIENTS_TOPICS, *_UPDATES_TOPICS)
