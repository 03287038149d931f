"""Small documents in which every wrong figure is marked, and what a check says of them.

In ``documents/*.txt`` a document stands below ``==== what it shows``. A wrong figure is marked in its place, as it is
printed and as it should be: «2.00→1.73». A check may read it otherwise, «39%=39→38»; with ``?`` it does not matter what
it should be; «7→6: shape» has this kind. Behind a bar in the title: the name of the file, how many figures are
verified, ``some left`` where not all of them are followed, and last what is remarked.

In pages of others «2.5~2.0» marks a figure that follows from a wrong one before it: it is no error of its own, but
where all errors are put right it is 2.0.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import ANY

from symattn.checking.check import check
from symattn.checking.model import CheckedDocument

FOLDER = Path(__file__).with_name("documents")
MARK = re.compile(
    r"«(?P<there>[^«»→~=]+)(?:=(?P<printed>[^«»→~]+))?(?P<sign>[→~])(?P<expected>[^«»:]+)(?:: (?P<kind>\w+))?»"
)

Told = tuple[int, Any, Any, Any]
"""Where a figure begins; as it is printed, as it should be, and of which kind it is."""


@dataclass(frozen=True)
class Document:
    """A document of the tables, without its marks."""

    text: str
    wrong: list[Told]
    about: str = ""
    """What stands behind the bar of its title."""

    @property
    def name(self) -> str:
        return next((word for word in self.about.split(", ") if "." in word), "page.md")

    @property
    def has_left(self) -> bool:
        return "some left" in self.about

    @property
    def verified(self) -> Any:
        count = re.search(r"(\d+) verified", self.about)
        return int(count[1]) if count else ANY

    @property
    def remarked(self) -> str:
        """What the remarks of a check speak of."""
        return self.about.partition("remarks ")[2]

    def changed(self, *changes: tuple[str, str]) -> CheckedDocument:
        """A check of the document with texts replaced, each of which it has."""
        text = self.text
        for old, new in changes:
            assert old in text
            text = text.replace(old, new)
        return check(text, self.name)


def put_right(marked: str) -> str:
    """Return a marked text with what should be there in the place of every mark."""
    return MARK.sub(lambda mark: mark["expected"], marked)


def unmarked(marked: str) -> tuple[str, list[tuple[int, re.Match[str]]]]:
    """Return a marked text with what is there in the place of every mark, and where each of them was."""
    text, marks, at = "", [], 0
    for mark in MARK.finditer(marked):
        text += marked[at : mark.start()]
        marks.append((len(text), mark))
        text, at = text + mark["there"], mark.end()
    return text + marked[at:], marks


def documents() -> Iterator[tuple[str, Document]]:
    """All of them by their titles."""
    for path in sorted(FOLDER.glob("*.txt")):
        for each in path.read_text(encoding="utf-8").split("==== ")[1:]:
            head, _, body = each.partition("\n")
            title, _, about = head.partition(" | ")
            text, marks = unmarked(body)
            yield title, Document(text, [_told(at, mark) for at, mark in marks], about)


def _told(at: int, mark: re.Match[str]) -> Told:
    expected = ANY if mark["expected"] == "?" else mark["expected"]
    return at, mark["printed"] or mark["there"], expected, mark["kind"] or ANY


DOCUMENTS = dict(documents())


def told(found: CheckedDocument) -> list[Told]:
    """The findings as marks have them."""
    return [(each.start, each.printed, each.expected, each.kind) for each in found.findings]


def pairs(path: Path) -> list[tuple[str, str, str]]:
    """Texts and what each is read as: a line ``kind|text``, and one further in; ``⏎`` is the end of a line."""
    lines = [line for line in path.read_text(encoding="utf-8").splitlines() if not line.startswith("==== ")]
    heads = [line.replace("␍", "\r").replace("⏎", "\n").partition("|") for line in lines[::2]]
    return [(kind, text, body.strip()) for (kind, _, text), body in zip(heads, lines[1::2], strict=True)]
