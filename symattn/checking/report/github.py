"""Findings as commands of GitHub's workflows, which shows each at its line in the changes of a pull request."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

from symattn.checking.model import CheckedDocument
from symattn.checking.report.causes import SAID, in_order
from symattn.checking.report.lines import SourceLines
from symattn.checking.report.text import coverage_line, told
from symattn.errors import printable, readable

_DATA: Mapping[str, str] = MappingProxyType({"%": "%25", "\r": "%0D", "\n": "%0A"})
_PLACE: Mapping[str, str] = MappingProxyType({**_DATA, ":": "%3A", ",": "%2C"})


def command(level: str, message: str, **places: str | int) -> str:
    """A command of a workflow: ``file``, ``line`` and what else is said of the place, and a message.

    >>> command("error", "50% is wrong", file="a,b.md", line=3)
    '::error file=a%2Cb.md,line=3::50%25 is wrong'
    """
    told = ",".join(f"{name}={_escaped(printable(str(value)), _PLACE)}" for name, value in places.items())
    return f"::{level} {told}::{_escaped(message, _DATA)}"


def _escaped(text: str, signs: Mapping[str, str]) -> str:
    return "".join(signs.get(sign, sign) for sign in text)


def as_commands(documents: Sequence[CheckedDocument], strict: bool = False) -> str:
    """A command for each place, and a line about each document; ``strict`` tells what is not verified too."""
    return "".join(f"{line}\n" for document in documents for line in _commands(document, strict))


def _commands(document: CheckedDocument, strict: bool) -> Iterator[str]:
    lines = SourceLines(document.text)
    for finding in in_order(document):
        line, column = lines.utf_16(finding.start)
        end_line, end_column = lines.utf_16(finding.end)
        end = {"endColumn": end_column} if end_line == line else {}
        kind, text = SAID[finding.kind], "\n".join(map(readable, told(finding)))
        title = f"symattn: {kind.called}"
        yield command(kind.level, text, file=document.name, line=line, col=column, **end, title=title)
    for left in document.unfollowed if strict else ():
        open = f"{left.text}: {left.why}" if left.text else left.why
        place: dict[str, str | int] = {"file": document.name, "line": left.line, "col": left.column}
        yield command("error", readable(open), **place, title="symattn: not verified")
    # A runner looks for commands of an older form anywhere in a line.
    yield f"symattn: {printable(document.name)}: {coverage_line(document)}".replace("##[", "## [")
