"""Rows and columns of a table that sum up others: ``Total``, ``Σ``, ``合計``, ``average``."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from types import MappingProxyType

from symattn.checking.phrases import plain
from symattn.checking.reading.stated import SUMS, applied, named_last
from symattn.checking.reading.tree import Combined, Expressed, FigureRead, Member, Statement

_EVERYTHING = frozenset(
    "all alle alles everything tous tutti todos todo wszystkie všechny все 全部 全体 全體 すべて 전체".split()
)
"""Names of a last row that may be one of sums."""
_FAR, _PRECISE = 5, 1000
"""Sums are off by less than this part of them, and have at least so many units of the last place to tell."""

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
    is_off = sum(each.value or 0 for each in items) != value.value and _agrees(operation, items, value)
    if operation == "sum" and (is_off or value.value in _WHOLE) and isinstance(formula, Combined):
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


def _is_near(items: Sequence[FigureRead], value: FigureRead) -> bool:
    """Whether a figure that is no sum is still meant to be that of three figures or more."""
    total = sum((each.value or Fraction() for each in items), Fraction())
    return len(items) > 2 and value.value is not None and abs(total - value.value) * _FAR < abs(total)


def _is_precise(items: Sequence[FigureRead], value: FigureRead) -> bool:
    """Whether a figure has so many digits that it is no sum by chance."""
    return len(items) > 2 and value.value is not None and abs(value.value) >= _PRECISE * value.unit


class Totals:
    """The cells of a table that are worked out of the cells above them or before them."""

    def __init__(self, cells: Mapping[CellPlace, Expressed | None], labels: Mapping[CellPlace, str]) -> None:
        self.figures = {place: one for place, one in cells.items() if isinstance(one, FigureRead) and place[0] > 1}
        self.labels = labels
        self.rows = sorted({row for row, _ in cells if row > 1})
        self.columns = sorted({column for _, column in cells})
        self.said: dict[CellPlace, Statement] = {}
        self.in_rows: set[int] = set()
        """Rows that sum up others."""
        self.in_columns: dict[int, list[int]] = {}
        """Columns that sum up others, and these."""

    def read(self) -> None:
        """Find the statements."""
        for column in self.columns[2:]:
            if operation := _operation(self.labels.get((1, column), "")):
                self.column(column, operation)
        above: list[int] = []
        for row in self.rows:
            operation = _operation(self.label(row))
            if operation or (row == self.rows[-1] and self.sums_up(row, above)):
                self.row(row, above, operation)
            else:
                above.append(row)

    def label(self, row: int) -> str:
        """The words that a row begins with, in whatever column."""
        for column in self.columns:
            if (row, column) in self.figures:
                break
            if label := self.labels.get((row, column), "").strip(" *_–-"):
                return label
        return ""

    def items(self, row: int, column: int, above: Sequence[int]) -> list[FigureRead]:
        """The figures of a column above a row, top to bottom."""
        return [self.figures[each, column] for each in above if (each, column) in self.figures]

    def sums_up(self, row: int, above: Sequence[int]) -> bool:
        """Whether the last row is one of sums: by those of two columns that agree, where it is not called anything;
        else by one that agrees in so many digits that this is no chance; or by its name alone.
        """
        label = self.label(row)
        if plain(label) in _EVERYTHING:
            return True
        first = [self.figures.get((each, self.columns[0])) for each in (*above, row)]
        if [each.value for each in first if each] == [*range(1, len(first) + 1)]:
            return False
        agreeing = 0
        for column in self.columns:
            value, items = self.figures.get((row, column)), self.items(row, column, above)
            is_telling = len(items) == len(above) > 1 and any(each.value for each in items)
            if value is not None and is_telling and _agrees("sum", items, value):
                agreeing += 2 if column > self.columns[0] and _is_precise(items, value) else not label
        return agreeing > 1

    def row(self, row: int, above: Sequence[int], operation: str) -> None:
        """A row under others, if one of several figures agrees; beside sums, a rate of all is none."""
        made: dict[CellPlace, Statement] = {}
        rates: dict[CellPlace, Statement] = {}
        agreeing = 0
        for column in self.columns:
            value, items = self.figures.get((row, column)), self.items(row, column, above)
            one = _stated(operation or "sum", items, value) if value is not None else None
            if value is None or one is None:
                continue
            agrees = _agrees(operation or "sum", items, value)
            if not (operation or agrees or _is_near(items, value)):
                continue
            is_rate = not agrees and operation in ("sum", "") and _is_among(items, value)
            (rates if is_rate else made)[row, column] = one
            agreeing += agrees
        if not made and len(rates) == 1 and operation and not self.is_share(*rates):
            made = rates
        if len(made) == 1 or agreeing:
            self.said.update(made)
            self.in_rows.add(row)

    def is_share(self, place: CellPlace) -> bool:
        """Whether a figure is a share of one, as accuracies are."""
        value = self.figures[place].value
        return value is None or abs(value) <= 1

    def column(self, column: int, operation: str) -> None:
        """A column behind others, if most of its figures agree: a total may be a product too, and not of all columns.

        A total that does not agree is still one where all others do and it is near.
        """
        before = [each for each in self.columns if each < column]
        for first in range(len(before) - 1):
            made, agreeing, near = [], 0, 0
            for row in (row for row in self.rows if not _operation(self.label(row))):
                value = self.figures.get((row, column))
                items = [self.figures[row, each] for each in before[first:] if (row, each) in self.figures]
                if value is not None and (one := _stated(operation, items, value)):
                    made.append(((row, column), one))
                    agreeing += (agrees := _agrees(operation, items, value))
                    near += not agrees and operation == "sum" and _is_near(items, value)
            if (agreeing > 1 and 2 * agreeing >= len(made)) or (near == 1 and agreeing + near == len(made)):
                self.said.update(made)
                self.in_columns[column] = before[first:] if operation == "sum" else []
                return
