"""Output: from the last hidden vectors to the next token and its loss."""

from __future__ import annotations

from collections.abc import Iterator

from symattn.read.catalogue.attending import as_factor
from symattn.read.catalogue.model import (
    Chosen,
    EntryLine,
    HeadingLine,
    Input,
    StepLine,
    entry,
    number_option,
    switch,
    whole_option,
)


@entry("n=2 d_model=2 v=3", (switch("bias", False), number_option("temperature", "1")))
def next_token(chosen: Chosen) -> Iterator[EntryLine]:
    """P = softmax(H W_U), a probability for every token of the vocabulary after every position.

    Shapes: H (n, d_model), W_U (d_model, v), b_U (1, v) → Z and P (n, v).
    """
    yield Input("H", "n", "d_model", "tokens")
    yield Input("W_U", "d_model", "v", "weight")
    if chosen.switch("bias"):
        yield Input("b_U", "1", "v", "bias")
    yield HeadingLine("logits")
    yield StepLine("Z", "H @ W_U" + (" + broadcast(b_U, n)" if chosen.switch("bias") else ""))
    yield HeadingLine("probabilities")
    temperature = chosen.text("temperature")
    if temperature == "1":
        yield StepLine("P", "softmax(Z)")
    else:
        yield StepLine("P", f"softmax(Z / {as_factor(temperature)})", because="P_temperature")


@entry("n=2 v=3", (switch("perplexity", True),))
def cross_entropy(chosen: Chosen) -> Iterator[EntryLine]:
    """L = −(1/n) Σ_i ln p_{i, t_i}, the mean surprise at the tokens that really came; e^L is the perplexity.

    Shapes: logits Z (n, v), ids t (1, n), counted from 0 → losses (n, 1), L (1, 1). Unit: nats.
    """
    yield Input("Z", "n", "v", "scores")
    yield Input("t", "1", "n", "ids")
    yield HeadingLine("probabilities")
    yield StepLine("P", "softmax(Z)")
    yield HeadingLine("right")
    yield StepLine("T", "one_hot(t, v)")
    yield StepLine("p", "hadamard(P, T) @ ones(v, 1)")
    yield HeadingLine("loss")
    yield StepLine("l", "-log(p)")
    yield StepLine("L", "ones(1, n) @ l / n")
    if chosen.switch("perplexity"):
        yield HeadingLine("perplexity")
        yield StepLine("PPL", "exp(L)")


@entry("n=2 v=4", (whole_option("k", 2),))
def top_k(chosen: Chosen) -> Iterator[EntryLine]:
    """R = the k largest probabilities of every row, divided by their sum; the others are 0.

    Shapes: logits Z (n, v) → P, C and R (n, v).
    """
    yield Input("Z", "n", "v", "scores")
    yield HeadingLine("probabilities")
    yield StepLine("P", "softmax(Z)")
    yield HeadingLine("few")
    yield StepLine("C", f"top_k(P, {chosen.whole('k')})")
    yield StepLine("R", "proportions(hadamard(P, C))")


@entry("n=2 v=3")
def greedy(chosen: Chosen) -> Iterator[EntryLine]:
    """c = argmax P, the most probable token after every position, as an id from 0.

    Shapes: logits Z (n, v) → P (n, v), p and c (n, 1).
    """
    yield Input("Z", "n", "v", "scores")
    yield HeadingLine("probabilities")
    yield StepLine("P", "softmax(Z)")
    yield HeadingLine("choice")
    yield StepLine("p", "row_max(P)")
    yield StepLine("c", "argmax(P)")


ENTRIES = (next_token, cross_entropy, top_k, greedy)
