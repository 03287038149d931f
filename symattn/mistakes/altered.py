"""A derivation after a mistake: what follows from it, what no longer fits, and what it leaves as it was."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from sympy import Expr, Integer, MatrixExpr

from symattn.mistakes.model import Change
from symattn.mistakes.subject import Subject
from symattn.operations.terms import size_symbol
from symattn.plan import Plan, Step
from symattn.shapes import Axis, Shape


@dataclass(frozen=True)
class Altered:
    """A change and the derivation after it.

    ``touched`` are the names whose values it may change, ``formulas`` those of the steps among them, with the sizes put
    in. It holds no numbers, so that all variants with the same formulas share it.
    """

    change: Change
    plan: Plan
    touched: frozenset[str]
    formulas: Mapping[str, MatrixExpr]


def altered(subject: Subject, change: Change) -> Altered:
    """What a change makes of a derivation."""
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
    if change.rounded_to is not None:  # what is written down on the way is short of digits too
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
    """The derivation after a mistake; steps are left out where they no longer fit what they rest on."""
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
    """The shape of a formula, with the old names of axes where it is the old one."""
    rows, columns = (int(size) if size.is_Integer else str(size) for size in formula.shape)
    return old if old.sizes == (rows, columns) else Shape(Axis(rows), Axis(columns))
