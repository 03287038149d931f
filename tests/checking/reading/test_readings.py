"""What texts read as: a table of them, and what holds for any text."""

from __future__ import annotations

import random
import re
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import cast

import pytest

from symattn.checking.reading import read
from symattn.checking.reading.shown import shown
from symattn.checking.reading.tree import (
    Combined,
    Expressed,
    FigureRead,
    GridRead,
    NameRead,
    PrintedText,
    ProgramPiece,
    Reading,
    Statement,
    Talk,
    ToldPart,
    Unread,
)
from symattn.checking.source import Readable, Stretch, StretchKind
from tests.checking.found import pairs
from tests.counted import calls


def document(kind: str, text: str) -> Readable:
    language = "python" if kind == "py" else ""
    piece = Stretch(
        cast("StretchKind", "code" if kind == "py" else kind), text, range(len(text) + 1), language=language
    )
    return Readable("a.md", text, (piece,))


def told(one: ToldPart) -> str:
    """Return a statement or words as a line; nothing where something ends."""
    if isinstance(one, Statement):
        return "".join((f" {side.relation} " if side.relation else "") + shown(side.of) for side in one.sides)
    return f"# {' '.join(one.text.split())}" if isinstance(one, Talk) else ""


def read_as(kind: str, text: str) -> str:
    reading = read(document(kind, text))
    parts = (each for one in reading.told for each in (one.formulas if isinstance(one, ProgramPiece) else (one,)))
    lines = (told(each) for each in parts if not isinstance(each, PrintedText))
    return "  ;;  ".join(line for line in lines if line)


TABLE = pairs(Path(__file__).with_name("readings.txt"))


@pytest.mark.parametrize(("kind", "text", "expected"), TABLE)
def test_a_text_reads_as(kind: str, text: str, expected: str) -> None:
    assert read_as(kind, text) == expected


def leaves(written: Expressed) -> Iterator[Expressed]:
    waiting = [written]
    while waiting:
        one = waiting.pop()
        yield one
        if isinstance(one, GridRead):
            waiting.extend(cell for row in one.rows for cell in row)
        elif isinstance(one, Combined):
            waiting.extend([*one.args, *(value for _, value in one.named)])


def spans(reading: Reading) -> Iterator[tuple[int, int]]:
    for one in reading.told:
        for each in one.formulas if isinstance(one, ProgramPiece) else (one,):
            for side in each.sides if isinstance(each, Statement) else ():
                for leaf in leaves(side.of):
                    labelled = isinstance(leaf, GridRead) and any(leaf.labels)
                    if labelled or isinstance(leaf, FigureRead | NameRead | Unread):
                        yield leaf.start, leaf.end
    yield from ((one.start, one.end) for one in reading.unread)


def lost(document: Readable, reading: Reading) -> set[int]:
    """Places of digits that nothing holds."""
    held = {place for start, end in spans(reading) for place in range(start, end)}
    digits = {
        piece.places[place]
        for piece in document.pieces
        for place, sign in enumerate(piece.text)
        if sign.isdecimal() and sign.isascii()
    }
    return digits - held


def test_no_digit_is_lost_in_the_table() -> None:
    for kind, text, _ in TABLE:
        page = document(kind, text)
        assert not lost(page, read(page)), text


def test_figures_stand_where_they_say() -> None:
    for kind, text, _ in TABLE:
        page = document(kind, text)
        for one in read(page).told:
            for side in one.sides if isinstance(one, Statement) else ():
                for leaf in leaves(side.of):
                    if isinstance(leaf, FigureRead) and "∞" not in leaf.text:
                        there = unicodedata.normalize("NFKC", page.text[leaf.start : leaf.end])
                        assert re.sub(r"\D", "", there) == re.sub(r"\D", "", leaf.text) or leaf.start == leaf.end, text


PARTS = tuple("0123456789.,;:()[]{}|+-*/=^_'&\\ \n$%#<>~") + tuple(
    r"""\frac \sqrt \begin{bmatrix} \end{bmatrix} \text{a} softmax Q K^T d_k x the 注意 ² ₁ √ Σ → \\ \left( \right)
    \sum_ \hat \mathbf{ ... 0.5 -0.25 print( tensor([ " \quad ᵀ e^ ∞ 1e-5 ⎡ \phantom""".split()
)


@pytest.mark.parametrize("kind", ["math", "display", "prose", "output", "code", "py", "item", "heading"])
def test_any_text_is_read_and_no_digit_is_lost(kind: str) -> None:
    luck = random.Random(18)
    for _ in range(60):
        text = "".join(luck.choice(PARTS) + luck.choice(["", " "]) for _ in range(luck.randrange(40)))
        page = document(kind, text)
        assert not lost(page, read(page)), text


HOSTILE = (
    *"{ [ ^ 1 () - 1+ a= x' ' _1 | 1& [1, f( x^ a: (a. (shape= ² √ softmax.".split(),
    *("\\frac", "\\hat", "\\begin{bmatrix}", "\\left(", "\\", "\\text{", '"', "0.1 0.2\n", "(a ", "softmax "),
)


@pytest.mark.long
@pytest.mark.sampled(1)
@pytest.mark.parametrize("kind", ["display", "prose", "output", "py"])
def test_hostile_text_ends_soon(kind: str) -> None:
    texts = ["x" + part * (2_000 // len(part)) for part in HOSTILE]
    for text in (*texts, "(" * 2_000 + "1" + ")" * 2_000):
        calls(lambda text=text: read(document(kind, text)), most=20_000_000)  # type: ignore[misc]
