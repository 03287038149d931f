"""A small book in MyST and reStructuredText, built as HTML and LaTeX with warnings as errors, and read back."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest

from symattn.api import derive
from symattn.document.blocks import Block
from symattn.exercise.generate import generate

ROOT = Path(__file__).parents[2]
BOOK = Path(__file__).with_name("book")
GRID = re.compile(r"\(shape=[^=]*\)=\s*\\begin\{bmatrix\}\s*(.*?)\s*\\end\{bmatrix\}", re.DOTALL)
VOID = ("meta", "link", "input", "br", "hr", "col", "img")
WRONG = """
Wrong
=====

.. derive:: wether

.. derive:: broken.toml

.. exercise:: softmax-rwo

* In a list:

  .. derive:: good
     :detail: result
     :section: 9
"""

pytestmark = pytest.mark.slow


def built(source: Path, target: Path, builder: str, *options: str) -> subprocess.CompletedProcess[str]:
    pytest.importorskip("myst_parser", reason="the extra symattn[sphinx]")
    command = [sys.executable, "-m", "sphinx", "-q", "-b", builder, *options, source, target]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=120)


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The book as HTML, read by two processes."""
    target = tmp_path_factory.mktemp("book") / "html"
    done = built(BOOK, target, "html", "-W", "--keep-going", "-j", "2")
    assert (done.returncode, done.stderr) == (0, "")
    return target


class Read(HTMLParser):
    """What stands on a page: formulas, headings, pictures, and all text."""

    def __init__(self, page: Path) -> None:
        super().__init__()
        self.open: list[str] = []
        self.found: list[tuple[str, str]] = []
        self.pictures: list[dict[str, str | None]] = []
        self.feed(page.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        told = dict(attrs)
        if tag == "img":
            self.pictures.append(told)
        elif tag not in VOID:
            self.open.append("math" if "math" in (told.get("class") or "").split() else tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            self.open.pop()

    def handle_data(self, data: str) -> None:
        self.found.append((self.open[-1] if self.open else "", data))

    def inside(self, tag: str) -> list[str]:
        return [text for each, text in self.found if each == tag]


def grids(formulas: list[str]) -> Iterator[list[list[str]]]:
    """The entries of every matrix that is shown with its shape."""
    for formula in formulas:
        for body in GRID.findall(formula):
            yield [row.split(" & ") for row in re.split(r"\\\\(?:\[10pt\])?\s*", body)]


def test_every_matrix_of_the_book_is_the_certified_one(pages: Path) -> None:
    weather = derive("weather")
    certified = {name: [[figure.text for figure in row] for row in weather.figures(name)] for name in weather}
    shown = list(grids(Read(pages / "index.html").inside("math")))
    found = [name for name, rows in certified.items() if rows in shown]
    assert found == list(weather)
    lesson = derive(BOOK / "lesson.toml")
    own = [[[figure.text for figure in row] for row in lesson.figures(name)] for name in lesson]
    numbers = [*certified.values(), *own]
    assert [grid for grid in shown if grid not in numbers] == []


def test_headings_sections_pictures_and_references_are_those_of_the_book(pages: Path) -> None:
    read = Read(pages / "index.html")
    assert "1 From words to a matrix" in read.inside("h3")
    assert "1-1 The input and its tokens" in read.inside("h4")
    assert any(re.fullmatch(r"\(\d+\)", text) for text in read.inside("a"))
    titles = [(pages / str(each["src"])) for each in read.pictures]
    assert len(titles) >= 2
    for drawn, told in zip(titles, read.pictures, strict=True):
        says = ElementTree.parse(drawn).getroot()[0].text
        assert told["alt"] == says
        assert drawn.parent.name == "_images"
    assert "Predicting the next word" not in "".join(read.inside("h2"))


def test_texts_from_outside_are_texts(pages: Path) -> None:
    text = (pages / "index.html").read_text(encoding="utf-8")
    shown = "".join(data for _, data in Read(pages / "index.html").found)
    for token in derive(BOOK / "lesson.toml").scenario.tokens:
        assert token in shown
    assert "<script>=" not in text
    assert "*emphasis* and `code`" in shown


def test_keys_are_hidden_and_blanks_are_open(pages: Path) -> None:
    text = (pages / "exercises.html").read_text(encoding="utf-8")
    assert len(re.findall(r"<details class=\"symattn-key\"><summary>Key to version \d", text)) == 2
    assert r"\boxed{\phantom" in text
    keys = [each.parts[-1].key for each in generate("attention-row", seed=7, count=2, difficulty=2)]
    inside = re.findall(r"<details.*?</details>", text, re.DOTALL)
    for key, hidden in zip(keys, inside, strict=True):
        for figure in (figure for row in key for figure in row):
            assert figure in unescape(hidden)
            assert f" {figure} " not in text.split("<details")[0]


def test_the_same_book_is_latex(tmp_path: Path) -> None:
    done = built(BOOK, tmp_path, "latex", "-W", "--keep-going")
    assert (done.returncode, done.stderr) == (0, "")
    text = (tmp_path / "asmallbook.tex").read_text(encoding="utf-8")
    assert text.count(r"\begin{tikzpicture}") >= 2
    assert r"\definecolor{symattnblue}" in text
    assert r"\label{equation:index:weather:A}" in text
    assert r"\textbackslash{}input\{x\}" in text


def test_what_is_wrong_is_a_warning_with_its_line(tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.mkdir()
    (source / "conf.py").write_text('extensions = ["symattn.sphinx"]\n', encoding="utf-8")
    (source / "index.rst").write_text(WRONG, encoding="utf-8")
    (source / "broken.toml").write_text('title = "x"\n[given]\nX = [["1"], ["2", "3"]]\n', encoding="utf-8")
    done = built(source, tmp_path / "html", "html")
    lines = done.stderr.splitlines()
    assert done.returncode == 0
    for place, said in (
        (5, "unknown scenario 'wether': did you mean 'weather'?"),
        (7, "row 2 has length 2, row 1 has length 1"),
        (9, "softmax-row"),
        (13, "section"),
    ):
        assert [line for line in lines if f"index.rst:{place}: WARNING" in line and said in line], (place, lines)


def test_a_page_is_made_again_when_its_scenario_changes(tmp_path: Path) -> None:
    source = shutil.copytree(BOOK, tmp_path / "source")
    assert built(source, tmp_path / "html", "html").stderr == ""
    lesson = source / "lesson.toml"
    lesson.write_text(lesson.read_text(encoding="utf-8").replace('["2", "1"]', '["2", "7"]'), encoding="utf-8")
    built(source, tmp_path / "html", "html")
    shown = list(grids(Read(tmp_path / "html" / "index.html").inside("math")))
    assert [["1", "0"], ["0", "1"], ["1", "1"], ["2", "7"], ["1", "3"]] in shown


def test_every_block_has_a_rule() -> None:
    pytest.importorskip("docutils")
    from typing import get_args

    from symattn.sphinx.nodes import made

    assert [block for block in get_args(Block) if made.dispatch(block) is made.dispatch(object)] == []
