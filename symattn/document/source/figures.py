"""The figures that a source prints, held against the derived ones: at the end, or where they are spoken of."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from sympy import Integer

from symattn.document.blocks import Block, Heading, Inline, Matrix, Phrase, Readings, Table
from symattn.document.forms.intervals import rows_can_sum
from symattn.document.forms.window import Window
from symattn.document.math import Interval, Math, Number, seq
from symattn.document.notation.formulas import Names
from symattn.document.source.compare import Comparison, Count, Difference, compare, place_in
from symattn.document.steps import size
from symattn.operations import Proportions, Softmax
from symattn.operations.stages import same_as_ours
from symattn.scenario.given import Given
from symattn.scenario.model import Scenario
from symattn.scenario.problem import Problem
from symattn.scenario.rounded import check
from symattn.scenario.words import Words
from symattn.solution import Solution
from symattn.solution.shown import Shown
from symattn.values.rounding import read_figure

Inlines = Callable[[Words], tuple[Inline, ...]]


def comparison(scenario: Scenario, solution: Solution, names: Names, inlines: Inlines) -> Iterator[Block]:
    """All printed figures: how many agree, and a table of those that do not."""
    result = compare(scenario, solution)
    if result.differences:
        yield Heading(1, "", (Phrase("differences_title"),))
    yield from _verdicts(result, solution, ("all_reproduced", "intervals_agree"))
    if not result.differences:
        return
    header = tuple(Phrase(key) for key in ("head_place", "head_printed", "head_derived", "head_reason"))
    rows = []
    for difference in result.differences:
        reason = scenario.reasons.get(difference.name)
        words: tuple[Inline, ...] = (Phrase("reason_unknown"),) if reason is None else inlines(reason)
        rows.append((*_difference(difference, names), words))
    yield Table(header, tuple(rows))


def printed(scenario: Scenario, solution: Solution, name: str, names: Names, window: Window) -> Iterator[Block]:
    """One matrix as the source prints it, and whether its figures agree with the derived ones."""
    rows = scenario.printed[name]
    shape = solution.shape(name)
    cells = tuple(tuple(_figures(cell) for cell in row) for row in rows)
    yield Phrase("lead_printed", (), "lead")
    yield Matrix(names(name), size(shape.rows), size(shape.columns), window.cut(cells), annotated=False)
    result = compare(scenario, solution, only=name)
    found = [*_verdicts(result, solution, ("these_reproduced", "these_agree"), "reading")]
    if isinstance(same_as_ours(solution.step(name).formula), Softmax | Proportions):
        found += _sums(rows)
    yield Readings(tuple(found))


def _sums(rows: tuple[tuple[str, ...], ...]) -> list[Phrase]:
    """That every row of printed weights can sum to 1, where that is so."""
    given = Given.read(rows)
    try:
        check(given, Integer(1))
    except Problem:  # a figure that is no plain decimal, or a row that no rounding explains: nothing is said
        return []
    return [rows_can_sum(given, Integer(1))]


def _figures(cell: str) -> Math:
    return seq(*(Number(figure) for figure in cell.split()))


def _verdicts(
    result: Comparison, solution: Solution, all_agree: tuple[str, str], role: str = "line"
) -> Iterator[Phrase]:
    exact = [found for found in result.differences if solution.shown(found.name) is not Shown.INTERVALS]
    ends = [found for found in result.differences if solution.shown(found.name) is Shown.INTERVALS]
    if result.matrices:
        counts = Count(result.matrices, result.figures)
        yield _agreement(counts, exact, all_agree[0], "differences_intro", role)
    if result.intervals.matrices:
        yield _agreement(result.intervals, ends, all_agree[1], "intervals_differ", role)


def _agreement(count: Count, differences: list[Difference], all_agree: str, some_differ: str, role: str) -> Phrase:
    counts = (("matrices", count.matrices), ("figures", count.figures))
    if not differences:
        return Phrase(all_agree, counts, role)  # type: ignore[arg-type]
    wrong = sum(1 for difference in differences if difference.row)
    told = (*counts, ("same", count.figures - wrong), ("wrong", wrong))
    return Phrase(some_differ, told, role)  # type: ignore[arg-type]


def _difference(difference: Difference, names: Names) -> tuple[tuple[Inline, ...], ...]:
    """Place, printed and derived."""
    symbol = names(difference.name)
    if not difference.row:
        return ((symbol,), (difference.printed,), (difference.derived,))
    shown: Inline = Number(difference.printed) if read_figure(difference.printed) else difference.printed
    derived: Inline = Number(difference.derived)
    if difference.high:
        derived = Interval(Number(difference.derived), Number(difference.high))
    return ((place_in(symbol, difference.row, difference.column),), (shown,), (derived,))
