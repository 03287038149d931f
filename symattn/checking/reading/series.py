r"""Figures that commas set beside each other: ``p = 0.7, 0.2, 0.1`` is a list, and
``\frac{1}{4}, \frac{3}{4} = 0.25, 0.75`` says two things.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from symattn.checking.reading.tree import (
    Combined,
    Expressed,
    FigureRead,
    GridRead,
    Member,
    NameRead,
    Statement,
    Talk,
    ToldPart,
)

_ROOM: Final = r"(?:[^\S\n]|\n(?!\s*\n)|\\[,;:! ]|\\q?quad\b)*"
_GAP: Final = re.compile(rf"{_ROOM}[,，、]{_ROOM}")
_COMMAS: Final = (",", "，", "、")
_SIGNS: Final = re.compile(r"<[^<>]*>|[\s$()\\]+")
_APART: Final = 300
"""How far figures beside each other are apart, with the signs of their formulas."""
_AND: Final = frozenset("and und et y e i и та ve và dan en oraz bzw or & 和 与 與 及 以及 와 과 と および".split())
FEWEST: Final = 3
"""Fewer figures beside each other are no list."""


def in_series(told: Sequence[ToldPart], text: str) -> Iterator[ToldPart]:
    """The same, where statements that only commas divide are one list, or as many statements as there are formulas."""
    told = [each for one in told for each in _each_name(one)]
    place = 0
    while place < len(told):
        run = _run(told, place, text)
        and_last = _and_last(told[place + len(run) : place + len(run) + 2], run)
        if len(run) > 1:
            yield from _gathered([*run, *and_last])
        elif run and _are_beside(run[0], told[place + 1 : place + 2], text):
            yield from _one_by_one(told[place : place + 2])
        else:
            yield told[place]
        place += max(1, len(run) + 2 * len(and_last))


def _each_name(one: ToldPart) -> Iterator[ToldPart]:
    """``[w, b] = [0.5, 1]`` says what each of the names is."""
    match one:
        case Statement(sides=(Member(of=GridRead((names,))), *others), is_code=False) if others and all(
            isinstance(each, NameRead) for each in names
        ):
            lists = [side.of.rows[0] for side in others if isinstance(side.of, GridRead) and len(side.of.rows) == 1]
            if len(lists) == len(others) and all(len(each) == len(names) for each in lists):
                for name, *worth in zip(names, *lists, strict=True):
                    sides = [Member(side.relation, value) for side, value in zip(others, worth, strict=True)]
                    yield Statement((Member(None, name), *sides), name.start, worth[-1].end)
                return
    yield one


def _run(told: Sequence[ToldPart], place: int, text: str) -> list[Statement]:
    """Statements with nothing but commas between them."""
    run: list[Statement] = []
    for one in told[place:]:
        if not isinstance(one, Statement) or one.is_code:
            break
        if run and not _GAP.fullmatch(text, run[-1].end, one.start):
            break
        run.append(one)
    return run


def _and_last(behind: Sequence[ToldPart], run: Sequence[Statement]) -> list[Statement]:
    """The last figure of ``0.71, 0, and 0.50``."""
    match behind:
        case (Talk(text=word), Statement(sides=(Member(of=FigureRead()),), is_code=False) as last) if (
            len(run) > 1 and word.strip(" ,").lower() in _AND and isinstance(_alone(run[-1]), FigureRead)
        ):
            return [last]
    return []


def _gathered(run: list[Statement]) -> Iterator[ToldPart]:
    place = 0
    while place < len(run):
        count = _figures(run, place + 1)
        formulas = _formulas(run, place)
        if formulas and _figures(run, place + formulas + 1) >= formulas:
            yield from _paired(run[place : place + formulas + 1], run[place + formulas + 1 :][:formulas])
            place += 2 * formulas + 1
        elif count + 1 >= FEWEST and _is_list(run[place : place + count + 1]):
            yield _listed(run[place : place + count + 1])
            place += count + 1
        else:
            yield from _one_by_one(run[place : place + 2])
            place += 1


def _alone(one: Statement) -> Expressed | None:
    return one.sides[0].of if len(one.sides) == 1 else None


def _figures(run: Sequence[Statement], place: int) -> int:
    """How many figures stand alone from here on."""
    first = place
    while place < len(run) and isinstance(figure := _alone(run[place]), FigureRead) and not figure.text.endswith("%"):
        place += 1
    return place - first


def _is_list(run: Sequence[Statement]) -> bool:
    """Whether figures, the first of which may have a name, are a list: ``i = 1, 2, 3`` and ``T = 0.5, 1, 2`` are one by
    one.
    """
    *before, first = run[0].sides
    if len(before) > 1 or not isinstance(first.of, FigureRead):
        return False
    figures = [first.of, *(one.sides[0].of for one in run[1:])]
    fine = sum(1 for each in figures if isinstance(each, FigureRead) and each.unit < 1)
    return not before or (_is_named(before[0].of) and 2 * fine > len(figures))


def _is_named(written: Expressed) -> bool:
    """Whether names are all that a formula is made of but for numbers that they are divided by: ``z``, ``z / 2``."""
    return isinstance(written, NameRead) or (
        isinstance(written, Combined) and written.op in ("*", "/", "call:exp") and _is_named(written.args[0])
    )


def _are_beside(one: Statement, behind: Sequence[ToldPart], text: str) -> bool:
    """Whether two statements are formulas of their own with only a comma between them: ``$n = 1$, $2$``."""
    match behind:
        case (Statement(start=start),) if 0 < start - one.end < _APART:
            return _SIGNS.sub("", text[one.end : start]) in _COMMAS
    return False


def _one_by_one(told: Sequence[ToldPart]) -> Iterator[ToldPart]:
    """``n = 1, 2 and 3``: a name that stands for one number after the other stands for none of them."""
    match told:
        case (
            Statement(sides=(Member(of=NameRead()), Member(of=FigureRead(unit=1))), is_code=False) as one,
            Statement(sides=(Member(of=FigureRead(unit=1)),)),
        ):
            yield from (replace(one, sides=(Member(None, side.of),)) for side in one.sides)
        case _:
            yield told[0]


def _formulas(run: Sequence[Statement], place: int) -> int:
    """How many formulas stand before the one that a figure follows; the first may have a name."""
    count = 0
    for number, one in enumerate(run[place:]):
        last = one.sides[-1].of
        named = number == 0 and len(one.sides) == 2 and isinstance(one.sides[0].of, NameRead)
        if isinstance(last, Combined | NameRead) and (named or len(one.sides) == 1):
            count += 1
            continue
        is_end = len(one.sides) == 2 and isinstance(one.sides[0].of, Combined | NameRead) and count > 0
        is_end = is_end and isinstance(last, FigureRead)
        return count if is_end else 0
    return 0


def _listed(run: Sequence[Statement]) -> Statement:
    """A name, and the list of figures that it is."""
    *before, first = run[0].sides
    cells = (first.of, *(one.sides[0].of for one in run[1:]))
    grid = GridRead((cells,), "tuple", 1, first.of.start, cells[-1].end)
    return replace(run[0], sides=(*before, replace(first, of=grid)), end=run[-1].end)


def _paired(formulas: Sequence[Statement], figures: Sequence[Statement]) -> Iterator[Statement]:
    """Each formula with its figure, and the list that all are where it has a name."""
    *_, last = formulas
    left = [one.sides[-1].of for one in formulas[:-1]] + [last.sides[0].of]
    right = [last.sides[1].of, *(one.sides[0].of for one in figures)]
    relation = last.sides[1].relation
    if len(formulas[0].sides) == 2:
        lists = [GridRead((tuple(each),), "tuple", 1, each[0].start, each[-1].end) for each in (left, right)]
        sides = (formulas[0].sides[0], Member("=", lists[0]), Member(relation, lists[1]))
        yield Statement(sides, formulas[0].start, figures[-1].end)
        return
    for formula, figure in zip(left, right, strict=True):
        yield Statement((Member(None, formula), Member(relation, figure)), formula.start, figure.end)
