"""A copy of a document with remarks where something is wrong, in the manner of its format; nothing else is changed."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import PurePath
from types import MappingProxyType

from symattn.base.errors import readable
from symattn.checking.model import CheckedDocument, DocumentFinding
from symattn.checking.report.causes import by_line, in_order
from symattn.checking.report.lines import SourceLines
from symattn.checking.report.markdown import code, prose
from symattn.checking.report.text import said
from symattn.checking.sources import ENDINGS
from symattn.checking.sources.markdown import FENCE, block_line, open_formula
from symattn.checking.sources.notebook import cells_of
from symattn.write.escape import in_xml


def annotated(document: CheckedDocument) -> str:
    """The document with a remark for every place.

    LaTeX has comments behind the lines; Markdown quotations behind the paragraphs and formulas; a notebook cells behind
    the cells; HTML a list at its end; other text marks under the lines.

    Raises :class:`~symattn.base.errors.DocumentError` for a notebook that is none.
    """
    if not document.findings:
        return document.text
    return _WRITERS.get(ENDINGS.get(PurePath(document.name).suffix.lower(), ""), _plain)(document)


def _end_of_line(text: str) -> str:
    """How the lines of a document end."""
    end = text.find("\n")
    return "\r\n" if end > 0 and text[end - 1] == "\r" else "\n"


def _behind(document: CheckedDocument, remarks: Mapping[int, list[str]]) -> str:
    """The document with lines of remarks behind some of its lines."""
    lines, end = SourceLines(document.text), _end_of_line(document.text)
    pieces: list[str] = []
    for number in range(1, lines.count + 1):
        line = lines.whole_line(number)
        pieces.append(line)
        if number in remarks:
            pieces.append("" if line.endswith("\n") else end)
            pieces += [f"{remark}{end}" for remark in remarks[number]]
    return "".join(pieces)


def _by_line(document: CheckedDocument) -> Iterator[tuple[int, tuple[DocumentFinding, ...]]]:
    return by_line(tuple(in_order(document)))


def _told(finding: DocumentFinding) -> str:
    return readable(f"{said(finding)}. {finding.because}" if finding.because else said(finding))


# -- text and LaTeX ----------------------------------------------------------------------------------------------------


def _plain(document: CheckedDocument) -> str:
    lines = SourceLines(document.text)
    remarks: dict[int, list[str]] = {}
    for number, places in _by_line(document):
        marks = [line.marks for line in lines.marked(number, places, room=len(lines.text(number)) + 1)]
        remarks[number] = [*marks, *(f"[symattn] {_told(place)}" for place in places)]
    return _behind(document, remarks)


def _latex(document: CheckedDocument) -> str:
    """Comments: inside of formulas they are none of it."""
    remarks = {number: [f"% symattn: {_told(place)}" for place in places] for number, places in _by_line(document)}
    return _behind(document, remarks)


# -- Markdown ----------------------------------------------------------------------------------------------------------


def _markdown(document: CheckedDocument) -> str:
    """Quotations behind the blocks, for a line between would break a table, a formula or a program."""
    lines = SourceLines(document.text)
    ends = _ends_of_blocks(lines)
    remarks: dict[int, list[str]] = {}
    for number, places in _by_line(document):
        found = remarks.setdefault(ends[number - 1], [])
        for place in places:
            because = f" {prose(place.because)}" if place.because else ""
            found.append(f"> **symattn, line {place.line}:** {said(place, code)}.{because}")
    spaced = {}
    for number, found in remarks.items():
        is_followed = number < lines.count and lines.text(number + 1).strip()
        quoted = [line for remark in found for line in (remark, ">")][:-1]
        spaced[number] = ["", *quoted, *([""] if is_followed else [])]
    return _behind(document, spaced)


def _ends_of_blocks(lines: SourceLines) -> list[int]:
    """For each line the last one of its block: of the paragraph, table, formula or program that it stands in."""
    closing = ""
    ends: list[int] = []
    waiting = 0
    for number in range(1, lines.count + 1):
        text = lines.text(number)
        closing = _closing(text, closing)
        waiting += 1
        following_is_blank = number == lines.count or not lines.text(number + 1).strip(" \t>")
        if (not closing and following_is_blank) or number == lines.count:
            ends += [number] * waiting
            waiting = 0
    return ends


def _closing(text: str, closing: str) -> str:
    """What closes the fence or the formula that is open at the end of a line."""
    line = block_line(text, 0, len(text))
    if closing[:1] in ("`", "~"):
        bare = text[line.start :].rstrip()
        return "" if bare.startswith(closing) and not bare.strip(closing[0]) else closing
    if not closing and (fence := FENCE.match(text, line.start)):
        return fence[1]
    if not closing and "<!--" in text:
        closing = "-->"
    if closing == "-->":
        return "" if closing in text else closing
    return open_formula(text, 0, len(text), closing)


# -- HTML --------------------------------------------------------------------------------------------------------------


def _html(document: CheckedDocument) -> str:
    """A list before the end of the page."""
    items = "".join(f"<li>Line {each.line}: {in_xml(_told(each))}</li>" for each in in_order(document))
    note = f'<aside id="symattn"><p>symattn check:</p><ul>{items}</ul></aside>'
    place = document.text.lower().rfind("</body")
    place = len(document.text) if place < 0 else place
    return f"{document.text[:place]}{note}{_end_of_line(document.text)}{document.text[place:]}"


# -- notebooks ---------------------------------------------------------------------------------------------------------


def _notebook(document: CheckedDocument) -> str:
    """A cell of Markdown behind each cell that has something wrong; all other text of the file stays as it is."""
    text = document.text
    cells = cells_of(text, document.name)
    has_ids = any("id" in cell for cell in cells)
    findings = in_order(document)
    pieces, done, number = [], 0, 0
    for cell in cells:
        inside = [each for each in findings if cell.start <= each.start < cell.end]
        if inside:
            number += 1
            pieces += [text[done : cell.end], ",\n  ", _cell(inside, f"symattn-{number}" if has_ids else "")]
            done = cell.end
    return "".join([*pieces, text[done:]])


def _cell(findings: list[DocumentFinding], name: str) -> str:
    told = [f"- {said(each, code)}. {prose(each.because)}".rstrip() for each in findings]
    named = {"id": name} if name else {}
    return json.dumps(
        {"cell_type": "markdown", **named, "metadata": {}, "source": "**symattn:**\n\n" + "\n".join(told)},
        ensure_ascii=False,
    )


_WRITERS: Mapping[str, Callable[[CheckedDocument], str]] = MappingProxyType(
    {"markdown": _markdown, "latex": _latex, "html": _html, "notebook": _notebook}
)
