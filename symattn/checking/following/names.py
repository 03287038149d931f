r"""What a name in a document is called by, however it is written: ``W^Q``, ``W_Q`` and ``\mathbf{W}_{Q}`` are one.

A name is a base, its marks and its labels; digits below may be a label (``W_1``) or a place (``x_1``), which only what
is known already can tell.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from symattn.checking.reading.tree import Combined, Expressed, FigureRead, GridRead, NameRead, Unread


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
