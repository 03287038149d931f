"""Mistakes in attention against NumPy: what a person would get who makes them, worked out by hand here.

The right-hand sides below share nothing with the rewritings: they say what is done wrong, not what formula that is.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.mistakes.mistaken import Case, Numbers, must_be_right, softmax


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


CASES = (
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


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_mistake_gives_what_a_person_gets_who_makes_it(case: Case) -> None:
    must_be_right(case)
