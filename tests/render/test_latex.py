"""Pages of LaTeX and PDF: what they say of every block, that engines take them, and one sentence where none can."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
import typst

from symattn.api.worked import derive
from symattn.base.errors import OutputError, RenderError, UnknownNameError
from symattn.read.scenario.load import loads
from symattn.show.blocks import Block, Break, Document, Equation, Heading, Listing, Matrix, Phrase, Prose, Table
from symattn.show.math import Call, Fraction, Grid, Letter, Number, Root, equation, joined, seq
from symattn.write import pdf
from symattn.write.environment import Macros
from symattn.write.formats import render
from symattn.write.latex import latex, style
from symattn.write.pdf import pdf_page
from tests.render.test_escape import NASTY
from tests.render.test_formats import EXAMPLES, LONG_FIGURE, SOFTMAX, TERM, W_Q, Q, X, document, page_of, written
from tests.test_cli import LESSON

LEAD = Phrase("head", (("text", "So:"),), "lead")
FORMULA = Equation((equation(Q, seq(X, W_Q)),))
GIVEN = Matrix(Q, Number("1"), Number("1"), ((Number("1"),),), annotated=False)
NUMBERED = Matrix(Q, Number("1"), Number("1"), ((Number("1"),),), annotated=False, label="eq:Q")
ONE = "\\begin{bmatrix}\n1\n\\end{bmatrix}\n}"

WRITTEN: list[tuple[tuple[Block, ...], str]] = [
    ((EXAMPLES[0],), "\\symattnheading{1}{1}{Scores}"),
    ((EXAMPLES[1],), "\\symattnheading{2}{1-2}{The scores of \\texorpdfstring{\\(Q\\)}{Q} \\#}"),
    (
        (Heading(1, "", (SOFTMAX, Letter("mu"))),),
        "\\symattnheading{1}{}{\\texorpdfstring{\\(\\mathrm{softmax}(QX^T/\\sqrt{d_k})\\)}"
        "{softmax(Q X\\symattnchar{1D40} / \\symattnchar{221A}d\\symattnchar{2096})}"
        "\\texorpdfstring{\\(\\mu\\)}{\\symattnchar{3BC}}}",
    ),
    ((Heading(1, "", ("x",), 8),), "\\symattnneed{8}%\n\\symattnheading{1}{}{x}"),
    ((EXAMPLES[2],), "As \\(\\mathrm{softmax}(QX^T/\\sqrt{d_k})\\) of \\(W_Q\\)."),
    ((EXAMPLES[3],), "It weighs."),
    ((EXAMPLES[4],), "\\begin{symattnnote}\n\\textbf{附註：}A remark on \\(Q\\).\n\\end{symattnnote}"),
    ((EXAMPLES[5],), "{\\small From: 教學文件 (000\\_6059.txt)\\par}"),
    ((EXAMPLES[8],), "Tokens:\n\\symattnlabel{\\(t_1\\) = 今天}"),
    ((FORMULA,), "\\symattndisplay{}{%\nQ = XW_Q\n}"),
    # What introduces a display stands on its line; what leads to a matrix makes it a result.
    ((LEAD, FORMULA), "\\symattndisplay{So:}{%\nQ = XW_Q\n}"),
    ((LEAD, Prose(("x",))), "So:\n\nx"),
    ((LEAD,), "So:"),
    ((GIVEN, GIVEN), f"\\symattndisplay{{}}{{%\nQ=\n{ONE}\n\\symattndisplay{{}}{{%\nQ=\n{ONE}"),
    ((FORMULA, LEAD, GIVEN), f"\\symattndisplay{{}}{{%\nQ = XW_Q\n}}\n\n\\symattnresult{{So:}}{{%\nQ=\n{ONE}"),
    ((FORMULA, Heading(1, "", ("x",)), GIVEN), "{x}\n\\symattndisplay{}{%\nQ=\n" + ONE),
    # The second step is set apart, with what is said before it.
    ((FORMULA, FORMULA), "XW_Q\n}\n\n\\symattnstep\n\\symattndisplay{}{%\nQ = XW_Q\n}"),
    ((GIVEN, Prose(("x",)), FORMULA), f"{ONE}\n\n\\symattnstep\n\nx\n\\symattndisplay{{}}{{%\nQ = XW_Q\n}}"),
    # An equation that is referred to is numbered.
    ((NUMBERED,), f"\\symattnnumbered{{eq:Q}}{{}}{{%\nQ=\n{ONE}"),
    ((FORMULA, LEAD, NUMBERED), f"\\symattnnumberedresult{{eq:Q}}{{So:}}{{%\nQ=\n{ONE}"),
    ((EXAMPLES[13],), "\\symattnline{Z\\ \\textless{}-\\ W\\ \\%*\\%\\ X}\n\\symattnline{print(Z)}"),
    ((EXAMPLES[14],), "\\textbf{a\\_ \\textless{}b\\textgreater{}}\\hskip0pt plus1fill\\relax"),
    ((EXAMPLES[15],), "\\symattnneed{12}%\n1. Work out"),
    ((EXAMPLES[16],), "\\symattnroom{5}"),
    ((EXAMPLES[17],), "\\symattnsheet{a\\_ \\(Q\\)}"),
    ((Equation((equation(Q, Grid(((Number("1"),) * 12,))),)),), "\\setcounter{MaxMatrixCols}{12}"),
    ((Prose((Letter("頭" * 40, "text"),)),), "\\symattninline{"),
]


@pytest.mark.parametrize(("blocks", "expected"), WRITTEN, ids=lambda value: str(value)[:30])
def test_what_latex_writes(words: Macros, blocks: tuple[Block, ...], expected: str) -> None:
    assert expected in written(words, *blocks, format="latex")


def test_a_label_that_would_be_a_command_is_refused(words: Macros) -> None:
    with pytest.raises(RenderError, match="no LaTeX for the label 'a}': expected letters"):
        latex(document(Equation(FORMULA.chains, label="a}")), words, None, False)


def test_many_statements_may_break_between_pages_but_not_where_a_page_is_not_ours(words: Macros) -> None:
    many = Equation(tuple(equation(Q, joined([TERM] * 4, "+")) for _ in range(60)))
    assert "\\begin{align*}" in latex(document(many), words, None, False)
    assert "\\begin{align*}" not in latex(document(many), words, None, True)


def test_a_page_brings_what_its_text_needs(words: Macros) -> None:
    """Chinese in a token is Chinese on the page, whatever its language."""
    for text, language, font in (
        ("x", "en", None),
        ("今天", "en", "TC"),
        ("x今", "zh-Hans", "SC"),
        ("今", "zh-Hant", "TC"),
    ):
        page = render(Document(("x",), language, (Prose((text,)),)), "latex")
        assert style() in page
        assert ("{ctex}" in page) is (font is not None)
        assert ("Noto Serif CJK" in page.replace(style(), "")) is (font is not None)
        assert font is None or f"\\symattncjk{{main}}{{Noto Serif CJK {font}," in page
        assert f"pdflang={{{language}}}" in page
        assert "tikz}" not in page


def test_a_fragment_is_a_body_that_says_what_it_needs(words: Macros) -> None:
    body = latex(document(Prose(("a",))), words, None, True)
    assert "\\documentclass" not in body
    assert "\\usepackage{symattn}" in body.splitlines()[0]
    assert body.endswith("\\symattnset\na\n\n\\par\\endgroup\n")


def test_a_document_that_begins_with_a_sheet_has_no_page_for_its_title(words: Macros) -> None:
    sheets = (Break(("a",)), Prose(("x",)), Break(("b",)), Prose(("y",)))
    page = latex(document(*sheets), words, None, False)
    assert "\\symattntitle{Title}" not in page
    assert page.index("\\symattnsheet{a}") < page.index("\\symattnsheet{b}")
    assert "\\symattntitle{Title}" in latex(document(*sheets[1:]), words, None, False)


def test_only_long_pages_have_contents() -> None:
    for count, contents in ((20, False), (400, True)):
        page = Document(("x",), "zh-Hant", (Heading(1, "1", ("y",)), *(FORMULA for _ in range(count))))
        assert ("\\symattncontents{目錄}" in render(page, "latex")) is contents
        assert "\\symattncontents{目" not in render(page, "latex", fragment=True)


# -- engines, where there are some ---------------------------------------------------------------------------------


def engines(*names: str) -> list[object]:
    return [
        pytest.param(name, marks=[pytest.mark.slow, pytest.mark.skipif(not is_there(name), reason=f"no {name}")])
        for name in names
    ]


def is_there(engine: str) -> bool:
    """LuaLaTeX may be installed without what it loads fonts with."""
    if shutil.which(engine) is None:
        return False
    loader = subprocess.run(["kpsewhich", "luaotfload.sty"], capture_output=True, check=False).stdout
    return engine != "lualatex" or bool(loader)


def compiled(engine: str, tex: str, folder: Path, **variables: str) -> list[str]:
    """What the log of two runs complains of."""
    (folder / "page.tex").write_text(tex, encoding="utf-8")
    command = [engine, "-no-shell-escape", "-interaction=nonstopmode", "-halt-on-error", "page.tex"]
    environment = {**os.environ, "max_print_line": "10000", **variables}
    for _ in range(2):
        done = subprocess.run(command, cwd=folder, capture_output=True, timeout=300, check=False, env=environment)
        log = (folder / "page.log").read_text(encoding="utf-8", errors="replace")
        assert done.returncode == 0, re.findall(r"(?ms)^! .*?^l[.]\d+[^\n]*", log)
    return re.findall(
        r"^(?:Missing character|Overfull|LaTeX Warning|Package hyperref Warning).*", log, flags=re.MULTILINE
    )


LATIN = "".join(chr(code) for code in range(0xA1, 0x17F)) + "–—‘’‚“”„•…−‐‑"
HARD: tuple[Block, ...] = (
    Matrix(Q, Number("2"), Number("3"), ((LONG_FIGURE,) * 3,) * 2),
    Matrix(Q, Number("1"), Number("30"), ((Number("-0.123456"),) * 30,)),
    Matrix(Q, Number("90"), Number("1"), ((Number("1"),),) * 90),
    Equation((equation(Q, joined([TERM] * 30, "+"), LONG_FIGURE),), label="eq:long"),
    Equation((equation(Q, Fraction(joined([TERM] * 30, "+"), Number("2"))),)),
    Equation(tuple(equation(Q, joined([TERM] * 4, "+")) for _ in range(60))),
    Heading(1, "1", ("A heading with ", Root(Letter("mu")), " & 50% of ", Call("f", (W_Q,)), " \\ é μ א {")),
    LEAD,
    Matrix(Q, Number("2"), Number("3"), ((LONG_FIGURE,) * 3,) * 2, label="eq:figures"),
    Prose(("A figure ", LONG_FIGURE, " and a formula ", Call("f", (Letter("x" * 70, "text"),)), " in a line."), "note"),
    Prose(("word " * 400,), "note"),
    Prose((" ".join(LATIN), " α → ∞ א")),
    Table(
        tuple(Phrase("head", (("text", text),)) for text in ("Place", "Printed", "Derived", "Reason")),
        (((W_Q,), (LONG_FIGURE,), (LONG_FIGURE,), ("word " * 40,)), (("y" * 60,), ("[x]",), ("*",), ("z " * 60,))),
    ),
    Listing("r", "x <- " + "1234567890" * 20 + "  # x\n\n    if (a) 'b'", "-- " * 60),
)
PLAIN = document(*EXAMPLES[:5], *EXAMPLES[9:], *HARD, title=("A title", Q, "y" * 70))
# A column of a table with nothing but underscores is set five points too narrow.
CHINESE = document(*page_of([text for text in NASTY if text != "_a_b_"]).blocks, *EXAMPLES, *HARD, title=("頭" * 40, Q))


@pytest.mark.parametrize("engine", engines("pdflatex", "xelatex", "lualatex"))
def test_every_engine_takes_a_page_without_chinese(latin: Macros, engine: str, tmp_path: Path) -> None:
    assert compiled(engine, latex(PLAIN, latin, None, False), tmp_path) == []


@pytest.mark.parametrize("engine", engines("xelatex", "lualatex"))
def test_two_engines_take_a_page_with_chinese(words: Macros, engine: str, tmp_path: Path) -> None:
    for language in ("zh-Hans", "en"):
        page = latex(Document(CHINESE.title, language, CHINESE.blocks), words, None, False)
        assert compiled(engine, page, tmp_path) == []


@pytest.mark.parametrize("engine", engines("pdflatex"))
def test_a_page_with_chinese_says_what_it_is_for(engine: str, tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="This page has Chinese text: compile it with xelatex or lualatex"):
        compiled(engine, render(document(Prose(("今",))), "latex"), tmp_path)


@pytest.mark.parametrize("engine", engines("xelatex"))
def test_where_noto_is_missing_another_font_serves_or_a_sentence_says_what_to_install(
    engine: str, tmp_path: Path
) -> None:
    none = tmp_path / "fonts.conf"
    none.write_text(f"<fontconfig><cachedir>{tmp_path}</cachedir></fontconfig>", encoding="utf-8")
    page = render(Document(("今天",), "zh-Hans", (Prose(("天气很好",)),)), "latex")
    assert compiled(engine, page, tmp_path, FONTCONFIG_FILE=str(none)) == []
    assert "FandolSong" in (tmp_path / "page.log").read_text(encoding="utf-8", errors="replace")
    only = re.sub(r"(\\symattncjk\{main\}\{[^,}]*),[^}]*", r"\1", page)
    with pytest.raises(AssertionError, match="No font with Chinese characters: install Noto Serif CJK"):
        compiled(engine, only, tmp_path, FONTCONFIG_FILE=str(none))


INPUT = "\\input{body}\\input{body}"
FRAME = f"\\begin{{frame}}[allowframebreaks]{INPUT}\\end{{frame}}"
COURSES = [
    # engine, class, packages, body
    ("pdflatex", "{article}", "symattn", INPUT),
    ("pdflatex", "[12pt]{book}", "symattn,hyperref", "\\tableofcontents\\chapter{x}" + INPUT),
    ("xelatex", "{ctexbook}", "symattn", INPUT),
    ("pdflatex", "{beamer}", "symattn", FRAME),
]
SLIDE = (EXAMPLES[0], LEAD, FORMULA, *EXAMPLES[9:12], Prose(("A step, ", SOFTMAX)), NUMBERED, HARD[0], HARD[4])


@pytest.mark.slow
@pytest.mark.parametrize(("engine", "document_class", "packages", "body"), COURSES)
def test_a_fragment_is_a_part_of_other_documents(
    latin: Macros, engine: str, document_class: str, packages: str, body: str, tmp_path: Path
) -> None:
    if shutil.which(engine) is None:
        pytest.skip(f"no {engine}")
    (tmp_path / "symattn.sty").write_text(style(), encoding="utf-8")
    (tmp_path / "body.tex").write_text(latex(document(*SLIDE), latin, None, True), encoding="utf-8")
    preamble = f"\\documentclass{document_class}\n\\usepackage{{{packages}}}"
    complaints = compiled(engine, f"{preamble}\n\\begin{{document}}\n{body}\n\\end{{document}}\n", tmp_path)
    assert [line for line in complaints if "multiply" not in line] == []


@pytest.mark.parametrize("engine", engines("pdflatex"))
def test_a_style_of_a_course_comes_first(latin: Macros, engine: str, tmp_path: Path) -> None:
    """It says as little as it likes."""
    own = "\\newcommand\\symattntitle[1]{\\typeout{the title of a course: #1}}\\RequirePackage{xcolor}\n"
    (tmp_path / "symattn.sty").write_text(own, encoding="utf-8")
    assert compiled(engine, latex(document(*SLIDE), latin, None, False), tmp_path) == []
    assert "the title of a course: Title" in (tmp_path / "page.log").read_text(encoding="utf-8", errors="replace")


# -- PDF, by Typst or by a TeX -----------------------------------------------------------------------------------------


FAKE_TEX = """#!/bin/sh
echo "$* openin=$openin_any openout=$openout_any" >>"{folder}/runs"
cp page.tex "{folder}/was.tex"
{does}
"""


def source(format: str) -> str:
    return {"typst": "Hello", "latex": "\\documentclass{article}"}[format]


@pytest.fixture
def tex(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Path]:
    """A TeX that does what it is told, and where it writes down how it was called."""
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")

    def made(does: str) -> Path:
        program = tmp_path / "xelatex"
        program.write_text(FAKE_TEX.format(folder=tmp_path, does=does), encoding="utf-8")
        program.chmod(0o755)
        return tmp_path / "runs"

    return made


def test_typst_makes_a_pdf_and_other_formats_stay_text() -> None:
    made = pdf_page("pdf", "typst", source)
    assert isinstance(made, bytes)
    assert made.startswith(b"%PDF-1.7")
    assert pdf_page("latex", "typst", source) == source("latex")


def test_the_same_page_is_the_same_file_whenever_it_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    made = pdf_page("pdf", "typst", source)
    assert isinstance(made, bytes)
    assert b"2000-01-01" in made
    told: list[str] = []
    monkeypatch.setattr(pdf.subprocess, "run", lambda *_, env, **__: told.append(env["SOURCE_DATE_EPOCH"]) or 1 / 0)
    monkeypatch.setattr("symattn.write.pdf.which", lambda engine: engine)
    with pytest.raises(ZeroDivisionError):
        pdf_page("pdf", "xelatex", source)
    assert told == ["946684800"]


def test_a_solution_is_saved_in_the_format_of_the_ending(tmp_path: Path) -> None:
    solution = derive(loads(LESSON))
    solution.save(tmp_path / "a.PDF", language="en", detail="result")
    solution.save(tmp_path / "a.tex", language="en")
    assert (tmp_path / "a.PDF").read_bytes().startswith(b"%PDF-")
    assert (tmp_path / "a.tex").read_text(encoding="utf-8") == solution.render("latex", language="en")
    with pytest.raises(OutputError, match=r"a\.svg: solutions are written as Markdown \(\.md\), .* or PDF \(\.pdf\)\Z"):
        solution.save(tmp_path / "a.svg")
    with pytest.raises(UnknownNameError, match="unknown engine 'xlatex': did you mean 'xelatex'"):
        solution.save(tmp_path / "b.pdf", engine="xlatex")


def test_what_is_not_installed_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "typst", None)
    with pytest.raises(OutputError, match=r"a PDF needs Typst: pip install 'symattn\[pdf\]' brings it"):
        pdf_page("pdf", "typst", source)
    monkeypatch.setenv("PATH", "")
    with pytest.raises(OutputError, match="lualatex is not installed: install TeX Live"):
        pdf_page("pdf", "lualatex", source)


@pytest.mark.parametrize(("words", "said"), [
    ('今天 $"天氣很"$', "has 今, 天, 氣, 很, which the page needs: install Noto Serif CJK (package fonts-noto-cjk on"),
    ("abc กขคงจฉ", "has ก, ข, ค, ง, จ and 1 more, which the page needs: install one of the Noto fonts"),
    ('#image(bytes("<svg xmlns=\\"http://www.w3.org/2000/svg\\"><text y=\\"9\\">很</text></svg>"))', "has 很, which"),
])  # fmt: skip
def test_characters_that_no_font_has_are_named(words: str, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(typst, "compile", partial(typst.compile, ignore_system_fonts=True))
    with pytest.raises(OutputError) as caught:
        pdf_page("pdf", "typst", {"typst": words}.__getitem__)
    assert said in str(caught.value)


def test_what_typst_says_and_half_a_character_are_one_sentence() -> None:
    for words, said in (("#f(", r"Typst: unclosed delimiter\Z"), ("a\ud800", r"typst: U\+D800 is half a character\Z")):
        with pytest.raises(OutputError, match=said):
            pdf_page("pdf", "typst", {"typst": words}.__getitem__)


def test_tex_runs_without_a_shell_in_a_folder_of_its_own_as_often_as_it_wants(tex: Callable[[str], Path]) -> None:
    again = "LaTeX Warning: Label(s) may have changed. Rerun to get cross-references right."
    runs = tex(f'[ -e page.pdf ] && echo done >page.log || echo "{again}" >page.log\necho "%PDF-x" >page.pdf')
    assert pdf_page("pdf", "xelatex", source) == b"%PDF-x\n"
    options = "-no-shell-escape -interaction=nonstopmode -halt-on-error page.tex openin=p openout=p\n"
    assert runs.read_text(encoding="utf-8") == options * 2
    assert (runs.parent / "was.tex").read_text(encoding="utf-8") == source("latex")


@pytest.mark.parametrize(("does", "said"), [
    ("printf '! Undefined control sequence.\\nl.3 \\\\nope\\n' >page.log; exit 1", "Undefined control sequence."),
    ("printf '! LaTeX Error: File x.sty not\\nfound.\\n\\n' >page.log; exit 1", "File x.sty not found."),
    ("exit 1", "xelatex: made no PDF"),
    ("sleep 9", "xelatex: did not finish within 0.1 seconds"),
    ("touch page.pdf; echo 'Missing character: There is no 今 in font x!' >page.log", "has 今, which the page needs"),
])  # fmt: skip
def test_what_goes_wrong_in_tex_is_one_sentence(
    does: str, said: str, tex: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    tex(does)
    if "sleep" in does:
        monkeypatch.setattr(pdf, "TIME_LIMIT", 0.1)
    with pytest.raises(OutputError) as caught:
        pdf_page("pdf", "xelatex", source)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)
