"""A page while it is written: runs of text, and figures that know what they are and what may be printed there."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
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

Part = str | Slot


@dataclass(frozen=True)
class Spot:
    """A figure where it stands on the page."""

    slot: Slot
    start: int
    end: int
    line: int
    printed: str


@dataclass
class Page:
    """Runs of text and figures in the order they stand."""

    name: str = "page.md"
    parts: list[Part] = field(default_factory=list)
    wholes: list[tuple[int, int, str]] = field(default_factory=list)
    """Where grids stand: from which part to which, and of which step."""
    infinite: str = "-inf"
    """How a hidden score is written."""

    def add(self, *parts: Part) -> None:
        self.parts.extend(parts)

    def add_whole(self, name: str, parts: Iterable[Part]) -> None:
        """The grid of a step."""
        first = len(self.parts)
        self.parts.extend(parts)
        self.wholes.append((first, len(self.parts), name))

    def written(self, part: Part) -> str:
        """A part as it stands on the page."""
        if isinstance(part, str):
            return part
        return self.infinite if part.text == "-inf" else part.text.replace(".", "{,}" if part.comma else ".")

    @property
    def text(self) -> str:
        return "".join(map(self.written, self.parts))

    def spots(self) -> Iterator[Spot]:
        """All figures with their places."""
        at, line = 0, 1
        for part in self.parts:
            text = self.written(part)
            if isinstance(part, Slot):
                yield Spot(part, at, at + len(text), line, text)
            at, line = at + len(text), line + text.count("\n")

    def most_decimals(self, name: str) -> int:
        """How many decimals the figures of a step have."""
        slots = (part for part in self.parts if isinstance(part, Slot) and part.of == name)
        return max(len(slot.text.partition(".")[2]) for slot in slots)

    def whole(self, name: str) -> list[tuple[int, int]]:
        """Where the grids of a step stand, in characters."""
        starts = [0]
        for part in self.parts:
            starts.append(starts[-1] + len(self.written(part)))
        return [(starts[first], starts[last]) for first, last, of in self.wholes if of == name]


# -- matrices as they are written --------------------------------------------------------------------------------------

Grid = Sequence[Sequence[Sequence[Part]]]
"""Rows of cells; a cell is a figure or several with signs between them."""


def cells(slots: Iterable[Iterable[Slot]]) -> list[list[list[Part]]]:
    return [[[slot] for slot in row] for row in slots]


def joined(groups: Iterable[Iterable[Part]], between: str) -> Iterator[Part]:
    for place, group in enumerate(groups):
        if place:
            yield between
        yield from group


def in_row(slots: Iterable[Slot], between: str = ", ") -> Iterator[Part]:
    return joined(([slot] for slot in slots), between)


def latex(rows: Grid, kind: str = "bmatrix", between: str = " \\\\ ") -> Iterator[Part]:
    """``\\begin{bmatrix} 1 & 2 \\\\ 3 & 4 \\end{bmatrix}``."""
    blank = "\n" if "\n" in between else " "
    yield f"\\begin{{{kind}}}{blank}"
    yield from joined((joined(row, " & ") for row in rows), between)
    yield f"{blank}\\end{{{kind}}}"


def lists(rows: Grid, between: str = ", ") -> Iterator[Part]:
    """``[[1, 2], [3, 4]]``; one row is a list by itself."""
    if len(rows) == 1:
        yield from ("[", *joined(rows[0], ", "), "]")
    else:
        yield from ("[", *joined((["[", *joined(row, ", "), "]"] for row in rows), between), "]")


def tensor(rows: Grid) -> Iterator[Part]:
    """``tensor([[1., 2.],`` and so on, as PyTorch prints it."""
    yield from ("tensor(", *lists(rows, ",\n        "), ")")


def numpy(rows: Grid) -> Iterator[Part]:
    """``[[1. 2.]`` and so on, as NumPy prints it."""
    yield from ("[", *joined((["[", *joined(row, " "), "]"] for row in rows), "\n "), "]")


def bars(rows: Grid) -> Iterator[Part]:
    yield from joined((["    | ", *joined(row, "  "), " |"] for row in rows), "\n")


def table(rows: Grid, label: str) -> Iterator[Part]:
    """A table of Markdown, with a label for each row."""
    columns = range(1, len(rows[0]) + 1)
    yield f"| | {' | '.join(map(str, columns))} |\n|{' --- |' * (len(rows[0]) + 1)}\n"
    for place, row in enumerate(rows, 1):
        yield from (f"| {labelled(label, place)} | ", *joined(row, " | "), " |\n")


def items(rows: Grid, label: str) -> Iterator[Part]:
    """A list of rows."""
    for place, row in enumerate(rows, 1):
        yield from (f"- {labelled(label, place)}: [", *joined(row, ", "), "]\n")


def labelled(label: str, place: int) -> str:
    return label.format(place) if "{}" in label else f"{label} {place}"


OUTPUTS: Mapping[str, Callable[[Grid], Iterator[Part]]] = {"tensor": tensor, "numpy": numpy, "bars": bars}
