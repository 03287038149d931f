"""The functions that an R program may need, as R; a program holds only those it calls."""

from __future__ import annotations

from symattn.operations import Broadcast, CausalMask, LayerNorm, MatPow, ReLU, Softmax

_SOFTMAX = """
    # Each row becomes weights that sum to 1; without its maximum, exp() cannot overflow.
    softmax <- function(S) {
      E <- exp(S - apply(S, 1, max))
      E / rowSums(E)
    }
"""

_LAYER_NORM = """
    # Each row with mean 0 and variance 1; the variance is divided by the width itself.
    layer_norm <- function(X, epsilon) {
      centred <- X - rowMeans(X)
      centred / sqrt(rowMeans(centred^2) + epsilon)
    }
"""

LAYER_NORM_AFFINE = """
    # Each row with mean 0 and variance 1, then every column by its gain, plus its bias.
    layer_norm <- function(X, epsilon, gain = 1, bias = 0) {
      centred <- X - rowMeans(X)
      normal <- centred / sqrt(rowMeans(centred^2) + epsilon)
      sweep(sweep(normal, 2, gain, "*"), 2, bias, "+")
    }
"""

_RELU = """
    # Negative entries become 0; pmax() keeps the shape.
    relu <- function(X) pmax(X, 0)
"""

_CAUSAL_MASK = """
    # 0 on and below the diagonal, the value above it.
    causal_mask <- function(n, value) {
      M <- matrix(0, n, n)
      M[upper.tri(M)] <- value
      M
    }
"""

_BROADCAST = """
    # One row, written n times.
    broadcast <- function(b, n) b[rep(1, n), , drop = FALSE]
"""

_POWER = """
    # A matrix times itself.
    power <- function(A, n) Reduce(`%*%`, rep(list(A), n))
"""

HELPERS: dict[type, str] = {
    Softmax: _SOFTMAX,
    LayerNorm: _LAYER_NORM,
    ReLU: _RELU,
    CausalMask: _CAUSAL_MASK,
    Broadcast: _BROADCAST,
    MatPow: _POWER,
}
"""The nodes that R has no function for, and the function that is written for each."""


# -- the program -------------------------------------------------------------------------------------------------
