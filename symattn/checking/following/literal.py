"""A formula in names beside the same formula in figures: whether the figures are those of the names.

``Q K^T = [[1, 0], …] [[2, 1], …]`` says twice what is multiplied, and the second time may say something else.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from symattn.checking.following import worlds
from symattn.checking.following.chain import SortedSide, sorted_side
from symattn.checking.following.judging import prints, written_like
from symattn.checking.following.scope import FigureGrid, Memory
from symattn.checking.following.worlds import Worlds
from symattn.checking.following.written import called, figures_of
from symattn.checking.reading.tree import Combined, Expressed, FigureRead, GridRead, NameRead

MOST = 0.34
"""More figures than this share differ only where something else is meant."""


@dataclass(frozen=True)
class Mismatch:
    """A figure that is not that of the name it stands for."""

    figure: FigureRead
    expected: str
    of: str


def mismatches(named: Expressed, literal: Expressed, scope: Memory) -> Iterator[Mismatch]:
    """Figures of ``literal`` that are not those of the names of ``named`` in the same places."""
    stack = [(named, literal)]
    while stack:
        one, other = stack.pop()
        if isinstance(other, GridRead):
            figures, value = figures_of(other), _value(one, scope)
            if figures is not None and value is not None:
                yield from _differing(value, figures, _text(one))
        elif isinstance(one, Combined) and isinstance(other, Combined) and _alike(one, other):
            stack.extend(zip(one.args, other.args, strict=True))


def steps(one: Expressed, other: Expressed) -> list[tuple[SortedSide, Expressed]] | None:
    """Figures of ``other`` that stand where ``one`` has something to work out; ``None`` where the rest is not the same.

    ``(3.1 + 0.6) / 3 = 3.7 / 3`` says that 3.7 is the sum, ``softmax([2, 0]) V = [0.88, 0.12] V`` what the softmax is.
    """
    found: list[tuple[SortedSide, Expressed]] = []
    stack = [(one, other)]
    while stack:
        left, right = stack.pop()
        if isinstance(right, FigureRead):
            if not isinstance(left, FigureRead):
                found.append((sorted_side(right), left))
            elif left.value != right.value:
                return None
        elif isinstance(left, Combined) and (side := sorted_side(right)).kind == "printed":
            found.append((side, left))
        elif isinstance(left, Combined) and isinstance(right, Combined) and _alike(left, right):
            stack.extend(zip(left.args, right.args, strict=True))
        elif isinstance(left, GridRead) and isinstance(right, GridRead) and _same_size(left, right):
            stack.extend((a, b) for x, y in zip(left.rows, right.rows, strict=True) for a, b in zip(x, y, strict=True))
        else:
            return None
    return found


def _same_size(left: GridRead, right: GridRead) -> bool:
    return [len(row) for row in left.rows] == [len(row) for row in right.rows]


def _alike(one: Combined, other: Combined) -> bool:
    products = {"*", "@"}
    same = one.op == other.op or {one.op, other.op} <= products
    if one.op == "+" and _terms(one) != _terms(other):
        return False  # which of them were added up is not said
    return same and len(one.args) == len(other.args)


def _terms(written: Expressed) -> int:
    count = 1
    while isinstance(written, Combined) and written.op in ("+", "-") and len(written.args) == 2:
        written, count = written.args[0], count + 1
    return count


def _value(written: Expressed, scope: Memory) -> Worlds | None:
    if isinstance(written, Combined) and written.op == "T":
        inner = _value(written.args[0], scope)
        return None if inner is None else worlds.turned(inner)
    if isinstance(written, NameRead):
        quantity = scope.named(called(written))
        return quantity.value if quantity is not None and quantity.figures else None
    return None


def _text(written: Expressed) -> str:
    if isinstance(written, Combined):
        return f"{_text(written.args[0])}^T"
    return str(called(written)) if isinstance(written, NameRead) else ""


def _differing(value: Worlds, figures: FigureGrid, of: str) -> Iterator[Mismatch]:
    if len(figures) != value.shape[0] or any(len(row) != value.shape[1] for row in figures):
        return
    found = []
    for i, row in enumerate(figures):
        for j, figure in enumerate(row):
            carried = value.carried[i][j]
            worths = (carried, value.true[i][j])
            if figure is not None and not any(prints(figure, each, figure.unit) for each in worths):
                found.append(Mismatch(figure, written_like(figure, carried), f"{of}[{i + 1}, {j + 1}]"))
    if len(found) <= MOST * value.entries:
        yield from found
