"""What can be seen of an expression alone, without knowing what its names are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from symattn.checking.reading.tree import Combined, Expressed, FigureRead, GridRead, NameRead, Unread

ReadFigures = tuple[tuple[FigureRead | None, ...], ...]
"""Rows of figures; ``None`` where none was read."""

_CONSTANT = frozenset({"e", "π", "pi"})


def walk(written: Expressed) -> Iterator[Expressed]:
    """An expression and all that is inside, without what stands below and above names."""
    stack = [written]
    while stack:
        one = stack.pop()
        yield one
        match one:
            case GridRead():
                stack.extend(each for row in reversed(one.rows) for each in reversed(row))
            case Combined():
                stack.extend(reversed(one.args))


def bound_by(one: Combined) -> NameRead | None:
    """The index of a sum, of a product, or of what a program makes for each."""
    if one.op not in ("sum", "product", "each"):
        return None
    return next((value for name, value in one.named if name == "over" and isinstance(value, NameRead)), None)


def figures_of(grid: GridRead) -> tuple[tuple[FigureRead | None, ...], ...] | None:
    """The figures of a grid that holds nothing else, but places that were not read."""
    rows = []
    for written in grid.rows:
        row = [powered(each) or each for each in written]
        if not all(isinstance(each, FigureRead | Unread) for each in row):
            return None
        rows.append(tuple(each if isinstance(each, FigureRead) else None for each in row))
    return tuple(rows) if any(each is not None for row in rows for each in row) else None


def powered(written: Expressed) -> FigureRead | None:
    """``-10^9`` as the one figure that it is where a mask stands."""
    sign, inner = 1, written
    if isinstance(inner, Combined) and inner.op == "neg":
        sign, inner = -1, inner.args[0]
    if not isinstance(inner, Combined) or inner.op != "^":
        return None
    base, power = inner.args
    if not (isinstance(base, FigureRead) and isinstance(power, FigureRead)) or base.value not in (10, -10):
        return None
    if power.value is None or power.value.denominator != 1 or not 3 <= power.value <= 40:
        return None
    value = sign * base.value ** int(power.value)
    return FigureRead(f"{'-' if value < 0 else ''}10^{power.value}", value, Fraction(1), written.start, written.end)


def filled(figures: ReadFigures | None) -> ReadFigures:
    """Rows of one length: a last one that breaks off is filled with nothing."""
    if not figures or len({len(row) for row in figures[:-1]}) > 1:
        return ()
    wide = len(figures[0])
    if len(figures[-1]) > wide:
        return ()
    return (*figures[:-1], (*figures[-1], *[None] * (wide - len(figures[-1]))))


def mended(grid: GridRead) -> ReadFigures:
    """The rows of a matrix some of whose separators were lost, as they were meant."""
    rows: list[tuple[FigureRead | None, ...]] = []
    for row in figures_of(grid) or ():
        cuts = [place for place in grid.torn if row[0] is not None and row[-1] and row[0].start < place < row[-1].start]
        line: list[FigureRead | None] = []
        for figure in row:
            if cuts and figure is not None and figure.start > cuts[0]:
                rows.append(tuple(line))
                line = []
                cuts.pop(0)
            line.append(figure)
        rows.append(tuple(line))
    return tuple(rows) if len({len(row) for row in rows}) == 1 else ()


def variance(written: Expressed) -> NameRead | None:
    """``σ^2`` as the name that it mostly is."""
    if not isinstance(written, Combined) or written.op != "^" or len(written.args) != 2:
        return None
    base, two = written.args
    if (
        isinstance(base, NameRead)
        and base.base in ("σ", "s", "\\sigma")
        and isinstance(two, FigureRead)
        and two.value == 2
    ):
        return replace(base, base="σ²", start=written.start, end=written.end, text=f"{base.text}²")
    return None


def is_constant(name: NameRead) -> bool:
    """Whether it is e or π."""
    return name.base in _CONSTANT and not name.below and not name.marks and not name.above


@dataclass(frozen=True)
class Called:
    """A name apart from how it is written."""

    base: str
    marks: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()

    def __str__(self) -> str:
        marks = "".join(each if each == "'" else f"^{each}" for each in self.marks)
        return self.base + marks + "".join(f"_{each}" for each in self.labels)


def called(name: NameRead) -> Called:
    """What a name is called by.

    >>> str(called(NameRead("W", (), (), (NameRead("Q", (), (), (), 0, 0),), 0, 0)))
    'W_Q'
    """
    labels = tuple(label(each) for each in (*name.below, *name.above))
    marks = tuple(sorted(each for each in name.marks if each != "vec"))
    return Called(_base(name.base), marks, tuple(each for each in labels if each))


def label(written: Expressed) -> str:
    """What stands below or above a name, as plain text: ``head 1`` is ``1``."""
    text = plain(written).replace(" ", "").replace("_", "").strip("()[]{}")
    for word in _COUNTED:
        if text.lower().startswith(word) and text[len(word) :].isdecimal():
            return text[len(word) :]
    return text


_COUNTED = ("head", "token", "row", "position", "pos", "step", "layer")


def _base(text: str) -> str:
    return "".join(text.split()).strip("_")


def plain(written: Expressed) -> str:
    """What was read as one text, without its signs where they say nothing."""
    match written:
        case FigureRead():
            return written.text
        case NameRead():
            below = "".join(plain(each) for each in written.below)
            return written.base + "".join(each for each in written.marks if each == "'") + below
        case Combined():
            signs = {"+": "+", "-": "-", "/": "/", "=": "="}
            return signs.get(written.op, "").join(plain(each) for each in written.args)
        case GridRead():
            return ",".join(plain(each) for row in written.rows for each in row)
        case Unread():
            return written.text
    return ""


def places(pieces: Sequence[Expressed]) -> tuple[int, ...] | None:
    """What stands below or above as places, from what is written: ``(2, 1)`` of ``A_{21}``; ``None`` for labels."""
    found = []
    for each in pieces:
        text = label(each)
        if text == ":":
            return None  # A_{:,1} is a column
        if not text.isdecimal() or len(text) > 4:
            return None
        found.append(int(text))
    return tuple(found) if found else None
