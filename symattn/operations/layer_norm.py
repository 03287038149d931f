"""Normalisation of each row: layer norm and RMS norm."""

from __future__ import annotations

from typing import Any

from sympy import Expr, MatrixExpr

from symattn.operations.node import Node
from symattn.operations.stored import GivenArgument


class _Normalised(Node):
    """Every row brought to a size, with an ε under the root and perhaps a gain: (m, d) → (m, d)."""

    unsaid = ("epsilon",)
    epsilon = GivenArgument(1, "The ε under the root.")
    gamma = GivenArgument(2, "The gain γ, one row, or ``None``.")

    def __new__(cls, argument: MatrixExpr, epsilon: Expr, *affine: MatrixExpr | None) -> Any:
        given = () if any(each is None for each in affine) else affine
        return super().__new__(cls, argument, epsilon, *given)


class LayerNorm(_Normalised):
    """LN(X)_{ij} = (x_{ij} − μ_i) / √(σ²_i + ε) · γ_j + β_j.

    There μ_i = Σ_k x_{ik} / d is the mean of row i and σ²_i = Σ_k (x_{ik} − μ_i)² / d its variance.

    The variance is the population variance (divided by d, not d − 1).
    Without γ and β they are 1 and 0 and do not appear.

    >>> from sympy import MatrixSymbol, Rational
    >>> node = LayerNorm(MatrixSymbol("X", 2, 3), Rational(1, 100000))
    >>> node.epsilon, node.gamma, node.shape
    (1/100000, None, (2, 3))

    Source: Ba, Kiros and Hinton 2016, *Layer Normalization*, section 3, equation (3); ε as in PyTorch's ``LayerNorm``.
    """

    definition = """
        layer_norm(X: m×d, epsilon = 1/100000, gamma: d = 1, beta: d = 0) -> m×d
            mu[i] = sum(k, X[i,k]) / d
            sigma2[i] = sum(k, (X[i,k] - mu[i])^2) / d
            y[i,j] = (X[i,j] - mu[i]) / sqrt(sigma2[i] + epsilon) * gamma[j] + beta[j]
    """
    called = "LN"
    beta = GivenArgument(3, "The bias β, one row, or ``None``.")


class RMSNorm(_Normalised):
    """RMSNorm(X)_{ij} = x_{ij} / √(Σ_k x_{ik}² / d + ε) · γ_j: divided by the root mean square, nothing subtracted.

    Without γ it is 1 and does not appear.

    >>> from sympy import Matrix
    >>> RMSNorm(Matrix([[1, 7]]), 0).as_explicit()
    Matrix([[1/5, 7/5]])

    Source: Zhang and Sennrich 2019, *Root Mean Square Layer Normalization*, section 3, equation (4); ε as in PyTorch's
    ``RMSNorm``.
    """

    definition = """
        rms_norm(X: m×d, epsilon = 1/100000, gamma: d = 1) -> m×d
            MS[i] = sum(k, X[i,k]^2) / d
            r[i] = sqrt(MS[i] + epsilon)
            y[i,j] = X[i,j] / r[i] * gamma[j]
    """
    called = "RMSNorm"
