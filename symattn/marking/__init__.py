"""Marking: what is right, what is right for what came before, and what explains the first wrong step."""

from symattn.marking.answers import Answers, read_answers
from symattn.marking.classes import ClassReport, Frequency, PartCount, StepCount, mark_all
from symattn.marking.marks import mark
from symattn.marking.model import Cause, CellMark, Diagnosis, Marked, PartMarks
from symattn.marking.output import as_json, as_table, as_text
from symattn.marking.page import class_page
from symattn.marking.sources import exercises_in

__all__ = [
    "Answers",
    "Cause",
    "CellMark",
    "ClassReport",
    "Diagnosis",
    "Frequency",
    "Marked",
    "PartCount",
    "PartMarks",
    "StepCount",
    "as_json",
    "as_table",
    "as_text",
    "class_page",
    "exercises_in",
    "mark",
    "mark_all",
    "read_answers",
]
