"""The functions that an R program may need, as R; a program holds only those it calls."""

from __future__ import annotations

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

_LAYER_NORM_AFFINE = """
    # Each row with mean 0 and variance 1, then every column by its gain, plus its bias.
    layer_norm <- function(X, epsilon, gain = 1, bias = 0) {
      centred <- X - rowMeans(X)
      normal <- centred / sqrt(rowMeans(centred^2) + epsilon)
      sweep(sweep(normal, 2, gain, "*"), 2, bias, "+")
    }
"""

_RMS_NORM = """
    # Each row divided by its root mean square.
    rms_norm <- function(X, epsilon) X / sqrt(rowMeans(X^2) + epsilon)
"""

_RMS_NORM_GAIN = """
    # Each row divided by its root mean square, then every column by its gain.
    rms_norm <- function(X, epsilon, gain = 1) sweep(X / sqrt(rowMeans(X^2) + epsilon), 2, gain, "*")
"""

WITH_GAIN: dict[str, str] = {"layer_norm": _LAYER_NORM_AFFINE, "rms_norm": _RMS_NORM_GAIN}
"""The norms with what may follow them."""

_RELU = """
    # Negative entries become 0; pmax() keeps the shape.
    relu <- function(X) pmax(X, 0)
"""

_ELU = """
    # Negative entries x become exp(x) - 1.
    elu <- function(X) pmax(X, 0) + expm1(pmin(X, 0))
"""

_GELU = """
    # Every x times the share of the normal distribution below x.
    gelu <- function(X) X * pnorm(X)
"""

_GELU_TANH = """
    # Close to gelu, with tanh() in place of the normal distribution.
    gelu_tanh <- function(X) X * (1 + tanh(sqrt(2 / pi) * (X + 0.044715 * X^3))) / 2
"""

_SILU = """
    # Every x by 1 + exp(-x).
    silu <- function(X) X / (1 + exp(-X))
"""

_CAUSAL_MASK = """
    # 0 on and below the diagonal, the value above it.
    causal_mask <- function(n, value) {
      M <- matrix(0, n, n)
      M[upper.tri(M)] <- value
      M
    }
"""

_WINDOW_MASK = """
    # 0 where two positions are less than w apart, the value elsewhere.
    window_mask <- function(n, w, value) {
      distance <- abs(outer(1:n, 1:n, "-"))
      ifelse(distance < w, 0, value)
    }
"""

_PADDING_MASK = """
    # 0 in the columns that are known, the value in those that only fill up.
    padding_mask <- function(n, m, known, value) {
      M <- matrix(0, n, m)
      M[, seq_len(m) > known] <- value
      M
    }
"""

_DISTANCE = """
    # How far apart two positions are.
    distance <- function(n) abs(outer(1:n, 1:n, "-"))
"""

_ANGLES = """
    # Every position times base^(-2t/d), a column for each pair t of columns, counted from 0.
    angles <- function(positions, d, base) outer(positions, base^(-seq(0, d - 2, 2) / d))
"""

_SINUSOIDAL = """
    # Sine and cosine of every angle, side by side.
    sinusoidal <- function(n, d, base) {
      phi <- angles(seq_len(n) - 1, d, base)
      P <- matrix(0, n, d)
      P[, c(TRUE, FALSE)] <- sin(phi)
      P[, c(FALSE, TRUE)] <- cos(phi)
      P
    }
"""

_ROTARY = """
    # Each pair of neighbouring columns turned by an angle that grows with the row.
    rotary <- function(X, base, start) {
      phi <- angles(start + (seq_len(nrow(X)) - 1), ncol(X), base)
      x <- X[, c(TRUE, FALSE)]
      y <- X[, c(FALSE, TRUE)]
      X[, c(TRUE, FALSE)] <- x * cos(phi) - y * sin(phi)
      X[, c(FALSE, TRUE)] <- x * sin(phi) + y * cos(phi)
      X
    }
"""

_ADDITIVE_SCORES = """
    # The sum of v tanh(q + k) for every row q of Q and every row k of K.
    additive_scores <- function(Q, K, v) {
      score <- function(i, j) sum(v * tanh(Q[i, ] + K[j, ]))
      outer(seq_len(nrow(Q)), seq_len(nrow(K)), Vectorize(score))
    }
"""

_ARGMAX = """
    # The column of the largest entry of each row, the first one where it ties; columns count from 0.
    argmax <- function(X) matrix(apply(X, 1, which.max) - 1)
"""

_TOP_K = """
    # 1 for the k largest entries of each row, the first ones where they tie, and 0 elsewhere.
    top_k <- function(P, k) {
      places <- apply(-P, 1, rank, ties.method = "first")
      matrix(places <= k, nrow(P), byrow = TRUE) + 0
    }
"""

_BROADCAST = """
    # One row, written n times.
    broadcast <- function(b, n) b[rep(1, n), , drop = FALSE]
"""

_ONE_HOT = """
    # A row for every id, 1 in its place and 0 elsewhere; ids count from 0.
    one_hot <- function(ids, size) outer(c(ids), seq_len(size) - 1, "==") + 0
"""

_POWER = """
    # A matrix times itself.
    power <- function(A, n) Reduce(`%*%`, rep(list(A), n))
"""

_NORM = """
    # The length of each row, as a column.
    row_norm <- function(X) matrix(sqrt(rowSums(X^2)))
"""

_MAX = """
    # The largest entry of each row, as a column.
    row_max <- function(X) matrix(apply(X, 1, max))
"""

_UNIT = """
    # Each row divided by its length.
    unit <- function(X) X / sqrt(rowSums(X^2))
"""

_PROPORTIONS = """
    # Each row divided by its sum.
    proportions <- function(S) S / rowSums(S)
"""

_ENTROPY = """
    # -sum(a log a) of each row, as a column; 0 log 0 counts as 0.
    entropy <- function(A) matrix(-rowSums(ifelse(A > 0, A * log(A), 0)))
"""

_COSINE = """
    # The cosine of every row of X with every row of Y.
    cosine <- function(X, Y) unit(X) %*% t(unit(Y))
"""

_ANGLE = """
    # Degrees between every row of X and every row of Y; atan2() keeps the digits that acos() loses near 0 and 180.
    angle <- function(X, Y) {
      U <- unit(X)
      V <- unit(Y)
      size <- function(x) sqrt(sum(x^2))
      degrees <- function(i, j) 360 / pi * atan2(size(U[i, ] - V[j, ]), size(U[i, ] + V[j, ]))
      outer(seq_len(nrow(U)), seq_len(nrow(V)), Vectorize(degrees))
    }
"""

_CLIP_NORM = """
    # G shortened to the largest length where it is longer.
    clip_norm <- function(G, largest) G * (largest / max(largest, sqrt(sum(G^2))))
"""

_KEEP = """
    # The entries of A where the mask is 0, and 0 elsewhere.
    keep <- function(A, mask) ifelse(mask == 0, A, 0)
"""

SOFTMAX_OR_ZERO = """
    # Each row becomes weights that sum to 1; a row of nothing but -Inf, which sees no key, weights of 0.
    softmax <- function(S) {
      seen <- rowSums(is.finite(S)) > 0
      E <- exp(S - ifelse(seen, apply(S, 1, max), 0))
      E / ifelse(seen, rowSums(E), 1)
    }
"""

HELPERS: dict[str, str] = {
    "softmax": _SOFTMAX,
    "layer_norm": _LAYER_NORM,
    "rms_norm": _RMS_NORM,
    "relu": _RELU,
    "gelu": _GELU,
    "gelu_tanh": _GELU_TANH,
    "silu": _SILU,
    "elu": _ELU,
    "causal_mask": _CAUSAL_MASK,
    "window_mask": _WINDOW_MASK,
    "padding_mask": _PADDING_MASK,
    "keep": _KEEP,
    "distance": _DISTANCE,
    "sinusoidal": _SINUSOIDAL,
    "rotary": _ROTARY,
    "angles": _ANGLES,
    "additive_scores": _ADDITIVE_SCORES,
    "broadcast": _BROADCAST,
    "one_hot": _ONE_HOT,
    "power": _POWER,
    "row_norm": _NORM,
    "row_max": _MAX,
    "unit": _UNIT,
    "proportions": _PROPORTIONS,
    "entropy": _ENTROPY,
    "cosine": _COSINE,
    "angle": _ANGLE,
    "clip_norm": _CLIP_NORM,
    "argmax": _ARGMAX,
    "top_k": _TOP_K,
}
"""The functions that R does not have, by name."""

PRINT = """
    # The name, then one line for each row; adding 0 turns -0 into 0.
    print_matrix <- function(name, A) {
      cells <- format(sprintf("%.{decimals}f", round(A, {decimals}) + 0), justify = "right")
      rows <- apply(matrix(cells, nrow(A)), 1, paste, collapse = "  ")
      writeLines(c(name, rows))
    }
"""
