"""Findings as SARIF 2.1.0 (OASIS), which GitHub's code scanning and editors read."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from hashlib import sha256
from pathlib import Path
from types import MappingProxyType
from typing import Any
from urllib.parse import quote

import symattn
from symattn.base.errors import printable, readable
from symattn.checking.model import KINDS, CheckedDocument, DocumentFinding
from symattn.checking.report.causes import SAID, CauseGroup, causes_of, in_order
from symattn.checking.report.form import encoded
from symattn.checking.report.lines import SourceLines
from symattn.checking.report.patch import Mending, mended
from symattn.checking.report.text import coverage_line, said, told

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
NOT_VERIFIED = "not_verified"
AROUND = 40
"""Characters before and behind a finding by which it is known again where lines have moved."""

RELATED = 100
"""Other places of a cause that its origin names; each of them names the origin."""


def as_sarif(documents: Sequence[CheckedDocument], unread: Sequence[tuple[str, str]] = (), strict: bool = False) -> str:
    """A log of one run over all documents; ``strict`` tells what is not verified too."""
    results = [result for place, each in enumerate(documents) for result in _results(each, place, strict)]
    run = {
        "tool": {"driver": {"name": "symattn", "version": symattn.__version__, "rules": _rules()}},
        "columnKind": "utf16CodeUnits",
        "invocations": [_invocation(unread)],
        "artifacts": [_artifact(document) for document in documents],
        "results": results,
    }
    return encoded({"version": "2.1.0", "$schema": SCHEMA, "runs": [run]})


def uri(name: str) -> str:
    """The address of a file: relative where its name is.

    >>> uri("notes/a b:c.md"), uri("/docs/頁.md")
    ('notes/a%20b%3Ac.md', 'file:///docs/%E9%A0%81.md')
    """
    if Path(name).is_absolute():
        return Path(name).as_uri()
    return quote(os.fsencode(name.replace(os.sep, "/")), safe="/")


def message(text: str) -> dict[str, str]:
    """A plain text: braces stand for themselves and nothing in it is a link.

    >>> message("x_{1} [a](b)")
    {'text': 'x_{{1}} [a] (b)'}
    """
    plain = readable(text).replace("{", "{{").replace("}", "}}").replace("](", "] (")
    return {"text": plain}


def _rules() -> list[dict[str, Any]]:
    rules = [_rule(kind, SAID[kind].called.capitalize(), SAID[kind].meant, SAID[kind].level) for kind in KINDS]
    return [*rules, _rule(NOT_VERIFIED, "Not verified", "What stands there could not be followed.", "warning")]


def _rule(name: str, short: str, long: str, level: str) -> dict[str, Any]:
    return {
        "id": name,
        "name": "".join(part.capitalize() for part in name.split("_")),
        "shortDescription": {"text": f"{short}."},
        "fullDescription": {"text": long},
        "help": {"text": long},
        "defaultConfiguration": {"level": level},
    }


def _invocation(unread: Sequence[tuple[str, str]]) -> dict[str, Any]:
    told = [
        {
            "level": "error",
            "message": message(because),
            "locations": [{"physicalLocation": {"artifactLocation": {"uri": uri(name)}}}],
        }
        for name, because in unread
    ]
    return {"executionSuccessful": not unread, **({"toolExecutionNotifications": told} if told else {})}


def _artifact(document: CheckedDocument) -> dict[str, Any]:
    properties = {"coverage": asdict(document.coverage)}
    return {"location": {"uri": uri(document.name)}, "roles": ["analysisTarget"], "properties": properties}


class _Places:
    """Where things stand in one document."""

    def __init__(self, document: CheckedDocument, number: int) -> None:
        self.lines = SourceLines(document.text)
        self.file = {"uri": uri(document.name), "index": number}

    def region(self, start: int, end: int) -> dict[str, int]:
        line, column = self.lines.utf_16(start)
        end_line, end_column = self.lines.utf_16(end)
        return {"startLine": line, "startColumn": column, "endLine": end_line, "endColumn": end_column}

    def location(self, start: int, end: int) -> dict[str, Any]:
        return {"physicalLocation": {"artifactLocation": self.file, "region": self.region(start, end)}}

    def around(self, start: int, end: int) -> str:
        """What stands around a place in its line."""
        before = self.lines.whole[max(start - AROUND, 0) : start].rpartition("\n")[2]
        behind = self.lines.whole[end : end + AROUND].partition("\n")[0]
        return f"{before.strip()}\n{behind.strip()}"

    def fix(self, change: Mending, printed: str) -> dict[str, Any]:
        replacement = {"deletedRegion": self.region(change.start, change.end), "insertedContent": {"text": change.text}}
        return {
            "description": message(f"{change.text} instead of {printed}"),
            "artifactChanges": [{"artifactLocation": self.file, "replacements": [replacement]}],
        }


def _results(document: CheckedDocument, number: int, strict: bool) -> Iterator[dict[str, Any]]:
    places = _Places(document, number)
    groups = {group.number: group for group in causes_of(document)}
    seen: Counter[str] = Counter()
    for finding in in_order(document):
        yield _result(document, finding, groups[finding.cause], places, seen)
    for left in document.unfollowed if strict else ():
        open = f"{left.text}: {left.why}" if left.text else left.why
        start = places.lines.start(left.line) + left.column - 1
        yield {
            "ruleId": NOT_VERIFIED,
            "ruleIndex": len(KINDS),
            "level": "error",
            "message": message(open),
            "locations": [places.location(start, start)],
            "partialFingerprints": {"symattn/v1": _print(seen, NOT_VERIFIED, left.text, left.why)},
        }


def _result(
    document: CheckedDocument, finding: DocumentFinding, group: CauseGroup, places: _Places, seen: Counter[str]
) -> dict[str, Any]:
    others = group.others[:RELATED] if finding is group.origin else (group.origin,)
    related = [
        {"id": place, **places.location(other.start, other.end), "message": message(_role(other, group))}
        for place, other in enumerate(others, 1)
    ]
    change = mended(document, finding)
    around = places.around(finding.start, finding.end)
    return {
        "ruleId": finding.kind,
        "ruleIndex": KINDS.index(finding.kind),
        "level": SAID[finding.kind].level,
        "message": message(". ".join(part.rstrip(".") for part in told(finding)) + "."),
        "locations": [places.location(finding.start, finding.end)],
        **({"relatedLocations": related} if related else {}),
        "partialFingerprints": {
            "symattn/v1": _print(seen, finding.kind, finding.of, finding.printed, finding.expected, around)
        },
        **({"fixes": [places.fix(change, finding.printed)]} if change is not None else {}),
        "properties": {"cause": finding.cause, "printed": finding.printed, "expected": finding.expected},
    }


def _role(other: DocumentFinding, group: CauseGroup) -> str:
    return f"{'The cause' if other is group.origin else 'From the same cause'}: {said(other)}"


def _print(seen: Counter[str], *parts: str) -> str:
    """What tells a finding from others when lines before it come and go: what it says, and how often that was said."""
    whole = "\0".join(parts)
    seen[whole] += 1
    return sha256(f"{whole}\0{seen[whole]}".encode("utf-8", "surrogatepass")).hexdigest()[:32]


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
