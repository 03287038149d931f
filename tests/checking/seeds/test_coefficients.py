"""The figures of weighted sums."""

from __future__ import annotations

from symattn.checking.check import check
from tests.checking.found import changed

GIVEN = r"""The words are $x_1$ = I, $x_2$ = am and $x_3$ = good. The weights are $W = \mathrm{softmax}(X X^T)$, with

$$X = \begin{bmatrix} 1 & 3 & 2 \\ 1 & 1 & 3 \\ 1 & 2 & 1 \end{bmatrix}$$

"""
SUMS = r"""$$\begin{aligned}
z_I &= 0.97 \cdot x_I + 0.02 \cdot x_{am} + 0.01 \cdot x_{good} \\
z_{am} &= 0.27 \cdot x_I + 0.73 \cdot x_{am} + 0.00 \cdot x_{good} \\
z_{good} &= 0.90 \cdot x_I + 0.05 \cdot x_{am} + 0.05 \cdot x_{good}
\end{aligned}$$
"""


def test_weights_are_held_against_the_softmax_they_are_rows_of():
    assert changed(GIVEN + SUMS) == [("0.97", "0.98"), ("0.90", "0.91")]
    assert check(GIVEN + SUMS).coverage.verified == 9


def test_they_are_held_against_it_where_it_is_not_announced():
    text = GIVEN.replace(r"$W = \mathrm{softmax}(X X^T)$", "known") + SUMS
    assert changed(text) == [("0.97", "0.98"), ("0.90", "0.91")]


def test_right_weights_are_right():
    assert changed(GIVEN + SUMS.replace("0.97", "0.98").replace("0.90", "0.91")) == []


def test_shares_that_nothing_explains_are_left_alone():
    assert changed(GIVEN + r"For example $z_{1} = 0.2 x_1 + 0.3 x_2 + 0.5 x_3$.") == []
    assert changed(r"$y = 0.25 x_1 + 0.75 x_2$") == []
