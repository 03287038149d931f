"""Build formulas: every operation has its shape checked before SymPy sees it.

A :class:`Term` is a formula under construction, with its shape (and axis names) and the text it was written as, so that
an error can name both sides. The functions here make the nodes of operators and choices, and
:mod:`symattn.operations.build` those of every operation that has equations; no other module makes any.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce

from sympy import (
    Add,
    Expr,
    Integer,
    MatAdd,
    MatMul,
    MatPow,
    MatrixExpr,
    MatrixSymbol,
    Mul,
    OneMatrix,
    S,
    Symbol,
    Transpose,
)

from symattn.base import limits, shapes
from symattn.base.errors import FormulaError, cut
from symattn.base.parentheses import Precedence, at, beside, tight
from symattn.base.shapes import Axis, Operand, Shape, Size
from symattn.operations.arithmetic import Quotient
from symattn.operations.entrywise import ArgMax, TopK


@dataclass(frozen=True)
class Term:
    """A matrix formula with its shape and the text it was written as."""

    expr: MatrixExpr
    shape: Shape
    text: str

    @property
    def operand(self) -> Operand:
        return Operand(self.text, self.shape)

    def of_ndim(self, ndim: int) -> Term:
        """Return the same matrix as one with that many axes in NumPy."""
        return replace(self, shape=replace(self.shape, ndim=ndim))


def symbol(name: str, shape: Shape) -> Term:
    """Return the term of a matrix name.

    >>> symbol("Q", shapes.shape(3, 4)).expr.shape
    (3, 4)
    """
    return Term(MatrixSymbol(name, *map(size_number, shape.sizes)), shape, name)


def single(value: Expr) -> Term:
    """Return a number as a matrix of one entry.

    >>> single(Integer(2)).expr, single(Integer(2)).shape.ndim
    (2*1, 0)
    """
    one = OneMatrix(1, 1)
    expr = one if value == 1 else MatMul(value, one, evaluate=False)
    return Term(expr, Shape(Axis(1), Axis(1), 0), str(value))


def size_number(size: Size) -> Expr:
    """Return a size inside a formula: a whole number, or the symbol of a letter.

    >>> size_number(3), size_number("n"), size_number("a + b")
    (3, n, a + b)
    """
    parts = (Integer(part) if isinstance(part, int) else size_symbol(part) for part in shapes.addends(size))
    return reduce(lambda one, other: one + other, parts)


def size_symbol(name: str) -> Symbol:
    """Return the symbol for a size's name in a formula."""
    return Symbol(name, integer=True, positive=True)


def product_term(left: Term, right: Term, grouped: bool = False) -> Term:
    """Q @ K: (m, k), (k, n) → (m, n). A chain is kept as one product, in the order it was written.

    ``grouped`` keeps a product on the left as a factor of its own, as in (Q @ K.T) @ V: the same value, worked in the
    same order, but written with its parentheses.
    """
    text = beside(f"({left.text})" if grouped else left.text, "@", right.text)
    shape = shapes.product_shape(left.operand, right.operand, text)
    must_be_shape(shape.rows, shape.columns, text)
    factors = left.expr.args if isinstance(left.expr, MatMul) and not grouped else (left.expr,)
    return Term(MatMul(*factors, right.expr, evaluate=False), shape, text)


def sum_term(left: Term, right: Term) -> Term:
    """X + Y: (m, n), (m, n) → (m, n). A chain is kept as one sum, in the order it was written."""
    return _sum(left, right, "+", right.expr, f"{left.text} + {right.text}")


def difference(left: Term, right: Term) -> Term:
    """X − Y: (m, n), (m, n) → (m, n)."""
    return _sum(left, right, "-", multiple(Integer(-1), right).expr, beside(left.text, "-", right.text))


def _sum(left: Term, right: Term, sign: str, added: MatrixExpr, text: str) -> Term:
    shape = shapes.same(left.operand, right.operand, sign)
    terms = left.expr.args if isinstance(left.expr, MatAdd) else (left.expr,)
    return Term(MatAdd(*terms, added, evaluate=False), shape, text)


def multiple(factor: Expr, term: Term) -> Term:
    """c · X: (m, n) → (m, n).

    >>> multiple(Integer(2), multiple(Integer(3), symbol("X", shapes.shape(2, 2)))).expr
    6*X
    """
    said, expr, product = factor, term.expr, at(Precedence.PRODUCT, term.text)
    if isinstance(expr, MatMul) and sum(bool(arg.is_Matrix) for arg in expr.args) == 1:
        # One number before a matrix: 2 (3 X) is 6 X. SymPy asks the matrix in such a product twice for its shape, so
        # that products of this kind inside one another would take twice as long each.
        factor, expr = Mul(factor, *expr.args[:-1]), expr.args[-1]
    return Term(
        MatMul(factor, expr, evaluate=False) if factor != 1 or expr is term.expr else expr,
        term.shape,
        f"-{product}" if said == -1 else f"{written_number(said)} * {product}",
    )


def quotient(term: Term, divisor: Expr) -> Term:
    """X / c: (m, n) → (m, n). Raises :class:`~symattn.base.errors.FormulaError` where c is 0."""
    if divisor.is_number and divisor.is_zero:
        raise FormulaError(f"{term.text} / {divisor}: division by zero")
    return Term(Quotient(term.expr, divisor), term.shape, beside(term.text, "/", written_number(divisor)))


def power_term(term: Term, exponent: int) -> Term:
    """matrix_power(A, n), A A … A for a whole n ≥ 1: (m, m) → (m, m).

    Raises :class:`~symattn.base.errors.ShapeError` where A is not square, :class:`~symattn.base.errors.FormulaError`
    for other n.
    """
    text = f"matrix_power({term.text}, {cut(str(exponent))})"
    shapes.square(term.operand, text)
    if not 1 <= exponent <= limits.MATRIX_EXPONENT:
        raise FormulaError(f"{text}: a matrix power has a whole exponent from 1 to {limits.MATRIX_EXPONENT}")
    return Term(MatPow(term.expr, Integer(exponent)), term.shape, text)


def transpose(term: Term) -> Term:
    """K.T: (m, n) → (n, m)."""
    return Term(Transpose(term.expr), term.shape.transposed, f"{tight(term.text)}.T")


def argmax(argument: Term) -> Term:
    """Return the column of the largest entry of each row, from 0: (m, n) → (m, 1)."""
    return Term(ArgMax(argument.expr), Shape(argument.shape.rows, Axis(1)), f"argmax({argument.text})")


def top_k(argument: Term, count: int) -> Term:
    """Return 1 where an entry is among the ``count`` largest of its row, else 0: (m, n) → (m, n).

    Raises :class:`~symattn.base.errors.FormulaError` where a row has not so many.
    """
    text, width = f"top_k({argument.text}, {count})", argument.shape.columns.size
    if count < 1 or (isinstance(width, int) and count > width):
        raise FormulaError(f"{text}: {argument.operand}: expected a number of entries from 1 to {width}, came {count}")
    return Term(TopK(argument.expr, count), argument.shape, text)


def must_be_shape(rows: Axis, columns: Axis, text: str) -> None:
    """Check that numeric sizes are at least 1 and that there are not too many entries.

    Raises :class:`~symattn.base.errors.FormulaError` where they are not.
    """
    for axis in (rows, columns):
        must_be_size(axis, text)
    known = [axis.size for axis in (rows, columns) if isinstance(axis.size, int)]
    if len(known) == 2 and known[0] * known[1] > limits.MATRIX_ENTRIES:
        raise FormulaError(f"{cut(text, 100)}: more than MATRIX_ENTRIES = {limits.MATRIX_ENTRIES} entries")


def must_be_size(axis: Axis, text: str) -> None:
    """Check that a numeric size is at least 1. Raises :class:`~symattn.base.errors.FormulaError` where it is not."""
    if isinstance(axis.size, int) and axis.size < 1:
        raise FormulaError(f"{text}: {axis} is not a size: expected a whole number from 1 up")


def written_number(value: Expr) -> str:
    """Write a number beside a matrix, in parentheses where it would otherwise be misread."""
    is_name = value.is_Symbol or value is S.Pi
    plain = is_name or (value.is_Integer and not value.is_negative) or (value.is_Pow and value.exp == S.Half)
    return str(value) if plain else f"({value})"


class Kept(Expr):
    """kept(M) = how many entries of a mask are 0, so that softmax sees them.

    It holds the mask and, where there is a formula for the number, that formula in the letters of the axes and what
    may not be negative for it to hold; without a formula the entries are counted. A node of its own, so that whoever
    has the numbers can count and check the formula.

    >>> from sympy import Symbol, oo
    >>> from symattn.operations.masks import CausalMask
    >>> n = Symbol("n")
    >>> Kept(CausalMask(3, -oo), n * (n + 1) / 2, n - 1).letters
    n*(n + 1)/2
    >>> Kept(CausalMask(3, -oo)).letters is None
    True
    """

    is_commutative = True
    is_integer = True
    is_nonnegative = True

    def __new__(cls, mask: MatrixExpr, *formula: Expr) -> Kept:
        return Expr.__new__(cls, mask, *formula)

    @property
    def mask(self) -> MatrixExpr:
        """The mask whose entries are counted."""
        return self.args[0]

    @property
    def letters(self) -> Expr | None:
        """The count in letters, or ``None`` where it must be counted."""
        return self.args[1] if len(self.args) > 1 else None

    @property
    def room(self) -> Expr:
        """The number that must not be negative for the formula to hold: a window is no wider than the positions."""
        return self.args[2]


def axis_letter(axis: Axis) -> Expr:
    """Return an axis as it is written in a count: the symbol of its name, or its number where it has none.

    >>> axis_letter(Axis(4, "d_k")), axis_letter(Axis(3))
    (d_k, 3)
    """
    return size_symbol(axis.name) if axis.name else size_number(axis.size)


def product_cost(left: Term, right: Term) -> Expr:
    """Return the multiplications in ``left @ right``: (m, k), (k, n) takes m · k · n, kept in this order."""
    axes = (left.shape.rows, left.shape.columns.merged(right.shape.rows), right.shape.columns)
    return Mul(*map(axis_letter, axes), evaluate=False)


def power_cost(base: Term, exponent: int) -> Expr:
    """Return the multiplications in ``base ** exponent``, computed as a chain of exponent − 1 products."""
    rows = base.shape.rows.merged(base.shape.columns)
    return Integer(exponent - 1) * axis_letter(rows) ** 3


def total_cost(products: Sequence[Expr]) -> Expr:
    """Return the total cost of several products, in the order of their computation."""
    return Add(*products, evaluate=False) if len(products) > 1 else products[0] if products else Integer(0)


def kept_by(mask: MatrixExpr, kind: type, *axes: Axis) -> Kept:
    """Return the count of what a mask of one kind keeps, in the letters of the axes that it is called with.

    >>> from symattn.operations.masks import CausalMask, PaddingMask, WindowMask
    >>> kept_by(CausalMask(3, Integer(-1)), CausalMask, Axis(3, "n")).letters
    n*(n + 1)/2
    >>> kept_by(WindowMask(4, 2, Integer(-1)), WindowMask, Axis(4, "n"), Axis(2)).letters
    3*n - 2
    >>> kept_by(PaddingMask(2, 4, 3, Integer(-1)), PaddingMask, Axis(2, "n"), Axis(4, "m"), Axis(3)).letters
    3*n
    """
    said = kind(*map(axis_letter, axes), Integer(-1))
    return Kept(mask, said.kept, said.room)
