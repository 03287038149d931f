"""The graph of a backward pass: which matrix is made of which, and what comes back along each edge of it.

Edges are those of the formulas, in which what got a name for its gradient has it; what comes back is in the plan.

>>> from symattn.gradients.chain import backward
>>> from symattn.shapes import shape
>>> plan = Plan().given("X", shape(2, 2)).given("W", shape(2, 2)).step("H", "tanh(X @ W) + X")
>>> plan = backward(plan.step("L", "sum(H, axis=None)"), "L", ["X"]).plan
>>> graph = graph_of(plan, Derived("L"))
>>> graph.uses
{'X': (), 'W': (), 'Z_H': ('X', 'W'), 'H': ('Z_H', 'X'), 'L': ('H',)}
>>> graph.parts
{('X', 'H'): ('dH',), ('X', 'Z_H'): ('dX_Z_H',), ('Z_H', 'H'): ('dZ_H',), ('H', 'L'): ('dH',)}
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from sympy import MatAdd, MatMul, MatrixExpr, MatrixSymbol

from symattn.gradients.moving import names_moving, parts_of
from symattn.gradients.nodes import replaced, without_gain
from symattn.operations import LayerNorm, RMSNorm
from symattn.operations.terms import symbol
from symattn.plan import Derivative, Plan, Step, names_in


class Derived(NamedTuple):
    """What gradients are taken of: a loss, or a matrix with the G of a vector-Jacobian product."""

    of: str
    seed: str = ""


@dataclass(frozen=True)
class BackwardGraph:
    """The matrices that something derived is made of, each with what its own formula is made of, in order."""

    uses: Mapping[str, tuple[str, ...]]
    totals: Mapping[str, str]
    """The gradient of each matrix that has one."""
    parts: Mapping[tuple[str, str], tuple[str, ...]]
    """The steps that come back along an edge, from its end to its start."""

    @property
    def ends(self) -> tuple[str, ...]:
        """The gradients behind which nothing comes back any more, such as those by weights."""
        on = {end for _, end in self.parts}
        return tuple(name for by, name in self.totals.items() if by not in on)

    def leading_to(self, names: Collection[str]) -> BackwardGraph:
        """The graph with those gradients only that are on the way to some matrices."""
        reached: set[str] = set()
        for name, uses in self.uses.items():
            if name in names or any((use, name) in self.parts and use in reached for use in uses):
                reached.add(name)
        totals = {by: name for by, name in self.totals.items() if by in reached}
        return replace(
            self, totals=totals, parts={edge: back for edge, back in self.parts.items() if edge[0] in reached}
        )


def derived_of(step: Step) -> Derived | None:
    """What a step is a gradient of, or a part of one; None for any other step."""
    way = step.derivative
    return None if way is None or way.is_jacobian else Derived(way.of, way.seed)


def derived_in(plan: Plan) -> tuple[Derived, ...]:
    """What has gradients in a plan and does not rest on gradients itself, as a loss after training does."""
    gradients = {step.name: each for step in plan.steps if (each := derived_of(step)) is not None}
    found = dict.fromkeys(gradients.values())
    return tuple(each for each in found if gradients.keys().isdisjoint(plan.behind([each.of])))


def graph_of(plan: Plan, derived: Derived) -> BackwardGraph:
    """The graph of what is derived, with all gradients of it that are steps of the plan."""
    derivatives = {step.name: step.derivative for step in plan.steps if derived_of(step) == derived}
    ways = {name: way for name, way in derivatives.items() if way is not None}
    totals: dict[str, str] = {}
    for name, way in ways.items():
        if not way.through and way.by in plan.by_name and not _is_zero(plan[name].formula):
            totals.setdefault(way.by, name)
    order, within = list(plan.by_name), plan.behind([derived.of])
    behind_it = [by for by in totals if by not in within and order.index(by) > order.index(derived.of)]
    named = {plan[by].formula: symbol(by, plan[by].shape).expr for by in behind_it}
    formulas = {name: _with_names(plan[name].formula, named) for name in (*within, *behind_it)}
    uses = {name: names_in(formula) if formula is not None else () for name, formula in formulas.items()}
    uses = {name: uses[name] for name in in_order(uses)}
    carrying: dict[str, list[str]] = {}
    for end in (end for end in uses if end in totals or end == derived.of):
        moving = names_moving(formulas[end]) if formulas[end] is not None else frozenset()
        for start in (start for start in uses[end] if start in totals and start in moving):
            carrying.setdefault(start, []).append(end)
    parts: dict[tuple[str, str], tuple[str, ...]] = {}
    for start, ends in carrying.items():
        for part in _terms(plan, totals[start]) if len(ends) > 1 else [totals[start]]:
            through = _through(ways.get(part), start, derived) if len(ends) > 1 else ends[0]
            # What got a name inside that step may have got it for another gradient, after this one.
            for end in [through] if through in ends else [each for each in uses.get(through, ()) if each in ends][:1]:
                parts[start, end] = (*parts.get((start, end), ()), part)
    return BackwardGraph(uses, {name: totals[name] for name in uses if name in totals}, parts)


def _through(way: Derivative | None, by: str, derived: Derived) -> str:
    """The step through which a part of a gradient comes back: a sum passes on its own gradient as it is."""
    if way is None:
        return derived.of
    return way.through if way.by == by else way.by


def _with_names(formula: Any, named: Mapping[Any, MatrixExpr]) -> Any:
    """A formula in which what stands inside it under a name of its own stands under that name."""
    if formula is None:
        return None
    if isinstance(formula, LayerNorm | RMSNorm) and formula.gamma is not None:
        bare = without_gain(formula)
        formula = formula if named.keys().isdisjoint(parts_of(bare)) else bare
    return replaced(formula, {node: name for node, name in named.items() if node != formula})


def in_order(uses: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """Each name behind what it is made of, in the order that it has where that leaves a choice.

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
    """The steps that a gradient adds up; one that was asked for twice is the first one by another name."""
    formula, by = plan[name].formula, plan[name].derivative
    while isinstance(formula, MatrixSymbol) and plan[formula.name].derivative == by:
        formula = plan[formula.name].formula
    terms = formula.args if isinstance(formula, MatAdd) else (formula,)
    return [term.name for term in terms if isinstance(term, MatrixSymbol)]


def _is_zero(formula: Any) -> bool:
    return isinstance(formula, MatMul) and formula.args[0] == 0
