"""Norms, activations, feed-forward layers, blocks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from symattn.catalogue.attention import LENGTH, MASK, TEMPERATURE, WINDOW, mask, projected, softened
from symattn.catalogue.model import Chosen, EntryLine, Input, Option, StepLine, entry

EPSILON = Option("epsilon", "10^-5", exact=True)
ACTIVATION = Option("activation", "relu", ("relu", "gelu", "gelu_tanh", "silu"))


@entry("n=2 d=4", (EPSILON, Option("affine", True)))
def layer_norm(chosen: Chosen) -> Iterator[EntryLine]:
    """Y = (X − μ) / √(σ² + ε) ⊙ γ + β, every row by its own mean μ and population variance σ².

    Shapes: X (n, d), γ and β (1, d) → Y (n, d).
    """
    yield Input("X", "n", "d", "tokens")
    yield from _affine(chosen, "", "d")
    yield StepLine("mu", "X @ ones(d, 1) / d")
    yield StepLine("C", "X - mu @ ones(1, d)")
    yield StepLine("v", "hadamard(C, C) @ ones(d, 1) / d")
    yield StepLine("Y", norm("X", chosen))


def _affine(chosen: Chosen, index: str, width: str, normalisation: str = "layer_norm") -> Iterator[Input]:
    """Gain and bias of a norm; an RMS norm has no bias."""
    if chosen.switch("affine"):
        yield Input(f"gamma{index}", "1", width, "gain")
        if normalisation == "layer_norm":
            yield Input(f"beta{index}", "1", width, "bias")


def norm(argument: str, chosen: Chosen, index: str = "", normalisation: str = "layer_norm") -> str:
    """The formula of a norm with the ε that was chosen."""
    gain = ""
    if chosen.switch("affine"):
        gain = f", gamma=gamma{index}" + (f", beta=beta{index}" if normalisation == "layer_norm" else "")
    return f"{normalisation}({argument}, epsilon={chosen.text('epsilon')}{gain})"


@entry("n=2 d=4", (EPSILON, Option("affine", True)))
def rms_norm(chosen: Chosen) -> Iterator[EntryLine]:
    """Y = X / √(mean of the squares + ε) ⊙ γ, every row by its own mean square.

    Shapes: X (n, d), γ (1, d) → Y (n, d).
    """
    yield Input("X", "n", "d", "tokens")
    yield from _affine(chosen, "", "d", "rms_norm")
    yield StepLine("s", "hadamard(X, X) @ ones(d, 1) / d")
    yield StepLine("Y", norm("X", chosen, normalisation="rms_norm"))


@entry("n=2 d=3")
def relu(chosen: Chosen) -> Iterator[EntryLine]:
    """Y = max(0, X), every entry by itself.

    Shapes: X (n, d) → Y (n, d).
    """
    yield Input("X", "n", "d", "scores")
    yield StepLine("Y", "relu(X)")


@entry("n=2 d=3", (Option("form", "erf", ("erf", "tanh")),))
def gelu(chosen: Chosen) -> Iterator[EntryLine]:
    """Y = X Φ(X), every entry times the share of the normal distribution below it; exactly, or by way of tanh.

    Shapes: X (n, d) → Y (n, d).
    """
    yield Input("X", "n", "d", "scores")
    form = chosen.text("form")
    yield StepLine("Y", "gelu(X)" if form == "erf" else "gelu_tanh(X)", because=f"Y_{form}")


@entry("n=2 d=3")
def silu(chosen: Chosen) -> Iterator[EntryLine]:
    """Y = X / (1 + e^(−X)), every entry times its own sigmoid.

    Shapes: X (n, d) → Y (n, d).
    """
    yield Input("X", "n", "d", "scores")
    yield StepLine("Y", "silu(X)")


@entry("n=2 d_model=2 d_ff=4", (ACTIVATION, Option("bias", True)))
def feed_forward(chosen: Chosen) -> Iterator[EntryLine]:
    """F = f(X W₁ + b₁) W₂ + b₂, the same two layers for every token.

    Shapes: X (n, d_model), W₁ (d_model, d_ff), W₂ (d_ff, d_model), b₁ (1, d_ff), b₂ (1, d_model) → F (n, d_model).
    """
    yield Input("X", "n", "d_model", "tokens")
    yield from _feed_forward_givens(chosen)
    yield from _feed_forward_steps(chosen, "X")


def _feed_forward_givens(chosen: Chosen) -> Iterator[Input]:
    yield Input("W_1", "d_model", "d_ff", "weight")
    if chosen.switch("bias"):
        yield Input("b_1", "1", "d_ff", "bias")
    yield Input("W_2", "d_ff", "d_model", "weight")
    if chosen.switch("bias"):
        yield Input("b_2", "1", "d_model", "bias")


def _feed_forward_steps(chosen: Chosen, argument: str) -> Iterator[StepLine]:
    first, second = (" + broadcast(b_1, n)", " + broadcast(b_2, n)") if chosen.switch("bias") else ("", "")
    yield StepLine("H", f"{argument} @ W_1{first}")
    yield StepLine("G", f"{chosen.text('activation')}(H)")
    yield StepLine("F", f"G @ W_2{second}")


@entry("n=2 d_model=2 d_ff=3", (Option("gate", "silu", ("silu", "gelu", "relu")),))
def swiglu(chosen: Chosen) -> Iterator[EntryLine]:
    """F = (SiLU(X W) ⊙ X V) W₂, a feed-forward layer with a gate.

    Shapes: X (n, d_model), W and V (d_model, d_ff), W₂ (d_ff, d_model) → F (n, d_model).
    """
    yield Input("X", "n", "d_model", "tokens")
    yield Input("W", "d_model", "d_ff", "weight")
    yield Input("V", "d_model", "d_ff", "weight")
    yield Input("W_2", "d_ff", "d_model", "weight")
    yield StepLine("G", f"{chosen.text('gate')}(X @ W)")
    yield StepLine("U", "X @ V")
    yield StepLine("H", "hadamard(G, U)")
    yield StepLine("F", "H @ W_2")


@entry(
    "n=2 d_model=2 d_k=2 d_v=2 d_ff=3",
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
)
def block(chosen: Chosen) -> Iterator[EntryLine]:
    """One head of attention and a feed-forward layer, each with its residual and its norm: after it (post) or before.

    Shapes: X (n, d_model) → Y (n, d_model).
    """
    kind, before = chosen.text("normalisation"), chosen.text("order") == "pre"
    yield (x := Input("X", "n", "d_model", "tokens"))
    yield from _affine(chosen, "_1", "d_model", kind)
    if before:
        yield StepLine("N_1", norm("X", chosen, "_1", kind), because="N")
    source = replace(x, name="N_1") if before else x
    yield from projected(False, ("Q", source, "d_k"), ("K", source, "d_k"), ("V", source, "d_v"))
    yield StepLine("S", "Q @ K.T / sqrt(d_k)")
    yield from mask(chosen, "n", "n")
    yield softened(chosen, "A", "S")
    yield Input("W_O", "d_v", "d_model", "weight")
    yield StepLine("O", "(A @ V) @ W_O")
    yield StepLine("R", "X + O")
    yield from _affine(chosen, "_2", "d_model", kind)
    yield StepLine("N_2" if before else "N_1", norm("R", chosen, "_2" if before else "_1", kind), because="N")
    yield from _feed_forward_givens(chosen)
    yield from _feed_forward_steps(chosen, "N_2" if before else "N_1")
    if before:
        yield StepLine("Y", "R + F", because="Y_pre")
    else:
        yield StepLine("T", "N_1 + F")
        yield StepLine("Y", norm("T", chosen, "_2", kind), because="Y_post")


ENTRIES = (layer_norm, rms_norm, relu, gelu, silu, feed_forward, swiglu, block)
