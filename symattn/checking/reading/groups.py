"""Groups, lists, tuples, and the arguments of a call."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from symattn.checking.reading.matrices import matrix
from symattn.checking.reading.slices import sliced
from symattn.checking.reading.tree import Combined, Expressed, GridRead, Unread
from symattn.checking.reading.walking import NOT_READ, Walk

NamedArguments = tuple[tuple[str, Expressed], ...]


def inside(walk: Walk) -> Expressed:
    """What stands in the group that begins here, as one expression."""
    first, mate, outer = walk.at, walk.pairs.mates[walk.at], walk.end
    walk.at, walk.end = walk.at + 1, mate
    found = walk.expression()
    whole = walk.at == mate
    walk.at, walk.end = min(mate + 1, outer), outer
    if found is None or not whole:
        return walk.unread(first, mate + 1, "empty" if mate == first + 1 else NOT_READ)
    return found


def opened(walk: Walk) -> Expressed:
    sign = walk.peek()
    if sign.text.startswith("\\"):
        return matrix(walk)
    if sign.text == "{" and sign.mode != "code":
        return inside(walk)
    if sign.text in ("|", "‖"):
        start = sign.start
        inner = inside(walk)
        return Combined("call:abs" if sign.text == "|" else "call:norm", (inner,), start, walk.spot())
    if sign.text in "([":
        return _listed(walk, sign.text)
    if sign.text == "⟨":
        start = sign.start
        found, _ = arguments(walk)
        return (
            Combined("call:dot", found, start, walk.spot())
            if len(found) == 2
            else Unread("⟨…⟩", NOT_READ, start, walk.spot())
        )
    return inside(walk)


def _listed(walk: Walk, bracket: str) -> Expressed:
    """``(1, 2)``, ``[1, 2]``, ``[[1, 2], [3, 4]]``, ``[0.1 0.9]``, ``[1, 2; 3, 4]``; ``(a)`` is a."""
    first, mate, outer = walk.at, walk.pairs.mates[walk.at], walk.end
    start, end = walk.lexemes[first].start, walk.lexemes[min(mate, len(walk.lexemes) - 1)].end
    spread = bracket == "[" and _is_spread(walk, first, mate)
    before, walk.spread = walk.spread, spread
    walk.at, walk.end = first + 1, mate
    rows, commas = _entries(walk, mate)
    walk.spread = before
    walk.at, walk.end = min(mate + 1, outer), outer
    entries = [entry for row in rows for entry in row]
    if not entries:
        return walk.unread(first, mate + 1, "empty")
    if len(entries) == 1 and not commas and (bracket == "(" or _is_matrix(entries[0])):
        return entries[0]
    if len(rows) > 1:
        return GridRead(tuple(tuple(row) for row in rows), "list", 2, start, end)
    kind = "brackets" if spread else "list" if bracket == "[" else "tuple"
    return _nested(entries, kind, start, end)


def _is_matrix(written: Expressed) -> bool:
    return isinstance(written, GridRead) and written.kind == "matrix"


def _nested(entries: Sequence[Expressed], kind: str, start: int, end: int) -> GridRead:
    grids = [entry for entry in entries if isinstance(entry, GridRead)]
    if len(grids) == len(entries) and all(grid.axes == 1 for grid in grids):
        inner = "brackets" if any(grid.kind == "brackets" for grid in grids) else kind
        return GridRead(tuple(grid.rows[0] for grid in grids), inner, 2, start, end)  # type: ignore[arg-type]
    if len(grids) == len(entries) == 1:
        return replace(grids[0], axes=grids[0].axes + 1, start=start, end=end)
    axes = 1 + max((grid.axes for grid in grids), default=0) if len(grids) == len(entries) else 1
    return GridRead((tuple(entries),), kind, axes, start, end)  # type: ignore[arg-type]


def _is_spread(walk: Walk, first: int, mate: int) -> bool:
    """Whether entries are divided by blanks only: figures, signs and brackets, and no comma."""
    place, entries = first + 1, 0
    while place < mate:
        sign = walk.lexemes[place]
        if sign.kind == "open" and sign.text == "[" and place in walk.pairs.mates:
            place = walk.pairs.mates[place]
            entries += 1
        elif sign.kind in ("figure", "name", "dots"):
            if sign.kind == "name" and sign.text not in ("nan", "inf"):
                return False
            before = walk.lexemes[place - 1]
            entries += sign.blank or entries == 0 or (before.kind == "op" and before.blank)
        elif not (sign.kind in ("line", "torn") or (sign.kind == "op" and sign.text == "-")):
            return False
        place += 1
    return entries > 1


def _entries(walk: Walk, mate: int) -> tuple[list[list[Expressed]], int]:
    rows: list[list[Expressed]] = [[]]
    commas = 0
    while walk.at < mate:
        sign = walk.peek()
        if sign.kind in ("comma", "line", "break", "torn", "cell"):
            walk.at += 1
            commas += sign.kind == "comma"
            continue
        if sign.kind in ("semicolon", "row"):
            walk.at += 1
            commas += 1
            if rows[-1]:
                rows.append([])
            continue
        place = walk.at
        one = walk.expression()
        if one is None or (
            walk.peek().kind not in ("comma", "semicolon", "row", "line", "break", "end", "torn", "cell")
            and not walk.spread
        ):
            _skip(walk, mate)
            one = walk.unread(place, walk.at, NOT_READ)
        rows[-1].append(one)
    return [row for row in rows if row], commas


def _skip(walk: Walk, mate: int) -> None:
    """To the next comma, over brackets."""
    while walk.at < mate and walk.peek().kind not in ("comma", "semicolon"):
        walk.at = walk.pairs.mates.get(walk.at, walk.at) + 1
    walk.at = min(walk.at, mate)


def arguments(walk: Walk) -> tuple[tuple[Expressed, ...], NamedArguments]:
    """What stands in the brackets of a call, with ``dim=-1`` by its name."""
    mate, outer, spread = walk.pairs.mates[walk.at], walk.end, walk.spread
    walk.at, walk.end, walk.spread = walk.at + 1, mate, False
    found: list[Expressed] = []
    named: list[tuple[str, Expressed]] = []
    while walk.at < mate:
        sign = walk.peek()
        if sign.kind in ("comma", "line", "break", "semicolon"):
            walk.at += 1
            continue
        place, key = walk.at, ""
        if sign.kind in ("name", "word") and walk.peek(1).kind == "relation" and walk.peek(1).text == "=":
            key, walk.at = sign.text, walk.at + 2
        one = sliced(walk) or _compared(walk, walk.expression())
        if one is None or walk.peek().kind not in ("comma", "end", "line", "semicolon", "break"):
            _skip(walk, mate)
            one = walk.unread(place, walk.at, NOT_READ)
        if key:
            named.append((key, one))
        else:
            found.append(one)
    walk.at, walk.end, walk.spread = min(mate + 1, outer), outer, spread
    return tuple(found), tuple(named)


def _compared(walk: Walk, one: Expressed | None) -> Expressed | None:
    """``mask == 0``: where a program looks what stands in a matrix."""
    if one is None or walk.peek().text != "==" or walk.peek().kind != "other":
        return one
    before, walk.at = walk.at, walk.at + 1
    other = walk.expression()
    if other is None:
        walk.at = before
        return one
    return Combined("==", (one, other), one.start, other.end)
