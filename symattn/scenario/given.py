"""What is given: matrices of exact numbers as they were written, and how figures are to be printed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from sympy import Expr

from symattn.errors import FormulaError
from symattn.numbers import exact as exact_number
from symattn.values.rounding import Ties

Scope = Literal["matrix", "column", "entry"]
Carry = Literal["exact", "rounded"]
ShapeLine = Literal["short", "long"]


@dataclass(frozen=True)
class FigureStyle:
    """How figures are printed and carried; see ``[figures]`` in the scenario format."""

    scope: Scope = "matrix"
    decimals: int = 6
    ties: Ties = "half_up"
    carry: Carry = "exact"
    shape_line: ShapeLine = "short"
    own: tuple[tuple[str, int], ...] = ()
    """Names with a number of decimals of their own."""

    def places(self, name: str) -> int:
        """How many decimals ``name`` is printed with where no fewer are exact.

        >>> FigureStyle(decimals=6, own=(("A", 2),)).places("A")
        2
        """
        return dict(self.own).get(name, self.decimals)


@dataclass(frozen=True)
class Given:
    """A matrix of exact numbers and the text each was written as.

    ``rounded`` figures stand for all numbers that round to them; ``row_sum`` is what every row is known to sum to.
    """

    values: tuple[tuple[Expr, ...], ...]
    texts: tuple[tuple[str, ...], ...]
    rounded: bool = False
    row_sum: Expr | None = None

    @classmethod
    def read(cls, rows: Iterable[Iterable[object]]) -> Given:
        """A given from rows of text (or ``int``, ``Fraction``, SymPy numbers); floats are refused.

        >>> Given.read([["0.50", 1]]).values
        ((1/2, 1),)
        """
        cells = [[(exact_number(cell), str(cell)) for cell in row] for row in rows]
        if len({len(row) for row in cells}) != 1 or not cells[0]:
            raise FormulaError("rows of different length" if any(cells) else "a matrix needs at least one number")
        return cls(
            tuple(tuple(value for value, _ in row) for row in cells),
            tuple(tuple(text for _, text in row) for row in cells),
        )

    @property
    def shape(self) -> tuple[int, int]:
        return (len(self.values), len(self.values[0]))

    @property
    def entries(self) -> list[Expr]:
        return [value for row in self.values for value in row]
