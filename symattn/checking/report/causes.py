"""Findings by what they come from: one wrong product that spreads to nine figures is one cause with nine places."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from types import MappingProxyType
from typing import Literal

from symattn.checking.model import CheckedDocument, DocumentFinding, FindingKind, Unfollowed

Level = Literal["error", "warning", "note"]
"""How grave a finding is: what only comes of rounding is a warning."""


@dataclass(frozen=True)
class KindSaid:
    """What a person reads for a kind, how grave it is, and what it means."""

    called: str
    level: Level
    meant: str


SAID: Mapping[FindingKind, KindSaid] = MappingProxyType({
    "wrong": KindSaid("wrong", "error", "Nothing in the document makes this figure."),
    "propagated": KindSaid(
        "follows from a wrong figure", "error",
        "The figure is right for an earlier figure that is wrong: mend that one, and this one with it.",
    ),
    "last_digit": KindSaid(
        "wrong in the last digit", "warning",
        "The last digit was cut off instead of rounded, or is one unit beside what it should be.",
    ),
    "rounding_chain": KindSaid(
        "made from rounded figures", "warning",
        "The figure is right for the rounded figures printed before it, and not for the exact ones.",
    ),
    "shape": KindSaid(
        "has no shape that fits", "error",
        "What stands there has no shape that fits: it cannot be multiplied, or a separator of rows is lost.",
    ),
    "contradiction": KindSaid("contradicts another place", "error", "Two places print one quantity in two ways."),
    "literal": KindSaid(
        "other figures than its names have", "error",
        "The formula has other figures in it than the names that it stands for.",
    ),
})  # fmt: skip


@dataclass(frozen=True)
class CauseGroup:
    """Everything that has one origin, in the order of the file."""

    number: int
    origin: DocumentFinding
    places: tuple[DocumentFinding, ...]

    @property
    def others(self) -> tuple[DocumentFinding, ...]:
        """The places without the origin."""
        return tuple(place for place in self.places if place is not self.origin)


def causes_of(document: CheckedDocument) -> tuple[CauseGroup, ...]:
    """The findings of a document by their causes, each where its origin stands.

    The origin is the first place that follows from no other one.
    """
    by_cause: dict[int, list[DocumentFinding]] = {}
    for finding in in_order(document):
        by_cause.setdefault(finding.cause, []).append(finding)
    groups = []
    for number, places in by_cause.items():
        origin = next((place for place in places if place.kind != "propagated"), places[0])
        groups.append(CauseGroup(number, origin, tuple(places)))
    return tuple(sorted(groups, key=lambda group: (group.origin.start, group.origin.end, group.number)))


def in_order(document: CheckedDocument) -> list[DocumentFinding]:
    """The findings of a document in the order of the file."""
    return sorted(document.findings, key=lambda finding: (finding.start, finding.end, finding.kind, finding.cause))


def reasons(document: CheckedDocument) -> tuple[tuple[str, tuple[Unfollowed, ...]], ...]:
    """What could not be followed, by why, the most figures first."""
    by_why: dict[str, list[Unfollowed]] = {}
    for each in sorted(document.unfollowed, key=lambda each: (each.line, each.column, each.text)):
        by_why.setdefault(each.why, []).append(each)
    ranked = sorted(by_why.items(), key=lambda row: (-sum(each.figures for each in row[1]), row[1][0].line, row[0]))
    return tuple((why, tuple(each)) for why, each in ranked)


def by_line(places: tuple[DocumentFinding, ...]) -> Iterator[tuple[int, tuple[DocumentFinding, ...]]]:
    """Places line by line; they come in the order of the file."""
    for line, found in groupby(places, key=lambda place: place.line):
        yield line, tuple(found)


def listed(lines: list[int], most: int = 12) -> str:
    """Numbers of lines, each once; runs are drawn together, and of many the first are told.

    >>> listed([3, 4, 4, 5, 9]), listed([1]), listed([*range(1, 40, 2)], most=3)
    ('lines 3–5, 9', 'line 1', 'lines 1, 3, 5 and 17 more')
    """
    numbers = sorted(set(lines))
    runs: list[list[int]] = []
    for number in numbers:
        if runs and runs[-1][1] == number - 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    told = [f"{first}" if first == last else f"{first}–{last}" for first, last in runs[:most]]
    left = sum(last - first + 1 for first, last in runs[most:])
    return f"line{'s' * (len(numbers) > 1)} {', '.join(told)}{f' and {left} more' if left else ''}"


def counted(number: int, what: str) -> str:
    """A number of things.

    >>> counted(1, "figure"), counted(2, "figure")
    ('1 figure', '2 figures')
    """
    return f"{number} {what}{'' if number == 1 else 's'}"
