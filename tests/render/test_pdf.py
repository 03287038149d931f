"""A page as a PDF, by Typst or by a TeX: what it is given, and one sentence where it cannot be made."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
import typst

from symattn.api.worked import derive
from symattn.base.errors import OutputError, UnknownNameError
from symattn.read.scenario.load import loads
from symattn.write import pdf
from symattn.write.pdf import page
from tests.test_cli import LESSON

TEX = """#!/bin/sh
echo "$* openin=$openin_any openout=$openout_any" >>"{folder}/runs"
cp page.tex "{folder}/was.tex"
{does}
"""


def text(format: str) -> str:
    return {"typst": "Hello", "latex": "\\documentclass{article}"}[format]


@pytest.fixture
def tex(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Path]:
    """A TeX that does what it is told, and where it writes down how it was called."""
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")

    def made(does: str) -> Path:
        program = tmp_path / "xelatex"
        program.write_text(TEX.format(folder=tmp_path, does=does), encoding="utf-8")
        program.chmod(0o755)
        return tmp_path / "runs"

    return made


def test_typst_makes_a_pdf_and_other_formats_stay_text() -> None:
    made = page("pdf", "typst", text)
    assert isinstance(made, bytes)
    assert made.startswith(b"%PDF-1.7")
    assert page("latex", "typst", text) == text("latex")


def test_the_same_page_is_the_same_file_whenever_it_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    made = page("pdf", "typst", text)
    assert isinstance(made, bytes)
    assert b"2000-01-01" in made
    told: list[str] = []
    monkeypatch.setattr(pdf.subprocess, "run", lambda *_, env, **__: told.append(env["SOURCE_DATE_EPOCH"]) or 1 / 0)
    monkeypatch.setattr("symattn.write.pdf.which", lambda engine: engine)
    with pytest.raises(ZeroDivisionError):
        page("pdf", "xelatex", text)
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


def test_without_the_extra_a_sentence_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "typst", None)
    with pytest.raises(OutputError, match=r"a PDF needs Typst: pip install 'symattn\[pdf\]' brings it"):
        page("pdf", "typst", text)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            '今天 $"天氣很"$',
            "has 今, 天, 氣, 很, which the page needs: install Noto Serif CJK (package fonts-noto-cjk on",
        ),
        ("abc กขคงจฉ", "has ก, ข, ค, ง, จ and 1 more, which the page needs: install one of the Noto fonts"),
        (
            '#image(bytes("<svg xmlns=\\"http://www.w3.org/2000/svg\\"><text y=\\"9\\">很</text></svg>"))',
            "has 很, which",
        ),
    ],
)
def test_characters_that_no_font_has_are_named(words: str, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(typst, "compile", partial(typst.compile, ignore_system_fonts=True))
    with pytest.raises(OutputError) as caught:
        page("pdf", "typst", {"typst": words}.__getitem__)
    assert said in str(caught.value)


def test_what_typst_says_and_half_a_character_are_one_sentence() -> None:
    for words, said in (("#f(", r"Typst: unclosed delimiter\Z"), ("a\ud800", r"typst: U\+D800 is half a character\Z")):
        with pytest.raises(OutputError, match=said):
            page("pdf", "typst", {"typst": words}.__getitem__)


def test_tex_runs_without_a_shell_in_a_folder_of_its_own_as_often_as_it_wants(tex: Callable[[str], Path]) -> None:
    again = "LaTeX Warning: Label(s) may have changed. Rerun to get cross-references right."
    runs = tex(f'[ -e page.pdf ] && echo done >page.log || echo "{again}" >page.log\necho "%PDF-x" >page.pdf')
    assert page("pdf", "xelatex", text) == b"%PDF-x\n"
    options = "-no-shell-escape -interaction=nonstopmode -halt-on-error page.tex openin=p openout=p\n"
    assert runs.read_text(encoding="utf-8") == options * 2
    assert (runs.parent / "was.tex").read_text(encoding="utf-8") == text("latex")


@pytest.mark.parametrize(
    ("does", "said"),
    [
        ("printf '! Undefined control sequence.\\nl.3 \\\\nope\\n' >page.log; exit 1", "Undefined control sequence."),
        ("printf '! LaTeX Error: File x.sty not\\nfound.\\n\\n' >page.log; exit 1", "File x.sty not found."),
        ("exit 1", "xelatex: made no PDF"),
        ("sleep 9", "xelatex: did not finish within 0.1 seconds"),
        (
            "touch page.pdf; echo 'Missing character: There is no 今 in font x!' >page.log",
            "has 今, which the page needs",
        ),
    ],
)
def test_what_goes_wrong_in_tex_is_one_sentence(
    does: str, said: str, tex: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    tex(does)
    if "sleep" in does:
        monkeypatch.setattr(pdf, "TIME_LIMIT", 0.1)
    with pytest.raises(OutputError) as caught:
        page("pdf", "xelatex", text)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_tex_that_is_not_there_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(OutputError, match="lualatex is not installed: install TeX Live"):
        page("pdf", "lualatex", text)
