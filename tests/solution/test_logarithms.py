"""Scores that are logarithms: their weights are known as rationals through a whole chain of steps, and printed so."""

from __future__ import annotations

import numpy as np
import pytest
from flint import fmpq, fmpq_mat
from sympy import log

from symattn.document.notation.numerals import number
from symattn.given import Given
from symattn.plan import Plan
from symattn.render.tex import Mode, tex
from symattn.shapes import shape
from symattn.solution import logarithms
from symattn.solution.core import Solution
from symattn.solution.proofs import equal_entries

ROWS = {"S": [["log(1)", "log(2)", "log(3)"]]}
CHAIN = {"Q": [["2*log(2)", "log(9)"], ["log(2)", "0"]], "K": [["1", "0"], ["1", "1"]], "V": [["1", "2"], ["3", "4"]]}
STEPS = (
    ("S", "Q @ K.T"),
    ("T", "S / sqrt(4)"),
    ("M", "T + causal_mask(2)"),
    ("A", "softmax(T)"),
    ("C", "softmax(M)"),
    ("Z", "softmax(Q @ K.T / sqrt(4)) @ V"),
)


def solved(givens: dict[str, list[list[str]]], steps: tuple[tuple[str, str], ...]) -> Solution:
    plan = Plan()
    for name, rows in givens.items():
        plan = plan.given(name, shape(len(rows), len(rows[0])))
    for name, formula in steps:
        plan = plan.step(name, formula)
    return Solution(plan, {name: Given.read(rows) for name, rows in givens.items()})


def test_a_chain_of_steps_keeps_its_logarithms() -> None:
    solution = solved(CHAIN, STEPS)

    assert solution.rational("S") is None
    # Q Kᵀ / 2 is (ln 2, ln 6), (½ ln 2, ½ ln 2).
    assert solution.rational("A") == fmpq_mat([[fmpq(1, 4), fmpq(3, 4)], [fmpq(1, 2), fmpq(1, 2)]])
    assert solution.rational("C") == fmpq_mat([[1, 0], [fmpq(1, 2), fmpq(1, 2)]])
    assert solution.rational("Z") == fmpq_mat([[fmpq(5, 2), fmpq(7, 2)], [2, 3]])
    assert [[figure.text for figure in row] for row in solution.figures("A")] == [["0.25", "0.75"], ["0.50", "0.50"]]


def test_every_road_gives_what_numpy_gives() -> None:
    solution = solved(CHAIN, STEPS)
    q = np.array([[2 * np.log(2), np.log(9)], [np.log(2), 0]])
    scores = q @ np.array([[1, 0], [1, 1]]).T / 2
    weights = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)

    assert np.allclose(solution.float64("A"), weights)
    assert np.allclose(np.array(solution.exact_value("A").tolist(), dtype=float), weights)
    assert np.allclose([float(x.mid()) for x in solution.enclosure("A", 64).entries()], weights.ravel())
    assert np.allclose([float(x.p) / float(x.q) for x in solution.store.rational_entries("A") or []], weights.ravel())


def test_what_is_equal_is_proved_to_be() -> None:
    solution = solved(CHAIN, STEPS)

    assert equal_entries(solution.store, "S", 2, 3)
    assert equal_entries(solution.store, "S", 0, 1) is False
    assert solution.equals("S", 2, log(2))
    assert solution.equals("S", 1, log(36))
    assert solution.ranking("A", 1) == ((0, 1),)


def test_printed_scores_have_printed_weights() -> None:
    """Whoever goes on with rounded figures does not get the rational weights."""
    plan = Plan().given("S", shape(1, 3)).step("A", "softmax(S)")
    exact = solved(ROWS, (("A", "softmax(S)"),))
    style = type(exact.style)(carry="rounded", decimals=2)

    rounded = Solution(plan, {"S": Given.read(ROWS["S"])}, style)

    assert rounded.rational("A") is None
    assert [figure.text for figure in rounded.figures("A")[0]] == ["0.17", "0.33", "0.50"]


def test_printed_scores_beside_minus_infinity_have_printed_weights_too() -> None:
    """Figures with a −∞ among them are not read back as one rational matrix; the scores are still the printed ones."""
    exact = solved({"S": [["log(2)", "log(3)", "-oo"]]}, (("A", "softmax(S)"),))

    rounded = Solution(exact.derivation, exact.givens, type(exact.style)(carry="rounded", decimals=1))

    assert exact.rational("A") == fmpq_mat([[fmpq(2, 5), fmpq(3, 5), 0]])
    assert rounded.rational("A") is None


def test_nobody_looks_for_logarithms_where_none_are_given(monkeypatch: pytest.MonkeyPatch) -> None:
    solution = solved({"S": [["1", "2"]]}, (("A", "softmax(S)"), ("B", "softmax(A)")))
    monkeypatch.setattr(logarithms, "logs", None)

    assert solution.rational("B") is None


@pytest.mark.parametrize(
    ("value", "display", "inline"),
    [
        (log(2), r"\mathrm{ln}\thinspace 2", r"\mathrm{ln}\thinspace 2"),
        (-2 * log(3), r"-2\thinspace \mathrm{ln}\thinspace 3", r"-2\thinspace \mathrm{ln}\thinspace 3"),
        (log(6) / 2, r"\frac{\mathrm{ln}(6)}{2}", r"\mathrm{ln}(6)/2"),
        (log(2) + 1, r"\mathrm{ln}\thinspace 2 + 1", r"\mathrm{ln}\thinspace 2 + 1"),
    ],
    ids=str,
)
def test_logarithms_are_written_so_that_a_slash_is_not_misread(value: object, display: str, inline: str) -> None:
    assert tex(number(value)) == display
    assert tex(number(value), Mode(inline=True)) == inline
