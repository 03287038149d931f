"""Rows of figures under each other, as people and programs print matrices without LaTeX."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import takewhile
from typing import Final

from symattn.checking.reading.lexer import Lexeme
from symattn.checking.reading.numerals import figure
from symattn.checking.reading.tree import Expressed, GridRead, Unread

_LEFT: Final = frozenset("|⎡⎢⎣┌│└╭╰")
_RIGHT: Final = frozenset("|⎤⎥⎦┐│┘╮╯")
_JOINING: Final = frozenset(["relation", "op", "name", "word", "comma", "T", "script", "sum"])
_MOST_COLUMNS_OFF: Final = 6
_MOST_COLUMNS: Final = 10_000


@dataclass(frozen=True)
class _Group:
    """One pair of brackets in a line, and how many more stand around it."""

    first: int
    end: int
    opens: int
    closes: int
    column: int
    """Where its first entry's bracket stands in the line."""
    inner: tuple[Lexeme, ...]


@dataclass
class _Whole:
    """A matrix on its way."""

    column: int
    rows: list[tuple[Lexeme, ...]] = field(default_factory=list)
    is_open: bool = True

    def signs(self) -> Iterator[Lexeme]:
        """``[[…], […]]``."""
        yield replace(self.rows[0][0], kind="open", text="[")
        for place, row in enumerate(self.rows):
            if place:
                yield Lexeme("comma", ",", row[0].start, row[0].start, False, row[0].piece, row[0].mode)
            yield from row
        yield replace(self.rows[-1][-1], kind="close", text="[")


def lines_of(lexemes: Sequence[Lexeme]) -> list[list[Lexeme]]:
    """The signs line by line, each with its end."""
    lines: list[list[Lexeme]] = [[]]
    for sign in lexemes:
        lines[-1].append(sign)
        if sign.kind == "line":
            lines.append([])
    return lines


def _groups(line: Sequence[Lexeme], text: str) -> list[_Group] | None:
    """The brackets of a line, ``None`` where one does not end there."""
    start = text.rfind("\n", 0, line[0].start) + 1 if line else 0
    found: list[_Group] = []
    place = 0
    while place < len(line):
        sign = line[place]
        is_wall = sign.kind in ("other", "bar", "rule") and sign.text in _LEFT
        if not is_wall and not (sign.kind == "open" and sign.text == "["):
            place += 1
            continue
        one = _walled(line, place) if is_wall else _bracketed(line, place)
        if one is None:
            return None
        found.append(replace(one, column=one.inner[0].start - start))
        place = one.end
    return found


def _walled(line: Sequence[Lexeme], place: int) -> _Group | None:
    for last in range(place + 1, len(line)):
        if line[last].kind in ("other", "bar", "rule") and line[last].text in _RIGHT:
            inner = (replace(line[place], kind="open", text="["), *line[place + 1 : last])
            return _Group(place, last + 1, 1, 1, 0, (*inner, replace(line[last], kind="close", text="[")))
    return None


def _bracketed(line: Sequence[Lexeme], place: int) -> _Group | None:
    first = place
    while place < len(line) and line[place].kind == "open" and line[place].text == "[":
        place += 1
    last = place
    while last < len(line) and line[last].kind != "close":
        if line[last].kind == "open":
            last = next((there for there in range(last, len(line)) if line[there].kind == "close"), len(line))
        last += 1
    if last >= len(line) or line[last].text != "[":
        return None
    end = last + 1
    while end < len(line) and line[end].kind == "close" and line[end].text == "[":
        end += 1
    return _Group(first, end, place - first, end - last, 0, tuple(line[place - 1 : last + 1]))


def _between(line: Sequence[Lexeme], groups: Sequence[_Group]) -> list[list[Lexeme]]:
    """What stands before, between and behind the groups of a line, without its end."""
    cuts = [0, *(cut for one in groups for cut in (one.first, one.end)), len(line)]
    return [
        [sign for sign in line[cuts[place] : cuts[place + 1]] if sign.kind != "line"]
        for place in range(0, len(cuts), 2)
    ]


def _joins(signs: Sequence[Lexeme]) -> bool:
    """Whether signs are a name or an operator between matrices; what stands below the name is part of it."""
    scripts = [at for at, sign in enumerate(signs) if sign.kind == "script" and signs[at + 1 : at + 2]]
    below = {at for first in scripts if signs[first + 1].text == "{" for at in range(first, first + 4)}
    kept = [sign for at, sign in enumerate(signs) if at not in below]
    return len(kept) <= 4 and all(sign.kind in _JOINING for sign in kept)


def _without_comma(signs: Sequence[Lexeme]) -> list[Lexeme]:
    return list(signs[1:] if signs and signs[0].kind == "comma" else signs)


def side_by_side(lexemes: Sequence[Lexeme], text: str) -> list[Lexeme]:
    """The same signs, with matrices that stand beside each other put one after the other."""
    lines = lines_of(lexemes)
    rows: dict[int, _RowBeside | None] = {}
    kept: list[Lexeme] = []
    place = 0
    depth = 0
    while place < len(lines):
        is_free = depth == 0 and bool(lines[place])
        found = None
        if is_free:
            found = _nested(lines, place, text) or _plain(lines, place, text, rows) or _bare(lines, place, text)
        if found is None:
            for sign in lines[place]:
                depth = max(0, depth + {"open": 1, "close": -1}.get(sign.kind, 0))
            kept.extend(lines[place])
            place += 1
        else:
            while kept and kept[-1].start >= found[0][0].start:
                kept.pop()  # the names above
            kept.extend(found[0])
            place = found[1]
    return kept


# -- lists in lists, [[1, 0], · [[2, 1], -------------------------------------------------------------------------------


def _nested(lines: Sequence[Sequence[Lexeme]], place: int, text: str) -> tuple[list[Lexeme], int] | None:
    if sum(sign.kind == "open" and sign.text == "[" for sign in lines[place]) < 4:
        return None
    groups = _groups(lines[place], text)
    if groups is None or len(groups) < 2 or not all((one.opens, one.closes) == (2, 1) for one in groups):
        return None
    between = _between(lines[place], groups)
    if not all(map(_joins, map(_without_comma, between[1:-1]))) or len(_without_comma(between[-1])) > 0:
        return None
    wholes = [_Whole(one.column, [one.inner]) for one in groups]
    joints = [_without_comma(each) for each in between[1:-1]]
    while any(one.is_open for one in wholes):
        place += 1
        if place >= len(lines) or not _row_of_nested(lines[place], wholes, joints, text):
            return None
    made = list(between[0])
    for number, whole in enumerate(wholes):
        made.extend((*whole.signs(), *(joints[number] if number < len(joints) else ())))
    return [*made, *(sign for sign in lines[place][-1:] if sign.kind == "line")], place + 1


def _row_of_nested(line: Sequence[Lexeme], wholes: Sequence[_Whole], joints: list[list[Lexeme]], text: str) -> bool:
    """One more row of matrices that are open."""
    groups = _groups(line, text) if line else None
    if not groups or any(one.opens != 1 or one.closes > 2 for one in groups):
        return False
    between = _between(line, groups)
    among = [place for place, one in enumerate(wholes) if one.is_open]
    which = _nearest([one.column for one in groups], [wholes[each].column for each in among])
    if which is None or between[0]:
        return False
    for number, (at, group) in enumerate(zip(which, groups, strict=True)):
        one = wholes[among[at]]
        one.rows.append(group.inner)
        one.is_open = group.closes == 1
        joint = _without_comma(between[number + 1])
        if joint and number + 1 < len(groups):
            if joints[among[at]] or not _joins(joint):
                return False
            joints[among[at]] = joint
    return True


def _nearest(columns: Sequence[int], among: Sequence[int]) -> list[int] | None:
    """Which of some columns each of others stands at, in order."""
    if len(columns) > len(among):
        return None
    if len(columns) == len(among):
        return list(range(len(columns)))
    found: list[int] = []
    for place, column in enumerate(columns):
        left = range(found[-1] + 1 if found else 0, len(among) - (len(columns) - place - 1))
        best = min(left, key=lambda each: abs(among[each] - column))
        if abs(among[best] - column) > _MOST_COLUMNS_OFF:
            return None
        found.append(best)
    return found


# -- rows in brackets of their own, [1, 0]  =  [2, 1] ------------------------------------------------------------------


_RowBeside = tuple[list[_Group], list[list[Lexeme]], list[Lexeme]]
"""The groups of a line, what stands between them, and a statement of its own behind them."""

_MOST_ROWS: Final = 64
"""Of one matrix: so many lines are looked at from each line on."""


def _plain(
    lines: Sequence[Sequence[Lexeme]], place: int, text: str, known: dict[int, _RowBeside | None]
) -> tuple[list[Lexeme], int] | None:
    rows: list[_RowBeside] = []
    last = place
    while last < min(len(lines), place + _MOST_ROWS):
        row = known[last] = known[last] if last in known else _row_of_plain(lines[last], text)
        if row is None:
            break
        rows.append(row)
        last += 1
    most = max((len(groups) for groups, *_ in rows), default=0)
    behind = [sign for *_, rest in rows for sign in rest]
    if len(rows) < 2 or most < (1 if behind else 2):
        return None
    if not any(signs for _, between, _ in rows for signs in between) and _heads_above(lines, place, most) is None:
        return None
    columns = [one.column for one in max(rows, key=lambda row: len(row[0]))[0]]
    wholes = [_Whole(column) for column in columns]
    joints: list[list[Lexeme]] = [[] for _ in range(most + 1)]
    for groups, between, _ in rows:
        which = _nearest([one.column for one in groups], columns)
        if which is None or not _put(joints, between, which):
            return None
        for at, group in zip(which, groups, strict=True):
            wholes[at].rows.append(group.inner)
    made = _named(lines, place, wholes, joints)
    end = [sign for sign in lines[last - 1][-1:] if sign.kind == "line"]
    return None if made is None else ([*made, *end, *behind], last)


def _row_of_plain(line: Sequence[Lexeme], text: str) -> _RowBeside | None:
    groups = _groups(line, text) if line else None
    if not groups or any((one.opens, one.closes) != (1, 1) for one in groups):
        return None
    *between, rest = _between(line, groups)
    if not all(map(_joins, between)) or not any(_has_figure(one) for one in groups):
        return None
    if rest and not (rest[0].kind in ("name", "word") and any(sign.kind == "relation" for sign in rest[1:4])):
        return None
    return groups, [*between, []], [*rest, *line[-1:]] if rest else []


def _bare(lines: Sequence[Sequence[Lexeme]], place: int, text: str) -> tuple[list[Lexeme], int] | None:
    """Matrices without brackets beside each other: ``Y =  1  2     H =  1  0`` and more figures below."""
    line, columns = lines[place], [_column(sign, text) for sign in lines[place]]
    heads = [
        at
        for at, sign in enumerate(line)
        if sign.kind in ("name", "word") and (not at or line[at - 1].kind == "figure")
    ]
    joints = [[*takewhile(lambda sign: not _is_of_figure(sign), line[at:])] for at in heads]
    if len(heads) < 2 or not all(_joins(joint) and joint[-1].kind == "relation" for joint in joints):
        return None
    wholes = [_Whole(columns[at]) for at in heads]
    ends = [*(whole.column for whole in wholes[1:]), _MOST_COLUMNS]
    behind, end = {sign.start for joint in joints for sign in joint}, place
    while end < len(lines):
        figures = [sign for sign in lines[end] if sign.kind != "line" and sign.start not in behind]
        if not figures or not all(map(_is_of_figure, figures)) or _column(figures[0], text) < columns[0]:
            break
        for whole, last in zip(wholes, ends, strict=True):
            if row := [sign for sign in figures if whole.column <= _column(sign, text) < last]:
                opened, closed = (replace(row[at], kind=kind, text="[") for at, kind in ((0, "open"), (-1, "close")))
                whole.rows.append((opened, *row, closed))
        end += 1
    widths = [{sum(sign.kind == "figure" for sign in row) for row in whole.rows} for whole in wholes]
    if end - place < 2 or any(len(each) != 1 for each in widths) or max(map(max, widths)) < 2:
        return None
    last_line = replace(lines[end - 1][-1], kind="line", text="\n")
    return [s for joint, whole in zip(joints, wholes, strict=True) for s in (*joint, *whole.signs(), last_line)], end


def _is_of_figure(sign: Lexeme) -> bool:
    return sign.kind == "figure" or (sign.kind == "op" and sign.text == "-")


def _column(sign: Lexeme, text: str) -> int:
    return sign.start - text.rfind("\n", 0, sign.start) - 1


def _has_figure(group: _Group) -> bool:
    return any(sign.kind == "figure" for sign in group.inner)


def _put(joints: list[list[Lexeme]], between: Sequence[list[Lexeme]], which: Sequence[int]) -> bool:
    """What one line has between its matrices: only one line has it."""
    for number, signs in enumerate(between[:-1]):
        if not signs:
            continue
        at = which[number]
        if joints[at]:
            return False
        joints[at] = signs
    return True


def _named(
    lines: Sequence[Sequence[Lexeme]], place: int, wholes: Sequence[_Whole], joints: Sequence[list[Lexeme]]
) -> list[Lexeme] | None:
    """One matrix after the other with what stands between, or with the names that stand above."""
    before = joints[0]
    if before and before[-1].kind != "relation":
        return None
    if not any(joints):
        heads = _heads_above(lines, place, len(wholes))
        if heads is None:
            return None
        made: list[Lexeme] = []
        for head, whole in zip(heads, wholes, strict=True):
            equals = Lexeme("relation", "=", head.end, head.end, True, head.piece, head.mode)
            line = Lexeme("line", "\n", head.end, head.end, False, head.piece, head.mode)
            made.extend((*([line] if made else ()), replace(head, kind="name"), equals, *whole.signs()))
        return made
    if not all(joints[1:-1]):
        return None
    return [sign for joint, whole in zip(joints, wholes, strict=False) for sign in (*joint, *whole.signs())]


def _heads_above(lines: Sequence[Sequence[Lexeme]], place: int, many: int) -> list[Lexeme] | None:
    """The names that stand above matrices, each with ``=`` or no more than a remark in brackets behind it."""
    line = lines[place - 1] if place else []
    heads, depth = [], 0
    for sign in line:
        if sign.kind in ("word", "name") and depth <= 0:
            heads.append(sign)
        depth += {"open": 1, "close": -1}.get(sign.kind, 0)
    return heads if len(heads) == many and all(sign.kind != "figure" for sign in line[:1]) else None


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
    spaced: bool
    """Whether blanks stand inside the brackets, as nobody writes who means a list and no program prints."""


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
    said = bool(before) and before[-1].kind == "colon"
    spaced = bracketed and line[last].blank and line[place + 1].blank
    return _Row(place, tuple(reversed(entries)), label, joins, walled, bracketed, said, spaced)


def _fits(run: Sequence[_Row], row: _Row) -> bool:
    first = run[0]
    if (
        row.bracketed != first.bracketed
        or len(row.entries) != len(first.entries)
        or (row.joins and any(one.joins for one in run))
    ):
        return False
    if row.joins and (not (row.walled or row.spaced) or any(one.label for one in run)):
        return False
    return bool(row.label) == bool(first.label) or first.joins or row.joins or not row.label


def with_rows(lexemes: Sequence[Lexeme], text: str, *, comma: bool = False) -> list[Lexeme]:
    """The same signs, with one sign for each matrix that stands there as rows of figures under each other."""
    lines = [[sign for sign in line if sign.kind != "line"] for line in lines_of(lexemes)]
    rows = [_row(line, text, comma) for line in lines]
    kept: list[Lexeme] = []
    place = 0
    while place < len(lines):
        run: list[_Row] = []
        while place + len(run) < len(lines):
            row = rows[place + len(run)]
            if row is None or (run and not _fits(run, row)) or (row.joins and run and not (row.walled or row.spaced)):
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
        drawn = wide > 1 and all(row.spaced and (row.joins or not row.label) for row in run)
        return len(run) > 1 and (led or named or drawn or (run[0].joins and not any(row.label for row in run[1:])))
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
