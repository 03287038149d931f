"""Compare what a check finds with errors that are known, one to one, and apply its corrections.

Every measure gets the check as a parameter, so that another implementation can be measured.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from decimal import Decimal, InvalidOperation
from importlib import import_module
from pathlib import Path
from typing import TypeAlias

from symattn.checking.check import check
from symattn.checking.model import CheckedDocument, DocumentFinding
from symattn.checking.report.patch import Mending, applied, verified

Check: TypeAlias = Callable[[str, str], CheckedDocument]
"""Checks a text; the second argument is the name of its file."""

STANDARD = "symattn.checking.check:check"


def check_named(name: str = STANDARD) -> Check:
    """Import the check that ``module:function`` names."""
    module, _, function = name.partition(":")
    found: Check = getattr(import_module(module), function)
    return found


@dataclass
class Score:
    """Counts that add up over documents."""

    documents: int = 0
    wrong: int = 0
    """Figures that are known to be wrong."""
    found: int = 0
    false: int = 0
    """Findings that no known error is matched with."""
    corrected: int = 0
    """Found figures whose correction is right."""
    mended: int = 0
    """Documents whose patched text is the right one."""
    quiet: int = 0
    """Documents in whose patched text a second check finds nothing."""
    broken: int = 0
    """Documents that the check failed to read."""

    def add(self, other: Score) -> None:
        for each in fields(Score):
            setattr(self, each.name, getattr(self, each.name) + getattr(other, each.name))

    @property
    def recall(self) -> float:
        return self.found / self.wrong if self.wrong else 1.0

    @property
    def precision(self) -> float:
        return self.found / (self.found + self.false) if self.found + self.false else 1.0

    @property
    def corrections(self) -> float:
        return self.corrected / self.found if self.found else 1.0


def shared_folder(name: str) -> Path | None:
    """Find a folder of material that lies beside the repository, or ``None`` where it is not."""
    return next(
        (found for above in Path(__file__).resolve().parents if (found := above / "shared" / name).is_dir()), None
    )


def total(scores: Iterable[Score]) -> Score:
    """Add scores up."""
    whole = Score()
    for score in scores:
        whole.add(score)
    return whole


def meets(finding: DocumentFinding, start: int, end: int) -> bool:
    """Return True if a finding overlaps a part of the text."""
    return finding.start < end and start < max(finding.end, finding.start + 1)


def is_same_figure(text: str, other: str) -> bool:
    """Return True if two figures are the same number with the same decimals.

    >>> is_same_figure("−0.50", "-0.50"), is_same_figure("0.5", "0.50"), is_same_figure(".5", "0.5")
    (True, False, True)
    """
    return _digits(text) == _digits(other)


def _digits(text: str) -> object:
    plain = text.strip().replace("−", "-").replace("{,}", ".").replace(",", ".").replace("\\infty", "inf")
    if plain.replace("∞", "inf") in ("-inf", "inf"):
        return plain.replace("∞", "inf")
    try:
        sign, digits, exponent = Decimal(plain).as_tuple()
    except InvalidOperation:
        return text.strip()
    return sign if any(digits) else 0, "".join(map(str, digits)).lstrip("0"), exponent


Span: TypeAlias = tuple[int, int]
"""Where something begins and ends in a text, in characters."""


@dataclass(frozen=True)
class KnownError:
    """A figure that is wrong."""

    span: Span
    printed: str
    right: str | None
    """What should be there; ``None`` where it does not matter."""

    def meets(self, finding: DocumentFinding) -> bool:
        return meets(finding, *self.span)

    def is_corrected(self, finding: DocumentFinding) -> bool:
        """Return True if a finding expects the right figure, alone or as a part of what is marked."""
        if not self.meets(finding):
            return False
        start, end = (at - self.span[0] for at in (finding.start, finding.end))
        whole = self.printed[: max(0, start)] + finding.expected + self.printed[end:]
        return self.right is None or any(is_same_figure(text, self.right) for text in (finding.expected, whole))


@dataclass(frozen=True)
class Case:
    """A document and everything that is wrong in it."""

    row: str
    """The row of the table that it counts in."""
    text: str
    name: str = "page.md"
    """Of its file."""
    errors: tuple[KnownError, ...] = ()
    right_text: str | None = None
    """The document without its errors, where that is known."""
    carried: tuple[Span, ...] = ()
    """Figures that follow from wrong ones: a finding there is neither found nor false if it says so."""

    def may_be_told(self, finding: DocumentFinding) -> bool:
        """Return True for a finding that no error is matched with, and that is not false either."""
        return finding.kind == "propagated" and any(meets(finding, *span) for span in self.carried)


@dataclass(frozen=True)
class Outcome:
    """What a check says of a case, and how far that is right."""

    case: Case
    score: Score
    missed: tuple[KnownError, ...] = ()
    false: tuple[DocumentFinding, ...] = ()
    misled: tuple[tuple[KnownError, DocumentFinding], ...] = ()
    """Errors that are found and whose correction is wrong."""
    refused: str = ""
    """Why the check failed."""

    def failures(self) -> Iterator[str]:
        """Tell what was missed, what is false and which corrections are wrong."""
        if self.refused:
            yield f"not read: {self.refused}"
        for error in self.missed:
            yield f"line {self.case.text.count(chr(10), 0, error.span[0]) + 1}: missed {error.printed} → {error.right}"
        for each in self.false:
            yield f"line {each.line}: false {each.printed} → {each.expected} ({each.kind}): {each.because}"
        for error, each in self.misled:
            yield f"line {each.line}: {each.printed} → {each.expected}, which should be {error.right}"


def outcome(case: Case, check: Check) -> Outcome:
    """Check a case and its patched copy; match each error with one finding, first with those that correct it."""
    try:
        checked = check(case.text, case.name)
        copy = PatchedCopy.of(checked)
        is_quiet = not copy.news(checked, check(copy.text, case.name))
    except Exception as failure:  # noqa: BLE001 - whatever it is, it is counted
        refused = f"{type(failure).__name__}: {failure}"[:160]
        return Outcome(case, Score(1, len(case.errors), broken=1), case.errors, refused=refused)
    left, missed, pairs = list(checked.findings), list(case.errors), []
    for fits in (KnownError.is_corrected, KnownError.meets):
        for error in tuple(missed):
            finding = next((each for each in left if fits(error, each)), None)
            if finding is not None:
                pairs.append((error, finding))
                missed.remove(error)
                left.remove(finding)
    false = tuple(each for each in left if not case.may_be_told(each))
    misled = tuple((error, finding) for error, finding in pairs if not error.is_corrected(finding))
    score = Score(
        1,
        len(case.errors),
        len(pairs),
        len(false),
        len(pairs) - len(misled),
        mended=copy.text == case.right_text,
        quiet=is_quiet,
    )
    return Outcome(case, score, tuple(missed), false, misled)


def rows_of(outcomes: Iterable[Outcome]) -> dict[str, Score]:
    """Add the scores of outcomes up by the rows of their cases."""
    rows: dict[str, Score] = {}
    for each in outcomes:
        rows.setdefault(each.case.row, Score()).add(each.score)
    return rows


@dataclass(frozen=True)
class PatchedCopy:
    """A text with everything that ``--patch`` writes."""

    text: str
    changes: tuple[Mending, ...]

    @classmethod
    def of(cls, document: CheckedDocument) -> PatchedCopy:
        changes = tuple(change for change, _ in verified(document, check))
        return cls(applied(document.text, changes), changes)

    def moved(self, at: int) -> int:
        """Return where a place of the old text is in the new one."""
        return at + sum(len(each.text) - (each.end - each.start) for each in self.changes if each.end <= at)

    def at(self, start: int, end: int) -> str:
        """Return what the new text has in the place of a part of the old one."""
        return self.text[self.moved(start) : self.moved(end)]

    def news(self, before: CheckedDocument, after: CheckedDocument) -> list[DocumentFinding]:
        """List the findings of the new text, except for those that the patch left as they were."""
        changed = {each.start for each in self.changes}
        left = {self.moved(each.start) for each in before.findings if each.start not in changed}
        return [each for each in after.findings if each.start not in left]


def patched(document: CheckedDocument) -> str:
    """Return the text with everything that ``--patch`` writes."""
    return PatchedCopy.of(document).text


def markdown(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Lay out a table that is readable as text and as Markdown.

    >>> print(markdown(["a", "b"], [["one", 2]]))
    | a   | b |
    | --- | - |
    | one | 2 |
    """
    lines = [list(map(str, head)), *(list(map(str, row)) for row in rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    lines.insert(1, ["-" * width for width in widths])
    return "\n".join(
        f"| {' | '.join(cell.ljust(width) for cell, width in zip(line, widths, strict=True))} |" for line in lines
    )


def percent(part: float, whole: float = 1.0) -> str:
    """Write a share with one decimal; of nothing it is a dash.

    >>> percent(1, 3), percent(0.5), percent(0, 0)
    ('33.3 %', '50.0 %', '–')
    """
    return f"{100 * part / whole:.1f} %" if whole else "–"
