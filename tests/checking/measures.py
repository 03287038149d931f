"""All measures of a check in one table: what it finds, how often it is wrong, and what its corrections are worth.

python -m tests.checking.measures [--quick] [--only MEASURE …] [--show N] [--check MODULE:FUNCTION]

``--show`` tells of so many documents what was missed and what is false, and ``--only strangers`` takes one measure.

``--quick`` takes a part of the controlled cases, the plantings and the own pages, and needs less than a minute;
all of them need about eight.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from time import process_time

from tests.checking import strangers, twelve
from tests.checking.own.run import FORMS
from tests.checking.plantings import run as plantings
from tests.checking.said.cases import SEEDS, cases
from tests.checking.said.measure import by_way, scored
from tests.checking.said.wordings import WAYS
from tests.checking.scoring import (
    STANDARD,
    Case,
    Check,
    Score,
    check_named,
    markdown,
    outcome,
    percent,
    rows_of,
    shared_folder,
    total,
)

OUTPUT = Path(__file__).resolve().parents[2] / "output"
QUICK_SEEDS = (2, 5, 10)
"""Controlled cases with each kind of formula, one of them in Chinese."""

PAGES, QUICK_PAGES, SEED = 1300, 65, 1
"""How many pages errors are planted in, and from which seed."""

KNOWN = (
    ("000", 102, "\\\\"),
    ("003", 15, "1.475"),
    ("003", 52, "0.238"),
    ("003", 197, "O(n²)"),
    ("004", 59, "0.98"),
    ("004", 59, "0.91"),
)
"""What is wrong in the seeds: their number, the line, and what is right."""

HEAD = ("measure", "documents", "wrong", "found", "false", "precision", "corrections right", "mended", "quiet", "s")


@dataclass(frozen=True)
class MeasureRow:
    """A row of the table, and the details that are told above it."""

    name: str
    score: Score
    seconds: float
    is_patched: bool = True
    """Whether the right text is known, so that the patched one can be compared with it."""
    details: str = ""

    @property
    def cells(self) -> tuple[object, ...]:
        score = self.score
        return (
            self.name + (f" ({score.broken} not read)" if score.broken else ""),
            score.documents,
            score.wrong,
            f"{score.found} {percent(score.found, score.wrong)}" if score.wrong else "–",
            score.false,
            percent(score.precision) if score.wrong else "–",
            f"{score.corrected} {percent(score.corrected, score.found)}" if score.wrong else "–",
            percent(score.mended, score.documents) if self.is_patched else "–",
            percent(score.quiet, score.documents),  # of clean documents: those without an alarm
            f"{self.seconds:.0f}",
        )


def said(check: Check, is_quick: bool) -> Iterator[MeasureRow]:
    """Measure the controlled cases, a row for each way of saying a relation."""
    for way in WAYS:
        began = process_time()
        scores = scored(cases([way], seeds=QUICK_SEEDS if is_quick else range(SEEDS)), check)
        yield MeasureRow(f"said: {way}", total(scores.values()), process_time() - began, details=by_way(scores))


def examples(check: Check) -> Iterator[MeasureRow]:
    """Measure the twelve examples, one to one."""
    began = process_time()
    found = [twelve.tried(page, check) for page in twelve.pages()]
    if found:
        score = total(each.score for each in found)
        yield MeasureRow("twelve examples", score, process_time() - began, False, twelve.table(found))


def planted(check: Check, is_quick: bool) -> Iterator[MeasureRow]:
    """Measure errors planted in pages, a fifth of which symattn writes."""
    began = process_time()
    tallies, _ = plantings.run(QUICK_PAGES if is_quick else PAGES, plantings.PlantingOptions(SEED, check=check))
    whole = plantings.together(tallies)
    score = Score(
        whole.pages + whole.broken,
        whole.places,
        whole.found,
        whole.reported - whole.known,
        whole.corrected,
        whole.mended,
        whole.quiet,
        whole.broken,
    )
    yield MeasureRow("plantings", score, process_time() - began, details=plantings.table(tallies))


def clean(name: str, paths: list[Path], check: Check) -> Iterator[MeasureRow]:
    """Check documents in which nothing is wrong but what is known."""
    began = process_time()
    whole, alarms = Score(), []
    for path in paths:
        known = [(line, expected) for number, line, expected in KNOWN if path.name.startswith(f"{number}_")]
        try:
            findings = check(path.read_text(encoding="utf-8"), path.name).findings
        except Exception as error:  # noqa: BLE001 - whatever it is, the other documents are to be seen
            whole.add(Score(1, len(known), broken=1))
            alarms.append(f"{path.name}: not read: {error}")
            continue
        false = [each for each in findings if (each.line, each.expected) not in known]
        found = len(findings) - len(false)
        whole.add(Score(1, len(known), found, len(false), found, mended=not false, quiet=not false))
        alarms += [f"{path.name} {each.line}: {each.printed} → {each.expected} ({each.kind})" for each in false]
    if paths:
        yield MeasureRow(name, whole, process_time() - began, False, "\n".join(alarms))


def own_pages(is_quick: bool, about_mistakes: bool) -> list[Path]:
    """List the pages that symattn wrote and keeps in ``output``; some of them print wrong figures on purpose."""
    paths = sorted(OUTPUT.glob("*.en.md" if is_quick else "*.md"))
    return [path for path in paths if any(form in path.name for form in FORMS) == about_mistakes]


def seeds() -> list[Path]:
    """List the documents that the first scenarios come from."""
    folder = shared_folder("seeds")
    return sorted(folder.glob("*.txt")) if folder else []


def of_cases(name: str, cases: Iterable[Case], check: Check, show: int) -> Iterator[MeasureRow]:
    """Measure cases, and tell of so many of them what is not as it should be."""
    began = process_time()
    outcomes = [outcome(case, check) for case in cases]
    if not outcomes:
        return
    rows = rows_of(outcomes)
    table = markdown(HEAD[:-1], (MeasureRow(row, score, 0).cells[:-1] for row, score in rows.items()))
    told = [f"##### {each.case.row}\n" + "\n".join(lines) for each in outcomes if (lines := [*each.failures()])]
    details = "\n\n".join([table, *told[:show]])
    yield MeasureRow(name, total(rows.values()), process_time() - began, details=details)


def of_strangers(check: Check, show: int) -> Iterator[MeasureRow]:
    """Measure the pages of others, as they are and put right."""
    for name, is_right in (("strangers", False), ("strangers, put right", True)):
        chosen = (each for each in strangers.cases() if each.row.endswith(strangers.PUT_RIGHT) == is_right)
        yield from of_cases(name, chosen, check, show)


def measures(check: Check, is_quick: bool, only: Collection[str] = (), show: int = 0) -> Iterator[MeasureRow]:
    """Take all measures, or ``only`` some, one after the other."""
    rows: dict[str, Callable[[], Iterator[MeasureRow]]] = {
        "said": lambda: said(check, is_quick),
        "twelve": lambda: examples(check),
        "strangers": lambda: of_strangers(check, show),
        "plantings": lambda: planted(check, is_quick),
        "own": lambda: chain(
            clean("own pages", own_pages(is_quick, False), check),
            clean("own pages on mistakes", own_pages(is_quick, True), check),
        ),
        "seeds": lambda: clean("seeds", seeds(), check),
    }
    for name in only or rows:
        yield from rows[name]()


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("--quick", action="store_true")
    asked.add_argument("--only", nargs="+", default=[], metavar="MEASURE")
    asked.add_argument("--show", type=int, default=0, metavar="N")
    asked.add_argument("--check", default=STANDARD)
    told = asked.parse_args()
    rows = []
    for row in measures(check_named(told.check), told.quick, told.only, told.show):
        print(f"\n{row.name}\n\n{row.details}" if row.details else f"\n{row.name}", flush=True)
        rows.append(row)
    print(f"\n{markdown(HEAD, (row.cells for row in rows))}")


if __name__ == "__main__":
    main()
