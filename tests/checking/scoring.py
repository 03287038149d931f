"""Compare what a check finds with errors that are known, one to one, and apply its corrections.

Every measure is a generator of cases. The check is a parameter, so that another implementation can be measured.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, fields
from decimal import Decimal, InvalidOperation
from time import process_time
from typing import TypeAlias

from symattn.checking.check import check
from symattn.checking.model import KINDS, ROUNDING_KINDS, CheckedDocument, DocumentFinding
from symattn.checking.report.patch import Mending, applied, verified

Check: TypeAlias = Callable[[str, str], CheckedDocument]
"""Checks a text; the second argument is the name of its file."""

Span: TypeAlias = tuple[int, int]
"""Where something begins and ends in a text, in characters."""


FIGURE = re.compile(r"[-−]?(?<![A-Za-z0-9_.])(?:\d+(?:\.\d+)?|\.\d+)")


def meets(finding: DocumentFinding, spans: Iterable[Span]) -> bool:
    """Return True if a finding overlaps one of several parts of the text."""
    return any(finding.start < end and start < max(finding.end, finding.start + 1) for start, end in spans)


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
        sign, digits, exponent = Decimal(plain.lstrip("+")).as_tuple()
    except InvalidOperation:
        return text.strip()
    return sign if any(digits) else 0, "".join(map(str, digits)).lstrip("0"), exponent


def line_at(text: str, start: int) -> int:
    """Return the number of the line that a place is on, from 1."""
    return text.count("\n", 0, start) + 1


@dataclass(frozen=True)
class KnownError:
    """A figure that is wrong, or a grid of figures."""

    spans: tuple[Span, ...]
    """Where it is, or may be where it is printed several times."""
    printed: str
    rights: tuple[str, ...]
    """What may be there instead; empty where no figure puts it right."""
    expected: tuple[str, ...] = ()
    """What else a finding may expect: the shape that a grid should have."""
    repeated: tuple[Span, ...] = ()
    """Where the same figure is printed again: one finding there will do, and more are neither found nor false."""
    kinds: frozenset[str] = frozenset(KINDS)
    """What a finding may call it."""
    is_any_right: bool = False
    """Whether it does not matter what is expected."""

    @property
    def right(self) -> str:
        """What to tell of what is right."""
        return next(iter((*self.rights, *self.expected)), "something else")

    def is_there(self, finding: DocumentFinding) -> bool:
        return meets(finding, self.spans)

    def is_repeated(self, finding: DocumentFinding) -> bool:
        return meets(finding, self.repeated)

    def is_right(self, text: str) -> bool:
        return any(is_same_figure(text, each) for each in (*self.rights, *self.expected))

    def is_corrected(self, finding: DocumentFinding) -> bool:
        """Return True if a finding expects what is right, of all that is marked or of a part of it."""
        if self.is_any_right or self.is_right(finding.expected):
            return True
        start, end = (at - self.spans[0][0] for at in (finding.start, finding.end))
        return self.is_right(self.printed[: max(0, start)] + finding.expected + self.printed[max(0, end) :])


@dataclass(frozen=True)
class Case:
    """A document and everything that is wrong in it."""

    labels: tuple[str, ...]
    """The rows of the table that it counts in, by what the table is about."""
    text: str
    name: str = "page.md"
    """Of its file."""
    errors: tuple[KnownError, ...] = ()
    right_text: str | None = None
    """The document without its errors, where there is only one."""
    allowed: tuple[Span, ...] = ()
    """Where a finding of the allowed kinds is neither found nor false."""
    allowed_kinds: frozenset[str] = frozenset(KINDS)
    may_round: bool = False
    """Whether a finding that is only about rounding is neither found nor false."""
    untouched: tuple[Span, ...] = ()
    """What no patch may change."""
    part: str = ""
    """The part of the measure that it belongs to."""

    def may_be_told(self, finding: DocumentFinding) -> bool:
        """Return True for a finding that no error is matched with, and that is not false either."""
        is_allowed = finding.kind in self.allowed_kinds and meets(finding, self.allowed)
        is_rounding = self.may_round and finding.kind in ROUNDING_KINDS
        return is_allowed or is_rounding or any(error.is_repeated(finding) for error in self.errors)


@dataclass
class Score:
    """Counts that add up over cases."""

    documents: int = 0
    wrong: int = 0
    """Figures that are known to be wrong."""
    found: int = 0
    false: int = 0
    """Findings that no known error is matched with."""
    corrected: int = 0
    """Found figures whose correction is right."""
    mended: int = 0
    """Documents in whose patched text everything is right."""
    quiet: int = 0
    """Documents in whose patched text a second check finds nothing."""
    broken: int = 0
    """Documents that the check failed to read."""
    patched: int = field(default=0, compare=False)
    """Wrong figures that are right in the patched text."""
    named: int = field(default=0, compare=False)
    """Found figures that are called what they are."""
    figures: int = field(default=0, compare=False)
    """Figures that claim something, as the check counts them."""
    followed: int = field(default=0, compare=False)
    """Of these, the ones that were verified."""
    seconds: float = field(default=0.0, compare=False)

    def add(self, other: Score) -> None:
        for each in fields(Score):
            setattr(self, each.name, getattr(self, each.name) + getattr(other, each.name))

    @property
    def recall(self) -> float:
        return self.found / self.wrong if self.wrong else 1.0

    @property
    def precision(self) -> float:
        return self.found / (self.found + self.false) if self.found + self.false else 1.0


def total(scores: Iterable[Score]) -> Score:
    """Add scores up."""
    whole = Score()
    for score in scores:
        whole.add(score)
    return whole


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


@dataclass(frozen=True)
class Outcome:
    """What a check says of a case, and how far that is right."""

    case: Case
    score: Score
    missed: tuple[KnownError, ...] = ()
    false: tuple[DocumentFinding, ...] = ()
    misled: tuple[tuple[KnownError, DocumentFinding], ...] = ()
    """Errors that are found and whose correction is wrong."""
    why_not: tuple[tuple[str, int], ...] = ()
    """Why figures were not verified, and how many."""
    trouble: str = ""
    """What else is not as it should be."""

    def failures(self) -> list[str]:
        """Tell what was missed, what is false and which corrections are wrong."""
        text = self.case.text
        return [
            *([self.trouble] if self.trouble else []),
            *(f"line {line_at(text, e.spans[0][0])}: missed {e.printed} → {e.right}" for e in self.missed),
            *(f"line {f.line}: false {f.printed} → {f.expected} ({f.kind}): {f.because}" for f in self.false),
            *(f"line {f.line}: {f.printed} → {f.expected}, which should be {e.right}" for e, f in self.misled),
        ]


def outcome(case: Case, check: Check = check) -> Outcome:
    """Check a case and its patched copy; a check that fails is counted."""
    began = process_time()
    try:
        found = _outcome(case, check)
    except Exception as failure:  # noqa: BLE001 - whatever it is, the other documents are to be seen
        trouble = f"not read: {type(failure).__name__}: {failure}"[:160]
        found = Outcome(case, Score(1, len(case.errors), broken=1), case.errors, trouble=trouble)
    found.score.seconds = process_time() - began
    return found


def _outcome(case: Case, check: Check) -> Outcome:
    checked = check(case.text, case.name)
    copy = PatchedCopy.of(checked)
    news = copy.news(checked, check(copy.text, case.name)) if copy.changes else []
    pairs, missed, left = matched(case.errors, checked.findings)
    false = tuple(each for each in left if not case.may_be_told(each))
    patched = [
        error
        for error, _ in pairs
        if any(is_same_figure(copy.at(*span), right) for span in error.spans for right in error.rights)
    ]
    misled = tuple((e, f) for e, f in pairs if not e.is_corrected(f) and e not in patched)
    is_mended = copy.text == case.right_text or (
        case.right_text is None and len(patched) == len(case.errors) and not false
    )
    is_touched = any(s <= each.start < e for each in copy.changes for s, e in case.untouched)
    score = Score(
        documents=1,
        wrong=len(case.errors),
        found=len(pairs),
        false=len(false),
        corrected=len(pairs) - len(misled),
        mended=is_mended,
        quiet=not news,
        patched=len(patched),
        named=sum(finding.kind in error.kinds for error, finding in pairs),
        figures=checked.coverage.figures,
        followed=checked.coverage.verified,
    )
    why_not = tuple((each.why, each.figures) for each in checked.unfollowed)
    trouble = "the patch changes what it must not" if is_touched else ""
    return Outcome(case, score, tuple(missed), false, misled, why_not, trouble)


Pair: TypeAlias = tuple[KnownError, DocumentFinding]


def matched(
    errors: Iterable[KnownError], findings: Iterable[DocumentFinding]
) -> tuple[list[Pair], list[KnownError], list[DocumentFinding]]:
    """Pair errors with findings, the closest first; also return the errors and the findings that are left over."""
    missed, left, pairs = list(errors), list(findings), []
    steps: tuple[Callable[[KnownError, DocumentFinding], bool], ...] = (
        lambda error, finding: error.is_there(finding) and error.is_corrected(finding),
        KnownError.is_there,
        KnownError.is_repeated,
    )
    for fits in steps:
        for error in tuple(missed):
            finding = next((each for each in left if fits(error, each)), None)
            if finding is not None:
                pairs.append((error, finding))
                missed.remove(error)
                left.remove(finding)
    return pairs, missed, left
