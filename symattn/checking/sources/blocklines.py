"""The lines of a page in Markdown, and how a line says what begins on it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from symattn.checking.sources.delimiters import MATH_ENVIRONMENTS

QUOTE = re.compile(r"[ \t]{0,200}>[ ]?")
FENCE = re.compile(r"(`{3,}(?=[^`]*$)|~{3,})[ \t]*(.*)")
HEADING = re.compile(r"(#{1,6})(?:[ \t\u3000]+|(?<=##)(?=[^#\s])|$)")
ITEM = re.compile(r"(?:[-*+•‣▪–]|\(?\d{1,9}[.)])(?:[ \t\u3000]+|$)(?:\[[ xX]\][ \t])?")
RULE = re.compile(r"(?:[-*_][ \t]*){3,}")
UNDERLINE = re.compile(r"(=+|-+)[ \t]*")
TABLE_RULE = re.compile(r"\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*")
DEFINITION = re.compile(r"\[[^\]\^][^\]]{0,200}\]:[ \t]*\S")
FOOTNOTE = re.compile(r"\[\^[^\]\s]{1,60}\]:[ \t]*")
ELEMENT = re.compile(r"<(table|pre|math|script|style|svg)\b", re.IGNORECASE)
_OPENERS = re.compile(
    r"\\\\|\\\$|`[^`]*`|\$\$|\\\[|\\\]|\\(begin|end)\{("
    + "|".join(sorted(MATH_ENVIRONMENTS, key=len, reverse=True))
    + r")\*?\}"
)


@dataclass(frozen=True, slots=True)
class BlockLine:
    """A line without what stands before it for the quotes that it is in."""

    start: int
    """Where its first character that is no blank stands."""
    end: int
    begin: int
    """Where it begins behind the signs of quotes."""
    indent: int
    """The blanks before the first character, a tab as far as the next fourth column."""
    depth: int
    """In how many quotes it is."""

    @property
    def is_blank(self) -> bool:
        return self.start >= self.end


def block_line(text: str, start: int, end: int, deepest: int = 9) -> BlockLine:
    """The line from ``start`` to ``end``, with at most as many quotes taken away.

    >>> line = block_line("> > $x$", 0, 7)
    >>> line.depth, line.start, line.indent
    (2, 4, 0)
    """
    depth = 0
    while depth < deepest and (found := QUOTE.match(text, start, end)):
        start, depth = found.end(), depth + 1
    first, indent = start, 0
    while first < end and text[first] in " \t\u3000\xa0\r":
        indent += 4 - indent % 4 if text[first] == "\t" else 1
        first += 1
    return BlockLine(first, end, start, indent, depth)


def open_formula(text: str, start: int, end: int, opened: str = "") -> str:
    r"""What would close the formula that is open at the end of a part of a text; nothing where none is.

    >>> open_formula("$$X = 1$$ and $$", 0, 16), open_formula(r"\begin{align} x", 0, 15), open_formula("a]", 0, 2)
    ('$$', '\\end{align', '')
    """
    for found in _OPENERS.finditer(text, start, end):
        sign = found[0]
        if opened:
            if sign.startswith(opened):
                opened = ""
        elif sign == "$$":
            opened = "$$"
        elif sign == "\\[":
            opened = "\\]"
        elif found[1] == "begin":
            opened = "\\end{" + found[2]
    return opened
