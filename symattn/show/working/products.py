"""Work sums and products in figures: matrix products, powers, sums of matrices, additive scores; and lay out a whole
product as on squared paper, with the row and the column of an entry marked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from flint import arb
from sympy import Basic, Expr, MatAdd, MatMul, MatPow, MatrixExpr, MatrixSymbol, OneMatrix, S, Transpose

from symattn import operations as ops
from symattn.base.printed import Figure
from symattn.base.shapes import whole_sizes
from symattn.compute.solution.on_the_way import numbers
from symattn.compute.solution.store import Shown, Store
from symattn.operations.stages import same_as_ours
from symattn.operations.stored import as_number
from symattn.show.math import Call, Chain, Grid, Highlighted, Math, Number, Parens, Sign, Squared, added, seq
from symattn.show.notation.figures import behind, exact_value, figure_in_a_line, figure_product, guarded, long_sum
from symattn.show.notation.formulas import factors_before, number
from symattn.show.working.equations import entry_work
from symattn.show.working.lines import Work, worked_line


@entry_work.register
def _(node: MatMul, work: Work, i: int, j: int) -> Chain | None:
    scalars = [arg for arg in node.args if not arg.is_Matrix]
    matrices = [arg for arg in node.args if arg.is_Matrix]
    front = factors_before(scalars, number)
    if len(matrices) == 1:
        operand = work.cells(matrices[0])[i][j]
        sides = seq(*front, *([Sign("·")] if front and scalars != [-1] else []), behind(operand))
        return worked_line(work.left(i, j), work.result(i, j), (sides, [operand]))
    # A longer chain is worked as (everything before) times (the last factor).
    before = matrices[0] if len(matrices) == 2 else MatMul(*matrices[:-1], evaluate=False)
    if isinstance(matrices[-1], OneMatrix) and matrices[-1].shape[0] == 1 and not front:
        # A column times ones has the same entries in every column.
        return entry_work(before, replace(work, shown=work.left(i, j), name=work.solution.part(before)), i, 0)
    return _product_work(front, before, matrices[-1], work, i, j)


BESIDE = 6
"""The most entries of a row and a column that a line shows side by side."""


def _product_work(front: list[Math], before: Basic, last: Basic, work: Work, i: int, j: int) -> Chain:
    """Work entry (i, j) of a product of two: row i of the first times column j of the second."""
    row, column = work.cells(before)[i], [cells[j] for cells in work.cells(last)]
    if isinstance(last, OneMatrix):
        column, terms = [], [figure_in_a_line(row[0]), *map(behind, row[1:])]
    elif isinstance(before, OneMatrix):
        row, terms = [], [figure_in_a_line(column[0]), *map(behind, column[1:])]
    else:
        terms = [figure_product(a, b) for a, b in zip(row, column, strict=True)]
    total, used = long_sum(terms), [*row, *column]
    right = seq(*front, Parens(total)) if front else total
    sides = [(right, used)]
    if (i, j) in work.beside and row and column and not front and 1 < len(row) <= BESIDE:
        across = Grid((tuple(Highlighted(figure_in_a_line(each), "row") for each in row),))
        down = Grid(tuple((Highlighted(figure_in_a_line(each), "column"),) for each in column))
        sides.insert(0, (seq(across, down), used))
    return worked_line(work.left(i, j), work.result(i, j), *sides)


@entry_work.register
def _(node: MatPow, work: Work, i: int, j: int) -> Chain | None:
    exponent = int(node.exp)
    if exponent == 1:
        return entry_work(MatMul(node.base, evaluate=False), work, i, j)
    before = node.base if exponent == 2 else MatPow(node.base, exponent - 1)
    return _product_work([], before, node.base, work, i, j)


@entry_work.register
def _(node: MatAdd, work: Work, i: int, j: int) -> Chain | None:
    parts: list[Math] = []
    used: list[Figure] = []
    for arg in node.args:
        negative, inner = sign_and_size(arg)
        figure = work.cells(inner)[i][j]
        used.append(figure)
        if parts and not negative and is_negative_number(inner) and figure.number is not None:
            negative, figure = True, opposite_of(figure)
        term = behind(figure) if negative or parts else figure_in_a_line(figure)
        parts.append(seq(Sign("-"), term) if negative else term)
    result = work.result(i, j)
    # A sum with −∞ is −∞, however a finite term was rounded.
    matter = () if result.text.endswith("oo") else None
    return worked_line(work.left(i, j), result, (added(*parts), used), matter=matter)


def is_negative_number(term: MatrixExpr) -> bool:
    """Return True if a term is a negative number, for one entry or for all: formulas write it behind a minus."""
    number = as_number(term.argument if isinstance(term, ops.Everywhere) else term)
    return bool(number is not None and number.is_negative)


def opposite_of(figure: Figure) -> Figure:
    """Return a negative figure without its minus."""
    assert figure.number is not None
    short = figure.short.removeprefix("-")
    return replace(figure, text=figure.text.removeprefix("-"), short=short, number=-figure.number)


def sign_and_size(term: MatrixExpr) -> tuple[bool, MatrixExpr]:
    """Return whether a term of a sum is subtracted, and the term without its minus."""
    if not (isinstance(term, MatMul) and term.args[0] == -1):
        return False, term
    rest = term.args[1:]
    return True, rest[0] if len(rest) == 1 else MatMul(*rest, evaluate=False)


@entry_work.register
def _(node: ops.AdditiveScores, work: Work, i: int, j: int) -> Chain | None:
    query, key, weights = work.cells(node.queries)[i], work.cells(node.keys)[j], work.cells(node.vector)[0]

    def enclosures(bits: int) -> list[arb]:
        q, k = (work.solution.evaluate_ball(side, bits) for side in (node.queries, node.keys))
        return [(q[i, c] + k[j, c]).tanh() for c in range(q.ncols())]

    def exactly(c: int) -> Expr | None:
        a, b = exact_value(query[c]), exact_value(key[c])
        return S.Zero if a is not None and b is not None and a + b == 0 else None

    names = [f"{work.name}[{i + 1},{j + 1}]: tanh {c + 1}" for c in range(len(weights))]
    values = numbers(work.solution, enclosures, names, exactly)
    sums = [Call("tanh", (seq(figure_in_a_line(a), Sign("+"), guarded(b)),)) for a, b in zip(query, key, strict=True)]
    return worked_line(
        work.left(i, j),
        work.result(i, j),
        (long_sum([*map(figure_product, weights, sums)]), [*weights, *query, *key]),
        (long_sum([*map(figure_product, weights, values)]), values),
    )


LARGEST = 6
"""The most rows or columns of a matrix in a laid-out product."""

WIDEST = 80
"""The most characters in a line of figures."""

CellOf = Callable[[int, int], Math]


def laid_out(solution: Store) -> frozenset[str]:
    """Return the products that are laid out as on squared paper: the first Q Kᵀ, and the first mixture with weights."""
    first: dict[str, str] = {}
    for step in solution.derivation.steps:
        if (factors := _factors(solution, step.name)) is not None and (kind := _kind(solution, factors)):
            first.setdefault(kind, step.name)
    return frozenset(first.values())


def _kind(solution: Store, factors: tuple[Basic, Basic]) -> str:
    """Return whether a product compares rows with rows, or mixes rows with the shares of a softmax."""
    (left, is_turned), (_, turns) = (_behind(solution, factor) for factor in factors)
    if turns and not is_turned:
        return "comparison"
    return "mixture" if isinstance(left, ops.Softmax) and not turns else ""


def _behind(solution: Store, factor: Basic) -> tuple[Basic | None, bool]:
    """Return the formula of a factor, and whether it is a matrix turned over, here or in its own step."""
    if isinstance(factor, Transpose):
        return factor, True
    formula = same_as_ours(solution.step(str(factor.name)).formula)
    return formula, isinstance(formula, Transpose)


def squared_paper(
    solution: Store, name: str, place: tuple[int, int], cells_of: Callable[[str], CellOf]
) -> Squared | None:
    """Lay out a product with one entry, counted from 0, and its row and column marked; ``None`` if it is too large."""
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
    """Return the number of characters in the figures of a row."""
    numbers = (cell.inner if isinstance(cell, Highlighted) else cell for cell in row)
    return sum(len(cell.text) if isinstance(cell, Number) else WIDEST for cell in numbers)


def _factors(solution: Store, name: str) -> tuple[Basic, Basic] | None:
    """Return the two factors of a product of matrices with figures, if it is small enough."""
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
