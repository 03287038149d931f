"""Write the result of marking as text for a terminal, as JSON, or as a table of marks."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator

from symattn.base import words
from symattn.base.words import between
from symattn.claims.mistakes.model import mistake_text
from symattn.course.marking.answers.table import harmless
from symattn.course.marking.classes import ClassReport, Frequency
from symattn.course.marking.model import CellMark, Diagnosis, Marked, Observation, PartMarks, Status

FORMAT = "symattn-marks/1"

_LISTED: tuple[Status, ...] = ("carried", "wrong", "empty")
"""The statuses whose cells are all listed."""

# -- text --------------------------------------------------------------------------------------------------------------


def say(language: str, sentence: str, **values: str | int) -> str:
    """Return a sentence of marking with its values.

    >>> say("en", "first_wrong", part="A")
    'First wrong step: A.'
    """
    return words.text(language, "marking", sentence).format_map(values)


def as_text(report: ClassReport, language: str) -> str:
    """Return the report as text, ending with one newline: what each student got wrong and why, then the class's
    mistakes."""
    students = ("\n".join(student_lines(marked, language, place)) for place, marked in enumerate(report.marked, 1))
    blocks = [*students, *(["\n".join(_class_lines(report, language))] if len(report.marked) > 1 else [])]
    return "\n\n".join(blocks) + "\n"


def student_lines(marked: Marked, language: str, place: int = 1) -> Iterator[str]:
    """Yield the lines about one student: the marks, every part, and the explanations of errors."""
    name = marked.student or say(language, "unnamed", number=place)
    numbers = {"points": marked.points, "most": marked.most, "version": marked.version}
    yield say(language, "student", student=name, **numbers)
    for part in marked.parts:
        yield "  " + say(
            language, "part", part=part.name, points=part.points, most=part.most, rest=_rest(part, language)
        )
        yield from ("    " + line for line in _trouble_lines(part, language))
    for number, finding in enumerate(marked.findings):
        yield "  " + _diagnosis(finding, language, "later_wrong" if number else "first_wrong")
    for unknown in marked.unknown[:5]:
        yield "  " + say(language, "unknown", part=unknown[:40])


def _rest(part: PartMarks, language: str) -> str:
    """Return the remarks about cells of a part that are not simply right."""
    if part.turned:
        return between(language) + say(language, f"turned_{part.turned}")
    groups = ((status, part.having(status)) for status in _LISTED)
    said_of = [say(language, status, cells=", ".join(map(_place, cells))) for status, cells in groups if cells]
    said_of += [say(language, "coarse")] if part.is_coarse else []
    return "".join(between(language) + text for text in said_of)


def _place(cell: CellMark) -> str:
    written = f" {cell.text.strip()}" if cell.text.strip() else ""
    return f"[{cell.row + 1},{cell.column + 1}]{written}"


def _trouble_lines(part: PartMarks, language: str) -> Iterator[str]:
    """Yield a line for every unreadable cell, with the reason."""
    for cell in part.having("unreadable"):
        why = say(language, f"trouble_{cell.trouble}")
        yield say(language, "unreadable", cell=f"[{cell.row + 1},{cell.column + 1}]", text=cell.text[:60], why=why)


def _diagnosis(finding: Diagnosis, language: str, sentence: str) -> str:
    start = say(language, sentence, part=finding.part)
    gap = between(language)
    if finding.is_coarse:
        return start + gap + say(language, "coarse_alone")
    if not finding.causes:
        told = [say(language, f"seen_{one.kind}", **dict(one.told)) for one in finding.observations]
        is_whole = any(one.is_whole for one in finding.observations)
        return gap.join([start, *([] if is_whole else [say(language, "none_known")]), *told])
    feedback = [
        f"{mistake_text(name, 'feedback', language)}{gap}{mistake_text(name, 'hint', language)}"
        for name in finding.mistakes
    ]
    if len(feedback) == 1:
        return start + gap + feedback[0]
    return start + gap + say(language, "tie") + "".join(f"\n    - {text}" for text in feedback)


def title_of(frequency: Frequency, language: str) -> str:
    """Return the titles of mistakes that no answer distinguishes, or of a single one."""
    return " / ".join(mistake_text(name, "title", language) for name in frequency.mistakes)


def _class_lines(report: ClassReport, language: str) -> Iterator[str]:
    yield say(language, "class", students=len(report.marked), points=report.points, most=report.most)
    for frequency in report.mistakes:
        title = title_of(frequency, language)
        sentence = "frequency_perhaps" if frequency.perhaps else "frequency"
        yield "  " + say(language, sentence, title=title, sure=frequency.sure, perhaps=frequency.perhaps)
    if report.unexplained:
        yield "  " + say(language, "unexplained", students=report.unexplained)


# -- JSON --------------------------------------------------------------------------------------------------------------


def as_json(report: ClassReport) -> str:
    """Return the marks as JSON in the format ``symattn-marks/1``; rows and columns count from 1."""
    data = {
        "format": FORMAT,
        "topic": report.topic,
        "points": report.points,
        "most": report.most,
        "students": [_student(marked) for marked in report.marked],
        "mistakes": [
            {"mistake": one.mistakes[0], "or": list(one.mistakes[1:]), "students": one.sure, "tied": one.perhaps}
            for one in report.mistakes
        ],
        "unexplained": report.unexplained,
        "steps": [{"part": one.part, "students": one.students} for one in report.steps],
    }
    return json.dumps(data, ensure_ascii=False, indent=2) + "\n"


def _student(marked: Marked) -> dict[str, object]:
    return {
        "student": marked.student,
        "version": marked.version,
        "checked": marked.is_checked,
        "points": marked.points,
        "most": marked.most,
        "parts": [_part(part) for part in marked.parts],
        "findings": [
            {
                "part": finding.part,
                "mistakes": [{"mistake": cause.mistake, "step": cause.step} for cause in finding.causes],
            }
            | ({"observations": list(map(_observation, finding.observations))} if finding.observations else {})
            for finding in marked.findings
        ],
        "unknown": list(marked.unknown),
    }


def _observation(one: Observation) -> dict[str, object]:
    return {"observation": one.kind, **dict(one.told)}


def _part(part: PartMarks) -> dict[str, object]:
    return {
        "part": part.name,
        "kind": part.kind,
        "points": part.points,
        "most": part.most,
        "shape": part.turned or "as asked",
        "too_few_decimals": part.is_coarse,
        "cells": [
            {"row": cell.row + 1, "column": cell.column + 1, "text": cell.text, "mark": cell.status}
            | ({"trouble": cell.trouble} if cell.trouble else {})
            for cell in part.cells
        ],
    }


# -- CSV ---------------------------------------------------------------------------------------------------------------


def as_table(report: ClassReport) -> str:
    """Return the marks as CSV: a line for each student, a column for each part, the total, and the explaining mistakes.

    Text that a spreadsheet would run as a formula gets a leading apostrophe.
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    names = report.parts
    writer.writerow(["student", "version", *map(harmless, names), "total", "out_of", "first_wrong", "mistakes"])
    for marked in report.marked:
        points = {part.name: part.points for part in marked.parts}
        first = marked.first
        found = [first.part, " or ".join(first.mistakes) or "none known"] if first is not None else ["", ""]
        marks = [points.get(name, "") for name in names]
        cells = [harmless(marked.student), marked.version, *marks, marked.points, marked.most, *map(harmless, found)]
        writer.writerow(cells)
    return out.getvalue()
