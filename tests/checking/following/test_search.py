"""Explanations that nobody wrote: they are found where there are any, and none is found where there are none."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
import pytest
from flint import arb, fmpq

from symattn.checking.following import worlds
from symattn.checking.following.candidates import Known
from symattn.checking.following.evaluate import Appraiser
from symattn.checking.following.recipes import named, operations
from symattn.checking.following.rows import BallMatrix
from symattn.checking.following.scope import Followed, Memory
from symattn.checking.following.search import FoundFormula, Target, search
from symattn.checking.following.written import Called
from symattn.checking.reading.shown import shown
from symattn.compute.values.float64 import DoubleArray
from tests.checking.plantings.steps import causal, softmax


def matrix(text: str) -> DoubleArray:
    return np.array([[float(figure.replace("∞", "inf")) for figure in row.split()] for row in text.split("/")])


def printed(text: str, roles: tuple[str, ...] = (), does: tuple[str, ...] = ()) -> Target:
    units = [[10.0 ** -len(figure.partition(".")[2]) for figure in row.split()] for row in text.split("/")]
    return Target(matrix(text), np.array(units), roles, does)


def rounded(values: DoubleArray, places: int, **said: tuple[str, ...]) -> Target:
    return Target(np.round(values, places), np.full(values.shape, 10.0**-places), **said)


@dataclass
class Page:
    """What is known on a page."""

    known: list[Known] = field(default_factory=list)

    def has(self, name: str, values: DoubleArray | str, *roles: str, figures: str | int | None = None) -> Page:
        true = matrix(values) if isinstance(values, str) else values
        rounded = np.round(true, figures) if isinstance(figures, int) else matrix(figures) if figures else None
        self.known.append(Known(named(name), len(self.known), true, rounded, roles, figures is None))
        return self

    def asked(self, target: Target) -> FoundFormula | None:
        return search(target, self.known)

    def found(self, target: Target) -> FoundFormula:
        found = self.asked(target)
        assert found is not None
        return found

    def formula(self, target: Target) -> str | None:
        found = self.asked(target)
        return None if found is None else shown(found.formula)


def normed(x: DoubleArray, epsilon: float = 1e-5) -> DoubleArray:
    return np.asarray((x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + epsilon))


# -- pages of people ---------------------------------------------------------------------------------------------------


def test_softmax_that_went_wrong_in_every_row_but_one() -> None:
    X = matrix("1 0 1 0/0 1 0 1/1 1 0 0")
    Q, K = X @ matrix("1 0/0 1/1 0/0 1"), X @ matrix("0 1/1 0/0 1/1 0")
    page = Page().has("Q", Q, "query", figures=0).has("K", K, "key", figures=0)
    page.has("S", Q @ K.T, "scores", figures=0)
    figures = "0 2.83 1.41/2.83 0 1.41/1.41 1.41 1.41"
    scaled = page.found(printed(figures, does=("scale",)))
    assert (shown(scaled.formula), scaled.operation) == ("S / sqrt(2)", "scaled")
    page.has("T", Q @ K.T / np.sqrt(2), "scaled", figures=figures)
    # One distinct number that agrees, however often it stands there, does not say that six others are wrong.
    wrong = "0.06 0.70 0.24/0.70 0.06 0.24/0.33 0.33 0.33"
    assert page.asked(printed(wrong, does=("softmax",))) is None


def test_mask_from_figures_that_are_wrong() -> None:
    figures = "0.5 0.5 1.0/0.5 0.5 0.0/0.5 0.0 0.5"
    page = Page().has("S", "0.5 0.5 1/0.5 0.5 0/1 0 0.5", "scores", figures=figures)
    found = page.found(printed("0.5 -∞ -∞/0.5 0.5 -∞/0.5 0.0 0.5", does=("causal_mask",)))
    assert (shown(found.formula), found.agrees) == ("causal_mask(S)", 9)
    page.has("M", causal(page.known[0].true), "masked", figures="0.5 -∞ -∞/0.5 0.5 -∞/0.5 0.0 0.5")
    assert page.formula(printed("0.62 0 0.38", ("weights",), ("softmax",))) is None
    assert page.formula(printed("0.51 0.19 0.31", ("weights",), ("softmax",))) == "softmax(M)[2]"


def test_row_by_row_of_a_norm() -> None:
    page = Page().has("X", "1.0 0.5 -0.5 0.2/0.3 -0.7 1.2 0.4/0.8 0.1 0.3 -0.6", "input")
    assert page.formula(printed("0.6205", does=("rms_norm",))) == "sqrt(mean(X^2))[0, 0]"
    assert page.formula(printed("1.612 0.806 -0.806 0.322")) == "rms_norm(X, eps=0)[0]"
    figures = "1.612 0.806 -0.806 0.322/0.205 -0.478 0.819 0.273/0.762 0.095 0.286 -0.572"
    found = page.found(printed(figures, does=("rms_norm",)))
    assert (shown(found.formula), found.agrees) == ("rms_norm(X, eps=0)", 4)
    assert page.asked(printed(figures)) is None


def test_shares_of_a_sum_and_softmax() -> None:
    rows = "0.43 0.15 0.89/0.55 0.87 0.66/0.57 0.85 0.64/0.22 0.58 0.33/0.77 0.25 0.10/0.05 0.80 0.55"
    X = matrix(rows)
    page = Page().has("X", rows, "input")
    assert page.formula(printed("0.9544 1.4950 1.4754 0.8434 0.7070 1.0865")) == "(X @ X^T)[1]"
    page.has("s", X[1:2] @ X.T, "scores", figures=4)
    shares = printed("0.1455 0.2278 0.2249 0.1285 0.1077 0.1656", does=("normalise",))
    assert page.formula(shares) == "proportions(s)"
    assert page.formula(printed("0.1385 0.2379 0.2333 0.1240 0.1082 0.1581")) == "softmax(s)"
    page.has("a", softmax(X[1:2] @ X.T), "weights", figures=4)
    assert page.formula(printed("1.0000", does=("sum",))) == "sum(a)"
    assert page.formula(printed("1.")) is None
    assert page.formula(printed("0.4419 0.6515 0.5683")) == "a @ X"
    assert page.formula(printed("0.4419/0.6515/0.5683")) == "(a @ X)^T"


def test_heads_and_single_numbers() -> None:
    page = Page().has("Q", "0.3 0.3 0.7 0.7/1.1 1.1 1.5 1.5", "query", figures=1)
    assert page.formula(printed("0.7 0.7/1.5 1.5", does=("heads",))) == "Q[:, 2:4]"
    page.has("a", "1.135", figures=3).has("b", "1.595", figures=3)
    assert page.formula(printed("2.730", does=("sum",))) == "b + a"


def test_the_likeliest_of_two_that_differ_is_not_guessed() -> None:
    first, second = matrix("0.11 1.37/2.09 -0.4"), matrix("0.18 1.31/2.05 -0.9")
    page = Page().has("A", first).has("B", second)
    one, other = softmax(first), softmax(second)
    assert page.formula(rounded(other, 2, does=("softmax",))) == "softmax(B)"
    assert page.asked(rounded(np.array([one[0], other[1]]), 2, does=("softmax",))) is None


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
    "softmax(Q @ K^T)": lambda c: softmax(c.S),
    "softmax(Q @ K^T / sqrt({}))": lambda c: softmax(c.S / np.sqrt(c.wide)),
    "softmax(causal_mask(Q @ K^T / sqrt({})))": lambda c: softmax(causal(c.S / np.sqrt(c.wide))),
    "softmax(Q @ K^T / sqrt({}), axis=0)": lambda c: softmax(c.S.T / np.sqrt(c.wide)).T,
    "softmax(Q @ K^T / sqrt({})) @ V": lambda c: softmax(c.S / np.sqrt(c.wide)) @ c.V,
    "softmax(causal_mask(Q @ K^T / sqrt({}))) @ V": lambda c: softmax(causal(c.S / np.sqrt(c.wide))) @ c.V,
}


@pytest.mark.parametrize("wanted", HIDDEN)
def test_hidden_parameters_of_attention(wanted: str) -> None:
    for seed in range(4):
        chain = Equated(np.random.default_rng(seed))
        found = chain.page().found(rounded(HIDDEN[wanted](chain), 4))
        assert found.agrees == found.of
        if wanted != "S_T":
            assert shown(found.formula) == wanted.format(chain.wide)


@pytest.mark.parametrize("epsilon", [Fraction(0), Fraction(1, 10**5), Fraction(1, 1000)])
def test_epsilon_of_a_norm(epsilon: Fraction) -> None:
    random = np.random.default_rng(7)
    X = np.round(random.normal(size=(3, 4)) / 10, 2)
    found = Page().has("X", X, "input").found(rounded(normed(X, float(epsilon)), 4))
    assert dict(found.formula.named)["eps"].value == epsilon  # type: ignore[union-attr]


def test_gamma_and_beta() -> None:
    random = np.random.default_rng(9)
    X, g, b = (np.round(random.normal(size=shape), 1) for shape in ((3, 4), (1, 4), (1, 4)))
    page = Page().has("X", X, "input").has("γ", g).has("β", b)
    assert page.formula(rounded(normed(X) * g + b, 4)) == "layer_norm(X, eps=1e-5) ⊙ γ + β"


def test_residual_then_norm_and_linear_layer() -> None:
    chain = Equated(np.random.default_rng(3))
    random = np.random.default_rng(4)
    output, b = random.normal(size=chain.X.shape), np.round(random.normal(size=(1, chain.wide)), 1)
    page = chain.page().has("O", output, "output", figures=4).has("b", b, "bias")
    total = chain.X + output
    assert sorted((page.formula(rounded(total, 4)) or "").split(" + ")) == ["O", "X"]
    assert (page.formula(rounded(normed(total), 5)) or "").startswith("layer_norm(")
    assert page.formula(rounded(np.maximum(chain.X @ chain.W[0] + b, 0), 4)) in ("relu(X @ W_Q + b)", "relu(Q + b)")


def test_one_wrong_figure_where_words_say_what_it_is() -> None:
    for seed in range(8):
        chain = Equated(np.random.default_rng(seed))
        page = chain.page().has("S", chain.S, "scores", figures=4)
        A = softmax(chain.S / np.sqrt(chain.wide))
        page.has("A", A, "weights", figures=4)
        wrong = A @ chain.V
        wrong[1, 1] += 0.5
        found = page.found(rounded(wrong, 4, roles=("output",)))
        assert (shown(found.formula), found.agrees) == ("A @ V", found.of - 1)


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


# -- operations --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", operations())
def test_doubles_and_formulas_of_operations_agree(name: str) -> None:
    random = np.random.default_rng(5)
    shapes = {"A": (3, 4), "B": (3, 4), "C": (4, 2), "c": (1, 1)}
    values = {letter: np.round(random.uniform(0.2, 2, size=shape), 2) for letter, shape in shapes.items()}
    other = {"product": "C", "output": "C", "scaled": "c"}.get(name, "B")
    operands = ("A", other) if operations()[name].takes_two else ("A",)
    scope = Memory()
    for letter, each in values.items():
        scope.add(Followed(0, Called(letter), worlds.known(rows_of(each), 0 if letter == "c" else 2)))
    exact = Appraiser(scope, is_code=True).value(operations()[name].written(*map(named, operands))).true
    (fast,) = operations()[name].values(*(values[each][None] for each in operands))
    assert operations()[name].shape(*(shapes[each] for each in operands)) == fast.shape
    np.testing.assert_allclose([[float(x.mid()) for x in row] for row in exact], fast, atol=1e-12)


def rows_of(values: DoubleArray) -> BallMatrix:
    return [[arb(fmpq(round(float(x) * 100), 100)) for x in row] for row in values]
