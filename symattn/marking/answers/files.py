"""Files of answers: JSON or CSV, of one student or of a class."""

from __future__ import annotations

from pathlib import Path

from symattn import limits
from symattn.errors import AnswersError
from symattn.marking.answers.json_text import read_json
from symattn.marking.answers.model import AnswerFile
from symattn.marking.answers.table import read_table

_TABLES = (".csv", ".tsv", ".txt")
_MARKS = ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"))


def read_answers(path: Path | str) -> AnswerFile:
    """The answers in a file; what ends in .csv, .tsv or .txt is a table, everything else JSON.

    Raises :class:`~symattn.errors.AnswersError` for a file that cannot be read, is too large, or with everything that
    is wrong in it, each with line or entry and column.
    """
    path = Path(path)
    text, where = text_in(path), path.name
    return read_table(text, where) if path.suffix.lower() in _TABLES else read_json(text, where)


def text_in(path: Path) -> str:
    """The text of a file. Raises :class:`~symattn.errors.AnswersError` where it cannot be read or is too large."""
    try:
        with path.open("rb") as stream:
            data = stream.read(limits.ANSWER_BYTES + 1)
    except OSError as error:
        raise AnswersError(f"{path.name}: cannot be read: {error.strerror}") from None
    if len(data) > limits.ANSWER_BYTES:
        raise AnswersError(f"{path.name}: has more than ANSWER_BYTES = {limits.ANSWER_BYTES} bytes: split the file")
    return decoded(data, path.name)


def decoded(data: bytes, where: str) -> str:
    """The text of a file: UTF-8, or what its first bytes say.

    Raises :class:`~symattn.errors.AnswersError` for other bytes.
    """
    encoding = next((name for mark, name in _MARKS if data.startswith(mark)), "utf-8")
    try:
        return data.decode(encoding)
    except UnicodeDecodeError:
        raise AnswersError(f"{where}: is not UTF-8: save it as UTF-8 (in a spreadsheet, “CSV UTF-8”)") from None
