"""Single values: matrices, printed figures, words and labels as TOML gives them."""

from __future__ import annotations

import pytest
from sympy import Rational, oo, sqrt

from symattn import limits
from symattn.scenario.fields import figures, label, matrix
from symattn.scenario.problem import Problem


def test_a_matrix_is_exact_and_keeps_how_it_was_written() -> None:
    read = matrix([["0.10", " 1/3 "], [-2, "sqrt(2)/2"], ["-oo", "-10^9"]])
    assert read.values == ((Rational(1, 10), Rational(1, 3)), (-2, sqrt(2) / 2), (-oo, -(10**9)))
    assert read.texts == (("0.10", "1/3"), ("-2", "sqrt(2)/2"), ("-oo", "-10^9"))


def test_a_matrix_has_a_limit_and_it_is_looked_at_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MATRIX_ENTRIES", 3)
    with pytest.raises(Problem, match="more than MATRIX_ENTRIES = 3 numbers"):
        matrix([["x", "x"], ["x"]])


def test_printed_figures_may_have_any_layout() -> None:
    rows = [["0", "1.414214 0", 1], ["-10^9", "1.5*10^9", "-oo"], ["0.50"]]
    assert figures(rows) == (("0", "1.414214 0", "1"), ("-10^9", "1.5*10^9", "-oo"), ("0.50",))


@pytest.mark.parametrize("token", ["\\input{x}", "<script>", "100%", "a_b", "$", "{A}", " ", "天氣", "👍🏽", "مرحبا"])
def test_a_label_is_any_text(token: str) -> None:
    assert label(token) == token
