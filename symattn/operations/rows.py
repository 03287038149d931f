"""What is said of a row as a whole: its softmax, its length, its largest entry, its entropy, its parts as shares."""

from __future__ import annotations

from symattn.operations.node import Node


class Softmax(Node):
    """softmax(S)_{ij} = exp(s_{ij}) / Σ_k exp(s_{ik}).

    Shapes: (m, n) → (m, n); every row of the result is positive and sums to 1.

    >>> from sympy import MatrixSymbol
    >>> S = MatrixSymbol("S", 2, 2)
    >>> Softmax(S)[0, 1]
    exp(S[0, 1])/Sum(exp(S[0, k]), (k, 0, 1))

    Source: Vaswani et al. 2017, *Attention Is All You Need*, section 3.2.1, equation (1).
    """

    definition = """
        softmax(S: m×n) -> m×n
            e[i,j] = exp(S[i,j])
            t[i] = sum(k, e[i,k])
            y[i,j] = e[i,j] / t[i]
    """


class RowNorm(Node):
    """norm(X)_i = √(Σ_k x_{ik}²), the Euclidean length of every row."""

    definition = """
        norm(X: m×n) -> m×1
            y[i] = sqrt(sum(k, X[i,k]^2))
    """


class RowMax(Node):
    """row_max(X)_i = max_k x_{ik}: what a stable softmax subtracts from every row.

    >>> from sympy import MatrixSymbol
    >>> RowMax(MatrixSymbol("X", 2, 2))[1, 0]
    Max(X[1, 0], X[1, 1])

    Source: Goodfellow, Bengio and Courville 2016, *Deep Learning*, section 4.1, equation (4.1) and the text after it.
    """

    definition = """
        row_max(X: m×n) -> m×1
            y[i] = max(k, X[i,k])
    """


class Entropy(Node):
    """entropy(A)_i = −Σ_k a_{ik} ln a_{ik}, with 0 ln 0 = 0: how widely row i spreads its weight.

    Unit: nats, from 0 (all weight in one place) to ln n (the same weight everywhere).

    Source: Shannon 1948, *A Mathematical Theory of Communication*, section 6, with the natural logarithm.
    """

    definition = """
        entropy(A: m×n) -> m×1
            y[i] = -sum(k, xlogx(A[i,k]))
    """
    called = "H"


class UnitRows(Node):
    """unit(X)_{ij} = x_{ij} / √(Σ_k x_{ik}²): every row divided by its length; no row may be zero."""

    definition = """
        unit(X: m×n) -> m×n
            r[i] = sqrt(sum(k, X[i,k]^2))
            y[i,j] = X[i,j] / r[i]
    """


class Proportions(Node):
    """proportions(S)_{ij} = s_{ij} / Σ_k s_{ik}: every row divided by its sum, which may not be zero.

    Shapes: (m, n) → (m, n); every row of the result sums to 1.
    """

    definition = """
        proportions(S: m×n) -> m×n
            t[i] = sum(k, S[i,k])
            y[i,j] = S[i,j] / t[i]
    """
