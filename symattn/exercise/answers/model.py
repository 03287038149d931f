"""What students answered: names, versions, and for every part the texts of its cells, as they were written."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from symattn.exercise.model import Rows
from symattn.render.escape import clean

NOTHING: Mapping[str, Rows] = MappingProxyType({})


@dataclass(frozen=True)
class Answers:
    """The answers of one student; a version of ``None`` is the only one there is.

    >>> Answers.of({"A": [["1/3", 1], ["0,5"]]}).parts["A"]
    (('1/3', '1'), ('0,5',))
    """

    student: str = ""
    version: int | None = None
    parts: Mapping[str, Rows] = field(default_factory=lambda: NOTHING)

    @classmethod
    def of(cls, parts: Mapping[str, object], student: str = "", version: int | None = None) -> Answers:
        """Answers from Python: a text, a row or rows of texts for every part; ``None`` is an empty cell."""
        return cls(student, version, MappingProxyType({str(name): rows_of(cells) for name, cells in parts.items()}))


def rows_of(cells: object) -> Rows:
    """Rows of texts from one cell, from one row, or from rows.

    >>> rows_of("1"), rows_of(["1", None]), rows_of([[1], [2]])
    ((('1',),), (('1', ''),), (('1',), ('2',)))
    """
    if not _is_row(cells):
        return ((text_of(cells),),)
    rows = tuple(_items(cells))
    if not any(map(_is_row, rows)):
        return (tuple(map(text_of, rows)),)
    return tuple(tuple(map(text_of, _items(row))) if _is_row(row) else (text_of(row),) for row in rows)


def _is_row(cells: object) -> bool:
    return isinstance(cells, Sequence) and not isinstance(cells, str | bytes)


def _items(cells: object) -> Iterator[object]:
    assert isinstance(cells, Sequence)
    return iter(cells)


def text_of(cell: object) -> str:
    """The text of one cell, on one line and without characters that steer a terminal."""
    return "" if cell is None else clean(str(cell))


@dataclass(frozen=True)
class Origin:
    """Which exercises a file of answers belongs to: what they were generated from, or the name of the file they are in.

    >>> Origin("attention-row", 2, 7)
    Origin(topic='attention-row', difficulty=2, seed=7, file='')
    """

    topic: str = ""
    difficulty: int = 0
    seed: int = 0
    file: str = ""


@dataclass(frozen=True)
class AnswerFile:
    """A file of answers: those of every student in order, and the exercises it names, if it does."""

    answers: tuple[Answers, ...]
    origin: Origin | None = None
