"""Scores that are logarithms: their weights are known as rationals through a whole chain of steps, and printed so."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from flint import fmpq, fmpq_mat
from sympy import log

from symattn.compute.solution import operands
from symattn.compute.solution.proofs import equal_entries
from symattn.show.notation.numerals import number
from symattn.write.tex_math import TexMath, tex

CHAIN = {"Q": [["2*log(2)", "log(9)"], ["log(2)", "0"]], "K": [["1", "0"], ["1", "1"]], "V": [["1", "2"], ["3", "4"]]}
STEPS = (
    *("S = Q @ K.T", "T = S / sqrt(4)", "M = T + causal_mask(2)", "A = softmax(T)", "C = softmax(M)"),
    "Z = softmax(Q @ K.T / sqrt(4)) @ V",
)


def test_a_chain_of_steps_keeps_its_logarithms(solve: Callable) -> None:
    solution = solve(CHAIN, *STEPS)

    assert solution.rational("S") is None
    # Q Kᵀ / 2 is (ln 2, ln 6), (½ ln 2, ½ ln 2).
    assert solution.rational("A") == fmpq_mat([[fmpq(1, 4), fmpq(3, 4)], [fmpq(1, 2), fmpq(1, 2)]])
    assert solution.rational("C") == fmpq_mat([[1, 0], [fmpq(1, 2), fmpq(1, 2)]])
    assert solution.rational("Z") == fmpq_mat([[fmpq(5, 2), fmpq(7, 2)], [2, 3]])
    assert [[figure.text for figure in row] for row in solution.figures("A")] == [["0.25", "0.75"], ["0.50", "0.50"]]


def test_every_road_gives_what_numpy_gives(solve: Callable) -> None:
    solution = solve(CHAIN, *STEPS)
    q = np.array([[2 * np.log(2), np.log(9)], [np.log(2), 0]])
    scores = q @ np.array([[1, 0], [1, 1]]).T / 2
    weights = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)

    assert np.allclose(solution.float64("A"), weights)
    assert np.allclose(np.array(solution.exact_value("A").tolist(), dtype=float), weights)
    assert np.allclose([float(x.mid()) for x in solution.enclosure("A", 64).entries()], weights.ravel())
    assert np.allclose([float(x.p) / float(x.q) for x in solution.store.rational_entries("A") or []], weights.ravel())


def test_what_is_equal_is_proved_to_be(solve: Callable) -> None:
    solution = solve(CHAIN, *STEPS)

    assert equal_entries(solution.store, "S", 2, 3)
    assert equal_entries(solution.store, "S", 0, 1) is False
    assert solution.equals("S", 2, log(2))
    assert solution.equals("S", 1, log(36))
    assert solution.ranking("A", 1) == ((0, 1),)


@pytest.mark.parametrize(
    ("scores", "decimals", "known", "shown"),
    [
        (["log(1)", "log(2)", "log(3)"], 2, [fmpq(1, 6), fmpq(1, 3), fmpq(1, 2)], ["0.17", "0.33", "0.50"]),
        # With a −∞ among them figures are not read back as one rational matrix; the scores are still the printed ones.
        (["log(2)", "log(3)", "-oo"], 1, [fmpq(2, 5), fmpq(3, 5), fmpq(0)], ["0.4", "0.6", "0.0"]),
    ],
)
def test_printed_scores_have_printed_weights(
    scores: list[str], decimals: int, known: list[fmpq], shown: list[str], solve: Callable
) -> None:
    """Whoever goes on with rounded figures does not get the rational weights."""
    exact, rounded = (
        solve({"S": [scores]}, "A = softmax(S)", carry=carry, decimals=decimals) for carry in ("exact", "rounded")
    )

    assert exact.rational("A") == fmpq_mat([known])
    assert rounded.rational("A") is None
    assert [figure.text for figure in rounded.figures("A")[0]] == shown


def test_nobody_looks_for_logarithms_where_none_are_given(solve: Callable, monkeypatch: pytest.MonkeyPatch) -> None:
    solution = solve({"S": [["1", "2"]]}, "A = softmax(S)", "B = softmax(A)")
    monkeypatch.setattr(operands, "logs", None)

    assert solution.rational("B") is None


@pytest.mark.parametrize(
    ("value", "display", "inline"),
    [
        (log(2), r"\mathrm{ln}\,2", r"\mathrm{ln}\,2"),
        (-2 * log(3), r"-2\,\mathrm{ln}\,3", r"-2\,\mathrm{ln}\,3"),
        (log(6) / 2, r"\frac{\mathrm{ln}(6)}{2}", r"\mathrm{ln}(6)/2"),
        (log(2) + 1, r"\mathrm{ln}\,2 + 1", r"\mathrm{ln}\,2 + 1"),
    ],
    ids=str,
)
def test_logarithms_are_written_so_that_a_slash_is_not_misread(value: object, display: str, inline: str) -> None:
    assert tex(number(value)) == display
    assert tex(number(value), TexMath(inline=True)) == inline
