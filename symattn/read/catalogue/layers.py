"""Norms, activations, feed-forward layers, blocks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from symattn.read.catalogue.attending import APART, ATTENTION, attended, head_sizes, with_defaults, without
from symattn.read.catalogue.model import (
    NONE,
    Chosen,
    EntryLine,
    HeadingLine,
    Input,
    StepLine,
    entry,
    number_option,
    switch,
    whole_option,
    word,
    words_or_matrices,
)

EPSILON, AFFINE = number_option("epsilon", "10^-5"), switch("affine", True)
GATES = {"swiglu": "silu", "geglu": "gelu", "reglu": "relu", "glu": "sigmoid"}
"""The function of each gate."""

GATE = word("gate", NONE, *GATES)
ACTIVATION = word("activation", "relu", "gelu", "gelu_tanh", "silu", needs=("gate", NONE))
FEED_FORWARD = (GATE, ACTIVATION, switch("bias", True, turns="gate"))


@entry("n=2 d=4", (EPSILON, AFFINE))
def layer_norm(chosen: Chosen) -> Iterator[EntryLine]:
    """Y = (X − μ) / √(σ² + ε) ⊙ γ + β, every row by its own mean μ and population variance σ².

    Shapes: X (n, d), γ and β (1, d) → Y (n, d).
    """
    yield Input("X", "n", "d", "tokens")
    yield from affine(chosen, "layer", "", "d")
    yield HeadingLine("centred")
    yield StepLine("mu", "X @ ones(d, 1) / d")
    yield StepLine("C", "X - mu @ ones(1, d)")
    yield HeadingLine("spread")
    yield StepLine("v", "hadamard(C, C) @ ones(d, 1) / d")
    yield HeadingLine("normed")
    yield StepLine("Y", normed(chosen, "layer", "", "X"))


@entry("n=2 d=4", (EPSILON, AFFINE))
def rms_norm(chosen: Chosen) -> Iterator[EntryLine]:
    """Y = X / √(mean of the squares + ε) ⊙ γ, every row by its own mean square.

    Shapes: X (n, d), γ (1, d) → Y (n, d).
    """
    yield Input("X", "n", "d", "tokens")
    yield from affine(chosen, "rms", "", "d")
    yield HeadingLine("size")
    yield StepLine("s", "hadamard(X, X) @ ones(d, 1) / d")
    yield HeadingLine("normed")
    yield StepLine("Y", normed(chosen, "rms", "", "X"))


def affine(chosen: Chosen, norm: str, index: str, width: str) -> Iterator[Input]:
    """Yield the gain and bias of a norm; an RMS norm has no bias."""
    if chosen.switch("affine"):
        yield Input(f"gamma{index}", "1", width, "gain")
        if norm == "layer":
            yield Input(f"beta{index}", "1", width, "bias")


def normed(chosen: Chosen, norm: str, index: str, argument: str) -> str:
    """Return the formula of a norm with the chosen ε."""
    gain = ""
    if chosen.switch("affine"):
        gain = f", gamma=gamma{index}" + (f", beta=beta{index}" if norm == "layer" else "")
    return f"{norm}_norm({argument}, epsilon={chosen.text('epsilon')}{gain})"


@entry("n=2 d=3")
def relu(chosen: Chosen) -> Iterator[EntryLine]:
    """Y = max(0, X), every entry by itself.

    Shapes: X (n, d) → Y (n, d).
    """
    yield Input("X", "n", "d", "scores")
    yield StepLine("Y", "relu(X)")


@entry("n=2 d=3", (word("form", "erf", "tanh"),))
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


@entry("n=2 d_model=2 d_ff=4", FEED_FORWARD)
def feed_forward(chosen: Chosen) -> Iterator[EntryLine]:
    """F = f(X W₁ + b₁) W₂ + b₂, the same two layers for every token.

    Shapes: X (n, d_model), W₁ (d_model, d_ff), W₂ (d_ff, d_model), b₁ (1, d_ff), b₂ (1, d_model) → F (n, d_model).
    """
    yield (x := Input("X", "n", "d_model", "tokens"))
    yield from fed_forward(chosen, x)


@entry(
    "n=2 d_model=2 d_ff=3",
    (word("gate", *GATES), switch("bias", False)),
    senseless={"activation": "the gate has the function", "gate = none": "that is feed_forward"},
)
def swiglu(chosen: Chosen) -> Iterator[EntryLine]:
    """F = (SiLU(X W₁) ⊙ X W₃) W₂, a feed-forward layer with a gate.

    Shapes: X (n, d_model), W₁ and W₃ (d_model, d_ff), W₂ (d_ff, d_model) → F (n, d_model).
    """
    yield (x := Input("X", "n", "d_model", "tokens"))
    yield from fed_forward(chosen, x)


def fed_forward(chosen: Chosen, x: Input) -> Iterator[EntryLine]:
    """Yield a wide layer, with or without a gate, and a layer back to the width of the model."""
    gate = chosen.text("gate")
    wide = ("1",) if gate == NONE else ("1", "3")
    for layer, rows, columns in (*((each, x.columns, "d_ff") for each in wide), ("2", "d_ff", x.columns)):
        yield Input(f"W_{layer}", rows, columns, "weight")
        if chosen.switch("bias"):
            yield Input(f"b_{layer}", "1", columns, "bias")

    def linear(source: str, layer: str) -> str:
        return f"{source} @ W_{layer}" + (f" + broadcast(b_{layer}, {x.rows})" if chosen.switch("bias") else "")

    yield HeadingLine("wide" if gate == NONE else "gate")
    if gate == NONE:
        yield StepLine("H", linear(x.name, "1"))
        yield StepLine("G", f"{chosen.text('activation')}(H)")
        yield HeadingLine("back")
        yield StepLine("F", linear("G", "2"))
        return
    yield StepLine("G", f"{GATES[gate]}({linear(x.name, '1')})", because="G_gate")
    yield StepLine("U", linear(x.name, "3"))
    yield StepLine("H", "hadamard(G, U)", because="H_gate")
    yield HeadingLine("back")
    yield StepLine("F", linear("H", "2"))


# Blocks


@dataclass
class _Stream:
    """The residual stream of a block: each layer works on it and is added to it, with a norm before or after."""

    chosen: Chosen
    x: Input
    layers: int
    done: int = 0

    def residual(self, layer: Callable[[Input], Iterator[EntryLine]], out: str, name: str) -> Iterator[EntryLine]:
        """Yield one more layer, whose result is called ``out``, with its norm and its residual ``name``."""
        norm, is_pre = self.chosen.text("norm"), self.chosen.text("order") == "pre"
        self.done += 1
        index, is_last = f"_{self.done}", self.done == self.layers
        yield from affine(self.chosen, norm, index, self.x.columns)
        source = self.x.name
        if is_pre:
            source = f"N{index}"
            yield HeadingLine("norm")
            yield StepLine(source, normed(self.chosen, norm, index, self.x.name), because="N")
        yield from layer(replace(self.x, name=source))
        summed = "Y" if is_pre and is_last else name
        yield HeadingLine("residual")
        yield StepLine(summed, f"{self.x.name} + {out}", because="Y_pre" if summed == "Y" else "")
        self.x = replace(self.x, name=summed)
        if not is_pre:
            last = "Y" if is_last else f"N{index}"
            yield StepLine(last, normed(self.chosen, norm, index, summed), because="Y_post" if is_last else "N")
            self.x = replace(self.x, name=last)


BLOCK = (
    word("order", "post", "pre"),
    word("norm", "layer", "rms"),
    *without(ATTENTION, "bias", "output"),
    switch("attention_bias", False),
    *FEED_FORWARD,
    EPSILON,
    AFFINE,
)
WITH_OUTPUT = {"output": "what attention found has to be as wide as what it is added to, so W_O is always there"}
SIZES = "n=2 p=2 d_model=3 d_k=2 d_v=2 d=4 d_shared=2 d_ff=4"


@entry(SIZES, BLOCK, head_sizes, WITH_OUTPUT)
def block(chosen: Chosen) -> Iterator[EntryLine]:
    """Attention and a feed-forward layer, each with its residual and its norm: after it (post) or before.

    Shapes: X (n, d_model) → Y (n, d_model).
    """
    yield (x := Input("X", "n", "d_model", "tokens"))
    stream, attention = _Stream(chosen, x, 2), chosen.having(bias=chosen.switch("attention_bias"), output=True)
    yield from stream.residual(lambda source: attended(attention, source), "O", "R")
    yield from stream.residual(lambda source: fed_forward(chosen, source), "F", "T")


@entry(
    f"{SIZES} m=3 d_memory=3",
    (
        *with_defaults(BLOCK, mask=("causal",)),
        words_or_matrices("memory_mask", "padding"),
        whole_option("memory_length", 2, needs=("memory_mask", "padding")),
    ),
    head_sizes,
    {**WITH_OUTPUT, **{f"memory_{option}": why for option, why in APART.items() if option.startswith("mask")}},
)
def decoder_block(chosen: Chosen) -> Iterator[EntryLine]:
    """Attention over what is written so far, attention over the rows E of an encoder, and a feed-forward layer.

    Shapes: X (n, d_model), E (m, d_memory) → Y (n, d_model). Each of the three has its residual and its norm.
    """
    yield (x := Input("X", "n", "d_model", "tokens"))
    yield (memory := Input("E", "m", "d_memory", "state"))
    stream = _Stream(chosen, x, 3)
    attention = chosen.having(bias=chosen.switch("attention_bias"), output=True)
    across = attention.having(
        positions=NONE,
        cache=False,
        mask=chosen.listed("memory_mask"),
        length=chosen.whole("memory_length"),
        score_bias=(),
    )
    yield from stream.residual(lambda source: attended(attention, source), "O", "R")
    yield from stream.residual(lambda source: attended(across, source, memory, "_E"), "O_E", "R_E")
    yield from stream.residual(lambda source: fed_forward(chosen, source), "F", "T")


ENTRIES = (layer_norm, rms_norm, relu, gelu, silu, feed_forward, swiglu, block, decoder_block)
