"""Exercises: generated from a seed, printed as sheets and keys, exported as data.

>>> from symattn.course import generate
>>> from symattn.course.marking import mark
>>> exercise = generate("softmax-row", difficulty=2, seed=7, count=30)[4]
>>> exercise.topic, exercise.version, exercise.parts[0].name
('softmax-row', 5, 'a')
>>> marked = mark(exercise, {"a": exercise.parts[0].key})
>>> marked.points == marked.most == len(exercise.parts[0].asked)
True
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

# The function has the name of its module, which the import of that module would put in its place if it came later.
from symattn.course.generate import Batch, generate
from symattn.course.model import Exercise, Part, Planted, Wrong

if TYPE_CHECKING:
    from symattn.course.export import EXPORTS, exercises_from, exported
    from symattn.course.secret import Secret, new_secret, read_secret
    from symattn.course.sheet.answer import answer
    from symattn.course.sheet.batch import batch as sheets
    from symattn.course.sheet.question import question

_HOMES = {
    **dict.fromkeys(("EXPORTS", "exercises_from", "exported"), "export"),
    **dict.fromkeys(("Secret", "new_secret", "read_secret"), "secret"),
    "answer": "sheet.answer",
    "question": "sheet.question",
    "sheets": "sheet.batch",
}

__all__ = [
    "EXPORTS",
    "Batch",
    "Exercise",
    "Part",
    "Planted",
    "Secret",
    "Wrong",
    "answer",
    "exercises_from",
    "exported",
    "generate",
    "new_secret",
    "question",
    "read_secret",
    "sheets",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'symattn.course' has no attribute {name!r}")
    return getattr(import_module(f"symattn.course.{_HOMES[name]}"), "batch" if name == "sheets" else name)


def __dir__() -> list[str]:
    return sorted(__all__)
