"""Build a scenario from a checked file: first the derivation, then everything that refers to its names.

Nothing is computed here: the derivation has shapes and no numbers.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

from symattn.base import limits
from symattn.base.budget import Budget, doing, working
from symattn.base.errors import BudgetError, SymattnError, shown
from symattn.read.gradients.chain import BackwardPass, backward
from symattn.read.plan import Plan
from symattn.read.scenario.backward import LOSS, all_starts, check_items, entries_of, items_of, must_be_there
from symattn.read.scenario.claims import read_claims
from symattn.read.scenario.definitions import (
    DefinedName,
    MadeSection,
    definitions,
    derive,
    how_many,
    of_name,
    read_axes,
    section_entries,
    section_key,
    section_place,
)
from symattn.read.scenario.items import ItemReader, read_ask, read_programs, with_givens
from symattn.read.scenario.model import (
    FigureStyle,
    GivenMatrix,
    GradientCheckItem,
    Scenario,
    Section,
    SectionItem,
    StepItem,
)
from symattn.read.scenario.notation import Notation, NotName, NotPartial, parse_notation
from symattn.read.scenario.problem import AT_ONCE, Key, Problem, Problems, located, must_be_known
from symattn.read.scenario.quantities import read_extras
from symattn.read.scenario.schema import File, SectionTable
from symattn.read.scenario.tables import UseTable
from symattn.read.scenario.words import Words, WordScope, picked, role_words

_GRADIENT = re.compile(r"[=←]\s*(grad|vjp|jacobian)\s*\(")
_NUMBER = re.compile(r"[0-9A-Za-z]{1,8}(-[0-9A-Za-z]{1,8}){0,5}\Z")


def build_scenario(file: File, name: str, path: str, text: str, found: Problems = AT_ONCE) -> Scenario | None:
    """Return the scenario, or ``None`` if there are problems, which ``found`` then holds.

    Reading is a question of its own, with its own budget, wherever the file comes from.
    """
    try:
        with working(Budget(limits.READING_STEPS)), doing("reading the scenario"):
            return _built(file, name, path, text, found)
    except BudgetError as error:
        raise Problem((), str(error), BudgetError) from None


def _built(file: File, name: str, path: str, text: str, found: Problems) -> Scenario | None:
    _must_be_few(file)
    axes = read_axes(file, found)
    if any(isinstance(entry, UseTable) for section in file.section for entry in section.steps):
        # Most files do not use the catalogue and need not load it.
        from symattn.read.scenario.uses import with_uses

        file = with_uses(file, axes, found)
    if asks_for_gradients(file):
        from symattn.read.scenario.backward import with_gradients

        file = with_gradients(file, axes, found)
    defined = definitions(file, found)
    derivation = derive(file, axes, defined, found)
    _tokens_must_fit(file, derivation, found)
    general = frozenset(step.name for step in derivation.steps if step.general)
    extras = read_extras(file, derivation, defined, found)
    scope = replace(derivation.scope, quantities=frozenset(extras.quantities))
    labels = {axis: picked(spoken, file.language, file.language) for axis, spoken in axes.labels.items()}
    known = WordScope(scope, labels, file.token_axis, general, extras.tensors)
    words = _WordReader(known, found)
    title, source = words.read(file.title, ("title",)), words.read(file.source, ("source",))
    intro, givens = words.read(file.intro, ("intro",)), _givens(file, derivation, words)
    opening, conclusion = words.read(file.opening, ("opening",)), words.read(file.conclusion, ("conclusion",))
    puzzle = None
    with found.caught():
        puzzle = None if file.puzzle is None else read_ask(file.puzzle, known, ("puzzle",))
    sections = _sections(file, ItemReader(derivation, known, extras.quantities, tuple(file.printed)), words)
    notation = _notation(file, [*derivation.by_name, *derivation.sizes, *extras.keys], found)
    printed, reasons = _printed(file, derivation, found), _reasons(file, words)
    claims = read_claims(file, derivation, extras, known, found)
    programs = read_programs(file.code, derivation, found)
    if found.all or title is None:
        return None
    scenario = Scenario(
        name=name,
        path=path,
        title=title,
        language=file.language,
        tokens=labels[file.token_axis] if file.tokens else (),
        token_axis=file.token_axis,
        source=source,
        intro=intro,
        sizes=axes.sizes,
        labels=MappingProxyType(labels),
        spoken_labels=axes.labels,
        givens=givens,
        notation=notation,
        style=FigureStyle(**dict(file.figures), own=_own_decimals(sections)),
        sections=_with_givens(sections, file, derivation),
        printed=printed,
        reasons=reasons,
        claims=claims,
        quantities=extras.quantities,
        derivation=derivation,
        text=text,
        keys=MappingProxyType({**_keys(defined, derivation), **extras.keys}),
        programs=programs,
        pictures=file.pictures,
        words=file.words,
        symbols=derivation.symbols,
        opening=opening,
        conclusion=conclusion,
        puzzle=puzzle,
        asks=file.asks,
    )
    return _with_numbers(scenario, file.substitute, found) if file.substitute else scenario


def asks_for_gradients(file: File) -> bool:
    """Return whether a file has a loss, asks for gradients or for training, or has a gradient as a step."""
    texts = (getattr(entry, "step", entry) for section in file.section for entry in section.steps)
    return bool(file.loss or file.backward or file.train) or any(
        isinstance(t, str) and _GRADIENT.search(t) for t in texts
    )


def _keys(defined: Sequence[DefinedName], derivation: Plan) -> dict[str, Key]:
    """Return the key that defines each name; matrices along leading axes have the key of their common name."""
    names = {each: d.key for d in defined if d.name in derivation.batches for each in of_name(derivation, d.name)}
    return {**{d.name: d.key for d in defined}, **names}


def _with_numbers(scenario: Scenario, numbers: Mapping[str, str], found: Problems) -> Scenario | None:
    """Return the scenario with the numbers of ``[substitute]`` in place of its symbols."""
    for name in found.until_many(numbers):
        with found.caught():
            must_be_known(name, scenario.symbols, ("substitute", name), "symbol")
    if found.all:
        return None
    from symattn.read.scenario.substitution import put_in

    with found.caught(), located(("substitute",)):
        return put_in(scenario, numbers, str)
    return None


@dataclass(frozen=True)
class _WordReader:
    """Reads words, and continues after wrong ones."""

    known: WordScope
    found: Problems

    def read(self, texts: dict[str, str] | None, key: Key) -> Words | None:
        """Return the words, or ``None`` if there are none or they are wrong."""
        with self.found.caught():
            return None if texts is None else Words.read(texts, self.known, key)
        return None


def _tokens_must_fit(file: File, derivation: Plan, found: Problems) -> None:
    """Check the number of tokens, which label rows: it is wrong if no matrix has as many rows or columns."""
    count = how_many(file.tokens) if file.tokens else 0
    givens = [step for step in derivation.steps if step.name in file.given]
    lengths = {size for step in derivation.steps for size in step.shape.sizes}
    if found.all or not count or not givens or count in lengths or any(isinstance(size, str) for size in lengths):
        return
    shapes = ", ".join(f"{step.name} is {step.shape}" for step in givens[:3]) + ", …" * (len(givens) > 3)
    with found.caught():
        raise Problem(("tokens",), f"{count} token{'s' * (count > 1)}, and no matrix has {count} rows: {shapes}")


def _must_be_few(file: File) -> None:
    """Check the number of sections, steps, givens and everything else with a name, counted together."""
    tables: list[tuple[Key, int]] = [
        (("sizes",), len(file.sizes)),
        (("labels",), len(file.labels)),
        (("given",), len(file.given)),
        (("general",), len(file.general)),
        (("claim",), len(file.claim)),
    ]
    sections: list[tuple[Key, int]] = [
        (section_place(table, i), 1 + sum(1 + len(getattr(step, "at", None) or ()) for step in table.steps))
        for i, table in enumerate(file.section)
    ]
    count = 0
    for key, more in tables + sections:
        count += more
        if count > limits.SCENARIO_STEPS:
            raise Problem(key, f"more than SCENARIO_STEPS = {limits.SCENARIO_STEPS} sizes, givens, sections and steps")


def _own_decimals(sections: tuple[Section, ...]) -> tuple[tuple[str, int], ...]:
    steps = (item for section in sections for item in section.items if isinstance(item, StepItem))
    return tuple((step.name, step.decimals) for step in steps if step.decimals is not None)


def _givens(file: File, derivation: Plan, words: _WordReader) -> Mapping[str, GivenMatrix]:
    givens: dict[str, GivenMatrix] = {}
    for name, table in words.found.until_many(file.given.items()):
        note = words.read(table.note, ("given", name, "note"))
        for number, (each, part) in enumerate(zip(of_name(derivation, name), table.given.each, strict=False)):
            givens[each] = GivenMatrix(part, None if number else note)
    return MappingProxyType(givens)


def _sections(file: File, reader: ItemReader, words: _WordReader) -> tuple[Section, ...]:
    found = words.found
    before = max((section.before for section in file.section), default=0)
    numbers = section_numbers([section.number for section in file.section], found, before)
    return tuple(
        Section(
            number=number,
            level=number.count("-") + 1,
            title=words.read(section.title, (*section_place(section, i), "title")) or Words({}),
            intro=words.read(section.intro, (*section_place(section, i), "intro")),
            need=words.read(section.need, (*section_place(section, i), "need")),
            items=_items(section, reader, section_key(section, i), found),
        )
        for i, (section, number) in found.until_many(enumerate(zip(file.section, numbers, strict=True)))
    )


def _items(section: SectionTable, reader: ItemReader, key: Key, found: Problems) -> tuple[SectionItem, ...]:
    items: list[SectionItem] = []
    for place, entry in found.until_many(section_entries(section, key)):
        # Located: options of a step that is not defined; the problem with the step itself is reported already.
        with found.caught(), located(place):
            items += reader.all(entry, place)
    if isinstance(section, MadeSection) and not section.shown:
        return tuple(replace(item, shown=False) for item in items if isinstance(item, StepItem))
    return tuple(items)


def _with_givens(sections: tuple[Section, ...], file: File, derivation: Plan) -> tuple[Section, ...]:
    givens = [each for name in file.given for each in of_name(derivation, name)]
    filled = with_givens([section.items for section in sections], givens, derivation)
    return tuple(replace(section, items=items) for section, items in zip(sections, filled, strict=True))


def section_numbers(written: list[str | None], found: Problems = AT_ONCE, before: int = 0) -> list[str]:
    """Number the sections; one without a number gets the next whole one. ``before`` counts sections of another file.

    >>> section_numbers([None, None]), section_numbers(["1", "1-1", None])
    (['1', '2'], ['1', '1-1', '2'])
    """
    numbers: list[str] = []
    last = 0
    for i, number in enumerate(written):
        with found.caught():
            if number is not None and not _NUMBER.match(number):
                raise Problem(
                    ("section", i - before, "number"), f'expected a number such as "1-2", came {shown(number)}'
                )
        numbers.append(str(last + 1) if number is None else number)
        first = numbers[-1].split("-")[0]
        last = int(first) if first.isdigit() else last
    return numbers


def _notation(file: File, names: Sequence[str], found: Problems) -> Mapping[str, Notation]:
    read: dict[str, Notation] = {}
    for name, text in found.until_many(file.notation.items()):
        with found.caught(), located(("notation", name)):
            must_be_known(name, names, ("notation", name))
            read[name] = parse_notation(text)
    return MappingProxyType(read)


def _printed(file: File, derivation: Plan, found: Problems) -> Mapping[str, tuple[tuple[str, ...], ...]]:
    for name in found.until_many(file.printed):
        with found.caught():
            must_be_known(name, derivation.by_name, ("printed", name))
            if derivation[name].general:
                raise Problem(("printed", name), f"{name} is general: it has no figures to compare with")
    return MappingProxyType(dict(file.printed))


def _reasons(file: File, words: _WordReader) -> Mapping[str, Words]:
    read: dict[str, Words] = {}
    for name, texts in words.found.until_many(file.reasons.items()):
        with words.found.caught():
            must_be_known(name, file.printed, ("reasons", name), "printed name")
            read[name] = Words.read(texts, words.known, ("reasons", name))
    return MappingProxyType(read)


def with_backward(scenario: Scenario, of: str = "", wrt: Sequence[str] = ()) -> Scenario:
    """Return the scenario with the gradients of a loss, by some names or by all givens, after all of its steps.

    Without ``of`` the loss is the one that the scenario names, or L. Gradients that it already has are not repeated.

    Raises :class:`~symattn.base.errors.UnknownNameError` for an unknown name, and
    :class:`~symattn.base.errors.FormulaError` if there is no such gradient.

    >>> from symattn.read.scenario.load import loads
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
    """Return the gradients of a loss that a scenario already has as steps, recognised by their notation."""
    plan = scenario.derivation
    names = {
        tree.by.text: name
        for name, tree in scenario.notation.items()
        if isinstance(tree, NotPartial) and tree.of == NotName(of) and tree.through is None and name in plan.by_name
    }
    # A Jacobian has the same notation, but another shape.
    shapes = {by: plan[by].shape.sizes if by in plan.by_name else (1, 1) for by in names}
    names = {by: name for by, name in names.items() if plan[name].shape.sizes == shapes[by]}
    if plan[of].shape.sizes != (1, 1):
        return BackwardPass()
    return BackwardPass(names=names)
