"""Matrices as they are written: in LaTeX, as lists, as programs print them, as tables and in rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from tests.checking.plantings.page import Slot

Part = str | Slot
BallMatrix = Sequence[Sequence[Sequence[Part]]]
"""Rows of cells; a cell is a figure or several with signs between them."""


def cells(slots: Iterable[Iterable[Slot]]) -> list[list[list[Part]]]:
    return [[[slot] for slot in row] for row in slots]


def joined(groups: Iterable[Iterable[Part]], between: str) -> Iterator[Part]:
    for place, group in enumerate(groups):
        if place:
            yield between
        yield from group


def latex(rows: BallMatrix, kind: str = "bmatrix", between: str = " \\\\ ") -> Iterator[Part]:
    """``\\begin{bmatrix} 1 & 2 \\\\ 3 & 4 \\end{bmatrix}``."""
    blank = "\n" if "\n" in between else " "
    yield f"\\begin{{{kind}}}{blank}"
    yield from joined((joined(row, " & ") for row in rows), between)
    yield f"{blank}\\end{{{kind}}}"


def lists(rows: BallMatrix, between: str = ", ", comma: str = ", ") -> Iterator[Part]:
    """``[[1, 2], [3, 4]]``; one row is a list by itself."""
    if len(rows) == 1:
        yield from ("[", *joined(rows[0], comma), "]")
        return
    yield "["
    yield from joined((["[", *joined(row, comma), "]"] for row in rows), between)
    yield "]"


def tensor(rows: BallMatrix) -> Iterator[Part]:
    """``tensor([[1., 2.],`` and so on, as PyTorch prints it."""
    yield "tensor("
    yield from lists(rows, ",\n        ")
    yield ")"


def numpy(rows: BallMatrix) -> Iterator[Part]:
    """``[[1. 2.]`` and so on, as NumPy prints it."""
    yield "["
    yield from joined((["[", *joined(row, " "), "]"] for row in rows), "\n ")
    yield "]"


def bars(rows: BallMatrix) -> Iterator[Part]:
    """Rows of figures between bars."""
    yield from joined((["    | ", *joined(row, "  "), " |"] for row in rows), "\n")


def table(rows: BallMatrix, label: str) -> Iterator[Part]:
    """A table of Markdown, with a label for each row."""
    columns = range(1, len(rows[0]) + 1)
    yield f"| | {' | '.join(map(str, columns))} |\n|{' --- |' * (len(rows[0]) + 1)}\n"
    for place, row in enumerate(rows, 1):
        yield from (f"| {_labelled(label, place)} | ", *joined(row, " | "), " |\n")


def items(rows: BallMatrix, label: str) -> Iterator[Part]:
    """A list of rows."""
    for place, row in enumerate(rows, 1):
        yield from (f"- {_labelled(label, place)}: [", *joined(row, ", "), "]\n")


def _labelled(label: str, place: int) -> str:
    return label.format(place) if "{}" in label else f"{label} {place}"


OUTPUTS: Mapping[str, Callable[[BallMatrix], Iterator[Part]]] = {"tensor": tensor, "numpy": numpy, "bars": bars}
