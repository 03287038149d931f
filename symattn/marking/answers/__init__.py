"""Students' answers: text that nobody trusts, read as exact numbers."""

from symattn.marking.answers.cell import TROUBLES, AnswerCell, read_cell
from symattn.marking.answers.files import decoded, read_answers
from symattn.marking.answers.json_text import FORMAT, read_json
from symattn.marking.answers.model import AnswerFile, Answers, BatchOrigin
from symattn.marking.answers.origin import as_told, origin_from, origin_of
from symattn.marking.answers.table import read_table

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
