"""The rectified linear unit."""

from __future__ import annotations

from typing import Any

from sympy import Expr, MatrixExpr, Max


class ReLU(MatrixExpr):
    """ReLU(X)_{ij} = max(0, x_{ij}).

    Shapes: (m, n) → (m, n).

    >>> from sympy import MatrixSymbol
    >>> ReLU(MatrixSymbol("X", 2, 2))[0, 1]
    Max(0, X[0, 1])

    Source: Nair and Hinton 2010, *Rectified Linear Units Improve Restricted Boltzmann Machines*, section 2;
    inside the feed-forward layer: Vaswani et al. 2017, section 3.3, equation (2).
    """

    def __new__(cls, argument: MatrixExpr) -> ReLU:
        return MatrixExpr.__new__(cls, argument)

    @property
    def argument(self) -> MatrixExpr:
        """The matrix X."""
        return self.args[0]

    @property
    def shape(self) -> tuple[Expr, Expr]:
        return self.argument.shape

    def _entry(self, i: Expr, j: Expr, **kwargs: Any) -> Expr:
        return Max(0, self.argument[i, j])
