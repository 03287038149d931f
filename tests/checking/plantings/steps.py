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
Working: TypeAlias = Callable[[Mapping[str, Array]], Array]
Tree: TypeAlias = Any
"""A formula: a name, or an operation and its parts, ``("@", "Q", ("T", "K"))``."""


@dataclass(frozen=True)
class Step:
    """A name, and how it comes from names before it; one without a formula is given."""

    name: str
    about: str
    """The key of its words."""
    formula: Tree = None
    work: Working | None = None
    mistakes: Mapping[str, Working] = field(default_factory=dict)
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
    facts: tuple[tuple[str, str], ...] = ()
    """Sizes that are said: ``("d_k", "2")``."""

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
            if step.work is None:
                value = self.givens[step.name]
            else:
                value = step.mistakes.get((mistakes or {}).get(step.name, ""), step.work)(found)
            if changed and step.name in changed:
                value = changed[step.name]
            if rounding and step.name in rounding:
                value = np.array([[_rounded(x, rounding[step.name]) for x in row] for row in value])
            found[step.name] = value
        return found


def _rounded(value: float, decimals: int) -> float:
    return value if np.isinf(value) else float(f"{value:.{decimals}f}")


def softmax(scores: Array, axis: int = 1) -> Array:
    """Shares of exponentials; a column in which all is hidden has none."""
    with np.errstate(invalid="ignore"):
        powers = np.exp(scores - np.max(scores, axis=axis, keepdims=True))
        shares: Array = np.nan_to_num(powers / np.sum(powers, axis=axis, keepdims=True))
    return shares


def _masked(scores: Array) -> Array:
    return np.where(np.tri(len(scores)) > 0, scores, -np.inf)


def _matrix(random: Random, rows: int, columns: int, grain: int) -> Array:
    """Figures with ``grain`` decimals; the larger ones are rare, as in examples that people make up."""
    most = {0: 2, 1: 12, 2: 120}[grain]
    least = 0 if grain == 0 and random.random() < 0.7 else -most
    return np.array([[random.randint(least, most) / 10**grain for _ in range(columns)] for _ in range(rows)])


def _attention(
    queries: str, keys: str, values: str, number: str, width: int, is_causal: bool, random: Random
) -> Iterator[Step]:
    """From queries, keys and values to the output of one head."""
    q, k, v, n = queries, keys, values, number
    root, plain = np.sqrt(width), random.random() < 0.15
    yield Step(f"S{n}", "scores", ("@", q, ("T", k)), lambda had: had[q] @ had[k].T, is_unnamed=random.random() < 0.5)
    before = f"S{n}"
    if not plain:
        yield Step(
            f"Z{n}",
            "scaled",
            ("/", f"S{n}", ("sqrt", "d_k")),
            lambda had: had[f"S{n}"] / root,
            {"scale": lambda had: had[f"S{n}"]},
            is_unnamed=random.random() < 0.5,
            is_hidden=random.random() < 0.25 and not is_causal,  # the mask stands there without a formula
        )
        before = f"Z{n}"
    if is_causal:
        yield Step(f"M{n}", "masked", ("mask", before), lambda had: _masked(had[before]))
    last = f"M{n}" if is_causal else before
    yield Step(
        f"A{n}",
        "weights",
        ("softmax", last),
        lambda had: softmax(had[last]),
        {"columns": lambda had: softmax(had[last], axis=0), "mask": lambda had: softmax(had[before])},
    )
    yield Step(f"O{n}", "output", ("@", f"A{n}", v), lambda had: had[f"A{n}"] @ had[v])


def one_head(random: Random) -> Worked:
    """Tokens, projections, scores, weights, output."""
    n, d, width, grain = (
        random.randint(2, 4),
        random.randint(2, 4),
        random.choice((2, 2, 3, 4)),
        random.choice((0, 1, 1, 2)),
    )
    steps = [Step("X", "input")]
    givens = {"X": _matrix(random, n, d, min(grain, 1))}
    for name in ("W_Q", "W_K", "W_V"):
        steps.append(Step(name, "projection"))
        givens[name] = _matrix(random, d, width, grain)
    for name, weight, about in (("Q", "W_Q", "queries"), ("K", "W_K", "keys"), ("V", "W_V", "values")):
        steps.append(Step(name, about, ("@", "X", weight), lambda had, weight=weight: had["X"] @ had[weight]))
    steps += _attention("Q", "K", "V", "", width, random.random() < 0.3, random)
    return Worked("attention", tuple(steps), givens, (("d_k", str(width)),))


def given_queries(random: Random) -> Worked:
    """Queries, keys and values are given."""
    n, width, grain = random.randint(2, 4), random.choice((2, 3, 4)), random.choice((0, 1, 1, 2))
    names = (("Q", "queries"), ("K", "keys"), ("V", "values"))
    givens = {name: _matrix(random, n, width, grain) for name, _ in names}
    steps = [Step(name, about) for name, about in names]
    steps += _attention("Q", "K", "V", "", width, random.random() < 0.4, random)
    return Worked("attention", tuple(steps), givens, (("d_k", str(width)),))


def no_weights(random: Random) -> Worked:
    """Attention of rows to themselves, without weights or scale."""
    n, d = random.randint(2, 5), random.randint(2, 4)
    steps = (
        Step("X", "input"),
        Step("S", "scores", ("@", "X", ("T", "X")), lambda had: had["X"] @ had["X"].T),
        Step(
            "A",
            "weights",
            ("softmax", "S"),
            lambda had: softmax(had["S"]),
            {"columns": lambda had: softmax(had["S"], axis=0)},
        ),
        Step("O", "output", ("@", "A", "X"), lambda had: had["A"] @ had["X"]),
    )
    return Worked("attention", steps, {"X": _matrix(random, n, d, random.choice((1, 2)))})


def two_heads(random: Random) -> Worked:
    """Two heads, put beside one another and projected."""
    n, d, width, grain = random.randint(2, 3), random.randint(2, 4), 2, random.choice((0, 1))
    steps, givens = [Step("X", "input")], {"X": _matrix(random, n, d, grain)}
    for head in "12":
        for letter, about in (("Q", "queries"), ("K", "keys"), ("V", "values")):
            weight = f"W_{letter}{head}"
            steps.append(Step(weight, "projection"))
            givens[weight] = _matrix(random, d, width, grain)
            steps.append(
                Step(f"{letter}{head}", about, ("@", "X", weight), lambda had, weight=weight: had["X"] @ had[weight])
            )
        steps += _attention(f"Q{head}", f"K{head}", f"V{head}", head, width, False, random)
    steps.append(
        Step("C", "concatenated", ("concat", "O1", "O2"), lambda had: np.concatenate((had["O1"], had["O2"]), axis=1))
    )
    steps.append(Step("W_O", "projection"))
    givens["W_O"] = _matrix(random, 4, d, grain)
    steps.append(Step("Y", "output", ("@", "C", "W_O"), lambda had: had["C"] @ had["W_O"]))
    return Worked("heads", tuple(steps), givens, (("d_k", "2"),))


def _centred(vector: str, random: Random, epsilon: float) -> Iterator[Step]:
    """From a vector to the same with mean 0 and variance 1."""
    x = vector
    inside: Tree = ("+", "var", "eps") if epsilon else "var"
    yield Step("mu", "mean", ("mean", x), lambda had: np.array([[np.mean(had[x])]]))
    yield Step("var", "variance", ("var", x, "mu"), lambda had: np.array([[np.mean((had[x] - had["mu"]) ** 2)]]))
    yield Step("sd", "deviation", ("sqrt", inside), lambda had: np.sqrt(had["var"] + epsilon))
    yield Step("xh", "normalized", ("/", ("-", x, "mu"), "sd"), lambda had: (had[x] - had["mu"]) / had["sd"])


def layer_norm(random: Random) -> Worked:
    """A residual sum or a vector, normalised, stretched and shifted."""
    size = random.randint(3, 5)
    epsilon = 1e-5 if random.random() < 0.4 else 0.0
    steps: list[Step] = [Step("x", "input")]
    givens = {"x": _matrix(random, 1, size, 1)}
    while np.ptp(givens["x"]) < 0.5:
        givens["x"] = _matrix(random, 1, size, 1)
    name = "x"
    if random.random() < 0.5:
        givens["a"], name = _matrix(random, 1, size, 2), "r"
        steps += [Step("a", "sublayer"), Step("r", "residual", ("+", "x", "a"), lambda had: had["x"] + had["a"])]
    steps += _centred(name, random, epsilon)
    if random.random() < 0.5:
        givens |= {"gamma": _matrix(random, 1, size, 1), "beta": _matrix(random, 1, size, 1)}
        steps += [Step("gamma", "gain"), Step("beta", "shift")]
        work: Working = lambda had: had["gamma"] * had["xh"] + had["beta"]  # noqa: E731
        steps.append(Step("y", "output", ("+", ("*", "gamma", "xh"), "beta"), work))
    return Worked("norm", tuple(steps), givens, (("eps", "10^{-5}"),) if epsilon else ())


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
        Step("X", "input"),
        Step("W_1", "first"),
        Step("b_1", "first"),
        Step("H", "hidden", ("+", ("@", "X", "W_1"), "b_1"), lambda had: had["X"] @ had["W_1"] + had["b_1"]),
        Step("R", "relu", ("relu", "H"), lambda had: np.maximum(had["H"], 0)),
        Step("W_2", "second"),
        Step("b_2", "second"),
        Step("Y", "output", ("+", ("@", "R", "W_2"), "b_2"), lambda had: had["R"] @ had["W_2"] + had["b_2"]),
    )
    return Worked("feed_forward", steps, givens)


KINDS: Sequence[Callable[[Random], Worked]] = (
    one_head,
    one_head,
    one_head,
    given_queries,
    given_queries,
    no_weights,
    two_heads,
    layer_norm,
    layer_norm,
    feed_forward,
)


def worked(random: Random) -> Worked:
    """Some example of some kind."""
    return random.choice(KINDS)(random)
