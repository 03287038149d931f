"""The comparison of a source's printed figures with the derived ones, at the end of a page or for one matrix."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from sympy import Integer

from symattn.base.printed import read_figure
from symattn.claims.source import Difference, PrintedMatrix, compare
from symattn.compute.solution.store import Store
from symattn.operations import Proportions, Softmax
from symattn.operations.stages import same_as_ours
from symattn.read.given import Given
from symattn.read.scenario.model import Scenario
from symattn.read.scenario.problem import Problem
from symattn.read.scenario.rounded import check_rounded
from symattn.read.scenario.words import Words
from symattn.show.blocks import Block, Heading, Inline, Matrix, Phrase, Readings, Table
from symattn.show.forms.intervals import rows_can_sum
from symattn.show.math import Interval, Letter, Math, Number, Parens, Script, Sign, seq
from symattn.show.notation.bases import at_letter
from symattn.show.notation.formulas import Names
from symattn.show.notation.names import axis_size
from symattn.show.window import Window

UNKNOWN = Phrase("reason_unknown")
"""The reason of differences that neither the file nor a known mistake explains."""


def comparison(
    scenario: Scenario,
    solution: Store,
    names: Names,
    inlines: Callable[[Words], tuple[Inline, ...]],
    mistakes: Callable[[], Mapping[str, str]],
) -> Iterator[Block]:
    """Yield how many printed figures agree, and a table of those that differ, each with its reason: that of the file,
    or one of the ``mistakes`` that give the figures of a name."""
    matrices = [compare(scenario, solution, name) for name in scenario.printed]
    differences = [difference for matrix in matrices for difference in matrix.differences]
    if differences:
        yield Heading(2, "", (Phrase("differences_title"),))
    yield from _agreement(matrices, ("all_reproduced", "intervals_agree"))
    if not differences:
        return
    header = tuple(Phrase(key) for key in ("head_place", "head_printed", "head_derived", "head_reason"))
    rows: list[tuple[tuple[Inline, ...], ...]] = []
    said: tuple[Inline, ...] = ()
    without = any(difference.name not in scenario.reasons for difference in differences)
    made = mistakes() if without else {}
    for difference in differences:
        reason = scenario.reasons.get(difference.name)
        unsaid = Phrase("mistake_behind", (("says", made[name]),)) if (name := difference.name) in made else UNKNOWN
        words: tuple[Inline, ...] = (unsaid,) if reason is None else inlines(reason)
        if rows and words not in ((UNKNOWN,), ()) and words == said:
            rows.append((*_difference(difference, names), (Phrase("as_above"),)))
            continue
        said = words
        rows.append((*_difference(difference, names), words))
    yield Table(header, tuple(rows))


def printed(scenario: Scenario, solution: Store, name: str, names: Names, window: Window) -> Iterator[Block]:
    """Yield one matrix as the source prints it, and whether its figures agree with the derived ones."""
    rows, shape = scenario.printed[name], solution.shape(name)
    cells = tuple(tuple(seq(*map(Number, cell.split())) for cell in row) for row in rows)
    yield Phrase("lead_printed", (), "lead")
    yield Matrix(names(name), axis_size(shape.rows), axis_size(shape.columns), window.cut(cells), annotated=False)
    found = [*_agreement([compare(scenario, solution, name)], ("these_reproduced", "these_agree"), "reading")]
    if isinstance(same_as_ours(solution.step(name).formula), Softmax | Proportions):
        found += _sums(rows)
    yield Readings(tuple(found))


def _sums(rows: tuple[tuple[str, ...], ...]) -> list[Phrase]:
    """Return the reading that every row of printed weights can sum to 1, if so."""
    given = Given.read(rows)
    try:
        check_rounded(given, Integer(1))
    except Problem:  # a figure is not a plain decimal, or no rounding explains a row
        return []
    return [rows_can_sum(given, Integer(1))]


def _figures(cell: str) -> Math:
    return seq(*(Number(figure) for figure in cell.split()))


def _agreement(matrices: Sequence[PrintedMatrix], all_agree: tuple[str, str], role: str = "line") -> Iterator[Phrase]:
    """Yield how many figures agree, separately for matrices derived as figures and as intervals."""
    for intervals, some_differ in enumerate(("differences_intro", "intervals_differ")):
        found = [matrix for matrix in matrices if matrix.intervals == intervals]
        figures = sum(matrix.figures for matrix in found)
        counts = (("matrices", len(found)), ("figures", figures))
        if any(matrix.differences for matrix in found):
            wrong = sum(bool(difference.row) for matrix in found for difference in matrix.differences)
            yield Phrase(some_differ, (*counts, ("same", figures - wrong), ("wrong", wrong)), role)  # type: ignore[arg-type]
        elif found:
            yield Phrase(all_agree[intervals], counts, role)  # type: ignore[arg-type]


def place_in(symbol: Math, row: int, column: int | None = None) -> Math:
    """Return A_{1,2}: one entry of a matrix, or of a vector, in the notation for what a source prints."""
    first = Number(str(row))
    place = first if column is None else seq(first, Sign(","), Number(str(column)))
    return at_letter(symbol, lambda name: Script(name if isinstance(name, Letter) else Parens(name), sub=place))


def _difference(difference: Difference, names: Names) -> tuple[tuple[Inline, ...], ...]:
    """Return place, printed and derived figure."""
    symbol = names(difference.name)
    if not difference.row:
        return ((symbol,), (difference.printed,), (difference.derived,))
    shown: Inline = Number(difference.printed) if read_figure(difference.printed) else difference.printed
    derived: Inline = Number(difference.derived)
    if difference.high:
        derived = Interval(Number(difference.derived), Number(difference.high))
    return ((place_in(symbol, difference.row, difference.column),), (shown,), (derived,))
