"""Which operand is repeated where, beside a matrix of another shape, and what is refused because it can be read twice.

The rules are those of NumPy for a row, a column, a vector or a number beside a matrix.

>>> from symattn.operations.terms import symbol
>>> from symattn.shapes import shape
>>> X, mu = symbol("X", shape(3, 4)), symbol("mu", shape(3, 1))
>>> [str(each.expr) for each in aligned(X, mu, "-")]
['X', 'InEveryColumn(mu, 4)']
"""

from __future__ import annotations

from dataclasses import replace

from symattn import shapes
from symattn.errors import ShapeError
from symattn.operations import Everywhere, InEveryColumn, InEveryRow
from symattn.operations.terms import Term, size_number, tight, transpose
from symattn.shapes import Axis, Shape


def as_row(term: Term) -> Term:
    """A vector as a row; everything else as it is."""
    return _turned(term) if term.shape.ndim == 1 and term.shape.columns.size == 1 else term


def as_column(term: Term) -> Term:
    """A vector as a column; everything else as it is."""
    return _turned(term) if term.shape.ndim == 1 and term.shape.rows.size == 1 else term


def _turned(vector: Term) -> Term:
    return replace(transpose(vector), text=vector.text)


def aligned(left: Term, right: Term, sign: str) -> tuple[Term, Term]:
    """Both sides of an operation entry by entry in one shape: what is smaller is repeated, as the formula says.

    Raises :class:`~symattn.errors.ShapeError` where the two do not fit, or fit in two ways.
    """
    one, other = _lying(left, right, sign), _lying(right, left, sign)
    if one.shape.ndim == other.shape.ndim == 1 and one.shape.rows.size != other.shape.rows.size:
        one, other = as_row(one), as_row(other)
    rows = _axis(one.shape.rows, other.shape.rows)
    columns = _axis(one.shape.columns, other.shape.columns)
    if rows is None or columns is None:
        shapes.same(left.operand, right.operand, sign)
        raise AssertionError("shapes that are the same fit")
    for each in (one, other):
        if 1 in each.shape.sizes and 1 not in (rows.size, columns.size):
            _must_be_one_way(each, Shape(rows, columns), left, right, sign)
    ndim = max(one.shape.ndim, other.shape.ndim)
    if ndim == 2 and _is_outer(one.shape, other.shape):
        raise ShapeError(_row_and_column(left, right, sign))
    shape = Shape(rows, columns, ndim)
    return _repeated(one, shape), _repeated(other, shape)


def _axis(one: Axis, other: Axis) -> Axis | None:
    """The axis of the result: the longer of two of which one is 1, or that of both."""
    if one.size == other.size:
        return one.merged(other)
    return other if one.size == 1 else one if other.size == 1 else None


def _lying(vector: Term, beside: Term, sign: str) -> Term:
    """A vector as it lies beside a matrix: a row, as in NumPy, save where it is a column and fits as one only."""
    if vector.shape.ndim != 1 or beside.shape.ndim != 2:
        return vector
    row, length = as_row(vector), max(vector.shape.sizes, key=lambda size: size != 1)
    if vector.shape.rows.size == 1 or length == 1:
        return row
    fits_rows, fits_columns = beside.shape.rows.size == length, beside.shape.columns.size in (length, 1)
    if fits_rows and fits_columns:
        one, other = f"{tight(vector)}[:, None]", f"{tight(vector)}[None, :]"
        raise ShapeError(
            f"{vector.text} beside {beside.text} with {sign}: {vector.operand}, {beside.operand}: it can be repeated "
            f"in every column, {one}, or in every row, as NumPy does, {other}: write which"
        )
    return vector if fits_rows else row


def _is_outer(one: Shape, other: Shape) -> bool:
    """Whether one is a row and the other a column, both longer than 1."""
    pairs = ((one, other), (other, one))
    return any(a.rows.size == 1 != a.columns.size and b.columns.size == 1 != b.rows.size for a, b in pairs)


def _row_and_column(left: Term, right: Term, sign: str) -> str:
    """The two readings of a row beside a column."""
    rows, columns = (
        (left if right.shape.columns.size == 1 else right),
        (right if right.shape.columns.size == 1 else left),
    )
    m, n = columns.shape.rows.letter, rows.shape.columns.letter
    said = {rows.text: f"in_every_row({rows.text}, {m})", columns.text: f"in_every_column({columns.text}, {n})"}
    return (
        f"{left.text} {sign} {right.text}: {left.operand}, {right.operand}: a row and a column can mean two things: "
        f"turn one of them, {tight(left)}.T {sign} {right.text}, or take every entry with every entry, as NumPy does, "
        f"{said[left.text]} {sign} {said[right.text]}"
    )


def _must_be_one_way(part: Term, whole: Shape, left: Term, right: Term, sign: str) -> None:
    """Refuse a row that has the name of the rows of a square matrix, or a column that of its columns."""
    is_row = part.shape.rows.size == 1
    own, met, crossed = (
        (part.shape.columns, whole.columns, whole.rows) if is_row else (part.shape.rows, whole.rows, whole.columns)
    )
    if own.size == crossed.size and own.name and met.name != own.name == crossed.name:
        along, turned = ("row", "column") if is_row else ("column", "row")
        said = tight(part)
        raise ShapeError(
            f"{left.text} {sign} {right.text}: {left.operand}, {right.operand}: {part.text} can be repeated in every "
            f"{along}, as NumPy does, though its {own.name} meets {met.letter} there, or in every {turned}, where it "
            f"meets {crossed.letter}: write {said}.T for that, or in_every_{along}({part.text}, {crossed.letter})"
        )


def _repeated(term: Term, shape: Shape) -> Term:
    """The term with its entries repeated until it has the shape."""
    rows, columns = size_number(shape.rows.size), size_number(shape.columns.size)
    own = term.shape.sizes
    if own == shape.sizes:
        return term if term.shape.ndim == shape.ndim else replace(term, shape=shape)
    if own == (1, 1):
        expr = Everywhere(term.expr, rows, columns)
    elif own[0] == 1:
        expr = InEveryRow(term.expr, rows)
    else:
        expr = InEveryColumn(term.expr, columns)
    return Term(expr, shape, term.text)
