"""Errors planted in pages, and how many of them a check finds, by class.

python -m tests.checking.plantings.run COUNT SEED [CLASS …]     COUNT pages in all, a part of them without an error
Options: --own SHARE (of pages that symattn writes, 0.2), --show N (so many failures in full), --jobs N,
--by notation|example|language (rows of the table, instead of the class), --groups N (kinds of failures),
--check MODULE:FUNCTION (another check), --no-patch (do not check patched pages again: half the time)
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
from tests.checking.scoring import STANDARD, Check, PatchedCopy, check_named, is_same_figure, markdown, meets

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
    corrected: int = 0
    """Places that were found and whose correction is what stood there before."""
    mendable: int = 0
    """Places that were found on pages that were patched, and that a figure or a separator puts right."""
    patched: int = 0
    """Of these, the ones at which the patched text is what it was before."""
    mended: int = 0
    """Pages on which all places are found and patched, or on which nothing is wrong and nothing is found."""
    quiet: int = 0
    """Pages in whose patched text a second check finds nothing new."""
    news: int = 0
    """Findings that a second check has in patched text, and that the patch did not leave there."""
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
    return any(meets(finding, start, end) for start, end in spans)


def measured(page: Planted, check: Check = check, is_patched: bool = True) -> Measured:
    """Check a page and count; patch it and check it again where that is asked for."""
    began = perf_counter()
    checked = check(page.text, page.name)
    seconds = perf_counter() - began
    known = [span for place in page.places for span in place.spans]
    found = [place for place in page.places if any(_meets(place.spans, finding) for finding in checked.findings)]
    false = [finding for finding in checked.findings if not _meets([*known, *page.allowed], finding)]
    right = {(each.start, each.end) for each in checked.figures if each.status == "right"}
    tally = Tally(
        pages=1,
        places=len(page.places),
        found=len(found),
        reported=len(checked.findings),
        known=len(checked.findings) - len(false),
        kinds=sum(_kind_is_right(page, place, checked.findings) for place in found),
        causes=len({finding.cause for finding in checked.findings}),
        alone=len({finding.cause for finding in checked.findings}) == 1,
        rights=len(page.rights),
        followed=sum(any(start < e and s < end for s, e in _near(right, start, end)) for start, end in page.rights),
        seconds=seconds,
        corrected=sum(_is_corrected(place, checked.findings) for place in found),
    )
    if is_patched:
        _count_patched(tally, page, found, checked, check)
        tally.mended = int(tally.patched == len(page.places) and not false)
    missed = tuple(place for place in page.places if place not in found)
    return Measured(page, checked, tally, missed, tuple(false))


def _is_corrected(place: Place, findings: Iterable[DocumentFinding]) -> bool:
    """Return True if the first finding at a place expects what was there before, or the shape that the grid had."""
    finding = next(each for each in findings if _meets(place.spans, each))
    if place.shape:
        return finding.expected == (r"\\" if place.rights else place.shape)
    return any(is_same_figure(finding.expected, right) for right in place.rights)


def _count_patched(tally: Tally, page: Planted, found: list[Place], checked: CheckedDocument, check: Check) -> None:
    copy = PatchedCopy.of(checked)
    mendable = [place for place in found if place.rights]
    tally.mendable = len(mendable)
    tally.patched = sum(_is_mended(copy.at(*place.spans[0]), place) for place in mendable)
    tally.news = len(copy.news(checked, check(copy.text, page.name))) if copy.changes else 0
    tally.quiet = int(not tally.news)


def _is_mended(text: str, place: Place) -> bool:
    return text in place.rights if place.shape else any(is_same_figure(text, right) for right in place.rights)


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


def tried(number: int, options: PlantingOptions) -> Measured | str:
    """What a check says of a page, or what it failed with."""
    page = page_of(number, options.seed, options.classes, options.own)
    try:
        return measured(page, options.check, options.is_patched)
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


@dataclass(frozen=True)
class PlantingOptions:
    """Which pages are written, how they are checked, and what is told of them."""

    seed: int
    classes: tuple[str, ...] = CLASSES
    own: float = 0.2
    """The share of pages that symattn writes."""
    show: int = 0
    by: str = "class"
    check: Check = check
    is_patched: bool = True
    """Whether corrections are applied, and the patched pages checked again."""


def _share(task: tuple[list[int], PlantingOptions]) -> tuple[dict[str, Tally], list[str]]:
    numbers, options = task
    by = options.by
    tallies: dict[str, Tally] = defaultdict(Tally)
    shown: list[str] = []
    for number in numbers:
        found = tried(number, options)
        if isinstance(found, str):
            error, _, why = found.partition("\t")
            tallies[error if by == "class" else "broken"].failures[f"broken: {why}"] += 1
            tallies[error if by == "class" else "broken"].broken += 1
            continue
        row = row_of(found.page, by)
        tallies[row].add(found.tally)
        tallies[row].failures.update(failures(found))
        if (found.missed or found.false) and len(shown) < options.show:
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


def run(count: int, options: PlantingOptions, jobs: int = 1) -> tuple[dict[str, Tally], list[str]]:
    """Check ``count`` pages; the tallies by class, and some failures in full."""
    tasks = [(list(range(start, count, jobs)), options) for start in range(jobs)]
    if jobs == 1:
        results = [_share(tasks[0])]
    else:
        with ProcessPoolExecutor(jobs) as pool:
            results = list(pool.map(_share, tasks))
    tallies: dict[str, Tally] = defaultdict(Tally, {name: Tally() for name in options.classes if options.by == "class"})
    for found, _ in results:
        for name, tally in found.items():
            tallies[name].add(tally)
    return tallies, [text for _, shown in results for text in shown][: options.show]


HEAD = (
    *("planted", "pages", "places", "found", "recall", "reported", "precision", "corrections", "patched right"),
    *("new after", "kind right", "one cause", "followed", "ms"),
)


def table(tallies: Mapping[str, Tally]) -> str:
    """The tallies as a table of Markdown."""
    rows = [_row(name, tally) for name, tally in tallies.items()]
    return markdown(HEAD, [*rows, _row("all", together(tallies))])


def together(tallies: Mapping[str, Tally]) -> Tally:
    """The sum of all."""
    whole = Tally()
    for tally in tallies.values():
        whole.add(tally)
    return whole


def _row(name: str, tally: Tally) -> tuple[object, ...]:
    return (
        name,
        tally.pages,
        tally.places,
        tally.found,
        f"{tally.recall:.2%}",
        tally.reported,
        f"{tally.precision:.2%}",
        f"{tally.corrected / max(1, tally.found):.2%}",
        f"{tally.patched / max(1, tally.mendable):.2%}",
        tally.news,
        f"{tally.kinds / max(1, tally.found):.1%}",
        f"{tally.alone / max(1, tally.pages):.1%}",
        f"{tally.followed / max(1, tally.rights):.1%}",
        f"{1000 * tally.seconds / max(1, tally.pages):.1f}",
    )


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
    asked.add_argument("--check", default=STANDARD)
    asked.add_argument("--no-patch", dest="patch", action="store_false")
    told = asked.parse_args()
    classes = tuple(told.classes) or CLASSES
    options = PlantingOptions(told.seed, classes, told.own, told.show, told.by, check_named(told.check), told.patch)
    tallies, shown = run(told.count, options, told.jobs)
    print("\n".join(shown))
    print(table(tallies))
    whole = together(tallies)
    if whole.broken:
        print(f"{whole.broken} pages could not be checked")
    for text, often in whole.failures.most_common(told.groups):
        print(f"{often:6} {text}")


if __name__ == "__main__":
    main()
