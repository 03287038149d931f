"""What a topic is: a function that draws a draft, and the draft, from which the file of a scenario is written."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Any

from symattn.exercise.model import Printed
from symattn.exercise.numbers import cost
from symattn.mistakes.model import PartKind
from symattn.scenario.words import LabelsByLanguage

DECIMALS = 3
"""How many decimals are asked for where fewer are not exact."""


@dataclass(frozen=True)
class ExerciseDraft:
    """One variant before it is written down: exact numbers as text, steps as formulas, and which names are asked.

    ``task`` is the key of its words among the words of the topic. ``kind`` is what is asked of the names in ``asks``:
    figures of steps, quantities, shapes. ``price`` is what the variant costs where that is more than its numbers.
    ``general`` are matrices that have a shape and no numbers.
    """

    given: Mapping[str, Printed]
    steps: tuple[str, ...]
    asks: tuple[str, ...]
    sizes: Mapping[str, int] = field(default_factory=dict)
    axes: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    quantities: tuple[str, ...] = ()
    tokens: LabelsByLanguage = field(default_factory=dict)
    token_axis: str = ""
    labels: Mapping[str, LabelsByLanguage] = field(default_factory=dict)
    kind: PartKind = "matrix"
    decimals: int = DECIMALS
    task: str = "task"
    price: int = 0
    notation: Mapping[str, str] = field(default_factory=dict)
    figures: Mapping[str, str] = field(default_factory=dict)
    """How figures are printed, apart from their decimals."""
    numbers: Mapping[str, str] = field(default_factory=dict)
    """Symbols in the formulas, and the numbers in their place."""
    general: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    operations: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Operations of one's own, as a file has them."""

    @property
    def cost(self) -> int:
        """What it costs of the budget of its difficulty."""
        return self.price + cost(self.given)


@dataclass(frozen=True)
class Topic:
    """Something to ask about. ``draw`` gets a difficulty from 1 to 5 and the generator of a variant.

    ``rank`` is its place in lists. ``words`` are its title and its tasks in each language, of a topic that
    somebody else adds; ours have theirs in files.
    """

    name: str
    family: str
    draw: Callable[[int, Random], ExerciseDraft]
    rank: int = 10_000
    words: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
