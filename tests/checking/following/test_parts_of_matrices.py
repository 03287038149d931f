"""Slices, blocks, ones and diagonals in formulas: what is cut out of matrices and put together to new ones."""

from __future__ import annotations

import pytest

from symattn.checking.check import check

WIDE = r"$$H = \begin{bmatrix} 2 & 7 & 1 & 8 \\ 3 & 1 & 4 & 1 \end{bmatrix}$$" + "\n\n"


def wrong(text: str) -> list[tuple[str, str]]:
    return [(each.printed, each.expected) for each in check(text).findings]


@pytest.mark.parametrize(
    ("places", "figures", "expected"),
    [
        (":,3:4", r"1 & 8 \\ 4 & 6", "1"),
        (r"\cdot,1:2", r"2 & 7 \\ 3 & 5", "1"),
        (":,2", r"7 \\ 6", "1"),
        (":,0:2", r"2 & 7 \\ 3 & 5", "1"),
    ],
)
def test_columns_of_a_matrix_are_those_that_are_cut_out(places: str, figures: str, expected: str) -> None:
    text = WIDE + rf"$$P = H_{{{places}}} = \begin{{bmatrix}} {figures} \end{{bmatrix}}$$"
    assert [found for _, found in wrong(text)] == [expected]


def test_a_part_that_is_said_to_be_columns_is_not_taken_for_a_row() -> None:
    text = (
        r"$$V = \begin{bmatrix} 1 & 0 \\ 3 & 5 \end{bmatrix}$$"
        "\n\n$$V_1 = V_{\\cdot,1}$$\n\n$$(V\\ (2\\times 2))_{\\cdot,1} = V_1\\ (2\\times 1)$$\n\n"
        r"$$V_1 = \begin{bmatrix} 1 \\ 3 \end{bmatrix}$$"
    )
    assert wrong(text) == []


def test_a_program_cuts_from_0_and_without_the_last() -> None:
    program = "```python\nM = np.array([[2., 7., 5.], [3., 1., 4.]])\nprint(M[:, 1:3])\n```\n\n"
    text = program + "```\n[[7. 5.]\n [1. 9.]]\n```\n"
    assert wrong(text) == [("9.", "4")]


def test_matrices_side_by_side_are_one() -> None:
    text = (
        r"$$A = \begin{bmatrix} 0.25 \\ 0.5 \end{bmatrix}$$" + "\n\n"
        r"$$B = \begin{bmatrix} 3 \\ 1.5 \end{bmatrix}$$" + "\n\n"
        r"$$C = \begin{bmatrix} A & B \end{bmatrix}$$" + "\n\n"
        r"$$C = \begin{bmatrix} 0.25 & 3 \\ 0.5 & 1.25 \end{bmatrix}$$"
    )
    assert wrong(text) == [("1.25", "1.50")]


def test_a_matrix_of_ones_adds_up_rows() -> None:
    text = WIDE + r"$$s = H \mathbf 1_{4\times 1} = \begin{bmatrix} 18 \\ 10 \end{bmatrix}$$"
    assert wrong(text) == [("10", "9")]


def test_ones_stand_beside_a_name() -> None:
    text = (
        r"$$r = \begin{bmatrix} 2 \\ 3 \end{bmatrix}$$" + "\n\n" + WIDE + r"$$D = H - r\mathbf 1_{1\times 4} = "
        r"\begin{bmatrix} 0 & 5 & -1 & 6 \\ 0 & -2 & 1 & 2 \end{bmatrix}$$"
    )
    assert wrong(text) == [("2", "-2")]


def test_a_diagonal_is_a_matrix() -> None:
    text = (
        r"$$p = \begin{bmatrix} 0.2 & 0.8 \end{bmatrix}$$" + "\n\n$$J = \\mathrm{diag}(p) - p^T p$$\n\n"
        r"$$J = \begin{bmatrix} 0.16 & -0.16 \\ -0.16 & 0.26 \end{bmatrix}$$"
    )
    assert wrong(text) == [("0.26", "0.16")]
