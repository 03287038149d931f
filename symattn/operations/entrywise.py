"""Functions of each entry by itself: the activations of feed-forward layers, exponential, logarithm, tanh."""

from __future__ import annotations

from typing import Any

from sympy import Expr, Integer, MatrixExpr, Max, Piecewise, Rational, erf, exp, log, pi, sqrt, tanh


class _Entrywise(MatrixExpr):
    """f(X)_{ij} = f(x_{ij}). Shapes: (m, n) → (m, n)."""

    def __new__(cls, argument: MatrixExpr) -> _Entrywise:
        return MatrixExpr.__new__(cls, argument)

    @property
    def argument(self) -> MatrixExpr:
        """The matrix X."""
        return self.args[0]

    @property
    def shape(self) -> tuple[Expr, Expr]:
        return self.argument.shape


class ReLU(_Entrywise):
    """ReLU(X)_{ij} = max(0, x_{ij}).

    Shapes: (m, n) → (m, n).

    >>> from sympy import MatrixSymbol
    >>> ReLU(MatrixSymbol("X", 2, 2))[0, 1]
    Max(0, X[0, 1])

    Source: Nair and Hinton 2010, *Rectified Linear Units Improve Restricted Boltzmann Machines*, section 2;
    inside the feed-forward layer: Vaswani et al. 2017, section 3.3, equation (2).
    """

    def _entry(self, i: Expr, j: Expr, **kwargs: Any) -> Expr:
        return Max(0, self.argument[i, j])


class Exp(_Entrywise):
    """exp(X)_{ij} = e^{x_{ij}}: every entry by itself, not the exponential of a matrix.

    Shapes: (m, n) → (m, n).

    >>> from sympy import MatrixSymbol
    >>> Exp(MatrixSymbol("X", 2, 2))[0, 1]
    exp(X[0, 1])
    """

    def _entry(self, i: Expr, j: Expr, **kwargs: Any) -> Expr:
        return exp(self.argument[i, j])


class ELU(_Entrywise):
    """ELU(X)_{ij} = x_{ij} where x_{ij} > 0, and e^{x_{ij}} − 1 elsewhere.

    Shapes: (m, n) → (m, n). One more than this is positive everywhere: the feature map of linear attention.

    >>> from sympy import MatrixSymbol
    >>> ELU(MatrixSymbol("X", 2, 2))[0, 1]
    Piecewise((X[0, 1], X[0, 1] > 0), (exp(X[0, 1]) - 1, True))

    Source: Clevert, Unterthiner and Hochreiter 2016, *Fast and Accurate Deep Network Learning by Exponential Linear
    Units*, equation (13) with α = 1; in attention: Katharopoulos et al. 2020, *Transformers are RNNs*, equation (7).
    """

    def _entry(self, i: Expr, j: Expr, **kwargs: Any) -> Expr:
        x = self.argument[i, j]
        # A symbolic entry of a MatrixSymbol is complex to SymPy, and > asks for real numbers only of numbers.
        return Piecewise((x, x > 0), (exp(x) - 1, True))


class Tanh(_Entrywise):
    """tanh(X)_{ij} = tanh(x_{ij}) = (e^{2x} − 1) / (e^{2x} + 1), between −1 and 1.

    Shapes: (m, n) → (m, n).

    >>> from sympy import MatrixSymbol
    >>> Tanh(MatrixSymbol("X", 2, 2))[0, 1]
    tanh(X[0, 1])
    """

    def _entry(self, i: Expr, j: Expr, **kwargs: Any) -> Expr:
        return tanh(self.argument[i, j])


class Log(_Entrywise):
    """log(X)_{ij} = ln x_{ij}, the natural logarithm; every entry has to be positive.

    Shapes: (m, n) → (m, n). Unit: nats.

    >>> from sympy import MatrixSymbol
    >>> Log(MatrixSymbol("P", 2, 2))[0, 1]
    log(P[0, 1])
    """

    def _entry(self, i: Expr, j: Expr, **kwargs: Any) -> Expr:
        return log(self.argument[i, j])


class GELU(_Entrywise):
    """GELU(X)_{ij} = x_{ij} Φ(x_{ij}) with Φ(x) = (1 + erf(x / √2)) / 2, the normal distribution's share below x.

    Shapes: (m, n) → (m, n).

    >>> from sympy import MatrixSymbol
    >>> GELU(MatrixSymbol("X", 2, 2))[0, 1]
    (erf(sqrt(2)*X[0, 1]/2) + 1)*X[0, 1]/2

    Source: Hendrycks and Gimpel 2016, *Gaussian Error Linear Units*, section 2.
    """

    def _entry(self, i: Expr, j: Expr, **kwargs: Any) -> Expr:
        x = self.argument[i, j]
        return x * (1 + erf(x / sqrt(Integer(2)))) / 2


class GELUTanh(_Entrywise):
    """GELU_tanh(X)_{ij} = x_{ij} (1 + tanh(√(2/π) (x_{ij} + 0.044715 x_{ij}³))) / 2, close to GELU without erf.

    Shapes: (m, n) → (m, n). This is the form of GPT-2.

    >>> from sympy import MatrixSymbol
    >>> GELUTanh(MatrixSymbol("X", 2, 2))[0, 1].subs(MatrixSymbol("X", 2, 2)[0, 1], 0)
    0

    Source: Hendrycks and Gimpel 2016, *Gaussian Error Linear Units*, section 2, the first approximation.
    """

    CUBIC = Rational(44_715, 1_000_000)
    """The factor of x³."""

    def _entry(self, i: Expr, j: Expr, **kwargs: Any) -> Expr:
        x = self.argument[i, j]
        return x * (1 + tanh(sqrt(2 / pi) * (x + self.CUBIC * x**3))) / 2


class SiLU(_Entrywise):
    """SiLU(X)_{ij} = x_{ij} / (1 + e^{−x_{ij}}), the input times its own sigmoid; also called Swish.

    Shapes: (m, n) → (m, n).

    >>> from sympy import MatrixSymbol
    >>> SiLU(MatrixSymbol("X", 2, 2))[0, 1]
    X[0, 1]/(1 + exp(-X[0, 1]))

    Source: Elfwing, Uchibe and Doya 2018, *Sigmoid-weighted linear units*, section 2; Ramachandran, Zoph and Le
    2017, *Searching for Activation Functions*, with β = 1.
    """

    def _entry(self, i: Expr, j: Expr, **kwargs: Any) -> Expr:
        x = self.argument[i, j]
        return x / (1 + exp(-x))
