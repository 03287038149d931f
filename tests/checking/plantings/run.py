"""Errors planted in pages, and how many of them a check finds, by class.

python -m tests.checking.plantings.run COUNT SEED [CLASS …]     COUNT pages in all, a part of them without an error
Options: --own SHARE (of pages that symattn writes, 0.2), --show N (so many failures in full), --jobs N,
--by notation|example|language (rows of the table, instead of the class), --groups N (kinds of failures)
"""

from __future__ import annotations

import argparse
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field, fields
from random import Random
from time import perf_counter

from symattn.checking.check import check
from symattn.checking.model import CheckedDocument, DocumentFinding
from tests.checking.plantings.errors import CLASSES, Place, Planted, planted
from tests.checking.plantings.rendered import rendered

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


def page_of(number: int, seed: int, classes: tuple[str, ...], own: float) -> Planted:
    """The page with a number: the same one for every run with this seed."""
    random = Random(f"{seed} {number}")
    error = classes[number % len(classes)]
    return rendered(random, error) if random.random() < own else planted(random, error)


def tried(number: int, seed: int, classes: tuple[str, ...], own: float) -> Measured | str:
    """What a check says of a page, or what it failed with."""
    page = page_of(number, seed, classes, own)
    try:
        return measured(page)
    except Exception as error:  # noqa: BLE001 - whatever it is, it is counted
        return f"{page.error}\t{type(error).__name__}: {error}"[:160]


def failures(found: Measured) -> list[str]:
    """In a word each: what was missed, and what was reported that is right."""
    about = found.page.about.split()
    short = " ".join(about[:3] if about[0] == "own" else about[:2])
    lines = {f"missed {found.page.error} {place.role}: {short}" for place in found.missed}
    return sorted(lines | {f"false {each.kind} ({found.page.error}): {short}" for each in found.false})


def row_of(page: Planted, by: str) -> str:
    """The row of the table that a page counts in."""
    about = page.about.split()
    return {
        "notation": " ".join(about[:2]) if about[0] == "own" else about[0],
        "example": about[-3],
        "language": about[-2],
    }.get(by, page.error)


def _share(task: tuple[list[int], int, tuple[str, ...], float, int, str]) -> tuple[dict[str, Tally], list[str]]:
    numbers, seed, classes, own, show, by = task
    tallies: dict[str, Tally] = defaultdict(Tally)
    shown: list[str] = []
    for number in numbers:
        found = tried(number, seed, classes, own)
        if isinstance(found, str):
            error, _, why = found.partition("\t")
            tallies[error if by == "class" else "broken"].failures[f"broken: {why}"] += 1
            tallies[error if by == "class" else "broken"].broken += 1
            continue
        row = row_of(found.page, by)
        tallies[row].add(found.tally)
        tallies[row].failures.update(failures(found))
        if (found.missed or found.false) and len(shown) < show:
            shown.append(told(number, found))
    return dict(tallies), shown


def told(number: int, found: Measured) -> str:
    """A failure in full."""
    lines = [f"##### {number}: {found.page.error} in {found.page.about}", found.page.text]
    lines += [f"missed line {place.line}: {place.printed} ({place.role})" for place in found.missed]
    lines += [
        f"false line {each.line}: {each.printed} should be {each.expected} ({each.kind}): {each.because}"
        for each in found.false
    ]
    return "\n".join(lines)


def run(
    count: int,
    seed: int,
    classes: tuple[str, ...] = CLASSES,
    own: float = 0.2,
    jobs: int = 1,
    show: int = 0,
    by: str = "class",
) -> tuple[dict[str, Tally], list[str]]:
    """Check ``count`` pages; the tallies by class, and some failures in full."""
    tasks = [(list(range(start, count, jobs)), seed, classes, own, show, by) for start in range(jobs)]
    if jobs == 1:
        results = [_share(tasks[0])]
    else:
        with ProcessPoolExecutor(jobs) as pool:
            results = list(pool.map(_share, tasks))
    tallies: dict[str, Tally] = defaultdict(Tally, {name: Tally() for name in classes if by == "class"})
    for found, _ in results:
        for name, tally in found.items():
            tallies[name].add(tally)
    return tallies, [text for _, shown in results for text in shown][:show]


def table(tallies: Mapping[str, Tally]) -> str:
    """The tallies as a table of Markdown."""
    lines = [
        "| planted | pages | places | found | recall | reported | precision | kind right | one cause | followed | ms |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    lines += [_row(name, tally) for name, tally in tallies.items()]
    return "\n".join([*lines, _row("all", together(tallies))])


def together(tallies: Mapping[str, Tally]) -> Tally:
    """The sum of all."""
    whole = Tally()
    for tally in tallies.values():
        whole.add(tally)
    return whole


def _row(name: str, tally: Tally) -> str:
    cells = (
        name,
        tally.pages,
        tally.places,
        tally.found,
        f"{tally.recall:.2%}",
        tally.reported,
        f"{tally.precision:.2%}",
        f"{tally.kinds / max(1, tally.found):.1%}",
        f"{tally.alone / max(1, tally.pages):.1%}",
        f"{tally.followed / max(1, tally.rights):.1%}",
        f"{1000 * tally.seconds / max(1, tally.pages):.1f}",
    )
    return f"| {' | '.join(map(str, cells))} |"


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("count", type=int)
    asked.add_argument("seed", type=int)
    asked.add_argument("classes", nargs="*")
    asked.add_argument("--own", type=float, default=0.2)
    asked.add_argument("--jobs", type=int, default=1)
    asked.add_argument("--show", type=int, default=0)
    asked.add_argument("--by", default="class", choices=("class", "notation", "example", "language"))
    asked.add_argument("--groups", type=int, default=40)
    told = asked.parse_args()
    tallies, shown = run(told.count, told.seed, tuple(told.classes) or CLASSES, told.own, told.jobs, told.show, told.by)
    print("\n".join(shown))
    print(table(tallies))
    whole = together(tallies)
    if whole.broken:
        print(f"{whole.broken} pages could not be checked")
    for text, often in whole.failures.most_common(told.groups):
        print(f"{often:6} {text}")


if __name__ == "__main__":
    main()
