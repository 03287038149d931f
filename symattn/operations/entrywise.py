"""Functions of each entry by itself: the activations of feed-forward layers, exponential, logarithm, tanh."""

from __future__ import annotations

from sympy import Rational

from symattn.operations.node import Node


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
