"""What a check found, for people: coverage first, then findings by cause, then what could not be followed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType

from symattn.base.errors import DocumentError, cut, printable
from symattn.checking.model import KINDS, CheckedDocument, DocumentFinding, FigureStatus, FigureVerdict
from symattn.checking.report.causes import SAID, CauseGroup, by_line, causes_of, counted, in_order, listed, reasons
from symattn.checking.report.lines import SourceLines

LINES_SHOWN = 8
"""Lines of one cause that are shown with their marks; of the others the numbers are told."""

_CODES = {"head": "1", "wrong": "31", "right": "32", "note": "2"}

Paint = Callable[[str, str], str]


def as_text(documents: Sequence[CheckedDocument], colour: bool = False) -> str:
    """Every document with what there is to say of it; it ends with one newline, unless there is none.

    What comes from a document is shown without what steers a terminal; ``colour`` adds our own colours.
    """

    def paint(text: str, how: str) -> str:
        return f"\x1b[{_CODES[how]}m{text}\x1b[0m" if text and colour else text

    blocks = ["\n".join(_document(document, paint)) for document in documents]
    if len(documents) > 1:
        blocks.append(paint(_sum(documents), "head"))
    return "".join(f"{block}\n" for block in "\n\n".join(blocks).split("\n")) if blocks else ""


def _document(document: CheckedDocument, paint: Paint) -> Iterator[str]:
    yield paint(f"{printable(document.name)}: ", "head") + coverage_line(document)
    lines = SourceLines(document.text)
    for place, cause in enumerate(causes_of(document), 1):
        yield ""
        yield from _cause(place, cause, lines, paint)
    yield from _remarks(document, paint)
    yield from _not_followed(document, paint)


def coverage_line(document: CheckedDocument) -> str:
    """How much of a document was followed."""
    told = document.coverage
    if not told.figures and not told.given:
        return "no figure was found that says anything: nothing was checked"
    verified = f"{told.verified} verified ({told.right} right, {told.wrong} wrong)"
    given = f"; {told.given} given" if told.given else ""
    return f"{counted(told.figures, 'figure')}: {verified}, {told.not_verified} not verified{given}"


def _sum(documents: Sequence[CheckedDocument]) -> str:
    wrong = sum(bool(document.findings) for document in documents)
    places = sum(len(document.findings) for document in documents)
    return f"{counted(len(documents), 'document')}, {wrong} with findings, {counted(places, 'place')} in all"


# -- a cause -----------------------------------------------------------------------------------------------------------


def _cause(place: int, cause: CauseGroup, lines: SourceLines, paint: Paint) -> Iterator[str]:
    origin = cause.origin
    of = f" {printable(origin.of)}:" if origin.of else ""
    more = f", and {counted(len(cause.others), 'place')} more" if cause.others else ""
    yield paint(f"{place}. Line {origin.line}:{of} {said(origin)}", "head") + more
    here = tuple(place for place in cause.places if place.line == origin.line)
    yield from _line(origin.line, here, lines, paint, told=len(here) > 1)
    if origin.because:
        yield f"   {printable(origin.because)}"
    if origin.worked and origin.worked not in origin.because:
        yield f"   {paint(printable(origin.worked), 'right')}"
    for each in origin.explained:
        yield f"   Perhaps: {printable(each.said)}"
    yield from _others(tuple(place for place in cause.places if place.line != origin.line), lines, paint)


def _short(text: str) -> str:
    return cut(printable(text), 80)


def said(finding: DocumentFinding, written: Callable[[str], str] = _short) -> str:
    """What is the matter with a figure, in a few words."""
    expected = f", expected {written(finding.expected)}" if finding.expected else ""
    return f"{written(finding.printed)}{expected} ({SAID[finding.kind].called})"


def told(finding: DocumentFinding) -> list[str]:
    """All that is known of it, part by part, each said once."""
    worked = "" if finding.worked in finding.because else finding.worked
    parts = (said(finding), finding.because, worked, *(f"Perhaps: {each.said}" for each in finding.explained))
    return [part for part in parts if part]


def _marked(number: int, places: tuple[DocumentFinding, ...], lines: SourceLines, paint: Paint) -> Iterator[str]:
    """A line with its wrong figures marked."""
    for line in lines.marked(number, places):
        head = f"{number:>5}"
        yield f"{paint(f'{head} |', 'note')} {line.shown}"
        yield f"{paint(' ' * len(head) + ' |', 'note')} {paint(line.marks, 'wrong')}"


def _line(
    number: int, places: tuple[DocumentFinding, ...], lines: SourceLines, paint: Paint, told: bool
) -> Iterator[str]:
    """A line with its wrong figures marked and, where that is asked for, what they should be."""
    yield from _marked(number, places, lines, paint)
    if told:
        changes = (f"{_short(place.printed)} → {_short(place.expected)}" for place in places)
        kinds = dict.fromkeys(SAID[place.kind].called for place in places)
        yield f"{' ' * 8}{', '.join(changes)} ({', '.join(kinds)})"


def _others(places: tuple[DocumentFinding, ...], lines: SourceLines, paint: Paint) -> Iterator[str]:
    rest = list(by_line(places))
    if rest:
        yield "   From the same cause:"
    for number, found in rest[:LINES_SHOWN]:
        yield from _line(number, found, lines, paint, told=True)
    if left := rest[LINES_SHOWN:]:
        places_left = sum(len(found) for _, found in left)
        yield f"   … and {counted(places_left, 'place')} more: {listed([number for number, _ in left])}"


# -- what is left ------------------------------------------------------------------------------------------------------


def _remarks(document: CheckedDocument, paint: Paint) -> Iterator[str]:
    if document.remarks:
        yield ""
        yield paint("Not wrong, but not said:", "head")
    for each in document.remarks:
        yield f"   line {each.line}: {printable(each.said)}"


def _not_followed(document: CheckedDocument, paint: Paint) -> Iterator[str]:
    groups = reasons(document)
    if not groups:
        return
    yield ""
    yield paint(f"Not verified: {counted(sum(each.figures for each in document.unfollowed), 'figure')}", "head")
    for why, found in groups:
        figures = sum(each.figures for each in found)
        where = listed([each.line for each in found])
        example = f": {cut(printable(found[0].text), 50)}" if len(found) == 1 and found[0].text else ""
        yield f"   {printable(why)}: {counted(figures, 'figure')}, {where}{example}"


_STATUSES: Mapping[FigureStatus, str] = MappingProxyType(
    {**{kind: SAID[kind].called for kind in KINDS}, "right": "right", "given": "given", "not_verified": "not verified"}
)


def explained(document: CheckedDocument, line: int) -> str:
    """What is known of a line, as text; it ends with one newline.

    Raises :class:`~symattn.base.errors.DocumentError` for a line that the document has not got.
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
        yield from _row("cause", _cause_of_line(causes[finding.cause], finding))


def _said(verdict: FigureVerdict | None) -> str:
    if verdict is None:
        return ""
    return f"{cut(printable(verdict.printed), 80)} ({_STATUSES[verdict.status]})"


def _row(name: str, text: str) -> Iterator[str]:
    if text:
        yield f"   {name + ':':<11} {printable(text)}"


def _cause_of_line(group: CauseGroup, finding: DocumentFinding) -> str:
    """Where a finding comes from, or what comes from it."""
    if finding is not group.origin:
        return f"line {group.origin.line}: {said(group.origin)}"
    if group.others:
        return f"of {counted(len(group.others), 'other place')}: {listed([each.line for each in group.others])}"
    return ""
