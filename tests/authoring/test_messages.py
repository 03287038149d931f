"""The wording of what goes wrong in Python: what was being built, what came, what clashes, what to try."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from symattn import Derivation, Expression, causal_mask, derive, layer_norm, softmax, sqrt
from symattn.errors import SymattnError

Made = Callable[[Derivation, Expression, Expression], object]

IN_PYTHON: list[tuple[Made, str]] = [
    (
        lambda d, X, W: X * W,
        "formula 'X * W': X * W: the product of matrices is written with @: X @ W; entry by entry it is hadamard(X, W)",
    ),
    (
        lambda d, X, W: X @ X,
        "X @ X: X is (n=2, 3), X is (n=2, 3): the columns of the first are 3, the rows of the second n=2; did you mean "
        "X @ X.T?",
    ),
    (lambda d, X, W: X.T(), "X.T(…): a formula is not called; the transpose is X.T, without parentheses"),  # type: ignore[operator]
    (
        lambda d, X, W: (X @ W).transpose(),  # type: ignore[attr-defined]
        "X @ W has no attribute transpose: the transpose is (X @ W).T, without parentheses",
    ),
    (
        lambda d, X, W: X.softmax(),  # type: ignore[attr-defined]
        "X has no attribute softmax: write softmax(X), with softmax imported from symattn",
    ),
    (
        lambda d, X, W: X.size,  # type: ignore[attr-defined]
        "X has no attribute size: a formula has T and shape, and its values are in d.solve()",
    ),
    (
        lambda d, X, W: X ^ 2,  # type: ignore[operator]
        "X ^ …: in Python a power is written X ** 2, and the transpose X.T",
    ),
    (
        lambda d, X, W: softmax(X, dim=-1),  # type: ignore[call-arg]
        "softmax(S): unknown option of softmax 'dim': known: none; softmax works along each row",
    ),
    (
        lambda d, X, W: layer_norm(X, eps=1),  # type: ignore[call-arg]
        "layer_norm(X, epsilon=…, gamma=…, beta=…): unknown option of layer_norm 'eps': did you mean 'epsilon'? known: "
        "X, beta, epsilon, gamma",
    ),
    (
        lambda d, X, W: X @ X.T + causal_mask,  # type: ignore[operator]
        "X @ X.T + …: causal_mask is a function: write causal_mask(…)",
    ),
    (
        lambda d, X, W: causal_mask(2, float("-inf")),  # type: ignore[arg-type]
        "causal_mask(…, value=…): -inf is not a number; minus infinity is the default of a mask: causal_mask(n)",
    ),
    (
        lambda d, X, W: X / np.sqrt(2),
        "X / …: 1.4142135623730951 is a binary float and no longer the number that was meant: write sqrt(2) (of "
        'symattn) for a root, Fraction("1.4142135623730951") or Decimal("1.4142135623730951") for a decimal',
    ),
    (
        lambda d, X, W: X @ np.eye(3),  # type: ignore[operator]
        'X @ …: a matrix without a name (ndarray), and formulas are made of names: M = d.given("M", …) gives it one',
    ),
    (lambda d, X, W: d.step("S", sqrt(2)), 'step("S"): sqrt(2) is a number, expected a matrix'),
    (
        lambda d, X, W: d.step("X", X @ W),
        'step("X"): X is already defined by given("X"): give this one another name',
    ),
    (
        lambda d, X, W: d.symbol("t"),
        'symbol("t"): unknown symbol \'t\': known: none; Derivation(…, symbols=["t"]) names them',
    ),
    (
        lambda d, X, W: d.size("d_k"),
        'size("d_k"): unknown size \'d_k\': known: n; d.size("d_k", 4) makes one',
    ),
    (
        lambda d, X, W: derive(d),  # type: ignore[arg-type]
        "derive: expected the name of a built-in scenario, a path that ends in .toml or a Scenario, came a value of "
        "type Derivation; a Derivation solves itself: d.solve()",
    ),
    # ready-made steps
    (
        lambda d, X, W: d.use("similarity", maks="causal"),
        "<Python>, use(\"similarity\"): similarity: unknown option of similarity 'maks': did you mean 'mask'? known: "
        "length, mask, scaled, window",
    ),
    (
        lambda d, X, W: [d.use("similarity") for _ in range(2)],
        '<Python>, use("similarity"): similarity defines S, A, O, and these names are taken already: names = { S = "…" '
        '} gives a step another name, suffix = "_2" all of them',
    ),
    (
        lambda d, X, W: d.use("next_token", temperature=0.5, names={"H": X, "W_U": W}),
        'use("next_token"), temperature: 0.5 is a binary float and no longer the number that was meant: write sqrt(2) '
        '(of symattn) for a root, Fraction("0.5") or Decimal("0.5") for a decimal',
    ),
    # arrays
    (
        lambda d, X, W: d.given("Y", [["1"], ["1", "2"]]),
        'given("Y"): row 2 has length 2, row 1 has length 1: expected rows of one length',
    ),
    (
        lambda d, X, W: d.given("Y", np.ones((1, 2, 2))),
        'given("Y"): has 3 axes, 1 × 2 × 2: expected a matrix (2 axes) or a row (1 axis); take a part of it, such as '
        "array[0]",
    ),
    (
        lambda d, X, W: d.given("Y", np.ones((2, 2), dtype=complex)),
        'given("Y"): holds complex numbers: expected real numbers; convert it first, such as array.astype(float)',
    ),
    (
        lambda d, X, W: d.given("Y", [[float("nan")]]),
        'given("Y"), row 1, column 1: is not a number (NaN)',
    ),
    (
        lambda d, X, W: d.given("Y", "weights.pt"),
        "weights.pt: the wrong type of file: expected a name that ends in .csv, .npy, .npz or .safetensors; a PyTorch "
        "file is written anew with safetensors.torch.save_file",
    ),
    (
        lambda d, X, W: d.given("Y", [["1", "2"]], axes=("n", "d")),
        'given("Y"): axes: expected n = 2 for the rows, came 1',
    ),
]


@pytest.mark.parametrize(("make", "message"), IN_PYTHON, ids=[message[:80] for _, message in IN_PYTHON])
def test_what_went_wrong_in_python(make: Made, message: str) -> None:
    d = Derivation(title="t", tokens=["the", "cat"])
    X = d.given("X", [["1", "2", "3"], ["4", "5", "6"]])
    W = d.given("W", [["1", "0"], ["0", "1"], ["1", "1"]])
    with pytest.raises(SymattnError) as error:
        make(d, X, W)
    assert str(error.value) == message


def test_other_attributes_are_simply_not_there() -> None:
    """Notebooks, NumPy and copies ask an object for many things."""
    X = Derivation(title="t").given("X", [["1"]])
    assert not hasattr(X, "tolist")
    assert not hasattr(X, "_repr_html_")
    with pytest.raises(AttributeError):
        X.__array__()  # type: ignore[attr-defined]
