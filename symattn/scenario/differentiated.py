"""Which names of a scenario are gradients, and which are weights after a step of training.

>>> from symattn.scenario.load import load
>>> known = differentiated(load("backward"))
>>> known.gradients["dW_Q"], known.gradients["dW_Q_t1"], known.weights["W_Q_t2"], known.rule.name
(('L', 'W_Q'), ('L_t1', 'W_Q_t1'), ('W_Q', 2), 'sgd')
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from symattn.gradients.rules import UpdateRule
from symattn.scenario.model import RuleItem, Scenario
from symattn.scenario.notation import NotAt, NotName, NotPartial


@dataclass(frozen=True)
class Differentiated:
    """The gradients and the trained weights of a scenario."""

    gradients: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    """By name: of what it is the gradient, and by what; not the parts that come on one way of several."""
    weights: Mapping[str, tuple[str, int]] = field(default_factory=dict)
    """By name: the given that it comes from, and after how many steps of training."""
    rule: UpdateRule | None = None


def differentiated(scenario: Scenario) -> Differentiated:
    """The gradients and the trained weights of a scenario, as its notation has them."""
    gradients: dict[str, tuple[str, str]] = {}
    weights: dict[str, tuple[str, int]] = {}
    for name, written in scenario.notation.items():
        match written:
            case NotPartial(NotName(of), NotName(by), None):
                gradients[name] = of, by
            case NotAt(NotName(like), time) if like in scenario.givens:
                weights[name] = like, time
    items = (item for section in scenario.sections for item in section.items)
    rule = next((item.rule for item in items if isinstance(item, RuleItem)), None)
    return Differentiated(gradients, weights, rule)
