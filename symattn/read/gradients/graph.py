"""The graph of a backward pass: which matrices each matrix is made of, and the gradients along each edge.

Edges follow the formulas, with the names that parts got for their gradients; the gradients are steps of the plan.

>>> from symattn.read.gradients.chain import backward
>>> from symattn.base.shapes import shape
>>> plan = Plan().given("X", shape(2, 2)).given("W", shape(2, 2)).step("H", "tanh(X @ W) + X")
>>> plan = backward(plan.step("L", "sum(H, axis=None)"), "L", ["X"]).plan
>>> graph = graph_of(plan, Derived("L"))
>>> graph.uses
{'X': (), 'W': (), 'Z_H': ('X', 'W'), 'H': ('Z_H', 'X'), 'L': ('H',)}
>>> graph.parts
{('X', 'Z_H'): ('dX_Z_H',), ('X', 'H'): ('dH',), ('Z_H', 'H'): ('dZ_H',), ('H', 'L'): ('dH',)}
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from sympy import MatAdd, MatMul, MatrixExpr, MatrixSymbol

from symattn.operations import LayerNorm, RMSNorm
from symattn.operations.terms import symbol
from symattn.read.gradients.moving import names_moving, parts_of
from symattn.read.gradients.nodes import replaced, without_gain
from symattn.read.plan import Derivative, Plan, Step, names_in


class Derived(NamedTuple):
    """The subject of gradients: a loss, or a matrix with the G of a vector-Jacobian product."""

    of: str
    seed: str = ""


@dataclass(frozen=True)
class BackwardGraph:
    """The matrices that a loss depends on, each with the operands of its own formula, in order."""

    uses: Mapping[str, tuple[str, ...]]
    totals: Mapping[str, str]
    """The gradient of each matrix that has one."""
    parts: Mapping[tuple[str, str], tuple[str, ...]]
    """The gradient steps along an edge, which run from its end to its start."""

    @property
    def ends(self) -> tuple[str, ...]:
        """The gradients that are propagated no further, such as those by weights."""
        on = {end for _, end in self.parts}
        return tuple(name for by, name in self.totals.items() if by not in on)

    def leading_to(self, names: Collection[str]) -> BackwardGraph:
        """Return the graph with only those gradients that are on the way to some matrices."""
        reached: set[str] = set()
        for name, uses in self.uses.items():
            if name in names or any((use, name) in self.parts and use in reached for use in uses):
                reached.add(name)
        totals = {by: name for by, name in self.totals.items() if by in reached}
        return replace(
            self, totals=totals, parts={edge: back for edge, back in self.parts.items() if edge[0] in reached}
        )


def derived_of(step: Step) -> Derived | None:
    """Return what a step is a gradient of, or a part of one; None for any other step."""
    way = step.derivative
    return None if way is None or way.is_jacobian else Derived(way.of, way.seed)


def derived_in(plan: Plan) -> tuple[Derived, ...]:
    """Return the losses of a plan, except those that depend on gradients themselves, such as a loss after training."""
    gradients = {step.name: each for step in plan.steps if (each := derived_of(step)) is not None}
    found = dict.fromkeys(gradients.values())
    return tuple(each for each in found if gradients.keys().isdisjoint(plan.behind([each.of])))


def graph_of(plan: Plan, derived: Derived) -> BackwardGraph:
    """Return the graph of a loss, with all of its gradients that are steps of the plan."""
    derivatives = {step.name: step.derivative for step in plan.steps if derived_of(step) == derived}
    ways = {name: way for name, way in derivatives.items() if way is not None}
    totals: dict[str, str] = {}
    for name, way in ways.items():
        if not way.through and not _is_zero(plan[name].formula):
            totals.setdefault(way.by, name)
    totals = {by: name for by, name in totals.items() if by in plan.by_name}
    named = {by for by in totals if plan[by].inside}
    while True:
        uses, carrying = _edges(plan, derived, totals, named)
        parts: dict[tuple[str, str], tuple[str, ...]] = {}
        unclear: set[str] = set()
        for start, ends in carrying.items():
            found = _parts(plan, derived, start, ends, totals[start], ways)
            if found.keys() != set(ends):
                unclear |= named & ({start} if start in named else set(ends))
            parts |= {(start, end): found[end] for end in ends if end in found}
        if not unclear:
            return BackwardGraph(uses, {name: totals[name] for name in uses if name in totals}, parts)
        named -= unclear  # some gradient bypasses that name: its contribution has no step of its own


def _edges(
    plan: Plan, derived: Derived, totals: Mapping[str, str], named: Collection[str]
) -> tuple[dict[str, tuple[str, ...]], dict[str, list[str]]]:
    """Return the operands of each matrix, in order, and the edges along which gradients come back to it; ``named`` are
    the parts of formulas that appear under their names."""
    inside: dict[str, dict[Any, MatrixExpr]] = {}
    for name in totals:
        if name in named:
            inside.setdefault(plan[name].inside, {})[plan[name].formula] = symbol(name, plan[name].shape).expr
    names = (*plan.behind([derived.of]), *(name for name in totals if name in named))
    formulas = {name: _with_names(plan[name].formula, inside.get(plan.root(name), {})) for name in names}
    made = {name: names_in(formula) if formula is not None else () for name, formula in formulas.items()}
    uses = {name: made[name] for name in in_order(made)}
    carrying: dict[str, list[str]] = {}
    for end in (end for end in uses if end in totals or end == derived.of):
        moving = names_moving(formulas[end]) if formulas[end] is not None else frozenset()
        for start in (start for start in uses[end] if start in totals and start in moving):
            carrying.setdefault(start, []).append(end)
    return uses, carrying


def _parts(
    plan: Plan, derived: Derived, start: str, ends: Sequence[str], gradient: str, ways: Mapping[str, Derivative]
) -> dict[str, tuple[str, ...]]:
    """Return the gradient steps that reach a matrix, by its user; for several users, the terms of its gradient."""
    if len(ends) == 1:
        return {ends[0]: (gradient,)}
    found: dict[str, tuple[str, ...]] = {}
    waiting = _terms(plan, gradient)
    for part in waiting:
        way = ways.get(part)  # a sum passes on its own gradient as it is
        through = derived.of if way is None else way.through if way.by == start else way.by
        end = through if through in ends or not through else plan.root(through)
        if end in ends:
            found[end] = (*found.get(end, ()), part)
        else:  # the same sum has come to another matrix before, or this gradient has another name
            waiting += _terms(plan, part)
    return found


def _with_names(formula: Any, named: Mapping[Any, MatrixExpr]) -> Any:
    """Replace the named parts inside a formula by their names."""
    if formula is None:
        return None
    if isinstance(formula, LayerNorm | RMSNorm) and formula.gamma is not None:
        bare = without_gain(formula)
        formula = formula if named.keys().isdisjoint(parts_of(bare)) else bare
    return replaced(formula, {node: name for node, name in named.items() if node != formula})


def in_order(uses: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """Yield each name after its operands, keeping the given order where possible.

    >>> list(in_order({"Y": ["X"], "X": [], "L": ["Y"]}))
    ['X', 'Y', 'L']
    """
    done: set[str] = set()
    waiting = list(uses)[::-1]
    while waiting:
        missing = [each for each in uses[waiting[-1]] if each not in done]
        if missing:
            waiting += reversed(missing)
        elif (name := waiting.pop()) not in done:
            done.add(name)
            yield name


def _terms(plan: Plan, name: str) -> list[str]:
    """Return the steps that a gradient adds up, or the one that it equals."""
    formula = plan[name].formula
    terms = formula.args if isinstance(formula, MatAdd) else (formula,)
    return [term.name for term in terms if isinstance(term, MatrixSymbol)]


def _is_zero(formula: Any) -> bool:
    return isinstance(formula, MatMul) and formula.args[0] == 0
