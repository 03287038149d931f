"""The flow of a derivation: the names in the picture, and which is computed from which.

All names of a lesson are too many for one picture. The least informative are left out first: givens beside others that
are used more often, such as weights, then steps in a row of steps. A step that uses a name left out is joined to the
operands of that name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from symattn.base.shapes import Axis
from symattn.read.gradients.graph import BackwardGraph, derived_in, derived_of, graph_of, in_order
from symattn.read.plan import Plan, Step
from symattn.show.drawings import Flow, FlowEdge, FlowNode
from symattn.show.math import Math, Number, Sign, joined, seq
from symattn.show.notation.formulas import by_rule
from symattn.show.notation.names import Names
from symattn.show.roles.find import SAY_LITTLE
from symattn.show.roles.model import Purpose

MOST, RESULTS, LONGEST = 14, 3, 9
"""The most names in one picture, the most results in it, and the most names one behind the other."""

GROUPS: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "attention": frozenset(
            """
            queries keys values keys_turned head_queries head_keys head_values rotated comparison self_comparison scaled
            scores masked biased weights weights_kept weights_mean mixture heads_joined attention_output
            """.split()
        ),
        "network": frozenset({"hidden", "activated", "gated", "second_layer"}),
    }
)
"""The parts of a layer, and the kinds of names that belong to each."""
MAIN = frozenset({"weights", "mixture", "rotated", "probabilities", "second_layer"})
"""The kinds that a lesson is about; the picture keeps them longest."""

Edge = tuple[str, str]
"""A name, and one that is computed from it."""


@dataclass
class _Graph:
    """The operands and the uses of each name, and the gradients that flow back along the edges."""

    above: dict[str, list[str]]
    below: dict[str, list[str]]
    totals: list[Mapping[str, str]]
    """The gradients of the names, for each loss."""
    parts: list[dict[Edge, tuple[str, ...]]]
    """The parts of gradients that flow back along each edge, for each loss."""

    @classmethod
    def of(cls, plan: Plan, names: Sequence[str], graphs: Sequence[BackwardGraph]) -> _Graph:
        """Return the graph behind some names and some losses."""
        found: dict[str, list[str]] = {}
        for graph in graphs:
            for name, those in graph.uses.items():
                found[name] = list(dict.fromkeys([*found.get(name, []), *those]))
        found = {**{each: list(plan[each].uses) for each in plan.behind(names)}, **found}
        above = {name: found[name] for name in in_order(found)}
        below = {name: [other for other in above if name in above[other]] for name in above}
        return cls(above, below, [graph.totals for graph in graphs], [dict(graph.parts) for graph in graphs])

    def has_ways(self, name: str) -> bool:
        """Return whether a name's gradient is a sum over several edges, each with its own part."""
        return any(len([edge for edge in parts if edge[0] == name]) > 1 for parts in self.parts)

    def is_derived(self, name: str) -> bool:
        return any(name in totals for totals in self.totals)

    def leave_out(self, name: str) -> None:
        """Remove a name: join its operands to its uses."""
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
        """Return the gradients that flow back along an edge: whole ones, or their parts."""
        found: list[Math] = []
        for totals, parts in zip(self.totals, self.parts, strict=True):
            along = parts.get((start, end), ())
            others = [edge for edge in parts if edge[0] == start and edge[1] != end]
            shown = along if others else (totals[start],) if along else ()
            found += [joined([written(name) for name in shown], "+")] if shown else []
        return tuple(found)

    def sums(self, name: str, written: Names) -> tuple[Math, ...]:
        """Return the gradients of a name that are sums over several edges."""
        several = (len([edge for edge in parts if edge[0] == name]) > 1 for parts in self.parts)
        return tuple(written(totals[name]) for totals, adds in zip(self.totals, several, strict=True) if adds)


def flow_of(plan: Plan, names: Sequence[str], written: Names, purposes: Mapping[str, Purpose]) -> tuple[Flow, int]:
    """Return the flow to some names, or to all, and how many names were left out.

    A gradient among the names means the flow to its loss, with the gradients on the way to it at the edges; without
    names the flow leads to the losses that have gradients, if there are any.
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
    while (len(graph.above) > MOST or _length(graph.above) > LONGEST) and (least := _least(plan, graph, purposes)):
        for name in least:
            graph.leave_out(name)
    shown = list(graph.above)
    nodes: list[FlowNode] = []
    for name in shown:
        kind = purposes[name].kind
        group = next((group for group, kinds in GROUPS.items() if kind in kinds), "")
        sums, role = graph.sums(name, written), "" if kind in SAY_LITTLE else kind
        nodes.append(FlowNode(written(name), _shape(plan[name]), plan[name].is_given, sums, role, group))
    edges = tuple(
        FlowEdge(shown.index(start), place, graph.back(start, end, written))
        for place, end in enumerate(shown)
        for start in graph.above[end]
    )
    return Flow(tuple(nodes), edges), (within if names or derived else len(plan.steps)) - len(shown)


def _length(above: dict[str, list[str]]) -> int:
    """Return the length of the longest path, in names."""
    lengths: dict[str, int] = {}
    for name, starts in above.items():  # in the order of the derivation
        lengths[name] = 1 + max((lengths[start] for start in starts), default=0)
    return max(lengths.values(), default=0)


def _results(plan: Plan) -> list[str]:
    """Return the results of a lesson: of the unused names, the ones with the most behind them.

    A result is dropped if it would crowd most of the picture out.
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


def _least(plan: Plan, graph: _Graph, purposes: Mapping[str, Purpose]) -> list[str]:
    """Return the names that the picture can best do without; none if only essential ones are left.

    Names with the same operands, such as queries, keys and values, are kept or left out together.
    """
    above, free = graph.above, [name for name, ends in graph.below.items() if ends and not graph.has_ways(name)]
    worth = {name: _worth(plan, name, graph, purposes[name].kind) for name in free}
    first = min(worth, key=lambda name: worth[name], default="")
    return [name for name in worth if worth[name] == worth[first] and set(above[name]) == set(above[first])]


def _worth(plan: Plan, name: str, graph: _Graph, kind: str) -> int:
    above, below = graph.above, graph.below
    ends, starts = below[name], above[name]
    if not starts:  # a given: worth little beside computed names, or givens that are used more often
        beside = all(any(above[other] or len(below[other]) > len(ends) for other in above[end]) for end in ends)
        if graph.is_derived(name):  # the variables of gradients are the subject of their picture
            return 15
        return -10 if beside and plan[name].is_given else 5
    more = len(starts) * len(ends) - len(starts) - len(ends)
    in_a_row = (len(starts) == 1 and len(below[starts[0]]) == 1) or (len(ends) == 1 and len(above[ends[0]]) == 1)
    return more - 2 * in_a_row + 4 * (kind in MAIN)
