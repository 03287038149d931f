"""Free symbols on the page: how closed forms are written, what stands in the matrix, what is said."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from sympy import Abs, Expr, Max, Min, Rational, exp, log, sqrt

from symattn.api.worked import WorkedSolution, derive
from symattn.base.errors import NoValueError
from symattn.operations.symbols import entry_symbol
from symattn.read.scenario.load import loads
from symattn.show.notation.symbols import written
from symattn.write.tex_math import tex

A, B, T = map(entry_symbol, "abt")

LESSON = """
title = "Letters"
tokens = ["the", "cat"]
symbols = ["a", "b", "t"]
[given]
X = [["a", "1"], ["0", "2"]]
W = [["1", "0"], ["b", "1/2"]]
[[section]]
title = "Weights"
steps = ["Q = X @ W", "S = X @ X.T / t", "C = softmax(S)", "R = relu(X)", "Y = row(X, 2)"]
"""


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (A + 1, "a + 1"),
        (1 - A, "1 - a"),
        (-A - 1, "-a - 1"),
        (A**2 + 2 * A * B + B**2, "a^2 + 2ab + b^2"),
        ((A + B) / 2, r"\frac{a + b}{2}"),
        (Rational(21, 100) * A + 1, "0.21a + 1"),
        (-A / 2, r"-\frac{a}{2}"),
        (sqrt(2) * T, r"\sqrt{2}t"),
        (A * (B + 1) / (T * (A - B)), r"\frac{a(b + 1)}{t(a - b)}"),
        (exp(A / T) / (exp(A / T) + exp(B / T)), r"\frac{e^{a/t}}{e^{a/t} + e^{b/t}}"),
        (sqrt(A**2 + 1), r"\sqrt{a^2 + 1}"),
        (1 / sqrt(A**2 + 1), r"\frac{1}{\sqrt{a^2 + 1}}"),
        ((A + 1) ** Rational(1, 3), "(a + 1)^{1/3}"),
        (A ** Rational(-2, 3), r"\frac{1}{a^{2/3}}"),
        (A ** Rational(3, 2), r"(\sqrt{a})^3"),
        (A**-2, r"\frac{1}{a^2}"),
        (Abs(A - 1), r"\lvert a - 1\rvert"),
        (Max(0, A, evaluate=False), r"\mathrm{max}(0,a)"),
        (Min(1, 2 * A, evaluate=False), r"\mathrm{min}(1,2a)"),
        (log(A) * A, r"a\,\mathrm{ln}(a)"),
        (2 * (A + 1), "2a + 2"),
    ],
)
def test_closed_forms_are_written_as_on_paper(value: Expr, expected: str) -> None:
    assert tex(written(value)).replace(" ,", ",").replace(", ", ",") == expected


def lesson(text: str = LESSON) -> WorkedSolution:
    return derive(loads(text, path="letters.toml"))


def test_what_was_put_in_is_said_and_every_entry_is_a_decimal() -> None:
    page = lesson().substitute(a="1/2", b="0.30", t=2).render("markdown")
    assert "These numbers have been substituted: $a = 1/2$, $b = 0.30$ and $t = 2$." in page
    assert "stand for any real" not in page
    assert not re.search(r"& [abt]\b", page)


def test_every_entry_is_worked_where_the_detail_or_a_form_asks_for_it() -> None:
    shown = LESSON.replace('"Y = row', '{ show = "Q", form = "entries" }, "Y = row')
    counts = [
        lesson(text).render(detail=detail).count("q_{21}")
        for text, detail in ((LESSON, "entries"), (shown, "entries"), (shown, "result"))
    ]
    assert counts == [1, 2, 1]


LONG = """
title = "Long"
symbols = ["a", "b", "c", "t"]
[given]
X = [["a", "b", "c"], ["b + 1", "c*a", "a - b"], ["2*a", "1", "3*c"]]
[[section]]
title = "s"
steps = ["S = X @ X.T / t", "C = softmax(S)", "Z = C @ X", "U = softmax(Z @ Z.T)", "V = U @ Z"]
"""


@pytest.mark.parametrize("formula", ["2 * softmax(q)", "softmax(q @ W) * [1, 2]"])
def test_a_softmax_of_letters_inside_a_formula_has_a_page(formula: str) -> None:
    given = 'title = "t"\nsymbols = ["a"]\n[given]\nq = ["a", "1"]\nW = [["1", "2"], ["0", "1"]]\n'
    solution = derive(loads(f'{given}[[section]]\ntitle = "s"\nsteps = ["w = {formula}"]'))

    assert all("a" in solution.render(detail=detail) for detail in ("lesson", "steps", "entries"))


def test_what_is_too_long_for_the_matrix_is_listed_or_said_to_be_too_long() -> None:
    solution = lesson(LONG)
    page = solution.render("latex", language="en")
    for sentence in ("Too long for their place in the matrix", "are too long to be written out"):
        assert sentence in page
    assert r"C_{12} &= \frac{e^{(abc + ab + ac - bc + a)/t}}{" in page
    assert "實在太長" in solution.render(language="zh-Hant")


def test_programs_refuse_symbols_and_take_the_numbers_put_in() -> None:
    text = LESSON + '[code]\nof = ["C"]\n'
    with pytest.raises(NoValueError, match="free symbols"):
        lesson(text).render("markdown", code=("numpy",))
    assert "```python" in lesson(text).substitute(a=1, b=2, t=3).render("markdown", code=("numpy",))


def test_the_example_in_the_documentation_is_as_it_says() -> None:
    text = (Path(__file__).parents[2] / "docs" / "scenarios.md").read_text(encoding="utf-8")
    (example,) = (block.split("```")[0] for block in text.split("```toml\n") if 'symbols = ["a", "t"]' in block[:80])
    solution = lesson(example)
    assert solution["Q"].exact.tolist() == [[A, Rational(1, 2)], [0, 1]]
    assert solution.assumptions == ("t ≠ 0",)
    assert solution.substitute(a="1/2", t=2)["Z"].decimals(3) == (("0.234", "1.531"), ("0.189", "1.622"))
