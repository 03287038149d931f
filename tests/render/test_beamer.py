"""Slides: what stands on which, what appears when, that they show what the page shows, and that engines take them."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symattn.api.worked import WorkedSolution
from symattn.base.errors import OutputError
from symattn.base.words import languages
from symattn.compute.solution.store import Shown
from symattn.read.scenario.load import builtin_names
from symattn.read.scenario.model import ShowItem, StepItem
from symattn.show.blocks import (
    Block,
    Document,
    Equation,
    Heading,
    Matrices,
    Matrix,
    Passage,
    Phrase,
    Prose,
    Readings,
    Table,
)
from symattn.show.build import build_document
from symattn.show.math import Chain, Letter, Number, equation
from symattn.write.beamer import ENTRIES, beamer
from symattn.write.environment import Macros
from symattn.write.formats import render
from symattn.write.latex import style
from symattn.write.slides import ROOM, OnSlide, Slide, slides, spread
from symattn.write.tex_math import DISPLAY, tex
from tests.cases import solved
from tests.readers.files import Grid, tex_grids
from tests.render.test_escape import NASTY
from tests.render.test_formats import EXAMPLES, Q, document, page_of
from tests.render.test_latex import CHINESE, LEAD, PLAIN, compiled, engines

UNCOVERED = re.compile(r"(?:\\uncover|\{uncoverenv\})<(\d+)->")


def frames(tex: str) -> list[str]:
    return re.findall(r"\\begin\{frame\}(.*?)\\end\{frame\}", tex, flags=re.DOTALL)


def pages(frame: str) -> list[int]:
    """On which page of its slide each thing appears, in the order of the text."""
    return [int(number) for number in UNCOVERED.findall(frame)]


def step(*blocks: Block, words: Macros, names: tuple[str, ...] = ("Q",)) -> list[str]:
    """The frames of one step."""
    symbols = tuple(map(Letter, names))
    page = Document(
        (), "en", (Heading(1, "1", ("Scores",)), *blocks), (Passage(1), Passage(len(blocks), names, symbols))
    )
    return frames(beamer(page, words, None, True))


def grid(rows: int, columns: int) -> Matrix:
    cells = tuple(tuple(Number(f"0.{i}{j}") for j in range(columns)) for i in range(rows))
    return Matrix(Q, Number(str(rows)), Number(str(columns)), cells)


FORMULA = Equation((equation(Q, Letter("X")),))
LINE = equation(Q, Number("1"))
WORKING = Equation((LINE, LINE, LINE), "working")
SAID = Readings((Phrase("plain"), Phrase("head", (("text", "First"),)), Phrase("head", (("text", "Second"),))))
WHY = Prose(("It weighs.",), "need")

APPEARS: list[tuple[str, tuple[Block, ...], list[list[int]]]] = [
    ("what is given is there at once", (grid(2, 2),), [[]]),
    ("lines one after the other, their two sides together", (FORMULA, WORKING), [[2, 2, 3, 3, 4, 4]]),
    ("a first line that nothing stands above is there at once", (WORKING,), [[1, 1, 2, 2, 3, 3]]),
    ("one line as a whole", (FORMULA, Equation((LINE,), "working")), [[2]]),
    ("entries one after the other", (FORMULA, Equation((LINE,), "working"), grid(2, 2)), [[2, 3, 4, 5, 6]]),
    ("what follows without a working, row by row", (FORMULA, grid(2, 2)), [[2, 2, 3, 3]]),
    ("many entries row by row", (FORMULA, Equation((LINE,), "entry"), grid(3, 6)), [[2, *[3] * 6, *[4] * 6, *[5] * 6]]),
    ("what is said of it at the end", (FORMULA, grid(1, 1), SAID, WHY), [[2, 3, 4, 5]]),
    ("a number by itself at once", (FORMULA, Matrix(Q, Number("1"), Number("1"), ((LINE.left,),), number="=")), [[]]),
]


@pytest.mark.parametrize(("what", "blocks", "expected"), APPEARS, ids=[case[0] for case in APPEARS])
def test_what_appears_when(words: Macros, what: str, blocks: tuple[Block, ...], expected: list[list[int]]) -> None:
    assert [pages(frame) for frame in step(*blocks, words=words)] == expected


def test_every_block_stands_on_a_slide(words: Macros) -> None:
    for block in EXAMPLES:
        written = beamer(document(block), words, None, True)
        assert isinstance(block, Heading | type(EXAMPLES[-2])) or len(frames(written)) == 1, block


def test_a_step_begins_a_slide_below_its_heading_with_its_formula(words: Macros) -> None:
    (frame,) = step(LEAD, FORMULA, grid(2, 2), words=words)
    assert frame.startswith("[t]{1\\quad{} Scores}{\\(Q = X\\)}")
    assert "\\symattndisplay{So:}{%\nQ = X\n}" in frame, "what introduces a display stands on its line"
    assert "\\symattnresult{" in frame
    (frame,) = step(grid(2, 2), words=words, names=("A", "B", "C", "D", "E"))
    assert frame.startswith("[t]{1\\quad{} Scores}{\\symattninline{A,B,\\cdots,E}}")


@given(st.lists(st.tuples(st.floats(0.5, 20), st.booleans(), st.booleans()), max_size=12))
@settings(max_examples=300)
def test_nothing_is_lost_between_slides_and_none_holds_more_than_it_has_room_for(
    sizes: list[tuple[float, bool, bool]],
) -> None:
    items = [OnSlide(LEAD if leads else WHY, str(i), high, waits=not leads, fills=fills and not leads)
             for i, (high, leads, fills) in enumerate(sizes)]  # fmt: skip
    made = spread(Slide(None, ()), items)
    shown = [item for slide in made for item in slide.items]
    assert sorted(shown, key=lambda item: int(item.text)) == items
    assert [item for item in shown if not item.fills] == [item for item in items if not item.fills] or any(
        item.fills for item in items
    )
    for slide in made:
        behind_leads = [
            item
            for item, before in zip(slide.items, (None, *slide.items), strict=False)
            if before is None or before.block is not LEAD
        ]
        assert slide.has_room() or len(behind_leads) == 1


def test_a_section_opens_once_with_what_is_below_it(words: Macros) -> None:
    told = [Heading(1, "1", ("One",)), Heading(2, "1-1", ("a",)), Heading(2, "1-2", ("b",)), Heading(1, "2", ("Two",))]
    made = slides(told)
    assert [(slide.title, slide.below) for slide in made] == [(told[0], (told[1], told[2]))]
    long = [(Passage(1), [], [OnSlide(Prose(("x",)), "x", ROOM - 1)] * 3)]
    opened = slides([told[0], *long, *told[1:]])
    assert [slide.opens for slide in opened] == [True, False, False]


def test_what_is_for_looking_up_stands_at_the_end(words: Macros) -> None:
    table = Table((Phrase("head", (("text", "Letter"),)),), (((Q,),),))
    page = Document(("x",), "en", (Prose(("intro",)), table, Heading(1, "1", ("y",)), Prose(("z",))))
    written = frames(beamer(page, words, None, True))
    assert ["symattntable" in frame for frame in written] == [False, False, True]


@pytest.mark.parametrize("text", ["\\input{x}", "#1 % & $", "*_$^~", "\\end{frame}", "<+-> \\uncover<9->{x}", *NASTY])
def test_what_comes_from_outside_prints_as_itself(words: Macros, text: str) -> None:
    """The commands of a page are the same whatever its texts are."""

    def commands(text: str) -> Counter[str]:
        chain = Chain(Letter(text, "text"), (("=", Number("1")),))
        blocks = (
            Heading(2, text, (text,)),
            Prose((text,)),
            Equation((chain,), "working"),
            SAID,
            *page_of([text]).blocks,
        )
        found = beamer(document(*blocks, title=(text,)), words, None, False).partition("\\begin{document}")[2]
        return Counter(re.findall(r"\\(?:begin|end|input|uncover|section|subsection)\b(?:\{\w+\})?", found))

    assert commands(text) == commands(re.sub(r"\S", "x", text))


# -- what a lesson shows -------------------------------------------------------------------------------------------


def uncovered(tex: str) -> str:
    """A page as it is once everything has appeared."""
    before = ""
    while before != tex:
        before, tex = tex, re.sub(r"\\uncover<\d+->\{((?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*)\}", r"\1", tex)
    return re.sub(r"(?<![a-z}])\{((?:[^{}]|\{[^{}]*\})*)\}(?= &|\\\\|\n)", r"\1", tex)


def matrices(text: str) -> Iterator[tuple[str, Grid]]:
    """The matrices of figures, with what stands before each on its line."""
    named = re.compile(
        r"([^\n&]*?)\\ \(shape=[^=\n]*\)=(?:\\\)\}\{%)?\n(\\begin\{bmatrix\}\n.*?\n\\end\{bmatrix\})", re.DOTALL
    )
    for head, body in named.findall(text):
        yield head.rpartition("\\quad")[2].rpartition("{\\(")[2].strip(), *tex_grids(body)


def slides_of(solution: WorkedSolution, language: str) -> tuple[Document, str]:
    page = build_document(solution.scenario, solution.store, language=language, pictures=False)
    return page, render(page, "beamer", fragment=True)


MOST = 8
"""Of more rows or columns the middle is left out."""
LESSONS = [
    pytest.param(
        name, language, marks=[] if name == "weather" or (language == "en" and name == "good") else pytest.mark.slow
    )
    for name in builtin_names()
    for language in languages()
]


@pytest.mark.parametrize(("name", "language"), LESSONS)
def test_slides_show_the_certified_figures_of_every_step(name: str, language: str) -> None:
    solution = solved(name)
    page, written = slides_of(solution, language)
    found: dict[str, list[Grid]] = {}
    for head, grid in matrices(uncovered(written)):
        found.setdefault(head, []).append(grid)
    items = [item for section in solution.scenario.sections for item in section.on_page]
    values = {i.name for i in items if isinstance(i, StepItem) or (isinstance(i, ShowItem) and i.form == "values")}
    shown = 0
    for part, blocks in page.in_passages():
        inside = [each for block in blocks for each in (block.items if isinstance(block, Matrices) else (block,))]
        for each, symbol in zip(part.names, part.symbols, strict=True):
            block = next((b for b in inside if isinstance(b, Matrix) and b.symbol == symbol and b.number is None), None)
            if (
                block is None
                or each not in values
                or each not in solution.store
                or solution.store.shown(each) is not Shown.FIGURES
            ):
                continue
            figures = solution.store.figures(each)
            if len(figures) > MOST or len(figures[0]) > MOST:
                continue
            certified = [[figure.text for figure in row] for row in figures]
            assert certified in found[tex(symbol, DISPLAY)], each
            shown += 1
    assert shown >= {"weather": 25, "good": 4}.get(name, 5)


@pytest.mark.parametrize(("name", "language"), LESSONS)
def test_slides_show_every_figure_of_the_page(name: str, language: str) -> None:
    def figures(text: str) -> Counter[str]:
        layout = r"\[HTML\]\{\w+\}|\\\\\[10pt\]|p\{[\d.]+\\linewidth\}|\\symattn(?:need|heading)\{\d+\}"
        plain = re.sub(layout, "", uncovered(text))
        return Counter(re.findall(r"\d+(?:\.\d+)?", plain))

    page, written = slides_of(solved(name), language)
    assert figures(render(page, "latex", fragment=True)) - figures(written) == Counter()


@pytest.mark.parametrize(("name", "language"), LESSONS)
def test_no_slide_has_many_pages_and_no_lesson_thousands(name: str, language: str) -> None:
    _, written = slides_of(solved(name), language)
    counts = [max(pages(frame), default=1) for frame in frames(written)]
    assert max(counts) <= ENTRIES + 8
    assert sum(counts) < 1000
    assert max(counts) >= 6, "nothing appears"
    for frame in frames(written):
        seen = list(dict.fromkeys(pages(frame)))
        assert seen == list(range(seen[0], seen[0] + len(seen))) if seen else True
        assert not seen or seen[0] <= 2


# -- what can be asked for -----------------------------------------------------------------------------------------


def test_what_slides_are_not_is_refused_in_a_sentence() -> None:
    with pytest.raises(
        OutputError, match="typst makes no slides of Beamer: choose --engine xelatex, lualatex or pdflatex"
    ):
        solved("weather").files("slides.pdf", format="beamer", engine="typst")
    with pytest.raises(OutputError, match="its name asks for Markdown, but the format that was asked for is Beamer"):
        solved("weather").files("slides.md", format="beamer")


def test_a_part_of_a_lesson_is_slides_too() -> None:
    written = solved("weather").render("beamer", language="en", steps=["A"], fragment=True)
    assert "\\documentclass" not in written
    assert frames(written)[0].startswith("[t]{\\(A = \\mathrm{softmax}(\\tilde{S})\\)}{}")
    whole = solved("weather").render("beamer", language="en", section=3)
    assert "\\documentclass[handout,11pt,aspectratio=169]{beamer}" in whole.partition("\\documentclass[11pt")[0]
    assert style() in whole


# -- engines, where there are some ---------------------------------------------------------------------------------

SHRINKS = re.compile(r"symattn: slide (\d+) is ([\d.]+)pt high and shrinks to ([\d.]+)pt")
COMPILED = [
    ("xelatex", "weather", "zh-Hant", False),
    *((engine, "weather", "en", True) for engine in ("pdflatex", "xelatex", "lualatex")),
    ("lualatex", "weather", "zh-Hans", True),
    *(("xelatex", name, "zh-Hans", True) for name in builtin_names() if name != "weather"),
]
"""With or without a page for each thing that appears."""


def handout(text: str) -> str:
    """The same slides, each on one page."""
    return text.replace("\\documentclass[11pt", "\\documentclass[handout,11pt")


@pytest.mark.slow
@pytest.mark.parametrize(("engine", "name", "language", "together"), COMPILED)
def test_engines_make_slides_on_which_nothing_is_cut_or_tiny(
    engine: str, name: str, language: str, together: bool, tmp_path: Path
) -> None:
    if shutil.which(engine) is None:
        pytest.skip(f"no {engine}")
    solution = solved(name)
    text = solution.render("beamer", language=language, figures="inline")
    assert compiled(engine, handout(text) if together else text, tmp_path) == []
    log = (tmp_path / "page.log").read_text(encoding="utf-8", errors="replace")
    made = re.search(r"Output written on page.pdf \((\d+) pages", log)
    wanted = [1 if together else max(pages(frame), default=1) for frame in frames(text)]
    assert made is not None
    assert int(made[1]) == sum(wanted)
    for slide, high, room in SHRINKS.findall(log):
        assert float(room) / float(high) > 0.9, f"slide {slide} is too full"
    if shutil.which("pdftotext") and name == "weather":
        done = subprocess.run(["pdftotext", "-layout", "page.pdf", "-"], cwd=tmp_path, capture_output=True, check=True)
        read = done.stdout.decode().replace("−", "-")
        for name_ in ("X", "Q", "A", "probs"):
            assert {figure.text for row in solution.store.figures(name_) for figure in row} <= set(
                re.findall(r"-?\d+\.\d+", read)
            )


@pytest.mark.parametrize("engine", engines("pdflatex"))
def test_hard_slides_are_taken_without_chinese(latin: Macros, engine: str, tmp_path: Path) -> None:
    assert compiled(engine, handout(beamer(PLAIN, latin, None, False)), tmp_path) == []


@pytest.mark.parametrize("engine", engines("xelatex"))
def test_hard_slides_are_taken_with_chinese(words: Macros, engine: str, tmp_path: Path) -> None:
    assert compiled(engine, handout(beamer(CHINESE, words, None, False)), tmp_path) == []


@pytest.mark.parametrize("engine", engines("pdflatex"))
def test_frames_are_a_part_of_somebodys_deck(engine: str, tmp_path: Path) -> None:
    (tmp_path / "symattn.sty").write_text(style(), encoding="utf-8")
    for part in ("3", "8"):
        text = solved("weather").render("beamer", language="en", section=part, fragment=True, figures="inline")
        (tmp_path / f"part{part}.tex").write_text(text, encoding="utf-8")
    preamble = "\\documentclass{beamer}\n\\usetheme{Madrid}\n\\usepackage{tikz,symattn}\n"
    deck = f"{preamble}\\begin{{document}}\n\\input{{part3}}\n\\input{{part8}}\n\\end{{document}}\n"
    assert compiled(engine, deck, tmp_path) == []
