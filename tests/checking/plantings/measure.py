"""What a check says of a page, held against what was planted in it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, fields
from time import perf_counter

from symattn.checking.check import check
from symattn.checking.model import CheckedDocument, DocumentFinding
from tests.checking.plantings.errors import Place, Planted

ORIGIN: dict[str, tuple[str, ...]] = {
    "transposed": ("wrong", "shape", "contradiction"),
    "separator": ("shape",),
    "chain": ("rounding_chain", "last_digit"),
    "last_digit": ("last_digit", "rounding_chain"),
}
"""The kinds that a finding of a class may have where it begins; anywhere else ``wrong``, or what it was found by."""


@dataclass
class Tally:
    """What came out for the pages of a class."""

    pages: int = 0
    places: int = 0
    found: int = 0
    reported: int = 0
    known: int = 0
    kinds: int = 0
    causes: int = 0
    alone: int = 0
    """Pages with findings that have one cause."""
    rights: int = 0
    followed: int = 0
    """Right figures that were verified."""
    broken: int = 0
    """Pages that could not be checked."""
    seconds: float = 0.0
    failures: Counter[str] = field(default_factory=Counter)

    def add(self, other: Tally) -> None:
        for name in COUNTS:
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.failures.update(other.failures)

    @property
    def recall(self) -> float:
        return self.found / self.places if self.places else 1.0

    @property
    def precision(self) -> float:
        return self.known / self.reported if self.reported else 1.0


COUNTS = tuple(each.name for each in fields(Tally) if each.name != "failures")


@dataclass(frozen=True)
class Measured:
    """A page, what was said of it, and how far that is right."""

    page: Planted
    checked: CheckedDocument
    tally: Tally
    missed: tuple[Place, ...]
    false: tuple[DocumentFinding, ...]


def _meets(spans: Iterable[tuple[int, int]], finding: DocumentFinding) -> bool:
    return any(finding.start < end and start < max(finding.end, finding.start + 1) for start, end in spans)


def measured(page: Planted) -> Measured:
    """Check a page and count."""
    began = perf_counter()
    checked = check(page.text, page.name)
    seconds = perf_counter() - began
    known = [span for place in page.places for span in place.spans]
    found = [place for place in page.places if any(_meets(place.spans, finding) for finding in checked.findings)]
    false = [finding for finding in checked.findings if not _meets([*known, *page.allowed], finding)]
    right = {(each.start, each.end) for each in checked.figures if each.status == "right"}
    tally = Tally(
        1,
        len(page.places),
        len(found),
        len(checked.findings),
        len(checked.findings) - len(false),
        sum(_kind_is_right(page, place, checked.findings) for place in found),
        len({finding.cause for finding in checked.findings}),
        len({finding.cause for finding in checked.findings}) == 1,
        len(page.rights),
        sum(any(start < e and s < end for s, e in _near(right, start, end)) for start, end in page.rights),
        seconds=seconds,
    )
    missed = tuple(place for place in page.places if place not in found)
    return Measured(page, checked, tally, missed, tuple(false))


def _near(right: set[tuple[int, int]], start: int, end: int) -> Iterable[tuple[int, int]]:
    return ((start, end),) if (start, end) in right else right


def _kind_is_right(page: Planted, place: Place, findings: Iterable[DocumentFinding]) -> bool:
    kinds = {finding.kind for finding in findings if _meets(place.spans, finding)}
    if page.error == "chain" and place != page.places[0] and "propagated" in kinds:
        return True  # every step is rounded anew, and goes on from what was rounded before
    if place.is_origin:
        return bool(kinds & {*ORIGIN.get(page.error, ("wrong", "contradiction", "literal"))})
    return "propagated" in kinds
