"""The graph of a backward pass: which matrix is made of which, and what comes back along each edge of it.

Edges are those of the formulas, in which what got a name for its gradient has it; what comes back is in the plan.

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
        named -= unclear  # some gradient comes back past that name: what it brings has no step of its own


def _edges(
    plan: Plan, derived: Derived, totals: Mapping[str, str], named: Collection[str]
) -> tuple[dict[str, tuple[str, ...]], dict[str, list[str]]]:
    """What each matrix is made of, in order, and along which of these edges gradients come back to each; ``named`` are
    the parts of formulas that stand there under their names."""
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
    """The steps that come back to a matrix from each one that is made of it: of several the terms of its gradient."""
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
    """The steps that a gradient adds up, or the one that it is the same as."""
    formula = plan[name].formula
    terms = formula.args if isinstance(formula, MatAdd) else (formula,)
    return [term.name for term in terms if isinstance(term, MatrixSymbol)]


def _is_zero(formula: Any) -> bool:
    return isinstance(formula, MatMul) and formula.args[0] == 0
