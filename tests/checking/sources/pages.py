"""What tests of readers ask of a document: its pieces in short, and which figures of the file are in none of them."""

from __future__ import annotations

import re

from symattn.checking.source import Readable
from symattn.checking.sources import read_document

_ESCAPES = re.compile(r"(?:\\u[0-9a-f]{4})+|&#\d+;|(?:%[0-9A-F]{2})+")
"""What stands for one character, and has figures."""


def short(document: Readable) -> list[tuple[str, str]]:
    """Kind and text of each piece that has one."""
    return [(piece.kind, piece.text.strip()) for piece in document.pieces if piece.text.strip()]


def pieces_of(text: str, name: str = "page.md") -> list[tuple[str, str]]:
    """The pieces of a page, by the format of its name, held against the file first."""
    document = read_document(text, name)
    assert not lost(document)
    assert not misplaced(document)
    return short(document)


def texts(text: str, kind: str, name: str = "page.md") -> list[str]:
    """The texts of all pieces of one kind."""
    return [said for found, said in pieces_of(text, name) if found == kind]


def lost(document: Readable) -> list[tuple[int, str]]:
    """The letters and figures of the file that are in no piece and not said to be left out."""
    seen = {place for piece in document.pieces for place in piece.places}
    for start, end, why in document.left_out:
        assert why
        seen.update(range(start, end))
    for escape in _ESCAPES.finditer(document.text):
        if escape.start() in seen:
            seen.update(range(*escape.span()))
    return [(place, sign) for place, sign in enumerate(document.text) if sign.isdigit() and place not in seen]


def misplaced(document: Readable) -> list[tuple[str, str]]:
    """The figures of pieces that do not stand in the file where their places say."""
    found = []
    for piece in document.pieces:
        assert len(piece.places) == len(piece.text) + 1
        for sign, place in zip(piece.text, piece.places, strict=False):
            if sign.isdigit() and document.text[place] not in (sign, "\\", "&", "<", "%"):
                found.append((piece.text, document.text[place]))
    return found
