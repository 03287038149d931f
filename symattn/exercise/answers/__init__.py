"""Students' answers: text that nobody trusts, read as exact numbers."""

from symattn.exercise.answers.cell import TROUBLES, Cell, read_cell
from symattn.exercise.answers.files import decoded, read_answers
from symattn.exercise.answers.json_text import FORMAT, read_json
from symattn.exercise.answers.model import AnswerFile, Answers, Origin
from symattn.exercise.answers.table import read_table

__all__ = [
    "FORMAT",
    "TROUBLES",
    "AnswerFile",
    "Answers",
    "Cell",
    "Origin",
    "decoded",
    "read_answers",
    "read_cell",
    "read_json",
    "read_table",
]
