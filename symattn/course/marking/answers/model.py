"""The answers of students: names, versions, and the texts of the cells of every part, as they were written."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from symattn.base import limits
from symattn.base.errors import AnswersError
from symattn.base.frozen import Frozen
from symattn.base.printed import Printed
from symattn.course.checksum import Stamp
from symattn.write.escape import clean

NOTHING: Mapping[str, Printed] = MappingProxyType({})


@dataclass(frozen=True)
class Answers(Frozen):
    """The answers of one student; a version of ``None`` means that there is only one.

    ``stamp`` is the checksum from the sheet, if it is given. ``place`` is where the answers are in a file, such as
    ``line 5``; comparison ignores it.

    >>> Answers.of({"A": [["1/3", 1], ["0,5"]]}).parts["A"]
    (('1/3', '1'), ('0,5',))
    """

    student: str = ""
    version: int | None = None
    parts: Mapping[str, Printed] = field(default_factory=lambda: NOTHING)
    place: str = field(default="", compare=False)
    stamp: Stamp | None = None

    @property
    def is_empty(self) -> bool:
        """Whether all cells are empty."""
        return not self.answered

    @property
    def answered(self) -> tuple[str, ...]:
        """The names of the parts that are not empty.

        >>> Answers.of({"s": [[None, ""]], "a": ["1/3"]}).answered
        ('a',)
        """
        return tuple(name for name, rows in self.parts.items() if any(cell.strip() for row in rows for cell in row))

    @classmethod
    def of(cls, parts: Mapping[str, object], student: str = "", version: int | None = None) -> Answers:
        """Make answers from Python values: a text, a row or rows of texts for every part; ``None`` is an empty cell."""
        return cls(student, version, MappingProxyType({str(name): rows_of(cells) for name, cells in parts.items()}))


def rows_of(cells: object) -> Printed:
    """Return rows of texts for one cell, one row, or several rows.

    >>> rows_of("1"), rows_of(["1", None]), rows_of([[1], [2]])
    ((('1',),), (('1', ''),), (('1',), ('2',)))
    """
    if not _is_row(cells):
        return ((cell_text(cells),),)
    rows = tuple(_items(cells))
    if not any(map(_is_row, rows)):
        return (tuple(map(cell_text, rows)),)
    return tuple(tuple(map(cell_text, _items(row))) if _is_row(row) else (cell_text(row),) for row in rows)


def _is_row(cells: object) -> bool:
    return isinstance(cells, Sequence) and not isinstance(cells, str | bytes)


def _items(cells: object) -> Iterator[object]:
    assert isinstance(cells, Sequence)
    return iter(cells)


def cell_text(cell: object) -> str:
    """Return the text of one cell, on one line and without terminal control characters."""
    return "" if cell is None else clean(str(cell))


@dataclass(frozen=True)
class BatchOrigin:
    """The exercises that a file of answers belongs to: how they were generated, or the name of their file.

    The fields are parameters of :func:`~symattn.course.generate.generate`; a ``count`` of 0 means unknown, and
    ``secret`` only whether there is one.

    >>> BatchOrigin("fading", 2, 7, of="attention-row").of
    'attention-row'
    """

    topic: str = ""
    difficulty: int = 0
    seed: int = 0
    file: str = ""
    of: str = ""
    scenario: str = ""
    ask: tuple[str, ...] = ()
    fresh: bool = False
    count: int = 0
    secret: bool = False


@dataclass(frozen=True)
class AnswerFile:
    """A file of answers: those of every student in order, and the exercises it names, if any."""

    answers: tuple[Answers, ...]
    origin: BatchOrigin | None = None


LISTED = 20
"""The most problems that an error lists; it only counts the others."""


class Faults:
    """Collect the problems of one file.

    >>> faults = Faults("answers.csv")
    >>> faults.add("line 2", "version is 'x': expected a whole number")
    >>> faults.settle()
    Traceback (most recent call last):
        ...
    symattn.base.errors.AnswersError: answers.csv, line 2: version is 'x': expected a whole number
    """

    def __init__(self, where: str) -> None:
        self.where = where
        self.found: list[str] = []
        self.cells = 0

    def add(self, place: str, what: str) -> None:
        """Record a problem at a place of the file."""
        self.found.append(f"{self.where}, {place}: {what}" if place else f"{self.where}: {what}")

    def fail(self, place: str, what: str) -> AnswersError:
        """Return the error for a problem after which nothing else can be read."""
        self.add(place, what)
        return self._error()

    def count(self, cells: int) -> None:
        """Count cells. Raises if the total is too large."""
        self.cells += cells
        if self.cells > limits.ANSWER_CELLS:
            raise self.fail("", f"has more than ANSWER_CELLS = {limits.ANSWER_CELLS} cells: mark it in several files")

    def must_hold(self, students: int) -> None:
        """Raise if there are too many students, or none."""
        if students > limits.STUDENTS:
            raise self.fail("", f"has {students} students, more than STUDENTS = {limits.STUDENTS}: split the file")
        if not students and not self.found:
            raise self.fail("", "holds no answers: expected those of one student at least")

    def settle(self) -> None:
        """Raise if any problem was recorded."""
        if self.found:
            raise self._error()

    def _error(self) -> AnswersError:
        more = len(self.found) - LISTED
        lines = [*self.found[:LISTED], *([f"and {more} more"] if more > 0 else [])]
        return AnswersError(*lines, problems=tuple(self.found))
