"""Compare the figures that a source prints with the derived ones."""

from __future__ import annotations

from dataclasses import dataclass

from symattn.base.printed import is_infinite, power_text, read_figure, read_printed, rounded_text, scale_of
from symattn.claims.judge import accepted, agrees
from symattn.compute.solution.figures import entry_name, rounded
from symattn.compute.solution.intervals import rounded_outwards
from symattn.compute.solution.store import Shown, Store
from symattn.compute.values.ends import Bounds
from symattn.read.scenario.model import Scenario

FINEST = 60
"""The most decimals of a derived interval in which a gap between it and a printed figure is shown."""


@dataclass(frozen=True)
class Difference:
    """One place where the source and the derivation differ. Row and column are 0 for the layout of a whole matrix.

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
    """A printed matrix compared with a solution: its number of figures, and where they differ."""

    figures: int
    differences: tuple[Difference, ...] = ()
    intervals: bool = False
    """Whether it depends on rounded figures: a figure may then agree without being reproduced."""


def compare(scenario: Scenario, solution: Store, name: str) -> PrintedMatrix:
    """Compare every printed figure of a name with the derived value, rounded to as many decimals as the figure has.

    Where only an interval is known, a printed figure agrees if some number in the interval rounds to it.
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
    """Return the figure that belongs here (or the ends of its interval), or ``None`` if the printed one is right."""
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
    """Return the ends of an interval in which no number rounds to the printed figure, else ``None``.

    They get as many decimals as it takes to see the gap, and at least one more than the figure.
    """
    parsed = read_printed(printed)
    if derived.hidden:
        return None if printed == "-oo" else ("-oo",)
    if parsed is None:
        return rounded_outwards(derived, 1)
    value, places = parsed
    scale = scale_of(places)
    if agrees(derived, value, scale):
        return None
    low, high = (end / scale for end in accepted(value, scale))
    for finer in range(max(0, places + 1), FINEST):
        ends = rounded_outwards(derived, finer)
        below, above = (read_figure(end) for end in ends)
        if below is not None and above is not None and (below[0] > high or above[0] < low):
            return ends
    return rounded_outwards(derived, FINEST)


def unexplained(scenario: Scenario, solution: Store) -> tuple[str, ...]:
    """Return the names whose printed figures differ from the derived ones, and have no reason in the file."""
    told = (name for name in scenario.printed if name not in scenario.reasons)
    return tuple(name for name in told if compare(scenario, solution, name).differences)
