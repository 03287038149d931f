"""Rows and columns of a table that sum up others: ``Total``, ``Σ``, ``合計``, ``average``."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from types import MappingProxyType

from symattn.checking.phrases import plain
from symattn.checking.reading.stated import SUMS, applied, named_last
from symattn.checking.reading.tree import Combined, Expressed, FigureRead, Member, Statement

CellPlace = tuple[int, int]
"""Row and column of a cell; the headings are row 1."""

_WORTH: Mapping[str, Callable[[Sequence[Fraction]], Fraction]] = MappingProxyType(
    {"sum": sum, "mean": lambda numbers: sum(numbers, Fraction()) / len(numbers), "max": max, "min": min}  # type: ignore[dict-item]
)
_LABELS = frozenset({*_WORTH, "variance", "std"})
_WHOLE = (Fraction(1), Fraction(100))
"""What shares add up to, whatever their printed figures do."""


@lru_cache(maxsize=1024)
def _operation(label: str) -> str:
    """The operation that a label names and nothing else."""
    word = plain(label).strip(" *_`$.:\\")
    if word in SUMS or word == "sigma":
        return "sum"
    named = named_last(word)
    return named[0] if named is not None and not named[1] and named[0] in _LABELS else ""


def _stated(operation: str, items: Sequence[FigureRead], value: FigureRead) -> Statement | None:
    if len(items) < 2 or (operation == "sum" and value.text.endswith("%") and not _agrees(operation, items, value)):
        return None  # a share of all, and no sum of the shares above it
    formula: Expressed | None = applied(operation, items, value)
    if formula is None:
        return None
    if operation == "sum" and value.value in _WHOLE and isinstance(formula, Combined):
        rounded = tuple(Combined("call:rounded", (each,), each.start, each.end) for each in formula.args)
        formula = Combined(formula.op, rounded, formula.start, formula.end)
    return Statement((Member(None, formula), Member("=", value)), value.start, value.end)


def _agrees(operation: str, items: Sequence[FigureRead], value: FigureRead) -> bool:
    """Whether a figure is what an operation gives, as far as its operands are rounded."""
    numbers = [each.value for each in items if each.value is not None]
    if operation not in _WORTH or len(numbers) < 2 or value.value is None:
        return False
    room = value.unit / 2 + sum(each.unit / 2 for each in items if each.unit < 1)
    return abs(_WORTH[operation](numbers) - value.value) <= room


def _is_among(items: Sequence[FigureRead], value: FigureRead) -> bool:
    """Whether a figure with decimals lies between others, as a rate of all does."""
    numbers = [each.value for each in items if each.value is not None]
    return value.value is not None and value.unit < 1 and min(numbers) <= value.value <= max(numbers)


class Totals:
    """The cells of a table that are worked out of the cells above them or before them."""

    def __init__(self, cells: Mapping[CellPlace, Expressed | None], labels: Mapping[CellPlace, str]) -> None:
        self.figures = {place: one for place, one in cells.items() if isinstance(one, FigureRead) and place[0] > 1}
        self.labels = labels
        self.rows = sorted({row for row, _ in cells if row > 1})
        self.columns = sorted({column for _, column in cells})
        self.said: dict[CellPlace, Statement] = {}
        self.used: set[CellPlace] = set()
        """Cells of rows and columns that sum up others."""

    def read(self) -> None:
        """Find the statements."""
        for column in self.columns[2:]:
            if operation := _operation(self.labels.get((1, column), "")):
                self.column(column, operation)
        above: list[int] = []
        for row in self.rows:
            operation = _operation(self.labels.get((row, self.columns[0]), ""))
            if operation or (row == self.rows[-1] and self.sums_up(row, above)):
                self.row(row, above, operation or "sum")
            else:
                above.append(row)

    def sums_up(self, row: int, above: Sequence[int]) -> bool:
        """Whether the last row, which is not called anything, has the sums of two columns at least."""
        first = row, self.columns[0]
        if first not in self.figures and self.labels.get(first, "").strip(" *_–-"):
            return False
        agreeing = 0
        for column in self.columns:
            value = self.figures.get((row, column))
            items = [self.figures[each, column] for each in above if (each, column) in self.figures]
            is_telling = len(items) == len(above) > 1 and any(each.value for each in items)
            agreeing += value is not None and is_telling and _agrees("sum", items, value)
        return agreeing > 1

    def row(self, row: int, above: Sequence[int], operation: str) -> None:
        """A row under others, if one of several figures agrees; beside sums, a rate of all is none."""
        made: dict[CellPlace, Statement] = {}
        rates: dict[CellPlace, Statement] = {}
        agreeing = 0
        for column in self.columns:
            value = self.figures.get((row, column))
            items = [self.figures[each, column] for each in above if (each, column) in self.figures]
            one = _stated(operation, items, value) if value is not None else None
            if value is None or one is None:
                continue
            agrees = _agrees(operation, items, value)
            is_rate = not agrees and operation == "sum" and _is_among(items, value)
            (rates if is_rate else made)[row, column] = one
            agreeing += agrees
        if not made and len(rates) == 1 and not self.is_share(*rates):
            made = rates
        if len(made) == 1 or agreeing:
            self.said.update(made)
            self.used.update((row, column) for column in self.columns)

    def is_share(self, place: CellPlace) -> bool:
        """Whether a figure is a share of one, as accuracies are."""
        value = self.figures[place].value
        return value is None or abs(value) <= 1

    def column(self, column: int, operation: str) -> None:
        """A column behind others, if most of its figures agree: a total may be a product too."""
        made = []
        for row in (row for row in self.rows if not _operation(self.labels.get((row, self.columns[0]), ""))):
            value = self.figures.get((row, column))
            items = [self.figures[row, each] for each in self.columns if each < column and (row, each) in self.figures]
            if value is not None and (one := _stated(operation, items, value)):
                made.append(((row, column), one, _agrees(operation, items, value)))
        agreeing = sum(agrees for *_, agrees in made)
        if agreeing > 1 and 2 * agreeing >= len(made):
            self.said.update((place, one) for place, one, _ in made)
            self.used.update((row, column) for row in (1, *self.rows))
