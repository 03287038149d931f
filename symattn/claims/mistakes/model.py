"""The bank of mistakes. Each mistake is a rewriting of a derivation, so its wrong answer is computed for any numbers.

The bank runs from the most to the least common mistake. It gives distractors, feedback and diagnosis: where two
mistakes explain an answer, the first one is more likely. Mistakes are found by their place: each module here offers a
tuple ``MISTAKES``, and so does any package that names one as an entry point ``symattn.mistakes``.

>>> [mistake.name for mistake in bank()[:3]]
['scale-forgotten', 'softmax-over-columns', 'softmax-of-unscaled-scores']
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Literal

from sympy import Expr, Integer, MatrixExpr

from symattn.base import words
from symattn.base.errors import ScenarioError, UnknownNameError, unknown
from symattn.base.extensions import offered
from symattn.base.shapes import Axis, Shape
from symattn.claims.mistakes.subject import Subject
from symattn.operations.terms import size_symbol
from symattn.read.plan import Plan, Step

PartKind = Literal["matrix", "number", "shape", "order", "place"]
"""The content of a part's cells: the figures of a step, a quantity, the rows and columns of a step's shape, the numbers
of steps in the right order, or a step's number with the row and column of one entry (all counted from 1)."""


@dataclass(frozen=True)
class Change:
    """A mistake made in one step (or quantity): new formulas for names. Everything else follows from them as before.

    A new formula may have another shape than the old one; steps that no longer fit are then left out. With
    ``rounded_to`` instead, every number written on the way to a later step is rounded to so many decimals.
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

    A ``subtle`` mistake may leave every printed figure unchanged, as forgetting a small ε does: then it does not count.
    ``rank`` is its place in the bank, where the more common ones come first. ``words`` are its title, feedback and hint
    in each language, if another package adds it; the texts of built-in mistakes are in files.
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


GROUP = "symattn.mistakes"


@cache
def bank() -> tuple[Mistake, ...]:
    """Return every mistake, the more common ones first.

    Raises :class:`~symattn.base.errors.ScenarioError` if a package adds something that is not a mistake.
    """
    return offered("symattn.claims.mistakes", "MISTAKES", Mistake, GROUP)


KEYS = ("title", "feedback", "hint")
"""A short name, an explanation of the mistake and its correction, and a question that does not give the answer away."""


def mistake_text(name: str, what: str, language: str) -> str:
    """Return the ``title``, ``feedback`` or ``hint`` of a mistake in one language, as plain text.

    Raises :class:`~symattn.base.errors.UnknownNameError` for another language or kind of text, and
    :class:`~symattn.base.errors.ScenarioError` where the words of a mistake are missing.

    >>> mistake_text("scale-forgotten", "title", "en")
    'Scale forgotten'
    """
    if what not in KEYS:
        raise UnknownNameError(unknown("text of a mistake", what, KEYS))
    if added := next((mistake.words for mistake in bank() if mistake.name == name), {}):
        language = words.language_named(language)
        if not isinstance(found := words.at(added, language, what), str):
            raise ScenarioError(f"the mistake {name} has no {what} in {language} among its words")
        return found
    return words.text(language, "mistakes", name, what)


@dataclass(frozen=True)
class Altered:
    """A change and the derivation after it.

    ``touched`` are the names whose values it may change, ``formulas`` those of the steps among them, with the sizes
    substituted. It holds no numbers, so that all variants with the same formulas share it.
    """

    change: Change
    plan: Plan
    touched: frozenset[str]
    formulas: Mapping[str, MatrixExpr]


def altered(subject: Subject, change: Change) -> Altered:
    """Apply a change to a derivation."""
    plan = changed(subject.plan, change)
    touched = _touched(plan, subject, change)
    sizes = {size_symbol(name): Integer(size) for name, size in plan.sizes.items() if isinstance(size, int)}
    formulas = {
        step.name: step.formula.xreplace(sizes)
        for step in plan.steps
        if step.formula is not None and step.name in touched
    }
    return Altered(change, plan, touched, formulas)


def _touched(plan: Plan, subject: Subject, change: Change) -> frozenset[str]:
    found = {change.step, *change.formulas, *change.quantities}
    if change.rounded_to is not None:  # the steps on the way are rounded too
        found.update(name for name in plan.behind([change.step]) if not plan[name].is_given)
    for step in plan.steps:
        if found.intersection(step.uses):
            found.add(step.name)
    counted: set[Expr] = set()
    for name, quantity in subject.quantities.items():
        if name in found or counted & quantity.value.free_symbols:
            found.add(name)
            counted.add(quantity.symbol)
    return frozenset(found)


def changed(plan: Plan, change: Change) -> Plan:
    """Return the derivation after a mistake, without the steps that no longer fit their operands."""
    steps: list[Step] = []
    lost: set[str] = set()
    reshaped: set[str] = set()
    for step in plan.steps:
        formula = change.formulas.get(step.name, step.formula)
        if formula is None:
            steps.append(step)
            continue
        made = Step(step.name, _shape(step.shape, formula), formula, step.general)
        if lost.union(reshaped).intersection(made.uses):
            lost.add(step.name)
            continue
        if made.shape.sizes != step.shape.sizes:
            reshaped.add(step.name)
        steps.append(made)
    return replace(plan, steps=tuple(steps))


def _shape(old: Shape, formula: MatrixExpr) -> Shape:
    """Return the shape of a formula, with the old names of axes if the sizes are the old ones."""
    rows, columns = (int(size) if size.is_Integer else str(size) for size in formula.shape)
    return old if old.sizes == (rows, columns) else Shape(Axis(rows), Axis(columns))
