"""Slices where an index stands: ``:``, ``1:4``, ``2:``, and ``·`` for all of an axis."""

from __future__ import annotations

from symattn.checking.reading.tree import Combined, Expressed
from symattn.checking.reading.walking import Walk

_ALL = frozenset(["\\cdot", "*"])

_ENDS = frozenset(["comma", "end"])


def is_slice(piece: Expressed) -> bool:
    """Whether an index is several places.

    >>> is_slice(Combined("slice", (), 0, 1, ":"))
    True
    """
    return isinstance(piece, Combined) and piece.op == "slice"


def sliced(walk: Walk) -> Combined | None:
    """The slice that comes next, from one place to another, as far as they are said; ``None`` where none does."""
    first, sign = walk.at, walk.peek()
    if sign.kind == "op" and sign.text in _ALL and walk.peek(1).kind in ("figure", "name", *_ENDS):
        walk.at += 1
        return Combined("slice", (), sign.start, sign.end, ":")
    if "colon" not in (sign.kind, walk.peek(1).kind, walk.peek(2).kind):
        return None
    start = None if sign.kind == "colon" else walk.signed()
    if walk.peek().kind == "colon":
        walk.at += 1
        stop = None if walk.peek().kind in _ENDS else walk.signed()
        if walk.peek().kind in _ENDS:
            said = tuple((which, end) for which, end in (("from", start), ("to", stop)) if end is not None)
            return Combined("slice", (), sign.start, walk.spot(), ":", said)
    walk.at = first
    return None
