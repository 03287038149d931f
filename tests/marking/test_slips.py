"""The measure: ordinary slips of students, worked out in NumPy, and what marking says of each.

The right sides below share nothing with the package: they say what a person does wrong, with the numbers of the sheet.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import Random
from typing import Any

import numpy as np
import pytest

from symattn.course.forms import every_topic
from symattn.course.marking import Marked, mark
from symattn.course.marking.output import say, student_lines
from symattn.course.model import Exercise
from tests.exercise.batches import batch, number, numbers_of
from tests.mistakes.mistaken import Numbers, softmax

SEEDS = (3, 4, 5)


@dataclass(frozen=True)
class Slip:
    """What goes wrong in a part, and the mistakes or observations of which the first is said of it."""

    topic: str
    level: int
    part: str
    named: str
    wrong: Callable[[Numbers], Any]

    def __str__(self) -> str:
        return f"{self.topic}: {self.named}"


def written(rows: Any) -> list[list[str]]:
    """Three decimals, as somebody writes them."""
    return [[f"{x:.3f}" if np.isfinite(x) else "-oo" if x < 0 else "oo" for x in row] for row in np.atleast_2d(rows)]


def answered(exercise: Exercise, slip: Slip) -> dict[str, Any]:
    """The key up to the part of the slip, and nothing after it."""
    names = [part.name for part in exercise.parts]
    before = {name: exercise.part(name).key for name in names[: names.index(slip.part)]}
    return {**before, slip.part: written(slip.wrong(numbers_of(exercise)))}


def marked(slip: Slip, seed: int) -> Marked | None:
    """The marks for a slip, or nothing where it does not show in these numbers."""
    (exercise,) = batch(slip.topic, slip.level, seed=seed, count=1)
    answers = answered(exercise, slip)
    if answers[slip.part] == written(numbers_of(exercise)[f"key {slip.part}"]):
        return None
    return mark(exercise, answers)


# -- what people do ----------------------------------------------------------------------------------------------------


def shares(x: Any) -> Any:
    return x / x.sum(axis=1, keepdims=True)


def hidden(n: int) -> Any:
    return np.triu(np.ones((n, n), bool), 1)


def swapped(x: Any, one: tuple[int, int], other: tuple[int, int]) -> Any:
    x = x.copy()
    x[one], x[other] = x[other], x[one]
    return x


def plus(x: Any, place: tuple[int, int], by: float) -> Any:
    x = x.copy()
    x[place] += by
    return x


def turned(x: Any, places: Any, base: float, power: float = 2.0) -> Any:
    """Neighbouring columns turned as complex numbers."""
    width = x.shape[1]
    angles = np.asarray(places, float)[:, None] * base ** (-power * np.arange(width // 2) / width)
    pairs = (x[:, 0::2] + 1j * x[:, 1::2]) * np.exp(1j * angles)
    return np.stack([pairs.real, pairs.imag], axis=2).reshape(x.shape)


def start(g: Numbers) -> int:
    return int(g["text"].split("start=")[1].split(")")[0])


def rope(g: Numbers, first: int, base: float | None = None, power: float = 2.0) -> Any:
    true = float(g["text"].split("base=")[1].split(",")[0])
    return turned(g["Q"], first + np.arange(len(g["Q"])), true if base is None else base, power)


def epsilon(g: Numbers) -> float:
    return number(g["text"].split("epsilon=")[1].split(",")[0].split(")")[0])


def normal(g: Numbers, ddof: int = 0, root: float = 0.5) -> Any:
    x = g["X"]
    return (x - x.mean(axis=1, keepdims=True)) / (x.var(axis=1, ddof=ddof, keepdims=True) + epsilon(g)) ** root


def affine(x: Any, g: Numbers) -> Any:
    return x * g["gamma"] + g["beta"]


def scores(g: Numbers) -> Any:
    return g["Q"] @ g["K"].T


def weights(g: Numbers) -> Any:
    made = scores(g) / np.sqrt(g["d_k"])
    return softmax(np.where(hidden(len(made)), -np.inf, made) if "causal_mask" in g["text"] else made)


def only_diagonal(g: Numbers) -> Any:
    a = weights(g)
    return a * (1 - a) * (g["dO"] @ g["V"].T)


def row_scores(g: Numbers) -> Any:
    return g["q"] @ g["K"].T / np.sqrt(g["d_k"])


def key(name: str) -> Callable[[Numbers], Any]:
    return lambda g: g[f"key {name}"]


def of_key(name: str, change: Callable[[Any], Any]) -> Callable[[Numbers], Any]:
    return lambda g: change(g[f"key {name}"])


SLIPS = (
    Slip("scaling", 2, "S_scaled", "divided-by-token-count", lambda g: scores(g) / len(g["K"])),
    Slip("scaling", 4, "S_scaled", "divided-by-width", lambda g: scores(g) / g["d_k"]),
    Slip("scaling", 4, "S_scaled", "root-of-token-count", lambda g: scores(g) / np.sqrt(len(g["K"]))),
    Slip("scaling", 4, "S", "exchanged", of_key("S", lambda x: swapped(x, (0, 0), (0, 1)))),
    Slip("scaling", 4, "S", "signs", of_key("S", lambda x: -x)),
    Slip("softmax-row", 3, "a", "softmax-of-negated-scores", lambda g: softmax(-g["s"])),
    Slip("softmax-row", 3, "a", "absolute-shares", lambda g: shares(np.abs(g["s"]))),
    Slip("softmax-row", 3, "a", "softmax-base-two", lambda g: softmax(g["s"], 1, 2.0)),
    Slip("softmax-row", 3, "a", "hardmax", lambda g: np.eye(g["s"].shape[1])[g["s"].argmax(axis=1)]),
    Slip("softmax-row", 3, "a", "exponentials-without-dividing", lambda g: np.exp(g["s"])),
    Slip("softmax-row", 3, "a", "exchanged", of_key("a", lambda x: swapped(x, (0, 1), (0, 2)))),
    Slip("softmax-row", 3, "a", "last_digit", of_key("a", lambda x: plus(plus(x, (0, 1), 0.002), (0, 0), -0.002))),
    Slip("softmax-row", 3, "a", "larger", of_key("a", lambda x: plus(x, (0, 1), 0.02))),
    Slip("softmax-row", 3, "a", "point", of_key("a", lambda x: 100 * x)),
    Slip("softmax-row", 3, "a", "sorted", of_key("a", lambda x: np.sort(x))),
    Slip("softmax-row", 3, "a", "alone_weights",
         lambda g: np.exp(g["s"] - g["s"].max()) / np.exp(g["s"]).sum() + 0.1 * g["s"]),
    Slip("softmax-row", 3, "a", "maximum-only-above", lambda g: np.exp(g["s"] - g["s"].max()) / np.exp(g["s"]).sum()),
    Slip("attention-row", 3, "a", "softmax-of-negated-scores", lambda g: softmax(-row_scores(g))),
    Slip("attention-row", 3, "a", "scaled-twice", lambda g: softmax(row_scores(g) / np.sqrt(g["d_k"]))),
    Slip("attention-row", 3, "s", "divided-by-token-count", lambda g: g["q"] @ g["K"].T / len(g["K"])),
    Slip("causal-mask", 3, "A", "softmax-of-negated-scores",
         lambda g: softmax(np.where(hidden(len(g["S"])), -np.inf, -g["S"]))),
    Slip("causal-mask", 3, "A", "rows_exchanged", of_key("A", lambda x: x[[1, 0, 2]])),
    Slip("causal-mask", 3, "S_masked", "mask-the-wrong-way",
         lambda g: np.where(hidden(len(g["S"])).T, -np.inf, g["S"])),
    Slip("padding-mask", 3, "A", "softmax-of-unmasked-scores", lambda g: softmax(g["S"])),
    Slip("context-vector", 5, "Z", "columns_exchanged", of_key("Z", lambda x: x[:, [1, 0, 2, 3]])),
    Slip("projection", 3, "Y", "bias-forgotten", lambda g: g["X"] @ g["W"]),
    Slip("projection", 3, "Y", "bias-subtracted", lambda g: g["X"] @ g["W"] - g["b"]),
    Slip("projection", 4, "Y", "transposed", of_key("Y", lambda x: x.T)),
    Slip("feed-forward", 3, "Y", "bias-forgotten", lambda g: g["key H"] @ g["W_2"]),
    Slip("layer-norm", 3, "Y", "variance-with-n-minus-one", lambda g: affine(normal(g, 1), g)),
    Slip("layer-norm", 3, "Y", "root-forgotten", lambda g: affine(normal(g, root=1.0), g)),
    Slip("layer-norm", 3, "Y", "shift-before-gain", lambda g: (normal(g) + g["beta"]) * g["gamma"]),
    Slip("layer-norm", 3, "Y", "gain-and-shift-forgotten", normal),
    Slip("layer-norm", 3, "Y", "gain-forgotten", lambda g: normal(g) + g["beta"]),
    Slip("layer-norm", 3, "Y", "shift-forgotten", lambda g: normal(g) * g["gamma"]),
    Slip("layer-norm", 4, "Y", "norm", lambda g: affine(1.1 * normal(g) + 0.05, g)),
    Slip("rms-norm", 3, "Y", "gain-forgotten",
         lambda g: g["X"] / np.sqrt((g["X"] ** 2).mean(axis=1, keepdims=True) + epsilon(g))),
    Slip("rope", 4, "R", "positions-from-zero", lambda g: rope(g, 0)),
    Slip("rope", 4, "R", "position-off-by-one", lambda g: rope(g, start(g) + 1)),
    Slip("rope", 4, "R", "position-one-too-early", lambda g: rope(g, start(g) - 1)),
    Slip("rope", 4, "R", "usual-base-instead", lambda g: rope(g, start(g), 10_000)),
    Slip("rope", 4, "R", "one-angle-for-all-pairs", lambda g: rope(g, start(g), 1.0)),
    Slip("rope", 4, "R", "exponent-halved", lambda g: rope(g, start(g), power=1.0)),
    Slip("rope", 2, "R", "usual-base-instead", lambda g: rope(g, start(g), 10_000)),
    Slip("softmax-jacobian", 2, "J", "softmax-diagonal-only",
         lambda g: np.diag((softmax(g["z"]) * (1 - softmax(g["z"])))[0])),
    Slip("attention-backward", 3, "dS", "softmax-diagonal-only", only_diagonal),
    Slip("attention-backward", 4, "dS", "softmax-diagonal-only", only_diagonal),
    Slip("cross-entropy", 3, "l", "logarithm-base-ten", of_key("p", lambda p: -np.log10(p))),
    Slip("linear-gradient", 3, "dW", "rows_exchanged", of_key("dW", lambda x: x[[1, 0, *range(2, len(x))]])),
)  # fmt: skip


def said_of(slip: Slip, seed: int) -> tuple[str, ...]:
    """The mistakes and observations of the first finding."""
    found = marked(slip, seed)
    assert found is not None
    if found.first is None:
        return ("right",)
    return (*found.first.mistakes, *(one.kind for one in found.first.observations))


def listed() -> str:
    """Every slip with what is said of it: ``python -m tests.marking.test_slips`` shows which get no explanation."""
    return "\n".join(f"{slip}: {', '.join(said_of(slip, seed)) or '-'}" for slip in SLIPS for seed in SEEDS)


@pytest.mark.parametrize("slip", SLIPS, ids=str)
def test_an_ordinary_slip_is_named(slip: Slip) -> None:
    for seed in SEEDS:
        said = said_of(slip, seed)
        assert slip.named in said or (slip.named, said) == ("position-one-too-early", ("positions-from-zero",))


def test_there_are_more_kinds_of_slips_than_a_teacher_counts() -> None:
    assert len({slip.named for slip in SLIPS}) >= 29


# -- what is told, by a second road ------------------------------------------------------------------------------------


def told_of(topic: str, level: int, change: Callable[[Any], Any]) -> tuple[Any, dict[str, dict[str, Any]]]:
    """The last part of a sheet with a change in it, and every observation with what it tells."""
    (exercise,) = batch(topic, level, seed=3, count=1)
    part = exercise.parts[-1].name
    answers = answered(exercise, Slip(topic, level, part, "", lambda g: change(g[f"key {part}"])))
    found = mark(exercise, answers).first
    assert found is not None
    return np.array(answers[part], dtype=float), {one.kind: dict(one.told) for one in found.observations}


@pytest.mark.parametrize("by", [0.02, -0.31, 0.004])
def test_sums_and_differences_are_those_of_the_answer(by: float) -> None:
    answer, told = told_of("softmax-row", 3, lambda x: plus(x, (0, 1), by))
    assert float(told["alone_weights"]["sum"]) == pytest.approx(answer.sum())
    assert told["larger" if by > 0 else "smaller"] == {"cell": "[1,2]", "by": f"{abs(by):g}"}
    _, told = told_of("softmax-row", 3, lambda x: plus(plus(x, (0, 1), by), (0, 2), -by))
    assert set(told) == {"cells"}  # the weights still add up to 1
    answer, told = told_of("cross-entropy-gradient", 3, lambda x: plus(x, (1, 1), by))
    assert float(told["total"]["sum"]) == pytest.approx(answer[1].sum())
    _, told = told_of("projection", 4, lambda x: plus(plus(x, (0, 1), by), (2, 0), 0.5))
    assert told["cells"]["cells"] == f"[1,2] {by:+g}, [3,1] +0.5"


@pytest.mark.parametrize("level", [1, 4])
@pytest.mark.parametrize("topic", ["layer-norm", "rms-norm"])
def test_mean_and_variance_are_those_of_the_normalised_row(topic: str, level: int) -> None:
    (exercise,) = batch(topic, level, seed=3, count=1)
    g = numbers_of(exercise)
    answer, told = told_of(topic, level, lambda x: x * np.linspace(1.1, 1.5, x.shape[1]) + 0.1)
    row = ((answer - g.get("beta", 0.0)) / g.get("gamma", 1.0))[0]
    plain = "" if level > 1 else "plain_"
    if topic == "layer-norm":
        mean, variance = (float(told[f"{plain}norm"][name]) for name in ("mean", "variance"))
        assert (mean, variance) == pytest.approx((row.mean(), row.var()), abs=6e-4)
    else:
        assert float(told[f"{plain}mean_square"]["value"]) == pytest.approx((row**2).mean(), abs=6e-4)


CHANGED: Mapping[str, tuple[str, int, Callable[[Any], Any], Mapping[str, Any]]] = {
    "shift_larger": ("projection", 4, lambda x: x + 0.7, {"by": "0.7"}),
    "shift_smaller": ("projection", 4, lambda x: x - 2, {"by": "2"}),
    "factor": ("projection", 4, lambda x: 3 * x, {"factor": "3"}),
    "point": ("projection", 4, lambda x: x / 10, {"factor": "1/10"}),
    "rows_exchanged": ("projection", 4, lambda x: x[[0, 2, 1]], {"one": 2, "other": 3}),
    "columns_exchanged": ("projection", 4, lambda x: x[:, [2, 1, 0]], {"one": 1, "other": 3}),
    "reordered": ("projection", 4, lambda x: np.vstack([x[0, [1, 2, 0]], x[1:]]), {"row": 1}),
    "elsewhere": ("projection", 4, lambda x: x.ravel()[np.roll(np.arange(x.size), 2)].reshape(x.shape), {}),
    "row": ("projection", 5, lambda x: x + [[0.3, 0.9, -4]] * np.eye(3)[:, [1]], {"number": 2}),
    "column": ("projection", 5, lambda x: x + np.outer([0.3, 0.9, -4], [0, 0, 1]), {"number": 3}),
    "count": ("projection", 5, lambda x: x + np.outer([0.3, 0.9, -4], [1, 2, 5]), {"wrong": 9, "all": 9}),
    "alone_larger": ("dot-product", 3, lambda x: x + 7.25, {"cell": "[1,1]", "by": "7.25"}),
    "shape": ("projection", 4, lambda x: np.vstack([x, x]), {"rows": 6, "columns": 3}),
}


@pytest.mark.parametrize("kind", CHANGED)
def test_what_is_changed_is_what_is_seen(kind: str) -> None:
    topic, level, change, expected = CHANGED[kind]
    _, told = told_of(topic, level, change)
    if kind in ("row", "column"):  # few cells are told one by one
        assert set(told) <= {"row", "column", "cells"}
    else:
        assert told == {kind: dict(expected)}


# -- never silent ------------------------------------------------------------------------------------------------------

LARGE = ("two-heads", "attention-head", "attention-backward")


@pytest.mark.sampled(24)
@pytest.mark.parametrize("topic", [one.name for one in every_topic() if one.name not in LARGE])
@pytest.mark.parametrize("level", [2, 4])
def test_something_is_said_of_every_wrong_answer(topic: str, level: int) -> None:
    random = Random(f"{topic} {level}")
    for exercise in batch(topic, level, seed=11, count=2):
        for part in exercise.parts:
            rows = [list(row) for row in part.key]
            for i, j in random.sample(part.asked, random.randint(1, len(part.asked))):
                numbers = [-7.513, 3.257, 9.131, 0.719] if part.kind == "matrix" else [113, 2, 3]
                rows[i][j] = f"{random.choice(numbers) * random.randint(1, 9):g}"
            found = mark(exercise, {part.name: rows}).first
            if found is None:
                assert part.kind != "matrix"  # a whole number that was hit
                continue
            assert found.mistakes or found.is_coarse or 1 <= len(found.observations) <= 2
            for language in ("en", "zh-Hant", "zh-Hans"):
                *_, line = student_lines(mark(exercise, {part.name: rows}), language)
                assert "{" not in line
                assert not line.endswith(say(language, "none_known"))


if __name__ == "__main__":
    sys.stdout.write(f"{listed()}\n")
