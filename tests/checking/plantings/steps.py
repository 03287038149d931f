"""Worked examples as people choose them: givens with few figures, and steps that NumPy works out.

Nothing of symattn is used here: this is the second road, by which pages are written and what is wrong on them is known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[np.float64]
Values: TypeAlias = dict[str, Array]
Tree: TypeAlias = Any
"""A formula: a name, or an operation and its parts, ``("@", "Q", ("T", "K"))``."""


@dataclass(frozen=True)
class Step:
    """A name, and how it comes from names before it; one without a formula is given."""

    name: str
    about: str
    """The key of its words."""
    formula: Tree = None
    mistakes: Mapping[str, Tree] = field(default_factory=dict)
    """What somebody works out who makes a mistake of a class."""
    is_hidden: bool = False
    """Whether no page shows it: formulas hold its own formula in its place."""
    is_unnamed: bool = False
    """Whether it is shown as its formula alone."""


@dataclass(frozen=True)
class Worked:
    """An example: its steps in order, and what is given."""

    kind: str
    steps: tuple[Step, ...]
    givens: Mapping[str, Array]
    numbers: Mapping[str, float] = field(default_factory=dict)
    """Sizes and the like that are said: ``{"d_k": 2}``."""

    def step(self, name: str) -> Step:
        return next(step for step in self.steps if step.name == name)

    def values(
        self,
        mistakes: Mapping[str, str] | None = None,
        rounding: Mapping[str, int] | None = None,
        changed: Mapping[str, Array] | None = None,
    ) -> Values:
        """All values: with mistakes by step, from figures rounded to decimals, or from figures that were changed."""
        found: Values = {}
        for step in self.steps:
            formula = step.mistakes.get((mistakes or {}).get(step.name, ""), step.formula)
            value = self.givens[step.name] if formula is None else worked_out(formula, {**self.numbers, **found})
            if changed and step.name in changed:
                value = changed[step.name]
            if rounding and step.name in rounding:
                value = np.array([[_rounded(x, rounding[step.name]) for x in row] for row in value])
            found[step.name] = value
        return found


def _rounded(value: float, decimals: int) -> float:
    return value if np.isinf(value) else float(f"{value:.{decimals}f}")


def worked_out(formula: Tree, had: Mapping[str, Any]) -> Array:
    """The value of a formula from those of names."""
    if isinstance(formula, str):
        return had[formula]
    op, *parts = formula
    return OPERATIONS[op](*(worked_out(part, had) for part in parts))


def softmax(scores: Array, axis: int = 1) -> Array:
    """Shares of exponentials; a column in which all is hidden has none."""
    with np.errstate(invalid="ignore"):
        powers = np.exp(scores - np.max(scores, axis=axis, keepdims=True))
        shares: Array = np.nan_to_num(powers / np.sum(powers, axis=axis, keepdims=True))
    return shares


def causal(scores: Array) -> Array:
    return np.where(np.tri(len(scores)) > 0, scores, -np.inf)


OPERATIONS: Mapping[str, Callable[..., Array]] = {
    "@": np.matmul,
    "T": np.transpose,
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
    "/": np.divide,
    "sqrt": np.sqrt,
    "softmax": softmax,
    "softmax of columns": lambda x: softmax(x, axis=0),
    "mask": causal,
    "relu": lambda x: np.maximum(x, 0),
    "concat": lambda *x: np.concatenate(x, axis=1),
    "mean": lambda x: np.array([[np.mean(x)]]),
    "var": lambda x, mean: np.array([[np.mean((x - mean) ** 2)]]),
}


def _matrix(random: Random, rows: int, columns: int, grain: int) -> Array:
    """Figures with ``grain`` decimals; the larger ones are rare, as in examples that people make up."""
    most = {0: 2, 1: 12, 2: 120}[grain]
    least = 0 if grain == 0 and random.random() < 0.7 else -most
    return np.array([[random.randint(least, most) / 10**grain for _ in range(columns)] for _ in range(rows)])


def _attention(head: str, is_causal: bool, random: Random) -> Iterator[Step]:
    """From queries, keys and values to the output of one head."""
    scores, scaled, masked, weights = (f"{letter}{head}" for letter in "SZMA")
    plain, last = random.random() < 0.15, scores
    yield Step(scores, "scores", ("@", f"Q{head}", ("T", f"K{head}")), is_unnamed=random.random() < 0.5)
    if not plain:
        yield Step(
            scaled,
            "scaled",
            ("/", scores, ("sqrt", "d_k")),
            {"scale": scores},
            is_unnamed=random.random() < 0.5,
            is_hidden=random.random() < 0.25 and not is_causal,  # the mask stands there without a formula
        )
        last = scaled
    before = last
    if is_causal:
        yield Step(masked, "masked", ("mask", before))
        last = masked
    mistakes = {"columns": ("softmax of columns", last), "mask": ("softmax", before)}
    yield Step(weights, "weights", ("softmax", last), mistakes)
    yield Step(f"O{head}", "output", ("@", weights, f"V{head}"))


PROJECTED = {"Q": "queries", "K": "keys", "V": "values"}


def one_head(random: Random) -> Worked:
    """Tokens, projections, scores, weights, output."""
    n, d, width = random.randint(2, 4), random.randint(2, 4), random.choice((2, 2, 3, 4))
    grain = random.choice((0, 1, 1, 2))
    givens = {"X": _matrix(random, n, d, min(grain, 1))}
    givens |= {f"W_{name}": _matrix(random, d, width, grain) for name in PROJECTED}
    steps = [Step("X", "input"), *(Step(f"W_{name}", "projection") for name in PROJECTED)]
    steps += [Step(name, about, ("@", "X", f"W_{name}")) for name, about in PROJECTED.items()]
    steps += _attention("", random.random() < 0.3, random)
    return Worked("attention", tuple(steps), givens, {"d_k": width})


def given_queries(random: Random) -> Worked:
    """Queries, keys and values are given."""
    n, width, grain = random.randint(2, 4), random.choice((2, 3, 4)), random.choice((0, 1, 1, 2))
    givens = {name: _matrix(random, n, width, grain) for name in PROJECTED}
    steps = [Step(name, about) for name, about in PROJECTED.items()]
    steps += _attention("", random.random() < 0.4, random)
    return Worked("attention", tuple(steps), givens, {"d_k": width})


def no_weights(random: Random) -> Worked:
    """Attention of rows to themselves, without weights or scale."""
    n, d = random.randint(2, 5), random.randint(2, 4)
    steps = (
        Step("X", "input"),
        Step("S", "scores", ("@", "X", ("T", "X"))),
        Step("A", "weights", ("softmax", "S"), {"columns": ("softmax of columns", "S")}),
        Step("O", "output", ("@", "A", "X")),
    )
    return Worked("attention", steps, {"X": _matrix(random, n, d, random.choice((1, 2)))})


def two_heads(random: Random) -> Worked:
    """Two heads, put beside one another and projected."""
    n, d, width, grain = random.randint(2, 3), random.randint(2, 4), 2, random.choice((0, 1))
    steps, givens = [Step("X", "input")], {"X": _matrix(random, n, d, grain)}
    for head in "12":
        for letter, about in PROJECTED.items():
            weight = f"W_{letter}{head}"
            givens[weight] = _matrix(random, d, width, grain)
            steps += [Step(weight, "projection"), Step(f"{letter}{head}", about, ("@", "X", weight))]
        steps += _attention(head, False, random)
    givens["W_O"] = _matrix(random, 4, d, grain)
    steps += [Step("C", "concatenated", ("concat", "O1", "O2")), Step("W_O", "projection")]
    steps += [Step("Y", "output", ("@", "C", "W_O"))]
    return Worked("heads", tuple(steps), givens, {"d_k": 2})


def layer_norm(random: Random) -> Worked:
    """A residual sum or a vector, normalised, stretched and shifted."""
    size = random.randint(3, 5)
    epsilon = {"eps": 1e-5} if random.random() < 0.4 else {}
    steps, name = [Step("x", "input")], "x"
    givens = {"x": _matrix(random, 1, size, 1)}
    while np.ptp(givens["x"]) < 0.5:
        givens["x"] = _matrix(random, 1, size, 1)
    if random.random() < 0.5:
        givens["a"], name = _matrix(random, 1, size, 2), "r"
        steps += [Step("a", "sublayer"), Step("r", "residual", ("+", "x", "a"))]
    steps += [
        Step("mu", "mean", ("mean", name)),
        Step("var", "variance", ("var", name, "mu")),
        Step("sd", "deviation", ("sqrt", ("+", "var", "eps") if epsilon else "var")),
        Step("xh", "normalized", ("/", ("-", name, "mu"), "sd")),
    ]
    if random.random() < 0.5:
        givens |= {"gamma": _matrix(random, 1, size, 1), "beta": _matrix(random, 1, size, 1)}
        steps += [Step("gamma", "gain"), Step("beta", "shift")]
        steps += [Step("y", "output", ("+", ("*", "gamma", "xh"), "beta"))]
    return Worked("norm", tuple(steps), givens, epsilon)


def feed_forward(random: Random) -> Worked:
    """Two layers with what is below zero cut off between them."""
    n, d, hidden, grain = random.choice((1, 2)), random.randint(2, 3), random.randint(2, 4), random.choice((1, 2))
    givens = {
        "X": _matrix(random, n, d, 1),
        "W_1": _matrix(random, d, hidden, grain),
        "b_1": _matrix(random, 1, hidden, 1),
        "W_2": _matrix(random, hidden, d, grain),
        "b_2": _matrix(random, 1, d, 1),
    }
    steps = (
        *(Step("X", "input"), Step("W_1", "first"), Step("b_1", "first")),
        Step("H", "hidden", ("+", ("@", "X", "W_1"), "b_1")),
        Step("R", "relu", ("relu", "H")),
        *(Step("W_2", "second"), Step("b_2", "second")),
        Step("Y", "output", ("+", ("@", "R", "W_2"), "b_2")),
    )
    return Worked("feed_forward", steps, givens)


KINDS: Sequence[Callable[[Random], Worked]] = (
    *(one_head, one_head, one_head, given_queries, given_queries),
    *(no_weights, two_heads, layer_norm, layer_norm, feed_forward),
)


def worked(random: Random) -> Worked:
    """Some example of some kind."""
    return random.choice(KINDS)(random)
