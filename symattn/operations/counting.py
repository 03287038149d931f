"""Numbers about a formula: how many multiplications its products take, how many entries a mask leaves visible."""

from __future__ import annotations

from collections.abc import Sequence

from sympy import Add, Expr, Integer, MatrixExpr, Mul

from symattn.operations.terms import Term, size_number, size_symbol
from symattn.shapes import Axis


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
        """The number in letters, or ``None`` where it has to be counted."""
        return self.args[1] if len(self.args) > 1 else None

    @property
    def room(self) -> Expr:
        """What may not be negative for the formula to hold: a window is no wider than the positions there are."""
        return self.args[2]


def axis_letter(axis: Axis) -> Expr:
    """What an axis is called in a count: the symbol of its name, or its number where it has none.

    >>> axis_letter(Axis(4, "d_k")), axis_letter(Axis(3))
    (d_k, 3)
    """
    return size_symbol(axis.name) if axis.name else size_number(axis.size)


def product_cost(left: Term, right: Term) -> Expr:
    """Multiplications of two numbers in ``left @ right``: (m, k), (k, n) takes m · k · n, kept in this order."""
    axes = (left.shape.rows, left.shape.columns.merged(right.shape.rows), right.shape.columns)
    return Mul(*map(axis_letter, axes), evaluate=False)


def power_cost(base: Term, exponent: int) -> Expr:
    """Multiplications in ``base ** exponent``, worked as a chain of exponent − 1 products."""
    rows = base.shape.rows.merged(base.shape.columns)
    return Integer(exponent - 1) * axis_letter(rows) ** 3


def total_cost(products: Sequence[Expr]) -> Expr:
    """What several products cost together, in the order they are worked."""
    return Add(*products, evaluate=False) if len(products) > 1 else products[0] if products else Integer(0)


def kept_by(mask: MatrixExpr, kind: type, *axes: Axis) -> Kept:
    """What a mask of one kind keeps, in the letters of the axes that it is called with.

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
