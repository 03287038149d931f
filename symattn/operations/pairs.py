"""Every row of one matrix against every row of another: dot product, cosine, angle, additive scores."""

from __future__ import annotations

from symattn.operations.node import Node
from symattn.operations.stored import GivenArgument


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
