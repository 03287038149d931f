"""The key: the worked solution, the answers, and the results of mistakes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import ceil

from symattn.base.printed import Printed, alike, same, shape_of
from symattn.claims.mistakes.model import mistake_text
from symattn.course.model import Exercise, Part, Place, Wrong
from symattn.course.sheet.in_words import understanding
from symattn.course.sheet.paper import Paper
from symattn.show.blocks import Block, Document, Equation, Heading, Inline, Phrase, Table
from symattn.show.build import worked
from symattn.show.math import Chain, Grid, Math, Number, Parens, Shaped, Sign, joined, seq
from symattn.write.layout import total_extent

SMALL = 16
"""The most entries of a matrix that the table of mistakes shows whole."""

TOGETHER, AT_ONCE = 8, 30
"""The lines of the table of mistakes to keep below its heading, and the longest table to keep whole."""

AROUND, BETWEEN, PER_ROW = 5, 0.6, 1.2
"""Approximate lines of the table besides its rows, of a row besides its matrix, and of a matrix row."""

MOST = 12
"""The most mistakes in the table: each of them once before any of them twice."""

LISTED = 4
"""The most wrong figures that are listed of a larger matrix."""


def answer(exercise: Exercise, language: str | None = None, student: str = "") -> Document:
    """Return the key of an exercise, in its own language or another one."""
    paper = Paper(exercise, language or exercise.language)
    return Document(paper.title(key=True), paper.language, tuple(key_blocks(paper, student)))


def key_blocks(paper: Paper, student: str = "") -> Iterator[Block]:
    """Yield everything on a key below its title."""
    yield paper.origin()
    if student:
        yield Phrase("sheet_student", (("name", student),))
    yield Heading(paper.inner, "", (Phrase("sheet_answers"),))
    for part in paper.exercise.parts:
        # The right value of the wrong entry is given with its place.
        if paper.exercise.planted is None or part.kind != "matrix":
            yield _answer(paper, part)
    if paper.exercise.planted is not None:
        yield _planted(paper)
    yield understanding(paper)[1]
    down = paper.inner - 1
    for block in worked(paper.scenario, paper.solution, paper.language):
        yield replace(block, level=block.level + down, number="") if isinstance(block, Heading) else block
    if paper.exercise.wrong and paper.exercise.parts:
        yield from _mistakes(paper)


# -- answers -------------------------------------------------------------------------------------------------------


def _answer(paper: Paper, part: Part) -> Block:
    match part.kind:
        case "matrix":
            return paper.cells(part, ())
        case "number":
            return Equation((Chain(paper.names(part.name), (("=", Number(part.key[0][0])),)),), "statement")
        case "shape":
            return Equation((Chain(_shape(paper.names(part.name), part.key)),), "shapes")
        case "order":
            return Equation((Chain(joined(tuple(map(Number, part.key[0])), ",")),), "statement")
    step, row, column = map(int, part.key[0])
    return Phrase("answer_place", (("step", step), ("row", row), ("column", column)))


def _planted(paper: Paper) -> Phrase:
    """Return the sentence with the wrong entry and its right value."""
    planted = paper.exercise.planted
    assert planted is not None
    right = paper.decimals(planted.step).entries[planted.row][planted.column]
    told = (
        ("name", paper.names(planted.step)),
        ("row", planted.row + 1),
        ("column", planted.column + 1),
        ("wrong", Number(planted.figure)),
        ("right", right),
        ("mistake", mistake_text(planted.mistake, "title", paper.language)),
    )
    return Phrase("answer_planted", told)


# -- mistakes ------------------------------------------------------------------------------------------------------


def _mistakes(paper: Paper) -> Iterator[Block]:
    """Yield the table of mistakes, and how many more there are."""
    listed = _listed(paper.exercise.wrong)
    rows = tuple(_row(paper, wrong) for wrong in listed)
    lines = ceil(total_extent(BETWEEN + PER_ROW * _height(row[1]) for row in rows)) + AROUND
    yield Heading(paper.inner, "", (Phrase("sheet_mistakes"),), lines if lines <= AT_ONCE else TOGETHER)
    dot = Sign("·")
    dotted = any(dot in row for cell in rows for grid in _grids(cell[1]) for row in grid.rows)
    head = Phrase("head_wrong_where", (("dot", dot),)) if dotted else Phrase("head_wrong")
    yield Table((Phrase("head_mistake"), head), rows)
    if len(listed) < len(paper.exercise.wrong):
        yield Phrase("sheet_more_mistakes", (("count", len(paper.exercise.wrong) - len(listed)),))


def _listed(wrongs: tuple[Wrong, ...]) -> tuple[Wrong, ...]:
    """Return the mistakes in the table, in the order of the bank."""
    seen: set[str] = set()
    first: list[int] = []
    again: list[int] = []
    for place, wrong in enumerate(wrongs):
        (again if wrong.mistake in seen else first).append(place)
        seen.add(wrong.mistake)
    return tuple(wrongs[place] for place in sorted((first + again)[:MOST]))


def _height(cell: tuple[Inline, ...]) -> int:
    """Return how many lines a cell takes: the rows of the matrix in it."""
    return max((len(grid.rows) for grid in _grids(cell)), default=1)


def _grids(cell: tuple[Inline, ...]) -> tuple[Grid, ...]:
    sides = [side for piece in cell if isinstance(piece, Chain) for _, side in piece.links]
    return tuple(side for side in sides if isinstance(side, Grid))


def _row(paper: Paper, wrong: Wrong) -> tuple[tuple[Inline, ...], ...]:
    title = mistake_text(wrong.mistake, "title", paper.language)
    named = Phrase("sheet_mistake_in", (("title", title), ("name", paper.names(wrong.step))))
    has_steps = len({other.step for other in paper.exercise.wrong}) > 1
    return (named if has_steps else title,), _given_by(paper, wrong)


def _given_by(paper: Paper, wrong: Wrong) -> tuple[Inline, ...]:
    """Return what a mistake gives in the last part that it changes: only the figures that differ from the key."""
    last = paper.exercise.parts[-1]
    for part in reversed(paper.exercise.parts):
        figures = wrong.figures.get(part.name)
        if figures is not None and not same(figures, part.key):
            return _changed(paper, part, figures)
    return (Phrase("sheet_same" if last.name in wrong.figures else "sheet_no_figures"),)


def _changed(paper: Paper, part: Part, figures: Printed) -> tuple[Inline, ...]:
    symbol = paper.names(part.name)
    match part.kind:
        case "number":
            return (Chain(symbol, (("=", Number(figures[0][0])),)),)
        case "shape":
            return (_shape(symbol, figures),)
        case "order" | "place":
            return (joined(tuple(map(Number, figures[0])), ","),)
    if (planted := paper.exercise.planted) is not None:
        return (_entry(paper.names(planted.step), (planted.row, planted.column), figures[0][0]),)
    other = shape_of(figures) != part.shape
    if len(figures) * len(figures[0]) <= SMALL:
        rows = tuple(
            tuple(
                Number(text) if other or not alike(figures, part.key, (i, j)) else Sign("·")
                for j, text in enumerate(row)
            )
            for i, row in enumerate(figures)
        )
        return (Chain(symbol, (("=", Grid(rows)),)),)
    every = [(i, j) for i, row in enumerate(figures) for j in range(len(row))]
    places = [place for place in every if other or not alike(figures, part.key, place)]
    told = (
        ("entries", tuple(_entry(symbol, (i, j), figures[i][j]) for i, j in places[:LISTED])),
        ("more", max(0, len(places) - LISTED)),
    )
    return (Phrase("sheet_wrong_entries", told),)


def _entry(symbol: Math, place: Place, figure: str) -> Math:
    """S (2, 3) = 0.25"""
    i, j = place
    where = seq(Number(str(i + 1)), Sign(","), Number(str(j + 1)))
    return Chain(seq(symbol, Parens(where)), (("=", Number(figure)),))


def _shape(symbol: Math, figures: Printed) -> Math:
    rows, columns = figures[0]
    return Shaped(symbol, Number(rows), Number(columns))
