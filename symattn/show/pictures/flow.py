"""The flow of a derivation: which names stand in the picture, and which is made of which.

All names of a lesson are more than anybody reads on a page. What says least is left out first: givens beside others
of which more is made, as weights are, then steps in a row of steps. What is made of a name that is left out is made of
what that is made of.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from symattn import operations as ops
from symattn.base.shapes import Axis
from symattn.operations.stages import same_as_ours
from symattn.read.gradients.graph import BackwardGraph, derived_in, derived_of, graph_of, in_order
from symattn.read.plan import Plan, Step
from symattn.show.drawings import Flow, FlowEdge, FlowNode
from symattn.show.math import Math, Number, Sign, joined, seq
from symattn.show.notation.formulas import by_rule
from symattn.show.notation.names import Names

MOST, RESULTS, LONGEST = 14, 3, 9
"""Names in one picture, how many of them nothing follows from, and how many stand one behind the other."""

Edge = tuple[str, str]
"""A name, and one that is made of it."""


@dataclass
class _Graph:
    """What each name is made of and what is made of it, and what comes back along the edges."""

    above: dict[str, list[str]]
    below: dict[str, list[str]]
    totals: list[Mapping[str, str]]
    """For each loss the gradients of the names."""
    parts: list[dict[Edge, tuple[str, ...]]]
    """For each loss what comes back along each edge."""

    @classmethod
    def of(cls, plan: Plan, names: Sequence[str], graphs: Sequence[BackwardGraph]) -> _Graph:
        """The graph behind some names and some losses."""
        found: dict[str, list[str]] = {}
        for graph in graphs:
            for name, those in graph.uses.items():
                found[name] = list(dict.fromkeys([*found.get(name, []), *those]))
        found = {**{each: list(plan[each].uses) for each in plan.behind(names)}, **found}
        above = {name: found[name] for name in in_order(found)}
        below = {name: [other for other in above if name in above[other]] for name in above}
        return cls(above, below, [graph.totals for graph in graphs], [dict(graph.parts) for graph in graphs])

    def has_ways(self, name: str) -> bool:
        """Return True if what comes back to a name comes along several edges, each of which has its part of it."""
        return any(len([edge for edge in parts if edge[0] == name]) > 1 for parts in self.parts)

    def is_derived(self, name: str) -> bool:
        return any(name in totals for totals in self.totals)

    def leave_out(self, name: str) -> None:
        """Join what a name is made of to what is made of it."""
        starts, ends = self.above.pop(name), self.below.pop(name)
        for end in ends:
            self.above[end] = [*dict.fromkeys([*(other for other in self.above[end] if other != name), *starts])]
        for start in starts:
            self.below[start] = [*dict.fromkeys([*(other for other in self.below[start] if other != name), *ends])]
        for parts in self.parts:
            carrying = [end for end in ends if parts.pop((name, end), ())]
            for start in starts:
                back = parts.pop((start, name), ())
                for end in carrying if back else ():
                    parts[start, end] = (*parts.get((start, end), ()), *back)

    def back(self, start: str, end: str, written: Names) -> tuple[Math, ...]:
        """What comes back along an edge: all of a gradient, or its parts."""
        found: list[Math] = []
        for totals, parts in zip(self.totals, self.parts, strict=True):
            along = parts.get((start, end), ())
            others = [edge for edge in parts if edge[0] == start and edge[1] != end]
            shown = along if others else (totals[start],) if along else ()
            found += [joined([written(name) for name in shown], "+")] if shown else []
        return tuple(found)

    def sums(self, name: str, written: Names) -> tuple[Math, ...]:
        """The gradients of a name that are added up from what comes back along several edges."""
        several = (len([edge for edge in parts if edge[0] == name]) > 1 for parts in self.parts)
        return tuple(written(totals[name]) for totals, adds in zip(self.totals, several, strict=True) if adds)


def flow_of(plan: Plan, names: Sequence[str], written: Names) -> tuple[Flow, int]:
    """The flow to some names, or to all, and how many names there was no room for.

    A gradient among the names stands for the flow to its loss, with what comes back on the way to it on the edges;
    without names the flow leads to the losses that have gradients, if there are any.
    """
    asked = {name: of for name in names if (of := derived_of(plan[name])) is not None}
    derived = tuple(dict.fromkeys(asked.values())) if names else derived_in(plan)
    graphs = [graph_of(plan, each) for each in derived]
    if asked:
        by = [way.by for name in asked if (way := plan[name].derivative) is not None]
        graphs = [each.leading_to(by) for each in graphs]
    others = [name for name in names if name not in asked]
    graph = _Graph.of(plan, others if names or derived else _results(plan), graphs)
    within = len(graph.above)
    while (len(graph.above) > MOST or _length(graph.above) > LONGEST) and (least := _least(plan, graph)):
        for name in least:
            graph.leave_out(name)
    shown = list(graph.above)
    nodes = tuple(
        FlowNode(written(name), _shape(plan[name]), plan[name].is_given, graph.sums(name, written)) for name in shown
    )
    edges = tuple(
        FlowEdge(shown.index(start), place, graph.back(start, end, written))
        for place, end in enumerate(shown)
        for start in graph.above[end]
    )
    return Flow(nodes, edges), (within if names or derived else len(plan.steps)) - len(shown)


def _length(above: dict[str, list[str]]) -> int:
    """How many names stand one behind the other."""
    lengths: dict[str, int] = {}
    for name, starts in above.items():  # in the order of the derivation
        lengths[name] = 1 + max((lengths[start] for start in starts), default=0)
    return max(lengths.values(), default=0)


def _results(plan: Plan) -> list[str]:
    """Where a lesson leads: of the names from which nothing follows those with the most behind them.

    What most of the picture would have to be left out for is left out itself.
    """
    used = {name for step in plan.steps for name in step.uses}
    made = [step for step in plan.steps if step.name not in used and step.uses]
    ends = [step.name for step in made if not step.general] or [step.name for step in made]
    main, *others = sorted(ends, key=lambda name: -len(plan.behind([name])))[:RESULTS] or [""]
    found = [main] if main else []
    for name in others:
        found += [name] if len(plan.behind([*found, name])) <= 2 * MOST else []
    return found


def _shape(step: Step) -> Math:
    return seq(_size(step.shape.rows), Sign("×"), _size(step.shape.columns))


def _size(axis: Axis) -> Math:
    return Number(str(axis.size)) if isinstance(axis.size, int) else by_rule(axis.size)


def _least(plan: Plan, graph: _Graph) -> list[str]:
    """The names without which the picture loses least; none where only what it is about is left.

    Names that are made of the same, as queries, keys and values are, stay together or go together.
    """
    above, free = graph.above, [name for name, ends in graph.below.items() if ends and not graph.has_ways(name)]
    worth = {name: _worth(plan, name, graph) for name in free}
    first = min(worth, key=lambda name: worth[name], default="")
    return [name for name in worth if worth[name] == worth[first] and set(above[name]) == set(above[first])]


def _worth(plan: Plan, name: str, graph: _Graph) -> int:
    above, below = graph.above, graph.below
    ends, starts = below[name], above[name]
    if not starts:  # a given: of little worth beside what is worked out, or what more is made of
        beside = all(any(above[other] or len(below[other]) > len(ends) for other in above[end]) for end in ends)
        if graph.is_derived(name):  # what gradients are taken by is what their picture is about
            return 15
        return -10 if beside and plan[name].is_given else 5
    more = len(starts) * len(ends) - len(starts) - len(ends)
    in_a_row = (len(starts) == 1 and len(below[starts[0]]) == 1) or (len(ends) == 1 and len(above[ends[0]]) == 1)
    weights = isinstance(same_as_ours(plan[name].formula), ops.Softmax)
    return more - 2 * in_a_row + 4 * weights
