"""Mistakes find their place in any derivation, and nowhere else; the order of what they find never changes."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np
import pytest

from symattn.base.errors import ScenarioError, UnknownNameError
from symattn.claims.mistakes.model import Change, Mistake, bank, changed, mistake_text
from symattn.claims.mistakes.rounding import EVERYWHERE
from symattn.claims.mistakes.subject import Subject
from symattn.compute.solution import Solution
from symattn.read.catalogue import entries, plan
from symattn.read.given import Given
from symattn.read.plan import Plan, names_in
from symattn.read.scenario.load import builtin_names
from tests.cases import solved
from tests.mistakes.mistaken import Case, changes_of

TOPICS = (*EVERYWHERE, "shape-of-product", "parameter-count", "operation-count")
SIZES = {"n": 3, "d_k": 4}
QKV = {"Q": (3, 4), "K": (3, 4), "V": (3, 2)}

# -- the same mistake however the steps are cut ------------------------------------------------------------------

TOGETHER = ("O = softmax(Q @ K.T / sqrt(d_k)) @ V",)
APART = ("S = Q @ K.T", "T = S / sqrt(d_k)", "A = softmax(T)", "O = A @ V")
NAMED = ("K_T = K.T", "S = Q @ K_T", "T = (1/sqrt(d_k)) * S", "A = softmax(T)", "O = A @ V")
WRITTEN_OUT = (
    "S = Q @ K.T / sqrt(d_k)",
    "E = exp(S)",
    "l = E @ ones(3, 1)",
    "A = divide(E, l @ ones(1, 3))",
    "O = A @ V",
)
IN_SHARES = ("T = Q @ K.T / sqrt(d_k)", "O = proportions(exp(T)) @ V")
IN_ATTENTION = (
    "scale-forgotten", "divided-by-width", "multiplied-by-root", "root-of-token-count", "softmax-over-columns",
    "softmax-over-all", "softmax-base-two", "softmax-base-ten", "exponentials-without-dividing",
    "shares-without-exponentials", "product-reversed", "weights-transposed",
)  # fmt: skip

MASKED_TOGETHER = ("O = softmax(Q @ K.T / sqrt(d_k) + causal_mask(n)) @ V",)
MASKED_APART = ("S = Q @ K.T", "T = S / sqrt(d_k)", "M = T + causal_mask(n)", "A = softmax(M)", "O = A @ V")
MASK_NAMED = ("C = causal_mask(n)", "M = Q @ K.T / sqrt(d_k) + C", "O = softmax(M) @ V")
IN_MASKS = (
    "scale-forgotten", "scaled-after-softmax", "mask-forgotten", "mask-of-zero", "mask-after-softmax",
    "mask-the-wrong-way", "mask-one-too-late", "shares-without-exponentials", "exponentials-without-dividing",
)  # fmt: skip

NETWORK = {"X": (3, 4), "W_1": (4, 4), "b_1": (1, 4), "W_2": (4, 4)}
LAYER_TOGETHER = ("Y = X + relu(X @ W_1 + broadcast(b_1, 3)) @ W_2",)
LAYER_APART = ("Z = X @ W_1", "B = broadcast(b_1, 3)", "C = Z + B", "H = relu(C)", "F = H @ W_2", "Y = F + X")
IN_LAYERS = (
    "bias-forgotten", "bias-before-the-product", "residual-forgotten", "relu-forgotten", "absolute-value-for-relu",
    "relu-before-the-product",
)  # fmt: skip

HEADS = {"Q": (3, 4), "K": (3, 4), "V": (3, 4), "W_O": (4, 4)}
HEADS_TOGETHER = (
    "Y = concat(softmax(head(Q, 1, 2) @ head(K, 1, 2).T / sqrt(2)) @ head(V, 1, 2), "
    "softmax(head(Q, 2, 2) @ head(K, 2, 2).T / sqrt(2)) @ head(V, 2, 2)) @ W_O",
)
HEADS_APART = (
    *(f"{name}_{t} = head({name}, {t}, 2)" for t in (1, 2) for name in "QKV"),
    *(f"S_{t} = Q_{t} @ K_{t}.T / sqrt(2)" for t in (1, 2)),
    *(f"A_{t} = softmax(S_{t})" for t in (1, 2)),
    *(f"O_{t} = A_{t} @ V_{t}" for t in (1, 2)),
    "H = concat(O_1, O_2)",
    "Y = H @ W_O",
)
IN_HEADS = ("scale-forgotten", "softmax-over-columns", "root-of-model-width", "heads-split-by-rows",
            "output-projection-forgotten")  # fmt: skip

BACKWARD = {**QKV, "dO": (3, 2)}
BACK_TOGETHER = (
    "A = softmax(Q @ K.T / sqrt(d_k))",
    "dA = dO @ V.T",
    "dS = A * (dA - (A * dA) @ ones(n, 1) @ ones(1, n))",
    "dQ = dS @ K / sqrt(d_k)",
)
BACK_APART = (
    *(*APART[:3], "dA = dO @ V.T", "P = A * dA", "r = P @ ones(n, 1)", "D = dA - r @ ones(1, n)", "dS = D * A"),
    *("U = dS @ K", "dQ = U / sqrt(d_k)"),
)
BACK_BROADCAST = (*BACK_TOGETHER[:2], "dS = A * (dA - row_sum(dA * A))", BACK_TOGETHER[-1])
IN_BACKWARD = ("softmax-entry-by-entry", "softmax-terms-added", "softmax-own-term-forgotten")

TWICE = (
    *((QKV, TOGETHER, other, IN_ATTENTION) for other in (APART, NAMED, WRITTEN_OUT, IN_SHARES)),
    *((QKV, MASKED_TOGETHER, other, IN_MASKS) for other in (MASKED_APART, MASK_NAMED)),
    (NETWORK, LAYER_TOGETHER, LAYER_APART, IN_LAYERS),
    (HEADS, HEADS_TOGETHER, HEADS_APART, IN_HEADS),
    *((BACKWARD, BACK_TOGETHER, other, IN_BACKWARD) for other in (BACK_APART, BACK_BROADCAST)),
    (BACKWARD, BACK_TOGETHER, BACK_APART, ("backward-scale-forgotten",)),
)


@pytest.mark.sampled(21)
@pytest.mark.parametrize(
    ("given", "one", "other", "name"),
    [(given, one, other, name) for given, one, other, names in TWICE for name in names],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_mistake_gives_the_same_in_one_step_as_in_several(
    given: dict[str, tuple[int, int]], one: tuple[str, ...], other: tuple[str, ...], name: str
) -> None:
    first, second = (Case(name, given, steps, lambda g: g, sizes=SIZES, start=1) for steps in (one, other))
    last = one[-1].partition(" = ")[0]
    results, others = (list(wrong_results(case, last)) for case in (first, second))
    assert results
    assert len(results) == len(others)
    for result in results:
        assert any(np.allclose(result, found, rtol=1e-12, atol=1e-12) for found in others)


def wrong_results(case: Case, last: str) -> Iterator[np.ndarray]:
    """What the last step comes to, for every way to make the mistake."""
    givens = {name: Given.read(rows) for name, rows in case.matrices.items()}
    for change in changes_of(case.mistake, Subject(case.plan)):
        yield Solution(changed(case.plan, change), givens).float64(last)


def test_who_forgets_the_scale_in_one_head_may_forget_it_in_the_other_too() -> None:
    case = Case("scale-forgotten", HEADS, HEADS_APART, lambda g: g)
    changes = tuple(changes_of("scale-forgotten", Subject(case.plan)))
    assert [tuple(change.formulas) for change in changes] == [("S_1",), ("S_2",), ("S_1", "S_2")]


@pytest.mark.parametrize("steps", [APART, NAMED, MASKED_APART])
def test_a_softmax_of_unscaled_scores_leaves_the_scaled_ones_right(steps: tuple[str, ...]) -> None:
    changes = changes_of("softmax-of-unscaled-scores", Subject(Case("", QKV, steps, lambda g: g, sizes=SIZES).plan))
    assert [tuple(change.formulas) for change in changes] == [("A",)]


def test_places_in_one_another_are_not_changed_together() -> None:
    changes = changes_of("softmax-over-all", Subject(Case("", QKV, ("A = softmax(softmax(Q))",), lambda g: g).plan))
    assert len({change.formulas["A"] for change in changes}) == len(changes) == 2


# -- nothing where there is nothing to do wrong ------------------------------------------------------------------

NOWHERE = (
    ({"X": (3, 2), "W": (2, 4)}, "Y = X @ W", "key-not-transposed"),
    ({"X": (3, 2), "W": (2, 4)}, "Y = X @ W", "product-reversed"),
    ({"X": (3, 2), "W": (2, 4)}, "Y = X @ W", "weight-transposed"),
    ({"X": (3, 2), "W": (2, 4)}, "Y = X @ W", "entry-by-entry-product"),
    ({"Q": (3, 4), "K": (3, 4)}, "S = Q @ K.T", "key-not-transposed"),
    ({"X": (3, 4)}, "S = X @ X.T", "product-reversed"),
    ({"q": (1, 4), "k": (1, 4)}, "s = q @ k.T", "product-reversed"),
    ({"X": (3, 4)}, "s = row(X, 2) @ row(X, 3).T", "query-and-key-exchanged"),
    ({"X": (3, 4)}, "s = row(X, 1) @ X.T", "first-row-instead"),
    ({"s": (1, 3)}, "a = softmax(s)", "softmax-over-columns"),
    ({"s": (1, 3)}, "a = softmax(s)", "softmax-over-all"),
    ({"s": (1, 3)}, "a = softmax(s)", "scale-forgotten"),
    ({"s": (3, 1)}, "a = softmax(s)", "hardmax"),
    ({"Q": (3, 4), "K": (3, 4)}, "A = softmax(Q @ K.T / sqrt(4))", "softmax-of-unscaled-scores"),
    ({"s": (1, 3)}, "a = softmax(s)", "mask-forgotten"),
    ({"X": (3, 3)}, "Y = X / 2", "scale-forgotten"),
    ({"Q": (3, 1), "K": (3, 1)}, "S = Q @ K.T / sqrt(1)", "divided-by-width"),
    ({"X": (3, 4)}, "A = softmax(X @ X.T / 10)", "divided-by-width"),
    ({"S": (3, 3)}, "A = softmax(S / 10)", "divided-by-width"),
    ({"X": (3, 4)}, "Y = X / sqrt(4)", "scale-forgotten"),
    ({"X": (3, 4)}, "Y = X / sqrt(4)", "divided-by-width"),
    ({"Q": (4, 4), "K": (4, 4)}, "S = Q @ K.T / sqrt(4)", "root-of-token-count"),
    ({"Q": (4, 4), "K": (4, 4)}, "S = Q @ K.T / sqrt(4)", "root-of-model-width"),
    ({"S": (2, 2)}, "A = softmax(S + causal_mask(2))", "mask-one-too-late"),
    ({"S": (2, 2)}, "A = softmax(S + padding_mask(2, 2, 2))", "mask-the-wrong-way"),
    ({"X": (3, 2), "P": (3, 2)}, "H = X + P", "bias-forgotten"),
    ({"x": (1, 2)}, "c = x - x @ ones(2, 2) / 2", "bias-forgotten"),
    ({"X": (3, 2), "P": (3, 2)}, "H = X + P", "residual-forgotten"),
    ({"X": (3, 2)}, "C = X - X @ ones(2, 2) / 2", "residual-forgotten"),
    ({"X": (3, 2), "W": (2, 4), "b": (1, 4)}, "Y = X @ W + broadcast(b, 3)", "bias-before-the-product"),
    ({"X": (3, 2), "W": (2, 4), "b": (1, 4)}, "Y = X @ W + broadcast(b, 3)", "values-forgotten"),
    ({"X": (3, 2), "Y": (3, 3)}, "C = concat(X, Y)", "heads-averaged"),
    ({"Q": (3, 2), "K": (4, 2), "G": (3, 4)}, "C = hadamard(Q @ K.T, G)", "product-reversed"),
    ({"Q": (3, 2), "K": (4, 2), "G": (3, 4)}, "C = Q @ K.T + G", "product-reversed"),
    ({"Q": (1, 4)}, "P = head(Q, 2, 2)", "heads-split-by-rows"),
    ({"x": (1, 4)}, "y = layer_norm(x)", "norm-over-tokens"),
    ({"x": (1, 4)}, "y = layer_norm(x)", "gain-forgotten"),
    ({"x": (1, 4)}, "y = layer_norm(x)", "shift-forgotten"),
    ({"x": (1, 4)}, "y = layer_norm(x, epsilon=0)", "epsilon-forgotten"),
    ({"x": (1, 4)}, "y = rms_norm(x)", "mean-not-subtracted"),
    ({"x": (1, 4)}, "y = layer_norm(x)", "mean-subtracted"),
    ({"q": (1, 4)}, "r = rotary(q)", "turned-the-wrong-way"),
    ({"q": (2, 2)}, "r = rotary(q)", "halves-paired"),
    ({"q": (2, 2)}, "r = rotary(q, base=100, start=3)", "usual-base-instead"),
    ({"q": (2, 4)}, "r = rotary(q)", "usual-base-instead"),
    ({"q": (2, 4)}, "r = rotary(q)", "positions-from-zero"),
    ({"q": (2, 4)}, "r = rotary(q, start=1)", "position-one-too-early"),
    ({"x": (1, 4), "g": (1, 4)}, "y = rms_norm(x, gamma=g)", "shift-before-gain"),
    ({"Q": (4, 4), "K": (4, 4)}, "A = softmax(Q @ K.T / sqrt(4))", "scaled-twice"),
    ({"S": (2, 2)}, "A = softmax(S + causal_mask(2))", "softmax-of-unmasked-scores"),
    ({"S": (1, 4)}, "m = row_max(S)", "old-maximum-forgotten"),
    ({"A": (2, 2)}, "B = A.T", "rounded-too-early"),
    ({"dS": (3, 3), "K": (3, 4), "Q": (3, 4)}, "dQ = dS @ K / sqrt(4)", "scale-forgotten"),
    ({"Q": (3, 4), "K": (3, 4)}, "S = Q @ K.T / sqrt(4)", "backward-scale-forgotten"),
    ({"dY": (3, 3), "W": (3, 3), "X": (3, 3)}, "dX = dY @ W.T", "key-not-transposed"),
    ({"Q": (3, 3), "K": (3, 3)}, "S = Q @ K.T", "backward-transpose-forgotten"),
    ({"X": (3, 2), "T": (3, 2)}, "Y = X - T / 2", "step-uphill"),
    ({"X": (3, 2), "T": (3, 2)}, "Y = X - T", "error-reversed"),
    ({"dY": (3, 2), "dX_F": (3, 2), "X": (3, 2)}, "dX = dY + dX_F", "residual-forgotten"),
    ({"M": (3, 2), "N": (3, 2)}, "A = M / 2 + N / 2", "decay-on-the-wrong-side"),
    # What is said of these is untrue where the lesson itself works along columns, or from the lowest score.
    ({"S": (3, 4)}, "A = softmax(S, axis=0)", "softmax-over-columns"),
    ({"S": (3, 4)}, "A = softmax(S, axis=0)", "softmax-over-all"),
    ({"S": (3, 4)}, "A = softmax(S, axis=0)", "hardmax"),
    ({"X": (3, 4)}, "Y = layer_norm(X, axis=0)", "norm-over-tokens"),
    ({"X": (3, 4)}, "Y = rms_norm(X, axis=0)", "norm-over-tokens"),
    ({"K": (3, 4), "Q": (3, 4)}, "A = softmax(K @ Q.T + causal_mask(3).T, axis=0)", "mask-the-wrong-way"),
    ({"K": (3, 4), "Q": (3, 4)}, "A = softmax(K @ Q.T + causal_mask(3).T, axis=0)", "mask-one-too-late"),
    ({"X": (3, 3), "Y": (3, 3)}, "A = softmax((X @ Y.T) / sqrt(3), axis=0)", "product-reversed"),
    ({"X": (3, 3), "Y": (3, 3)}, "A = softmax((X @ Y.T) / sqrt(3), axis=0)", "key-not-transposed"),
    ({"K": (3, 3), "Q": (3, 3)}, "S = K @ Q.T", "product-reversed"),
    ({"k_1": (1, 3), "Q": (3, 3)}, "s = k_1 @ Q.T", "product-reversed"),
    ({"S": (3, 3), "V": (3, 3)}, "O = V @ softmax(S, axis=0)", "key-not-transposed"),
    ({"D": (3, 3)}, "A = softmax(-D)", "softmax-of-negated-scores"),
    ({"D": (3, 3)}, "A = softmax(-D / 2 + causal_mask(3))", "softmax-of-negated-scores"),
)  # fmt: skip


@pytest.mark.parametrize(("given", "step", "name"), NOWHERE)
def test_a_mistake_that_cannot_be_made_makes_no_change(given: dict[str, tuple[int, int]], step: str, name: str) -> None:
    assert list(changes_of(name, Subject(Case(name, given, (step,), lambda g: g).plan))) == []


# -- in every derivation that there is ---------------------------------------------------------------------------

EXAMPLES = {entry.name: entry.example for entry in entries()}


def subject_of(name: str) -> Subject:
    """A scenario of ours, or an entry of the catalogue."""
    if name in EXAMPLES:
        return Subject(plan(name, {}, EXAMPLES[name]))
    scenario = solved(name).scenario
    return Subject(scenario.derivation, scenario.quantities)


def all_changes(subject: Subject) -> Iterator[tuple[Mistake, Change]]:
    for mistake in bank():
        yield from ((mistake, change) for change in mistake.rewrite(subject))


@pytest.mark.long
@pytest.mark.parametrize("name", [*builtin_names(), *EXAMPLES])
def test_changed_formulas_speak_only_of_what_stands_before_them(name: str) -> None:
    subject = subject_of(name)
    order = [step.name for step in subject.plan.steps]
    for mistake, change in all_changes(subject):
        assert bool(change.formulas) + bool(change.quantities) + (change.rounded_to is not None) == 1, mistake.name
        assert change.step in (*order, *subject.quantities), mistake.name
        for step, formula in change.formulas.items():
            assert formula != subject.plan[step].formula, mistake.name
            assert all(order.index(used) < order.index(step) for used in names_in(formula)), mistake.name


@pytest.mark.parametrize("name", ["weather", "ironman"])
def test_what_is_left_of_a_scenario_after_a_mistake_can_be_worked_out(name: str) -> None:
    scenario = solved(name).scenario
    givens = {given: found.given for given, found in scenario.givens.items()}
    for mistake, change in all_changes(Subject(scenario.derivation, scenario.quantities)):
        left: Plan = changed(scenario.derivation, change)
        solution = Solution(left, givens)
        for step in change.formulas:
            assert step in left.by_name, mistake.name
            with np.errstate(all="ignore"):
                assert solution.float64(step).shape == left[step].shape.sizes, mistake.name


# -- names and words ---------------------------------------------------------------------------------------------

LANGUAGES = ("en", "zh-Hant", "zh-Hans")


def test_every_mistake_has_a_name_and_topics_that_there_are() -> None:
    names = [mistake.name for mistake in bank()]
    assert len(set(names)) == len(names) >= 25
    for mistake in bank():
        assert re.fullmatch(r"[a-z]+(-[a-z]+)*", mistake.name)
        assert mistake.topics
        assert set(mistake.topics) <= set(TOPICS)
        assert mistake.kinds


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_mistake_is_explained_in_every_language_and_no_two_in_the_same_words(language: str) -> None:
    sentences: dict[str, str] = {}
    for mistake in bank():
        texts = {what: mistake_text(mistake.name, what, language) for what in ("title", "feedback", "hint")}
        assert not re.search(r"[0-9{}]", "".join(texts.values())), mistake.name
        assert texts["hint"].endswith(("?", "？", ".", "。"))
        assert len(texts["title"]) <= 40
        for text in texts.values():
            # A lesson has names of its own, so that a text says "the weights", never "A", and "the gain", never "γ".
            assert not re.search(r"(?<![A-Za-z])[A-Z](?![A-Za-z])|[a-z]_[a-z]|[α-δζ-ω]|√", text.replace("A ", "")), text
            for sentence in re.split(r"(?<=[.!?。！？])\s*", text):
                if sentence:
                    assert sentence not in sentences, (mistake.name, sentences[sentence])
                    sentences[sentence] = mistake.name


def test_words_that_are_missing_are_asked_for() -> None:
    with pytest.raises(ScenarioError, match=r"language/en/mistakes.toml: \[no-such-mistake\] has no title"):
        mistake_text("no-such-mistake", "title", "en")
    with pytest.raises(UnknownNameError, match="unknown language 'de'"):
        mistake_text("scale-forgotten", "title", "de")
