"""No figure of a file vanishes in silence, and no text takes longer than its length allows."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symattn.checking.sources import FORMATS, read_document
from symattn.checking.sources.traced import Traced, Tracer
from tests.checking.sources.pages import lost, misplaced

ENDINGS = ("x.md", "x.tex", "x.html", "x.txt")
SIGNS = (
    "$ $$ 1 2.5 x_1 \\ \\( \\) \\[ \\] ` ``` * ** _ [ ] ( ) ![ ](a) < > <b> </b> <!-- --> &lt; & { } | |-| "
    "\\begin{align} \\end{align} \\begin{tabular}{c} \\end{tabular} \\item \\section{ % # - 1. > ~~~ === --- "
    "<table> <td> <tr> </table> <pre> </pre> <math> </math> <mn> </mn> <mtable> <h2> tensor([ import 我 : "
    "\\newcommand{\\a} \\a \\verb| \\textbf{ [^1] http://a.b/7 \\multicolumn{2}{c}{"
).split(" ")
WORDS = st.lists(st.sampled_from([*SIGNS, "\n", "\n\n", " ", "    ", "\r\n"]), max_size=40).map("".join)


@settings(max_examples=100)
@given(WORDS, st.sampled_from(ENDINGS))
def test_every_figure_is_in_a_piece_or_said_to_be_left_out(text: str, name: str) -> None:
    document = read_document(text, name)
    assert not lost(document)
    assert not misplaced(document)


@settings(max_examples=25)
@given(WORDS)
def test_every_figure_of_a_notebook_is_in_a_piece_or_said_to_be_left_out(text: str) -> None:
    cells = [
        {"cell_type": "markdown", "source": text},
        {"cell_type": "code", "outputs": [{"data": {"text/html": text}}]},
    ]
    document = read_document(json.dumps({"cells": cells}), "x.ipynb")
    assert not lost(document)
    assert not misplaced(document)


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9), st.sampled_from(["", "ab"])), max_size=6), st.data())
def test_a_part_of_a_text_knows_the_places_that_the_whole_knows(
    parts: list[tuple[int, int, str]], data: st.DataObject
) -> None:
    writer, whole = Tracer(), Traced.of("0123456789")
    for start, end, instead in parts:
        writer.add(whole, start, end)
        writer.put(instead, start, end)
    written = writer.written()
    start = data.draw(st.integers(0, len(written)))
    end = data.draw(st.integers(start, len(written)))
    part = written[start:end]
    assert list(part.places)[:-1] == list(written.places)[start:end] == [part.places[i] for i in range(len(part))]
    assert len(part.places) == len(part) + 1


HOSTILE = (
    "$",
    "$$ ",
    "$a ",
    "[",
    "]",
    "[](a)",
    "![",
    "`",
    "` ",
    "<",
    '<a "',
    "<!--",
    "<b>",
    "<table>\n",
    "<math>",
    "<title>",
    "<td>",
    "{",
    "}",
    "\\(",
    "\\[\n",
    "\\begin{align}\n",
    "\\newcommand{\\a}{\\a\\a}\\a",
    "\\section{",
    "**a ",
    "*",
    "> ",
    "- ",
    "|",
    "| a |\n|-|\n",
    "    x\n\n",
    "===\n",
    "&",
    "import a\n",
    "tensor([\n",
    "a: \n",
    "\n",
    "1 ",
    "\\verb|",
    "](",
)


@pytest.mark.parametrize("name", ENDINGS)
def test_what_is_repeated_without_end_is_read_in_a_time_that_its_length_allows(
    name: str, within: Callable[[float], AbstractContextManager[None]]
) -> None:
    for sign in HOSTILE:
        with within(3):
            read_document(sign * (6_000 // len(sign)), name)


def test_every_format_has_a_reader() -> None:
    assert set(FORMATS) == {"markdown", "latex", "notebook", "html", "plain"}


@pytest.mark.parametrize("pattern", ["*.en.md", "*.tex"])
def test_no_figure_of_our_own_pages_is_lost(root: Path, pattern: str) -> None:
    for path in sorted((root / "output").glob(pattern)):
        document = read_document(path.read_text(encoding="utf-8"), path.name)
        assert not lost(document), path.name
        assert not misplaced(document), path.name
