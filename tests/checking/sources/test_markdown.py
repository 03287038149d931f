"""Markdown as it stands on GitHub: what is a formula, what is a program, what is nothing but a sign."""

from __future__ import annotations

import pytest

from symattn.checking.sources import read_document
from tests.checking.sources.pages import pieces_of, texts


@pytest.mark.parametrize(
    ("page", "formulas"),
    [
        ("$x = 1$ and $y = 2$, $0.5$.", ["x = 1", "y = 2", "0.5"]),
        ("$ d_k = 64 $ 또는 $X$입니다", ["d_k = 64", "X"]),
        ("it is \\(x\\) or \\\\(y = 3\\\\)", ["x", "y = 3"]),
        ("a $`q = 7`$ b `$w = 8$`", ["q = 7", "w = 8"]),
        ("costs \\$3, or $5 and $7 more", []),
        ("from $5 to 10 US", []),
        ("$a &lt; b$", ["a < b"]),
        ("![5](https://latex.codecogs.com/svg.latex?x%20%3D%20%5Calpha%281%29)", ["x = \\alpha(1)"]),
        ('<img src="https://render.githubusercontent.com/render/math?math=e^{0} = 1">', ["e^{0} = 1"]),
        ("权重$W$是**$0.5$**。", ["W", "0.5"]),
        ("$5 \\times 2 = 10$ and $5.5$", ["5 \\times 2 = 10", "5.5"]),
        ("$X = \\begin{bmatrix}1 & 2", ["X = \\begin{bmatrix}1 & 2"]),
        ("one $x\n= 2$ two", ["x\n= 2"]),
    ],
)
def test_a_formula_is_told_from_a_price(page: str, formulas: list[str]) -> None:
    assert texts(page, "math") == formulas


@pytest.mark.parametrize(
    ("page", "formula"),
    [
        ("$$x$$", "x"),
        ("$$\nx\n$$", "x"),
        ("$$E = \\begin{bmatrix}\n1 \\\\\n2\n\\end{bmatrix}$$", "E = \\begin{bmatrix}\n1 \\\\\n2\n\\end{bmatrix}"),
        ("so $$a$$ it is", "a"),
        ("> $$\n> a\n> = 1\n> $$", "a\n= 1"),
        ("1. x\n   $$\n   a\n   $$", "a"),
        ("$$\na\n\n- 3\n$$", "a\n\n- 3"),
        ("\\[ a \\]", "a"),
        ("\\\\[ a = 1 \\\\]", "a = 1"),
        ("\\begin{align}\na &= 1 \\tag{2}\n\\end{align}", "\\begin{align}\na &= 1 \\tag{2}\n\\end{align}"),
        ("```math\na\n```", "a"),
        ("- t\n  ```math\n  a\n  ```", "a"),
        ("$$a = 1\n\nnext", "a = 1"),
        ("$$\r\na\r\n$$\r\n", "a"),
    ],
)
def test_a_formula_on_its_own_is_read_however_it_is_opened(page: str, formula: str) -> None:
    assert texts(page, "display") == [formula]


@pytest.mark.parametrize(
    ("page", "words"),
    [
        ("**0.5** and *a* __b__ ~~c~~", "0.5 and a b c"),
        ("2*3*4 = 24, a*b, c*d, 2 * 3 * 4", "2*3*4 = 24, a*b, c*d, 2 * 3 * 4"),
        ("(1)*(2) + (3)*(4)", "(1)*(2) + (3)*(4)"),
        ("x**2 + y**2 = z_1 W_Q W_K", "x**2 + y**2 = z_1 W_Q W_K"),
        ("0.8*[10,0] + 0.2*[0,20]", "0.8*[10,0] + 0.2*[0,20]"),
        ("是**重点**的和**“引号”**的", "是重点的和“引号”的"),
        ("[text 1](http://a.b/1_2) [1, 2](#x)", "text 1 1, 2"),
        ("[1][2] [0.5](0.3)", "[1][2] [0.5](0.3)"),
        ("`a * b_1 = [1]` is", "a * b_1 = [1] is"),
        ("x<sub>1</sub> = 5&times;3<br>next", "x_{1} = 5×3\nnext"),
        ("<eos> a<b and c>d <s>", "<eos> a<b and c>d <s>"),
        ("\\* star \\_ \\# 1", "* star _ # 1"),
        ("see https://arxiv.org/abs/1706.03762 now", "see  now"),
        ("a ![8](p_1.png 't 5') b[^1]", "a  b"),
        ("a <!-- 5 --> b", "a  b"),
        ("[^1]: a note 5", "a note 5"),
        ("a:contentReference[oaicite:4]{index=4} b【7†source】 【1】", "a b 【1】"),
        ("~0.5 ~ 1", "~0.5 ~ 1"),
        ('<span style="font-size: 14px;">**Row 1:** 0.5</span>', "Row 1: 0.5"),
    ],
)
def test_signs_of_markdown_go_and_those_of_formulas_stay(page: str, words: str) -> None:
    assert texts(page, "prose") == [words]


@pytest.mark.parametrize(
    ("fence", "inside", "kind"),
    [
        ("python", "x = 1", "code"),
        ("", "import torch\nx = torch.ones(2)", "code"),
        ("text", ">>> x", "code"),
        ("python", "tensor([[0.5, 0.25]])", "output"),
        ("", "A = [[0.8, 0.2]], 1e-5", "output"),
        ("", "[1.8]   (input)\n+ [1.3]\n= [3.1]   (sum)", "output"),
        ("output", "Scores:\n0.5 0.2", "output"),
        ("cpp", "int x = 1;", "code"),
    ],
)
def test_a_fence_holds_a_program_or_what_one_printed(fence: str, inside: str, kind: str) -> None:
    assert pieces_of(f"a\n\n```{fence}\n{inside}\n```\nb 1") == [("prose", "a"), (kind, inside), ("prose", "b 1")]


def test_a_page_that_is_indented_as_a_whole_is_read_as_one_that_is_not() -> None:
    page = "$$X = 1$$\n\nScores: $0.5$\n\n- row 1"
    indented = "\n".join("    " + line if line else line for line in page.split("\n"))
    assert pieces_of(indented) == pieces_of(page)


@pytest.mark.parametrize(
    ("inside", "kind"),
    [("x = torch.ones(1)\nprint(x)", "code"), ("[[0.5, 0.2]]", "output"), ("Scores: $x$", "prose")],
)
def test_an_indented_block_is_what_it_looks_like(inside: str, kind: str) -> None:
    block = "\n".join("    " + line for line in inside.split("\n"))
    assert pieces_of(f"a\n\n{block}\n\nb")[1][0] == kind


def test_cells_of_tables_know_their_rows_and_columns() -> None:
    document = read_document(
        "| a | $b|c$ |\n|--|:-:|\n| 1 | 2 \\| x |\n| **3** | |\n\n<table><tr><td>7</table>", "x.md"
    )
    cells = [(piece.table, piece.row, piece.column, piece.kind, piece.text) for piece in document.pieces if piece.table]
    assert cells == [
        (1, 1, 1, "cell", "a"),
        (1, 1, 2, "math", "b|c"),
        (1, 2, 1, "cell", "1"),
        (1, 2, 2, "cell", "2 | x"),
        (1, 3, 1, "cell", "3"),
        (1, 3, 2, "cell", ""),
        (2, 1, 1, "cell", "7"),
    ]


def test_headings_items_and_paragraphs_are_told_apart() -> None:
    page = "---\ntitle: 5\n---\nOne 1\n===\n\n## Two $x$ ##\na\n- b\n  c\n  1. d\n"
    page += "\n<summary>e</summary> f\n\n***\n<h3>g</h3>"
    assert pieces_of(page) == [
        ("heading", "One 1"),
        ("heading", "Two"),
        ("math", "x"),
        ("prose", "a"),
        ("item", "b\nc"),
        ("item", "d"),
        ("prose", "e"),
        ("prose", "f"),
        ("heading", "g"),
    ]
    assert [piece.level for piece in read_document(page).pieces if piece.kind == "heading"] == [1, 2, 3]


def test_a_character_is_found_where_it_stands_in_the_file() -> None:
    document = read_document("> - $\\alpha$\n>   is **0.75**\r\n", "x.md")
    piece = next(piece for piece in document.pieces if "0.75" in piece.text)
    start, end = piece.place(piece.text.index("0.75"), piece.text.index("0.75") + 4)
    assert document.text[start:end] == "0.75"
    assert document.position(start) == (2, 10)


@pytest.mark.parametrize(
    ("page", "pieces"),
    [
        ("It costs 3$ and 4$ or $10. It is $x$", [("prose", "It costs 3$ and 4$ or $10. It is"), ("math", "x")]),
        (
            "a 5$。\n列 $[1,0]$，行$[0]$；",
            [("prose", "a 5$。\n列"), ("math", "[1,0]"), ("prose", "，行"), ("math", "[0]"), ("prose", "；")],
        ),
        ("one 1\ntwo\n-----\nthree", [("prose", "one 1\ntwo"), ("prose", "three")]),
        ("a\n> b\n> > c", [("prose", "a"), ("prose", "b"), ("prose", "c")]),
        ("1. a\n   b\n2. c", [("item", "a\nb"), ("item", "c")]),
        ("So S = \\begin{bmatrix} 1 \\end{bmatrix}", [("math", "So S = \\begin{bmatrix} 1 \\end{bmatrix}")]),
    ],
)
def test_what_stands_close_together_is_told_apart(page: str, pieces: list[tuple[str, str]]) -> None:
    assert pieces_of(page) == pieces
