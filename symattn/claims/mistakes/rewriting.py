"""Make the same mistake in every place where it is possible."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from types import UnionType
from typing import Any, Literal

from sympy import MatAdd, MatMul, MatrixExpr, Transpose
from sympy.matrices.exceptions import ShapeError

from symattn.claims.mistakes.building import Path, put
from symattn.claims.mistakes.model import Change, Rewrite
from symattn.claims.mistakes.subject import Subject
from symattn.operations import Exp, Log, Proportions, Quotient, ReLU, RowMax, RowNorm, Softmax, UnitRows
from symattn.read.plan import Step

OF_ANY_SHAPE: tuple[type, ...] = (
    *(MatMul, MatAdd, Transpose, Quotient, Softmax, Proportions, UnitRows, RowNorm, RowMax, Exp, Log, ReLU),
)
"""Nodes that accept an argument of any shape; products and sums check for themselves whether shapes fit."""

RewriteRule = Callable[[Subject, MatrixExpr], Iterable[MatrixExpr]]
"""Yields the wrong formulas that may replace a node."""


Passes = Literal["forward", "backward", "any"]
"""The pass whose steps are searched for a mistake."""


def _is_of(subject: Subject, step: Step, which: Passes) -> bool:
    """Return whether a step belongs to a pass. A step that only looks like a gradient belongs to both."""
    if which == "any":
        return True
    return step.name in subject.backward if which == "backward" else step.name not in subject.gradients


def of(kind: type | UnionType | tuple[type, ...], make: Callable[[Any], MatrixExpr | None]) -> RewriteRule:
    """Return the rule for nodes of one kind, whatever surrounds them."""

    def rule(subject: Subject, node: MatrixExpr) -> Iterable[MatrixExpr]:
        made = make(node) if isinstance(node, kind) else None
        return () if made is None else (made,)

    return rule


def by_rows(rule: RewriteRule) -> RewriteRule:
    """Return the rule for operations along rows only: what is said of its mistake is untrue of those along columns."""

    def upright(subject: Subject, node: MatrixExpr) -> Iterable[MatrixExpr]:
        return () if node.args and subject.is_along_columns(node) else rule(subject, node)

    return upright


def at_each(rule: RewriteRule, each: bool = True, everywhere: bool = True, which: Passes = "forward") -> Rewrite:
    """Return the rewriting that makes a mistake in each place by itself, and then in all of them at once.

    Somebody who forgets the scale in one head forgets it in the other too, so both together are a change of their own.
    Only the steps of one pass are searched: a gradient may look like scores without being any.
    """

    def rewrite(subject: Subject) -> Iterator[Change]:
        found = [
            (step, formula, path, new)
            for step, formula, path, node in subject.places
            if _is_of(subject, step, which)
            for new in rule(subject, node)
            if node != new and _fits(formula, path, new)
        ]
        if each:
            for step, formula, path, new in found:
                yield Change(step.name, {step.name: put(formula, path, new)})
        if everywhere and len(found) > each:
            made = _everywhere(found)
            if made is not None or not each:
                yield made or Change(found[0][0].name, {found[0][0].name: put(*found[0][1:])})

    return rewrite


def _fits(formula: MatrixExpr, path: Path, new: MatrixExpr) -> bool:
    """Return whether the nodes around a place still work with something of another shape in it."""
    around = [formula]
    for place in path:
        around.append(around[-1].args[place])
    if not path or new.shape == around[-1].shape:
        return True
    if not all(isinstance(node, OF_ANY_SHAPE) for node in around[:-1]):
        return False
    try:
        put(formula, path, new)
    except ShapeError:
        return False
    return True


def _everywhere(found: list[tuple[Step, MatrixExpr, Path, MatrixExpr]]) -> Change | None:
    """Return the same mistake in all places that do not overlap, if there are several."""
    formulas: dict[str, MatrixExpr] = {}
    taken: list[tuple[str, Path]] = []
    for step, formula, path, new in found:
        if any(step.name == name and _overlap(path, other) for name, other in taken):
            continue
        try:
            formulas[step.name] = put(formulas.get(step.name, formula), path, new)
        except ShapeError:
            continue
        taken.append((step.name, path))
    return Change(taken[0][0], formulas) if len(taken) > 1 else None


def _overlap(path: Path, other: Path) -> bool:
    length = min(len(path), len(other))
    return path[:length] == other[:length]


def with_all(changes: list[Change]) -> Iterator[Change]:
    """Yield changes one by one, and then all of them at once if no two of them change the same step."""
    yield from changes
    names = [name for change in changes for name in change.formulas]
    if len(changes) > 1 and len(names) == len(set(names)):
        formulas = {name: formula for change in changes for name, formula in change.formulas.items()}
        yield Change(changes[0].step, formulas)
