"""Marking: what is right, what is right for what came before, and what explains the first wrong step."""

from symattn.exercise.marking.classes import ClassReport, Frequency, PartCount, StepCount, mark_all
from symattn.exercise.marking.marks import mark
from symattn.exercise.marking.model import Cause, CellMark, Finding, Marked, PartMarks
from symattn.exercise.marking.output import as_json, as_table, as_text
from symattn.exercise.marking.page import class_page

__all__ = [
    "Cause",
    "CellMark",
    "ClassReport",
    "Finding",
    "Frequency",
    "Marked",
    "PartCount",
    "PartMarks",
    "StepCount",
    "as_json",
    "as_table",
    "as_text",
    "class_page",
    "mark",
    "mark_all",
]
