"""The question sheet: the task, the givens, and for each part its formula, a grid of blanks and room to work."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from math import ceil
from string import ascii_lowercase

from symattn.course.model import Exercise, Part
from symattn.course.sheet.in_words import understanding
from symattn.course.sheet.paper import Paper
from symattn.operations import ArgMax, Softmax
from symattn.show.blocks import Block, Document, Equation, Field, Fields, Phrase, Room, Table, Task
from symattn.show.math import Blank, Chain, Fraction, Math, Number, Root, Shaped, joined

LEAST, MOST = 3, 8
"""The fewest and the most lines of room for a part; on paper, the parts share the rest of a page."""

AROUND = 4
"""The approximate number of lines that a task and its formula take."""

PER_ROW = 1.5
"""The approximate number of lines that a row of blanks takes."""

FOR_A_NUMBER = 3
"""The lines of room for a number."""

IN_WORDS = 2
"""The lines of room for an answer in words."""

EXACT = (Number("1/3"), Fraction(Root(Number("2")), Number("2")))
"""Exact answers, as examples of what may be written."""


def question(exercise: Exercise, language: str | None = None, student: str = "") -> Document:
    """Return the question sheet of an exercise, in its own language or another one.

    >>> from symattn.course.model import Part
    >>> text = 'title = "Double"\\n[given]\\nX = [["1/3"]]\\n[[section]]\\ntitle = "S"\\nsteps = ["Y = 2 * X"]'
    >>> part = Part("Y", "matrix", 3, (("0.667",),), ((0, 0),))
    >>> page = question(Exercise("double", 1, 7, 3, "en", text, (part,)))
    >>> [type(block).__name__ for block in page.blocks[-3:]]
    ['Room', 'Task', 'Room']
    """
    paper = Paper(exercise, language or exercise.language)
    return Document(paper.title(key=False), paper.language, tuple(question_blocks(paper, student)))


def question_blocks(paper: Paper, student: str = "") -> Iterator[Block]:
    """Yield everything on a question sheet below its title."""
    yield from paper.head(student)
    yield from paper.task()
    yield from paper.givens()
    match paper.exercise.form:
        case "wrong-entry":
            yield from _solution_with_one_wrong(paper)
        case "order":
            yield from _steps_in_disorder(paper)
        case "fading":
            yield from _worked_steps(paper)
        case _:
            yield from _shown_steps(paper)
    yield from _how_to_answer(paper)
    for number, part in enumerate(paper.exercise.parts):
        yield from _part(paper, number, part)
    yield Task(understanding(paper)[0], IN_WORDS + 1)
    yield Room(IN_WORDS)


# -- what is shown before the parts --------------------------------------------------------------------------------


def _shown_steps(paper: Paper) -> Iterator[Block]:
    shown = [step for step in paper.worked if step.name in paper.exercise.shown]
    if shown:
        yield Phrase("sheet_known", (), "lead")
    for step in shown:
        yield Equation((paper.own_line(step),))
        yield paper.steps.parts.matrix(step.name)


def _worked_steps(paper: Paper) -> Iterator[Block]:
    """Yield the shown steps, each worked out as in a solution."""
    shown = [step for step in paper.worked if step.name in paper.exercise.shown]
    if shown:
        yield Phrase("sheet_first_steps", (("count", len(shown)), ("all", len(paper.worked))), "lead")
    for step in shown:
        yield from paper.steps.step(step.name, None, None)


def _solution_with_one_wrong(paper: Paper) -> Iterator[Block]:
    planted = paper.exercise.planted
    yield Phrase("sheet_solution", (), "lead")
    for number, step in enumerate(paper.worked, 1):
        yield Task(Phrase("sheet_step", (("number", number),)), AROUND + paper.solution.rows(step.name))
        yield Equation((paper.own_line(step),))
        cells = paper.decimals(step.name)
        if planted is not None and planted.step == step.name:
            wrong, right = Number(planted.figure), cells.entries
            place = (planted.row, planted.column)
            cells = paper.matrix(step.name, lambda i, j: wrong if (i, j) == place else right[i][j])  # noqa: B023
        yield cells


def _steps_in_disorder(paper: Paper) -> Iterator[Block]:
    yield Phrase("sheet_disorder", (), "lead")
    header = (Phrase("head_number"), Phrase("head_step"))
    lines = [paper.own_line(paper.plan[name]) for name in paper.exercise.order]
    yield Table(header, tuple(((str(number),), (line,)) for number, line in enumerate(lines, 1)))


def _how_to_answer(paper: Paper) -> Iterator[Block]:
    """Yield how many decimals are asked for, and that rounded rows need not sum to 1."""
    parts = [part for part in paper.exercise.parts if part.kind == "matrix" and part.asked]
    if parts:
        yield Phrase("sheet_decimals", (("decimals", max(part.decimals for part in parts)), ("examples", EXACT)))
    if any(_sums_look_wrong(paper, part) for part in parts):
        yield Phrase("sheet_rounded_rows", (("total", Number("1")),))


def _sums_look_wrong(paper: Paper, part: Part) -> bool:
    """Return whether the printed figures of a softmax do not sum to 1 in some row."""
    step = paper.plan.by_name.get(part.name)
    if part.kind != "matrix" or step is None or not isinstance(step.formula, Softmax):
        return False
    return any(sum(map(Decimal, row)) != 1 for row in part.key)


# -- the parts -----------------------------------------------------------------------------------------------------


def _part(paper: Paper, number: int, part: Part) -> Iterator[Block]:
    symbol = paper.names(part.name) if part.kind in ("shape", "number") else None
    mark = _mark(paper, number)
    match part.kind:
        case "place":
            yield _task("task_place", mark, AROUND + 1)
            yield Fields(tuple(Field(Phrase(key)) for key in ("field_step", "field_row", "field_column")))
            yield Fields((Field(Phrase("field_right")),))
            yield Room(LEAST)
        case "order":
            yield _task("task_order", mark, AROUND)
            yield Equation((Chain(joined([Blank(3) for _ in part.key[0]], ",")),), "statement")
        case "shape":
            yield _task("task_shape", mark, AROUND + LEAST, symbol)
            yield paper.definition(part.name, _known(paper, number))
            yield Equation((Chain(Shaped(paper.names(part.name), Blank(3), Blank(3), long=True)),), "shapes")
            yield Room(LEAST // 2)
        case "number":
            yield _task("task_number", mark, AROUND + FOR_A_NUMBER, symbol)
            yield Equation((Chain(paper.names(part.name), (("=", Blank(12)),)),), "statement")
            yield Room(FOR_A_NUMBER)
        case "matrix" if paper.exercise.form == "wrong-entry":
            # The sheet asks for the right value of the wrong entry together with its place.
            return
        case "matrix":
            yield from _matrix(paper, number, part, mark)


def _matrix(paper: Paper, number: int, part: Part, mark: str) -> Iterator[Block]:
    rows, columns = part.shape
    key = "task_matrix" if len(part.asked) == rows * columns else "task_blanks"
    step = paper.plan.by_name.get(part.name)
    # The place of the largest entry is seen, not computed.
    room = 1 if step is not None and isinstance(step.formula, ArgMax) else min(MOST, LEAST + rows)
    yield _task(key, mark, AROUND + ceil(PER_ROW * rows) + room, paper.names(part.name), len(part.asked))
    yield paper.definition(part.name, _known(paper, number))
    yield paper.cells(part, frozenset(part.asked))
    yield Room(room)


def _known(paper: Paper, number: int) -> tuple[str, ...]:
    """Return the names whose values are on the sheet, or asked for in an earlier part."""
    return (*paper.exercise.shown, *(part.name for part in paper.exercise.parts[:number]))


def _mark(paper: Paper, number: int) -> str:
    """Return a, b, c, … if there are several parts."""
    if len(paper.exercise.parts) == 1 or paper.exercise.form == "wrong-entry":
        return ""
    return ascii_lowercase[number] if number < len(ascii_lowercase) else str(number + 1)


def _task(key: str, mark: str, lines: int, name: Math | None = None, count: int = 1) -> Task:
    told = () if name is None else (("name", name), ("count", count))
    return Task(Phrase(key, (("mark", mark), *told)), lines)
