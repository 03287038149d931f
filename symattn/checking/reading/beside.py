"""Matrices that stand beside each other in lines of text, row by row: each becomes one list of rows, in its place.

::

    Q = [[1, 0],  · [[2, 1],      [1, 2]     [0.5, 1]
         [0, 1]]     [1, 1]]      [0, 4]  =  [0,   2]
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from symattn.checking.reading.lexer import Lexeme

_LEFT: Final = frozenset("⎡⎢⎣┌│└╭╰")
_RIGHT: Final = frozenset("⎤⎥⎦┐│┘╮╯")
_JOINING: Final = frozenset(["relation", "op", "name", "word", "comma", "T", "script", "sum"])
_MOST_COLUMNS_OFF: Final = 6


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
    return len(signs) <= 4 and all(sign.kind in _JOINING for sign in signs)


def _without_comma(signs: Sequence[Lexeme]) -> list[Lexeme]:
    return list(signs[1:] if signs and signs[0].kind == "comma" else signs)


def side_by_side(lexemes: Sequence[Lexeme], text: str) -> list[Lexeme]:
    """The same signs, with matrices that stand beside each other put one after the other."""
    lines = lines_of(lexemes)
    rows: dict[int, _Row | None] = {}
    kept: list[Lexeme] = []
    place = 0
    depth = 0
    while place < len(lines):
        is_free = depth == 0 and bool(lines[place])
        found = (_nested(lines, place, text) or _plain(lines, place, text, rows)) if is_free else None
        if found is None:
            for sign in lines[place]:
                depth = max(0, depth + {"open": 1, "close": -1}.get(sign.kind, 0))
            kept.extend(lines[place])
            place += 1
        else:
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


_Row = tuple[list[_Group], list[list[Lexeme]]]

_MOST_ROWS: Final = 64
"""Of one matrix: so many lines are looked at from each line on."""


def _plain(
    lines: Sequence[Sequence[Lexeme]], place: int, text: str, known: dict[int, _Row | None]
) -> tuple[list[Lexeme], int] | None:
    rows: list[_Row] = []
    last = place
    while last < min(len(lines), place + _MOST_ROWS):
        row = known[last] = known[last] if last in known else _row_of_plain(lines[last], text)
        if row is None:
            break
        rows.append(row)
        last += 1
    most = max((len(groups) for groups, _ in rows), default=0)
    if len(rows) < 2 or most < 2 or len(rows[0][0]) != most:
        return None
    if not any(signs for _, between in rows for signs in between) and _heads_above(lines, place, most) is None:
        return None
    columns = [one.column for one in rows[0][0]]
    wholes = [_Whole(column) for column in columns]
    joints: list[list[Lexeme]] = [[] for _ in range(most + 1)]
    for groups, between in rows:
        which = _nearest([one.column for one in groups], columns)
        if which is None or not _put(joints, between, which):
            return None
        for at, group in zip(which, groups, strict=True):
            wholes[at].rows.append(group.inner)
    made = _named(lines, place, wholes, joints)
    end = [sign for sign in lines[last - 1][-1:] if sign.kind == "line"]
    return None if made is None else ([*made, *end], last)


def _row_of_plain(line: Sequence[Lexeme], text: str) -> _Row | None:
    groups = _groups(line, text) if line else None
    if not groups or any((one.opens, one.closes) != (1, 1) for one in groups):
        return None
    between = _between(line, groups)
    if not all(map(_joins, between)) or between[-1] or not any(_has_figure(one) for one in groups):
        return None
    return groups, between


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
    """The names that stand above matrices, each with no more than a remark in brackets behind it."""
    line = lines[place - 1] if place else []
    heads, depth = [], 0
    for sign in line:
        if sign.kind in ("word", "name") and depth <= 0:
            heads.append(sign)
        depth += {"open": 1, "close": -1}.get(sign.kind, 0)
    return heads if len(heads) == many and all(sign.kind != "figure" for sign in line[:1]) else None
