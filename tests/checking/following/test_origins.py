"""Which figure is held to be wrong: the one where an error begins, what goes on from it, what only speaks of it."""

from __future__ import annotations

from symattn.checking.check import check


def kinds(text: str) -> list[tuple[int, str, str]]:
    return [(each.line, each.printed, each.kind) for each in check(text).findings]


def test_a_factor_that_a_formula_has_and_its_figures_have_not_is_missed() -> None:
    text = (
        r"$$q = \begin{bmatrix} 1 & 3 & 0 & 1 \end{bmatrix}$$" + "\n\n"
        r"$$K = \begin{bmatrix} 2 & 0 & 1 & 0 \\ 0 & 1 & 2 & 1 \\ 0 & 0 & 5 & 0 \end{bmatrix}$$" + "\n\n"
        r"$$\begin{aligned} s &= \frac{q K^T}{\sqrt{d_k}} \\ \sqrt{d_k} &= \sqrt{4} = 2 \end{aligned}$$" + "\n\n"
        r"$$s = \begin{bmatrix} 2 & 4 & 0 \end{bmatrix}$$"
    )
    assert kinds(text) == [(7, "2", "wrong"), (7, "4", "wrong")]


def test_a_wrong_number_that_is_set_against_the_right_one_is_not_claimed() -> None:
    text = (
        r"$$p = \begin{bmatrix} 0.667 & 0.333 \end{bmatrix}$$" + "\n\n"
        r"$$V = \begin{bmatrix} 4.5 \\ 1.25 \end{bmatrix}$$" + "\n\n"
        r"$$z = p V = \begin{bmatrix} 3.148 \end{bmatrix}$$" + "\n\n"
    )
    assert kinds(text + "In row 1 that was $3.148$ instead of $3.418$.\n") == [(5, "3.148", "wrong")]
    assert len(kinds(text + "In row 1 that was $3.148$ again.\n")) == 2
