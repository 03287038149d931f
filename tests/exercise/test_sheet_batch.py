"""Many sheets in one document: a new page for each, names that print as themselves, and nothing for XeLaTeX to say."""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from symattn.document.blocks import Field
from symattn.errors import SymattnError, UnknownNameError
from symattn.exercise.sheet.batch import batch
from symattn.render.formats import render
from tests.exercise.sheets import LANGUAGES, made, pieces

MADE = made()
VERSIONS = tuple(replace(MADE["plain"], version=number) for number in (1, 2, 3))
STRANGE = r"\input{x} <script> $a_b$ 50% [x](y)"


def test_each_student_has_a_sheet_of_the_version_that_was_dealt() -> None:
    students = {"Ada": 2, "Bo": 1, "Cy": 2}
    page = batch(VERSIONS, "question", students=students)
    names = [piece.value for piece in pieces(page) if isinstance(piece, Field) and piece.value]
    assert names == ["Ada", "Bo", "Cy"]
    text = render(page, "markdown")
    assert re.findall(r"## Version (\d)", text) == ["2", "1", "2"]
    assert re.findall(r"Name: (\w+)", render(batch(VERSIONS, "answer", students=students), "markdown")) == [*students]


@pytest.mark.parametrize("which", ["question", "answer"])
@pytest.mark.parametrize("name", [STRANGE, STRANGE * 9])
def test_a_name_prints_as_itself(which: str, name: str) -> None:
    page = batch(VERSIONS, which, students={name: 1})  # type: ignore[arg-type]
    markdown, latex = render(page, "markdown"), render(page, "latex")
    assert r"&#92;input\{x\} &lt;script> \$a_b\$" in markdown
    assert "<script>" not in markdown
    assert "](y)" in markdown.replace("&#91;x](y)", "](y)")
    assert "[x](y)" not in markdown
    assert r"\textbackslash{}input\{x\} \textless{}script\textgreater{} \$a\_b\$ 50\%" in latex
    assert "\\input{x}" not in latex


def test_what_cannot_be_dealt_is_refused() -> None:
    with pytest.raises(SymattnError, match="a batch of no exercises: expected at least one"):
        batch((), "question")
    with pytest.raises(UnknownNameError, match=r"unknown version of 'Ada' '7'.*known: 1, 2, 3"):
        batch(VERSIONS, "question", students={"Ada": 7})
    with pytest.raises(UnknownNameError, match="unknown kind of sheet 'questions': did you mean 'question'"):
        batch(VERSIONS, "questions")  # type: ignore[arg-type]


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("xelatex") is None, reason="needs XeLaTeX")
@pytest.mark.parametrize("which", ["question", "answer"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_xelatex_has_nothing_to_say_to_any_form(which: str, language: str, tmp_path: Path) -> None:
    exercises = tuple(replace(exercise, version=number) for number, exercise in enumerate(MADE.values(), 1))
    names = {STRANGE * 4: 1} | {f"王小明 {number}": number for number in range(2, len(exercises) + 1)}
    page = render(batch(exercises, which, language, names), "latex")  # type: ignore[arg-type]
    (tmp_path / "page.tex").write_text(page, encoding="utf-8")
    command = ["xelatex", "-no-shell-escape", "-interaction=nonstopmode", "-halt-on-error", "page.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False, timeout=120)
    assert done.returncode == 0, done.stdout[-2000:]
    log = (tmp_path / "page.log").read_text(encoding="utf-8", errors="replace")
    assert re.findall(r"Missing character:.*|Overfull \\[hv]box.*", log) == []
