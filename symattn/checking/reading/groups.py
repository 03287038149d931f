"""Groups, lists, tuples, and the arguments of a call."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from symattn.checking.reading.tree import Combined, Expressed, FigureRead, GridRead, NamedArguments, NameRead, Unread
from symattn.checking.reading.walking import NOT_READ, Walk, sliced


def matrix(walk: Walk) -> Expressed:
    """``\\begin{bmatrix} … \\end{bmatrix}``, with the labels that may stand beside it."""
    first, mate, outer = walk.at, walk.pairs.mates[walk.at], walk.end
    start = walk.lexemes[first].start
    walk.at, walk.end = first + 1, min(mate, outer)
    rows: list[list[Expressed]] = [[]]
    torn: list[int] = []
    pending = True  # a cell is awaited
    while walk.at < walk.end:
        sign = walk.peek()
        match sign.kind:
            case "cell":
                if pending:
                    rows[-1].append(Unread("", "empty", sign.start, sign.start))
                walk.at, pending = walk.at + 1, True
            case "row":
                walk.at, pending = walk.at + 1, True
                rows.append([])
            case "torn":
                torn.append(sign.start)
                walk.at, pending = walk.at + 1, False
            case "line" | "break" | "comma":
                walk.at += 1
            case _:
                rows[-1].append(_cell(walk))
                pending = False
    closed = mate < len(walk.lexemes) and walk.lexemes[mate].kind == "close"
    end = walk.lexemes[mate if closed else max(first, mate - 1)].end
    walk.at, walk.end = min(mate + 1, outer) if closed else min(mate, outer), outer
    whole = tuple(tuple(row) for row in rows if row)
    if not whole:
        return walk.unread(first, walk.at, "empty")
    if walk.lexemes[first].text in ("\\cases", "\\dcases", "\\rcases"):
        return Combined("call:cases", (GridRead(whole, "matrix", 2, start, end),), start, end)
    return _labelled(walk, _without_labels(walk, GridRead(whole, "matrix", 2, start, end, torn=tuple(torn))))


def _is_label(cell: Expressed) -> bool:
    return isinstance(cell, NameRead) or (isinstance(cell, Unread) and not any(sign.isdigit() for sign in cell.text))


def _without_labels(walk: Walk, grid: GridRead) -> GridRead:
    """A matrix whose first row and column hold the names of what its rows and columns are."""
    rows = grid.rows
    if len(rows) < 2 or len(rows[0]) < 2 or any(len(row) != len(rows[0]) for row in rows):
        return grid
    headed = all(_is_label(cell) for cell in rows[0][1:]) and isinstance(rows[0][0], Unread)
    body = rows[1:] if headed else rows
    sided = all(_is_label(row[0]) for row in body)
    inner = tuple(row[1:] for row in body) if sided else body
    if not (headed or sided) or any(_is_label(cell) and "…" not in _said(walk, cell) for row in inner for cell in row):
        return grid
    beside = tuple(_said(walk, row[0]) for row in body) if sided else ()
    above = tuple(_said(walk, cell) for cell in rows[0][1 if sided else 0 :]) if headed else ()
    return replace(grid, rows=inner, labels=(beside, above))


def _said(walk: Walk, cell: Expressed) -> str:
    return cell.text if isinstance(cell, NameRead | Unread) else walk.written(cell.start, cell.end).strip()


def _cell(walk: Walk) -> Expressed:
    place = walk.at
    found = walk.expression()
    if found is not None and walk.peek().kind in ("cell", "row", "torn", "end", "line", "break", "comma"):
        return found
    while walk.at < walk.end and walk.peek().kind not in ("cell", "row"):
        walk.at = walk.pairs.mates.get(walk.at, walk.at) + 1
    walk.at = min(walk.at, walk.end)
    return walk.unread(place, walk.at, NOT_READ)


def _labelled(walk: Walk, grid: GridRead) -> GridRead:
    """A column of names beside a matrix says what its rows are."""
    sign = walk.peek()
    if sign.kind != "open" or sign.text not in ("\\matrix", "\\array") or walk.at not in walk.pairs.mates:
        return grid
    before = walk.at
    beside = matrix(walk)
    if (
        isinstance(beside, GridRead)
        and len(beside.rows) == len(grid.rows)
        and all(len(row) == 1 for row in beside.rows)
        and not any(isinstance(row[0], FigureRead) for row in beside.rows)
    ):
        said = tuple(walk.written(row[0].start, row[0].end).strip() for row in beside.rows)
        return replace(grid, labels=(said, grid.labels[1]), end=beside.end)
    walk.at = before
    return grid


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


_AROUND = {"|": "abs", "‖": "norm", "⌊": "floor", "⌈": "ceil"}


def opened(walk: Walk) -> Expressed:
    sign = walk.peek()
    if sign.text.startswith("\\"):
        return matrix(walk)
    if sign.text == "{" and sign.mode != "code":
        return inside(walk)
    if sign.text in _AROUND:
        inner = inside(walk)
        return Combined(f"call:{_AROUND[sign.text]}", (inner,), sign.start, walk.spot())
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
    if bracket == "(" and all(len(row) == 1 for row in rows):
        rows = [entries]  # (0,5; 1,5), where commas are decimal
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
        is_bar = sign.text == "|" and bool(rows[-1]) and isinstance(rows[-1][-1], FigureRead)  # (0,5 | 1,5)
        if is_bar or sign.kind in ("comma", "line", "break", "torn", "cell"):
            walk.at += 1
            commas += is_bar or sign.kind == "comma"
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
            and not (walk.peek().text == "|" and isinstance(one, FigureRead))
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
        if sign.kind in ("name", "word", "text") and walk.peek(1).text == "=":
            key, walk.at = sign.text, walk.at + 2
        one = sliced(walk) or _for_each(walk, walk.expression())
        if one is None or walk.peek().kind not in ("comma", "end", "line", "semicolon", "break"):
            _skip(walk, mate)
            one = walk.unread(place, walk.at, NOT_READ)
        if key:
            named.append((key, one))
        else:
            found.append(one)
    walk.at, walk.end, walk.spread = min(mate + 1, outer), outer, spread
    return tuple(found), tuple(named)


def _for_each(walk: Walk, one: Expressed | None) -> Expressed | None:
    """``k**2 for k in range(1, 5)`` in a program: what is made, with its index and the limits of this."""
    if one is None or walk.peek().text != "for" or walk.peek(2).text not in ("in", "∈"):
        return one
    before, index, walk.at = walk.at, walk.peek(1), walk.at + 3
    match walk.expression():
        case Combined(op="call:range", args=args):
            over = NameRead(index.text, (), (), (), index.start, index.end, index.text)
            limits = (("from", args[0]), ("until", args[1])) if len(args) == 2 else (("until", args[0]),)
            return Combined("each", (one,), one.start, walk.spot(), "", (("over", over), *limits))
    walk.at = before
    return one
