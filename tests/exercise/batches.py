"""Batches that several tests look at: exercises are frozen, so each is generated once."""

from __future__ import annotations

import os
import tomllib
from functools import cache
from typing import Any

import numpy as np

from symattn.course.generate import Batch, generate
from symattn.course.model import Exercise

HEAVY = ("attention-head", "two-heads", "attention-backward")
"""Topics whose mistakes take longest to work out."""


@cache
def batch(topic: str, level: int = 2, seed: int = 5, count: int = 3, of: str = "", language: str = "en") -> Batch:
    """``count`` exercises of a topic, or of a form that stands on the topic ``of``."""
    return generate(topic, of=of, difficulty=level, seed=seed, count=count, language=language)


def few(topic: str, level: int) -> Batch:
    """Enough of a topic for every run of the tests; two hundred of each are looked at by a slow one."""
    return batch(topic, level, seed=11, count=1 if topic in HEAVY else 2)


def many(count: int) -> int:
    """How many variants a slow test looks at: ``count``, or fewer where SYMATTN_VARIANTS says so."""
    return min(count, int(os.environ.get("SYMATTN_VARIANTS", count)))


def number(text: str) -> float:
    return float(eval(str(text), {"sqrt": np.sqrt, "log": np.log}))  # noqa: S307  # the numbers of our own sheets


def numbers_of(exercise: Exercise) -> dict[str, Any]:
    """The givens of a sheet, its sizes, and the figures of its key."""
    table = tomllib.loads(exercise.source)
    found: dict[str, Any] = dict(table.get("sizes", {}))
    found["text"] = exercise.source
    for name, given in table.get("given", {}).items():
        found[name] = np.array(
            [[number(text) for text in row] for row in (given["value"] if isinstance(given, dict) else given)]
        )
    for part in exercise.parts:
        found[f"key {part.name}"] = np.array([[float(text.replace("oo", "inf")) for text in row] for row in part.key])
    return found
