"""Broadcasting: repeat an operand beside a matrix of another shape, and refuse ambiguous cases.

The rules are those of NumPy for a row, a column, a vector or a number beside a matrix.

>>> from symattn.operations.terms import symbol
>>> from symattn.base.shapes import shape
>>> X, mu = symbol("X", shape(3, 4)), symbol("mu", shape(3, 1))
>>> [str(each.expr) for each in aligned(X, mu, "-")]
['X', 'InEveryColumn(mu, 4)']
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from sympy import Transpose

from symattn.base import shapes
from symattn.base.errors import ShapeError
from symattn.base.parentheses import SIGNS, beside, tight, transposed_text
from symattn.base.shapes import Axis, Shape, Size
from symattn.operations import Everywhere, InEveryColumn, InEveryRow
from symattn.operations.terms import Term, size_number, transpose


def as_row(term: Term) -> Term:
    """Return a vector as a row; anything else unchanged."""
    return transposed_vector(term) if term.shape.ndim == 1 and term.shape.rows.size != 1 else term


def as_column(term: Term) -> Term:
    """Return a vector as a column; anything else unchanged."""
    return transposed_vector(term) if term.shape.ndim == 1 and term.shape.columns.size != 1 else term


def transposed_vector(vector: Term) -> Term:
    """Transpose a vector or any matrix under the same name; a second call undoes the first."""
    if isinstance(vector.expr, Transpose):
        return Term(vector.expr.arg, vector.shape.transposed, vector.text)
    return replace(transpose(vector), text=vector.text)


def aligned(left: Term, right: Term, sign: str) -> tuple[Term, Term]:
    """Bring both sides of an entrywise operation to one shape; the smaller one is repeated as the formula says.

    Raises :class:`~symattn.base.errors.ShapeError` if the two do not fit, or fit in two ways.
    """
    meeting = _Meeting(left, right, sign)
    one, other = (meeting.lying(k) for k in (0, 1))
    if one.shape.ndim == other.shape.ndim == 1 and one.shape.rows.size != other.shape.rows.size:
        one, other = as_column(one), as_column(other)  # givens are rows: a vector that became a column stays one
    rows = _axis(one.shape.rows, other.shape.rows)
    columns = _axis(one.shape.columns, other.shape.columns)
    if rows is None or columns is None:
        raise meeting.unfit()
    ndim = max(one.shape.ndim, other.shape.ndim)
    if ndim == 2 and _is_outer(one.shape, other.shape):
        raise meeting.outer(one.shape, other.shape)
    for k, part, whole in ((0, one.shape, other.shape), (1, other.shape, one.shape)):
        if 1 in part.sizes and 1 not in whole.sizes:
            meeting.must_be_one_way(k, part, whole)
    shape = Shape(rows, columns, ndim)
    return _repeated(one, shape), _repeated(other, shape)


def _axis(one: Axis, other: Axis) -> Axis | None:
    """Return the axis of the result: the longer of two if the other is 1, or that of both."""
    if one.size == other.size:
        return one.merged(other)
    return other if one.size == 1 else one if other.size == 1 else None


@dataclass(frozen=True)
class _Meeting:
    """The two sides of a sign as they were written, for error messages."""

    left: Term
    right: Term
    sign: str

    def error(self, why: str, *readings: str) -> ShapeError:
        """Return the error that lists the possible readings, and how each is written."""
        sides = f"{self.left.operand}, {self.right.operand}"
        return ShapeError(f"{self.read()}: {sides}: {why}: write {' or '.join(readings)}")

    def read(self, left: str = "", right: str = "") -> str:
        """Return the formula, with another text on one side or both; a sign that is a word is a function of the two."""
        return beside(left or self.left.text, self.sign, right or self.right.text)

    def with_side(self, k: int, text: str) -> str:
        return self.read(right=text) if k else self.read(text)

    def unfit(self) -> ShapeError:
        """Return the error for two shapes neither of which can be repeated to the other."""
        if self.sign == "*" and self.left.shape.columns.size == self.right.shape.rows.size:
            product = beside(self.left.text, "@", self.right.text)
            sides = f"{self.left.operand}, {self.right.operand}"
            return ShapeError(f"{self.read()}: {sides}: * is entry by entry; the product of matrices is {product}")
        if self.sign not in SIGNS:
            return ShapeError(f"{self.read()}: {self.left.operand}, {self.right.operand}: expected the same shape")
        try:
            shapes.same(self.left.operand, self.right.operand, self.sign)
        except ShapeError as error:
            return error
        raise AssertionError("shapes that are the same fit")

    def lying(self, k: int) -> Term:
        """Orient a vector beside a matrix: as a row, as in NumPy, unless it only fits as a column."""
        vector, matrix = (self.left, self.right)[k], (self.right, self.left)[k]
        if vector.shape.ndim != 1 or matrix.shape.ndim != 2:
            return vector
        row, length = as_row(vector), max(vector.shape.sizes, key=lambda size: size != 1)
        if vector.shape.rows.size == 1 or length == 1:
            return row
        fits_rows, fits_columns = matrix.shape.rows.size == length, matrix.shape.columns.size in (length, 1)
        if fits_rows and fits_columns:
            raise self.error(
                f"{vector.text} can be repeated in every column, as it lies, or in every row, as NumPy does",
                *(self.with_side(k, f"{tight(vector.text)}{index}") for index in ("[:, None]", "[None, :]")),
            )
        return vector if fits_rows else row

    def must_be_one_way(self, k: int, own: Shape, whole: Shape) -> None:
        """Refuse a row named like the rows of a square matrix, or a column named like its columns."""
        is_row, part = own.rows.size == 1, (self.left, self.right)[k]
        axis, met, crossed = (
            (own.columns, whole.columns, whole.rows) if is_row else (own.rows, whole.rows, whole.columns)
        )
        if axis.size != crossed.size or not axis.name or met.name == axis.name or axis.name != crossed.name:
            return
        along, turned = ("row", "column") if is_row else ("column", "row")
        other_way = transposed_text(part.text) if part.shape.ndim == 2 else f"{tight(part.text)}[:, None]"
        raise self.error(
            f"{part.text} can be repeated in every {along}, as NumPy does, though its {axis.name} meets {met.letter} "
            f"there, or in every {turned}, where it meets {crossed.letter}",
            self.with_side(k, _repeat(part.text, along, crossed.size)),
            self.with_side(k, other_way),
        )

    def outer(self, one: Shape, other: Shape) -> ShapeError:
        """Return the error for a row beside a column: every entry with every entry, or one of them transposed."""
        is_row_first = one.rows.size == 1
        row, column = (self.left, self.right) if is_row_first else (self.right, self.left)
        m, n = (other.rows.size, one.columns.size) if is_row_first else (one.rows.size, other.columns.size)
        repeated = [_repeat(row.text, "row", m), _repeat(column.text, "column", n)]
        every = self.read(*(repeated if is_row_first else repeated[::-1]))
        why = "a row beside a column is every entry with every entry, as in NumPy"
        turned = transposed_text(self.left.text) if self.left.shape.ndim == 2 else f"{tight(self.left.text)}[:, None]"
        if m != n:
            return self.error(f"{why}, where that is meant", every)
        return self.error(f"{why}, or one of them lies the wrong way", every, self.with_side(0, turned))


def _repeat(text: str, along: str, count: Size) -> str:
    """Return how to write one row in every row, or one column in every column."""
    return f"broadcast({text}, {count})" if along == "row" else beside(text, "@", f"ones(1, {count})")


def _is_outer(one: Shape, other: Shape) -> bool:
    """Return whether one is a row and the other a column, both longer than 1."""
    pairs = ((one, other), (other, one))
    return any(a.rows.size == 1 != a.columns.size and b.columns.size == 1 != b.rows.size for a, b in pairs)


def _repeated(term: Term, shape: Shape) -> Term:
    """Repeat the entries of a term until it has the shape."""
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
