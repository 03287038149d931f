"""Scenarios as they are read: everything that is given, nothing computed, all of it immutable.

:func:`differentiated` finds the gradients of a scenario, and its weights after a step of training.

>>> from symattn.read.scenario.load import load
>>> known = differentiated(load("backward"))
>>> known.gradients["dW_Q"], known.gradients["dW_Q_t1"], known.weights["W_Q_t2"], known.rule.name
(('L', 'W_Q'), ('L_t1', 'W_Q_t1'), ('W_Q', 2), 'sgd')
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Literal, get_args

from symattn.base.errors import UnknownNameError, unknown
from symattn.base.frozen import Frozen
from symattn.base.printed import Ties
from symattn.base.words import language_named
from symattn.read.given import Given
from symattn.read.gradients.rules import UpdateRule
from symattn.read.plan import Plan
from symattn.read.quantities import Quantity
from symattn.read.scenario.notation import NotAt, Notation, NotName, NotPartial
from symattn.read.scenario.problem import Key, place
from symattn.read.scenario.words import LabelsByLanguage, Words, picked, plain_text

FigureScope = Literal["matrix", "column", "entry"]
CarryMode = Literal["exact", "rounded"]
ShapeLine = Literal["short", "long"]
OnEmpty = Literal["error", "zero"]

_CHOICES = {"scope": FigureScope, "ties": Ties, "carry": CarryMode, "shape_line": ShapeLine}


@dataclass(frozen=True)
class FigureStyle:
    """How figures are printed and carried; see ``[figures]`` in the scenario format."""

    scope: FigureScope = "matrix"
    decimals: int = 6
    ties: Ties = "half_up"
    carry: CarryMode = "exact"
    shape_line: ShapeLine = "short"
    on_empty: OnEmpty = "error"
    """The softmax of a row of nothing but −∞: an error, or weights of 0."""
    own: tuple[tuple[str, int], ...] = ()
    """Names with a number of decimals of their own."""

    def __post_init__(self) -> None:
        for name, known in _CHOICES.items():
            if (chosen := getattr(self, name)) not in get_args(known):
                raise UnknownNameError(unknown(name, chosen, get_args(known)))

    def places(self, name: str) -> int:
        """Return the decimals that ``name`` is printed with, unless fewer are exact.

        >>> FigureStyle(decimals=6, own=(("A", 2),)).places("A")
        2
        """
        return dict(self.own).get(name, self.decimals)


WordLevel = Literal["all", "few", "none"]
"""How much symattn adds to a page: all; no readings, needs and conclusions; only an author's own words."""
WORD_LEVELS: tuple[WordLevel, ...] = ("all", "few", "none")
AskLevel = Literal["all", "own", "none"]
"""Which questions a page asks: one in each section, with symattn's own where an author has none; an author's; none."""
ASK_LEVELS: tuple[AskLevel, ...] = ("all", "own", "none")
DisplayForm = Literal["values", "general", "rows", "vectors", "weighted", "entries", "float64", "printed"]

SizesByName = tuple[tuple[str, int], ...]
"""Sizes by name, instead of the scenario's own."""

LISTINGS: tuple[str, ...] = ("numpy", "torch", "r", "julia", "javascript")
"""The languages of programs."""


@dataclass(frozen=True)
class GivenMatrix:
    """A given and the remark printed under it."""

    given: Given
    note: Words | None = None


@dataclass(frozen=True)
class ShowItem:
    """A name shown again: its values, or another form of it."""

    name: str
    form: DisplayForm = "values"
    decimals: int | None = None


@dataclass(frozen=True)
class StepItem:
    """The step ``name = formula``; ``works`` is the entry to be worked, row and column counted from 1.

    ``need`` says what goes wrong without the step: it replaces the sentence for steps of its kind.
    """

    name: str
    formula: str
    decimals: int | None = None
    note: Words | None = None
    works: tuple[int, int] | None = None
    need: Words | None = None
    shown: bool = True
    """Whether the page shows it."""
    unfolds: bool = False
    """Whether pages with more detail than a lesson show it where a lesson does not."""


@dataclass(frozen=True)
class UnfoldItem:
    """The definition of ``name`` with earlier ones substituted, down to the names in ``to`` (none: to the givens)."""

    name: str
    to: tuple[str, ...] = ()
    called: str | None = None


@dataclass(frozen=True)
class NoteItem:
    """A paragraph; a remark about the source comes at the end of a lesson."""

    words: Words
    of_source: bool = False


@dataclass(frozen=True)
class AskItem:
    """A question to the reader, and its answer, which a page hides."""

    words: Words
    answer: Words


@dataclass(frozen=True)
class WhatIfItem:
    """The result ``of``, once more with the step ``name = formula`` in place of the step of that name."""

    name: str
    formula: str
    of: str
    note: Words | None = None
    ask: Words | None = None
    """The change in words."""
    key: Key = field(default=(), compare=False)


@dataclass(frozen=True)
class ListingItem:
    """A program in ``language`` that computes ``of`` from the givens."""

    language: str
    of: tuple[str, ...]


@dataclass(frozen=True)
class Programs:
    """The steps that the programs at the end compute (none: the results), and their default languages."""

    of: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()


@dataclass(frozen=True)
class QuantityItem:
    """A quantity: its formula with the sizes substituted, and once more for each of the sizes in ``at``."""

    name: str
    at: tuple[SizesByName, ...] = ()
    note: Words | None = None


@dataclass(frozen=True)
class TensorItem:
    """Matrices of one shape, stacked along leading axes, the last of which varies fastest."""

    name: str
    of: tuple[str, ...]
    axes: tuple[str, ...]
    note: Words | None = None


@dataclass(frozen=True)
class ProveItem:
    """Two formulas that are equal for all sizes; the proof is made with the document."""

    left: str
    right: str
    note: Words | None = None
    key: Key = field(default=(), compare=False)


@dataclass(frozen=True)
class VarianceItem:
    """The variance of an entry of ``formula``, derived for all sizes when the document is made."""

    formula: str
    note: Words | None = None
    key: Key = field(default=(), compare=False)


@dataclass(frozen=True)
class FigureItem:
    """A picture of some names; ``row``, counted from 1, selects a single row."""

    kind: str
    of: tuple[str, ...] = ()
    row: int | None = None
    caption: Words | None = None
    key: Key = field(default=(), compare=False)

    @property
    def drawn(self) -> tuple[str, tuple[str, ...], int | None]:
        """What the picture shows."""
        return self.kind, self.of, self.row


@dataclass(frozen=True)
class RuleItem:
    """The rule of a training, with its numbers, and the loss to be reduced."""

    rule: UpdateRule
    of: str


@dataclass(frozen=True)
class WatchedEntry:
    """An entry with its names from before training to after its last step; row and column counted from 1."""

    names: tuple[str, ...]
    row: int = 1
    column: int = 1


@dataclass(frozen=True)
class OutcomeItem:
    """The result of a training: the loss, the probability of each target, and the watched entries."""

    loss: WatchedEntry
    targets: tuple[WatchedEntry, ...] = ()
    watched: tuple[WatchedEntry, ...] = ()


@dataclass(frozen=True)
class GradientCheckItem:
    """A gradient of a loss, compared with the change of the loss when an entry of a given is moved a little.

    ``gradients`` are pairs of a given and its gradient, one of which is chosen unless ``entry`` names the entry.
    """

    of: str
    gradients: tuple[tuple[str, str], ...]
    entry: WatchedEntry | None = None
    key: Key = field(default=(), compare=False)


SectionItem = (
    ShowItem
    | StepItem
    | UnfoldItem
    | NoteItem
    | AskItem
    | WhatIfItem
    | ListingItem
    | QuantityItem
    | TensorItem
    | ProveItem
    | VarianceItem
    | FigureItem
    | RuleItem
    | OutcomeItem
    | GradientCheckItem
)


@dataclass(frozen=True)
class ClaimedEntry:
    """An entry of a matrix, row and column counted from 1."""

    name: str
    row: int
    column: int


@dataclass(frozen=True)
class ClaimedQuantity:
    """A quantity, with other sizes than the scenario's if ``at`` has any."""

    name: str
    at: SizesByName = ()


@dataclass(frozen=True)
class ClaimedOrder:
    """The growth of a number over sizes and quantities with one of its letters."""

    formula: str
    letter: str


@dataclass(frozen=True)
class Claim:
    """A statement of the source, and the value that decides it; ``None`` if there is none."""

    says: str
    about: Words
    subject: ClaimedEntry | ClaimedQuantity | ClaimedOrder | None
    reason: Words | None
    key: Key
    said: Words | None = None


@dataclass(frozen=True)
class Section:
    """A heading with its number and level, and its contents."""

    number: str
    level: int
    title: Words
    intro: Words | None = None
    need: Words | None = None
    items: tuple[SectionItem, ...] = ()

    @property
    def on_page(self) -> tuple[SectionItem, ...]:
        """The items without steps that are not shown."""
        return tuple(item for item in self.items if not (isinstance(item, StepItem) and not item.shown))


@dataclass(frozen=True)
class Scenario(Frozen):
    """A scenario: title, language, tokens, exact matrices, sections of equations, the figures that a source prints.

    ``sizes`` and ``labels`` include the token axis; a letter that only ``[general]`` uses is in ``derivation.sizes``.
    """

    name: str
    path: str
    title: Words
    language: str
    tokens: tuple[str, ...]
    token_axis: str
    source: Words | None
    intro: Words | None
    sizes: Mapping[str, int]
    labels: Mapping[str, tuple[str, ...]]
    givens: Mapping[str, GivenMatrix]
    notation: Mapping[str, Notation]
    style: FigureStyle
    sections: tuple[Section, ...]
    printed: Mapping[str, tuple[tuple[str, ...], ...]]
    reasons: Mapping[str, Words]
    claims: tuple[Claim, ...]
    quantities: Mapping[str, Quantity]
    derivation: Plan
    text: str = field(repr=False)
    keys: Mapping[str, Key] = field(repr=False)
    programs: Programs = Programs()
    pictures: bool = True
    """Whether steps get pictures without being asked for."""
    asks: AskLevel = "all"
    """Which questions a page asks."""
    words: WordLevel = "all"
    """How much symattn adds to the words of the scenario."""
    symbols: tuple[str, ...] = ()
    """Letters for any real number; those in ``put_in`` have been replaced by numbers."""
    put_in: Mapping[str, str] = field(default_factory=dict)
    opening: Words | None = None
    conclusion: Words | None = None
    """The text before the steps and the text after them: what to look for, and what was found."""
    puzzle: AskItem | None = None
    """The question before the first section."""
    spoken_labels: Mapping[str, LabelsByLanguage] = field(default_factory=dict)
    """The labels of each axis per language; ``labels`` has those of the current language."""

    def unfolded(self) -> Scenario:
        """Return the scenario with the steps shown that only pages with more detail than a lesson have."""
        sections = tuple(
            replace(
                section,
                items=tuple(
                    replace(item, shown=True) if isinstance(item, StepItem) and item.unfolds else item
                    for item in section.items
                ),
            )
            for section in self.sections
        )
        return replace(self, sections=sections)

    def title_in(self, language: str | None = None) -> str:
        """Return the title in a language, or in the scenario's own, as plain text."""
        return plain_text(self.title.pick(language or self.language, self.language))

    def told_in(self, language: str) -> Scenario:
        """Return the scenario with the labels of a language; its words keep all languages.

        Raises :class:`~symattn.base.errors.UnknownNameError` for an unknown language.
        """
        language = language_named(language)
        labels = {axis: picked(each, language, self.language) for axis, each in self.spoken_labels.items()}
        tokens = labels[self.token_axis] if self.tokens else ()
        return replace(self, labels=MappingProxyType(labels), tokens=tokens)

    def place(self, name: str) -> str:
        """Return file, line and key where ``name`` is defined, for an error that is raised after loading.

        Raises :class:`~symattn.base.errors.UnknownNameError` for a name that is not defined.

        >>> from symattn.read.scenario.load import loads
        >>> loads('title = "Mine"\\n[given]\\nX = [["1"]]', path="lesson.toml").place("X")
        'lesson.toml, line 3, given.X'
        """
        if name not in self.keys:
            raise UnknownNameError(unknown("name", name, self.keys))
        return place(self.path, self.text, self.keys[name])


@dataclass(frozen=True)
class Differentiated:
    """The gradients and the trained weights of a scenario."""

    gradients: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    """By name: the loss and the variable; parts that come through one of several steps are not included."""
    weights: Mapping[str, tuple[str, int]] = field(default_factory=dict)
    """By name: the given that it comes from, and the number of steps of training."""
    rule: UpdateRule | None = None


def differentiated(scenario: Scenario) -> Differentiated:
    """Return the gradients and the trained weights of a scenario, recognised by their notation."""
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
