"""What sources print is read as the number it is, at the place it is rounded to; nothing else is read as a number."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symattn import derive
from symattn.base.printed import as_printed, decimal_text, read_figure, read_printed
from symattn.read.scenario.load import loads

READ = """
+1.5 1.5    1. 1    -1. -1    .5 0.5    -.50 -0.50    6.3e-02 0.063    6.30e-02 0.0630    -6.3E-2 -0.063    1.e-01 0.1
1.25e+00 1.25    6.3*10^-2 0.063    6.3×10^−2 0.063    123.4e-1 12.34    12.34e-3 0.01234    6.3021e+05 6.3021*10^5
10^-3 0.001    \u22120.5 -0.5    -inf -oo    \u2212∞ -oo    Inf oo
0 0    -0.50 -0.50    10^9 10^9    -10^9 -10^9    1.5*10^9 1.5*10^9    oo oo    -oo -oo
"""
"""What a source prints, and what is printed here; the last line is printed here already."""
NO_FIGURES = """
+ - . -. e5 .e5 1e 1e+ 1*10^ 10^ --1 +-1 1+ n/a nan infi 1/2 1,5 1e5e5 1*10^2*10^3 10^9^9 *10^3 1e99999 1e-9999 ٣ １
−−1 1.2.3 0x1 1_0
"""


def test_every_form_is_read() -> None:
    for text, plain in zip(READ.split()[::2], READ.split()[1::2], strict=True):
        assert (text, as_printed(text), as_printed(plain)) == (text, plain, plain)


def test_what_is_no_figure_is_not_read() -> None:
    assert [text for text in ("", "1 .5", *NO_FIGURES.split()) if as_printed(text) is not None] == []


@given(st.integers(-(10**9), 10**9), st.integers(0, 9), st.integers(-12, 12))
def test_the_number_is_the_one_that_is_written(number: int, places: int, power: int) -> None:
    """A second road: Python's own fractions read 1.25e-05 too."""
    text = f"{decimal_text(number, places)}e{power:+03d}"
    value, shown = read_printed(as_printed(text))

    assert Fraction(int(value.p), int(value.q)) == Fraction(text)
    assert shown == places - power


@given(st.text(max_size=20) | st.text(alphabet="0123456789.+-*^eE×−inf∞o", max_size=14))
def test_any_text_is_a_figure_or_refused(text: str) -> None:
    plain = as_printed(text)
    assert plain is None or plain in ("oo", "-oo") or read_figure(plain) is not None


# On the page

LESSON = """
title = "t"
tokens = ["a", "b"]
[given]
X = [["1", "0"], ["0", "16000"]]
[[section]]
title = "s"
steps = ["S = X / 16 + causal_mask(2, value=-oo)", "A = softmax(S)"]
"""
PRINTED = '[printed]\nS = [["6.25e-02", "-inf"], ["0.", "1.00e+03"]]\nA = [["+1.", "0."], [".0", "1"]]\n'


def test_a_figure_is_held_against_its_own_last_digit() -> None:
    """1.04e+03 is rounded to tens; 1000 is no such number, 1035 is."""
    for number, agrees in (("16552", False), ("16560", True), ("16720", False)):
        printed = '[printed]\nS = [["0.0625", "-oo"], ["0", "1.04e+03"]]\n'
        page = derive(loads(LESSON.replace("16000", number) + printed)).render()
        assert ("Every digit agrees" in page) is agrees, number


@pytest.mark.parametrize(
    ("says", "value", "verdict"),
    [
        ("-inf", "S[1,2]", r"-\infty$ | Right."),
        ("-inf", "S[1,1]", "Not so"),
        ("0.5", "S[1,2]", "Not so"),
        ("6.3e-02", "S[1,1]", "Right."),
        ("\u22126.3*10^-2", "S[1,1]", "Not so"),
        ("+.06", "S[1,1]", "Right."),
    ],
)
def test_claims_say_what_is_so(says: str, value: str, verdict: str) -> None:
    claim = f'[[claim]]\nsays = "{says}"\nabout = "this"\nvalue = "{value}"\n'
    page = derive(loads(LESSON + claim)).render()
    (row,) = [line for line in page.splitlines() if line.startswith("| this")]

    assert verdict in row


# Decimals of what a mask leaves


def test_decimals_of_infinite_entries_are_what_python_reads(solve: Callable) -> None:
    solution = solve({"S": [["1/3", "2"], ["-oo", "oo"]]}, "M = S + causal_mask(2, value=-oo)", "R = 2 * row(S, 2)")

    assert solution["M"].decimals(3)[0] == ("0.333", "-inf")
    assert solution["S"].decimals(1) == (("0.3", "2.0"), ("-inf", "inf"))
    assert [float(text) for text in solution["R"].decimals(2)[0]] == [float("-inf"), float("inf")]
    assert [figure.text for figure in solution.figures("R")[0]] == ["-oo", "oo"]
