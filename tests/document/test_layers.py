"""How the nodes of layers look: their signs, the entries they are defined by, what is said of their values."""

from __future__ import annotations

import pytest
from sympy import Integer, MatAdd, MatMul, MatrixSymbol, Transpose

from symattn.base.printed import Figure
from symattn.base.shapes import shape
from symattn.operations import (
    GELU,
    Distance,
    EntryQuotient,
    GELUTanh,
    Hadamard,
    Quotient,
    Rotary,
    Rows,
    SiLU,
    Sinusoidal,
    Stack,
    TopK,
)
from symattn.show.entries.nodes import Letters
from symattn.show.entries.step_entry import general_entry
from symattn.show.math import Letter, Number
from symattn.show.notation.formulas import Names, formula
from symattn.show.working.lines import worked_line
from symattn.write.tex_math import MarkdownTex, tex

X, Y, W = MatrixSymbol("X", 4, 4), MatrixSymbol("Y", 4, 4), MatrixSymbol("W", 4, 4)
USUAL = Integer(10_000)


@pytest.mark.parametrize(
    ("node", "written"),
    [
        (Hadamard(X, Y), r"X\odot Y"),
        (EntryQuotient(MatMul(X, W, evaluate=False), Y), r"(XW)\oslash Y"),
        (Hadamard(SiLU(X), MatAdd(X, Y, evaluate=False)), r"\mathrm{SiLU}(X)\odot(X + Y)"),
        (Hadamard(X, Hadamard(Y, W)), r"X\odot(Y\odot W)"),
        (Hadamard(X, TopK(Y, 2)), r"X\odot\mathrm{top}_2(Y)"),
        (MatMul(Hadamard(X, Y), W, evaluate=False), r"(X\odot Y)W"),
        (MatMul(Integer(-1), Hadamard(X, Y), evaluate=False), r"-X\odot Y"),
        (MatMul(Integer(2), Hadamard(X, Y), evaluate=False), r"2(X\odot Y)"),
        (MatMul(Integer(-1), Integer(2), Hadamard(X, Y), evaluate=False), r"-2(X\odot Y)"),
        (MatMul(Integer(2), Integer(3), X, evaluate=False), r"2\cdot 3X"),
        (MatMul(Integer(2), Integer(-3), X, evaluate=False), r"2\cdot(-3)X"),
        (Transpose(Hadamard(X, Y)), r"(X\odot Y)^T"),
        (Rows(X, 1, 2), r"X_{1:2,\cdot}"),
        (Rows(X, 2, 2), r"X_{2,\cdot}"),
        (Transpose(Rows(Transpose(X), 1, 2)), r"X_{\cdot,1:2}"),
        (GELUTanh(X), r"\mathrm{GELU}_{\mathrm{tanh}}(X)"),
        (Rotary(X, USUAL, Integer(0)), r"\mathrm{RoPE}(X)"),
        (Rotary(X, Integer(50), Integer(3)), r"\mathrm{RoPE}_{50}(X, 3)"),
        (Sinusoidal(4, 4, USUAL), r"\mathrm{PE}(4, 4)"),
        (Stack(X, Y), "\\begin{bmatrix}\nX\\\\\nY\n\\end{bmatrix}"),
    ],
)
def test_a_formula_keeps_its_parentheses_and_no_more(node: object, written: str) -> None:
    assert tex(formula(node, Names())) == written  # type: ignore[arg-type]


def test_in_a_line_a_quotient_of_two_matrices_is_not_taken_for_a_fraction() -> None:
    whole = formula(Quotient(EntryQuotient(X, Y), Integer(2)), Names())
    assert tex(whole, MarkdownTex(inline=True)) == r"(X\oslash Y)/2"


def lines(name: str, node: object, *used: str) -> list[str]:
    shapes = {other: shape(4, 4) for other in (name, *used)}
    letters = Letters.choose(Names(), [name, *used], shapes)
    return [tex(chain) for chain in general_entry(name, node, letters, shapes[name])]  # type: ignore[arg-type]


def test_positions_count_from_0_and_pairs_from_1() -> None:
    assert lines("F", Sinusoidal(4, 4, USUAL)) == [
        r"f_{i,2t - 1} = \mathrm{sin}((i - 1)\theta_t)",
        r"f_{i,2t} = \mathrm{cos}((i - 1)\theta_t)",
        r"\theta_t = 10000^{-2(t - 1)/4}",
    ]


@pytest.mark.parametrize(("start", "turn"), [(0, "(i - 1)"), (1, "i"), (3, "(i + 2)")])
def test_a_rotation_starts_at_its_position(start: int, turn: str) -> None:
    first, second, _ = lines("Q", Rotary(X, USUAL, Integer(start)), "X")
    a, b = "x_{i,2t - 1}\\,", "x_{i,2t}\\,"
    sine, cosine = rf"\mathrm{{sin}}({turn}\theta_t)", rf"\mathrm{{cos}}({turn}\theta_t)"
    assert first == f"q_{{i,2t - 1}} = {a}{cosine} - {b}{sine}"
    assert second == f"q_{{i,2t}} = {a}{sine} + {b}{cosine}"


def test_the_letter_of_a_pair_is_not_that_of_a_matrix() -> None:
    first, *_ = lines("T", Rotary(MatrixSymbol("R", 4, 4), USUAL, Integer(0)), "R")
    assert first.startswith("t_{i,2u - 1} = r_{i,2u - 1}")


def test_two_rotations_by_other_angles_have_other_letters() -> None:
    product = MatMul(Rotary(X, USUAL, Integer(0)), Transpose(Rotary(Y, Integer(50), Integer(0))), evaluate=False)
    *_, first, second = lines("S", product, "X", "Y")
    assert (first, second) == (r"\theta_t = 10000^{-2(t - 1)/4}", r"\phi_t = 50^{-2(t - 1)/4}")


def test_a_function_of_a_formula_is_defined_in_a_line_of_its_own() -> None:
    entry, gelu, phi = lines("H", GELU(MatMul(X, W, evaluate=False)), "X", "W")
    assert entry == r"h_{ij} = \mathrm{GELU}\left(\sum_{k=1}^{4} x_{ik}w_{kj}\right)"
    assert gelu == r"\mathrm{GELU}(y) = y\Phi(y)"
    assert phi.startswith(r"\Phi(y) = ")


def test_a_distance_is_taken_of_whole_indices() -> None:
    assert lines("D", MatMul(Distance(4), W, evaluate=False), "W") == [
        r"d_{ij} = \sum_{k=1}^{4} \lvert i - k\rvert w_{kj}"
    ]


def test_a_number_before_a_sum_takes_all_of_it() -> None:
    total = MatAdd(X, Y, evaluate=False)
    assert lines("S", MatMul(Integer(2), total, evaluate=False), "X", "Y") == ["s_{ij} = 2(x_{ij} + y_{ij})"]


def test_after_a_rounded_figure_nothing_on_a_line_is_exact() -> None:
    rounded, exact = Figure("0.333333", False), Figure("2", True)
    sides = ((Number("2"), [exact]), (Number("0.333333"), [rounded]), (Number("2"), [exact]))
    line = worked_line(Letter("x"), exact, *sides)
    assert [relation for relation, _ in line.links] == ["=", "≈", "≈", "≈"]
