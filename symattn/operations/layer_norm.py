"""Normalisation of each row: layer norm and RMS norm."""

from __future__ import annotations

from typing import Any

from sympy import Expr, Integer, MatrixExpr, Sum, sqrt

from symattn.operations.indices import fresh_index


class _Normalised(MatrixExpr):
    """Every row brought to a size, with an ε under the root and perhaps a gain: (m, d) → (m, d)."""

    @property
    def argument(self) -> MatrixExpr:
        """The matrix X."""
        return self.args[0]

    @property
    def epsilon(self) -> Expr:
        """The ε under the root."""
        return self.args[1]

    @property
    def gamma(self) -> MatrixExpr | None:
        """The gain γ, one row, or ``None``."""
        return self.args[2] if len(self.args) > 2 else None

    @property
    def shape(self) -> tuple[Expr, Expr]:
        return self.argument.shape


class LayerNorm(_Normalised):
    """LN(X)_{ij} = (x_{ij} − μ_i) / √(σ²_i + ε) · γ_j + β_j.

    There μ_i = Σ_k x_{ik} / d is the mean of row i and σ²_i = Σ_k (x_{ik} − μ_i)² / d its variance.

    The variance is the population variance (divided by d, not d − 1).
    Shapes: X (m, d), γ and β (1, d) → (m, d). Without γ and β they are 1 and 0 and do not appear.

    >>> from sympy import MatrixSymbol, Rational
    >>> node = LayerNorm(MatrixSymbol("X", 2, 3), Rational(1, 100000))
    >>> node.epsilon, node.gamma, node.shape
    (1/100000, None, (2, 3))

    Source: Ba, Kiros and Hinton 2016, *Layer Normalization*, section 3, equation (3); ε as in PyTorch's ``LayerNorm``.
    """

    def __new__(
        cls, argument: MatrixExpr, epsilon: Expr, gamma: MatrixExpr | None = None, beta: MatrixExpr | None = None
    ) -> LayerNorm:
        affine = () if gamma is None or beta is None else (gamma, beta)
        return MatrixExpr.__new__(cls, argument, epsilon, *affine)

    @property
    def beta(self) -> MatrixExpr | None:
        """The bias β, one row, or ``None``."""
        return self.args[3] if len(self.args) > 2 else None

    def _entry(self, i: Expr, j: Expr, **kwargs: Any) -> Expr:
        x, width = self.argument, self.shape[1]
        k = fresh_index(x[i, j], i, j)
        mean = Sum(x[i, k], (k, 0, width - 1)) / width
        # The mean stands inside the sum of the variance, so that sum needs an index of its own.
        r = fresh_index(mean, x[i, j], i, j)
        variance = Sum((x[i, r] - mean) ** 2, (r, 0, width - 1)) / width
        entry = (x[i, j] - mean) / sqrt(variance + self.epsilon)
        if self.gamma is None or self.beta is None:
            return entry
        return entry * self.gamma[Integer(0), j] + self.beta[Integer(0), j]


class RMSNorm(_Normalised):
    """RMSNorm(X)_{ij} = x_{ij} / √(Σ_k x_{ik}² / d + ε) · γ_j: divided by the root mean square, nothing subtracted.

    Shapes: X (m, d), γ (1, d) → (m, d). Without γ it is 1 and does not appear.

    >>> from sympy import Matrix
    >>> RMSNorm(Matrix([[1, 7]]), Integer(0)).as_explicit().doit()
    Matrix([[1/5, 7/5]])

    Source: Zhang and Sennrich 2019, *Root Mean Square Layer Normalization*, section 3, equation (4); ε as in PyTorch's
    ``RMSNorm``.
    """

    def __new__(cls, argument: MatrixExpr, epsilon: Expr, gamma: MatrixExpr | None = None) -> RMSNorm:
        return MatrixExpr.__new__(cls, argument, epsilon, *(() if gamma is None else (gamma,)))

    def _entry(self, i: Expr, j: Expr, **kwargs: Any) -> Expr:
        x, width = self.argument, self.shape[1]
        k = fresh_index(x[i, j], i, j)
        square = Sum(x[i, k] ** 2, (k, 0, width - 1)) / width
        entry = x[i, j] / sqrt(square + self.epsilon)
        return entry if self.gamma is None else entry * self.gamma[Integer(0), j]
