"""Arithmetic that SymPy would evaluate away or lacks: quotients, entry-by-entry products, a gradient kept short."""

from __future__ import annotations

from typing import Any

from sympy import Expr, MatrixExpr, Min, Sum, sqrt

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


class ClipNorm(MatrixExpr):
    """clip_norm(G, c)_{ij} = g_{ij} · min(1, c / ‖G‖) with ‖G‖ = √(Σ_{kl} g_{kl}²): at most as long as c.

    Shapes: (m, n) → (m, n). c is a positive number; G = 0 stays 0.

    >>> from sympy import Matrix
    >>> ClipNorm(Matrix([[3, 4]]), 1).as_explicit()
    Matrix([[3/5, 4/5]])

    Source: Pascanu, Mikolov and Bengio 2013, *On the difficulty of training recurrent neural networks*, algorithm 1.
    PyTorch's ``clip_grad_norm_`` divides by ‖G‖ + 10⁻⁶ instead.
    """

    def __new__(cls, argument: MatrixExpr, threshold: Expr) -> ClipNorm:
        return MatrixExpr.__new__(cls, argument, threshold)

    @property
    def argument(self) -> MatrixExpr:
        """The gradient G."""
        return self.args[0]

    @property
    def threshold(self) -> Expr:
        """The largest length c."""
        return self.args[1]

    @property
    def shape(self) -> tuple[Expr, Expr]:
        return self.argument.shape

    def _entry(self, i: Expr, j: Expr, **kwargs: Any) -> Expr:
        g = self.argument
        k = fresh_index(g[i, j], i, j)
        l = fresh_index(g[i, j], i, j, k)  # noqa: E741 - the letter is the one that is printed
        rows, columns = g.shape
        length = sqrt(Sum(g[k, l] ** 2, (l, 0, columns - 1), (k, 0, rows - 1)).doit())
        if length.is_zero:
            return g[i, j]
        return g[i, j] * Min(1, self.threshold / length)


class _EntryByEntry(MatrixExpr):
    """An operation on the entries of two matrices in the same place. Shapes: (m, n), (m, n) → (m, n)."""

    def __new__(cls, left: MatrixExpr, right: MatrixExpr) -> _EntryByEntry:
        return MatrixExpr.__new__(cls, left, right)

    @property
    def left(self) -> MatrixExpr:
        """The matrix X."""
        return self.args[0]

    @property
    def right(self) -> MatrixExpr:
        """The matrix Y."""
        return self.args[1]

    @property
    def shape(self) -> tuple[Expr, Expr]:
        return self.left.shape


class Hadamard(_EntryByEntry):
    """(X ⊙ Y)_{ij} = x_{ij} y_{ij}, the product entry by entry.

    Shapes: (m, n), (m, n) → (m, n).

    >>> from sympy import MatrixSymbol
    >>> Hadamard(MatrixSymbol("X", 2, 2), MatrixSymbol("Y", 2, 2))[0, 1]
    X[0, 1]*Y[0, 1]

    Source: as the gate of a feed-forward layer, Shazeer 2020, *GLU Variants Improve Transformer*, equation (5).
    """

    def _entry(self, i: Expr, j: Expr, **kwargs: Any) -> Expr:
        return self.left[i, j] * self.right[i, j]


class EntryQuotient(_EntryByEntry):
    """(X ⊘ Y)_{ij} = x_{ij} / y_{ij}, the quotient entry by entry; no entry of Y may be zero.

    Shapes: (m, n), (m, n) → (m, n).

    >>> from sympy import MatrixSymbol
    >>> EntryQuotient(MatrixSymbol("X", 2, 2), MatrixSymbol("Y", 2, 2))[0, 1]
    X[0, 1]/Y[0, 1]
    """

    def _entry(self, i: Expr, j: Expr, **kwargs: Any) -> Expr:
        return self.left[i, j] / self.right[i, j]
