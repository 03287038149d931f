"""The TeX of every piece of mathematics, in reading order and harmless wherever it lands."""

from __future__ import annotations

from typing import get_args

import pytest

from symattn.base.errors import RenderError
from symattn.show.math import (
    Accent,
    Accented,
    Bars,
    Blank,
    Call,
    Cases,
    Chain,
    Fraction,
    Grid,
    Highlighted,
    Interval,
    Letter,
    Math,
    Number,
    Operator,
    Parens,
    Relation,
    Root,
    Script,
    Seq,
    Shaped,
    Sign,
    Squared,
    Stacked,
    Sum,
    derivative,
    equation,
    joined,
    seq,
)
from symattn.write.layout import width
from symattn.write.math_writer import MathWriter
from symattn.write.mathml import MathML
from symattn.write.plain_math import PlainMath, characters
from symattn.write.tex_math import DISPLAY, DollarTex, MarkdownTex, TexMath, tex
from symattn.write.typst_math import TypstMath, typst_math

A, K, Q, S, V, X, i, j, k, x = (Letter(name) for name in "AKQSVXijkx")
ONE, TWO, FOUR = Number("1"), Number("2"), Number("4")
K_T = Script(K, sup=Sign("T"))
D_K = Script(Letter("d"), sub=k)
HALF = Fraction(ONE, TWO)
L = Letter("L")
D_S = derivative(L, S)

EXAMPLES: list[tuple[Math, str, str]] = [
    # piece, displayed, inside a line
    (Q, "Q", "Q"),
    (Letter("mu"), r"\mu", r"\mu"),
    (Letter("epsilon"), r"\varepsilon", r"\varepsilon"),
    (Letter("Sigma"), r"\Sigma", r"\Sigma"),
    (Letter("row"), r"\mathit{row}", r"\mathit{row}"),
    (Letter("LN", "upright"), r"\mathrm{LN}", r"\mathrm{LN}"),
    (Letter("mu", "upright"), r"\mathrm{mu}", r"\mathrm{mu}"),
    (Letter("今天", "text"), r"\text{今天}", r"\text{今天}"),
    (Letter("退貨"), r"\text{退貨}", r"\text{退貨}"),
    (Number("0.21"), "0.21", "0.21"),
    (Number("-10^9"), "-10^9", "-10^9"),
    (Number("10^12"), "10^{12}", "10^{12}"),
    (Number("10^-5"), "10^{-5}", "10^{-5}"),
    (Number("1.5*10^9"), r"1.5\times 10^9", r"1.5\times 10^9"),
    (Number("3/4"), r"\frac{3}{4}", "3/4"),
    (Number("-3/4"), r"-\frac{3}{4}", "-3/4"),
    (Number("-oo"), r"-\infty", r"-\infty"),
    (Sign("⋱"), r"\ddots", r"\ddots"),
    (seq(A, V), "AV", "AV"),
    (seq(i, j), "ij", "ij"),
    (seq(Number("0.21"), Sign("·"), Number("0.50")), r"0.21\cdot 0.50", r"0.21\cdot 0.50"),
    (seq(ONE, Sign("·"), Parens(Number("-2"))), r"1\cdot(-2)", r"1\cdot(-2)"),
    (seq(Sign("-"), x, Sign("-"), ONE), "-x - 1", "-x - 1"),
    (seq(ONE, Sign("+"), Sign("⋯"), Sign("+"), x), r"1 + \cdots + x", r"1 + \cdots + x"),
    (seq(Letter("mu"), x), r"\mu x", r"\mu x"),
    (seq(Script(Letter("LN", "upright"), sub=ONE), V), r"\mathrm{LN}_1\,V", r"\mathrm{LN}_1\,V"),
    (seq(Q, Call("softmax", (S,))), r"Q\,\mathrm{softmax}(S)", r"Q\,\mathrm{softmax}(S)"),
    (seq(Letter("max", "upright"), Parens(x)), r"\mathrm{max}(x)", r"\mathrm{max}(x)"),
    (Script(Letter("W"), sub=Q), "W_Q", "W_Q"),
    (Script(Letter("H"), sub=Letter("attn", "upright")), r"H_{\mathrm{attn}}", r"H_{\mathrm{attn}}"),
    (Script(x, sub=seq(Number("10"), Sign(","), TWO)), "x_{10,2}", "x_{10,2}"),
    (Script(Letter("sigma"), sub=i, sup=TWO), r"\sigma_i^2", r"\sigma_i^2"),
    (Script(Script(Letter("W"), sub=Q), sup=Sign("T")), "{W_Q}^T", "{W_Q}^T"),
    (Script(Letter("e"), sup=HALF), "e^{1/2}", "e^{1/2}"),
    (Script(HALF, sup=TWO), r"\frac{1}{2}^2", "(1/2)^2"),
    (Script(A, sub=Parens(Letter("流程", "text"))), r"A_{(\text{流程})}", r"A_{(\text{流程})}"),
    (Accented("tilde", S), r"\tilde{S}", r"\tilde{S}"),
    (Accented("hat", Script(S, sub=ONE)), r"\widehat{S_1}", r"\widehat{S_1}"),
    (Accented("bar", Letter("mu")), r"\bar{\mu}", r"\bar{\mu}"),
    (Accented("bold", x), r"\mathbf{x}", r"\mathbf{x}"),
    (Accented("bold", Letter("mu")), r"\boldsymbol{\mu}", r"\boldsymbol{\mu}"),
    (Fraction(seq(Q, K_T), Root(D_K)), r"\frac{QK^T}{\sqrt{d_k}}", r"QK^T/\sqrt{d_k}"),
    (Fraction(seq(ONE, Sign("+"), x), seq(TWO, x)), r"\frac{1 + x}{2x}", "(1 + x)/(2x)"),
    (Fraction(HALF, HALF), r"\frac{\frac{1}{2}}{\frac{1}{2}}", "(1/2)/(1/2)"),
    (seq(HALF, A), r"\frac{1}{2}A", "(1/2)A"),
    (seq(HALF, Sign("·"), A), r"\frac{1}{2}\cdot A", r"(1/2)\cdot A"),
    (seq(A, Sign("-"), HALF), r"A - \frac{1}{2}", "A - 1/2"),
    (D_S, r"\frac{\partial L}{\partial S}", r"\partial L/\partial S"),
    (seq(D_S, K_T), r"\frac{\partial L}{\partial S}K^T", r"(\partial L/\partial S)K^T"),
    (derivative(L, seq(Q, K_T)), r"\frac{\partial L}{\partial(QK^T)}", r"\partial L/\partial(QK^T)"),
    (Script(Parens(D_S), sup=Sign("T")), r"\left(\frac{\partial L}{\partial S}\right)^T", r"(\partial L/\partial S)^T"),
    (derivative(L, Script(x, sub=i)), r"\frac{\partial L}{\partial x_i}", r"\partial L/\partial x_i"),
    (Root(TWO), r"\sqrt{2}", r"\sqrt{2}"),
    (Parens(x), "(x)", "(x)"),
    (Bars(x), r"\lvert x\rvert", r"\lvert x\rvert"),
    (Bars(HALF, double=True), r"\left\lVert \frac{1}{2}\right\rVert", r"\lVert 1/2\rVert"),
    (Parens(HALF), r"\left(\frac{1}{2}\right)", "(1/2)"),
    (Parens(Number("3/4")), r"\left(\frac{3}{4}\right)", "(3/4)"),
    (Interval(Number("-0.1"), Number("0.44")), r"[-0.1, 0.44]", r"[-0.1, 0.44]"),
    (Interval(ONE, x), r"[1, x]", r"[1, x]"),
    (Parens(Interval(HALF, ONE)), r"\left([\frac{1}{2}, 1]\right)", r"([1/2, 1])"),
    (Parens(Root(HALF)), r"\left(\sqrt{\frac{1}{2}}\right)", r"(\sqrt{1/2})"),
    (Call("Attention", (Q, K, V)), r"\mathrm{Attention}(Q, K, V)", r"\mathrm{Attention}(Q, K, V)"),
    (
        Call("softmax", (Fraction(S, TWO),)),
        r"\mathrm{softmax}\left(\frac{S}{2}\right)",
        r"\mathrm{softmax}(S/2)",
    ),
    (Sum(k, ONE, FOUR, seq(x, A)), r"\sum_{k=1}^{4} xA", r"\sum_{k=1}^{4} xA"),
    (Shaped(X, Number("3"), FOUR), r"X\ (3\times 4)", r"X\ (3\times 4)"),
    (Shaped(X, Letter("m"), Letter("n"), long=True), r"X\ (shape=m\times n)", r"X\ (shape=m\times n)"),
    (Stacked(X, (ONE, TWO, FOUR, FOUR)), r"X\ (1\times 2\times 4\times 4)", r"X\ (1\times 2\times 4\times 4)"),
    (Stacked(X, (k, Letter("n")), long=True), r"X\ (shape=k\times n)", r"X\ (shape=k\times n)"),
    (
        Grid(((ONE, TWO), (x, Sign("⋯")))),
        "\\begin{bmatrix}\n1 & 2\\\\\nx & \\cdots\n\\end{bmatrix}",
        r"\begin{bmatrix}1 & 2\cr x & \cdots\end{bmatrix}",
    ),
    (Highlighted(x, "row"), r"\textcolor[HTML]{1B5E9E}{\mathbf{x}}", r"\textcolor[HTML]{1B5E9E}{\mathbf{x}}"),
    (
        Highlighted(ONE, "column"),
        r"\textcolor[HTML]{A33A00}{\underline{1}}",
        r"\textcolor[HTML]{A33A00}{\underline{1}}",
    ),
    (
        Squared(Grid(((ONE, TWO),)), Grid(((x,), (x,))), Grid(((FOUR,),))),
        "\\begin{array}{rrcr}\n&  &  & x\\\\\n&  &  & x\\\\\n\\hline\n1 & 2 &  & 4\n\\end{array}",
        r"\begin{array}{rrcr} &  &  & x\cr  &  &  & x\cr 1 & 2 &  & 4\end{array}",
    ),
    (Blank(3), r"\symattnblank{\phantom{000}}", r"\symattnblank{\phantom{000}}"),
    (
        Cases(((ONE, seq(j, Sign("≤"), i)), (Number("0"), seq(j, Sign(">"), i)))),
        "\\begin{cases}\n1 & j\\le i\\\\\n0 & j>i\n\\end{cases}",
        r"\begin{cases}1 & j\le i\cr 0 & j>i\end{cases}",
    ),
    (equation(Q, seq(X, A), ONE), "Q = XA = 1", "Q = XA = 1"),
    (Chain(Q, (("≈", ONE), ("≠", TWO), ("<", x))), r"Q \approx 1 \ne 2 < x", r"Q \approx 1 \ne 2 < x"),
]


@pytest.mark.parametrize(("piece", "displayed", "inline"), EXAMPLES, ids=lambda value: str(value)[:40])
def test_every_piece(piece: Math, displayed: str, inline: str) -> None:
    assert tex(piece) == displayed
    assert tex(piece, TexMath(inline=True)) == inline


def test_every_class_has_an_example_and_its_own_rules() -> None:
    classes = set(get_args(Math))
    assert {type(piece) for piece, _, _ in EXAMPLES} == classes
    assert all(width(piece) > 0 for piece, _, _ in EXAMPLES)


@pytest.mark.parametrize("writer", [TexMath(), TypstMath(), MathML(), PlainMath()], ids=lambda writer: writer.format)
def test_every_format_writes_every_kind_of_piece_every_sign_and_every_accent(writer: MathWriter) -> None:
    pieces = [*(piece for piece, _, _ in EXAMPLES), *map(Sign, get_args(Operator))]
    pieces += [Chain(Letter("a"), ((relation, Letter("b")),)) for relation in get_args(Relation)]
    for piece in [*pieces, *(Accented(accent, Letter("a")) for accent in get_args(Accent))]:
        assert writer.write(piece)
    with pytest.raises(RenderError, match=f"no {writer.format} for str: not a piece of mathematics"):
        writer.write("x")  # type: ignore[arg-type]
    with pytest.raises(RenderError, match="unknown accent 'dot'"):
        writer.write(Accented("dot", Letter("a")))  # type: ignore[arg-type]


@pytest.mark.parametrize("sign", get_args(Operator))
def test_every_sign_can_be_written(sign: Operator) -> None:
    assert tex(Sign(sign))
    assert width(Sign(sign)) > 0


@pytest.mark.parametrize("sign", get_args(Relation))
def test_every_relation_can_be_written(sign: Relation) -> None:
    assert tex(Chain(x, ((sign, ONE),))).startswith("x ")


def test_what_is_no_piece_is_refused() -> None:
    with pytest.raises(RenderError, match="no TeX for str: not a piece of mathematics"):
        tex("x")  # type: ignore[arg-type]
    with pytest.raises(RenderError, match="no width for int"):
        width(3)  # type: ignore[arg-type]


@pytest.mark.parametrize("text", ["", "1e5", "0.5x", "--1", r"\input{x}", "1/2/3", "nan", "٣", "1\n"])
def test_what_is_no_number_is_refused(text: str) -> None:
    with pytest.raises(RenderError, match="no TeX for the number"):
        tex(Number(text))


def test_an_unknown_sign_or_accent_is_refused() -> None:
    with pytest.raises(RenderError, match="no TeX for the sign '&'"):
        tex(Sign("&"))  # type: ignore[arg-type]
    with pytest.raises(RenderError, match="unknown accent 'dot'"):
        tex(Accented("dot", x))  # type: ignore[arg-type]


def test_markdown_has_no_angle_brackets() -> None:
    chain = Chain(x, (("<", ONE), (">", TWO)))
    assert tex(chain, MarkdownTex()) == tex(chain, DollarTex()) == r"x \lt 1 \gt 2"


INDEXED: list[tuple[Math, str]] = [
    (Script(Accented("tilde", S), sub=seq(i, j)), r"\tilde S_{ij}"),
    (Script(Accented("bold", Letter("mu")), sub=i, sup=TWO), r"\boldsymbol\mu_i^2"),
    (Script(Accented("bold", ONE), sub=i), r"\mathbf 1_i"),
    (Script(Accented("hat", seq(A, V)), sub=i), r"\lbrack\widehat{AV}\rbrack_i"),
    (Script(Parens(seq(X, K_T)), sub=seq(i, j)), r"\lbrack XK^T\rbrack_{ij}"),
    (Script(Parens(HALF), sub=i), r"\left\lbrack\frac{1}{2}\right\rbrack_i"),
    (Script(Parens(x), sup=TWO), "(x)^2"),
    (Script(Call("phi", (Q,)), sub=i), r"\lbrack\mathrm{phi}(Q)\rbrack_i"),
    (Script(Script(Letter("W"), sub=Q), sub=i, sup=Sign("T")), r"\lbrack W_Q\rbrack_i^T"),
    (Script(Bars(x), sub=TWO), r"\lvert x\rvert_2"),
    (seq(Script(Letter("max", "upright"), sub=k), x), r"\mathop{\mathrm{max}}\nolimits_kx"),
    (seq(Q, Script(Letter("LN", "upright"), sub=ONE)), r"Q\mathop{\mathrm{LN}}\nolimits_1"),
    (seq(Call("LN", (Q,), sub=ONE), V), r"\mathop{\mathrm{LN}}\nolimits_1(Q)V"),
    (seq(Q, Letter("LN", "upright")), r"Q\ \mathrm{LN}"),
]


@pytest.mark.parametrize(("piece", "expected"), INDEXED)
def test_between_dollars_an_index_follows_a_letter_or_a_digit(piece: Math, expected: str) -> None:
    assert tex(piece, DollarTex()) == expected


def test_between_dollars_the_rows_of_a_matrix_inside_a_line_are_parted_by_semicolons() -> None:
    grid = Grid(((ONE, TWO), (x, FOUR)))
    assert tex(grid, DollarTex(inline=True)) == r"\begin{bmatrix}1 & 2; & x & 4\end{bmatrix}"


def test_fractions_in_a_matrix_are_in_full_size_and_its_rows_apart() -> None:
    grid = Grid(((Fraction(HALF, x),), (ONE,)))
    assert tex(grid, MarkdownTex()) == "\\begin{bmatrix}\n\\dfrac{\\frac{1}{2}}{x}\\\\\n1\n\\end{bmatrix}"
    assert tex(grid) == "\\begin{bmatrix}\n\\dfrac{\\frac{1}{2}}{x}\\\\[10pt]\n1\n\\end{bmatrix}"


def test_order_is_kept() -> None:
    assert tex(joined([V, A, Q], "+")) == "V + A + Q"
    assert tex(Seq((V, A, Q))) == "VAQ"


def test_no_command_swallows_what_follows() -> None:
    assert DISPLAY.glue([r"\cdot", "x", "y"]) == r"\cdot xy"
    assert DISPLAY.glue([r"\cdot", "(", r"\mu", "2"]) == r"\cdot(\mu 2"


@pytest.mark.parametrize("accent", get_args(Accent))
def test_every_accent_is_written_in_every_format(accent: Accent) -> None:
    accented, plain = (
        Script(base, sub=Number("1"), sup=Sign("T")) for base in (Accented(accent, Letter("x")), Letter("x"))
    )
    for write in (tex, typst_math):
        assert write(accented) != write(plain)
    assert (characters(accented) == characters(plain)) is (accent == "bold")  # which plain characters are not
