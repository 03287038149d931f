"""Pages in HTML, read by a parser: every block and piece, certified figures, text that is only text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import combinations, product
from math import dist
from operator import mul
from typing import get_args
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symattn.api import worked
from symattn.api.worked import derive
from symattn.base import words
from symattn.base.errors import RenderError
from symattn.base.shapes import EntryPlace
from symattn.course.sheet.batch import pages
from symattn.read.scenario.load import builtin_names
from symattn.read.scenario.model import StepItem
from symattn.show.blocks import Break, Document, Heading, Phrase, Prose, Table
from symattn.show.math import Accented, Grid, Highlighted, Letter, Math, Number, Script, Seq, Sign, Sum, seq
from symattn.write.environment import Macros
from symattn.write.formats import render
from symattn.write.html import html, style
from symattn.write.mathml import DISPLAY, INLINE, element, math
from symattn.write.pictures.svg import TINTS
from symattn.write.pictures.tables import DEEPEST
from tests import cases
from tests.readers.files import dom, mathml_figure, worth
from tests.render.test_escape import NASTY, shown
from tests.render.test_formats import ALL, EXAMPLES, page_of
from tests.render.test_typst import PIECES

CHILDREN = {"mfrac": 2, "msub": 2, "msup": 2, "mover": 2, "munder": 2, "msubsup": 3, "munderover": 3}
CORE = {*CHILDREN, *"math mrow mi mn mo mtext mspace msqrt mtable mtr mtd".split()}
"""What browsers draw by themselves, and how many elements each has to have in it."""

A_10 = Number("-0.5", EntryPlace('A"', 1, 0))
x_i = Script(Letter("x"), sub=Letter("i"))

WRITTEN: list[tuple[Math, str]] = [
    (Letter("mu"), "<mi>μ</mi>"),
    (Letter("Phi"), '<mi mathvariant="normal">Φ</mi>'),
    (Letter("E", "upright"), '<mi mathvariant="normal">E</mi>'),
    (Letter("LN", "upright"), "<mi>LN</mi>"),
    (Letter("</math>", "text"), "<mtext>&lt;/math&gt;</mtext>"),
    (A_10, '<mn data-of="A&quot;" data-at="1,0">−0.5</mn>'),
    (
        Number("-3/4", A_10.of),
        '<mrow data-of="A&quot;" data-at="1,0"><mo>−</mo><mfrac><mn>3</mn><mn>4</mn></mfrac></mrow>',
    ),
    (Number("-10^9"), "<mrow><msup><mn>−10</mn><mn>9</mn></msup></mrow>"),
    (Number("-oo"), "<mi>−∞</mi>"),
    (seq(Letter("a"), Sign("-"), Letter("b")), "<mrow><mi>a</mi><mo>−</mo><mi>b</mi></mrow>"),
    (Script(Accented("prime", Letter("x")), sub=Letter("i")), "<msubsup><mi>x</mi><mi>i</mi><mo>′</mo></msubsup>"),
    (
        Sum(Letter("i"), Number("1"), Letter("n"), x_i),
        "<mrow><munderover><mo>∑</mo><mrow><mi>i</mi><mo>=</mo><mn>1</mn></mrow><mi>n</mi></munderover>"
        "<msub><mi>x</mi><mi>i</mi></msub></mrow>",
    ),
    (
        Grid(((Number("1"), Letter("b")),)),
        "<mrow><mo>[</mo><mtable><mtr><mtd><mn>1</mn></mtd><mtd><mi>b</mi></mtd></mtr></mtable><mo>]</mo></mrow>",
    ),
    (Highlighted(Number("2"), "row"), '<mrow class="row"><mn>2</mn></mrow>'),
]


@pytest.mark.parametrize(("piece", "written"), WRITTEN, ids=lambda value: str(value)[:24])
def test_what_mathml_writes(piece: Math, written: str) -> None:
    assert DISPLAY.write(piece) == written


def test_every_piece_is_one_element_of_mathml_core() -> None:
    assert {type(piece) for piece in PIECES} >= {*get_args(Math)} - {Seq}
    for piece in (*PIECES, seq(x_i, Sign("+"), x_i)):
        for written in (DISPLAY.write(piece), INLINE.write(piece), math(piece), math(piece, display=True)):
            for each in ElementTree.fromstring(written).iter():
                assert each.tag in CORE
                assert len(each) == CHILDREN.get(each.tag, len(each)), written
                assert not (len(each) and (each.text or "").strip()), "text stands in mi, mn, mo and mtext alone"
    with pytest.raises(RenderError, match="no MathML for str"):
        DISPLAY.write("x")  # type: ignore[arg-type]
    with pytest.raises(RenderError, match="no MathML for the number"):
        DISPLAY.write(Number("1e5"))


def test_a_line_that_goes_on_begins_with_an_operator_between_two_terms() -> None:
    assert element(" <mo>+</mo><mn>1</mn>") == '<math><mo form="infix">+</mo><mn>1</mn></math>'
    assert element("<mo>=</mo><mn>1</mn>") == "<math><mo>=</mo><mn>1</mn></math>"


def test_every_block_is_on_a_page_that_stands_alone(words: Macros) -> None:
    named = Table((Phrase("head", (("text", "a"),)),), (((Letter("Q"),),), (("Q: ", Letter("Q")),)))
    page = dom(html(Document(("A ", Letter("Q")), "en", (*EXAMPLES, named)), words, None, False))
    (main,), (root,) = page.all("main"), page.all("html")
    assert root.attributes["lang"] == "en"
    assert [each.tag for each in page.all("h1", "h2", "h3")] == ["h1", "h2", "h3"]
    assert {"p", "ul", "table", "pre", "hr", "svg", "figure", "math"} <= {each.tag for each in main.all()}
    assert [each.attributes["scope"] for each in main.all("th")] == ["col", "col", "col", "row"]
    addresses = [each.attributes.get(name, "#") for each in page.all() for name in ("href", "src", "srcset")]
    assert {address[0] for address in addresses} == {"#"}
    (style,) = page.all("style")
    assert "url(" not in style.text()
    assert "@import" not in style.text()
    policy = next(each.attributes["content"] for each in page.all("meta") if "http-equiv" in each.attributes)
    assert "default-src 'none'" in policy
    assert "script-src 'none'" in policy


def test_the_letters_of_a_lesson_are_at_the_side_of_its_page() -> None:
    page = derive("weather").render("html", language="en")
    side = page.partition("<dl>")[2].partition("</dl>")[0]
    assert "<dd>word vectors</dd>" in side
    legend = page.rpartition("<tbody>")[2].partition("</tbody>")[0]
    assert side.count("<dt>") == legend.count("<tr>") > 10


def test_no_heading_is_skipped(words: Macros) -> None:
    levels = (2, 2, 4, 1, 3, 9)
    page = dom(html(Document((), "en", tuple(Heading(level, "", ("x",)) for level in levels)), words, None, False))
    assert [each.tag for each in page.all(*(f"h{level}" for level in range(2, 7)))] == "h2 h3 h4 h2 h3 h4".split()
    anchors = [each.attributes["id"] for each in page.all() if each.attributes.get("id", "").startswith("part")]
    assert [each.attributes["href"] for each in page.all("a")][1:] == [f"#{anchor}" for anchor in anchors]


def test_fragments_are_refused(words: Macros) -> None:
    with pytest.raises(RenderError, match="format html has no fragment"):
        html(Document((), "en", ()), words, None, True)


def test_text_prints_as_itself(words: Macros) -> None:
    page = dom(html(ALL, words, None, False))
    printed = re.sub(r"\s+", " ", page.text())
    for text in (*NASTY, "</script><script>"):
        assert shown(text).strip() in printed or text == "</script><script>"
    assert next(page.all("title")).text().strip() == next(page.all("h1")).text().strip()


@settings(max_examples=25)
@given(st.lists(st.one_of(st.text(), st.sampled_from([*NASTY, "</script><script>", "--></style>"])), max_size=2))
def test_no_text_changes_what_a_page_is_made_of(words: Macros, texts: list[str]) -> None:
    def kinds(given: list[str]) -> list[str]:
        page = dom(html(page_of(given), words, None, False))
        return [each.tag for each in page.all() if each.tag not in ("span", "math", "mrow", "mo", "mi", "mtext")]

    assert kinds([text if text.strip() else "" for text in texts]) == kinds(
        ["x" if text.strip() else "" for text in texts]
    )


def test_marks_stand_on_the_line_of_their_formula(words: Macros) -> None:
    page = html(Document((), "en", (Prose(("(", Letter("Q"), "), ", Letter("K"), " x")),)), words, None, False)
    assert '<p><span class="held">(<math><mi>Q</mi></math>),</span> <math><mi>K</mi></math> x</p>' in page


# -- what is on the pages of scenarios and exercises -----------------------------------------------------------------


CASES = [
    pytest.param(name, language, marks=[] if (name, language) == ("refund", "zh-Hant") else pytest.mark.slow)
    for name in builtin_names()
    for language in words.languages()
]


@pytest.mark.parametrize(("name", "language"), CASES)
def test_a_page_has_the_certified_figures_and_the_digits_of_the_markdown_page(name: str, language: str) -> None:
    solved = cases.solved(name)
    page = dom(solved.render("html", language=language, figures="none"))
    figures = [each for each in page.all() if "data-of" in each.attributes]
    assert len(figures) > 50
    for each in figures:
        of, (i, j) = each.attributes["data-of"], map(int, each.attributes["data-at"].split(","))
        if of not in solved.store.derivation.by_name:
            continue  # the loss of a gradient check, which tests/second_road/test_gradient_checks.py works out
        assert is_certified(solved, of, i, j, mathml_figure(each)), (of, i, j)
    text = "".join(next(page.all(tag)).text() for tag in ("header", "main"))
    source = re.sub(r"&#\d+;", "", solved.render(language=language, figures="none"))
    assert _digits(text) == _digits(source)
    assert len(_digits(text)) > 900


def is_certified(solved: worked.WorkedSolution, name: str, i: int, j: int, printed: str | None) -> bool:
    """Whether it is the entry as its matrix prints it, or, where a page shows it with other decimals, with as many."""
    assert printed is not None
    figure = solved.store.figures(name)[i][j].text
    if "oo" in printed or "oo" in figure:
        return printed == figure
    decimals = len(printed.partition(".")[2])
    return worth(printed) == worth(figure) or worth(printed) == worth(solved[name].decimals(decimals)[i][j])


@pytest.mark.parametrize(("name", "language"), CASES)
def test_every_step_has_a_section_and_every_matrix_says_whose_entries_it_has(name: str, language: str) -> None:
    solved = cases.solved(name)
    page = dom(solved.render("html", language=language))
    shown = {one for each in page.all("section") for one in each.attributes["data-step"].split()}
    items = (item for section in solved.scenario.sections for item in section.on_page)
    assert {item.name for item in items if isinstance(item, StepItem)} <= shown
    for each in page.all("div"):
        if (of := each.attributes.get("data-matrix")) is not None:
            assert {cell.attributes["data-of"] for cell in each.all() if "data-of" in cell.attributes} == {of}
    cells = [each for drawing in page.all("svg") for each in drawing.all("rect") if "data-of" in each.attributes]
    assert cells or name == "bank"  # whose pictures are arrows
    for cell in cells:
        assert cell.attributes["data-of"] in solved


@pytest.mark.long
@pytest.mark.parametrize("language", words.languages())
def test_exercises_have_the_digits_of_their_markdown(language: str) -> None:
    for _, document in pages(language):
        text = dom(render(document, "html"))
        printed = "".join(next(text.all(tag)).text() for tag in ("header", "main"))
        assert _digits(printed) == _digits(re.sub(r"\\phantom\{0+\}|&#\d+;", "", render(document, "markdown")))
        sheets = sum(isinstance(block, Break) for block in document.blocks)
        assert len([each for each in text.all("hr") if each.attributes.get("class") == "sheet"]) == sheets


def _digits(text: str) -> str:
    return re.sub(r"[^0-9.]+", "", re.sub(r"\.(?!\d)", "", text))


# -- colours ---------------------------------------------------------------------------------------------------------


def _schemes() -> dict[str, dict[str, str]]:
    """The colours of the style sheet by their names, on light and on dark ground."""
    light, dark = re.findall(r":root \{(.*?)\}", style("en"), flags=re.DOTALL)[:2]
    found = dict(re.findall(r"--(\w+): (#\w{6})", light))
    return {"light": found, "dark": found | dict(re.findall(r"--(\w+): (#\w{6})", dark))}


def _light(colour: Sequence[int]) -> float:
    parts = [part / 255 for part in colour]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _contrast(one: Sequence[int], two: Sequence[int]) -> float:
    low, high = sorted((_light(one), _light(two)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_what_is_written_is_told_from_its_ground(scheme: str) -> None:
    colours = {name: tuple(bytes.fromhex(colour[1:])) for name, colour in _schemes()[scheme].items()}
    tokens = [name for name in TINTS if name.startswith("token")]
    for name in ("ink", "faint", "blue", "rust", "row", "column", "result", *tokens):
        for ground in ("paper", "ground"):
            assert _contrast(colours[name], colours[ground]) >= 4.5, (name, ground)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_figures_are_told_from_the_cells_of_a_heat_map(scheme: str) -> None:
    page = {name: tuple(bytes.fromhex(colour[1:])) for name, colour in _schemes()[scheme].items()}
    (cells,) = re.findall(r"dark\) \{ \.heatmap \{(.*?)\}", style("en"))
    dark = {name: tuple(bytes.fromhex(text)) for name, text in re.findall(r"--(\w+): #(\w{6})", cells)}
    for colours in (page | dark,) if scheme == "dark" else (page, TINTS):
        for tint, share in product(("blue", "rust"), range(DEEPEST + 1)):
            cell = [
                ground + (part - ground) * share / 100
                for part, ground in zip(colours[tint], colours["paper"], strict=True)
            ]
            assert _contrast(cell, colours["ink"]) >= 4.5, (tint, share)


def _seen(colour: Sequence[int], vision: str) -> tuple[float, float, float]:
    """A colour in CIELAB as it looks to people who see no red, green or blue (Machado et al. 2009)."""
    linear = [(part / 255 + 0.055) ** 2.4 / 1.055**2.4 if part > 10 else part / 255 / 12.92 for part in colour]
    seen = [min(1, max(0, sum(map(mul, row, linear)))) for row in VISION[vision]]
    x, y, z = (sum(map(mul, row, seen)) / white for row, white in zip(XYZ, (0.9505, 1, 1.089), strict=True))
    a, b, c = (t ** (1 / 3) if t > 0.008856 else 7.787 * t + 16 / 116 for t in (x, y, z))
    return 116 * b - 16, 500 * (a - b), 200 * (b - c)


XYZ = ((0.4124, 0.3576, 0.1805), (0.2126, 0.7152, 0.0722), (0.0193, 0.1192, 0.9505))
VISION = {
    "all": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "no red": ((0.152, 1.053, -0.205), (0.115, 0.786, 0.099), (-0.004, -0.048, 1.052)),
    "no green": ((0.367, 0.861, -0.228), (0.280, 0.673, 0.047), (-0.012, 0.043, 0.969)),
    "no blue": ((1.256, -0.077, -0.179), (-0.078, 0.931, 0.148), (0.005, 0.691, 0.304)),
}


@pytest.mark.parametrize("vision", VISION)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_colours_of_tokens_are_told_apart(scheme: str, vision: str) -> None:
    colours = _schemes()[scheme]
    palette = [tuple(bytes.fromhex(colours[name][1:])) for name in TINTS if name.startswith("token")]
    assert len(palette) == 6
    assert scheme == "dark" or palette == [rgb for name, rgb in TINTS.items() if name.startswith("token")]
    for one, other in combinations(palette, 2):
        assert dist(_seen(one, vision), _seen(other, vision)) > 20
