"""The window on a large matrix: the rows and columns that the page shows, with dots for the middle."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from symattn.base.errors import SymattnError, cut
from symattn.show.math import Chain, Math, Sign

Listed = TypeVar("Listed")

LABELS = 2
"""The number of labels listed for each row shown: a word is faster to read than a row of figures."""


def places(count: int, most: int) -> tuple[int | None, ...]:
    """Return the places, counted from 0, that are shown of ``count``; ``None`` marks the ones left out.

    >>> places(3, 8), places(384, 8)
    ((0, 1, 2), (0, 1, 2, 3, None, 382, 383))
    """
    if count <= most:
        return tuple(range(count))
    return (*range(max(1, most // 2)), None, *range(count - max(1, most // 4), count))


@dataclass(frozen=True)
class Window:
    """The most rows and columns of a matrix that are shown in full; of more, the middle is left out.

    Raises :class:`~symattn.base.errors.SymattnError` for a limit below 2: the first and the last are always shown.
    """

    rows: int = 8
    columns: int = 8

    def __post_init__(self) -> None:
        chosen: tuple[tuple[str, object], ...] = (("max_rows", self.rows), ("max_columns", self.columns))
        for what, most in chosen:
            if isinstance(most, bool) or not isinstance(most, int) or most < 2:
                told = f"{cut(repr(most))}: expected at least 2, the first and the last"
                raise SymattnError(f"{what} is {told}")

    def grid(self, rows: int, columns: int, cell: Callable[[int, int], Math]) -> tuple[tuple[Math, ...], ...]:
        """Return the cells of a matrix that are shown, with dots for the others; no other cell is computed.

        >>> from symattn.show.math import Number
        >>> grid = Window(2, 2).grid(9, 9, lambda i, j: Number(f"{i}{j}"))
        >>> [[getattr(piece, "text", None) or piece.sign for piece in row] for row in grid]
        [['00', '⋯', '08'], ['⋮', '⋱', '⋮'], ['80', '⋯', '88']]
        """
        wide = places(columns, self.columns)
        return tuple(
            tuple(_dots(i, j) if i is None or j is None else cell(i, j) for j in wide) for i in places(rows, self.rows)
        )

    def cut(self, rows: Sequence[Sequence[Math]]) -> tuple[tuple[Math, ...], ...]:
        """Return rows, which may differ in length, without their middle."""
        kept = tuple(None if i is None else self.row(rows[i]) for i in places(len(rows), self.rows))
        dots = tuple(Sign("⋱") if cell == Sign("⋯") else Sign("⋮") for cell in self.row(rows[0]))
        return tuple(dots if row is None else row for row in kept)

    def row(self, cells: Sequence[Math]) -> tuple[Math, ...]:
        """Return one row without its middle."""
        return tuple(Sign("⋯") if j is None else cells[j] for j in places(len(cells), self.columns))

    def lines(self, count: int, line: Callable[[int], Sequence[Chain]]) -> tuple[Chain, ...]:
        """Return the lines for each row that is shown, with ⋮ for the others."""
        return tuple(
            chain for i in places(count, self.rows) for chain in ((Chain(Sign("⋮")),) if i is None else line(i))
        )


def _dots(i: int | None, j: int | None) -> Sign:
    if i is None:
        return Sign("⋱") if j is None else Sign("⋮")
    return Sign("⋯")


def without_middle(items: Sequence[Listed], most: int, dots: Listed) -> tuple[Listed, ...]:
    """Return a list with ``dots`` in place of its middle if it has more than ``most`` items.

    >>> without_middle("abcdefgh", 4, "…")
    ('a', 'b', '…', 'h')
    """
    return tuple(dots if i is None else items[i] for i in places(len(items), most))
