"""LaTeX, HTML, notebooks and plain text: pieces as of Markdown, with places in the file as it is."""

from __future__ import annotations

import json

import pytest

from symattn.base.errors import DocumentError
from symattn.checking.sources import format_of, read_document
from tests.checking.sources.pages import lost, misplaced, pieces_of, short

LATEX = r"""\documentclass[12pt]{article}
\newcommand{\softmax}{\mathrm{softmax}}
\newcommand{\vect}[1]{\mathbf{#1}}
\DeclareMathOperator{\attn}{Attn}
\begin{document}
\section{Scores \(QK^T\)} % a remark 77
Three \textbf{tokens}; 5\% of~\$3, \verb|x_1|.
\begin{align}
\softmax(\vect{x}) &= 0.5 \label{eq:1}\\
\attn &= 2
\end{align}

\begin{itemize}
\item First $x=1$
\item[(b)] Second 0.5
\end{itemize}
\begin{tabular}{l|c}
\hline
 & a \\[2pt] \hline
row & $0.25$ \\
\end{tabular}
\begin{verbatim}
tensor([0.5]) % kept
\end{verbatim}
\begin{frame}{Slide 2} \input{other_5} Text \end{frame}
\end{document}
after 3
"""


def test_the_body_of_a_document_in_latex_is_read_with_its_own_commands_written_out() -> None:
    assert pieces_of(LATEX, "x.tex") == [
        ("heading", "Scores"),
        ("math", "QK^T"),
        ("prose", "Three tokens; 5% of $3, x_1."),
        (
            "display",
            "\\begin{align}\n"
            "\\mathrm{softmax}(\\mathbf{x}) &= 0.5 \\label{eq:1}\\\\\n\\operatorname{Attn} &= 2\n\\end{align}",
        ),
        ("item", "First"),
        ("math", "x=1"),
        ("item", "(b)  Second 0.5"),
        ("cell", "a"),
        ("cell", "row"),
        ("math", "0.25"),
        ("output", "tensor([0.5]) % kept"),
        ("heading", "Slide 2"),
        ("prose", "Text"),
    ]


@pytest.mark.parametrize(
    ("page", "pieces"),
    [
        (
            "$$a$$ and $b$ \\[c\\] \\(d\\)",
            [("display", "a"), ("prose", "and"), ("math", "b"), ("display", "c"), ("math", "d")],
        ),
        ("\\newcommand{\\a}{\\a\\a}$\\a$", [("math", "\\a" * 16)]),
        ("\\def\\b#1{(#1)}$\\b{2}$", [("math", "(2)")]),
        (
            "\\begin{itemize}<1->\\item<2-> $\\uncover<3->{x} \\only<2,4>{{}= 1}$\\end{itemize}",
            [("math", "x {}= 1")],
        ),
        (
            "\\newcommand{\\K}[1]{#1}\\begin{Highlighting}[]\n\\K{import}\\ numpy\n\nx\\_1\\ =\\ \\K{\\{1\\}} % 2 $ 3\n"
            "\\end{Highlighting}\na",
            [("code", "import numpy\n\nx_1 = {1} % 2 $ 3"), ("prose", "a")],
        ),
        (
            "\\begin{Highlighting}\nx: 1\n\\end{Highlighting}"
            "\\begin{symattnprogram}\n\\symattnline{return\\ \\textquotedbl{}}\n"
            "\\symattnline{}\n\\end{symattnprogram}",
            [("output", "x: 1"), ("code", 'return "')],
        ),
        ("a $ b", [("prose", "a $ b")]),
        ("\\begin{equation}1", [("display", "\\begin{equation}1")]),
        ("", []),
    ],
)
def test_formulas_of_latex_are_read_in_all_their_signs(page: str, pieces: list[tuple[str, str]]) -> None:
    assert pieces_of(page, "x.tex") == pieces


KATEX = (
    '<span class="katex"><span class="katex-mathml"><math><semantics><mrow><mi>d</mi></mrow><annotation '
    'encoding="application/x-tex">d = 4 &lt; 5</annotation></semantics></math></span><span class="katex-html" '
    'aria-hidden="true"><span>d=<span>4</span></span></span></span>'
)


@pytest.mark.parametrize(
    ("page", "pieces"),
    [
        (f"<p>A {KATEX} b</p>", [("prose", "A"), ("math", "d = 4 < 5"), ("prose", "b")]),
        (f'<span class="katex-display">{KATEX}</span>', [("display", "d = 4 < 5")]),
        ('<span class="MathJax">z3</span><script type="math/tex; mode=display">z = 3</script>', [("display", "z = 3")]),
        (
            "<p>\\(x\\), $y = 2$ &amp; <b>c</b><br>x<sup>2</sup>",
            [("math", "x"), ("prose", ","), ("math", "y = 2"), ("prose", "& c\nx^{2}")],
        ),
        ("<pre><code class='language-python'>print(1 &lt; 2)</code></pre>", [("code", "print(1 < 2)")]),
        (
            "<h2>a</h2><ul><li>b<li>c</ul>d<style>p{5}</style><!--6-->",
            [("heading", "a"), ("item", "b"), ("item", "c"), ("prose", "d")],
        ),
        ("<math><msub><mi>W</mi><mi>Q</mi></msub><mo>=</mo><mo>−</mo><mn>1</mn></math>", [("math", "W_{Q}=−1")]),
        ("<math><msup><mrow><mi>Q</mi><mi>K</mi></mrow><mi>T</mi></msup></math>", [("math", "{QK}^{T}")]),
        (
            "<math><mover><mi>x</mi><mo>^</mo></mover><mo>=</mo><mtext>so 2</mtext></math>",
            [("math", "\\hat{x}=\\text{so 2}")],
        ),
        (
            "<math><mfenced open='[' close=']'><mtable><mtr><mtd><mn>1</mn></mtd></mtr></mtable></mfenced></math>",
            [("math", "\\begin{bmatrix}1\\end{bmatrix}")],
        ),
        (
            "<math><munderover><mo>∑</mo><mi>i</mi><mn>3</mn></munderover><mroot><mi>x</mi><mn>3</mn></mroot></math>",
            [("math", "∑_{i}^{3}\\sqrt[3]{x}")],
        ),
    ],
)
def test_a_saved_page_is_read_once_whatever_drew_its_formulas(page: str, pieces: list[tuple[str, str]]) -> None:
    assert pieces_of(page, "x.html") == pieces


def test_cells_of_html_know_their_rows_and_columns() -> None:
    page = "<table><tr><th colspan=2>a<th>b<tr><td>1<td><p>2 <b>3</b></p><table><tr><td>in</table><td>4</table>"
    cells = [(p.table, p.row, p.column, p.text.strip()) for p in read_document(page, "x.html").pieces if p.table]
    assert cells == [(1, 1, 1, "a"), (1, 1, 3, "b"), (1, 2, 1, "1"), (1, 2, 2, "2 3"), (2, 1, 1, "in"), (1, 2, 3, "4")]


def notebook(**cell: object) -> str:
    return json.dumps({"cells": [cell], "metadata": {"n": 5}}, indent=1)


@pytest.mark.parametrize(
    ("cell", "pieces"),
    [
        (
            {"cell_type": "markdown", "source": ["# Tést $x=1$\n", "\n", "so \\(y\\)"]},
            [("heading", "Tést"), ("math", "x=1"), ("prose", "so"), ("math", "y")],
        ),
        ({"cell_type": "code", "source": "x = 1 # 🌰", "outputs": []}, [("code", "x = 1 # 🌰")]),
        (
            {"cell_type": "code", "source": "x", "outputs": [{"text": ["1\n", "2"]}]},
            [("code", "x"), ("output", "1\n2")],
        ),
        (
            {"cell_type": "code", "source": "x", "outputs": [{"data": {"text/plain": "3", "text/html": "<b>3</b>"}}]},
            [("code", "x"), ("output", "3")],
        ),
        (
            {"cell_type": "code", "source": "x", "outputs": [{"data": {"text/latex": "$\\frac{1}{2}$"}}]},
            [("code", "x"), ("display", "\\frac{1}{2}")],
        ),
        ({"cell_type": "raw", "source": "4"}, [("output", "4")]),
        ({"cell_type": 5, "source": {"a": [None, True]}}, []),
    ],
)
def test_a_notebook_is_read_cell_by_cell_with_places_in_its_file(
    cell: dict[str, object], pieces: list[tuple[str, str]]
) -> None:
    document = read_document(notebook(**cell), "x.ipynb")
    assert short(document) == pieces
    assert not lost(document)
    assert not misplaced(document)


@pytest.mark.parametrize("text", ["{", "[]", "5", '{"cells": 3}', '{"cells": [}', "[" * 200_000, '"\\u00"', ""])
def test_a_broken_notebook_is_one_sentence(text: str) -> None:
    with pytest.raises(DocumentError, match=r"^x.ipynb: .*[a-z]") as error:
        read_document(text, "x.ipynb")
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("So \\[\na = 1\n\\]\nand \\(b\\)", [("prose", "So"), ("display", "a = 1"), ("prose", "and"), ("math", "b")]),
        (
            "Then\nd_k = dim\nw = nn.Linear(2, 2)\n\nx = w(x)\n\nthe output",
            [("prose", "Then"), ("code", "d_k = dim\nw = nn.Linear(2, 2)\n\nx = w(x)"), ("prose", "the output")],
        ),
        ("注意力:\n tensor([[0.5,\n   0.5]])\n好", [("output", "注意力:\n tensor([[0.5,\n   0.5]])"), ("prose", "好")]),
        ("是\n0.5 0.25\n0.1 0.2\n的", [("prose", "是"), ("output", "0.5 0.25\n0.1 0.2"), ("prose", "的")]),
        (
            "矩阵 X=[12]\\mathbf{X} = [1 & 2]，好",
            [("prose", "矩阵"), ("math", "\\mathbf{X} = [1 & 2]"), ("prose", "，好")],
        ),
        ("  • a\n  • b 2", [("item", "a"), ("item", "b 2")]),
    ],
)
def test_plain_text_shows_its_programs_outputs_and_formulas(text: str, pieces: list[tuple[str, str]]) -> None:
    assert pieces_of(text, "x.txt") == pieces


@pytest.mark.parametrize(
    ("text", "name", "format"),
    [
        ("", "a/b.MD", "markdown"),
        ("x", "", "plain"),
        ("\\section{x}", "", "latex"),
        ('{"cells": []}', "-", "notebook"),
        ("<!DOCTYPE html>", "page", "html"),
        ("a **b** c", "notes.txt", "markdown"),
    ],
)
def test_a_format_is_known_by_the_name_or_by_its_looks(text: str, name: str, format: str) -> None:
    assert format_of(text, name) == format


def test_a_mark_of_byte_order_is_no_text() -> None:
    assert pieces_of("\ufeff# a", "x.md") == [("heading", "a")]
