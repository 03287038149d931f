"""Softmax of each row."""

from __future__ import annotations

from typing import Any

from sympy import Expr, MatrixExpr, Sum, exp

from symattn.operations.indices import fresh_index


class Softmax(MatrixExpr):
    """softmax(S)_{ij} = exp(s_{ij}) / Σ_k exp(s_{ik}).

    Shapes: (m, n) → (m, n); every row of the result is positive and sums to 1.

    >>> from sympy import MatrixSymbol
    >>> S = MatrixSymbol("S", 2, 2)
    >>> Softmax(S)[0, 1]
    exp(S[0, 1])/Sum(exp(S[0, k]), (k, 0, 1))

    Source: Vaswani et al. 2017, *Attention Is All You Need*, section 3.2.1, equation (1).
    """

    def __new__(cls, scores: MatrixExpr) -> Softmax:
        return MatrixExpr.__new__(cls, scores)

    @property
    def argument(self) -> MatrixExpr:
        """The scores S."""
        return self.args[0]

    @property
    def shape(self) -> tuple[Expr, Expr]:
        return self.argument.shape

    def _entry(self, i: Expr, j: Expr, **kwargs: Any) -> Expr:
        scores = self.argument
        k = fresh_index(scores[i, j], i, j)
        return exp(scores[i, j]) / Sum(exp(scores[i, k]), (k, 0, self.shape[1] - 1))
