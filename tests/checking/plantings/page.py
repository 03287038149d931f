"""A page while it is written: runs of text, and figures that know what they are and what may be printed there."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from math import inf, isinf
from typing import Literal

import numpy as np

from tests.checking.plantings.steps import Array, Values, Worked

Role = Literal["given", "result", "repeat", "literal", "either"]
"""``repeat``: a figure that is printed elsewhere already, as a factor or an argument; ``literal``: what a formula of
figures gives; ``either``: a figure that may be read as one or the other."""


@dataclass(frozen=True)
class Slot:
    """A figure of a page."""

    text: str
    role: Role
    truths: tuple[float, ...]
    """The values that it may be of."""
    of: str = ""
    """The step whose figure it is; its place there follows."""
    row: int = 0
    column: int = 0
    comma: bool = False
    """Whether a comma stands before its decimals."""

    @property
    def readings(self) -> tuple[bool, ...]:
        """Whether it is right, by each of its truths."""
        return tuple(is_right(self.text, truth) for truth in self.truths)

    @property
    def is_right(self) -> bool:
        return any(self.readings)


def unit(text: str) -> float:
    """What one unit of the last place of a figure is worth."""
    return float(10.0 ** -len(text.partition(".")[2]))


def is_right(text: str, truth: float) -> bool:
    """Whether a figure is a number rounded to its own last place, a tie either way."""
    if "inf" in text or isinf(truth):
        return "inf" in text and truth == -inf
    return abs(float(text) - truth) <= unit(text) / 2 + 1e-9 * max(1.0, abs(truth))


def figure(value: float, decimals: int) -> str:
    """A number with so many decimals; nothing is a negative zero."""
    if isinf(value):
        return "-inf"
    text = f"{value + (1e-12 if value > 0 else -1e-12):.{decimals}f}"
    return text.lstrip("-") if not text.strip("-0.") else text


def cut_off(value: float, decimals: int) -> str:
    """A number cut off after so many decimals."""
    if isinf(value):
        return "-inf"
    whole = int(abs(value) * 10**decimals + 1e-6)
    text = f"{Decimal(whole).scaleb(-decimals):.{decimals}f}"
    return f"-{text}" if value < 0 and whole else text


# -- the figures of a page before it is written ------------------------------------------------------------------------

Texts = dict[str, list[list[str]]]


@dataclass(frozen=True)
class ReadFigures:
    """The texts of all values of an example, and what is true."""

    worked: Worked
    true: Values
    decimals: Mapping[str, int]
    texts: Texts
    comma: bool = False

    def slots(self, name: str, repeated: bool = False) -> list[list[Slot]]:
        """The figures of a name; of one that was transposed each has the truth of the place where it stands."""
        is_given = self.worked.step(name).formula is None
        role: Role = "given" if is_given else "repeat" if repeated else "result"
        return [
            [
                Slot(text, role, (self._truth(name, row, column),), name, row, column, self.comma)
                for column, text in enumerate(texts)
            ]
            for row, texts in enumerate(self.texts[name])
        ]

    def _truth(self, name: str, row: int, column: int) -> float:
        true = self.true[name]
        return float(true[row, column]) if row < true.shape[0] and column < true.shape[1] else float("nan")

    def with_values(self, values: Values) -> ReadFigures:
        """The same page with other values in it."""
        return replace(self, texts={name: texts_of(values[name], self.decimals[name]) for name in self.texts})


def texts_of(values: Array, decimals: int) -> list[list[str]]:
    return [[figure(float(value), decimals) for value in row] for row in values]


def decimals_of(value: Array, most: int, is_given: bool, trimmed: bool) -> int:
    """How many decimals somebody prints: of what has few by itself no more, on some pages."""
    finite = value[np.isfinite(value)]
    for few in range(3 if not is_given else most + 1):
        if (trimmed or is_given) and np.all(np.abs(finite * 10**few - np.round(finite * 10**few)) < 1e-9):
            return min(few, most) if not is_given else few
    return most


def figures(worked: Worked, most: int, trimmed: bool, comma: bool = False) -> ReadFigures:
    """The figures of a page on which all is right."""
    true = worked.values()
    decimals = {step.name: decimals_of(true[step.name], most, step.formula is None, trimmed) for step in worked.steps}
    texts = {step.name: texts_of(true[step.name], decimals[step.name]) for step in worked.steps if not step.is_hidden}
    return ReadFigures(worked, true, decimals, texts, comma)


# -- the page ----------------------------------------------------------------------------------------------------------

MARK = re.compile("\ue000(\\d+)\ue001|\ue002([^\ue003]*)\ue003|\ue004")
"""Stands for a figure by its number, for where the grid of a step begins and for where a grid ends."""


@dataclass(frozen=True)
class Spot:
    """A figure where it is on the page."""

    slot: Slot
    start: int
    end: int
    printed: str


@dataclass
class Page:
    """A text with marks in the places of its figures."""

    name: str = "page.md"
    infinite: str = "-inf"
    """How a hidden score is written."""
    marked: str = ""
    slots: list[Slot] = field(default_factory=list)

    def add(self, *texts: str) -> None:
        self.marked += "".join(texts)

    def mark(self, slot: Slot) -> str:
        """Return the mark of a figure."""
        self.slots.append(slot)
        return f"\ue000{len(self.slots) - 1}\ue001"

    def marks(self, rows: Iterable[Iterable[Slot]]) -> Grid:
        return [[self.mark(slot) for slot in row] for row in rows]

    def written(self, slot: Slot) -> str:
        """A figure as it is printed."""
        return self.infinite if slot.text == "-inf" else slot.text.replace(".", "{,}" if slot.comma else ".")

    def read(self) -> tuple[str, list[Spot], list[tuple[str, int, int]]]:
        """Return the text, its figures in their order, and where the grids of steps are."""
        text, spots, wholes, at = "", [], [], 0
        for mark in MARK.finditer(self.marked):
            text += self.marked[at : mark.start()]
            at = mark.end()
            if mark[1]:
                slot = self.slots[int(mark[1])]
                printed = self.written(slot)
                spots.append(Spot(slot, len(text), len(text) + len(printed), printed))
                text += printed
            elif mark[2]:
                wholes.append((mark[2], len(text), 0))
            else:
                wholes[-1] = (*wholes[-1][:2], len(text))
        return text + self.marked[at:], spots, wholes

    @property
    def text(self) -> str:
        return self.read()[0]

    def whole(self, name: str) -> list[tuple[int, int]]:
        """Where the grids of a step are."""
        return [(start, end) for of, start, end in self.read()[2] if of == name]

    def most_decimals(self, name: str) -> int:
        """How many decimals the figures of a step have."""
        return max(len(slot.text.partition(".")[2]) for slot in self.slots if slot.of == name)


# -- matrices as they are written --------------------------------------------------------------------------------------

Grid = list[list[str]]
"""Rows of cells; a cell is a figure or several with signs between them."""


def whole(name: str, text: str) -> str:
    """Mark the grid of a step."""
    return f"\ue002{name}\ue003{text}\ue004"


def latex(rows: Grid, kind: str = "bmatrix", between: str = " \\\\ ") -> str:
    """``\\begin{bmatrix} 1 & 2 \\\\ 3 & 4 \\end{bmatrix}``."""
    blank = "\n" if "\n" in between else " "
    return f"\\begin{{{kind}}}{blank}{between.join(' & '.join(row) for row in rows)}{blank}\\end{{{kind}}}"


OUTPUTS: Mapping[str, tuple[str, str, str, str, str, str]] = {
    "lists": ("[", "[", ", ", "]", ", ", "]"),
    "tensor": ("tensor([", "[", ", ", "]", ",\n        ", "])"),
    "numpy": ("[", "[", " ", "]", "\n ", "]"),
    "bars": ("", "    | ", "  ", " |", "\n", ""),
}
"""What grids of programs have before all, before a row, between cells, behind a row, between rows and behind all."""


def output(kind: str, rows: Grid) -> str:
    """A grid as a program prints it; one row is a list by itself."""
    before, left, between, right, under, after = OUTPUTS[kind]
    if len(rows) == 1 and kind in ("lists", "tensor"):
        left = right = ""
    return before + under.join(left + between.join(row) + right for row in rows) + after


def rows_below(frame: str, rows: Grid, label: str) -> str:
    """A table or a list of Markdown, with a label for each row."""
    labels = [labelled(label, place) for place, _ in enumerate(rows, 1)]
    if frame == "items":
        return "".join(f"- {each}: [{', '.join(row)}]\n" for each, row in zip(labels, rows, strict=True))
    lines = [["", *(str(place) for place, _ in enumerate(rows[0], 1))], ["---"] * (len(rows[0]) + 1)]
    lines += [[each, *row] for each, row in zip(labels, rows, strict=True)]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines).replace("|  |", "| |", 1)


def labelled(label: str, place: int) -> str:
    return label.format(place) if "{}" in label else f"{label} {place}"
