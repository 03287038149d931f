"""A whole product in figures, as people lay it out on squared paper, with the row and the column of an entry marked."""

from __future__ import annotations

from collections.abc import Callable

from sympy import Basic, MatMul, MatrixSymbol, Transpose

from symattn.document.math import Grid, Highlighted, Math, Number, Squared
from symattn.shapes import whole_sizes
from symattn.solution.shown import Shown
from symattn.solution.store import Store

LARGEST = 6
"""A matrix with more rows or columns is not laid out with others."""

WIDEST = 80
"""How many characters the figures of a line may have."""

CellOf = Callable[[int, int], Math]


def first_product(solution: Store) -> str | None:
    """The first step that is a product of two matrices which stand on the page, small enough to be laid out."""
    return next((step.name for step in solution.derivation.steps if _factors(solution, step.name) is not None), None)


def squared_paper(
    solution: Store, name: str, place: tuple[int, int], cells_of: Callable[[str], CellOf]
) -> Squared | None:
    """A product with one entry marked, counted from 0, and the row and the column that it is made of."""
    factors = _factors(solution, name)
    if factors is None:
        return None
    i, j = place
    (rows, inner), (_, columns) = map(whole_sizes, factors)
    left, above = (_cells(factor, cells_of) for factor in factors)
    product = cells_of(name)
    laid = Squared(
        _grid(rows, inner, lambda a, b: Highlighted(left(a, b), "row") if a == i else left(a, b)),
        _grid(inner, columns, lambda a, b: Highlighted(above(a, b), "column") if b == j else above(a, b)),
        _grid(rows, columns, lambda a, b: Highlighted(product(a, b), "result") if (a, b) == place else product(a, b)),
    )
    longest = max(map(_length, (*laid.left.rows, *laid.above.rows, *laid.product.rows)))
    return laid if longest * (inner + columns) <= WIDEST * max(inner, columns) else None


def _grid(rows: int, columns: int, cell: CellOf) -> Grid:
    return Grid(tuple(tuple(cell(i, j) for j in range(columns)) for i in range(rows)))


def _length(row: tuple[Math, ...]) -> int:
    """How many characters the figures of a row have."""
    numbers = (cell.inner if isinstance(cell, Highlighted) else cell for cell in row)
    return sum(len(cell.text) if isinstance(cell, Number) else WIDEST for cell in numbers)


def _factors(solution: Store, name: str) -> tuple[Basic, Basic] | None:
    """The two factors of a product of matrices with figures that is small enough."""
    step = solution.derivation[name]
    if step.formula is None or step.general or not isinstance(step.formula, MatMul):
        return None
    factors = solution.formula(name).args
    if len(factors) != 2 or not all(isinstance(factor, MatrixSymbol | Transpose) for factor in factors):
        return None
    names = [factor.arg if isinstance(factor, Transpose) else factor for factor in factors]
    if not all(isinstance(each, MatrixSymbol) for each in names):
        return None
    (rows, inner), (_, columns) = map(whole_sizes, factors)
    small = max(rows, inner, columns) <= LARGEST and min(inner, rows * columns) > 1
    shown = all(solution.shown(each) is Shown.FIGURES for each in (name, *(str(each.name) for each in names)))
    return (factors[0], factors[1]) if small and shown else None


def _cells(factor: Basic, cells_of: Callable[[str], CellOf]) -> CellOf:
    if isinstance(factor, Transpose):
        cells = cells_of(str(factor.arg.name))
        return lambda i, j: cells(j, i)
    return cells_of(str(factor.name))
