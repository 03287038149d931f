"""Compare what a check finds with errors that are known, one to one, and apply its corrections.

Every measure gets the check as a parameter, so that another implementation can be measured.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
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
