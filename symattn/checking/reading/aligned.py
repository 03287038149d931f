"""Rows of figures under each other, as people and programs print matrices without LaTeX."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from symattn.checking.reading.lexer import Lexeme, figure
from symattn.checking.reading.tree import Expressed, GridRead, Unread


def lines_of(lexemes: Sequence[Lexeme]) -> list[list[Lexeme]]:
    """The signs line by line, each with its end."""
    lines: list[list[Lexeme]] = [[]]
    for sign in lexemes:
        lines[-1].append(sign)
        if sign.kind == "line":
            lines.append([])
    return lines


_WALLS: Final = frozenset("|⎡⎤⎢⎥⎣⎦⎛⎞⎜⎟⎝⎠│┃║┌┐└┘╭╮╰╯├┤┬┴┼─[]()‖")
_CORNERS: Final = frozenset("⎡⎤⎢⎥⎣⎦⎛⎞⎜⎟⎝⎠│")


@dataclass(frozen=True, slots=True)
class _Row:
    """A line that ends in figures."""

    prefix: int
    """How many signs stand before its figures, with the sign that joins a name to them."""
    entries: tuple[Expressed, ...]
    label: str
    joins: bool
    """Whether a name and a relation stand before the figures."""
    walled: bool
    bracketed: bool
    """Whether one pair of brackets holds the figures."""
    said: bool
    """Whether a colon stands before the figures."""


def _is_wall(sign: Lexeme) -> bool:
    return sign.kind in ("other", "bar", "rule") and sign.text in _WALLS


def _row(line: Sequence[Lexeme], text: str, comma: bool) -> _Row | None:
    """The figures at the end of a line, where nothing else is among them."""
    last = len(line)
    while last and _is_wall(line[last - 1]):
        last -= 1
    bracketed = bool(last) and line[last - 1].kind == "close" and line[last - 1].text in "[("
    last -= bracketed
    first, place = last, last
    entries: list[Expressed] = []
    while place:
        sign = line[place - 1]
        infinite = sign.kind in ("word", "name") and sign.text in ("inf", "Inf")
        if (sign.kind == "figure" or infinite) and (
            place == last or line[place].blank or line[place].kind in ("comma", "other", "bar")
        ):
            negative = place > 1 and line[place - 2].kind == "op" and line[place - 2].text == "-" and not sign.blank
            start = line[place - 2].start if negative else sign.start
            found = figure("∞" if infinite else sign.text, start, sign.end, sign="-" if negative else "", comma=comma)
            entries.append(found or Unread(sign.text, "a figure that is too long", start, sign.end))
            place -= 2 if negative else 1
            first = place
        elif sign.kind == "dots":
            entries.append(Unread("…", "left out", sign.start, sign.end))
            place -= 1
            first = place
        elif _is_wall(sign) or sign.kind == "comma":
            place -= 1
        else:
            break
    if bracketed:
        if not place or line[place - 1].kind != "open" or line[place - 1].text != line[last].text:
            return None
        place -= 1
    if not entries or any(_is_wall(sign) and sign.text in "[](" for sign in line[place:last]):
        return None
    before = line[:place]
    is_cell = place > 1 and _is_wall(line[place]) and line[place].text in "|│┃"
    if any(sign.kind in ("figure", "op", "open", "root", "sum") for sign in before if sign.text != "-") and not (
        before and (before[-1].kind in ("colon", "relation") or is_cell)
    ):
        return None
    walled = any(_is_wall(sign) for sign in line[first - 1 : first + 1]) or any(sign.text in _CORNERS for sign in line)
    joins = bool(before) and before[-1].kind == "relation"
    words = [sign for sign in before if not _is_wall(sign) and sign.kind not in ("colon", "relation")]
    label = " ".join(text[words[0].start : words[-1].end].split()) if words else ""
    return _Row(
        place, tuple(reversed(entries)), label, joins, walled, bracketed, bool(before) and before[-1].kind == "colon"
    )


def _fits(run: Sequence[_Row], row: _Row) -> bool:
    first = run[0]
    if (
        row.bracketed != first.bracketed
        or len(row.entries) != len(first.entries)
        or (row.joins and any(one.joins for one in run))
    ):
        return False
    if row.joins and (not row.walled or any(one.label for one in run)):
        return False
    return bool(row.label) == bool(first.label) or first.joins or row.joins or not row.label


def with_rows(lexemes: Sequence[Lexeme], text: str, *, comma: bool = False) -> list[Lexeme]:
    """The same signs, with one sign for each matrix that stands there as rows of figures under each other."""
    lines = [[sign for sign in line if sign.kind != "line"] for line in lines_of(lexemes)]
    rows = [_row(line, text, comma) for line in lines]
    kept_lines = [place for place in range(len(lines)) if not _is_between(lines, rows, place)]
    lines, rows = [lines[place] for place in kept_lines], [rows[place] for place in kept_lines]
    kept: list[Lexeme] = []
    place = 0
    while place < len(lines):
        run: list[_Row] = []
        while place + len(run) < len(lines):
            row = rows[place + len(run)]
            if row is None or (run and not _fits(run, row)) or (row.joins and run and not row.walled):
                break
            run.append(row)
        if _is_matrix(run, _leads(lines, place)):
            kept.extend(_made(lines, place, run, text))
            place += len(run)
        else:
            kept.extend(lines[place])
            if place + 1 < len(lines):
                kept.append(_line_after(lines, place, lexemes))
            place += 1
    return kept


def _is_between(lines: Sequence[Sequence[Lexeme]], rows: Sequence[_Row | None], place: int) -> bool:
    """Whether a line is the border between two rows of a table that is drawn: ``+-----+-----+``."""
    line = lines[place]
    if not line or not 0 < place < len(lines) - 1 or rows[place - 1] is None or rows[place + 1] is None:
        return False
    return any(sign.kind == "rule" for sign in line) and all(
        sign.kind == "rule" or (sign.kind == "op" and sign.text in "+-") or _is_wall(sign) for sign in line
    )


def _leads(lines: Sequence[Sequence[Lexeme]], place: int) -> bool:
    """Whether the line before says that something follows: ``A =``, ``Scores:``."""
    return bool(place and lines[place - 1]) and lines[place - 1][-1].kind in ("relation", "colon")


def _line_after(lines: Sequence[Sequence[Lexeme]], place: int, lexemes: Sequence[Lexeme]) -> Lexeme:
    sign = lines[place][-1] if lines[place] else lexemes[0]
    return Lexeme("line", "\n", sign.end, sign.end, False, sign.piece, sign.mode)


def _is_matrix(run: Sequence[_Row], led: bool) -> bool:
    if not run:
        return False
    wide = len(run[0].entries)
    if run[0].bracketed:
        named = all(row.label and not row.said for row in run)
        return len(run) > 1 and (led or named or (run[0].joins and not any(row.label for row in run[1:])))
    if len(run) == 1:
        return wide > 1 and (run[0].joins or run[0].walled or not run[0].label) and not run[0].label.isdigit()
    return wide > 1 or all(row.walled for row in run)


def _made(lines: Sequence[Sequence[Lexeme]], place: int, run: Sequence[_Row], text: str) -> list[Lexeme]:
    joined = next((number for number, row in enumerate(run) if row.joins), None)
    cells = tuple(row.entries for row in run)
    start, end = cells[0][0].start, cells[-1][-1].end
    labels = () if joined is not None else tuple(row.label for row in run)
    labels = labels if any(labels) else ()
    if labels and lines[place]:
        start = min(start, lines[place][0].start)
    flat = len(cells) == 1 and not run[0].walled
    grid = GridRead(cells, "brackets", 1 if flat else 2, start, end, (labels, ()))
    line = lines[place + (joined or 0)]
    before = [sign for sign in line[: run[joined].prefix] if not _is_wall(sign)] if joined is not None else []
    sign = lines[place][0]
    made = Lexeme("made", "", start, end, True, sign.piece, sign.mode, grid)
    return [*before, made, Lexeme("line", "\n", end, end, False, sign.piece, sign.mode)]


def without_comments(lexemes: Sequence[Lexeme]) -> list[Lexeme]:
    """The same signs without what is said behind rows: ``# cat``, ``← cat``, and words inside brackets."""
    kept: list[Lexeme] = []
    depth, place = 0, 0
    while place < len(lexemes):
        sign = lexemes[place]
        if _begins_comment(kept, lexemes[place : place + 2], depth):
            end = place
            while end < len(lexemes) and lexemes[end].kind != "line":
                end += 1
            rest = lexemes[place + 1 : end]
            if not _claims(rest) if not depth else sign.kind not in ("word", "text") or not _ends_inside(rest):
                place = end
                continue
        if sign.kind == "open":
            depth += 1
        elif sign.kind == "close":
            depth = max(0, depth - 1)
        kept.append(sign)
        place += 1
    return kept


def _begins_comment(before: Sequence[Lexeme], signs: Sequence[Lexeme], depth: int) -> bool:
    sign = signs[0]
    if depth and sign.kind == "other" and sign.text == "#":
        return True
    last = before[-2:] if before and before[-1].kind == "comma" else before[-1:]
    is_behind_row = bool(last) and (last[0].kind == "close" or (last[0].kind == "other" and last[0].text in _WALLS))
    is_mark = (sign.kind == "other" and sign.text == "#") or (sign.kind == "relation" and sign.text == "←")
    is_mark |= bool(depth) and sign.text == "//"
    return is_behind_row and (is_mark or (bool(depth) and last[0].text == "[" and sign.kind in ("word", "text")))


def _ends_inside(signs: Sequence[Lexeme]) -> bool:
    """Whether words are an argument, ``dtype=float32)``, and no remark."""
    depth = 0
    for sign in signs:
        depth += {"open": 1, "close": -1}.get(sign.kind, 0)
        if depth < 0 or sign.kind == "relation":
            return True
    return False


def _claims(signs: Sequence[Lexeme]) -> bool:
    """Whether a remark holds more than words: a formula, a list."""
    return any(
        sign.kind == "relation"
        or (sign.kind == "open" and sign.text == "[")
        or (sign.kind == "figure" and "." in sign.text)
        for sign in signs
    )
