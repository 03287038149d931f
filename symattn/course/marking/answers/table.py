"""Read answers from a table: a line for each student, a column for each cell.

The header determines the separator: ``student``, ``version``, ``checksum``, then ``A[1,2]`` for row 1 and column 2 of
the part A, or ``N`` for a part of one cell.

>>> file = read_table("student;version;A[1,1];A[1,2];N\\nAda;3;1/3;0,5;12\\n")
>>> file.answers[0].student, dict(file.answers[0].parts)
('Ada', {'A': (('1/3', '0,5'),), 'N': (('12',),)})
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from types import MappingProxyType

from symattn.base import limits
from symattn.base.errors import shown
from symattn.base.printed import Printed
from symattn.base.words import list_items
from symattn.course.marking.answers.json_text import stamp_in, student_name, version_of
from symattn.course.marking.answers.model import AnswerFile, Answers, Faults, cell_text

_FORMULAS = tuple("=+-@＝＋－＠\t\r")
"""The characters that start a formula in a spreadsheet."""


def harmless(text: str) -> str:
    """Return a text that no spreadsheet takes for a formula.

    >>> harmless('=HYPERLINK("x")'), harmless("Ada")
    ('\\'=HYPERLINK("x")', 'Ada')
    """
    return f"'{text}" if _is_formula(text) else text


def meant(text: str) -> str:
    """Return the text from which :func:`harmless` made this one.

    >>> meant(harmless("=1")), meant(harmless("'=1")), meant("'Ada'"), meant("Ada")
    ('=1', "'=1", "'Ada'", 'Ada')
    """
    return text.removeprefix("'") if _is_formula(text) else text


def _is_formula(text: str) -> bool:
    """Return whether a text is a formula, with or without apostrophes in front."""
    bare = text.lstrip("'")
    return bare.startswith(_FORMULAS) or bare.lstrip().startswith(_FORMULAS)


SEPARATORS = (",", ";", "\t")

_STUDENT, _VERSION, _CHECKSUM = "student", "version", "checksum"
_COLUMN = re.compile(r"([A-Za-z][A-Za-z0-9_]{0,39})(?:\s*\[\s*(\d{1,4})\s*[,;]\s*(\d{1,4})\s*\])?\Z", re.ASCII)
_OPEN = re.compile(r"[A-Za-z]\w*\s*\[\s*\d+\s*\Z", re.ASCII)
_WANTED = "expected student, version, and columns such as A[1,2] or N"


@dataclass(frozen=True)
class _Column:
    """A cell of a part, row and column counted from 0."""

    name: str
    row: int
    column: int


def read_table(text: str, where: str = "answers") -> AnswerFile:
    """Read answers from CSV text. Raises :class:`~symattn.base.errors.AnswersError` with all its problems."""
    faults = Faults(where)
    start = next((line for line in text.splitlines() if line.strip()), "")
    separator = _separator(start)
    lines = _lines(text, separator, faults)
    if not lines:
        raise faults.fail("", f"is empty: {_WANTED}")
    columns = _columns(_rejoined(lines[0][1], separator), faults)
    faults.must_hold(len(lines) - 1)
    faults.count((len(lines) - 1) * sum(rows * width for rows, width in _sizes(columns).values()))
    faults.settle()
    answers = tuple(_answers(cells, columns, f"line {number}", faults) for number, cells in lines[1:])
    faults.settle()
    return AnswerFile(answers)


def meant_by(name: str) -> str | None:
    """Return the column that a header names in any language, a name, a version or a checksum; else ``None``.

    >>> meant_by("Full name"), meant_by("卷號"), meant_by("A[1,2]")
    ('student', 'version', None)
    """
    columns = (_STUDENT, _VERSION, _CHECKSUM)
    return next(
        (column for column in columns if name.strip().casefold() in list_items("marking", "columns", column)), None
    )


def _separator(header: str) -> str:
    """Return the separator that gives only known columns, or else the most of them."""

    def found_by(separator: str) -> tuple[int, int]:
        cells = _rejoined(next(csv.reader([header], delimiter=separator), []), separator)
        found = [bool(_COLUMN.match(cell.strip())) or meant_by(cell) is not None for cell in cells]
        return all(found), sum(found)

    try:
        return max(SEPARATORS, key=found_by)
    except csv.Error:
        return SEPARATORS[0]


def _rejoined(cells: list[str], separator: str) -> list[str]:
    """Return the header with each unquoted ``A[1,2]`` in one piece."""
    joined: list[str] = []
    for cell in cells:
        if joined and _OPEN.match(joined[-1]):
            joined[-1] += separator + cell
        else:
            joined.append(cell)
    return joined


def _lines(text: str, separator: str, faults: Faults) -> list[tuple[int, list[str]]]:
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, skipinitialspace=True)
    found: list[tuple[int, list[str]]] = []
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                found.append((reader.line_num, cells))
            if len(found) > limits.STUDENTS + 1:
                raise faults.fail("", f"has more than STUDENTS = {limits.STUDENTS} lines: split the file")
    except csv.Error as error:
        raise faults.fail(f"line {reader.line_num}", f"is not CSV: {error}") from None
    return found


def _columns(header: list[str], faults: Faults) -> list[_Column | str]:
    columns: dict[_Column | str, None] = {}
    for number, cell in enumerate(header, 1):
        column = _column(cell.strip(), f"column {number}", faults)
        if column in columns:
            faults.add(f"column {number}", f"{shown(cell.strip())} stands twice")
        columns[column] = None
    faults.settle()
    return list(columns)


def _column(name: str, place: str, faults: Faults) -> _Column | str:
    if known := meant_by(name):
        return known
    match = _COLUMN.match(name)
    row, column = (int(match[2] or 1), int(match[3] or 1)) if match else (0, 0)
    if match is None or not row or not column:
        faults.add(place, f"{shown(name)} is not known: {_WANTED}")
        return name
    return _Column(match[1], row - 1, column - 1)


def _answers(cells: list[str], columns: list[_Column | str], place: str, faults: Faults) -> Answers:
    if any(cell.strip() for cell in cells[len(columns) :]):
        faults.add(place, f"has {len(cells)} cells, and the header {len(columns)}: quotes around a decimal comma?")
    texts = dict(zip(columns, cells, strict=False))
    student = student_name(meant(texts.get(_STUDENT, "")), place, faults)
    version = version_of(texts.get(_VERSION), f"{place}, column {_VERSION}", faults)
    stamp = stamp_in(texts.get(_CHECKSUM), f"{place}, column {_CHECKSUM}", faults)
    placed = {column: cell_text(text).strip() for column, text in texts.items() if isinstance(column, _Column)}
    return Answers(student, version, MappingProxyType(dict(_parts(placed))), place, stamp)


def _parts(placed: dict[_Column, str]) -> Iterator[tuple[str, Printed]]:
    """Yield the parts, each with rows as long as the columns of the table require."""
    for name, (rows, width) in _sizes(placed).items():
        cells = ((placed.get(_Column(name, i, j), "") for j in range(width)) for i in range(rows))
        yield name, tuple(map(tuple, cells))


def _sizes(columns: Iterable[_Column | str]) -> dict[str, tuple[int, int]]:
    """Return the least number of rows and columns of each part."""
    sizes: dict[str, tuple[int, int]] = {}
    for cell in columns:
        if isinstance(cell, _Column):
            rows, width = sizes.get(cell.name, (0, 0))
            sizes[cell.name] = (max(rows, cell.row + 1), max(width, cell.column + 1))
    return sizes
