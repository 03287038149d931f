"""Exercises: generated from a seed, printed as sheets and keys, exported as data.

>>> from symattn.exercise import generate
>>> from symattn.marking import mark
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
from symattn.exercise.generate import Batch, generate
from symattn.exercise.model import Exercise, Part, Planted, Wrong

if TYPE_CHECKING:
    from symattn.exercise.export import EXPORTS, exercises_from, exported
    from symattn.exercise.secret import Secret, new_secret, read_secret
    from symattn.exercise.sheet.batch import batch as sheets

_HOMES = {
    "EXPORTS": "symattn.exercise.export",
    "Secret": "symattn.exercise.secret",
    "exercises_from": "symattn.exercise.export",
    "exported": "symattn.exercise.export",
    "new_secret": "symattn.exercise.secret",
    "read_secret": "symattn.exercise.secret",
}

__all__ = [
    "EXPORTS",
    "Batch",
    "Exercise",
    "Part",
    "Planted",
    "Secret",
    "Wrong",
    "exercises_from",
    "exported",
    "generate",
    "new_secret",
    "read_secret",
    "sheets",
]


def __getattr__(name: str) -> Any:
    if name == "sheets":
        return import_module("symattn.exercise.sheet.batch").batch
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'symattn.exercise' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
