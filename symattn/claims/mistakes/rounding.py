"""The mistake that every formula allows: rounding on the way and continuing with the rounded numbers."""

from __future__ import annotations

from collections.abc import Iterator

from sympy import MatrixExpr

from symattn import operations as ops
from symattn.claims.mistakes.building import places
from symattn.claims.mistakes.model import Change, Mistake
from symattn.claims.mistakes.subject import Subject
from symattn.operations.masks import Mask

ROUNDED_TO = 1
"""The number of decimals that are kept by somebody who rounds too early."""

NO_NUMBERS: tuple[type, ...] = (
    *(ops.MatrixSymbol, ops.Transpose, ops.Broadcast, ops.Row, ops.Rows, ops.Head, ops.Concat, ops.Stack),
    *(ops.OneHot, Mask),
)
"""Nodes that write no new numbers."""

SEVERAL_STEPS: tuple[type, ...] = (
    *(ops.Softmax, ops.LayerNorm, ops.RMSNorm, ops.Cosine, ops.Proportions, ops.UnitRows, ops.Rotary),
)
"""Nodes that need intermediate numbers of their own."""

EVERYWHERE = (
    "dot-product", "cosine", "score-entry", "scaling", "softmax-row", "causal-mask", "padding-mask", "context-vector",
    "projection", "attention-row", "attention-head", "two-heads", "layer-norm", "rms-norm", "feed-forward", "next-word",
    "cross-entropy", "rope", "online-softmax", "softmax-jacobian", "cross-entropy-gradient", "linear-gradient",
    "relu-backward", "layer-norm-backward", "rms-norm-backward", "attention-backward", "sgd-step", "adam-step",
)  # fmt: skip


def _rounded_too_early(subject: Subject) -> Iterator[Change]:
    """Yield a change for each step with intermediate numbers: all of them rounded."""
    worked = {step.name for step, formula in subject.steps if _writes(formula) > 0}
    for step, formula in subject.steps:
        before = set(subject.plan.behind([step.name])) - {step.name}
        if _writes(formula) > 1 or (_writes(formula) and before & worked):
            yield Change(step.name, rounded_to=ROUNDED_TO)


def _writes(formula: MatrixExpr) -> int:
    """Return how many rounds of numbers a formula takes."""
    nodes = (node for _, node in places(formula) if not isinstance(node, NO_NUMBERS))
    return sum(2 if isinstance(node, SEVERAL_STEPS) else 1 for node in nodes)


MISTAKES = (Mistake("rounded-too-early", _rounded_too_early, EVERYWHERE, subtle=True, rank=830),)
