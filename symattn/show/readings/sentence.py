"""The material of a sentence about a step: the step with its labels, and the names of rows and columns."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from symattn.compute.solution.store import Store
from symattn.operations.stages import same_as_ours
from symattn.show.blocks import Argument, Phrase
from symattn.show.notation.names import Names
from symattn.show.window import places

AxisLabels = tuple[str, ...]


def reading(key: str, **arguments: Argument) -> Phrase:
    """Return a sentence about values, by its key in the words."""
    return Phrase(key, tuple(arguments.items()), "reading")


def remark(key: str, **arguments: Argument) -> Phrase:
    """Return a sentence on how figures are rounded, by its key in the words."""
    return Phrase(key, tuple(arguments.items()), "figures")


def column_of(j: int, labels: AxisLabels, own: int | None = None) -> Argument:
    """Return a column's label, its place, or 0 if the label is unique, and whether it is the row's own column."""
    label = labels[j] if j < len(labels) else ""
    return label, 0 if label and labels.count(label) == 1 else j + 1, int(j == own)


def columns_of(columns: Iterable[int], labels: AxisLabels, own: int | None = None) -> tuple[Argument, ...]:
    """Return columns as sentences name them; ``own`` is the row's own column, if it has one."""
    return tuple(column_of(j, labels, own) for j in columns)


def labelled(i: int, rows: AxisLabels) -> dict[str, Argument]:
    """Return a row by its number and its label."""
    return {"row": i + 1, "label": rows[i] if i < len(rows) else ""}


@dataclass(frozen=True)
class ReadStep:
    """A step with its values, the labels of its rows and columns, and the most rows that are read one by one."""

    solution: Store
    name: str
    names: Names
    rows: AxisLabels
    columns: AxisLabels
    most: int

    @property
    def node(self) -> Any:
        """The formula as it is written."""
        return same_as_ours(self.solution.step(self.name).formula)

    @property
    def with_sizes(self) -> Any:
        """The formula with the sizes put in."""
        return same_as_ours(self.solution.formula(self.name))

    def by_rows(self, read: Callable[[int], Phrase]) -> list[Phrase]:
        """Return a reading for every row that the matrix shows, and one sentence about the rows it leaves out."""
        found: list[Phrase] = []
        shown = places(self.solution.rows(self.name), self.most)
        for k, i in enumerate(shown):
            if i is None:
                found.append(reading("rows_left_out", first=(shown[k - 1] or 0) + 2, last=shown[k + 1] or 0))
            else:
                found.append(read(i))
        return found
