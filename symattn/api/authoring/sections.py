"""Sections that are open while Python runs: which one takes the next step, and their numbers.

A name that is defined again, as in a notebook whose cell is run once more, keeps its place:

>>> from symattn.api.authoring import Derivation
>>> d = Derivation(title="Again", anew=True)
>>> X = d.given("X", [[1, 2]])
>>> S = d.step("S", "X X^T")
>>> X = d.given("X", [[3, 4]])
>>> d.solve()["S"].exact
Matrix([[25]])
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass, field, replace
from functools import wraps
from types import TracebackType
from typing import Any, Protocol, TypeVar, cast

from symattn.api.authoring.draft import Manuscript, quoted
from symattn.base.errors import SymattnError
from symattn.base.words import ABOUT, Texts, texts
from symattn.read.scenario.build import section_numbers


def untitled() -> Texts:
    """Return the heading for steps outside any section."""
    return texts(ABOUT, "untitled")


@dataclass
class OpenSection:
    """An open section; ``within`` means that a ``with`` statement keeps it open."""

    number: int
    within: bool = False
    children: int = 0


@dataclass
class Sections:
    """The sections of a draft. The last open one takes the next item."""

    draft: Manuscript
    open: list[OpenSection] = field(default_factory=list)
    left: str = ""
    """The section that a ``with`` statement closed last."""

    @classmethod
    def after(cls, draft: Manuscript) -> Sections:
        """Return the sections of a draft, with the last one open."""
        number = len(draft.data["section"])
        return cls(draft, [OpenSection(number - 1)] if number else [])

    @property
    def tables(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.draft.data["section"]
        return found

    def begin(self, table: Mapping[str, Any]) -> OpenSection:
        """Open a section: beside the last one, or inside the one that a ``with`` statement keeps open."""
        while self.open and not self.open[-1].within:
            self.open.pop()
        written = dict(table)
        if self.open and "number" not in written:
            parent = self.open[-1]
            parent.children += 1
            written["number"] = f"{self._numbers()[parent.number]}-{parent.children}"
        self.tables.append({**written, "steps": []})
        self.open.append(OpenSection(len(self.tables) - 1))
        return self.open[-1]

    def _numbers(self) -> list[str]:
        return section_numbers([table.get("number") for table in self.tables])

    def add(self, entry: object, call: str) -> None:
        """Add an item to the open section; the first one may open a section of its own."""
        place = self.taking(call)
        steps = self.tables[place.number]["steps"]
        self.draft.items[place.number, len(steps)] = call
        steps.append(entry)

    def take_back(self) -> None:
        """Remove the last item, and its section if that was opened for it alone."""
        steps = self.tables[-1]["steps"]
        steps.pop()
        del self.draft.items[len(self.tables) - 1, len(steps)]
        if not steps and self.tables[-1]["title"] == untitled():
            self.tables.pop()
            self.open.pop()

    def taking(self, call: str) -> OpenSection:
        """Return the section that takes the item of ``call``. Raises :class:`~symattn.base.errors.SymattnError` where
        none does.
        """
        if not self.open:
            if self.left:
                raise SymattnError(
                    f"{call}: the section {self.left} is closed: write this inside the with statement, or open another "
                    'section by d.section("…")'
                )
            return self.begin({"title": untitled()})
        place = self.open[-1]
        if place.number != len(self.tables) - 1:
            heading = self._title(self.tables[place.number])
            raise SymattnError(
                f"{call}: the section {heading} has sections inside by now: write this before them, or in one of them"
            )
        return place

    def close(self, place: OpenSection) -> None:
        """End a ``with`` statement, and the sections that were opened inside it."""
        while self.open and self.open.pop() is not place:
            pass
        self.left = "" if self.open else self._title(self.tables[place.number])

    @staticmethod
    def _title(table: Mapping[str, Any]) -> str:
        title = table["title"]
        return quoted(title if isinstance(title, str) else next(iter(title.values())))


@dataclass(frozen=True)
class SectionContext:
    """The result of ``d.section(…)``: open until the next section, or for the length of a ``with`` statement."""

    sections: Sections = field(repr=False)
    place: OpenSection = field(repr=False)

    def __enter__(self) -> SectionContext:
        if not self.sections.open or self.sections.open[-1] is not self.place:
            raise SymattnError("this section is closed: another one was opened since; write with d.section(…):")
        self.place.within = True
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.sections.close(self.place)


Define = TypeVar("Define", bound=Callable[..., Any])


class Definer(Protocol):
    """The interface of a derivation in which names may be defined again."""

    _anew: bool
    _draft: Manuscript
    _sections: Sections


def may_come_again(define: Define) -> Define:
    """Let a method that defines a name redefine it, where the derivation allows that."""

    @wraps(define)
    def defined(self: Definer, name: object, *values: object, **options: object) -> object:
        if not self._anew or not isinstance(name, str) or name not in self._draft.calls:
            return define(self, name, *values, **options)
        with replacing(self._draft, self._sections, name):
            return define(self, name, *values, **options)

    return cast("Define", defined)


@contextmanager
def replacing(draft: Manuscript, sections: Sections, name: str) -> Iterator[None]:
    """Put definitions inside the block in the place of ``name``, and check everything else again.

    If something no longer fits, the previous state is restored.
    """
    before = deepcopy({key: value for key, value in vars(draft).items() if key != "plan"}) | {"plan": draft.plan}
    was, open_before = draft.calls[name], sections.open
    place = next((each for each, call in draft.items.items() if call == was), None)
    order = {table: list(draft.data.get(table, ())) for table in ("given", "general")}
    try:
        _forget(draft, name)
        sections.tables.append({"title": untitled(), "steps": []})
        sections.open = [OpenSection(len(sections.tables) - 1)]
        yield
        for table, names in order.items():
            now = draft.data.get(table, {})
            draft.data[table] = {each: now[each] for each in dict.fromkeys([*names, *now]) if each in now}
        _place(draft, place, f"{draft.calls[name]}: {name} is there by {was}: define it in the same way again")
        for step in (scenario := draft.scenario()).derivation.steps:
            draft.calls.setdefault(step.name, draft.calls[name])
        draft.take(scenario.derivation)
    except BaseException:
        vars(draft).update(before)
        raise
    finally:
        sections.open = open_before


def _forget(draft: Manuscript, name: str) -> None:
    """Make the draft forget a name."""
    plan = draft.plan
    parts = {name, *(plan.batches[name].names if name in plan.batches else ())}
    steps = tuple(step for step in plan.steps if step.name not in parts)
    draft.plan = replace(plan, steps=steps, batches={each: of for each, of in plan.batches.items() if each != name})
    draft.calls = {each: call for each, call in draft.calls.items() if each not in parts}
    draft.quantities.discard(name)
    for table in ("given", "general", "notation"):
        draft.table(table).pop(name, None)


def _place(draft: Manuscript, place: tuple[int, int] | None, otherwise: str) -> None:
    """Move the one item of the last section to the place of an item; it is an error if only one of them exists."""
    tables = draft.data["section"]
    added = tables.pop()["steps"]
    if bool(added) != (place is not None):
        raise SymattnError(otherwise)
    if place is not None:
        tables[place[0]]["steps"][place[1]] = added[0]
        draft.items[place] = draft.items.pop((len(tables), 0))
