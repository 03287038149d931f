"""A document cut into pieces at ``$``, ``$$``, fences and back quotes: as much as the tests of reading need."""

from __future__ import annotations

import re

from symattn.checking.reading import read
from symattn.checking.reading.shown import told
from symattn.checking.source import Document, Piece, PieceKind

_CUT = re.compile(
    r"```(?P<language>\w*)\n(?P<fence>.*?)(?:\n\s*```|\Z)|\$\$(?P<display>.*?)(?:\$\$|\Z)|\$(?P<math>[^$\n]*)(?:\$|\n|\Z)|\\\((?P<round>.*?)\\\)"
    r"|\\\[(?P<square>.*?)\\\]|`(?P<code>[^`\n]*)`|(?P<break>\n\s*\n|\n(?=\s*(?:[-*#]|\d+\.)\s))|(?P<gone></?\w[^>]*>|\*\*|^#+ |(?<=\n)\s*[-*#]+ )",
    re.S,
)


def document(text: str, name: str = "a.md") -> Document:
    """The pieces of a page of Markdown, roughly."""
    pieces: list[Piece] = []

    def put(kind: PieceKind, start: int, end: int, language: str = "") -> None:
        pieces.append(Piece(kind, text[start:end], range(start, end + 1), language=language))

    place = 0
    for found in _CUT.finditer(text):
        if found.start() > place:
            put("prose", place, found.start())
        kind = found.lastgroup or ""
        if kind == "fence":
            language = found["language"]
            math = language == "math"
            put(
                "display" if math else "code" if language else "output",
                found.start("fence"),
                found.end("fence"),
                language,
            )
        elif kind in ("display", "square"):
            put("display", found.start(kind), found.end(kind))
        elif kind in ("math", "round"):
            put("math", found.start(kind), found.end(kind))
        elif kind == "code":
            put("code", found.start(kind), found.end(kind))
        elif kind == "break":
            put("break", found.start(), found.start())
        place = found.end()
    put("prose", place, len(text))
    return Document(name, text, tuple(piece for piece in pieces if piece.text or piece.kind == "break"))


def lines(document: Document) -> list[str]:
    """A reading line by line."""
    reading = read(document)
    return [told(one) for one in reading.told] + [f"?? {one.text} ({one.why})" for one in reading.unread]
