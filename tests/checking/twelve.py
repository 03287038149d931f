"""Twelve examples of others, one to one: each finding is matched with one error of the list that belongs to a page.

An error is matched with a finding of the same figure on its line, else on a line that repeats the figure. Further
findings on lines that repeat a wrong figure are neither found nor false; all others are false.

python -m tests.checking.twelve [NUMBER …] [--check MODULE:FUNCTION] [--show]
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import mean

from symattn.checking.model import CheckedDocument, DocumentFinding
from tests.checking.scoring import (
    STANDARD,
    Check,
    PatchedCopy,
    Score,
    check_named,
    is_same_figure,
    markdown,
    percent,
    shared_folder,
    total,
)


@dataclass(frozen=True)
class ListedError:
    """An error of a page, as its list has it."""

    line: int
    printed: str
    correct: str
    kind: str
    repeated: tuple[int, ...]
    """Further lines on which the same wrong figure stands."""


@dataclass(frozen=True)
class ListedPage:
    """A page and its list of errors."""

    name: str
    text: str
    errors: tuple[ListedError, ...]


@dataclass(frozen=True)
class MatchedPage:
    """The findings of a page, each with its error."""

    page: ListedPage
    score: Score
    pairs: tuple[tuple[ListedError, DocumentFinding], ...]
    missed: tuple[ListedError, ...]
    repeats: tuple[DocumentFinding, ...]
    false: tuple[DocumentFinding, ...]


def pages() -> Iterator[ListedPage]:
    """Read all pages; there are none where the folder is not."""
    folder = shared_folder("check-examples")
    for path in sorted(folder.glob("*.md")) if folder else ():
        yield _read(path)


def _read(path: Path) -> ListedPage:
    listed = json.loads(path.with_suffix(".errata.json").read_text(encoding="utf-8"))["errata"]
    errors = (
        ListedError(
            each["line"],
            each["printed"],
            each["correct"],
            each["cls"],
            tuple(each.get("same_number_also_on_lines", ())),
        )
        for each in listed
    )
    return ListedPage(path.name, path.read_text(encoding="utf-8"), tuple(errors))


def matched(page: ListedPage, check: Check) -> MatchedPage:
    """Check a page and match its findings with its errors, the closest pairs first."""
    checked = check(page.text, page.name)
    pairs, errors, findings = matches(page.errors, checked)
    repeats = [each for each in findings if any(_repeats(error, each) for error in page.errors)]
    false = [each for each in findings if each not in repeats]
    corrected = sum(is_same_figure(finding.expected, error.correct) for error, finding in pairs)
    copy = PatchedCopy.of(checked)
    is_quiet = int(not copy.news(checked, check(copy.text, page.name)))
    score = Score(1, len(page.errors), len(pairs), len(false), corrected, quiet=is_quiet)
    return MatchedPage(page, score, tuple(pairs), tuple(errors), tuple(repeats), tuple(false))


def tried(page: ListedPage, check: Check) -> MatchedPage:
    """Match a page; one on which the check fails is broken."""
    try:
        return matched(page, check)
    except Exception:  # noqa: BLE001 - whatever it is, it is counted
        return MatchedPage(page, Score(1, len(page.errors), broken=1), (), page.errors, (), ())


def matches(
    listed: Iterable[ListedError], checked: CheckedDocument
) -> tuple[list[tuple[ListedError, DocumentFinding]], list[ListedError], list[DocumentFinding]]:
    """Pair errors with findings, one to one; also return the errors and the findings that are left over."""
    errors, findings = list(listed), list(checked.findings)
    pairs = []
    for fits in (_is_corrected, _is_there, _repeats):
        for error in tuple(errors):
            finding = next((each for each in findings if fits(error, each)), None)
            if finding is not None:
                pairs.append((error, finding))
                errors.remove(error)
                findings.remove(finding)
    return pairs, errors, findings


def _is_there(error: ListedError, finding: DocumentFinding) -> bool:
    return finding.line == error.line and is_same_figure(finding.printed, error.printed)


def _is_corrected(error: ListedError, finding: DocumentFinding) -> bool:
    return _is_there(error, finding) and is_same_figure(finding.expected, error.correct)


def _repeats(error: ListedError, finding: DocumentFinding) -> bool:
    return finding.line in error.repeated and is_same_figure(finding.printed, error.printed)


# -- the table ---------------------------------------------------------------------------------------------------------

HEAD = ["page", "errors", "found", "recall", "repeats", "false", "precision", "corrections right", "quiet after"]


def table(found: Iterable[MatchedPage]) -> str:
    """Write a row for each page, the total, and the mean of the pages' shares."""
    found = tuple(found)
    rows = [_row(each.page.name, each.score, len(each.repeats)) for each in found]
    whole = total(each.score for each in found)
    shares = {name: percent(mean(values)) for name, values in macro(found).items()}
    rows.append(_row("all", whole, sum(len(each.repeats) for each in found)))
    rows.append(["mean of pages", "", "", shares["recall"], "", "", shares["precision"], shares["corrections"], ""])
    return markdown(HEAD, rows)


def macro(found: Iterable[MatchedPage]) -> Mapping[str, list[float]]:
    """The shares of each page that has errors."""
    scores = [each.score for each in found if each.score.wrong]
    return {
        "recall": [each.recall for each in scores],
        "precision": [each.precision for each in scores],
        "corrections": [each.corrections for each in scores],
    }


def _row(name: str, score: Score, repeats: int) -> list[object]:
    return [
        name + (f" ({score.broken} not read)" if score.broken else ""),
        score.wrong,
        score.found,
        percent(score.found, score.wrong),
        repeats,
        score.false,
        percent(score.found, score.found + score.false),
        f"{score.corrected}/{score.found} {percent(score.corrected, score.found)}",
        f"{score.quiet}/{score.documents}",
    ]


def failures(found: MatchedPage) -> Iterator[str]:
    """Tell what was missed, what is false and which corrections are wrong."""
    name = found.page.name
    for error in found.missed:
        yield f"{name} {error.line}: missed {error.printed} → {error.correct} ({error.kind})"
    for each in found.false:
        yield f"{name} {each.line}: false {each.printed} → {each.expected} ({each.kind}): {each.because}"
    for error, each in found.pairs:
        if not is_same_figure(each.expected, error.correct):
            yield f"{name} {each.line}: {each.printed} → {each.expected}, which should be {error.correct}"


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("numbers", nargs="*")
    asked.add_argument("--check", default=STANDARD)
    asked.add_argument("--show", action="store_true", help="tell everything that is not as it should be")
    told = asked.parse_args()
    check = check_named(told.check)
    chosen = [each for each in pages() if not told.numbers or each.name.removesuffix(".md") in told.numbers]
    if not chosen:
        sys.exit("the examples are not beside this repository")
    found = [tried(each, check) for each in chosen]
    print(table(found))
    for each in found if told.show else ():
        for line in failures(each):
            print(line)


if __name__ == "__main__":
    main()
