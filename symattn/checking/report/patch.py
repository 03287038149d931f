"""What is wrong as a patch that ``git apply`` takes: every figure replaced in its place, and nothing else touched."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from symattn.checking.files import DocumentFile
from symattn.checking.model import CheckedDocument
from symattn.checking.report.lines import SourceLines
from symattn.checking.report.mended import Mending, applied, mendings
from symattn.errors import DocumentError

CONTEXT = 3
"""Lines that stand around a change unchanged."""

_NO_END = "\\ No newline at end of file\n"


def patch_of(file: DocumentFile, document: CheckedDocument) -> bytes:
    """The patch of one document, empty where nothing is to be replaced.

    It is in the encoding of the file. Raises :class:`~symattn.errors.DocumentError` for UTF-16, of which git makes no
    patches, and for what is no part of a folder that git knows.
    """
    changes = [change for change, _ in mendings(document)]
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
