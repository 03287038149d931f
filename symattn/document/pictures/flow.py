"""The flow of a derivation: which names stand in the picture, and which is made of which.

All names of a lesson are more than anybody reads on a page. What says least is left out first: givens beside others
of which more is made, as weights are, then steps in a row of steps. What is made of a name that is left out is made of
what that is made of.
"""

from __future__ import annotations

from collections.abc import Sequence

from symattn import operations as ops
from symattn.document.drawings import Flow, FlowNode
from symattn.document.math import Math, Number, Sign, seq
from symattn.document.notation.formulas import by_rule
from symattn.document.notation.names import Names
from symattn.operations.stages import same_as_ours
from symattn.plan import Plan, Step
from symattn.shapes import Axis

MOST, RESULTS, LONGEST = 14, 3, 9
"""Names in one picture, how many of them nothing follows from, and how many stand one behind the other."""


def flow_of(plan: Plan, names: Sequence[str], written: Names) -> tuple[Flow, int]:
    """The flow to some names, or to all, and how many names there was no room for."""
    within = plan.behind(names or _results(plan))
    above = {name: [used for used in plan[name].uses if used in within] for name in within}
    below = {name: [other for other in within if name in above[other]] for name in within}
    while (len(above) > MOST or _length(above) > LONGEST) and (least := _least(plan, above, below)):
        for name in least:
            _leave_out(name, above, below)
    shown = [name for name in within if name in above]
    nodes = tuple(FlowNode(written(name), _shape(plan[name]), plan[name].is_given) for name in shown)
    edges = tuple((shown.index(start), shown.index(end)) for end in shown for start in above[end])
    return Flow(nodes, edges), (len(within) if names else len(plan.steps)) - len(shown)


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


def _least(plan: Plan, above: dict[str, list[str]], below: dict[str, list[str]]) -> list[str]:
    """The names without which the picture loses least; none where only what it is about is left.

    Names that are made of the same, as queries, keys and values are, stay together or go together.
    """
    worth = {name: _worth(plan, name, above, below) for name in above if below[name]}
    first = min(worth, key=lambda name: worth[name], default="")
    return [name for name in worth if worth[name] == worth[first] and set(above[name]) == set(above[first])]


def _worth(plan: Plan, name: str, above: dict[str, list[str]], below: dict[str, list[str]]) -> int:
    ends, starts = below[name], above[name]
    if not starts:  # a given: of little worth beside what is worked out, or what more is made of
        beside = all(any(above[other] or len(below[other]) > len(ends) for other in above[end]) for end in ends)
        return -10 if beside and plan[name].is_given else 5
    more = len(starts) * len(ends) - len(starts) - len(ends)
    in_a_row = (len(starts) == 1 and len(below[starts[0]]) == 1) or (len(ends) == 1 and len(above[ends[0]]) == 1)
    weights = isinstance(same_as_ours(plan[name].formula), ops.Softmax)
    return more - 2 * in_a_row + 4 * weights


def _leave_out(name: str, above: dict[str, list[str]], below: dict[str, list[str]]) -> None:
    """Join what a name is made of to what is made of it."""
    starts, ends = above.pop(name), below.pop(name)
    for end in ends:
        above[end] = list(dict.fromkeys([*(other for other in above[end] if other != name), *starts]))
    for start in starts:
        below[start] = list(dict.fromkeys([*(other for other in below[start] if other != name), *ends]))
