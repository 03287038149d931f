"""Matrices of LaTeX, with the labels that may stand beside them."""

from __future__ import annotations

from dataclasses import replace

from symattn.checking.reading.tree import Combined, Expressed, FigureRead, GridRead, NameRead, Unread
from symattn.checking.reading.walking import NOT_READ, Walk


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
