"""From the last hidden vectors to the next token and its loss."""

from __future__ import annotations

from collections.abc import Iterator

from symattn.catalogue.attention import VASWANI, VASWANI_LINK, number
from symattn.catalogue.model import Chosen, Entry, Given, Line, Option, Source, Step, entry

JURAFSKY = "Jurafsky and Martin, Speech and Language Processing (3rd edition draft)"
JURAFSKY_LINK = "https://web.stanford.edu/~jurafsky/slp3/"


@entry(
    "output",
    Source(VASWANI, "section 3.4", VASWANI_LINK),
    (Option("bias", False), Option("temperature", "1", exact=True)),
    n=2,
    d_model=2,
    v=3,
)
def next_token(chosen: Chosen) -> Iterator[Line]:
    """P = softmax(H W_U), a probability for every token of the vocabulary after every position.

    Shapes: H (n, d_model), W_U (d_model, v), b_U (1, v) → Z and P (n, v).

    >>> from symattn.catalogue import written
    >>> print(written("next_token", temperature="1/2"))
    Z = H @ W_U
    P = softmax(Z / (1/2))
    """
    yield Given("H", "n", "d_model", "tokens")
    yield Given("W_U", "d_model", "v", "weight")
    if chosen.switch("bias"):
        yield Given("b_U", "1", "v", "bias")
    yield Step("Z", "H @ W_U" + (" + broadcast(b_U, n)" if chosen.switch("bias") else ""))
    temperature = chosen.text("temperature")
    if temperature == "1":
        yield Step("P", "softmax(Z)")
    else:
        yield Step("P", f"softmax(Z / {number(temperature)})", because="P_temperature")


@entry(
    "output",
    Source(JURAFSKY, "chapter on large language models, cross-entropy loss and perplexity", JURAFSKY_LINK),
    (Option("perplexity", True),),
    n=2,
    v=3,
)
def cross_entropy(chosen: Chosen) -> Iterator[Line]:
    """L = −(1/n) Σ_i ln p_{i, t_i}, the mean surprise at the tokens that really came; e^L is the perplexity.

    Shapes: logits Z (n, v), ids t (1, n), counted from 0 → losses (n, 1), L (1, 1). Unit: nats.

    >>> from symattn.catalogue import written
    >>> print(written("cross_entropy"))
    P = softmax(Z)
    T = one_hot(t, v)
    p = hadamard(P, T) @ ones(v, 1)
    l = -log(p)
    L = ones(1, n) @ l / n
    PPL = exp(L)
    """
    yield Given("Z", "n", "v", "scores")
    yield Given("t", "1", "n", "ids")
    yield Step("P", "softmax(Z)")
    yield Step("T", "one_hot(t, v)")
    yield Step("p", "hadamard(P, T) @ ones(v, 1)")
    yield Step("l", "-log(p)")
    yield Step("L", "ones(1, n) @ l / n")
    if chosen.switch("perplexity"):
        yield Step("PPL", "exp(L)")


@entry(
    "output",
    Source(
        "Fan, Lewis and Dauphin 2018, Hierarchical Neural Story Generation",
        "section 5.4",
        "https://arxiv.org/abs/1805.04833",
    ),
    (Option("k", 2),),
    n=2,
    v=4,
)
def top_k(chosen: Chosen) -> Iterator[Line]:
    """R = the k largest probabilities of every row, divided by their sum; the others are 0.

    Shapes: logits Z (n, v) → P, C and R (n, v).

    >>> from symattn.catalogue import written
    >>> print(written("top_k", k=3))
    P = softmax(Z)
    C = top_k(P, 3)
    R = proportions(hadamard(P, C))
    """
    yield Given("Z", "n", "v", "scores")
    yield Step("P", "softmax(Z)")
    yield Step("C", f"top_k(P, {chosen.whole('k')})")
    yield Step("R", "proportions(hadamard(P, C))")


@entry("output", Source(JURAFSKY, "chapter on large language models, greedy decoding", JURAFSKY_LINK), n=2, v=3)
def greedy(chosen: Chosen) -> Iterator[Line]:
    """c = argmax P, the most probable token after every position, as an id from 0.

    Shapes: logits Z (n, v) → P (n, v), p and c (n, 1).

    >>> from symattn.catalogue import written
    >>> print(written("greedy"))
    P = softmax(Z)
    p = row_max(P)
    c = argmax(P)
    """
    yield Given("Z", "n", "v", "scores")
    yield Step("P", "softmax(Z)")
    yield Step("p", "row_max(P)")
    yield Step("c", "argmax(P)")


ENTRIES: tuple[Entry, ...] = (next_token, cross_entropy, top_k, greedy)

__test__ = {entry.name: entry.lines.__doc__ or "" for entry in ENTRIES}
"""The examples in the descriptions above, for doctest."""
