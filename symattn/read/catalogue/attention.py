"""Attention: scaled dot products over the same or another sequence; without weights; additive."""

from __future__ import annotations

from collections.abc import Iterator

from symattn.read.catalogue.attending import (
    APART,
    ATTENTION,
    HEADS,
    KV_HEADS,
    LENGTH,
    MASK,
    OF_SCORES,
    PROJECTIONS,
    WINDOW,
    attended,
    compared,
    head_sizes,
    with_defaults,
    without,
)
from symattn.read.catalogue.model import Chosen, EntryLine, HeadingLine, Input, StepLine, entry, words_or_matrices

PADDING = words_or_matrices("mask", "padding")
"""With two sequences, only padding: no query is ahead of a key or near one."""

_NO_WEIGHTS = "no weights make queries, keys and values here, so there are no columns for"
_ALONE = {
    "heads": f"{_NO_WEIGHTS} each head",
    "kv_heads": f"{_NO_WEIGHTS} each head",
    "bias": f"{_NO_WEIGHTS} a bias",
    "output": f"{_NO_WEIGHTS} W_O to mix",
    "cache": "nothing is projected, so there are no keys and values to keep",
}
"""Options that make no sense without projections."""


@entry("n=3 p=2 d_model=4 d_k=2 d_v=2 d=4 d_shared=2", ATTENTION, head_sizes)
def attention(chosen: Chosen) -> Iterator[EntryLine]:
    """O = softmax(Q Kᵀ / √d_k + M) V over the tokens of X.

    Shapes: X (n, d_model), W_Q and W_K (d_model, d_k), W_V (d_model, d_v) → O (n, d_v).
    """
    yield (x := Input("X", "n", "d_model", "tokens"))
    yield from attended(chosen, x)


@entry(
    "m=2 n=3 d_model=4 d_memory=4 d_k=2 d_v=2 d=4 d_shared=2",
    (HEADS, KV_HEADS, PADDING, LENGTH, *OF_SCORES, *PROJECTIONS),
    head_sizes,
    APART,
)
def cross_attention(chosen: Chosen) -> Iterator[EntryLine]:
    """O = softmax(Q Kᵀ / √d_k + M) V, where the rows of X ask and the rows of the memory Y answer.

    Shapes: X (m, d_model), Y (n, d_memory), W_Q (d_model, d_k), W_K (d_memory, d_k), W_V (d_memory, d_v) → O (m, d_v).
    """
    yield (x := Input("X", "m", "d_model", "tokens"))
    yield (y := Input("Y", "n", "d_memory", "state"))
    yield from attended(chosen, x, y)


@entry(
    "n=3 d_model=2",
    (MASK, WINDOW, LENGTH, *with_defaults(OF_SCORES, scale="1")),
    senseless={**_ALONE, "positions": "positions turn queries and keys, or are taken off their scores: use attention"},
)
def similarity(chosen: Chosen) -> Iterator[EntryLine]:
    """O = softmax(X Xᵀ) X: attention without weights, every token mixed with those it resembles.

    Shapes: X (n, d_model) → O (n, d_model).
    """
    yield (x := Input("X", "n", "d_model", "tokens"))
    yield from compared(chosen, x, x, "X @ X.T", "d_model")


@entry(
    "m=2 n=3 d_model=2 d_memory=2 d_a=2",
    (PADDING, LENGTH, *without(OF_SCORES, "scale")),
    senseless={**APART, **_ALONE, "scale": "its scores are no dot products, whose spread would grow with their width"},
)
def additive(chosen: Chosen) -> Iterator[EntryLine]:
    """O = softmax(S) Y with s_ij = Σ_c v_c tanh(q_ic + k_jc): a small network compares every state with every note.

    Shapes: X (m, d_model), Y (n, d_memory), W_a (d_model, d_a), U_a (d_memory, d_a), v_a (1, d_a) → O (m, d_memory).
    """
    yield (x := Input("X", "m", "d_model", "tokens"))
    yield (y := Input("Y", "n", "d_memory", "state"))
    yield Input("W_a", "d_model", "d_a", "weight")
    yield Input("U_a", "d_memory", "d_a", "weight")
    yield Input("v_a", "1", "d_a", "weight")
    yield HeadingLine("projections")
    yield StepLine("Q", "X @ W_a")
    yield StepLine("K", "Y @ U_a")
    yield from compared(chosen, x, y, "additive_scores(Q, K, v_a)")


ENTRIES = (attention, cross_attention, similarity, additive)
