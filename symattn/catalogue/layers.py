"""Norms, activations, feed-forward layers, blocks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from symattn.catalogue.attention import (
    LENGTH,
    MASK,
    TEMPERATURE,
    VASWANI,
    VASWANI_LINK,
    WINDOW,
    mask,
    projected,
    softened,
)
from symattn.catalogue.model import Chosen, Entry, Given, Line, Option, Source, Step, entry

EPSILON = Option("epsilon", "10^-5", exact=True)
ACTIVATION = Option("activation", "relu", ("relu", "gelu", "gelu_tanh", "silu"))
HENDRYCKS = "Hendrycks and Gimpel 2016, Gaussian Error Linear Units (GELUs)"


@entry(
    "layers",
    Source(
        "Ba, Kiros and Hinton 2016, Layer Normalization", "section 3, equation (3)", "https://arxiv.org/abs/1607.06450"
    ),
    (EPSILON, Option("affine", True)),
    n=2,
    d=4,
)
def layer_norm(chosen: Chosen) -> Iterator[Line]:
    """Y = (X − μ) / √(σ² + ε) ⊙ γ + β, every row by its own mean μ and population variance σ².

    Shapes: X (n, d), γ and β (1, d) → Y (n, d).

    >>> from symattn.catalogue import written
    >>> print(written("layer_norm"))
    mu = X @ ones(d, 1) / d
    C = X - mu @ ones(1, d)
    v = hadamard(C, C) @ ones(d, 1) / d
    Y = layer_norm(X, epsilon=10^-5, gamma=gamma, beta=beta)
    """
    yield Given("X", "n", "d", "tokens")
    yield from _affine(chosen, "", "d")
    yield Step("mu", "X @ ones(d, 1) / d")
    yield Step("C", "X - mu @ ones(1, d)")
    yield Step("v", "hadamard(C, C) @ ones(d, 1) / d")
    yield Step("Y", norm("X", chosen))


def _affine(chosen: Chosen, index: str, width: str, normalisation: str = "layer_norm") -> Iterator[Given]:
    """Gain and bias of a norm; an RMS norm has no bias."""
    if chosen.switch("affine"):
        yield Given(f"gamma{index}", "1", width, "gain")
        if normalisation == "layer_norm":
            yield Given(f"beta{index}", "1", width, "bias")


def norm(argument: str, chosen: Chosen, index: str = "", normalisation: str = "layer_norm") -> str:
    """The formula of a norm with the ε that was chosen."""
    gain = ""
    if chosen.switch("affine"):
        gain = f", gamma=gamma{index}" + (f", beta=beta{index}" if normalisation == "layer_norm" else "")
    return f"{normalisation}({argument}, epsilon={chosen.text('epsilon')}{gain})"


@entry(
    "layers",
    Source(
        "Zhang and Sennrich 2019, Root Mean Square Layer Normalization",
        "section 3, equation (4)",
        "https://arxiv.org/abs/1910.07467",
    ),
    (EPSILON, Option("affine", True)),
    n=2,
    d=4,
)
def rms_norm(chosen: Chosen) -> Iterator[Line]:
    """Y = X / √(mean of the squares + ε) ⊙ γ, every row by its own mean square.

    Shapes: X (n, d), γ (1, d) → Y (n, d).

    >>> from symattn.catalogue import written
    >>> print(written("rms_norm", affine=False))
    s = hadamard(X, X) @ ones(d, 1) / d
    Y = rms_norm(X, epsilon=10^-5)
    """
    yield Given("X", "n", "d", "tokens")
    yield from _affine(chosen, "", "d", "rms_norm")
    yield Step("s", "hadamard(X, X) @ ones(d, 1) / d")
    yield Step("Y", norm("X", chosen, normalisation="rms_norm"))


@entry(
    "layers",
    Source(
        "Nair and Hinton 2010, Rectified Linear Units Improve Restricted Boltzmann Machines",
        "section 2",
        "https://icml.cc/Conferences/2010/papers/432.pdf",
    ),
    n=2,
    d=3,
)
def relu(chosen: Chosen) -> Iterator[Line]:
    """Y = max(0, X), every entry by itself.

    Shapes: X (n, d) → Y (n, d).

    >>> from symattn.catalogue import written
    >>> print(written("relu"))
    Y = relu(X)
    """
    yield Given("X", "n", "d", "scores")
    yield Step("Y", "relu(X)")


@entry(
    "layers",
    Source(HENDRYCKS, "section 2", "https://arxiv.org/abs/1606.08415"),
    (Option("form", "erf", ("erf", "tanh")),),
    n=2,
    d=3,
)
def gelu(chosen: Chosen) -> Iterator[Line]:
    """Y = X Φ(X), every entry times the share of the normal distribution below it; exactly, or by way of tanh.

    Shapes: X (n, d) → Y (n, d).

    >>> from symattn.catalogue import written
    >>> print(written("gelu", form="tanh"))
    Y = gelu_tanh(X)
    """
    yield Given("X", "n", "d", "scores")
    form = chosen.text("form")
    yield Step("Y", "gelu(X)" if form == "erf" else "gelu_tanh(X)", because=f"Y_{form}")


@entry(
    "layers",
    Source(
        "Elfwing, Uchibe and Doya 2018, Sigmoid-Weighted Linear Units for Neural Network Function Approximation",
        "section 2",
        "https://arxiv.org/abs/1702.03118",
    ),
    n=2,
    d=3,
)
def silu(chosen: Chosen) -> Iterator[Line]:
    """Y = X / (1 + e^(−X)), every entry times its own sigmoid.

    Shapes: X (n, d) → Y (n, d).

    >>> from symattn.catalogue import written
    >>> print(written("silu"))
    Y = silu(X)
    """
    yield Given("X", "n", "d", "scores")
    yield Step("Y", "silu(X)")


@entry(
    "layers",
    Source(VASWANI, "section 3.3, equation (2)", VASWANI_LINK),
    (ACTIVATION, Option("bias", True)),
    n=2,
    d_model=2,
    d_ff=4,
)
def feed_forward(chosen: Chosen) -> Iterator[Line]:
    """F = f(X W₁ + b₁) W₂ + b₂, the same two layers for every token.

    Shapes: X (n, d_model), W₁ (d_model, d_ff), W₂ (d_ff, d_model), b₁ (1, d_ff), b₂ (1, d_model) → F (n, d_model).

    >>> from symattn.catalogue import written
    >>> print(written("feed_forward", activation="gelu"))
    H = X @ W_1 + broadcast(b_1, n)
    G = gelu(H)
    F = G @ W_2 + broadcast(b_2, n)
    """
    yield Given("X", "n", "d_model", "tokens")
    yield from _feed_forward_givens(chosen)
    yield from _feed_forward_steps(chosen, "X")


def _feed_forward_givens(chosen: Chosen) -> Iterator[Given]:
    yield Given("W_1", "d_model", "d_ff", "weight")
    if chosen.switch("bias"):
        yield Given("b_1", "1", "d_ff", "bias")
    yield Given("W_2", "d_ff", "d_model", "weight")
    if chosen.switch("bias"):
        yield Given("b_2", "1", "d_model", "bias")


def _feed_forward_steps(chosen: Chosen, argument: str) -> Iterator[Step]:
    first, second = (" + broadcast(b_1, n)", " + broadcast(b_2, n)") if chosen.switch("bias") else ("", "")
    yield Step("H", f"{argument} @ W_1{first}")
    yield Step("G", f"{chosen.text('activation')}(H)")
    yield Step("F", f"G @ W_2{second}")


@entry(
    "layers",
    Source(
        "Shazeer 2020, GLU Variants Improve Transformer",
        "section 2, equation (6)",
        "https://arxiv.org/abs/2002.05202",
    ),
    (Option("gate", "silu", ("silu", "gelu", "relu")),),
    n=2,
    d_model=2,
    d_ff=3,
)
def swiglu(chosen: Chosen) -> Iterator[Line]:
    """F = (SiLU(X W) ⊙ X V) W₂, a feed-forward layer with a gate.

    Shapes: X (n, d_model), W and V (d_model, d_ff), W₂ (d_ff, d_model) → F (n, d_model).

    >>> from symattn.catalogue import written
    >>> print(written("swiglu"))
    G = silu(X @ W)
    U = X @ V
    H = hadamard(G, U)
    F = H @ W_2
    """
    yield Given("X", "n", "d_model", "tokens")
    yield Given("W", "d_model", "d_ff", "weight")
    yield Given("V", "d_model", "d_ff", "weight")
    yield Given("W_2", "d_ff", "d_model", "weight")
    yield Step("G", f"{chosen.text('gate')}(X @ W)")
    yield Step("U", "X @ V")
    yield Step("H", "hadamard(G, U)")
    yield Step("F", "H @ W_2")


@entry(
    "layers",
    Source(
        "Xiong et al. 2020, On Layer Normalization in the Transformer Architecture",
        "section 3, table 1",
        "https://arxiv.org/abs/2002.04745",
    ),
    (
        Option("order", "post", ("post", "pre")),
        Option("normalisation", "layer_norm", ("layer_norm", "rms_norm")),
        MASK,
        WINDOW,
        LENGTH,
        TEMPERATURE,
        ACTIVATION,
        Option("bias", True),
        EPSILON,
        Option("affine", True),
    ),
    n=2,
    d_model=2,
    d_k=2,
    d_v=2,
    d_ff=3,
)
def block(chosen: Chosen) -> Iterator[Line]:
    """One head of attention and a feed-forward layer, each with its residual and its norm: after it (post) or before.

    Shapes: X (n, d_model) → Y (n, d_model).

    >>> from symattn.catalogue import written
    >>> print(written("block", order="pre", bias=False, affine=False))
    N_1 = layer_norm(X, epsilon=10^-5)
    Q = N_1 @ W_Q
    K = N_1 @ W_K
    V = N_1 @ W_V
    S = Q @ K.T / sqrt(d_k)
    A = softmax(S)
    O = (A @ V) @ W_O
    R = X + O
    N_2 = layer_norm(R, epsilon=10^-5)
    H = N_2 @ W_1
    G = relu(H)
    F = G @ W_2
    Y = R + F
    """
    kind, before = chosen.text("normalisation"), chosen.text("order") == "pre"
    yield (x := Given("X", "n", "d_model", "tokens"))
    yield from _affine(chosen, "_1", "d_model", kind)
    if before:
        yield Step("N_1", norm("X", chosen, "_1", kind), because="N")
    source = replace(x, name="N_1") if before else x
    yield from projected(False, ("Q", source, "d_k"), ("K", source, "d_k"), ("V", source, "d_v"))
    yield Step("S", "Q @ K.T / sqrt(d_k)")
    yield from mask(chosen, "n", "n")
    yield softened(chosen, "A", "S")
    yield Given("W_O", "d_v", "d_model", "weight")
    yield Step("O", "(A @ V) @ W_O")
    yield Step("R", "X + O")
    yield from _affine(chosen, "_2", "d_model", kind)
    yield Step("N_2" if before else "N_1", norm("R", chosen, "_2" if before else "_1", kind), because="N")
    yield from _feed_forward_givens(chosen)
    yield from _feed_forward_steps(chosen, "N_2" if before else "N_1")
    if before:
        yield Step("Y", "R + F", because="Y_pre")
    else:
        yield Step("T", "N_1 + F")
        yield Step("Y", norm("T", chosen, "_2", kind), because="Y_post")


ENTRIES: tuple[Entry, ...] = (layer_norm, rms_norm, relu, gelu, silu, feed_forward, swiglu, block)

__test__ = {entry.name: entry.lines.__doc__ or "" for entry in ENTRIES}
"""The examples in the descriptions above, for doctest."""
