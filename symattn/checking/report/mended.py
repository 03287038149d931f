"""What is to be put in the place of a figure that is not right, in the file as it is."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass

from symattn.checking.model import CheckedDocument, DocumentFinding
from symattn.checking.report.causes import in_order
from symattn.errors import STEERING

NOTEBOOK = ".ipynb"
_MINUS = "-−–"
_FIGURE = re.compile(rf"[{_MINUS}+]?\s*(?:\d[\d.,'’_ \u00a0\u202f]*|\.\d+)(?:[eE][-+]?\d+)?\s*(?:\\?[%％])?")
_SEPARATORS = re.compile(r"[\\\s&;,\[\](){}|]+")
"""What stands between the entries and rows of a matrix, and around it."""
_JOINING = re.compile(r"(?:[-+*/·×÷⋅∗−]|\\(?:c?dot|times|div|pm|ast))\s*$")
_COMMA = re.compile(r"\d*(,|\{,\})\d+\D*")


@dataclass(frozen=True)
class Mending:
    """A part of a file, and what is to stand there."""

    start: int
    end: int
    text: str


def mendings(document: CheckedDocument) -> tuple[tuple[Mending, DocumentFinding], ...]:
    """Everything that can be put right in its place, in the order of the file, no two over each other."""
    found: list[tuple[Mending, DocumentFinding]] = []
    for finding in in_order(document):
        mending = mended(document, finding)
        if mending is not None and (not found or found[-1][0].end <= mending.start):
            found.append((mending, finding))
    return tuple(found)


def mended(document: CheckedDocument, finding: DocumentFinding) -> Mending | None:
    """What is to stand in the place of a finding; ``None`` where that is not known, or no figure.

    It is written as the figure that it replaces: with its sign of minus, its decimal comma.
    """
    raw = document.text[finding.start : finding.end]
    if "\n" in raw or not raw or not finding.expected or STEERING.search(finding.expected):
        return None
    if not document.name.lower().endswith(NOTEBOOK):
        text = _written(raw, finding, document.text[max(finding.start - 12, 0) : finding.start])
    else:
        plain = _unescaped(raw)
        text = None if plain is None else _written(plain, finding, "")
        # A notebook is JSON: what stands in a text of it is escaped.
        text = None if text is None else json.dumps(text, ensure_ascii=raw.isascii())[1:-1]
    return None if text is None or text == raw else Mending(finding.start, finding.end, text)


def _unescaped(raw: str) -> str | None:
    try:
        text = json.loads(f'"{raw}"')
    except ValueError:
        return None
    return text if isinstance(text, str) and "\n" not in text else None


def _written(raw: str, finding: DocumentFinding, before: str) -> str | None:
    """What is expected, in the manner of what stands there."""
    expected = finding.expected
    if finding.kind == "shape":
        is_text = _SEPARATORS.fullmatch(raw) and _SEPARATORS.fullmatch(expected)
        return expected if is_text and raw.strip() == finding.printed.strip() else None
    is_known = _FIGURE.fullmatch(raw) or _bare(raw) == _bare(finding.printed)
    if not is_known or not _FIGURE.fullmatch(expected):
        return None
    return _signed(raw, _parted(raw, expected), before)


def _bare(text: str) -> str:
    return "".join(text.split())


def _parted(raw: str, expected: str) -> str:
    """With the decimal comma, and the sign of percent, that stand there."""
    comma = _COMMA.fullmatch(raw.lstrip(f"{_MINUS}+ "))
    if comma and expected.count(".") == 1 and "," not in expected:
        expected = expected.replace(".", comma[1])
    for percent in ("\\%", "％", "%"):
        if raw.rstrip().endswith(percent):
            gap = raw[len(raw.removesuffix(percent).rstrip()) : len(raw) - len(percent)]
            return expected.rstrip("\\%％ ") + gap + percent
    return expected


def _signed(raw: str, expected: str, before: str) -> str:
    """With the sign of minus that stands there; a new one behind another sign of arithmetic stands in brackets."""
    if expected[:1] not in _MINUS:
        return expected
    figure = expected[1:].lstrip()
    if raw[0] in _MINUS:
        gap = raw[1 : len(raw) - len(raw[1:].lstrip())]
        return raw[0] + gap + figure
    return f"(-{figure})" if _JOINING.search(before) else f"-{figure}"


def applied(text: str, changes: Iterable[Mending], first: int = 0) -> str:
    """A text with everything put in its place; ``first`` is where the text begins in the file.

    >>> applied("1 + 1 = 3", [Mending(8, 9, "2")])
    '1 + 1 = 2'
    """
    pieces, done = [], 0
    for change in changes:
        pieces += [text[done : change.start - first], change.text]
        done = change.end - first
    return "".join([*pieces, text[done:]])
