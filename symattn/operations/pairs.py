"""Every row of one matrix against every row of another: dot product, cosine, angle, additive scores."""

from __future__ import annotations

from typing import Any

from sympy import Expr, Integer, MatrixExpr, Sum, acos, pi, tanh

from symattn.operations.indices import fresh_index
from symattn.operations.rows import RowNorm


class _Pairs(MatrixExpr):
    """A number for every pair of rows: (m, n), (p, n) → (m, p)."""

    def __new__(cls, left: MatrixExpr, right: MatrixExpr) -> _Pairs:
        return MatrixExpr.__new__(cls, left, right)

    @property
    def left(self) -> MatrixExpr:
        """The rows x_i."""
        return self.args[0]

    @property
    def right(self) -> MatrixExpr:
        """The rows y_j."""
        return self.args[1]

    @property
    def shape(self) -> tuple[Expr, Expr]:
        return (self.left.shape[0], self.right.shape[0])


class Dot(_Pairs):
    """dot(X, Y)_{ij} = x_i · y_j = Σ_k x_{ik} y_{jk}, one pair of rows at a time, as a loop would go.

    Shapes: (m, n), (p, n) → (m, p); two single rows give one number.

    >>> from sympy import MatrixSymbol
    >>> Dot(MatrixSymbol("x", 1, 3), MatrixSymbol("y", 1, 3))[0, 0]
    Sum(x[0, k]*y[0, k], (k, 0, 2))
    """

    def _entry(self, i: Expr, j: Expr, **kwargs: Any) -> Expr:
        x, y = self.left, self.right
        k = fresh_index(x[0, 0], y[0, 0], i, j)
        return Sum(x[i, k] * y[j, k], (k, 0, x.shape[1] - 1))


class Cosine(_Pairs):
    """cosine(X, Y)_{ij} = x_i · y_j / (|x_i| |y_j|), the cosine of the angle between two rows, none of them zero.

    Shapes: (m, n), (p, n) → (m, p).

    >>> from sympy import MatrixSymbol
    >>> x, y = MatrixSymbol("x", 1, 2), MatrixSymbol("y", 1, 2)
    >>> Cosine(x, y)[0, 0] == Dot(x, y)[0, 0] / (RowNorm(x)[0, 0] * RowNorm(y)[0, 0])
    True
    """

    def _entry(self, i: Expr, j: Expr, **kwargs: Any) -> Expr:
        lengths = RowNorm(self.left)[i, 0] * RowNorm(self.right)[j, 0]
        return Dot(self.left, self.right)[i, j] / lengths


class Angle(_Pairs):
    """angle(X, Y)_{ij} = 180/π · arccos(cosine(X, Y)_{ij}), the angle between two rows, none of them zero.

    Shapes: (m, n), (p, n) → (m, p). Unit: degrees, from 0 to 180.

    >>> from sympy import Matrix
    >>> Angle(Matrix([[1, 0]]), Matrix([[1, 1]])).as_explicit().doit()
    Matrix([[45]])
    """

    def _entry(self, i: Expr, j: Expr, **kwargs: Any) -> Expr:
        return 180 * acos(Cosine(self.left, self.right)[i, j]) / pi


class AdditiveScores(MatrixExpr):
    """additive_scores(Q, K, v)_{ij} = Σ_c v_c tanh(q_{ic} + k_{jc}): a small network compares every pair of rows.

    Shapes: (m, a), (p, a), (1, a) → (m, p).

    >>> from sympy import MatrixSymbol
    >>> q, k, v = MatrixSymbol("q", 1, 1), MatrixSymbol("k", 1, 1), MatrixSymbol("v", 1, 1)
    >>> AdditiveScores(q, k, v)[0, 0].doit()
    tanh(k[0, 0] + q[0, 0])*v[0, 0]

    Source: Bahdanau, Cho and Bengio 2015, *Neural Machine Translation by Jointly Learning to Align and Translate*,
    appendix A.1.2, with q = W_a s and k = U_a h.
    """

    def __new__(cls, queries: MatrixExpr, keys: MatrixExpr, vector: MatrixExpr) -> AdditiveScores:
        return MatrixExpr.__new__(cls, queries, keys, vector)

    @property
    def queries(self) -> MatrixExpr:
        """The rows q_i."""
        return self.args[0]

    @property
    def keys(self) -> MatrixExpr:
        """The rows k_j."""
        return self.args[1]

    @property
    def vector(self) -> MatrixExpr:
        """The weights v, one row."""
        return self.args[2]

    @property
    def shape(self) -> tuple[Expr, Expr]:
        return (self.queries.shape[0], self.keys.shape[0])

    def _entry(self, i: Expr, j: Expr, **kwargs: Any) -> Expr:
        q, k, v = self.args
        c = fresh_index(q[0, 0], k[0, 0], v[0, 0], i, j)
        return Sum(v[Integer(0), c] * tanh(q[i, c] + k[j, c]), (c, 0, q.shape[1] - 1))
