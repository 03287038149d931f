"""Turn any scenario into something to ask about: the requested names, what they depend on, and nothing that tells more.

>>> lesson = lesson_of("weather", ("Q",))
>>> list(lesson.draft.given), lesson.draft.steps
(['E', 'P', 'W_Q'], ('X = E + P', 'Q = X @ W_Q'))
>>> lesson_of("backward", ("dU",)).task["en"]
'Work out {dU}, where L is {math: cross_entropy(U, t)}.'
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Any

from sympy import S

from symattn.base.errors import ScenarioError, UnknownNameError, unknown
from symattn.base.printed import Printed
from symattn.base.shapes import in_rows
from symattn.base.words import Texts, languages, texts
from symattn.claims.worked import Ask
from symattn.course.numbers import shuffled
from symattn.course.topics.model import ExerciseDraft
from symattn.operations.equations.tree import Operation
from symattn.operations.symbols import entry_symbols
from symattn.read.formula.functions import derived
from symattn.read.plan import Step
from symattn.read.scenario.load import load
from symattn.read.scenario.model import Scenario, StepItem
from symattn.read.scenario.notation import NotPartial, notation_text
from symattn.read.scenario.operations import table_of
from symattn.read.scenario.words import SymbolRef, plain_text

TOPIC = "scenario"
"""The topic of an exercise that asks about a scenario."""

ENTRIES = 4_096
"""The most given numbers on a sheet."""

STRICTNESS = 5
"""The numbers of a scenario are judged like those of the most difficult level."""

_NAME = re.compile(r"[A-Za-z]\w*", re.ASCII)


@dataclass(frozen=True)
class Lesson:
    """A scenario as a draft with its own numbers.

    ``chosen``: the user chose the names that are asked. ``fresh``: numbers are drawn from the scenario's own, and then
    ``waived`` are the reasons for rejection that its own numbers already give. ``in_rows`` are givens whose rows keep
    their entries, and ``fixed`` those that do not change.
    """

    name: str
    draft: ExerciseDraft
    asks: tuple[Ask, ...]
    title: Texts
    task: Texts
    chosen: bool = False
    fresh: bool = False
    waived: tuple[str, ...] = ()
    in_rows: tuple[str, ...] = ()
    fixed: tuple[str, ...] = ()

    def drawn(self, random: Random) -> ExerciseDraft:
        """Return the draft, with other numbers if they are drawn anew."""
        if not self.fresh:
            return self.draft
        given = {name: self._shuffled(name, rows, random) for name, rows in self.draft.given.items()}
        return replace(self.draft, given=given)

    def _shuffled(self, name: str, rows: Printed, random: Random) -> Printed:
        if name in self.fixed:
            return rows
        if name in self.in_rows:
            return tuple(shuffled(row, random) for row in rows)
        entries, width = shuffled([text for row in rows for text in row], random), len(rows[0])
        return in_rows(entries, width)


def lesson_of(source: str | Path | Scenario, ask: Sequence[str] = (), fresh: bool = False) -> Lesson:
    """Return a lesson that asks for the steps and quantities in ``ask``, or for the last step of the scenario.

    Raises :class:`~symattn.base.errors.UnknownNameError` for a name that it does not have, and
    :class:`~symattn.base.errors.ScenarioError` for a name without numbers.
    """
    scenario = source if isinstance(source, Scenario) else load(source)
    asks = (ask,) if isinstance(ask, str) else tuple(dict.fromkeys(ask))
    return _Excerpt(scenario).lesson(asks, fresh)


@dataclass(frozen=True)
class _Excerpt:
    """Extracts from a scenario everything that some names depend on."""

    scenario: Scenario

    def lesson(self, ask: tuple[str, ...], fresh: bool) -> Lesson:
        names = ask or (self._last(),)
        for name in names:
            self._must_be_known(name)
        steps = self._behind(names)
        for step in steps:
            self._must_have_numbers(step, names)
        givens = [step for step in steps if step.is_given]
        self._must_be_few(givens)
        kept = tuple(step.name for step in steps)
        draft = self._draft(steps, givens, names)
        given = self.scenario.givens
        return Lesson(
            name=self.scenario.name,
            draft=draft,
            asks=tuple(Ask(name, self._kind(name), draft.decimals) for name in self._in_order(names)),
            title=self._title((*kept, *self._quantities(names))),
            task=self._task(self._in_order(names), kept),
            chosen=bool(ask),
            fresh=fresh,
            in_rows=tuple(step.name for step in givens if given[step.name].given.row_sum is not None),
            # The hidden places of a mask are not drawn.
            fixed=tuple(step.name for step in givens if S.NegativeInfinity in given[step.name].given.entries),
        )

    # -- what is asked -------------------------------------------------------------------------------------------

    def _askable(self) -> list[str]:
        steps = [step.name for step in self.scenario.derivation.steps if step.formula is not None]
        return [*steps, *self.scenario.quantities]

    def _last(self) -> str:
        plan = self.scenario.derivation
        names = [step.name for step in plan.steps if step.formula is not None and not step.general]
        names = names or list(self.scenario.quantities)
        if not names:
            raise ScenarioError(f"{self.scenario.name} has no steps: there is nothing to ask for")
        return names[-1]

    def _must_be_known(self, name: str) -> None:
        if name in self.scenario.givens:
            raise ScenarioError(f"{name} is given: ask for a step or a quantity, such as {self._last()}")
        if name not in self._askable():
            raise UnknownNameError(unknown("name", name, self._askable()))

    def _kind(self, name: str) -> Any:
        return "number" if name in self.scenario.quantities else "matrix"

    def _in_order(self, names: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(name for name in self._askable() if name in names)

    def _must_have_numbers(self, step: Step, names: tuple[str, ...]) -> None:
        asked = " and ".join(names)
        if step.general:
            raise ScenarioError(f"{asked} cannot be asked for: {step.name} is general and has no numbers")
        given = self.scenario.givens[step.name].given if step.is_given else None
        entries = [] if given is None or given.array is not None else given.entries
        free = [symbol for node in (step.formula, *entries) if node is not None for symbol in entry_symbols(node)]
        if free:
            raise ScenarioError(
                f"{asked} cannot be asked for: {step.name} holds the free symbol {free[0]}; give it a number in "
                "[substitute]"
            )

    def _must_be_few(self, givens: Sequence[Step]) -> None:
        count = sum(
            rows * columns for rows, columns in (self.scenario.givens[step.name].given.shape for step in givens)
        )
        if count > ENTRIES:
            raise ScenarioError(
                f"{count} given numbers are too many for a sheet: expected at most ENTRIES = {ENTRIES}; "
                "ask for a step that rests on fewer"
            )

    # -- what it rests on ----------------------------------------------------------------------------------------

    def _behind(self, names: tuple[str, ...]) -> list[Step]:
        """Return the names and everything they depend on, in the order of the derivation."""
        plan = self.scenario.derivation
        wanted = set(names).union(*(_NAME.findall(text) for text in self._quantities(names).values()))
        return [plan[name] for name in plan.behind(wanted)]

    def _quantities(self, names: tuple[str, ...]) -> dict[str, str]:
        """Return the quantities that the names depend on, each with its formula."""
        known = self.scenario.quantities
        wanted = set(names)
        for name in reversed(list(known)):
            if name in wanted:
                wanted.update(str(letter) for letter in known[name].value.free_symbols)
                wanted.update(_NAME.findall(self._quantity_text(name)))
        return {name: self._quantity_text(name) for name in known if name in wanted}

    def _quantity_text(self, name: str) -> str:
        """Return the formula of a quantity as the file has it, or make it from its value if there is no file."""
        found: Any = tomllib.loads(self.scenario.text) if self.scenario.text else None
        for key in self.scenario.keys[name]:
            found = found[key] if found is not None else None
        if isinstance(found, str):
            return found.partition("=")[2].strip()
        return str(self.scenario.quantities[name].value)

    # -- the draft -----------------------------------------------------------------------------------------------

    def _draft(self, steps: Sequence[Step], givens: Sequence[Step], names: tuple[str, ...]) -> ExerciseDraft:
        one, plan = self.scenario, self.scenario.derivation
        formulas = {item.name: item.formula for item in self._items()}
        named = {axis.name for step in steps for axis in (step.shape.rows, step.shape.columns) if axis.name}
        labels = {axis: labels for axis, labels in one.spoken_labels.items() if axis in named}
        quantities = self._quantities(names)
        used = _NAME.findall(" ".join([*(formulas.get(step.name, "") for step in steps), *quantities.values()]))
        sizes = {
            name: size
            for name, size in plan.sizes.items()
            if isinstance(size, int) and name not in labels and (name in named or name in used)
        }
        put_in = {name: text for name, text in one.put_in.items() if name in used}
        kept = {*sizes, *labels, *quantities, *(step.name for step in steps)}
        return ExerciseDraft(
            given={step.name: _texts(one.givens[step.name].given.texts) for step in givens},
            steps=tuple(f"{step.name} = {formulas[step.name]}" for step in steps if not step.is_given),
            asks=names,
            sizes=sizes,
            axes={step.name: _axes(step, kept) for step in givens},
            quantities=tuple(f"{name} = {text}" for name, text in quantities.items()),
            tokens=labels.get(one.token_axis, {}) if one.tokens else {},
            token_axis=one.token_axis if one.token_axis in labels else "",
            labels={axis: listed for axis, listed in labels.items() if not (one.tokens and axis == one.token_axis)},
            decimals=one.style.decimals,
            notation={name: notation_text(tree) for name, tree in one.notation.items() if name in kept},
            figures={"scope": one.style.scope, "ties": one.style.ties, "on_empty": one.style.on_empty},
            numbers=put_in,
            operations={
                name: table_of(record)
                for name, record in plan.operations.items()
                if any(_calls(word, name, record) for word in used)
            },
        )

    def _items(self) -> Iterator[StepItem]:
        return (item for section in self.scenario.sections for item in section.items if isinstance(item, StepItem))

    # -- words ---------------------------------------------------------------------------------------------------

    def _title(self, known: Sequence[str]) -> Texts:
        """Return the title of the scenario; names that the exercise does not have become plain text."""
        own = self.scenario.language
        return {
            language: "".join(
                f"{{{part.name}}}"
                if isinstance(part, SymbolRef) and part.name in known
                else plain_text((part,)).replace("{", "{{").replace("}", "}}")
                for part in self.scenario.title.pick(language, own)
            )
            for language in languages()
        }

    def _task(self, names: Sequence[str], kept: Sequence[str]) -> Texts:
        losses = self._losses(names, kept)
        task = texts("topics", TOPIC, "gradients" if losses else "task")
        loss, comma, last = (texts("topics", TOPIC, what) for what in ("loss", "comma", "and"))
        found: dict[str, str] = {}
        for language, said in task.items():
            named = [loss[language].replace("{name}", name).replace("{formula}", losses[name]) for name in losses]
            for place, listed in {"{names}": [f"{{{name}}}" for name in names], "{losses}": named}.items():
                said = said.replace(place, _listed(listed, comma[language], last[language])) if listed else said
            found[language] = said
        return found

    def _losses(self, names: Sequence[str], kept: Sequence[str]) -> dict[str, str]:
        """Return the losses of the requested gradients that are not on the sheet, each with its formula, if the sheet
        has all names in it."""
        formulas = {item.name: item.formula for item in self._items()}
        found = [self.scenario.notation.get(name) for name in names]
        losses = dict.fromkeys(tree.of.text for tree in found if isinstance(tree, NotPartial))
        known = {*kept, *self.scenario.derivation.by_name}
        return {
            name: f"{{math: {formulas[name]}}}"
            for name in losses
            if name.isalpha() and name in formulas and name not in kept
            if not (known & set(_NAME.findall(formulas[name]))) - set(kept)
        }


def _calls(word: str, name: str, record: Operation) -> bool:
    """Return whether a word calls a user-defined operation, or a gradient that is derived from it."""
    return word == name or (derived(word, {}) is None and derived(word, {name: record}) is not None)


def _listed(symbols: Sequence[str], comma: str, last: str) -> str:
    """``{A}, {B} and {C}``"""
    *first, end = symbols
    return f"{comma.join(first)}{last}{end}" if first else end


def _texts(rows: Sequence[Sequence[str]]) -> Printed:
    return tuple(tuple(row) for row in rows)


def _axes(step: Step, kept: set[str]) -> tuple[str, str]:
    """Return the names of the axes of a given, or their sizes if they have no names."""
    rows, columns = (
        axis.name if axis.name in kept else str(axis.size) for axis in (step.shape.rows, step.shape.columns)
    )
    return rows, columns
