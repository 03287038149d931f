"""Which pictures a page has that nobody has asked for: weights, probabilities, waves, and the flow of the whole."""

from __future__ import annotations

from symattn import operations as ops
from symattn.document.readings.weights import are_weights
from symattn.operations.stages import same_as_ours
from symattn.scenario.model import FigureItem, Scenario, StepItem
from symattn.solution.store import Store

FEWEST = 4
"""Steps of a derivation whose flow is worth a picture."""


def figures_of(store: Store, name: str) -> tuple[FigureItem, ...]:
    """What is drawn of a step: weights as a heat map, probabilities as bars, encodings of positions as waves."""
    step = store.derivation[name]
    if step.general or not store.shown(name).is_numbers:
        return ()
    node = same_as_ours(step.formula)
    if isinstance(node, ops.Sinusoidal) and store.rows(name) > 1:
        return (FigureItem("waves", (name,)),)
    if not isinstance(node, ops.Softmax) or store.columns(name) == 1:
        return ()
    if _is_drawn(store, name):
        return ()
    many = store.rows(name) > 1 and are_weights(store, name)
    return (FigureItem("heatmap" if many else "bars", (name,)),)


def _is_drawn(store: Store, name: str) -> bool:
    """Whether a step before this one has the same figures, and so the same picture."""
    before = [step.name for step in store.derivation.steps]
    shares = (other for other in before[: before.index(name)] if _is_softmax(store, other))
    alike = (other for other in shares if store.shape(other).sizes == store.shape(name).sizes)
    return any(_texts(store, other) == _texts(store, name) for other in alike)


def _is_softmax(store: Store, name: str) -> bool:
    step = store.derivation[name]
    return not step.general and store.shown(name).is_numbers and isinstance(same_as_ours(step.formula), ops.Softmax)


def _texts(store: Store, name: str) -> list[list[str]]:
    return [[figure.text for figure in row] for row in store.figures(name)]


def flow_of_page(scenario: Scenario) -> tuple[FigureItem, ...]:
    """The flow of a page with enough steps."""
    made = [item for section in scenario.sections for item in section.items if isinstance(item, StepItem)]
    return (FigureItem("flow"),) if len(made) >= FEWEST else ()
