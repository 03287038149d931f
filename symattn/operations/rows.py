"""What is said of a row as a whole: its length, its largest entry, its entropy, its parts as shares."""

from __future__ import annotations

from typing import Any

from sympy import Expr, Integer, MatrixExpr, Max, Sum, log, sqrt
from sympy.matrices.expressions.matexpr import MatrixElement

from symattn.operations.indices import fresh_index


class _OfRows(MatrixExpr):
    """A function of the rows of one matrix."""

    def __new__(cls, argument: MatrixExpr) -> _OfRows:
        return MatrixExpr.__new__(cls, argument)

    @property
    def argument(self) -> MatrixExpr:
        """The matrix X."""
        return self.args[0]


class _RowNumber(_OfRows):
    """One number for every row: (m, n) → (m, 1)."""

    @property
    def shape(self) -> tuple[Expr, Expr]:
        return (self.argument.shape[0], Integer(1))


class _RowByRow(_OfRows):
    """Every row becomes another row: (m, n) → (m, n)."""

    @property
    def shape(self) -> tuple[Expr, Expr]:
        return self.argument.shape


class RowNorm(_RowNumber):
    """norm(X)_i = √(Σ_k x_{ik}²), the Euclidean length of every row.

    Shapes: (m, n) → (m, 1).

    >>> from sympy import MatrixSymbol
    >>> RowNorm(MatrixSymbol("X", 2, 3))[1, 0]
    sqrt(Sum(X[1, k]**2, (k, 0, 2)))
    """

    def _entry(self, i: Expr, j: Expr, **kwargs: Any) -> Expr:
        x = self.argument
        k = fresh_index(x[0, 0], i, j)
        return sqrt(Sum(x[i, k] ** 2, (k, 0, x.shape[1] - 1)))


class RowMax(_RowNumber):
    """row_max(X)_i = max_k x_{ik}: what a stable softmax subtracts from every row.

    Shapes: (m, n) → (m, 1).

    >>> from sympy import MatrixSymbol
    >>> RowMax(MatrixSymbol("X", 2, 2))[1, 0]
    Max(X[1, 0], X[1, 1])

    Source: Goodfellow, Bengio and Courville 2016, *Deep Learning*, section 4.1, equation (4.1) and the text after it.
    """

    def _entry(self, i: Expr, j: Expr, **kwargs: Any) -> Expr:
        x = self.argument
        if not x.shape[1].is_Integer:
            # A maximum over a number of entries that is a letter has no form in SymPy: it stands for itself.
            return MatrixElement(self, i, j)
        return Max(*(x[i, k] for k in range(int(x.shape[1]))))


class Entropy(_RowNumber):
    """entropy(A)_i = −Σ_k a_{ik} ln a_{ik}, with 0 ln 0 = 0: how widely row i spreads its weight.

    Shapes: (m, n) → (m, 1). Unit: nats, from 0 (all weight in one place) to ln n (the same weight everywhere).

    >>> from sympy import MatrixSymbol
    >>> Entropy(MatrixSymbol("A", 2, 2))[1, 0]
    -Sum(log(A[1, k])*A[1, k], (k, 0, 1))

    Source: Shannon 1948, *A Mathematical Theory of Communication*, section 6, with the natural logarithm.
    """

    def _entry(self, i: Expr, j: Expr, **kwargs: Any) -> Expr:
        a = self.argument
        k = fresh_index(a[0, 0], i, j)
        return -Sum(a[i, k] * log(a[i, k]), (k, 0, a.shape[1] - 1))


class UnitRows(_RowByRow):
    """unit(X)_{ij} = x_{ij} / √(Σ_k x_{ik}²): every row divided by its length; no row may be zero.

    Shapes: (m, n) → (m, n).

    >>> from sympy import MatrixSymbol
    >>> UnitRows(MatrixSymbol("X", 2, 2))[1, 0]
    X[1, 0]/sqrt(Sum(X[1, k]**2, (k, 0, 1)))
    """

    def _entry(self, i: Expr, j: Expr, **kwargs: Any) -> Expr:
        return self.argument[i, j] / RowNorm(self.argument)[i, 0]


class Proportions(_RowByRow):
    """proportions(S)_{ij} = s_{ij} / Σ_k s_{ik}: every row divided by its sum, which may not be zero.

    Shapes: (m, n) → (m, n); every row of the result sums to 1.

    >>> from sympy import MatrixSymbol
    >>> Proportions(MatrixSymbol("S", 2, 2))[0, 1]
    S[0, 1]/Sum(S[0, k], (k, 0, 1))
    """

    def _entry(self, i: Expr, j: Expr, **kwargs: Any) -> Expr:
        s = self.argument
        k = fresh_index(s[i, j], i, j)
        return s[i, j] / Sum(s[i, k], (k, 0, s.shape[1] - 1))
