"""Text prints as itself: read back by a Markdown parser, and by a small reader of TeX that shares nothing with ours."""

from __future__ import annotations

import re
from typing import Any

from hypothesis import example, given, settings
from hypothesis import strategies as st

from symattn.write import escape
from tests.readers.files import markdown_parser

NASTY = [
    *(r"\input{x}", r"\]", r"\(x\)", "\\", "%", "_", "$", "$x$ and $$y$$", "`", "``` x", "]]>", "a|b", "| a | b |"),
    *("^~", "{}", "#1", "# h", "## h ##", "&", "&amp;", "&#38;", "R&D", "--", "---", "- a", "+ a", "1. x", "1) x"),
    *("> q", "===", "*a* _b_ **c** __d__ ~~e~~", "snake_case", "_a_b_", "[a](b)", "[a]: b", "![a](b)", "[ ] task"),
    *("<script>alert(1)</script>", "<http://a.b>", "http://a.b/c_d*e", "www.a.b/*c*", "https://arxiv.org/abs/1706.0"),
    *("a@b.c", "a\nb", "a\r\n\r\nb", "\x1b[31m", "\u202eabc", "a  \t b", "\u3000a", "😀", "שלום", "μσ√×→−"),
    *("***", "e\u0301", "<<'\"`>>", ",,", "今天 天氣", "x" * 60, ":::", "!", ""),
]
texts = st.one_of(
    st.text(),
    st.text(alphabet="\\`*_{}[]()<>#+-.!|~$&;:'\"^%=/@ \n1aw今é"),
    st.lists(st.sampled_from(NASTY)).map("".join),
)


def nasty(test: Any) -> Any:
    """Every nasty text as an example of its own, and some that nobody thought of."""
    test = settings(max_examples=30)(given(texts)(test))
    for text in NASTY:
        test = example(text)(test)
    return test


def shown(text: str) -> str:
    """What a reader sees of a text in HTML: white space runs together."""
    return re.sub(r"\s+", " ", escape.clean(text)).strip()


def parse(source: str) -> list[tuple[str, str]]:
    """The blocks that a parser of GitHub's Markdown sees, with the text in them."""
    out = []
    for token in markdown_parser().parse(source):
        if token.type == "inline":
            kinds = {child.type for child in token.children} - {"text", "html_inline", "softbreak"}
            tags = {child.content for child in token.children if child.type == "html_inline"}
            assert kinds == set(), f"{source!r} became {kinds}"
            assert tags <= {"<span>", "</span>"}
            out.append(("text", "".join(child.content for child in token.children if child.type == "text")))
        elif token.nesting != -1:
            out.append((token.type, token.content))
    return out


def test_ordinary_prose_is_left_alone() -> None:
    for text in (
        "A single head, with biases - and without a mask (see 1.2). Is it 3 > 2? Yes: +1, R & D; 50% #1!",
        "這裡只有一個注意力頭，有偏置，沒有遮罩。「退貨」的權重是 0.5，超過一半！",
        "the file 000_6059cc2bba480c4f.txt",
    ):
        assert escape.markdown(text) == text
        assert escape.markdown_line(escape.markdown(text)) == text


@nasty
def test_markdown_paragraphs_say_what_was_meant(text: str) -> None:
    expected = shown(text)
    for dollar in (False, True):
        blocks = parse(escape.markdown_line(escape.markdown(text, dollar=dollar).strip()))
        assert [kind for kind, _ in blocks] == (["paragraph_open", "text"] if expected else [])
        assert shown("".join(content for _, content in blocks)) == expected
    assert "$" not in escape.markdown(text, dollar=True)
    # \\( and \\[ would open mathematics; no escape makes one.
    assert re.search(r"\\[()\[\]]", escape.markdown_line(escape.markdown(text))) is None


@nasty
def test_markdown_headings_items_quotes_and_emphasis(text: str) -> None:
    safe = escape.markdown(text).strip()
    expected = shown(text)
    line = escape.markdown_line(safe)
    (_, (_, heading), *rest) = parse(f"## {escape.markdown_heading(safe)}")
    assert (shown(heading), rest) == (expected, [])
    for source, around in ((f"- {line}", ["bullet_list_open", "list_item_open"]), (f"> {line}", ["blockquote_open"])):
        blocks = parse(source)
        assert [kind for kind, _ in blocks][: len(around)] == around
        assert [kind for kind, _ in blocks][len(around) :] == (["paragraph_open", "text"] if expected else [])
        assert shown(blocks[-1][1]) == expected


@nasty
def test_markdown_cells(text: str) -> None:
    cell = escape.markdown_cell(escape.markdown(text).strip())
    blocks = parse(f"| a | b |\n| --- | --- |\n| {cell} | x |\n")
    content = [content for kind, content in blocks if kind == "text"]
    assert len(content) == 4
    assert (shown(content[2]), content[3]) == (shown(text), "x")


@given(st.text())
def test_code_keeps_its_lines(text: str) -> None:
    code = escape.clean_code(text)
    fence = escape.fence(code)
    assert fence not in code
    assert all(line == line.rstrip() for line in code.split("\n"))


# -- LaTeX: every command that may come out of the escape, read back ------------------------------------------------

COMMANDS = {
    **{"textbackslash": "\\", "textasciicircum": "^", "textasciitilde": "~", "textless": "<", "textgreater": ">"},
    **{"textbar": "|", "textquotedbl": '"', "textquotesingle": "'", "textasciigrave": "`", "allowbreak": ""},
}
TEX = re.compile(r"\\symattnchar\{([0-9A-F]+)\}|\\([A-Za-z]+)\{\}|\\([{}$&#%_])|\\(/)|\\( )|([^\\{}$&#%_^~<>|\"'`])")


def read_tex(text: str) -> str:
    """What XeLaTeX prints; fails at anything that is neither a known command nor a harmless character."""
    out, position = "", 0
    while position < len(text):
        match = TEX.match(text, position)
        assert match is not None, text[position : position + 20]
        code, command, escaped, _, space, plain = match.groups()
        if code:
            out += chr(int(code, 16))
        elif command:
            out += COMMANDS[command]
        else:
            out += escaped or space or plain or ""
        position = match.end()
    return out


INVISIBLE = re.compile("[\xad\u200b-\u200d\u2060\ufe00-\ufe0f\ufeff]")


@nasty
def test_latex_says_what_was_meant_and_nothing_else(text: str) -> None:
    expected = INVISIBLE.sub("", escape.clean(text))
    for unbroken in (8, 25):
        assert read_tex(escape.latex_page(escape.latex(text, unbroken=unbroken))) == expected
    assert read_tex(escape.latex_page(escape.formula_latex(text)[len(r"\text{") : -1])) == expected


@given(st.text().map(escape.clean_code))
def test_latex_code_says_what_was_meant(code: str) -> None:
    for line in code.split("\n"):
        assert read_tex(escape.latex_page(escape.latex_code(line))) == INVISIBLE.sub("", line)


@given(st.text())
def test_only_characters_that_the_fonts_have_are_written_as_they_are(text: str) -> None:
    left = re.sub(r"\\symattnchar\{[0-9A-F]+\}", "", escape.latex_page(escape.latex(text)))
    assert re.search("[\u0370-\u03ff\u0590-\u06ff\ud800-\udfff\U00010000-\U0010ffff]", left) is None


def test_ligatures_are_parted_and_long_runs_may_break() -> None:
    assert escape.latex("-- ,, <<") == r"-\/- ,\/, \textless{}\/\textless{}"
    assert escape.latex("x" * 30).count(r"\allowbreak") == 3
    assert r"\allowbreak" not in escape.latex("x" * 24 + " " + "頭" * 50)


# -- inside a formula, for MathJax and KaTeX -------------------------------------------------------------------------

SYMBOLS = {
    **{r"\backslash": "\\", r"\lbrace": "{", r"\rbrace": "}", r"\lbrack": "[", r"\rbrack": "]", r"{\lt}": "<"},
    **{r"{\gt}": ">", r"\vert": "|", r"{\ast}": "*", r"{\sim}": "~", r"\hat{\ }": "^", r"\$": "$", r"\&": "&"},
    **{r"\#": "#", r"\%": "%", r"\_": "_", r"\underline{\ }": "_"},
}
LOOKALIKES = str.maketrans("＄＆＃％ˋ", "$&#%`")
FORMULA = re.compile("|".join([*map(re.escape, sorted(SYMBOLS, key=len, reverse=True)), r"\\text\{([^{}\\$&#%_]*)\}"]))


@nasty
def test_labels_in_formulas(text: str) -> None:
    for dollar in (False, True):
        assert_reads_as(text, dollar)


def assert_reads_as(text: str, dollar: bool) -> None:
    written = escape.formula_markdown(text, dollar=dollar)
    inside = written[1:-1] if written.startswith("{") and not FORMULA.fullmatch(written) else written
    out, position = "", 0
    while position < len(inside):
        match = FORMULA.match(inside, position)
        assert match is not None, inside[position : position + 20]
        out += match[1] if match[1] is not None else SYMBOLS[match[0]]
        position = match.end()
    assert out.translate(LOOKALIKES) == escape.clean(text).translate(LOOKALIKES)
    if dollar:
        # Nothing that Markdown would take a backslash from.
        assert re.search(r"\\[^A-Za-z ]", written) is None
        assert "$" not in written
