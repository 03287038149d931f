"""Several heads side by side, shared keys and values, one step with a cache."""

from __future__ import annotations

from collections.abc import Iterator

from symattn.read.catalogue.attending import ATTENTION, WINDOW, attended, head_sizes, with_defaults, without
from symattn.read.catalogue.model import Chosen, EntryLine, Input, Note, entry, words_or_matrices

SIZES = "n=3 p=2 d_model=4 d_k=2 d_v=2 d=4 d_shared=2"


@entry(SIZES, with_defaults(ATTENTION, heads=2, output=True), head_sizes)
def multi_head(chosen: Chosen) -> Iterator[EntryLine]:
    """O = [O₁ … O_h] W_O with O_t = softmax(Q_t K_tᵀ / √(d/h) + M) V_t.

    Q_t, K_t and V_t are blocks of d/h columns each, of one projection for all heads, as in
    ``torch.nn.MultiheadAttention``: that is the paper's W_t^Q side by side.
    Shapes: X (n, d_model), W_Q, W_K and W_V (d_model, d), W_O (d, d_model) → O (n, d_model); h divides d.
    """
    yield (x := Input("X", "n", "d_model", "tokens"))
    yield from attended(chosen, x)


@entry(SIZES, with_defaults(ATTENTION, heads=4, kv_heads=2, output=True), head_sizes)
def grouped_query(chosen: Chosen) -> Iterator[EntryLine]:
    """O = [O₁ … O_h] W_O with O_t = softmax(Q_t K_gᵀ / √(d/h) + M) V_g: h/kv_heads heads in a row share K_g and V_g.

    Shapes: X (n, d_model), W_Q (d_model, d), W_K and W_V (d_model, d_shared), W_O (d, d_model) → O (n, d_model), with
    d/h = d_shared/kv_heads. One head of keys and values is multi-query attention, as many as heads are multi-head
    attention.
    """
    yield (x := Input("X", "n", "d_model", "tokens"))
    yield from attended(chosen, x)


@entry(
    "n=2 d_model=4 d_k=2 d_v=2 d=4 d_shared=2",
    (*without(ATTENTION, "mask", "window", "length", "cache"), words_or_matrices("mask", "window"), WINDOW),
    head_sizes,
    {
        "mask = causal": "what is kept came before the new token, so nothing lies ahead",
        "mask = padding": "nothing that only fills a sequence up is kept",
        "length": "nothing that only fills a sequence up is kept",
        "cache": "there always is one: without it this is a row of attention",
    },
)
def decoding_step(chosen: Chosen) -> Iterator[EntryLine]:
    """o = softmax(q Kᵀ / √d_k) V for a new token x, where K and V are the cached rows and one row more.

    It is the last row of causal attention over all tokens, without the other rows.
    Shapes: x (1, d_model), K_cache (n, d_k), V_cache (n, d_v), W_Q and W_K (d_model, d_k), W_V (d_model, d_v)
    → K (n + 1, d_k), V (n + 1, d_v), o (1, d_v).
    """
    yield (x := Input("x", "1", "d_model", "tokens"))
    yield from attended(chosen.having(cache=True), x)
    yield Note("same")


ENTRIES = (multi_head, grouped_query, decoding_step)
