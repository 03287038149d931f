"""What is found in small documents, and figures as they are read, for tests."""

from __future__ import annotations

from fractions import Fraction

from symattn.checking.check import check
from symattn.checking.reading.tree import FigureRead


def wrong(text: str, name: str = "page.md") -> list[tuple[int, str, str]]:
    """Line, figure as printed, figure as it should be."""
    return [(each.line, each.printed, each.expected) for each in check(text, name).findings]


def changed(text: str) -> list[tuple[str, str]]:
    """Figure as printed, figure as it should be."""
    return [(printed, expected) for _, printed, expected in wrong(text)]


def left(text: str, name: str = "page.md") -> list[str]:
    """Figures that nothing was said of."""
    return [each.text for each in check(text, name).unfollowed]


def figure(text: str) -> FigureRead:
    if "inf" in text:
        return FigureRead("-∞", None, Fraction(1), 0, 1, -1)
    decimals = len(text.partition(".")[2])
    return FigureRead(text, Fraction(text), Fraction(1, 10**decimals), 0, len(text))


def figures(*rows: str) -> tuple[tuple[FigureRead, ...], ...]:
    """Rows of figures with blanks between."""
    return tuple(tuple(map(figure, row.split())) for row in rows)
