"""The mistake that every formula allows: rounding on the way and going on with what is left."""

from __future__ import annotations

from collections.abc import Iterator

from sympy import MatrixExpr, MatrixSymbol, Transpose

from symattn.derivation import Step
from symattn.mistakes.model import Change, Subject
from symattn.mistakes.places import View, places, view_of
from symattn.operations import (
    Broadcast,
    Concat,
    Cosine,
    Head,
    LayerNorm,
    OneHot,
    Proportions,
    RMSNorm,
    Rotary,
    Row,
    Rows,
    Softmax,
    Stack,
    UnitRows,
)
from symattn.operations.masks import Mask

ROUNDED_TO = 1
"""How many decimals somebody keeps who rounds too early."""

NO_NUMBERS: tuple[type, ...] = (
    MatrixSymbol,
    Transpose,
    Broadcast,
    Row,
    Rows,
    Head,
    Concat,
    Stack,
    OneHot,
    Mask,
)
"""What writes no number that was not there before."""

SEVERAL_STEPS: tuple[type, ...] = (Softmax, LayerNorm, RMSNorm, Cosine, Proportions, UnitRows, Rotary)
"""What takes numbers on the way even by itself."""


def rounded_too_early(subject: Subject) -> Iterator[Change]:
    """Every number on the way to a step rounded, for each step that has some on its way."""
    view = view_of(subject)
    worked = {step.name for step, formula in view.steps if _writes(formula) > 0}
    for step, formula in view.steps:
        if _writes(formula) > 1 or (_writes(formula) and _rests_on_worked(view, step, worked)):
            yield Change(step.name, rounded_to=ROUNDED_TO)


def _writes(formula: MatrixExpr) -> int:
    """How many rounds of numbers a formula takes."""
    counted = (2 if isinstance(node, SEVERAL_STEPS) else 1 for _, node in places(formula) if not _is_plain(node))
    return sum(counted)


def _is_plain(node: MatrixExpr) -> bool:
    return isinstance(node, NO_NUMBERS)


def _rests_on_worked(view: View, step: Step, worked: set[str]) -> bool:
    waiting, seen = list(step.uses), set[str]()
    while waiting:
        name = waiting.pop()
        if name in worked:
            return True
        if name not in seen and name in view.plan.by_name:
            seen.add(name)
            waiting.extend(view.plan[name].uses)
    return False
