"""Explanations that nobody wrote: they are found where there are any, and none is found where there are none."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from flint import arb, fmpq

from symattn.checking.following.recipes import Leaf, RecipeStep, formula, leaves, tried, worked
from symattn.checking.following.rows import BallMatrix
from symattn.checking.following.rules import RULES
from symattn.checking.following.search import FoundFormula, Known, Target, search
from symattn.compute.values.float64 import DoubleArray
from tests.checking.plantings.steps import causal, softmax


def matrix(text: str) -> DoubleArray:
    return np.array([[float(figure.replace("∞", "inf")) for figure in row.split()] for row in text.split("/")])


def printed(text: str, roles: tuple[str, ...] = (), does: tuple[str, ...] = (), axis: int | None = None) -> Target:
    units = [[10.0 ** -len(figure.partition(".")[2]) for figure in row.split()] for row in text.split("/")]
    return Target(matrix(text), np.array(units), 2, roles, does, axis, 1000)


def rounded(values: DoubleArray, places: int, **said: tuple[str, ...]) -> Target:
    return Target(np.round(values, places), np.full(values.shape, 10.0**-places), 2, **said, order=1000)  # type: ignore[arg-type]


@dataclass
class Page:
    """What is known on a page."""

    known: list[Known] = field(default_factory=list)

    def has(self, name: str, true: DoubleArray, *roles: str, figures: DoubleArray | int | None = None) -> Page:
        shown = np.round(true, figures) if isinstance(figures, int) else figures
        self.known.append(Known(name, len(self.known), 2, true, shown, roles, figures is None))
        return self

    def asked(self, target: Target) -> FoundFormula | None:
        return search(target, self.known)

    def found(self, target: Target) -> FoundFormula:
        found = self.asked(target)
        assert found is not None
        return found

    def formula(self, target: Target) -> str | None:
        found = self.asked(target)
        return None if found is None else found.formula


def normed(x: DoubleArray, epsilon: float = 1e-5) -> DoubleArray:
    return np.asarray((x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + epsilon))


# -- pages of people ---------------------------------------------------------------------------------------------------


def searches() -> Iterator[tuple[str, Page, Target, str]]:
    """Read what is known on pages, what is printed below it, and what formula is found for that.

    A line ``S scores = Q @ K.T ~ 2`` has a name, its role, its values and with how many decimals they are printed, or
    what is printed instead; behind ``?`` are figures and what words say of them.
    """
    for part in Path(__file__).with_name("searches.txt").read_text(encoding="utf-8").split("==== ")[1:]:
        title, *lines = part.splitlines()
        names: dict[str, Any] = {"M": matrix, "np": np, "causal": causal, "softmax": softmax}
        page = Page()
        for line, below in pairwise([*lines, ""]):
            if line.startswith("? "):
                figures, *said = line[2:].split(", ")
                words = {key: value for key, _, value in (each.partition(" ") for each in said)}
                roles, does = (tuple(words.get(key, "").split()) for key in ("roles", "does"))
                target = replace(printed(figures, roles, does), row=int(words["row"]) - 1 if "row" in words else None)
                yield title, Page([*page.known]), target, below.strip()
            elif not line.startswith("    "):
                head, _, values = line.partition(" = ")
                values, _, shown = values.partition(" ~ ")
                name, *roles_of = head.split()
                values = eval(values, names)  # noqa: S307 - from the file beside this one
                page.has(name, values, *roles_of, figures=eval(shown, names) if shown else None)  # noqa: S307
                if name != "M":
                    names[name] = values


@pytest.mark.parametrize(("title", "page", "target", "found"), [*searches()])
def test_what_is_printed_on_a_page_is_explained(title: str, page: Page, target: Target, found: str) -> None:
    assert summary(page.asked(target)) == found


def summary(found: FoundFormula | None) -> str:
    """What a search says, on a line."""
    if found is None:
        return "nothing"
    flags = {"as words say": found.expected, "from what is printed": found.from_printed}
    told = [flag for flag, holds in flags.items() if holds]
    return ", ".join([found.formula, f"{found.agrees} of {found.of}", *told, *found.hidden, *found.roles])


# -- random chains -----------------------------------------------------------------------------------------------------


@dataclass
class Equated:
    """Attention with random numbers, worked out here."""

    random: np.random.Generator

    def __post_init__(self) -> None:
        rows, wide, columns = self.random.integers(3, 5, size=3)
        self.X = np.round(self.random.normal(size=(rows, wide)), 1)
        self.W = [np.round(self.random.normal(size=(wide, columns)), 1) for _ in range(3)]
        self.Q, self.K, self.V = (self.X @ W for W in self.W)
        self.S = self.Q @ self.K.T
        self.wide = columns

    def page(self) -> Page:
        page = Page().has("X", self.X, "input")
        for name, values in zip("QKV", self.W, strict=True):
            page.has(f"W_{name}", values, "weight_matrix")
        for name, values, role in zip("QKV", (self.Q, self.K, self.V), ("query", "key", "value"), strict=True):
            page.has(name, values, role, figures=3)
        return page


HIDDEN: dict[str, Callable[[Equated], DoubleArray]] = {
    "S_T": lambda c: c.S / np.sqrt(c.wide),
    "softmax(Q K.T)": lambda c: softmax(c.S),
    "softmax(Q K.T / sqrt({}))": lambda c: softmax(c.S / np.sqrt(c.wide)),
    "softmax(causal_mask(Q K.T / sqrt({})))": lambda c: softmax(causal(c.S / np.sqrt(c.wide))),
    "softmax(Q K.T / sqrt({}), axis=0)": lambda c: softmax(c.S.T / np.sqrt(c.wide)).T,
    "softmax(Q K.T / sqrt({})) V": lambda c: softmax(c.S / np.sqrt(c.wide)) @ c.V,
    "softmax(causal_mask(Q K.T / sqrt({}))) V": lambda c: softmax(causal(c.S / np.sqrt(c.wide))) @ c.V,
}


@pytest.mark.parametrize("wanted", HIDDEN)
def test_hidden_parameters_of_attention(wanted: str) -> None:
    for seed in range(4):
        chain = Equated(np.random.default_rng(seed))
        found = chain.page().found(rounded(HIDDEN[wanted](chain), 4))
        assert found.agrees == found.of
        if wanted != "S_T":
            assert found.formula == wanted.format(chain.wide)


@pytest.mark.parametrize("epsilon", [Fraction(0), Fraction(1, 10**5), Fraction(1, 1000)])
def test_epsilon_of_a_norm(epsilon: Fraction) -> None:
    random = np.random.default_rng(7)
    X = np.round(random.normal(size=(3, 4)) / 10, 2)
    found = Page().has("X", X, "input").found(rounded(normed(X, float(epsilon)), 4))
    assert dict(found.recipe.numbers)["epsilon"] == epsilon  # type: ignore[union-attr]
    assert found.hidden == ((f"ε = {epsilon}",) if epsilon else ())


def test_gamma_and_beta() -> None:
    random = np.random.default_rng(9)
    X, g, b = (np.round(random.normal(size=shape), 1) for shape in ((3, 4), (1, 4), (1, 4)))
    page = Page().has("X", X, "input").has("γ", g).has("β", b)
    assert page.formula(rounded(normed(X) * g + b, 4)) == "layer_norm(X, eps=1/100000, gamma=γ, beta=β)"


def test_residual_then_norm_and_linear_layer() -> None:
    chain = Equated(np.random.default_rng(3))
    random = np.random.default_rng(4)
    output, b = random.normal(size=chain.X.shape), np.round(random.normal(size=(1, chain.wide)), 1)
    page = chain.page().has("O", output, "output", figures=4).has("b", b, "bias")
    total = chain.X + output
    assert sorted((page.formula(rounded(total, 4)) or "").split(" + ")) == ["O", "X"]
    assert (page.formula(rounded(normed(total), 5)) or "").startswith("layer_norm(")
    assert page.formula(rounded(np.maximum(chain.X @ chain.W[0] + b, 0), 4)) == "relu(X W_Q + b)"


def test_one_wrong_figure_where_words_say_what_it_is() -> None:
    for seed in range(8):
        chain = Equated(np.random.default_rng(seed))
        page = chain.page().has("S", chain.S, "scores", figures=4)
        A = softmax(chain.S / np.sqrt(chain.wide))
        page.has("A", A, "weights", figures=4)
        wrong = A @ chain.V
        wrong[1, 1] += 0.5
        found = page.found(rounded(wrong, 4, roles=("output",)))
        assert (found.formula, found.agrees) == ("A V", found.of - 1)


@pytest.mark.long
def test_what_follows_from_nothing() -> None:
    """Of figures that nobody worked out hardly any are explained, even with words that speak of softmax."""
    asked = explained = 0
    for seed in range(8):
        random = np.random.default_rng(seed)
        chain = Equated(random)
        page = chain.page().has("S", chain.S, "scores", figures=4)
        rows, wide = chain.S.shape[0], chain.wide
        for target in (
            rounded(random.normal(size=(rows, wide)), 2),
            rounded(random.normal(size=(rows, wide)), 1),
            rounded(random.dirichlet(np.ones(rows), size=rows), 2),
            rounded(random.dirichlet(np.ones(rows), size=rows), 2, roles=("weights",), does=("softmax",)),
            rounded(random.normal(size=(rows, wide)), 2, roles=("output",)),
            rounded(random.normal(size=(1, wide)), 2),
            rounded(random.normal(size=(1, 1)), 3),
        ):
            asked += 1
            explained += page.asked(target) is not None
    assert explained <= asked // 60


def test_work_is_bounded() -> None:
    random = np.random.default_rng(0)
    page = Page()
    for i in range(30):
        page.has(f"M_{i}", random.normal(size=(8, 8)))
    assert search(rounded(random.normal(size=(8, 8)), 3), page.known, budget=10_000) is None


# -- recipes -----------------------------------------------------------------------------------------------------------

GIVEN = {
    name: (operands, eval(f"dict({numbers})"))  # noqa: S307 - from the file beside this one
    for name, operands, numbers in re.findall(
        r"^(\w+)([\w ]*)(?: \| (.*))?$", Path(__file__).with_name("rules.txt").read_text(encoding="utf-8"), re.MULTILINE
    )
}
"""What a rule is applied to, and with which numbers; to one matrix and no number where it is not there."""


@pytest.mark.parametrize("name", RULES)
def test_rules_of_doubles_and_of_balls_agree(name: str) -> None:
    random = np.random.default_rng(5)
    values = {
        letter: np.round(random.uniform(0.2, 2, size=shape), 2)
        for letter, shape in {"A": (3, 4), "B": (3, 4), "C": (4, 2), "c": (1, 1), "g": (1, 4)}.items()
    }
    operands, numbers = GIVEN.get(name, ("A", {}))
    recipe = RecipeStep(name, tuple(map(Leaf, operands.split())), tuple(numbers.items()))
    exact = worked(recipe, {letter: rows_of(each) for letter, each in values.items()})
    assert formula(recipe)
    assert set(leaves(recipe)) <= set(values)
    np.testing.assert_allclose([[float(x.mid()) for x in row] for row in exact], tried(recipe, values), atol=1e-12)


def rows_of(values: DoubleArray) -> BallMatrix:
    return [[arb(fmpq(round(float(x) * 100), 100)) for x in row] for row in values]
