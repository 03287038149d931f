"""Functions of each entry by itself: ReLU, the exponential, the exponential linear unit."""

from __future__ import annotations

from typing import Any

from sympy import Expr, MatrixExpr, Max, Piecewise, exp


class _Entrywise(MatrixExpr):
    """f(X)_{ij} = f(x_{ij}). Shapes: (m, n) → (m, n)."""

    def __new__(cls, argument: MatrixExpr) -> _Entrywise:
        return MatrixExpr.__new__(cls, argument)

    @property
    def argument(self) -> MatrixExpr:
        """The matrix X."""
        return self.args[0]

    @property
    def shape(self) -> tuple[Expr, Expr]:
        return self.argument.shape


class ReLU(_Entrywise):
    """ReLU(X)_{ij} = max(0, x_{ij}).

    Shapes: (m, n) → (m, n).

    >>> from sympy import MatrixSymbol
    >>> ReLU(MatrixSymbol("X", 2, 2))[0, 1]
    Max(0, X[0, 1])

    Source: Nair and Hinton 2010, *Rectified Linear Units Improve Restricted Boltzmann Machines*, section 2;
    inside the feed-forward layer: Vaswani et al. 2017, section 3.3, equation (2).
    """

    def _entry(self, i: Expr, j: Expr, **kwargs: Any) -> Expr:
        return Max(0, self.argument[i, j])


class Exp(_Entrywise):
    """exp(X)_{ij} = e^{x_{ij}}: every entry by itself, not the exponential of a matrix.

    Shapes: (m, n) → (m, n).

    >>> from sympy import MatrixSymbol
    >>> Exp(MatrixSymbol("X", 2, 2))[0, 1]
    exp(X[0, 1])
    """

    def _entry(self, i: Expr, j: Expr, **kwargs: Any) -> Expr:
        return exp(self.argument[i, j])


class ELU(_Entrywise):
    """ELU(X)_{ij} = x_{ij} where x_{ij} > 0, and e^{x_{ij}} − 1 elsewhere.

    Shapes: (m, n) → (m, n). One more than this is positive everywhere: the feature map of linear attention.

    >>> from sympy import MatrixSymbol
    >>> ELU(MatrixSymbol("X", 2, 2))[0, 1]
    Piecewise((X[0, 1], X[0, 1] > 0), (exp(X[0, 1]) - 1, True))

    Source: Clevert, Unterthiner and Hochreiter 2016, *Fast and Accurate Deep Network Learning by Exponential Linear
    Units*, equation (13) with α = 1; in attention: Katharopoulos et al. 2020, *Transformers are RNNs*, equation (7).
    """

    def _entry(self, i: Expr, j: Expr, **kwargs: Any) -> Expr:
        x = self.argument[i, j]
        # A symbolic entry of a MatrixSymbol is complex to SymPy, and > asks for real numbers only of numbers.
        return Piecewise((x, x > 0), (exp(x) - 1, True))
