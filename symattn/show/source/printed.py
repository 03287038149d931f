"""The figures that a source prints, held against the derived ones: at the end, or where they are spoken of."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from flint import fmpq
from sympy import Integer

from symattn.base.printed import is_infinite, power_text, read_figure, read_printed, rounded_text, scale_of
from symattn.compute.solution.figures import entry_name, rounded
from symattn.compute.solution.intervals import rounded_outwards
from symattn.compute.solution.store import Shown, Store
from symattn.compute.values.ends import Bounds
from symattn.operations import Proportions, Softmax
from symattn.operations.stages import same_as_ours
from symattn.read.given import Given
from symattn.read.scenario.model import Scenario
from symattn.read.scenario.problem import Problem
from symattn.read.scenario.rounded import check
from symattn.read.scenario.words import Words
from symattn.show.blocks import Block, Heading, Inline, Matrix, Phrase, Readings, Table
from symattn.show.forms.intervals import rows_can_sum
from symattn.show.math import Interval, Letter, Math, Number, Parens, Script, Sign, seq
from symattn.show.notation.bases import at_letter
from symattn.show.notation.formulas import Names
from symattn.show.notation.names import size
from symattn.show.window import Window

FINEST = 60
"""Decimals of a derived interval beyond which nobody looks for the gap between it and a printed figure."""

UNKNOWN = Phrase("reason_unknown")
"""Said of figures that nobody gives a reason for and no known mistake explains."""


@dataclass(frozen=True)
class Difference:
    """One place where the source prints something else. Row and column are 0 for the layout of a whole matrix.

    Where only an interval is known, ``derived`` is its lower end and ``high`` the other.
    """

    name: str
    row: int
    column: int
    printed: str
    derived: str
    high: str = ""


@dataclass(frozen=True)
class PrintedMatrix:
    """One printed matrix against a solution: how many figures it has, and where something else is derived."""

    figures: int
    differences: tuple[Difference, ...] = ()
    intervals: bool = False
    """Whether it rests on rounded figures: there a figure can agree, and not be reproduced."""


def compare(scenario: Scenario, solution: Store, name: str) -> PrintedMatrix:
    """Every printed figure of a name is compared with the derived value, rounded to as many decimals as it has.

    Where the value is known as an interval only, a printed figure agrees if some number in the interval rounds to it.
    """
    rows, found = scenario.printed[name], []
    figures = [figure for row in rows for cell in row for figure in cell.split()]
    height, width = solution.rows(name), solution.columns(name)
    if len(rows) != height or any(len(row) != width for row in rows):
        widths = "/".join(map(str, sorted({len(row) for row in rows})))
        found.append(Difference(name, 0, 0, f"{len(rows)}×{widths}", f"{height}×{width}"))
    if len(figures) == height * width:
        for index, text in enumerate(figures):
            derived = _derived(solution, name, index, text)
            if derived is not None:
                found.append(Difference(name, index // width + 1, index % width + 1, text, *derived))
    return PrintedMatrix(len(figures), tuple(found), solution.shown(name) is Shown.INTERVALS)


def _derived(solution: Store, name: str, index: int, printed: str) -> tuple[str, ...] | None:
    """What should stand there (one figure, or the ends of an interval), or ``None`` if the printed figure is right."""
    width = solution.columns(name)
    if solution.shown(name) is Shown.INTERVALS:
        return apart(solution.intervals(name)[index // width][index % width], printed)
    name = entry_name(solution, name, index)
    ours = solution.figures(name)[index // width][index % width].text
    if ours == printed:  # which is certified already
        return None
    parsed = read_printed(printed)
    if parsed is None or is_infinite(ours):
        return (ours,)
    value, places = parsed
    number = rounded(solution, name, places, [index])[0]
    if number == value * scale_of(places):
        return None
    return (rounded_text(number, places) if abs(number) < 10**12 else power_text(number, -places),)


def apart(derived: Bounds, printed: str) -> tuple[str, ...] | None:
    """The ends of an interval in which no number rounds to the printed figure, else ``None``.

    They get as many decimals as it takes to see that, and at least one more than the figure.
    """
    parsed = read_printed(printed)
    if derived.hidden:
        return None if printed == "-oo" else ("-oo",)
    if parsed is None:
        return rounded_outwards(derived, 1)
    value, places = parsed
    half = 1 / (2 * fmpq(scale_of(places)))
    low, high = value - half, value + half
    if derived.low <= high and low <= derived.high:
        return None
    for finer in range(max(0, places + 1), FINEST):
        ends = rounded_outwards(derived, finer)
        below, above = (read_figure(end) for end in ends)
        if below is not None and above is not None and (below[0] > high or above[0] < low):
            return ends
    return rounded_outwards(derived, FINEST)


# -- on the page ---------------------------------------------------------------------------------------------------


def comparison(
    scenario: Scenario,
    solution: Store,
    names: Names,
    inlines: Callable[[Words], tuple[Inline, ...]],
    mistakes: Callable[[], Mapping[str, str]],
) -> Iterator[Block]:
    """All printed figures: how many agree, and a table of those that do not, each with its reason: that of the file,
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
    """One matrix as the source prints it, and whether its figures agree with the derived ones."""
    rows, shape = scenario.printed[name], solution.shape(name)
    cells = tuple(tuple(seq(*map(Number, cell.split())) for cell in row) for row in rows)
    yield Phrase("lead_printed", (), "lead")
    yield Matrix(names(name), size(shape.rows), size(shape.columns), window.cut(cells), annotated=False)
    found = [*_agreement([compare(scenario, solution, name)], ("these_reproduced", "these_agree"), "reading")]
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


def _agreement(matrices: Sequence[PrintedMatrix], all_agree: tuple[str, str], role: str = "line") -> Iterator[Phrase]:
    """What is derived as figures and what as intervals, each with what agrees of it."""
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
    """A_{1,2}: one entry of a matrix, or of a vector, as what a source prints is spoken of."""
    first = Number(str(row))
    place = first if column is None else seq(first, Sign(","), Number(str(column)))
    return at_letter(symbol, lambda name: Script(name if isinstance(name, Letter) else Parens(name), sub=place))


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
