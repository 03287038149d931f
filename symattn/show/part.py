"""Parts of pages, made when they are asked for, and parts of lessons: some steps, or one section."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from symattn.base.budget import doing
from symattn.base.errors import UnknownNameError, unknown
from symattn.read.scenario.model import Scenario, Section, SectionItem, ShowItem, StepItem, WordLevel
from symattn.read.scenario.problem import Key
from symattn.read.scenario.words import Words
from symattn.show.blocks import Block, Phrase, Picture, Readings


@dataclass(frozen=True)
class PagePart:
    """Some blocks that are still to be made, and their key in the file."""

    key: Key
    make: Callable[[], Iterable[Block]]
    names: tuple[str, ...] = ()
    """The names that it shows; several if they are shown together, or none."""
    proves: bool = False

    @property
    def name(self) -> str:
        """The first name that it shows, or an empty string."""
        return self.names[0] if self.names else ""

    def made(self) -> list[Block]:
        with doing(f"the part about {self.name}" if self.name else "the page"):
            return list(self.make())


def may_stand(said: Words, role: str, words: WordLevel) -> bool:
    """Return whether some words belong on a page with this level of words: an author's always, of the others no reason
    at ``few`` and nothing at ``none``."""
    return not said.are_made or words == "all" or (words == "few" and role != "need")


def with_words(blocks: Iterable[Block], words: WordLevel) -> Iterator[Block]:
    """Yield the blocks that belong on a page with this level of words: no readings at ``few``, and at ``none`` no
    phrase either, as every phrase is a sentence of symattn's own and an author's words are prose.

    >>> [len([*with_words([Phrase("letters_left")], words)]) for words in ("all", "few", "none")]
    [1, 1, 0]
    """
    for block in blocks:
        if words == "none" and isinstance(block, Picture):
            yield replace(block, caption=tuple(part for part in block.caption if not isinstance(part, Phrase)))
        elif words == "all" or not isinstance(block, Readings if words == "few" else Readings | Phrase):
            yield block


_NOTHING = Words({})


def part_of(scenario: Scenario, steps: Sequence[str] = (), section: str | None = None) -> Scenario:
    """Return the scenario reduced to some names, in the order of the lesson, or to one section with all below it.

    Raises :class:`~symattn.base.errors.UnknownNameError` for a name or a number of a section that is not there, and
    where both are asked for.

    >>> from symattn.read.scenario.load import load
    >>> [section.number for section in part_of(load("ironman"), section="2").sections]
    ['2', '2-1', '2-2', '2-3']
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
    """Yield the step of every name, or the item where a given is first shown."""
    waiting = set(names)
    for item in items:
        if isinstance(item, StepItem | ShowItem) and item.name in waiting:
            waiting.remove(item.name)
            # A step asked for by name is shown, even if the whole page leaves it out.
            yield replace(item, shown=True) if isinstance(item, StepItem) else item


def letters_of(scenario: Scenario) -> tuple[str, ...]:
    """Return the names that the steps of a part use and do not show, in the order of the lesson."""
    items = [item for section in scenario.sections for item in section.on_page]
    shown = {item.name for item in items if isinstance(item, StepItem | ShowItem)}
    used = {name for item in items if isinstance(item, StepItem) for name in scenario.derivation[item.name].uses}
    return tuple(step.name for step in scenario.derivation.steps if step.name in used - shown)
