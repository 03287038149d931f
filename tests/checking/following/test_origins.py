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


Q_AND_K = "Q = [[1.2, 0.4], [0.3, 2.1], [0.7, 1.6]]\nK = [[0.5, 1.1], [1.4, 0.2], [0.9, 0.6]]\n\n"


def test_the_quotient_by_a_function_begins_with_its_dividend() -> None:
    text = "```\nS = [[2.0, 4.0], [3.0, 1.0]]\n\nd = 4\n\nS / sqrt(d) = [[1.0, 2.0], [1.7, 0.5]]\n```\n"
    assert kinds(text) == [(6, "1.7", "wrong")]


def test_rows_that_changed_places_are_not_those_of_another_matrix() -> None:
    text = f"```\n{Q_AND_K}Q + K = [[1.6, 2.2], [1.7, 2.3], [1.7, 1.5]]\n```\n"
    found = check(text)
    assert [each.printed for each in found.findings] == ["1.6", "2.2", "1.7", "1.5"]


def test_a_matrix_that_lies_the_other_way_than_a_formula_before_it_has_no_shape_that_fits() -> None:
    text = (
        r"$$A = \begin{bmatrix} 0.3 & 0.7 \\ 0.6 & 0.4 \end{bmatrix}$$" + "\n\n"
        r"$$V = \begin{bmatrix} 1 & 2 & 0 \\ 3 & 1 & 5 \end{bmatrix}$$" + "\n\n$$O = A V$$\n\n"
        r"$$O = \begin{bmatrix} 2.4 & 1.8 \\ 1.3 & 1.6 \\ 3.5 & 2.0 \end{bmatrix}$$"
    )
    assert kinds(text) == [(7, "2.4", "shape")]


def test_masked_scores_that_were_transposed_are_not_those_of_keys_by_queries() -> None:
    scores = "S = Q K^T = [[1.04, 1.76, 1.32], [2.46, 0.84, 1.53], [2.11, 1.30, 1.59]]"
    masked = "S_masked = [[1.04, 2.46, 2.11], [-inf, 0.84, 1.30], [-inf, -inf, 1.59]]"
    text = f"```\n{Q_AND_K}```\n\nScores:\n\n```\n{scores}\n```\n\nCausal mask:\n\n```\n{masked}\n```\n"
    assert {line for line, *_ in kinds(text)} == {16}


def test_the_epsilon_of_a_norm_is_the_one_that_most_figures_have() -> None:
    text = (
        r"$$x = \begin{bmatrix} 3 & 1 & 5 & 3 \end{bmatrix}$$" + "\n\n"
        r"$$y = \mathrm{LayerNorm}(x) = \begin{bmatrix} 0.000 & -1.265 & 1.256 & 0.000 \end{bmatrix}$$"
    )
    assert kinds(text) == [(3, "1.256", "wrong")]


def test_whole_numbers_behind_words_on_softmax_are_given_anew() -> None:
    text = (
        r"$$A = \begin{bmatrix} 0.25 & 0.75 \\ 0.5 & 0.5 \end{bmatrix}$$" + "\n\n"
        "So softmax makes shares of scores: a row of $A$ says how attention is handed out.\n\n"
        r"$$\frac{\partial L}{\partial O} = \begin{bmatrix} 3 & 0 \\ 1 & 2 \end{bmatrix}$$"
    )
    assert kinds(text) == []


def test_a_number_of_a_sentence_is_the_right_one_that_it_may_be() -> None:
    text = (
        r"$$P = \begin{bmatrix} 0.731 & 0.269 \\ 0.269 & 0.731 \end{bmatrix}$$" + "\n\n"
        r"$$R = P \begin{bmatrix} 1 & 0 \\ 0 & 1 \end{bmatrix} = "
        r"\begin{bmatrix} 0.731 & 0.731 \\ 0.269 & 0.731 \end{bmatrix}$$" + "\n\nThe largest share is $0.731$.\n"
    )
    assert kinds(text) == [(3, "0.731", "wrong")]


def test_rows_one_by_one_are_held_against_what_the_name_of_their_matrix_says() -> None:
    text = (
        r"$Q$: [[1.2, 0.4], [0.3, 2.1], [0.7, 1.6]] and $K$: [[0.5, 1.1], [1.4, 0.2], [0.9, 0.6]]" + "\n\n"
        "$Q K^T$:\n\n- Row 1: [1.04, 1.76, 1.32]\n- Row 2: [2.46, 0.84, 1.53]\n- Row 3: [2.11, 1.30, 1.59]\n\n"
        "**Causal mask**\n\n$S_{masked}$:\n\n- Row 1: [$1.04, -\\infty, -\\infty$]\n"
        "- Row 2: [$2.46, 2.46, -\\infty$]\n- Row 3: [$2.11, 1.30, 1.59$]\n"
    )
    assert kinds(text) == [(14, "2.46", "wrong")]
