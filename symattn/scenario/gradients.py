"""A backward pass for a scenario that was read without one: its gradients after all of its steps, in a section."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from symattn.errors import SymattnError
from symattn.gradients.chain import BackwardPass, backward
from symattn.scenario.backward import LOSS, all_starts, check_items, entries_of, items_of, must_be_there
from symattn.scenario.build import section_numbers
from symattn.scenario.items import ItemReader
from symattn.scenario.model import GradientCheckItem, Scenario, Section
from symattn.scenario.notation import NotName, NotPartial, parse_notation
from symattn.scenario.problem import Problem
from symattn.scenario.role_words import role_words
from symattn.scenario.words import Words, WordScope


def with_backward(scenario: Scenario, of: str = "", wrt: Sequence[str] = ()) -> Scenario:
    """The scenario with the gradients of a loss after all of its steps, with respect to some names or to all givens.

    Without ``of`` it is the one that the scenario says is its loss, or L.
    Gradients that it has already are not worked out again.

    Raises :class:`~symattn.errors.UnknownNameError` for a name that is not there, and
    :class:`~symattn.errors.FormulaError` where there is no such gradient.

    >>> from symattn.scenario.load import loads
    >>> lesson = 'title = "t"\\nloss = "X @ X.T"\\n[given]\\nX = [["1", "2"]]'
    >>> [item.formula for item in with_backward(loads(lesson)).sections[-1].items[:-1]]
    ['2 * X']
    """
    plan = scenario.derivation
    of = of or next((name for name, key in scenario.keys.items() if key[:1] == ("loss",)), LOSS)
    try:
        if of not in plan.by_name:
            must_be_there(of, plan, ())
        names, there = list(wrt) or all_starts(plan, of), gradients_there(scenario, of)
        held = {name: each.given for name, each in scenario.givens.items()} if plan.symbols else {}
        made = backward(plan, of, names, before=there, entries=entries_of(held))
    except Problem as problem:
        raise problem.located(scenario.path, scenario.text) from None
    except SymattnError as error:
        raise type(error)(f"{scenario.place(of) if of in plan.by_name else scenario.path}: {error}") from None
    if not made.lines:
        return scenario
    items, notation = items_of(made.lines, of)
    scope = replace(made.plan.scope, quantities=frozenset(scenario.quantities))
    general = frozenset(step.name for step in made.plan.steps if step.general)
    known = WordScope(scope, scenario.labels, scenario.token_axis, general)
    key, reader = scenario.keys[of], ItemReader(made.plan, known, scenario.quantities)
    entries: list[Any] = list(items)
    if not any(
        isinstance(item, GradientCheckItem) and item.of == of for each in scenario.sections for item in each.items
    ):
        entries += check_items(made, of, names, None, key)
    read = [item for entry in entries for item in reader.all(entry, key)]
    section = Section(
        number=section_numbers([*(each.number for each in scenario.sections), None])[-1],
        level=1,
        title=Words.read(role_words("titles", "backward", {"loss": of}), known),
        intro=Words.read(role_words("intros", "backward", {"loss": of}), known),
        items=tuple(read),
    )
    return replace(
        scenario,
        derivation=made.plan,
        sections=(*scenario.sections, section),
        notation=MappingProxyType({**{n: parse_notation(t) for n, t in notation.items()}, **scenario.notation}),
        keys=MappingProxyType({**{line.name: key for line in made.lines}, **scenario.keys}),
    )


def gradients_there(scenario: Scenario, of: str) -> BackwardPass:
    """The gradients of a loss that are steps of a scenario already, by how they are written."""
    plan = scenario.derivation
    names = {
        tree.by.text: name
        for name, tree in scenario.notation.items()
        if isinstance(tree, NotPartial) and tree.of == NotName(of) and tree.through is None and name in plan.by_name
    }
    # A Jacobian is written in the same way, and has another shape.
    shapes = {by: plan[by].shape.sizes if by in plan.by_name else (1, 1) for by in names}
    names = {by: name for by, name in names.items() if plan[name].shape.sizes == shapes[by]}
    if plan[of].shape.sizes != (1, 1):
        return BackwardPass()
    return BackwardPass(names=names)
