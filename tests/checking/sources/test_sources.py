"""Files of every format become pieces, each with its places in the file; no figure vanishes, and none takes long.

In ``pieces.txt`` a line is a format and a text, the next one the pieces of it: kind and text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symattn.base.errors import DocumentError
from symattn.checking.source import Readable
from symattn.checking.sources import FORMATS, format_of, read_document
from symattn.checking.sources.traced import Traced, Tracer
from tests.checking.found import pairs

ENDINGS = ("x.md", "x.tex", "x.html", "x.txt")
ESCAPES = re.compile(r"(?:\\u[0-9a-f]{4})+|&#\d+;|(?:%[0-9A-F]{2})+")
"""What is one character of a text, and has figures in its file."""


def holds_all(document: Readable) -> None:
    """Every figure of the file is in a piece or said to be left out, and is in the file where its piece says."""
    seen = {place for piece in document.pieces for place in piece.places}
    for start, end, why in document.left_out:
        assert why
        seen.update(range(start, end))
    for escape in ESCAPES.finditer(document.text):
        if escape.start() in seen:
            seen.update(range(*escape.span()))
    assert not [place for place, sign in enumerate(document.text) if sign.isdigit() and place not in seen]
    for piece in document.pieces:
        assert len(piece.places) == len(piece.text) + 1
        figures = [(sign, place) for sign, place in zip(piece.text, piece.places, strict=False) if sign.isdigit()]
        assert all(document.text[place] in (sign, "\\", "&", "<", "%") for sign, place in figures), piece


def pieces_of(text: str, name: str = "x.md") -> str:
    """Kind and text of each piece that has one."""
    document = read_document(text, name)
    holds_all(document)
    told = [f"{piece.kind}: {piece.text.strip()}" for piece in document.pieces if piece.text.strip()]
    return "  ;;  ".join(told).replace("\n", "⏎") or "(nothing)"


@pytest.mark.parametrize(("format", "text", "pieces"), pairs(Path(__file__).with_name("pieces.txt")))
def test_a_text_has_these_pieces(format: str, text: str, pieces: str) -> None:
    assert pieces_of(text, f"x.{format}") == pieces


MARKDOWN_TABLE = "| a | $b|c$ |\n|--|:-:|\n| 1 | 2 \\| x |\n| **3** | |\n\n<table><tr><td>7</table>"
HTML_TABLE = "<table><tr><th colspan=2>a<th>b<tr><td>1<td><p>2 <b>3</b></p><table><tr><td>in</table><td>4</table>"


@pytest.mark.parametrize(
    ("page", "name", "cells"),
    [
        (MARKDOWN_TABLE, "x.md", "111 a, 112 b|c, 121 1, 122 2 | x, 131 3, 132 , 211 7"),
        (HTML_TABLE, "x.html", "111 a, 113 b, 121 1, 122 2 3, 211 in, 123 4"),
    ],
)
def test_cells_know_their_table_row_and_column(page: str, name: str, cells: str) -> None:
    found = [piece for piece in read_document(page, name).pieces if piece.table]
    assert ", ".join(f"{each.table}{each.row}{each.column} {each.text.strip()}" for each in found) == cells
    assert [each.text for each in found if each.kind == "math"] == ["b|c"] * (name == "x.md")


def test_headings_have_levels() -> None:
    page = "One 1\n===\n\n## Two $x$ ##\n\n***\n<h3>g</h3>"
    assert [piece.level for piece in read_document(page, "x.md").pieces if piece.kind == "heading"] == [1, 2, 3]


def test_a_character_is_found_where_it_is_in_the_file() -> None:
    document = read_document("> - $\\alpha$\n>   is **0.75**\r\n", "x.md")
    piece = next(piece for piece in document.pieces if "0.75" in piece.text)
    start, end = piece.place(piece.text.index("0.75"), piece.text.index("0.75") + 4)
    assert document.text[start:end] == "0.75"
    assert document.position(start) == (2, 10)


@pytest.mark.parametrize("text", ["{", "[]", "5", '{"cells": 3}', '{"cells": [}', "[" * 200_000, '"\\u00"', ""])
def test_a_broken_notebook_is_one_sentence(text: str) -> None:
    with pytest.raises(DocumentError, match=r"^x.ipynb: .*[a-z]") as error:
        read_document(text, "x.ipynb")
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("text", "name", "format"),
    [
        ("", "a/b.MD", "markdown"),
        ("x", "", "plain"),
        ("\\section{x}", "", "latex"),
        ('{"cells": []}', "-", "notebook"),
        ("<!DOCTYPE html>", "page", "html"),
        ("a **b** c", "notes.txt", "markdown"),
    ],
)
def test_a_format_is_known_by_the_name_or_by_its_looks(text: str, name: str, format: str) -> None:
    assert format_of(text, name) == format


def test_every_format_has_a_reader() -> None:
    assert set(FORMATS) == {"markdown", "latex", "notebook", "html", "plain"}


# -- whatever a text is made of ----------------------------------------------------------------------------------------

SIGNS = (
    "$ $$ 1 2.5 x_1 \\ \\( \\) \\[ \\] ` ``` * ** _ [ ] ( ) ![ ](a) < > <b> </b> <!-- --> &lt; & { } | |-| "
    "\\begin{align} \\end{align} \\begin{tabular}{c} \\end{tabular} \\item \\section{ % # - 1. > ~~~ === --- "
    "<table> <td> <tr> </table> <pre> </pre> <math> </math> <mn> </mn> <mtable> <h2> tensor([ import 我 : "
    "\\newcommand{\\a} \\a \\verb| \\textbf{ [^1] http://a.b/7 \\multicolumn{2}{c}{"
).split(" ")
WORDS = st.lists(st.sampled_from([*SIGNS, "\n", "\n\n", " ", "    ", "\r\n"]), max_size=40).map("".join)


@pytest.mark.long
@settings(max_examples=100)
@given(WORDS, st.sampled_from(ENDINGS))
def test_every_figure_is_in_a_piece_or_said_to_be_left_out(text: str, name: str) -> None:
    holds_all(read_document(text, name))


@settings(max_examples=25)
@given(WORDS)
def test_every_figure_of_a_notebook_is_in_a_piece_or_said_to_be_left_out(text: str) -> None:
    cells = [
        {"cell_type": "markdown", "source": text},
        {"cell_type": "code", "outputs": [{"data": {"text/html": text}}]},
    ]
    holds_all(read_document(json.dumps({"cells": cells}), "x.ipynb"))


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
    *("$", "$$ ", "$a ", "[", "]", "[](a)", "![", "](", "`", "` ", "<", '<a "', "<!--", "<b>", "<table>\n", "<math>"),
    *("<title>", "<td>", "{", "}", "\\(", "\\[\n", "\\begin{align}\n", "\\newcommand{\\a}{\\a\\a}\\a", "\\section{"),
    *("\\verb|", "**a ", "*", "> ", "- ", "|", "| a |\n|-|\n", "    x\n\n", "===\n", "&", "import a\n", "tensor([\n"),
    *("a: \n", "\n", "1 "),
)


@pytest.mark.long
@pytest.mark.parametrize("name", ENDINGS)
def test_what_is_repeated_without_end_is_read_in_a_time_that_its_length_allows(
    name: str, within: Callable[[float], AbstractContextManager[None]]
) -> None:
    for sign in HOSTILE:
        with within(3):
            read_document(sign * (6_000 // len(sign)), name)


@pytest.mark.long
@pytest.mark.parametrize("pattern", ["*.en.md", "*.tex"])
def test_no_figure_of_our_own_pages_is_lost(root: Path, pattern: str) -> None:
    for path in sorted((root / "output").glob(pattern)):
        holds_all(read_document(path.read_text(encoding="utf-8"), path.name))
