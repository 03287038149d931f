"""What is wrong as a patch that ``git apply`` takes: every figure replaced in its place, and nothing else touched."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from symattn.base.errors import STEERING, DocumentError
from symattn.checking.files import DocumentFile
from symattn.checking.model import CheckedDocument, DocumentFinding
from symattn.checking.report.causes import in_order
from symattn.checking.report.lines import SourceLines

NOTEBOOK = ".ipynb"
_MINUS = "-−–"
_DIGITS = r"\d(?:[\d.,'’_ \u00a0\u202f]|\{,\})*|\.\d+"
_FIGURE = re.compile(rf"[{_MINUS}+]?\s*(?:{_DIGITS})(?:[eE][-+]?\d+)?\s*(?:\\?[%％])?")
_SHARE = re.compile(r"(-?)(\d+)/(\d+)")
_SEPARATORS = re.compile(r"[\\\s&;,\[\](){}|]+")
"""What stands between the entries and rows of a matrix, and around it."""
_JOINING = re.compile(r"(?:[-+*/·×÷⋅∗−]|\\(?:c?dot|times|div|pm|ast))\s*$")
_QUOTIENT = re.compile(rf"([{_MINUS}+]?)(\s*(?:\\[cdt]?frac)?\s*\{{?\s*)(\d+)(\s*\}}?\s*[/⁄{{]?\s*)(\d+)(\s*\}}?)")
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


ROUNDS = 4
"""How many times a patched copy is checked until all that is left of a patch holds."""

Check: TypeAlias = Callable[[str, str], CheckedDocument]


def verified(document: CheckedDocument, check: Check) -> tuple[tuple[Mending, DocumentFinding], ...]:
    """Return the mendings that a check of the patched copy finds right, and that bring nothing new with them."""
    kept = mendings(document)
    known = {finding.start for finding in document.findings}
    for _ in range(ROUNDS):
        if not kept:
            break
        after = check(applied(document.text, [change for change, _ in kept]), document.name)
        shift, ends = 0, []
        for change, _ in kept:
            ends.append((change.start + shift, change.start + shift + len(change.text)))
            shift += len(change.text) - (change.end - change.start)
        wrong = {finding.start for finding in after.findings}
        news = {finding.line for finding in after.findings if _before(finding.start, kept) not in known}
        lines = SourceLines(document.text)
        left = tuple(
            one
            for one, (start, end) in zip(kept, ends, strict=True)
            if not any(start <= place < end for place in wrong) and lines.position(one[0].start)[0] not in news
        )
        if len(left) == len(kept):
            return kept
        kept = left
    return ()


def _before(place: int, changes: Sequence[tuple[Mending, DocumentFinding]]) -> int:
    """Return where a place of the patched text was before the changes."""
    for change, _ in changes:
        if change.start + len(change.text) > place:
            break
        place -= len(change.text) - (change.end - change.start)
    return place


def mended(document: CheckedDocument, finding: DocumentFinding) -> Mending | None:
    """What is to stand in the place of a finding; ``None`` where that is not known, or no figure.

    It is written as the figure that it replaces: with its sign of minus, its decimal comma.
    """
    raw = document.text[finding.start : finding.end]
    if finding.relation in ("searched", "role"):
        return None  # nothing states it
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
    if (old := _QUOTIENT.fullmatch(raw)) is not None and (new := _SHARE.fullmatch(expected)) is not None:
        sign = "" if not new[1] else old[1] or "-"
        return sign + old[2] + new[2] + old[4] + new[3] + old[6]
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
    elif comma and expected.count(",") == 1 and "{" not in expected:
        expected = expected.replace(",", comma[1])
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


CONTEXT = 3
"""Lines that stand around a change unchanged."""

_NO_END = "\\ No newline at end of file\n"


def patch_of(file: DocumentFile, document: CheckedDocument, check: Check) -> bytes:
    """Return the patch of one document, empty where nothing is to be replaced.

    It is in the encoding of the file. Raises :class:`~symattn.base.errors.DocumentError` for UTF-16, of which git makes
    no patches, and for what is no part of a folder that git knows.
    """
    changes = [change for change, _ in verified(document, check)]
    if not changes:
        return b""
    if file.encoding.startswith("utf-16"):
        raise DocumentError(f"{file.name}: is UTF-16, which git apply does not take: save it as UTF-8 for a patch")
    name = place_in_git(file)
    try:
        body = "".join(_hunks(document.text, changes, file.mark)).encode(file.encoding)
    except UnicodeEncodeError:
        raise DocumentError(f"{file.name}: what should stand there cannot be written as {file.encoding}") from None
    return b"--- " + quoted(b"a/" + name) + b"\n+++ " + quoted(b"b/" + name) + b"\n" + body


def place_in_git(file: DocumentFile) -> bytes:
    """The path of a file as a patch names it: from the top of its repository, else from the folder we are in."""
    path = Path(os.path.realpath(file.path or file.name))
    top = next((folder for folder in path.parents if (folder / ".git").exists()), Path.cwd().resolve())
    inside = path.relative_to(top) if path.is_relative_to(top) else Path(path.name)
    return os.fsencode(inside.as_posix())


def quoted(name: bytes) -> bytes:
    """A name as git writes it in a patch: in quotes where it would be read otherwise.

    >>> quoted(b"a/b.md"), quoted(b"a/b c.md"), quoted(b'a/"b".md')
    (b'a/b.md', b'a/b c.md\\t', b'"a/\\\\"b\\\\".md"')
    """
    if all(byte >= 0x20 and byte not in b'"\\\x7f' for byte in name):
        return name + (b"\t" if b" " in name else b"")  # else what stands behind the blank is taken for a date
    special = {byte: f"\\{sign}" for byte, sign in zip(b'"\\\a\b\t\n\v\f\r', '"\\abtnvfr', strict=True)}
    signs = (special.get(byte) or (chr(byte) if 0x20 <= byte < 0x7F else f"\\{byte:03o}") for byte in name)
    return f'"{"".join(signs)}"'.encode("ascii")


def _hunks(text: str, changes: Sequence[Mending], mark: str) -> Iterator[str]:
    """Groups of changed lines with the lines around them; a line stays one line."""
    lines = SourceLines(text)
    by_line: dict[int, list[Mending]] = {}
    for change in changes:
        by_line.setdefault(lines.position(change.start)[0], []).append(change)
    for group in _near(sorted(by_line)):
        first, last = max(1, group[0] - CONTEXT), min(lines.count, group[-1] + CONTEXT)
        size = last - first + 1
        yield f"@@ -{first},{size} +{first},{size} @@\n"
        removed: list[str] = []
        added: list[str] = []
        for number in range(first, last + 1):
            old = (mark if number == 1 else "") + lines.whole_line(number)
            if number in by_line:
                shift = lines.start(number) - (len(mark) if number == 1 else 0)
                removed.append(_line("-", old))
                added.append(_line("+", applied(old, by_line[number], shift)))
                continue
            yield from (*removed, *added, _line(" ", old))
            removed, added = [], []
        yield from (*removed, *added)


def _near(numbers: Sequence[int]) -> Iterator[list[int]]:
    """Numbers of changed lines, those together whose surroundings touch."""
    group: list[int] = []
    for number in numbers:
        if group and number - group[-1] > 2 * CONTEXT:
            yield group
            group = []
        group.append(number)
    if group:
        yield group


def _line(sign: str, line: str) -> str:
    return f"{sign}{line}" if line.endswith("\n") else f"{sign}{line}\n{_NO_END}"
