"""Pages in Typst, read by Typst: every block and every piece compiles, text prints as itself, figures are all there."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from pathlib import Path
from random import Random
from typing import Any, get_args

import pytest
import typst
from hypothesis import example, given, settings

from symattn.api.starter import start
from symattn.api.worked import derive
from symattn.base.errors import RenderError
from symattn.base.words import languages, templates
from symattn.read.catalogue import entries
from symattn.read.scenario.load import builtin_names, loads
from symattn.show.blocks import Document, Equation, Listing, Matrices, Matrix, Prose
from symattn.show.build import build_document
from symattn.show.math import (
    PARTIAL,
    Accent,
    Accented,
    Bars,
    Blank,
    Call,
    Cases,
    Chain,
    Fraction,
    Grid,
    Highlighted,
    Interval,
    Letter,
    Math,
    Number,
    Operator,
    Parens,
    Relation,
    Root,
    Script,
    Seq,
    Shaped,
    Sign,
    Squared,
    Stacked,
    Sum,
    derivative,
    equation,
    joined,
)
from symattn.write import escape
from symattn.write.environment import Macros, phrases
from symattn.write.formats import render
from symattn.write.math_writer import GREEK, MARKS
from symattn.write.pdf import pdf_page
from symattn.write.typst import TypstPage
from symattn.write.typst import typst as written_in_typst
from symattn.write.typst_math import TypstMath, typst_math
from tests.cases import solved
from tests.render.test_escape import NASTY, shown, texts
from tests.render.test_formats import ALL, EXAMPLES

Q, K = Letter("Q"), Letter("K")
HALF = Fraction(Number("1"), Number("2"))
ROWS = ((Number("0.1"), Number("-3/4")), (Letter("今天", "text"), Blank()))
ACCENTED = (Q, Letter("mu"), Script(Q, sub=K))
MORE = Seq((Letter("n"), Sign("+"), Number("1")))
BETWEEN = Interval(Number("0.1"), Number("0.2"))
PIECES: list[Math] = [
    *(Letter(name) for name in (*sorted(GREEK), "Q", "mu2", "a b")),
    *(Letter("LN", "upright"), Letter('#eval("1")', "text")),
    *(Number(text) for text in ("0.21", "-10^9", "1.5*10^-9", "3/4", "-oo")),
    *(Sign(sign) for sign in get_args(Operator)),
    *(Script(base, sub=MORE, sup=Sign("T")) for base in (Q, Script(Q, sub=K), Parens(HALF), HALF, Number("2"))),
    *(Accented(accent, base) for accent in get_args(Accent) for base in ACCENTED),
    *(PARTIAL, derivative(K, Q), Script(Parens(derivative(K, Script(Q, sub=K))), sub=Q)),
    *(HALF, Root(HALF), Parens(Number("3/4")), Bars(Q), Bars(Q, double=True), Bars(HALF, floor=True), BETWEEN),
    *(Call("softmax", (Q, HALF)), Call("E", (Q,), "square"), Call("top", (Q,), sub=K)),
    *(Fraction(Seq((Bars(Call("f", (Q, K)), double=True), Sign(":"), BETWEEN)), Number("2")), Grid(ROWS)),
    *(Sum(Letter("j"), Number("1"), Letter("m"), Q), Shaped(Q, Number("3"), Number("4"), long=True)),
    *(Highlighted(piece, mark) for mark in MARKS for piece in (Number("-0.5"), HALF, Q)),  # type: ignore[arg-type]
    Squared(Grid(ROWS), Grid(ROWS), Grid(ROWS)),
    *(Stacked(Q, (Number("1"), MORE)), Blank(), Cases(((Q, Parens(Grid(ROWS))), (HALF, K)))),
    Chain(Q, tuple((relation, HALF) for relation in get_args(Relation)), tuple(range(len(get_args(Relation))))),
]
FIGURE = re.compile(r"(?<![A-Za-z\d.#])\d+(?:\.\d+)?")


def compiled(text: str) -> list[str]:
    """Compile a page; what Typst warns of, but for fonts that are not there."""
    _, warnings = typst.compile_with_warnings(text.encode(), ignore_system_fonts=True)
    return [warning.diagnostic for warning in warnings if not warning.message.startswith("unknown font family")]


def test_every_block_compiles_as_a_page_and_as_a_part_of_one(words: Macros) -> None:
    document = Document(("Title ", Q), "zh-Hant", tuple(EXAMPLES))
    assert compiled(written_in_typst(document, words, None, False)) == []
    assert compiled("Before.\n" + written_in_typst(document, words, None, True)) == []


def test_every_piece_of_mathematics_compiles_alone_and_beside_others() -> None:
    assert {type(piece) for piece in PIECES} == {*get_args(Math)} - {Seq}
    statements = tuple(equation(piece, joined((piece, Q, piece), "+"), Seq((piece, piece))) for piece in PIECES)
    blocks = (Equation(statements), *(Equation((statement,)) for statement in statements))
    inline = tuple(Prose(("a", piece, "b", Seq((Q, piece, Parens(piece))))) for piece in PIECES)
    assert compiled(render(Document(("All",), "en", (*blocks, *inline)), "typst")) == []


def test_no_function_of_the_page_hides_one_that_mathematics_calls() -> None:
    written = " ".join(typst_math(piece, TypstMath(cell=True)) for piece in PIECES)
    called = set(re.findall(r"[a-z]{2,}(?=\()", written))
    template = Path(templates(), "typst", "document.j2").read_text(encoding="utf-8")
    named = set(re.findall(r"^#let ([a-z]+)", template, re.MULTILINE))
    assert "display" in called
    assert called & named == {"blank"}


@pytest.mark.parametrize("wrong", [Number("x"), Sign("?"), Accented("dot", Q), "text"])  # type: ignore[arg-type]
def test_what_is_no_mathematics_is_refused(wrong: Any) -> None:
    with pytest.raises(RenderError, match=r"no Typst for|unknown accent 'dot'"):
        typst_math(wrong)


@pytest.mark.parametrize(("piece", "expected"), [
    (Seq((Q, Script(K, sup=Sign("T")))), "Q K^T"),
    (Seq((Q, Letter("LN", "upright"), Q, Parens(Q))), 'Q thin "LN"thin Q (Q)'),
    (Shaped(Q, Number("3"), Number("4"), long=True), 'Q thick (italic("shape")= 3 × 4)'),
    (Script(Script(Q, sub=K), sub=Number("11")), "attach(Q_K, b: 11)"),
    (Call("f", (Q, K)), 'op("f")(Q\\, K)'),
    (derivative(K, Q), "frac(∂ K, ∂ Q)"),
])  # fmt: skip
def test_mathematics_reads_like_typst(piece: Math, expected: str) -> None:
    assert typst_math(piece) == expected


def test_a_fraction_is_a_stroke_inside_a_line() -> None:
    assert typst_math(Script(Fraction(Q, Root(K)), sup=Number("2")), TypstMath(inline=True)) == "(Q \\/ sqrt(K))^2"


# -- Text from outside

READ = """
#let read(it) = {
  if it.has("text") and it.func() != raw { it.text } else if it.func() == parbreak or it == [ ] { " " }
  else if it.func() == math.equation { read(it.body) } else { it.children.map(read).join() }
}
"""


def seen(*contents: str) -> list[str]:
    """What Typst takes contents for: their text, where they are nothing else."""
    source = READ + "\n".join(f"#[#metadata(read([\n{content}\n]))<seen>]" for content in contents)
    return [str(item) for item in json.loads(typst.query(source.encode(), "<seen>", "value", ignore_system_fonts=True))]


def as_itself(test: Any) -> Any:
    test = settings(max_examples=30, deadline=None)(given(texts)(test))
    for text in NASTY:
        test = example(text)(test)
    for text in ('#eval("1")', "@ref", "// a", "/* a */", "= a", "/ a: b", "a...b", "-3", "-?", "~", "\\u{41}"):
        test = example(text)(test)
    return test


@as_itself
def test_text_prints_as_itself(text: str) -> None:
    visible, between = (shown(escape._INVISIBLE.sub("", text)) for text in (text, f"a{text}b"))
    found = seen(f"a{escape.typst(text)}b", escape.typst_line(escape.typst(text)), f"${escape.typst_string(text)}$")
    assert [shown(item.replace("\u200b", "")) for item in found] == [between, visible, visible]


def test_a_page_of_nasty_texts_compiles_and_says_them_in_programs_too(words: Macros) -> None:
    assert compiled(written_in_typst(ALL, words, None, False)) == []
    code = '#eval("1")\\n$x$ ``` */ "'
    listing = render(Document(("x",), "en", (Listing("r", code, code),)), "typst")
    assert compiled(listing) == []
    assert json.loads(typst.query(listing.encode(), "raw", "text", ignore_system_fonts=True)) == [code, code]


# -- Figures


def figures(piece: object) -> Iterator[str]:
    """Every figure in mathematics, wherever it stands."""
    if isinstance(piece, Number):
        yield from re.findall(r"\d+(?:\.\d+)?", piece.text)
    elif isinstance(piece, Chain):
        yield from map(str, piece.marks)
        yield from figures((piece.left, piece.links))
    elif isinstance(piece, Matrix) and not piece.annotated:
        yield from figures((piece.symbol, piece.entries))
    elif isinstance(piece, tuple):
        for part in piece:
            yield from figures(part)
    elif is_dataclass(piece):
        for field in fields(piece):
            yield from figures(getattr(piece, field.name))


@pytest.mark.long
@pytest.mark.parametrize(("name", "language"), [("weather", "zh-Hant"), ("ironman", "en")])
def test_every_figure_of_every_display_is_on_the_page(name: str, language: str) -> None:
    solution = solved(name)
    document = build_document(solution.scenario, solution.store, language=language, detail="entries")
    text, spoken = render(document, "typst"), TypstPage(phrases(language))
    found, place = 0, 0
    for block in document.blocks:
        match block:
            case Equation():
                bodies: Any = spoken.equation(block)["bodies"]
            case Matrix():
                bodies = [spoken.matrix(block)["body"]]
            case Matrices():
                bodies = spoken.matrices(block)["bodies"]
            case _:
                continue
        written = FIGURE.findall(re.sub(r'"[^"]*"|#\([^)]*\)', "", "\n".join(bodies)))
        assert sorted(written) == sorted(figures(block)), block
        found += len(written)
        for body in bodies:
            place = text.index(f"$\n{body}\n$", place)
    assert found > 300


@pytest.mark.slow
@pytest.mark.parametrize("name", [*builtin_names(), *(entry.name for entry in entries())])
def test_every_page_makes_a_pdf_in_which_nothing_is_missing(name: str) -> None:
    """Needs a font with Chinese characters: as PDF/A, a character that none has is an error."""
    made = name not in builtin_names()
    solution = derive(loads(start(["Your", "很", "天氣"], random=Random(7), use=(name,)))) if made else solved(name)
    for language in languages():
        text = solution.render("typst", language=language)
        assert compiled(text) == []
        assert pdf_page("pdf", "typst", {"typst": text}.__getitem__)[:5] == b"%PDF-"
