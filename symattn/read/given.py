"""Given matrices: exact numbers with the text each was written as, or an array read from somewhere.

An array may hold a million numbers, so it keeps FLINT's rationals, and makes the SymPy numbers and texts of a row only
when that row is needed.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, Literal, TypeVar, overload

from flint import fmpq, fmpz
from sympy import Expr, Rational, S

from symattn.base.errors import FormulaError
from symattn.base.printed import decimal_text
from symattn.read.exact_number import exact as exact_number

Taken = Literal["binary", "decimals", "written"]
"""How a number of an array was taken: as the exact value of a binary float, rounded to decimals, or as written."""

Cell = TypeVar("Cell", covariant=True)


@dataclass(frozen=True)
class Origin:
    """The origin of an array: its dtype, how its numbers were taken, and the file if there is one."""

    taken: Taken
    dtype: str = ""
    decimals: int | None = None
    file: str = ""
    tensor: str = ""


class Cells(Sequence[Cell], Generic[Cell]):
    """A row whose cells are made on access."""

    def __init__(self, places: range, make: Callable[[int], Cell]) -> None:
        self._places, self._make = places, make

    def __len__(self) -> int:
        return len(self._places)

    @overload
    def __getitem__(self, index: int) -> Cell: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Cell]: ...

    def __getitem__(self, index: int | slice) -> Cell | Sequence[Cell]:
        if isinstance(index, slice):
            return tuple(map(self._make, self._places[index]))
        return self._make(self._places[index])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and tuple(self) == tuple(other)

    __hash__ = None  # type: ignore[assignment]


class LazyRows(Sequence[Sequence[Cell]], Generic[Cell]):
    """Rows that are made on access."""

    def __init__(self, shape: tuple[int, int], make: Callable[[int], Cell]) -> None:
        self._shape, self._make = shape, make

    def __len__(self) -> int:
        return self._shape[0]

    @overload
    def __getitem__(self, index: int) -> Sequence[Cell]: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Sequence[Cell]]: ...

    def __getitem__(self, index: int | slice) -> Sequence[Cell] | Sequence[Sequence[Cell]]:
        rows, columns = self._shape
        if isinstance(index, slice):
            return tuple(self[i] for i in range(*index.indices(rows)))
        start = range(rows)[index] * columns
        return Cells(range(start, start + columns), self._make)


@dataclass(frozen=True)
class Array:
    """A matrix of rationals, row by row, with ``None`` for −∞, and its origin."""

    shape: tuple[int, int]
    entries: tuple[fmpq | None, ...]
    origin: Origin
    written: tuple[str, ...] = ()
    """The text of every entry, if there was one."""
    ndim: int = 2
    """The number of axes it had: 1 for a vector, which is stored as one row, and 0 for a number."""

    @property
    def finite(self) -> tuple[fmpq, ...] | None:
        """The entries, if none of them is −∞."""
        return self.entries if all(entry is not None for entry in self.entries) else None  # type: ignore[return-value]

    def number(self, index: int) -> Expr:
        """Return one entry as a SymPy number."""
        entry = self.entries[index]
        return S.NegativeInfinity if entry is None else Rational(int(entry.p), int(entry.q))

    def text(self, index: int) -> str:
        """Return one entry as text: a decimal if it was taken as one, otherwise a fraction.

        >>> Array((1, 2), (fmpq(1, 2), None), Origin("decimals", decimals=3)).text(0)
        '0.500'
        """
        entry, places = self.entries[index], self.origin.decimals
        if self.written:
            return self.written[index]
        if entry is None:
            return "-oo"
        if places is not None:
            return decimal_text(int(entry * fmpz(10) ** places), places)
        return f"{entry.p}/{entry.q}" if entry.q != 1 else str(entry.p)

    @property
    def is_decimal(self) -> bool:
        """Whether every entry is printed exactly: a decimal that was asked for, or a whole number."""
        return self.origin.taken != "binary"


@dataclass(frozen=True)
class Given:
    """A matrix of exact numbers and the text each was written as.

    ``rounded`` figures stand for all numbers that round to them; ``row_sum`` is the known sum of every row.
    ``array`` holds the numbers if they were read from an array.
    """

    values: Sequence[Sequence[Expr]]
    texts: Sequence[Sequence[str]]
    rounded: bool = False
    row_sum: Expr | None = None
    array: Array | None = None
    ndim: int = 2
    """The number of axes as it was written: 1 for a vector, which is stored as one row, and 0 for a number."""
    slices: tuple[Given, ...] = ()
    """The matrices along a leading axis if there are three axes; the first of them is also stored above."""

    @classmethod
    def read(cls, rows: Iterable[Iterable[object]], symbols: Collection[str] = ()) -> Given:
        """Read rows of text (or ``int``, ``Fraction``, SymPy numbers); floats are refused.

        Entries may contain the names in ``symbols``, which stand for any real number.

        Raises :class:`~symattn.base.errors.FormulaError` for rows of different length and for inexact numbers.

        >>> Given.read([["0.50", 1]]).values
        ((1/2, 1),)
        """
        cells = [[(exact_number(cell, symbols), str(cell)) for cell in row] for row in rows]
        if len({len(row) for row in cells}) != 1 or not cells[0]:
            raise FormulaError("rows of different length" if any(cells) else "a matrix needs at least one number")
        return cls(
            tuple(tuple(value for value, _ in row) for row in cells),
            tuple(tuple(text for _, text in row) for row in cells),
        )

    def __deepcopy__(self, memo: object) -> Given:
        return self

    @classmethod
    def of(cls, array: Array) -> Given:
        """Make a given from an array.

        >>> list(Given.of(Array((1, 2), (fmpq(1, 2), fmpq(3)), Origin("binary"))).values[0])
        [1/2, 3]
        """
        return cls(LazyRows(array.shape, array.number), LazyRows(array.shape, array.text), array=array, ndim=array.ndim)

    @property
    def shape(self) -> tuple[int, int]:
        return self.array.shape if self.array is not None else (len(self.values), len(self.values[0]))

    @property
    def entries(self) -> list[Expr]:
        return [value for row in self.values for value in row]

    def entry(self, index: int) -> Expr:
        """Return one entry, counted row by row from 0."""
        if self.array is not None:
            return self.array.number(index)
        columns = len(self.values[0])
        return self.values[index // columns][index % columns]

    @property
    def sizes(self) -> tuple[int, ...]:
        """The length of each of its axes."""
        return (len(self.slices), *self.shape) if self.slices else self.shape[2 - self.ndim :]

    @property
    def each(self) -> tuple[Given, ...]:
        """Its matrices: itself, or those along a leading axis."""
        return tuple(replace(part, rounded=self.rounded, row_sum=self.row_sum) for part in self.slices) or (self,)

    @classmethod
    def stacked(cls, slices: Sequence[Given]) -> Given:
        """Stack matrices of one shape along a leading axis.

        >>> Given.stacked([Given.read([[1, 2]])] * 3).sizes
        (3, 1, 2)
        """
        return replace(slices[0], ndim=3, slices=tuple(slices))

    @property
    def written(self) -> Any:
        """The texts as in a file: rows, the list of a vector, the text of a number, or the rows of every matrix."""
        if self.slices:
            return [part.written for part in self.slices]
        rows = [list(row) for row in self.texts]
        return rows if self.ndim == 2 else rows[0] if self.ndim else rows[0][0]
