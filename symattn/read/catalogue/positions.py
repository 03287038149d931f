"""Positions: how attention learns where a token is in the sequence."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from symattn.read.catalogue import attending
from symattn.read.catalogue.attending import ATTENTION, attended, head_sizes, with_defaults, without
from symattn.read.catalogue.model import AnyNumber, Chosen, EntryLine, HeadingLine, Input, Prove, StepLine, entry

BASE, SLOPE = replace(attending.BASE, needs=None), replace(attending.SLOPE, needs=None)

_OTHERS = without(ATTENTION, "positions", "base", "slope")


@entry("n=3 d_model=4", (BASE,))
def sinusoidal(chosen: Chosen) -> Iterator[EntryLine]:
    """H = X + P with p_{i,2t} = sin(i / base^(2t/d)) and p_{i,2t+1} = cos(i / base^(2t/d)); i and t count from 0.

    Shapes: X (n, d_model) → P and H (n, d_model); d_model is even.
    """
    yield Input("X", "n", "d_model", "tokens")
    yield HeadingLine("waves")
    yield StepLine("P", f"sinusoidal(n, d_model{_base(chosen)})")
    yield HeadingLine("placed")
    yield StepLine("H", "X + P")


@entry("n=3 d_model=4")
def learned(chosen: Chosen) -> Iterator[EntryLine]:
    """H = X + P, where row i of P is what training found for position i.

    Shapes: X and P (n, d_model) → H (n, d_model).
    """
    yield Input("X", "n", "d_model", "tokens")
    yield Input("P", "n", "d_model", "weight")
    yield StepLine("H", "X + P")


SIZES = "n=3 p=2 d_model=4 d_k=2 d_v=2 d=4 d_shared=2"


@entry(SIZES, (BASE, *_OTHERS), head_sizes)
def rotary(chosen: Chosen) -> Iterator[EntryLine]:
    """O = softmax(R_Q R_Kᵀ / √d_k + M) V, where R_Q and R_K are queries and keys turned by angles that grow with i.

    Shapes: X (n, d_model), W_Q and W_K (d_model, d_k), W_V (d_model, d_v) → O (n, d_v); d_k is even.
    """
    base = _base(chosen)
    yield (x := Input("X", "n", "d_model", "tokens"))
    for line in attended(chosen.having(positions="rotary"), x):
        yield line
        if isinstance(line, StepLine) and line.name == "S" and not chosen.switch("cache"):
            yield HeadingLine("moved")
            moved = line.formula
            for name in "QK":
                moved = moved.replace(f"R_{name}", f"rotary({name}{base}, start=5)")
            yield StepLine("S_moved", moved)
            yield AnyNumber("s")
            yield Prove(
                f"rotary(Q{base}, start=s) @ rotary(K{base}, start=s).T",
                f"rotary(Q{base}) @ rotary(K{base}).T",
                note="distance",
            )


@entry(SIZES, (SLOPE, *with_defaults(_OTHERS, mask=("causal",))), head_sizes)
def alibi(chosen: Chosen) -> Iterator[EntryLine]:
    """O = softmax(Q Kᵀ / √d_k − slope · D + M) V with d_ij = |i − j| and a causal mask M.

    Head t has the slope m^t, m being that of the first: in the paper m = 2^(−8/h) for h heads, 1/2 for eight.
    Shapes: X (n, d_model), W_Q and W_K (d_model, d_k), W_V (d_model, d_v) → O (n, d_v).
    """
    yield (x := Input("X", "n", "d_model", "tokens"))
    yield from attended(chosen.having(positions="alibi"), x)


def _base(chosen: Chosen) -> str:
    """Return the base as a keyword, unless it is the default."""
    base = chosen.text("base")
    return "" if base == BASE.default else f", base={base}"


ENTRIES = (sinusoidal, learned, rotary, alibi)
