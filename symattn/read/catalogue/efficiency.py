"""The same attention with less memory: linear attention, online softmax, blocks."""

from __future__ import annotations

from collections.abc import Iterator

from symattn.base.errors import FormulaError
from symattn.read.catalogue.model import (
    Chosen,
    CountLine,
    EntryLine,
    HeadingLine,
    Input,
    Note,
    Prove,
    StepLine,
    entry,
    whole_option,
)

LARGE = {"n": 1024, "d_k": 64, "d_v": 64}
"""Sizes at which a saving tells."""


@entry("n=3 d_k=2 d_v=2")
def linear_attention(chosen: Chosen) -> Iterator[EntryLine]:
    """Y = φ(Q) (φ(K)ᵀ V) ⊘ φ(Q) (φ(K)ᵀ 1) with φ = elu + 1: no n×n matrix is ever made.

    Shapes: Q and K (n, d_k), V (n, d_v) → Y (n, d_v).
    """
    yield from _queries_keys_values()
    yield from _features()
    yield HeadingLine("summary")
    yield StepLine("C", "phi_K.T @ V")
    yield StepLine("z", "phi_K.T @ ones(n, 1)")
    yield HeadingLine("read")
    yield StepLine("N", "phi_Q @ C")
    yield StepLine("D", "phi_Q @ z")
    yield StepLine("Y", "divide(N, D @ ones(1, d_v))")
    yield HeadingLine("comparison")
    yield CountLine("N_pairs", "multiplications((phi_Q @ phi_K.T) @ V)", "N_pairs", LARGE)
    yield CountLine("N_summary", "multiplications(phi_Q @ (phi_K.T @ V))", "N_summary", LARGE)
    yield HeadingLine("proof")
    yield Prove("(phi_Q @ phi_K.T) @ V", "phi_Q @ (phi_K.T @ V)", "order")
    yield Prove(
        "divide((phi_Q @ phi_K.T) @ V, ((phi_Q @ phi_K.T) @ ones(n, 1)) @ ones(1, d_v))",
        "proportions(phi_Q @ phi_K.T) @ V",
        "weights",
    )


def _queries_keys_values() -> Iterator[Input]:
    yield Input("Q", "n", "d_k", "tokens")
    yield Input("K", "n", "d_k", "tokens")
    yield Input("V", "n", "d_v", "tokens")


def _features() -> Iterator[EntryLine]:
    yield HeadingLine("features")
    yield StepLine("phi_Q", "elu(Q) + ones(n, d_k)", because="phi")
    yield StepLine("phi_K", "elu(K) + ones(n, d_k)", because="-")


@entry("n=3 d_k=2 d_v=2")
def linear_attention_causal(chosen: Chosen) -> Iterator[EntryLine]:
    """S_i = S_{i−1} + φ(k_i)ᵀ v_i, z_i = z_{i−1} + φ(k_i)ᵀ, y_i = φ(q_i) S_i / φ(q_i) z_i: token after token.

    Shapes: Q and K (n, d_k), V (n, d_v) → S_i (d_k, d_v), z_i (d_k, 1), Y (n, d_v).
    """
    yield from _queries_keys_values()
    yield from _features()
    count = chosen.size("n")
    yield HeadingLine("state")
    for i in range(1, count + 1):
        before = ("", "") if i == 1 else (f"S_{i - 1} + ", f"z_{i - 1} + ")
        yield StepLine(f"S_{i}", f"{before[0]}row(phi_K, {i}).T @ row(V, {i})", because="S" if i == 2 else "-")
        yield StepLine(f"z_{i}", f"{before[1]}row(phi_K, {i}).T", because="z" if i == 2 else "-")
        output = f"divide(row(phi_Q, {i}) @ S_{i}, row(phi_Q, {i}) @ z_{i} @ ones(1, d_v))"
        yield StepLine(f"y_{i}", output, because="y" if i == 1 else "-")
    yield HeadingLine("together")
    yield StepLine("Y", f"stack({', '.join(f'y_{i}' for i in range(1, count + 1))})" if count > 1 else "y_1")
    yield StepLine("Y_masked", "proportions(keep(phi_Q @ phi_K.T, causal_mask(n))) @ V")
    yield HeadingLine("comparison")
    yield CountLine("N_cache", "n * (d_k + d_v)", "N_cache", LARGE)
    yield CountLine("N_state", "d_k * d_v + d_k", "N_state", {"d_k": 64, "d_v": 64})


def _ranges(chosen: Chosen, letter: str) -> list[tuple[int, int]]:
    """Return the first and the last column of every block, from 1."""
    size, width = chosen.size(letter), chosen.whole("block")
    if width >= size:
        raise FormulaError(f"block is {width}: expected less than {letter} = {size}, so that there are two blocks")
    return [(start + 1, min(start + width, size)) for start in range(0, size, width)]


@entry("n=2 m=4", (whole_option("block", 2),))
def online_softmax(chosen: Chosen) -> Iterator[EntryLine]:
    """softmax from blocks of columns, with a running maximum m and a running sum l of exponentials.

    Shapes: S (n, m) → m_t and l_t (n, 1), A (n, m).
    """
    yield Input("S", "n", "m", "scores")
    blocks = _ranges(chosen, "m")
    for t, (first, last) in enumerate(blocks, 1):
        yield from _block_heading(t)
        yield StepLine(f"S_{t}", f"rows(S.T, {first}, {last}).T", because="S" if t == 1 else "-")
        yield _maximum(t)
        yield StepLine(f"l_{t}", _running(t, last - first + 1, "l", "ones({width}, 1)"), because="l" if t == 2 else "-")
    end = len(blocks)
    yield HeadingLine("whole")
    yield StepLine("A", f"divide(exp(S - m_{end} @ ones(1, m)), l_{end} @ ones(1, m))")
    width = blocks[0][1]
    yield _update(width, blocks[1][1] - width, f"ones({width}, 1)", f"ones({blocks[1][1] - width}, 1)", "")
    yield Prove(
        "softmax(S)",
        f"divide(exp(S - m_{end} @ ones(1, m)), (exp(S - m_{end} @ ones(1, m)) @ ones(m, 1)) @ ones(1, m))",
        "any_shift",
    )
    yield from _counts(f"n * ({width} + 2)", {"n": 1024})


def _block_heading(t: int) -> Iterator[HeadingLine]:
    """Yield a heading before the first block, and one before the second: from then on old sums are rescaled."""
    if t <= 2:
        yield HeadingLine("block" if t == 1 else "blocks")


def _counts(kept: str, at: dict[str, int]) -> Iterator[EntryLine]:
    """Yield the numbers of a whole matrix of weights, and those that blocks have to keep."""
    yield HeadingLine("comparison")
    yield CountLine("N_whole", "n * m", "N_whole", {"n": 1024, "m": 1024})
    yield CountLine("N_blocks", kept, "N_blocks", at)


def _maximum(t: int) -> StepLine:
    """Return the step of the largest score so far."""
    formula = "row_max(S_1)" if t == 1 else f"row_max(concat(m_{t - 1}, S_{t}))"
    return StepLine(f"m_{t}", formula, because="m" if t == 2 else "-")


def _running(t: int, width: int, name: str, factor: str, columns: str = "") -> str:
    """Return the formula of a running sum: the previous one, rescaled to the new maximum, plus that of the block."""
    new = f"exp(S_{t} - m_{t} @ ones(1, {width})) @ {factor.format(width=width, t=t)}"
    if t == 1:
        return new
    scale = f"exp(m_{t - 1} - m_{t})" + (f" @ ones(1, {columns})" if columns else "")
    return f"hadamard({scale}, {name}_{t - 1}) + {new}"


def _update(first: int, second: int, left: str, right: str, columns: str) -> Prove:
    """State that rescaling the previous sum is the same as using the new maximum from the start."""
    scale = "exp(m_1 - m_2)" + (f" @ ones(1, {columns})" if columns else "")
    added = f"exp(S_2 - m_2 @ ones(1, {second})) @ {right}"
    return Prove(
        f"hadamard({scale}, exp(S_1 - m_1 @ ones(1, {first})) @ {left}) + {added}",
        f"exp(S_1 - m_2 @ ones(1, {first})) @ {left} + {added}",
        "update",
    )


@entry("n=2 m=4 d_k=2 d_v=2", (whole_option("block", 2),))
def blocked_attention(chosen: Chosen) -> Iterator[EntryLine]:
    """softmax(Q Kᵀ / √d_k) V from blocks of keys and values, with running maximum, sum and output.

    Shapes: Q (n, d_k), K (m, d_k), V (m, d_v) → O (n, d_v). Blocks of queries would only split the rows.
    """
    yield Input("Q", "n", "d_k", "tokens")
    yield Input("K", "m", "d_k", "tokens")
    yield Input("V", "m", "d_v", "tokens")
    blocks = _ranges(chosen, "m")
    for t, (first, last) in enumerate(blocks, 1):
        width = last - first + 1
        yield from _block_heading(t)
        yield StepLine(f"K_{t}", f"rows(K, {first}, {last})", because="K" if t == 1 else "-")
        yield StepLine(f"V_{t}", f"rows(V, {first}, {last})", because="-")
        yield StepLine(f"S_{t}", f"Q @ K_{t}.T / sqrt(d_k)", because="S" if t == 1 else "-")
        yield _maximum(t)
        yield StepLine(f"l_{t}", _running(t, width, "l", "ones({width}, 1)"), because="l" if t == 2 else "-")
        yield StepLine(f"O_{t}", _running(t, width, "O", "V_{t}", "d_v"), because="O_t" if t == 2 else "-")
    yield HeadingLine("whole")
    yield StepLine("O", f"divide(O_{len(blocks)}, l_{len(blocks)} @ ones(1, d_v))")
    first, second = blocks[0][1], blocks[1][1] - blocks[0][1]
    yield _update(first, second, "V_1", "V_2", "d_v")
    yield _equal_to_softmax([last - first + 1 for first, last in blocks])
    yield from _counts(f"n * (d_v + {blocks[0][1]} + 2)", {"n": 1024, "d_v": 64})
    yield Note("memory")


def _equal_to_softmax(widths: list[int]) -> Prove:
    """State that all blocks together are attention with softmax over all columns."""
    numbers, end = range(1, len(widths) + 1), len(widths)
    exponentials = [f"exp(S_{t} - m_{end} @ ones(1, {width}))" for t, width in enumerate(widths, 1)]
    above = " + ".join(f"{part} @ V_{t}" for t, part in zip(numbers, exponentials, strict=True))
    below = " + ".join(f"{part} @ ones({width}, 1)" for part, width in zip(exponentials, widths, strict=True))
    scores, values = (", ".join(f"{name}_{t}" for t in numbers) for name in "SV")
    return Prove(f"softmax(concat({scores})) @ stack({values})", f"divide({above}, ({below}) @ ones(1, d_v))", "equal")


ENTRIES = (linear_attention, linear_attention_causal, online_softmax, blocked_attention)
