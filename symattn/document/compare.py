"""The figures a source prints beside the derived ones: what agrees, what differs, and why where the reason is known."""

from __future__ import annotations

from dataclasses import dataclass

from symattn.scenario.model import Scenario
from symattn.solution import Solution
from symattn.solution.figures import rounded
from symattn.values.rounding import decimal_text, power_text, read_figure, scale_of


@dataclass(frozen=True)
class Difference:
    """One place where the source prints something else. Row and column are 0 for the layout of a whole matrix."""

    name: str
    row: int
    column: int
    printed: str
    derived: str


@dataclass(frozen=True)
class Comparison:
    """All printed figures of a scenario against a solution."""

    matrices: int
    figures: int
    differences: tuple[Difference, ...]


def compare(scenario: Scenario, solution: Solution) -> Comparison:
    """Every printed figure is compared with the derived value, rounded to as many decimals as the source shows."""
    count = 0
    found: list[Difference] = []
    for name, rows in scenario.printed.items():
        figures = [figure for row in rows for cell in row for figure in cell.split()]
        count += len(figures)
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
                found.append(Difference(name, index // width + 1, index % width + 1, text, derived))
    return Comparison(len(scenario.printed), count, tuple(found))


def _derived(solution: Solution, name: str, index: int, printed: str) -> str | None:
    """What should stand there, or ``None`` if the printed figure is right."""
    parsed = read_figure(printed)
    width = solution.columns(name)
    if parsed is None:
        ours = solution.figures(name)[index // width][index % width].text
        return None if ours == printed else ours
    value, places = parsed
    number = rounded(solution, name, places, [index])[0]
    if number == value * scale_of(places):
        return None
    return decimal_text(number, places) if abs(number) < 10**12 else power_text(number, -places)
