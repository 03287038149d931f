"""Several heads side by side, shared keys and values, one step with a cache."""

from __future__ import annotations

from collections.abc import Iterator

from symattn.catalogue.attention import BIAS, LENGTH, MASK, WINDOW, mask, projected, softened
from symattn.catalogue.model import Chosen, EntryLine, Input, Note, Option, StepLine, entry
from symattn.errors import FormulaError, cut

HEAD_WIDTH = 2
"""How many columns a head has in an example."""


@entry(
    "n=3 d_model=4 d=4",
    (Option("heads", 2, least=2), MASK, WINDOW, LENGTH, BIAS, Option("output", True)),
    lambda chosen: {"d": HEAD_WIDTH * chosen.whole("heads")},
)
def multi_head(chosen: Chosen) -> Iterator[EntryLine]:
    """O = [O₁ … O_h] W_O with O_t = softmax(Q_t K_tᵀ / √(d/h) + M) V_t.

    Q_t, K_t and V_t are blocks of d/h columns each, of one projection for all heads, as in
    ``torch.nn.MultiheadAttention``: that is the paper's W_t^Q side by side.
    Shapes: X (n, d_model), W_Q, W_K and W_V (d_model, d), W_O (d, d_model) → O (n, d_model); h divides d.
    """
    heads = chosen.whole("heads")
    yield (x := Input("X", "n", "d_model", "tokens"))
    yield from projected(chosen.switch("bias"), ("Q", x, "d"), ("K", x, "d"), ("V", x, "d"))
    width = _width(chosen, "heads", "d", "W_Q")
    yield from mask(chosen, "n", "n")
    for t in range(1, heads + 1):
        for name in "QKV":
            yield _block(name, t, heads, t)
        yield from _head(chosen, t, width, t)
    yield from _together(chosen, heads)


@entry(
    "n=3 d_model=4 d=8 d_shared=4",
    (Option("heads", 4, least=2), Option("groups", 2), MASK, WINDOW, LENGTH, BIAS, Option("output", True)),
    lambda chosen: {"d": HEAD_WIDTH * chosen.whole("heads"), "d_shared": HEAD_WIDTH * chosen.whole("groups")},
)
def grouped_query(chosen: Chosen) -> Iterator[EntryLine]:
    """O = [O₁ … O_h] W_O with O_t = softmax(Q_t K_gᵀ / √(d/h) + M) V_g: h/groups heads in a row share K_g and V_g.

    Shapes: X (n, d_model), W_Q (d_model, d), W_K and W_V (d_model, d_shared), W_O (d, d_model) → O (n, d_model), with
    d/h = d_shared/groups. One group is multi-query attention, as many groups as heads are multi-head attention.

    Raises :class:`~symattn.errors.FormulaError` for groups that do not divide the heads.
    """
    heads, groups = chosen.whole("heads"), chosen.whole("groups")
    if heads % groups:
        raise FormulaError(
            f"groups = {groups} does not divide heads = {heads}: every group serves the same number of heads"
        )
    yield (x := Input("X", "n", "d_model", "tokens"))
    yield from projected(chosen.switch("bias"), ("Q", x, "d"), ("K", x, "d_shared"), ("V", x, "d_shared"))
    width, share = _shared_width(chosen), heads // groups
    yield from mask(chosen, "n", "n")
    for t in range(1, heads + 1):
        group = (t - 1) // share + 1
        yield _block("Q", t, heads, t)
        if groups > 1 and (t - 1) % share == 0:
            yield _block("K", group, groups, t)
            yield _block("V", group, groups, t)
        yield from _head(chosen, t, width, group if groups > 1 else 0)
    yield from _together(chosen, heads)


@entry("n=2 d_model=4 d_k=2 d_v=2", (BIAS,))
def decoding_step(chosen: Chosen) -> Iterator[EntryLine]:
    """o = softmax(q Kᵀ / √d_k) V for a new token x, where K and V are the cached rows and one row more.

    It is the last row of causal attention over all tokens, without the other rows.
    Shapes: x (1, d_model), K_cache (n, d_k), V_cache (n, d_v), W_Q and W_K (d_model, d_k), W_V (d_model, d_v)
    → K (n + 1, d_k), V (n + 1, d_v), o (1, d_v).
    """
    yield (x := Input("x", "1", "d_model", "tokens"))
    yield Input("K_cache", "n", "d_k", "state")
    yield Input("V_cache", "n", "d_v", "state")
    yield from projected(chosen.switch("bias"), ("q", x, "d_k"), ("k", x, "d_k"), ("v", x, "d_v"))
    yield StepLine("K", "stack(K_cache, k)")
    yield StepLine("V", "stack(V_cache, v)")
    yield StepLine("s", "q @ K.T / sqrt(d_k)")
    yield StepLine("a", "softmax(s)")
    yield StepLine("o", "a @ V")
    yield Note("same")


def _width(chosen: Chosen, option: str, letter: str, weight: str) -> int:
    """How many columns each block has. Raises :class:`~symattn.errors.FormulaError` where they cannot be equal."""
    count, columns = chosen.whole(option), chosen.size(letter)
    if columns % count:
        fitting = ", ".join(str(number) for number in range(1, columns + 1) if columns % number == 0)
        raise FormulaError(
            f"{option} = {count} does not divide the {columns} columns of {weight}, and every block has the same "
            f"width; a number that does: {cut(fitting)}"
        )
    return columns // count


def _shared_width(chosen: Chosen) -> int:
    """How many columns a head has, the same in its own queries and in the keys of its group."""
    queries, keys = _width(chosen, "heads", "d", "W_Q"), _width(chosen, "groups", "d_shared", "W_K")
    if queries != keys:
        fitting = queries * chosen.whole("groups")
        raise FormulaError(
            f"W_Q has {queries} columns for each of {chosen.text('heads')} heads and W_K has {keys} for each of "
            f"{chosen.text('groups')} groups: a query and a key have the same length; with {fitting} columns of W_K "
            "and W_V they would"
        )
    return queries


def _block(name: str, number: int, count: int, head: int) -> StepLine:
    """Block ``number`` of ``count``; the first head says what a block is."""
    because = "block" if name == "Q" and head == 1 else ""
    return StepLine(f"{name}_{number}", f"head({name}, {number}, {count})", because=because)


def _head(chosen: Chosen, t: int, width: int, group: int) -> Iterator[StepLine]:
    """Scores, weights and output of head ``t`` with the keys and values of ``group``, or with all of them for 0."""
    behind, first = f"_{group}" if group else "", t == 1
    yield StepLine(f"S_{t}", f"Q_{t} @ K{behind}.T / sqrt({width})", because="S" if first else "")
    yield softened(chosen, f"A_{t}", f"S_{t}", because="A" if first else "")
    yield StepLine(f"O_{t}", f"A_{t} @ V{behind}", because="O_head" if first else "")


def _together(chosen: Chosen, heads: int) -> Iterator[EntryLine]:
    """The outputs of all heads side by side, and mixed by W_O if that is wanted."""
    side_by_side = f"concat({', '.join(f'O_{t}' for t in range(1, heads + 1))})"
    if not chosen.switch("output"):
        yield StepLine("O", side_by_side, because="C")
        return
    yield Input("W_O", "d", "d_model", "weight")
    if chosen.switch("bias"):
        yield Input("b_O", "1", "d_model", "bias")
    yield StepLine("C", side_by_side)
    yield StepLine("O", "C @ W_O" + (" + broadcast(b_O, n)" if chosen.switch("bias") else ""))


ENTRIES = (multi_head, grouped_query, decoding_step)
