"""Students' answers: untrusted text, read as exact numbers."""

from symattn.course.marking.answers.cell import TROUBLES, AnswerCell, read_cell
from symattn.course.marking.answers.files import decoded, read_answers
from symattn.course.marking.answers.json_text import FORMAT, read_json
from symattn.course.marking.answers.model import AnswerFile, Answers, BatchOrigin
from symattn.course.marking.answers.origin import as_told, origin_from, origin_of
from symattn.course.marking.answers.table import read_table

__all__ = [
    "FORMAT",
    "TROUBLES",
    "AnswerCell",
    "AnswerFile",
    "Answers",
    "BatchOrigin",
    "as_told",
    "decoded",
    "origin_from",
    "origin_of",
    "read_answers",
    "read_cell",
    "read_json",
    "read_table",
]
