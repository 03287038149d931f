"""A small book in MyST and reStructuredText, built as HTML and LaTeX with warnings as errors, and read back."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from html import unescape
from pathlib import Path
from xml.etree import ElementTree

import pytest

from symattn.api.worked import derive
from symattn.course.generate import generate
from tests.readers.files import Element, Grid, dom, tex_grids

ROOT = Path(__file__).parents[2]
BOOK = Path(__file__).with_name("book")
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


def read(page: Path) -> Element:
    return dom(page.read_text(encoding="utf-8"))


def texts(page: Element, *tags: str) -> list[str]:
    return [each.text() for each in page.all(*tags)]


def shown_in(page: Path) -> list[Grid]:
    """The entries of every matrix that is shown with its shape in the formulas of a page."""
    formulas = (each for each in read(page).all() if "math" in each.attributes.get("class", "").split())
    parts = (part for each in formulas for part in each.text().split("(shape=")[1:])
    return [next(tex_grids(part)) for part in parts if re.match(r"[^=]*\)=\s*\\begin\{bmatrix\}", part)]


def test_every_matrix_of_the_book_is_the_certified_one(pages: Path) -> None:
    weather = derive("weather")
    certified = {name: [[figure.text for figure in row] for row in weather.figures(name)] for name in weather}
    shown = shown_in(pages / "index.html")
    found = [name for name, rows in certified.items() if rows in shown]
    assert found == list(weather)
    lesson = derive(BOOK / "lesson.toml")
    own = [[[figure.text for figure in row] for row in lesson.figures(name)] for name in lesson]
    numbers = [*certified.values(), *own]
    assert [grid for grid in shown if grid not in numbers] == []


def test_headings_sections_pictures_and_references_are_those_of_the_book(pages: Path) -> None:
    page = read(pages / "index.html")
    assert any(text.startswith("1 From words to a matrix") for text in texts(page, "h3"))
    assert any(text.startswith("2 Three projections") for text in texts(page, "h3"))
    assert any(re.fullmatch(r"\(\d+\)", text) for text in texts(page, "a"))
    pictures = [each.attributes for each in page.all("img")]
    titles = [pages / each["src"] for each in pictures]
    assert len(titles) >= 2
    for drawn, told in zip(titles, pictures, strict=True):
        says = ElementTree.parse(drawn).getroot()[0].text
        assert told["alt"] == says
        assert drawn.parent.name == "_images"
    assert "Predicting the next word" not in "".join(texts(page, "h2"))


def test_texts_from_outside_are_texts(pages: Path) -> None:
    text = (pages / "index.html").read_text(encoding="utf-8")
    shown = read(pages / "index.html").text()
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
    (source / "conf.py").write_text('extensions = ["symattn.sites.sphinx"]\n', encoding="utf-8")
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
    shown = shown_in(tmp_path / "html" / "index.html")
    assert [["1", "0"], ["0", "1"], ["1", "1"], ["2", "7"], ["1", "3"]] in shown
