"""Mistakes against NumPy: what a person would get who makes them, worked out by hand here.

The right-hand sides below share nothing with the rewritings: they say what is done wrong, not what formula that is.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from symattn.claims.mistakes.model import bank
from symattn.claims.mistakes.subject import Subject
from tests.mistakes import backward_by_hand
from tests.mistakes.mistaken import Case, Numbers, changes_of, must_be_right, softmax

# -- attention ---------------------------------------------------------------------------------------------------------


def scores(g: Numbers) -> Any:
    return g["Q"] @ g["K"].T


def attend(weights: Any, g: Numbers) -> Any:
    return weights @ g["V"]


def shares(x: Any) -> Any:
    return x / x.sum(axis=1)[:, None]


def hidden(n: int) -> Any:
    """Where a causal mask hides."""
    return np.triu(np.ones((n, n), bool), 1)


QKV = {"Q": (3, 4), "K": (3, 4), "V": (3, 2)}
SQUARE = {"Q": (3, 3), "K": (3, 3), "V": (3, 3)}
SIZES = {"n": 3, "d_k": 4}
HEAD = ("S = Q @ K.T", "T = S / sqrt(d_k)", "A = softmax(T)", "O = A @ V")
MASKED = ("S = Q @ K.T / sqrt(d_k)", "M = S + causal_mask(n)", "A = softmax(M)", "O = A @ V")
PADDED = ("M = Q @ K.T / sqrt(d_k) + padding_mask(n, n, 2)", "A = softmax(M)", "O = A @ V")


def causal(g: Numbers) -> Any:
    return np.where(hidden(3), -np.inf, scores(g) / 2)


ATTENTION = (
    Case("scale-forgotten", QKV, HEAD, lambda g: attend(softmax(scores(g)), g), sizes=SIZES),
    Case("divided-by-width", QKV, HEAD, lambda g: attend(softmax(scores(g) / 4), g), sizes=SIZES),
    Case("multiplied-by-root", QKV, HEAD, lambda g: attend(softmax(scores(g) * 2), g), sizes=SIZES),
    Case("root-of-token-count", QKV, HEAD, lambda g: attend(softmax(scores(g) / 3**0.5), g), sizes=SIZES),
    Case("scaled-after-softmax", QKV, HEAD, lambda g: attend(softmax(scores(g)) / 2, g), sizes=SIZES),
    Case("root-of-model-width", {"X": (3, 5), "W": (5, 4), "K": (3, 4)}, ("Q = X @ W", "S = Q @ K.T / sqrt(d_k)"),
         lambda g: g["X"] @ g["W"] @ g["K"].T / 5**0.5, sizes={"d_k": 4, "d_model": 5}),
    Case("root-of-model-width", {"Q": (3, 4), "K": (3, 2)}, ("Q_1 = head(Q, 1, 2)", "S = Q_1 @ K.T / sqrt(2)"),
         lambda g: g["Q"][:, :2] @ g["K"].T / 2),
    Case("key-not-transposed", SQUARE, HEAD, lambda g: g["Q"] @ g["K"], "S", {"n": 3, "d_k": 3}),
    Case("product-reversed", QKV, HEAD, lambda g: softmax((g["K"] @ g["Q"].T) / 2), "A", SIZES),
    Case("query-and-key-exchanged", {"Q": (3, 2), "K": (3, 2)}, ("q = row(Q, 2)", "s = q @ row(K, 3).T"),
         lambda g: [[np.dot(g["Q"][2], g["K"][1])]]),
    Case("first-row-instead", {"Q": (3, 2), "K": (3, 2)}, ("s = row(Q, 2) @ K.T",),
         lambda g: [[np.dot(g["Q"][0], k) for k in g["K"]]]),
    Case("softmax-over-columns", QKV, HEAD, lambda g: attend(softmax(scores(g) / 2, 0), g), sizes=SIZES),
    Case("softmax-over-all", QKV, HEAD, lambda g: attend(softmax(scores(g) / 2, None), g), sizes=SIZES),
    Case("softmax-base-two", QKV, HEAD, lambda g: attend(softmax(scores(g) / 2, 1, 2.0), g), sizes=SIZES),
    Case("softmax-base-ten", QKV, HEAD, lambda g: attend(softmax(scores(g) / 2, 1, 10.0), g), sizes=SIZES),
    Case("exponentials-without-dividing", QKV, HEAD, lambda g: attend(np.exp(scores(g) / 2), g), sizes=SIZES),
    Case("shares-without-exponentials", QKV, HEAD, lambda g: attend(shares(scores(g)), g), sizes=SIZES, start=1),
    Case("shares-without-exponentials", QKV, MASKED, lambda g: shares(np.tril(scores(g))), "A", SIZES, start=1),
    Case("hardmax", QKV, HEAD, lambda g: attend(np.eye(3)[scores(g).argmax(axis=1)], g), sizes=SIZES),
    Case("hardmax", QKV, MASKED, lambda g: np.eye(3)[causal(g).argmax(axis=1)], "A", SIZES),
    Case("divided-by-token-count", QKV, HEAD, lambda g: attend(softmax(scores(g) / 3), g), sizes=SIZES),
    Case("scaled-twice", QKV, HEAD, lambda g: attend(softmax(scores(g) / 4), g), sizes=SIZES),
    Case("scaled-twice", QKV, MASKED, lambda g: attend(softmax(causal(g) / 2), g), sizes=SIZES),
    Case("absolute-shares", QKV, HEAD, lambda g: attend(shares(np.abs(scores(g))), g), sizes=SIZES),
    Case("absolute-shares", QKV, MASKED, lambda g: shares(np.tril(np.abs(scores(g)))), "A", SIZES),
    Case("softmax-of-negated-scores", QKV, HEAD, lambda g: attend(softmax(-scores(g) / 2), g), sizes=SIZES),
    Case("softmax-of-negated-scores", QKV, MASKED, lambda g: softmax(np.where(hidden(3), -np.inf, -scores(g) / 2)), "A",
         SIZES),
    Case("softmax-of-unmasked-scores", QKV, MASKED, lambda g: softmax(scores(g) / 2), "A", SIZES),
    Case("maximum-only-above", QKV, HEAD, lambda g: attend(np.exp(scores(g) / 2 - scores(g).max(axis=1)[:, None] / 2)
         / np.exp(scores(g) / 2).sum(axis=1)[:, None], g), sizes=SIZES),
    Case("softmax-of-unscaled-scores", QKV, HEAD, lambda g: attend(softmax(scores(g)), g), sizes=SIZES),
    Case("softmax-of-unscaled-scores", QKV, MASKED, lambda g: softmax(np.where(hidden(3), -np.inf, scores(g))), "A",
         SIZES),
    Case("values-forgotten", QKV, HEAD, lambda g: softmax(scores(g) / 2), sizes=SIZES),
    Case("values-forgotten", {"X": (3, 2)}, ("Y = softmax(X @ X.T) @ X",), lambda g: softmax(g["X"] @ g["X"].T)),
    Case("values-transposed", SQUARE, HEAD, lambda g: softmax(scores(g) / 3**0.5) @ g["V"].T, sizes={"n": 3, "d_k": 3}),
    Case("weights-transposed", QKV, HEAD, lambda g: softmax(scores(g) / 2).T @ g["V"], sizes=SIZES),
    Case("mask-forgotten", QKV, MASKED, lambda g: attend(softmax(scores(g) / 2), g), sizes=SIZES),
    Case("mask-of-zero", QKV, MASKED, lambda g: attend(softmax(np.where(hidden(3), 0.0, scores(g) / 2)), g),
         sizes=SIZES),
    Case("mask-after-softmax", QKV, MASKED, lambda g: attend(np.where(hidden(3), 0.0, softmax(scores(g) / 2)), g),
         sizes=SIZES),
    Case("mask-after-softmax", {"S": (3, 3)}, ("A = proportions(keep(softmax(S), causal_mask(3)))",),
         lambda g: np.where(hidden(3), 0.0, softmax(g["S"]))),
    Case("mask-the-wrong-way", QKV, MASKED, lambda g: attend(softmax(np.where(hidden(3).T, -np.inf, scores(g) / 2)), g),
         sizes=SIZES),
    Case("mask-the-wrong-way", QKV, PADDED, lambda g: attend(softmax(scores(g) / 2 + np.array([-np.inf, -np.inf, 0.0])),
         g), sizes=SIZES),
    Case("mask-one-too-late", QKV, MASKED, lambda g: attend(softmax(np.where(np.triu(np.ones((3, 3)), 2) == 1, -np.inf,
         scores(g) / 2)), g), sizes=SIZES),
    Case("temperature-forgotten", {"H": (1, 3), "W": (3, 4)}, ("Z = H @ W", "P = softmax(Z / 2)"),
         lambda g: softmax(g["H"] @ g["W"])),
)  # fmt: skip


# -- layers ------------------------------------------------------------------------------------------------------------


relu: Callable[[Any], Any] = lambda x: np.where(x > 0, x, 0.0)  # noqa: E731

CUT = ("Q_1 = head(Q, 1, 2)", "Q_2 = head(Q, 2, 2)", "D = Q_1 @ Q_2.T")
TWO = {"A": (3, 3), "V": (3, 2), "U": (3, 2), "W_O": (4, 4), "b_O": (1, 4)}
MANY = ("O_1 = A @ V", "O_2 = A @ U", "H = concat(O_1, O_2)", "Y = H @ W_O + broadcast(b_O, 3)")
PAIR_OF_ROWS = {"x": (1, 3), "y": (1, 3)}
NETWORK = {"X": (3, 4), "W_1": (4, 4), "b_1": (1, 4), "W_2": (4, 4)}
LAYERS = ("Z = X @ W_1 + broadcast(b_1, 3)", "H = relu(Z)", "F = H @ W_2", "Y = X + F")


def first_layer(g: Numbers) -> Any:
    return g["X"] @ g["W_1"] + g["b_1"]


def together(g: Numbers) -> Any:
    return np.hstack([g["A"] @ g["V"], g["A"] @ g["U"]])


LINEAR = (
    Case("bias-forgotten", NETWORK, LAYERS, lambda g: g["X"] @ g["W_1"], "Z"),
    Case("bias-forgotten", {"x": (1, 3), "W": (3, 2), "b": (1, 2)}, ("y = x @ W + b",), lambda g: g["x"] @ g["W"]),
    Case("bias-subtracted", NETWORK, LAYERS, lambda g: g["X"] @ g["W_1"] - g["b_1"], "Z"),
    Case("bias-before-the-product", NETWORK, LAYERS, lambda g: (g["X"] + g["b_1"]) @ g["W_1"], "Z"),
    Case("residual-forgotten", NETWORK, LAYERS, lambda g: relu(first_layer(g)) @ g["W_2"]),
    Case("relu-forgotten", NETWORK, LAYERS, lambda g: first_layer(g) @ g["W_2"] + g["X"]),
    Case("absolute-value-for-relu", NETWORK, LAYERS, lambda g: np.abs(first_layer(g)), "H"),
    Case("relu-before-the-product", NETWORK, LAYERS, lambda g: relu(g["X"]) @ g["W_1"] + g["b_1"], "H"),
    Case("weight-transposed", NETWORK, LAYERS, lambda g: g["X"] @ g["W_1"].T + g["b_1"], "Z"),
    Case("entry-by-entry-product", {"X": (2, 2), "W": (2, 2)}, ("Y = X @ W",), lambda g: g["X"] * g["W"]),
    Case("lengths-multiplied", {"x": (1, 3), "y": (1, 3)}, ("s = dot(x, y)",),
         lambda g: [[length(g["x"]) * length(g["y"])]]),
    Case("components-added", PAIR_OF_ROWS, ("s = dot(x, y)",), lambda g: [[(g["x"] + g["y"]).sum()]]),
    Case("signs-dropped", {"x": (1, 3), "y": (1, 3)}, ("s = x @ y.T",), lambda g: [[sum(abs(a * b) for a,
         b in zip(g["x"][0], g["y"][0], strict=True))]], fixed={"x": [["2", "-1", "1/2"]], "y": [["-3", "-2", "4"]]}),
    Case("output-projection-forgotten", TWO, MANY, together),
    Case("heads-averaged", TWO, MANY, lambda g: (g["A"] @ g["V"] + g["A"] @ g["U"]) / 2, "H"),
    Case("heads-added", TWO, MANY, lambda g: g["A"] @ (g["V"] + g["U"]), "H"),
    Case("heads-split-by-rows", {"Q": (3, 4)}, CUT, lambda g: g["Q"].reshape(2, 3, 2)[0] @ g["Q"].reshape(2, 3,
         2)[1].T),
    Case("heads-split-by-rows", {"Q": (2, 6)}, ("P = head(Q, 2, 3)",), lambda g: g["Q"].reshape(3, 2, 2)[1]),
)  # fmt: skip

NORMED = {"X": (3, 4), "g": (1, 4), "b": (1, 4)}
LAYER = ("Y = layer_norm(X, epsilon=1/10, gamma=g, beta=b)",)
RMS = ("Y = rms_norm(X, epsilon=1/10, gamma=g)",)


def spread(x: Any, axis: int = 1, ddof: int = 0) -> Any:
    return x.var(axis=axis, ddof=ddof, keepdims=True)


def deviation(x: Any, axis: int = 1) -> Any:
    return x - x.mean(axis=axis, keepdims=True)


def squares(x: Any) -> Any:
    return (x**2).mean(axis=1, keepdims=True)


def affine(x: Any, g: Numbers) -> Any:
    return x * g["g"] + g["b"]


NORMS = (
    Case("variance-with-n-minus-one", NORMED, LAYER, lambda g: affine(deviation(g["X"]) / np.sqrt(spread(g["X"],
         ddof=1) + 0.1), g)),
    Case("variance-with-n-minus-one", {"X": (2, 3)}, ("m = X @ ones(3, 1) / 3", "C = X - m @ ones(1, 3)",
         "v = hadamard(C, C) @ ones(3, 1) / 3"), lambda g: g["X"].var(axis=1, ddof=1, keepdims=True)),
    Case("norm-over-tokens", NORMED, LAYER, lambda g: affine(deviation(g["X"], 0) / np.sqrt(spread(g["X"], 0) + 0.1),
         g)),
    Case("norm-over-tokens", NORMED, RMS, lambda g: g["X"] / np.sqrt((g["X"] ** 2).mean(axis=0) + 0.1) * g["g"]),
    Case("mean-not-subtracted", NORMED, LAYER, lambda g: affine(g["X"] / np.sqrt(squares(g["X"]) + 0.1), g)),
    Case("mean-left-in-the-numerator", NORMED, LAYER, lambda g: affine(g["X"] / np.sqrt(spread(g["X"]) + 0.1), g)),
    Case("mean-left-in-the-numerator", {"X": (2, 3)}, ("Y = layer_norm(X, epsilon=0)",),
         lambda g: g["X"] / g["X"].std(axis=1, keepdims=True)),
    Case("mean-subtracted", NORMED, RMS, lambda g: deviation(g["X"]) / np.sqrt(spread(g["X"]) + 0.1) * g["g"]),
    Case("root-forgotten", NORMED, LAYER, lambda g: affine(deviation(g["X"]) / (spread(g["X"]) + 0.1), g)),
    Case("root-forgotten", NORMED, RMS, lambda g: g["X"] / (squares(g["X"]) + 0.1) * g["g"]),
    Case("squares-not-averaged", NORMED, LAYER,
         lambda g: affine(deviation(g["X"]) / np.sqrt((deviation(g["X"]) ** 2).sum(axis=1)[:, None] + 0.1), g)),
    Case("squares-not-averaged", NORMED, RMS, lambda g: g["X"] / np.sqrt((g["X"] ** 2).sum(axis=1)[:,
         None] + 0.1) * g["g"]),
    Case("gain-forgotten", NORMED, LAYER, lambda g: deviation(g["X"]) / np.sqrt(spread(g["X"]) + 0.1) + g["b"]),
    Case("gain-forgotten", NORMED, RMS, lambda g: g["X"] / np.sqrt(squares(g["X"]) + 0.1)),
    Case("shift-forgotten", NORMED, LAYER, lambda g: deviation(g["X"]) / np.sqrt(spread(g["X"]) + 0.1) * g["g"]),
    Case("gain-and-shift-forgotten", NORMED, LAYER, lambda g: deviation(g["X"]) / np.sqrt(spread(g["X"]) + 0.1)),
    Case("shift-before-gain", NORMED, LAYER, lambda g: (deviation(g["X"]) / np.sqrt(spread(g["X"]) + 0.1) + g["b"])
         * g["g"]),
    Case("epsilon-forgotten", NORMED, LAYER, lambda g: affine(deviation(g["X"]) / np.sqrt(spread(g["X"])), g)),
    Case("epsilon-outside-the-root", NORMED, LAYER,
         lambda g: affine(deviation(g["X"]) / (np.sqrt(spread(g["X"])) + 0.1), g)),
    Case("epsilon-outside-the-root", NORMED, RMS, lambda g: g["X"] / (np.sqrt(squares(g["X"])) + 0.1) * g["g"]),
)  # fmt: skip

LOGITS = {"Z": (2, 3), "t": (1, 2)}
IDS = {"t": [["1", "2"]]}
LOSS = ("P = softmax(Z)", "p = hadamard(P, one_hot(t, 3)) @ ones(3, 1)", "l = -log(p)", "L = ones(1, 2) @ l / 2")


def chosen(g: Numbers) -> Any:
    return softmax(g["Z"])[[0, 1], [1, 2]]


PAIR = ("c = cosine(x, y)",)


def dot(g: Numbers) -> float:
    return float(np.dot(g["x"][0], g["y"][0]))


def length(x: Any) -> float:
    return float(sum(number * number for number in x[0]) ** 0.5)


BLOCKS = (
    "S_1 = rows(S.T, 1, 2).T",
    "m_1 = row_max(S_1)",
    "l_1 = exp(S_1 - m_1 @ ones(1, 2)) @ ones(2, 1)",
    "S_2 = rows(S.T, 3, 4).T",
    "m_2 = row_max(concat(m_1, S_2))",
    "l_2 = hadamard(exp(m_1 - m_2), l_1) + exp(S_2 - m_2 @ ones(1, 2)) @ ones(2, 1)",
    "A = divide(exp(S - m_2 @ ones(1, 4)), l_2 @ ones(1, 4))",
)
SCORES = {"S": [["1", "0", "3/2", "1/2"]]}


def running(g: Numbers, old: Callable[[float, float, float], float]) -> Any:
    """The weights with another way to bring the old sum to the new maximum."""
    first, second = g["S"][0, :2], g["S"][0, 2:]
    before, after = max(first), max(*first, *second)
    total = old(sum(np.exp(first - before)), before, after) + sum(np.exp(second - after))
    return np.exp(g["S"] - after) / total


def turned(x: Any, angles: Any) -> Any:
    """Neighbouring columns turned as complex numbers."""
    pairs = (x[:, 0::2] + 1j * x[:, 1::2]) * np.exp(1j * angles)
    return np.stack([pairs.real, pairs.imag], axis=2).reshape(x.shape)


SPEEDS = np.array([[1.0, 0.01]])
PLACES = np.array([[0.0], [1.0], [2.0]])
ROPE = ("R = rotary(Q)",)
LATER = ("R = rotary(Q, base=100, start=3)",)
TENTHS = np.array([[1.0, 0.1]])
FOUR = {"Q": (3, 4)}


def other_pairs(g: Numbers) -> Any:
    left, right = g["Q"][:, :2], g["Q"][:, 2:]
    cos, sin = np.cos(PLACES * SPEEDS), np.sin(PLACES * SPEEDS)
    return np.hstack([left * cos - right * sin, left * sin + right * cos])


OTHERS = (
    Case("sign-forgotten", LOGITS, LOSS, lambda g: [[np.log(chosen(g)).mean()]], fixed=IDS),
    Case("sum-instead-of-mean", LOGITS, LOSS, lambda g: [[-np.log(chosen(g)).sum()]], fixed=IDS),
    Case("probability-instead-of-logarithm", LOGITS, LOSS, lambda g: [[chosen(g).mean()]], fixed=IDS),
    Case("logarithm-base-two", LOGITS, LOSS, lambda g: [[-np.log2(chosen(g)).mean()]], fixed=IDS),
    Case("logarithm-base-ten", LOGITS, LOSS, lambda g: [[-np.log10(chosen(g)).mean()]], fixed=IDS),
    Case("ids-counted-from-one", LOGITS, LOSS, lambda g: [[-np.log(softmax(g["Z"])[[0, 1], [0, 1]]).mean()]],
         fixed=IDS),
    Case("lengths-forgotten", PAIR_OF_ROWS, PAIR, lambda g: [[dot(g)]]),
    Case("one-length-only", PAIR_OF_ROWS, PAIR, lambda g: [[dot(g) / length(g["x"])]]),
    Case("one-length-only", PAIR_OF_ROWS, PAIR, lambda g: [[dot(g) / length(g["y"])]], which=1),
    Case("lengths-squared", PAIR_OF_ROWS, PAIR, lambda g: [[dot(g) / length(g["x"]) ** 2 / length(g["y"]) ** 2]]),
    Case("lengths-squared", PAIR_OF_ROWS, ("c = divide(dot(x, y), norm(x) @ norm(y).T)",),
         lambda g: [[dot(g) / length(g["x"]) ** 2 / length(g["y"]) ** 2]]),
    Case("old-sum-not-rescaled", {"S": (1, 4)}, BLOCKS, lambda g: running(g, lambda old, before, after: old),
         fixed=SCORES),
    Case("old-sum-forgotten", {"S": (1, 4)}, BLOCKS, lambda g: running(g, lambda *_: 0.0), fixed=SCORES),
    Case("rescaled-the-wrong-way", {"S": (1, 4)}, BLOCKS, lambda g: running(g, lambda old, before,
         after: old * np.exp(after - before)), fixed=SCORES),
    Case("old-maximum-forgotten", {"S": (1, 4)}, BLOCKS, lambda g: [[0.5]], "m_2", fixed={"S": [["1", "0", "1/2",
         "0"]]}),
    Case("position-off-by-one", FOUR, ROPE, lambda g: turned(g["Q"], (PLACES + 1) * SPEEDS)),
    Case("turned-the-wrong-way", FOUR, ROPE, lambda g: turned(g["Q"], -PLACES * SPEEDS)),
    Case("turned-in-degrees", FOUR, ROPE, lambda g: turned(g["Q"], np.radians(PLACES * SPEEDS))),
    Case("halves-paired", FOUR, ROPE, other_pairs),
    Case("positions-from-zero", FOUR, LATER, lambda g: turned(g["Q"], PLACES * TENTHS)),
    Case("position-one-too-early", FOUR, LATER, lambda g: turned(g["Q"], (PLACES + 2) * TENTHS)),
    Case("usual-base-instead", FOUR, LATER, lambda g: turned(g["Q"], (PLACES + 3) * SPEEDS)),
    Case("exponent-halved", FOUR, LATER, lambda g: turned(g["Q"], (PLACES + 3) * np.array([[1.0, 100**-0.25]]))),
    Case("one-angle-for-all-pairs", FOUR, LATER, lambda g: turned(g["Q"], (PLACES + 3) * np.ones((1, 2)))),
)  # fmt: skip

CASES = (*ATTENTION, *LINEAR, *NORMS, *OTHERS, *backward_by_hand.CASES)


@pytest.mark.sampled(36)
@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_mistake_gives_what_a_person_gets_who_makes_it(case: Case) -> None:
    must_be_right(case)


@pytest.mark.long
@pytest.mark.sampled(36)
@pytest.mark.parametrize("case", CASES, ids=str)
def test_it_does_so_for_numbers_that_nobody_chose(case: Case) -> None:
    for seed in range(3):
        must_be_right(case, case.drawn(seed))


def test_rounding_too_early_names_every_step_that_has_numbers_on_its_way() -> None:
    case = next(case for case in ATTENTION if case.steps == HEAD)
    changes = tuple(changes_of("rounded-too-early", Subject(case.plan)))
    assert [change.step for change in changes] == ["T", "A", "O"]
    assert {change.rounded_to for change in changes} == {1}


def test_every_mistake_in_figures_has_been_worked_out_by_hand() -> None:
    tried = {case.mistake for case in CASES} | {"rounded-too-early"}
    assert [mistake.name for mistake in bank() if "matrix" in mistake.kinds and mistake.name not in tried] == []
