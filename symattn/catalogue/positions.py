"""How attention learns where a token stands.

>>> [entry.name for entry in ENTRIES]
['sinusoidal', 'learned', 'rotary', 'alibi']
"""

from __future__ import annotations

from collections.abc import Iterator

from symattn.catalogue.attention import (
    BIAS,
    LENGTH,
    MASK,
    VASWANI,
    VASWANI_LINK,
    WINDOW,
    number,
    projected,
    weights,
)
from symattn.catalogue.model import Chosen, Given, Letter, Line, Option, Prove, Source, Step, entry

BASE = Option("base", "10000", exact=True)


@entry("positions", Source(VASWANI, "section 3.5", VASWANI_LINK), (BASE,), n=3, d_model=4)
def sinusoidal(chosen: Chosen) -> Iterator[Line]:
    """H = X + P with p_{i,2t} = sin(i / base^(2t/d)) and p_{i,2t+1} = cos(i / base^(2t/d)); i and t count from 0.

    Shapes: X (n, d_model) → P and H (n, d_model); d_model is even.

    >>> from symattn.catalogue import written
    >>> print(written("sinusoidal"))
    P = sinusoidal(n, d_model)
    H = X + P
    """
    yield Given("X", "n", "d_model", "tokens")
    yield Step("P", f"sinusoidal(n, d_model{_base(chosen)})")
    yield Step("H", "X + P")


@entry(
    "positions",
    Source(
        "Gehring et al. 2017, Convolutional Sequence to Sequence Learning",
        "section 3.1",
        "https://arxiv.org/abs/1705.03122",
    ),
    n=3,
    d_model=4,
)
def learned(chosen: Chosen) -> Iterator[Line]:
    """H = X + P, where row i of P is what training found for position i.

    Shapes: X and P (n, d_model) → H (n, d_model).

    >>> from symattn.catalogue import written
    >>> print(written("learned"))
    H = X + P
    """
    yield Given("X", "n", "d_model", "tokens")
    yield Given("P", "n", "d_model", "weight")
    yield Step("H", "X + P")


@entry(
    "positions",
    Source(
        "Su et al. 2021, RoFormer: Enhanced Transformer with Rotary Position Embedding",
        "section 3.2.2, equations (14) to (16)",
        "https://arxiv.org/abs/2104.09864",
    ),
    (BASE, MASK, WINDOW, LENGTH, BIAS),
    n=3,
    d_model=4,
    d_k=2,
    d_v=2,
)
def rotary(chosen: Chosen) -> Iterator[Line]:
    """O = softmax(R_Q R_Kᵀ / √d_k + M) V, where R_Q and R_K are queries and keys turned by angles that grow with i.

    Shapes: X (n, d_model), W_Q and W_K (d_model, d_k), W_V (d_model, d_v) → O (n, d_v); d_k is even.

    >>> from symattn.catalogue import written
    >>> print(written("rotary"))
    Q = X @ W_Q
    K = X @ W_K
    V = X @ W_V
    R_Q = rotary(Q)
    R_K = rotary(K)
    S = R_Q @ R_K.T / sqrt(d_k)
    A = softmax(S)
    O = A @ V
    """
    base = _base(chosen)
    yield (x := Given("X", "n", "d_model", "tokens"))
    yield from projected(chosen.switch("bias"), ("Q", x, "d_k"), ("K", x, "d_k"), ("V", x, "d_v"))
    yield Step("R_Q", f"rotary(Q{base})")
    yield Step("R_K", f"rotary(K{base})")
    yield Step("S", "R_Q @ R_K.T / sqrt(d_k)")
    yield Letter("s")
    yield Prove(
        f"rotary(Q{base}, start=s) @ rotary(K{base}, start=s).T",
        f"rotary(Q{base}) @ rotary(K{base}).T",
        note="distance",
    )
    yield from weights(chosen, "n", "n")
    yield Step("O", "A @ V")


@entry(
    "positions",
    Source(
        "Press, Smith and Lewis 2022, Train Short, Test Long: Attention with Linear Biases Enables Input Length "
        "Extrapolation",
        "section 3",
        "https://arxiv.org/abs/2108.12409",
    ),
    (Option("slope", "1/2", exact=True), BIAS),
    n=3,
    d_model=4,
    d_k=2,
    d_v=2,
)
def alibi(chosen: Chosen) -> Iterator[Line]:
    """O = softmax(Q Kᵀ / √d_k − slope · D + M) V with d_ij = |i − j| and a causal mask M, one head.

    Head t of h has the slope 2^(−8t/h): the default 1/2 is the first of eight.
    Shapes: X (n, d_model), W_Q and W_K (d_model, d_k), W_V (d_model, d_v) → O (n, d_v).

    >>> from symattn.catalogue import written
    >>> print(written("alibi", slope="1/4"))
    Q = X @ W_Q
    K = X @ W_K
    V = X @ W_V
    S = Q @ K.T / sqrt(d_k)
    D = distance(n)
    B = S - (1/4) * D
    M = causal_mask(n)
    A = softmax(B + M)
    O = A @ V
    """
    yield (x := Given("X", "n", "d_model", "tokens"))
    yield from projected(chosen.switch("bias"), ("Q", x, "d_k"), ("K", x, "d_k"), ("V", x, "d_v"))
    yield Step("S", "Q @ K.T / sqrt(d_k)")
    yield Step("D", "distance(n)")
    yield Step("B", f"S - {number(chosen.text('slope'))} * D")
    yield Step("M", "causal_mask(n)", because="M_causal")
    yield Step("A", "softmax(B + M)")
    yield Step("O", "A @ V")


def _base(chosen: Chosen) -> str:
    """The base as a keyword, where it is not the usual one."""
    base = chosen.text("base")
    return "" if base == BASE.default else f", base={base}"


ENTRIES = (sinusoidal, learned, rotary, alibi)

__test__ = {entry.name: entry.lines.__doc__ or "" for entry in ENTRIES}
"""The examples in the descriptions above, for doctest."""
