"""Mark a workbook that readers fill in: marks in hidden columns, coloured answers, and the right values.

Each answer is compared with a cell of a very hidden sheet that has the live formulas of the step, so marks stay right
when a given is changed. Colours depend on marks of their own sheet, because some programs allow no other references.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from flint import arb

from symattn.api.publish.sheets.layout import SheetMatrix
from symattn.api.publish.sheets.pieces import SheetCell
from symattn.api.publish.sheets.places import SheetPlaces, allowed_for, cell_name, column_name
from symattn.claims.by_hand import BITS, by_hand, or_exact
from symattn.compute.solution.store import Store

if TYPE_CHECKING:
    from xlsxwriter.format import Format
    from xlsxwriter.worksheet import Worksheet

APART = 12
"""Columns between a matrix and its marks, which leave room for lines of text."""

ENDLESS_ANSWERS = ("−∞", "-∞", "-oo", "-inf")
"""The answers accepted for −∞."""


def marked(
    sheet: Worksheet, places: SheetPlaces, items: Sequence[SheetMatrix], looks: tuple[tuple[int, Format], ...]
) -> tuple[str, int]:
    """Write the marks of a sheet beside its matrices; return the formula of their sum, and their number.

    ``looks`` has pairs of a mark and the format of answers with that mark.
    """
    asked = [item for item in items if places.is_answer(item)]
    first = max(map(places.free_column, items)) + APART
    last, lowest, count = first, 0, 0
    for item in asked:
        spot, rows, columns = places.shown(item), len(item.figures), len(item.figures[0])
        for i in range(rows):
            for j in range(columns):
                answer = cell_name(spot.row + i, spot.column + j)
                sheet.write_formula(spot.row + i, first + j, _mark(places, answer, item.name, i, j), None, "")
        mark = cell_name(spot.row, first)
        for worth, look in looks:
            rule = {"type": "formula", "criteria": f"=AND(ISNUMBER({mark}),{mark}={worth})", "format": look}
            sheet.conditional_format(spot.row, spot.column, spot.row + rows - 1, spot.column + columns - 1, rule)
        last, lowest, count = max(last, first + columns - 1), spot.row + rows, count + rows * columns
    sheet.set_column(first, last, 11, None, {"hidden": True})
    return f"=SUM({column_name(first)}1:{column_name(last)}{lowest})", count


def _mark(places: SheetPlaces, answer: str, name: str, i: int, j: int) -> str:
    """Return the formula of a mark: 1 for a right answer, 0 for a wrong one, empty for none."""
    right, allowed = (places.address(SheetCell(key, i, j), "") for key in (name, allowed_for(name)))
    words = ",".join(f'{answer}="{text}"' for text in ENDLESS_ANSWERS)
    endless = f"IF(ISNUMBER({answer}),IF({answer}<=-1E+200,1,0),IF(OR({words}),1,0))"
    near = f"IF(ISNUMBER({answer}),IF(ABS({answer}-{right})<={allowed},1,0),0)"
    return f'=IF(ISBLANK({answer}),"",IF({right}<=-1E+200,{endless},{near}))'


MOST = 100
"""The largest allowance for rounding on the way, in units of the last decimal."""


def tolerances(solution: Store, name: str, figures: Sequence[Sequence[str]]) -> list[list[float]]:
    """Return the tolerance of an answer for every entry: the effect of rounding on the way, and half a unit of the last
    decimal shown."""
    true = solution.enclosure(name, BITS)
    # Givens are on the sheet with all their digits, so they are not rounded.
    wide = or_exact(by_hand(solution, name, solution.style.decimals, digits=True), true).tolist()
    exact = true.tolist()
    found: list[list[float]] = []
    for i, row in enumerate(figures):
        decimals = [len(figure.partition(".")[2]) for figure in row]
        found.append([])
        for j, places in enumerate(decimals):
            unit = 10.0**-places
            apart = _apart(wide[i][j], exact[i][j]) if exact[i][j].is_finite() else 0.0
            found[-1].append(min(apart, MOST * unit) + 0.5 * unit * (1 + 1e-6))
    return found


def _apart(wide: arb, value: arb) -> float:
    return max(0.0, float((wide.upper() - value).mid()), float((value - wide.lower()).mid()))
