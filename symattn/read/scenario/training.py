"""Training in a scenario: ``[train]`` becomes the gradients, the new weights by the rule, the forward pass again, and
the result, as the items that a person would write in the file.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from symattn.base import limits
from symattn.base.errors import SymattnError, UnknownNameError, unknown
from symattn.read.gradients.chain import BackwardPass, GradientLine
from symattn.read.gradients.rules import HyperParameterError, UpdateRule
from symattn.read.gradients.training import Training, TrainingLine, train
from symattn.read.plan import Plan
from symattn.read.scenario.definitions import MadeSection, entry_named
from symattn.read.scenario.model import OutcomeItem, RuleItem, WatchedEntry
from symattn.read.scenario.problem import Key, Problem
from symattn.read.scenario.tables import BuiltStep, NoteTable, TrainTable
from symattn.read.scenario.words import role_words

KEY: Key = ("train",)

OF_SQUARES = 4
"""Additional decimals for averages of squares, which are small numbers and soon become divisors."""

GradientItems = Callable[[Sequence[GradientLine], str], list[BuiltStep]]
"""A function that makes the items of a backward pass from a loss, and remembers their notation."""


@dataclass(frozen=True)
class TrainedSections:
    """The sections of a training, the notation of its names, and its first backward pass."""

    sections: tuple[MadeSection, ...]
    notation: Mapping[str, str]
    first: BackwardPass
    weights: tuple[str, ...]


def training(
    table: TrainTable, plan: Plan, before: BackwardPass | None, gradients: GradientItems, decimals: int
) -> TrainedSections:
    """Return the sections of ``[train]`` after the steps of a plan; ``before`` has its gradients that are steps
    already, and ``decimals`` are those of the file.

    Raises :class:`~symattn.read.scenario.problem.Problem` for an unknown loss, weight, number or entry.
    """
    weights = _weights(table, plan)
    watched = [entry_named(text, plan, key) for text, key in _texts(table.watch, "watch")]
    rule = _rule(table)
    if table.of not in plan.by_name:
        raise Problem((*KEY, "of"), unknown("name", table.of, plan.by_name), UnknownNameError)
    try:
        made = train(plan, table.of, weights, rule, table.steps, before, [name for name, _, _ in watched])
    except SymattnError as error:
        is_number = plan[table.of].shape.sizes == (1, 1)
        raise Problem.of(error, KEY if is_number else (*KEY, "of")) from None
    writer = _Writer(table, rule, made, gradients, min(decimals + OF_SQUARES, limits.DIGITS))
    sections = (*writer.backward(), *writer.steps(), writer.outcome(watched))
    return TrainedSections(sections, writer.notation, made.first, tuple(weights))


def _texts(listed: Sequence[str] | str, name: str) -> Iterator[tuple[str, Key]]:
    if isinstance(listed, str):
        yield listed, (*KEY, name)
    else:
        yield from ((text, (*KEY, name, number)) for number, text in enumerate(listed))


def _weights(table: TrainTable, plan: Plan) -> list[str]:
    """Return the givens that are trained; those along leading axes are listed separately."""
    found: dict[str, None] = {}
    for name, key in _texts(table.weights, "weights"):
        if name not in plan.by_name and name not in plan.batches:
            givens = [step.name for step in plan.steps if step.is_given]
            raise Problem(key, unknown("name", name, givens), UnknownNameError)
        for each in plan.batches[name].names if name in plan.batches else (name,):
            step = plan[each]
            if step.general:
                raise Problem(key, f"{name} is general and has no numbers: expected a given")
            if not step.is_given:
                raise Problem(key, f"{name} is worked out, from {', '.join(step.uses) or 'numbers'}: expected a given")
            if each in found:
                raise Problem(key, f"{name} is listed twice: a weight is trained once")
            found[each] = None
    return list(found)


def _rule(table: TrainTable) -> UpdateRule:
    try:
        return UpdateRule.of(table.rule, table.numbers)
    except HyperParameterError as error:
        raise Problem((*KEY, error.key), str(error)) from None


@dataclass
class _Writer:
    """Writes the sections of one training."""

    table: TrainTable
    rule: UpdateRule
    made: Training
    gradients: GradientItems
    of_squares: int
    """The decimals of averages of squares."""
    notation: dict[str, str] = field(default_factory=dict)
    told: set[str] = field(default_factory=set)

    def backward(self) -> Iterator[MadeSection]:
        """Yield the gradients that the file does not have yet."""
        if self.made.first.lines:
            names = {"loss": self.table.of}
            title, intro = role_words("titles", "backward", names), role_words("intros", "backward", names)
            items = self.gradients(self.made.first.lines, self.table.of)
            yield MadeSection.of(KEY, title=title, intro=intro, steps=items)

    def steps(self) -> Iterator[MadeSection]:
        """Yield a section for every step of the rule: new weights, then the steps that are repeated with them."""
        by_time = groupby(self.made.lines, lambda line: self._section_of(line))
        several = self.table.steps > 1
        for t, lines in by_time:
            title = role_words("titles", "training_step", {"time": str(t)}) if several else None
            title = dict(self.table.title) if self.table.title and t == 1 else title
            items: list[Any] = [RuleItem(self.rule, self.table.of)] if t == 1 else []
            for is_shown, part in groupby(lines, lambda line: line.shown):
                found = list(part)
                items += [*map(self._item, found)] if is_shown else self._again(found, t)
            yield MadeSection.of(KEY, title=title or role_words("titles", "training"), intro=None, steps=items)

    def _section_of(self, line: TrainingLine) -> int:
        """Return the step of the rule that a line belongs to: gradients after one step belong to the next."""
        return line.time + (line.gradient is not None or line.role == "targets")

    def _item(self, line: TrainingLine) -> BuiltStep:
        """Return a step that the page shows, the first of its kind with its reason."""
        options: dict[str, Any] = {}
        if line.role == "beta2":
            options["decimals"] = self.of_squares
        if line.role not in self.told:
            self.told.add(line.role)
            names = {"of": line.of, "loss": self.table.of, "name": line.name}
            options["works"] = [1, 1]
            options["need"] = role_words(
                "because", f"train_{self.rule.name}" if line.role == "weight" else line.role, names
            )
        self._write(line)
        return BuiltStep.of(line, **options)

    def _again(self, lines: Sequence[TrainingLine], t: int) -> list[Any]:
        """Return steps that repeat earlier ones: hidden, with one sentence about all of them."""
        for line in lines:
            self._write(line)
        if (first := lines[0]).gradient is not None:
            found = [line.gradient for line in lines if line.gradient is not None]
            items = [BuiltStep.of(item.line, shown=False) for item in self.gradients(found, first.loss)]
            role, loss = "again_backward", first.loss
        else:
            items = [BuiltStep.of(line, shown=False) for line in lines]
            role, loss = "again_forward", self.made.times[t][self.table.of]
        names = {"loss": loss, "count": str(len(lines))}
        return [NoteTable.model_construct(note=role_words("notes", role, names)), *items]

    def _write(self, line: TrainingLine) -> None:
        """Set the notation of a name after a step of training: W^{(1)}."""
        if line.gradient is not None or line.role == "targets":
            return
        # If that name was taken, a number was appended to it.
        like = line.like or re.sub(rf"_t{line.time}(_\d+)?\Z", "", line.name)
        self.notation[line.name] = f"at({like}, {line.time})"

    def outcome(self, watched: Sequence[tuple[str, int, int]]) -> MadeSection:
        """Return the section with the result."""
        times = self.made.times
        targets = self.made.targets
        rows = int(self.made.plan[targets].shape.sizes[0]) if targets else 0
        item = OutcomeItem(
            WatchedEntry(self._names(self.table.of)),
            tuple(WatchedEntry(self._names(targets), row) for row in range(1, rows + 1)),
            tuple(WatchedEntry(self._names(name), row, column) for name, row, column in watched),
        )
        names = {"loss": self.table.of, "new": times[-1][self.table.of]}
        return MadeSection.of(
            KEY, title=role_words("titles", "trained"), intro=role_words("intros", "trained", names), steps=[item]
        )

    def _names(self, name: str) -> tuple[str, ...]:
        return tuple(called.get(name, name) for called in self.made.times)
