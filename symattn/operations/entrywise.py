"""Functions of each entry by itself: the activations of feed-forward layers, exponential, logarithm, tanh."""

from __future__ import annotations

from typing import Any

from sympy import Add, Expr, Integer, MatMul, MatrixExpr, Piecewise, Rational
from sympy.matrices.expressions.matexpr import MatrixElement

from symattn.base.shapes import whole_sizes
from symattn.operations.node import Node
from symattn.operations.stored import Stored, WholeArgument, basic


class ReLU(Node):
    """ReLU(X)_{ij} = max(0, x_{ij}).

    Source: Nair and Hinton 2010, *Rectified Linear Units Improve Restricted Boltzmann Machines*, section 2;
    inside the feed-forward layer: Vaswani et al. 2017, section 3.3, equation (2).
    """

    definition = """
        relu(X: m×n) -> m×n
            y[i,j] = max(0, X[i,j])
    """
    called = "ReLU"


class Exp(Node):
    """exp(X)_{ij} = e^{x_{ij}}: every entry by itself, not the exponential of a matrix."""

    definition = """
        exp(X: m×n) -> m×n
            y[i,j] = exp(X[i,j])
    """


class ELU(Node):
    """ELU(X)_{ij} = x_{ij} where x_{ij} > 0, and e^{x_{ij}} − 1 elsewhere.

    One more than this is positive everywhere: the feature map of linear attention.

    Source: Clevert, Unterthiner and Hochreiter 2016, *Fast and Accurate Deep Network Learning by Exponential Linear
    Units*, equation (13) with α = 1; in attention: Katharopoulos et al. 2020, *Transformers are RNNs*, equation (7).
    """

    definition = """
        elu(X: m×n) -> m×n
            y[i,j] = X[i,j] if X[i,j] > 0 else exp(X[i,j]) - 1
    """
    called = "ELU"


class Tanh(Node):
    """tanh(X)_{ij} = tanh(x_{ij}) = (e^{2x} − 1) / (e^{2x} + 1), between −1 and 1."""

    definition = """
        tanh(X: m×n) -> m×n
            y[i,j] = tanh(X[i,j])
    """


class Log(Node):
    """log(X)_{ij} = ln x_{ij}, the natural logarithm; every entry has to be positive.

    Unit: nats.
    """

    definition = """
        log(X: m×n) -> m×n
            y[i,j] = log(X[i,j])
    """
    called = "ln"


class GELU(Node):
    """GELU(X)_{ij} = x_{ij} Φ(x_{ij}) with Φ(x) = (1 + erf(x / √2)) / 2, the normal distribution's share below x.

    Source: Hendrycks and Gimpel 2016, *Gaussian Error Linear Units*, section 2.
    """

    definition = """
        gelu(X: m×n) -> m×n
            Phi[i,j] = (1 + erf(X[i,j] / sqrt(2))) / 2
            y[i,j] = X[i,j] * Phi[i,j]
    """
    called = "GELU"


class GELUTanh(Node):
    """GELU_tanh(X)_{ij} = x_{ij} (1 + tanh(√(2/π) (x_{ij} + 0.044715 x_{ij}³))) / 2, close to GELU without erf.

    This is the form of GPT-2.

    Source: Hendrycks and Gimpel 2016, *Gaussian Error Linear Units*, section 2, the first approximation.
    """

    definition = """
        gelu_tanh(X: m×n) -> m×n
            u[i,j] = sqrt(2 / pi) * (X[i,j] + 0.044715 * X[i,j]^3)
            t[i,j] = tanh(u[i,j])
            y[i,j] = X[i,j] / 2 * (1 + t[i,j])
    """
    called = "GELU"

    CUBIC = Rational(44_715, 1_000_000)
    """The factor of x³."""


class SiLU(Node):
    """SiLU(X)_{ij} = x_{ij} / (1 + e^{−x_{ij}}), the input times its own sigmoid; also called Swish.

    Source: Elfwing, Uchibe and Doya 2018, *Sigmoid-weighted linear units*, section 2; Ramachandran, Zoph and Le
    2017, *Searching for Activation Functions*, with β = 1.
    """

    definition = """
        silu(X: m×n) -> m×n
            e[i,j] = exp(-X[i,j])
            y[i,j] = X[i,j] / (1 + e[i,j])
    """
    called = "SiLU"


class ArgMax(Stored):
    """argmax(X)_i = the column of the largest entry of row i, counted from 0 as ids are; the first one where it ties.

    Shapes: (m, n) → (m, 1).

    >>> from sympy import MatrixSymbol
    >>> ArgMax(MatrixSymbol("P", 2, 3)).shape
    (2, 1)

    Source: the greedy choice of the next token.
    """

    called = "argmax"

    @property
    def of_smallest(self) -> MatrixExpr | None:
        """X of argmax(−X), which is usually written argmin(X); otherwise ``None``.

        >>> from sympy import MatrixSymbol
        >>> ArgMax(-MatrixSymbol("D", 2, 3)).of_smallest
        D
        """
        args = self.argument.args
        return args[1] if isinstance(self.argument, MatMul) and args[0] == -1 and len(args) == 2 else None

    @property
    def shape(self) -> tuple[Expr, Expr]:
        return (basic(self.argument.shape[0]), Integer(1))

    def _entry(self, i: Expr, j: Expr, **kwargs: Any) -> Expr:
        x = self.argument
        if not basic(x.shape[1]).is_Integer:
            # SymPy has no form for the largest of a symbolic number of entries: the node stays as it is.
            return MatrixElement(self, i, j)
        places = range(whole_sizes(x)[1])
        return Piecewise(*((Integer(k), _ahead(x, i, k) < 1) for k in places[:-1]), (Integer(places[-1]), True))


class TopK(Stored):
    """top_k(P, k)_{ij} = 1 where p_{ij} is among the k largest entries of row i and 0 elsewhere; ties: the first ones.

    Shapes: (m, n) → (m, n), 1 ≤ k ≤ n; every row sums to k. proportions(hadamard(P, top_k(P, k))) are the
    probabilities that top-k sampling draws from.

    >>> from sympy import MatrixSymbol
    >>> TopK(MatrixSymbol("P", 2, 3), 2).count
    2

    Source: Fan, Lewis and Dauphin 2018, *Hierarchical Neural Story Generation*, section 5.4.
    """

    called = "top"
    count = WholeArgument(1, "How many are chosen in every row.")

    @property
    def shape(self) -> tuple[Expr, Expr]:
        rows, columns = map(basic, self.argument.shape)
        return rows, columns

    def _entry(self, i: Expr, j: Expr, **kwargs: Any) -> Expr:
        if not (self.shape[1].is_Integer and getattr(j, "is_Integer", isinstance(j, int))):
            return MatrixElement(self, i, j)
        return Piecewise((Integer(1), _ahead(self.argument, i, int(j)) < self.count), (Integer(0), True))


def _ahead(x: MatrixExpr, i: Expr, j: int) -> Expr:
    """Count the entries of row i before the one in column j: larger ones first, and of equal ones the first."""
    before = (Piecewise((1, x[i, k] >= x[i, j]), (0, True)) for k in range(j))
    after = (Piecewise((1, x[i, k] > x[i, j]), (0, True)) for k in range(j + 1, whole_sizes(x)[1]))
    return Add(*before, *after)
