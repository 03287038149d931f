"""Mathematics and sentences as text: the TeX of every piece, where statements break, plain characters, runs."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import pairwise
from math import inf
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symattn.api.explanation import explain
from symattn.api.worked import derive
from symattn.base.errors import RenderError
from symattn.base.shapes import EntryPlace
from symattn.read.scenario.load import loads
from symattn.show.blocks import Phrase
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
    every,
    joined,
    seq,
)
from symattn.write import escape
from symattn.write.environment import Macros
from symattn.write.layout import displays, height, lines, width
from symattn.write.math_writer import MathWriter
from symattn.write.mathml import MathML
from symattn.write.plain_math import PlainMath, characters
from symattn.write.runs import PlainLine, inline, inline_runs
from symattn.write.tex_math import DISPLAY, DollarTex, MarkdownTex, TexMath, tex
from symattn.write.typst_math import TypstMath, typst_math
from tests.cases import solved
from tests.readers.files import sheet_text

# -- every piece of mathematics as TeX, in reading order and harmless wherever it lands --------------------------------


A, K, Q, S, V, X, i, j, k, x = (Letter(name) for name in "AKQSVXijkx")
ONE, TWO, FOUR = Number("1"), Number("2"), Number("4")
K_T = Script(K, sup=Sign("T"))
D_K = Script(Letter("d"), sub=k)
HALF = Fraction(ONE, TWO)
L = Letter("L")
D_S = derivative(L, S)
PROOF = Chain(Letter("a"), (("=", Letter("b")), ("=", Letter("c"))), (1, 2))

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
    (Call("softmax", (Fraction(S, TWO),)), r"\mathrm{softmax}\left(\frac{S}{2}\right)", r"\mathrm{softmax}(S/2)"),
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
    assert all(width(piece) > 0 for piece in (*(piece for piece, _, _ in EXAMPLES), *map(Sign, get_args(Operator))))
    assert all(tex(Chain(x, ((relation, ONE),))).startswith("x ") for relation in get_args(Relation))
    with pytest.raises(RenderError, match="no width for int"):
        width(3)  # type: ignore[arg-type]


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


@pytest.mark.parametrize("text", ["", "1e5", "0.5x", "--1", r"\input{x}", "1/2/3", "nan", "٣", "1\n"])
def test_what_is_no_number_is_refused(text: str) -> None:
    with pytest.raises(RenderError, match="no TeX for the number"):
        tex(Number(text))


def test_an_unknown_sign_is_refused() -> None:
    with pytest.raises(RenderError, match="no TeX for the sign '&'"):
        tex(Sign("&"))  # type: ignore[arg-type]


GRID = Grid(((ONE, TWO), (x, FOUR)))
TALL = Grid(((Fraction(HALF, x),), (ONE,)))
SIDES = Chain(x, (("<", ONE), (">", TWO)))
DOLLAR = DollarTex()
OTHERWISE: list[tuple[Math | Chain, TexMath, str]] = [
    # no angle brackets in Markdown
    (SIDES, MarkdownTex(), r"x \lt 1 \gt 2"),
    (SIDES, DOLLAR, r"x \lt 1 \gt 2"),
    # the rows of a matrix inside a line are parted by semicolons; fractions in one are in full size, its rows apart
    (GRID, DollarTex(inline=True), r"\begin{bmatrix}1 & 2; & x & 4\end{bmatrix}"),
    (TALL, MarkdownTex(), "\\begin{bmatrix}\n\\dfrac{\\frac{1}{2}}{x}\\\\\n1\n\\end{bmatrix}"),
    (TALL, TexMath(), "\\begin{bmatrix}\n\\dfrac{\\frac{1}{2}}{x}\\\\[10pt]\n1\n\\end{bmatrix}"),
    # order is kept
    (joined([V, A, Q], "+"), TexMath(), "V + A + Q"),
    (Seq((V, A, Q)), TexMath(), "VAQ"),
    # numbers over the signs of a proof; an expected value has square brackets
    (PROOF, TexMath(), r"a \overset{(1)}{=} b \overset{(2)}{=} c"),
    (equation(Letter("a"), Letter("b")), TexMath(), "a = b"),
    (Call("E", (x,), "square"), TexMath(), r"\mathrm{E}[x]"),
    (Call("E", (Fraction(x, TWO),), "square"), TexMath(), r"\mathrm{E}\left[\frac{x}{2}\right]"),
    # between dollars an index follows a letter or a digit
    (Script(Accented("tilde", S), sub=seq(i, j)), DOLLAR, r"\tilde S_{ij}"),
    (Script(Accented("bold", Letter("mu")), sub=i, sup=TWO), DOLLAR, r"\boldsymbol\mu_i^2"),
    (Script(Accented("bold", ONE), sub=i), DOLLAR, r"\mathbf 1_i"),
    (Script(Accented("hat", seq(A, V)), sub=i), DOLLAR, r"\lbrack\widehat{AV}\rbrack_i"),
    (Script(Parens(seq(X, K_T)), sub=seq(i, j)), DOLLAR, r"\lbrack XK^T\rbrack_{ij}"),
    (Script(Parens(HALF), sub=i), DOLLAR, r"\left\lbrack\frac{1}{2}\right\rbrack_i"),
    (Script(Parens(x), sup=TWO), DOLLAR, "(x)^2"),
    (Script(Call("phi", (Q,)), sub=i), DOLLAR, r"\lbrack\mathrm{phi}(Q)\rbrack_i"),
    (Script(Script(Letter("W"), sub=Q), sub=i, sup=Sign("T")), DOLLAR, r"\lbrack W_Q\rbrack_i^T"),
    (Script(Bars(x), sub=TWO), DOLLAR, r"\lvert x\rvert_2"),
    (seq(Script(Letter("max", "upright"), sub=k), x), DOLLAR, r"\mathop{\mathrm{max}}\nolimits_kx"),
    (seq(Q, Script(Letter("LN", "upright"), sub=ONE)), DOLLAR, r"Q\mathop{\mathrm{LN}}\nolimits_1"),
    (seq(Call("LN", (Q,), sub=ONE), V), DOLLAR, r"\mathop{\mathrm{LN}}\nolimits_1(Q)V"),
    (seq(Q, Letter("LN", "upright")), DOLLAR, r"Q\ \mathrm{LN}"),
]


@pytest.mark.parametrize(("piece", "writer", "expected"), OTHERWISE, ids=lambda value: str(value)[:40])
def test_where_a_writer_differs(piece: Math, writer: TexMath, expected: str) -> None:
    assert tex(piece, writer) == expected


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


# -- where long statements break, and that breaking loses nothing ------------------------------------------------------


q = Script(Letter("q"), sub=seq(Number("1"), Number("1")))


def products(count: int) -> list[Math]:
    return [seq(Number("0.21"), Sign("·"), Parens(Number("-0.50"))) for _ in range(count)]


def flat(body: str) -> str:
    """TeX without line breaks, alignment marks, indents and white space."""
    body = re.sub(r"\\(begin|end)\{aligned\}|\\\\(\[10pt\])?|\\quad(\{\})?|&", "", body)
    return re.sub(r"\s+", "", body)


letters = st.one_of(
    st.sampled_from([Letter("Q"), Letter("mu"), Letter("LN", "upright"), Letter("row")]),
    st.builds(Letter, st.text(max_size=8), st.just("text")),
)
numbers = st.sampled_from(["0", "0.145", "-10^9", "1.5*10^9", "3/4", "-oo", "1234567890.123"]).map(Number)
signs = st.sampled_from(["+", "-", "·", "×", ",", "⋯", "≤", ">"]).map(Sign)


def larger(inner: st.SearchStrategy[Math]) -> st.SearchStrategy[Math]:
    some = st.lists(inner, min_size=1, max_size=3).map(tuple)
    rows = st.lists(st.tuples(inner, inner), min_size=1, max_size=3).map(tuple)
    return st.one_of(
        st.lists(st.one_of(inner, signs), min_size=1, max_size=9).map(tuple).map(Seq),
        st.builds(Script, inner, st.none() | inner, st.none() | inner),
        st.builds(Accented, st.sampled_from(["tilde", "hat", "bar", "bold"]), inner),
        st.builds(Fraction, inner, inner),
        st.builds(Root, inner),
        st.builds(Parens, inner),
        st.builds(Call, st.just("softmax"), some),
        st.builds(Sum, inner, inner, inner, inner),
        st.builds(Shaped, inner, inner, inner, st.booleans()),
        st.builds(Stacked, inner, st.lists(inner, min_size=1, max_size=4).map(tuple), st.booleans()),
        st.builds(Grid, rows),
        st.builds(Highlighted, inner, st.sampled_from(["row", "column", "result"])),
        st.builds(lambda cells: Squared(Grid(cells), Grid(cells), Grid(cells)), rows),
        st.builds(Cases, rows),
    )


pieces = st.recursive(st.one_of(letters, numbers, st.builds(Blank, st.integers(1, 9))), larger, max_leaves=12)
relations = st.sampled_from(["=", "≈", "<", "≥"])
chains = st.builds(Chain, pieces, st.lists(st.tuples(relations, pieces), max_size=3).map(tuple))
modes = st.sampled_from([TexMath(), MarkdownTex(), DollarTex()])


@settings(max_examples=40)
@given(
    st.lists(chains, min_size=1, max_size=3).map(tuple), modes, st.sampled_from([2, 10, 40]), st.sampled_from([2, inf])
)
def test_breaking_loses_nothing(chains: tuple[Chain, ...], mode: TexMath, limit: float, highest: float) -> None:
    bodies = displays(chains, mode, limit, highest=highest)
    assert flat("".join(bodies)) == flat("".join(tex(chain, mode) for chain in chains))


@settings(max_examples=40)
@given(pieces, modes)
def test_braces_balance_and_nothing_is_left_to_markdown(piece: Math, mode: TexMath) -> None:
    for mode_ in (mode, mode.small):
        text = tex(piece, mode_)
        bare = re.sub(r"\\[\\{}]", "", text)
        assert bare.count("{") == bare.count("}")
        if isinstance(mode, MarkdownTex):
            assert re.search(r"[`|<>*~]", text) is None
            assert re.search(r"(?<!\\)[$#%]", text) is None
        if isinstance(mode, DollarTex):
            # The only escapes are a space and the end of a row, which ends its line too.
            assert set(re.findall(r"\\[^A-Za-z]", text)) <= {"\\ ", "\\\\"}
            assert re.search(r"\\\\(?!\n)", text) is None
            assert re.search(r"(?<![A-Za-z0-9])_|_\s", text) is None
    assert "\n" not in tex(piece, mode.small)


@settings(max_examples=40)
@given(pieces)
def test_widths_and_heights_are_positive(piece: Math) -> None:
    assert width(piece) >= 0
    assert height(piece) >= 1


@settings(max_examples=40)
@given(
    st.lists(st.floats(-9, 9).map(lambda value: Number(f"{value:.3f}")), min_size=2, max_size=60), st.integers(8, 60)
)
def test_lines_of_a_sum_fit(terms: list[Number], limit: int) -> None:
    guarded = [Parens(term) if term.text.startswith("-") else term for term in terms]
    for line in lines(equation(q, joined(guarded, "+")), DISPLAY, limit):
        # Every figure is at most 4 em wide with its sign and parentheses; a plus is 1.25.
        assert len(re.findall(r"\d+\.\d+", line.right)) <= max(1, limit // 3)


def test_statements_are_lines_and_break_before_relations_and_then_before_plus() -> None:
    assert displays((equation(q, *products(2)),), DISPLAY, 40) == (r"q_{11} = 0.21\cdot(-0.50) = 0.21\cdot(-0.50)",)
    (body,) = displays((equation(q, joined(products(5), "+"), Number("0.145")),), DISPLAY, 30)
    assert body.splitlines() == [
        r"\begin{aligned}",
        r"q_{11} &= 0.21\cdot(-0.50) + 0.21\cdot(-0.50) + 0.21\cdot(-0.50)\\",
        r"&\quad{} + 0.21\cdot(-0.50) + 0.21\cdot(-0.50)\\",
        r"&= 0.145",
        r"\end{aligned}",
    ]
    side = seq(Sign("-"), Number("1"), Sign("·"), Sign("-"), Number("2"))
    assert [line.right for line in lines(equation(q, side), DISPLAY, 1)][-1] == r"\quad = -1\cdot-2"
    (body,) = displays((equation(q, Number("1")), equation(Letter("s"), Number("2"))), DISPLAY, 40)
    assert body == "\\begin{aligned}\nq_{11} &= 1\\\\\ns &= 2\n\\end{aligned}"
    bodies = displays(tuple(equation(q, Number(str(n))) for n in range(20)), DISPLAY, 40, highest=10)
    assert [body.count("q") for body in bodies] == [7, 7, 6]


def test_it_breaks_inside_sums_and_plain_parentheses_and_not_in_tall_ones() -> None:
    share = Fraction(Number("1"), Number("4"))
    long = joined(products(5), "+")
    (body,) = displays((equation(q, seq(share, Parens(long))),), DISPLAY, 30)
    assert r"= \frac{1}{4}(0.21" in body
    assert body.count(r"\quad") == 1
    tall = Parens(joined([*products(5), share], "+"))
    (body,) = displays((equation(q, seq(share, tall)),), DISPLAY, 30)
    assert r"\quad" not in body
    long = Parens(joined(products(5), "+"))
    total = Sum(Letter("t"), Number("1"), Letter("d"), long)
    entry = Script(long, sub=seq(Letter("i"), Letter("j")))
    for side, start, end in ((total, r"= \sum_{t=1}^{d} (0.21", ")"), (entry, "= (0.21", ")_{ij}")):
        first, *rest = (line.right for line in lines(equation(q, side), DISPLAY, 25))
        assert first.startswith(start)
        assert rest[-1].endswith(end)
        assert all(line.startswith(r"\quad{} +") for line in rest)


def test_a_wide_left_side_has_its_own_line_and_that_of_a_proof_makes_room() -> None:
    left, side = Call("softmax", (Letter("X"),)), joined(products(3), "+")
    proof = Chain(left, (("=", side), ("=", side)), (1, 2))
    limit = width(side) + 4
    assert [line.right.count("+") for line in lines(proof, DISPLAY, limit)] == [0, 2, 2]
    assert lines(equation(left, side, side), DISPLAY, limit)[0].left == r"\mathrm{softmax}(X)"
    name = Call("LayerNormalisation", (Letter("X"), Letter("gamma"), Letter("beta")))
    (body,) = displays((equation(name, Number("1"), joined(products(3), "+")),), DISPLAY, 20)
    assert body.splitlines()[1:3] == [r"&\mathrm{LayerNormalisation}(X, \gamma, \beta)\\", r"&\quad = 1\\"]


def test_grids_are_found_wherever_they_are() -> None:
    grid = Grid(((Number("1"),),))
    chain = equation(Letter("Z"), seq(Script(grid, sup=Sign("T")), Parens(Fraction(grid, Number("2")))))
    assert list(every(Grid, chain)) == [grid, grid]


def test_the_numbers_of_a_proof_stay_where_it_is_broken_and_no_relation_lacks_one() -> None:
    (text,) = displays((PROOF,), DISPLAY, 3)
    assert [line.split("&")[1] for line in text.splitlines()[1:-1]] == [r"\overset{(1)}{=} b\\", r"\overset{(2)}{=} c"]
    with pytest.raises(ValueError, match="zip"):
        tex(Chain(Letter("a"), PROOF.links, (1,)))


def test_a_proof_over_several_pages_is_one_alignment() -> None:
    """Wide lines are broken rather than put into boxes of their own, each centred by itself."""
    text = (
        'title = "t"\n[general]\nQ = ["n", "d"]\nK = ["n", "d"]\n[[section]]\ntitle = "a"\n'
        'steps = [{ prove = ["rotary(Q, start=1) @ rotary(K, start=1).T", "rotary(Q) @ rotary(K).T"] }]\n'
    )
    page = derive(loads(text)).render("latex", language="en")
    (proof,) = re.findall(r"\\begin\{align\*\}(.*?)\\end\{align\*\}", page, re.DOTALL)
    assert [int(mark) for mark in re.findall(r"\\overset\{\((\d+)\)\}", proof)] == list(range(1, 13))


# -- plain characters: one spelling for terminals, data and sheets, and no two formulas share one ----------------------


a, e = Letter("a"), Letter("e")
ALL = Letter("all", "upright")
SUM = Sum(k, Number("1"), Number("3"), x)


@pytest.mark.parametrize(("piece", "text"), [
    (Script(Letter("s"), sub=Seq((Number("1"), Number("2"))), sup=Parens(Number("1"))), "s₁₂⁽¹⁾"),
    (Script(Letter("k"), sub=Seq((i, j)), sup=Parens(Letter("y"))), "kᵢⱼ^(y)"),
    (Script(Letter("Q"), sub=ALL), "Q_all"),  # a word is not read letter by letter
    (Script(Letter("d"), sub=Seq((i, Letter("kappa")))), "d_iκ"),
    (Script(Letter("d"), sub=Seq((i, Sign(","), Number("12")))), "d_(i, 12)"),
    (Script(e, sup=Script(Letter("s"), sub=i)), "e^(sᵢ)"),
    (Script(Script(x, sup=Sign("T")), sub=i), "(xᵀ)ᵢ"),
    (Script(Script(x, sub=i), sup=Sign("T")), "xᵢᵀ"),
    (Script(Root(x), sup=Number("2")), "(√x)²"),
    (Root(Script(x, sup=Number("2"))), "√(x²)"),
    (Root(Number("1.5*10^9")), "√(1.5×10⁹)"),
    (Seq((SUM, Sign("+"), a)), "Σ_(k=1…3) x + a"),
    (Sum(k, Number("1"), Number("3"), Seq((x, Sign("+"), a))), "Σ_(k=1…3) (x + a)"),
    (Seq((a, Sign("·"), Fraction(a, x), Sign("+"), Fraction(a, x))), "a · (a / x) + a / x"),
    (Seq((a, Parens(Seq((x, Sign("+"), a))))), "a (x + a)"),  # and no function of x + a
    (Grid(((a, Fraction(a, x)), (Seq((Sign("-"), x)), Number("-2")))), "[a, a / x; −x, −2]"),
    (Accented("tilde", Letter("out", "upright")), "o\u0303ut"),
    (Accented("prime", Letter("out", "upright")), "out\u2032"),
])  # fmt: skip
def test_a_spelling_can_be_read_aloud_in_one_way(piece: Math, text: str) -> None:
    assert characters(piece) == text


def spelled(told: object) -> Iterator[tuple[str, str]]:
    """Every formula of a lesson's data, as text and as LaTeX."""
    if isinstance(told, dict):
        if "text" in told and "latex" in told:
            yield told["text"], re.sub("shape=", "", told["latex"])
        for each in told.values():
            yield from spelled(each)
    elif isinstance(told, list):
        for each in told:
            yield from spelled(each)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", ["refund", "weather", "training"])
def test_formulas_that_differ_are_spelled_differently(name: str) -> None:
    found: dict[str, str] = {}
    for text, latex in spelled(json.loads(solved(name).render("json", language="en"))):
        assert found.setdefault(text, latex) == latex
    assert len(found) > 100


def test_data_sheets_and_the_terminal_share_one_spelling() -> None:
    data = json.loads(solved("weather").render("json", language="en"))
    shown = [step for step in data["steps"] if step["name"] in ("X", "Q", "S", "A", "Z", "LN_1", "probs")]
    shapes = {chain["text"] for step in shown for chain in step["shapes"]}
    book = solved("weather").published("xlsx", language="en")
    assert isinstance(book, bytes)
    assert shapes
    assert shapes <= set(map(str.strip, sheet_text(book).split("\n")))
    told = explain("softmax(Q @ K.T / sqrt(d_k)) @ V")
    for piece in told.data()["pieces"]:
        assert piece["formula"] in told.render()


# -- sentences as runs: what is text is one run, and mathematics comes back as what it was -----------------------------


texts = st.text(st.characters(exclude_categories=("Cs",)), max_size=20)


def attends(token: object, weight: object, *ties: object) -> Phrase:
    told = {"row": 1, "token": token, "weight": weight, "ties": tuple((tie,) for tie in ties)}
    return Phrase("attends", tuple(told.items()))  # type: ignore[arg-type]


def test_words_are_one_run_and_figures_of_two_entries_stay_two(words: Macros) -> None:
    assert inline_runs(("So:  ", attends("流程", Q), " ", "x"), words) == (
        "So: Row 1 attends most to 流程 (",
        Q,
        "). x",
    )
    assert inline_runs((Phrase("中文"), Q), words) == ("一行，兩行", Q)
    assert inline_runs((Phrase("plain"), ""), words) == ()
    one, two = (Number("0.5", EntryPlace("A", 0, column)) for column in range(2))
    runs = inline_runs((attends("x", one, two, one),), words)
    assert [run.of for run in runs if isinstance(run, Number)] == [one.of, two.of, one.of]


@given(st.lists(texts | st.just(Q), max_size=6))
def test_any_text_comes_back_clean(words: Macros, parts: list[str | Letter]) -> None:
    runs = inline_runs(tuple(parts), words)
    assert all(isinstance(run, Letter) or (run and run == escape.clean(run)) for run in runs)
    assert [run for run in runs if run == Q] == [part for part in parts if part == Q]
    assert not any(isinstance(one, str) and isinstance(two, str) for one, two in pairwise(runs))
    spoken = "".join(part if isinstance(part, str) else "Q" for part in parts)
    assert escape.clean(inline(PlainLine(words), *parts)) == escape.clean(spoken)
