"""Put many sheets or keys in one document, each on a page of its own, one for each version or student.

``symattn build`` writes such documents as examples beside the worked solutions.

>>> [name for name, _ in pages("en")]
['exercise-attention-row', 'exercise-attention-row-key', 'exercise-fading', 'exercise-fading-key']
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Literal

from symattn.base.errors import SymattnError, UnknownNameError, shown, unknown
from symattn.course.generate import Batch, generate
from symattn.course.model import Exercise
from symattn.course.sheet import answer, question
from symattn.course.sheet.paper import Paper
from symattn.show.blocks import Block, Break, Document, Heading, Phrase

Which = Literal["question", "answer"]

_BLOCKS = {"question": question.question_blocks, "answer": answer.key_blocks}


def batch(
    exercises: Sequence[Exercise],
    which: Which,
    language: str | None = None,
    students: Mapping[str, int] | None = None,
) -> Document:
    """Return the question sheets or the keys of several exercises.

    ``students`` gives each name its version: then each student has a sheet with the name on it.

    Raises :class:`~symattn.base.errors.SymattnError` if there is no exercise, and
    :class:`~symattn.base.errors.UnknownNameError` for a version that none of them has.
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
    """Yield each sheet with the name it carries."""
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


EXAMPLES = (("attention-row", "", 2), ("fading", "attention-row", 4))
"""The topic of an example, the topic it is based on, and the number of versions."""

DIFFICULTY, SEED = 2, 7


def pages(language: str) -> Iterator[tuple[str, Document]]:
    """Yield every example in a language: the name of its file without language and format, and its document."""
    for topic, of, count in EXAMPLES:
        versions = _batch(topic, of, count)
        yield f"exercise-{topic}", batch(versions, "question", language)
        yield f"exercise-{topic}-key", batch(versions, "answer", language)


@cache
def _batch(topic: str, of: str, count: int) -> Batch:
    return generate(topic, of=of, difficulty=DIFFICULTY, seed=SEED, count=count)
