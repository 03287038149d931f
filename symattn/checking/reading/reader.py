"""A document becomes a reading: statements, words, and whatever could not be read."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Final

from symattn.checking.reading.aligned import side_by_side, with_rows, without_comments
from symattn.checking.reading.calls import without_marks
from symattn.checking.reading.code import is_naked_program, is_other, is_program
from symattn.checking.reading.expressions import Parser
from symattn.checking.reading.lexer import LetterMode, Lexeme, lexemes
from symattn.checking.reading.numerals import Numerals, has_decimal_commas, of_document
from symattn.checking.reading.programs import PartReaders, program_parts
from symattn.checking.reading.run_of_signs import paired
from symattn.checking.reading.series import in_series
from symattn.checking.reading.shown import shown
from symattn.checking.reading.signs import FUNCTIONS
from symattn.checking.reading.statements import Stream
from symattn.checking.reading.tables import read_table
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
    Stop,
    Talk,
    ToldPart,
    Unread,
)
from symattn.checking.reading.words import name_words
from symattn.checking.source import Readable, Stretch

_FIGURE: Final = re.compile(r"\d+(?:\.\d+)*")


def _leaves(written: Expressed) -> Iterator[tuple[int, int]]:
    """Where figures, names and what was not read stand."""
    waiting: list[Expressed] = [written]
    while waiting:
        one = waiting.pop()
        match one:
            case FigureRead() | NameRead() | Unread():
                yield one.start, one.end
            case GridRead():
                waiting.extend(cell for row in one.rows for cell in row)
                if any(one.labels):
                    yield one.start, one.end
            case Combined():
                waiting.extend(one.args)
                waiting.extend(value for _, value in one.named)


def leftover(document: Readable, told: Sequence[ToldPart]) -> tuple[Unread, ...]:
    """Every figure of a piece that no statement holds."""
    spans = sorted(
        span
        for one in told
        for each in (one.formulas if isinstance(one, ProgramPiece) else (one,))
        if isinstance(each, Statement)
        for side in each.sides
        for span in _leaves(side.of)
    )
    merged: list[list[int]] = []
    for start, end in spans:
        if merged and start <= merged[-1][1]:
            merged[-1][1] = max(merged[-1][1], end)
        else:
            merged.append([start, end])
    starts = [start for start, _ in merged]
    said = [(one.start, one.end) for one in told if isinstance(one, Talk | ProgramPiece)]
    begun = [start for start, _ in said]
    found: list[Unread] = []
    for piece in document.pieces:
        for one in _FIGURE.finditer(piece.text):
            start, end = piece.place(one.start(), one.end())
            here = bisect_right(starts, start) - 1
            if here >= 0 and merged[here][1] >= end:
                continue
            words = bisect_right(begun, start) - 1
            inside = words >= 0 and said[words][1] >= end
            if one.start() and piece.text[one.start() - 1].isalpha() and piece.text[one.start() - 1].isascii():
                found.append(Unread(one[0], "part of a word", start, end))
                continue
            why = "a number in words" if inside else "stands in nothing that was read"
            found.append(Unread(one[0], why, start, end))
    return tuple(found)


_MODES: Final[dict[str, LetterMode]] = {"math": "math", "display": "math", "code": "plain"}
_FLOWING: Final = ("prose", "math", "heading", "item", "code")


def read(document: Readable) -> Reading:
    """What is written in a document: statements and words in reading order; nothing is dropped without a word.

    >>> from symattn.checking.source import Readable, Stretch
    >>> text = "d_k = 4"
    >>> reading = read(Readable("a.md", text, (Stretch("prose", text, range(8)),)))
    >>> [side.of.start for side in reading.told[0].sides]
    [0, 6]
    """
    words = "\n".join(piece.text for piece in document.pieces if piece.kind not in ("code", "output"))
    in_blocks = of_document(document.text)
    numerals = replace(in_blocks, has_commas=in_blocks.has_commas or has_decimal_commas(words))
    told: list[ToldPart] = []
    for block in _blocks(document.pieces):
        in_block = in_blocks if block[0][1].kind in ("code", "output") else numerals
        told += in_series(_read_block(document, block, in_block), document.text)
    return Reading(tuple(told), leftover(document, told))


def _blocks(pieces: Sequence[Stretch]) -> Iterator[list[tuple[int, Stretch]]]:
    """Pieces that flow into each other; a display and what a program printed stand alone."""
    block: list[tuple[int, Stretch]] = []
    for number, piece in enumerate(pieces):
        table = block[0][1].table if block else 0
        if table and piece.kind == "break" and not piece.table:
            continue
        flows = bool(piece.table) or (piece.kind in _FLOWING and not _is_program(piece))
        if block and (not flows or table != piece.table):
            yield block
            block = []
        if flows:
            block.append((number, piece))
        else:
            yield [(number, piece)]
    if block:
        yield block


def _is_program(piece: Stretch) -> bool:
    return piece.kind == "code" and ("\n" in piece.text.strip() or bool(piece.language))


def _read_block(document: Readable, block: Sequence[tuple[int, Stretch]], numerals: Numerals) -> list[ToldPart]:
    first = block[0][1]
    if first.table:
        return read_table(
            block, lambda cell: _flowing(document, cell, numerals), lambda cell, names: _heading(document, cell, names)
        )
    is_block = first.kind == "output" or _is_program(first)
    if (is_program(first) and (is_block or len(block) == 1)) or (len(block) == 1 and is_naked_program(first)):
        return _program(document, *block[0], numerals)
    if is_other(first):
        return [Talk(first.text, *first.place(0, len(first.text))), Stop("code", first.places[-1])]
    if first.kind == "break":
        return [Stop("paragraph", first.places[0] if len(first.places) else 0)]
    told = _flowing(document, block, numerals)
    if first.kind == "output":
        told.insert(0, PrintedText(first.text, first.places, *first.place(0, len(first.text))))
    if first.kind == "heading":
        told = [replace(one, is_heading=True, level=first.level) if isinstance(one, Talk) else one for one in told]
    kinds = {"display": "display", "output": "output", "heading": "paragraph", "item": "item"}
    sorts = {piece.kind for _, piece in block}
    first = next((piece for _, piece in block if piece.kind in ("item", "heading")), first) if len(sorts) > 1 else first
    kind = "code" if _is_program(first) else kinds.get(first.kind)
    if kind:
        told.append(Stop(kind, block[-1][1].places[-1]))  # type: ignore[arg-type]
    return told


def _flowing(document: Readable, block: Sequence[tuple[int, Stretch]], numerals: Numerals) -> list[ToldPart]:
    """Pieces that flow into each other, as one run of signs."""
    signs: list[Lexeme] = []
    first = block[0][1]
    lines = first.kind == "output" or _is_program(first)
    for number, piece in block:
        piece = replace(piece, text=without_marks(piece.text)) if lines else piece
        found = lexemes(piece, number, _MODES.get(piece.kind, "prose") if not lines else "prose", numerals)
        if piece.kind != "math" and piece.kind != "display":
            name_words(found, all_names=lines or piece.kind == "code")
        signs.extend(found)
    if lines:
        found = side_by_side(without_comments(signs), document.text)
        signs = with_rows(found, document.text, comma=numerals.has_commas)
    told = Stream(signs, document.text, comma=numerals.has_commas, lines=lines, cell=bool(first.table)).read()
    return [_behind(before, one) for before, one in zip((None, *told), told, strict=False)] if lines else told


def _heading(document: Readable, cell: Sequence[tuple[int, Stretch]], names: Collection[str]) -> Expressed | None:
    """A heading such as ``Price × Count`` as a formula in the headings of other columns, or the name that it is."""
    signs = [sign for number, piece in cell for sign in lexemes(piece, number, _HEADS.get(piece.kind, "plain"))]
    for place, sign in enumerate(signs):
        for last in range(min(len(signs), place + _LONGEST_HEADING), place, -1):
            if all(each.kind == "word" for each in signs[place:last]):
                text = " ".join(each.text for each in signs[place:last])
                if text in names or (last == place + 1 and (text in FUNCTIONS or text == "e")):
                    signs[place:last] = [replace(sign, kind="name", text=text, end=signs[last - 1].end)]
                    break
    parser = Parser(signs, paired(signs), document.text)
    is_joined = any(
        sign.text in ("-", "/") and not sign.blank and len(before.text) > 1 and before.kind == "name"
        for before, sign in pairwise(signs)
    )  # Query/Key are two words, and no division
    found = parser.whole() if not is_joined and all(sign.kind != "word" for sign in signs) else None
    return found if parser.at == len(signs) and isinstance(found, NameRead | Combined) else None


_HEADS: Final[dict[str, LetterMode]] = {"math": "math", "display": "math"}
_LONGEST_HEADING: Final = 4


def _program(document: Readable, number: int, piece: Stretch, numerals: Numerals) -> list[ToldPart]:
    """A program: pieces to interpret; of what is no Python the lines that are formulas."""

    def formula(part: Stretch) -> list[ToldPart]:
        found = Stream(lexemes(part, number, "code"), document.text, lines=True).read()
        return [replace(one, is_code=True) if isinstance(one, Statement) else one for one in found]

    def remark(part: Stretch) -> list[ToldPart]:
        return list(map(_remark, _flowing(document, [(number, part)], numerals)))

    parts = program_parts(piece, PartReaders(formula, remark))
    bare = replace(piece, text=_COMMENT.sub(lambda found: " " * len(found[0]), piece.text))
    return [*(formula(bare) if parts is None else parts), Stop("code", piece.places[-1])]


_COMMENT: Final = re.compile("#[^\n]*")


def _behind(before: ToldPart | None, one: ToldPart) -> ToldPart:
    """A shape at the end of a line, ``Q = X W_Q   (3, 2)``, is no value."""
    is_shape = isinstance(before, Statement) or (
        isinstance(before, Talk) and before.text.rstrip(" :").endswith("shape")
    )
    return _remark(one) if is_shape else one


def _remark(one: ToldPart) -> ToldPart:
    """A shape in a comment, ``# (2, 4)``, is no value."""
    if isinstance(one, Statement) and len(one.sides) == 1:
        grid = one.sides[0].of
        if isinstance(grid, GridRead) and grid.kind == "tuple" and all(_is_whole(cell) for cell in grid.rows[0]):
            return Talk(" x ".join(map(shown, grid.rows[0])), one.start, one.end)
    return one


def _is_whole(cell: Expressed) -> bool:
    return isinstance(cell, NameRead) or (isinstance(cell, FigureRead) and cell.text.isdecimal())
