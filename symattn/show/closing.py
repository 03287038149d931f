"""The closing parts of a page: remarks on its figures, and everything about its source."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from symattn.compute.solution.store import Store
from symattn.read.scenario.model import Claim, NoteItem, Scenario
from symattn.read.scenario.words import Words
from symattn.show.blocks import Block, Heading, Inline, Phrase, Prose, Readings, Table
from symattn.show.notation.names import Names
from symattn.show.part import PagePart

if TYPE_CHECKING:
    from symattn.compute.solution.quantities import QuantityValues
    from symattn.show.source.claims import Verdict

Mistakes = Callable[[str], Mapping[str, str]]
"""Returns, in a language, the mistakes that explain printed figures, by the name of the step."""
Remark = tuple[str, Phrase]
"""The name of a step, or none, and a sentence about its figures."""


def no_mistakes(language: str) -> Mapping[str, str]:
    """Return no mistakes: this package knows none."""
    return {}


def about_figures(remarks: Sequence[Remark], names: Names, by_hand: bool, intervals: bool) -> list[Block]:
    """Return the remarks on how figures are rounded, each once for all steps that it is true of."""
    if not remarks:
        return []
    alike: dict[str, list[Remark]] = {}
    for name, says in remarks:
        alike.setdefault(says.key, []).append((name, says))
    items = tuple(_together(found, names) for found in alike.values())
    return [
        Heading(1, "", (Phrase("figures_title"),)),
        Phrase("figures_intro", (("by_hand", by_hand), ("intervals", intervals))),
        Readings(items),
    ]


def _together(found: Sequence[Remark], names: Names) -> Phrase:
    """Return one sentence for all remarks, with the first as its example."""
    first = found[0][1]
    counts = [dict(says.arguments).get("count") for _, says in found]
    total = sum(count for count in counts if isinstance(count, int))
    of = tuple(names(name) for name in dict.fromkeys(name for name, _ in found) if name)
    return Phrase(f"{first.key}_all", (("names", of), ("total", total), *first.arguments), "reading")


@dataclass(frozen=True)
class AboutSource:
    """The part about the source of a scenario: its title, remarks, claims, and figures that differ.

    With ``gathers``, remarks between the steps are moved here too.
    """

    scenario: Scenario
    solution: Store
    names: Names
    inlines: Callable[[Words], tuple[Inline, ...]]
    gathers: bool
    values: Callable[[], QuantityValues]
    mistakes: Callable[[], Mapping[str, str]]

    @property
    def says_anything(self) -> bool:
        """Whether there is such a part."""
        return bool(self.scenario.claims or self.scenario.printed or self._remarks)

    def parts(self) -> Iterator[PagePart]:
        """Yield its parts, in order."""
        scenario = self.scenario
        if not self.says_anything:
            return
        yield PagePart((), lambda: [Heading(1, "", (Phrase("source_title"),))])
        if scenario.source is not None:
            yield PagePart(
                ("source",), lambda: [Prose(self.inlines(scenario.source), "source")] if scenario.source else []
            )
        if self._remarks:
            yield PagePart((), self._gathered)
        yield from self._claims()
        if scenario.printed:
            from symattn.show.source.printed import comparison

            yield PagePart(
                ("printed",), partial(comparison, scenario, self.solution, self.names, self.inlines, self.mistakes)
            )

    @property
    def _remarks(self) -> list[tuple[str, Words]]:
        """The remarks on the source, each with the number of its section; none unless they are gathered."""
        found = ((section.number, item) for section in self.scenario.sections for item in section.items)
        notes = [(number, item.words) for number, item in found if isinstance(item, NoteItem) and item.of_source]
        return notes if self.gathers else []

    def _gathered(self) -> list[Block]:
        said = ((("place", number), ("words", self.inlines(words))) for number, words in self._remarks)
        return [Readings(tuple(Phrase("source_remark", arguments, "reading") for arguments in said))]

    def _claims(self) -> Iterator[PagePart]:
        """Yield the judgement of each claim as a part of its own, so that an error can say which, then their table."""
        verdicts: list[Verdict] = []
        for claim in self.scenario.claims:
            yield PagePart(claim.key, partial(self._judge, claim, verdicts))
        if self.scenario.claims:
            yield PagePart(("claim",), partial(self._table, verdicts))

    def _judge(self, claim: Claim, verdicts: list[Verdict]) -> list[Block]:
        from symattn.show.source.claims import judge

        verdicts.append(judge(claim, self.solution, self.values(), self.names))
        return []

    def _table(self, verdicts: list[Verdict]) -> Iterator[Block]:
        from symattn.show.source import claims

        yield Heading(2, "", (Phrase("claims_title"),))
        yield Phrase("claims_intro", claims.counts(verdicts), "line")
        header = tuple(Phrase(key) for key in ("head_claim", "head_printed", "head_derived", "head_verdict"))
        found = list(zip(self.scenario.claims, verdicts, strict=True))
        rows = [claims.claim_row(claim, verdict, self.inlines) for claim, verdict in found if verdict.is_settled]
        if rows:
            yield Table(header, tuple(rows))
        rest = [claims.unverified_item(claim, self.inlines) for claim, verdict in found if not verdict.is_settled]
        if rest:
            yield Phrase("claims_open", (("count", len(rest)),), "lead")
            yield Readings(tuple(rest))
