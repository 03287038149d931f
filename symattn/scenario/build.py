"""From a checked file to a scenario: the derivation first, then everything that is said of its names.

Nothing is worked out here: the derivation has shapes and not one number.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from symattn import limits
from symattn.derivation import Plan
from symattn.errors import FormulaError, shown, unknown
from symattn.scenario.claims import read_claims
from symattn.scenario.given import FigureStyle
from symattn.scenario.items import ItemReader, with_givens
from symattn.scenario.lines import Key
from symattn.scenario.model import GivenMatrix, Scenario, Section, StepItem
from symattn.scenario.notation import Notation, parse_notation
from symattn.scenario.plan import definitions, derive, read_axes
from symattn.scenario.problem import Problem
from symattn.scenario.programs import read_programs
from symattn.scenario.quantities import read_extras
from symattn.scenario.schema import File
from symattn.scenario.words import Known, Words

_NUMBER = re.compile(r"[0-9A-Za-z]{1,8}(-[0-9A-Za-z]{1,8}){0,5}\Z")


def build(file: File, name: str, path: str, text: str) -> Scenario:
    """The scenario. Raises :class:`~symattn.scenario.problem.Problem` for the first thing that is wrong."""
    _must_be_few(file)
    axes, defined = read_axes(file), definitions(file)
    derivation = derive(file, axes, defined)
    general = frozenset(step.name for step in derivation.steps if step.general)
    extras = read_extras(file, derivation, defined)
    scope = replace(derivation.scope, quantities=frozenset(extras.quantities))
    known = Known(scope, axes.labels, file.token_axis, general, extras.tensors)
    sections = _sections(file, ItemReader(derivation, known, extras.quantities, tuple(file.printed)), known)
    return Scenario(
        name=name,
        path=path,
        title=Words.read(file.title, known, ("title",)),
        language=file.language,
        tokens=tuple(file.tokens or ()),
        token_axis=file.token_axis,
        source=_words(file.source, known, ("source",)),
        intro=_words(file.intro, known, ("intro",)),
        sizes=axes.sizes,
        labels=axes.labels,
        givens=_givens(file, known),
        notation=_notation(file, [*derivation.by_name, *derivation.sizes, *extras.keys]),
        style=FigureStyle(**dict(file.figures), own=_own_decimals(sections)),
        sections=sections,
        printed=_printed(file, derivation),
        reasons=_reasons(file, known),
        claims=read_claims(file, derivation, extras, known),
        quantities=extras.quantities,
        derivation=derivation,
        text=text,
        keys=MappingProxyType({**{definition.name: definition.key for definition in defined}, **extras.keys}),
        programs=read_programs(file.code, derivation),
    )


def _must_be_few(file: File) -> None:
    """Sections, steps, givens and every other thing with a name, counted together."""
    tables: list[tuple[Key, int]] = [
        (("sizes",), len(file.sizes)),
        (("labels",), len(file.labels)),
        (("given",), len(file.given)),
        (("general",), len(file.general)),
        (("claim",), len(file.claim)),
    ]
    sections: list[tuple[Key, int]] = [
        (("section", i), 1 + sum(1 + len(getattr(step, "at", None) or ()) for step in table.steps))
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


def _words(texts: dict[str, str] | None, known: Known, key: Key) -> Words | None:
    return None if texts is None else Words.read(texts, known, key)


def _givens(file: File, known: Known) -> Mapping[str, GivenMatrix]:
    return MappingProxyType(
        {
            name: GivenMatrix(table.given, _words(table.note, known, ("given", name, "note")))
            for name, table in file.given.items()
        }
    )


def _sections(file: File, reader: ItemReader, known: Known) -> tuple[Section, ...]:
    written = [
        [reader.read(entry, ("section", i, "steps", j)) for j, entry in enumerate(section.steps)]
        for i, section in enumerate(file.section)
    ]
    numbers = section_numbers([section.number for section in file.section])
    return tuple(
        Section(
            number=number,
            level=number.count("-") + 1,
            title=Words.read(section.title, known, ("section", i, "title")),
            intro=_words(section.intro, known, ("section", i, "intro")),
            why=_words(section.why, known, ("section", i, "why")),
            items=items,
        )
        for i, (section, number, items) in enumerate(
            zip(file.section, numbers, with_givens(written, file.given, reader.derivation), strict=True)
        )
    )


def section_numbers(written: list[str | None]) -> list[str]:
    """The numbers of the sections; one without a number gets the next whole one.

    >>> section_numbers([None, None]), section_numbers(["1", "1-1", None])
    (['1', '2'], ['1', '1-1', '2'])
    """
    numbers: list[str] = []
    last = 0
    for i, number in enumerate(written):
        if number is not None and not _NUMBER.match(number):
            raise Problem(("section", i, "number"), f'expected a number such as "1-2", came {shown(number)}')
        numbers.append(str(last + 1) if number is None else number)
        first = numbers[-1].split("-")[0]
        last = int(first) if first.isdigit() else last
    return numbers


def _notation(file: File, names: Sequence[str]) -> Mapping[str, Notation]:
    found: dict[str, Notation] = {}
    for name, text in file.notation.items():
        if name not in names:
            raise Problem(("notation", name), unknown("name", name, names))
        try:
            found[name] = parse_notation(text)
        except FormulaError as error:
            raise Problem.of(error, ("notation", name)) from None
    return MappingProxyType(found)


def _printed(file: File, derivation: Plan) -> Mapping[str, tuple[tuple[str, ...], ...]]:
    for name in file.printed:
        if name not in derivation.by_name:
            raise Problem(("printed", name), unknown("name", name, derivation.by_name))
        if derivation[name].general:
            raise Problem(("printed", name), f"{name} is general: it has no figures to compare with")
    return MappingProxyType(dict(file.printed))


def _reasons(file: File, known: Known) -> Mapping[str, Words]:
    for name in file.reasons:
        if name not in file.printed:
            raise Problem(("reasons", name), unknown("printed name", name, file.printed))
    return MappingProxyType({name: Words.read(texts, known, ("reasons", name)) for name, texts in file.reasons.items()})
