"""What a check found as Markdown: a comment to paste into an issue."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from symattn.base.errors import cut
from symattn.checking.model import CheckedDocument, DocumentFinding
from symattn.checking.report.causes import SAID, CauseGroup, causes_of, counted, listed, reasons
from symattn.checking.report.lines import SourceLines
from symattn.checking.report.text import coverage_line, said
from symattn.write.escape import clean, markdown

MOST = 60_000
"""Characters of a comment; GitHub takes 65,536."""

ROWS = 40
"""Places of one cause that a table has."""

_RUN = re.compile("`+")
_MENTION = re.compile(r"@(?=\w)|#(?=\d)|(?<=\bGH)-(?=\d)", re.IGNORECASE)


def as_markdown(documents: Sequence[CheckedDocument]) -> str:
    """A comment about every document; of a long one the end is left out, and said to be."""
    return "\n".join(_cut(document, MOST // max(len(documents), 1)) for document in documents)


def _cut(document: CheckedDocument, most: int) -> str:
    """The blocks of one document, as many of its causes as there is room for."""
    head, *causes = list(_blocks(document))
    rest = "".join((*_remarks(document), *_not_followed(document)))[: most // 4].rpartition("\n")
    pieces, size = [head], len(head) + len(rest[0])
    for place, block in enumerate(causes):
        size += len(block)
        if size > most:
            pieces.append(f"\n… and {counted(len(causes) - place, 'cause')} more.\n")
            break
        pieces.append(block)
    return "".join([*pieces, rest[0], rest[1]])


def _blocks(document: CheckedDocument) -> Iterator[str]:
    yield f"### {code(document.name)}\n\n{coverage_line(document)}.\n"
    lines = SourceLines(document.text)
    for place, cause in enumerate(causes_of(document), 1):
        yield "".join(f"{line}\n" for line in _cause(place, cause, lines))


def _cause(place: int, cause: CauseGroup, lines: SourceLines) -> Iterator[str]:
    origin = cause.origin
    of = f" {code(origin.of)}:" if origin.of else ""
    yield ""
    yield f"**{place}. Line {origin.line}:**{of} {said(origin, code)}"
    yield ""
    yield from _fenced([place for place in cause.places if place.line == origin.line], lines)
    yield ""
    worked = "" if origin.worked in origin.because else code(origin.worked)
    told = [prose(origin.because), worked, *(f"Perhaps: {prose(each.said)}" for each in origin.explained)]
    yield "  \n".join(part for part in told if part)
    if cause.others:
        yield from _table(cause.others)


def _fenced(places: Sequence[DocumentFinding], lines: SourceLines) -> Iterator[str]:
    """A line of the document with marks under its wrong figures."""
    shown = [part for line in lines.marked(places[0].line, places) for part in (line.shown, line.marks)]
    fence = "`" * max(3, 1 + max((len(run) for part in shown for run in _RUN.findall(part)), default=0))
    yield from (f"{fence}text", *shown, fence)


def _table(places: Sequence[DocumentFinding]) -> Iterator[str]:
    yield from ("", f"<details><summary>{counted(len(places), 'place')} from the same cause</summary>", "")
    yield from ("| line | printed | expected | |", "|---:|---|---|---|")
    for place in places[:ROWS]:
        cells = (str(place.line), code(place.printed), code(place.expected), SAID[place.kind].called)
        yield f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"
    if left := places[ROWS:]:
        yield from ("", f"… and {counted(len(left), 'place')} more: {listed([place.line for place in left])}")
    yield from ("", "</details>")


def _remarks(document: CheckedDocument) -> Iterator[str]:
    if document.remarks:
        yield "\n**Not wrong, but not said:**\n\n"
    for each in document.remarks:
        yield f"- line {each.line}: {prose(each.said)}\n"


def _not_followed(document: CheckedDocument) -> Iterator[str]:
    groups = reasons(document)
    if not groups:
        return
    yield "\n**Not verified:**\n\n"
    for why, found in groups:
        figures = sum(each.figures for each in found)
        yield f"- {prose(why)}: {counted(figures, 'figure')}, {listed([each.line for each in found])}\n"


def code(text: str) -> str:
    """A piece of a document as it stands there, in which nothing is Markdown or calls anybody.

    >>> code("a`b"), code("@all *x*")
    ('``a`b``', '`@all *x*`')
    """
    text = cut(clean(text), 200)
    if not text.strip():
        return ""
    fence = "`" * (1 + max(map(len, _RUN.findall(text)), default=0))
    gap = " " if text[0] in "` " or text[-1] in "` " else ""
    return f"{fence}{gap}{text}{gap}{fence}"


def prose(text: str) -> str:
    """A sentence with words of a document in it: no Markdown, and nobody and no issue is mentioned.

    >>> prose("see #3, @ada: 1 < 2")
    'see <span>#</span>3, <span>@</span>ada: 1 &lt; 2'
    """
    escaped = markdown(cut(text, 1_000), dollar=True)
    # The sign of an entity is one of a number too: &#91; stays.
    return re.sub(r"&#?\w+;|" + _MENTION.pattern, _apart, escaped)


def _apart(found: re.Match[str]) -> str:
    return found[0] if found[0].startswith("&") else f"<span>{found[0]}</span>"
