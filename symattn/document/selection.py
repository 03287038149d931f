"""A part of a lesson: some of its steps, or one of its sections, for a slide or a cell of a notebook."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from symattn.errors import UnknownNameError, unknown
from symattn.scenario.model import Scenario, Section, SectionItem, ShowItem, StepItem
from symattn.scenario.words import Words

_NOTHING = Words({})


def part_of(scenario: Scenario, steps: Sequence[str] = (), section: str | None = None) -> Scenario:
    """The scenario with nothing but some names, in the order of the lesson, or one section with all below it.

    Raises :class:`~symattn.errors.UnknownNameError` for a name or a number of a section that is not there, and where
    both are asked for.

    >>> from symattn.scenario.load import load
    >>> [section.number for section in part_of(load("weather"), section="4").sections]
    ['4', '4-1', '4-2']
    """
    if steps and section is not None:
        raise UnknownNameError(
            "a part of a lesson is some of its steps or one of its sections: expected one of the two"
        )
    kept = _section(scenario, section) if section is not None else _steps(scenario, steps)
    return replace(scenario, title=_NOTHING, intro=None, source=None, sections=kept, printed={}, claims=())


def _section(scenario: Scenario, number: str) -> tuple[Section, ...]:
    known = [section.number for section in scenario.sections]
    if number not in known:
        raise UnknownNameError(unknown("section", number, known))
    return tuple(each for each in scenario.sections if each.number == number or each.number.startswith(f"{number}-"))


def _steps(scenario: Scenario, names: Sequence[str]) -> tuple[Section, ...]:
    for name in names:
        if name not in scenario.derivation.by_name:
            raise UnknownNameError(unknown("step", name, scenario.derivation.by_name))
    items = (item for section in scenario.sections for item in section.items)
    return (Section("", 1, _NOTHING, items=tuple(_first_of_each(items, set(names)))),)


def _first_of_each(items: Iterable[SectionItem], names: set[str]) -> Iterable[SectionItem]:
    """The step of every name, or where a given is shown first."""
    waiting = set(names)
    for item in items:
        if isinstance(item, StepItem | ShowItem) and item.name in waiting:
            waiting.remove(item.name)
            # What is asked for by its name is shown, although the whole page leaves it out.
            yield replace(item, shown=True) if isinstance(item, StepItem) else item


def letters_of(scenario: Scenario) -> tuple[str, ...]:
    """The names that the steps of a part rest on and do not show, in the order of the lesson."""
    items = [item for section in scenario.sections for item in section.on_page]
    shown = {item.name for item in items if isinstance(item, StepItem | ShowItem)}
    used = {name for item in items if isinstance(item, StepItem) for name in scenario.derivation[item.name].uses}
    return tuple(step.name for step in scenario.derivation.steps if step.name in used - shown)
