"""The names of a class, from a table.

>>> students_from("name,group\\nAda Lovelace,1\\nAlan Turing,2\\n")
('Ada Lovelace', 'Alan Turing')
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from pathlib import Path

from symattn import limits
from symattn.errors import AnswersError, shown
from symattn.marking.answers.files import text_in
from symattn.marking.answers.table import meant_by
from symattn.render.escape import clean

_SEPARATORS = ("\t", ";", ",")


def students_from(text: str, where: str = "names.csv") -> tuple[str, ...]:
    """The names in a table, in its order: the column called ``name``, or another word for it, or the only one.

    Raises :class:`~symattn.errors.AnswersError` with line and sentence for names that are missing, too long, too many
    or stand twice, and for several columns of which none is called ``name``.
    """
    rows = _rows(text.removeprefix("\ufeff"), where)
    if not rows:
        raise AnswersError(f"{where}: is empty: expected a name on every line")
    header = [cell.strip().casefold() for cell in rows[0][1]]
    column = next((place for place, cell in enumerate(header) if meant_by(cell) == "student"), None)
    names: dict[str, int] = {}
    for number, cells in rows if column is None else rows[1:]:
        name = _name(cells, column, f"{where}, line {number}", len(header))
        if name in names:
            raise AnswersError(
                f"{where}, line {number}: {shown(name)} stands in line {names[name]} too: a sheet belongs to one "
                "student; tell them apart"
            )
        names[name] = number
    if not names:
        raise AnswersError(f"{where}: holds no name below its header")
    if len(names) > limits.STUDENTS:
        raise AnswersError(f"{where}: has more than STUDENTS = {limits.STUDENTS} names: split the file")
    return tuple(names)


def versions_of(names: Sequence[str]) -> Mapping[str, int]:
    """Which version each student gets: the first one version 1, and so on.

    >>> versions_of(("Ada", "Alan"))
    {'Ada': 1, 'Alan': 2}
    """
    return {name: version for version, name in enumerate(names, 1)}


def _rows(text: str, where: str) -> list[tuple[int, list[str]]]:
    """The lines that are not empty, with their numbers."""
    start = next((line for line in text.splitlines() if line.strip()), "")
    separator = next((mark for mark in _SEPARATORS if mark in start), ",")
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, skipinitialspace=True)
    try:
        return [(reader.line_num, cells) for cells in reader if any(cell.strip() for cell in cells)]
    except csv.Error as error:
        raise AnswersError(f"{where}, line {reader.line_num}: is not CSV: {error}") from None


def _name(cells: list[str], column: int | None, place: str, width: int) -> str:
    filled = [cell for cell in cells if cell.strip()]
    if column is None and len(filled) > 1:
        raise AnswersError(
            f"{place}: has {len(filled)} cells and no header: expected one name a line, or a first line that calls "
            "the column with the names “name” or “姓名”; a comma inside a name needs quotes around the name"
        )
    if column is not None and any(cell.strip() for cell in cells[width:]):
        raise AnswersError(f"{place}: has {len(cells)} cells, and the header {width}: quotes around a comma in a name?")
    index = column if column is not None else next(place for place, cell in enumerate(cells) if cell.strip())
    name = clean(cells[index]).strip() if index < len(cells) else ""
    if not name:
        raise AnswersError(f"{place}: has no name")
    if len(name) > limits.STUDENT_CHARACTERS:
        raise AnswersError(
            f"{place}: {shown(name, 20)} has more than STUDENT_CHARACTERS = {limits.STUDENT_CHARACTERS} characters"
        )
    return name


def names_in(path: Path) -> tuple[str, ...]:
    """The names in a file of CSV; see :func:`students_from`.

    Raises :class:`~symattn.errors.AnswersError` also where the file cannot be read.
    """
    return students_from(text_in(path), path.name)
