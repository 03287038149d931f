"""Escape plain text so that it prints as itself, in every format and inside formulas.

Words, titles and tokens may come from a stranger, so a token named ``\\input{x}`` or ``<script>`` must appear on the
page as exactly that. Text is one line: runs of white space become one space, and characters that control a terminal or
the direction of the text become U+FFFD.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

from symattn.base.errors import STEERING
from symattn.base.shapes import EntryPlace

_SPACES = re.compile("[ \t\n\r\x0b\x0c\x1c-\x1f\x85\u2028\u2029]+")
_WIDE = "\u2e80-\ua4cf\uac00-\ud7ff\uf900-\ufaff\ufe30-\ufe4f\uff00-\uffef\U00020000-\U0003ffff"
"""Characters as wide as a Chinese one, between which a line may break anywhere."""

_XML = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})


def in_xml(text: str) -> str:
    """Escape plain text between the tags of an XML document.

    >>> in_xml("a < b & c")
    'a &lt; b &amp; c'
    """
    return text.translate(_XML)


def is_wide(char: str) -> bool:
    """Return whether a character is Chinese, or punctuation of the same width.

    >>> is_wide("頭"), is_wide("："), is_wide("a")
    (True, True, False)
    """
    return char > "\u2e7f"


def gap_after(label: str) -> str:
    """Return the space between a label and its text: none after a Chinese colon, which includes one."""
    return "" if is_wide(label[-1:]) else " "


def clean(text: str) -> str:
    """Return ``text`` on one line, without control characters.

    >>> clean("a\\n\\tb\\x1b[31m")
    'a b\ufffd[31m'
    """
    return STEERING.sub("\ufffd", _SPACES.sub(" ", text))


def clean_code(text: str) -> str:
    """Return the lines of a program, without trailing spaces and control characters.

    >>> clean_code("x <- 1  \\r\\n\\ty\\n\\n")
    'x <- 1\\n    y'
    """
    lines = (STEERING.sub("\ufffd", line.expandtabs(4).rstrip()) for line in text.splitlines())
    return "\n".join(lines).strip("\n")


# Markdown

_MARKDOWN = str.maketrans(
    {
        # As an entity, because \[ and \( open mathematics for whoever reads this page with \[ \].
        "\\": "&#92;",
        "[": "&#91;",
        "<": "&lt;",
        "`": "\\`",
        "*": "\\*",
        "~": "\\~",
        "^": "\\^",
        "{": "\\{",
        "}": "\\}",
        "$": "\\$",
    }
)
# GitHub and notebooks look for $ again in the finished page, where an escaped one is a $ like any other; a tag around
# it is what keeps it apart (GitHub documents the <span>; the entity hides it from readers of the source).
_MARKDOWN_DOLLAR = {**_MARKDOWN, ord("$"): "<span>&#36;</span>"}
_UNDERSCORE = re.compile(r"(?<![^\W_])_|_(?![^\W_])")
_ENTITY = re.compile(r"&(?=#?\w*(?:;|$))")
_LINK = re.compile(r"(?:https?|ftp):(?=//)|www\.", re.IGNORECASE)
_ESCAPE = re.compile(r"\\|&(?:amp|lt|#\d+);")
_BLOCK_START = re.compile(r"(?:(#{1,6})(?=\s|$)|([-+])(?=[\s-]|$)|(>)|(\d{1,9})([.)])(?=\s|$))")
_CLOSING_HASHES = re.compile(r"(?:^|(?<=\s))#(?=#*$)")


def markdown(text: str, *, dollar: bool = False) -> str:
    """Escape ``text`` for CommonMark and GitHub's Markdown, anywhere within a line.

    Ordinary prose is unchanged; ``dollar`` means that ``$`` delimits mathematics on this page.

    >>> markdown("snake_case, _x_, a*b, 1 < 2, R&D, [1](u)")
    'snake_case, \\\\_x\\\\_, a\\\\*b, 1 &lt; 2, R&D, &#91;1](u)'
    >>> markdown("\\\\input{x}")
    '&#92;input\\\\{x\\\\}'
    """
    specials = _MARKDOWN_DOLLAR if dollar else _MARKDOWN
    return _UNDERSCORE.sub(r"\\_", _ENTITY.sub("&amp;", clean(text)).translate(specials))


def _unlinked(line: str) -> str:
    """Break up a bare address that contains an escape: GitHub links addresses, and would show the escape."""
    return _LINK.sub(_no_link, line)


def _no_link(match: re.Match[str]) -> str:
    rest = match.string[match.end() :].split(" ", 1)[0]
    return f"{match[0][:-1]}&#{ord(match[0][-1])};" if _ESCAPE.search(rest) else match[0]


def markdown_line(line: str) -> str:
    """Turn escaped pieces into a paragraph: escape whatever would open another block.

    >>> markdown_line("1. a"), markdown_line("# b"), markdown_line("- c"), markdown_line("-10 d")
    ('1\\\\. a', '\\\\# b', '\\\\- c', '-10 d')
    """
    line = _unlinked(line)
    match = _BLOCK_START.match(line)
    if match is None:
        return line
    hashes, bullet, quote, number, mark = match.groups()
    if quote:
        return "&gt;" + line[1:]
    if number:
        return number + ("\\." if mark == "." else "&#41;") + line[match.end() :]
    return "\\" + line if hashes or bullet else line


def markdown_heading(line: str) -> str:
    """Turn escaped pieces into the text of a heading: closing hashes are text.

    >>> markdown_heading("C #")
    'C \\\\#'
    """
    return _CLOSING_HASHES.sub(r"\\#", _unlinked(line))


def markdown_cell(line: str) -> str:
    """Turn escaped pieces into the cell of a table.

    >>> markdown_cell("a|b")
    'a\\\\|b'
    """
    return _unlinked(line).replace("|", "\\|")


def fence(code: str) -> str:
    """Return enough backticks to enclose ``code``.

    >>> fence("a"), fence("a ```` b")
    ('```', '`````')
    """
    longest = max((len(run) for run in re.findall("`+", code)), default=0)
    return "`" * max(3, longest + 1)


# reStructuredText

_RST = re.compile(r"[\\\\*`|_]|(?<=:):")


def rst(text: str) -> str:
    """Escape ``text`` for reStructuredText, anywhere within a line.

    >>> rst("a_b, *c*, d::")
    'a\\\\_b, \\\\*c\\\\*, d:\\\\:'
    """
    return _RST.sub(r"\\\g<0>", clean(text))


# LaTeX

_LATEX = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "{": r"\{",
        "}": r"\}",
        "$": r"\$",
        "&": r"\&",
        "#": r"\#",
        "%": r"\%",
        "_": r"\_",
        "^": r"\textasciicircum{}",
        "~": r"\textasciitilde{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "|": r"\textbar{}",
        # These would be drawn as typographic quotation marks.
        '"': r"\textquotedbl{}",
        "'": r"\textquotesingle{}",
        "`": r"\textasciigrave{}",
    }
)
_LATEX_CODE = {**_LATEX, ord(" "): r"\ "}
_LIGATURES = re.compile("-(?=-)|,(?=,)|<(?=<)|>(?=>)")
"""Characters that TeX's fonts join into one: a dash, a quotation mark."""
_INVISIBLE = re.compile("[\xad\u200b-\u200d\u2060\ufe00-\ufe0f\ufeff]")
# Characters that pdfLaTeX, Latin Modern and Noto CJK do not have for sure; the page asks the fonts for them. These
# patterns take milliseconds to compile: `re` does so when a page of LaTeX needs them.
_RARE = (
    "[^\n -~\xa0-\u0125\u0128-\u0131\u0134-\u0137\u0139-\u013e\u0141-\u0148\u014a-\u0165\u0168-\u017e"
    "\u2010\u2011\u2013\u2014\u2018-\u201a\u201c-\u201e\u2022\u2026\u3000-\u303f\u3041-\u3096\u3099-\u30ff\u3400-\u4db5\u4e00-\u9fea\uff01-\uffbe\uffe0-\uffe6]"
)
_SPACE_BETWEEN_WIDE = f"(?<=[{_WIDE}]) (?=[{_WIDE}])"


def latex(text: str, *, unbroken: int = 25) -> str:
    """Escape ``text`` for XeLaTeX; a run of more than ``unbroken`` narrow letters without a space may be broken.

    >>> latex("50% of $x_1 & \\\\input{y}")
    '50\\\\% of \\\\$x\\\\_1 \\\\& \\\\textbackslash{}input\\\\{y\\\\}'
    """
    text = _INVISIBLE.sub("", clean(text))
    return _breakable(_marked(text), unbroken).translate(_BREAKS_LATEX)


def latex_code(line: str) -> str:
    """Escape one line of a program for XeLaTeX, in a typewriter font: every space is kept and a long line may break.

    >>> latex_code("x <- {1}")
    'x\\\\ \\\\textless{}-\\\\ \\\\{1\\\\}'
    """
    return _breakable(_marked(_INVISIBLE.sub("", line)), 25).translate(_BREAKS_LATEX_CODE)


# Places inside text are marked with characters that clean() has taken out of it.
_BREAK, _APART = "\x01", "\x02"
_BREAKS_LATEX = {**_LATEX, ord(_BREAK): r"\allowbreak{}", ord(_APART): r"\/"}
_BREAKS_LATEX_CODE = {**_LATEX_CODE, ord(_BREAK): r"\allowbreak{}", ord(_APART): r"\/"}


def _marked(text: str) -> str:
    return _LIGATURES.sub(rf"\g<0>{_APART}", text)


def _breakable(text: str, unbroken: int) -> str:
    return re.sub(rf"[^\s{_WIDE}]{{8,}}", lambda match: _with_breaks(match[0], unbroken), text)


def _with_breaks(run: str, unbroken: int) -> str:
    """Insert a place to break after every few characters of a run that is too wide; a broad letter counts twice."""
    weights = [2 if char.isupper() or char in "mw%@" else 1 for char in run]
    if sum(weights) <= unbroken:
        return run
    out, room = "", 8
    for char, weight in zip(run, weights, strict=True):
        if weight > room:
            out, room = out + _BREAK, 8
        out, room = out + char, room - weight
    return out


def latex_page(page: str) -> str:
    """Finish a page: ``\\symattnchar`` prints rare characters, spaces between Chinese words are kept.

    >>> latex_page("μ 退貨 流程")
    '\\\\symattnchar{3BC} 退貨\\\\ 流程'
    """
    page = re.sub(_SPACE_BETWEEN_WIDE, r"\\ ", page)
    return re.sub(_RARE, lambda match: f"\\symattnchar{{{ord(match[0]):X}}}", page)


def has_rare(text: str) -> bool:
    """Return whether a character may be missing from the fonts, so that its width is unknown.

    >>> has_rare("今天 é"), has_rare("μ")
    (False, True)
    """
    return re.search(_RARE, text) is not None


def has_wide(text: str) -> bool:
    """Return whether there is Chinese text, for which LaTeX needs fonts of its own.

    >>> has_wide("今天"), has_wide("“é” – μ")
    (True, False)
    """
    return re.search(f"[{_WIDE}]", text) is not None


# Inside a formula

_FORMULA: Mapping[str, str] = MappingProxyType(
    {
        "\\": r"\backslash",
        "{": r"\lbrace",
        "}": r"\rbrace",
        "[": r"\lbrack",
        "]": r"\rbrack",
        "<": r"{\lt}",
        ">": r"{\gt}",
        "|": r"\vert",
        "*": r"{\ast}",
        "~": r"{\sim}",
        "^": r"\hat{\ }",
        "`": r"\text{ˋ}",
        "$": r"\$",
        "&": r"\&",
        "#": r"\#",
        "%": r"\%",
        "_": r"\_",
    }
)
# Where $ delimits, GitHub takes the backslash off every escaped punctuation mark before it looks for mathematics, and
# no command that MathJax and KaTeX share names these five: their full-width forms need no escape anywhere.
_FORMULA_DOLLAR: Mapping[str, str] = MappingProxyType(
    {
        **_FORMULA,
        "$": r"\text{＄}",
        "&": r"\text{＆}",
        "#": r"\text{＃}",
        "%": r"\text{％}",
        "_": r"\underline{\ }",
    }
)
# LaTeX has no \lt, and no letter that is a grave accent alone.
_FORMULA_BOOK: Mapping[str, str] = MappingProxyType({**_FORMULA, "<": "{<}", ">": "{>}", "`": r"\grave{\ }"})
_FORMULA_PIECE = re.compile(r"[\\{}\[\]<>|*~^`$&#%_]|[^\\{}\[\]<>|*~^`$&#%_]+")
# Places where plain words would make a link or a dash: the text is closed and opened again there.
_FORMULA_APART = re.compile(r"(?<=:)(?=/)|(?<=www)(?=\.)|(?=@)|(?<=-)(?=-)", re.IGNORECASE)


def formula_markdown(text: str, *, dollar: bool = False) -> str:
    """Escape ``text`` inside a formula in Markdown, for MathJax and KaTeX: words in ``\\text``, the rest as symbols.

    >>> formula_markdown("今天"), formula_markdown("a_b")
    ('\\\\text{今天}', '{\\\\text{a}\\\\_\\\\text{b}}')
    """
    return _formula(text, _FORMULA_DOLLAR if dollar else _FORMULA)


def _formula(text: str, special: Mapping[str, str]) -> str:
    pieces = [special.get(piece) or _plain(piece) for piece in _FORMULA_PIECE.findall(clean(text))] or [_plain("")]
    return pieces[0] if len(pieces) == 1 else "{" + "".join(pieces) + "}"


def formula_book(text: str) -> str:
    """Escape ``text`` inside a formula for MathJax, KaTeX and LaTeX alike.

    >>> formula_book("<b>")
    '{{<}\\\\text{b}{>}}'
    """
    return _formula(text, _FORMULA_BOOK)


def _plain(piece: str) -> str:
    return r"\text{" + _FORMULA_APART.sub(r"}\\text{", piece) + "}"


def formula_latex(text: str) -> str:
    """Escape ``text`` inside a formula in XeLaTeX.

    >>> formula_latex("50%")
    '\\\\text{50\\\\%}'
    """
    return r"\text{" + _marked(_INVISIBLE.sub("", clean(text))).translate(_BREAKS_LATEX) + "}"


# Characters that mean something in the TeX of a formula, or that are drawn there as others, travel through pandoc as
# these, which are no characters and which clean() has taken out of every text.
_FORMULA_WORD = {ord(char): 0xFDD0 + place for place, char in enumerate("\\{}[]<>|*~^`$&#%_'\"-,")}
_FROM_FORMULA_WORD = {away: in_xml(chr(char)) for char, away in _FORMULA_WORD.items()}


def formula_word(text: str) -> str:
    """Encode ``text`` inside a formula that pandoc reads for Word; :func:`word_xml` decodes it afterwards.

    >>> formula_word("今天"), word_xml(formula_word("<b>"))
    ('\\\\text{今天}', '\\\\text{&lt;b&gt;}')
    """
    return r"\text{" + clean(text).translate(_FORMULA_WORD) + "}"


def word_xml(text: str) -> str:
    """Replace the placeholder characters in the formulas of a Word file's XML by the original ones."""
    return text.translate(_FROM_FORMULA_WORD)


# Typst

_TYPST = str.maketrans({char: "\\" + char for char in "\\#$*_`@<[]~\"'"})
_TYPST_RUNS = re.compile(r"/(?=[/*])|(?<=/)/|\.(?=\.)|(?<=\.)\.|(?<![A-Za-z])-|-(?![A-Za-z])")
"""Characters that Typst joins into one: a comment, an ellipsis, a dash, the sign of a number."""
_TYPST_START = re.compile(r"[=+/-]|\d+(?=[.)])")
_TYPST_STRING = str.maketrans({"\\": "\\\\", '"': '\\"'})


def typst(text: str, *, unbroken: int = 25) -> str:
    """Escape ``text`` for Typst, anywhere within a line: every character with a meaning gets a backslash.

    >>> typst('#eval("1") costs $5, // a_b')
    '\\\\#eval(\\\\"1\\\\") costs \\\\$5, \\\\/\\\\/ a\\\\_b'
    """
    marked = _breakable(_INVISIBLE.sub("", clean(text)), unbroken)
    escaped = _TYPST_RUNS.sub(r"\\\g<0>", marked.translate(_TYPST))
    return escaped.replace(_BREAK, "\u200b")


def typst_line(line: str) -> str:
    """Turn escaped pieces into a paragraph: escape whatever would begin a heading or a list.

    >>> typst_line("= a"), typst_line("1. b"), typst_line("2 c")
    ('\\\\= a', '1\\\\. b', '2 c')
    """
    match = _TYPST_START.match(line)
    if match is None:
        return line
    return f"{match[0]}\\{line[match.end() :]}" if match[0].isdigit() else "\\" + line


def typst_string(text: str) -> str:
    """Write ``text`` as a string of Typst, in which only quotation marks and backslashes have a meaning.

    >>> typst_string('"今天" $x$')
    '"\\\\"今天\\\\" $x$"'
    """
    return typst_code(_INVISIBLE.sub("", clean(text)))


def typst_code(code: str) -> str:
    """Write the lines of a program, or of a picture, as a string of Typst."""
    return f'"{code.translate(_TYPST_STRING)}"'


# HTML

_HTML = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;"})


def html(text: str) -> str:
    """Escape ``text`` for HTML and MathML, in an element and in an attribute.

    >>> html('</script><script>alert("1")')
    '&lt;/script&gt;&lt;script&gt;alert(&quot;1&quot;)'
    """
    return html_code(clean(text))


def html_code(code: str) -> str:
    """Escape the lines of a program for HTML."""
    return code.translate(_HTML)


def place_attributes(of: EntryPlace | None) -> str:
    """Return HTML attributes that tell which entry of which matrix a figure is, counted from 0.

    >>> place_attributes(EntryPlace("A", 1, 0)), place_attributes(None)
    (' data-of="A" data-at="1,0"', '')
    """
    return "" if of is None else f' data-of="{html(of.name)}" data-at="{of.row},{of.column}"'
