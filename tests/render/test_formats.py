"""Whole pages in every format, what a page may never contain, and templates: whatever is missing in one is named."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import jinja2
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jinja2 import DictLoader

import symattn
from symattn.base.errors import RenderError, UnknownNameError
from symattn.base.words import folder_of, languages
from symattn.show.blocks import (
    LABELS,
    Block,
    Break,
    Document,
    Equation,
    Field,
    Fields,
    Heading,
    Inline,
    Labels,
    Listing,
    Matrices,
    Matrix,
    Phrase,
    Picture,
    Prose,
    Question,
    Readings,
    Room,
    Table,
    Task,
    with_answers_at_end,
)
from symattn.show.drawings import BarChart, BarGroup, Plotted
from symattn.show.math import Accented, Blank, Call, Fraction, Letter, Number, Parens, Root, Script, Sign, equation, seq
from symattn.write import environment
from symattn.write.environment import Macros, Phrases, Templates, made_of, reader
from symattn.write.formats import FOLDS, FORMATS, matrix_tex, render, rendered
from symattn.write.latex import latex
from symattn.write.markdown import DELIMITERS, MarkdownPage, markdown
from symattn.write.modules import write_modules
from symattn.write.page import macro_values
from symattn.write.pandoc import WordTree
from tests.readers.files import markdown_parser
from tests.render.test_escape import NASTY

TEMPLATED = tuple(name for name in FORMATS if name != "docx")
"""The formats that have a macro for each block; that of Word is a tree."""

Q, X, W, S = (Letter(name) for name in "QXWS")
W_Q = Script(W, sub=Q)
TERM = seq(Number("0.21"), Sign("·"), Parens(Number("-0.50")))
LONG_FIGURE = Number("0." + "1234567890" * 5)
SOFTMAX = Call("softmax", (Fraction(seq(Q, Script(X, sup=Sign("T"))), Root(Script(Letter("d"), sub=Letter("k")))),))
ATTENDS = (("row", 1), ("token", "流程"), ("weight", Number("0.5")), ("ties", (("a_b", "<b>"), ("c", Q))))

ONE = Matrix(Q, Number("1"), Number("2"), ((Number("0.125"),) * 2,))

EXAMPLES: list[Block] = [
    Heading(1, "1", ("Scores",)),
    Heading(2, "1-2", ("The scores of ", Q, " #")),
    Prose(("As ", SOFTMAX, " of ", W_Q, "."), "text"),
    Prose(("It weighs.",), "need"),
    Prose(("A remark on ", Q, "."), "note"),
    Prose(("教學文件 (000_6059.txt)",), "source"),
    Phrase("attends", ATTENDS, "reading"),
    Readings((Phrase("attends", ATTENDS), Phrase("中文"))),
    Labels(Phrase("head", (("text", "Tokens:"),)), ((Script(Letter("t"), sub=Number("1")), "今天"),)),
    Equation((equation(Q, seq(X, W_Q)),), "formula"),
    Matrix(Q, Number("2"), Number("2"), ((Number("0.1"), Number("0.2")), (Number("3"), Number("4")))),
    Matrices((ONE, ONE)),
    Table((Phrase("head", (("text", "Place"),)), Phrase("head", (("text", "a|b"),))), (((Q,), ("0.97 | b",)),)),
    Listing("r", "Z <- W %*% X\nprint(Z)", "[1,] 1 2"),
    Fields((Field(Phrase("head", (("text", "Name:"),)), share=2), Field(Phrase("head", (("text", "By:"),)), "a_ <b>"))),
    Task(Phrase("head", (("text", "1. Work out"),)), 12),
    Room(5),
    Break(("a_ ", Q)),
    Picture(
        BarChart(Q, (BarGroup(None, (("a_ <b>", Plotted("0.25", 0.25)),)),)),
        Phrase("head", (("text", "Bars $[a]"),)),
        ("Longer is ", Q, "."),
        "bars-Q",
        "page-figures/01-bars-Q.svg",
    ),
]

QUESTION = Question(3, ("Why ", Q, "?"), ("So *that*.",))
"""The block that only some formats have: others have its answer at the end."""


def document(*blocks: Block, title: tuple[Inline, ...] = ("Title",)) -> Document:
    return Document(title, "en", blocks)


def written(words: Macros, *blocks: Block, math: str = "brackets", format: str = "markdown") -> str:
    """The body of a page with these blocks, without its title."""
    page = FORMATS[format](document(*blocks), words, math if format == "markdown" else None, format == "latex")
    if format == "markdown":
        return page.removeprefix("# Title\n").strip("\n")
    return page.rpartition("\\symattnset\n")[2].removesuffix("\n\\par\\endgroup\n").strip("\n")


def test_every_block_has_a_rule_and_a_macro_in_every_format(words: Macros) -> None:
    classes = set(get_args(Block))
    assert {type(block) for block in (*EXAMPLES, QUESTION)} == classes
    with pytest.raises(RenderError, match="no rule for str: not a block"):
        macro_values("x", MarkdownPage(words, "dollar"))  # type: ignore[arg-type]
    tree = WordTree(words, iter([b"PNG"] * len(EXAMPLES)))
    assert all(map(tree.elements, EXAMPLES))
    with pytest.raises(RenderError, match="no rule for str: not a block"):
        tree.elements("x")  # type: ignore[arg-type]
    for format in TEMPLATED:
        of_all = classes if format in FOLDS else classes - {Question}
        assert {cls.__name__.lower() for cls in of_all} <= set(environment.block_macros(format).known)
        for block in EXAMPLES:
            assert written(words, block, format=format)


def test_every_block_but_what_is_of_paper_has_nodes_of_docutils(words: Macros) -> None:
    pytest.importorskip("docutils")
    from symattn.sites.sphinx.nodes import NodeTree

    tree = NodeTree(words, "en", sections=True)
    assert {type(block) for block in EXAMPLES if not tree.elements(block)} == {Room, Break}


# -- Markdown ------------------------------------------------------------------------------------------------------

DISPLAYED = "Q\\ (shape=1\\times 2)=\n\\begin{bmatrix}\n0.125 & 0.125\n\\end{bmatrix}"

EXPECTED = [
    "## 1 Scores",
    r"### 1-2 The scores of \(Q\) \#",
    r"As \(\mathrm{softmax}(QX^T/\sqrt{d_k})\) of \(W_Q\).",
    "It weighs.",
    r"> **附註：** A remark on \(Q\).",
    "*From: 教學文件 (000_6059.txt)*",
    r"Row 1 attends most to 流程 (\(0.5\)); a_b = &lt;b>; c = \(Q\).",
    "- Row 1 attends most to 流程 (\\(0.5\\)); a_b = &lt;b>; c = \\(Q\\).\n- 一行，兩行",
    "Tokens:\n\n* \\(t_1\\) = 今天",
    "\\[\nQ = XW_Q\n\\]",
    "\\[\nQ\\ (shape=2\\times 2)=\n\\begin{bmatrix}\n0.1 & 0.2\\\\\n3 & 4\n\\end{bmatrix}\n\\]",
    f"\\[\n{DISPLAYED}\n\\quad\n{DISPLAYED}\n\\]",
    "| Place | a\\|b |\n| --- | --- |\n| \\(Q\\) | 0.97 \\| b |",
    "```r\nZ <- W %*% X\nprint(Z)\n```\n\nIt prints:\n\n```text\n[1,] 1 2\n```",
    "Name: " + "\\_" * 60 + " By: **a\\_ &lt;b>**",
    "1\\. Work out",
    "&nbsp;\n\n&nbsp;\n\n&nbsp;",
    "---",
    "![Bars &#36;&#91;a&#93;](page-figures/01-bars-Q.svg)\n\nLonger is \\(Q\\).",
]


def test_markdown_of_every_block(words: Macros) -> None:
    assert [written(words, block) for block in EXAMPLES] == EXPECTED


def test_the_matrix_has_exactly_the_form_of_the_issue(words: Macros) -> None:
    rows = (("0.145", "0.125", "0.051", "0.199"), ("0.033", "0.131", "0.174", "0.087"))
    entries = tuple(tuple(map(Number, row)) for row in rows)
    expected = r"""\[
Q\ (shape=3\times 4)=
\begin{bmatrix}
0.145 & 0.125 & 0.051 & 0.199\\
0.033 & 0.131 & 0.174 & 0.087
\end{bmatrix}
\]"""
    assert written(words, Matrix(Q, Number("3"), Number("4"), entries)) == expected
    bare = written(words, Matrix(Q, Number("3"), Number("4"), entries, annotated=False))
    assert bare == expected.replace(r"\ (shape=3\times 4)", "")
    assert f"\\[\n{matrix_tex(Matrix(Q, Number('3'), Number('4'), entries))}\n\\]" == expected


def test_an_answer_is_folded_away_or_comes_at_the_end(words: Macros) -> None:
    folded = written(words, QUESTION)
    assert folded == (
        "**Question 3.** Why \\(Q\\)?\n\n<details>\n<summary>Answer</summary>\n\nSo \\*that\\*.\n\n</details>"
    )
    page = document(QUESTION, Room(1))
    shown = with_answers_at_end(page)
    assert written(words, *shown.blocks) == "\n\n".join(
        ("**Question 3.** Why \\(Q\\)?", "&nbsp;", "## Answers", "**Answer 3.** So \\*that\\*.")
    )
    assert with_answers_at_end(shown) == shown


BESIDE = ("對", Q, "做（", X, "，", Q, "）5「", W, "5", Q, Q, "，a$b")
TILDE = Prose((Script(Accented("tilde", S), sub=seq(Letter("i"), Letter("j"))),))
BLANK = Matrix(Q, Number("1"), Number("2"), ((Blank(4), Number("1")),), annotated=False)
BOX = "Q=\n\\begin{bmatrix}\n\\boxed{\\phantom{0000}} & 1\n\\end{bmatrix}"
FENCED = "`````\na <- '```'\n`````\n\nIt prints:\n\n`````text\n````\n`````"

WRITTEN: list[tuple[tuple[Block, ...], str, str]] = [
    # blocks, math, Markdown
    ((EXAMPLES[9],), "dollar", "$$\nQ = XW_Q\n$$"),
    ((Prose(("As ", Q, ", ", W_Q, ".")),), "dollar", "As $Q$, $W_Q$."),
    # Dollars stand apart where GitHub would not see them.
    ((Prose(BESIDE),), "dollar", "對 $Q$ 做 ($X$， $Q$) 5「 $W$ 5 $Q$ $Q$，a<span>&#36;</span>b"),
    ((Prose(BESIDE),), "brackets", r"對\(Q\)做（\(X\)，\(Q\)）5「\(W\)5\(Q\)\(Q\)，a\$b"),
    ((Prose(("(", Q, ") it’s (almost ", X, ")-like")),), "dollar", "($Q$) it’s (almost $X$)-like"),
    ((Prose(("最大的是（", Q, "，（", X, "））")),), "dollar", "最大的是（ $Q$， ($X$)）"),
    # No underscore can begin emphasis between dollars.
    ((TILDE,), "dollar", r"$\tilde S_{ij}$"),
    ((TILDE,), "brackets", r"\(\tilde{S}_{ij}\)"),
    # A blank is an empty box with room for figures.
    ((BLANK,), "dollar", f"$$\n{BOX}\n$$"),
    ((BLANK,), "brackets", f"\\[\n{BOX}\n\\]"),
    # Matrices stand side by side as far as the line goes.
    ((Matrices((ONE, ONE, ONE)),), "dollar", f"$$\n{DISPLAYED}\n\\quad\n{DISPLAYED}\n$$\n\n$$\n{DISPLAYED}\n$$"),
    # What says nothing leaves no gap.
    ((Prose(("a",)), Prose(()), Readings(()), Phrase("plain"), Prose(("b",))), "brackets", "a\n\nb"),
    # Text is escaped across its pieces.
    ((Prose(("1", ". x &", "lt; a_", "b")),), "brackets", r"1\. x &amp;lt; a_b"),
    ((Phrase("head", (("text", "# x"),)),), "brackets", r"\# x"),
    # A fence is longer than what it holds; a listing without output says nothing of it.
    ((Listing("", "a <- '```'", "````"),), "brackets", FENCED),
    ((Listing("r\n<x>", "x", ""),), "brackets", "```\nx\n```"),
    *(((Heading(level, "", ("x",)),), "brackets", "#" * min(level + 1, 6) + " x") for level in range(1, 8)),
]


@pytest.mark.parametrize(("blocks", "math", "expected"), WRITTEN, ids=lambda value: str(value)[:20])
def test_what_markdown_writes(words: Macros, blocks: tuple[Block, ...], math: str, expected: str) -> None:
    assert written(words, *blocks, math=math) == expected


def page_of(texts: list[str]) -> Document:
    """A page in which every text stands in every place where text can stand."""
    blocks: list[Block] = []
    for text in texts:
        label = Letter(text, "text")
        blocks += [
            Heading(1, "1", (text,)),
            *(
                Prose((text, Q, text), role, 1 if role in ("ask", "answer") else 0)
                for role in ("text", "need", *LABELS)
            ),
            Phrase("attends", (("row", 2), ("token", text), ("weight", label), ("ties", ((text, label),)))),
            Readings((Phrase("head", (("text", text),)), Phrase("head", (("text", label),)))),
            Labels(Phrase("head", (("text", text),)), ((Script(Letter("t"), sub=label), text),)),
            Equation((equation(Script(X, sub=label), label),)),
            Matrix(label, Number("1"), Number("1"), ((label,),)),
            Table((Phrase("head", (("text", text),)),), (((text,),), ((label,),), ((text, label),))),
            Listing(text, text, text),
            Fields((Field(Phrase("head", (("text", text),))), Field(Phrase("head", (("text", "x"),)), text or "x"))),
            Task(Phrase("head", (("text", text),)), 3),
            Break((text, label)),
        ]
    return document(*blocks, title=(" ".join(texts), Q))


ALL = page_of(NASTY)


@pytest.mark.parametrize("math", ["brackets", "dollar"])
def test_a_page_of_markdown_is_tidy(words: Macros, math: str) -> None:
    for page in (ALL, document(*EXAMPLES)):
        text = markdown(page, words, math, False)
        assert text.endswith("\n")
        assert not text.endswith("\n\n")
        assert "\n\n\n" not in text
        assert " \n" not in text


@settings(max_examples=25)
@given(st.lists(st.text(), max_size=2))
def test_any_text_can_be_written(words: Macros, texts: list[str]) -> None:
    page = page_of(texts)
    for math in ("brackets", "dollar"):
        markdown(page, words, math, False).encode()
    latex(page, words, None, False).encode()


@settings(max_examples=40)
@given(st.lists(st.one_of(st.text(), st.sampled_from(NASTY)), max_size=2))
def test_no_text_changes_what_a_page_is_made_of(words: Macros, texts: list[str]) -> None:
    """A parser sees the same blocks whatever the texts are: nothing opens, closes or joins another."""
    parser = markdown_parser()

    def kinds(page: Document) -> list[str]:
        source = markdown(page, words, "dollar", False)
        return [token.type for token in parser.parse(source)]

    plain = page_of(["x" if text.strip() else "" for text in texts])
    marked = page_of([text if text.strip() else "" for text in texts])
    assert kinds(marked) == kinds(plain)


def formulas(text: str) -> list[str]:
    return re.findall(r"\$\$.*?\$\$|\$[^$]+\$", text, flags=re.DOTALL)


@pytest.mark.long
def test_markdown_leaves_the_mathematics_between_dollars_alone(words: Macros) -> None:
    """GitHub reads the page as text before it looks for mathematics; only the end of a row it protects itself."""
    parser = markdown_parser()
    statements = tuple(equation(Script(Accented("tilde", S), sub=Parens(Letter(text, "text"))), TERM) for text in NASTY)
    blocks = (*ALL.blocks, *EXAMPLES, Equation(statements))
    page = document(*(block for block in blocks if not isinstance(block, Listing)))
    source = markdown(page, words, "dollar", False)
    html = parser.render(source.replace("\\\\\n", "\\\\\\\\\n"))
    text = re.sub(r"<[^>]*>", "", html.replace("<br />", "").replace("<span>$</span>", ""))
    for entity, char in (("&lt;", "<"), ("&gt;", ">"), ("&quot;", '"'), ("&amp;", "&")):
        text = text.replace(entity, char)
    assert formulas(text) == formulas(source)
    assert len(formulas(source)) > 400


# -- what is refused -----------------------------------------------------------------------------------------------


def test_unknown_formats_and_options_are_refused() -> None:
    page = Document(("x",), "en", ())
    with pytest.raises(
        UnknownNameError, match=r"unknown format 'markdwon': did you mean 'markdown'\? known: beamer, docx"
    ):
        render(page, "markdwon")
    with pytest.raises(UnknownNameError, match=r"unknown math 'dollars': did you mean 'dollar'\?"):
        render(page, "markdown", math="dollars")
    for math in DELIMITERS:
        for format in FORMATS.keys() - {"markdown"}:
            with pytest.raises(RenderError, match=f"format {format} knows no math='{math}'"):
                rendered(page, format, math=math)
    with pytest.raises(RenderError, match="format markdown has no fragment"):
        render(page, "markdown", fragment=True)
    with pytest.raises(UnknownNameError, match="unknown language 'xx'"):
        render(Document(("x",), "xx", ()), "markdown")


def test_nothing_heavy_is_imported() -> None:
    script = "import sys, symattn.write.formats; print([m for m in ('sympy', 'numpy', 'flint') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


# -- templates and phrases ---------------------------------------------------------------------------------------------


def read(source: str) -> Macros:
    return Macros(reader(DictLoader({"xx.j2": source})), "xx.j2", "language xx", "phrase")


@pytest.mark.parametrize(("name", "given", "sentence"), [
    ("atends", (), "language xx: unknown phrase 'atends': did you mean 'attends'? known: a"),
    ("head", (), "language xx: phrase 'head': parameter 'text' was not provided"),
    ("head", ("text", "more"), "language xx: phrase 'head': macro 'head' takes no keyword argument 'more'"),
])  # fmt: skip
def test_what_is_wrong_with_a_phrase_is_named(words: Macros, name: str, given: tuple[str, ...], sentence: str) -> None:
    with pytest.raises(RenderError, match=re.escape(sentence)):
        words.call(name, dict.fromkeys(given, "a"))


@pytest.mark.parametrize(("source", "sentence"), [
    ("{% macro a() %}{{ b }}{% endmacro %}", "language xx: phrase 'a': 'b' is undefined"),
    ("{% macro a( %}", "language xx: cannot read the template xx.j2: "),
    ("{% set a = 1 %}", "unknown phrase 'a': known: none"),
])  # fmt: skip
def test_what_is_wrong_with_a_template_is_named(source: str, sentence: str) -> None:
    with pytest.raises(RenderError, match=re.escape(sentence)):
        read(source).call("a", {})


def test_the_languages_have_the_same_phrases_and_what_the_renderer_says_itself() -> None:
    known = [{name for name in environment.phrases(language).known if name not in HELPERS} for language in languages()]
    assert all(names == known[0] for names in known)
    assert {*LABELS.values(), "listing_output"} <= known[0]


@pytest.mark.long
@pytest.mark.parametrize("language", languages())
def test_no_phrase_is_overlooked_when_a_language_is_taken_apart(language: str) -> None:
    """Jinja compiles the whole file and finds the same macros."""
    words = environment.phrases(language)
    text = environment.phrases_of(folder_of(language), language)
    whole = Macros(reader(DictLoader({"all": text})), "all", language, "phrase")
    assert isinstance(words, Phrases)
    assert set(words.known) == set(whole.known)


HELPERS = {
    *("column_of", "columns_of", "counted", "label_of", "list_of", "quoted_list"),
    *("row_called", "row_name", "row_of", "rows_of"),
}
"""What a language's macros use among themselves."""


def test_a_phrase_is_compiled_with_those_that_its_own_call() -> None:
    said = {"a": "{{ b() }}", "b": "{{ c() }}", "c": "d"}
    text = "".join(f"{{% macro {name}() %}}{inner}{{% endmacro %}}\n" for name, inner in said.items())
    assert Phrases(reader(DictLoader({})), text, "language xx").call("a", {}) == "d"


@pytest.mark.parametrize(("language", "said"), [
    ("en", "The shares are spread most evenly in the rows of “a” and “b” in place 3, least evenly in row 2."),
    ("zh-Hant", "各列之中，「a」和第 3 個位置的「b」最分散，第 2 列最集中。"),
    ("zh-Hans", "各行之中，“a”和第 3 个位置的“b”最分散，第 2 行最集中。"),
])  # fmt: skip
def test_a_phrase_is_compiled_with_those_it_calls(language: str, said: str) -> None:
    words = environment.phrases(language)
    assert words.call("entropy_rows", {"most": [["a", 0, 0], ["b", 3, 0]], "least": [["", 2, 0]]}) == said
    assert words.call("lead_all_entries", {})


@pytest.fixture
def _wheel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The templates are compiled as in a wheel, and Jinja cannot compile any more."""
    (tmp_path / "templates" / "compiled").mkdir(parents=True)
    write_modules(tmp_path / "templates" / "compiled")
    monkeypatch.setattr(symattn, "__path__", [*symattn.__path__, str(tmp_path)])
    monkeypatch.delattr(jinja2.Environment, "compile")
    yield
    for name in [name for name in sys.modules if name.startswith("symattn.templates")]:
        del sys.modules[name]


@pytest.mark.long
@pytest.mark.usefixtures("_wheel")
def test_what_a_wheel_has_compiled_is_not_compiled_again_and_what_was_changed_is(tmp_path: Path) -> None:
    for part in TEMPLATED:
        ours = reader(Templates(part), part)
        arguments = {"role": "text", "text": "a", "label": "", "gap": ""}
        assert Macros(ours, "blocks.j2", part, "block").call("prose", arguments).strip() in ("a", "<p>a</p>")
        with pytest.raises(jinja2.UndefinedError):
            ours.get_template("document.j2").render()
    for language in languages():
        words = environment.phrases.__wrapped__(language)
        assert words.call("note_label", {})
        with pytest.raises(RenderError, match="parameter 'most' was not provided"):
            words.call("entropy_rows", {})

    changed = Templates("markdown")
    changed.searchpath = [str(tmp_path)]
    (tmp_path / "document.j2").write_text("{{ title }} was changed")
    with pytest.raises(AttributeError, match="compile"):
        reader(changed, "markdown").get_template("document.j2")


def test_a_compiled_template_is_of_one_text_one_reader_and_one_jinja(monkeypatch: pytest.MonkeyPatch) -> None:
    ours = reader(DictLoader({}))
    names = {
        made_of(ours, "markdown", "blocks.j2", "a"),
        made_of(ours, "markdown", "blocks.j2", "b"),
        made_of(ours, "markdown", "document.j2", "a"),
        made_of(ours, "latex", "blocks.j2", "a"),
        made_of(reader(DictLoader({}), "latex"), "markdown", "blocks.j2", "a"),
        made_of(ours.overlay(trim_blocks=False), "markdown", "blocks.j2", "a"),
        made_of(ours.overlay(undefined=jinja2.Undefined), "markdown", "blocks.j2", "a"),
    }
    monkeypatch.setattr(jinja2, "__version__", "3.0")

    assert len(names | {made_of(ours, "markdown", "blocks.j2", "a")}) == 8
