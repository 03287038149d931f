"""Attention: scaled dot products with biases, masks and temperature; over another sequence; without weights; additive.

>>> [entry.name for entry in ENTRIES]
['attention', 'cross_attention', 'similarity', 'additive']
"""

from __future__ import annotations

from collections.abc import Iterator

from symattn.catalogue.model import Chosen, Given, Line, Option, Source, Step, entry

VASWANI = "Vaswani et al. 2017, Attention Is All You Need"
VASWANI_LINK = "https://arxiv.org/abs/1706.03762"

MASK = Option("mask", "none", ("none", "causal", "padding", "window"))
PADDING = Option("mask", "none", ("none", "padding"))
"""Where queries and keys are different sequences, nothing lies ahead and nothing is near."""

WINDOW, LENGTH = Option("window", 2), Option("length", 2)
BIAS = Option("bias", False)
TEMPERATURE = Option("temperature", "1", exact=True)


@entry(
    "attention",
    Source(VASWANI, "section 3.2.1, equation (1)", VASWANI_LINK),
    (MASK, WINDOW, LENGTH, BIAS, TEMPERATURE),
    n=3,
    d_model=4,
    d_k=2,
    d_v=2,
)
def attention(chosen: Chosen) -> Iterator[Line]:
    """O = softmax(Q Kᵀ / √d_k + M) V, one head over the tokens of X.

    Shapes: X (n, d_model), W_Q and W_K (d_model, d_k), W_V (d_model, d_v) → O (n, d_v).

    >>> from symattn.catalogue import written
    >>> print(written("attention", mask="causal"))
    Q = X @ W_Q
    K = X @ W_K
    V = X @ W_V
    S = Q @ K.T / sqrt(d_k)
    M = causal_mask(n)
    A = softmax(S + M)
    O = A @ V
    """
    bias = chosen.switch("bias")
    yield (x := Given("X", "n", "d_model", "tokens"))
    yield from projected(bias, ("Q", x, "d_k"), ("K", x, "d_k"), ("V", x, "d_v"))
    yield Step("S", "Q @ K.T / sqrt(d_k)")
    yield from weights(chosen, "n", "n")
    yield Step("O", "A @ V")


@entry(
    "attention",
    Source(VASWANI, "section 3.2.3", VASWANI_LINK),
    (PADDING, LENGTH, BIAS, TEMPERATURE),
    m=2,
    n=3,
    d_model=4,
    d_memory=4,
    d_k=2,
    d_v=2,
)
def cross_attention(chosen: Chosen) -> Iterator[Line]:
    """O = softmax(Q Kᵀ / √d_k + M) V, where the rows of X ask and the rows of the memory Y answer.

    Shapes: X (m, d_model), Y (n, d_memory), W_Q (d_model, d_k), W_K (d_memory, d_k), W_V (d_memory, d_v) → O (m, d_v).

    >>> from symattn.catalogue import written
    >>> print(written("cross_attention"))
    Q = X @ W_Q
    K = Y @ W_K
    V = Y @ W_V
    S = Q @ K.T / sqrt(d_k)
    A = softmax(S)
    O = A @ V
    """
    bias = chosen.switch("bias")
    yield (x := Given("X", "m", "d_model", "tokens"))
    yield (y := Given("Y", "n", "d_memory", "state"))
    yield from projected(bias, ("Q", x, "d_k"), ("K", y, "d_k"), ("V", y, "d_v"))
    yield Step("S", "Q @ K.T / sqrt(d_k)")
    yield from weights(chosen, "m", "n")
    yield Step("O", "A @ V")


@entry(
    "attention",
    Source(
        "Wang, Girshick, Gupta and He 2018, Non-local Neural Networks",
        "section 3.2, equation (2), with g(x) = x",
        "https://arxiv.org/abs/1711.07971",
    ),
    (MASK, WINDOW, LENGTH, Option("scaled", False)),
    n=3,
    d_model=2,
)
def similarity(chosen: Chosen) -> Iterator[Line]:
    """O = softmax(X Xᵀ) X: attention without weights, every token mixed with those it resembles.

    Shapes: X (n, d_model) → O (n, d_model).

    >>> from symattn.catalogue import written
    >>> print(written("similarity"))
    S = X @ X.T
    A = softmax(S)
    O = A @ X
    """
    scaled = chosen.switch("scaled")
    yield Given("X", "n", "d_model", "tokens")
    yield Step("S", "X @ X.T" + (" / sqrt(d_model)" if scaled else ""), because="S_scaled" if scaled else "S")
    yield from weights(chosen, "n", "n")
    yield Step("O", "A @ X")


@entry(
    "attention",
    Source(
        "Bahdanau, Cho and Bengio 2015, Neural Machine Translation by Jointly Learning to Align and Translate",
        "section 3.1, equations (5) and (6), and appendix A.1.2",
        "https://arxiv.org/abs/1409.0473",
    ),
    (PADDING, LENGTH),
    m=2,
    n=3,
    d_model=2,
    d_memory=2,
    d_a=2,
)
def additive(chosen: Chosen) -> Iterator[Line]:
    """O = softmax(S) Y with s_ij = Σ_c v_c tanh(q_ic + k_jc): a small network compares every state with every note.

    Shapes: X (m, d_model), Y (n, d_memory), W_a (d_model, d_a), U_a (d_memory, d_a), v_a (1, d_a) → O (m, d_memory).

    >>> from symattn.catalogue import written
    >>> print(written("additive"))
    Q = X @ W_a
    K = Y @ U_a
    S = additive_scores(Q, K, v_a)
    A = softmax(S)
    O = A @ Y
    """
    yield Given("X", "m", "d_model", "tokens")
    yield Given("Y", "n", "d_memory", "state")
    yield Given("W_a", "d_model", "d_a", "weight")
    yield Given("U_a", "d_memory", "d_a", "weight")
    yield Given("v_a", "1", "d_a", "weight")
    yield Step("Q", "X @ W_a")
    yield Step("K", "Y @ U_a")
    yield Step("S", "additive_scores(Q, K, v_a)")
    yield from weights(chosen, "m", "n")
    yield Step("O", "A @ Y")


# What the other families build on too


def projected(bias: bool, *wanted: tuple[str, Given, str]) -> Iterator[Line]:
    """The weights, and then Q = X W_Q (+ b_Q), for every (name, source, width) asked for.

    >>> x = Given("X", "n", "d_model", "tokens")
    >>> [line.formula for line in projected(True, ("Q", x, "d_k")) if isinstance(line, Step)]
    ['X @ W_Q + broadcast(b_Q, n)']
    """
    for name, source, width in wanted:
        yield Given(f"W_{name.upper()}", source.columns, width, "weight")
    for name, _, width in wanted if bias else ():
        yield Given(f"b_{name.upper()}", "1", width, "bias")
    yield from projections(bias, *((name, source.name, source.rows) for name, source, _ in wanted))


def projections(bias: bool, *wanted: tuple[str, str, str]) -> Iterator[Step]:
    """Q = X W_Q (+ b_Q) for every (name, source, rows) asked for; q = x W_Q for a single row."""
    for name, source, rows in wanted:
        vector = f"b_{name.upper()}"
        shift = vector if rows == "1" else f"broadcast({vector}, {rows})"
        yield Step(name, f"{source} @ W_{name.upper()}" + (f" + {shift}" if bias else ""))


def weights(chosen: Chosen, queries: str, keys: str) -> Iterator[Step]:
    """The mask that was chosen, and A = softmax of the scores S under it, at the temperature that was chosen."""
    yield from mask(chosen, queries, keys)
    yield softened(chosen, "A", "S")


def mask(chosen: Chosen, queries: str, keys: str) -> Iterator[Step]:
    """The mask that was chosen, or nothing."""
    kind = chosen.text("mask")
    if kind != "none":
        yield Step("M", _mask(chosen, kind, queries, keys), because=f"M_{kind}")


def _mask(chosen: Chosen, kind: str, queries: str, keys: str) -> str:
    match kind:
        case "causal":
            return f"causal_mask({queries})"
        case "padding":
            return f"padding_mask({queries}, {keys}, {chosen.whole('length')})"
        case _:
            return f"window_mask({queries}, {chosen.whole('window')})"


def softened(chosen: Chosen, name: str, scores: str, because: str = "") -> Step:
    """Softmax of the scores under the mask that was chosen, at the temperature that was chosen.

    >>> softened(Chosen({"mask": "causal", "temperature": "1/2"}), "A", "S").formula
    'softmax((S + M) / (1/2))'
    """
    if chosen.text("mask") != "none":
        scores += " + M"
    temperature = str(chosen.settings.get("temperature", "1"))
    if temperature == "1":
        return Step(name, f"softmax({scores})", because=because)
    inside = f"({scores})" if "+" in scores else scores
    return Step(name, f"softmax({inside} / {number(temperature)})", because="A_temperature")


def number(text: str) -> str:
    """A number as a factor or divisor, in parentheses where it is more than digits.

    >>> number("2"), number("1/2")
    ('2', '(1/2)')
    """
    return text if text.isdigit() else f"({text})"


ENTRIES = (attention, cross_attention, similarity, additive)

__test__ = {entry.name: entry.lines.__doc__ or "" for entry in ENTRIES}
"""The examples in the descriptions above, for doctest."""
