"""Marking: decide which cells are right, or right given earlier answers, and explain the first wrong step."""

from symattn.course.marking.answers import Answers, read_answers
from symattn.course.marking.classes import ClassReport, Frequency, PartCount, StepCount, mark_all
from symattn.course.marking.marks import mark
from symattn.course.marking.model import Cause, CellMark, Diagnosis, Marked, PartMarks
from symattn.course.marking.output import as_json, as_table, as_text
from symattn.course.marking.page import class_page
from symattn.course.marking.sources import exercises_in

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
