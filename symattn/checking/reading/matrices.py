"""Matrices of LaTeX, with the labels that may stand beside them."""

from __future__ import annotations

from dataclasses import replace

from symattn.checking.reading.tree import Applied, FigureRead, GridRead, Unread, Written
from symattn.checking.reading.walking import NOT_READ, Walk


def matrix(walk: Walk) -> Written:
    """``\\begin{bmatrix} … \\end{bmatrix}``, with the labels that may stand beside it."""
    first, mate, outer = walk.at, walk.pairs.mates[walk.at], walk.end
    start = walk.lexemes[first].start
    walk.at, walk.end = first + 1, min(mate, outer)
    rows: list[list[Written]] = [[]]
    torn: list[int] = []
    pending = False
    while walk.at < walk.end:
        sign = walk.peek()
        match sign.kind:
            case "cell":
                if pending:
                    rows[-1].append(Unread("", "empty", sign.start, sign.start))
                walk.at, pending = walk.at + 1, True
            case "row":
                walk.at, pending = walk.at + 1, False
                rows.append([])
            case "torn":
                torn.append(sign.start)
                walk.at, pending = walk.at + 1, False
            case "line" | "break":
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
        return Applied("call:cases", (GridRead(whole, "matrix", 2, start, end),), start, end)
    return _labelled(walk, GridRead(whole, "matrix", 2, start, end, torn=tuple(torn)))


def _cell(walk: Walk) -> Written:
    place = walk.at
    found = walk.expression()
    if found is not None and walk.peek().kind in ("cell", "row", "torn", "end", "line", "break"):
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
