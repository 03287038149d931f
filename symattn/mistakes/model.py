"""What a mistake is: a rewriting of a derivation, so that its wrong answer is worked out on an exercise's numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

from sympy import Expr, MatrixExpr

from symattn.mistakes.subject import Subject

PartKind = Literal["matrix", "number", "shape", "order", "place"]
"""What the cells of a part are: the figures of a step, a quantity, the rows and columns of a step's shape, the numbers
of steps in the right order, or the number of a step with row and column of one of its entries (all counted from 1)."""


@dataclass(frozen=True)
class Change:
    """A mistake made in one step (or quantity): new formulas for names. Everything else follows from them as before.

    A new formula may have another shape than the old one; what follows is then left out where it no longer fits.
    ``rounded_to`` instead: every number written on the way to a later step is rounded to so many decimals.
    """

    step: str
    formulas: Mapping[str, MatrixExpr] = field(default_factory=dict)
    quantities: Mapping[str, Expr] = field(default_factory=dict)
    rounded_to: int | None = None


Rewrite = Callable[[Subject], Iterator[Change]]
"""Yields a change for every place at which the mistake can be made; none where it does not apply."""


@dataclass(frozen=True)
class Mistake:
    """A named rewriting; ``topics`` are those it belongs to, ``kinds`` the kinds of parts whose answers it spoils.

    ``subtle`` is what may leave every printed figure as it is, as forgetting a small ε does: then it is no mistake.
    ``rank`` is its place in the bank, where the more common ones come first. ``words`` are its title, feedback and hint
    in each language, of a mistake that somebody else adds; ours have theirs in files.
    """

    name: str
    rewrite: Rewrite
    topics: tuple[str, ...]
    kinds: tuple[PartKind, ...] = ("matrix",)
    subtle: bool = False
    rank: int = 10_000
    words: Mapping[str, Mapping[str, str]] = field(default_factory=dict)


# -- topics that have the same mistakes --------------------------------------------------------------------------------

HEADS = ("attention-head", "two-heads")
ATTENTION = ("attention-row", *HEADS)
WITH_MASKS = ("causal-mask", "padding-mask")
SCALED = ("scaling", *ATTENTION, "attention-backward", *WITH_MASKS)
OF_SOFTMAX = ("softmax-jacobian", "cross-entropy-gradient", "attention-backward")
SOFTENED = ("softmax-row", *ATTENTION, *WITH_MASKS, "next-word", "cross-entropy", *OF_SOFTMAX)
WEIGHTED = ("context-vector", *ATTENTION, *WITH_MASKS)
PAIRS = ("dot-product", "score-entry", "cosine")
LINEAR = ("projection", *HEADS, "feed-forward", "next-word")
NORMS = ("layer-norm", "rms-norm")
COUNTS = ("parameter-count", "operation-count")
NORMS_BACKWARD = ("layer-norm-backward", "rms-norm-backward")
GRADIENTS_OF_LAYERS = ("linear-gradient", "relu-backward")
PASSED_ON = (*GRADIENTS_OF_LAYERS, *NORMS_BACKWARD)
