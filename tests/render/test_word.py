"""Word files read back: by pandoc, and as the XML that they are."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from dataclasses import replace
from html import unescape
from random import Random
from xml.etree import ElementTree

import pytest

from symattn.api.publish.edition import Edition
from symattn.api.starter import start
from symattn.api.worked import WorkedSolution, derive
from symattn.base.errors import OutputError, RenderError
from symattn.base.words import languages
from symattn.compute.solution.store import Shown
from symattn.course.generate import generate
from symattn.course.sheet.batch import batch
from symattn.read.catalogue import entries
from symattn.read.scenario.load import builtin_names, loads
from symattn.show.blocks import Document, Heading, Picture, with_answers_at_end
from symattn.show.math import Letter
from symattn.write.environment import phrases
from symattn.write.formats import render, rendered
from symattn.write.pictures.svg import svg
from symattn.write.tex_math import WordTex
from tests.cases import solved
from tests.readers.files import M, Word, pandoc, word_math

DRAWN = "{http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing}docPr"
NUMBER = re.compile(r"\d+(?:\.\d+)?")
FIGURE = re.compile(r"-?\d+(?:\.\d+)?(?:\^-?\d+)?\Z")
TOKENS = ("</script><script>", "*_$`~^", "\\input{x}", "=cmd()", "{{7*7}}", "a--b 'c' \"d\" [e] #f % g|h, &amp;")
LANGUAGES = {"en": "en-US", "zh-Hans": "zh-CN", "zh-Hant": "zh-TW"}


@pytest.fixture
def made_by_pandoc() -> None:
    pytest.importorskip("pypandoc", reason="the extra symattn[word]")


def document(solution: WorkedSolution, language: str, detail: str = "lesson") -> Document:
    return Edition(solution.scenario, solution.store, language, detail).document("docx")  # type: ignore[arg-type]


def is_read_back(solution: WorkedSolution, language: str, detail: str = "lesson") -> None:
    """Every number of the page is there, in order, and every matrix of figures is a certified one."""
    page = with_answers_at_end(document(solution, language, detail))
    page = replace(page, blocks=tuple(block for block in page.blocks if not isinstance(block, Picture)))
    read = Word(made_of(page))
    # The formulas of Markdown are read strictly by other tests, and worked out again.
    numbers = [number for text in read.texts() for number in NUMBER.findall(text)]
    assert numbers == NUMBER.findall(unescape(render(page, "markdown", math="brackets")))
    shown = [name for name in solution if solution.store.shown(name) is Shown.FIGURES]
    certified = [[[figure.text for figure in row] for row in solution.figures(name)] for name in shown]
    certified += [list(map(list, given.texts)) for given in solution.givens.values() if given.rounded]
    figures = [grid for grid in read.grids() if all(FIGURE.match(cell) for row in grid for cell in row)]
    assert [grid for grid in figures if grid not in certified] == []
    assert len(figures) > (len(shown) > 2)


@pytest.mark.long
def test_a_page_comes_as_it_is(made_by_pandoc: None) -> None:
    solution = derive("weather")
    page = document(solution, "zh-Hant")
    made = rendered(page, "docx")
    assert isinstance(made, bytes)
    read = Word(made)
    assert made == rendered(page, "docx")
    assert b"dcterms:" not in read.parts["docProps/core.xml"].split(b">", 2)[2]
    assert read.styled("Title") == ["預測下一個詞：一步一步算完一個解碼器區塊"]
    levels = [block.level for block in with_answers_at_end(page).blocks if isinstance(block, Heading)]
    assert [len(read.styled(f"Heading{level}")) for level in (1, 2)] == [levels.count(1), levels.count(2)]
    pictures = [block for block in page.blocks if isinstance(block, Picture)]
    assert [node.get("descr") for node in read.body.iter(DRAWN)] == [
        ElementTree.fromstring(svg(each, phrases("zh-Hant"), "zh-Hant"))[0].text for each in pictures
    ]
    assert [name for name, part in read.parts.items() if part.startswith(b"\x89PNG")] == [
        name for name in read.parts if "media/" in name
    ]
    assert not any(b"data:" in part for name, part in read.parts.items() if name.endswith(".xml"))


@pytest.mark.parametrize("language", languages())
def test_the_language_and_its_fonts_are_those_of_word(language: str, made_by_pandoc: None) -> None:
    parts = Word(made_of(Document(("x",), language, ()))).parts
    code = LANGUAGES[language]
    assert re.search(f'<w:lang w:val="{code}"', parts["word/styles.xml"].decode())
    assert f"<dc:language>{code}<" in parts["docProps/core.xml"].decode()
    assert re.search(f'<w:themeFontLang w:val="{code}"', parts["word/settings.xml"].decode())
    fonts = re.findall('<a:ea typeface="([^"]*)"', parts["word/theme/theme1.xml"].decode())
    assert set(fonts) == {"SimSun" if language == "zh-Hans" else "PMingLiU"}


@pytest.mark.long
def test_pandoc_reads_every_formula_and_no_text_is_left_as_tex(made_by_pandoc: None) -> None:
    made = made_of(document(derive("weather"), "en"))
    found = list(_elements(json.loads(pandoc(made, "--to", "json"))))
    formulas = sum(each["t"] == "Math" for each in found)
    assert formulas == len(Word(made).equations()) > 200
    assert not [each["c"] for each in found if each["t"] == "Str" and "\\" in each["c"]]


def _elements(held: object) -> Iterator[dict[str, object]]:
    if isinstance(held, dict) and "t" in held:
        yield held
    for each in held.values() if isinstance(held, dict) else held if isinstance(held, list) else ():
        yield from _elements(each)


def test_what_comes_from_outside_prints_as_itself(made_by_pandoc: None) -> None:
    steps = ["A = softmax(X @ X.T / sqrt(2))", "Z = A @ X", "h = Z[-1]"]
    head = f"title = {json.dumps(f'{TOKENS[0]} {TOKENS[3]}')}\ntokens = {json.dumps(TOKENS)}\n"
    text = f"{head}given.X = {json.dumps([['1', '2']] * len(TOKENS))}\n[[section]]\n"
    text += f"title = {json.dumps(TOKENS[1])}\nsteps = {json.dumps(steps)}\n"
    solution = derive(loads(text, path="hostile.toml"))
    read = Word(made_of(document(solution, "en")))
    texts = read.texts()
    for token in TOKENS:
        assert any(token in text for text in texts), token
    assert TOKENS[-1] in "".join(read.equations())
    assert read.styled("Title") == [f"{TOKENS[0]} {TOKENS[3]}"]


def test_a_sheet_has_its_blanks_and_its_key_their_figures(made_by_pandoc: None) -> None:
    exercises = generate("attention-row", seed=3, count=2)
    sheet, key = (Word(made_of(batch(exercises, which, "en"))) for which in ("question", "answer"))
    lines = [
        each
        for each in sheet.body.iter(M + "bar")
        if not "".join(node.text or "" for node in each.iter(M + "t")).strip()
    ]
    assert len(lines) == 2 * (3 + 3 + 2)
    assert sum("pageBreakBefore" in node.tag for node in sheet.body.iter()) == 1
    assert "___" in "".join(sheet.texts())
    assert not [each for each in key.body.iter(M + "bar") if not word_math(each).strip()]


def test_what_word_cannot_do_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    page = Document(("x",), "en", ())
    for choice, said in (({"math": "dollar"}, "delimiters of Markdown"), ({"fragment": True}, "has no fragment")):
        with pytest.raises(RenderError, match=said):
            rendered(page, "docx", **choice)
    with pytest.raises(RenderError, match="format docx is no text"):
        render(page, "docx")
    monkeypatch.setitem(sys.modules, "pypandoc", None)
    with pytest.raises(OutputError, match=r"a Word file needs pandoc: pip install 'symattn\[word\]' brings it"):
        rendered(page, "docx")


def test_a_formula_that_pandoc_cannot_read_is_an_error(monkeypatch: pytest.MonkeyPatch, made_by_pandoc: None) -> None:
    monkeypatch.setattr(WordTex, "write", lambda writer, piece: r"\nosuch{x}")
    with pytest.raises(OutputError, match=r"pandoc: Could not convert TeX math \\nosuch"):
        rendered(Document((Letter("x"),), "en", ()), "docx")


def made_of(page: Document) -> bytes:
    made = rendered(page, "docx")
    assert isinstance(made, bytes)
    return made


@pytest.mark.slow
@pytest.mark.parametrize("language", languages())
@pytest.mark.parametrize("name", builtin_names())
def test_every_number_of_every_scenario_is_read_back(name: str, language: str, made_by_pandoc: None) -> None:
    for detail in ("lesson", "entries"):
        is_read_back(solved(name), language, detail)


@pytest.mark.slow
@pytest.mark.parametrize("entry", [entry.name for entry in entries()])
def test_every_number_of_the_catalogue_is_read_back(entry: str, made_by_pandoc: None) -> None:
    text = start(("the", "cat", "sat", "down"), random=Random(1), use=(entry,), language="en")
    is_read_back(derive(loads(text, path="lesson.toml")), "en", "entries")
