"""A derivation worked out once more with something changed in it, beside the first time.

Both times are steps of one plan, so that one solution holds both and can compare them.

>>> from symattn.shapes import shape
>>> from symattn.operations import MatMul, MatrixSymbol
>>> plan = Plan().given("X", shape(1, 2)).step("Y", "2 * X").step("Z", "Y @ Y.T").step("U", "X @ X.T")
>>> twice = MatMul(2, MatrixSymbol("Y", 1, 2), evaluate=False)
>>> both = again(plan, {"Y": twice}, "twice")
>>> both.names["Z"], both.plan["Z, twice"].uses, both.names["U"]
('Z, twice', ('Y, twice',), 'U')
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from sympy import MatrixExpr

from symattn.gradients.nodes import replaced
from symattn.operations.terms import symbol
from symattn.plan import Plan, Step


@dataclass(frozen=True)
class Again:
    """A plan with the steps of both times, and what each name is called the second time."""

    plan: Plan
    names: Mapping[str, str]


def again(plan: Plan, changed: Mapping[str, MatrixExpr], mark: str) -> Again:
    """The plan with new formulas for some names, of the same shapes, and with everything that follows from them.

    The new formulas are over names of the plan, also over the old value of what they stand for. Each new step has the
    name of the old one with the ``mark`` behind it, which no formula can write.
    """
    names = {step.name: step.name for step in plan.steps}
    steps: list[Step] = list(plan.steps)
    now: dict[Any, Any] = {}
    for step in plan.steps:
        formula = changed.get(step.name)
        if formula is None and step.formula is not None and any(names[used] != used for used in step.uses):
            formula = replaced(step.formula, now)
        if formula is not None:
            names[step.name] = f"{step.name}, {mark}"
            steps.append(replace(step, name=names[step.name], formula=formula, derivative=None))
            now[symbol(step.name, step.shape).expr] = symbol(names[step.name], step.shape).expr
    return Again(replace(plan, steps=tuple(steps)), names)
