"""The figures a source prints beside the derived ones: what agrees, what differs, and why where the reason is known."""

from __future__ import annotations

from dataclasses import dataclass

from flint import fmpq

from symattn.document.math import Letter, Math, Number, Parens, Script, Sign, seq
from symattn.scenario.model import Scenario
from symattn.solution import Solution
from symattn.solution.figures import entry_name, rounded
from symattn.solution.intervals import rounded_outwards
from symattn.solution.shown import Shown
from symattn.values.ends import Bounds
from symattn.values.rounding import is_infinite, power_text, read_figure, read_printed, rounded_text, scale_of

FINEST = 60
"""Decimals of a derived interval beyond which nobody looks for the gap between it and a printed figure."""


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
class Count:
    """How much was compared: printed matrices, and the figures in them."""

    matrices: int = 0
    figures: int = 0

    def plus(self, figures: int) -> Count:
        """One matrix more, with so many figures."""
        return Count(self.matrices + 1, self.figures + figures)


@dataclass(frozen=True)
class Comparison:
    """All printed figures of a scenario against a solution.

    What rests on rounded figures has a count of its own: there a figure can agree, and not be reproduced.
    """

    matrices: int
    figures: int
    differences: tuple[Difference, ...]
    intervals: Count = Count()


def place_in(symbol: Math, row: int, column: int) -> Math:
    """A_{1,2}: one entry of a matrix, as what a source prints is spoken of."""
    base = symbol if isinstance(symbol, Letter) else Parens(symbol)
    return Script(base, sub=seq(Number(str(row)), Sign(","), Number(str(column))))


def compare(scenario: Scenario, solution: Solution, only: str | None = None) -> Comparison:
    """Every printed figure (of one name) is compared with the derived value, rounded to as many decimals as it has.

    Where the value is known as an interval only, a printed figure agrees if some number in the interval rounds to it.
    """
    exact, intervals = Count(), Count()
    found: list[Difference] = []
    for name, rows in scenario.printed.items():
        if only not in (None, name):
            continue
        figures = [figure for row in rows for cell in row for figure in cell.split()]
        if solution.shown(name) is Shown.INTERVALS:
            intervals = intervals.plus(len(figures))
        else:
            exact = exact.plus(len(figures))
        height, width = solution.rows(name), solution.columns(name)
        if len(rows) != height or any(len(row) != width for row in rows):
            widths = sorted({len(row) for row in rows})
            shown = "/".join(map(str, widths))
            found.append(Difference(name, 0, 0, f"{len(rows)}×{shown}", f"{height}×{width}"))
        if len(figures) != height * width:
            continue
        for index, text in enumerate(figures):
            derived = _derived(solution, name, index, text)
            if derived is not None:
                found.append(Difference(name, index // width + 1, index % width + 1, text, *derived))
    return Comparison(exact.matrices, exact.figures, tuple(found), intervals)


def _derived(solution: Solution, name: str, index: int, printed: str) -> tuple[str, ...] | None:
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
