"""Sections that are open while Python runs: which one takes the next step, and which numbers they have."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any

from symattn.authoring.draft import Manuscript, quoted
from symattn.errors import SymattnError
from symattn.scenario.build import section_numbers
from symattn.words import ABOUT, Texts, texts


def untitled() -> Texts:
    """The heading over steps that stand in no section of their own."""
    return texts(ABOUT, "untitled")


@dataclass
class OpenSection:
    """A section that is open; ``within`` says that a ``with`` statement holds it open."""

    number: int
    within: bool = False
    children: int = 0


@dataclass
class Sections:
    """The sections of a draft. The last one that is open takes the next item."""

    draft: Manuscript
    open: list[OpenSection] = field(default_factory=list)
    left: str = ""
    """The section that a ``with`` statement has closed last."""

    @classmethod
    def after(cls, draft: Manuscript) -> Sections:
        """The sections of a draft, of which the last is open."""
        number = len(draft.data["section"])
        return cls(draft, [OpenSection(number - 1)] if number else [])

    @property
    def tables(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.draft.data["section"]
        return found

    def begin(self, table: Mapping[str, Any]) -> OpenSection:
        """Open a section: beside the last one, or inside the one that a ``with`` statement holds open."""
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
        """An item for the section that is open; the first one may open a section of its own."""
        place = self.taking(call)
        steps = self.tables[place.number]["steps"]
        self.draft.items[place.number, len(steps)] = call
        steps.append(entry)

    def take_back(self) -> None:
        """The last item was none after all, and a section that was opened for it alone is none either."""
        steps = self.tables[-1]["steps"]
        steps.pop()
        del self.draft.items[len(self.tables) - 1, len(steps)]
        if not steps and self.tables[-1]["title"] == untitled():
            self.tables.pop()
            self.open.pop()

    def taking(self, call: str) -> OpenSection:
        """The section that takes what ``call`` writes. Raises :class:`~symattn.errors.SymattnError` where none does."""
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
        """A ``with`` statement ends, and what was opened inside it."""
        while self.open and self.open.pop() is not place:
            pass
        self.left = "" if self.open else self._title(self.tables[place.number])

    @staticmethod
    def _title(table: Mapping[str, Any]) -> str:
        title = table["title"]
        return quoted(title if isinstance(title, str) else next(iter(title.values())))


@dataclass(frozen=True)
class SectionContext:
    """What ``d.section(…)`` answers: open until the next section, or for as long as a ``with`` statement takes."""

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
