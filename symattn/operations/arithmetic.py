"""Nodes that SymPy would evaluate away: a matrix over a number, the dot product of two rows."""

from __future__ import annotations

from typing import Any

from sympy import Expr, Integer, MatrixExpr, Sum

from symattn.operations.indices import fresh_index


class Quotient(MatrixExpr):
    """(X / c)_{ij} = x_{ij} / c.

    SymPy turns ``Q*K.T/sqrt(4)`` into ``Q*K.T/2`` and the reader never sees the root; this node keeps the divisor.
    Shapes: (m, n) → (m, n). The divisor may hold the names of sizes, as in √d_k.

    >>> from sympy import MatrixSymbol, Symbol, sqrt
    >>> Quotient(MatrixSymbol("S", 2, 2), sqrt(Symbol("d_k")))[0, 1]
    S[0, 1]/sqrt(d_k)

    Source: as the scaling by 1/√d_k, Vaswani et al. 2017, section 3.2.1, equation (1).
    """

    def __new__(cls, argument: MatrixExpr, divisor: Expr) -> Quotient:
        return MatrixExpr.__new__(cls, argument, divisor)

    @property
    def argument(self) -> MatrixExpr:
        """The matrix X."""
        return self.args[0]

    @property
    def divisor(self) -> Expr:
        """The number c."""
        return self.args[1]

    @property
    def shape(self) -> tuple[Expr, Expr]:
        return self.argument.shape

    def _entry(self, i: Expr, j: Expr, **kwargs: Any) -> Expr:
        return self.argument[i, j] / self.divisor


class Dot(MatrixExpr):
    """x · y = Σ_k x_k y_k, as a matrix of one entry.

    Shapes: (1, n), (1, n) → (1, 1).

    >>> from sympy import MatrixSymbol
    >>> Dot(MatrixSymbol("x", 1, 3), MatrixSymbol("y", 1, 3))[0, 0]
    Sum(x[0, k]*y[0, k], (k, 0, 2))
    """

    def __new__(cls, left: MatrixExpr, right: MatrixExpr) -> Dot:
        return MatrixExpr.__new__(cls, left, right)

    @property
    def left(self) -> MatrixExpr:
        """The row x."""
        return self.args[0]

    @property
    def right(self) -> MatrixExpr:
        """The row y."""
        return self.args[1]

    @property
    def shape(self) -> tuple[Expr, Expr]:
        return (Integer(1), Integer(1))

    def _entry(self, i: Expr, j: Expr, **kwargs: Any) -> Expr:
        x, y = self.left, self.right
        k = fresh_index(x[0, 0], y[0, 0], i, j)
        return Sum(x[0, k] * y[0, k], (k, 0, x.shape[1] - 1))
