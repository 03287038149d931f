"""Mistakes in gradients and in steps of training, worked out by hand in NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.mistakes.mistaken import Case, Numbers, softmax

# -- attention ---------------------------------------------------------------------------------------------------------

SIZES = {"n": 3, "d_k": 4}
GIVEN = {"Q": (3, 4), "K": (3, 4), "V": (3, 3), "dO": (3, 3)}
BACK = (
    "A = softmax(Q @ K.T / sqrt(d_k))",
    "dV = A.T @ dO",
    "dA = dO @ V.T",
    "dS = A * (dA - (A * dA) @ ones(n, 1) @ ones(1, n))",
    "dQ = dS @ K / sqrt(d_k)",
    "dK = dS.T @ Q / sqrt(d_k)",
)
HIDDEN = ("S = Q @ K.T / sqrt(d_k) + causal_mask(n)", "A = softmax(S)", *BACK[1:])


def weights(g: Numbers) -> Any:
    return softmax(g["Q"] @ g["K"].T / 2)


def through(a: Any, back: Any) -> Any:
    """Row by row, by the Jacobian."""
    return np.array([(np.diag(row) - np.outer(row, row)) @ from_row for row, from_row in zip(a, back, strict=True)])


def by_weights(g: Numbers) -> Any:
    return g["dO"] @ g["V"].T


def by_scores(g: Numbers) -> Any:
    return through(weights(g), by_weights(g))


def sums(g: Numbers) -> Any:
    return (weights(g) * by_weights(g)).sum(axis=1)[:, None]


def row(g: Numbers) -> Any:
    return softmax(g["z"])


JACOBIAN = ("p = softmax(z)", "J = diag(p) - p.T @ p")

ATTENTION = (
    Case("softmax-entry-by-entry", GIVEN, BACK, lambda g: weights(g) * by_weights(g), "dS", SIZES),
    Case("softmax-entry-by-entry", {"z": (1, 4)}, JACOBIAN, lambda g: np.diag(row(g)[0])),
    Case("softmax-entry-by-entry", {"z": (1, 4)}, ("p = softmax(z)", "J = identity(4) * (ones(4, 1) @ p) - p.T @ p"),
         lambda g: np.diag(row(g)[0])),
    Case("softmax-diagonal-only", GIVEN, BACK, lambda g: weights(g) * (1 - weights(g)) * by_weights(g), "dS", SIZES),
    Case("softmax-diagonal-only", {"z": (1, 4)}, JACOBIAN, lambda g: np.diag((row(g) * (1 - row(g)))[0])),
    Case("softmax-terms-added", GIVEN, BACK, lambda g: weights(g) * (by_weights(g) + sums(g)), "dS", SIZES),
    Case("softmax-terms-added", {"z": (1, 4)}, JACOBIAN, lambda g: np.diag(row(g)[0]) + np.outer(row(g), row(g))),
    Case("softmax-own-term-forgotten", GIVEN, BACK, lambda g: -weights(g) * sums(g), "dS", SIZES),
    Case("softmax-own-term-forgotten", {"z": (1, 4)}, JACOBIAN, lambda g: -np.outer(row(g), row(g))),
    Case("backward-transpose-forgotten", GIVEN, BACK, lambda g: weights(g) @ g["dO"], "dV", SIZES),
    Case("backward-transpose-forgotten", GIVEN, BACK, lambda g: g["dO"] @ g["V"], "dA", SIZES, which=1),
    Case("backward-transpose-forgotten", GIVEN, BACK, lambda g: by_scores(g) @ g["Q"] / 2, "dK", SIZES, which=2),
    Case("other-factor-transposed", GIVEN, BACK, lambda g: weights(g) @ g["dO"].T, "dV", SIZES),
    Case("other-factor-transposed", GIVEN, BACK, lambda g: by_scores(g).T @ g["K"] / 2, "dQ", SIZES, which=2),
    Case("backward-scale-forgotten", GIVEN, BACK, lambda g: by_scores(g) @ g["K"], "dQ", SIZES),
    Case("backward-scale-forgotten", GIVEN, BACK, lambda g: by_scores(g).T @ g["Q"], "dK", SIZES, which=1),
    Case("gradient-through-the-mask", GIVEN, HIDDEN, by_scores, "dS", SIZES),
    Case("gradient-through-the-mask", {"A": (3, 3), "dY": (3, 3)}, ("Y = keep(A, causal_mask(3))",
         "dA = keep(dY, causal_mask(3))"), lambda g: g["dY"]),
)  # fmt: skip

# -- layers ------------------------------------------------------------------------------------------------------------

LINEAR = {"X": (3, 3), "W": (3, 3), "b": (1, 3), "T": (3, 3)}
LAYER = ("Y = X @ W + broadcast(b, 3)", "dY = (Y - T) / 3", "dW = X.T @ dY", "db = ones(1, 3) @ dY", "dX = dY @ W.T")
OWN_NAMES = ("Y = X @ W", "E = (Y - T) / 3", "G = X.T @ E")
FEED = {"X": (2, 3), "W_1": (3, 4), "W_2": (4, 3), "dY": (2, 3)}
FORWARD = ("Z = X @ W_1", "H = relu(Z)", "Y = X + H @ W_2", "dH = dY @ W_2.T")
GATED = (*FORWARD, "dZ = dH * relu_grad_X(Z)", "dX = dY + dZ @ W_1.T")
DERIVED = (*FORWARD, "dZ = relu_vjp_X(Z, dH)", "dX_Z = dZ @ W_1.T", "dX = dX_Z + dY")
LOGITS = {"Z": (2, 3), "t": (1, 2)}
IDS = {"t": [["1", "2"]]}
PROBABILITIES = ("P = softmax(Z)", "dZ = (P - one_hot(t, 3)) / 2")
OF_LOSS = ("L = cross_entropy(Z, t)", "dZ = cross_entropy_grad_Z(Z, t)")
WANTED = np.array([[0, 1, 0], [0, 0, 1]])


def error(g: Numbers) -> Any:
    return (g["X"] @ g["W"] + g["b"] - g["T"]) / 3


def hidden(g: Numbers) -> Any:
    return g["dY"] @ g["W_2"].T


def gated(g: Numbers) -> Any:
    return np.where(g["X"] @ g["W_1"] > 0, hidden(g), 0.0)


LAYERS = (
    Case("backward-transpose-forgotten", LINEAR, LAYER, lambda g: g["X"] @ error(g), "dW"),
    Case("backward-transpose-forgotten", LINEAR, LAYER, lambda g: error(g) @ g["W"], "dX", which=1),
    Case("backward-transpose-forgotten", LINEAR, OWN_NAMES,
         lambda g: g["X"] @ (g["X"] @ g["W"] - g["T"]) / 3, "G"),
    Case("other-factor-transposed", LINEAR, LAYER, lambda g: g["X"] @ error(g).T, "dW"),
    Case("gradient-transposed", LINEAR, LAYER, lambda g: (g["X"].T @ error(g)).T, "dW"),
    Case("gradient-transposed", LINEAR, LAYER, lambda g: (error(g) @ g["W"].T).T, "dX", which=1),
    Case("bias-gradient-averaged", LINEAR, LAYER, lambda g: error(g).mean(axis=0)[None], "db"),
    Case("batch-mean-forgotten", LINEAR, LAYER, lambda g: 3 * g["X"].T @ error(g), "dW"),
    Case("batch-mean-forgotten", LINEAR, ("Y = X @ W + broadcast(b, 3)", "dY = 1/3 * (Y - T)"),
         lambda g: 3 * error(g)),
    Case("batch-mean-forgotten", LOGITS, PROBABILITIES, lambda g: softmax(g["Z"]) - WANTED, fixed=IDS),
    Case("batch-mean-forgotten", LOGITS, OF_LOSS, lambda g: softmax(g["Z"]) - WANTED, fixed=IDS),
    Case("error-reversed", LINEAR, LAYER, lambda g: -g["X"].T @ error(g), "dW"),
    Case("error-reversed", LOGITS, PROBABILITIES, lambda g: (WANTED - softmax(g["Z"])) / 2, fixed=IDS),
    Case("error-reversed", LOGITS, OF_LOSS, lambda g: (WANTED - softmax(g["Z"])) / 2, fixed=IDS),
    Case("target-not-subtracted", LOGITS, PROBABILITIES, lambda g: softmax(g["Z"]) / 2, fixed=IDS),
    Case("target-not-subtracted", LOGITS, OF_LOSS, lambda g: softmax(g["Z"]) / 2, fixed=IDS),
    *(
        case
        for steps in (GATED, DERIVED)
        for case in (
            Case("relu-gate-forgotten", FEED, steps, hidden, "dZ"),
            Case("relu-of-the-gradient", FEED, steps, lambda g: np.maximum(hidden(g), 0), "dZ"),
            Case("residual-gradient-forgotten", FEED, steps, lambda g: gated(g) @ g["W_1"].T, "dX"),
            Case("layer-gradient-forgotten", FEED, steps, lambda g: g["dY"], "dX"),
        )
    ),
)  # fmt: skip

# -- norms -------------------------------------------------------------------------------------------------------------

ROWS = {"X": (2, 4), "gamma": (1, 4), "dY": (2, 4)}
LAYER_NORM = (
    "N = layer_norm(X, epsilon=1)",
    "dN = dY * broadcast(gamma, 2)",
    "s = sqrt(row_var(X) + 1)",
    "dX = (dN - row_mean(dN) - N * row_mean(dN * N)) / s",
)
RMS_NORM = (
    "N = rms_norm(X, epsilon=1)",
    "dN = dY * gamma",
    "c = row_mean(dN * N)",
    "s = sqrt(row_mean(X * X) + 1)",
    "dX = (dN - N * (c @ ones(1, 4))) / (s @ ones(1, 4))",
)


def mean(x: Any) -> Any:
    return x.mean(axis=1)[:, None]


def deviation(g: Numbers) -> Any:
    return np.sqrt(g["X"].var(axis=1)[:, None] + 1)


def root(g: Numbers) -> Any:
    return np.sqrt(mean(g["X"] ** 2) + 1)


def normed(g: Numbers) -> Any:
    return (g["X"] - mean(g["X"])) / deviation(g)


def without_gain(g: Numbers) -> Any:
    return (g["dY"] - mean(g["dY"]) - normed(g) * mean(g["dY"] * normed(g))) / deviation(g)


def grown(g: Numbers) -> Any:
    return g["dY"] * g["gamma"]


NORMS = (
    Case("norm-only-divided", ROWS, LAYER_NORM, lambda g: grown(g) / deviation(g), "dX"),
    Case("norm-only-divided", ROWS, RMS_NORM, lambda g: grown(g) / root(g), "dX"),
    Case("sigma-taken-for-constant", ROWS, LAYER_NORM, lambda g: (grown(g) - mean(grown(g))) / deviation(g), "dX"),
    Case("mu-taken-for-constant", ROWS, LAYER_NORM,
         lambda g: (grown(g) - normed(g) * mean(grown(g) * normed(g))) / deviation(g), "dX"),
    Case("gain-gradient-forgotten", ROWS, LAYER_NORM, without_gain, "dX"),
)  # fmt: skip

# -- steps of training -------------------------------------------------------------------------------------------------

WEIGHTS = {"W": (2, 3), "dW": (2, 3)}
AVERAGES = {**WEIGHTS, "M_old": (2, 3), "V_old": (2, 3)}
ADAM = (
    "M = 9/10 * M_old + (1 - 9/10) * dW",
    "V = 99/100 * V_old + (1 - 99/100) * (dW * dW)",
    "M_hat = M / (1 - (9/10)^2)",
    "V_hat = V / (1 - (99/100)^2)",
    "W_new = W - 1/10 * M_hat / (sqrt(V_hat) + 1/100)",
)


def adam(g: Numbers, shares: tuple[float, float] = (0.9, 0.99), corrected: tuple[bool, bool] = (True, True)) -> Any:
    first = shares[0] * g["M_old"] + (1 - shares[0]) * g["dW"]
    second = shares[1] * g["V_old"] + (1 - shares[1]) * g["dW"] ** 2
    first = first / (1 - 0.9**2) if corrected[0] else first
    second = second / (1 - 0.99**2) if corrected[1] else second
    return first, second


def moved(g: Numbers, first: Any, second: Any, rate: float = -0.1) -> Any:
    return g["W"] + rate * first / (np.sqrt(second) + 0.01)


STEPS = (
    Case("step-uphill", WEIGHTS, ("U = W - 1/4 * dW",), lambda g: g["W"] + g["dW"] / 4),
    Case("step-uphill", WEIGHTS, ("U = W - dW / 4",), lambda g: g["W"] + g["dW"] / 4),
    Case("step-uphill", AVERAGES, ADAM, lambda g: moved(g, *adam(g), rate=0.1), start=1),
    Case("step-uphill", WEIGHTS, ("U = 9/10 * W - 1/5 * dW",), lambda g: 0.9 * g["W"] + g["dW"] / 5),
    Case("bias-not-corrected", WEIGHTS, ("m = 1/10 * dW", "h = m / (1/10)", "U = W - 1/5 * h"),
         lambda g: g["W"] - g["dW"] / 50),
    Case("rate-forgotten", WEIGHTS, ("U = W - 1/4 * dW",), lambda g: g["W"] - g["dW"]),
    Case("rate-forgotten", AVERAGES, ADAM, lambda g: moved(g, *adam(g), rate=-1), start=1),
    Case("bias-not-corrected", AVERAGES, ADAM, lambda g: moved(g, *adam(g, corrected=(False, True))), start=1),
    Case("bias-not-corrected", AVERAGES, ADAM, lambda g: moved(g, *adam(g, corrected=(False, False))), start=1,
         which=2),
    Case("decay-on-the-wrong-side", AVERAGES, ADAM, lambda g: moved(g, *adam(g, (0.1, 0.99))), start=1),
    Case("root-of-squares-forgotten", AVERAGES, ADAM,
         lambda g: g["W"] - 0.1 * adam(g)[0] / (adam(g)[1] + 0.01), start=1),
)  # fmt: skip

CASES = (*ATTENTION, *LAYERS, *NORMS, *STEPS)
