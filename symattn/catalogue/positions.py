"""How attention learns where a token stands."""

from __future__ import annotations

from collections.abc import Iterator

from symattn.catalogue.attention import BIAS, LENGTH, MASK, WINDOW, number, projected, weights
from symattn.catalogue.model import AnyNumber, Chosen, EntryLine, Input, Option, Prove, StepLine, entry

BASE = Option("base", "10000", exact=True)


@entry("n=3 d_model=4", (BASE,))
def sinusoidal(chosen: Chosen) -> Iterator[EntryLine]:
    """H = X + P with p_{i,2t} = sin(i / base^(2t/d)) and p_{i,2t+1} = cos(i / base^(2t/d)); i and t count from 0.

    Shapes: X (n, d_model) → P and H (n, d_model); d_model is even.
    """
    yield Input("X", "n", "d_model", "tokens")
    yield StepLine("P", f"sinusoidal(n, d_model{_base(chosen)})")
    yield StepLine("H", "X + P")


@entry("n=3 d_model=4")
def learned(chosen: Chosen) -> Iterator[EntryLine]:
    """H = X + P, where row i of P is what training found for position i.

    Shapes: X and P (n, d_model) → H (n, d_model).
    """
    yield Input("X", "n", "d_model", "tokens")
    yield Input("P", "n", "d_model", "weight")
    yield StepLine("H", "X + P")


@entry("n=3 d_model=4 d_k=2 d_v=2", (BASE, MASK, WINDOW, LENGTH, BIAS))
def rotary(chosen: Chosen) -> Iterator[EntryLine]:
    """O = softmax(R_Q R_Kᵀ / √d_k + M) V, where R_Q and R_K are queries and keys turned by angles that grow with i.

    Shapes: X (n, d_model), W_Q and W_K (d_model, d_k), W_V (d_model, d_v) → O (n, d_v); d_k is even.
    """
    base = _base(chosen)
    yield (x := Input("X", "n", "d_model", "tokens"))
    yield from projected(chosen.switch("bias"), ("Q", x, "d_k"), ("K", x, "d_k"), ("V", x, "d_v"))
    yield StepLine("R_Q", f"rotary(Q{base})")
    yield StepLine("R_K", f"rotary(K{base})")
    yield StepLine("S", "R_Q @ R_K.T / sqrt(d_k)")
    yield AnyNumber("s")
    yield Prove(
        f"rotary(Q{base}, start=s) @ rotary(K{base}, start=s).T",
        f"rotary(Q{base}) @ rotary(K{base}).T",
        note="distance",
    )
    yield from weights(chosen, "n", "n")
    yield StepLine("O", "A @ V")


@entry("n=3 d_model=4 d_k=2 d_v=2", (Option("slope", "1/2", exact=True), BIAS))
def alibi(chosen: Chosen) -> Iterator[EntryLine]:
    """O = softmax(Q Kᵀ / √d_k − slope · D + M) V with d_ij = |i − j| and a causal mask M, one head.

    Head t of h has the slope 2^(−8t/h): the default 1/2 is the first of eight.
    Shapes: X (n, d_model), W_Q and W_K (d_model, d_k), W_V (d_model, d_v) → O (n, d_v).
    """
    yield (x := Input("X", "n", "d_model", "tokens"))
    yield from projected(chosen.switch("bias"), ("Q", x, "d_k"), ("K", x, "d_k"), ("V", x, "d_v"))
    yield StepLine("S", "Q @ K.T / sqrt(d_k)")
    yield StepLine("D", "distance(n)")
    yield StepLine("B", f"S - {number(chosen.text('slope'))} * D")
    yield StepLine("M", "causal_mask(n)", because="M_causal")
    yield StepLine("A", "softmax(B + M)")
    yield StepLine("O", "A @ V")


def _base(chosen: Chosen) -> str:
    """The base as a keyword, where it is not the usual one."""
    base = chosen.text("base")
    return "" if base == BASE.default else f", base={base}"


ENTRIES = (sinusoidal, learned, rotary, alibi)
