"""The page about a class: its most frequent mistakes, and where answers first went wrong."""

from __future__ import annotations

from collections.abc import Iterator

from symattn.claims.mistakes.model import KEYS, mistake_text
from symattn.course.marking.classes import ClassReport, Frequency
from symattn.course.marking.model import Status
from symattn.course.marking.output import say, title_of
from symattn.show.blocks import Block, Document, Heading, Inline, Phrase, Prose, Table
from symattn.show.notation.names import by_rule

LISTED = 8
"""The most mistakes that fit on a page with the rest."""

EXPLAINED = 3
"""The number of mistakes whose explanation the page gives in full."""

_STATUSES: tuple[Status, ...] = ("right", "carried", "wrong", "empty", "unreadable")


def class_page(report: ClassReport, language: str, title: str = "") -> Document:
    """Return the page in one language; ``title`` names the exercise."""
    heading = Phrase("class_title", (("title", title or report.topic),))
    return Document((heading,), language, tuple(_blocks(report, language)))


def _blocks(report: ClassReport, language: str) -> Iterator[Block]:
    numbers = (("students", len(report.marked)), ("points", report.points), ("most", report.most))
    yield Phrase("class_summary", numbers)
    frequencies = report.mistakes[:LISTED]
    yield Heading(1, "", (Phrase("class_mistakes"),))
    if frequencies or report.unexplained:
        header = tuple(Phrase(key) for key in ("head_mistake", "class_students", "class_perhaps"))
        rows = [_frequency(one, language) for one in frequencies]
        if report.unexplained:
            rows.append(((Phrase("class_unexplained"),), (str(report.unexplained),), ("",)))
        yield Table(header, tuple(rows))
    else:
        yield Phrase("class_no_mistakes")
    for one in frequencies[:EXPLAINED]:
        for name in one.mistakes:
            title, feedback, hint = (mistake_text(name, key, language) for key in KEYS)
            yield Prose((say(language, "explained", title=title, feedback=feedback, hint=hint),))
    yield Heading(1, "", (Phrase("class_parts"),))
    yield _parts(report)


def _frequency(one: Frequency, language: str) -> tuple[tuple[Inline, ...], ...]:
    return ((title_of(one, language),), (str(one.sure),), (str(one.perhaps),))


def _parts(report: ClassReport) -> Table:
    """Return a table of all parts: how many answers first went wrong there, and how their cells were answered."""
    firsts = {one.part: one.students for one in report.steps}
    header = tuple(Phrase(key) for key in ("head_step", "class_first", *(f"class_{status}" for status in _STATUSES)))
    rows: list[tuple[tuple[Inline, ...], ...]] = []
    for part in report.by_part:
        counts = [(str(part.counts.get(status, 0)),) for status in _STATUSES]
        rows.append(((by_rule(part.part),), (str(firsts.get(part.part, 0)),), *counts))
    return Table(header, tuple(rows))
