"""Everything that is known of one line: each figure on it, what it was held against, and how it is worked out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from symattn.checking.model import KINDS, CheckedDocument, DocumentFinding, FigureStatus, FigureVerdict
from symattn.checking.report.causes import SAID, CauseGroup, causes_of, counted, in_order, listed
from symattn.checking.report.lines import SourceLines
from symattn.checking.report.text import said
from symattn.errors import DocumentError, cut, printable

_STATUSES: Mapping[FigureStatus, str] = MappingProxyType(
    {**{kind: SAID[kind].called for kind in KINDS}, "right": "right", "given": "given", "not_verified": "not verified"}
)


def explained(document: CheckedDocument, line: int) -> str:
    """What is known of a line, as text; it ends with one newline.

    Raises :class:`~symattn.errors.DocumentError` for a line that the document has not got.
    """
    lines = SourceLines(document.text)
    if line > lines.count:
        raise DocumentError(f"{document.name}: has {counted(lines.count, 'line')}: there is no line {line}")
    return "".join(f"{each}\n" for each in _told(document, line, lines))


def _told(document: CheckedDocument, line: int, lines: SourceLines) -> Iterator[str]:
    start, text = lines.start(line), lines.text(line)
    findings = {(each.start, each.end): each for each in in_order(document) if each.line == line}
    verdicts = {(each.start, each.end): each for each in document.figures if start <= each.start <= start + len(text)}
    yield f"{printable(document.name)}, line {line}:"
    spans = sorted({*findings, *verdicts})
    for part in lines.marked(line, [*findings.values(), *verdicts.values()]):
        yield f"{line:>5} | {part.shown}"
        yield f"      | {part.marks}"
    causes = {group.number: group for group in causes_of(document)} if findings else {}
    for span in spans:
        yield ""
        yield from _figure(causes, lines, verdicts.get(span), findings.get(span), span)
    left = [each for each in document.unfollowed if each.line == line]
    if left:
        yield ""
        yield "Not verified:"
        yield from (
            f"   column {each.column}: {cut(printable(each.text), 80)}: {printable(each.why)}"
            f" ({counted(each.figures, 'figure')})"
            for each in left
        )
    if not (spans or left):
        yield "   No figure was read on this line."


def _figure(
    causes: Mapping[int, CauseGroup],
    lines: SourceLines,
    verdict: FigureVerdict | None,
    finding: DocumentFinding | None,
    span: tuple[int, int],
) -> Iterator[str]:
    column = lines.position(span[0])[1]
    told = said(finding) if finding is not None else _said(verdict)
    of = (finding.of if finding else "") or (verdict.of if verdict else "")
    yield f"Column {column}: {told}"
    worked = (finding.worked if finding else "") or (verdict.worked if verdict else "")
    yield from _row("it is", of)
    if verdict is not None:
        yield from _row("why not" if verdict.status == "not_verified" else "made by", verdict.formula)
        yield from _row("value", verdict.value)
    yield from _row("worked out", worked)
    if finding is not None:
        yield from _row("because", finding.because)
        for each in finding.explained:
            yield from _row("perhaps", each.said)
        yield from _row("cause", _cause(causes[finding.cause], finding))


def _said(verdict: FigureVerdict | None) -> str:
    if verdict is None:
        return ""
    return f"{cut(printable(verdict.printed), 80)} ({_STATUSES[verdict.status]})"


def _row(name: str, text: str) -> Iterator[str]:
    if text:
        yield f"   {name + ':':<11} {printable(text)}"


def _cause(group: CauseGroup, finding: DocumentFinding) -> str:
    """Where a finding comes from, or what comes from it."""
    if finding is not group.origin:
        return f"line {group.origin.line}: {said(group.origin)}"
    if group.others:
        return f"of {counted(len(group.others), 'other place')}: {listed([each.line for each in group.others])}"
    return ""
