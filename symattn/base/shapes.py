"""Shapes with named axes, the rules by which operations combine them, and the sentences about mismatches.

A shape is two axes. An axis has a size (a whole number, or a letter for a general shape) and may have a name.
Names make errors readable and give general forms their letters; sizes decide whether shapes fit.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

from symattn.base.errors import ShapeError
from symattn.base.parentheses import beside, transposed_text

Item = TypeVar("Item")

Size = int | str
"""A whole number, a letter for one in a general shape, or a sum of these, ``a + b``, as of blocks."""

_PLUS = " + "


@dataclass(frozen=True)
class Axis:
    """One axis of a matrix.

    >>> str(Axis(4, "d_k")), str(Axis(3)), str(Axis("n", "n"))
    ('d_k=4', '3', 'n')
    """

    size: Size
    name: str = ""

    def __str__(self) -> str:
        if not self.name or self.name == self.size:
            return str(self.size)
        return f"{self.name}={self.size}"

    @property
    def letter(self) -> str:
        """The letter that a general form writes: the axis's name, or its size if it has none."""
        return self.name or str(self.size)

    def merged(self, other: Axis) -> Axis:
        """Return this axis, with the name of the other one if it has none of its own."""
        return self if self.name else Axis(self.size, other.name)


@dataclass(frozen=True)
class Shape:
    """The shape of a matrix: rows, then columns.

    >>> str(Shape(Axis(3, "n"), Axis(4, "d_k")))
    '(n=3, d_k=4)'
    >>> Shape(Axis(3), Axis(4)).sizes
    (3, 4)
    """

    rows: Axis
    columns: Axis
    ndim: int = 2
    """The number of axes in NumPy: 1 for a vector, which is stored as a row or a column, and 0 for a number."""

    @property
    def sizes(self) -> tuple[Size, Size]:
        return (self.rows.size, self.columns.size)

    @property
    def axes(self) -> tuple[Axis, ...]:
        """The axes in NumPy: one for a vector, none for a number.

        >>> of_axes([Axis(3, "n")]).axes
        (Axis(size=3, name='n'),)
        """
        of_vector = self.columns if self.rows.size == 1 else self.rows
        return ((), (of_vector,), (self.rows, self.columns))[self.ndim]

    @property
    def is_general(self) -> bool:
        """Whether a size is a letter."""
        return isinstance(self.rows.size, str) or isinstance(self.columns.size, str)

    @property
    def transposed(self) -> Shape:
        return Shape(self.columns, self.rows, self.ndim)

    def __str__(self) -> str:
        return f"({self.rows}, {self.columns})"


class EntryPlace(NamedTuple):
    """An entry of a named matrix; row and column are counted from 0."""

    name: str
    row: int
    column: int


def total_length(sizes: Iterable[Size]) -> Size:
    """Add up the lengths of several axes: a whole number, or a sum of letters, always in the same order.

    >>> total_length([2, 3]), total_length(["b", "a"]), total_length(["a + b", 1, "a", 2])
    (5, 'a + b', 'a + a + b + 3')
    """
    parts = [part for size in sizes for part in addends(size)]
    number = sum(part for part in parts if isinstance(part, int))
    letters = sorted(part for part in parts if isinstance(part, str))
    return _PLUS.join([*letters, *([str(number)] if number else [])]) if letters else number


def addends(size: Size) -> tuple[Size, ...]:
    """Return the addends of a size; most sizes are a single number or letter.

    >>> addends("a + b + 3"), addends("n"), addends(4)
    (('a', 'b', 3), ('n',), (4,))
    """
    parts = str(size).split(_PLUS)
    return tuple(int(part) if part.isdigit() else part for part in parts)


def with_letters(size: Size, letters: Mapping[str, Size]) -> Size:
    """Replace letters in a size by other sizes.

    >>> with_letters("a + b", {"a": 2}), with_letters("a + b", {"a": 2, "b": 3})
    ('b + 2', 5)
    """
    return total_length(letters.get(part, part) if isinstance(part, str) else part for part in addends(size))


def shape(rows: Size, columns: Size) -> Shape:
    """Return a shape without axis names.

    >>> str(shape(2, 3))
    '(2, 3)'
    """
    return Shape(Axis(rows), Axis(columns))


def of_axes(axes: Sequence[Axis]) -> Shape:
    """Return the shape of a matrix with these two axes, of a vector with this one, or of a number.

    >>> str(of_axes([Axis(3, "n")])), of_axes([]).ndim
    ('(1, n=3)', 0)
    """
    rows, columns = (Axis(1), Axis(1), *axes)[-2:]
    return Shape(rows, columns, len(axes))


@dataclass(frozen=True)
class Operand:
    """One side of an operation as errors show it: its text and its shape."""

    text: str
    shape: Shape

    def __str__(self) -> str:
        return f"{self.text} is {self.shape}"


def product_shape(left: Operand, right: Operand, written: str = "") -> Shape:
    """Return the shape of ``left @ right``: (m, k) and (k, n) give (m, n). Errors call the product ``written``.

    >>> q = Operand("Q", Shape(Axis(3, "n"), Axis(4, "d_k")))
    >>> str(product_shape(q, Operand("K.T", Shape(Axis(4, "d_k"), Axis(3, "m")))))
    '(n=3, m=3)'
    >>> product_shape(q, Operand("K.T", Shape(Axis(2, "d_k"), Axis(3, "m"))))
    Traceback (most recent call last):
        ...
    symattn.base.errors.ShapeError: Q @ K.T: Q is (n=3, d_k=4), K.T is (d_k=2, m=3): d_k differs, 4 and 2; did you \
mean \
K.T @ Q?
    """
    inner_left, inner_right = left.shape.columns, right.shape.rows
    if inner_left.size != inner_right.size:
        raise ShapeError(
            f"{written or beside(left.text, '@', right.text)}: {left}, {right}: "
            + _clash(inner_left, inner_right, "the columns of the first are", "the rows of the second")
            + _turned(left, right)
        )
    return Shape(left.shape.rows, right.shape.columns)


def same(left: Operand, right: Operand, sign: str = "+") -> Shape:
    """Return the shape of an entrywise operation, whose sides must be alike.

    >>> same(Operand("X", shape(3, 4)), Operand("b", shape(2, 4)))
    Traceback (most recent call last):
        ...
    symattn.base.errors.ShapeError: X + b: X is (3, 4), b is (2, 4): rows differ, 3 and 2
    """
    for word, a, b in (
        ("rows", left.shape.rows, right.shape.rows),
        ("columns", left.shape.columns, right.shape.columns),
    ):
        if a.size == b.size:
            continue
        hint = ""
        if left.shape.sizes == right.shape.sizes[::-1]:
            hint = f"; did you mean {beside(left.text, sign, transposed_text(right.text))}?"
        named = a.name if a.name and a.name == b.name else word
        verb = "differs" if named != word else "differ"
        raise ShapeError(
            f"{beside(left.text, sign, right.text)}: {left}, {right}: {named} {verb}, {a.size} and {b.size}{hint}"
        )
    rows, columns = left.shape.rows.merged(right.shape.rows), left.shape.columns.merged(right.shape.columns)
    return Shape(rows, columns, max(left.shape.ndim, right.shape.ndim))


def row_vector(operand: Operand, role: str) -> Shape:
    """Return the shape of ``operand``. Raises :class:`~symattn.base.errors.ShapeError` if it is not one row."""
    if operand.shape.rows.size != 1:
        raise ShapeError(f"{role}: {operand}: expected one row, (1, …)")
    return operand.shape


def square(operand: Operand, role: str) -> Shape:
    """Return the shape of ``operand``. Raises :class:`~symattn.base.errors.ShapeError` if it is not square."""
    if operand.shape.rows.size != operand.shape.columns.size:
        raise ShapeError(f"{role}: {operand}: expected as many rows as columns")
    return operand.shape


def _turned(left: Operand, right: Operand) -> str:
    """Suggest a product that does fit: with one side transposed, or with the sides swapped."""
    if left.shape.columns.size == right.shape.columns.size:
        meant = beside(left.text, "@", transposed_text(right.text))
    elif left.shape.rows.size == right.shape.rows.size:
        meant = beside(transposed_text(left.text), "@", right.text)
    elif left.shape.rows.size == right.shape.columns.size:
        meant = beside(right.text, "@", left.text)
    else:
        return ""
    return f"; did you mean {meant}?"


def _clash(left: Axis, right: Axis, left_role: str, right_role: str) -> str:
    if left.name and left.name == right.name:
        return f"{left.name} differs, {left.size} and {right.size}"
    return f"{left_role} {left}, {right_role} {right}"


def whole_sizes(node: Any) -> tuple[int, int]:
    """Return the rows and columns of a SymPy matrix as Python numbers.

    >>> from sympy import MatrixSymbol
    >>> whole_sizes(MatrixSymbol("X", 2, 3))
    (2, 3)
    """
    rows, columns = node.shape
    return int(rows), int(columns)


def in_rows(entries: Sequence[Item], columns: int) -> tuple[tuple[Item, ...], ...]:
    """Split entries, listed row by row, into rows.

    >>> in_rows([1, 2, 3, 4], 2)
    ((1, 2), (3, 4))
    """
    return tuple(tuple(entries[start : start + columns]) for start in range(0, len(entries), columns))
