"""A document becomes a reading: statements, words, and whatever could not be read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from symattn.checking.reading.figures import has_decimal_commas
from symattn.checking.reading.leftover import leftover
from symattn.checking.reading.lexer import Lexeme, Mode, lexemes
from symattn.checking.reading.statements import Stream
from symattn.checking.reading.tree import Ends, Reading, Said, Side, Statement, Told, Unread
from symattn.checking.reading.words import name_words
from symattn.checking.source import Document, Piece

_MODES: Final[dict[str, Mode]] = {"math": "math", "display": "math", "code": "plain"}
_FLOWING: Final = ("prose", "math", "heading", "item", "code")


def read(document: Document) -> Reading:
    """What is written in a document: statements and words in reading order; nothing is dropped without a word.

    >>> from symattn.checking.source import Document, Piece
    >>> text = "d_k = 4"
    >>> reading = read(Document("a.md", text, (Piece("prose", text, range(8)),)))
    >>> [side.of.start for side in reading.told[0].sides]
    [0, 6]
    """
    comma = has_decimal_commas(document.text)
    told: list[Told] = []
    for block in _blocks(document.pieces):
        _append(told, _read_block(document, block, comma))
    return Reading(tuple(told), leftover(document, told))


def _blocks(pieces: Sequence[Piece]) -> Iterator[list[tuple[int, Piece]]]:
    """Pieces that flow into each other; a display and what a program printed stand alone."""
    block: list[tuple[int, Piece]] = []
    for number, piece in enumerate(pieces):
        if piece.kind in _FLOWING and not _is_program(piece):
            if block and piece.kind in ("heading", "item") and block[-1][1].kind != piece.kind:
                yield block
                block = []
            block.append((number, piece))
            continue
        if block:
            yield block
            block = []
        yield [(number, piece)]
    if block:
        yield block


def _is_program(piece: Piece) -> bool:
    return piece.kind == "code" and "\n" in piece.text.strip()


def _read_block(document: Document, block: Sequence[tuple[int, Piece]], comma: bool) -> list[Told]:
    first = block[0][1]
    if first.kind == "break":
        return [Ends("paragraph", first.places[0] if len(first.places) else 0)]
    signs: list[Lexeme] = []
    lines = first.kind == "output" or _is_program(first)
    for number, piece in block:
        found = lexemes(piece, number, _MODES.get(piece.kind, "prose"), comma=comma)
        if piece.kind != "math" and piece.kind != "display":
            name_words(found, all_names=piece.kind in ("code", "output"))
        signs.extend(found)
    told = Stream(signs, document.text, comma=comma, lines=lines).read()
    if first.kind == "heading":
        told = [replace(one, is_heading=True, level=first.level) if isinstance(one, Said) else one for one in told]
    kinds = {"display": "display", "output": "output", "heading": "paragraph", "item": "item"}
    kind = "code" if _is_program(first) else kinds.get(first.kind)
    if kind:
        told.append(Ends(kind, block[-1][1].places[-1]))  # type: ignore[arg-type]
    return told


def _append(told: list[Told], more: list[Told]) -> None:
    """Adds what was read; a chain that begins with its relation continues the one before."""
    if more and isinstance(more[0], Statement) and _is_open(more[0]):
        last = next((place for place in range(len(told) - 1, -1, -1) if not isinstance(told[place], Ends)), None)
        before = told[last] if last is not None else None
        if last is not None and isinstance(before, Statement):
            begun = more.pop(0)
            assert isinstance(begun, Statement)
            sides: tuple[Side, ...] = (*before.sides, *begun.sides[1:])
            told[last] = Statement(sides, before.start, begun.end)
    told.extend(more)


def _is_open(statement: Statement) -> bool:
    first = statement.sides[0].of
    return isinstance(first, Unread) and not first.text
