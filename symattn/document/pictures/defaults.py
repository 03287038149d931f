"""Which pictures a page has that nobody has asked for: weights, probabilities, waves, and the flow of the whole."""

from __future__ import annotations

from symattn import operations as ops
from symattn.document.readings.weights import are_weights
from symattn.gradients.graph import derived_in, graph_of
from symattn.operations.stages import same_as_ours
from symattn.scenario.model import FigureItem, Scenario, StepItem
from symattn.solution.store import Store

FEWEST = 4
"""Steps of a derivation whose flow is worth a picture."""

MOST_FLOWS = 3
"""Losses to each of which a page shows the flow."""


def figures_of(store: Store, name: str) -> tuple[FigureItem, ...]:
    """What is drawn of a step: weights as a heat map, probabilities as bars, encodings of positions as waves."""
    step = store.derivation[name]
    if step.general or not store.shown(name).is_numbers:
        return ()
    if isinstance(same_as_ours(step.formula), ops.Sinusoidal) and store.rows(name) > 1:
        return (FigureItem("waves", (name,)),)
    if not _is_softmax(store, name) or store.columns(name) == 1 or _stands_already(store, name):
        return ()
    many = store.rows(name) > 1 and are_weights(store, name)
    return (FigureItem("heatmap" if many else "bars", (name,)),)


def _is_softmax(store: Store, name: str) -> bool:
    step = store.derivation[name]
    return isinstance(same_as_ours(step.formula), ops.Softmax) and not step.general and store.shown(name).is_numbers


def _stands_already(store: Store, name: str) -> bool:
    """Whether an earlier softmax has the same figures, so that its picture would be the same."""
    for step in store.derivation.steps:
        if step.name == name:
            return False
        if _is_softmax(store, step.name) and step.shape == store.shape(name):
            rows = zip(store.figures(step.name), store.figures(name), strict=True)
            if all([x.text for x in one] == [x.text for x in other] for one, other in rows):
                return True
    return False


def flow_of_page(scenario: Scenario) -> tuple[FigureItem, ...]:
    """The flow of a page with enough steps, if something flows: a step is made of another name. Where several losses
    have gradients, there is one flow to each of them."""
    made = [item for section in scenario.sections for item in section.on_page if isinstance(item, StepItem)]
    plan = scenario.derivation
    if len(made) < FEWEST or not any(step.uses for step in plan.steps):
        return ()
    losses = derived_in(plan)
    if len(losses) < 2:
        return (FigureItem("flow", ()),)
    return tuple(FigureItem("flow", graph_of(plan, loss).ends) for loss in losses[:MOST_FLOWS])
