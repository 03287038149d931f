"""Operations on whole rows: softmax, length, largest entry, entropy, shares, norms, products of pairs of rows."""

from __future__ import annotations

from typing import Any

from sympy import Expr, MatrixExpr

from symattn.operations.node import Node
from symattn.operations.stored import GivenArgument


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


class _Normalised(Node):
    """Every row normalised, with an ε under the root and perhaps a gain: (m, d) → (m, d)."""

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


class _Pairs(Node):
    """A number for every pair of rows: (m, n), (p, n) → (m, p)."""

    left = GivenArgument(0, "The rows x_i.")
    right = GivenArgument(1, "The rows y_j.")


class Dot(_Pairs):
    """dot(X, Y)_{ij} = x_i · y_j = Σ_k x_{ik} y_{jk}, one pair of rows at a time, as a loop would go.

    Shapes: (m, n), (p, n) → (m, p); two single rows give one number.
    """

    definition = """
        dot(X: m×n, Y: p×n) -> m×p
            y[i,j] = sum(k, X[i,k] * Y[j,k])
    """

    @property
    def is_infix(self) -> bool:  # type: ignore[override]
        """Whether it is written x · y."""
        return self.shape == (1, 1)


class Cosine(_Pairs):
    """cosine(X, Y)_{ij} = x_i · y_j / (|x_i| |y_j|), the cosine of the angle between two rows, none of them zero.

    >>> from sympy import MatrixSymbol
    >>> from symattn.operations.rows import RowNorm
    >>> x, y = MatrixSymbol("x", 1, 2), MatrixSymbol("y", 1, 2)
    >>> Cosine(x, y)[0, 0] == Dot(x, y)[0, 0] / (RowNorm(x)[0, 0] * RowNorm(y)[0, 0])
    True
    """

    definition = """
        cosine(X: m×n, Y: p×n) -> m×p
            a[i] = sqrt(sum(k, X[i,k]^2))
            b[j] = sqrt(sum(k, Y[j,k]^2))
            y[i,j] = sum(k, X[i,k] * Y[j,k]) / (a[i] * b[j])
    """
    called = "cos"


class Angle(_Pairs):
    """angle(X, Y)_{ij} = 180/π · arccos(cosine(X, Y)_{ij}), the angle between two rows, none of them zero.

    Unit: degrees, from 0 to 180.

    >>> from sympy import Matrix
    >>> Angle(Matrix([[1, 0]]), Matrix([[1, 1]])).as_explicit().doit()
    Matrix([[45]])
    """

    definition = """
        angle(X: m×n, Y: p×n) -> m×p
            a[i] = sqrt(sum(k, X[i,k]^2))
            b[j] = sqrt(sum(k, Y[j,k]^2))
            c[i,j] = sum(k, X[i,k] * Y[j,k]) / (a[i] * b[j])
            y[i,j] = 180 / pi * acos(c[i,j])
    """
    is_infix = True


class AdditiveScores(Node):
    """additive_scores(Q, K, v)_{ij} = Σ_c v_c tanh(q_{ic} + k_{jc}): a small network compares every pair of rows.

    >>> from sympy import MatrixSymbol
    >>> q, k, v = MatrixSymbol("q", 1, 1), MatrixSymbol("k", 1, 1), MatrixSymbol("v", 1, 1)
    >>> AdditiveScores(q, k, v)[0, 0].doit()
    tanh(k[0, 0] + q[0, 0])*v[0, 0]

    Source: Bahdanau, Cho and Bengio 2015, *Neural Machine Translation by Jointly Learning to Align and Translate*,
    appendix A.1.2, with q = W_a s and k = U_a h.
    """

    definition = """
        additive_scores(Q: m×a, K: p×a, v: a) -> m×p
            y[i,j] = sum(c, v[c] * tanh(Q[i,c] + K[j,c]))
    """
    called = "score"
    queries = GivenArgument(0, "The rows q_i.")
    keys = GivenArgument(1, "The rows k_j.")
    vector = GivenArgument(2, "The weights v, one row.")
