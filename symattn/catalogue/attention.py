"""Attention: scaled dot products with biases, masks, temperature; over another sequence; without weights; additive."""

from __future__ import annotations

from collections.abc import Iterator

from symattn.catalogue.model import Chosen, EntryLine, Input, Option, StepLine, entry

MASK = Option("mask", "none", ("none", "causal", "padding", "window"))
PADDING = Option("mask", "none", ("none", "padding"))
"""Where queries and keys are different sequences, nothing lies ahead and nothing is near."""

WINDOW, LENGTH = Option("window", 2), Option("length", 2)
BIAS = Option("bias", False)
TEMPERATURE = Option("temperature", "1", exact=True)


@entry("n=3 d_model=4 d_k=2 d_v=2", (MASK, WINDOW, LENGTH, BIAS, TEMPERATURE))
def attention(chosen: Chosen) -> Iterator[EntryLine]:
    """O = softmax(Q Kᵀ / √d_k + M) V, one head over the tokens of X.

    Shapes: X (n, d_model), W_Q and W_K (d_model, d_k), W_V (d_model, d_v) → O (n, d_v).
    """
    bias = chosen.switch("bias")
    yield (x := Input("X", "n", "d_model", "tokens"))
    yield from projected(bias, ("Q", x, "d_k"), ("K", x, "d_k"), ("V", x, "d_v"))
    yield StepLine("S", "Q @ K.T / sqrt(d_k)")
    yield from weights(chosen, "n", "n")
    yield StepLine("O", "A @ V")


@entry("m=2 n=3 d_model=4 d_memory=4 d_k=2 d_v=2", (PADDING, LENGTH, BIAS, TEMPERATURE))
def cross_attention(chosen: Chosen) -> Iterator[EntryLine]:
    """O = softmax(Q Kᵀ / √d_k + M) V, where the rows of X ask and the rows of the memory Y answer.

    Shapes: X (m, d_model), Y (n, d_memory), W_Q (d_model, d_k), W_K (d_memory, d_k), W_V (d_memory, d_v) → O (m, d_v).
    """
    bias = chosen.switch("bias")
    yield (x := Input("X", "m", "d_model", "tokens"))
    yield (y := Input("Y", "n", "d_memory", "state"))
    yield from projected(bias, ("Q", x, "d_k"), ("K", y, "d_k"), ("V", y, "d_v"))
    yield StepLine("S", "Q @ K.T / sqrt(d_k)")
    yield from weights(chosen, "m", "n")
    yield StepLine("O", "A @ V")


@entry("n=3 d_model=2", (MASK, WINDOW, LENGTH, Option("scaled", False)))
def similarity(chosen: Chosen) -> Iterator[EntryLine]:
    """O = softmax(X Xᵀ) X: attention without weights, every token mixed with those it resembles.

    Shapes: X (n, d_model) → O (n, d_model).
    """
    scaled = chosen.switch("scaled")
    yield Input("X", "n", "d_model", "tokens")
    yield StepLine("S", "X @ X.T" + (" / sqrt(d_model)" if scaled else ""), because="S_scaled" if scaled else "S")
    yield from weights(chosen, "n", "n")
    yield StepLine("O", "A @ X")


@entry("m=2 n=3 d_model=2 d_memory=2 d_a=2", (PADDING, LENGTH))
def additive(chosen: Chosen) -> Iterator[EntryLine]:
    """O = softmax(S) Y with s_ij = Σ_c v_c tanh(q_ic + k_jc): a small network compares every state with every note.

    Shapes: X (m, d_model), Y (n, d_memory), W_a (d_model, d_a), U_a (d_memory, d_a), v_a (1, d_a) → O (m, d_memory).
    """
    yield Input("X", "m", "d_model", "tokens")
    yield Input("Y", "n", "d_memory", "state")
    yield Input("W_a", "d_model", "d_a", "weight")
    yield Input("U_a", "d_memory", "d_a", "weight")
    yield Input("v_a", "1", "d_a", "weight")
    yield StepLine("Q", "X @ W_a")
    yield StepLine("K", "Y @ U_a")
    yield StepLine("S", "additive_scores(Q, K, v_a)")
    yield from weights(chosen, "m", "n")
    yield StepLine("O", "A @ Y")


# What the other families build on too


def projected(bias: bool, *wanted: tuple[str, Input, str]) -> Iterator[EntryLine]:
    """The weights, and then Q = X W_Q (+ b_Q), for every (name, source, width) asked for.

    >>> x = Input("X", "n", "d_model", "tokens")
    >>> [line.formula for line in projected(True, ("Q", x, "d_k")) if isinstance(line, StepLine)]
    ['X @ W_Q + broadcast(b_Q, n)']
    """
    for name, source, width in wanted:
        yield Input(f"W_{name.upper()}", source.columns, width, "weight")
    for name, _, width in wanted if bias else ():
        yield Input(f"b_{name.upper()}", "1", width, "bias")
    yield from projections(bias, *((name, source.name, source.rows) for name, source, _ in wanted))


def projections(bias: bool, *wanted: tuple[str, str, str]) -> Iterator[StepLine]:
    """Q = X W_Q (+ b_Q) for every (name, source, rows) asked for; q = x W_Q for a single row."""
    for name, source, rows in wanted:
        vector = f"b_{name.upper()}"
        shift = vector if rows == "1" else f"broadcast({vector}, {rows})"
        yield StepLine(name, f"{source} @ W_{name.upper()}" + (f" + {shift}" if bias else ""))


def weights(chosen: Chosen, queries: str, keys: str) -> Iterator[StepLine]:
    """The mask that was chosen, and A = softmax of the scores S under it, at the temperature that was chosen."""
    yield from mask(chosen, queries, keys)
    yield softened(chosen, "A", "S")


def mask(chosen: Chosen, queries: str, keys: str) -> Iterator[StepLine]:
    """The mask that was chosen, or nothing."""
    kind = chosen.text("mask")
    if kind != "none":
        yield StepLine("M", _mask(chosen, kind, queries, keys), because=f"M_{kind}")


def _mask(chosen: Chosen, kind: str, queries: str, keys: str) -> str:
    match kind:
        case "causal":
            return f"causal_mask({queries})"
        case "padding":
            return f"padding_mask({queries}, {keys}, {chosen.whole('length')})"
        case _:
            return f"window_mask({queries}, {chosen.whole('window')})"


def softened(chosen: Chosen, name: str, scores: str, because: str = "") -> StepLine:
    """Softmax of the scores under the mask that was chosen, at the temperature that was chosen.

    >>> softened(Chosen({"mask": "causal", "temperature": "1/2"}), "A", "S").formula
    'softmax((S + M) / (1/2))'
    """
    if chosen.text("mask") != "none":
        scores += " + M"
    temperature = str(chosen.settings.get("temperature", "1"))
    if temperature == "1":
        return StepLine(name, f"softmax({scores})", because=because)
    inside = f"({scores})" if "+" in scores else scores
    return StepLine(name, f"softmax({inside} / {number(temperature)})", because="A_temperature")


def number(text: str) -> str:
    """A number as a factor or divisor, in parentheses where it is more than digits.

    >>> number("2"), number("1/2")
    ('2', '(1/2)')
    """
    return text if text.isdigit() else f"({text})"


ENTRIES = (attention, cross_attention, similarity, additive)
