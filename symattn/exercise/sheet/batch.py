"""Many sheets or keys in one document, each on a page of its own, one for each version or one for each student."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

from symattn.document.blocks import Block, Break, Document, Heading, Phrase
from symattn.errors import SymattnError, UnknownNameError, shown, unknown
from symattn.exercise.model import Exercise
from symattn.exercise.sheet import answer, question
from symattn.exercise.sheet.paper import Paper

Which = Literal["question", "answer"]

_BLOCKS = {"question": question.blocks, "answer": answer.blocks}


def batch(
    exercises: Sequence[Exercise],
    which: Which,
    language: str | None = None,
    students: Mapping[str, int] | None = None,
) -> Document:
    """The question sheets or the keys of several exercises.

    ``students`` gives each name its version: then there is a sheet for each of them, which carries the name.

    Raises :class:`~symattn.errors.SymattnError` where there is no exercise, and
    :class:`~symattn.errors.UnknownNameError` for a version that none of them has.
    """
    if which not in _BLOCKS:
        raise UnknownNameError(unknown("kind of sheet", which, tuple(_BLOCKS)))
    if not exercises:
        raise SymattnError("a batch of no exercises: expected at least one")
    spoken = language or exercises[0].language
    topics = tuple(dict.fromkeys(exercise.topic for exercise in exercises))
    title = Phrase(f"sheet_batch_{which}", (("topics", topics),))
    sheets = _sheets(exercises, students)
    return Document(
        (title,), spoken, tuple(block for one, name in sheets for block in _sheet(one, which, spoken, name))
    )


def _sheets(exercises: Sequence[Exercise], students: Mapping[str, int] | None) -> Iterator[tuple[Exercise, str]]:
    """Each sheet with the name it carries."""
    if students is None:
        yield from ((exercise, "") for exercise in exercises)
        return
    versions = {exercise.version: exercise for exercise in exercises}
    for name, version in students.items():
        if version not in versions:
            raise UnknownNameError(unknown(f"version of {shown(name)}", str(version), map(str, versions)))
        yield versions[version], name


def _sheet(exercise: Exercise, which: Which, language: str, student: str) -> Iterator[Block]:
    paper = Paper(exercise, language, inner=2)
    yield Break((paper.origin(student),))
    yield Heading(1, "", paper.title(which == "answer"))
    yield from _BLOCKS[which](paper, student)
