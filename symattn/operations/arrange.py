"""Nodes that arrange entries without calculating: causal mask, broadcast row, single row."""

from __future__ import annotations

from typing import Any

from sympy import Expr, Integer, MatrixExpr, Piecewise


class CausalMask(MatrixExpr):
    """M_{ij} = 0 for j ≤ i and v for j > i: position i sees itself and what came before.

    Shapes: → (n, n). v is −∞, or a large negative number that stands for it.

    >>> from sympy import oo
    >>> CausalMask(2, -oo).as_explicit()
    Matrix([
    [0, -oo],
    [0,   0]])

    Source: Vaswani et al. 2017, *Attention Is All You Need*, section 3.2.3.
    """

    def __new__(cls, size: Expr | int, value: Expr) -> CausalMask:
        return MatrixExpr.__new__(cls, Integer(size), value)

    @property
    def value(self) -> Expr:
        """What stands above the diagonal."""
        return self.args[1]

    @property
    def shape(self) -> tuple[Expr, Expr]:
        return (self.args[0], self.args[0])

    def _entry(self, i: Expr, j: Expr, **kwargs: Any) -> Expr:
        return Piecewise((self.value, j > i), (Integer(0), True))


class Broadcast(MatrixExpr):
    """B_{ij} = b_j: the row b written n times, so that it can be added to n rows.

    Shapes: (1, d) → (n, d).

    >>> from sympy import MatrixSymbol
    >>> Broadcast(MatrixSymbol("b", 1, 2), 3)[2, 1]
    b[0, 1]
    """

    def __new__(cls, argument: MatrixExpr, rows: Expr | int) -> Broadcast:
        return MatrixExpr.__new__(cls, argument, Integer(rows))

    @property
    def argument(self) -> MatrixExpr:
        """The row b."""
        return self.args[0]

    @property
    def shape(self) -> tuple[Expr, Expr]:
        return (self.args[1], self.argument.shape[1])

    def _entry(self, i: Expr, j: Expr, **kwargs: Any) -> Expr:
        return self.argument[Integer(0), j]


class Row(MatrixExpr):
    """Row i of X, counted from 1 as the reader counts: row(X, i)_{1j} = x_{ij}.

    Shapes: (m, n) → (1, n).

    >>> from sympy import MatrixSymbol
    >>> Row(MatrixSymbol("X", 3, 2), 3)[0, 1]
    X[2, 1]
    """

    def __new__(cls, argument: MatrixExpr, number: Expr | int) -> Row:
        return MatrixExpr.__new__(cls, argument, Integer(number))

    @property
    def argument(self) -> MatrixExpr:
        """The matrix X."""
        return self.args[0]

    @property
    def number(self) -> int:
        """Which row, from 1."""
        return int(self.args[1])

    @property
    def shape(self) -> tuple[Expr, Expr]:
        return (Integer(1), self.argument.shape[1])

    def _entry(self, i: Expr, j: Expr, **kwargs: Any) -> Expr:
        return self.argument[self.number - 1, j]
