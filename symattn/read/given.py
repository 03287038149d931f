"""Matrices that are given: exact numbers with the text each was written as, or an array read from somewhere.

An array may hold a million numbers, so it keeps FLINT's rationals, and makes SymPy numbers and texts of a row only when
that row is asked for.
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
"""What a number of an array was taken as: the binary float it is, its rounding to decimals, or the number written."""

Cell = TypeVar("Cell", covariant=True)


@dataclass(frozen=True)
class Origin:
    """Where an array comes from: the kind of its numbers, what they were taken as, and the file if it is one."""

    taken: Taken
    dtype: str = ""
    decimals: int | None = None
    file: str = ""
    tensor: str = ""


class Cells(Sequence[Cell], Generic[Cell]):
    """A row whose cells are made when they are asked for."""

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
    """Rows that are made when they are asked for."""

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
    """A matrix of rationals, row by row, with ``None`` for −∞, and where it comes from."""

    shape: tuple[int, int]
    entries: tuple[fmpq | None, ...]
    origin: Origin
    written: tuple[str, ...] = ()
    """The text of every entry, where there was one."""
    ndim: int = 2
    """How many axes it had: a vector, which lies here as a row, had one, and a number none."""

    @property
    def finite(self) -> tuple[fmpq, ...] | None:
        """The entries, if none of them is −∞."""
        return self.entries if all(entry is not None for entry in self.entries) else None  # type: ignore[return-value]

    def number(self, index: int) -> Expr:
        """One entry as a SymPy number."""
        entry = self.entries[index]
        return S.NegativeInfinity if entry is None else Rational(int(entry.p), int(entry.q))

    def text(self, index: int) -> str:
        """One entry as it is written: a decimal where it was taken as one, else a fraction.

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
        """Whether every entry is printed as it is: a decimal that was asked for, or a whole number."""
        return self.origin.taken != "binary"


@dataclass(frozen=True)
class Given:
    """A matrix of exact numbers and the text each was written as.

    ``rounded`` figures stand for all numbers that round to them; ``row_sum`` is what every row is known to sum to.
    ``array`` is there where the numbers were read from an array, and then holds them.
    """

    values: Sequence[Sequence[Expr]]
    texts: Sequence[Sequence[str]]
    rounded: bool = False
    row_sum: Expr | None = None
    array: Array | None = None
    ndim: int = 2
    """How many axes it has as it was written: a vector, which lies here as a row, has one, and a number none."""
    slices: tuple[Given, ...] = ()
    """The matrices along a leading axis, the first of which stands here, where there are three axes."""

    @classmethod
    def read(cls, rows: Iterable[Iterable[object]], symbols: Collection[str] = ()) -> Given:
        """A given from rows of text (or ``int``, ``Fraction``, SymPy numbers); floats are refused.

        The names in ``symbols`` may stand in entries for any real number.

        Raises :class:`~symattn.base.errors.FormulaError` for rows of different length and for what is no exact number.

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
        """A given from an array.

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
        """One entry, counted row by row from 0."""
        if self.array is not None:
            return self.array.number(index)
        columns = len(self.values[0])
        return self.values[index // columns][index % columns]

    @property
    def sizes(self) -> tuple[int, ...]:
        """How long each of its axes is."""
        return (len(self.slices), *self.shape) if self.slices else self.shape[2 - self.ndim :]

    @property
    def each(self) -> tuple[Given, ...]:
        """The matrices that it is: itself, or those along a leading axis."""
        return tuple(replace(part, rounded=self.rounded, row_sum=self.row_sum) for part in self.slices) or (self,)

    @classmethod
    def stacked(cls, slices: Sequence[Given]) -> Given:
        """Matrices of one shape along a leading axis.

        >>> Given.stacked([Given.read([[1, 2]])] * 3).sizes
        (3, 1, 2)
        """
        return replace(slices[0], ndim=3, slices=tuple(slices))

    @property
    def written(self) -> Any:
        """The texts as a file has them: rows, the list of a vector, the text of a number, the rows of every matrix."""
        if self.slices:
            return [part.written for part in self.slices]
        rows = [list(row) for row in self.texts]
        return rows if self.ndim == 2 else rows[0] if self.ndim else rows[0][0]
