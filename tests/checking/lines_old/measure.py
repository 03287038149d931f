"""Measure a check on right pages and on the same pages with one wrong figure.

Every measure takes the check as a parameter, so that another implementation can be compared.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, fields
from random import Random

from symattn.checking.check import check
from symattn.checking.model import CheckedDocument, DocumentFinding
from symattn.checking.report.patch import applied, verified
from tests.checking.lines.arithmetic import ARITHMETIC, Line
from tests.checking.lines.hand import FRAMES, Hand
from tests.checking.lines.page import PlantedPage, ShortPage, planted, unmarked, worth
from tests.checking.lines.terms import AwkwardError
from tests.checking.lines.vectors import VECTORS
from tests.checking.lines.worked import WORKED

Check = Callable[[str, str], CheckedDocument]
"""Checks a text under the name of its file."""

WritePage = Callable[[str, int], ShortPage]
"""Writes the right page of a class that belongs to a seed."""

LINES: dict[str, Line] = {**ARITHMETIC, **VECTORS, **WORKED}
"""Every class of lines."""


def line_page(kind: str, seed: int) -> ShortPage:
    """Write the right page of a class that belongs to a seed; four in a row have the four frames."""
    random = Random(f"{kind} {seed}")
    while True:
        try:
            return unmarked(kind, LINES[kind](Hand(random, FRAMES[seed % len(FRAMES)])))
        except AwkwardError:
            continue


@dataclass
class RightTally:
    """What a check says of right pages."""

    pages: int = 0
    alarms: int = 0
    """Pages with a finding."""
    patched: int = 0
    """Pages that the patch changes."""
    in_program: int = 0
    """Pages whose patch changes the text of a program."""
    claims: int = 0
    verified: int = 0
    """Claims that are called right."""
    unverified: int = 0
    """Claims that count as not verified."""
    silent: int = 0
    """Claims that count as given, or not at all."""
    shown: list[str] = field(default_factory=list)
    """What failed, in full."""


@dataclass
class PlantedTally:
    """What a check says of pages with one wrong figure."""

    pages: int = 0
    found: int = 0
    """Pages with a finding at the wrong figure."""
    expected: int = 0
    """Pages whose finding expects the right figure."""
    patched: int = 0
    """Pages that the patch turns into the right page."""
    called_right: int = 0
    """Pages that call the wrong figure right."""
    unverified: int = 0
    silent: int = 0
    """Pages whose wrong figure counts as given, or not at all."""
    elsewhere: int = 0
    """Pages with a finding at a figure that is right."""
    in_program: int = 0
    """Pages whose patch changes the text of a program."""
    shown: list[str] = field(default_factory=list)


Tally = RightTally | PlantedTally


def patched_text(checked: CheckedDocument) -> str:
    """Apply the patch to the text."""
    return applied(checked.text, [mending for mending, _ in verified(checked, check)])


def patches_program(checked: CheckedDocument, program: Iterable[tuple[int, int]]) -> bool:
    """Return True if the patch changes the text of a program: it may only change what the program prints."""
    starts = [mending.start for mending, _ in verified(checked, check)]
    return any(first <= start < last for first, last in program for start in starts)


def standing(checked: CheckedDocument, start: int, end: int) -> str:
    """Tell how the figure at a place counts: ``wrong``, ``right``, ``unverified`` or ``silent``."""
    statuses = {each.status for each in checked.figures if each.start < end and start < each.end}
    if statuses - {"right", "given", "not_verified"}:
        return "wrong"
    return "right" if "right" in statuses else "unverified" if "not_verified" in statuses else "silent"


def is_right_page(text: str, page: PlantedPage) -> bool:
    """Return True for the right page; its figure may be written with another minus or with zeros at its end."""
    before, after = page.text[: page.start], page.text[page.end :]
    figure = text[len(before) : len(text) - len(after)]
    return text == before + figure + after and worth(figure) == worth(page.expected)


def touches(finding: DocumentFinding, start: int, end: int) -> bool:
    """Return True if a finding lies in a place, or over its edge."""
    return finding.start < end and start < max(finding.end, finding.start + 1)


def add_right(tally: RightTally, page: ShortPage, check: Check) -> None:
    """Check a right page and count."""
    checked = check(page.text, page.name)
    places = [standing(checked, each.start, each.end) for each in page.claims]
    tally.pages += 1
    tally.alarms += bool(checked.findings)
    tally.patched += patched_text(checked) != page.text
    tally.in_program += patches_program(checked, page.program)
    tally.claims += len(places)
    tally.verified += places.count("right")
    tally.unverified += places.count("unverified")
    tally.silent += places.count("silent")
    if checked.findings:
        tally.shown.append(_shown(page.text, checked))


def add_planted(tally: PlantedTally, page: PlantedPage, check: Check) -> None:
    """Check a page with one wrong figure and count."""
    checked = check(page.text, page.right.name)
    here = [finding for finding in checked.findings if touches(finding, page.start, page.end)]
    how = standing(checked, page.start, page.end)
    is_patched = is_right_page(patched_text(checked), page)
    tally.pages += 1
    tally.found += bool(here)
    is_expected = is_patched or any(worth(finding.expected) == worth(page.expected) for finding in here)
    tally.expected += bool(here) and is_expected
    tally.patched += is_patched
    tally.elsewhere += len(here) < len(checked.findings)
    tally.in_program += patches_program(checked, page.program)
    if not here:
        tally.called_right += how == "right"
        tally.unverified += how == "unverified"
        tally.silent += how not in ("right", "unverified")
    if not here or not is_patched or len(here) < len(checked.findings):
        tally.shown.append(f"{page.printed} should be {page.expected} ({how}) in\n{_shown(page.text, checked)}")


def _shown(text: str, checked: CheckedDocument) -> str:
    lines = [
        f"  {each.line}: {each.printed} → {each.expected} ({each.kind}): {each.because}" for each in checked.findings
    ]
    return "\n".join([text.rstrip(), *lines])


def right_pages(
    check: Check, write: WritePage, kinds: Iterable[str], count: int, first: int = 0
) -> dict[str, RightTally]:
    """Check ``count`` right pages of each class."""
    tallies = {kind: RightTally() for kind in kinds}
    for kind, tally in tallies.items():
        for seed in range(first, first + count):
            add_right(tally, write(kind, seed), check)
    return tallies


def planted_pages(
    check: Check, write: WritePage, kinds: Iterable[str], count: int, first: int = 0
) -> dict[str, PlantedTally]:
    """Check the same pages with one wrong figure each."""
    tallies = {kind: PlantedTally() for kind in kinds}
    for kind, tally in tallies.items():
        for seed in range(first, first + count):
            add_planted(tally, planted(Random(f"planted {kind} {seed}"), write(kind, seed)), check)
    return tallies


def whole(tallies: Iterable[Tally]) -> dict[str, int]:
    """Add the counts of tallies of one kind."""
    counts: dict[str, int] = {}
    for tally in tallies:
        for each in fields(tally):
            if each.name != "shown":
                counts[each.name] = counts.get(each.name, 0) + getattr(tally, each.name)
    return counts


def table(tallies: dict[str, RightTally] | dict[str, PlantedTally], without: tuple[str, ...] = ()) -> str:
    """Write tallies as a table of Markdown, with a last row for all; leave the columns ``without`` out."""
    rows = {name: whole([tally]) for name, tally in tallies.items()}
    rows["all"] = whole(tallies.values())
    columns = [name for name in rows["all"] if name not in without]
    heads = [name.replace("_", " ") for name in columns]
    lines = [f"| class | {' | '.join(heads)} |", "| --- |" + " ---: |" * len(heads)]
    lines += [f"| {name} | {' | '.join(str(counts[each]) for each in columns)} |" for name, counts in rows.items()]
    return "\n".join(lines)
